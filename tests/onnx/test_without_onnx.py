"""torch.onnx where onnx is not installed, and what of it needs none."""

from __future__ import annotations

import sys
from fractions import Fraction

import pytest

import functorch_lite as torch
from functorch_lite.onnx.errors import SymbolicValueError
from functorch_lite.onnx.sizes import Merging, Size, product


def test_without_onnx_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'functorch_lite\[onnx\]'"):
        torch.onnx.export(torch.nn.ReLU(), (torch.ones(3),))


def test_sizes_are_found_from_numbers():
    merging = Merging({"b": 2, "n": 2})
    assert len(merging.points) == 5 and all(p["b"] != p["n"] for p in merging.points)
    for of in (lambda b, n: b, lambda b, n: 3 * b * n + n - 1, lambda b, n: 7):
        numbers = [of(**p) for p in merging.points]
        found = merging(numbers, lambda: "it")
        assert (found.at({"b": 11, "n": 13}) if isinstance(found, Size) else found) == of(11, 13)
    with pytest.raises(SymbolicValueError, match="it is "):
        merging([p["b"] ** 2 for p in merging.points], lambda: "it")


def test_arithmetic_of_sizes():
    b, n = Size({("b",): Fraction(1)}), Size({("n",): Fraction(1)})
    assert (b + n - b) == n and (b - b) == 0 and product([b, 2, n]) == b * n * 2
    assert (2 * b * Fraction(1, 2)).symbol == "b" and (b + 1).symbol is None
