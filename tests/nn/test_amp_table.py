"""Autocast for CUDA, op by op: the three lists of PyTorch's documentation
(https://docs.pytorch.org/docs/stable/amp.html, "CUDA Ops that can autocast to float16", "… to float32", "CUDA Ops that
promote to the widest input type").

The rules are a table by kind of device; here the one of CUDA is put in the place of the CPU's, so that no GPU is
needed.
"""

from __future__ import annotations

import operator
import warnings

import pytest

import functorch_lite as torch
import functorch_lite.nn.functional as F
from functorch_lite import nn
from functorch_lite._core.call import autocast as table


def a(*shape, like=0.5):
    """Numbers in (0, 1), so that every function is defined."""
    return torch.full(shape, like)


TO_FLOAT16 = {
    "__matmul__": lambda t: operator.matmul(t(a(2, 2)), t(a(2, 2))),
    "addbmm": lambda t: torch.addbmm(t(a(2, 2)), t(a(1, 2, 2)), t(a(1, 2, 2))),
    "addmm": lambda t: torch.addmm(t(a(2, 2)), t(a(2, 2)), t(a(2, 2))),
    "addmv": lambda t: torch.addmv(t(a(2)), t(a(2, 2)), t(a(2))),
    "addr": lambda t: torch.addr(t(a(2, 2)), t(a(2)), t(a(2))),
    "baddbmm": lambda t: torch.baddbmm(t(a(1, 2, 2)), t(a(1, 2, 2)), t(a(1, 2, 2))),
    "bmm": lambda t: torch.bmm(t(a(1, 2, 2)), t(a(1, 2, 2))),
    "chain_matmul": lambda t: torch.chain_matmul(t(a(2, 2)), t(a(2, 2)), t(a(2, 2))),
    "multi_dot": lambda t: torch.linalg.multi_dot([t(a(2, 2)), t(a(2, 2)), t(a(2, 2))]),
    "conv1d": lambda t: F.conv1d(t(a(1, 1, 3)), t(a(1, 1, 2))),
    "conv2d": lambda t: F.conv2d(t(a(1, 1, 3, 3)), t(a(1, 1, 2, 2)), t(a(1))),
    "conv3d": lambda t: F.conv3d(t(a(1, 1, 2, 2, 2)), t(a(1, 1, 1, 1, 1))),
    "conv_transpose1d": lambda t: F.conv_transpose1d(t(a(1, 1, 3)), t(a(1, 1, 2))),
    "conv_transpose2d": lambda t: F.conv_transpose2d(t(a(1, 1, 2, 2)), t(a(1, 1, 2, 2))),
    "conv_transpose3d": lambda t: F.conv_transpose3d(t(a(1, 1, 1, 1, 1)), t(a(1, 1, 2, 2, 2))),
    "GRUCell": lambda t: nn.GRUCell(2, 2)(t(a(1, 2)), t(a(1, 2))),
    "linear": lambda t: F.linear(t(a(1, 2)), t(a(2, 2)), t(a(2))),
    "LSTMCell": lambda t: nn.LSTMCell(2, 2)(t(a(1, 2)))[0],
    "matmul": lambda t: torch.matmul(t(a(2, 2)), t(a(2))),
    "mm": lambda t: torch.mm(t(a(2, 2)), t(a(2, 2))),
    "mv": lambda t: torch.mv(t(a(2, 2)), t(a(2))),
    "prelu": lambda t: F.prelu(t(a(2, 2)), t(a(1))),
    "RNNCell": lambda t: nn.RNNCell(2, 2)(t(a(1, 2))),
}

TARGET = [0, 1]

