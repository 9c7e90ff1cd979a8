"""Graph: an interned recorded function, and the replay of recorded steps as a pure function on jax arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .apart import Steps
from .applied import Applied, DerivedOp
from .cutting import cut
from .identity import identity
from .trie import TrieNode

__all__ = ["Graph", "intern_graph", "prune", "replay"]


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
    """Runs recorded steps in order, adding their results to `slots`. Errors carry the user's line that recorded the op. run: computes the results
    of a step, where that is not what its op does by itself (on a mesh)."""
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
    where = "an unknown line" if node.source is None else f"{node.source[0]}:{node.source[1]}"
    note = f"in op {getattr(node.op, 'name', node.op)}, recorded at {where}"
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)


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
        slots: dict[int, Any] = {}
        replay(self.steps, slots, inputs)
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

    def transformed(self, key: tuple, make: Callable[..., Any], *others: Graph) -> Any:
        """The op `make(this graph, *others)`, told from others by `key`: a loop, a branch, a transform. A pass that changes the graphs makes it anew."""
        op = self.derive((*key, *others), lambda: make(self, *others))
        if op.of is None:
            op.of = (self, *others), lambda first, *rest: first.transformed(key, make, *rest)
        return op

    def to_python(self) -> str:
        """The graph as readable lines, one recorded op each."""

        def name(ref: int) -> str:
            return f"%{ref}" if ref >= 0 else f"in{-1 - ref}"

        lines = [f"# inputs: {', '.join(f'in{i}: {a}' for i, a in enumerate(self.in_avals))}"]
        for node in self.steps:
            outs = ", ".join(f"%{node.base + i}: {a}" for i, a in enumerate(node.avals))
            args = [name(r) for r in node.refs] + [repr(s) for s in node.static or ()]
            where = f"  # {node.source[0].rsplit('/', 1)[-1]}:{node.source[1]}" if node.source else ""
            lines.append(f"{outs} = {getattr(node.op, 'name', node.op)}({', '.join(args)}){where}")
        lines.append(f"return {', '.join(name(o) for o in self.outputs)}")
        return "\n".join(lines)

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
