"""nn.utils and amp side by side with PyTorch: parametrized weights and their gradients, and what autocast makes of each
op."""

from __future__ import annotations

import importlib
import warnings

import numpy as np
import pytest

import functorch_lite as ours
from tests.compare import direction
from tests.test_random import mersenne  # noqa: F401

pytestmark = pytest.mark.parity
theirs = pytest.importorskip("torch")


def _weight_norm(torch):
    return torch.nn.utils.parametrizations.weight_norm(torch.nn.Conv1d(2, 3, 2), dim=1)


def _spectral(torch):
    return torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(3, 4), n_power_iterations=2)


def _orthogonal(how, shape, trivialized=True):
    def build(torch):
        return torch.nn.utils.parametrizations.orthogonal(
            torch.nn.Linear(*shape), orthogonal_map=how, use_trivialization=trivialized
        )

    return build


def _old_weight_norm(torch):
    return torch.nn.utils.weight_norm(torch.nn.Linear(3, 4), dim=None)


def _old_spectral(torch):
    return torch.nn.utils.spectral_norm(torch.nn.ConvTranspose1d(2, 3, 2))


BUILDERS = {
    "weight_norm": _weight_norm,
    "spectral_norm": _spectral,
    "matrix_exp": _orthogonal("matrix_exp", (3, 4)),
    "cayley": _orthogonal("cayley", (4, 3)),
    "householder": _orthogonal("householder", (3, 4)),
    "old weight_norm": _old_weight_norm,
    "old spectral_norm": _old_spectral,
}


@pytest.mark.parametrize("name", BUILDERS)
def test_parametrized_weight_and_gradient(name):
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reference, mine = BUILDERS[name](theirs), BUILDERS[name](ours)
    assert repr(mine) == repr(reference)
    assert list(mine.state_dict()) == list(reference.state_dict())
    with theirs.no_grad():
        for p in reference.parameters():  # away from where a map is taken around
            noise = np.asarray(rng.normal(size=tuple(p.shape)) * 0.3, np.float32)
            if name == "householder":
                noise = np.tril(noise, -1) if noise.ndim == 2 else noise
            p.add_(theirs.from_numpy(noise))
    mine.load_state_dict({k: ours.tensor(v.numpy()) for k, v in reference.state_dict().items()})
    size = (2, 2, 4) if hasattr(reference, "kernel_size") else (2, reference.in_features)
    x = rng.normal(size=size).astype(np.float32)
    results = []
    for torch, module in ((theirs, reference), (ours, mine)):
        out = module(torch.tensor(x))
        ct = torch.tensor(direction("ct", 0, tuple(out.shape), False).astype(np.float32))
        (out * ct).sum().backward()
        results.append(
            [out.detach(), *[p.grad for p in module.parameters()], *[b.detach() for b in module.buffers()]]
        )
    for want, got in zip(*results):
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=2e-4, atol=2e-5)


