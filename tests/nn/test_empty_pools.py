"""Pools of what is empty, or to an empty result: where PyTorch pools, where it refuses, and where only its derivative
does."""

from __future__ import annotations

import re

import pytest

import functorch_lite as torch
import functorch_lite.nn.functional as F

_ADAPTIVE = [f"adaptive_{kind}_pool{n}d" for kind in ("avg", "max") for n in (1, 2, 3)]


@pytest.mark.parametrize("name", _ADAPTIVE)
@pytest.mark.parametrize("lead", [(2, 3), (3,), (0, 3)], ids=["batch", "no batch", "empty batch"])
def test_only_the_gradient_of_an_empty_result_is_refused(name, lead):
    n = int(name[-2])
    x = torch.ones(*lead, *(4,) * n).requires_grad_()
    y = getattr(F, name)(x, (0,) * n)
    assert y.shape == (*lead, *(0,) * n)
    seen = [*lead, 1, 0] if n == 1 else [*lead, *(0,) * n]
    kernel, first = name.replace("1d", "2d"), next(d for d in range(1, len(seen)) if not seen[d])
    sentence = (
        f"{kernel}_backward(): Expected grad_output to have non-zero size for non-batch dimensions, but grad_output has sizes "
        f"{seen} with dimension {first} being empty"
    )
    with pytest.raises(RuntimeError, match=re.escape(sentence)):
        y.sum().backward()


def test_transforms_refuse_the_gradient_and_push_forward():
    x = torch.ones(2, 3, 4, 4)

    def pooled(x):
        return F.adaptive_avg_pool2d(x, 0).sum()

    for transform in (torch.func.grad, torch.func.jacrev):
        with pytest.raises(RuntimeError, match=r"adaptive_avg_pool2d_backward\(\): Expected grad_output"):
            transform(pooled)(x)
    with pytest.raises(RuntimeError, match=r"adaptive_avg_pool2d_backward\(\): Expected grad_output"):
        torch.vmap(torch.func.grad(pooled))(x)
    assert torch.vmap(lambda x: F.adaptive_max_pool2d(x, 0))(x).shape == (2, 3, 0, 0)
    out, moved = torch.func.jvp(pooled, (x,), (x,))
    assert out.item() == moved.item() == 0


def test_a_gradient_that_is_not_asked_for_refuses_nothing():
    x = torch.ones(2, 3, 4, 4).requires_grad_()
    (F.adaptive_avg_pool2d(x, 0).detach().sum() + x.sum()).backward()
    assert x.grad.sum().item() == x.numel()


def test_an_average_of_no_channels_has_no_gradient_unless_it_is_one_mean():
    x = torch.ones(2, 0, 4, 4).requires_grad_()
    with pytest.raises(
        RuntimeError, match=r"but grad_output has sizes \[2, 0, 2, 2\] with dimension 1 being empty"
    ):
        F.adaptive_avg_pool2d(x, 2).sum().backward()
    F.adaptive_avg_pool2d(x, 1).sum().backward()
    assert x.grad.shape == x.shape


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_average_of_nothing_is_nan(n):
    assert getattr(F, f"adaptive_avg_pool{n}d")(torch.ones(2, 3, *(0,) * n), 1).isnan().all()
    with pytest.raises(RuntimeError, match="Expected input to have non-zero size for non-batch dimensions"):
        getattr(F, f"adaptive_avg_pool{n}d")(torch.ones(2, 3, *(0,) * n), 2)


def test_an_average_in_three_dims_is_one_mean_where_it_is_of_everything():
    x = torch.full((1, 2, 2, 2, 2), 1 + 2j)
    assert F.adaptive_avg_pool3d(x, 1).flatten().tolist() == [1 + 2j, 1 + 2j]
    assert F.adaptive_avg_pool3d(torch.ones(2, 0, 4, 4, 4), 1).shape == (2, 0, 1, 1, 1)
    with pytest.raises(RuntimeError, match=r"mean\(\): could not infer output dtype"):
        F.adaptive_avg_pool3d(torch.ones(1, 2, 2, 2, 2, dtype=torch.int64), 1)


