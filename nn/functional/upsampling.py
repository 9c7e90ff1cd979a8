"""interpolate on tensors, and its old names."""

from __future__ import annotations

from typing import Any

from functorch_lite._core.api import OPS, Tensor, composite, make_function, wrong_type

from . import resample  # noqa: F401  # the op is declared there
from ._asked import warn

_interpolate = make_function(OPS["nn.functional.interpolate"], "interpolate")


@composite(namespace="nn.functional")
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: Any = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    factors = scale_factor if isinstance(scale_factor, tuple | list) else (scale_factor,)
    if (
        mode != "area"
        and not recompute_scale_factor
        and isinstance(first := next(iter(factors), None), Tensor)
    ):
        raise wrong_type(first, "tuple of floats", "interpolate", "scale_factor", 3)
    return _interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)


interpolate.__doc__ = _interpolate.__doc__


@composite(namespace="nn.functional")
def upsample(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: Any = None,
) -> Tensor:
    """Deprecated: interpolate, by its old name.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     F.upsample(torch.tensor([[[1., 2.]]]), scale_factor=2).tolist()
    [[[1.0, 1.0, 2.0, 2.0]]]
    """
    warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode, align_corners)


@composite(namespace="nn.functional")
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Deprecated: interpolate with mode "nearest".

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     F.upsample_nearest(torch.tensor([[[1., 2.]]]), scale_factor=2).tolist()
    [[[1.0, 1.0, 2.0, 2.0]]]
    """
    warn("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode="nearest")


@composite(namespace="nn.functional")
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Deprecated: interpolate with mode "bilinear" and align_corners=True.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     F.upsample_bilinear(torch.tensor([[[[1., 3.]]]]), (1, 3)).tolist()
    [[[[1.0, 2.0, 3.0]]]]
    """
    warn("`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)
