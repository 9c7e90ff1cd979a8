"""torch's type promotion, which every pointwise op follows; jax's own promotion is never used.

Source of the rules: https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
"""

from __future__ import annotations

from functools import cache, partial

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from . import dtypes
from .dtypes import DTYPES, dtype
from .numbers import is_number, is_python_number

__all__ = [
    "can_cast", "converted", "converted_numbers", "dtype_of", "number_dtype", "promote_types", "result_dtype",
    "rounded_to", "to_common_dtype",
]  # fmt: skip

_INT_ORDER = ("uint8", "int8", "int16", "int32", "int64")
_UNSIGNED = ("uint16", "uint32", "uint64")


@cache
def promote_types(a: dtype, b: dtype) -> dtype:
    """The smallest dtype that both may be cast to by torch's lattice; symmetric.

    >>> promote_types(DTYPES["uint8"], DTYPES["int8"])
    torch.int16
    """
    if a is b:
        return a
    if a.is_float8 or b.is_float8:
        raise RuntimeError(
            f"Promotion for Float8 Types is not supported, attempted to promote {a.scalar_name} and {b.scalar_name}"
        )
    if a.category > b.category:
        a, b = b, a
    if a.category == 0:
        return b
    if b.category == 3:
        if a.category == 3:
            return dtypes.complex128
        return dtypes.complex128 if a is dtypes.float64 else b
    if b.category == 2:
        if a.category == 1:
            return b
        if a.itemsize == b.itemsize:  # float16 with bfloat16
            return dtypes.float32
        return a if a.itemsize > b.itemsize else b
    if a.name in _UNSIGNED or b.name in _UNSIGNED:
        raise RuntimeError(
            "Promotion for uint16, uint32, uint64 types is not supported, "
            f"attempted to promote {a.name} and {b.name}"
        )
    if {a.name, b.name} == {"uint8", "int8"}:
        return DTYPES["int16"]
    return a if _INT_ORDER.index(a.name) > _INT_ORDER.index(b.name) else b


def can_cast(source: dtype, target: dtype) -> bool:
    """Returns whether a result of `source` may be written into a tensor of `target` (torch.can_cast)."""
    if target.category == 1 and source.category == 0:
        return True
    return source.category <= target.category


def number_dtype(number_type: type) -> dtype:
    """The dtype that a tensor made of a Python number of this type has."""
    if number_type is bool:
        return dtypes.bool_
    if issubclass(number_type, int):
        return dtypes.int64
    if issubclass(number_type, float):
        return dtypes.default_dtype()
    return dtypes.default_dtype().to_complex()


def dtype_of(x) -> dtype:
    """The torch dtype of a jax array, tracer, numpy array or Python number."""
    if is_python_number(x):
        return number_dtype(type(x))
    return dtypes.from_numpy(x.dtype)


def _number_dtype_of(x) -> dtype:
    if is_python_number(x):
        return number_dtype(type(x))
    return number_dtype({0: bool, 1: int, 2: float, 3: complex}[dtypes.from_numpy(x.dtype).category])


def _combine(higher: dtype | None, lower: dtype | None) -> dtype | None:
    if higher is None or lower is None:
        return higher or lower
    if higher.category == 3:
        return higher
    if higher.category == 2:
        return promote_types(higher, higher.to_complex()) if lower.category == 3 else higher
    if higher.category == 0 or lower.category >= 2:
        return promote_types(higher, lower)
    return higher


def result_dtype(*inputs) -> dtype:
    """torch.result_type of arrays and Python numbers: tensors with dimensions outrank 0-d tensors outrank numbers."""
    dim = zero = number = None
    for x in inputs:
        if is_number(x):
            d = _number_dtype_of(x)
            number = d if number is None else promote_types(number, d)
        elif jnp.ndim(x) == 0:
            d = dtypes.from_numpy(x.dtype)
            zero = d if zero is None else promote_types(zero, d)
        else:
            d = dtypes.from_numpy(x.dtype)
            dim = d if dim is None else promote_types(dim, d)
    result = _combine(dim, _combine(zero, number))
    assert result is not None, "result_dtype needs at least one input"
    return result


def to_common_dtype(inputs: list, kind: str, float8: bool = False) -> tuple[list, dtype, dtype]:
    """Casts `inputs` for a pointwise op: (cast inputs, the dtype computed in, the dtype of the result).

    kind: "default" keeps the common dtype, "float" turns integers into the default floating dtype,
    "long" turns bool into int64, "same" casts without the float32 detour that half precision, and where asked for
    float8, otherwise takes. What is wider than a half is rounded to one first, as by torch's CPU; but not the last
    factor of a "product".
    """
    result = result_dtype(*inputs)
    if kind == "float" and result.category < 2:
        result = dtypes.default_dtype()
    elif kind == "long" and result.category == 0:
        result = dtypes.int64
    if not (result.is_narrow and kind != "same" and (float8 or not result.is_float8)):
        return [_cast(x, result) for x in inputs], result, result
    cast = [_cast(x, dtypes.float32) for x in inputs]
    for i, x in enumerate(inputs[:-1] if kind == "product" else inputs):
        if is_number(x) or dtype_of(x) is not result:
            cast[i] = rounded_to(cast[i], result)
    return cast, dtypes.float32, result


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def rounded_to(x, d: dtype):
    """float32 with the values that a narrow floating dtype has.

    Derivatives pass as they are: XLA's reduce_precision, which its own derivative applies to them, makes those below
    the normal numbers of float16 0."""
    bits = ml_dtypes.finfo(d.np)
    rounded = jax.lax.reduce_precision(x, exponent_bits=bits.nexp, mantissa_bits=bits.nmant)
    if d.name != "float16":
        return rounded
    small = jax.lax.round(x * 2.0**24, jax.lax.RoundingMethod.TO_NEAREST_EVEN) * 2.0**-24
    return jnp.where(jnp.abs(x) < 2.0**-14, small, rounded)


rounded_to.defjvp(lambda d, x, t: (rounded_to(*x, d), *t))


def _cast(x, d: dtype):
    if is_python_number(x):
        return jnp.asarray(x).astype(d.np) if d.category < 2 else jnp.asarray(x, dtype=d.np)
    return converted(x, d.np)


def converted(x, to):
    """An array as another dtype (numpy's).

    Truth becomes 1 and 0 by selection: XLA takes the product of a conversion and y for select(x, y, 0), without the nan
    of 0 * inf.
    """
    if x.dtype == bool and to.kind in "fcV":
        return jax.lax.select(x, jax.lax.full_like(x, 1, to), jax.lax.full_like(x, 0, to))
    if to == _SATURATES.np and x.dtype != to:
        return _saturated(x)
    return jax.lax.convert_element_type(x, to)


_SATURATES = DTYPES["float8_e4m3fn"]
"""It has no infinity: what is beyond its largest number becomes that, where XLA and NumPy would make it nan."""
_MOST = dtypes.finfo(_SATURATES).max


@jax.custom_jvp
def _saturated(x):
    return jax.lax.convert_element_type(jnp.clip(x.astype(np.float32), -_MOST, _MOST), _SATURATES.np)


@_saturated.defjvp
def _saturated_jvp(primals, tangents):
    return _saturated(*primals), jax.lax.convert_element_type(*tangents, _SATURATES.np)


def converted_numbers(x: np.ndarray, to: np.dtype) -> np.ndarray:
    """`converted` of NumPy's arrays."""
    if to == _SATURATES.np and x.dtype != to:
        x = np.clip(x.astype(np.float32), -_MOST, _MOST)
    return x.astype(to)
