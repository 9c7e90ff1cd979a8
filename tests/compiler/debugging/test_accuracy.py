"""Comparing results and models: what PyTorch answered, with the exceptions listed (tests/golden/accuracy.json)."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite._dynamo import debug_utils, testing
from functorch_lite._dynamo.utils import same

FACTS = json.loads((Path(__file__).parents[2] / "golden" / "accuracy.json").read_text())["facts"]

EXCEPTIONS = {
    "reduce_to_scalar_loss: empty list": "ValueError, which says so, in place of ZeroDivisionError",
    "run_fwd_maybe_bwd: no gradient needed": "a plain function has no parameters, and works",
    "same_two_models: output off by 0": "modules with other names of parameters are compared in their order",
    "same_two_models: output off by 0.001": "the same",
}
"""Where what PyTorch does is not what is done here."""


def one(dtype=torch.float32, n=64):
    return torch.linspace(-2, 2, n, dtype=torch.float64).to(dtype)


def noise(n=64):
    return torch.from_numpy(np.random.RandomState(0).uniform(-1, 1, n))


def off_by(text):
    """The arguments of `same` for a fact about a dtype, a distance, a tolerance and a reference."""
    m = re.fullmatch(
        r"(float32|bfloat16|half), (?:(\d+) elements, )?off by ([\d.e-]+|one ulp)( of its noise, tol=([\d.e-]+))?(?:, (.*))?",
        text,
    )
    if m is None:
        return None
    dtype = {"float32": torch.float32, "bfloat16": torch.bfloat16, "half": torch.float16}[m[1]]
    n = int(m[2] or 64)
    if m[3] == "one ulp":
        a = torch.ones(n, dtype=dtype)
        return (a, a + 2**-10), {}
    ref = one(torch.float64, n)
    moved = ref + float(m[3]) * (noise(n) if m[4] or m[1] == "bfloat16" else 1)
    options = {"tol": float(m[5])} if m[5] else {}
    if m[6] == "ref itself is off by 1e-3":
        return (((ref + 1e-3).to(dtype)), moved.to(dtype), ref), options
    given = (ref.to(dtype), moved.to(dtype), ref)
    if m[6] == "float64 reference equal to ref":
        given = (given[0], given[1], given[0].double())
    return (given if m[6] else given[:2]), options


def further(text):
    m = re.fullmatch(r"float32, (\d+) elements, (larger multiplier, )?res ([\d.]+) times as far.*", text)
    if m is None:
        return None
    ref64 = one(torch.float64, int(m[1]))
    arguments = (ref64 + 1e-2).float(), (ref64 + 1e-2 * float(m[3])).float(), ref64
    return arguments, {"use_larger_multiplier_for_smaller_tensor": bool(m[2])}


INF, LARGE = float("inf"), 1e38
CASES = {
    "cosine, scaled by 2": ((one(), one() * 2), {"cos_similarity": True}),
    "infinity of other sign": ((torch.tensor([INF]), torch.tensor([-INF])), {}),
    "infinity against large": ((torch.tensor([INF]), torch.tensor([LARGE])), {}),
    "dtype differs": ((one(), one(torch.float64)), {}),
    "ints differ": ((torch.arange(3), torch.arange(3) + 1), {}),
    "ints differ, ignore_non_fp": ((torch.arange(3), torch.arange(3) + 1), {"ignore_non_fp": True}),
    "bools differ": ((torch.tensor([True]), torch.tensor([False])), {}),
    "bools differ by dtype": ((torch.tensor([True]), torch.tensor([1])), {}),
    "list lengths differ": (([one()], [one(), one()]), {}),
    "list against tuple": (([one()], (one(),)), {}),
    "str differ": (("a", "b"), {}),
    "python float close": ((1.0, 1.0 + 1e-6), {}),
    "python float far": ((1.0, 1.1), {}),
    "int against float": ((1, 1.0), {}),
    "empty tensors": ((torch.zeros(0), torch.zeros(0)), {}),
    "complex": ((torch.tensor([1 + 2j]), torch.tensor([1 + 2j])), {}),
    "complex far": ((torch.tensor([1 + 2j]), torch.tensor([1 + 3j])), {}),
    "sparse": ((torch.eye(3).to_sparse(), torch.eye(3).to_sparse()), {}),
    "0-d float off by 1e-5": ((torch.tensor(1.0), torch.tensor(1.0 + 1e-5)), {}),
    "object of unknown class": ((object(), object()), {}),
    "size": ((torch.Size([2, 3]), torch.Size([2, 3])), {}),
    "module parameters": ((dict(nn.Linear(1, 1).named_parameters()),) * 2, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", FACTS["same"])
def test_same(name):
    fact = FACTS["same"][name]
    arguments, options = CASES.get(name) or off_by(name) or further(name)
    if isinstance(fact, str):
        kind, _, text = fact.partition(": ")
        with pytest.raises({"RuntimeError": RuntimeError}[kind], match=re.escape(text)):
            same(*arguments, **options)
    else:
        assert same(*arguments, **options) is fact


def test_same_where_no_fact_stands():
    nan = torch.tensor([1.0, float("nan")])
    assert not same(nan, nan) and same(nan, nan, equal_nan=True)
    assert not same(torch.ones(2), torch.ones(3)) and not same(torch.ones(2), torch.ones(1, 2))
    assert not same(nan, nan.flip(0), nan.double(), equal_nan=True)  # NaN elsewhere
    assert same(nan + 1e-2, nan + 1.5e-2, nan.double(), equal_nan=True)  # NaN alike: the rest decides
    bad, good = torch.tensor([float("inf"), 1.0]), torch.tensor([2.0, 1.0])
    assert same(bad, good, good.double()) and not same(good, bad, good.double())
    with pytest.raises(AssertionError, match="keys mismatch"):
        same({"a": 1}, {"b": 1})
    assert same({1, 2}, {2, 1}) and not same({1}, {2}) and same({"a": one()}, {"a": one() + 1e-6})
    assert same(np.float32(1), np.float32(1)) and not same(np.float32(1), 1.0)
    assert same(np.float32(1), 1.0, relax_numpy_equality=True) and same(np.ones(2), np.ones(2) + 1e-6)
    assert same(one(), one(torch.float64), exact_dtype=False) and same(None, None)
    assert same(torch.zeros(3), torch.zeros(3), cos_similarity=True)
    assert not same(torch.ones(2), torch.tensor([1.0, -1.0]), cos_similarity=True)


class Output:
    def __init__(self, logits):
        self.logits = logits


def named(name):
    return type(name, (Output,), {})(torch.full((2, 3), 7.0))


LOSSES = {
    "int tensor": lambda: torch.arange(6),
    "tuple": lambda: (torch.full((3,), 2.0), torch.full((2,), 3.0)),
    "empty list": list,
    "number": lambda: 1.0,
    "string": lambda: "a",
    "empty tensor": lambda: torch.zeros(0),
    "bool tensor": lambda: torch.tensor([True, True]),
}


@pytest.mark.parametrize("name", FACTS["reduce_to_scalar_loss"])
def test_reduce_to_scalar_loss(name):
    fact = FACTS["reduce_to_scalar_loss"][name]
    made = LOSSES[name]() if name in LOSSES else named(name)
    if f"reduce_to_scalar_loss: {name}" in EXCEPTIONS:
        with pytest.raises(ValueError, match="an empty list has no mean"):
            testing.reduce_to_scalar_loss(made)
    elif isinstance(fact, str):
        with pytest.raises(NotImplementedError, match="Don't know how to reduce"):
            testing.reduce_to_scalar_loss(made)
    else:
        found = float(testing.reduce_to_scalar_loss(made))
        assert found == fact or (math.isnan(found) and math.isnan(fact))


def test_reduce_of_nested_is_a_mean_of_means():
    nested = [torch.tensor([1.0, 3.0]), {"a": torch.tensor(4.0), "b": torch.tensor(8.0)}]
    assert testing.reduce_to_scalar_loss(nested).item() == 4.0


def test_run_fwd_maybe_bwd():
    fact = FACTS["run_fwd_maybe_bwd"]
    model, x = nn.Linear(3, 2), torch.randn(4, 3, requires_grad=True)
    found = debug_utils.run_fwd_maybe_bwd(model, [x])
    assert type(found).__name__ == fact["type"] and len(found) == fact["len"]
    assert [type(p).__name__ for p in found] == fact["parts"]
    assert str(model.weight.grad) == fact["module_grad_after"] and str(x.grad) == fact["input_grad_after"]
    only = debug_utils.run_fwd_maybe_bwd(model, [x], only_fwd=True)
    assert type(only).__name__ == fact["only_fwd"]
    assert found[2].keys() == {"weight.grad", "bias.grad"} and found[3].keys() == {"weight", "bias"}
    model(x).sum().div(8).backward()
    torch.testing.assert_close(found[2]["weight.grad"], model.weight.grad)
    torch.testing.assert_close(found[5], x.grad)


def test_run_fwd_maybe_bwd_of_a_function():
    assert "run_fwd_maybe_bwd: no gradient needed" in EXCEPTIONS
    out, loss, *named, grad = debug_utils.run_fwd_maybe_bwd(lambda x: x * 2, [torch.ones(2)])
    assert out.tolist() == [2, 2] and loss is None and named == [{}, {}, {}] and grad is None


def test_boxed_callables_get_a_list():
    def boxed(args):
        return args[0] + args[1]

    boxed._boxed_call = True
    assert debug_utils.run_fwd_maybe_bwd(boxed, [torch.ones(1), torch.ones(1)], only_fwd=True).item() == 2


class Moved(nn.Module):
    def __init__(self, of, by):
        super().__init__()
        self.l, self.by = of, by

    def forward(self, x):
        return self.l(x) + self.by


class Whole(nn.Module):
    def __init__(self, by=0):
        super().__init__()
        self.by = by

    def forward(self, x):
        return (x * 0).to(torch.int64) + self.by


class Raises(nn.Module):
    def __init__(self, of=torch.float16):
        super().__init__()
        self.of = of

    def forward(self, x):
        if x.dtype is self.of:
            raise ValueError("boom")
        return x * 2


@pytest.mark.parametrize("name", FACTS["same_two_models"])
def test_same_two_models(name):
    fact = FACTS["same_two_models"][name]
    model, x = nn.Linear(3, 2), torch.randn(4, 3)
    m = re.fullmatch(r"output off by ([\d.e-]+)(, only_fwd)?", name)
    compare = debug_utils.same_two_models
    if m:
        by = float(m[1])
        found = compare(model, Moved(model, by), [x], only_fwd=bool(m[2]))
        assert found is (fact if f"same_two_models: {name}" not in EXCEPTIONS else by < 0.01)
    elif name == "first model raises":
        with pytest.raises(ValueError, match="boom"):
            compare(Raises(torch.float32), model, [x])
    elif name.startswith("integer"):
        assert compare(Whole(), Whole(1), [x], ignore_non_fp=name.endswith("ignore_non_fp")) is fact
    elif name == "no float64 possible":
        assert compare(Raises(torch.float64), Raises(torch.float64), [x]) is fact
    else:
        with pytest.raises(RuntimeError, match=re.escape(fact.partition(": ")[2])):
            compare(Raises(torch.float64), Raises(torch.float64), [x], require_fp64=True)


def test_an_error_of_the_second_model_is_no_difference():
    assert debug_utils.same_two_models(nn.Linear(3, 2), Raises(torch.float32), [torch.randn(4, 3)])


def test_backend_accuracy_fails():
    gm = torch.fx.symbolic_trace(lambda x: torch.relu(x).sin())
    x = [torch.randn(5)]
    assert not debug_utils.backend_accuracy_fails(gm, x, lambda gm, _: gm.forward)
    assert debug_utils.backend_accuracy_fails(gm, x, lambda gm, _: lambda *a: gm(*a) + 0.1)

    def refuses(gm, inputs):
        raise ValueError

    assert not debug_utils.backend_accuracy_fails(gm, x, refuses)


def test_clones_keep_shared_storage():
    base = torch.arange(6.0)
    a, b, _ = debug_utils.clone_inputs_retaining_gradness([base[:3], base[1:4], base])
    a[1] = 10
    assert b[0] == 10 and base[1] == 1
    d, e = debug_utils.clone_inputs_retaining_gradness([base, base])
    assert d is e and d is not base


def test_dtypes_inside_a_graph_are_widened_too():
    gm = torch.fx.symbolic_trace(lambda x: torch.zeros(2, dtype=torch.float32) + x.to(torch.float16))
    model, (x,) = debug_utils.cast_to_fp64(gm, [torch.ones(2)])
    assert x.dtype is torch.float64 and model(x).dtype is torch.float64


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.int64, torch.bool, torch.complex64, torch.float8_e5m2]
)
def test_rand_strided(dtype):
    t = testing.rand_strided((2, 3), (1, 4), dtype)
    assert t.shape == (2, 3) and t.stride() == (1, 4) and t.dtype is dtype
    assert torch.isfinite(t.to(torch.complex64)).all()
