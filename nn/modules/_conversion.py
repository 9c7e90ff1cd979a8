"""The part of Module that changes dtypes and devices of its members."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from functorch_lite._core.api import Tensor, dtypes, memory_format
from functorch_lite._core.api import devices as devices
from functorch_lite._core.api import functions as torch

from ._state_dict import StateDict

__all__ = ["Conversion"]


class Conversion(StateDict):
    """`apply`, `to`, and the casts. Parameters stay the same objects: their data is replaced."""

    def apply(self, fn: Callable[[Any], None]):
        """Calls `fn` on every module below, children first, then on this one. Returns self.

        >>> def init(m):
        ...     if isinstance(m, torch.nn.Linear):
        ...         m.weight.data.fill_(1.0)
        >>> net.apply(init)  # doctest: +SKIP
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True):
        """Replaces every parameter's data, its gradient, and every buffer by `fn` of it; Parameters stay the same
        objects."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for parameter in self._parameters.values():
            if parameter is None:
                continue
            with torch.no_grad():
                applied = fn(parameter)
                if applied is not parameter:
                    parameter.data = applied
                grad = parameter.grad
                if grad is not None:
                    new_grad = fn(grad)
                    if new_grad is not grad:
                        grad.data = new_grad
        for name, buffer in list(self._buffers.items()):
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args, **kwargs):
        """Moves and casts parameters and buffers in place: `to(device)`, `to(dtype)`, `to(device, dtype)`,
        `to(tensor)`.

        Only floating point and complex members are cast. Layout of memory is XLA's affair: `memory_format` is accepted.

        Raises TypeError for a dtype that is neither floating point nor complex.

        >>> nn.Linear(2, 1).to(torch.float64).weight.dtype
        torch.float64
        >>> nn.Linear(2, 1).to("meta").weight.device
        device(type='meta')
        """
        device, dtype = _parse_to(*args, **kwargs)
        if dtype is not None:
            if not (dtype.is_floating_point or dtype.is_complex):
                raise TypeError(
                    f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
                )
            if dtype.is_complex:
                warnings.warn(
                    "Complex modules are a new feature under active development whose design may change, and some modules "
                    "might not work as expected when using complex tensors as parameters or buffers. If a complex module "
                    "does not work as expected, keep its parameters real and make them complex in forward (torch.view_as_complex).",
                    stacklevel=2,
                )

        def convert(t: Tensor) -> Tensor:
            cast = dtype if t.is_floating_point() or t.is_complex() else None
            if device is None:
                return t if cast is None else t.to(cast)
            try:
                return t.to(device) if cast is None else t.to(device, cast)
            except NotImplementedError as error:
                if str(error) != "Cannot copy out of meta tensor; no data!":
                    raise
                raise NotImplementedError(
                    f"{error} Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module from "
                    "meta to a different device."
                ) from None

        return self._apply(convert)

    def _cast(self, dtype: Any):
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def float(self):
        """Casts floating point members to float32, in place.

        >>> nn.Linear(2, 1).double().float().weight.dtype
        torch.float32
        """
        return self._cast(torch.float32)

    def double(self):
        """Casts floating point members to float64, in place.

        >>> nn.Linear(2, 1).double().weight.dtype
        torch.float64
        """
        return self._cast(torch.float64)

    def half(self):
        """Casts floating point members to float16, in place.

        >>> nn.Linear(2, 1).half().weight.dtype
        torch.float16
        """
        return self._cast(torch.float16)

    def bfloat16(self):
        """Casts floating point members to bfloat16, in place.

        >>> nn.Linear(2, 1).bfloat16().weight.dtype
        torch.bfloat16
        """
        return self._cast(torch.bfloat16)

    def type(self, dst_type: Any):
        """Casts all members, whatever their dtype, in place.

        >>> nn.Linear(2, 1).type(torch.float64).weight.dtype
        torch.float64
        """
        return self._apply(lambda t: t.type(dst_type))

    def cpu(self):
        """Moves all members to the CPU, in place.

        >>> nn.Linear(2, 1).cpu().weight.device
        device(type='cpu')
        """
        return self._apply(lambda t: t.cpu())

    def cuda(self, device: Any = None):
        """Moves all members to a GPU, in place.

        Raises RuntimeError where JAX has no GPU.

        >>> model = nn.Linear(2, 1)
        >>> if torch.cuda.is_available():
        ...     model = model.cuda()
        """
        return self._apply(lambda t: t.cuda(device))

    def to_empty(self, *, device: Any, recurse: bool = True):
        """Moves all members to `device` without keeping their values.

        >>> model = nn.Linear(2, 1, device="meta").to_empty(device="cpu")
        >>> model.weight.device, tuple(model.weight.shape)
        (device(type='cpu'), (1, 2))
        """
        return self._apply(lambda t: torch.empty_like(t, device=device), recurse=recurse)

    def share_memory(self):
        """Does nothing: arrays are immutable, so no memory has to be shared between processes. Returns self.

        >>> model = nn.Linear(2, 1)
        >>> model.share_memory() is model
        True
        """
        return self


def _parse_to(*args, **kwargs) -> tuple[Any, Any]:
    """The (device, dtype) that the arguments of `Module.to` ask for."""
    device = kwargs.pop("device", None)
    dtype = kwargs.pop("dtype", None)
    tensor = kwargs.pop("tensor", None)
    kwargs.pop("non_blocking", None)  # nothing to wait for
    if isinstance(kwargs.get("memory_format"), memory_format | None):
        kwargs.pop("memory_format", None)  # layout is XLA's
    rest = list(args)
    if rest:
        first = rest.pop(0)
        if isinstance(first, Tensor):
            tensor = first
        elif isinstance(first, dtypes.dtype):
            dtype = first
        elif isinstance(first, (str, int, devices.device)) and not isinstance(first, bool):
            device = first
            if rest and (rest[0] is None or isinstance(rest[0], dtypes.dtype)):
                dtype = rest.pop(0)
        elif first is None:
            if rest and (rest[0] is None or isinstance(rest[0], dtypes.dtype)):
                dtype = rest.pop(0)
        else:
            rest.insert(0, first)
        if rest and isinstance(rest[0], bool):
            rest.pop(0)
    if rest or kwargs:
        given = ", ".join(
            [type(a).__name__ for a in args] + [f"{k}={type(v).__name__}" for k, v in kwargs.items()]
        )
        tail = "bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None)\n"
        raise TypeError(
            f"to() received an invalid combination of arguments - got ({given}{', ' if kwargs else ''}), but expected one of:\n"
            f" * (torch.device device = None, torch.dtype dtype = None, {tail}"
            f" * (torch.dtype dtype, {tail}"
            f" * (Tensor tensor, {tail}"
        )
    if tensor is not None:
        device, dtype = tensor.device, tensor.dtype
    return device, dtype
