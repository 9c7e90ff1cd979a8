"""The cases of argument_cases.py in PyTorch: what they are said to give and to raise is what PyTorch gives and
raises."""

from __future__ import annotations

import importlib

import pytest

from .argument_cases import CASES, ERRORS, VALUES
from .test_arguments import plain

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]


@pytest.mark.parametrize("name", VALUES)
def test_value(name):
    assert plain(CASES[name](torch)) == VALUES[name]


@pytest.mark.parametrize("name", ERRORS)
def test_error(name):
    error, message = ERRORS[name]
    with pytest.raises(error) as raised:
        CASES[name](torch)
    assert type(raised.value) is error
    assert message in str(raised.value)


@pytest.mark.parametrize("name", ["associative_scan", "cond", "map", "scan", "while_loop"])
def test_higher_order_ops_have_modules_of_their_own(name):
    module = importlib.import_module(f"torch._higher_order_ops.{name}")
    assert callable(getattr(module, name))
