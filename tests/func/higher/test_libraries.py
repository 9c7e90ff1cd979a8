"""Values beside named libraries for PyTorch, at full length and where they are installed: curvlinops, BackPACK,
Opacus."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
import functorch_lite.nn.functional as F
from functorch_lite.func import curvature, per_sample
from tests.support.full import FULL

from . import nets

pytestmark = [pytest.mark.parity, pytest.mark.skipif(not FULL, reason="at full length")]


def both(seed=0):
    """A net with its data, here and in PyTorch."""
    theirs = pytest.importorskip("torch")
    rng = np.random.RandomState(seed)
    sizes = (4, 6, 3)
    ours = nets.Net([["Linear", 4, 6], ["Tanh"], ["Linear", 6, 3]]).double()
    net = theirs.nn.Sequential(
        theirs.nn.Linear(*sizes[:2]), theirs.nn.Tanh(), theirs.nn.Linear(*sizes[1:])
    ).double()
    with torch.no_grad(), theirs.no_grad():
        for p, q in zip(ours.parameters(), net.parameters()):
            w = rng.randn(*p.shape) / 2
            p.copy_(torch.tensor(w))
            q.copy_(theirs.tensor(w))
    x, y = rng.randn(7, 4), rng.randint(0, 3, 7)
    return ours, (torch.tensor(x), torch.tensor(y)), theirs, net, (theirs.tensor(x), theirs.tensor(y))


def test_curvlinops():
    library = pytest.importorskip("curvlinops")
    ours, data, theirs, net, their_data = both()
    v = np.random.RandomState(1).randn(51)
    params = dict(net.named_parameters())
    for mine, name in (
        ("Hessian", "HessianLinearOperator"),
        ("GGN", "GGNLinearOperator"),
        ("EmpiricalFisher", "EFLinearOperator"),
    ):
        kind = getattr(library, name)
        try:
            op = kind(net, theirs.nn.CrossEntropyLoss(), params, [their_data], check_deterministic=False)
        except Exception:
            op = kind(
                net,
                theirs.nn.CrossEntropyLoss(),
                list(params.values()),
                [their_data],
                check_deterministic=False,
            )
        wanted = (op @ theirs.tensor(v)).detach().numpy()
        found = getattr(curvature, mine)(ours, F.cross_entropy, nets.parameters(ours), data) @ torch.tensor(v)
        np.testing.assert_allclose(found.numpy(), wanted, atol=1e-10)


def test_backpack():
    library, extensions = pytest.importorskip("backpack"), pytest.importorskip("backpack.extensions")
    ours, data, theirs, net, (x, y) = both()
    library.extend(net)
    criterion = library.extend(theirs.nn.CrossEntropyLoss())
    with library.backpack(extensions.DiagGGNExact(), extensions.BatchL2Grad(), extensions.SumGradSquared()):
        criterion(net(x), y).backward()
    given = (ours, F.cross_entropy, nets.parameters(ours), *data)
    diagonal, moments = per_sample.ggn_diagonal(*given), per_sample.gradient_second_moment(*given)
    norms = per_sample.gradient_norms(*given, per_parameter=True)
    for name, p in net.named_parameters():
        np.testing.assert_allclose(diagonal[name].numpy(), p.diag_ggn_exact.numpy(), atol=1e-12)
        np.testing.assert_allclose(
            norms[name].numpy() ** 2 / 49, p.batch_l2.numpy(), atol=1e-12
        )  # of 1 / 7 of a loss
        np.testing.assert_allclose(moments[name].numpy() / 7, p.sum_grad_squared.numpy(), atol=1e-12)


def test_opacus():
    library = pytest.importorskip("opacus")
    ours, data, theirs, net, (x, y) = both()
    wrapped = library.GradSampleModule(net, loss_reduction="sum")
    theirs.nn.functional.cross_entropy(wrapped(x), y, reduction="sum").backward()
    each = {k.removeprefix("_module."): p.grad_sample for k, p in wrapped.named_parameters()}
    given = (ours, F.cross_entropy, nets.parameters(ours), *data)
    for name, g in per_sample.gradients(*given).items():
        np.testing.assert_allclose(g.numpy(), each[name].detach().numpy(), atol=1e-12)
    norms = sum(g.flatten(1).pow(2).sum(1) for g in each.values()).sqrt()
    np.testing.assert_allclose(per_sample.gradient_norms(*given).numpy(), norms.detach().numpy(), atol=1e-12)
    factors = (0.3 / norms).clamp(max=1)
    for name, g in per_sample.clipped_gradient_sum(*given, 0.3).items():
        wanted = theirs.einsum("n...,n->...", each[name], factors).detach().numpy()
        np.testing.assert_allclose(g.numpy(), wanted, atol=1e-12)
