"""DistributedDataParallel on one process: the module itself, under the name `module`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from functorch_lite import distributed
from functorch_lite.nn.modules.module import Module

__all__ = ["DistributedDataParallel"]

_NO_GRADIENTS = (
    "DistributedDataParallel is not needed when a module doesn't have any parameters that require a gradient."
)


class DistributedDataParallel(Module):
    """Calls `module`. With one process its gradients are the averages over all processes.

    device_mesh: devices of this process, which share the work: parameters are replicated over them; of plain inputs, which are the whole batch, the
    first dimension is cut, where it divides evenly; results are plain again. Gradients are those of the whole batch.

    Without it, `torch.distributed.init_process_group` must have been called. The other arguments say how PyTorch exchanges gradients, of which there
    are none to exchange. Names in `state_dict()` begin with "module.", as in PyTorch.

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
        super().__init__()
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
        if device_mesh is not None:
            distributed.tensor.distribute_module(module, device_mesh)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        if self.device_mesh is None:
            return self.module(*inputs, **kwargs)
        return distributed.tensor.over_batch(self.module, self.device_mesh, inputs, kwargs)

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """A context in which gradients are not averaged over processes: of one process they are what they are."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    @contextlib.contextmanager
    def join(
        self,
        divide_by_initial_world_size: bool = True,
        enable: bool = True,
        throw_on_early_termination: bool = False,
    ) -> Iterator[None]:
        """A context in which processes may have different numbers of batches."""
        yield

    def register_comm_hook(self, state: Any, hook: Any) -> None:
        """Raises NotImplementedError: no gradients are exchanged, so the hook would not be called."""
        raise NotImplementedError(
            "DistributedDataParallel.register_comm_hook: there is one process, and no gradients are exchanged that a hook could change"
        )
