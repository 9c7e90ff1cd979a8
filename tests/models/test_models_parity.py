"""Every model of this folder beside PyTorch: the same weights give the same output, the same loss, and after a step the
same weights."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as ours
from tests.models import MODELS

pytestmark = pytest.mark.parity
theirs = pytest.importorskip("torch")

RTOL, ATOL = 2e-4, 2e-5


def _close(mine, expected, what: str) -> None:
    mine = mine if isinstance(mine, tuple | list) else [mine]
    expected = expected if isinstance(expected, tuple | list) else [expected]
    assert len(mine) == len(expected), what
    for a, b in zip(mine, expected):
        a, b = a.detach().numpy(), b.detach().numpy()
        assert a.dtype == b.dtype, what
        np.testing.assert_allclose(
            a, b, rtol=RTOL, atol=ATOL * max(1.0, float(np.abs(b).max(initial=0))), err_msg=what
        )


def _forward(spec, torch, model, tensors):
    run = getattr(spec, "forward", None)
    return run(torch, model, *tensors) if run else model(tensors[0])


def _optimizer(spec, torch, model):
    make = getattr(spec, "optimizer", None)
    return make(torch, model) if make else torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)


def _step(spec, torch, model, tensors):
    optimizer = _optimizer(spec, torch, model)
    optimizer.zero_grad()
    loss = spec.loss(torch, model, *tensors)
    loss.backward()
    optimizer.step()
    return loss


@pytest.mark.parametrize("name", sorted(MODELS))
def test_forward_loss_and_a_step(name):
    spec = MODELS[name]
    theirs.manual_seed(0)
    reference, model = spec.build(theirs), spec.build(ours)
    assert repr(model) == repr(reference)
    state = reference.state_dict()
    assert list(model.state_dict()) == list(state)
    model.load_state_dict({k: ours.tensor(v.numpy()) for k, v in state.items()})

    arrays = spec.example(np.random.default_rng(0))
    mine, expected = [ours.tensor(a) for a in arrays], [theirs.tensor(a) for a in arrays]
    for m in (model, reference):
        m.eval()
    _close(_forward(spec, ours, model, mine), _forward(spec, theirs, reference, expected), "output")
    for m in (model, reference):
        m.train()
    _close(_step(spec, ours, model, mine), _step(spec, theirs, reference, expected), "loss")
    after = reference.state_dict()
    for key, value in model.state_dict().items():
        _close(value, after[key], key)
