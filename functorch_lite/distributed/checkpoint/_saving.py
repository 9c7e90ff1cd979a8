"""save, load and async_save of state dicts, in one process or in several."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..._core.api import Tensor, force_array, read
from ...autograd.grad_mode import no_grad
from .._dtensor import DTensor
from ..collectives import all_gather_object, barrier
from ..groups import ProcessGroup, checked, is_initialized
from ._files import CheckpointException, Folder

__all__ = [
    "DefaultLoadPlanner", "DefaultSavePlanner", "FileSystemReader", "FileSystemWriter", "Stateful", "async_save", "load", "load_state_dict", "save",
    "save_state_dict",
]  # fmt: skip


@runtime_checkable
class Stateful(Protocol):
    """Protocol of objects with a state of their own: `save` asks for it, `load` gives it back."""

    def state_dict(self) -> dict[str, Any]:
        """Its state."""
        ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes a state."""
        ...


class FileSystemWriter:
    """Where `save` writes. The other arguments of PyTorch's say how it writes many files at once; they are accepted."""

    def __init__(self, path: str | os.PathLike, *args: Any, **options: Any):
        self.path = path


class FileSystemReader:
    """Where `load` reads."""

    def __init__(self, path: str | os.PathLike, *args: Any, **options: Any):
        self.path = path


class DefaultSavePlanner:
    """Says how to save: there is one way. PyTorch's arguments are accepted."""

    def __init__(self, *args: Any, **options: Any):
        pass


class DefaultLoadPlanner:
    """Says how to load. allow_partial_load: what the checkpoint does not have stays as it is."""

    def __init__(
        self,
        flatten_state_dict: bool = True,
        flatten_sharded_tensors: bool = True,
        allow_partial_load: bool = False,
    ):
        self.allow_partial_load = allow_partial_load


# -- what there is to save ---------------------------------------------------------------------------------------------

Put = Callable[[Any], None]


def _leaves(tree: Any, name: str = "") -> Iterator[tuple[str, Any, Put]]:
    """Each value of nested dicts, and of lists with tensors or dicts in them: its name, itself, and how to put another
    in its place."""
    inside = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in inside:
        path = f"{name}.{key}" if name else str(key)
        if _is_nested(value):
            yield from _leaves(value, path)
        else:
            yield path, value, lambda new, key=key: tree.__setitem__(key, new)


def _is_nested(x: Any) -> bool:
    if isinstance(x, dict):
        return bool(x)
    return isinstance(x, list) and any(isinstance(v, Tensor | dict) or _is_nested(v) for v in x)


def _is_empty(x: Any) -> bool:
    return isinstance(x, dict) and not x


def _named(state: dict[str, Any], what: str) -> dict[str, tuple[Any, Put]]:
    found: dict[str, tuple[Any, Put]] = {}
    for name, value, put in _leaves(state):
        if name in found:
            raise ValueError(
                f"torch.distributed.checkpoint.{what}: two values have the name {name!r}; rename one of their keys"
            )
        found[name] = (value, put)
    return found


def _states(state_dict: dict[str, Any]) -> dict[str, Any]:
    """The state dict with the states of what is Stateful."""
    return {k: v.state_dict() if _is_stateful(v) else v for k, v in state_dict.items()}


def _is_stateful(x: Any) -> bool:
    return isinstance(x, Stateful) and not isinstance(x, dict | list | Tensor)


def _array(t: Tensor, copy: bool) -> np.ndarray:
    array = np.asarray(force_array(read(t.detach())))
    return array.copy() if copy else array


def _is_read_by_all(v: Any) -> bool:
    """Returns whether the processes of a mesh take part in reading it."""
    return isinstance(v, DTensor) and v.device_mesh.together is not None


def _path(given: Any, storage: Any, kind: type, what: str) -> Folder:
    if storage is not None and not isinstance(storage, kind):
        raise NotImplementedError(
            f"torch.distributed.checkpoint.{what}: {type(storage).__name__} is not supported; pass checkpoint_id, or a {kind.__name__}"
        )
    path = given if given is not None else getattr(storage, "path", None)
    if path is None:
        raise RuntimeError("`checkpoint_id` must be specified if storage_reader or storage_writer is None.")
    return Folder(path)


