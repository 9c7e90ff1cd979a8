"""Helpers of the pointwise families: broadcasting, dtype checks, numbers, promotion by hand, derivatives by hand."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.custom_derivatives import SymbolicZero

from .._core.api import (
    broadcast_shapes,
    check,
    converted_numbers,
    dtype_of,
    dtypes,
    for_cpu,
    invalid_combination,
    is_python_number,
    promote,
    to_common_dtype,
)

__all__ = [
    "BOOL",
    "COMPLEX",
    "FLOAT",
    "INT",
    "UNARY",
    "as_number",
    "between",
    "broadcasted",
    "category",
    "check_fit",
    "check_subtraction",
    "constant",
    "converted",
    "differentiated",
    "fit",
    "fused",
    "held",
    "no_dtype_asked",
    "once",
    "promoted",
    "written",
]

BOOL, INT, FLOAT, COMPLEX = range(4)

UNARY = {"promote": "float", "inplace": True}
"""How functions are declared that take integers as the default floating dtype."""


def constant(value, like):
    """A number, known or traced, in the dtype of `like`."""
    return lax.convert_element_type(value, like.dtype)


def category(x) -> int:
    """0 bool, 1 integer, 2 floating point, 3 complex; of an array, a tracer or a Python number."""
    return dtype_of(x).category


def check_subtraction(*operands) -> None:
    """Raises torch's error where something is subtracted that is bool."""
    bools = [category(x) for x in operands].count(BOOL)
    check(
        bools < 2,
        RuntimeError,
        "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.",
    )
    check(
        bools < 1,
        RuntimeError,
        "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
        "`logical_not()` operator instead.",
    )


def needs(name: str, fits: Callable[[Any], bool], error: type[Exception], sentence: Callable) -> Callable:
    """For `@op(numbers=needs("delta", ...))`: a number of which `fits` is not true is refused, with
    `sentence(number)`."""

    def look(op, static, inputs, result) -> None:
        place = op.input_places[name]
        number = inputs[place] if place < len(inputs) else None
        if is_python_number(number) and not fits(number):
            raise error(sentence(number))

    return look


def both(*looks: Callable) -> Callable:
    """Several of what `numbers=` takes, one after the other."""

    def look(op, static, inputs, result) -> None:
        for one in looks:
            one(op, static, inputs, result)

    return look


def structure(order: Any) -> Any:
    """Returns the number that replaces an `Order` in conditions: itself, or, if it is unknown while tracing, one of
    the dynamic ones."""
    return 1.5 if hasattr(order, "dtype") else order


def broadcasted(*arrays) -> list[jax.Array]:
    """The arrays, all of the shape they broadcast to; torch's error when they do not."""
    shape = broadcast_shapes(*(jnp.shape(a) for a in arrays))
    return [a if jnp.shape(a) == shape else jnp.broadcast_to(a, shape) for a in arrays]


def promoted(kind: str, fn: Callable, *inputs) -> jax.Array:
    """`fn` of the inputs cast to their common dtype and broadcast: what `promote=` does, for ops that must look
    first."""
    cast, compute, result = to_common_dtype(list(inputs), kind)
    out = fn(*broadcasted(*cast))
    return converted(out, result.np) if compute is not result and out.dtype == compute.np else out


def beside(a, b):
    """`b` as divisors of the floats `a`. XLA replaces division by a constant with multiplication by 1 / b, and then a
    whole multiple of b does not give a whole number (49 / 49 is 0.9999999999999999). In place of b, an element
    that is nan divides itself."""
    if category(a) != FLOAT:
        return b
    a = lax.stop_gradient(a)
    return jnp.where(a == a, b, a)


def converted(x, to) -> jax.Array:
    """An array as another dtype (numpy's).

    Floating point beyond a narrow integer dtype wraps around, as in torch: XLA's would saturate."""
    to = np.dtype(to)
    if category(x) == FLOAT and to.kind in "iu":
        if to.itemsize < 4:
            x = lax.convert_element_type(x, np.int32)
        elif to == np.uint32:
            x = lax.convert_element_type(x, np.int64)
    return promote.converted(x, to)


def _overflow(d: dtypes.dtype) -> RuntimeError:
    return RuntimeError(f"value cannot be converted to type {d.cast_name} without overflow")


def check_fit(value: bool | int | float | complex, d: dtypes.dtype) -> None:
    """Raises torch's error when a number does not fit in dtype `d`."""
    if d.category == BOOL:
        return
    if d.category < COMPLEX and isinstance(value, complex):
        if value.imag != 0:
            raise _overflow(d)
        value = value.real
    low, high = _limits(d)
    if d.category == INT:
        # in an unsigned dtype torch lets a negative int wrap around when its absolute value fits, but no float
        low = -high if not d.is_signed and isinstance(value, int) else low
        if not low <= value <= high:
            raise _overflow(d)
        return
    for part in (value.real, value.imag):
        if abs(part) > high and (abs(part) != math.inf or (d.is_float8 and d.name != "float8_e5m2")):
            raise _overflow(d)


