"""Pointwise functions of one tensor: trigonometric and hyperbolic functions, their inverses, degrees and radians."""

from __future__ import annotations

import math

from jax import lax

from .._core.api import (
    Array,
    check,
    op,
)
from . import _special as special
from ._pointwise import (
    COMPLEX,
    UNARY,
    category,
    constant,
)


@op(**UNARY)
def sin(input: Array) -> Array:
    """The sine of an angle in radians.

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.sin(torch.tensor([0., 1.5]))
    tensor([0.0000, 0.9975])
    """
    return lax.sin(input)


@op(**UNARY)
def cos(input: Array) -> Array:
    """The cosine of an angle in radians.

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.cos(torch.tensor([0., 1.5]))
    tensor([1.0000, 0.0707])
    """
    return lax.cos(input)


@op(saves="result", **UNARY, autocast=(None, "float"))
def tan(input: Array) -> Array:
    """The tangent of an angle in radians.

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.tan(torch.tensor([0., 0.5]))
    tensor([0.0000, 0.5463])
    """
    return lax.tan(input)


@op(aliases=("arcsin",), **UNARY, autocast=(None, "float"))
def asin(input: Array) -> Array:
    """The arcsine in radians; nan outside [-1, 1].

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.asin(torch.tensor([0., 1., -0.5]))
    tensor([ 0.0000,  1.5708, -0.5236])
    """
    return special.complex_asin(input) if category(input) == COMPLEX else lax.asin(input)


@op(aliases=("arccos",), **UNARY, autocast=(None, "float"))
def acos(input: Array) -> Array:
    """The arccosine in radians; nan outside [-1, 1].

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.acos(torch.tensor([1., 0., -0.5]))
    tensor([0.0000, 1.5708, 2.0944])
    """
    return special.complex_acos(input) if category(input) == COMPLEX else lax.acos(input)


@op(aliases=("arctan",), **UNARY)
def atan(input: Array) -> Array:
    """The arctangent in radians.

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.atan(torch.tensor([0., 1., -2.]))
    tensor([ 0.0000,  0.7854, -1.1071])
    """
    return special.complex_atan(input) if category(input) == COMPLEX else lax.atan(input)


@op(**UNARY, autocast=(None, "float"))
def sinh(input: Array) -> Array:
    """The hyperbolic sine.

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.sinh(torch.tensor([0., 1.]))
    tensor([0.0000, 1.1752])
    """
    return special.complex_sinh(input) if category(input) == COMPLEX else special.sinh(input)


@op(**UNARY, autocast=(None, "float"))
def cosh(input: Array) -> Array:
    """The hyperbolic cosine.

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.cosh(torch.tensor([0., 1.]))
    tensor([1.0000, 1.5431])
    """
    return special.complex_cosh(input) if category(input) == COMPLEX else special.cosh(input)


@op(saves="result", **UNARY)
def tanh(input: Array) -> Array:
    """The hyperbolic tangent.

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.tanh(torch.tensor([0., 1., -2.]))
    tensor([ 0.0000,  0.7616, -0.9640])
    """
    return special.tanh(input)


@op(aliases=("arcsinh",), **UNARY)
def asinh(input: Array) -> Array:
    """The inverse of the hyperbolic sine.

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.asinh(torch.tensor([0., 2.]))
    tensor([0.0000, 1.4436])
    """
    return special.complex_asinh(input) if category(input) == COMPLEX else lax.asinh(input)


@op(aliases=("arccosh",), **UNARY)
def acosh(input: Array) -> Array:
    """The inverse of the hyperbolic cosine; nan below 1.

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.acosh(torch.tensor([1., 2., 0.]))
    tensor([0.0000, 1.3170,    nan])
    """
    return special.complex_acosh(input) if category(input) == COMPLEX else lax.acosh(input)


@op(aliases=("arctanh",), **UNARY)
def atanh(input: Array) -> Array:
    """The inverse of the hyperbolic tangent; nan outside [-1, 1].

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.atanh(torch.tensor([0., 0.5]))
    tensor([0.0000, 0.5493])
    """
    return special.complex_atanh(input) if category(input) == COMPLEX else special.atanh(input)


@op(saves="nothing", **UNARY, grad="Deg2Rad")
def deg2rad(input: Array) -> Array:
    """Degrees as radians.

    Same shape and dtype; integers and bool give the default dtype. RuntimeError for complex.

    >>> torch.deg2rad(torch.tensor([180., 90.]))
    tensor([3.1416, 1.5708])
    """
    check(category(input) != COMPLEX, RuntimeError, "deg2rad is not supported for complex tensors.")
    return input * constant(math.pi / 180, input)


@op(saves="nothing", **UNARY, grad="Rad2Deg")
def rad2deg(input: Array) -> Array:
    """Radians as degrees.

    Same shape and dtype; integers and bool give the default dtype. RuntimeError for complex.

    >>> torch.rad2deg(torch.tensor([0., 1.]))
    tensor([ 0.0000, 57.2958])
    """
    check(category(input) != COMPLEX, RuntimeError, "rad2deg is not supported for complex tensors.")
    return input * constant(180 / math.pi, input)


@op(**UNARY)
def sinc(input: Array) -> Array:
    """sin(pi x) / (pi x), and 1 at 0. Its second derivative at 0 is the true one, where torch gives nan.

    Same shape and dtype; integers and bool give the default dtype.

    >>> torch.special.sinc(torch.tensor([0.5, 1., 2.]))
    tensor([ 6.3662e-01, -2.7828e-08,  2.7828e-08])
    """
    return special.sinc(input)