def _ops(torch, d):
    """name -> the result of an op on tensors of dtype d (and float32)"""
    F = torch.nn.functional

    def r(*shape):
        return torch.ones(*shape) * 0.5

    def x(*shape):
        return r(*shape).to(d)

    image, volume = x(1, 1, 4, 4), x(1, 1, 4, 4, 4)
    return {
        "matmul": lambda: x(2, 3) @ x(3, 2),
        "mm": lambda: torch.mm(x(2, 3), x(3, 2)),
        "bmm": lambda: torch.bmm(x(1, 2, 3), x(1, 3, 2)),
        "addmm": lambda: torch.addmm(x(2, 2), x(2, 3), x(3, 2)),
        "baddbmm": lambda: torch.baddbmm(x(1, 2, 2), x(1, 2, 3), x(1, 3, 2)),
        "einsum": lambda: torch.einsum("ij,jk", x(2, 3), x(3, 2)),
        "mv": lambda: torch.mv(x(2, 3), x(3)),
        "linear": lambda: F.linear(x(2, 3), x(2, 3)),
        "bilinear": lambda: F.bilinear(x(2, 3), x(2, 3), x(2, 3, 3)),
        "prelu": lambda: F.prelu(x(2), x(1)),
        "conv1d": lambda: F.conv1d(x(1, 1, 3), x(1, 1, 2)),
        "conv_transpose2d": lambda: F.conv_transpose2d(image, x(1, 1, 2, 2)),
        "sdpa": lambda: F.scaled_dot_product_attention(*[x(1, 1, 2, 2)] * 3),
        "cat": lambda: torch.cat([r(2), x(2)]),
        "stack": lambda: torch.stack([r(2), x(2)]),
        "exp": lambda: x(2).exp(),
        "sum": lambda: x(2).sum(),
        "prod": lambda: x(2).prod(),
        "cumsum": lambda: x(2).cumsum(0),
        "trace": lambda: x(2, 2).trace(),
        "softmax": lambda: F.softmax(x(2), 0),
        "max_pool2d": lambda: F.max_pool2d(image, 2),
        "max_pool3d": lambda: F.max_pool3d(volume, 2),
        "adaptive_avg_pool3d": lambda: F.adaptive_avg_pool3d(volume, 2),
        "fractional": lambda: F.fractional_max_pool2d(image, 2, 2, _random_samples=x(1, 1, 2)),
        "reflect": lambda: F.pad(image, (1, 1, 1, 1), mode="reflect"),
        "reflect 3d": lambda: F.pad(volume, (1,) * 6, mode="reflect"),
        "constant": lambda: F.pad(image, (1, 1)),
        "layer_norm": lambda: F.layer_norm(image, (4,)),
        "grid_sample": lambda: F.grid_sample(image, x(1, 2, 2, 2), align_corners=False),
        "interpolate": lambda: F.interpolate(image, size=3),
        "cross_entropy": lambda: F.cross_entropy(x(2, 3), torch.tensor([0, 1])),
        "mse_loss": lambda: F.mse_loss(x(2), x(2)),
        "kl_div": lambda: F.kl_div(x(2), x(2), reduction="sum"),
        "multilabel_soft_margin_loss": lambda: F.multilabel_soft_margin_loss(x(2, 3), x(2, 3)),
        "ctc_loss": lambda: F.ctc_loss(x(3, 1, 3), torch.tensor([[1]]), (3,), (1,)),
    }


@pytest.mark.parametrize("d", ["float32", "bfloat16", "float64"])
def test_autocast_dtypes(d):
    found = {}
    for torch in (theirs, ours):
        ops = _ops(torch, getattr(torch, d))
        found[torch] = {}
        for name, call in ops.items():
            if d == "float64" and name in ("cat", "stack"):
                continue
            with torch.autocast("cpu"):
                found[torch][name] = str(call().dtype)
    assert found[ours] == found[theirs]


@pytest.mark.parametrize("d", ["float32", "bfloat16"])
def test_what_is_drawn_at_random(d, mersenne):  # noqa: F811
    """The masks of random pruning, and truncated normal numbers whose bounds `d` rounds, are PyTorch's one by one."""
    found = []
    for torch in (theirs, ours):
        torch.manual_seed(0)
        module = torch.nn.Conv2d(2, 4, 2)
        prune = importlib.import_module(f"{torch.__name__}.nn.utils.prune")
        prune.random_unstructured(module, "weight", 7)
        prune.random_structured(module, "weight", 1, dim=1)
        numbers = torch.empty(15, dtype=getattr(torch, d))
        torch.nn.init.trunc_normal_(numbers, 0.0, 1.0, -0.7001, 1.2001)
        found.append((module.weight_mask.tolist(), numbers.tolist()))
    assert found[0][0] == found[1][0]
    np.testing.assert_allclose(found[1][1], found[0][1], rtol=1e-5)
