"""Real PyTorch in the same process: tensors and functions go both ways, with gradients."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite.compat.pytorch import from_pytorch, function_for_pytorch, pytorch_function, to_pytorch
from tests.support.processes import python


def test_without_pytorch():
    code = (
        "import functorch_lite as torch\n"
        "from functorch_lite.compat.pytorch import to_pytorch\n"
        "import sys\n"
        "assert 'torch' not in sys.modules\n"
        "try: to_pytorch(torch.ones(2))\n"
        "except RuntimeError as error: assert 'import torch' in str(error)\n"
        "else: raise AssertionError\n"
    )
    assert python("-c", code).returncode == 0


@pytest.mark.parity
@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "int64", "int32", "uint8", "bool", "complex64", "bfloat16", "float16"]
)
def test_there_and_back(dtype):
    import torch as pytorch

    theirs = pytorch.tensor([[0, 1, 3], [2, 5, 1]]).to(getattr(pytorch, dtype)).t()
    ours = from_pytorch(theirs)
    assert ours.dtype is getattr(torch, dtype) and ours.tolist() == theirs.tolist()
    back = to_pytorch(ours)
    assert back.dtype is theirs.dtype and pytorch.equal(back, theirs)
    back[0, 0] = 1  # memory of its own
    theirs[0, 0] = 1
    assert ours[0, 0] == 0


@pytest.mark.parity
def test_history_is_not_lost_without_a_word():
    import torch as pytorch

    with pytest.raises(RuntimeError, match="pytorch_function"):
        to_pytorch(torch.ones(2, requires_grad=True))
    with pytest.raises(RuntimeError, match="function_for_pytorch"):
        from_pytorch(pytorch.ones(2, requires_grad=True))
    with pytest.raises(TypeError):
        from_pytorch(torch.ones(2))
    with pytest.raises(TypeError):
        to_pytorch(pytorch.ones(2))
    assert from_pytorch(pytorch.ones(2), requires_grad=True).requires_grad


@pytest.mark.parity
def test_gradients_through_pytorch():
    import torch as pytorch

    pytorch.manual_seed(0)
    net = pytorch.nn.Sequential(pytorch.nn.Linear(3, 4), pytorch.nn.Tanh(), pytorch.nn.Linear(4, 2))
    values = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    x = torch.tensor(values, requires_grad=True)
    (pytorch_function(net)(x.sin()) ** 2).sum().backward()
    y = pytorch.tensor(values, requires_grad=True)
    (net(y.sin()) ** 2).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), rtol=1e-4, atol=1e-6)

    both = pytorch_function(lambda a, b: (a * b, a.sum()))
    a, b = torch.ones(3, requires_grad=True), torch.full((3,), 2.0)
    product, total = both(a, b)
    (product.sum() + 3 * total).backward()
    assert a.grad.tolist() == [5, 5, 5] and b.grad is None
    with pytest.raises(TypeError, match="expected a Tensor of functorch_lite"):
        both(a, 3)
    slope = torch.autograd.grad(both(a, b)[0].sum(), a, create_graph=True)[0]
    with pytest.raises(RuntimeError):
        slope.sum().backward()
    assert a.detach().equal(torch.ones(3))


@pytest.mark.parity
def test_pytorch_inside_of_transforms():
    """First derivatives by grad; whatever would need more than values is refused, never zero."""
    import torch as pytorch

    cube, x = pytorch_function(lambda a: (a**3).sum()), torch.tensor([1.0, 2.0, 3.0])
    assert torch.func.grad(cube)(x).tolist() == [3, 12, 27]
    compiled = torch.compile(torch.func.grad(cube))
    with warnings.catch_warnings(action="ignore"):  # that it is run each time
        assert [compiled(x * k)[0].item() for k in range(4)] == [0, 3, 12, 27]
    for refused in (
        lambda: torch.func.grad(lambda x: torch.func.grad(cube)(x).sum())(x),
        lambda: torch.func.vmap(cube)(torch.ones(2, 3)),
        lambda: torch.func.jacrev(cube)(x),
        lambda: torch.func.hessian(cube)(x),
        lambda: torch.func.jvp(cube, (x,), (x,)),
    ):
        with pytest.raises((RuntimeError, NotImplementedError)):
            refused()
    assert isinstance(pytorch.ones(1), pytorch.Tensor)


@pytest.mark.parity
def test_gradients_of_ours_in_pytorch():
    import torch as pytorch

    def energy(x, w):
        return torch.special.i0(x @ w).sum(), x.cos()

    values = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    x = pytorch.tensor(values, requires_grad=True)
    w = pytorch.ones(3, requires_grad=True)
    whole, cosine = function_for_pytorch(energy)(x, w)
    (whole.square() + cosine.sum()).backward()
    y, v = pytorch.tensor(values, requires_grad=True), pytorch.ones(3, requires_grad=True)
    (pytorch.special.i0(y @ v).sum().square() + y.cos().sum()).backward()
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(w.grad.numpy(), v.grad.numpy(), rtol=1e-4, atol=1e-5)
