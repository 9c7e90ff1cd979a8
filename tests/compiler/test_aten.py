"""make_fx shows the ops of aten that PyTorch's shows (tests/golden/aten_graphs.json), they compute what the function
computes, and passes find them.

`python -m tests.compiler.test_aten` (needs torch) writes the record.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import functorch_lite as ours
from functorch_lite.fx.experimental.proxy_tensor import make_fx
from tests.compiler.aten_programs import DIFFERENT, programs

GOLDEN = Path(__file__).parent.parent / "golden" / "aten_graphs.json"
PROGRAMS = programs(ours)
pytree = ours.utils._pytree


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_what_is_shown(name):
    f, args = PROGRAMS[name]
    shown, wanted = make_fx(f)(*args).code.strip(), json.loads(GOLDEN.read_text())[name]
    assert (shown == wanted) is (name not in DIFFERENT), f"{shown}\n\nPyTorch:\n{wanted}"


def test_most_is_shown_as_pytorch_shows_it():
    assert len(PROGRAMS) - len(DIFFERENT) >= 80 and set(DIFFERENT) <= set(PROGRAMS)


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_what_is_shown_computes_the_same(name):
    f, args = PROGRAMS[name]
    gm = make_fx(f)(*args)
    ours.manual_seed(3)
    wanted, _ = pytree.tree_flatten(f(*_copied(args)))
    ours.manual_seed(3)
    got, _ = pytree.tree_flatten(gm(*_copied(args)))
    assert len(got) == len(wanted)
    for a, b in zip(got, wanted):
        ours.testing.assert_close(a, b, rtol=2e-5, atol=1e-6, check_stride=False) if isinstance(
            b, ours.Tensor
        ) else None
        assert a.dtype is b.dtype if isinstance(b, ours.Tensor) else a == b
    for node in gm.graph.nodes:
        val = node.meta.get("val")
        if node.op == "call_function" and isinstance(val, ours.Tensor):
            assert val.device.type == "meta"


def _copied(args):
    return pytree.tree_map(
        lambda x: x.detach().clone().requires_grad_(x.requires_grad) if isinstance(x, ours.Tensor) else x,
        args,
    )


def test_a_pass_written_for_aten():
    aten = ours.ops.aten
    net = ours.nn.Sequential(ours.nn.Linear(4, 5), ours.nn.ReLU(), ours.nn.Linear(5, 2, bias=False))
    x = ours.randn(3, 4)
    gm = make_fx(lambda x: net(x))(x)
    flops = 0
    for node in gm.graph.nodes:
        if node.target == aten.mm.default or node.target == aten.addmm.default:
            a, b = node.args[-2].meta["val"].shape, node.args[-1].meta["val"].shape
            flops += 2 * a[0] * a[1] * b[1]
        if node.target is aten.relu.default:
            assert node.target.overloadpacket is aten.relu and str(node.target) == "aten.relu.default"
            node.target = aten.sigmoid.default
    gm.recompile()
    assert flops == 2 * 3 * 5 * (4 + 2)
    ours.testing.assert_close(gm(x), net[2](net[0](x).sigmoid()))
    assert {n: p.shape for n, p in gm.named_parameters()} == {
        f"_param_constant{i}": p.shape for i, p in enumerate(net.parameters())
    }


def test_decompositions_of_ops_of_aten():
    aten = ours.ops.aten
    table = {aten.addmm.default: lambda b, x, w: b + x @ w, aten.relu.default: lambda x: x.clamp(min=0)}
    gm = make_fx(lambda x, w, b: ours.relu(ours.nn.functional.linear(x, w, b)), decomposition_table=table)(
        ours.randn(2, 3), ours.randn(4, 3), ours.randn(4)
    )
    assert [n.name for n in gm.graph.nodes if n.op == "call_function"] == ["t", "mm", "add", "clamp"]


def test_what_is_recorded_without_gradients_is_shown_so():
    def f(x):
        with ours.no_grad():
            scale = x.exp()
        return x * scale

    x = ours.randn(3, requires_grad=True)
    gm = make_fx(f)(x)
    assert gm.code.count("set_grad_enabled(") == 2
    ours.testing.assert_close(ours.autograd.grad(gm(x).sum(), x)[0], x.exp().detach())


def test_second_derivatives():
    f = ours.func.hessian(lambda x: (x.sin() * x).sum())
    x = ours.randn(3)
    for g in (f, ours.func.grad(lambda x: ours.func.grad(lambda x: x.sin().sum())(x).sum())):
        ours.testing.assert_close(make_fx(g)(x)(x), g(x))


@pytest.mark.parity
def test_the_record_is_pytorchs():
    theirs, known = _theirs(pytest.importorskip("torch")), json.loads(GOLDEN.read_text())
    assert theirs.keys() == known.keys()
    assert not {name for name, code in theirs.items() if code != known[name]}


def _theirs(torch) -> dict[str, str]:
    traced = __import__("torch.fx.experimental.proxy_tensor", fromlist=["make_fx"]).make_fx
    return {name: traced(f)(*args).code.strip() for name, (f, args) in programs(torch).items()}


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(_theirs(__import__("torch")), indent=1) + "\n")
