"""Every module class is and does what it is and does in PyTorch, by recorded facts (tests/golden/modules.json)."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

import functorch_lite as torch
from tests.compare import TOLERANCES
from tests.nn.module_cases import CASES
from tests.nn.module_runs import DRAWS_OTHERWISE, arrays, disagreement, fill, made, run
from tests.support.full import FULL

pytestmark = pytest.mark.usefixtures("draws_as_torch_does")

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "modules.json").read_text())


def is_long(n: int) -> bool:
    """Programs that compile for seconds: these cases are left to `make parity` (and to FUNCTORCH_LITE_PARITY=full)."""
    c = CASES[n]
    seconds = "Transformer" in c.name or (c.dtype != "float32" and c.name in ("LSTM", "MultiheadAttention"))
    return seconds and any(other.name == c.name for other in CASES[:n])


NUMBERS = [n for n in range(len(CASES)) if FULL or not is_long(n)]


@pytest.mark.parametrize("n", NUMBERS, ids=[CASES[n].name for n in NUMBERS])
def test_module(n):
    c = CASES[n]
    known = GOLDEN.get(f"{n}-{c.name}")
    assert known is not None, "run `python -m tests.golden.make_modules` (needs torch)"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = made(torch, c)
        assert repr(module) == known["repr"]
        lazy = c.name.startswith("Lazy")
        state = module.state_dict()
        assert [[k, None if lazy else list(v.shape), str(v.dtype)] for k, v in state.items()] == known[
            "state"
        ]
        initial = {} if lazy else {k: t.clone() for k, t in state.items()}
        fill(torch, module, c)
        results = {}
        for training in c.modes:
            torch.manual_seed(1)
            results["training" if training else "eval"] = run(torch, module, c, training)
    initial, results = arrays(initial), {mode: arrays(found) for mode, found in results.items()}
    for x, sums in zip(initial.values(), known.get("initial", ())):
        wrong = disagreement(*x, [x[0], list(x[1].shape), sums], 1e-6, 1e-7)
        assert not wrong, f"initial values: {wrong}"
    rtol, atol = TOLERANCES[c.dtype][1]
    for mode, found in results.items():
        for name, fact in known[mode].items():
            if name not in found:  # None, where torch has zeros
                assert name.startswith("gradient") and fact[2] == [0.0, 0.0], f"{name}, {mode}: missing"
            elif not (mode == "training" and c.name in DRAWS_OTHERWISE):
                wrong = disagreement(*found[name], fact, rtol, atol)
                assert not wrong, f"{name}, {mode}: {wrong}"
        assert found.keys() <= known[mode].keys()


def test_adaptive_log_softmax_looks_at_targets_on_the_host():
    layer = torch.nn.AdaptiveLogSoftmaxWithLoss(6, 12, [3])
    sentence = r"Target values should be in \[0, 11\], but values in range \[-1, 5\] were found\."
    with pytest.raises(RuntimeError, match=sentence):
        layer(torch.ones(2, 6), torch.tensor([5, -1]))
    computed = torch.tensor([1, 6]) * 2  # looked at by the program
    with pytest.raises(RuntimeError, match=r"Target values should be in \[0, 11\], but value 12 was found\."):
        layer(torch.ones(2, 6), computed).output.tolist()


@pytest.mark.parametrize("shape", [(0, 3), (0, 3, 4), (2, 3, 0)])
def test_batch_norm_of_nothing_keeps_its_statistics(shape):
    m = torch.nn.BatchNorm1d(3)
    m(torch.zeros(shape)).sum().backward()
    assert m.running_mean.tolist() == [0.0] * 3 and m.running_var.tolist() == [1.0] * 3
    assert m.weight.grad.tolist() == m.bias.grad.tolist() == [0.0] * 3


def test_paddings_beyond_the_dims_of_the_kernel():
    """PyTorch does not count them when it pads itself: here the channels are none of them."""
    conv = torch.nn.Conv2d(2, 2, 2, padding_mode="circular", padding=(0, 0, 1))
    assert conv._reversed_padding_repeated_twice == (1, 1, 0, 0, 0, 0)
    assert conv(torch.ones(1, 2, 6, 6)).shape == (1, 2, 5, 7)
