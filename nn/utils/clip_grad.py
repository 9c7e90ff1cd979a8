"""Clipping of gradients by norm or by value."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from types import GeneratorType
from typing import Any

from functorch_lite._core.api import Tensor, namespace, tidied
from functorch_lite._core.api import functions as torch

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_"]

linalg = namespace("linalg")


def _norm(t: Tensor, norm_type: float) -> Tensor:
    return linalg.vector_norm(t, norm_type)


def _gradients(parameters: Any) -> list[Tensor]:
    parameters = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [p.grad for p in parameters if p.grad is not None]


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of all tensors' elements together, as a 0-d tensor.

    Args:
        tensors: the tensors: a tensor or an iterable of tensors.
        norm_type: the order of the norm; it may be inf. Default: 2.0.
        error_if_nonfinite: whether a norm that is nan or infinite raises RuntimeError. Default:
            False.
        foreach: accepted for compatibility; it changes nothing. None is the default.

    >>> get_total_norm([torch.tensor([3.0]), torch.tensor([4.0])])
    tensor(5.)
    """
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return torch.tensor(0.0)
    with torch.no_grad():
        first = tensors[0].device
        total = _norm(torch.stack([_norm(t, norm_type).to(first) for t in tensors]), norm_type)
    if error_if_nonfinite and torch.logical_or(total.isnan(), total.isinf()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scales all gradients in place by max_norm / total_norm where that is less than 1.

    Args:
        parameters: the parameters whose gradients are changed: a tensor or an iterable of
            tensors.
        max_norm: the largest norm.
        total_norm: the norm of all gradients, as `get_total_norm` returns it.
        foreach: accepted for compatibility; it changes nothing. None is the default.

    >>> w = torch.zeros(2, requires_grad=True)
    >>> w.grad = torch.tensor([3., 4.])
    >>> nn.utils.clip_grads_with_norm_([w], 2.5, torch.tensor(5.)); [round(x, 4) for x in w.grad.tolist()]
    [1.5, 2.0]
    """
    gradients = _gradients(parameters)
    if not gradients:
        return
    with torch.no_grad():
        # Clamping instead of branching: the norm need not be read.
        factor = torch.clamp(float(max_norm) / (total_norm + 1e-6), max=1.0)
        for g in gradients:
            g.mul_(factor.to(g.device))


@tidied
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scales the gradients of `parameters` in place so that their norm is at most `max_norm`; gives the norm before.

    Args:
        parameters: the parameters whose gradients are changed: a tensor or an iterable of
            tensors.
        max_norm: the largest norm.
        norm_type: the order of the norm; it may be inf. Default: 2.0.
        error_if_nonfinite: whether a norm that is nan or infinite raises RuntimeError. Default:
            False.
        foreach: accepted for compatibility; it changes nothing. None is the default.

    >>> w = torch.zeros(2, requires_grad=True)
    >>> w.grad = torch.tensor([3., 4.])
    >>> nn.utils.clip_grad_norm_([w], 1.0).item(), [round(x, 4) for x in w.grad.tolist()]
    (5.0, [0.6, 0.8])
    """
    if isinstance(parameters, Tensor):
        parameters = [parameters]
    else:
        is_generator = isinstance(parameters, GeneratorType)
        parameters = list(parameters)
        if is_generator and not parameters:
            warnings.warn(
                "`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=3
            )
    total = get_total_norm(_gradients(parameters), norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(parameters, max_norm, total, foreach)
    return total


def clip_grad_norm(
    parameters: Any,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Deprecated: use `clip_grad_norm_`.

    Args:
        parameters: the parameters whose gradients are changed: a tensor or an iterable of
            tensors.
        max_norm: the largest norm.
        norm_type: the order of the norm; it may be inf. Default: 2.0.
        error_if_nonfinite: whether a norm that is nan or infinite raises RuntimeError. Default:
            False.
        foreach: accepted for compatibility; it changes nothing. None is the default.

    >>> w = torch.zeros(2, requires_grad=True)
    >>> w.grad = torch.tensor([3., 4.])
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     nn.utils.clip_grad_norm([w], 1.0).item()
    5.0
    """
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None
) -> None:
    """Clips every element of the gradients of `parameters` to ±clip_value, in place.

    Args:
        parameters: the parameters whose gradients are changed: a tensor or an iterable of
            tensors.
        clip_value: the bound: elements are clipped to [-clip_value, clip_value].
        foreach: accepted for compatibility; it changes nothing. None is the default.

    >>> w = torch.zeros(2, requires_grad=True)
    >>> w.grad = torch.tensor([3., 4.])
    >>> nn.utils.clip_grad_value_([w], 3.5); w.grad.tolist()
    [3.0, 3.5]
    """
    clip_value = float(clip_value)
    with torch.no_grad():
        for g in _gradients(parameters):
            g.clamp_(min=-clip_value, max=clip_value)
