"""The forward Laplacian: values, directional derivatives and the sum of second derivatives through a jaxpr, in one pass.

A value that moves is a `Moving`: x; its derivatives J along K directions, in a new first dimension; and L, the sum over the directions of
its second derivatives. Through y = f(x): J is pushed forward, and

    L_y = f'(x) L + sum over k of f''(x) [J_k, J_k]

Li et al., "A computational framework for neural network-based variational Monte Carlo with forward Laplacian", arXiv 2307.08214; the same
as Taylor mode with its last coefficient summed before each linear op (Dangel et al., "Collapsing Taylor mode", arXiv 2505.13644). The
second term is zero for linear ops, and told in closed form for elementwise ones and for products; for all else it is a jvp of a jvp of that
one equation, summed. So every op has its Laplacian, loops and solvers too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from ..._core.api import Kind, P, Rules, row, walk
from ._series import moves

__all__ = ["laplacian_of"]


class Moving:
    """A value that depends on the argument: x, J (K, *shape), L of its shape."""

    __slots__ = ("J", "L", "x")

    def __init__(self, x: Any, J: Any, L: Any):
        self.x, self.J, self.L = x, J, L


def laplacian_of(f: Callable[[Any], Sequence[Any]], x: Any, directions: Any) -> list[tuple[Any, Any, Any]]:
    """Of each result of f(x): its value, its derivatives along the directions (K, *x.shape), and the sum of the second ones."""
    traced = jax.make_jaxpr(lambda x: list(f(x)))(x)
    found = _through(traced, [Moving(x, directions, None)])
    out = []
    for v in found:
        if isinstance(v, Moving):
            out.append((v.x, v.J, jnp.zeros_like(v.x) if v.L is None else v.L))
        else:
            v = jnp.asarray(v)
            out.append((v, jnp.zeros((directions.shape[0], *v.shape), v.dtype), jnp.zeros_like(v)))
    return out


def _through(jaxpr: Any, given: Sequence[Any]) -> list[Any]:
    return walk.evaluated(jaxpr, given, _equation)


def _equation(eqn: Any, args: list[Any]) -> Sequence[Any] | None:
    at = [i for i, a in enumerate(args) if isinstance(a, Moving)]
    if not at:
        return None
    p = row(eqn)
    if p.flat or not any(moves(v) for v in eqn.outvars):
        return walk.bind(eqn, [a.x if isinstance(a, Moving) else a for a in args])
    call = walk.called(eqn, ruled=False)
    if call is not None:
        return _through(call, args)

    def f(*xs: Any) -> list[Any]:
        full = [a.x if isinstance(a, Moving) else a for a in args]
        for i, x in zip(at, xs):
            full[i] = x
        return _bind(eqn, full)

    moving = [args[i] for i in at]
    if _is_linear(eqn, p, at):
        return _linear(f, moving)
    rule = RULES.get(eqn.primitive.name)
    if rule is not None and len(at) == 2 and at == [0, 1]:
        return rule(eqn, *moving)
    if len(at) == 1 and _is_elementwise(eqn, at[0]):
        return _elementwise(f, moving[0])
    return _any(f, moving)


def _bind(eqn: Any, args: list[Any]) -> list[Any]:
    """`walk.bind`, elementwise ops and products without dimensions of size 1: reshapes that meet are nothing, and XLA for CPUs computes
    products together with what is around them only where there are none between (3 times faster for a module called with x[None])."""
    shape = eqn.outvars[0].aval.shape
    if 1 not in shape or len(eqn.outvars) != 1:
        return walk.bind(eqn, args)
    whole = all(jnp.shape(a) == shape or not jnp.ndim(a) for a in args)
    if row(eqn).kind == Kind.POINTWISE and whole:
        return [walk.bind(eqn, [_squeezed(a) for a in args])[0].reshape(shape)]
    if eqn.primitive is jax.lax.dot_general_p and args[0].ndim and 1 in args[0].shape:
        (contract, others), (batch, _) = eqn.params["dimension_numbers"]
        unit = [d for d, n in enumerate(args[0].shape) if n == 1 and d not in (*contract, *batch)]
        if unit:
            x = jax.lax.squeeze(args[0], unit)

            def left(dims: Sequence[int]) -> tuple[int, ...]:
                return tuple(d - sum(u < d for u in unit) for d in dims)

            numbers = ((left(contract), others), (left(batch), eqn.params["dimension_numbers"][1][1]))
            params = {**eqn.params, "dimension_numbers": numbers, "out_sharding": None}
            return [jax.lax.dot_general_p.bind(x, args[1], **params).reshape(shape)]
    return walk.bind(eqn, args)


def _squeezed(x: Any) -> Any:
    return jax.lax.squeeze(x, [d for d, n in enumerate(x.shape) if n == 1]) if jnp.ndim(x) else x


def _is_linear(eqn: Any, p: P, at: Sequence[int]) -> bool:
    """Whether the operands at these places enter linearly, all together."""
    if p.linear is None or p.kind == Kind.SAME or eqn.primitive.name in ("convert_element_type", "select_n"):
        return True
    return len(at) == 1 and at[0] in p.linear


def _results(xs: Sequence[Any], Js: Sequence[Any], Ls: Sequence[Any]) -> list[Any]:
    return [Moving(x, J, L) if moves(x) else x for x, J, L in zip(xs, Js, Ls)]


def _filled(moving: Sequence[Moving]) -> list[Any] | None:
    """The L's, or None if all are zero."""
    if all(m.L is None for m in moving):
        return None
    return [jnp.zeros_like(m.x) if m.L is None else m.L for m in moving]


