"""Pointwise arithmetic of two or three tensors, one of which may be a Python number: `add` to `nextafter`.

Division of integers by 0 raises torch's ZeroDivisionError where the divisor is a number, or a tensor whose values are
at hand (see _core/call/divisors.py). Where it is not known while recording, the quotient is XLA's (-1, before flooring)
and the remainder is the dividend.
"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .._core.api import (
    ENTIRELY,
    Array,
    Exponent,
    Number,
    all_tensors,
    beside_numbers,
    check,
    check_divisor,
    cpp_name,
    cut_division,
    dtype_of,
    dtypes,
    floor_quotient,
    floor_rest,
    is_number,
    is_python_number,
    need_kind,
    not_zero,
    op,
    reads,
    result_dtype,
    rounded_to,
)
from . import _special as special
from ._pointwise import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    as_number,
    beside,
    between,
    broadcasted,
    category,
    check_fit,
    check_subtraction,
    differentiated,
    fit,
    one_tensor,
    promoted,
)
from .reduce import larger_of, smaller_of
from .unary import exp2, rsqrt, sqrt, trunc, whole_power

_DIVISOR = ("isinstance(other, Tensor)", "input, other", check_divisor)
"""For `asks=`: integers are not divided by 0."""


def _zero(like):
    return jnp.zeros((), like.dtype)


# ---- sums


def _scaled(x, alpha):
    """alpha * x, after torch's checks of alpha."""
    check(
        category(alpha) != BOOL or category(x) == BOOL,
        RuntimeError,
        "Boolean alpha only supported for Boolean results.",
    )
    check(
        category(x) >= FLOAT or category(alpha) <= INT,
        RuntimeError,
        "For integral input tensors, argument alpha must not be a floating point number.",
    )
    check(
        category(x) == COMPLEX or category(alpha) < COMPLEX,
        RuntimeError,
        "For non-complex input tensors, argument alpha must not be a complex number.",
    )
    if is_python_number(alpha) and alpha == 1:
        return x
    if category(x) == BOOL:
        return x & (alpha != 0)
    return x * as_number(alpha, dtype_of(x))


def _as_half(input, other, alpha):
    """Rounds alpha, and a number operand, to the half-precision dtype of the tensors, as torch does before it
    computes in float32."""
    kinds = {x.dtype for x in (input, other) if isinstance(getattr(x, "dtype", None), dtypes.dtype)}
    d = next((d for d in (dtypes.float16, dtypes.bfloat16) if d in kinds), None)
    if d is None or not isinstance(alpha, int | float) or alpha == 1:
        return input, other, alpha
    if any(k is not d and k.category >= FLOAT for k in kinds):
        return input, other, alpha

    def rounded(x):
        known = isinstance(x, float) or (isinstance(x, int) and abs(x) < 2**63)  # others are refused below
        return float(np.asarray(x, d.np)) if known else x

    fits = not dtypes.finfo(d).max < abs(alpha) < math.inf
    check(fits, RuntimeError, f"value cannot be converted to type {d.cpp_name} without overflow")
    return rounded(input), rounded(other), rounded(alpha)


_AS_HALF = (("alpha.__class__ is not int or alpha != 1", "input, other, alpha", _as_half),)


@op(
    promote="default", inplace=True, saves="nothing", asks=_AS_HALF, numbers=fit("alpha"), scalings=("alpha",)
)
def add(input: Array | Number, other: Array | Number, *, alpha: Number = 1) -> Array:
    """input + alpha * other; for bool, the logical or.

    >>> torch.add(torch.tensor([7., -7.]), torch.tensor([2., 2.]))
    tensor([ 9., -5.])
    """
    input, other = broadcasted(input, other)
    other = _scaled(other, alpha)
    return input | other if category(input) == BOOL else lax.add(input, other)


@op(
    inplace=True,
    saves="nothing",
    aliases=("subtract",),
    asks=_AS_HALF,
    numbers=fit("alpha"),
    scalings=("alpha",),
    wide_ints="int",
)
def sub(input: Array | Number, other: Array | Number, *, alpha: Number = 1) -> Array:
    """input - alpha * other; an error for bool.

    >>> torch.sub(torch.tensor([7., -7.]), torch.tensor([2., 2.]))
    tensor([ 5., -9.])
    """
    check_subtraction(input, other)
    return promoted("default", lambda a, b: lax.sub(a, _scaled(b, alpha)), input, other)


