"""Tracebacks as users see them: their own frames, and at most two of the library's.

An error leaves the library by an *exit*: a generated function, a method, `Module.__call__`, a transform, `backward`. An
exit catches it, lets `tidy` take the frames of the library and of what it is built on (JAX, NumPy, the standard
library) out of its traceback, and raises it on with a bare `raise`, which adds no frame. The user's frames stay, also
those of functions that the library called (a module's forward, a hook). Nothing is done, and nothing costs, while no
error is raised.
"""

from __future__ import annotations

import dis
import functools
import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from types import CodeType, TracebackType
from typing import Any

__all__ = [
    "BELOW", "OURS", "USERS", "add_folder", "below", "is_installed", "is_ours", "kind_of", "known_files", "raiser", "tidied", "tidy",
]  # fmt: skip

full = os.environ.get("FUNCTORCH_LITE_FULL_TRACEBACKS", "0") not in ("", "0")
"""Whether errors keep all their frames: see `debug.full_tracebacks`."""

_PACKAGE = str(Path(__file__).parents[2])
_DEMO = os.path.join(_PACKAGE, "demo", "")  # is written as users write
known_files: dict[str, bool] = {}
"""By file: whether code of it is the library's, where that was asked."""
_folders: tuple[str, ...] = (os.path.join(_PACKAGE, ""), "<functorch_lite")


def add_folder(file: str) -> None:
    """Says that frames of the folder of `file` are not the user's: `nn`, `optim` and `compat` call it."""
    global _folders
    _folders += (os.path.join(str(Path(file).parent), ""),)
    _kinds.clear()
    known_files.clear()


def is_ours(file: str) -> bool:
    """Returns whether code of this file is the library's."""
    found = known_files.get(file)
    if found is None:
        found = known_files[file] = file.startswith(_folders) and not file.startswith(_DEMO)
    return found


# -- whose a frame is ------------------------------------------------------------------------------------------------

USERS, OURS, BELOW = range(3)
_BUILT_ON = ("jax", "jaxlib", "numpy", "ml_dtypes", "opt_einsum", "optax", "flax", "scipy")
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_kinds: dict[str, int] = {}


@functools.cache
def below() -> tuple[str, ...]:
    """The folders of what the library is built on."""
    specs = [importlib.util.find_spec(name) for name in _BUILT_ON]
    return tuple(
        [os.path.join(place, "") for s in specs if s for place in s.submodule_search_locations or ()]
    )


def is_installed(file: str) -> bool:
    """Returns whether a file is of an installed package."""
    return any(folder in file for folder in _INSTALLED)


def kind_of(file: str) -> int:
    """Tells whose the code of a file is: OURS, BELOW or USERS. The standard library's and JAX's is BELOW: the user's if
    the user's code called it."""
    kind = _kinds.get(file)
    if kind is None:
        standard = file.startswith(os.path.join(os.path.dirname(os.__file__), "")) and not any(
            folder in file for folder in _INSTALLED
        )
        is_below = standard or file.startswith(("<frozen ", "<__array_function__", *below()))
        kind = _kinds[file] = OURS if is_ours(file) else BELOW if is_below else USERS
    return kind


# -- what an exit does ------------------------------------------------------------------------------------------------


def tidy(error: BaseException, keep: int = 0) -> None:
    """Leaves in the traceback of an error, which has just come to an exit, the user's frames; the exit's own goes as
    well.

    Of the library's frames below the user's last one `keep` stay, the innermost ones of other files than the exit's.
    Where the library did not raise the error itself, but stumbled over it, the innermost one stays in any case: it is
    where a bug report begins.
    """
    trace = error.__traceback__
    if full or trace is None:
        return
    file = trace.tb_frame.f_code.co_filename
    shown, inside = _split(trace)
    if inside:
        mine = [
            e
            for e in inside
            if kind_of(e.tb_frame.f_code.co_filename) == OURS and e.tb_frame.f_code not in _raisers
        ]
        if keep:
            mine = [e for e in mine if e.tb_frame.f_code.co_filename != file]
        keep = max(keep, not _is_meant(error, inside[-1]))
        shown += mine[len(mine) - min(keep, len(mine)) :]
    error.with_traceback(_linked(shown))
    _forget_jax(error)
    _forget_what_was_caught_inside(error)


