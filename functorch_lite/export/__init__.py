"""torch.export: a module's forward as a Graph that needs no source any more, in memory and in files."""

from __future__ import annotations

from typing import Any

from ..api_names import close, lookup_of
from ..utils._pytree import register_dataclass as _register_dataclass
from . import dynamic_shapes as dynamic_shapes
from . import graph_signature as graph_signature
from .dynamic_shapes import AdditionalInputs, Dim, ShapesCollection, dims
from .exported_program import ExportedProgram
from .exporting import export
from .files import load, save
from .graph_signature import ExportBackwardSignature, ExportGraphSignature
from .opening import export_open

__all__ = ["AdditionalInputs", "Dim", "ExportBackwardSignature", "ExportGraphSignature", "ExportedProgram", "ShapesCollection", "dims", "draft_export", "export", "load", "register_dataclass", "save"]  # fmt: skip


def draft_export(mod: Any, args: tuple[Any, ...], kwargs: Any = None, *, dynamic_shapes: Any = None, **settings: Any) -> ExportedProgram:  # fmt: skip
    """The same as `export`, where what a Dim cannot be is put right on the way: `program._report` says what, and where.

    >>> class Net(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x + torch.ones(8)
    >>> program = torch.export.draft_export(Net(), (torch.ones(8),), dynamic_shapes={"x": {0: torch.export.Dim("n")}})
    >>> program.range_constraints, len(program._report)
    ({}, 1)
    """
    if dynamic_shapes is None:
        return export(mod, args, kwargs, **settings)
    return export_open(mod, args, dict(kwargs or {}), dynamic_shapes, lenient=True)


def register_dataclass(cls: type, *, serialized_type_name: str | None = None) -> None:
    """Makes instances of a dataclass containers of their fields, in arguments and results of exported programs.

    ValueError for what is none.

    >>> import dataclasses
    >>> @dataclasses.dataclass
    ... class Pair:
    ...     a: torch.Tensor
    ...     b: torch.Tensor
    >>> torch.export.register_dataclass(Pair)
    """
    _register_dataclass(cls, serialized_type_name=serialized_type_name)


__getattr__ = lookup_of(__name__)
close(__name__)
