"""Shared parts of datapipes: checks of the functions that users pass, and files with streams that close themselves."""

from __future__ import annotations

import fnmatch
import functools
import inspect
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = [
    "StreamWrapper", "get_file_binaries_from_pathnames", "get_file_pathnames_from_root", "match_masks", "validate_input_col",
]  # fmt: skip


def need_callable(fn: Any) -> None:
    """Raises TypeError if fn cannot be called."""
    if not callable(fn):
        raise TypeError(f"A callable function is expected, but {type(fn)} is provided.")


def validate_input_col(fn: Callable, input_col: Any) -> None:
    """Check that a function can be called with as many positional arguments as there are input columns.

    Args:
        fn: The function. One whose signature Python does not know is not checked.
        input_col: A column (one argument), a list or tuple of columns, or None (one argument).

    Raises:
        ValueError: If it takes another number of arguments, or has keyword-only parameters without a default.

    >>> from functorch_lite.utils.data.datapipes.utils.common import validate_input_col
    >>> validate_input_col(lambda a, b: a + b, [0, 2])
    """
    try:
        parameters = inspect.signature(fn).parameters.values()
    except ValueError:
        return
    need = len(input_col) if isinstance(input_col, list | tuple) else 1
    named = fn.func if isinstance(fn, functools.partial) else fn
    says = f"The function {getattr(named, '__name__', repr(named))} takes"
    kinds = inspect.Parameter
    positional = [p for p in parameters if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
    required = [p for p in parameters if p.kind is kinds.KEYWORD_ONLY and p.default is p.empty]
    takes_more = any(p.kind is kinds.VAR_POSITIONAL for p in parameters)
    if required:
        raise ValueError(f"{says} {len(required)} non-default keyword-only parameters, which is not allowed.")
    if len(parameters) < need and not takes_more:
        raise ValueError(f"{says} {len(parameters)} parameters, but {need} are required.")
    lacking = any(p.default is p.empty for p in positional[need:])
    if lacking or (len(positional) < need and not takes_more):
        raise ValueError(f"{says} {len(positional)} positional parameters, but {need} are required.")


def match_masks(name: str, masks: str | list[str]) -> bool:
    """Return whether a file name matches one of some Unix-style patterns; no pattern matches every name.

    Args:
        name: The file name.
        masks: A pattern, or a list of patterns.

    >>> from functorch_lite.utils.data.datapipes.utils.common import match_masks
    >>> match_masks("a.csv", ["*.txt", "*.csv"])
    True
    """
    if not masks:
        return True
    return any(fnmatch.fnmatch(name, mask) for mask in ([masks] if isinstance(masks, str) else masks))


def _complain(error: OSError) -> None:
    warnings.warn(f"{error.filename} : {error.strerror}", stacklevel=2)
    raise error


def get_file_pathnames_from_root(
    root: str,
    masks: str | list[str],
    recursive: bool = False,
    abspath: bool = False,
    non_deterministic: bool = False,
) -> Iterator[str]:
    """Yield the paths of the files in a folder, or `root` itself if it is a file.

    Args:
        root: The folder or file.
        masks: Pattern or patterns that a file name must match one of.
        recursive: Whether to descend into folders.
        abspath: Whether to yield absolute paths.
        non_deterministic: Whether to leave the order to the file system; False: sorted.

    Raises:
        OSError: If the folder cannot be read.
    """
    if os.path.isfile(root):
        if match_masks(os.path.basename(root), masks):
            yield os.path.abspath(root) if abspath else root
        return
    for folder, folders, files in os.walk(root, onerror=_complain):
        where = os.path.abspath(folder) if abspath else folder
        for file in files if non_deterministic else sorted(files):
            if match_masks(file, masks):
                yield os.path.join(where, file)
        if not recursive:
            return
        if not non_deterministic:
            folders.sort()


def get_file_binaries_from_pathnames(
    pathnames: Iterable, mode: str, encoding: str | None = None
) -> Iterator[tuple[str, StreamWrapper]]:
    """Open files and yield pairs of a path and a stream.

    Args:
        pathnames: The paths, or one path object.
        mode: Mode of `open`; "b" and "t" read.
        encoding: Encoding of text.

    Raises:
        TypeError: If a path is not a string.
    """
    for pathname in pathnames if isinstance(pathnames, Iterable) else [pathnames]:
        if not isinstance(pathname, str):
            raise TypeError(f"Expected string type for pathname, but got {type(pathname)}")
        stream = open(pathname, f"r{mode}" if mode in ("b", "t") else mode, encoding=encoding)
        yield pathname, StreamWrapper(stream)


class StreamWrapper:
    """A stream that is closed when nothing refers to it any more; it has all attributes of the stream.

    Args:
        file_obj: The stream.
        name: Shown when it is printed.

    >>> import io
    >>> from functorch_lite.utils.data.datapipes.utils.common import StreamWrapper
    >>> stream = StreamWrapper(io.StringIO("abc"))
    >>> stream.read()
    'abc'
    """

    def __init__(self, file_obj: Any, *, name: str | None = None):
        self.file_obj, self.name, self.closed = file_obj, name, False

    @classmethod
    def close_streams(cls, v: Any, depth: int = 0) -> None:
        """Close every StreamWrapper in an item made of dicts, lists and tuples, down to ten levels."""
        if isinstance(v, StreamWrapper):
            v.close()
        elif depth < 10 and isinstance(v, dict | list | tuple):
            for part in v.values() if isinstance(v, dict) else v:
                cls.close_streams(part, depth + 1)

    def close(self, *args: Any, **kwargs: Any) -> None:
        """Close the stream, once."""
        if not self.closed and hasattr(self.file_obj, "close"):
            self.file_obj.close(*args, **kwargs)
        self.closed = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["file_obj"], name)

    def __dir__(self) -> list[str]:
        return sorted({*self.__dict__, *vars(StreamWrapper), *dir(self.file_obj)})

    def __del__(self) -> None:
        if not self.__dict__.get("closed", True):
            self.close()

    def __iter__(self) -> Iterator:
        yield from self.file_obj

    def __next__(self) -> Any:
        return next(self.file_obj)

    def __repr__(self) -> str:
        return f"StreamWrapper<{'' if self.name is None else f'{self.name},'}{self.file_obj!r}>"
