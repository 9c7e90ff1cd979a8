"""State of a thread that captures a run: whether recorded code runs, which code reads values, and the line."""

from __future__ import annotations

import sys
import threading
from types import FrameType
from typing import Any

from .._core.lazy.value import Noting, Value
from .._core.words.tracebacks import USERS, kind_of
from .errors import Unsupported

__all__ = ["Reads", "caller", "noting"]


class _NotingHere(threading.local):
    """on: a run is noted in this thread; inside, nothing is replayed: what runs there is to be seen. compiling: it is
    one of a marked function, or of a module that is exported (exporting). disabled: inside of `torch.compiler.disable`,
    by how many. reads: who is told of what is read. breaks_raise: whether what is read raises, as
    `error_on_graph_break` says. nonstrict: inside of `nonstrict_trace`, by how many. as_it_stands: by how many marked
    functions that are run without being noted."""

    on = False
    compiling = False
    exporting = False
    disabled = 0
    breaks_raise = False
    nonstrict = 0
    as_it_stands = 0
    reads: Reads | None = None


noting = _NotingHere()
_entered: list[Reads] = []
"""Contexts that are entered, of all threads."""
_entering = threading.Lock()


class Reads:
    """A context that notices what reads values.

    fullgraph  raises Unsupported there; `error`: it, for the code may have caught it
    why        what was done first that is not to be left out: a value read, or a disabled function called; `is_read`:
               the first of these
    """

    def __init__(self, fullgraph: bool = False):
        self.fullgraph = fullgraph
        self.why = ""
        self.is_read = False
        self.error: Unsupported | None = None

    def __enter__(self) -> Reads:
        self._outer = outer = noting.reads
        self.fullgraph = self.fullgraph or (outer is not None and outer.fullgraph)
        with _entering:
            if not _entered:
                Noting.made, Noting.reading = [], _read
            _entered.append(self)
        noting.reads = self
        return self

    def __exit__(self, *_: Any) -> None:
        noting.reads = self._outer
        with _entering:
            _entered.remove(self)
            if not _entered:
                Noting.made = Noting.reading = None

    def calls(self, name: str) -> None:
        """Notes that a function is called which `torch.compiler.disable` keeps out."""
        self.why = (
            self.why or f"it calls {name}(), which torch.compiler.disable() keeps out, at {caller()[1]}"
        )
        if self.fullgraph:
            self._raise(
                f"Skip calling `torch.compiler.disable()`d function: {name}() is called at {caller()[1]} by code that was marked with "
                "fullgraph=True. Remove the `torch.compiler.disable`, or leave fullgraph out"
            )

    @property
    def raises(self) -> bool:
        """Returns whether what is read raises."""
        return self.fullgraph or noting.breaks_raise

    @property
    def _how(self) -> str:
        return "was marked with fullgraph=True" if self.fullgraph else "runs under error_on_graph_break(True)"

    def breaks(self, what: str) -> None:
        """Stores a requested graph break."""
        if self.raises:
            self._raise(f"{what}\n  It is called at {caller()[1]}, by code that {self._how}. Remove the call")

    def keeps(self, why: str) -> None:
        """Notes why what is done now is not to be left out, whatever else is."""
        self.why = self.why or why

    def _reads(self) -> None:
        name, place = caller()
        if not self.why:
            self.why, self.is_read = f"{name}() reads a value at {place}", True
        if self.raises:
            self._raise(
                f"{name}() reads a value at {place}, in code that {self._how}: what it does next could depend on the "
                "value, and a recording is replayed whatever the values are. Return the tensor and read it outside, choose with torch.where "
                "or torch.cond, or leave fullgraph out"
            )

    def _raise(self, text: str) -> None:
        self.error = Unsupported(text)
        raise self.error


def _read(v: Value) -> None:
    """Somebody is about to look at the numbers of a value."""
    reads = noting.reads
    if reads is None or noting.disabled or (reads.why and not reads.raises):
        return
    if v.array is None and v.rec is not None and v.rec.level:
        return  # its own recorder answers, or asks one further out
    if v.array is not None and any(v is known for known in reversed(Noting.made or ())):
        return  # a constant of the code's own
    reads._reads()


_WRAPPERS = ("leaving", "fn", "call")
"""Functions of the library around others, whose names say nothing."""


def caller() -> tuple[str, str]:
    """Returns the name of the library's function that the user's innermost code calls, and the call's `file:line`."""
    frame: FrameType | None = sys._getframe(1)
    name = ""
    while frame is not None and kind_of(frame.f_code.co_filename) != USERS:
        code = frame.f_code
        if code.co_name == "__init__":
            name = code.co_qualname.rpartition(".")[0]
        elif code.co_name not in _WRAPPERS:
            name = code.co_name
        frame = frame.f_back
    name = name.strip("_") if name.startswith("__") else name.lstrip("_")
    return name, "?" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"
