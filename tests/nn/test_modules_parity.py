"""Every module class side by side with PyTorch: repr, state_dict, outputs and gradients in both modes, updated buffers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import functorch_lite as ours
from functorch_lite import nn
from tests.compare import direction
from tests.nn.module_cases import CASES, Case

pytestmark = pytest.mark.parity
torch = pytest.importorskip("torch")

IDS = [f"{n}-{c.name}" for n, c in enumerate(CASES)]


def build(c: Case):
    """(torch's module, ours with its weights)"""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, mine = c.make(torch.nn, torch), c.make(nn, ours)
    return theirs, mine


def run(lib, module, c: Case, training: bool) -> dict[str, np.ndarray]:
    """Outputs, gradients and buffers of one call, by name; not read until all is recorded."""
    module.train(training)
    inputs = []
    for n, x in enumerate(c.inputs):
        if isinstance(x, np.ndarray):
            x = lib.tensor(x)
            if x.is_floating_point() and n not in c.fixed:
                x.requires_grad_(True)
        inputs.append(x)
    out = module(*inputs)
    found = {}
    flat: list = []

    def collect(o):
        if isinstance(o, tuple | list):
            for part in o:
                collect(part)
        elif o is not None:
            flat.append(o)

    collect(out)
    for n, o in enumerate(flat):
        found[f"output {n}"] = o.detach()
    roots = [o for o in flat if o.requires_grad]
    if roots:
        loss = sum(
            (o * lib.tensor(direction("ct", n, tuple(o.shape), False).astype(np.float32))).sum()
            for n, o in enumerate(roots)
        )
        leaves = {
            f"input {n}": x for n, x in enumerate(inputs) if isinstance(x, lib.Tensor) and x.requires_grad
        }
        leaves.update(module.named_parameters())
        grads = lib.autograd.grad(loss, list(leaves.values()), allow_unused=True)
        found.update((f"gradient of {k}", g) for k, g in zip(leaves, grads) if g is not None)
    found.update((f"buffer {k}", b.detach().clone()) for k, b in module.named_buffers())
    return found


def arrays(found: dict) -> dict[str, np.ndarray]:
    """The values as arrays."""
    return {k: t.numpy() for k, t in found.items()}


@pytest.mark.parametrize("c", CASES, ids=IDS)
def test_module(c: Case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, mine = build(c)
        assert repr(mine) == repr(theirs)
        assert list(mine.state_dict()) == list(theirs.state_dict())
        if c.name.startswith("Lazy"):  # both get their shapes, then our module takes torch's weights
            theirs(*[torch.tensor(x) for x in c.inputs])
            mine(*[ours.tensor(x) for x in c.inputs])
            assert repr(mine) == repr(theirs)
            assert type(mine).__name__ == type(theirs).__name__
        state = theirs.state_dict()
        assert [(k, tuple(v.shape), str(v.dtype)) for k, v in mine.state_dict().items()] == [
            (k, tuple(v.shape), str(v.dtype)) for k, v in state.items()
        ]
        mine.load_state_dict({k: ours.tensor(v.numpy()) for k, v in state.items()})
        results = []
        for training in c.modes:
            results.append((training, run(torch, theirs, c, training), run(ours, mine, c, training)))
    for training, want, got in results:
        want, got = arrays(want), arrays(got)
        assert set(got) <= set(want), f"only ours: {sorted(set(got) - set(want))}"
        absent = set(want) - set(got)
        assert all(k.startswith("gradient") and not want[k].any() for k in absent), absent  # None for zeros
        for k, expected in want.items():
            if k in absent:
                continue
            assert got[k].shape == expected.shape and got[k].dtype == expected.dtype, (k, training)
            if c.random and training:
                continue
            np.testing.assert_allclose(
                got[k], expected, rtol=2e-5, atol=2e-6, err_msg=f"{k}, {'training' if training else 'eval'}"
            )


def test_every_class_has_a_case():
    containers = {
        "Module",
        "Container",
        "Sequential",
        "ModuleList",
        "ModuleDict",
        "ParameterList",
        "ParameterDict",
    }
    bases = {"RNNBase", "RNNCellBase"}
    elsewhere = {"NLLLoss2d", "DataParallel", "TransformerEncoder", "TransformerDecoder"}
    classes = {
        name
        for name in nn.__all__
        if isinstance(getattr(nn, name), type) and issubclass(getattr(nn, name), nn.Module)
    }
    assert classes - {c.name for c in CASES} == (containers | bases | elsewhere) & classes
