"""Process groups: their members, their names, and how their processes meet."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from ..api_names import listed
from . import _exchange
from ._runtime import NotMet, PeerGone, Runtime, address_of, meet
from .constants import default_pg_timeout

__all__ = [
    "Backend", "DistBackendError", "DistError", "DistNetworkError", "DistStoreError", "GroupMember", "ProcessGroup", "destroy_process_group",
    "get_backend", "get_default_backend_for_device", "get_global_rank", "get_group_rank", "get_node_local_rank", "get_pg_count",
    "get_process_group_ranks", "get_rank", "get_world_size", "group", "init_process_group", "is_available", "is_backend_available",
    "is_gloo_available", "is_initialized", "is_mpi_available", "is_nccl_available", "is_torchelastic_launched", "is_ucc_available",
    "is_xccl_available", "new_group", "new_subgroups", "new_subgroups_by_enumeration",
]  # fmt: skip
__dir__ = listed(__name__)

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
    """Some of the world's processes, which this one is among."""

    def __init__(
        self,
        backend: str = "gloo",
        ranks: Sequence[int] = (0,),
        name: str = "0",
        runtime: Runtime | None = None,
    ):
        self._backend, self._ranks, self.group_name = Backend(backend), list(ranks), name
        self._runtime = runtime
        self.sent: dict[tuple[int, int, int], int] = {}

    def rank(self) -> int:
        """This process's place in it."""
        return 0 if self._runtime is None else self._ranks.index(self._runtime.rank)

    def size(self) -> int:
        """How many processes it has."""
        return len(self._ranks)

    def name(self) -> str:
        """The backend's name."""
        return self._backend

    def __repr__(self) -> str:
        return f"<ProcessGroup of {self.size()} process{'es' if self.size() > 1 else ''}, {self._backend}>"

    # -- what its processes compute together, of arrays (see _exchange.py) -------------------------------------------

    @contextmanager
    def _others(
        self, name: str, sources: Sequence[int] | None = None, what: str | None = None, confirm: bool = False
    ) -> Iterator[Runtime]:
        """Around what waits for other processes: that one of them is gone is a DistBackendError, which names its
        rank."""
        assert self._runtime is not None
        ranks = self._ranks if sources is None else [self._ranks[i] for i in sources]
        key = self.group_name if sources is None else f"{self.group_name}/messages"
        try:
            with self._runtime.collective(name, key, ranks, what, confirm):
                yield self._runtime
        except PeerGone as error:
            raise DistBackendError(str(error)) from error.__cause__

    def waiting_for(self, sources: Sequence[int], name: str) -> Any:
        """A context around a wait for a message from places in the group."""
        return self._others(name, sources)

    @contextmanager
    def agreed(self, what: str) -> Iterator[None]:
        """Around what all do: they must say the same of it, and it is over when they have."""
        with self._others("DeviceMesh", None, what, True):
            yield

    def _run(self, program: Callable, name: str, array: np.ndarray, *op: str) -> np.ndarray:
        what = f"{name}({', '.join([*op, array.dtype.name, str(list(array.shape))])})"
        with self._others(name, None, what) as runtime:
            return program(runtime, tuple(self._ranks), array, *op)

    def reduced(self, name: str, array: np.ndarray, op: str) -> np.ndarray:
        """The reduction of everyone's array."""
        return array if self.size() == 1 else self._run(_exchange.reduced, name, array, op)

    def gathered(self, name: str, array: np.ndarray) -> np.ndarray:
        """Everyone's array, stacked."""
        return array[None] if self.size() == 1 else self._run(_exchange.gathered, name, array)

    def scattered(self, name: str, parts: np.ndarray, op: str) -> np.ndarray:
        """The reduction of the parts that everyone gives for this process."""
        return parts[0] if self.size() == 1 else self._run(_exchange.scattered, name, parts, op)

    def exchanged(self, name: str, parts: np.ndarray) -> np.ndarray:
        """The parts that everyone gives for this process, stacked."""
        return parts if self.size() == 1 else self._run(_exchange.exchanged, name, parts)


