"""functorch's old names: modules as functions of tuples of tensors, its experimental names, and what it no longer
does."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.compat import functorch
from functorch_lite.compat.functorch import (
    combine_state_for_ensemble,
    deprecated,
    make_functional,
    make_functional_with_buffers,
)


def close(a, b):
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-5, atol=1e-6)


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.b = self.a
        self.w = self.a.weight

    def forward(self, x):
        return self.b(self.a(x)) @ self.w


def test_make_functional():
    model, x = nn.Linear(2, 3), torch.randn(4, 2)
    fmodel, params = make_functional(model)
    assert isinstance(fmodel, functorch.FunctionalModule)
    assert isinstance(params, tuple)
    assert [p.requires_grad for p in params] == [True, True]
    assert params[0] is not model.weight
    assert list(fmodel.parameters()) == []
    close(fmodel(params, x), model(x))
    close(fmodel((torch.ones(3, 2), torch.zeros(3)), x), x.sum(1, keepdim=True).expand(4, 3))
    gradients = functorch.grad(lambda p: fmodel(p, x).sum())(params)
    close(gradients[1], torch.full((3,), 4.0))
    assert isinstance(gradients, tuple)
    assert not any(p.requires_grad for p in make_functional(model, disable_autograd_tracking=True)[1])


def test_make_functional_with_tied_weights():
    model, x = Tied(), torch.randn(3, 2)
    fmodel, params = make_functional(model)
    assert len(params) == 2
    assert fmodel.names_map[fmodel.param_names[0]] == ["w", "a.weight", "b.weight"]
    close(fmodel(params, x), model(x))


def test_make_functional_with_buffers():
    model, x = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)), torch.randn(4, 2)
    fmodel, params, buffers = make_functional_with_buffers(model)
    assert isinstance(fmodel, functorch.FunctionalModuleWithBuffers)
    assert (len(params), len(buffers)) == (4, 3)
    close(fmodel(params, buffers, x), model(x))
    close(buffers[0], model[1].running_mean)
    with pytest.raises(RuntimeError, match=r"make_functional\(model\): `model` has buffers"):
        make_functional(model)


def test_combine_state_for_ensemble():
    models, x = [nn.Linear(2, 3) for _ in range(4)], torch.randn(5, 2)
    fmodel, params, buffers = combine_state_for_ensemble(models)
    assert params[0].shape == (4, 3, 2)
    assert not params[0].requires_grad
    assert buffers == ()
    close(functorch.vmap(fmodel, (0, 0, None))(params, buffers, x), torch.stack([m(x) for m in models]))
    with pytest.raises(RuntimeError, match="combine_state_for_ensemble: Expected at least one model, got 0"):
        combine_state_for_ensemble([])
    with pytest.raises(RuntimeError, match="Expected all models to be of the same class"):
        combine_state_for_ensemble([nn.Linear(2, 2), nn.ReLU()])
    with pytest.raises(RuntimeError, match="Expected all models to have the same training/eval mode"):
        combine_state_for_ensemble([nn.Linear(2, 2), nn.Linear(2, 2).eval()])


def test_experimental_names():
    from functorch_lite.compat.functorch.experimental import (
        chunk_vmap,
        control_flow,
        replace_all_batch_norm_modules_,
    )

    x = torch.arange(7.0)
    close(chunk_vmap(lambda x: x * 2, chunks=3)(x), 2 * x)
    close(chunk_vmap(lambda x, k: x * k, in_dims=(0, None), chunks=1)(x, 3.0), 3 * x)
    close(control_flow.cond(x.sum() > 0, torch.sin, torch.cos, (x,)), x.sin())
    close(control_flow.map(torch.sin, x), x.sin())
    assert replace_all_batch_norm_modules_(nn.BatchNorm1d(2)).running_var is None
    assert functorch.experimental.functionalize is functorch.functionalize


HERE = {
    "aot_function",
    "aot_module",
    "debug_compile",
    "default_partition",
    "draw_graph",
    "draw_graph_compile",
    "make_boxed_func",
    "min_cut_rematerialization_partition",
    "minifier",
    "nop",
    "print_compile",
}


@pytest.mark.parametrize("name", sorted({*functorch.compile.__all__} - HERE))
def test_what_is_no_more_says_what_to_do(name):
    with pytest.raises(NotImplementedError, match=r"recorded"):
        getattr(functorch.compile, name)(torch.sin)


MOVED = {name: f"torch.func.{name}" for name in deprecated.__all__} | {
    "vmap": "torch.vmap",
    "make_functional": "torch.func.functional_call",
    "make_functional_with_buffers": "torch.func.functional_call",
    "combine_state_for_ensemble": "torch.func.stack_module_state",
}


def said_by(call):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        call()
    return [(w.category, w.filename, str(w.message)) for w in said]


def calls_of(functorch, nn):
    return {
        "make_functional": lambda: functorch.make_functional(nn.Linear(2, 2)),
        "make_functional_with_buffers": lambda: functorch.make_functional_with_buffers(nn.Linear(2, 2)),
        "combine_state_for_ensemble": lambda: functorch.combine_state_for_ensemble([nn.Linear(2, 2)]),
        "vjp": lambda: functorch.vjp(lambda x: x, nn.Linear(1, 1).bias),
        "jvp": lambda: functorch.jvp(lambda x: x, (nn.Linear(1, 1).bias,), (nn.Linear(1, 1).bias,)),
        **{n: lambda n=n: getattr(functorch, n)(lambda x: x) for n in MOVED if n in
           ("vmap", "grad", "grad_and_value", "jacrev", "jacfwd", "hessian", "functionalize")},
    }  # fmt: skip


def test_what_moved_says_where_to():
    calls = calls_of(functorch, nn)
    assert calls.keys() == MOVED.keys()
    for name, call in calls.items():
        ((category, file, message),) = said_by(call)
        assert category is FutureWarning and file == __file__, name
        assert f"`functorch.{name}`" in message and f"use `{MOVED[name]}` instead" in message
    assert functorch.vmap(torch.sin)(torch.zeros(2)).tolist() == [0, 0]
    assert said_by(lambda: torch.vmap(torch.sin)) == []


@pytest.mark.parity
def test_what_moved_in_pytorch():
    import functorch as theirs
    import torch as pytorch

    for name, call in calls_of(theirs, pytorch.nn).items():
        said = [s for s in said_by(call) if s[0] is FutureWarning]
        assert [(category, file) for category, file, _ in said] == [(FutureWarning, __file__)], name
        assert f"use `{MOVED[name]}` instead" in said[0][2]


def test_print_compile_prints_the_graphs(capsys):
    x = torch.ones(3, requires_grad=True)
    compiled = functorch.compile.print_compile
    out = functorch.compile.aot_function(lambda x: x.cos(), fw_compiler=compiled, bw_compiler=compiled)(x)
    out.sum().backward()
    assert capsys.readouterr().out.count("def forward(self") == 2


def test_a_jacobian_requires_grad_where_its_formula_reads_what_does():
    w, x = torch.ones(2, 3, requires_grad=True), torch.ones(3)
    jacrev = torch.func.jacrev
    assert not jacrev(lambda w: w @ x)(w).requires_grad
    assert jacrev(lambda w: (w @ x) ** 2)(w).requires_grad and jacrev(lambda x: w @ x)(x).requires_grad
