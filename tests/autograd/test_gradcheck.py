"""gradcheck finds what is wrong, and passes what is right; it is itself checked with planted faults."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite.autograd import gradcheck, gradgradcheck
from functorch_lite.autograd.gradcheck import GradcheckError

X = [0.5, 1.5]
Z = [0.5 + 1.0j, -0.3 - 0.2j]


def real(values=X, dtype=torch.float64):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


def wrong(factor, offset=0.0):
    """x * x with a gradient that is wrong by a factor, and by an offset."""

    def f(x):
        y = x * x
        y.register_hook(lambda g: g * factor + offset)
        return y

    return f


RIGHT = {
    "sin": (torch.sin, [X]),
    "two inputs": (lambda x, w: (x @ w).exp(), [X, [1.0, -0.5]]),
    "several outputs": (lambda x: (x.sin(), (x > 1).sum(), x.sum()), [X]),
    "complex": (torch.sin, [Z]),
    "real of complex": (torch.abs, [Z]),
    "not holomorphic": (lambda z: z.conj() * z * z, [Z]),
    "complex of real": (lambda x: torch.complex(x, x * x), [X]),
    "scalar": (lambda x: x.exp(), [0.3]),
    "empty": (lambda x: x.sin(), [[]]),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_passes(name):
    f, values = RIGHT[name]
    inputs = [real(v, torch.complex128 if np.iscomplexobj(v) else torch.float64) for v in values]
    assert gradcheck(f, inputs, check_forward_ad=True, check_batched_grad=True, check_grad_dtypes=True)
    assert gradcheck(f, inputs, fast_mode=True)


def test_second_derivatives():
    assert gradgradcheck(lambda x: x.sin() * x, real())
    assert gradgradcheck(lambda x, w: x * w.exp(), (real(), real()), gen_non_contig_grad_outputs=True)
    assert gradgradcheck(torch.sin, real(), real([1.0, 2.0]), fast_mode=True)
    assert gradgradcheck(lambda z: z * z, real(Z, torch.complex128))
    assert gradgradcheck(
        torch.sin, real(), check_fwd_over_rev=True, check_rev_over_rev=False, check_undefined_grad=False
    )


@pytest.mark.parametrize("fast", [False, True])
def test_a_wrong_gradient_is_found(fast):
    with pytest.raises(
        GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"
    ) as error:
        gradcheck(wrong(1.5), real(), fast_mode=fast)
    if not fast:
        lines = [line.replace(" ", "") for line in str(error.value).split("\n")]
        assert lines[1:3] == ["numerical:tensor([[1.0000,0.0000],", "[0.0000,3.0000]],dtype=torch.float64)"]
        assert lines[3].startswith("analytical:tensor([[1.5000,0.0000],")
    assert gradcheck(wrong(1.5), real(), fast_mode=fast, raise_exception=False) is False
    assert gradcheck(wrong(1.0), real(), fast_mode=fast)
    assert gradcheck(wrong(1.0001), real(), fast_mode=fast)  # within rtol
    with pytest.raises(GradcheckError):
        gradcheck(wrong(1.0001), real(), fast_mode=fast, rtol=1e-6, atol=1e-7)


def test_a_wrong_complex_gradient_is_found():
    with pytest.raises(
        GradcheckError, match="While considering the imaginary part of complex outputs only, Jacobian"
    ):
        gradcheck(wrong(2.0), real(Z, torch.complex128))
    with pytest.raises(GradcheckError):
        gradcheck(wrong(2.0), real(Z, torch.complex128), fast_mode=True)


def test_a_wrong_second_derivative_is_found():
    def f(x):
        return (x * x) * (x.detach() ** 2)  # its gradient's derivative lacks a part

    with pytest.raises(GradcheckError):
        gradgradcheck(f, real())


def test_a_backward_that_differs_each_time_is_found():
    calls = [0]

    def f(x):
        y = x * x

        def hook(g):
            calls[0] += 1
            return g * (1 + 1e-9 * calls[0])

        y.register_hook(hook)
        return y

    with pytest.raises(GradcheckError, match="Backward is not reentrant"):
        gradcheck(f, real())
    assert gradcheck(f, real(), nondet_tol=1e-5)


def test_a_gradient_that_is_not_linear_is_found():
    with pytest.raises(GradcheckError, match="backward not multiplied by grad_output"):
        gradcheck(wrong(1.0, 1e-6), real())


def test_functions_without_differentiable_outputs():
    assert gradcheck(lambda x: x.detach().sign(), real())
    with pytest.raises(GradcheckError, match="expected to be zero"):
        gradcheck(lambda x: x.detach() * 2, real())
    with pytest.raises(GradcheckError, match="expected to be zero"):
        gradcheck(lambda x: x.detach() * 2, real(), fast_mode=True)


def test_forward_mode_is_checked():
    def other_in_forward_mode(x):
        return x * 2 if x.requires_grad else x * 3

    assert gradcheck(other_in_forward_mode, real())
    with pytest.raises(GradcheckError, match="computed with forward mode mismatch"):
        gradcheck(other_in_forward_mode, real(), check_forward_ad=True)
    assert gradcheck(torch.sin, real(), check_forward_ad=True, check_batched_forward_grad=True)


def test_inputs_that_do_not_fit():
    with pytest.raises(ValueError, match="expects at least one input tensor to require gradient"):
        gradcheck(torch.sin, torch.ones(2), raise_exception=False)
    with pytest.warns(UserWarning, match="Input #1 requires gradient and is not a double precision"):
        gradcheck(lambda n, x: x * n, (2.0, real([1.0], torch.float32)), eps=1e-2, atol=1e-2)
    with pytest.raises(RuntimeError, match="has a dimension with stride 0"):
        gradcheck(torch.sin, real([1.0]).expand(3))
    with pytest.raises(AssertionError, match="at least one of"):
        gradcheck(torch.sin, real(), check_backward_ad=False)
    with pytest.raises(NotImplementedError, match="sparse"):
        gradcheck(torch.sin, torch.eye(2, dtype=torch.float64).to_sparse().requires_grad_(), masked=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = real()
        assert gradcheck(lambda a, b: a * b, [x * 1, 2.0])
        assert x.grad is None
