"""Calls that are computed at once: of functions whose results are read before anything else is recorded, as often as
they come.

A step of such a function is not appended to the recording but computed by its program (`_core/run/alone.py`). Earlier
recordings determine whether this holds, and a further recording verifies it now and then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._core.api import Leaf, Tensor, Value, computed, state
from .modes import modes

if TYPE_CHECKING:
    from .watch import Watch

__all__ = ["Ready"]

SURE, LOOKS = 4, 64
"""Number of recordings, each of one step alone, after which the next ones are not recorded; and of calls after which it
is looked at again."""


class Ready:
    """A step that makes what it returns, of sources, and nothing else.

    segment  what it appends to a recording (`_core/lazy/segment.py`); `computed` and `of` give what is made of it, or
             None
    quick    whether its sources are its arguments, of which no two were one: then `call` does without looking for what
             they are
    """

    __slots__ = ("_args", "_calls", "_found", "_last", "_modes", "_segment", "_watch", "quick")

    def __init__(self, segment: Any, tensors: Sequence[Tensor], watch: Watch, now: tuple, quick: bool):
        self._segment, self._watch, self._modes = segment, watch, now
        self._last: list | None = None  # the path of the recording that it was appended to last
        self._found = self._calls = 0
        self._args = [(t._aval, t._edge is not None) for t in tensors]
        self.quick = quick and all(map(_is_plain, tensors)) and not watch.has_sources

    @property
    def is_sure(self) -> bool:
        """Returns whether the next call is computed at once."""
        return self._found >= SURE and self._calls % LOOKS != 0

    def computed(self, rec: Any, values: Sequence[Value]) -> Any:  # hot path
        """Computes the step's result of sources; None where the step is to be recorded."""
        last, path = self._last, rec.path
        if path or rec.ended or rec.symbols is not None or rec.node is not self._segment.start:
            self._last, self._found = None, 0
            return None
        if last is not None:
            self._found = self._found + 1 if len(last) == len(self._segment.path) else 0
        self._calls += 1
        if self.is_sure:
            self._last = None
            done = computed(self._segment, values, rec.device)
            if done is not None:
                return done
        self._last = path
        return None

    def of(self, args: Sequence[Any]) -> Any:  # hot path
        """Computes the step's result for these arguments; None if the ordinary path must do so."""
        rec = state.here.rec
        if rec.path or not self.is_sure or len(args) != len(self._args):
            return None
        values = []
        for x, (a, is_leaf) in zip(args, self._args):
            if x.__class__ is not Tensor or x._aval is not a or x._lenses or x.__dict__:
                return None
            edge = x._edge
            if edge is not None:
                leaf = edge[0]
                if not is_leaf or leaf.__class__ is not Leaf or leaf.held is not None or leaf.hooks is not None or leaf.post_hooks is not None:  # fmt: skip
                    return None
            elif is_leaf:
                return None
            values.append(x._cell.value)
        if len(set(values)) < len(values) or modes() != self._modes or not self._watch.is_as_it_was():
            return None
        return self.computed(rec, values)


def _is_plain(t: Tensor) -> bool:
    edge = t._edge
    return not t._lenses and (edge is None or (type(edge[0]) is Leaf and edge[0].held is None))
