"""assert_close: whether two things are close, in torch's words when they are not."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .._core.api import Tensor, dtypes, values_of
from .._core.api import functions as torch

__all__ = ["assert_allclose", "assert_close"]

_TOLERANCES = {
    "float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7),
}  # fmt: skip
"""(rtol, atol) by dtype; 0 for all others. Source: https://docs.pytorch.org/docs/stable/testing.html"""

_OLDER_TOLERANCES = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}
"""Tolerances of assert_allclose."""

_NUMBER = (int, float, complex, np.number)


def default_tolerances(*inputs: Any) -> tuple[float, float]:
    """The looser of the inputs' default tolerances."""
    found = [_TOLERANCES.get(_kind(x).name, (0.0, 0.0)) for x in inputs]
    return max(r for r, _ in found), max(a for _, a in found)


def get_tolerances(
    *inputs: Any, rtol: float | None, atol: float | None, id: tuple[Any, ...] = ()
) -> tuple[float, float]:
    """(rtol, atol): those given, or the looser of the inputs' (tensors or dtypes) defaults. ValueError for one alone.

    >>> torch.testing._comparison.get_tolerances(torch.float32, torch.float64, rtol=None, atol=None)
    (1.3e-06, 1e-05)
    """
    if (rtol is None) ^ (atol is None):
        set_, other = ("rtol", "atol") if atol is None else ("atol", "rtol")
        raise ValueError(
            f"Both 'rtol' and 'atol' must be either specified or unspecified, but got no {other} and {set_}={rtol if atol is None else atol}."
        )
    return default_tolerances(*inputs) if rtol is None or atol is None else (rtol, atol)


def _kind(x: Any) -> dtypes.dtype:
    if isinstance(x, Tensor):
        return x.dtype  # type: ignore[attr-defined]
    if isinstance(x, dtypes.dtype):
        return x
    return {bool: dtypes.bool_, int: dtypes.int64, float: dtypes.float64, complex: dtypes.complex128}[type(x)]


class _Options:
    """Options of a comparison."""

    def __init__(
        self, rtol, atol, equal_nan, allow_subclasses, check_device, check_dtype, check_layout, check_stride
    ):
        if (rtol is None) != (atol is None):
            raise ValueError(
                "Both 'rtol' and 'atol' must be either specified or omitted, but got no "
                f"{'rtol' if rtol is None else 'atol'}."
            )
        self.rtol, self.atol, self.equal_nan, self.allow_subclasses = rtol, atol, equal_nan, allow_subclasses
        self.attributes = (
            ["shape"]
            + ["layout"] * check_layout
            + ["device"] * check_device
            + ["dtype"] * check_dtype
            + ["stride()"] * check_stride
        )

    def tolerances(self, *inputs: Any) -> tuple[float, float]:
        """Returns the tolerances that were given, or the defaults."""
        return default_tolerances(*inputs) if self.rtol is None else (self.rtol, self.atol)


# -- taking things apart ---------------------------------------------------------------------------------------------


def _mismatches(actual: Any, expected: Any, o: _Options, where: str = "") -> Iterator[tuple[str, str]]:
    """(sentence, place) of what differs."""
    if _both(actual, expected, Sequence) and not isinstance(actual, str) and not isinstance(expected, str):
        if len(actual) != len(expected):
            yield f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", where
            return
        for i, (a, e) in enumerate(zip(actual, expected)):
            yield from _mismatches(a, e, o, f"{where}[{i}]")
        return
    if _both(actual, expected, Mapping):
        missing, extra = set(expected) - set(actual), set(actual) - set(expected)
        if missing or extra:
            yield (
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {sorted(missing, key=str)}\n"
                f"Additional keys in the actual mapping: {sorted(extra, key=str)}",
                where,
            )
            return
        for key in sorted(actual) if all(isinstance(k, str) for k in actual) else actual:
            yield from _mismatches(actual[key], expected[key], o, f"{where}[{key!r}]")
        return
    sentence = _compare(actual, expected, o)
    if sentence is not None:
        yield sentence, where


def _both(a: Any, b: Any, kind: type) -> bool:
    return isinstance(a, kind) and isinstance(b, kind)


