"""Printing of tensors, to the letter as torch prints them, and the options that govern it.

Text is made in two passes: a `_Style` is chosen from the numbers that will be shown (width, scientific or not,
whole numbers or not), then the numbers are laid out as nested rows.
Behaviour observed from `repr` in torch 2.13; `tests/golden/printing.json` records it.
"""

from __future__ import annotations

import functools
import math
from collections import namedtuple
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from . import dtypes
from .dtypes import dtype as Dtype

__all__ = [
    "contents", "format_tensor", "get_printoptions", "is_default", "printoptions", "result_type", "set_printoptions",
    "with_suffixes",
]  # fmt: skip


@dataclass
class _Options:
    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_OPTIONS = _Options()

_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Sets how tensors print; what is not given stays, except `sci_mode`, which None returns to automatic.

    Args:
        precision: the number of digits after the point. None (the default) keeps the setting.
        threshold: the number of elements from which on a tensor is summarised. None (the default)
            keeps the setting.
        edgeitems: the number of elements shown at each end of a summary. None (the default) keeps
            the setting.
        linewidth: the number of characters in a line. None (the default) keeps the setting.
        profile: "default", "short" or "full": a set of the others. None (the default) sets none.
        sci_mode: whether numbers are in scientific notation. None (the default) chooses for each
            tensor.

    >>> torch.set_printoptions(precision=2)
    >>> torch.tensor(1 / 3)
    tensor(0.33)
    >>> torch.set_printoptions(profile="default")
    """
    chosen = dict(_PROFILES.get(profile, {})) if profile is not None else {}
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    chosen.update({name: value for name, value in given.items() if value is not None})
    for name, value in chosen.items():
        setattr(_OPTIONS, name, value)
    _OPTIONS.sci_mode = sci_mode


def get_printoptions() -> dict[str, Any]:
    """The options in force, as keyword arguments of `set_printoptions`.

    >>> get_printoptions()["precision"]
    4
    """
    return asdict(_OPTIONS)


@contextmanager
def printoptions(**kwargs) -> Iterator[None]:
    """A context in which `set_printoptions(**kwargs)` holds; the options before it come back at its end."""
    before = get_printoptions()
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        set_printoptions(**before)


class _Style:
    """How the numbers of one array are written: all of them equally wide, unless they are not finite."""

    def __init__(self, shown: np.ndarray):
        self.floating = np.issubdtype(shown.dtype, np.floating)
        self.scientific = False
        self.whole = True
        self.width = 1
        if self.floating:
            self._choose_for_floats(shown[np.isfinite(shown) & (shown != 0)])
        else:
            self.width = max((len(str(x)) for x in shown.ravel().tolist()), default=1)

    def _choose_for_floats(self, numbers: np.ndarray) -> None:
        if numbers.size == 0:
            return
        smallest, largest = float(np.abs(numbers).min()), float(np.abs(numbers).max())
        self.whole = bool((numbers == np.ceil(numbers)).all())
        with np.errstate(all="ignore"):
            spread = float(np.float64(largest) / np.float64(smallest))
        self.scientific = spread > 1000.0 or largest > 1.0e8 or (not self.whole and smallest < 1.0e-4)
        if _OPTIONS.sci_mode is not None:
            self.scientific = _OPTIONS.sci_mode
        self.width = max(len(self._write(x)) for x in numbers.tolist())

    def _write(self, number: float) -> str:
        if self.scientific:
            return f"{number:.{_OPTIONS.precision}e}"
        if self.whole:
            return f"{number:.0f}." if math.isfinite(number) else f"{number:.0f}"
        return f"{number:.{_OPTIONS.precision}f}"

    def format(self, number) -> str:
        return (self._write(number) if self.floating else str(number)).rjust(self.width)


class _ComplexStyle:
    """How complex numbers are written: the real and the imaginary parts each in a style of their own."""

    def __init__(self, shown: np.ndarray):
        self.real, self.imag = _Style(shown.real), _Style(shown.imag)
        self.width = self.real.width + self.imag.width + 1

    def format(self, number: complex) -> str:
        imag = self.imag.format(number.imag).lstrip()
        sign = "" if imag[0] in "+-" else "+"
        return f"{self.real.format(number.real)}{sign}{imag}j"


def _edges(array: np.ndarray) -> np.ndarray:
    """The elements of `array` that a summary shows."""
    edge = _OPTIONS.edgeitems
    for axis, size in enumerate(array.shape):
        if edge == 0 or size > 2 * edge:
            keep = [*range(edge), *range(size - edge, size)]
            array = np.take(array, keep, axis=axis)
    return array


def _rows(nested, style, shape: tuple[int, ...], indent: int, summarise: bool) -> str:
    """The text of a nested list; `shape` is that of the whole array, of which a summary leaves out the middle."""
    if not shape:
        return style.format(nested)
    edge = _OPTIONS.edgeitems
    cut = summarise and shape[0] > 2 * edge
    if len(shape) == 1:
        items = [style.format(x) for x in nested]
        if summarise and not edge:
            items = ["..."]
        elif cut:
            items.insert(edge, " ...")
        per_line = max(1, math.floor((_OPTIONS.linewidth - indent) / (style.width + 2)))
        lines = [", ".join(items[i : i + per_line]) for i in range(0, len(items), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    parts = [_rows(part, style, shape[1:], indent + 1, summarise) for part in nested]
    if cut:
        parts.insert(edge, "...")
    return "[" + ("," + "\n" * (len(shape) - 1) + " " * (indent + 1)).join(parts) + "]"


def _numbers(array: np.ndarray, dtype: Dtype) -> np.ndarray:
    """The array in a dtype in which numpy prints and compares exactly what it holds."""
    if dtype.is_floating_point:
        return array.astype(np.float64)
    return array.astype(np.complex128) if dtype.is_complex else array


def contents(array: np.ndarray, dtype: Dtype, indent: int) -> str:
    """The numbers in their brackets; rows after the first begin `indent` characters from the left."""
    summarise = array.size > _OPTIONS.threshold
    shown = _numbers(_edges(array) if summarise else array, dtype)
    style = _ComplexStyle(shown) if dtype.is_complex else _Style(shown)
    return _rows(shown.tolist(), style, array.shape, indent, summarise)


def is_default(dtype: Dtype) -> bool:
    """Returns whether a printed tensor of this dtype does not name it."""
    default = dtypes.default_dtype()
    return dtype in (default, dtypes.int64, dtypes.bool_) or (
        dtype.is_complex and dtype is default.to_complex()
    )


def format_tensor(
    array: np.ndarray,
    dtype: Dtype,
    device: str = "cpu",
    requires_grad: bool = False,
    grad_fn_name: str | None = None,
    is_parameter: bool = False,
    class_name: str = "tensor",
) -> str:
    """Returns the `repr` of a tensor with these contents. For device "meta" only the shape of `array` is read.

    >>> format_tensor(np.array([1.0, 2.5], np.float32), dtypes.float32, "cpu", False, "AddBackward0")
    'tensor([1.0000, 2.5000], grad_fn=<AddBackward0>)'
    """
    array = np.asarray(array)
    prefix = f"{class_name}("
    indent = len(prefix)
    suffixes = [f"device='{device}'"] if device != "cpu" else []
    if device == "meta":
        suffixes.append(f"size={tuple(array.shape)}")
        text, dtype_is_said = "...", dtype is not dtypes.default_dtype()
    elif array.size == 0:
        if array.ndim != 1:
            suffixes.append(f"size={tuple(array.shape)}")
        text, dtype_is_said = "[]", dtype is not dtypes.default_dtype()
    else:
        if not _OPTIONS.edgeitems:
            suffixes.append(f"size={tuple(array.shape)}")
        text, dtype_is_said = contents(array, dtype, indent), not is_default(dtype)
    if dtype_is_said:
        suffixes.append(f"dtype={dtype!r}")
    if grad_fn_name is not None:
        suffixes.append(f"grad_fn=<{grad_fn_name}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    text = with_suffixes(prefix + text, suffixes, indent)
    return f"Parameter containing:\n{text}" if is_parameter else text


def with_suffixes(text: str, suffixes: list[str], indent: int, on_new_line: bool = False) -> str:
    """text, the suffixes, and a closing parenthesis; a suffix that has no room begins a line, and the first with
    `on_new_line`."""
    room = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if on_new_line or room + len(suffix) + 2 > _OPTIONS.linewidth:
            on_new_line = False
            text += ",\n" + " " * indent + suffix
            room = indent + len(suffix)
        else:
            text += ", " + suffix
            room += len(suffix) + 2
    return text + ")"


# -- named results ---------------------------------------------------------------------------------------------------


@functools.cache
def result_type(name: str, fields: tuple[str, ...]) -> type:
    """The named tuple that a function of several results returns; printed as torch's return types are."""
    kind = namedtuple(name, fields)  # type: ignore[misc]
    kind.__repr__ = _shown_result  # type: ignore[method-assign, assignment]
    kind.__reduce__ = _reduced_result  # type: ignore[method-assign, assignment]
    kind.__module__ = "torch.return_types"
    return kind


def _reduced_result(result: Any) -> tuple:
    return _restored_result, (type(result).__name__, result._fields, tuple(result))


def _restored_result(name: str, fields: tuple[str, ...], values: tuple) -> Any:
    return result_type(name, fields)(*values)


def _shown_result(result: Any) -> str:
    parts = ",\n".join(f"{name}={part!r}" for name, part in zip(result._fields, result))
    return f"torch.return_types.{type(result).__name__}(\n{parts})"
