"""A function that treats many small arrays alike, element by element, computed on all of them as one.

An optax transformation goes leaf by leaf: forty layers under Adam are eighty times the same dozen steps on a few
numbers each, and each costs what it takes to start a loop. The jaxpr shows that leaves are treated alike: every
result for the k-th leaf must be the same expression of the k-th arrays and of scalars, of elementwise primitives
alone. Else nothing is joined.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Literal, Var

from functorch_lite._core.api import row, walk

__all__ = ["Joined", "evaluate"]


class Joined:
    """The arguments at some places, the k-th of which belongs to the k-th leaf. array: all in one 1-d array, if there
    is one."""

    __slots__ = ("array", "places")

    def __init__(self, places: Sequence[int], array: Any = None):
        self.places = places
        self.array = array


def evaluate(
    fn: Callable, args: Sequence[Any], joined: Sequence[Joined], results: Sequence[Sequence[int]]
) -> tuple[list, list] | None:
    """(the results of fn(*args), a list of arrays; of those at each of `results`, all in one 1-d array).

    None if they cannot be had so.

    args: arrays; of what is joined already, a jax.ShapeDtypeStruct will do.
    """
    traced = jax.make_jaxpr(fn)(*[jax.ShapeDtypeStruct(x.shape, x.dtype) for x in args])
    body = _Body(traced)
    alike = _Alike(body, joined)
    wanted = [alike.node_of([body.results[i] for i in places]) for places in results]
    if traced.effects or any(node is None for node in wanted):
        return None
    values = _Values(body, alike, args, joined)
    values.run()
    found = [
        jnp.asarray(x.val, x.aval.dtype) if isinstance(x, Literal) else values.of(x) for x in body.results
    ]
    return found, [values.joined[node] for node in wanted]


class _Body:
    """A jaxpr in which the functions that it calls are written out: steps (equation, arguments, results), and constants
    by variable."""

    def __init__(self, traced: Any):
        flat = walk.inlined(traced, lambda eqn: walk.called(eqn, ruled=False, again=False))
        jaxpr = walk.opened(flat)
        self.steps = [(eqn, list(eqn.invars), list(eqn.outvars)) for eqn in walk.steps(jaxpr)]
        self.constants: dict[Any, Any] = dict(zip(jaxpr.constvars, flat.consts))
        self.arguments, self.results = list(jaxpr.invars), list(jaxpr.outvars)


class _Alike:
    """Numbering of values that are the same expression for each leaf. An expression is a number, a *node*; the first
    are the joined arguments."""

    def __init__(self, body: _Body, joined: Sequence[Joined]):
        self.shapes = [body.arguments[i].aval.shape for i in joined[0].places]
        self.place: dict[Var, tuple[int, int]] = {}
        """value -> (node, which leaf's)"""
        self.spread: dict[Var, Any] = {}
        """An array all of whose elements are a scalar -> the scalar."""
        self._nodes: dict[Hashable, int] = {}
        self._leaves: list[set[int]] = []
        for node, one in enumerate(joined):
            self._leaves.append(set(range(len(one.places))))
            self.place.update({body.arguments[i]: (node, k) for k, i in enumerate(one.places)})
        for eqn, ins, outs in body.steps:
            if eqn.primitive is jax.lax.broadcast_in_dim_p:
                x = ins[0]
                if isinstance(x, Literal) or (x.aval.shape == () and x not in self.place):
                    self.spread[outs[0]] = x
            elif row(eqn).joins:
                self._see(eqn, ins, outs[0])

    def _see(self, eqn: Any, ins: list, out: Var) -> None:
        leaves = {self.place[x][1] for x in ins if isinstance(x, Var) and x in self.place}
        if len(leaves) != 1:
            return
        (k,) = leaves
        keys = [self._key(x) for x in ins]
        if out.aval.shape != self.shapes[k] or any(key is None for key in keys):
            return
        key = eqn.primitive, tuple(sorted(eqn.params.items())), tuple(keys), out.aval.dtype
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = len(self._leaves)
            self._leaves.append(set())
        self._leaves[node].add(k)
        self.place[out] = node, k

    def _key(self, x: Any) -> Hashable:
        """Returns the identity of an argument that all leaves share: its node, or a scalar; None if it is neither."""
        if isinstance(x, Literal):
            return str(x.aval), str(x.val)
        if x in self.place:
            return self.place[x][0]
        x = self.spread.get(x, x)
        if isinstance(x, Literal):
            return self._key(x)
        return x if x.aval.shape == () else None

    def is_whole(self, node: int) -> bool:
        """Returns whether every leaf has this expression."""
        return len(self._leaves[node]) == len(self.shapes)

    def node_of(self, values: Sequence[Any]) -> int | None:
        """The expression that the k-th of these values is for the k-th leaf, if it is one."""
        places = [self.place.get(x) if isinstance(x, Var) else None for x in values]
        node = places[0][0] if places[0] is not None else None
        return node if places == [(node, k) for k in range(len(self.shapes))] else None


class _Values:
    """The values as they are computed: whole nodes as one array, from which a leaf's slice is taken on demand."""

    def __init__(self, body: _Body, alike: _Alike, args: Sequence[Any], joined: Sequence[Joined]):
        self.body, self.alike = body, alike
        sizes = [int(np.prod(shape)) for shape in alike.shapes]
        self._ends = np.cumsum(sizes).tolist()
        self._known = dict(body.constants)
        given = zip(body.arguments, args)
        self._known.update({v: x for v, x in given if not isinstance(x, jax.ShapeDtypeStruct)})
        self.joined: dict[int, Any] = {}
        for node, one in enumerate(joined):
            array = one.array
            self.joined[node] = (
                jnp.concatenate([args[i].reshape(-1) for i in one.places]) if array is None else array
            )

    def of(self, x: Any) -> Any:
        """The value itself."""
        if isinstance(x, Literal):
            return x.val
        if x not in self._known:
            node, k = self.alike.place[x]
            start = self._ends[k - 1] if k else 0
            part = jax.lax.slice(self.joined[node], (start,), (self._ends[k],))
            self._known[x] = part.reshape(self.alike.shapes[k])
        return self._known[x]

    def _of_all(self, x: Any) -> Any:
        """The value for all leaves: a scalar as it is."""
        if isinstance(x, Literal):
            return x.val
        if x in self.alike.place:
            return self.joined[self.alike.place[x][0]]
        if x in self.alike.spread:
            return jnp.broadcast_to(self.of(self.alike.spread[x]), (self._ends[-1],))
        return self.of(x)

    def run(self) -> None:
        """Computes all that the results need."""
        needed = {x for x in self.body.results if isinstance(x, Var)}
        steps = []
        for step in reversed(self.body.steps):
            if needed.intersection(step[2]):
                steps.append(step)
                needed.update([x for x in step[1] if isinstance(x, Var)])
        for eqn, ins, outs in reversed(steps):
            node, _ = self.alike.place.get(outs[0], (None, 0))
            if node is None or not self.alike.is_whole(node):
                found = walk.bind(eqn, [self.of(x) for x in ins])
                self._known.update(zip(outs, found))
            elif node not in self.joined:
                (self.joined[node],) = walk.bind(eqn, [self._of_all(x) for x in ins])
