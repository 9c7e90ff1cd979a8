"""Dispatch modes: each op is handed over as an overload of aten, forward and backward; what they do changes nothing
else."""

from __future__ import annotations

import pytest

import functorch_lite as torch
from functorch_lite import _ops
from functorch_lite._subclasses.fake_tensor import DataDependentOutputException, FakeTensor, FakeTensorMode
from functorch_lite.utils._python_dispatch import (
    TorchDispatchMode,
    _disable_current_modes,
    _get_current_dispatch_mode,
)
from functorch_lite.utils._pytree import tree_map
from tests.compiler.dispatch_programs import SEEN, fake, logged

aten = _ops.namespace("aten")


@pytest.mark.parametrize("name", SEEN)
def test_a_mode_that_looks_changes_nothing(name):
    names, results = logged(torch, TorchDispatchMode, SEEN[name])
    assert names and all(n.startswith("aten.") for n in names)
    for got, want in zip(results, SEEN[name](torch)(), strict=True):
        torch.testing.assert_close(got, want)
        assert got.requires_grad == want.requires_grad


@pytest.mark.parity
@pytest.mark.parametrize("name", SEEN)
def test_the_same_ops_as_in_pytorch(name):
    theirs = pytest.importorskip("torch")
    from torch.utils._python_dispatch import TorchDispatchMode as Theirs

    want, values = logged(theirs, Theirs, SEEN[name])
    got, results = logged(torch, TorchDispatchMode, SEEN[name])
    assert got == want
    for a, b in zip(results, values, strict=True):
        torch.testing.assert_close(a.detach(), torch.from_numpy(b.detach().numpy()))


class Log(TorchDispatchMode):
    def __init__(self, name=""):
        super().__init__()
        self.name, self.names = name, []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(func.__name__)
        return func(*args, **(kwargs or {}))


def test_modes_replace_refuse_and_count():
    class Instead(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if func is aten.exp.default:
                raise RuntimeError("no exp")
            if func.overloadpacket is aten.mul:
                return torch.add(*args)
            return func(*args, **(kwargs or {}))

    x = torch.tensor([2.0, 3.0], requires_grad=True)
    with Instead():
        y = x * x
        with pytest.raises(RuntimeError, match="no exp"):
            x.exp()
    assert y.tolist() == [4.0, 6.0]
    y.sum().backward()
    assert x.grad.tolist() == [4.0, 6.0]  # of the product, which it took the place of


def test_modes_nest_and_end():
    x = torch.ones(2)
    with Log() as outer:
        with Log() as inner:
            assert _get_current_dispatch_mode() is inner
            x + 1
            with _disable_current_modes():
                x + 2
        x * 2
    x * 3
    assert (inner.names, outer.names) == (["add.Tensor"], ["add.Tensor", "mul.Tensor"])
    assert _get_current_dispatch_mode() is None

    class Anew(TorchDispatchMode):
        depth = 0

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.depth += 1
            if self.depth < 3:
                with self:
                    return func(*args, **(kwargs or {}))
            return func(*args, **(kwargs or {}))

    with Anew() as anew:
        assert (x + 1).tolist() == [2.0, 2.0]
    assert anew.depth == 3


def test_nothing_is_replayed_under_a_mode():
    @torch.compile
    def f(x):
        return x.sin() + 1

    for _ in range(3):
        f(torch.ones(2))
    for _ in range(2):
        with Log() as log:
            f(torch.ones(2))
        assert log.names[-2:] == ["sin.default", "add.Tensor"]


def test_gradients_accumulate_and_are_differentiated():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with Log() as log:
        (w * w).sum().backward()
        first = w.grad
        (w * w).sum().backward()
        assert w.grad is first and first.tolist() == [4.0, 8.0]
        (g,) = torch.autograd.grad((w**3).sum(), w, create_graph=True)
        g.sum().backward()
    assert w.grad.tolist() == [10.0, 20.0] and "pow.Tensor_Scalar" in log.names


def test_what_is_none_of_atens_has_a_name_too():
    torch.manual_seed(0)
    with Log() as log:
        a = torch.nn.functional.dropout(torch.ones(8), 0.5)
    torch.manual_seed(0)
    assert torch.equal(a, torch.nn.functional.dropout(torch.ones(8), 0.5)) and "dropout.default" in log.names


class Logged(torch.Tensor):
    ops: list = []

    @staticmethod
    def __new__(cls, elem):
        made = torch.Tensor._make_wrapper_subclass(cls, elem.size(), dtype=elem.dtype, device=elem.device)
        made.elem = elem
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        cls.ops.append(func.__name__)
        unwrapped = tree_map(lambda e: e.elem if isinstance(e, Logged) else e, (args, kwargs or {}))
        out = func(*unwrapped[0], **unwrapped[1])
        return tree_map(lambda e: cls(e) if isinstance(e, torch.Tensor) else e, out)


def test_classes_that_wrap_tensors():
    x = torch.arange(6.0).reshape(2, 3)
    w = Logged(x)
    Logged.ops.clear()
    found = [
        w + 1,
        w @ w.T,
        w.view(3, 2),
        w[:, 1],
        torch.cat([w, w]),
        torch.nn.functional.linear(x, w).relu(),
    ]
    want = [x + 1, x @ x.T, x.view(3, 2), x[:, 1], torch.cat([x, x]), torch.nn.functional.linear(x, x).relu()]
    for a, b in zip(found, want):
        assert type(a) is Logged and torch.equal(a.elem, b)
    assert Logged.ops[:4] == ["add.Tensor", "permute.default", "mm.default", "view.default"]
    with Log() as log:
        y = w * 2
    assert log.names == ["mul.Tensor"] and torch.equal(y.elem, x * 2)


def test_fake_tensors():
    made = fake(torch, FakeTensorMode)
    assert made[0] == "FakeTensor(..., size=(2, 10), grad_fn=<AddmmBackward0>)"
    assert made[4] == "FakeTensor(..., device='meta', size=(2,))"
    with FakeTensorMode() as mode:
        x = torch.ones(2, 3)
        assert isinstance(x, FakeTensor) and x.device.type == "cpu" and not x.is_meta
        for read in (lambda: x.sum().item(), lambda: bool(x.sum() > 0)):
            with pytest.raises(DataDependentOutputException):
                read()
        with pytest.raises(RuntimeError, match="must match"):
            x + torch.ones(2, 2)
    with pytest.raises(AssertionError, match="convert all Tensors to FakeTensors first"):
        x + torch.ones(2, 3)
    assert mode.from_tensor(torch.ones(2)).shape == (2,)
    loose = FakeTensorMode(allow_non_fake_inputs=True)
    assert isinstance(torch.nn.Linear(3, 4)(loose.from_tensor(torch.ones(2, 3))), FakeTensor)


@pytest.mark.parity
def test_fake_tensors_are_pytorchs():
    theirs = pytest.importorskip("torch")
    from torch._subclasses.fake_tensor import FakeTensorMode as Theirs

    assert fake(torch, FakeTensorMode) == fake(theirs, Theirs)