@op(saves="nothing", out=False, asks=_AS_HALF, numbers=fit("alpha"), grad=beside_numbers, wide_ints="int")
def rsub(input: Array, other: Array | Number, *, alpha: Number = 1) -> Array:
    """other - alpha * input.

    >>> torch.rsub(torch.tensor([7., -7.]), torch.tensor([2., 2.]))
    tensor([-5.,  9.])
    """
    return sub(other, input, alpha=alpha)


# ---- products


@op(promote="product", inplace=True, aliases=("multiply",), float8=True)
def mul(input: Array | Number, other: Array | Number) -> Array:
    """input * other; for bool, the logical and.

    >>> torch.mul(torch.tensor([7., -7.]), torch.tensor([2., 2.]))
    tensor([ 14., -14.])
    """
    input, other = broadcasted(input, other)
    return input & other if category(input) == BOOL else lax.mul(input, other)


@op(inplace=True, numbers=fit("value", halves=dtypes.float32), autocast=(None, "widest"), scalings=("value",))
def addcmul(input: Array, tensor1: Array, tensor2: Array, *, value: Number = 1) -> Array:
    """input + value * tensor1 * tensor2.

    >>> torch.addcmul(torch.ones(2), torch.tensor([4., 6.]), torch.tensor([2., 2.]), value=10)
    tensor([ 81., 121.])
    """

    def compute(x, a, b):
        need_kind(x, "ifc", "addcmul_cpu_out")
        return x + as_number(value, dtype_of(x)) * a * b

    return promoted("default", compute, input, tensor1, tensor2)


@op(inplace=True, numbers=fit("value", halves=dtypes.float32), autocast=(None, "widest"), scalings=("value",))
def addcdiv(input: Array, tensor1: Array, tensor2: Array, *, value: Number = 1) -> Array:
    """input + value * tensor1 / tensor2; an error when both are tensors of integers.

    >>> torch.addcdiv(torch.ones(2), torch.tensor([4., 6.]), torch.tensor([2., 2.]), value=10)
    tensor([21., 31.])
    """
    check(
        category(tensor1) >= FLOAT or category(tensor2) >= FLOAT,
        RuntimeError,
        "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
        "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
        "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2)"
        " for float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / "
        "tensor2), for all dtypes.",
    )

    def compute(x, a, b):
        return x + special.divide(as_number(value, dtype_of(x)) * a, b)

    return promoted("default", compute, input, tensor1, tensor2)


@op(
    inplace=True,
    out="exact if isinstance(weight, Tensor) and weight.ndim",
    numbers=fit("weight", halves=dtypes.float32),
    grad=all_tensors(3),
)
def lerp(input: Array, end: Array, weight: Array | Number) -> Array:
    """input + weight * (end - input), computed from the nearer end so that weight 1 gives `end` exactly.

    >>> torch.lerp(torch.tensor([0., 10.]), torch.tensor([10., 20.]), 0.25)
    tensor([ 2.5000, 12.5000])
    """
    name = "weight" if dtype_of(input) is dtype_of(end) else "end"
    arrays = [input, end, weight if not is_number(weight) else input]
    for x in arrays[1:] if jnp.ndim(weight) else arrays[1:2]:  # a weight without dims is a number
        check(
            dtype_of(x) is dtype_of(input),
            RuntimeError,
            f"expected dtype {cpp_name(input)} for `{name}` but got dtype {cpp_name(x)}",
        )

    def compute(a, b, w):
        need_kind(a, "fc", "lerp_kernel_tensor" if not is_number(weight) else "lerp_kernel_scalar")
        w = w if not is_number(weight) else as_number(weight, dtype_of(a))
        return between(a, b, w)

    return promoted("default", compute, *arrays)


# ---- quotients


def _no_zero(op, static, inputs, result) -> None:
    """For `@op(numbers=)`: integers are not divided by the number 0, nor by what is 0 in their dtype, as 256 in
    int8."""
    if result.dtype.category == INT and static != (None,) and is_python_number(inputs[1]):
        is_zero = inputs[1] % 2 ** (8 * result.dtype.itemsize) == 0
        check(not is_zero or 0 in result.shape, RuntimeError, "ZeroDivisionError")


