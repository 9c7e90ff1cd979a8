"""autograd.forward_ad: against torch.func.jvp and closed forms; errors; what is kept.
(Beside PyTorch: test_autograd_parity.py.)"""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite.autograd import forward_ad as fw
from functorch_lite.autograd.forward_ad import _active

from .dual_programs import PROGRAMS, directional, vectors


def close(t, wanted):
    np.testing.assert_allclose(t.detach().numpy(), np.asarray(wanted), rtol=1e-5, atol=1e-6)


def by_duals(f, x, tangent):
    with fw.dual_level():
        return fw.unpack_dual(f(fw.make_dual(x, tangent)))


def cell(x):
    y = torch.tanh(x @ x.t()) + x.sum(0)
    y = y.clone()
    y[0] *= y[1]
    return torch.nn.functional.layer_norm(y, (2,)).cumsum(0).exp()


@pytest.mark.parametrize("eagerly", [False, True])
def test_is_the_jvp_of_func(eagerly):
    # in double precision: a layer norm of two numbers magnifies what two programs round differently
    x = torch.tensor([[0.1, 0.2], [0.3, -0.4]], dtype=torch.float64)
    tangent = torch.tensor([[1.0, 0.0], [0.5, 2.0]], dtype=torch.float64)
    value, wanted = torch.func.jvp(cell, (x,), (tangent,))
    for _ in range(2):
        if eagerly:
            with torch.debug.eager():
                found = by_duals(cell, x, tangent)
        else:
            found = by_duals(cell, x, tangent)
        close(found.primal, value.numpy())
        close(found.tangent, wanted.numpy())


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n not in ("modules", "many_ops")])
def test_program_runs_the_same_op_by_op(name):
    def values(x):
        parts = x if isinstance(x, tuple | list) else [x]
        return [v for p in parts for v in (values(p) if isinstance(p, tuple | list) else [p])]

    recorded = values(PROGRAMS[name](torch))
    with torch.debug.eager():
        eager = values(PROGRAMS[name](torch))
    for a, b in zip(recorded, eager, strict=True):
        if isinstance(a, torch.Tensor):
            close(a, b.detach().numpy())
        else:
            assert a is b


@pytest.mark.parametrize("tier", ["auto", "cold", "compiled"])
@pytest.mark.parametrize("eagerly", [False, True])
def test_what_is_read_on_the_way_keeps_its_tangent(eagerly, tier):
    """Elements and comparisons are answered on the host, and taken back from the recording: not where tangents follow
    it."""
    v, tv = torch.tensor([3.0, 4.0]), torch.tensor([1.0, 10.0])
    with torch.debug.tier(tier), torch.debug.eager() if eagerly else contextlib.nullcontext():
        with fw.dual_level():
            d = fw.make_dual(v, tv)
            first = d[0]
            assert first.item() == 3.0
            close(fw.unpack_dual(first * 2).tangent, 2.0)
            doubled = (d * 2).select(0, 0)
            assert doubled > 0
            close(fw.unpack_dual(doubled * 3).tangent, 6.0)
            plain = torch.tensor([1.0, 2.0]) + 1
            fw.unpack_dual(d * d)
            assert plain.select(0, 1).item() == 3.0
            close(fw.unpack_dual(d * 5).tangent, [5.0, 50.0])
            fw.unpack_dual(d * d)
            assert (plain > 0).all()
            close(fw.unpack_dual(d * 7).tangent, [7.0, 70.0])


def test_closed_forms():
    v, tv = vectors(torch)
    with fw.dual_level():
        d = fw.make_dual(v, tv)
        close(fw.unpack_dual(d * d * d).tangent, [3, 0, -27])
        close(fw.unpack_dual(d * d.detach()).tangent, [1, 0, -3])
        assert fw.unpack_dual(d.detach()).tangent is None
        assert fw.unpack_dual(v).tangent is None
    close(torch.func.grad(lambda x: directional(torch, x, tv))(v), [6, 0, -18])
    close(
        torch.vmap(lambda x: directional(torch, x, tv))(torch.stack([v, 2 * v])), [-24, -96]
    )  # torch can not


def test_tangents_are_kept_for_what_is_alive_only():
    v, tv = vectors(torch)
    with fw.dual_level():
        d = fw.make_dual(v, tv)
        y = d
        for i in range(40):
            y = y * 1.1 + d
            if i % 5 == 0:
                y.sum().item()
        assert len(_active.level.held) <= 6
        wanted = torch.func.jvp(lambda d: sum([d * 1.1**i for i in range(41)]), (v,), (tv,))[1]
        close(fw.unpack_dual(y).tangent, wanted.numpy())
    assert _active.level is None


