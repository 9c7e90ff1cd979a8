"""torch.compile and torch.compiler: scripts that call them run, and what cannot be done says so.
Observed in PyTorch 2.13. (What marking does is in tests/compiler.)"""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.compiler import InvalidBackend, OptimizedModule


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.factor = nn.Parameter(torch.full((2,), 3.0))
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x * self.factor

    def twice(self, x):
        return 2 * self(x)


def test_a_function_is_called_as_before():
    def f(x, y=1):
        """doc"""
        return (x * x + y).sum()

    compiled = torch.compile(f, mode="max-autotune", dynamic=True)
    assert (
        compiled is not f
        and compiled.__name__ == "f"
        and compiled.__doc__ == "doc"
        and compiled.__wrapped__ is f
    )
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    compiled(x, y=2).backward()
    assert x.grad.tolist() == [2.0, 4.0]
    assert torch.func.grad(compiled)(x.detach()).tolist() == [2.0, 4.0]
    assert torch.compile(f, disable=True) is f


def test_as_a_decorator():
    @torch.compile
    def plain(x):
        return x + 1

    @torch.compile(fullgraph=True, options={"triton.cudagraphs": True})
    def with_arguments(x):
        return x + 2

    class Holder(nn.Module):
        @torch.compile
        def forward(self, x):
            return x + 3

    x = torch.zeros(1)
    assert [f(x).item() for f in (plain, with_arguments, Holder())] == [1.0, 2.0, 3.0]
    assert torch.compile(Holder) is Holder


def test_a_module_is_wrapped():
    m = Scale()
    c = torch.compile(m)
    assert type(c) is OptimizedModule and isinstance(c, nn.Module) and not isinstance(c, Scale)
    assert c._orig_mod is m and list(c.state_dict()) == ["_orig_mod.factor"]
    assert [n for n, _ in c.named_modules()] == ["", "_orig_mod"]
    assert c(torch.ones(2)).tolist() == [3.0, 3.0] and m.calls == c.calls == 1
    assert c.twice(torch.ones(2)).tolist() == [6.0, 6.0]
    c.note = "set"
    assert m.note == "set" and "note" not in vars(c)
    del c.note
    assert not hasattr(m, "note")
    c.eval()
    assert not m.training and not c.training
    m.train()
    assert c.training
    assert repr(c) == "OptimizedModule(\n  (_orig_mod): Scale()\n)"
    c.load_state_dict({"_orig_mod.factor": torch.ones(2)})
    assert m.factor.tolist() == [1.0, 1.0]


def test_a_wrapped_module_trains_and_is_copied():
    c = torch.compile(nn.Sequential(nn.Linear(2, 1, bias=False)))
    optimizer = torch.optim.SGD(c.parameters(), lr=0.5)
    before = c._orig_mod[0].weight.detach().numpy().copy()
    c(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    assert (c._orig_mod[0].weight.detach().numpy() == before - np.float32(0.5)).all()
    assert len(c) == 1 and c.to(torch.float64) is c and c._orig_mod[0].weight.dtype is torch.float64
    for other in (copy.deepcopy(c), pickle.loads(pickle.dumps(c))):
        assert type(other) is OptimizedModule and other._orig_mod is not c._orig_mod
        assert torch.equal(other._orig_mod[0].weight, c._orig_mod[0].weight)
    with pytest.raises(TypeError, match="Scale does not support len"):
        len(torch.compile(Scale()))


def test_hooks_of_the_wrapper_and_of_the_module():
    m, seen = Scale(), []
    c = torch.compile(m)
    c.register_forward_hook(lambda module, args, out: seen.append("wrapper"))
    m.register_forward_hook(lambda module, args, out: seen.append("module"))
    c(torch.ones(2))
    assert seen == ["module", "wrapper"]
    handle = nn.modules.module.register_module_forward_hook(lambda module, args, out: None)
    try:
        with pytest.warns(UserWarning, match="an extra time"):
            c(torch.ones(2))
    finally:
        handle.remove()


@pytest.mark.parametrize(
    "arguments, error, sentence",
    [
        ({"backend": "foo"}, InvalidBackend, "Invalid backend: 'foo'"),
        ({"backend": "tvm"}, NotImplementedError, "leave backend= out"),
        ({"mode": "fast"}, RuntimeError, "Unrecognized mode=fast, should be one of: default, lite"),
        ({"mode": "default", "options": {}}, RuntimeError, "Either mode or options can be specified"),
        ({"options": {"speed": 1}}, RuntimeError, "Unexpected optimization option speed"),
        ({"dynamic": "yes"}, AssertionError, "Expected enable to be a bool"),
        ({"shapes_spec": 1}, NotImplementedError, "Leave it out"),
        ({"recompile_limit": "8"}, TypeError, "a number of kinds of calls, or None, not '8'"),
        ({"speed": 1}, TypeError, "unexpected keyword argument 'speed'"),
    ],
)
def test_arguments_are_checked(arguments, error, sentence):
    for compile in (lambda **kw: torch.compile(Scale(), **kw), lambda **kw: Scale().compile(**kw)):
        with pytest.raises(error, match=sentence):
            compile(**arguments)


def test_what_is_no_function():
    with pytest.raises(
        AssertionError, match="A callable function is expected, but <class 'int'> is provided"
    ):
        torch.compile(3)
    with pytest.raises(RuntimeError, match="Model can't be None"):
        torch.compile()(None)


def test_backends():
    compiler = torch.compiler
    assert compiler.list_backends() == ["inductor", "openxla"]
    assert "eager" in compiler.list_backends(None) and compiler.get_default_backend() == "inductor"
    try:
        compiler.set_default_backend("foo")
        with pytest.raises(InvalidBackend):
            torch.compile(Scale())
    finally:
        compiler.set_default_backend(None)
    with pytest.raises(TypeError, match="backend must be a string or callable"):
        compiler.set_default_backend(3)


def test_what_code_asks_of_the_compiler():
    compiler = torch.compiler
    assert not (compiler.is_compiling() or compiler.is_dynamo_compiling() or compiler.is_exporting())

    def f(x):
        return x + 1

    assert compiler.allow_in_graph(f) is f and compiler.allow_in_graph([f]) == [f]
    assert compiler.assume_constant_result(f) is f
    for wrapped in (
        compiler.disable(f), compiler.disable(recursive=False, reason="why")(f), compiler.nested_compile_region(f),
        compiler.set_stance("force_eager")(f),
    ):  # fmt: skip
        assert wrapped.__wrapped__ is f and wrapped(torch.zeros(1)).item() == 1.0
    assert type(compiler.disable(Scale())) is OptimizedModule
    with compiler.set_stance("eager_on_recompile"):
        assert torch.compile(f)(torch.zeros(1)).item() == 1.0
    with pytest.raises(RuntimeError, match=r"invalid torch\.compile stance 'foo'"):
        compiler.set_stance("foo")
    with pytest.raises(RuntimeError, match="non-default stance cannot have force_backend set"):
        compiler.set_stance("force_eager", force_backend="eager")
    compiler.cudagraph_mark_step_begin()


@pytest.mark.programs
def test_reset_compiles_again():
    def run():
        return (torch.arange(3.0) * 5 - 1).tolist()

    run()
    before = torch.debug.stats()["programs"]
    run()
    assert torch.debug.stats()["programs"] == before
    torch.compiler.reset()
    assert run() == [-1.0, 4.0, 9.0] and torch.debug.stats()["programs"] > before
