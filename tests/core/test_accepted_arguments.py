"""Arguments in forms that PyTorch takes as well: a bool for a number, `out` by its place, nothing for a spacing.
The results are PyTorch's."""

from __future__ import annotations

import re

import numpy as np
import pytest

import functorch_lite as torch
import functorch_lite.nn.functional as F

_X, _A = [0.5, 1.5, 3.5], [[3.0, 4.0], [0.0, 2.0]]

ACCEPTED = {
    "a diagonal of what halves do not hold": (lambda: torch.ones(1, 2, dtype=torch.float16).fill_diagonal_(-(2**40)), [[float("-inf"), 1.0]]),
    "no kernel": (lambda: F.max_unpool1d(torch.ones(1, 2, 2, dtype=torch.int32), torch.zeros(1, 2, 2, dtype=torch.int64), 0), np.zeros((1, 2, 0))),
    "no steps": (lambda: torch.conv_tbc(torch.ones(2, 1, 1), torch.ones(1, 1, 1), torch.ones(1), -1), np.zeros((0, 1, 1))),
    "a piece of numpy's size": (lambda: torch.unsafe_split(torch.tensor([1.0, 2.0]), np.int64(1))[1], [2.0]),
    "a negative power of a complex zero": (lambda: (torch.tensor(0j) ** torch.tensor(-1 + 1j)).real, float("inf")),
    "a power of a complex zero": (lambda: (torch.tensor(0j) ** torch.tensor(0j)).real, float("nan")),
    "no power of a complex zero": (lambda: (torch.tensor(0j) ** 0j).real, 1.0),
    "a complex number by a negative zero": (lambda: torch.view_as_real(torch.tensor(1 - 2j) / torch.tensor(complex(-0.0, 0))), [float("inf"), float("-inf")]),
    "the inverse of a negative complex zero": (lambda: torch.tensor(complex(-0.0, 0)).reciprocal().real, float("inf")),
    "a window of a tensor": (lambda: torch.signal.windows.exponential(3, tau=torch.tensor(1.0)), [np.exp(-1.0), 1.0, np.exp(-1.0)]),
    "sizes by name": (lambda: torch.tensor(torch.is_same_size(input=torch.ones(2), other=torch.ones(2))), True),
    "trapz of True": (lambda: torch.trapz(torch.tensor(_X), dx=True), 3.5),
    "tensordot over True": (lambda: torch.tensordot(torch.tensor(_A), torch.tensor(_A), True), [[9.0, 20.0], [0.0, 4.0]]),
    "tensordot over a tensor": (lambda: torch.tensordot(torch.tensor(_A), torch.tensor(_A), torch.tensor(1)), [[9.0, 20.0], [0.0, 4.0]]),
    "tensordot over a tensor of dims": (lambda: torch.tensordot(torch.tensor(_A), torch.tensor(_A), torch.tensor([[0], [1]])), [[9.0, 0.0], [20.0, 4.0]]),
    "gradient": (lambda: torch.gradient(torch.tensor(_X), spacing=None)[0], [1.0, 1.5, 2.0]),
    "norm into out": (lambda: torch.norm(torch.tensor(_A), 2, 1, False, torch.empty(2)), [5.0, 2.0]),
    "norm with its dtype": (lambda: torch.norm(torch.tensor(_A), 2, 1, False, None, torch.float64), [5.0, 2.0]),
    "norm as a method": (lambda: torch.tensor(_A).norm(2, 1, False, torch.float64), [5.0, 2.0]),
    "normalize into out": (lambda: F.normalize(torch.tensor(_A), out=torch.empty(2, 2)), [[0.6, 0.8], [0.0, 1.0]]),
    "lerp by a number of another dtype": (lambda: torch.lerp(torch.tensor(_X), torch.zeros(3), torch.tensor(0.5, dtype=torch.float64)), [0.25, 0.75, 1.75]),
    "lerp by a complex number": (lambda: torch.lerp(torch.zeros(2), torch.ones(2), torch.tensor(1j)), [1j, 1j]),
    "full of a tensor": (lambda: torch.full((2,), torch.tensor(0.5, dtype=torch.float64)), [0.5, 0.5]),
    "local_response_norm of a complex factor": (lambda: F.local_response_norm(torch.ones(1, 1, 1), 1, alpha=1j, beta=2.0), [[[-0.5j]]]),
    "clamp_min by a tensor into out": (lambda: torch.clamp_min(torch.tensor(_X), torch.ones(3), out=torch.empty(3).double()), [1.0, 1.5, 3.5]),
    "inner with a number into out": (lambda: torch.inner(torch.tensor(_X), torch.tensor(2.0), out=torch.empty(3).double()), [1.0, 3.0, 7.0]),
    "max of two into out": (lambda: torch.max(torch.tensor(_X), torch.ones(3), out=torch.empty(3).double()), [1.0, 1.5, 3.5]),
    "abs of complex numbers into out": (lambda: torch.abs(torch.tensor([3 + 4j]), out=torch.empty(1).double()), [5.0]),
    "var over None": (lambda: torch.var(torch.tensor(_X), None, unbiased=False, keepdim=True), [14 / 9]),
    "means of matrices": (lambda: F.adaptive_avg_pool2d(torch.tensor(_A), 1), [[2.25]]),
    "means of five dims": (lambda: F.adaptive_avg_pool3d(torch.tensor([[[_A]]]).expand(2, 2, 1, 2, 2).mT, (1, 1, 1))[0, :, 0, 0, 0], [2.25, 2.25]),
    "softmax with a level of the stack": (lambda: F.softmax(torch.tensor(_A), 1, 3, torch.float64).sum(1), [1.0, 1.0]),
    "normal around a tensor without dims": (lambda: torch.normal(torch.tensor(2), torch.tensor(0.0), (2,)), [2.0, 2.0]),
    "a number of more than 64 bits": (lambda: torch.nan_to_num(torch.tensor([np.inf]), posinf=2**70), [2.0**70]),
    "take_along_dim at int32": (lambda: torch.take_along_dim(torch.tensor(_X), torch.tensor([2, 0], dtype=torch.int32)), [3.5, 0.5]),
    "combinations of too few": (lambda: torch.combinations(torch.tensor(_X), 4).sum(), 0.0),
    "histogramdd of no coordinates": (lambda: torch.histogramdd(torch.zeros(3, 0), []).hist, 0.0),
    "density of no coordinates": (lambda: torch.histogramdd(torch.zeros(3, 0), [], density=True).hist, float("nan")),
}  # fmt: skip
DTYPES = {"a diagonal of what halves do not hold": "float16", "no kernel": "int32", "sizes by name": "bool",
    "clamp_min by a tensor into out": "float64", "inner with a number into out": "float64", "max of two into out": "float64",
    "abs of complex numbers into out": "float64", "softmax with a level of the stack": "float64", "norm with its dtype": "float64", "norm as a method": "float64", "lerp by a complex number": "complex64",
    "local_response_norm of a complex factor": "complex64",
}  # fmt: skip