def test_costs_nothing_outside_of_a_level():
    v, tv = vectors(torch)
    for _ in range(3):
        (v * 2).sum().item()
    before = dict(torch.debug.stats())
    (v * 2).sum().item()
    programs, ops = (torch.debug.stats()[k] - before[k] for k in ("programs", "ops"))
    assert programs == 0
    by_duals(lambda d: d * 2, v, tv)
    torch.synchronize()
    before = dict(torch.debug.stats())
    (v * 2).sum().item()
    assert torch.debug.stats()["ops"] - before["ops"] == ops
    assert torch.debug.stats()["programs"] == before["programs"]


def test_repeating_compiles_nothing():
    v, tv = vectors(torch)

    def step():
        return by_duals(lambda d: (d.sin() * d).sum(), v, tv).tangent.item()

    first = [step() for _ in range(3)]
    before = torch.debug.stats()["programs"]
    assert [step() for _ in range(3)] == first
    assert torch.debug.stats()["programs"] == before


def test_more_ops_than_a_recording_holds():
    v, tv = vectors(torch)
    with fw.dual_level():
        y = d = fw.make_dual(v, tv)
        for _ in range(1100):
            y = y + d
        close(fw.unpack_dual(y).tangent, (1101 * tv).numpy())


ERRORS = {
    "nested": (lambda v: fw.dual_level().__enter__(), RuntimeError, "Nested forward mode AD is not supported at the moment"),
    "integers": (lambda v: fw.make_dual(v.long(), v), ValueError, "Expected primal to be floating point or complex, but got: torch.int64"),
    "integer tangent": (lambda v: fw.make_dual(v, v.long()), ValueError, "Expected tangent to be floating point or complex"),
    "another size": (lambda v: fw.make_dual(v, torch.ones(2)), RuntimeError, r"Tensor is of size \[3\] while the given forward gradient is of size \[2\]"),
    "twice": (lambda v: fw.make_dual(fw.make_dual(v, v), v), RuntimeError, "already has a forward gradient at the same level 0"),
    "no tensor": (lambda v: fw.unpack_dual(3), TypeError, r"argument 'dual' \(position 1\) must be Tensor, not int"),
    "another level": (lambda v: fw.exit_dual_level(level=3), RuntimeError, "Trying to exit a forward AD level that was not the last one"),
    "in a transform": (lambda v: torch.func.grad(lambda x: fw.make_dual(x, x).sum())(v), NotImplementedError, "Enter the dual level inside the function"),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_error(name):
    f, kind, message = ERRORS[name]
    with fw.dual_level(), pytest.raises(kind, match=message):
        f(vectors(torch)[0])
    assert _active.level is None


def test_errors_outside_of_a_level():
    v, _ = vectors(torch)
    with pytest.raises(
        RuntimeError, match="Trying to create a dual Tensor for forward AD but no level exists"
    ):
        fw.make_dual(v, v)
    with pytest.raises(RuntimeError, match="Dual level must be a positive number"):
        fw.exit_dual_level()
    assert fw.unpack_dual(v).tangent is None
    assert fw.enter_dual_level() == 0
    fw.exit_dual_level()


@fw.dual_level()
def decorated(x):
    return fw.unpack_dual(fw.make_dual(x, x) * 2).tangent


def test_as_a_decorator():
    close(decorated(vectors(torch)[0]), [2, 4, 6])


def test_tangents_that_are_switched_off():
    """As PyTorch: ops take none on, and none is seen; what was recorded before keeps its own."""
    off = fw._set_fwd_grad_enabled
    with fw.dual_level():
        d = fw.make_dual(torch.ones(2), torch.full((2,), 3.0))
        before = d * 5
        with off(False):
            inside = d * 2
            assert fw.unpack_dual(inside).tangent is None and fw.unpack_dual(d).tangent is None
            with off(True):
                again = d * 7
        assert fw.unpack_dual(inside).tangent is None
        assert fw.unpack_dual(before).tangent.tolist() == [15.0, 15.0]
        assert fw.unpack_dual(again).tangent.tolist() == [21.0, 21.0]
        assert fw.unpack_dual(d * 2).tangent.tolist() == [6.0, 6.0]
    with off(False), fw.dual_level():
        d = fw.make_dual(torch.ones(2), torch.ones(2))
        assert fw.unpack_dual(d * 2).tangent is None
    with fw.dual_level():
        d = fw.make_dual(torch.ones(2), torch.ones(2))
        assert fw.unpack_dual(d * 2).tangent.tolist() == [2.0, 2.0]
