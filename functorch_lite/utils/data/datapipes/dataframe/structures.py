"""Batches of data frames."""

from __future__ import annotations

from collections.abc import Iterator

from ..datapipe import DataChunk
from . import dataframe_wrapper as frames

__all__ = ["DataChunkDF"]


class DataChunkDF(DataChunk):
    """A batch of data frames, whose items are their rows; `raw_iterator` yields the frames."""

    def __iter__(self) -> Iterator:
        for frame in self.items:
            yield from frames.iterate(frame)

    def __len__(self) -> int:
        return sum(frames.get_len(frame) for frame in self.items)