def _divisor(input, other):
    """`other`, checked for 0 where integers are divided by it.

    Numbers were looked at before (`_no_zero`)."""
    if is_number(other) or not isinstance(other, jax.core.Tracer) or category(other) > INT:
        return other
    d = result_dtype(input, other)
    return not_zero(lax.convert_element_type(other, d.np)) if d.category == INT else other


def _grad_of_quotient(name: str, static: tuple, ranks) -> str:
    return f"DivBackward{2 if static and static[0] is not None else 0}"


def _is_no_reciprocal(static: tuple, inputs) -> bool:
    """Returns whether the dividend is not a number: for `1 / x` PyTorch takes the reciprocal."""
    return not isinstance(inputs[0], int | float | complex)


@op(
    inplace=True,
    aliases=("divide",),
    asks=(("rounding_mode is not None and isinstance(other, Tensor)", "input, other", check_divisor),),
    numbers=_no_zero,
    grad=_grad_of_quotient,
    autocast=(None, "float"),
    autocast_if=_is_no_reciprocal,
    wide_ints=lambda static: "int" if any(static) else "float",
)
def div(input: Array | Number, other: Array | Number, *, rounding_mode: str | None = None) -> Array:
    """input / other: in floating point, or rounded "trunc" (towards 0) or "floor" with the dtype kept.

    The derivative of a rounded quotient is 0.

    >>> torch.div(torch.tensor([7., -7.]), torch.tensor([2., 2.]))
    tensor([ 3.5000, -3.5000])
    """
    check(
        rounding_mode in (None, "trunc", "floor"),
        RuntimeError,
        f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'",
    )
    if rounding_mode is None:
        return true_divide(input, other)
    fn = _div_floor if rounding_mode == "floor" else _div_trunc
    return _quotient("default", fn, input, _divisor(input, other))


def _quotient(kind: str, fn, input, other):
    """`fn` of the promoted inputs; of halves by halves with each step rounded to a half, as in torch, and of halves by
    one number in float32, where the number is not rounded to a half before."""
    d = result_dtype(input, other)
    if d.category != FLOAT or d.itemsize != 2:
        return promoted(kind, fn, input, other)
    if is_number(other) or jnp.size(other) == 1:
        wide = fn(jnp.asarray(input, d.np).astype(jnp.float32), jnp.asarray(other, jnp.float32))
    else:
        parts = [jnp.asarray(x, d.np).astype(jnp.float32) for x in broadcasted(input, other)]
        wide = fn(*parts, lambda x: rounded_to(x, d))
    return lax.convert_element_type(wide, d.np)


def _unrounded(x):
    return x


@op(inplace=True, grad="Div", wide_ints="float")
def true_divide(input: Array | Number, other: Array | Number) -> Array:
    """input / other in floating point.

    >>> torch.true_divide(torch.tensor([7., -7.]), torch.tensor([2., 2.]))
    tensor([ 3.5000, -3.5000])
    """
    if is_python_number(other) and category(input) == COMPLEX and other.imag == 0:
        # of complex numbers XLA multiplies by the inverse of a constant, which for 0 is nan
        real = other.real or 0.0  # not -0.0
        parts = (_quotient("float", _div_true, x, real) for x in (lax.real(input), lax.imag(input)))
        return lax.complex(*parts)
    return _quotient("float", _div_true, input, other)


@op(inplace=True, asks=(_DIVISOR,), numbers=_no_zero, wide_ints="int")
def floor_divide(input: Array | Number, other: Array | Number) -> Array:
    """floor(input / other) with the dtype kept; its derivative is 0 (torch has none and raises).

    >>> torch.floor_divide(torch.tensor([7., -7.]), torch.tensor([2., 2.]))
    tensor([ 3., -4.])
    """
    return _quotient("default", _div_floor, input, _divisor(input, other))


def _div_true(a, b, rounded=_unrounded):
    return special.divide(a, b)


def _div_trunc(a, b, rounded=_unrounded):
    need_kind(a, "if", "div_trunc_cpu")
    a, b = lax.stop_gradient(a), lax.stop_gradient(b)
    if category(a) == INT:
        return cut_division(a, b)[0]
    return trunc(rounded(lax.div(a, beside(a, b))))


def _div_floor(a, b, rounded=_unrounded):
    need_kind(a, "if", "div_floor_cpu")
    a, b = lax.stop_gradient(a), lax.stop_gradient(b)
    if category(a) == FLOAT:
        return _div_floor_of_floats(a, beside(a, b), rounded)
    return floor_quotient(a, b)