def _planned(planner: Any, kind: type, what: str) -> Any:
    if planner is not None and not isinstance(planner, kind):
        raise NotImplementedError(
            f"torch.distributed.checkpoint.{what}: expected a {kind.__name__}, but got {type(planner).__name__}"
        )
    return planner or kind()


# -- saving ------------------------------------------------------------------------------------------------------------


class _Save:
    """A save that is planned: what this process writes, and how all know that the others have written."""

    def __init__(self, state_dict: dict[str, Any], folder: Folder, group: ProcessGroup | None, copy: bool):
        named = _named(_states(state_dict), "save")
        mine, self.rank, self.ranks = uuid.uuid4().hex, 0, 1
        self.runtime = None
        names: list[Any] = [(mine, list(named))]
        if group is not None and group.size() > 1:
            self.rank, self.ranks, self.runtime = group.rank(), group.size(), group._runtime
            names = names * group.size()
            all_gather_object(names, (mine, list(named)), group)
        self.id, self.folder = names[0][0], folder
        taken = {name for _, before in names[: self.rank] for name in before}
        self.values = []
        for name, (v, _) in named.items():
            is_own = name not in taken  # several processes that have a value have the same
            if not _is_empty(v) and (is_own or _is_read_by_all(v)):
                value = _array(v, copy and is_own) if isinstance(v, Tensor) else v
                self.values += [(name, value)] * is_own

    def run(self) -> Path:
        """Writes, waits for the others, and makes it the checkpoint."""
        entries = self.folder.write(self.id, self.rank, self.values)
        self.values = []
        if self.runtime is None:
            self.folder.commit(self.id, entries)
            return self.folder.path
        milliseconds = int(self.runtime.timeout * 1000)
        client, key = self.runtime.client, f"checkpoints/{self.id}"
        client.key_value_set(f"{key}/{self.rank}", json.dumps(entries))
        if self.rank == 0:
            for rank in range(1, self.ranks):
                entries |= json.loads(client.blocking_key_value_get(f"{key}/{rank}", milliseconds))
            self.folder.commit(self.id, entries)
            client.key_value_set(f"{key}/done", "1")
        client.blocking_key_value_get(f"{key}/done", milliseconds)
        return self.folder.path


def _group(given: Any, no_dist: bool) -> ProcessGroup | None:
    return None if no_dist or not is_initialized() else checked(given)


