"""Pointwise functions of one tensor: sign, rounding, powers, exponentials, logarithms, special functions.

Integers become the default floating dtype in every function whose values are not integers. The inputs' complex
counterparts are taken where torch has them.
"""

from __future__ import annotations

import math

import jax.numpy as jnp
from jax import lax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from .._core.api import (
    UNSET,
    Array,
    Real,
    Unset,
    check,
    check_memory,
    dtype_of,
    need_kind,
    op,
    reads,
    rounded_to,
)
from . import _special as special
from ._pointwise import (
    BOOL,
    COMPLEX,
    FLOAT,
    UNARY,
    category,
    constant,
    differentiated,
    fit,
    promoted,
)

# ---- sign and size


@op(inplace=True, aliases=("absolute",), out="exact if not input.is_complex()", float8=True)
def abs(input: Array) -> Array:
    """|input|; of a complex tensor the (real) modulus. Its derivative at 0 is 0.

    Same shape and dtype, real for complex; NotImplementedError for bool.

    >>> torch.abs(torch.tensor([-1.5, 0., 2.]))
    tensor([1.5000, 0.0000, 2.0000])
    """
    need_kind(input, "ifc", "abs_cpu")
    if category(input) == FLOAT:
        return reads(_abs(input), input)
    if category(input) == COMPLEX:
        infinite = jnp.isinf(lax.real(input)) | jnp.isinf(
            lax.imag(input)
        )  # whatever the other part is, as in C
        return jnp.where(infinite, jnp.inf, _modulus(input))
    return lax.abs(input) if dtype_of(input).is_signed else input


_abs = differentiated(lambda t, out, x: t * _sign(x))(lambda x: lax.abs(x))


@op(inplace=True, saves="nothing", aliases=("negative",), out="exact")
def neg(input: Array) -> Array:
    """-input.

    Same shape and dtype; RuntimeError for bool.

    >>> torch.neg(torch.tensor([1.5, -2.]))
    tensor([-1.5000,  2.0000])
    """
    check(
        category(input) != BOOL,
        RuntimeError,
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, "
        "use the `~` or `logical_not()` operator instead.",
    )
    return lax.neg(input)


@op(saves="nothing", out=False, grad="Mul", float8=True)
def positive(input: Array) -> Array:
    """+input: the input itself; an error for bool.

    Same shape and dtype.

    >>> torch.positive(torch.tensor([1.5, -2.]))
    tensor([ 1.5000, -2.0000])
    """
    check(category(input) != BOOL, RuntimeError, "The `+` operator, on a bool tensor is not supported.")
    return input


@op(inplace=True, saves="nothing", out="exact")
def sign(input: Array) -> Array:
    """-1, 0 or 1 by the sign of input; 0 for nan.

    Same shape and dtype; NotImplementedError for complex.

    >>> torch.sign(torch.tensor([-1.5, 0., 2.5]))
    tensor([-1.,  0.,  1.])
    """
    need_kind(
        input,
        "bif",
        "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.",
    )
    return _sign(input)


def _sign(x):
    if category(x) != FLOAT:
        return x if category(x) == BOOL else lax.sign(x)
    return (x > 0).astype(x.dtype) - (x < 0).astype(x.dtype)  # 0 for nan and -0.0, unlike lax.sign


@op(inplace=True, out="exact")
def sgn(input: Array) -> Array:
    """`sign` of a real tensor; input / |input| of a complex one, and 0 at 0.

    Same shape and dtype.

    >>> torch.sgn(torch.tensor([-1.5, 0., 2.5]))
    tensor([-1.,  0.,  1.])
    """
    return _sign(input) if category(input) != COMPLEX else _unit(input)


def _turned(t, out, z):
    """How z / |z| moves with z: across itself, and the less the larger z is."""
    size = _modulus(z)  # type: ignore[misc]
    turn = special.over(lax.imag(lax.conj(out) * t), jnp.where(size == 0, constant(1, size), size))
    return lax.complex(-lax.imag(out) * turn, lax.real(out) * turn)


@differentiated(_turned)
def _unit(z):
    """z / |z|, and 0 at 0, where its derivatives are 0 too."""
    size = _modulus(z)  # type: ignore[misc]
    zero = size == 0
    return jnp.where(zero, constant(0, z), special.divide(z, jnp.where(zero, constant(1, size), size)))


@differentiated(lambda t, out, z: lax.real(lax.conj(_unit(z)) * t))  # type: ignore[misc]
def _modulus(z):
    return lax.abs(z)