class _Default:
    """The default group, and how many were made."""

    group: ProcessGroup | None = None
    made = 0
    worlds = 0
    file = ""
    store: Any = None
    """Store that the processes met through: a file's store deletes the file when nobody has the store any more."""


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
    """Returns whether there is a default group: from `init_process_group` to `destroy_process_group`."""
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
    """Makes the default group, of all processes of the world, and waits until they are there.

    Args:
        backend: a name to be asked for ('gloo', 'nccl', …). Whatever it is, collectives go over gloo, through memory of
            the host.
        init_method: 'env://' (the default: MASTER_ADDR, MASTER_PORT, RANK and WORLD_SIZE of the environment),
            'tcp://host:port' at which rank 0 listens, or 'file:///path' of a file that all can read.
        timeout: how long to wait for the others, here (at most 5 minutes) and in each collective; 30 minutes by
            default.
        world_size: the number of processes; by default the environment's WORLD_SIZE, or 1. Of one process nothing is
            started and no address is looked at.
        rank: this process's number; by default the environment's RANK.
        store: a FileStore, TCPStore or the like in which rank 0 says where they meet, in the place of init_method;
            world_size and rank are then to be given.

    Raises ValueError if there is a default group, DistNetworkError if the processes do not meet.

    >>> init_process_group("gloo", world_size=1, rank=0)
    >>> get_world_size()
    1
    >>> destroy_process_group()
    """
    if _Default.group is not None:
        raise ValueError("trying to initialize the default process group twice!")
    if store is not None:
        if init_method is not None:
            raise AssertionError("Cannot specify both init_method and store.")
        if world_size <= 0:
            raise AssertionError("world_size must be positive if using store")
        if rank < 0:
            raise AssertionError("rank must be non-negative if using store")
    _Default.store = store
    name = (backend or "gloo").split(":")[-1]
    size = world_size if world_size != -1 else int(os.environ.get("WORLD_SIZE", 1))
    mine = rank if rank != -1 else int(os.environ.get("RANK", 0 if size == 1 else -1))
    if size == 1:
        if mine != 0:
            raise ValueError(f"invalid rank {mine}: it must be less than the world size, 1")
        _Default.group = ProcessGroup(name)
        return
    host, port, mine, path = ("", 0, mine, "") if store is not None else address_of(init_method, mine, size)
    if not 0 <= mine < size:
        raise ValueError(
            f"init_process_group: rank must be from 0 to {size - 1}, not {mine}: give rank=, or set RANK in the environment"
        )
    seconds = (timeout or default_pg_timeout).total_seconds()
    try:
        runtime = meet(
            host, port, mine, size, path, seconds, store, f"functorch_lite/world {_Default.worlds}"
        )
    except NotMet as error:
        raise DistNetworkError(f"init_process_group: {error}") from None
    _Default.worlds += 1
    _Default.made = 0
    _Default.file = path if mine == 0 else ""
    _Default.group = ProcessGroup(name, range(size), f"{_Default.worlds}.0", runtime)


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Takes the default group away: this process leaves, and the others need not wait for it.

    For any other group nothing has to be done."""
    of = checked(group)
    if of is not _Default.group:
        return
    _Default.group = _Default.store = None
    if of._runtime is not None:
        of._runtime.leave()
    if _Default.file:
        Path(_Default.file).unlink(missing_ok=True)


def checked(group: Any = None) -> ProcessGroup:
    """The group, by default the default one; torch's error if there is none."""
    if _Default.group is None:
        raise ValueError(NOT_INITIALIZED)
    if group is None:
        return _Default.group
    if group == NOT_A_MEMBER or not isinstance(group, ProcessGroup):
        raise ValueError("Invalid process group specified")
    return group


def _rank_not_in_group(group: Any) -> bool:
    """Returns whether this process is not in a group; it is in the default one, None."""
    return group is not None and group == NOT_A_MEMBER


def get_rank(group: Any = None) -> int:
    """This process's number; -1 of a group that it is not in. Raises ValueError before `init_process_group`."""
    if group == NOT_A_MEMBER:
        return -1
    return checked(group).rank()


def get_world_size(group: Any = None) -> int:
    """How many processes there are; -1 of a group that this one is not in.

    Raises ValueError before `init_process_group`."""
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
    """A group of some of the world's processes, by default of all; GroupMember.NON_GROUP_MEMBER if this one is not
    among `ranks`. All processes call it.

    timeout and the other arguments are accepted: groups have the world's timeout, and are connected when they are first
    used.
    """
    world = checked()
    ranks = list(world._ranks) if ranks is None else sorted(ranks)
    if len(ranks) > world.size():
        raise ValueError(
            "the new group's world size should be less or equal to the world size set by init_process_group"
        )
    if any(r not in world._ranks for r in ranks):
        raise ValueError("The new group's rank should be within the world_size set by init_process_group")
    if len(set(ranks)) != len(ranks):
        raise ValueError(f"new_group: every rank must be listed once, but one is repeated: {ranks}")
    _Default.made += 1
    if world._ranks[world.rank()] not in ranks:
        return GroupMember.NON_GROUP_MEMBER
    name = f"{world.group_name.split('.')[0]}.{_Default.made}"
    return ProcessGroup(backend or world._backend, ranks, name, world._runtime)


def new_subgroups_by_enumeration(ranks_per_subgroup_list: Sequence[Sequence[int]], *args: Any, **kwargs: Any):
    """(this process's group, all groups): of a group that it is not in, GroupMember.NON_GROUP_MEMBER."""
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    groups = [new_group(ranks, *args, **kwargs) for ranks in ranks_per_subgroup_list]
    mine = [g for g in groups if isinstance(g, ProcessGroup)]
    return (mine[0] if mine else None), groups


def new_subgroups(group_size: int | None = None, group: Any = None, *args: Any, **kwargs: Any):
    """(this process's group, all groups), of groups of `group_size` processes one after the other."""
    ranks = checked(group)._ranks
    size = int(os.environ.get("LOCAL_WORLD_SIZE", len(ranks))) if group_size is None else group_size
    if size > len(ranks):
        raise ValueError("The arg 'group_size' must not exceed the world size")
    if size < 1 or len(ranks) % size:
        raise ValueError(f"The world size must be divisible by 'group_size={size}'")
    return new_subgroups_by_enumeration(
        [ranks[i : i + size] for i in range(0, len(ranks), size)], *args, **kwargs
    )


def is_backend_available(backend: str) -> bool:
    """Returns whether a backend is available: of PyTorch's backends, only gloo is."""
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
    """Returns whether torchelastic started this process."""
    return os.getenv("TORCHELASTIC_RUN_ID") is not None
