"""Where a module on a mesh meets plain tensors: what goes in is spread, what comes out is whole again.

In PyTorch a plain tensor is the part of one of many processes, and so it is here where the mesh is over several. Where
one process has all parts, a plain tensor is the whole, and what would be a part of it stays a DTensor.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from .._core.api import Tensor
from ..utils._pytree import tree_map
from ._dtensor import DTensor, checked_placements, from_part, local_part
from ._layout import Layout, layout_of
from ._placements import Placement, Replicate, Shard
from .device_mesh import DeviceMesh

__all__ = ["batch_left", "batch_placements", "entered", "left", "over_batch", "placed_as", "spread_batch"]

_PART = (
    "{}: a plain tensor is the whole here, where one process has all devices, and {} says that it is a part. Give a DTensor "
    "(distribute_tensor), or Replicate() as its layout"
)


def placed_as(x: Any, mesh: DeviceMesh, layouts: Sequence[Placement] | None, what: str) -> Any:
    """A plain tensor as a DTensor of these placements; anything else as it is."""
    if layouts is None or not isinstance(x, Tensor) or isinstance(x, DTensor):
        return x
    given = checked_placements(what, layouts, mesh, x.ndim)
    if mesh.together is not None and not x._cell.level:
        return from_part(x, mesh, given)
    if not all(p.is_replicate() for p in given):
        raise RuntimeError(_PART.format(what, list(given)))
    return layout_of(mesh, given).receive(x)


def entered(
    x: Any,
    mesh: DeviceMesh,
    layouts: Sequence[Placement] | None,
    desired: Sequence[Placement] | None,
    what: str,
) -> Any:
    """The same, with the desired placements."""
    x = placed_as(x, mesh, layouts, what)
    if desired is not None and isinstance(x, DTensor):
        wanted = checked_placements(what, desired, mesh, x.ndim)
        if not x._cell.level:
            x = _on_both(mesh, wanted, x).receive(x)
    return x


def _on_both(mesh: DeviceMesh, wanted: Sequence[Placement], x: DTensor) -> Layout:
    """Where a tensor goes that is to have placements along some dimensions of a mesh, and keeps those along the
    others."""
    if x.device_mesh == mesh:
        return layout_of(mesh, wanted)
    root, names = mesh.root, mesh.mesh_dim_names
    if x.device_mesh.root != root or not names or not x.device_mesh.mesh_dim_names:
        raise RuntimeError(f"a tensor on {x.device_mesh!r} was given to a module on {mesh!r}")
    placements = dict(zip(x.device_mesh.mesh_dim_names, x.placements)) | dict(zip(names, wanted))
    both = tuple([n for n in root.mesh_dim_names or () if n in placements])
    return layout_of(root[both], [placements[n] for n in both])


def left(x: Any, local: bool, mesh: DeviceMesh) -> Any:
    """A result as it leaves a module on a mesh: plain, if local parts are asked for and all have the whole, or each
    process has its part and the mesh has no further dimensions, along which parts would differ too."""
    if not local or not isinstance(x, DTensor) or x._cell.level:
        return x
    if mesh.together is not None and x.device_mesh == mesh and mesh.size() == mesh.root.size():
        return local_part(x)
    return x.full_tensor() if all(p.is_replicate() for p in x.placements) else x


def batch_placements(mesh: DeviceMesh, x: Tensor, dims: Sequence[int]) -> list[Placement]:
    """The first dimension cut over these dimensions of the mesh, where it divides evenly."""
    n = 1
    for i in dims:
        n *= mesh.shape[i]
    cut = x.ndim > 0 and x.shape[0] % n == 0
    return [Shard(0) if cut and i in dims else Replicate() for i in range(mesh.ndim)]


def spread_batch(
    tree: Any, mesh: DeviceMesh, dims: Sequence[int], change: Callable[[Tensor], Tensor] = lambda x: x
) -> tuple[Any, int | None]:
    """Plain tensors among arguments as DTensors with a cut batch, and how many rows the batch has; None if there were
    none, and 0 if they have no rows.

    With several processes, each gives its own rows; plain tensors with a different number of rows than the first are
    the same everywhere.
    """
    rows: int | None = None
    n = math.prod([mesh.shape[i] for i in dims])

    def spread(x: Any) -> Any:
        nonlocal rows
        if not isinstance(x, Tensor):
            return x
        x = change(x)
        if isinstance(x, DTensor):
            return x
        if not rows:
            rows = x.shape[0] if x.ndim else 0
        if mesh.together is None:
            return layout_of(mesh, batch_placements(mesh, x, dims)).receive(x)
        if x._cell.level:
            raise NotImplementedError(
                "a module on a mesh of several processes was called with a plain tensor inside a transform (grad, vmap, …): give a DTensor"
            )
        cut = x.ndim > 0 and rows > 0 and x.shape[0] == rows
        return from_part(x, mesh, _rows_cut(mesh, dims, cut), scale=n if cut else 1)

    tree = tree_map(spread, tree)
    return tree, rows if rows is None or mesh.together is None else rows * n


def batch_left(x: Any, mesh: DeviceMesh, dims: Sequence[int], rows: int | None) -> Any:
    """A result of a module that was given plain tensors.

    With several processes, each gets its own rows of a batch, and all get values that are not batched; gradients of
    rows are averaged over the processes, each of which has the mean of its own, as in PyTorch."""
    if rows is None or not isinstance(x, DTensor) or x._cell.level:
        return x
    if mesh.together is None:
        return x.full_tensor()
    cut = x.ndim > 0 and rows > 0 and x.shape[0] == rows
    placed = layout_of(x.device_mesh, _rows_cut(x.device_mesh, dims, cut)).receive(x)
    return local_part(placed, scale=math.prod([mesh.shape[i] for i in dims]) if cut else 1)  # type: ignore[arg-type]


def _rows_cut(mesh: DeviceMesh, dims: Sequence[int], cut: bool) -> list[Placement]:
    return [Shard(0) if cut and i in dims else Replicate() for i in range(mesh.ndim)]


def over_batch(call: Callable, mesh: DeviceMesh, inputs: tuple, options: dict) -> Any:
    """A call whose plain tensors are cut over the whole mesh, and whose results are plain then."""
    (inputs, options), rows = spread_batch((inputs, options), mesh, range(mesh.ndim))
    output = call(*inputs, **options)
    return tree_map(lambda x: batch_left(x, mesh, range(mesh.ndim), rows), output)
