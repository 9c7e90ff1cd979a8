"""DataParallel, as it is in PyTorch without a GPU or with one: the module itself, under the name `module`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from functorch_lite import cuda
from functorch_lite._core.api import Tensor
from functorch_lite._core.api import device as Device
from functorch_lite.nn.modules.module import Module
from functorch_lite.utils import _pytree as pytree

__all__ = ["DataParallel", "data_parallel"]

_SEVERAL = (
    "{} on several devices is not supported: it would copy the module to each at every call. Put parameters and batches on a mesh "
    "with jax.sharding (jax.make_mesh, NamedSharding), so that one program runs on all devices; or give device_ids=[0]."
)


def _index(device: Any) -> int:
    """The number of a GPU that is given by number, name or device."""
    if isinstance(device, int):
        return device
    return Device(device).index or 0


def _on(device: Any, values: Any) -> Any:
    """`values` with the tensors in it moved to a device."""
    return pytree.tree_map(lambda x: x.to(device) if isinstance(x, Tensor) else x, values)


class DataParallel(Module):
    """Calls `module`; with a GPU, module and arguments are moved to it.

    PyTorch splits the batch over several GPUs. Without a GPU it calls the module and ignores the other arguments. If
    several devices are requested, or several exist and none is named, NotImplementedError says what to do instead.

    Args:
        module: the module to call.
        device_ids: the devices to use: at most one. None (the default) means the only GPU.
        output_device: the device of the result, if it is the one of `device_ids`. None (the
            default) means that one.
        dim: the dim of the batch. Default: 0.

    Attributes:
        module: the module, whose names in `state_dict()` begin with "module.".
        device_ids: the GPU in use, as a list; empty without one.

    >>> DataParallel(torch.nn.Linear(2, 3))(torch.ones(4, 2)).shape
    torch.Size([4, 3])
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[Any] | None = None,
        output_device: Any = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        if not cuda.is_available():
            self.module = module
            self.device_ids: list[int] = []
            return
        ids = range(cuda.device_count()) if device_ids is None else device_ids
        chosen = [_index(d) for d in ids]
        if len(chosen) > 1:
            raise NotImplementedError(_SEVERAL.format("DataParallel"))
        self.dim = dim
        self.module = module
        self.device_ids = chosen
        self.output_device = _index(chosen[0] if output_device is None else output_device)
        self.src_device_obj = Device("cuda", chosen[0])
        module.to(self.src_device_obj)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        if not self.device_ids:
            return self.module(*inputs, **kwargs)
        for t in (*self.module.parameters(), *self.module.buffers()):
            if t.device != self.src_device_obj:
                raise RuntimeError(
                    f"module must have its parameters and buffers on device {self.src_device_obj} (device_ids[0]) but found one of "
                    f"them on device: {t.device}"
                )
        args, kwargs = _on(self.src_device_obj, (inputs, kwargs))
        return self.module(*args, **kwargs)


def data_parallel(
    module: Module,
    inputs: Any,
    device_ids: Sequence[Any] | None = None,
    output_device: Any = None,
    dim: int = 0,
    module_kwargs: Any = None,
) -> Any:
    """Calls `module` on `inputs` (a tuple of arguments, or one) on a GPU: the functional form of DataParallel.

    Raises RuntimeError without a GPU, NotImplementedError for several.

    >>> if torch.cuda.is_available():
    ...     y = nn.parallel.data_parallel(nn.Linear(3, 2).cuda(), torch.ones(4, 3).cuda(), device_ids=[0])
    """
    if not cuda.is_available():
        raise RuntimeError("device type could not be determined")
    ids = range(cuda.device_count()) if device_ids is None else device_ids
    chosen = [_index(d) for d in ids]
    if len(chosen) > 1:
        raise NotImplementedError(_SEVERAL.format("data_parallel"))
    args = inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)
    args, kwargs = _on(Device("cuda", chosen[0]), (args, module_kwargs or {}))
    return module(*args, **kwargs)
