"""Steps that list, open and read files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .._step import step
from ..datapipe import IterDataPipe
from ..utils.common import get_file_binaries_from_pathnames, get_file_pathnames_from_root
from .steps import IterableWrapperIterDataPipe

__all__ = ["FileListerIterDataPipe", "FileOpenerIterDataPipe", "StreamReaderIterDataPipe"]


def _said(pipe: Any) -> int:
    """The length that the user gave."""
    if pipe.length == -1:
        raise TypeError(f"{type(pipe).__name__} instance doesn't have valid length")
    return pipe.length


def _check_roots(root: Any, **_: Any) -> dict:
    roots = [root] if isinstance(root, str) else root
    return {"datapipe": roots if isinstance(roots, IterDataPipe) else IterableWrapperIterDataPipe(roots)}


@step("list_files", length=_said, check=_check_roots)
def FileListerIterDataPipe(
    root: str | Sequence[str] | IterDataPipe = ".",
    masks: str | list[str] = "",
    *,
    recursive: bool = False,
    abspath: bool = False,
    non_deterministic: bool = False,
    length: int = -1,
) -> Iterator:
    """The paths of the files in folders.

    Args:
        root: A folder, a sequence of folders, or a datapipe of folders.
        masks: Unix-style pattern that a file name must match, or a list of which it must match one.
        recursive: Whether files in folders inside are listed.
        abspath: Whether the paths are absolute.
        non_deterministic: Whether the order is that of the file system; otherwise names are sorted.
        length: The length of the datapipe; -1: unknown.
    """
    for path in [root] if isinstance(root, str) else root:
        yield from get_file_pathnames_from_root(path, masks, recursive, abspath, non_deterministic)


def _check_mode(mode: str, encoding: str | None, **_: Any) -> None:
    if mode not in ("b", "t", "rb", "rt", "r"):
        raise ValueError(f"Invalid mode {mode}")
    if "b" in mode and encoding is not None:
        raise ValueError("binary mode doesn't take an encoding argument")


@step("open_files", length=_said, check=_check_mode)
def FileOpenerIterDataPipe(
    datapipe: Iterable[str], mode: str = "r", encoding: str | None = None, length: int = -1
) -> Iterator:
    """Pairs of a path and the opened file.

    Args:
        datapipe: Paths.
        mode: "r", "t" or "rt" for text, "b" or "rb" for bytes.
        encoding: Encoding of text.
        length: The length of the datapipe; -1: unknown.
    """
    yield from get_file_binaries_from_pathnames(datapipe, mode, encoding)


@step("read_from_stream")
def StreamReaderIterDataPipe(datapipe: IterDataPipe, chunk: int | None = None) -> Iterator:
    """Pairs of a path and the content of its stream.

    Args:
        datapipe: Pairs of a path and a stream.
        chunk: Length of each piece of the content; None: all of it at once.
    """
    for path, stream in datapipe:
        while content := stream.read(chunk):
            yield path, content
        stream.close()