def _div_floor_of_floats(a, b, rounded):
    """As in Python: exact division of a - rest, so that the result agrees with the remainder."""
    quotient, rest = rounded(lax.div(a, b)), lax.rem(a, b)
    crossed = (rest != 0) & ((rest < 0) != (b < 0))
    exact = rounded(lax.div(rounded(a - rest), b))
    exact = jnp.where(crossed, rounded(exact - 1), exact)
    down = lax.floor(exact)
    down = jnp.where(rounded(exact - down) > 0.5, rounded(down + 1), down)
    down = jnp.where(exact == 0, _copysign(jnp.zeros_like(a), quotient), down)
    return jnp.where(b == 0, quotient, down)


@op(
    promote="default",
    inplace=True,
    asks=(*one_tensor("remainder"), _DIVISOR),
    numbers=_no_zero,
    grad=all_tensors(2),
)
def remainder(input: Array | Number, other: Array | Number) -> Array:
    """input - other * floor(input / other): the remainder with the sign of `other`.

    >>> torch.remainder(torch.tensor([7., -7.]), torch.tensor([2., 2.]))
    tensor([1., 1.])
    """
    need_kind(input, "if", "remainder_cpu")
    input, other = broadcasted(input, _divisor(input, other))
    if category(input) == FLOAT:
        return _remainder(input, reads(other, input, other))
    return floor_rest(input, other)


@differentiated(lambda t, out, a, b: t, lambda t, out, a, b: -t * _div_floor(a, b))
def _remainder(a, b):
    rest = lax.rem(a, b)
    return jnp.where((rest != 0) & ((rest < 0) != (b < 0)), rest + b, rest)


@op(promote="default", inplace=True, asks=(_DIVISOR,), numbers=_no_zero, grad=all_tensors(2))
def fmod(input: Array, other: Array | Number) -> Array:
    """input - other * trunc(input / other): the remainder with the sign of `input`.

    >>> torch.fmod(torch.tensor([7., -7.]), torch.tensor([2., 2.]))
    tensor([ 1., -1.])
    """
    need_kind(input, "if", "fmod_cpu")
    input, other = broadcasted(input, _divisor(input, other))
    if category(input) == FLOAT:
        return _fmod(input, reads(other, input, other))
    return cut_division(input, other)[1]


_fmod = differentiated(lambda t, out, a, b: t, lambda t, out, a, b: -t * _div_trunc(a, b))(
    lambda a, b: lax.rem(a, b)
)


# ---- powers


def _check_operands(name: str, *operands) -> None:
    """Two operands of which at least one is a tensor, the other a number."""
    tensors = [hasattr(x, "dtype") for x in operands]
    names = ["Tensor" if t else type(x).__name__ for t, x in zip(tensors, operands)]
    check(
        any(tensors) and all(t or is_python_number(x) for t, x in zip(tensors, operands)),
        TypeError,
        f"{name}() received an invalid combination of arguments - got ({', '.join(names)}), "
        "but expected one of:",
    )


def _half_exponent(op, static, inputs, result) -> None:
    """An exponent must fit in a result of half precision."""
    if result.dtype.category == FLOAT and result.dtype.itemsize == 2 and is_python_number(inputs[1]):
        check_fit(inputs[1], result.dtype)


def _grad_of_power(name: str, static: tuple, ranks) -> str:
    return f"PowBackward{2 if ranks[0] is None else 0 if None in ranks or len(ranks) == 1 else 1}"


@op(inplace=True, numbers=_half_exponent, grad=_grad_of_power, autocast=(None, "float"))
def pow(input: Array | Number, exponent: Array | Exponent) -> Array:
    """input ** exponent. Integers stay integers; a Python exponent must then not be negative.

    >>> torch.pow(torch.tensor([1.0, 2.0, 3.0]), 2)
    tensor([1., 4., 9.])
    """
    _check_operands("pow", input, exponent)
    result = result_dtype(input, exponent)
    if is_python_number(exponent):
        check(
            result.category > INT or exponent >= 0,
            RuntimeError,
            "Integers to negative integer powers are not allowed.",
        )
        if result.category == INT or result.itemsize == 2:
            as_number(exponent, result)  # refused where it does not fit
        if result.category == FLOAT and result.itemsize == 2:
            exponent = float(np.asarray(exponent, result.np))
        return promoted("default", lambda x, e: _static_power(x, exponent), input, exponent)
    if is_python_number(input) and input == 1 and result.category > 0:
        return reads(jnp.ones(exponent.shape, result.np), exponent, then=ENTIRELY)
    return promoted("default", _power, input, exponent)


