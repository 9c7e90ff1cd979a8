"""Warnings of torch.nn.functional: functions for `asks=` of the ops, which look at each call's arguments.

The functions are called where there is something to say, and give back the arguments that they were given, with what is
deprecated brought into today's form.
"""

from __future__ import annotations

import operator
from typing import Any

from functorch_lite._core.api import advise, not_differentiable
from functorch_lite.autograd.grad_mode import is_grad_enabled

__all__ = [
    "BATCHMEAN",
    "CLASS_WEIGHT",
    "COMPARED",
    "CORNERS",
    "DIM",
    "LEGACY",
    "MEAN",
    "SIZES",
    "SUPPORT_MEAN",
    "UNIT_GRID",
    "constant",
    "legacy_reduction",
    "plain_mean",
    "warn",
]


def warn(text: str) -> None:
    """Warns, each time, at the line that called the function of torch.nn.functional."""
    advise(text, once=False)


def legacy_reduction(size_average: bool | None, reduce: bool | None) -> str:
    """The `reduction` that the deprecated pair of flags means.

    >>> legacy_reduction(False, None)
    'sum'
    """
    average = size_average is None or size_average
    meant = "none" if reduce is not None and not reduce else "mean" if average else "sum"
    warn(f"size_average and reduce args will be deprecated, please use reduction='{meant}' instead.")
    return meant


def _without_flags(reduction: str, size_average: Any, reduce: Any) -> tuple[str, None, None]:
    return legacy_reduction(size_average, reduce), None, None


def _batchmean(reduction: str, size_average: Any, reduce: Any) -> tuple:
    meant = legacy_reduction(size_average, reduce)
    return (("batchmean", meant) if reduction == "batchmean" else meant), None, None


def plain_mean(reduction: str) -> str:
    """Warns of `reduction="elementwise_mean"`, a deprecated word, and returns its meaning, "mean"."""
    warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
    return "mean"


def _sizes(input: Any, target: Any) -> tuple:
    size, other = input.size(), target.size()
    if size != other:
        warn(
            f"Using a target size ({other}) that is different to the input size ({size}). This will likely lead to incorrect results "
            "due to broadcasting. Please ensure they have the same size."
        )
    return input, target


def _support_mean(reduction: str) -> str:
    warn(
        "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only by the batch "
        "size, and aligns with the KL div math definition.'mean' will be changed to behave the same as 'batchmean' in the next major "
        "release."
    )
    return reduction


def _implicit_dim(name: str) -> Any:
    def dim_of(input: Any, dim: None, _stacklevel: int) -> tuple:
        operator.index(_stacklevel)  # of torch's warning; ours names the line of the user's by itself
        warn(
            f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument."
        )
        return input, 0 if input.ndim in (0, 1, 3) else 1, 3

    return dim_of


def _corners(align_corners: None) -> bool:
    warn(
        "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
        "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
    )
    return False


def _unit_grid(size: tuple[int, ...], align_corners: bool) -> tuple:
    if min(size[2:5], default=0) == 1:
        warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This is not an "
            "intended use case of affine_grid. See the documentation of affine_grid for details."
        )
    return size, align_corners


_FLAGS = "size_average is not None or reduce is not None"


def constant(function: str, argument: str) -> tuple:
    """An argument by which PyTorch's `function` has no derivative."""

    def refuse(given: Any) -> Any:
        if is_grad_enabled():
            raise not_differentiable(function, argument)
        return given

    return f"{argument} is not None and {argument}.requires_grad", argument, refuse


def _class_weight(input: Any, weight: Any) -> tuple:
    if is_grad_enabled():
        raise not_differentiable("nll_loss_forward" if input.ndim < 3 else "nll_loss2d_forward", "weight")
    return input, weight


LEGACY = (_FLAGS, "reduction, size_average, reduce", _without_flags)
"""The deprecated flags become a reduction."""
BATCHMEAN = (_FLAGS, "reduction, size_average, reduce", _batchmean)
"""The same of kl_div, which divides by the batch size all the same: `("batchmean", "sum")`."""
MEAN = ("reduction == 'elementwise_mean'", "reduction", plain_mean)
CLASS_WEIGHT = ("weight is not None and weight.requires_grad", "input, weight", _class_weight)
"""Weights of classes given by their numbers."""
COMPARED = ("target.requires_grad", "target", lambda target: target.detach())
"""A target that is only compared with numbers: no derivative leads to it."""
SIZES = ("target._aval is not input._aval", "input, target", _sizes)
"""Equal avals are one object: tensors of the same shape and dtype cost no more than this look."""
SUPPORT_MEAN = (f"reduction == 'mean' and not ({_FLAGS})", "reduction", _support_mean)
CORNERS = ("align_corners is None", "align_corners", _corners)
UNIT_GRID = ("align_corners", "size, align_corners", _unit_grid)


def DIM(name: str) -> tuple:
    """The dim that PyTorch chose before `dim` had to be given."""
    return ("dim is None", "input, dim, _stacklevel", _implicit_dim(name))
