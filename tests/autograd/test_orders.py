"""Derivatives that are constant, and one order more: as PyTorch has them (tests/parity/test_orders_parity.py compares
the same programs)."""

from __future__ import annotations

import pytest

import functorch_lite as torch
import functorch_lite.nn.functional as F
from tests.autograd.orders_programs import CHAINS, NOTHING, PROGRAMS, agree, follow, require

ENDED = "element 0 of tensors does not require grad and does not have a grad_fn"


@pytest.mark.parametrize("name", CHAINS)
def test_derivatives_end_where_they_do_in_torch(name):
    fn, expected = CHAINS[name]
    found, sentence = follow(torch, F, fn, len(expected))
    assert agree(found, expected)
    forever = expected[-3:] == [0.0] * 3 or name in ("prod", "det")
    assert sentence == ("" if forever else ENDED)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_program(program):
    assert agree(program(torch), PROGRAMS[program])


@pytest.mark.parametrize("name", NOTHING)
def test_of_tensors_without_elements(name):
    fn, expected = NOTHING[name]
    assert require(torch, fn) == expected


@pytest.mark.parity
def test_of_tensors_without_elements_as_in_torch():
    theirs = pytest.importorskip("torch")
    assert {name: require(theirs, fn) for name, (fn, _) in NOTHING.items()} == {
        n: e for n, (_, e) in NOTHING.items()
    }
