"""Parameters to one flat vector, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from functorch_lite._core.api import Tensor
from functorch_lite._core.api import functions as torch
from functorch_lite.nn.modules.module import _typename

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def _check_device(tensor: Tensor, first: Any) -> Any:
    if first is not None and tensor.device != first:
        raise TypeError("Found two parameters on different devices, this is currently not supported.")
    return tensor.device


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters flattened and joined; gradients flow through it.

    Args:
        parameters: the parameters: an iterable of tensors.

    >>> parameters_to_vector([torch.zeros(2, 2), torch.ones(1)]).shape
    torch.Size([5])
    """
    device, parts = None, []
    for parameter in parameters:
        device = _check_device(parameter, device)
        parts.append(parameter.view(-1))
    return torch.cat(parts)


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Makes each parameter's data the next slice of `vec`, reshaped.

    Args:
        vec: a 1-D tensor with all values.
        parameters: the parameters to overwrite: an iterable of tensors.

    >>> model = nn.Linear(2, 1)
    >>> nn.utils.vector_to_parameters(torch.tensor([1., 2., 3.]), model.parameters())
    >>> model.weight.tolist(), model.bias.tolist()
    ([[1.0, 2.0]], [3.0])
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {_typename(vec)}")
    device, at = None, 0
    for parameter in parameters:
        device = _check_device(parameter, device)
        count = parameter.numel()
        parameter.data = vec[at : at + count].view_as(parameter).data
        at += count
