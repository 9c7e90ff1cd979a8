"""Making DTensors: zeros, ones, empty, full, rand and randn. Random numbers equal the draws of a single device,
whatever the placements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..._core.api import functions as torch
from ..._core.api import tidied
from .._dtensor import DTensor, checked_placements, same_everywhere
from .._layout import layout_of
from .._placements import Placement, Replicate
from ..device_mesh import DeviceMesh, current_mesh

__all__ = ["empty", "full", "ones", "rand", "randn", "zeros"]


def _size(size: Sequence[Any]) -> tuple[int, ...]:
    if len(size) == 1 and isinstance(size[0], Sequence):
        size = size[0]
    return tuple(size)


def _placed(
    name: str,
    make: Callable[[], Any],
    device_mesh: DeviceMesh | None,
    placements: Sequence[Placement] | None,
    requires_grad: bool,
) -> DTensor:
    mesh = current_mesh(device_mesh, name)
    with_numbers = make()
    if name.startswith("rand"):
        with_numbers = same_everywhere(with_numbers, mesh, name)
    wanted = checked_placements(
        name, [Replicate()] * mesh.ndim if placements is None else placements, mesh, with_numbers.ndim
    )
    if any(p.is_partial() for p in wanted):
        raise ValueError(f"{name}: a placement is Shard(dim) or Replicate(), not Partial")
    return layout_of(mesh, wanted).receive(with_numbers).requires_grad_(requires_grad)  # type: ignore[attr-defined]


def _factory(name: str, what: str) -> Callable[..., DTensor]:
    @tidied
    def make(
        *size: Any,
        requires_grad: bool = False,
        dtype: Any = None,
        layout: Any = None,
        device_mesh: DeviceMesh | None = None,
        placements: Sequence[Placement] | None = None,
    ) -> DTensor:
        return _placed(
            name,
            lambda: getattr(torch, name)(*_size(size), dtype=dtype, layout=layout),
            device_mesh,
            placements,
            requires_grad,
        )

    make.__name__ = make.__qualname__ = name
    make.__doc__ = (
        f"A DTensor of this size with {what}: torch.{name} on a mesh. placements: Replicate if None."
    )
    return make


zeros = _factory("zeros", "zeros")
ones = _factory("ones", "ones")
empty = _factory("empty", "zeros, which nobody should rely on")
rand = _factory("rand", "uniform random numbers from 0 to 1")
randn = _factory("randn", "normal random numbers")


@tidied
def full(
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    requires_grad: bool = False,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
) -> DTensor:
    """A DTensor of this size with one number: torch.full on a mesh. placements: Replicate if None."""
    size = (size,) if isinstance(size, int) else tuple(size)
    return _placed(
        "full",
        lambda: torch.full(size, fill_value, dtype=dtype, layout=layout),
        device_mesh,
        placements,
        requires_grad,
    )
