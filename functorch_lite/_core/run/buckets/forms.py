"""Forms: recordings that are equal but for some lengths, and how their ints depend on those."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .axes import Dim, NoRule
from .interpreter import Differing
from .signatures import Signature

__all__ = ["Form", "Template"]

MOST_VALUES = 1 << 16
"""Bytes of a constant up to which it is looked at whether it is another one in each recording."""


class Template:
    """How the ints of a form's recordings depend on their lengths, as far as some recordings tell.

    columns    which ints are the lengths: sizes of externals
    times, more, length_of  of each int: it is `times * length + more` of the length of this number (-1: it is `more`)
    unexplained  ints that are otherwise
    differing  which constants differ
    """

    def __init__(self, samples: Sequence[Signature]):
        ints = np.stack([s.ints for s in samples])
        first = ints[0]
        unknown = (ints != first).any(0)
        self.columns: list[int] = []
        self.times = np.zeros((len(first), 0), np.int64)
        self.more = first.copy()
        length_of = np.full(len(first), -1)
        n_external = samples[0].n_external
        while unknown[:n_external].any():
            found = [_explained(ints, c, unknown) for c in np.flatnonzero(unknown[:n_external])]
            column, times, more, by_it = max(found, key=lambda f: f[3].sum())
            length_of[by_it] = len(self.columns)
            self.columns.append(int(column))
            self.times = np.concatenate([self.times, np.where(by_it, times, 0)[:, None]], 1)
            self.more = np.where(by_it, more, self.more)
            unknown &= ~by_it
        self.unexplained = np.flatnonzero(unknown)
        self.length_of = length_of
        self.differing = frozenset(
            [k for k, several in enumerate(zip(*[s.values for s in samples])) if not _alike(several)]
        )
        self.values = samples[0].values

    def lengths(self, of: Signature) -> tuple[int, ...]:
        """The lengths of a recording."""
        return tuple([int(of.ints[c]) for c in self.columns])

    def fits(self, of: Signature) -> bool:
        """Returns whether the template says exactly what is in a recording."""
        n = np.array(self.lengths(of), np.int64)
        told = self.times @ n + self.more
        if len(self.unexplained):
            told[self.unexplained] = of.ints[self.unexplained]
        if not (told == of.ints).all():
            return False
        return all(
            k in self.differing or _alike((a, b)) for k, (a, b) in enumerate(zip(self.values, of.values))
        )

    def size(self, k: int) -> int | Dim:
        """The int of this number."""
        length = int(self.length_of[k])
        if length < 0:
            if len(self.unexplained) and k in self.unexplained:
                raise NoRule("a size that is not a length times a number plus a number")
            return int(self.more[k])
        return Dim(length, int(self.times[k, length]), int(self.more[k]))

    def value(self, k: int) -> Any:
        """The constant of this number."""
        return Differing(str(k)) if k in self.differing else self.values[k]


def _explained(ints: np.ndarray, column: int, unknown: np.ndarray) -> tuple:
    """A column as a length: with the factors and summands that make other columns of it, and which columns they
    make."""
    n = ints[:, column]
    other = int(np.flatnonzero(n != n[0])[0])
    times, rest = np.divmod(ints[other] - ints[0], n[other] - n[0])
    more = ints[0] - times * n[0]
    right = unknown & (rest == 0) & (times != 0) & (n[:, None] * times + more == ints).all(0)
    return column, times, more, right


def _alike(values: Sequence[Any]) -> bool:
    """Returns whether constants, or other objects, are the same."""
    first = values[0]
    return all(v is first or _same(first, v) for v in values[1:])


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float | complex) or (hasattr(x, "dtype") and getattr(x, "shape", None) == ())


def _same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):  # a number is Python's or NumPy's, as JAX traced it at symbols or not
        if not (_is_number(a) and _is_number(b)):
            return False
        a, b = np.asarray(a), np.asarray(b)
    if hasattr(a, "dtype") and hasattr(a, "shape"):
        if a.dtype != b.dtype or a.shape != b.shape or a.size * a.dtype.itemsize > MOST_VALUES:
            return False
        return np.asarray(a).tobytes() == np.asarray(b).tobytes()
    if isinstance(a, float):
        return repr(a) == repr(b)
    try:
        return bool(a == b)
    except Exception:  # whatever it is, it does not say so
        return False


class Form:
    """Recordings of one key, of which some lengths were seen. reason: why they are not padded, if they cannot be."""

    MOST = 8

    def __init__(self, key: Any):
        self.key = key
        self.samples: list[Signature] = []
        self.reason: str | None = None
        self.version = 0
        self._template: Template | None = None

    def note(self, of: Signature) -> None:
        """Notes a recording, if it says more than those before."""
        if self._template is not None and self._template.fits(of):
            return
        if len(self.samples) < self.MOST and not any((s.ints == of.ints).all() for s in self.samples):
            self.samples.append(of)
            self._template = None

    def template_for(self, of: Signature) -> Template | None:
        """The template, if it says exactly what is in this recording. Raises NoRule where there can be none."""
        if self._template is None:
            self._template = Template(self.samples)
            self.version += 1
        if not self._template.columns:
            raise NoRule("no input has a size that differs")
        return self._template if self._template.fits(of) else None
