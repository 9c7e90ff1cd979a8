"""A DTensor in a file of `torch.save`: the whole tensor, and as plain data its mesh and placements.
Nothing of it is executed when it is read."""

from __future__ import annotations

import pickle
from typing import Any, NoReturn

import numpy as np

from .._core.api import Tensor
from ._dtensor import DTensor, checked_placements
from ._layout import layout_of
from ._placements import Placement, Replicate, Shard, partial_of
from .device_mesh import DeviceMesh, submesh

__all__ = ["put_together", "taken_apart"]

_MARKS = ("_is_param", "_is_buffer", "persistent")


def taken_apart(t: DTensor) -> tuple:
    """The arguments of `put_together`."""
    mesh = t.device_mesh
    root = mesh.root
    whole = (root.device_type, root._ranks.tolist(), root.mesh_dim_names)
    part = None if mesh is root else (mesh._ranks.tolist(), mesh.mesh_dim_names, mesh._axes)
    marks = {k: bool(v) for k, v in t.__dict__.items() if k in _MARKS}
    requires_grad = bool(t.requires_grad and t.is_leaf)
    placements = tuple(map(_written, t.placements))
    return t.detach().full_tensor(), (*whole, part), placements, requires_grad, marks  # type: ignore[attr-defined]


def put_together(whole: Any, mesh: Any, placements: Any, requires_grad: Any, marks: Any) -> Tensor:
    """The DTensor.

    Raises RuntimeError if there are fewer devices than its mesh has, UnpicklingError for what `taken_apart` does not
    give."""
    if not isinstance(whole, Tensor) or isinstance(whole, DTensor) or not isinstance(marks, dict):
        _damaged()
    on = _mesh(mesh)
    read = checked_placements("torch.load", [_placement(p) for p in placements], on, whole.ndim)
    made = layout_of(on, read).receive(whole.detach()).requires_grad_(bool(requires_grad))  # type: ignore[attr-defined]
    made.__dict__.update({k: bool(marks[k]) for k in _MARKS if k in marks})
    return made


def _damaged() -> NoReturn:
    raise pickle.UnpicklingError(
        "Weights only load failed: the parts of a DTensor are not what they should be"
    )


def _mesh(data: Any) -> DeviceMesh:
    if not isinstance(data, tuple) or len(data) != 4 or not isinstance(data[0], str):
        _damaged()
    kind, ranks, names, part = data
    try:
        root = DeviceMesh(kind, ranks, mesh_dim_names=names)
    except RuntimeError as error:
        raise RuntimeError(
            f"torch.load: the file contains a DTensor on a mesh of {np.size(ranks)} {kind} devices, which are not available ({error}). Load it on a machine that has them, or save full_tensor(), or use torch.distributed.checkpoint, which loads onto any mesh"
        ) from error
    if part is None:
        return root
    if not isinstance(part, tuple) or len(part) != 3:
        _damaged()
    of, part_names, axes = part
    known = {a for dims in root._axes for a in dims}
    if not isinstance(axes, tuple) or any(a not in known for dims in axes for a in dims):
        _damaged()
    if not np.isin(np.array(of, np.int64), root._ranks).all():
        _damaged()
    return submesh(root, np.array(of, np.int64), part_names, axes)


def _written(p: Placement) -> tuple:
    if isinstance(p, Shard):
        return ("shard", p.dim)
    return ("replicate",) if p.is_replicate() else ("partial", p.reduce_op)  # type: ignore[attr-defined]


def _placement(data: Any) -> Placement:
    match data:
        case ("shard", int() as dim):
            return Shard(dim)
        case ("replicate",):
            return Replicate()
        case ("partial", str() as reduction):
            return partial_of(reduction)
        case _:
            _damaged()