@pytest.mark.parametrize("case", ACCEPTED)
def test_an_argument_in_another_form(case):
    call, expected = ACCEPTED[case]
    found = call()
    assert str(found.dtype) == f"torch.{DTYPES.get(case, 'float32')}"
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6, atol=1e-7)


def _spectrum():
    return torch.complex(torch.arange(20.0).reshape(5, 4), torch.ones(5, 4))


_GAP = re.escape("window overlap add min: 1")
GAPS = {
    "between frames": lambda window: torch.istft(_spectrum(), 8, 8, window=window),
    "at the ends": lambda window: torch.istft(_spectrum(), 8, 4, window=window, center=False),
    "as a method": lambda window: _spectrum().istft(8, 4, window=window, center=False, length=10),
}


@pytest.mark.parametrize("case", GAPS)
def test_windows_that_leave_gaps(case):
    with pytest.raises(RuntimeError, match=_GAP):
        GAPS[case](torch.hann_window(8))
    with pytest.raises(RuntimeError, match=_GAP):
        GAPS[case](torch.tensor([1.0, 0, 1, 1, 1, 0, 1, 1]))
    assert torch.isfinite(GAPS[case](torch.ones(8))).all()


def test_a_rectangular_window_in_wider_frames_leaves_gaps():
    with pytest.raises(RuntimeError, match=_GAP):
        torch.istft(_spectrum(), 8, 2, 4, center=False)
    assert torch.isfinite(torch.istft(_spectrum(), 8, 2, 4)).all()


def test_a_written_window_is_looked_at_again():
    window = torch.ones(8)
    torch.istft(_spectrum(), 8, 8, window=window)
    window[2] = 0
    with pytest.raises(RuntimeError, match=_GAP):
        torch.istft(_spectrum(), 8, 8, window=window)


