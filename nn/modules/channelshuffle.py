"""ChannelShuffle: interleaves groups of channels."""

from __future__ import annotations

import functorch_lite.nn.functional as F
from functorch_lite._core.api import Tensor

from .module import Module

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """Channels of a (N, C, *) tensor, seen as `groups` rows, read column by column. Shape kept.

    Args:
        groups: the number of groups of channels.

    Raises RuntimeError if groups does not divide the channels.

    >>> nn.ChannelShuffle(2)(torch.arange(4.).view(1, 4, 1, 1)).flatten().tolist()
    [0.0, 2.0, 1.0, 3.0]
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
