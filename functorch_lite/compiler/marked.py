"""Marked: a function that torch.compile was given.
It is replayed as others are, under a stance, and says why not where that can be mended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core.api import Tensor, advise
from . import logs, settings
from .config import config
from .errors import FailOnRecompileLimitHit, RecompileError
from .modes import modes
from .noting import Reads, noting
from .partition.under_budget import UnderBudget
from .replay import Entry, Replayed
from .stances import now
from .where import where

__all__ = ["Marked"]

_READS = (
    "torch.compile: {name} is not replayed, since {reason}: its code is run, and recorded, each time that it is called so. Read values outside of "
    "it, or choose with torch.where or torch.cond. (fullgraph=True makes this an error.)"
)
_LIMIT = (
    "torch.compile: {name} is called in more kinds of ways than recompile_limit={limit}. A kind is told by shapes, dtypes, numbers and other objects "
    "among the arguments, and by modes such as no_grad"
)


class Marked(Replayed):
    """A function marked by torch.compile.

    fullgraph  what reads a value raises Unsupported there
    limit      how many kinds of calls are kept, and not one more; None keeps `settings.recompile_limit`, and lets the
               oldest go
    backend    a function that is given the Graph of each kind of call
    """

    def __init__(
        self, fn: Callable, fullgraph: bool = False, limit: int | None = None, backend: Callable | None = None
    ):
        self.fullgraph, self.limit, self.backend = fullgraph, limit, backend
        self._through: Any = None
        if backend is not None:
            from .through_backend import ThroughBackend  # which needs torch.fx

            self._through = ThroughBackend(fn, backend, fullgraph)
        super().__init__(UnderBudget(fn) if self._through is None else self._through, fn)

    def forget(self) -> None:
        super().forget()
        self._has_warned = False
        if self._through is not None:
            self._through.forget()

    def _keep(self, key: Any, leaves: list) -> Entry:
        entry = super()._keep(key, leaves)
        entry.fuses = self._through is None and config.pattern_matcher
        return entry

    @property
    def settings(self) -> tuple:
        """The class, and its arguments after the function."""
        return (Marked, self.fullgraph, self.limit, self.backend)

    def __call__(self, args: tuple, kwargs: dict) -> Any:  # hot path
        if now.is_usual and not noting.disabled:
            return super().__call__(args, kwargs)
        return self._under_stance(args, kwargs)

    def _under_stance(self, args: tuple, kwargs: dict) -> Any:
        """The result of a call under a stance that changes the default behaviour, or inside of `disable`."""
        if noting.disabled or now.stance == "force_eager":
            return super()._as_it_stands(args, kwargs)
        kind = self._kind(args, kwargs)
        if kind is None:
            return self._as_it_stands(args, kwargs)
        key, leaves = kind
        entry = self.entries.get(key)
        if entry is not None and entry.reason:
            return self._as_it_stands(args, kwargs)
        if now.stance == "eager_on_recompile":
            done = None if entry is None else entry.replay([x for x in leaves if isinstance(x, Tensor)])
            if done is None:
                return self._as_it_stands(args, kwargs)
            self.replays += 1
            return done[0]
        if entry is None or entry.is_changed():
            at = where(self.of)
            why = (
                "a call of this kind was not seen before"
                if entry is None
                else "something that it reads has changed"
            )
            raise RuntimeError(
                f"Detected recompile when torch.compile stance is 'fail_on_recompile'. filename: '{at.file}', function name: '{at.name}', "
                f"line number: {at.line}: {why}"
            )
        return super().__call__(args, kwargs)

    def _new(self, key: Any, leaves: list) -> Entry | None:
        if logs.recompiles and self.entries:
            logs.log(
                "recompiles",
                "Recompiling %s: a call of a kind that was not seen before; %d are known",
                where(self.of),
                len(self.entries),
            )
        if settings.error_on_recompile and self.entries:
            raise RecompileError(f"Recompiling {where(self.of)}: a call of a kind that was not seen before")
        if self.limit is None:
            if settings.fail_on_recompile_limit_hit and len(self.entries) >= settings.recompile_limit:
                raise FailOnRecompileLimitHit("Hard failure due to fail_on_recompile_limit_hit")
            return super()._new(key, leaves)
        if len(self.entries) < self.limit:
            return self._keep(key, leaves)
        text = _LIMIT.format(name=where(self.of).name, limit=self.limit)
        if self.fullgraph:
            raise FailOnRecompileLimitHit(f"Hard failure due to fullgraph=True. {text}")
        self._warn(f"{text}. Calls of other kinds are run as they stand.")
        return None

    def _noted(self, entry: Entry, args: tuple, kwargs: dict, tensors: list) -> tuple[Any] | None:
        noting.compiling = True
        try:
            noted = super()._noted(entry, args, kwargs, tensors)
        finally:
            noting.compiling = False
        if entry.reads:
            if logs.graph_breaks:
                logs.log("graph_breaks", "Graph break in %s: %s", where(self.of), entry.reason)
            self._warn(_READS.format(name=where(self.of).name, reason=entry.reason))
        return noted

    def _as_it_stands(self, args: tuple, kwargs: dict) -> Any:
        if noting.on or not (self.fullgraph or noting.breaks_raise) or modes() is None:
            noting.as_it_stands += 1
            try:
                return super()._as_it_stands(args, kwargs)
            finally:
                noting.as_it_stands -= 1
        with Reads(self.fullgraph) as reads:
            result = super()._as_it_stands(args, kwargs)
        if reads.error is not None:  # which the function caught
            raise reads.error
        return result

    def _warn(self, text: str) -> None:
        """Says something, once."""
        if not self._has_warned:
            self._has_warned = True
            advise(text, once=False)