@op(out="exact", watches=True)
def signbit(input: Array) -> Array:
    """Tests whether the sign bit of each element is set: true for negative numbers and for -0.0.

    Same shape, bool; NotImplementedError for complex.

    >>> torch.signbit(torch.tensor([-1.5, 0., 2.5]))
    tensor([ True, False, False])
    """
    need_kind(input, "bif", "signbit is not implemented for complex tensors.")
    if category(input) == FLOAT:
        return jnp.signbit(lax.stop_gradient(input))
    return jnp.zeros(input.shape, bool) if not dtype_of(input).is_signed else input < 0


# ---- rounding


@op(inplace=True, saves="nothing", out="exact")
def floor(input: Array) -> Array:
    """The largest integer not above input; its derivative is 0.

    Same shape and dtype; NotImplementedError for bool and complex.

    >>> torch.floor(torch.tensor([-0.5, 1.7]))
    tensor([-1.,  1.])
    """
    need_kind(input, "bif", "floor is not supported for complex inputs")
    need_kind(input, "if", "floor_vml_cpu")
    return lax.floor(input) if category(input) == FLOAT else input


@op(inplace=True, saves="nothing", out="exact")
def ceil(input: Array) -> Array:
    """The smallest integer not below input; its derivative is 0.

    Same shape and dtype; NotImplementedError for bool and complex.

    >>> torch.ceil(torch.tensor([-0.5, 1.2]))
    tensor([-0., 2.])
    """
    need_kind(input, "bif", "ceil is not supported for complex inputs")
    need_kind(input, "if", "ceil_vml_cpu")
    return lax.ceil(input) if category(input) == FLOAT else input


@op(inplace=True, saves="nothing", aliases=("fix",), out="exact")
def trunc(input: Array) -> Array:
    """Input rounded towards 0; its derivative is 0.

    Same shape and dtype; NotImplementedError for bool and complex.

    >>> torch.trunc(torch.tensor([-1.5, 0., 2.5]))
    tensor([-1.,  0.,  2.])
    """
    need_kind(input, "bif", "trunc is not supported for complex inputs")
    need_kind(input, "if", "trunc_vml_cpu")
    return jnp.where(input < 0, lax.ceil(input), lax.floor(input)) if category(input) == FLOAT else input


@op(inplace=True, saves="nothing", promote="default", out="exact")
def round(input: Array, *, decimals: int | Unset = UNSET) -> Array:
    """Input rounded to `decimals` (0) digits behind the point (before it, when negative), halves to even.

    Integers are rounded to themselves, but not to a number of digits that is given.

    Same shape and dtype; NotImplementedError for bool and complex.

    >>> torch.round(torch.tensor([-1.5, 0., 2.5]))
    tensor([-2.,  0.,  2.])
    """
    if isinstance(decimals, Unset) or decimals == 0:
        need_kind(input, "if" if isinstance(decimals, Unset) else "f", "round_vml_cpu")
        return _rint(input) if category(input) == FLOAT else input
    need_kind(input, "f", "round_cpu")
    digits = math.fabs(decimals)
    ten = constant(10.0**digits if digits < 309 else math.inf, input)
    if decimals > 0:
        return special.divide(_rint(input * ten), ten)
    return _rint(special.divide(input, ten)) * ten


def _rint(x):
    return lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)


@op(inplace=True, saves="nothing", out="exact")
def frac(input: Array) -> Array:
    """input - trunc(input): the part behind the point, with the sign of input; its derivative is 1.

    Same shape and dtype, which must be of floating point: NotImplementedError otherwise.

    >>> torch.frac(torch.tensor([-1.5, 0., 2.5]))
    tensor([-0.5000,  0.0000,  0.5000])
    """
    need_kind(input, "f", "frac_cpu")
    return input - jnp.where(input < 0, lax.ceil(input), lax.floor(input))


# ---- powers


def whole_power(x, n: int):
    """x ** n for floating point x and 0 <= n <= 8. torch's derivative, `n * self.pow(n - 1)`, reads x until the
    exponent is 0."""
    return _whole_power.bind(x, n=n) if n else reads(jnp.ones_like(x), x, order=0)


_whole_power = Primitive("whole_power")
_whole_power.def_impl(lambda x, *, n: lax.integer_pow(x, n))
_whole_power.def_abstract_eval(lambda x, *, n: x)
mlir.register_lowering(_whole_power, mlir.lower_fun(_whole_power.impl, multiple_results=False))
batching.defvectorized(_whole_power)
ad.defjvp(_whole_power, lambda t, x, *, n: t * (constant(n, x) * whole_power(x, n - 1)))


