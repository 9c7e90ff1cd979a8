"""Process groups of one process: who is in them, and what they are called."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from ..api_names import listed

__all__ = [
    "Backend", "DistBackendError", "DistError", "DistNetworkError", "DistStoreError", "GroupMember", "ProcessGroup", "destroy_process_group",
    "get_backend", "get_default_backend_for_device", "get_global_rank", "get_group_rank", "get_node_local_rank", "get_pg_count",
    "get_process_group_ranks", "get_rank", "get_world_size", "group", "init_process_group", "is_available", "is_backend_available",
    "is_gloo_available", "is_initialized", "is_mpi_available", "is_nccl_available", "is_torchelastic_launched", "is_ucc_available",
    "is_xccl_available", "new_group", "new_subgroups", "new_subgroups_by_enumeration",
]  # fmt: skip
__dir__ = listed(__name__)

_ONE_PROCESS = (
    "torch.distributed.init_process_group: a world of {} processes was asked for, and there is one here. Run with a world size of 1; to use several "
    "devices, make a mesh of them (torch.distributed.device_mesh.init_device_mesh): one process drives them all"
)
NOT_INITIALIZED = (
    "Default process group has not been initialized, please make sure to call init_process_group."
)
NOT_A_MEMBER = -100


class DistError(RuntimeError):
    """An error of torch.distributed."""


class DistBackendError(DistError):
    """One of a backend."""


class DistNetworkError(DistError):
    """One of the network."""


class DistStoreError(DistError):
    """One of a store."""


class Backend(str):
    """The name of a backend, in lower case."""

    UNDEFINED, GLOO, NCCL, UCC, MPI, XCCL = "undefined", "gloo", "nccl", "ucc", "mpi", "xccl"
    backend_list = [UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI]

    def __new__(cls, name: str) -> Backend:
        if not isinstance(name, str):
            raise ValueError(f"Backend constructor parameter must be string-ish, {name=}")
        return super().__new__(cls, name.lower())


class ProcessGroup:
    """Some of the world's processes: this one, or none."""

    def __init__(self, backend: str = "gloo", ranks: Sequence[int] = (0,), name: str = "0"):
        self._backend, self._ranks, self.group_name = Backend(backend), list(ranks), name

    def rank(self) -> int:
        """0, as there is one process in it."""
        return 0

    def size(self) -> int:
        """How many processes it has."""
        return len(self._ranks)

    def name(self) -> str:
        """The backend's name."""
        return self._backend

    def __repr__(self) -> str:
        return f"<ProcessGroup of {self.size()} process, {self._backend}>"


class _Default:
    """The default group, and how many were made."""

    group: ProcessGroup | None = None
    made = 0


class _GroupMeta(type):
    @property
    def WORLD(cls) -> ProcessGroup | None:
        """The default group; None before `init_process_group`."""
        return _Default.group


class group(metaclass=_GroupMeta):
    """`group.WORLD` is the default group."""


class GroupMember(metaclass=_GroupMeta):
    """`GroupMember.WORLD` is the default group; NON_GROUP_MEMBER stands for a group that this process is not in."""

    NON_GROUP_MEMBER = NOT_A_MEMBER


def is_available() -> bool:
    """True."""
    return True


def is_initialized() -> bool:
    """Whether there is a default group: from `init_process_group` to `destroy_process_group`."""
    return _Default.group is not None


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Any = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
) -> None:
    """Makes the default group, of this process alone. The world's size is `world_size`, or the environment's WORLD_SIZE, or 1; another
    than 1 raises NotImplementedError. backend is a name to be asked for; nothing is started and no address is looked at.

    >>> init_process_group("gloo", world_size=1, rank=0)
    >>> get_world_size()
    1
    >>> destroy_process_group()
    """
    if _Default.group is not None:
        raise ValueError("trying to initialize the default process group twice!")
    size = world_size if world_size != -1 else int(os.environ.get("WORLD_SIZE", 1))
    if size != 1:
        raise NotImplementedError(_ONE_PROCESS.format(size))
    mine = rank if rank != -1 else int(os.environ.get("RANK", 0))
    if mine != 0:
        raise ValueError(f"invalid rank {mine}: it must be less than the world size, 1")
    _Default.group = ProcessGroup((backend or "gloo").split(":")[-1])


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Takes the default group away; of another group nothing is left to do."""
    of = checked(group)
    if of is _Default.group:
        _Default.group = None


def checked(group: Any = None) -> ProcessGroup:
    """The group, by default the default one; torch's error if there is none."""
    if _Default.group is None:
        raise ValueError(NOT_INITIALIZED)
    if group is None:
        return _Default.group
    if group == NOT_A_MEMBER or not isinstance(group, ProcessGroup):
        raise ValueError("Invalid process group specified")
    return group


