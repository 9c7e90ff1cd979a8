"""The parts of complex tensors: angle, conjugates, real and imaginary part."""

from __future__ import annotations

import math

import jax.numpy as jnp
from jax import lax

from .._core.api import (
    Array,
    check,
    dtypes,
    op,
    view,
)
from . import strides
from ._pointwise import (
    COMPLEX,
    FLOAT,
    category,
    constant,
)
from .views import conjugated, of_parts


@op(watches=True)
def angle(input: Array) -> Array:
    """The argument of a complex number, in radians; of a real number 0, or pi where it is negative; nan of nan.

    Same shape; integers and bool give the default dtype, complex a real one.

    >>> torch.angle(torch.tensor([0.25, 0.5, 1.]))
    tensor([0., 0., 0.])
    """
    if category(input) == COMPLEX:
        re, im = lax.real(input), lax.imag(input)
        zero = (re == 0) & (im == 0)
        # the derivative at 0 is 0, as in torch, so 0 must not pass through atan2
        return jnp.where(
            zero, lax.stop_gradient(lax.atan2(im, re)), lax.atan2(im, jnp.where(zero, 1, re).astype(re.dtype))
        )
    x = lax.stop_gradient(input)
    x = x if category(x) == FLOAT else x.astype(dtypes.default_dtype().np)
    return jnp.where(jnp.isnan(x), x, jnp.where(x < 0, constant(math.pi, x), constant(0, x)))


@op(inplace=True, saves="nothing", out="exact", grad="ConjPhysical", float8=True)
def conj_physical(input: Array) -> Array:
    """The complex conjugate; a real tensor is returned as it is.

    Same shape and dtype.

    >>> torch.conj_physical(torch.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    return lax.conj(input) if category(input) == COMPLEX else input


def _conjugate(input):
    return lax.conj(input) if category(input) == COMPLEX else input


@view(saves="nothing", put=lambda base, part: _conjugate(part), strides=strides.same, signs=conjugated)
def conj(input: Array) -> Array:
    """The complex conjugate, as a view: what is written to it is conjugated and written to `input`.

    >>> torch.conj(torch.tensor([1 + 2j])).resolve_conj()
    tensor([1.-2.j])
    """
    return _conjugate(input)


@view(
    saves="nothing", put=lambda base, part: -part, strides=strides.same, signs=lambda c, n, z: (c, not n, z)
)
def _neg_view(input: Array) -> Array:
    """The negative, as a view: what is written to it is negated and written to `input`."""
    return -input


def _put_real(base, part):
    return lax.complex(part, lax.imag(base)) if category(base) == COMPLEX else part


@view(saves="nothing", put=_put_real, strides=strides.real, signs=of_parts)
def real(input: Array) -> Array:
    """The real part, as a view.

    >>> torch.real(torch.tensor([1 + 2j]))
    tensor([1.])
    """
    return lax.real(input) if category(input) == COMPLEX else input


@view(
    saves="nothing",
    put=lambda base, part: lax.complex(lax.real(base), part),
    grad="Select",
    strides=strides.imaginary,
    signs=lambda c, n, z: (False, n ^ c, False),
)
def imag(input: Array) -> Array:
    """The imaginary part, as a view; an error for a real tensor.

    >>> torch.imag(torch.tensor([1 + 2j]))
    tensor([2.])
    """
    check(
        category(input) == COMPLEX,
        RuntimeError,
        "imag is not implemented for tensors with non-complex dtypes.",
    )
    return lax.imag(input)