@op(inplace=True, promote="long", grad="Pow")
def square(input: Array) -> Array:
    """input * input.

    Same shape and dtype; bool gives int64.

    >>> torch.square(torch.tensor([-3., 0.5]))
    tensor([9.0000, 0.2500])
    """
    return whole_power(input, 2) if category(input) >= FLOAT else lax.mul(input, input)


@op(saves="result", **UNARY)
def sqrt(input: Array) -> Array:
    """The square root; nan for negative numbers, and infinite derivative at 0.

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.sqrt(torch.tensor([4., 2.]))
    tensor([2.0000, 1.4142])
    """
    return special.complex_sqrt(input) if category(input) == COMPLEX else lax.sqrt(input)


@op(saves="result", **UNARY, autocast=(None, "float"))
def rsqrt(input: Array) -> Array:
    """1 / sqrt(input).

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.rsqrt(torch.tensor([4., 0.25]))
    tensor([0.5000, 2.0000])
    """
    return _rsqrt(input)


_rsqrt = differentiated(lambda t, out, x: t * (-0.5 * out * out * out))(lambda x: lax.rsqrt(x))
"""torch's formula, which at -0. is inf: JAX's quotient of -inf and -0. has another sign."""


@op(saves="result", **UNARY, autocast=(None, "float"))
def reciprocal(input: Array) -> Array:
    """1 / input.

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.reciprocal(torch.tensor([4., -0.5]))
    tensor([ 0.2500, -2.0000])
    """
    if category(input) == COMPLEX:
        return special.divide(jnp.ones_like(input), input)
    return lax.integer_pow(input, -1)


# ---- exponentials and logarithms


@op(saves="result", **UNARY, autocast=(None, "float"))
def exp(input: Array) -> Array:
    """e ** input.

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.exp(torch.tensor([0., 1.]))
    tensor([1.0000, 2.7183])
    """
    return special.complex_exp(input) if category(input) == COMPLEX else lax.exp(input)


@op(saves="result", **UNARY)
def exp2(input: Array) -> Array:
    """2 ** input, exact for whole numbers.

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.special.exp2(torch.tensor([0.5, 1., 2.]))
    tensor([1.4142, 2.0000, 4.0000])
    """
    # XLA's own exp2 is exp(x * log 2), which is not exact for whole numbers; its pow is
    return special.complex_exp2(input) if category(input) == COMPLEX else lax.pow(constant(2, input), input)


@op(saves="result", **UNARY, autocast=(None, "float"))
def expm1(input: Array) -> Array:
    """exp(input) - 1, accurate near 0.

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.special.expm1(torch.tensor([0.5, 1., 2.]))
    tensor([0.6487, 1.7183, 6.3891])
    """
    return special.complex_expm1(input) if category(input) == COMPLEX else lax.expm1(input)


@op(**UNARY, autocast=(None, "float"))
def log(input: Array) -> Array:
    """The natural logarithm; -inf at 0 and nan below.

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.log(torch.tensor([1., 10., 0.]))
    tensor([0.0000, 2.3026,   -inf])
    """
    return lax.log(input)


@op(**UNARY, autocast=(None, "float"))
def log2(input: Array) -> Array:
    """The logarithm to base 2, exact for powers of two.

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.log2(torch.tensor([8., 0.5]))
    tensor([ 3., -1.])
    """
    return special.complex_log(input, 2) if category(input) == COMPLEX else special.log2(input)


@op(**UNARY, autocast=(None, "float"))
def log10(input: Array) -> Array:
    """The logarithm to base 10, exact for powers of ten.

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.log10(torch.tensor([1000., 0.1]))
    tensor([ 3., -1.])
    """
    return special.complex_log(input, 10) if category(input) == COMPLEX else special.log10(input)


@op(**UNARY, grad="Log1P", autocast=(None, "float"))
def log1p(input: Array) -> Array:
    """log(1 + input), accurate near 0.

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.special.log1p(torch.tensor([0.5, 1., 2.]))
    tensor([0.4055, 0.6931, 1.0986])
    """
    return special.complex_log1p(input) if category(input) == COMPLEX else special.log1p(input)


# ---- special functions


@op(saves="result", **UNARY)
def sigmoid(input: Array) -> Array:
    """1 / (1 + exp(-input)).

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.sigmoid(torch.tensor([0., 2.]))
    tensor([0.5000, 0.8808])
    """
    return lax.logistic(input)