def get_rank(group: Any = None) -> int:
    """0; -1 of a group that this process is not in. Raises ValueError before `init_process_group`."""
    if group == NOT_A_MEMBER:
        return -1
    return checked(group).rank()


def get_world_size(group: Any = None) -> int:
    """1; -1 of a group that this process is not in. Raises ValueError before `init_process_group`."""
    if group == NOT_A_MEMBER:
        return -1
    return checked(group).size()


def get_backend(group: Any = None) -> Backend:
    """The name that `init_process_group` was given."""
    return checked(group)._backend


def get_process_group_ranks(group: Any = None) -> list[int]:
    """The ranks in a group."""
    return list(checked(group)._ranks)


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """The rank in the world of a rank in a group."""
    ranks = checked(group)._ranks
    if not 0 <= group_rank < len(ranks):
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return ranks[group_rank]


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """The rank in a group of a rank in the world."""
    ranks = checked(group)._ranks
    if global_rank not in ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return ranks.index(global_rank)


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """The environment's LOCAL_RANK, or `fallback_rank`."""
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to work, assuming you are not running "
        "in a multi-device context and want the code to run locally instead."
    )


def get_pg_count() -> int:
    """How many groups there are."""
    return 0 if _Default.group is None else 1 + _Default.made


def get_default_backend_for_device(device: Any) -> str:
    """The backend that PyTorch takes for a device."""
    return {"cuda": "nccl", "cpu": "gloo"}.get(str(getattr(device, "type", device)).split(":")[0], "gloo")


def new_group(
    ranks: Sequence[int] | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
    device_id: Any = None,
) -> Any:
    """A group of this process; GroupMember.NON_GROUP_MEMBER if it is not among `ranks`."""
    world = checked()
    ranks = [0] if ranks is None else sorted(ranks)
    if len(ranks) > 1:
        raise ValueError(
            "the new group's world size should be less or equal to the world size set by init_process_group"
        )
    if ranks and ranks[0] != 0:
        raise ValueError("The new group's rank should be within the world_size set by init_process_group")
    if not ranks:
        return GroupMember.NON_GROUP_MEMBER
    _Default.made += 1
    return ProcessGroup(backend or world._backend, ranks, str(_Default.made))


def new_subgroups_by_enumeration(ranks_per_subgroup_list: Sequence[Sequence[int]], *args: Any, **kwargs: Any):
    """(this process's group, all groups)."""
    groups = [new_group(ranks) for ranks in ranks_per_subgroup_list]
    return groups[0], groups


def new_subgroups(group_size: int | None = None, group: Any = None, *args: Any, **kwargs: Any):
    """(this process's group, all groups), of groups of `group_size` processes, which can be 1."""
    if group_size not in (None, 1):
        raise ValueError("The arg 'group_size' must not exceed the world size")
    return new_subgroups_by_enumeration([[0]])


def is_backend_available(backend: str) -> bool:
    """Whether a backend is there: of those that PyTorch knows gloo alone, whose collectives of one process need no library."""
    return backend.lower() == "gloo"


def is_gloo_available() -> bool:
    """True."""
    return True


def is_nccl_available() -> bool:
    """False."""
    return False


def is_mpi_available() -> bool:
    """False."""
    return False


def is_ucc_available() -> bool:
    """False."""
    return False


def is_xccl_available() -> bool:
    """False."""
    return False


def is_torchelastic_launched() -> bool:
    """Whether torchelastic started this process."""
    return os.getenv("TORCHELASTIC_RUN_ID") is not None
