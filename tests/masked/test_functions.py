"""Functions of the torch namespace that are given masked tensors, beside PyTorch."""

from __future__ import annotations

import warnings

import pytest

import functorch_lite as torch

PROGRAMS = """
torch.abs(t) | torch.exp(t) | torch.neg(t) | torch.isnan(t) | torch.angle(t) | torch.add(t, u) | torch.add(t, 2) | torch.mul(t, d) | d + t
torch.sub(t, d) | torch.div(t, u) | torch.maximum(t, u) | torch.eq(t, u) | torch.logaddexp(t, u) | torch.pow(t, 2) | torch.nextafter(t, u) | torch.add(t, o)
torch.cat([t, u]) | torch.stack([t, u], 1) | torch.where(m, t, u) | torch.ones_like(t) | t.all() | t.all(0) | t.abs_() | t.exp_() | t.layout
t.stride() | t.is_contiguous() | t.is_floating_point() | torch.sum(t, 1) | torch.mean(t, 1) | torch.amax(t, 0) | torch.softmax(t, 1) | torch.clone(t)
torch.transpose(t, 0, 1) | torch.unsqueeze(t, 0) | torch.numel(t)
""".replace("\n", " | ").split(" | ")  # fmt: skip


def outcome(program, M):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        d = M.arange(6.0).reshape(2, 3) - 2
        m = M.tensor([[True, False, True], [False, True, True]])
        make = M.masked.masked_tensor
        names = {"torch": M, "d": d, "m": m, "t": make(d, m), "u": make(d * 2, m), "o": make(d, ~m)}
        try:
            x = eval(program, names)
        except (ValueError, TypeError, RuntimeError) as e:
            return type(e).__name__
        if isinstance(x, M.masked.MaskedTensor):
            there = x.get_mask()
            values = x.get_data().to(M.float64).masked_fill(~there, 0)
            return str(x.dtype), [f"{v:.4g}" for v in values.reshape(-1).tolist()], there.tolist()
        return str(x)


@pytest.mark.parity
@pytest.mark.parametrize("program", [p for p in PROGRAMS if p])
def test_beside_pytorch(program):
    assert outcome(program, torch) == outcome(program, pytest.importorskip("torch"))


def test_functions_are_the_methods():
    t = torch.masked.masked_tensor(torch.tensor([1.0, -2.0]), torch.tensor([True, False]))
    assert repr(torch.abs(t)) == repr(t.abs()) and repr(torch.add(t, 1)) == repr(t + 1) == repr(1 + t)
    assert torch.cat([t, t]).get_mask().tolist() == [True, False] * 2
    with pytest.raises(NotImplementedError, match="use get_data"):
        torch.sort(t)