def _static_power(x, e):
    """x ** e for a Python number e."""
    if e == 0:
        return jnp.ones_like(x)
    if (
        category(x) >= FLOAT
        and not isinstance(e, complex)
        and e in range(1, 4 if category(x) == COMPLEX else 9)
    ):
        return whole_power(x, int(e))
    if e == 1:
        return x
    if isinstance(e, complex) or (category(x) == COMPLEX and e not in (2, 3, 0.5, -0.5, -1, -2)):
        return _power(x, jnp.full_like(x, e))
    if e == 0.5:
        return sqrt(x)
    if e == -0.5:
        return rsqrt(x)
    if category(x) <= INT:
        return lax.integer_pow(x, int(e))
    if e == int(e) if math.isfinite(e) else False:
        if e < 0 and category(x) == COMPLEX:
            return special.divide(jnp.ones_like(x), lax.integer_pow(x, -int(e)))
        if math.fabs(e) <= 8:
            return lax.integer_pow(x, int(e))
    return lax.pow(x, jnp.full_like(x, e))


def _power(x, e):
    need_kind(x, "ifc", "pow")
    return special.power(x, e) if category(x) >= FLOAT else _int_power(x, e)


def _int_power(x, e):
    """Integers to integers, wrapping around; where e < 0 it is 1 / x ** -e rounded towards 0."""

    def more(state):
        return jnp.any(state[1] != 0)

    def step(state):
        out, rest, square = state
        out = jnp.where((rest & 1) != 0, out * square, out)
        return out, lax.shift_right_logical(rest, jnp.ones_like(rest)), square * square

    out, _, _ = lax.while_loop(more, step, (jnp.ones_like(x), jnp.where(e < 0, 0, e).astype(e.dtype), x))
    odd = (e & 1) != 0
    minus_one = jnp.where(odd, x, jnp.ones_like(x))
    inverse = (
        jnp.where(x == 1, x, jnp.where(x == -1, minus_one, jnp.zeros_like(x)))
        if dtype_of(x).is_signed
        else out
    )
    return jnp.where(e < 0, inverse, out)


def _into_widest(out, input, exponent, static):
    """Refuses an `out=` that has not the result's dtype."""
    operands = input, static[1] if static else exponent
    tensors = [x for x in operands if hasattr(x, "dtype")]
    numbers = [x for x in operands if is_python_number(x)]
    if hasattr(out, "dtype") and tensors and len(tensors) + len(numbers) == 2:
        has_complex = any(x.dtype.is_complex for x in tensors) or any(isinstance(x, complex) for x in numbers)
        d = dtypes.complex128 if has_complex else dtypes.float64
        if out.dtype is not d:
            raise RuntimeError(
                f"the output given to float_power has dtype {out.dtype.scalar_name} but the operation's result requires dtype "
                f"{d.scalar_name}"
            )
    return out, input, exponent, static


@op(asks=(("out is not None", "out, input, exponent, _exponent_static", _into_widest),), float8=True)
def float_power(input: Array | Number, exponent: Array | Exponent) -> Array:
    """input ** exponent in float64, or complex128 when either is complex; `out=` has that dtype.

    The two broadcast.

    >>> torch.float_power(torch.tensor([2, 3]), 2)
    tensor([4., 9.], dtype=torch.float64)
    """
    _check_operands("float_power", input, exponent)
    has_complex = category(input) == COMPLEX or category(exponent) == COMPLEX
    d = dtypes.complex128 if has_complex else dtypes.float64
    return pow(*(x if is_python_number(x) else x.astype(d.np) for x in (input, exponent)))


