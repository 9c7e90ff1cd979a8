"""Tensors that are made of others, in a file: sparse ones, and nested ones of the strided layout, in the forms of
torch._utils; and DTensors, in a form of our own."""

from __future__ import annotations

import importlib
import itertools
import math
import pickle
from typing import Any

from .._core.api import Size, Tensor, dtypes, layout, strided
from .._core.api import functions as torch

__all__ = ["is_composed", "rebuild_distributed", "rebuild_nested", "rebuild_sparse", "taken_apart"]


def is_composed(t: Any) -> bool:
    """Returns whether a tensor has no storage of its own."""
    return t.layout is not strided or t.is_nested or _is_distributed(t)


def taken_apart(t: Any) -> tuple[str, tuple]:
    """The function that makes the tensor, of torch._utils if it has no module's name, and its arguments."""
    if _is_distributed(t):
        return "functorch_lite.distributed._saved.put_together", _saved().taken_apart(t)
    if t.is_nested:
        if t.layout is not strided:
            raise NotImplementedError(
                "saving nested tensors of the jagged layout is not supported: save values() and offsets()"
            )
        parts = [p.detach() for p in t.unbind()]
        whole = torch.cat([p.reshape(-1) for p in parts]) if parts else torch.zeros(0)
        sizes = [list(p.shape) for p in parts]
        strides = [[math.prod(s[d + 1 :]) for d in range(len(s))] for s in sizes]
        offsets = [0, *itertools.accumulate(math.prod(s) for s in sizes)][: len(sizes)]
        tables = [torch.tensor(x, dtype=dtypes.int64) for x in (sizes, strides, offsets)]
        return "_rebuild_nested_tensor", (whole.requires_grad_(t.requires_grad), *tables)
    if t.is_sparse:
        data: tuple = (t._indices(), t._values(), Size(t.shape), t.is_coalesced())
    else:
        data = (t._begins, t._places, t.values().detach(), Size(t.shape))
    return "_rebuild_sparse_tensor", (t.layout, data)


def _damaged() -> Any:
    raise pickle.UnpicklingError(
        "Weights only load failed: the parts of a tensor are not what they should be"
    )


def _is_distributed(t: Tensor) -> bool:
    return t.layout is strided and not t.is_nested and t._aval.device.is_mesh


def _saved() -> Any:
    return importlib.import_module("functorch_lite.distributed._saved")


def rebuild_distributed(whole: Any, mesh: Any, placements: Any, requires_grad: Any, marks: Any) -> Tensor:
    """A DTensor of the whole tensor and plain data.

    PyTorch has no such function: there a process has a file of its own part."""
    return _saved().put_together(whole, mesh, placements, requires_grad, marks)


def rebuild_sparse(kind: Any, data: Any) -> Tensor:
    """torch._utils._rebuild_sparse_tensor; its parts are checked."""
    if not isinstance(kind, layout) or not isinstance(data, tuple) or len(data) not in (3, 4):
        _damaged()
    sparse = importlib.import_module("functorch_lite.sparse")
    if kind.name == "sparse_coo":
        index, values, size = data[:3]
        tensors = (index, values)
    else:
        *tensors, size = data
    if not all(isinstance(x, Tensor) for x in tensors):
        _damaged()
    size = tuple(map(int, size))
    if kind.name == "sparse_coo":
        made = sparse.sparse_coo_tensor(*tensors, size, is_coalesced=data[3] if len(data) == 4 else None)
    else:
        made = sparse.sparse_compressed_tensor(*tensors, size, layout=kind)
    return made


def rebuild_nested(whole: Any, sizes: Any, strides: Any, offsets: Any) -> Tensor:
    """torch._utils._rebuild_nested_tensor."""
    if not all(isinstance(x, Tensor) for x in (whole, sizes, strides, offsets)):
        _damaged()
    parts = []
    for size, stride, offset in zip(sizes.tolist(), strides.tolist(), offsets.tolist()):  # type: ignore[attr-defined]
        part = torch.as_strided(whole.detach(), tuple(size), tuple(stride), offset)
        parts.append(part.clone())
    nested = importlib.import_module("functorch_lite.nested")
    return nested.nested_tensor(parts, dtype=whole.dtype, requires_grad=whole.requires_grad)
