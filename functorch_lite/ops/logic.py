"""Comparisons, logical and bitwise functions, tests of numbers, and choosing by a mask."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from .._core.api import (
    Array,
    Number,
    Real,
    all_tensors,
    check,
    check_fill,
    cpp_name,
    dtype_of,
    dtypes,
    is_number,
    need_kind,
    op,
    result_dtype,
    scalar_name,
)
from ._pointwise import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    as_number,
    both,
    broadcasted,
    category,
    fit,
    needs,
    one_tensor,
    written,
)

_COMPARE = {"promote": "same", "inplace": True, "saves": "nothing"}


# ---- comparisons


@op(**_COMPARE, float8=True)
def eq(input: Array, other: Array | Number) -> Array:
    """input == other, as a bool tensor.

    >>> torch.eq(torch.tensor([1, 2, 3]), 2)
    tensor([False,  True, False])
    """
    return lax.eq(*broadcasted(input, other))


@op(aliases=("not_equal",), **_COMPARE, float8=True)
def ne(input: Array, other: Array | Number) -> Array:
    """input != other, as a bool tensor.

    >>> torch.ne(torch.tensor([1, 2, 3]), 2)
    tensor([ True, False,  True])
    """
    return lax.ne(*broadcasted(input, other))


@op(aliases=("less",), **_COMPARE)
def lt(input: Array, other: Array | Number) -> Array:
    """input < other, as a bool tensor.

    >>> torch.lt(torch.tensor([1, 2, 3]), 2)
    tensor([ True, False, False])
    """
    need_kind(input, "bif", "lt_cpu")
    return lax.lt(*broadcasted(input, other))


@op(aliases=("less_equal",), **_COMPARE)
def le(input: Array, other: Array | Number) -> Array:
    """input <= other, as a bool tensor.

    >>> torch.le(torch.tensor([1, 2, 3]), 2)
    tensor([ True,  True, False])
    """
    need_kind(input, "bif", "le_cpu")
    return lax.le(*broadcasted(input, other))


@op(aliases=("greater",), **_COMPARE)
def gt(input: Array, other: Array | Number) -> Array:
    """input > other, as a bool tensor.

    >>> torch.gt(torch.tensor([1, 2, 3]), 2)
    tensor([False, False,  True])
    """
    need_kind(input, "bif", "gt_cpu")
    return lax.gt(*broadcasted(input, other))


@op(aliases=("greater_equal",), **_COMPARE)
def ge(input: Array, other: Array | Number) -> Array:
    """input >= other, as a bool tensor.

    >>> torch.ge(torch.tensor([1, 2, 3]), 2)
    tensor([False,  True,  True])
    """
    need_kind(input, "bif", "ge_cpu")
    return lax.ge(*broadcasted(input, other))


@op(
    saves="nothing",
    out=False,
    numbers=both(
        *[
            needs(
                name,
                lambda x: x >= 0,
                RuntimeError,
                lambda x, name=name: f"{name} must be greater than or equal to zero, but got {x}",
            )
            for name in ("rtol", "atol")
        ]
    ),
)
def isclose(
    input: Array, other: Array, rtol: Real = 1e-05, atol: Real = 1e-08, equal_nan: bool = False
) -> Array:
    """|input - other| <= atol + rtol * |other|, elementwise; infinities are close only to themselves.

    >>> torch.isclose(torch.tensor([1., 2.]), torch.tensor([1.000001, 2.1]))
    tensor([ True, False])
    """
    check(
        dtype_of(input) is dtype_of(other),
        RuntimeError,
        f"{scalar_name(input)} did not match {scalar_name(other)}",
    )
    a, b = broadcasted(input, other)
    close = a == b
    if category(a) >= FLOAT and equal_nan:
        close = close | ((a != a) & (b != b))
    none = (rtol == 0) & (atol == 0)
    a, b = (x.astype(dtypes.default_dtype().np) if category(x) < FLOAT else x for x in (a, b))
    d = dtype_of(a).to_real().np
    error, allowed = lax.abs(a - b), jnp.asarray(atol, d) + lax.abs(jnp.asarray(rtol, d) * b)
    return close | (jnp.isfinite(error) & (error <= allowed) & jnp.logical_not(none))


@op(method=False, out="exact")
def isin(
    elements: Array | Number,
    test_elements: Array | Number,
    *,
    assume_unique: bool = False,
    invert: bool = False,
) -> Array:
    """Returns whether each of `elements` is among `test_elements` (or, with invert, is not); nan is in nothing."""
    for x in (elements, test_elements):
        check(
            category(x) in (INT, FLOAT),
            RuntimeError,
            f"Unsupported input type encountered for isin(): {scalar_name(x)}",
        )
    d = result_dtype(elements, test_elements).np
    x, tests = (lax.convert_element_type(a, d) for a in (elements, test_elements))
    tests = tests.reshape(-1)
    if tests.size <= 64:
        found = (x[..., None] == tests).any(-1)
    else:
        tests = jnp.sort(tests)
        at = jnp.searchsorted(tests, x.reshape(-1), method="sort").reshape(x.shape)
        found = tests[jnp.minimum(at, tests.size - 1)] == x
    return ~found if invert else found


# ---- logical and bitwise


def _truth(x):
    return x if category(x) == BOOL else x != 0


@op(inplace=True, saves="nothing")
def logical_and(input: Array, other: Array) -> Array:
    """Tests whether both elements are nonzero, elementwise.

    >>> torch.logical_and(torch.tensor([True, True]), torch.tensor([True, False]))
    tensor([ True, False])
    """
    a, b = broadcasted(input, other)
    return _truth(a) & _truth(b)


@op(inplace=True, saves="nothing")
def logical_or(input: Array, other: Array) -> Array:
    """Tests whether at least one of two elements is nonzero, elementwise.

    >>> torch.logical_or(torch.tensor([True, True]), torch.tensor([True, False]))
    tensor([True, True])
    """
    a, b = broadcasted(input, other)
    return _truth(a) | _truth(b)


@op(inplace=True, saves="nothing")
def logical_xor(input: Array, other: Array) -> Array:
    """Tests whether exactly one of two elements is nonzero, elementwise.

    >>> torch.logical_xor(torch.tensor([True, True]), torch.tensor([True, False]))
    tensor([False,  True])
    """
    a, b = broadcasted(input, other)
    return _truth(a) ^ _truth(b)


@op(inplace=True, saves="nothing")
def logical_not(input: Array) -> Array:
    """Tests whether each element is 0.

    >>> torch.logical_not(torch.tensor([0, 2]))
    tensor([ True, False])
    """
    return ~_truth(input)


_BITS = {"promote": "same", "inplace": True, "saves": "nothing"}


@op(**_BITS, asks=one_tensor("bitwise_and"))
def bitwise_and(input: Array | Number, other: Array | Number) -> Array:
    """The bits set in both; integers and bool only.

    >>> torch.bitwise_and(torch.tensor([6, 5]), torch.tensor([3, 1]))
    tensor([2, 1])
    """
    need_kind(input, "bi", "bitwise_and_cpu")
    return lax.bitwise_and(*broadcasted(input, other))


@op(**_BITS, asks=one_tensor("bitwise_or"))
def bitwise_or(input: Array | Number, other: Array | Number) -> Array:
    """The bits set in either; integers and bool only.

    >>> torch.bitwise_or(torch.tensor([6, 5]), torch.tensor([3, 1]))
    tensor([7, 5])
    """
    need_kind(input, "bi", "bitwise_or_cpu")
    return lax.bitwise_or(*broadcasted(input, other))


@op(**_BITS, asks=one_tensor("bitwise_xor"))
def bitwise_xor(input: Array | Number, other: Array | Number) -> Array:
    """The bits set in exactly one; integers and bool only.

    >>> torch.bitwise_xor(torch.tensor([6, 5]), torch.tensor([3, 1]))
    tensor([5, 4])
    """
    need_kind(input, "bi", "bitwise_xor_cpu")
    return lax.bitwise_xor(*broadcasted(input, other))


@op(inplace=True, saves="nothing", out="exact")
def bitwise_not(input: Array) -> Array:
    """All bits flipped; the logical not of bool.

    >>> torch.bitwise_not(torch.tensor([0, 5]))
    tensor([-1, -6])
    """
    need_kind(input, "bi", "bitwise_not_cpu")
    return lax.bitwise_not(input)


@op(**_BITS, asks=one_tensor("bitwise_left_shift"))
def bitwise_left_shift(input: Array | Number, other: Array | Number) -> Array:
    """input * 2 ** other in integers; 0 where `other` is negative or not less than the dtype's width.

    >>> torch.bitwise_left_shift(torch.tensor([6, 5]), torch.tensor([3, 1]))
    tensor([48, 10])
    """
    need_kind(input, "i", "lshift_cpu")
    return lax.shift_left(*broadcasted(input, other))


@op(**_BITS, asks=one_tensor("bitwise_right_shift"))
def bitwise_right_shift(input: Array | Number, other: Array | Number) -> Array:
    """floor(input / 2 ** other) in integers; a negative `other` counts as the dtype's width.

    >>> torch.bitwise_right_shift(torch.tensor([6, 5]), torch.tensor([3, 1]))
    tensor([0, 2])
    """
    need_kind(input, "i", "rshift_cpu")
    a, b = broadcasted(input, other)
    return lax.shift_right_arithmetic(a, b) if dtype_of(a).is_signed else lax.shift_right_logical(a, b)


# ---- tests of numbers


def _parts(test, x):
    """`test` of a floating point tensor, of either part of a complex one; None for integers."""
    if category(x) == COMPLEX:
        return test(lax.real(x)), test(lax.imag(x))
    return (test(x),) if category(x) == FLOAT else None


@op(saves="nothing", out=False, float8=True)
def isnan(input: Array) -> Array:
    """Tests whether each element (or a part of a complex one) is nan.

    >>> torch.isnan(torch.tensor([1., float('nan'), float('inf'), -float('inf')]))
    tensor([False,  True, False, False])
    """
    return input != input


@op(saves="nothing", out=False, float8=True)
def isinf(input: Array) -> Array:
    """Tests whether each element (or a part of a complex one) is infinite.

    >>> torch.isinf(torch.tensor([1., float('nan'), float('inf'), -float('inf')]))
    tensor([False, False,  True,  True])
    """
    parts = _parts(lambda x: lax.abs(x) == jnp.inf, input)
    return _all_false(input) if parts is None else parts[0] | parts[-1]


@op(saves="nothing", out=False, float8=True)
def isfinite(input: Array) -> Array:
    """Tests whether each element (with both its parts) is neither infinite nor nan.

    >>> torch.isfinite(torch.tensor([1., float('nan'), float('inf'), -float('inf')]))
    tensor([ True, False, False, False])
    """
    parts = _parts(lax.is_finite, input)
    return ~_all_false(input) if parts is None else parts[0] & parts[-1]


@op(saves="nothing", out="exact", watches=True)
def isposinf(input: Array) -> Array:
    """Tests whether each element is positive infinity.

    >>> torch.isposinf(torch.tensor([1., float('nan'), float('inf'), -float('inf')]))
    tensor([False, False,  True, False])
    """
    check(category(input) != COMPLEX, RuntimeError, "isposinf does not support complex inputs.")
    return input == jnp.inf if category(input) == FLOAT else _all_false(input)


@op(saves="nothing", out="exact", watches=True)
def isneginf(input: Array) -> Array:
    """Tests whether each element is negative infinity.

    >>> torch.isneginf(torch.tensor([1., float('nan'), float('inf'), -float('inf')]))
    tensor([False, False, False,  True])
    """
    check(category(input) != COMPLEX, RuntimeError, "isneginf does not support complex inputs.")
    return input == -jnp.inf if category(input) == FLOAT else _all_false(input)


@op(saves="nothing", out=False, float8=True)
def isreal(input: Array) -> Array:
    """Tests whether the imaginary part of each element is 0.

    >>> torch.isreal(torch.tensor([1., float('nan'), float('inf'), -float('inf')]))
    tensor([True, True, True, True])
    """
    return lax.imag(input) == 0 if category(input) == COMPLEX else ~_all_false(input)


def _all_false(x):
    return jnp.zeros(x.shape, bool)


# ---- choosing by a mask


@op(method=True, out="exact", numbers=fit("input", "other", halves=dtypes.float64), float8=True, watches=True)
def where(condition: Array, input: Array | Number, other: Array | Number) -> Array:
    """`input` where condition holds, `other` elsewhere. (With condition alone torch's `where` is `nonzero`.)

    >>> torch.where(torch.tensor([True, False]), torch.tensor([1.0, 2.0]), 0.0)
    tensor([1., 0.])
    """
    check(
        category(condition) == BOOL or dtype_of(condition) is dtypes.uint8,
        RuntimeError,
        f"where expected condition to be a boolean tensor, but got a tensor with dtype {scalar_name(condition)}",
    )
    d = result_dtype(input, other)
    input, other = (written(x, d) if is_number(x) else x.astype(d.np) for x in (input, other))
    condition, input, other = broadcasted(condition, input, other)
    return lax.select(_truth(condition), input, other)


@op(
    inplace=True,
    out=False,
    asks=(("isinstance(value, Tensor)", "input, value", check_fill),),
    numbers=fit("value"),
    grad=all_tensors(3),
    watches=False,
)
def masked_fill(input: Array, mask: Array, value: Array | Number) -> Array:
    """Input with `value`, a number or 0-d tensor, where mask is true; the dtype is the input's.

    >>> torch.masked_fill(torch.ones(2), torch.tensor([True, False]), 9.0)
    tensor([9., 1.])
    """
    check(
        category(mask) == BOOL,
        RuntimeError,
        "masked_fill_ only supports boolean masks, but got mask with dtype " + cpp_name(mask),
    )
    d = dtype_of(input)
    if is_number(value):
        value = as_number(value, d)
    else:
        check(
            value.ndim == 0,
            RuntimeError,
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value.ndim} dimension(s).",
        )
        if category(value) == COMPLEX and BOOL < d.category < COMPLEX:
            value = as_number(1j, d)  # what it holds is not known: refused even if its imaginary part is 0
        value = _truth(value) if d.category == BOOL else value.astype(d.np)
    input, mask = broadcasted(input, mask)
    return lax.select(mask, jnp.broadcast_to(value, input.shape), input)