def _linear(f: Callable, moving: Sequence[Moving]) -> list[Any]:
    """Of what is linear in all that moves."""
    xs, push = jax.linearize(f, *[m.x for m in moving])
    Js = jax.vmap(push)(*[m.J for m in moving])
    Ls = _filled(moving)
    return _results(xs, Js, [None] * len(xs) if Ls is None else push(*Ls))


def _elementwise(f: Callable, m: Moving) -> list[Any]:
    """Of a function of each element by itself: its first and second derivative, as one number for each."""
    shape = m.x.shape
    flat = _squeezed(m.x)
    one, J = jnp.ones_like(flat), m.J.reshape(-1, *flat.shape)

    def slope(x: Any) -> tuple[Any, Any]:
        value, d = jax.jvp(lambda x: _squeezed(f(x.reshape(shape))[0]), (x,), (one,))
        return d, value

    d, dd, x = jax.jvp(slope, (flat,), (one,), has_aux=True)
    L = dd * jnp.square(J).sum(0)
    if m.L is not None:
        L = L + d * _squeezed(m.L)
    return _results([x.reshape(shape)], [(d * J).reshape(m.J.shape)], [L.reshape(shape)])


def _any(f: Callable, moving: Sequence[Moving]) -> list[Any]:
    """Of any function: f''[J_k, J_k] for each direction, by a jvp of a jvp."""
    primals = [m.x for m in moving]

    def bent(*ts: Any) -> tuple[list[Any], list[Any]]:
        def pushed(*xs: Any) -> list[Any]:
            return jax.jvp(f, xs, ts)[1]

        return jax.jvp(pushed, tuple(primals), ts)

    xs = f(*primals)
    Js, second = jax.vmap(bent)(*[m.J for m in moving])
    Ls = [_total(x, s) for x, s in zip(xs, second)]
    if (mine := _filled(moving)) is not None:
        pushed = jax.jvp(f, tuple(primals), tuple(mine))[1]
        Ls = [L + p if moves(x) else L for x, L, p in zip(xs, Ls, pushed)]
    return _results(xs, Js, Ls)


def _total(x: Any, second: Any) -> Any:
    return second.sum(0) if moves(x) else None


RULES = Rules(
    "laplacians",
    "the forward Laplacian of a function",
    lambda p: "by kind: linear, elementwise, or a jvp of a jvp of the equation alone",
)


@RULES.rule("mul")
def _mul(eqn: Any, a: Moving, b: Moving) -> list[Any]:
    x = walk.bind(eqn, [a.x, b.x])
    J = jax.vmap(lambda s, t: s * b.x + a.x * t)(a.J, b.J)
    L = 2 * jax.vmap(lambda s, t: s * t)(a.J, b.J).sum(0)
    if a.L is not None:
        L = L + a.L * b.x
    if b.L is not None:
        L = L + a.x * b.L
    return _results(x, [J], [L])


@RULES.rule("dot_general")
def _dot(eqn: Any, a: Moving, b: Moving) -> list[Any]:
    """The directions are one more dimension that is summed over."""

    def product(x: Any, y: Any) -> Any:
        return walk.bind(eqn, [x, y])[0]

    x = product(a.x, b.x)
    J = jax.vmap(lambda s: product(s, b.x))(a.J) + jax.vmap(lambda t: product(a.x, t))(b.J)
    (contract_a, contract_b), (batch_a, batch_b) = eqn.params["dimension_numbers"]

    def beside(dims: Sequence[int]) -> tuple[int, ...]:
        return tuple(d + 1 for d in dims)

    numbers = (((0, *beside(contract_a)), (0, *beside(contract_b))), (beside(batch_a), beside(batch_b)))
    params = {**eqn.params, "dimension_numbers": numbers, "out_sharding": None}
    L = 2 * jax.lax.dot_general_p.bind(a.J, b.J, **params)
    if a.L is not None:
        L = L + product(a.L, b.x)
    if b.L is not None:
        L = L + product(a.x, b.L)
    return _results([x], [J], [L])


def _is_elementwise(eqn: Any, at: int) -> bool:
    """Whether the one result is told element by element from the operand at this place."""
    shape = eqn.invars[at].aval.shape
    if len(eqn.outvars) != 1 or eqn.outvars[0].aval.shape != shape or not moves(eqn.outvars[0]):
        return False
    if row(eqn).kind == Kind.POINTWISE:
        return True
    call = walk.called(eqn)
    if call is None or row(eqn).kind != Kind.CALL:
        return False
    return walk.opened(call).invars != [] and _all_elementwise(call, shape)


def _all_elementwise(jaxpr: Any, shape: tuple[int, ...]) -> bool:
    for eqn in walk.steps(jaxpr):
        inside = walk.called(eqn)
        if inside is not None:
            if not _all_elementwise(inside, shape):
                return False
        elif row(eqn).kind not in (Kind.POINTWISE, Kind.SAME):
            # numbers spread over the shape are the same for each element
            if eqn.primitive is not jax.lax.broadcast_in_dim_p or eqn.invars[0].aval.shape:
                return False
        if any(v.aval.shape not in ((), shape) for v in eqn.outvars):
            return False
    return True
