"""register_backward_hook beside PyTorch, for every module: it is called with the same gradients, or refused."""

from __future__ import annotations

import gc
import os
import warnings
import weakref

import numpy as np
import pytest

import functorch_lite as ours
from tests.nn.module_cases import CASES, Case
from tests.nn.module_runs import DRAWS_OTHERWISE, fill, inputs_of, made

pytestmark = pytest.mark.usefixtures("draws_as_torch_does")

REFUSED = {
    "AdaptiveLogSoftmaxWithLoss", "Bilinear", "CTCLoss", "CircularPad1d", "CircularPad2d", "CircularPad3d", "CosineEmbeddingLoss",
    "CosineSimilarity", "CrossEntropyLoss", "GRU", "GRUCell", "GaussianNLLLoss", "HingeEmbeddingLoss", "KLDivLoss", "L1Loss", "LPPool1d",
    "LPPool2d", "LPPool3d", "LSTM", "LSTMCell", "LinearCrossEntropyLoss", "LocalResponseNorm", "MarginRankingLoss", "MultiLabelSoftMarginLoss",
    "MultiheadAttention", "PairwiseDistance", "PoissonNLLLoss", "RMSNorm", "RNN", "RNNCell", "Softmin", "Softsign", "Tanhshrink",
    "TripletMarginLoss", "TripletMarginWithDistanceLoss",
}  # fmt: skip
"""Classes whose forward ends in several ops in PyTorch, and in one here."""


def seen(lib, c: Case):
    """What a hook is called with; None if it is refused, or never called."""
    module = made(lib, c)
    fill(lib, module, c)
    calls = []
    module.register_backward_hook(lambda m, *grads: calls.append(grads))
    lib.manual_seed(1)
    try:
        out = module(*inputs_of(lib, c))
    except NotImplementedError as error:
        assert "register_backward_hook" in str(error), error
        return None
    while not isinstance(out, lib.Tensor):
        out = out[0]
    if out.grad_fn is None:
        return None
    (out * out).sum().backward()
    return [[None if g is None else g.detach().double().numpy() for g in part] for part in calls[0]]


@pytest.mark.parity
@pytest.mark.skipif(
    os.environ.get("FUNCTORCH_LITE_PARITY") != "full", reason="each case is compiled: at full length"
)
@pytest.mark.parametrize("n", range(len(CASES)), ids=lambda n: f"{n}-{CASES[n].name}")
def test_beside_torch(n: int):
    torch = pytest.importorskip("torch")
    c = CASES[n]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine = seen(ours, c)
        if mine is None:
            assert c.name in REFUSED or seen(torch, c) is None, c.name
            return
        theirs = seen(torch, c)
    assert [[g is None for g in part] for part in mine] == [[g is None for g in part] for part in theirs]
    for ours_, torch_ in zip(mine, theirs):
        for a, b in zip(ours_, torch_):
            if a is not None and c.name not in DRAWS_OTHERWISE:
                assert a.shape == b.shape
                rtol = 2**-7 if c.dtype == "bfloat16" else 1e-4  # one unit in the last place
                np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-5 if c.dtype == "float32" else 1e-2)


def test_a_hook_makes_no_cycle():
    module = ours.nn.Linear(2, 2)
    module.register_backward_hook(lambda m, gi, go: None)
    gc.collect()
    gc.disable()
    try:
        out = module(ours.ones(1, 2))
        node = weakref.ref(out.grad_fn._node)
        out.tolist()  # a recording lets go of its tape when it is flushed
        del out
        assert node() is None
        gone = weakref.ref(module)
        del module
        assert gone() is None
    finally:
        gc.enable()


def test_an_op_that_is_another_in_pytorch_is_refused():
    module = ours.nn.GRUCell(1, 2)
    module.register_backward_hook(lambda m, gi, go: None)
    with pytest.raises(NotImplementedError, match="register_full_backward_hook"):
        module(ours.ones(1, 1))
