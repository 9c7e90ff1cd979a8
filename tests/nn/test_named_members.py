"""NamedMemberAccessor: a module's tensors by their names, beside PyTorch's."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import functorch_lite as ours

FACTS = [
    ("a.get_tensor('0.weight').shape", "torch.Size([1, 2])"),
    ("a.get_tensor('0.gone')", "AttributeError: Linear has no attribute `0.gone`"),
    ("a.get_tensor('1.p')", "TypeError: 0.5 is not an instance of torch.Tensor"),
    ("a.get_submodule('0.weight.x')", "TypeError"),
    ("a.get_submodule('7.x')", "AttributeError: Sequential has no attribute `7`"),
    ("a.set_tensor('0.bias', torch.zeros(1)) or a.get_tensor('0.bias')", "tensor([0.])"),
    ("a.set_tensor('0.bias', 3)", "TypeError: 3 is not an instance of torch.Tensor"),
    ("a.set_tensor('0.extra', torch.ones(1)) or m[0].extra", "tensor([1.])"),
    ("a.set_tensor('0.', torch.ones(1))", "KeyError: 'tensor name can\\'t be empty string \"\"'"),
    ("a.swap_tensor('1.p', torch.ones(1))", "TypeError: attribute `p`: 0.5 is not an instance of torch.Tensor"),
    ("a.swap_tensor('0.gone', torch.ones(1))", "AttributeError: Linear has no attribute `gone`"),
    ("a.swap_tensors_dict({'0.bias': torch.zeros(1), '0.gone': torch.zeros(1)})", "RuntimeError: Missing key(s): '0.gone'."),
    ("m[0].bias.tolist()", "[2.0]"),
    ("a.swap_tensors_dict({'0.bias': torch.zeros(1)})[0]['0.bias'].tolist()", "[2.0]"),
    ("a.swap_tensors(['0.bias'], [])", "AssertionError: names and values must have the same length, got 1 names and 0 values"),
    ("a.del_tensors(['0.bias']) or dict(m.named_parameters()).keys()", "dict_keys(['0.weight'])"),
    ("a.del_tensor('0.gone')", "AttributeError: Linear has no attribute `0.gone`"),
    ("a.check_keys(['0.bias', 'x'])", "(['0.weight'], ['x'])"),
    ("[n for n, _ in a.named_tensors()]", "['0.weight', '0.bias']"),
    ("type(a.swap_submodule('0', torch.nn.ReLU())).__name__, repr(m[0])", "('Linear', 'ReLU()')"),
    ("a.swap_submodule('7', torch.nn.ReLU())", "KeyError: 'submodule 7 does not exist'"),
]  # fmt: skip


def found(torch: Any, package: str, expression: str) -> str:
    m = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.Dropout())
    torch.nn.init.constant_(m[0].bias, 2.0)
    made = importlib.import_module(f"{package}.nn.utils._named_member_accessor").NamedMemberAccessor(m)
    try:
        return str(eval(expression, {"a": made, "m": m, "torch": torch}))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize(("expression", "fact"), FACTS)
def test_fact(expression: str, fact: str):
    assert found(ours, "functorch_lite", expression).startswith(fact)


@pytest.mark.parity
def test_beside_torch():
    torch = pytest.importorskip("torch")
    for expression, fact in FACTS:
        assert found(torch, "torch", expression).startswith(fact), expression