REFUSALS = {
    "negative 1d": (lambda: F.adaptive_avg_pool1d(torch.ones(2, 3, 4), -1), "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received {1, -1}"),
    "negative 3d": (lambda: F.adaptive_avg_pool3d(torch.ones(3, 4, 4, 4), -1), "but received {-1, -1,-1}"),
    "negative max": (lambda: F.adaptive_max_pool1d(torch.ones(3, 4), -1), "Trying to create tensor with negative dimension -1: [3, 1, -1]"),
    "average of no places": (lambda: F.adaptive_avg_pool1d(torch.ones(3, 0), 2), "adaptive_avg_pool2d(): Expected input to have non-zero size for non-batch dimensions, but input has sizes [3, 1, 0] with dimension 2 being empty"),
    "fractional": (lambda: F.fractional_max_pool2d(torch.ones(2, 0, 4, 4), 2, 2), "fractional_max_pool2d(): Expected input to have non-zero size for non-batch dimensions, but got[2, 0, 4, 4] with dimension 1 being empty."),
    "fractional 3d": (lambda: F.fractional_max_pool3d(torch.ones(2, 3, 0, 0, 0), 2, 2), "fractional_max_pool3d_out(): Expected input to have non-zero size for non-batch dimensions, but got[2, 3, 0, 0, 0] with dimension 2 being empty."),
    "unpool": (lambda: F.max_unpool1d(torch.ones(2, 0, 4), torch.zeros(2, 0, 4, dtype=torch.int64), 2), "but got [2, 0, 4, 1] with dimension 1 being empty."),
    "max 3d": (lambda: F.max_pool3d(torch.ones(0, 4, 4, 4), 2), "max_pool3d_with_indices_out_cpu_template(): Expected input's non-batch dimensions to have positive length, but input has a shape of [0, 4, 4, 4] and non-batch dimension 0 has length zero!"),
    "average 3d": (lambda: F.avg_pool3d(torch.ones(2, 3, 0, 0, 0), 2), "avg_pool3d(): Expected input's non-batch dimensions to have positive length, but input has a shape of [2, 3, 0, 0, 0] and non-batch dimension 0 has length zero!"),
    "indices of one dim": (lambda: F.max_pool1d(torch.ones(2, 0, 4), 2, return_indices=True), "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:[2, 0, 1, 4]"),
    "padding of more than half a kernel": (lambda: F.max_pool2d(torch.ones(1, 8, 8), 3, padding=2, dilation=2), "pad should be smaller than or equal to half of kernel size, but got padW = 2, padH = 2, kW = 3, kH = 3"),
    "the same in three dims": (lambda: F.max_pool3d(torch.ones(1, 8, 8, 8), 3, padding=2, dilation=2), "pad should be smaller than or equal to half of kernel size, but got kT: 3 kW: 3 kH: 3 padT: 2 padW: 2 padH: 2"),
    "two strides for one dim": (lambda: F.max_pool1d(torch.ones(2, 8), 3, (1, 1)), "max_pool1d() stride must be None, an int, list of ints, or tuple of ints of size 1 but got size 2"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals_are_told_in_pytorchs_words(case):
    call, sentence = REFUSALS[case]
    with pytest.raises(RuntimeError, match=re.escape(sentence)):
        call()


@pytest.mark.parity
def test_the_refusals_are_pytorchs(monkeypatch):
    theirs = pytest.importorskip("torch")
    monkeypatch.setitem(globals(), "torch", theirs)
    monkeypatch.setitem(globals(), "F", theirs.nn.functional)
    for call, sentence in REFUSALS.values():
        with pytest.raises(RuntimeError, match=re.escape(sentence)):
            call()
    for name in _ADAPTIVE:
        test_only_the_gradient_of_an_empty_result_is_refused(name, (2, 3))
    test_an_average_of_no_channels_has_no_gradient_unless_it_is_one_mean()