def test_index_put_of_more_indices_than_dims():
    zero = torch.tensor(0)
    for indices in ((zero,), (torch.tensor(True),)):
        with pytest.raises(IndexError, match=re.escape("too many indices for tensor of dimension 0 (got 1)")):
            torch.index_put(torch.tensor(1.0), indices, torch.tensor(2.0))
    with pytest.raises(IndexError, match=re.escape("too many indices for tensor of dimension 1 (got 2)")):
        torch.ones(3).index_put_((zero, zero), torch.tensor(2.0))


@pytest.mark.parametrize("kind", ["float8_e4m3fn", "float8_e5m2"])
def test_pools_of_a_byte(kind):
    x = torch.ones(1, 2, 2, 2).to(getattr(torch, kind))
    assert F.adaptive_avg_pool2d(x, 0).shape == (1, 2, 0, 0)
    for pool, size in ((F.adaptive_avg_pool2d, 1), (F.adaptive_max_pool2d, 1), (F.adaptive_avg_pool3d, 0)):
        with pytest.raises(NotImplementedError, match=f"not implemented for 'F{kind[1:]}'"):
            pool(x, size)
    with pytest.raises(NotImplementedError, match="not implemented for 'Float8"):
        F.gelu(x)


def test_a_wishart_distribution_of_complex_matrices():
    with pytest.raises(NotImplementedError, match="\"arange_cpu\" not implemented for 'ComplexFloat'"):
        torch.distributions.Wishart(torch.tensor(3.0), torch.eye(2, dtype=torch.complex64))


def _derivatives(loss, *inputs):
    first = torch.autograd.grad(loss, inputs, create_graph=True)
    second = torch.autograd.grad(sum(g.sum() for g in first), inputs[0])
    return [t.tolist() for t in (*first, *second)]


def test_derivatives_where_a_logarithm_is_bounded():
    x, target = torch.tensor([0.0, 1.0], requires_grad=True), torch.tensor([0.0, 1.0], requires_grad=True)
    by_x, by_target, _ = _derivatives(F.binary_cross_entropy(x, target, reduction="sum"), x, target)
    assert by_x == [0.0, 0.0]
    assert by_target == [float("inf"), float("-inf")]


@pytest.mark.parametrize(
    ("beta", "threshold", "slopes", "curves"),
    [
        (0.0, 20, [0.5, 0.5, 0.5], [0.0, 0.0, 0.0]),
        (2.0, 0.0, [1.0, 0.5, 0.11920292], [0.0, 0.0, 0.20998716]),
        (float("inf"), 20, [1.0, float("nan"), 0.0], [float("nan")] * 3),
        (float("-inf"), 20, [0.0, float("nan"), 1.0], [float("nan")] * 3),
    ],
)
def test_derivatives_of_softplus(beta, threshold, slopes, curves):
    x = torch.tensor([1.0, 0.0, -1.0], requires_grad=True)
    found = _derivatives(F.softplus(x, beta, threshold).sum(), x)
    np.testing.assert_allclose(found, [slopes, curves], rtol=1e-5)


@pytest.mark.parametrize("kind", ["bool", "bfloat16", "int64"])
def test_windows_of_other_dtypes(kind):
    found = torch.istft(_spectrum(), 8, window=torch.ones(8).to(getattr(torch, kind)))
    np.testing.assert_allclose(
        found.numpy(), torch.istft(_spectrum(), 8, window=torch.ones(8)).numpy(), rtol=1e-6
    )


@pytest.mark.parity
def test_pytorch_takes_them_as_well(monkeypatch):
    theirs = pytest.importorskip("torch")
    monkeypatch.setitem(globals(), "torch", theirs)
    monkeypatch.setitem(globals(), "F", theirs.nn.functional)
    for case in ACCEPTED:
        test_an_argument_in_another_form(case)
    for case in GAPS:
        test_windows_that_leave_gaps(case)
    test_a_rectangular_window_in_wider_frames_leaves_gaps()
    test_a_written_window_is_looked_at_again()
    test_index_put_of_more_indices_than_dims()
    for kind in ("float8_e4m3fn", "float8_e5m2"):
        test_pools_of_a_byte(kind)
    test_derivatives_where_a_logarithm_is_bounded()
    for kind in ("bool", "bfloat16", "int64"):
        test_windows_of_other_dtypes(kind)
    for mark in test_derivatives_of_softplus.pytestmark:
        for case in mark.args[1]:
            test_derivatives_of_softplus(*case)
    test_a_wishart_distribution_of_complex_matrices()