def save(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: str | os.PathLike | None = None,
    storage_writer: Any = None,
    planner: Any = None,
    process_group: Any = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> Path:
    """Writes a state dict into a folder, from which any number of devices or processes loads it.

    A checkpoint that is there stays until the new one is whole.

    Args:
        state_dict: nested dicts and lists of tensors, DTensors, numbers, strings; and what is `Stateful`, such as a
            module or an optimizer.
        checkpoint_id: the folder; or give storage_writer=FileSystemWriter(folder).
        process_group: whose processes all call it, by default all. What several have is written by the first of them.
            no_dist: this process alone.

    Returns the folder.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = save({"w": torch.ones(2)}, checkpoint_id=folder)
    ...     state = {"w": torch.zeros(2)}
    ...     load(state, checkpoint_id=folder)
    >>> state
    {'w': tensor([1., 1.])}
    """
    _planned(planner, DefaultSavePlanner, "save")
    folder = _path(checkpoint_id, storage_writer, FileSystemWriter, "save")
    return _Save(state_dict, folder, _group(process_group, no_dist), copy=False).run()


_writer = ThreadPoolExecutor(1, "functorch_lite.checkpoint")  # one after the other


def async_save(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: str | os.PathLike | None = None,
    storage_writer: Any = None,
    planner: Any = None,
    process_group: Any = None,
    async_checkpointer_type: Any = None,
    async_stager: Any = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> Future:
    """`save` that copies the numbers and writes them in a thread.

    `result()` of the returned object waits until the checkpoint is written, and raises the error if writing failed."""
    if async_stager is not None:
        raise NotImplementedError(
            "torch.distributed.checkpoint.async_save: async_stager is not supported, because values are copied at the call; leave it out"
        )
    _planned(planner, DefaultSavePlanner, "async_save")
    folder = _path(checkpoint_id, storage_writer, FileSystemWriter, "async_save")
    return _writer.submit(_Save(state_dict, folder, _group(process_group, no_dist), copy=True).run)


# -- loading -----------------------------------------------------------------------------------------------------------


def load(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: str | os.PathLike | None = None,
    storage_reader: Any = None,
    planner: Any = None,
    process_group: Any = None,
    no_dist: bool = False,
) -> None:
    """Reads a checkpoint into a state dict: into its tensors and DTensors, whatever their placements, and in place of
    its other values.

    Raises CheckpointException for what the checkpoint does not have, unless the planner is
    DefaultLoadPlanner(allow_partial_load=True), and for files that are damaged; ValueError for a tensor of another
    shape.
    """
    folder = _path(checkpoint_id, storage_reader, FileSystemReader, "load")
    partial = _planned(planner, DefaultLoadPlanner, "load").allow_partial_load
    entries, states = folder.entries(), _states(state_dict)
    named = _named(states, "load")
    missing = [name for name, (value, _) in named.items() if name not in entries and not _is_empty(value)]
    if missing and not partial:
        raise CheckpointException(
            f"Missing key in checkpoint state_dict: {missing[0]}. {len(missing)} of {len(named)} names are not in {str(folder.path)!r}, which has "
            f"{', '.join(list(entries)[:5])}{', …' if len(entries) > 5 else ''}"
        )
    if not partial:
        _check_places(entries, named, [k for k, v in state_dict.items() if _is_stateful(v)])
    for name, (value, _) in named.items():
        if name in entries:
            _check(name, value, entries[name])
    for name, (value, put) in named.items():
        if name not in entries:
            continue
        if isinstance(value, Tensor):
            _fill(value, folder.tensor(name, entries[name]))
        else:
            put(
                folder.tensor(name, entries[name])
                if entries[name]["kind"] == "tensor"
                else folder.object(name, entries[name])
            )
    for key, value in state_dict.items():
        if _is_stateful(value):
            value.load_state_dict(states[key])
        else:
            state_dict[key] = states[key]
    if (group := _group(process_group, no_dist)) is not None:
        barrier(group)  # nobody overwrites it while another reads


def _check_places(entries: dict[str, Any], named: dict[str, Any], whole: list[str]) -> None:
    """Raises for what the checkpoint has within a dict that is empty here, or within the state of one of `whole` that
    has no such name."""
    for name in [*whole, *[n for n, (value, _) in named.items() if _is_empty(value)]]:
        left = [n for n in entries if n.startswith(f"{name}.") and n not in named]
        if left:
            raise CheckpointException(
                f"torch.distributed.checkpoint.load: the checkpoint has {left[0]!r} and {len(left) - 1} more entries that the state dict lacks. The state of an optimizer exists only after a step: load into get_optimizer_state_dict(model, optimizer), and pass the result to set_optimizer_state_dict"
            )


def _check(name: str, value: Any, entry: dict[str, Any]) -> None:
    if not isinstance(value, Tensor):
        return
    if entry["kind"] != "tensor":
        raise ValueError(
            f"torch.distributed.checkpoint.load: {name!r} is a tensor in the state dict, but not in the checkpoint"
        )
    if list(value.shape) != entry["shape"]:
        raise ValueError(
            f"Size mismatch between saved {entry['shape']} and current: {list(value.shape)} for {name}"
        )


def _fill(to: Tensor, saved: Tensor) -> None:
    if isinstance(to, DTensor):
        saved = to._layout.receive(saved)
    with no_grad():
        to.copy_(saved)  # type: ignore[attr-defined]


def save_state_dict(
    state_dict: dict[str, Any],
    storage_writer: Any,
    process_group: Any = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: Any = None,
) -> Path:
    """`save` by its old name."""
    return save(
        state_dict,
        storage_writer=storage_writer,
        process_group=process_group,
        no_dist=no_dist,
        planner=planner,
    )


def load_state_dict(
    state_dict: dict[str, Any],
    storage_reader: Any,
    process_group: Any = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: Any = None,
) -> None:
    """`load` by its old name."""
    load(
        state_dict,
        storage_reader=storage_reader,
        process_group=process_group,
        no_dist=no_dist,
        planner=planner,
    )