@op(inplace=True, numbers=fit("eps"))
def logit(input: Array, eps: Real | None = None) -> Array:
    """log(x / (1 - x)), the inverse of `sigmoid`; with `eps`, x is clamped to [eps, 1 - eps] first.

    In halves each step is rounded to them.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    >>> torch.logit(torch.tensor([0.25, 0.5]))
    tensor([-1.0986,  0.0000])
    """
    need_kind(input, "bif", "logit_cpu")
    d = dtype_of(input)

    def step(x):
        return rounded_to(x, d) if d.is_narrow else x

    def clamped(x):
        if eps is None:
            return special.logit(x, step)
        low = step(constant(eps, x))
        # torch takes a negative eps as none
        low = jnp.where(low < 0, constant(-jnp.inf, x), low)
        high = step(1 - low)
        outside = (x < low) | (x > high)
        fixed = lax.stop_gradient(jnp.where(x < low, low, high))  # low may be above high
        return special.logit(jnp.where(outside, fixed, x), step)

    return promoted("float", clamped, input)


@op(**UNARY)
def erf(input: Array) -> Array:
    """The error function.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    >>> torch.special.erf(torch.tensor([0.5, 1., 2.]))
    tensor([0.5205, 0.8427, 0.9953])
    """
    need_kind(input, "f", "erf_vml_cpu")
    return lax.erf(input)


@op(**UNARY)
def erfc(input: Array) -> Array:
    """1 - erf(input), accurate where erf is close to 1.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    >>> torch.special.erfc(torch.tensor([0.5, 1., 2.]))
    tensor([0.4795, 0.1573, 0.0047])
    """
    need_kind(input, "f", "erfc_vml_cpu")
    return special.erfc(input)


@op(**UNARY, autocast=(None, "float"))
def erfinv(input: Array) -> Array:
    """The inverse of `erf` on (-1, 1); infinite at the ends, nan outside.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    >>> torch.special.erfinv(torch.tensor([0., 0.5]))
    tensor([0.0000, 0.4769])
    """
    need_kind(input, "f", "erfinv_vml_cpu")
    return special.erfinv(input)


@op(**UNARY)
def lgamma(input: Array) -> Array:
    """The logarithm of the absolute value of the gamma function.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    >>> torch.lgamma(torch.tensor([1., 4.]))
    tensor([0.0000, 1.7918])
    """
    need_kind(input, "f", "lgamma_vml_cpu")
    return special.lgamma(input)


@op(**UNARY)
def digamma(input: Array) -> Array:
    """The derivative of `lgamma`; nan at negative whole numbers, infinite at 0.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    >>> torch.special.digamma(torch.tensor([0.5, 1., 2.]))
    tensor([-1.9635, -0.5772,  0.4228])
    """
    need_kind(input, "f", "digamma")
    return special.digamma(input)


@op(method=True, **UNARY)
def polygamma(n: int, input: Array) -> Array:
    """The n-th derivative of `digamma`, n >= 0; infinite at the poles.

    >>> torch.polygamma(1, torch.tensor([1., 2.]))
    tensor([1.6449, 0.6449])
    """
    check(n >= 0, RuntimeError, "polygamma(n, x) does not support negative n.")
    check(n < 2**31, RuntimeError, f"polygamma(n, x) takes an n below 2**31, but got {n}")
    need_kind(input, "f", "digamma" if n == 0 else "trigamma" if n == 1 else "polygamma")
    return special.digamma(input) if n == 0 else special.polygamma(n)(input)


@op(inplace=True, watches=False)
def mvlgamma(input: Array, p: int) -> Array:
    """The logarithm of the multivariate gamma function of dimension p >= 1.

    https://en.wikipedia.org/wiki/Multivariate_gamma_function

    >>> torch.special.multigammaln(torch.tensor([2., 3.]), 2)
    tensor([0.4516, 1.5502])
    """
    check(category(input) != BOOL, RuntimeError, "The input tensor may not be a boolean tensor.")
    need_kind(input, "if", "mvlgamma_cpu")
    check(p >= 1, RuntimeError, "p has to be greater than or equal to 1")
    check_memory((max(input.size, 1), p), min(input.dtype.itemsize, 4))

    def compute(x):
        halves = jnp.arange(p, dtype=x.dtype) / 2
        return special.lgamma(x[..., None] - halves).sum(-1) + constant(
            p * (p - 1) / 4 * math.log(math.pi), x
        )

    return promoted("float", compute, input)


@op(**UNARY)
def i0(input: Array) -> Array:
    """The modified Bessel function of the first kind of order 0.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    >>> torch.special.i0(torch.tensor([0.5, 1., 2.]))
    tensor([1.0635, 1.2661, 2.2796])
    """
    need_kind(input, "f", "i0_vml_cpu")
    return special.i0(input)
