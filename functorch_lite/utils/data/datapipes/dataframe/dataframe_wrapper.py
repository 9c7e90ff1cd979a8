"""The package of data frames: what datapipes ask of a frame, by default answered by pandas."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

__all__ = [
    "PandasWrapper", "concat", "create_dataframe", "get_columns", "get_df_wrapper", "get_item", "get_len", "is_column",
    "is_dataframe", "iterate", "set_df_wrapper",
]  # fmt: skip


def _pandas() -> Any:
    try:
        return importlib.import_module("pandas")
    except ImportError:
        raise RuntimeError("DataFrames prototype requires pandas to function") from None


def _is(kind: str) -> Callable[[Any], bool]:
    return lambda data: "pandas" in sys.modules and isinstance(data, getattr(_pandas(), kind))


class PandasWrapper:
    """The functions that datapipes call on frames, by pandas, which is imported when a frame is made."""

    create_dataframe = staticmethod(lambda data, columns: _pandas().DataFrame(data, columns=columns))
    is_dataframe = staticmethod(_is("DataFrame"))
    is_column = staticmethod(_is("Series"))
    iterate = staticmethod(lambda data: data.itertuples(index=False))
    concat = staticmethod(lambda buffer: _pandas().concat(buffer))
    get_item = staticmethod(lambda data, idx: data[idx : idx + 1])
    get_len = staticmethod(lambda df: len(df.index))
    get_columns = staticmethod(lambda df: list(df.columns.values.tolist()))


default_wrapper: Any = PandasWrapper


def get_df_wrapper() -> Any:
    """Return the class that answers for the package of data frames."""
    return default_wrapper


def set_df_wrapper(wrapper: Any) -> None:
    """Set the class that answers for the package of data frames; it has the methods of PandasWrapper."""
    global default_wrapper
    default_wrapper = wrapper


def create_dataframe(data: Any, columns: Any = None) -> Any:
    """Return a frame of rows."""
    return default_wrapper.create_dataframe(data, columns)


def _asks(name: str, says: str) -> Any:
    def ask(data: Any, *more: Any) -> Any:
        return getattr(default_wrapper, name)(data, *more)

    ask.__name__ = ask.__qualname__ = name
    ask.__doc__ = f"Return {says}."
    return ask


is_dataframe = _asks("is_dataframe", "whether an object is a frame")
is_column = _asks("is_column", "whether an object is a column of a frame")
get_columns = _asks("get_columns", "the names of a frame's columns")
iterate = _asks("iterate", "an iterator over the rows of a frame, as tuples")
concat = _asks("concat", "one frame with the rows of a list of frames")
get_item = _asks("get_item", "a frame with one row of a frame, by its position")
get_len = _asks("get_len", "the number of rows of a frame")