def _compare(actual: Any, expected: Any, o: _Options) -> str | None:
    if actual is None or expected is None:
        return None if actual is expected else f"None mismatch: {_shown(actual)} is not {_shown(expected)}"
    if _both(actual, expected, bool) or _both(actual, expected, np.bool_):
        return None if actual == expected else f"Booleans mismatch: {actual} is not {expected}"
    if (
        isinstance(actual, _NUMBER)
        and isinstance(expected, _NUMBER)
        and not isinstance(actual, bool | np.bool_)
    ):
        a, e = [x.item() if isinstance(x, np.number) else x for x in (actual, expected)]
        return _compare_numbers(a, e, o)
    if isinstance(actual, np.ndarray | np.generic) and isinstance(expected, np.ndarray | np.generic):
        actual, expected = torch.tensor(np.asarray(actual)), torch.tensor(np.asarray(expected))
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if (
        not _both(actual, expected, Tensor)
        or not related
        or (not o.allow_subclasses and type(actual) is not type(expected))
    ):
        raise TypeError(
            f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}."
        )
    return _compare_tensors(actual, expected, o)


def _shown(x: Any) -> str:
    return str(x.item()) if isinstance(x, Tensor) and x.ndim == 0 else str(x)  # type: ignore[attr-defined]


# -- numbers and tensors ---------------------------------------------------------------------------------------------


def _within(tolerance: float) -> str:
    return f" (up to {tolerance} allowed)"


def _scalars(actual: Any, expected: Any, rtol: float, atol: float, word: str) -> str:
    difference = abs(actual - expected)
    relative = difference / abs(expected) if expected != 0 else float("inf")
    allowed = (_within(atol), _within(rtol)) if word == "close" else ("", "")
    return (
        f"Scalars are not {word}!\n\nExpected {expected} but got {actual}.\nAbsolute difference: {difference}{allowed[0]}\n"
        f"Relative difference: {relative}{allowed[1]}"
    )


def _word(rtol: float, atol: float) -> str:
    return "equal" if rtol == 0 and atol == 0 else "close"


def _compare_numbers(actual: Any, expected: Any, o: _Options) -> str | None:
    if "dtype" in o.attributes and type(actual) is not type(expected):
        return f"The (d)types do not match: {type(actual)} != {type(expected)}."
    rtol, atol = o.tolerances(actual, expected)
    close = _close(np.asarray(actual), np.asarray(expected), rtol, atol, o.equal_nan)
    return None if close.all() else _scalars(actual, expected, rtol, atol, _word(rtol, atol))


def _close(a: np.ndarray, e: np.ndarray, rtol: float, atol: float, equal_nan: bool) -> np.ndarray:
    with np.errstate(all="ignore"):
        wide = [
            x.astype(np.float64)
            if x.dtype.kind == "V" or (x.dtype.itemsize < 4 and x.dtype.kind == "f")
            else x
            for x in (a, e)
        ]
        difference = np.abs(wide[0] - wide[1]) if a.dtype != np.bool_ else a != e
        near = np.isfinite(difference) & (difference <= atol + rtol * np.abs(wide[1]))
        result = (a == e) | near
        return result | (np.isnan(a) & np.isnan(e)) if equal_nan else result


def _attribute(t: Any, name: str) -> Any:
    return t.stride() if name == "stride()" else getattr(t, name)


def _compare_tensors(actual: Any, expected: Any, o: _Options) -> str | None:
    for name in o.attributes:
        a, e = _attribute(actual, name), _attribute(expected, name)
        if a != e:
            return f"The values for attribute '{name}' do not match: {a} != {e}."
    rtol, atol = o.tolerances(actual, expected)
    if actual.is_meta or expected.is_meta:
        return None  # which have no numbers
    if actual.layout is not expected.layout:
        actual, expected = actual.to_dense(), expected.to_dense()
    if repr(actual.layout).startswith("torch.sparse"):
        return _compare_sparse(actual, expected, rtol, atol, o.equal_nan)
    return _compare_values(actual, expected, rtol, atol, o.equal_nan, "Tensor-likes")


_PARTS = {
    "sparse_coo": ("_indices",), "sparse_csr": ("crow_indices", "col_indices"), "sparse_csc": ("ccol_indices", "row_indices"),
    "sparse_bsr": ("crow_indices", "col_indices"), "sparse_bsc": ("ccol_indices", "row_indices"),
}  # fmt: skip
"""The indices of sparse tensors, which must be equal."""


