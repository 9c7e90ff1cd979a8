"""Steps on datapipes of data frames."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .._step import step
from ..datapipe import DFIterDataPipe, IterDataPipe
from . import dataframe_wrapper as frames

__all__ = [
    "ConcatDataFramesPipe", "DataFramesAsTuplesPipe", "ExampleAggregateAsDataFrames", "FilterDataFramesPipe",
    "PerRowDataFramesPipe", "ShuffleDataFramesPipe",
]  # fmt: skip


def _joined(parts: Iterable, size: int | None, join: Callable = frames.concat) -> Iterator:
    """Frames of `size` joined parts each, the last one perhaps of fewer."""
    held: list = []
    for part in parts:
        held.append(part)
        if len(held) == size:
            yield join(held)
            held = []
    if held:
        yield join(held)


def _rows(whole: list) -> Iterator:
    return (frames.get_item(frame, i) for frame in whole for i in range(frames.get_len(frame)))


@step("_dataframes_as_tuples")
def DataFramesAsTuplesPipe(source_datapipe: IterDataPipe) -> Iterator:
    """The rows of data frames, as named tuples.

    Args:
        source_datapipe: The source.
    """
    for frame in source_datapipe:
        yield from frames.iterate(frame)


@step("_dataframes_per_row", DFIterDataPipe, enable_df_api_tracing=True)
def PerRowDataFramesPipe(source_datapipe: IterDataPipe) -> Iterator:
    """Frames of one row each.

    Args:
        source_datapipe: The source.
    """
    for frame in source_datapipe:
        yield from _rows([frame])


@step("_dataframes_concat", DFIterDataPipe, enable_df_api_tracing=True)
def ConcatDataFramesPipe(source_datapipe: IterDataPipe, batch: int = 3) -> Iterator:
    """Frames that join successive ones.

    Args:
        source_datapipe: The source.
        batch: How many are joined.
    """
    yield from _joined(source_datapipe, batch)


@step("_dataframes_shuffle", DFIterDataPipe, enable_df_api_tracing=True)
def ShuffleDataFramesPipe(source_datapipe: IterDataPipe) -> Iterator:
    """The rows of all frames in random order (Python's generator), in frames of the first one's length.

    Args:
        source_datapipe: The source.
    """
    whole = list(source_datapipe)
    rows = list(_rows(whole))
    random.shuffle(rows)
    yield from _joined(rows, frames.get_len(whole[0]) if whole else None)


@step("_dataframes_filter", DFIterDataPipe, enable_df_api_tracing=True)
def FilterDataFramesPipe(source_datapipe: IterDataPipe, filter_fn: Callable) -> Iterator:
    """The rows for which a function returns True, in frames of the first one's length.

    Args:
        source_datapipe: The source.
        filter_fn: Function of a row, a pandas Series.
    """
    whole = list(source_datapipe)
    kept = [frame[i : i + 1] for frame in whole for i in range(len(frame.index)) if filter_fn(frame.iloc[i])]
    yield from _joined(kept, len(whole[0].index) if whole else None)


@step("_to_dataframes_pipe", DFIterDataPipe, enable_df_api_tracing=True)
def ExampleAggregateAsDataFrames(
    source_datapipe: IterDataPipe, dataframe_size: int = 10, columns: Any = None
) -> Iterator:
    """Frames of items, every item a row.

    Args:
        source_datapipe: The source.
        dataframe_size: Number of rows of each frame.
        columns: Names of the columns.
    """
    rows = (list(item) if hasattr(item, "__iter__") else [item] for item in source_datapipe)
    yield from _joined(rows, dataframe_size, lambda held: frames.create_dataframe(held, columns=columns))