def _split(trace: TracebackType) -> tuple[list[TracebackType], list[TracebackType]]:
    """The user's entries below the exit's, which is the first; and the library's below the last of these."""
    shown: list[TracebackType] = []
    inside: list[TracebackType] = []
    ours = True
    entry = trace.tb_next
    while entry is not None:
        kind = kind_of(entry.tb_frame.f_code.co_filename)
        ours = kind == OURS or (ours and kind == BELOW)
        if ours:
            inside.append(entry)
        else:
            shown.append(entry)
            inside.clear()
        entry = entry.tb_next
    return shown, inside


def _linked(entries: list[TracebackType]) -> TracebackType | None:
    """A traceback of these entries."""
    made = None
    for entry in reversed(entries):
        made = TracebackType(made, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return made


_set = BaseException.__setattr__  # for exceptions that refuse to be changed
_RAISE = dis.opmap["RAISE_VARARGS"]


def _is_meant(error: BaseException, entry: TracebackType) -> bool:
    """Whether the library raised the error for the user: the innermost entry stands at a `raise` of its own, or did at
    an exit further in."""
    code: CodeType = entry.tb_frame.f_code
    at_raise = 0 <= entry.tb_lasti < len(code.co_code) and code.co_code[entry.tb_lasti] == _RAISE
    if at_raise and kind_of(code.co_filename) == OURS and not isinstance(error, AssertionError):
        _set(error, "_is_meant", True)
    return "_is_meant" in error.__dict__


_JAX_NOTE = "JAX has removed its internal frames"


def _forget_jax(error: BaseException) -> None:
    """Takes away what JAX adds to an error to say that it has left out frames: a note, or (in its other mode) a
    cause."""
    notes = getattr(error, "__notes__", None)
    if notes and any(_JAX_NOTE in note for note in notes):
        notes[:] = [note for note in notes if _JAX_NOTE not in note]
        if not notes:
            del error.__notes__
    cause = error.__cause__
    if type(cause).__name__ == "UnfilteredStackTrace":
        for name in ("__cause__", "__context__", "__suppress_context__"):
            _set(error, name, getattr(cause, name))


def _forget_what_was_caught_inside(error: BaseException) -> None:
    """Leaves out errors that the library had caught when it raised this one, and the frames of those that it names as
    the cause."""
    context = error.__context__
    while context is not None and _is_inside(context):
        context = context.__context__
    if context is not error.__context__:
        _set(error, "__context__", context)
    if error.__cause__ is not None and _is_inside(error.__cause__):
        error.__cause__.with_traceback(None)


def _is_inside(error: BaseException) -> bool:
    """Returns whether an error was raised and caught with no code of the user's between."""
    entry = error.__traceback__
    if entry is None or kind_of(entry.tb_frame.f_code.co_filename) != OURS:
        return False
    return not _split(entry)[0]


_raisers: set[CodeType] = set()


def raiser(fn: Callable) -> Callable:
    """Marks a function that does nothing but raise for others: it is not shown."""
    _raisers.add(fn.__code__)
    return fn


def tidied(fn: Callable) -> Callable:
    """`fn` as an exit. For functions that are called often, a `try` in them costs less.

    >>> @tidied
    ... def backward(tensors): ...
    """

    @functools.wraps(fn)
    def leaving(*args: Any, **kwargs: Any) -> Any:
        try:
            return fn(*args, **kwargs)
        except BaseException as error:
            tidy(error)
            raise

    return leaving
