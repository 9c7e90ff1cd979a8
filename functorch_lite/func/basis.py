"""A linear function of every vector of the standard basis: the rows, or columns, of its matrix.

`jax.vmap(f)(eye)` computes mostly zeros, and multiplies with them: the derivative of tanh(W x), mapped over an
identity, scales the identity's rows and then multiplies a matrix of zeros with W. Here the identity stays a diagonal
for as long as it is one: pointwise products scale the diagonal, and the first product with a matrix scales that
matrix's rows. Everything after it is mapped as usual.

The numbers equal those for the identity, including a NaN from 0 * inf: the off-diagonal is one more array, of zeros
and NaNs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import ClosedJaxpr, Literal

from .._core.api import Rules, walk

__all__ = ["over_bases", "over_basis"]

MOST = 8
"""How often a function of many arrays is traced: it is traced once for the joined bases of so many of them as that
takes."""


def over_bases(f: Callable, likes: Sequence[jax.Array], chunk_size: int | None = None) -> list:
    """For each of `likes`, f's results for each vector of the basis of arrays like it, as of `over_basis`, where the
    others are zero.

    With many arrays, some are joined to one vector, for whose basis f is traced once. Otherwise tracing time would
    grow with the square of the number of layers, because the parameters of each are followed through all the others.
    """
    found: list = []
    size = -(-len(likes) // MOST)
    for first in range(0, len(likes), size):
        group = likes[first : first + size]
        if len({x.dtype for x in group}) == 1:
            found += _joined(f, likes, first, group, chunk_size)
        else:
            for k, x in enumerate(group, first):
                found += _joined(f, likes, k, [x], chunk_size)
    return found


def _joined(
    f: Callable, likes: Sequence[jax.Array], first: int, group: Sequence[jax.Array], chunk_size: int | None
) -> list:
    """`over_bases` for these of `likes`, which have one dtype and follow each other."""
    others = [jnp.zeros_like(x) for x in likes[first + len(group) :]]
    before = [jnp.zeros_like(x) for x in likes[:first]]
    if len(group) == 1:
        return [over_basis(lambda e: f(*before, e, *others), group[0], chunk_size)]
    ends = list(itertools.accumulate([x.size for x in group]))
    spans = [(end - x.size, end) for x, end in zip(group, ends)]

    def apart(flat):
        return f(*before, *[flat[a:b].reshape(x.shape) for x, (a, b) in zip(group, spans)], *others)

    found = over_basis(apart, jnp.zeros(ends[-1], group[0].dtype), chunk_size)
    return [jax.tree.map(lambda rows, a=a, b=b: rows[a:b], found) for a, b in spans]


def over_basis(f: Callable, like: jax.Array, chunk_size: int | None = None) -> Any:
    """f(e) for each vector e of the basis of arrays like this one: f's arrays with a first dimension of like.size more.

    f: linear, of one array, to a pytree of arrays. chunk_size: vectors at a time (default: all at once).
    """
    if chunk_size is None and like.size > 1 and jnp.issubdtype(like.dtype, jnp.floating):
        traced, shapes = jax.make_jaxpr(_inlined(f), return_shape=True)(like)
        if not traced.effects:
            return jax.tree.unflatten(jax.tree.structure(shapes), _rows_of(traced, like))
    eye = jnp.eye(like.size, dtype=like.dtype).reshape(like.size, *like.shape)
    return jax.vmap(f)(eye) if chunk_size is None else lax.map(f, eye, batch_size=chunk_size)


@dataclass
class _Diagonal:
    """One array for each vector of the basis: `off`, but where its indices along `axes` are the vector's number, there
    it is `on`.

    Both have the array's shape. axes: the dims whose size is not 1, slowest first. off: zeros, and NaNs where a zero
    met an infinity or a NaN.
    """

    on: jax.Array
    off: jax.Array
    axes: tuple[int, ...]

    def rows(self) -> jax.Array:
        """All the arrays, stacked."""
        sizes = [self.on.shape[a] for a in self.axes]
        full, n = (*sizes, *self.on.shape), len(sizes)
        chosen = [
            lax.broadcasted_iota(jnp.int32, full, i) == lax.broadcasted_iota(jnp.int32, full, n + a)
            for i, a in enumerate(self.axes)
        ]
        mask = chosen[0]
        for m in chosen[1:]:
            mask &= m
        return jnp.where(mask, self.on, self.off).reshape(-1, *self.on.shape)

    def on_alone(self) -> jax.Array:
        """Gives a sum along `axes`, by the number of the vector, these axes in their place: NaN if it is so
        elsewhere."""
        bad = jnp.isnan(self.off).astype(jnp.int32)
        return jnp.where(bad.sum(self.axes, keepdims=True) > bad, jnp.nan, self.on)


# -- a function's equations --------------------------------------------------------------------------------------------


def _inlined(f: Callable) -> Callable:
    """The same function, without calls of jitted functions."""

    def into(eqn: Any, args: list) -> list | None:
        call = walk.called(eqn, ruled=False, again=False)
        return None if call is None else walk.evaluated(call, args, into)

    def run(x):
        traced, shapes = jax.make_jaxpr(f, return_shape=True)(x)
        return jax.tree.unflatten(jax.tree.structure(shapes), walk.evaluated(traced, [x], into))

    return run


def _read(env: dict, v: Any) -> Any:
    return v.val if isinstance(v, Literal) else env[v]


def _rows_of(traced: ClosedJaxpr, like: jax.Array) -> list:
    """The outputs for all vectors: first what can be had from the diagonal, then the other equations, mapped."""
    jaxpr = traced.jaxpr
    one = jnp.ones_like(like)
    env: dict[Any, Any] = dict(zip(jaxpr.constvars, traced.consts))
    """What is the same for all vectors, and diagonals."""
    env[jaxpr.invars[0]] = _Diagonal(one, jnp.zeros_like(one), _wide(like.shape))
    stacked: dict[Any, jax.Array] = {}
    zeros: set = set()
    """Variables that hold zeros and nothing else."""
    later = []
    for eqn in walk.steps(jaxpr):
        if not all(isinstance(v, Literal) or v in env for v in eqn.invars):
            later.append(eqn)
            continue
        given = [_read(env, v) for v in eqn.invars]
        zero = [_is_zero(v, zeros) for v in eqn.invars]
        if not any(isinstance(x, _Diagonal) for x in given):
            env.update(zip(eqn.outvars, walk.bind(eqn, given)))
            if eqn.primitive is lax.broadcast_in_dim_p and zero[0]:
                zeros.update(eqn.outvars)
            continue
        found = RULES[eqn.primitive.name](eqn, given, zero) if eqn.primitive.name in RULES else None
        if found is None:
            later.append(eqn)
        else:
            (env if isinstance(found, _Diagonal) else stacked)[eqn.outvars[0]] = found
    wanted = {
        v for used in [jaxpr.outvars, *[e.invars for e in later]] for v in used if not isinstance(v, Literal)
    }
    stacked |= {v: x.rows() for v, x in env.items() if isinstance(x, _Diagonal) and v in wanted}
    names = list(stacked)

    def rest(arrays: list) -> list:
        inside = env | dict(zip(names, arrays))
        for eqn in later:
            inside.update(zip(eqn.outvars, walk.bind(eqn, [_read(inside, v) for v in eqn.invars])))
        return [_read(inside, v) for v in jaxpr.outvars]

    return jax.vmap(rest, axis_size=like.size)([stacked[v] for v in names])


def _is_zero(v: Any, zeros: set) -> bool:
    return v in zeros if not isinstance(v, Literal) else jnp.ndim(v.val) == 0 and v.val == 0


# -- what keeps a diagonal ---------------------------------------------------------------------------------------------
# Each rule(eqn, given, zero) gives a diagonal, or the stacked arrays for all vectors, or None: then it is mapped. zero:
# which operands are zeros.


RULES = Rules("bases", "what it does to a diagonal", lambda p: "refused: mapped over the basis")
rule = RULES.rule


def _of_each(eqn: Any, given: Sequence, axes: tuple[int, ...]) -> _Diagonal:
    """By the equation, at the diagonal and off it."""
    (on,) = walk.bind(eqn, [x.on if isinstance(x, _Diagonal) else x for x in given])
    (off,) = walk.bind(eqn, [x.off if isinstance(x, _Diagonal) else x for x in given])
    return _Diagonal(on, off, axes)


@rule("mul")
def _product(eqn: Any, given: Sequence, zero: Sequence[bool]) -> _Diagonal | None:
    x, y = given
    if isinstance(x, _Diagonal) and isinstance(y, _Diagonal):
        return None
    return _of_each(eqn, given, (x if isinstance(x, _Diagonal) else y).axes)


@rule("div")
def _quotient(eqn: Any, given: Sequence, zero: Sequence[bool]) -> _Diagonal | None:
    return None if isinstance(given[1], _Diagonal) else _of_each(eqn, given, given[0].axes)


@rule("add", "sub", "add_any")
def _sum(eqn: Any, given: Sequence, zero: Sequence[bool]) -> _Diagonal | None:
    """Rule of sums, of diagonals and zeros."""
    axes = {x.axes for x in given if isinstance(x, _Diagonal)}
    fit = all(isinstance(x, _Diagonal) or z for x, z in zip(given, zero))
    return _of_each(eqn, given, axes.pop()) if fit and len(axes) == 1 else None


@rule("select_n")
def _choice(eqn: Any, given: Sequence, zero: Sequence[bool]) -> _Diagonal | None:
    return None if isinstance(given[0], _Diagonal) else _sum(eqn, given, [True, *zero[1:]])


@rule("neg", "convert_element_type", "copy")
def _conversion(eqn: Any, given: Sequence, zero: Sequence[bool]) -> _Diagonal | None:
    real = jnp.issubdtype(eqn.outvars[0].aval.dtype, jnp.floating)
    return _of_each(eqn, given, given[0].axes) if real else None


def _moved(eqn: Any, given: Sequence, to: dict[int, int]) -> _Diagonal:
    return _of_each(eqn, given, tuple([to[a] for a in given[0].axes]))


@rule("broadcast_in_dim")
def _broadcast(eqn: Any, given: Sequence, zero: Sequence[bool]) -> _Diagonal:
    return _moved(eqn, given, dict(enumerate(eqn.params["broadcast_dimensions"])))


@rule("transpose")
def _transposed(eqn: Any, given: Sequence, zero: Sequence[bool]) -> _Diagonal:
    return _moved(eqn, given, {a: i for i, a in enumerate(eqn.params["permutation"])})


def _without(eqn: Any, given: Sequence, gone: Sequence[int]) -> _Diagonal:
    return _moved(eqn, given, {a: i for i, a in enumerate(_others(given[0].on, gone))})


@rule("squeeze")
def _squeezed(eqn: Any, given: Sequence, zero: Sequence[bool]) -> _Diagonal:
    return _without(eqn, given, eqn.params["dimensions"])


@rule("reshape")
def _reshaped(eqn: Any, given: Sequence, zero: Sequence[bool]) -> _Diagonal | None:
    (x,), new = given, eqn.params["new_sizes"]
    before, after = _wide(x.on.shape), _wide(new)
    if x.axes == before:
        return _of_each(eqn, given, after)
    if [x.on.shape[a] for a in before] == [new[a] for a in after]:
        return _moved(eqn, given, dict(zip(before, after)))
    return None


@rule("reduce_sum")
def _summed(eqn: Any, given: Sequence, zero: Sequence[bool]) -> _Diagonal | jax.Array | None:
    (x,), over = given, eqn.params["axes"]
    if not set(x.axes) & set(over):
        return _without(eqn, given, over)
    if set(x.axes) != set(_wide(x.on.shape, over)):
        return None
    rest = _others(x.on, over)
    front = [*x.axes, *[a for a in over if a not in x.axes]]
    return x.on_alone().transpose(*front, *rest).reshape(-1, *[x.on.shape[a] for a in rest])


@rule("dot_general")
def _matrix_product(eqn: Any, given: Sequence, zero: Sequence[bool]) -> jax.Array | None:
    """Contracts the diagonal: what is left is the other operand, scaled."""
    contracted, batched = eqn.params["dimension_numbers"]
    at = 0 if isinstance(given[0], _Diagonal) else 1
    x, w = given[at], given[1 - at]
    if isinstance(w, _Diagonal) or set(x.axes) != set(_wide(x.on.shape, contracted[at])):
        return None
    pairs = dict(zip(contracted[at], contracted[1 - at]))
    front = [*x.axes, *[a for a in pairs if a not in x.axes]]
    w_front = [pairs[a] for a in front]
    x_first, w_first = [*front, *batched[at]], [*w_front, *batched[1 - at]]
    free, w_free = _others(x.on, x_first), _others(w, w_first)
    bad = (~jnp.isfinite(w)).astype(jnp.int32)
    # zeros times infinities, in the sum over the zeros
    elsewhere = jnp.where(bad.sum(w_front, keepdims=True) > bad, jnp.nan, 0)
    aval = eqn.outvars[0].aval

    def laid(array: jax.Array, first: list[int], own: list[int], gap: int, left: bool) -> jax.Array:
        """With dimensions of size 1 for the other operand's dimensions, which follow the left operand's."""
        start = len(first) + (len(own) if left else 0)
        array = array.astype(aval.dtype).transpose(*first, *own)
        return jnp.expand_dims(array, tuple(range(start, start + gap)))

    on = laid(x.on_alone(), x_first, free, len(w_free), at == 0)
    scaled, nans = (laid(a, w_first, w_free, len(free), at == 1) for a in (w, elsewhere))
    return (on * scaled + nans).reshape(-1, *aval.shape)


def _wide(shape: Sequence[int], axes: Sequence[int] | None = None) -> tuple[int, ...]:
    """Axes whose size is not 1."""
    return tuple([a for a in (range(len(shape)) if axes is None else axes) if shape[a] != 1])


def _others(array: jax.Array, axes: Sequence[int]) -> list[int]:
    return [a for a in range(array.ndim) if a not in axes]
