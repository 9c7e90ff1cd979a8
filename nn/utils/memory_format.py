"""Memory formats of weights: accepted, since the layout of arrays is XLA's affair."""

from __future__ import annotations

from typing import Any

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


def convert_conv2d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """The module itself: XLA chooses the layout of every array, whatever memory_format says.

    Args:
        module: the module with the parameter.
        memory_format: the wanted order of the dims; XLA chooses the layout.

    >>> conv = nn.Conv2d(1, 1, 1)
    >>> nn.utils.convert_conv2d_weight_memory_format(conv, torch.channels_last) is conv
    True
    """
    return module


def convert_conv3d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """The module itself: XLA chooses the layout of every array, whatever memory_format says.

    Args:
        module: the module with the parameter.
        memory_format: the wanted order of the dims; XLA chooses the layout.

    >>> conv = nn.Conv3d(1, 1, 1)
    >>> nn.utils.convert_conv3d_weight_memory_format(conv, torch.channels_last_3d) is conv
    True
    """
    return module
