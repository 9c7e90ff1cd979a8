"""Several tensors gathered by one collective, and their gradients added up by one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import jax.numpy as jnp

from .._core.api import DerivedOp, Tensor, apply
from ._dtensor import DTensor
from ._halo import recut

__all__ = ["gathered_together"]


def gathered_together(tensors: Sequence[DTensor], cut: tuple[int, ...]) -> Sequence[Tensor]:
    """The same tensors, whole on every device.

    Each is cut along one of its dimensions over the dimensions `cut` of the mesh, and along no other."""
    dims = tuple([t.placements[cut[0]].dim for t in tensors])  # type: ignore[attr-defined]
    return apply(_gathering(tensors[0].device_mesh, cut, dims), None, tuple(tensors))


@cache
def _gathering(mesh: Any, cut: tuple[int, ...], dims: tuple[int, ...]) -> DerivedOp:
    devices = math.prod([mesh.shape[i] for i in cut])

    def gather(*arrays: Any) -> tuple:
        """Joins arrays: each becomes a row for each device; all rows are concatenated, gathered, and split again."""
        rows, shapes = [], []
        for x, d in zip(arrays, dims):
            x = jnp.moveaxis(x, d, 0)
            even = (-(-x.shape[0] // devices) * devices, *x.shape[1:])
            shapes.append((x.shape, even))
            x = recut(x, even, (cut,) + ((),) * (x.ndim - 1), mesh)
            rows.append(x.reshape(devices, -1))
        packed = jnp.concatenate(rows, 1)
        packed = recut(packed, packed.shape, ((), ()), mesh)
        found, at = [], 0
        for (shape, even), row, d in zip(shapes, rows, dims):
            n = row.shape[1]
            x = packed[:, at : at + n].reshape(even)[: shape[0]]
            found.append(jnp.moveaxis(x, 0, d))
            at += n
        return tuple(found)

    return DerivedOp(
        gather, "gathered_together", made_of=(repr(mesh), mesh._ranks.tolist(), mesh._axes, cut, dims)
    )
