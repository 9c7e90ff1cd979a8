"""DistributedDataParallel: a module whose gradients are averaged over processes, or whose batches are cut over devices
of one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from functorch_lite import distributed
from functorch_lite._core.api import Tensor, state
from functorch_lite.distributed.algorithms.join import Join, Joinable, JoinHook
from functorch_lite.distributed.collectives import broadcast_array, numbers, write
from functorch_lite.nn.modules.module import Module

__all__ = ["DistributedDataParallel"]

_NO_GRADIENTS = (
    "DistributedDataParallel is not needed when a module doesn't have any parameters that require a gradient."
)


class DistributedDataParallel(Module, Joinable):
    """Calls `module`, and averages its gradients over all processes at the end of each `backward()`.

    `torch.distributed.init_process_group` must have been called. When it is made, and buffers before each call,
    everyone gets what rank 0 has. A parameter that a process did not use counts as zero there, and has no gradient if
    no process used it. Inside a transform (`func.grad`, …) nothing is averaged.

    device_mesh: in place of processes devices of this process, which share the work: parameters are replicated over
    them; of plain inputs, which are the whole batch, the first dimension is cut, where it divides evenly; results are
    plain again. Gradients are averaged over the whole batch. broadcast_buffers, init_sync, process_group: as in
    PyTorch. The other arguments say how it exchanges gradients; here they go as one piece for each dtype. Names in
    `state_dict()` begin with "module.", as in PyTorch.

    >>> torch.distributed.init_process_group("gloo", world_size=1, rank=0)
    >>> DistributedDataParallel(torch.nn.Linear(2, 3))(torch.ones(4, 2)).shape
    torch.Size([4, 3])
    >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self,
        module: Module,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool = True,
        init_sync: bool = True,
        process_group: Any = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        device_mesh: Any = None,
        **kwargs: Any,
    ) -> None:
        Module.__init__(self)
        Joinable.__init__(self)
        if device_mesh is None and process_group is None and not distributed.is_initialized():
            raise ValueError(
                "Default process group has not been initialized, please make sure to call init_process_group."
            )
        if not any(p.requires_grad for p in module.parameters()):
            raise RuntimeError(_NO_GRADIENTS)
        self.module = module
        self.device_ids, self.output_device, self.dim = device_ids, output_device, dim
        self.process_group = process_group or distributed.group.WORLD
        self.find_unused_parameters, self.static_graph = find_unused_parameters, static_graph
        self.require_backward_grad_sync = True
        self.device_mesh = device_mesh
        self.broadcast_buffers = broadcast_buffers
        self._averaging, self._queued = False, False
        self._divisor: int | None = None
        self._divide_by_initial_world_size = True
        if device_mesh is not None:
            distributed.tensor.distribute_module(module, device_mesh)
        elif self._several():
            self._check_shapes()
            if init_sync:
                self._take_from(0, [*module.parameters(), *module.buffers()])
            for p in self._trained():
                p.register_post_accumulate_grad_hook(self._has_gradient)

    def _several(self) -> bool:
        return self.device_mesh is None and self.process_group.size() > 1

    def _trained(self) -> list[Tensor]:
        return [p for p in self.module.parameters() if p.requires_grad]

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        if self.device_mesh is not None:
            return distributed.tensor.over_batch(self.module, self.device_mesh, inputs, kwargs)
        if self._several():
            self._averaging = state.grad and self.require_backward_grad_sync
            if self._join_config.enable:
                self._tell_joined()
            elif self.require_backward_grad_sync:
                self._share_buffers(0)
        return self.module(*inputs, **kwargs)

    # -- several processes -------------------------------------------------------------------------------------------

    def _check_shapes(self) -> None:
        mine = [(n, list(p.shape), str(p.dtype)) for n, p in self.module.named_parameters()]
        found: list[Any] = [None] * self.process_group.size()
        distributed.all_gather_object(found, mine, self.process_group)
        for rank, other in zip(self.process_group._ranks, found):
            if other != found[0]:
                name = next((a for a, b in zip(mine, found[0]) if a != b), "their number")
                raise RuntimeError(
                    f"DDP expects the same model across all ranks, but the parameters of rank {rank} differ from those on rank {self.process_group._ranks[0]}; here the first that differs is {name}"
                )

    def _take_from(self, place: int, tensors: list[Tensor]) -> None:
        """Replaces values by the values of one rank of the group."""
        for group in _by_dtype(tensors):
            flat = np.concatenate([numbers(t, "DistributedDataParallel").reshape(-1) for t in group])
            found = broadcast_array(self.process_group, "DistributedDataParallel", flat, place)
            if self.process_group.rank() != place:
                _write_parts(group, found)

    def _share_buffers(self, place: int) -> None:
        buffers = list(self.module.buffers())
        if buffers and self.broadcast_buffers:
            self._take_from(place, buffers)

    def _has_gradient(self, p: Tensor) -> None:
        """Called when a gradient was accumulated."""
        if self._averaging and not self._queued:
            self._queued = True
            state.here.after_backward.append(self._average)

    def _average(self) -> None:
        self._queued = False
        for group in _by_dtype(self._trained()):
            flat = [_gradient(p).reshape(-1) for p in group]
            used = np.array([p.grad is not None for p in group], flat[0].dtype)
            total = self._mean(np.concatenate([*flat, used]))
            start = 0
            for p, n in zip(group, total[-len(group) :]):
                stop = start + p.numel()
                if n > 0:  # somebody used it
                    if p.grad is None:
                        p.grad = p.detach().clone()
                    write(p.grad, total[start:stop].copy())
                start = stop

    def _mean(self, mine: np.ndarray) -> np.ndarray:
        """The sum over all processes, divided by their number; in `join` optionally by the number of processes that
        have a batch."""
        part = mine / np.asarray(self._divisor or self.process_group.size(), mine.dtype)
        return self.process_group.reduced("DistributedDataParallel", part.astype(mine.dtype), "SUM")

    # -- different numbers of batches ----------------------------------------------------------------------------------

    def _highest(self, mine: int) -> int:
        return int(
            self.process_group.reduced("DistributedDataParallel", np.array([mine], np.int32), "MAX")[0]
        )

    def _tell_joined(self) -> None:
        """Before a batch in `join`. Processes without further batches do the same in `_Shadow.main_hook`."""
        if not self._averaging:
            if self.require_backward_grad_sync:
                raise RuntimeError(
                    "DistributedDataParallel.join: the module is called under no_grad, and processes that have run out of batches would not know of it: call "
                    "model.module instead, or leave the context first"
                )
            return
        active = Join.notify_join_context(self)
        self._divisor = None if self._divide_by_initial_world_size else active
        self._share_buffers(self._highest(self.process_group.rank()))

    def join_hook(self, divide_by_initial_world_size: bool = True, **kwargs: Any) -> JoinHook:
        """Returns the hook that `Join` runs for this object in a process that has run out."""
        self._divide_by_initial_world_size = divide_by_initial_world_size
        return _Shadow(self)

    @property
    def join_device(self) -> Any:
        """The device of the parameters."""
        return next(self.module.parameters()).device

    @property
    def join_process_group(self) -> Any:
        """The processes that share the work."""
        return self.process_group

    def average_next_backward(self) -> None:
        """The next backward averages, whatever the calls before it were under: a pipeline's last one."""
        self._averaging = self._several()

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """A context in which calls of the module make gradients that are not averaged: they add up in each process,
        until a backward outside averages the sum."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def join(
        self,
        divide_by_initial_world_size: bool = True,
        enable: bool = True,
        throw_on_early_termination: bool = False,
    ) -> Join:
        """A context in which processes may have different numbers of batches.

        A process without further batches counts as zero in the averages of the others; at the end all have the
        parameters and buffers of the last one. divide_by_initial_world_size: whether averages are over all processes;
        otherwise they are over the processes that have a batch. throw_on_early_termination: whether all raise as soon
        as one has run out of batches. A module that joins with others must be the first of `Join` to have the latter
        kind of average.
        """
        return Join(
            [self],
            enable,
            throw_on_early_termination,
            divide_by_initial_world_size=divide_by_initial_world_size,
        )

    def register_comm_hook(self, state: Any, hook: Any) -> None:
        """Raises NotImplementedError: gradients are averaged as they are."""
        raise NotImplementedError(
            "DistributedDataParallel.register_comm_hook: gradients are averaged as they are; to change how, use no_sync() and torch.distributed.all_reduce"
        )


class _Shadow(JoinHook):
    """Stand-in for a process that has run out of batches: it takes part in the others' collectives with zeros."""

    def __init__(self, ddp: DistributedDataParallel):
        self.ddp = ddp

    def main_hook(self) -> None:
        self.ddp._share_buffers(self.ddp._highest(-1))
        for group in _by_dtype(self.ddp._trained()):
            count = sum(p.numel() for p in group) + len(group)
            self.ddp._mean(np.zeros(count, group[0].dtype.np))

    def post_hook(self, is_last_joiner: bool) -> None:
        ddp = self.ddp
        ddp._divisor = None
        if ddp._several():
            place = ddp._highest(ddp.process_group.rank() if is_last_joiner else -1)
            ddp._take_from(place, [*ddp.module.parameters(), *ddp.module.buffers()])


def _by_dtype(tensors: list[Tensor]) -> list[list[Tensor]]:
    found: dict[Any, list[Tensor]] = {}
    for t in tensors:
        found.setdefault(t.dtype, []).append(t)
    return list(found.values())


def _gradient(p: Tensor) -> np.ndarray:
    if p.grad is None:
        return np.zeros(tuple(p.shape), p.dtype.np)
    if p.grad.is_sparse:
        raise NotImplementedError(
            "DistributedDataParallel of a sparse gradient: make the embedding with sparse=False"
        )
    return numbers(p.grad, "DistributedDataParallel")


def _write_parts(tensors: list[Tensor], flat: np.ndarray) -> None:
    start = 0
    for t in tensors:
        stop = start + t.numel()
        write(t, flat[start:stop].copy())
        start = stop