TO_FLOAT32 = {
    "__pow__": lambda t: t(a(2)) ** 2,
    "__rpow__": lambda t: 2 ** t(a(2)),
    "__rtruediv__": lambda t: 2.0 / t(a(2)),
    **{
        name: lambda t, name=name: getattr(torch, name)(t(a(2)))
        for name in (
            "acos asin cosh erfinv exp expm1 log log10 log1p log2 reciprocal rsqrt sinh tan sum prod norm".split()
        )
    },
    "binary_cross_entropy_with_logits": lambda t: F.binary_cross_entropy_with_logits(t(a(2)), t(a(2))),
    "cosine_embedding_loss": lambda t: F.cosine_embedding_loss(t(a(2, 2)), t(a(2, 2)), t(a(2))),
    "cdist": lambda t: torch.cdist(t(a(2, 2)), t(a(2, 2))),
    "cosine_similarity": lambda t: F.cosine_similarity(t(a(2, 2)), t(a(2, 2))),
    "cross_entropy": lambda t: F.cross_entropy(t(a(2, 2)), torch.tensor(TARGET)),
    "cumprod": lambda t: torch.cumprod(t(a(2)), 0),
    "cumsum": lambda t: torch.cumsum(t(a(2)), 0),
    "dist": lambda t: torch.dist(t(a(2)), t(a(2))),
    "group_norm": lambda t: F.group_norm(t(a(1, 2, 2)), 1),
    "hinge_embedding_loss": lambda t: F.hinge_embedding_loss(t(a(2)), t(a(2))),
    "kl_div": lambda t: F.kl_div(t(a(2)), t(a(2)), reduction="sum"),
    "l1_loss": lambda t: F.l1_loss(t(a(2)), t(a(2))),
    "layer_norm": lambda t: F.layer_norm(t(a(2, 2)), (2,)),
    "log_softmax": lambda t: F.log_softmax(t(a(2)), 0),
    "margin_ranking_loss": lambda t: F.margin_ranking_loss(t(a(2)), t(a(2)), t(a(2))),
    "mse_loss": lambda t: F.mse_loss(t(a(2)), t(a(2))),
    "multilabel_margin_loss": lambda t: F.multilabel_margin_loss(t(a(2)), torch.tensor(TARGET)),
    "multi_margin_loss": lambda t: F.multi_margin_loss(t(a(2, 2)), torch.tensor(TARGET)),
    "nll_loss": lambda t: F.nll_loss(t(a(2, 2)), torch.tensor(TARGET)),
    "normalize": lambda t: F.normalize(t(a(2, 2))),
    "pdist": lambda t: F.pdist(t(a(3, 2))),
    "poisson_nll_loss": lambda t: F.poisson_nll_loss(t(a(2)), t(a(2))),
    "pow": lambda t: torch.pow(t(a(2)), t(a(2))),
    "renorm": lambda t: torch.renorm(t(a(2, 2)), 2, 0, 1.0),
    "smooth_l1_loss": lambda t: F.smooth_l1_loss(t(a(2)), t(a(2))),
    "soft_margin_loss": lambda t: F.soft_margin_loss(t(a(2)), t(a(2))),
    "softmax": lambda t: F.softmax(t(a(2)), 0),
    "softmin": lambda t: F.softmin(t(a(2)), 0),
    "softplus": lambda t: F.softplus(t(a(2))),
    "triplet_margin_loss": lambda t: F.triplet_margin_loss(t(a(2, 2)), t(a(2, 2)), t(a(2, 2))),
}

TO_WIDEST = {
    "addcdiv": lambda t, u: torch.addcdiv(t(a(2)), u(a(2)), t(a(2))),
    "addcmul": lambda t, u: torch.addcmul(t(a(2)), u(a(2)), t(a(2))),
    "atan2": lambda t, u: torch.atan2(t(a(2)), u(a(2))),
    "bilinear": lambda t, u: F.bilinear(t(a(1, 2)), t(a(1, 2)), u(a(1, 2, 2))),
    "cross": lambda t, u: torch.cross(t(a(1, 3)), u(a(1, 3)), dim=1),
    "dot": lambda t, u: torch.dot(t(a(2)), u(a(2))),
    "grid_sample": lambda t, u: F.grid_sample(t(a(1, 1, 2, 2)), u(a(1, 1, 1, 2)), align_corners=False),
    "index_put": lambda t, u: torch.index_put(t(a(2)), (torch.tensor([0]),), u(a(1))),
    "scatter_add": lambda t, u: torch.scatter_add(t(a(2)), 0, torch.tensor([0]), u(a(1))),
    "tensordot": lambda t, u: torch.tensordot(t(a(2, 2)), u(a(2, 2)), 1),
    "cat": lambda t, u: torch.cat([t(a(2)), u(a(2))]),
    "stack": lambda t, u: torch.stack([t(a(2)), u(a(2))]),
}


def half(t):
    return t.half()


def full(t):
    return t


@pytest.fixture(autouse=True)
def _cuda_rules(monkeypatch):
    monkeypatch.setitem(table.KINDS, "cpu", table.KINDS["cuda"])
    with warnings.catch_warnings(), torch.autocast("cpu", dtype=torch.float16):
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("name", TO_FLOAT16)
def test_goes_to_float16(name):
    assert TO_FLOAT16[name](full).dtype is torch.float16


@pytest.mark.parametrize("name", TO_FLOAT32)
def test_goes_to_float32(name):
    assert TO_FLOAT32[name](half).dtype is torch.float32


@pytest.mark.parametrize("name", TO_WIDEST)
def test_goes_to_the_widest(name):
    call = TO_WIDEST[name]
    assert call(half, full).dtype is torch.float32
    assert call(full, half).dtype is torch.float32
    assert call(half, half).dtype is torch.float16
    assert call(full, full).dtype is torch.float32


def test_what_is_not_listed_is_left_alone():
    for call in (
        torch.relu,
        torch.sigmoid,
        torch.tanh,
        torch.neg,
        lambda x: x + x,
        lambda x: x * 2,
        lambda x: F.max_pool1d(x, 1),
    ):
        assert call(a(1, 2).half()).dtype is torch.float16 and call(a(1, 2)).dtype is torch.float32
    assert torch.mm(a(2, 2).double(), a(2, 2).double()).dtype is torch.float64
    assert a(2).half().sum(dtype=torch.float16).dtype is torch.float16  # a dtype that is asked for


def test_gradients_flow_through_the_casts():
    w = a(2, 2).requires_grad_()
    F.mse_loss(torch.mm(a(1, 2), w), torch.zeros(1, 2)).backward()
    assert w.grad.dtype is torch.float32 and w.grad.tolist() == [[0.25, 0.25], [0.25, 0.25]]