def _compare_sparse(actual: Any, expected: Any, rtol: float, atol: float, equal_nan: bool) -> str | None:
    name = actual.layout.name
    kind = f"sparse {name.removeprefix('sparse_').upper()}"
    if name == "sparse_coo":
        actual, expected = actual.coalesce(), expected.coalesce()
    if actual._nnz() != expected._nnz():
        return f"The number of specified values in {kind} tensors does not match: {actual._nnz()} != {expected._nnz()}"
    for part in _PARTS[name]:
        a, e = getattr(actual, part)(), getattr(expected, part)()
        told = f"S{kind[1:]} {part.lstrip('_')}"
        if sentence := _compare_values(a, e, 0, 0, equal_nan, told):
            return sentence
    return _compare_values(actual.values(), expected.values(), rtol, atol, equal_nan, f"S{kind[1:]} values")


def _compare_values(
    actual: Any, expected: Any, rtol: float, atol: float, equal_nan: bool, what: str
) -> str | None:
    """The sentence about dense tensors that are not close; `what` they are called in it."""
    if actual.dtype is not expected.dtype:
        both = torch.promote_types(actual.dtype, expected.dtype)
        actual, expected = actual.to(both), expected.to(both)
    a, e = values_of(actual.detach()), values_of(expected.detach())
    if a.dtype == np.bool_:
        a, e = a.astype(np.int64), e.astype(np.int64)
    close = _close(a, e, rtol, atol, equal_nan)
    if close.all():
        return None
    if actual.dtype.is_float8:  # which PyTorch does not subtract
        first = tuple(int(i) for i in np.argwhere(~close)[0])
        return f"{what} are not 'equal'!\n\nMismatched elements: {_counted(close)}\nThe first mismatched element is at index {first}."
    word = _word(rtol, atol)
    if a.ndim == 0:
        return _scalars(actual.item(), expected.item(), rtol, atol, word)
    return _tensors(a, e, close, rtol, atol, word, what)


def _counted(close: np.ndarray) -> str:
    return f"{int((~close).sum())} / {close.size} ({(~close).sum() / close.size:.1%})"


def _tensors(
    a: np.ndarray, e: np.ndarray, close: np.ndarray, rtol: float, atol: float, word: str, what: str
) -> str:
    with np.errstate(all="ignore"):
        difference = np.abs(a - e)
        quotient = difference / np.abs(e)
        if a.dtype.kind in "iu":
            quotient = quotient.astype(np.float32)
    lines = [f"Mismatched elements: {_counted(close)}"]
    for name, values, tolerance in (("absolute", difference, atol), ("relative", quotient, rtol)):
        values = np.where(close, np.zeros((), values.dtype), values)
        wide = values.astype(np.float64) if values.dtype.kind not in "iu" else values
        at = int(np.argmax(wide))
        index = tuple(int(i) for i in np.unravel_index(at, close.shape))
        allowed = _within(tolerance) if word == "close" else ""
        lines.append(f"Greatest {name} difference: {wide.reshape(-1)[at].item()} at index {index}{allowed}")
    return f"{what} are not {word}!\n\n" + "\n".join(lines)


# -- public ----------------------------------------------------------------------------------------------------------


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raises AssertionError unless |actual - expected| <= atol + rtol * |expected| everywhere, and shapes and dtypes
    are equal.

    Sequences and mappings are compared item by item. `msg` replaces the message, or is a function of it. The tolerances
    depend on the dtype when neither is given; numbers of other kinds must be equal.

    >>> torch.testing.assert_close(torch.ones(2), torch.ones(2) + 1e-7)
    """
    options = _Options(
        rtol, atol, equal_nan, allow_subclasses, check_device, check_dtype, check_layout, check_stride
    )
    for sentence, where in _mismatches(actual, expected, options):
        text = sentence + (f"\n\nThe failure occurred for item {where}" if where else "")
        raise AssertionError(text if msg is None else msg(text) if callable(msg) else msg)


def assert_allclose(
    actual: Any, expected: Any, rtol=None, atol=None, equal_nan: bool = True, msg: str = ""
) -> None:
    """assert_close with other defaults; deprecated in PyTorch."""
    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. "
        "Please use `torch.testing.assert_close()` instead.",
        FutureWarning,
        stacklevel=2,
    )
    actual = actual if isinstance(actual, Tensor) else torch.tensor(actual)
    expected = expected if isinstance(expected, Tensor) else torch.tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        found = [_OLDER_TOLERANCES.get(x.dtype.name, (0.0, 0.0)) for x in (actual, expected)]
        rtol, atol = max(r for r, _ in found), max(a for _, a in found)
    options = {"rtol": rtol, "atol": atol, "equal_nan": equal_nan, "msg": msg or None}
    assert_close(actual, expected, check_dtype=False, **options)
