"""torch.utils.data.datapipes: datasets that are chained of steps, such as map, shuffle and batch."""

from __future__ import annotations

from . import _decorator, dataframe, datapipe, iter, map

__all__ = ["_decorator", "dataframe", "datapipe", "iter", "map"]
