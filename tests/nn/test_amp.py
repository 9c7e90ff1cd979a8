"""autocast and GradScaler. What is expected here was observed in PyTorch 2.13."""

from __future__ import annotations

import pickle
import threading

import pytest

import functorch_lite as torch
import functorch_lite.nn.functional as F
from functorch_lite import nn
from functorch_lite._core.call import autocast as table


def test_products_are_lower_losses_are_float32():
    a = torch.ones(2, 3)
    with torch.autocast("cpu"):
        assert (a @ a.T).dtype is torch.bfloat16
        assert torch.mm(a, a.T).dtype is torch.bfloat16
        assert F.linear(a, a).dtype is torch.bfloat16
        assert F.mse_loss(a.bfloat16(), a).dtype is torch.float32
        assert a.exp().dtype is torch.float32 and a.bfloat16().exp().dtype is torch.bfloat16
        assert torch.cat([a, a.bfloat16()]).dtype is torch.float32
        assert (a.double() @ a.double().T).dtype is torch.float64  # never touched
        assert (a.long() @ a.long().T).dtype is torch.int64
    assert (a @ a.T).dtype is torch.float32


def test_nesting_dtype_and_decorator():
    a = torch.ones(2, 2)

    @torch.autocast("cpu", dtype=torch.float16)
    def product(x):
        return x @ x

    assert product(a).dtype is torch.float16
    with torch.autocast("cpu"):
        assert torch.is_autocast_enabled("cpu") and not torch.is_autocast_enabled("cuda")
        with torch.autocast("cpu", enabled=False):
            assert (a @ a).dtype is torch.float32
        assert (a @ a).dtype is torch.bfloat16
        with torch.autocast("cpu", dtype=torch.float16):
            assert torch.get_autocast_dtype("cpu") is torch.float16
        assert torch.get_autocast_dtype("cpu") is torch.bfloat16
    assert not torch.is_autocast_enabled("cpu") and table.STATE.on == 0


def test_what_goes_into_out_is_not_cast():
    a, out = torch.full((2, 2), 1.001), torch.empty(2, 2)
    with torch.autocast("cpu"):
        torch.mm(a, a, out=out)
    assert out.dtype is torch.float32 and torch.equal(out, a @ a)


def test_it_belongs_to_a_thread():
    a, seen = torch.ones(2, 2), []
    with torch.autocast("cpu"):
        t = threading.Thread(target=lambda: seen.append((a @ a).dtype))
        t.start()
        t.join()
    assert seen == [torch.float32]


def test_gradients_have_the_parameters_dtype():
    m = nn.Linear(3, 2)
    with torch.autocast("cpu"):
        out = m(torch.ones(4, 3))
        loss = F.cross_entropy(out, torch.tensor([0, 1, 0, 1]))
    assert out.dtype is torch.bfloat16 and loss.dtype is torch.float32
    loss.backward()
    assert m.weight.grad.dtype is torch.float32
    with torch.autocast("cpu"):
        g = torch.func.grad(lambda w: (w @ torch.ones(3, 1)).sum().float())(m.weight.detach())
    assert g.dtype is torch.float32 and g.tolist() == [[1, 1, 1], [1, 1, 1]]


def test_warnings_and_errors():
    with pytest.warns(UserWarning, match="the target dtype is not supported. Disabling autocast"):
        context = torch.autocast("cpu", dtype=torch.int32)
    with context:
        assert not torch.is_autocast_enabled("cpu")
    with pytest.raises(ValueError, match="Expected `device_type` of type `str`"):
        torch.autocast(3)
    with pytest.raises(RuntimeError, match="at start of device string: foo"):
        torch.autocast("foo")


def scaled(scaler, p, factor=2.0):
    scaler.scale((p * factor).sum()).backward()


def test_grad_scaler():
    p = nn.Parameter(torch.ones(2))
    opt = torch.optim.SGD([p], 0.1)
    s = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    with pytest.raises(AssertionError, match="Attempted step but _scale is None"):
        s.step(opt)
    scaled(s, p)
    assert p.grad.tolist() == [16, 16]
    s.unscale_(opt)
    assert p.grad.tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="unscale_\\(\\) has already been called"):
        s.unscale_(opt)
    s.step(opt)
    with pytest.raises(RuntimeError, match="step\\(\\) has already been called"):
        s.step(opt)
    s.update()
    assert s.state_dict() == {
        "scale": 8.0, "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 2, "_growth_tracker": 1,
    }  # fmt: skip
    moved = p.tolist()
    opt.zero_grad()
    scaled(s, p, float("inf"))
    assert s.step(opt) is None  # left out
    s.update()
    assert p.tolist() == moved and s.get_scale() == 4.0
    for expected in (4.0, 8.0):
        opt.zero_grad()
        scaled(s, p)
        s.step(opt)
        s.update()
        assert s.get_scale() == expected
    again = pickle.loads(pickle.dumps(s))
    assert again.state_dict() == s.state_dict()


def test_grad_scaler_trains_as_without():
    def train(scaler):
        torch.manual_seed(0)
        m = nn.Linear(3, 1)
        opt = torch.optim.Adam(m.parameters(), 0.1)
        for _ in range(3):
            opt.zero_grad()
            loss = m(torch.ones(2, 3)).square().sum()
            if scaler is None:
                loss.backward()
                opt.step()
            else:
                scaler.scale(loss).backward()
                scaler.step(opt)
                scaler.update()
        return m.weight.detach()

    assert torch.allclose(train(None), train(torch.amp.GradScaler("cpu")), atol=1e-6)
    assert torch.equal(train(None), train(torch.amp.GradScaler("cpu", enabled=False)))


def test_legacy_names():
    with pytest.warns(FutureWarning, match=r"`torch.cpu.amp.autocast\(args...\)` is deprecated"):
        context = torch.cpu.amp.autocast()
    with context:
        assert (torch.ones(1, 1) @ torch.ones(1, 1)).dtype is torch.bfloat16
    from functorch_lite.cuda.amp import GradScaler

    with pytest.warns(FutureWarning), pytest.warns(UserWarning):
        assert not GradScaler().is_enabled() or torch.cuda.is_available()