@op(inplace=True)
def ldexp(input: Array, other: Array) -> Array:
    """input * 2 ** other; other may not be bool if input is of floating point.

    >>> torch.ldexp(torch.tensor([1., 3.]), torch.tensor([2, 3]))
    tensor([ 4., 24.])
    """
    if category(input) != FLOAT or category(other) > INT:
        return mul(input, exp2(other))
    need_kind(other, "i", "ldexp_cpu_exp")
    input, other = broadcasted(input, other)
    wide = input.astype(jnp.float32) if input.dtype.itemsize < 4 else input
    # in four steps, each of which a power of two can take: 2 ** other itself may overflow where the result does not
    limit = 4 * jnp.finfo(wide.dtype).maxexp
    left = jnp.clip(other.astype(jnp.int32), -limit, limit)
    for steps in (4, 3, 2, 1):
        step = left // steps
        wide = wide * jnp.ldexp(jnp.ones((), wide.dtype), step)
        left = left - step
    return wide.astype(input.dtype)


@op(promote="float", inplace=True, asks=one_tensor("xlogy", first_into=False))
def xlogy(input: Array | Number, other: Array | Number) -> Array:
    """input * log(other), and 0 where input is 0 (unless other is nan).

    >>> torch.xlogy(torch.tensor([0., 2.]), torch.tensor([0., 1.]))
    tensor([0., 0.])
    """
    need_kind(input, "f", "xlogy_cpu")
    return special.xlogy(*broadcasted(input, other))


# ---- geometry and logarithms of sums


@op(promote="float", inplace=True, aliases=("arctan2",), autocast=(None, "widest"))
def atan2(input: Array, other: Array) -> Array:
    """The angle of the point (other, input), in radians; its derivative at the origin is 0.

    >>> torch.atan2(torch.tensor([7., -7.]), torch.tensor([2., 2.]))
    tensor([ 1.2925, -1.2925])
    """
    need_kind(input, "f", "atan2_cpu")
    return special.atan2(*broadcasted(input, other))


@op(promote="default", inplace=True)
def hypot(input: Array, other: Array) -> Array:
    """sqrt(input^2 + other^2) without overflow; its derivative at the origin is nan, as in torch.

    >>> torch.hypot(torch.tensor([7., -7.]), torch.tensor([2., 2.]))
    tensor([7.2801, 7.2801])
    """
    need_kind(input, "f", "hypot_cpu")
    return special.hypot(*broadcasted(input, other))


@op(promote="default", watches=True)
def logaddexp(input: Array, other: Array) -> Array:
    """log(exp(input) + exp(other)) without overflow.

    >>> torch.logaddexp(torch.tensor([7., -7.]), torch.tensor([2., 2.]))
    tensor([7.0067, 2.0001])
    """
    need_kind(input, "fc", "logaddexp_cpu")
    return special.logaddexp(*broadcasted(input, other))


@op(promote="default", watches=True)
def logaddexp2(input: Array, other: Array) -> Array:
    """log2(2 ** input + 2 ** other) without overflow.

    >>> torch.logaddexp2(torch.tensor([7., -7.]), torch.tensor([2., 2.]))
    tensor([7.0444, 2.0028])
    """
    need_kind(input, "f", "logaddexp2_cpu")
    return special.logaddexp2(*broadcasted(input, other))


# ---- choosing one of two


def _no_complex(name, *inputs):
    for x in inputs:
        check(category(x) != COMPLEX, RuntimeError, f"{name} not implemented for complex tensors.")


@op(promote="same", watches=True)
def maximum(input: Array, other: Array) -> Array:
    """The greater of the two; nan where either is nan. Where they are equal the derivative is shared.

    >>> torch.maximum(torch.tensor([7., -7.]), torch.tensor([2., 2.]))
    tensor([7., 2.])
    """
    _no_complex("maximum", input)
    return larger_of(*broadcasted(input, other))


@op(promote="same", watches=True)
def minimum(input: Array, other: Array) -> Array:
    """The smaller of the two; nan where either is nan. Where they are equal the derivative is shared.

    >>> torch.minimum(torch.tensor([7., -7.]), torch.tensor([2., 2.]))
    tensor([ 2., -7.])
    """
    _no_complex("minimum", input)
    return smaller_of(*broadcasted(input, other))


@op(promote="same", watches=True)
def fmax(input: Array, other: Array) -> Array:
    """The greater of the two, ignoring nan. Where they are equal the derivative is the input's.

    >>> torch.fmax(torch.tensor([7., -7.]), torch.tensor([2., 2.]))
    tensor([7., 2.])
    """
    _no_complex("fmax", input)
    a, b = broadcasted(input, other)
    return jnp.where((a >= b) | (b != b), a, b)


