"""visualize_sharding: which device holds what of a DTensor, as text."""

from __future__ import annotations

import numpy as np

from ...._core.api import tidied
from ....api_names import listed
from ..._dtensor import DTensor
from ..._layout import bounds

__all__ = ["visualize_sharding"]
__dir__ = listed(__name__)


def table(dtensor: DTensor) -> list[tuple[str, str]]:
    """For each part of the tensor, which rows and columns it has, and the devices that hold it."""
    on = dtensor._layout
    found: dict[str, list[str]] = {}
    for at in np.ndindex(on.mesh.shape):
        part = " × ".join([f"[{a}:{b}]" for a, b in bounds(on, dtensor.shape, at)]) or "the number"
        found.setdefault(part, []).append(f"{on.type}:{on.mesh._ranks[at]}")
    return [(part, ", ".join(devices)) for part, devices in found.items()]


@tidied
def visualize_sharding(dtensor: DTensor, header: str = "", use_rich: bool = False) -> None:
    """Prints which devices hold which part of a DTensor. use_rich is not supported: the text is plain.

    >>> from functorch_lite.distributed.device_mesh import init_device_mesh
    >>> from functorch_lite.distributed.tensor import Shard, distribute_tensor
    >>> visualize_sharding(distribute_tensor(torch.zeros(2, 2), init_device_mesh("cpu", (1,)), [Shard(0)]))
    part           devices
    [0:2] × [0:2]  cpu:0
    """
    if not isinstance(dtensor, DTensor):
        raise TypeError(f"visualize_sharding: a DTensor is needed, not {type(dtensor).__name__}")
    if use_rich:
        raise NotImplementedError(
            "visualize_sharding: use_rich=True is not supported; leave it out for plain text"
        )
    rows = [("part", "devices"), *table(dtensor)]
    if any(p.is_partial() for p in dtensor.placements):
        rows.append(("(the devices' parts are to be reduced)", ""))
    width = max(len(part) for part, _ in rows)
    if header:
        print(header)
    for part, devices in rows:
        print(f"{part:<{width}}  {devices}".rstrip())
