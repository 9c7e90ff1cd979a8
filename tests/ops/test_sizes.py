"""Tiny and huge arguments, whose squares single precision does not have, where the result is neither."""

import math

import pytest

import functorch_lite as torch
import functorch_lite.nn.functional as F

SIZES = (2.0**-70, 2.0**66)
POINTS = torch.tensor([[0.5, -1.5, 0.25], [2.0, 1.0, -0.75], [0.125, 1.25, 1.0]])
COMPLEX = torch.complex(POINTS, POINTS.flip(0))

UNCHANGED = {
    "sgn": (torch.sgn, COMPLEX),
    "normalize": (lambda x: F.normalize(x, 1, eps=0), POINTS),
    "normalize, complex": (lambda x: F.normalize(x, 1, eps=0), COMPLEX),
    "corrcoef": (torch.corrcoef, POINTS),
    "cond": (torch.linalg.cond, POINTS),
    "atan2": (lambda x: torch.atan2(x, x.flip(1)), POINTS),
    "quotient": (lambda x: x / x.flip(1), POINTS),
    "renorm": (lambda x: torch.renorm(x, 1, 0, 1e-25), POINTS),
}


def with_gradient(f, x):
    x = x.clone().requires_grad_()
    y = f(x)
    weights = torch.arange(1.0, y.numel() + 1).reshape(y.shape)
    (gradient,) = torch.autograd.grad(y, x, weights.to(y.dtype))
    return y, gradient


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", UNCHANGED)
def test_what_does_not_depend_on_the_size(name, size):
    f, x = UNCHANGED[name]
    wanted, slope = with_gradient(f, x)
    found, gradient = with_gradient(f, x * size)
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(gradient * size, slope, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("size", SIZES)
def test_what_is_as_large(size):
    x = POINTS * size
    values = torch.linalg.eigvals(x) / size
    torch.testing.assert_close(values.abs().sort()[0], torch.linalg.eigvals(POINTS).abs().sort()[0])
    for n in (2, 3):
        sign, wanted = torch.linalg.slogdet(POINTS[:n, :n])
        found = torch.linalg.slogdet(x[:n, :n])
        assert found.sign == sign
        torch.testing.assert_close(found.logabsdet, wanted + n * math.log(size))


@pytest.mark.parametrize("variance", [1e-25, 1e20, 1e30])
def test_gaussian_nll_loss_falls_with_a_variance_that_is_too_small(variance):
    v = torch.full((2,), variance, requires_grad=True)
    far = 4 * math.sqrt(variance)  # the slope is (1 / v - distance^2 / v^2) / 2
    loss = F.gaussian_nll_loss(torch.zeros(2), torch.full((2,), far), v, eps=0, reduction="sum")
    (gradient,) = torch.autograd.grad(loss, v)
    torch.testing.assert_close(gradient * variance, torch.full((2,), -7.5), rtol=1e-4, atol=0)


@pytest.mark.parametrize("z", [1e-20, 1e-20 + 1e-20j, 1e-9 - 1e-12j])
def test_the_real_part_of_tiny_complex_numbers_is_kept(z):
    for f in (torch.sinh, torch.log1p, torch.tanh, torch.expm1, torch.sin):
        assert f(torch.tensor(z, dtype=torch.complex64)).item() == pytest.approx(z, rel=1e-6)


@pytest.mark.parametrize("dtype", [torch.float32, torch.complex64])
def test_the_second_derivative_of_tanh_near_zero(dtype):
    x = torch.tensor([1e-20, -1e-10, 1e-5], dtype=dtype, requires_grad=True)
    (first,) = torch.autograd.grad(torch.tanh(x).sum().real, x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum().real, x)
    torch.testing.assert_close(second, -2 * x.detach(), rtol=1e-5, atol=0)


@pytest.mark.parametrize("f", [torch.cumprod, torch.cumsum, torch.logcumsumexp])
def test_what_accumulates_is_rounded_once(f):
    """As PyTorch's on a CPU: diffusers' noise schedules are such products."""
    x = 1 - torch.linspace(1e-4, 0.02, 1000)
    torch.testing.assert_close(f(x, 0), f(x.double(), 0).float(), rtol=1.2e-7, atol=0)
