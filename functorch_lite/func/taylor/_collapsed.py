"""The forward Laplacian: values, directional derivatives and the sum of second derivatives through a jaxpr, in one
pass.

A value that moves is a `Moving`: x; its derivatives J along K directions, in a new first dimension; and L, the sum over
the directions of its second derivatives. Through y = f(x): J is pushed forward, and

    L_y = f'(x) L + sum over k of f''(x) [J_k, J_k]

Li et al., "A computational framework for neural network-based variational Monte Carlo with forward Laplacian", arXiv
2307.08214; the same as Taylor mode with its last coefficient summed before each linear op (Dangel et al., "Collapsing
Taylor mode", arXiv 2505.13644). The second term is zero for linear ops, and told in closed form for elementwise ones
and for products; for all else it is a jvp of a jvp of that one equation, summed. So every op has its Laplacian, loops
and solvers too.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from ..._core.api import Kind, P, Rules, row, walk
from ._series import moves

__all__ = ["laplacian_of"]


class Core:
    """x; J along the directions, in a first dimension; L, the sum of second derivatives, or None where it is zero.

    An elementwise function of another Core, its root, need not have J and L: y = g(x) has J_y = g' J_x and L_y = g''
    |J_x|^2 + g' L_x. Chains of such functions, and products of functions with one root, are therefore computed on (g,
    g', g'') alone, of the size of x.
    """

    __slots__ = ("_J", "_L", "_energy", "bends", "root", "slope", "x")

    def __init__(
        self,
        x: Any,
        J: Any = None,
        L: Any = None,
        root: Core | None = None,
        slope: Any = None,
        bends: Any = None,
    ):
        self.x, self._J, self._L, self._energy = x, J, L, None
        self.root, self.slope, self.bends = root or self, slope, bends  # g' (None: 1) and g'' (None: 0)

    @property
    def J(self) -> Any:
        """The derivatives along the directions."""
        if self._J is None:
            self._J = self.slope * self.root.J
        return self._J

    @property
    def energy(self) -> Any:
        """The sum of their squares."""
        if self._energy is None:
            self._energy = jnp.square(self.J).sum(0)
        return self._energy

    @property
    def L(self) -> Any:
        """The sum of second derivatives, or None."""
        root = self.root
        if root is not self and self._L is None:
            parts = [] if self.bends is None else [self.bends * root.energy]
            parts += [] if root.L is None else [self.slope * root.L]
            self._L = sum(parts[1:], parts[0]) if parts else None
        return self._L


class Moving:
    """A value that depends on the argument: x, J (K, *shape), L of its shape (None where it is zero).

    Its core has no dimensions of size 1: reshapes that meet are nothing, and XLA for CPUs computes products together
    with what is around them
    only where there are none between (a module called with x[None]: 2 to 3 times faster)."""

    __slots__ = ("core", "shape")

    def __init__(self, shape: tuple[int, ...], core: Core):
        self.shape, self.core = shape, core

    @classmethod
    def of(cls, x: Any, J: Any, L: Any) -> Moving:
        """From arrays that have all their dimensions."""
        slim = _slim(x.shape)
        core = Core(x.reshape(slim), J.reshape(-1, *slim), None if L is None else L.reshape(slim))
        return cls(x.shape, core)

    @property
    def x(self) -> Any:
        """The value."""
        return self.core.x.reshape(self.shape)

    @property
    def J(self) -> Any:
        """Its derivatives, along the directions."""
        return self.core.J.reshape(-1, *self.shape)

    @property
    def L(self) -> Any:
        """The sum of its second derivatives, or None."""
        return None if self.core.L is None else self.core.L.reshape(self.shape)


def _slim(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple([n for n in shape if n != 1])


def laplacian_of(f: Callable[[Any], Sequence[Any]], x: Any, directions: Any) -> list[tuple[Any, Any, Any]]:
    """Computes for each result of f(x): its value, its derivatives along the directions (K, *x.shape), and the sum of
    the second ones."""
    traced = jax.make_jaxpr(lambda x: list(f(x)))(x)
    found = _through(traced, [Moving.of(x, directions, None)])
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
    if eqn.primitive.name in RESHAPES and _slim(eqn.outvars[0].aval.shape) == _slim(args[0].shape):
        return [Moving(eqn.outvars[0].aval.shape, args[0].core)]
    run = _slimmed(eqn, args)
    if run is not None:
        args = [Moving(_slim(a.shape), a.core) if isinstance(a, Moving) else a for a in args]

    def f(*xs: Any) -> list[Any]:
        full = [a.x if isinstance(a, Moving) else a for a in args]
        for i, x in zip(at, xs):
            full[i] = x
        return walk.bind(eqn, full) if run is None else run(full)

    moving = [args[i] for i in at]
    rule = RULES.get(eqn.primitive.name)
    linear = _is_linear(eqn, p, at)
    root = moving[0].core.root
    rooted = any(m.core is not root for m in moving) and all(m.core.root is root for m in moving)
    if (rooted or (len(at) == 1 and not linear)) and _is_elementwise(eqn, at):
        found = _elementwise(f, moving, linear)
    elif linear:
        found = _linear(f, moving)
    elif rule is not None and at == [0, 1]:
        found = rule(eqn, *moving)
    else:
        found = _any(f, moving)
    return [Moving(v.aval.shape, m.core) if isinstance(m, Moving) else m for v, m in zip(eqn.outvars, found)]


RESHAPES = ("reshape", "squeeze", "broadcast_in_dim")
"""What may change dimensions of size 1 alone."""


def _slimmed(eqn: Any, args: list[Any]) -> Callable[[list], list] | None:
    """The equation as a function of arguments without dimensions of size 1, with such a result; None where there are
    none, or where they mean something."""
    shapes = [a.shape if isinstance(a, Moving) else jnp.shape(a) for a in args]
    out = eqn.outvars[0].aval.shape
    if len(eqn.outvars) != 1 or not any(1 in s for s in (*shapes, out)):
        return None
    if all(s in ((), out) for s in shapes):
        if row(eqn).kind == Kind.POINTWISE:
            return lambda full: walk.bind(
                eqn, [x if not jnp.ndim(x) else x.reshape(_slim(out)) for x in full]
            )
        if len(args) == 1 and _is_elementwise(eqn, [0]):  # a call, which says its shapes inside
            return lambda full: [walk.bind(eqn, [full[0].reshape(out)])[0].reshape(_slim(out))]
    if eqn.primitive is jax.lax.dot_general_p and sum(isinstance(a, Moving) for a in args) == 1:
        contract, batch = eqn.params["dimension_numbers"]
        for shape, *dims in zip(shapes, contract, batch):
            if any(shape[d] == 1 for d in itertools.chain(*dims)):
                return None
        return lambda full: _slim_product(eqn, full, shapes)
    return None


def _slim_product(eqn: Any, full: list, shapes: Sequence[tuple[int, ...]]) -> list:
    contract, batch = eqn.params["dimension_numbers"]

    def left(i: int, dims: Sequence[int]) -> tuple[int, ...]:
        """The positions of dimensions, without the ones of size 1."""
        return tuple([d - shapes[i][:d].count(1) for d in dims])

    numbers = tuple([tuple([left(i, dims[i]) for i in (0, 1)]) for dims in (contract, batch)])
    params = {**eqn.params, "dimension_numbers": numbers, "out_sharding": None}
    return [jax.lax.dot_general_p.bind(*[x.reshape(_slim(s)) for x, s in zip(full, shapes)], **params)]


def _is_linear(eqn: Any, p: P, at: Sequence[int]) -> bool:
    """Returns whether the operands at these places enter linearly, all together."""
    if p.linear is None or p.kind == Kind.SAME or eqn.primitive.name in ("convert_element_type", "select_n"):
        return True
    return len(at) == 1 and at[0] in p.linear


def _results(xs: Sequence[Any], Js: Sequence[Any], Ls: Sequence[Any]) -> list[Any]:
    return [Moving.of(x, J, L) if moves(x) else x for x, J, L in zip(xs, Js, Ls)]


def _filled(moving: Sequence[Moving]) -> list[Any] | None:
    """The L's, or None if all are zero."""
    if all(m.L is None for m in moving):
        return None
    return [jnp.zeros_like(m.x) if m.L is None else m.L for m in moving]


