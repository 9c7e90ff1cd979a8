"""Graph: an interned recorded function, and the replay of recorded steps as a pure function on jax arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jax.extend.core import jaxpr_as_fun

from ..words.telling import place_of
from .apart import Steps
from .applied import Applied, DerivedOp
from .bounds import hushed
from .cutting import cut
from .identity import identity
from .trie import TrieNode

__all__ = ["TRANSFORMS", "Graph", "intern_graph", "prune", "replay", "transforms"]


def prune(path: Sequence[TrieNode], outputs: Sequence[int]) -> tuple[list[TrieNode], list[int]]:
    """The steps of a recording that `outputs` (slot indices) depend on, and the numbers of the externals they read."""
    needed = set(outputs)
    steps: list[TrieNode] = []
    externals: dict[int, None] = {}
    for node in reversed(path):
        if any(i in needed for i in range(node.base, node.base + node.n_out)):
            steps.append(node)
            for ref in node.refs:
                if ref >= 0:
                    needed.add(ref)
                else:
                    externals[-1 - ref] = None
    steps.reverse()
    return steps, sorted(externals)


def replay(
    steps: Sequence[TrieNode],
    slots: dict[int, Any],
    externals: dict[int, Any] | Sequence[Any],
    run: Callable[[Applied, list], Sequence[Any]] | None = None,
) -> None:
    """Runs recorded steps in order, adding their results to `slots`.

    Errors carry the user's line that recorded the op. run: computes the results of a step, where that is not what its
    op does by itself (on a mesh)."""
    known = Steps()
    for node in steps:
        args = [slots[r] if r >= 0 else externals[-1 - r] for r in node.refs]
        args = known.arguments(node, node.refs, node.base, args)
        try:
            outs = node.applied.run(*args) if run is None else run(node.applied, args)
        except Exception as error:
            annotate(error, node)
            raise
        if node.stop:
            outs = [cut(o, node.stop) for o in outs]
        base = node.base
        for i, out in enumerate(outs):
            slots[base + i] = out


def annotate(error: Exception, node: TrieNode) -> None:
    """Notes in the error which op, recorded by which of the user's lines, it comes from."""
    note = f"in op {getattr(node.op, 'name', node.op)}, recorded at {place_of(node.source)}"
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)


def _unchecked(applied: Applied, args: list) -> Sequence[Any]:
    return jaxpr_as_fun(hushed(applied.jaxpr))(*args) if applied.bounds else applied.run(*args)


TRANSFORMS: dict[str, Callable[..., Any]] = {}
"""Functions that make ops of graphs, by the first word of the op's key: (key, *graphs) -> op."""

writer: list[Callable[[Graph], str]] = []
"""`to_python`, which `written.py` puts here."""


def transforms(*kinds: str) -> Callable[[Callable], Callable]:
    """Registers a function (key, *graphs) -> op for keys that begin with one of these words."""

    def register(make: Callable) -> Callable:
        TRANSFORMS.update(dict.fromkeys(kinds, make))
        return make

    return register


class Graph:
    """A recorded function: a plain list of steps (op, static, refs, avals, source line) from inputs to outputs.

    Calling it runs it on jax arrays: `graph(*inputs)` with the explicit inputs first, then the captured values;
    it returns the list of outputs. `derived` caches the ops that transforms make of it.
    """

    __slots__ = ("__weakref__", "_identity", "derived", "in_avals", "n_inputs", "outputs", "steps")

    def __init__(self, path: Sequence[TrieNode], in_avals: tuple, n_inputs: int, outputs: tuple[int, ...]):
        self.steps, _ = prune(path, [o for o in outputs if o >= 0])
        self.in_avals = in_avals
        self.n_inputs = n_inputs
        self.outputs = outputs
        self.derived: dict[Any, Any] = {}
        self._identity: list[bytes | None] = []

    @property
    def identity(self) -> bytes | None:
        """The same in every process, or None."""
        if not self._identity:
            steps = [(n.applied, n.refs, n.base, n.stop) for n in self.steps]
            self._identity.append(identity(steps, self.in_avals, self.n_inputs, self.outputs))
        return self._identity[0]

    def __call__(self, *inputs) -> list:
        return self._run(inputs)

    def unchecked(self, *inputs) -> list:
        """The same for a branch or a loop, in which indices may be out of range where nothing comes of it (see
        bounds.py)."""
        return self._run(inputs, _unchecked)

    def _run(
        self, inputs: Sequence[Any], run: Callable[[Applied, list], Sequence[Any]] | None = None
    ) -> list:
        slots: dict[int, Any] = {}
        replay(self.steps, slots, inputs, run)
        return [slots[o] if o >= 0 else inputs[-1 - o] for o in self.outputs]

    def out_avals(self) -> list:
        """The outputs' avals."""
        slots = {node.base + i: a for node in self.steps for i, a in enumerate(node.avals)}
        return [slots[o] if o >= 0 else self.in_avals[-1 - o] for o in self.outputs]

    def derive(self, key: Any, make: Callable[[], Any]) -> Any:
        """The op made of this graph under `key`, made at first use."""
        found = self.derived.get(key)
        if found is None:
            found = self.derived[key] = make()
            if isinstance(found, DerivedOp) and found.made_of is None:
                found.made_of = (self, key)
        return found

    def transformed(self, key: tuple, *others: Graph) -> Any:
        """The op that `TRANSFORMS` makes of this graph and others: a loop, a branch, a transform.

        A pass that changes the graphs makes it anew."""
        op = self.derive((*key, *others), lambda: TRANSFORMS[key[0]](key, self, *others))
        if op.of is None:
            op.of = (self, *others), lambda first, *rest: first.transformed(key, *rest)
            op.key = key
        return op

    def to_python(self) -> str:
        """The graph as a Python program, a line for each step: executed, it makes `graph`, of the same steps (see
        `written.py`)."""
        return writer[0](self)

    def print(self) -> None:
        """Prints `to_python()`."""
        print(self.to_python())


def intern_graph(
    path: Sequence[TrieNode], node: TrieNode, in_avals: tuple, n_inputs: int, outputs: tuple
) -> Graph:
    """The Graph of this path and these outputs: the same object whenever the same ops were recorded."""
    if node.graphs is None:
        node.graphs = {}
    key = (outputs, in_avals, n_inputs)
    found = node.graphs.get(key)
    if found is None:
        found = node.graphs[key] = Graph(path, in_avals, n_inputs, outputs)
    return found