@functools.cache
def _limits(d: dtypes.dtype) -> tuple[float, float]:
    """The least and largest number that fits in a dtype."""
    if d.category >= FLOAT:
        return -dtypes.finfo(d).max, dtypes.finfo(d).max
    limits = np.iinfo(d.np)
    return int(limits.min), int(limits.max)


def one_tensor(name: str, first_into: bool = True) -> tuple:
    """For `asks=` of a function of two: one is a tensor, as torch has no overload for two numbers; nor, with
    first_into, `out=` for a number first."""

    def refuse(input, other):
        raise invalid_combination(name, input, other)

    given = "input, other"
    numbers = ("not isinstance(input, Tensor) and not isinstance(other, Tensor)", given, refuse)
    return (
        (numbers, ("out is not None and not isinstance(input, Tensor)", given, refuse))
        if first_into
        else (numbers,)
    )


def fit(*names: str, halves: dtypes.dtype | None = None, one: bool = False) -> Callable:
    """For `@op(numbers=fit("value"))`: those numbers must fit in the result's dtype, or where that is a half in
    `halves`, if given (`one`: and if the result has one element)."""

    def look(op, static, inputs, result) -> None:
        d = result.dtype
        if (
            halves is not None
            and d.category == FLOAT
            and d.itemsize == 2
            and (not one or math.prod(result.shape) == 1)
        ):
            d = halves
        for name in names:
            place = op.input_places[name]
            if place < len(inputs) and is_python_number(inputs[place]):
                check_fit(inputs[place], d)

    return look


def as_number(value, d: dtypes.dtype) -> jax.Array:
    """A number as a 0-d array of dtype `d`, with torch's error when it does not fit.

    A number whose value is not known while tracing can not raise here (see `fit`).
    """
    if value is None or isinstance(value, str | tuple | list):
        raise TypeError(f"expected a Number, not {type(value).__name__}")
    if is_python_number(value):
        if isinstance(value, complex) and d.category == BOOL:
            return jnp.asarray(value != 0)
        check_fit(value, d)
        value = value.real if isinstance(value, complex) and d.category < COMPLEX else value
        if d.category == BOOL:
            return jnp.asarray(bool(value))
        return jnp.asarray(converted_numbers(np.array(int(value) if d.category == INT else value), d.np))
    if BOOL < d.category < COMPLEX and category(value) == COMPLEX:
        raise _overflow(d)
    return value != 0 if d.category == BOOL else lax.convert_element_type(value, d.np)


def written(value, d: dtypes.dtype) -> jax.Array:
    """A number as a 0-d array of dtype `d`; a narrow float of what does not fit is inf or the most there is, where
    `as_number` would refuse it."""
    if not d.is_narrow:
        return as_number(value, d)
    if not is_python_number(value):
        return converted(as_number(value, dtypes.float64), d.np)
    check_fit(value, dtypes.float64)
    with np.errstate(over="ignore"):
        return jnp.asarray(converted_numbers(np.asarray(value.real), d.np))


def differentiated(*partials: Callable | None) -> Callable:
    """Gives a function of arrays of one shape its derivatives: `partials[i](t, out, *args)` is t times the i-th partial
    derivative, None stands for zero. They are differentiated in turn, so every order follows."""

    def decorate(fn: Callable) -> Callable:
        wrapped = jax.custom_jvp(fn)

        def jvp(primals, tangents):
            out = wrapped(*primals)
            total = None
            for t, partial in zip(tangents, partials):
                if partial is not None and not isinstance(t, SymbolicZero):
                    term = partial(t, out, *primals)
                    total = term if total is None else total + term
            return out, jnp.zeros_like(out) if total is None else total

        wrapped.defjvp(jvp, symbolic_zeros=True)
        return functools.wraps(fn)(wrapped)

    return decorate


def held(x):
    """x, of which elements will be compared with a result of theirs, such as the largest.

    XLA for GPU may recompute x in each kernel that reads it, with a different rounding: then no element is the
    largest. Behind a barrier it is computed once. (The gradient of `amax` of a layer norm of 64 x 100 was wrong in a
    tenth of its elements.)
    """
    return x if for_cpu() else lax.optimization_barrier(x)


@jax.custom_jvp
def once(x):
    """x, of which the derivative, and it alone, will compare elements with a result of theirs: `held` where there is a
    derivative."""
    return x


@once.defjvp
def _once_jvp(primals, tangents):
    return held(primals[0]), tangents[0]


def between(a, b, weight):
    """a + weight * (b - a), from the nearer of the two.

    They are selected first: the other would give derivatives of nan at infinities."""
    near = jnp.abs(weight) < 0.5
    base, other = jnp.where(near, a, b), jnp.where(near, b, a)
    return base + jnp.where(near, weight, 1 - weight) * (other - base)


def fused(x, a, b):
    """x + a * b, of float32 rounded once, as PyTorch's fused multiply-add does."""
    if jnp.result_type(x) != jnp.float32:
        return x + a * b
    x, a, b = (t.astype(jnp.float64) for t in (x, a, b))
    return (x + a * b).astype(jnp.float32)


def no_dtype_asked(static: tuple, inputs) -> bool:
    """For `@op(autocast_if=)`: an explicitly given dtype is left alone."""
    return not any(isinstance(s, dtypes.dtype) for s in static)