@op(promote="same", watches=True)
def fmin(input: Array, other: Array) -> Array:
    """The smaller of the two, ignoring nan. Where they are equal the derivative is the input's.

    >>> torch.fmin(torch.tensor([7., -7.]), torch.tensor([2., 2.]))
    tensor([ 2., -7.])
    """
    _no_complex("fmin", input)
    a, b = broadcasted(input, other)
    return jnp.where((a <= b) | (b != b), a, b)


@op(promote="float", inplace=True, grad=beside_numbers)
def copysign(input: Array, other: Array | Number) -> Array:
    """|input| with the sign of `other` (of its sign bit: -0.0 counts as negative).

    >>> torch.copysign(torch.tensor([7., -7.]), torch.tensor([2., 2.]))
    tensor([7., 7.])
    """
    need_kind(input, "f", "copysign_cpu")
    a, b = broadcasted(input, other)
    return reads(reads(_copysign(a, b), a, then=ENTIRELY), b)


# torch's derivative is result / input, but 0 at input 0
@differentiated(
    lambda t, out, a, b: t * jnp.where(a == 0, jnp.zeros_like(a), lax.stop_gradient(out / a)), None
)
def _copysign(a, b):
    return jnp.where(jnp.signbit(a) != jnp.signbit(b), -a, a)


@op(inplace=True, out="exact")
def heaviside(input: Array, values: Array) -> Array:
    """0 where input < 0 or is nan, 1 where input > 0, and `values` where it is 0. (torch has no derivative and raises.)

    >>> torch.heaviside(torch.tensor([-1., 0., 2.]), torch.tensor(0.5))
    tensor([0.0000, 0.5000, 1.0000])
    """
    sentence = "heaviside is not yet implemented for complex tensors."
    check(category(input) != COMPLEX and category(values) != COMPLEX, RuntimeError, sentence)
    check(
        dtype_of(input) is dtype_of(values),
        RuntimeError,
        "heaviside is not yet implemented for tensors with different dtypes.",
    )
    x, v = broadcasted(input, values)
    zero = x == 0
    return jnp.where(zero, v, (x if category(x) == BOOL else x > 0).astype(x.dtype))


# ---- whole numbers, and neighbours of floating point numbers


@op(promote="same", inplace=True)
def gcd(input: Array, other: Array) -> Array:
    """The greatest common divisor, which is not negative except next to the smallest integer; gcd(0, 0) is 0.

    >>> torch.gcd(torch.tensor([12, 8]), torch.tensor([18, 20]))
    tensor([6, 4])
    """
    need_kind(input, "i", "gcd_cpu")
    return _gcd(*broadcasted(input, other))


def _gcd(a, b):
    """By Euclid's algorithm with remainders of a's sign, as in torch.

    JAX's never ends for the smallest number, whose |x| is negative."""

    def step(state):
        a, b = state
        more = a != 0
        return jnp.where(more, lax.rem(b, jnp.where(more, a, jnp.ones_like(a))), a), jnp.where(more, a, b)

    return lax.while_loop(lambda state: jnp.any(state[0] != 0), step, (jnp.abs(a), jnp.abs(b)))[1]


@op(promote="same", inplace=True)
def lcm(input: Array, other: Array) -> Array:
    """The least common multiple, not negative; 0 where either is 0.

    >>> torch.lcm(torch.tensor([12, 8]), torch.tensor([18, 20]))
    tensor([36, 40])
    """
    need_kind(input, "i", "lcm_cpu")
    kind = jnp.int32 if input.dtype.itemsize < 4 else input.dtype  # as C computes narrow ones
    a, b = (x.astype(kind) for x in broadcasted(input, other))
    divisor = _gcd(a, b)
    none = divisor == 0
    whole = lax.div(a, jnp.where(none, jnp.ones_like(a), divisor))
    return jnp.where(none, divisor, jnp.abs(whole * b)).astype(input.dtype)


@op(promote="same", inplace=True)
def nextafter(input: Array, other: Array) -> Array:
    """The floating point number next to `input` in the direction of `other`.

    >>> torch.nextafter(torch.tensor(1.), torch.tensor(2.)) > 1
    tensor(True)
    """
    need_kind(input, "f", "nextafter_cpu")
    return _nextafter(*broadcasted(input, other))


@differentiated(lambda t, out, a, b: jnp.where(a == b, _zero(t), t), None)
def _nextafter(a, b):
    return lax.nextafter(a, b)
