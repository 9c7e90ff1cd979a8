"""torch.distributed: several devices of one process, and several processes.

Several devices are a DeviceMesh, and tensors on them DTensors (`torch.distributed.tensor`): where a tensor has a
device, a DTensor has a Layout, which says what each device has (`_layout.py`). Ops on them are ordinary ops; XLA makes
one program for all devices.

Several processes meet in `init_process_group` (`_runtime.py`), and exchange numbers by collectives (`collectives.py`),
which run programs of JAX's over one device of each (`_exchange.py`); a mesh over them is of one device of each too
(`_over_processes.py`). In a world of one process a collective gives what it gets.
"""

from __future__ import annotations

import importlib
from typing import Any

from ..api_names import listed, missing
from . import algorithms as algorithms
from ._point_to_point import (
    P2POp,
    batch_isend_irecv,
    irecv,
    isend,
    recv,
    recv_object_list,
    send,
    send_object_list,
)
from .collectives import (
    ReduceOp,
    Work,
    all_gather,
    all_gather_coalesced,
    all_gather_into_tensor,
    all_gather_object,
    all_reduce,
    all_reduce_coalesced,
    all_to_all,
    all_to_all_single,
    barrier,
    broadcast,
    broadcast_object_list,
    gather,
    gather_object,
    monitored_barrier,
    reduce,
    reduce_scatter,
    reduce_scatter_tensor,
    scatter,
    scatter_object_list,
)
from .groups import (
    Backend,
    DistBackendError,
    DistError,
    DistNetworkError,
    DistStoreError,
    GroupMember,
    ProcessGroup,
    destroy_process_group,
    get_backend,
    get_default_backend_for_device,
    get_global_rank,
    get_group_rank,
    get_node_local_rank,
    get_pg_count,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    group,
    init_process_group,
    is_available,
    is_backend_available,
    is_gloo_available,
    is_initialized,
    is_mpi_available,
    is_nccl_available,
    is_torchelastic_launched,
    is_ucc_available,
    is_xccl_available,
    new_group,
    new_subgroups,
    new_subgroups_by_enumeration,
)
from .groups import (
    _rank_not_in_group as _rank_not_in_group,
)

_all_gather_base = all_gather_into_tensor
_reduce_scatter_base = reduce_scatter_tensor


class _OldReduceOp(ReduceOp):
    """ReduceOp by its old name, which is an object."""


reduce_op = _OldReduceOp()

__all__ = [
    "Backend", "DistBackendError", "DistError", "DistNetworkError", "DistStoreError", "GroupMember", "P2POp", "ProcessGroup", "ReduceOp", "Work",
    "all_gather", "all_gather_coalesced", "all_gather_into_tensor", "all_gather_object", "all_reduce", "all_reduce_coalesced", "all_to_all",
    "all_to_all_single", "barrier", "batch_isend_irecv", "broadcast", "broadcast_object_list", "destroy_process_group", "gather", "gather_object",
    "get_backend", "get_default_backend_for_device", "get_global_rank", "get_group_rank", "get_node_local_rank", "get_pg_count",
    "get_process_group_ranks", "get_rank", "get_world_size", "group", "init_process_group", "irecv", "is_available", "is_backend_available",
    "is_gloo_available", "is_initialized", "is_mpi_available", "is_nccl_available", "is_torchelastic_launched", "is_ucc_available",
    "is_xccl_available", "isend", "monitored_barrier", "new_group", "new_subgroups", "new_subgroups_by_enumeration", "recv", "recv_object_list",
    "reduce", "reduce_op", "reduce_scatter", "reduce_scatter_tensor", "scatter", "scatter_object_list", "send", "send_object_list",
]  # fmt: skip
_LATER = {
    "DeviceMesh": "device_mesh", "FileStore": "stores", "HashStore": "stores", "PrefixStore": "stores", "Store": "stores", "TCPStore": "stores",
    "init_device_mesh": "device_mesh",
}  # fmt: skip
_LISTED = ("_tensor", "device_mesh", "fsdp", "tensor")
_MODULES = (*_LISTED, "checkpoint", "pipelining")
"""Modules that are imported when they are first asked for; `dir()` lists those that PyTorch's does."""

__dir__ = listed(__name__, "algorithms", *_LATER, *_LISTED)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _LATER:
        return getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
    raise missing(__name__, name)
