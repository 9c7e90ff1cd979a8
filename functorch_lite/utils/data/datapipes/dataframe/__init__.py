"""torch.utils.data.datapipes.dataframe: datapipes of data frames, on whose columns ops are recorded. They need pandas.

The ops are `+`, `-`, `*`, items, attributes and calls; they run on each frame as the datapipe is iterated.
"""

from __future__ import annotations

from .dataframes import CaptureDataFrame, DFIterDataPipe
from .datapipes import DataFramesAsTuplesPipe

__all__ = ["CaptureDataFrame", "DFIterDataPipe", "DataFramesAsTuplesPipe"]
