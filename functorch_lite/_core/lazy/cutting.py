"""Cuts that keep derivatives out: no_grad inside transforms, detach, `.data`, and writes that go around them.

no_grad cuts reverse mode and leaves forward mode alone, so a cut says for each transform that differentiates what it
does there: a word with a letter for each of them, the innermost first. R: a reverse transform, whose derivative is cut.
F: a forward one, whose derivative passes. The last letter is for all that lies outside, the tape included: R, or P
where everything passes.
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp

from .applied import DerivedOp

__all__ = [
    "ALL", "CUTS", "DATA", "DETACH", "INNERMOST", "KEEPS", "NONE", "UNMOVED_DATA", "counts_transforms", "cut",
    "cuts_here", "keep",
]  # fmt: skip

ALL, INNERMOST, NONE = "R", "RP", "P"


def cut(x: jax.Array, where: str) -> jax.Array:
    """x, whose derivatives are cut as the word says."""
    if where == NONE or not jnp.issubdtype(x.dtype, jnp.inexact):
        return x
    return jax.lax.stop_gradient(x) if where == ALL else _cut(x, where)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _cut(x, where):
    return x


@_cut.defjvp
def _(where, primals, tangents):
    (x,), (t,) = primals, tangents
    rest = where[1:]
    return cut(x, rest), _zeros(t) if where[0] == "R" else cut(t, rest)


def _zeros(t):
    """Zeros that are computed from t: a later cut is to see that this transform has come by."""
    return jnp.where(False, t, 0)


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def _kept(old, new, where):
    return new


@_kept.defjvp
def _(where, primals, tangents):
    rest = where[1:] or where
    x = primals[1] if where == NONE else _kept(*primals, rest)
    if where[0] == "R":
        return x, tangents[0] + _zeros(tangents[1])
    return x, tangents[1] if where == NONE else _kept(*tangents, rest)


DETACH = DerivedOp(lambda x: (cut(x, ALL),), "detach", made_of=())
DATA = DerivedOp(lambda x: (cut(x, INNERMOST),), "data", made_of=(INNERMOST,))
UNMOVED_DATA = DerivedOp(lambda x: (x,), "data", made_of=("unmoved",))
"""`.data` of what the innermost transform has no derivative of."""
CUTS = {DETACH, DATA}

KEEPS: dict[DerivedOp, str] = {}


@functools.cache
def keep(where: str) -> DerivedOp:
    """(old, new) -> the numbers of new; where the word cuts, with the derivative of old."""
    op = DerivedOp(lambda old, new: (_kept(old, new, where),), "keep", made_of=(where,))
    KEEPS[op] = where
    return op


def cuts_here(where: str) -> bool:
    """Returns whether the innermost transform's derivative is cut."""
    return where[:1] == "R"


def counts_transforms(op: object, stop: str) -> bool:
    """Whether a step (its op, and what no_grad cuts of it) treats the transforms around it differently."""
    return len(stop) > 1 or op is DATA or KEEPS.get(op, ALL) != ALL  # type: ignore[call-overload]
