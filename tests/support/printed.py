"""Compares what is printed: fractions may differ in their last digits, which depend on the processor; all else is the
same."""

from __future__ import annotations

import doctest
import re

__all__ = ["PrintedChecker", "prints_alike"]

_FRACTION = re.compile(r"-?\d+\.\d*(?:e[-+]?\d+)?|-?\d+e[-+]?\d+")
_RELATIVE, _ABSOLUTE = 2e-4, 1.01e-4
"""Of the four digits after the point that tensors print, the last may be another."""


def prints_alike(want: str, got: str) -> bool:
    """Whether two texts are the same but for white space and the last digits of fractions.

    `[5.]` and `[5.0000]` are alike, `[5]` is another."""
    if re.sub(r"\s", "", _FRACTION.sub("#", want)) != re.sub(r"\s", "", _FRACTION.sub("#", got)):
        return False
    pairs = zip(map(float, _FRACTION.findall(want)), map(float, _FRACTION.findall(got)))
    return all(a == b or abs(a - b) <= max(_ABSOLUTE, _RELATIVE * abs(a)) for a, b in pairs)


class PrintedChecker(doctest.OutputChecker):
    """Checks an example's output as doctest does, and where that fails by `prints_alike`."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        """Whether an example printed what it says."""
        return super().check_output(want, got, optionflags) or prints_alike(want, got)
