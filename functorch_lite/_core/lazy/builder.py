"""Builder: Graphs that are made and not recorded, step by step; each step is checked as a recorded one is."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from ..words.device import ANY, CPU
from .applied import Applied, apply_once
from .graph import Graph
from .trie import TrieNode
from .value import Aval, aval

__all__ = ["Builder"]

_made: weakref.WeakValueDictionary[tuple, Graph] = weakref.WeakValueDictionary()


class Builder:
    """A Graph in the making.

    References are as in a Graph: results of steps are numbered from 0, inputs are -1, -2, …"""

    def __init__(self, in_avals: Sequence[Aval], n_inputs: int):
        self.in_avals, self.n_inputs = tuple(in_avals), n_inputs
        self.steps: list[TrieNode] = []
        self._avals: list[Aval] = []
        self._device = next((a.device for a in self.in_avals if a.device not in (CPU, ANY)), CPU)

    def aval(self, ref: int) -> Aval:
        """Returns the Aval of the value that a reference stands for."""
        return self._avals[ref] if ref >= 0 else self.in_avals[-1 - ref]

    def add(
        self,
        op: Any,
        static: Any,
        inputs: Sequence[Any],
        stop: str = "",
        source: tuple[str, int] | None = None,
    ) -> list[int]:
        """One more step; the references of its results. inputs: references (ints), numbers as (type, number), None.

        Raises what the op raises for such inputs.

        >>> from functorch_lite._core.api import OPS, Builder, aval, float32
        >>> made = Builder([aval((2,), float32)], 1)
        >>> (y,) = made.add(OPS["sin"], (), [-1])
        >>> [str(a) for a in made.graph([y]).out_avals()]
        ['float32[2]']
        """
        spec = tuple([self.aval(x) if type(x) is int else x for x in inputs])
        refs = tuple([x for x in inputs if type(x) is int])
        return self.add_applied(apply_once(op, static, spec), refs, stop, source)

    def add_applied(
        self,
        applied: Applied,
        refs: Sequence[int],
        stop: str = "",
        source: tuple[str, int] | None = None,
        avals: tuple[Aval, ...] | None = None,
    ) -> list[int]:
        """`add` of an op that was applied elsewhere. avals: the results', where they are known; they are on the device
        of the inputs."""
        if avals is None:
            avals = applied.avals
            if self._device is not CPU:
                avals = tuple([aval(a.shape, a.dtype, self._device) for a in avals])
        if len(refs) != len(applied.in_avals) or any(
            self.aval(r) is not a for r, a in zip(refs, applied.in_avals)
        ):
            given = [self.aval(r) for r in refs]
            raise ValueError(f"{applied.op} takes {applied.in_avals} here, and is given {given}")
        node = TrieNode()
        node.op, node.static, node.applied, node.single = (
            applied.op,
            applied.static,
            applied,
            applied.single,
        )
        node.avals, node.n_out = avals, len(applied.avals)
        node.base, node.refs = len(self._avals), tuple(refs)
        node.stop, node.source = stop, source
        self.steps.append(node)
        self._avals += node.avals
        return list(range(node.base, node.base + node.n_out))

    def graph(self, outputs: Sequence[int]) -> Graph:
        """The Graph of these outputs: the same object whenever the same steps were added."""
        key = (
            tuple([(s.applied, s.refs, s.stop) for s in self.steps]),
            self.in_avals,
            self.n_inputs,
            tuple(outputs),
        )
        found = _made.get(key)
        if found is None:
            found = _made[key] = Graph(self.steps, self.in_avals, self.n_inputs, tuple(outputs))
        return found