def _linear(f: Callable, moving: Sequence[Moving]) -> list[Any]:
    """Rule of a function that is linear in all that moves."""
    xs, push = jax.linearize(f, *[m.x for m in moving])
    Js = jax.vmap(push)(*[m.J for m in moving])
    Ls = _filled(moving)
    return _results(xs, Js, [None] * len(xs) if Ls is None else push(*Ls))


def _elementwise(f: Callable, moving: Sequence[Moving], linear: bool) -> list[Any]:
    """Rule of a function of each element by itself, with one root: (g, g', g'') as a function of the root's
    elements."""
    root, xs = moving[0].core.root, tuple([m.x for m in moving])
    slopes = [
        jnp.ones_like(x) if m.core is root else m.core.slope.reshape(m.shape) for m, x in zip(moving, xs)
    ]
    bends = [None if m.core.bends is None else m.core.bends.reshape(m.shape) for m in moving]

    def slope(*xs: Any) -> tuple[Any, Any]:
        (value,), (d,) = jax.jvp(f, xs, tuple(slopes))
        return d, value

    if linear:
        (d, value), dd = slope(*xs), None
    else:
        d, dd, value = jax.jvp(slope, xs, tuple(slopes), has_aux=True)
    if any(b is not None for b in bends):
        filled = [jnp.zeros_like(x) if b is None else b for b, x in zip(bends, xs)]
        (more,) = jax.jvp(f, xs, tuple(filled))[1]
        dd = more if dd is None else dd + more
    slim = _slim(value.shape)
    core = Core(
        value.reshape(slim), root=root, slope=d.reshape(slim), bends=None if dd is None else dd.reshape(slim)
    )
    return [Moving(value.shape, core)]


def _any(f: Callable, moving: Sequence[Moving]) -> list[Any]:
    """Rule of any function: f''[J_k, J_k] for each direction, by a jvp of a jvp."""
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


def _is_elementwise(eqn: Any, at: Sequence[int]) -> bool:
    """Returns whether the single result is an elementwise function of the operands at these positions."""
    shape = eqn.outvars[0].aval.shape
    if (
        len(eqn.outvars) != 1
        or any(eqn.invars[i].aval.shape != shape for i in at)
        or not moves(eqn.outvars[0])
    ):
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
