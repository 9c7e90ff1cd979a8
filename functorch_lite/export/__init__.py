"""torch.export: a module's forward as a Graph that needs no source any more, in memory and in files."""

from __future__ import annotations

from typing import Any

from ..api_names import close, lookup_of
from . import graph_signature as graph_signature
from .exported_program import ExportedProgram
from .exporting import export
from .files import load, save
from .graph_signature import ExportBackwardSignature, ExportGraphSignature

__all__ = ["Dim", "ExportBackwardSignature", "ExportGraphSignature", "ExportedProgram", "dims", "draft_export", "export", "load", "save"]  # fmt: skip


class Dim:
    """A size that is left open. It can be named; `export` refuses it, for Graphs are of the sizes that they were recorded with."""

    AUTO: Any
    DYNAMIC: Any
    STATIC: Any = None

    def __init__(self, name: str, *, min: int | None = None, max: int | None = None):
        self.__name__, self.min, self.max = name, 0 if min is None else min, max

    def __repr__(self) -> str:
        return (
            f"Dim('{self.__name__}', min={self.min}" + ("" if self.max is None else f", max={self.max}") + ")"
        )


Dim.AUTO, Dim.DYNAMIC = Dim("AUTO"), Dim("DYNAMIC")


def dims(*names: str, min: int | None = None, max: int | None = None) -> tuple[Dim, ...]:
    """Several `Dim`s.

    >>> torch.export.dims("a", "b")
    (Dim('a', min=0), Dim('b', min=0))
    """
    return tuple([Dim(name, min=min, max=max) for name in names])


def draft_export(mod: Any, args: tuple[Any, ...], kwargs: Any = None, **settings: Any) -> ExportedProgram:
    """The same as `export`: what it cannot do raises, and nothing is put right on the way."""
    return export(mod, args, kwargs, **settings)


__getattr__ = lookup_of(__name__)
close(__name__)
