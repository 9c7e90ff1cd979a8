"""functorch.dim: first-class dimensions.
What programs with them give is what ordinary functions give, here and, marked parity, in PyTorch."""

from __future__ import annotations

import pytest

import functorch_lite as torch
from functorch_lite.compat.functorch import dim
from functorch_lite.compat.functorch.dim import DimensionBindError, DimensionMismatchError, dimlists, dims
from tests.compat.dim_cases import CASES, NOT_IN_PYTORCH
from tests.support.processes import python


@pytest.mark.parametrize("name", CASES)
def test_programs(name):
    for got, want in CASES[name](torch, dim):
        assert type(got) is torch.Tensor and got.dtype == want.dtype
        torch.testing.assert_close(got, want)


@pytest.mark.parity
@pytest.mark.parametrize("name", [n for n in CASES if n not in NOT_IN_PYTORCH])
def test_programs_beside_pytorch(name):
    theirs = pytest.importorskip("torch")
    their_dim = pytest.importorskip("functorch.dim")
    for (got, _), (want, _) in zip(CASES[name](torch, dim), CASES[name](theirs, their_dim), strict=True):
        torch.testing.assert_close(torch.from_numpy(want.detach().numpy()), got.detach())


def test_dimensions_say_what_they_are():
    i, j = dims()
    assert (str(i), repr(j)) == ("i", "j") and i.dims[0] is i and i.ndim == 0
    x = torch.zeros(3, 4)[i, j]
    assert str(x.dims) == "(i, j)" and x.ndim == 0 and x.shape == () and i.size == 3
    assert repr(i + 1) == "tensor([1, 2, 3])\nwith dims=(i,) sizes=(3,)"
    assert repr(torch.zeros(2, 3)[:, dims(1)]).endswith("with dims=(d0, 0) sizes=(3, 2)")
    a = dims(1)
    (b,) = dims(1)
    assert str(a) == "a" and str(b) == "b" and [str(d) for d in dims(2)] == ["d0", "d1"] and dims(0) == ()
    one, other = dimlists(sizes=[2, [None, 3]])
    assert (str(one), other[1].size, other[0].is_bound) == ("(one0, one1)", 3, False)


def test_sizes_are_bound_once():
    i, j, k = dims(3)
    with pytest.raises(ValueError, match="dimension i is unbound"):
        _ = i.size
    i.size = 3
    i.size = 3
    with pytest.raises(
        DimensionBindError, match=r"Dim 'i' previously bound to a dimension of size 3 cannot bind to .* 4"
    ):
        i.size = 4
    with pytest.raises(DimensionBindError, match="cannot bind to a dimension of size 5"):
        torch.zeros(5)[i]
    with pytest.raises(DimensionBindError, match="cannot infer the sizes of two dimensions at once j and k"):
        torch.zeros(6, 2)[(j, k), 0]
    j.size = 4
    with pytest.raises(
        DimensionBindError, match=r"does not evenly fit into larger dimension: 6 vs \(4, '\?'\)"
    ):
        torch.zeros(6, 2)[(j, k), 0]
    with pytest.raises(DimensionBindError, match="already exists"):
        torch.zeros(3)[i].expand(i)
    rest = dimlists(1)
    with pytest.raises(DimensionBindError, match="not bound"):
        len(rest)
    with pytest.raises(DimensionBindError, match="at most one"):
        torch.zeros(2, 2)[rest, ...]
    with pytest.raises(SyntaxError, match="must be assigned"):
        print(dims())
    with pytest.raises(ValueError, match="expected 3 sizes but found 2"):
        dims(3, sizes=[1, 2])


def test_what_cannot_be_done_raises():
    i, j, k = dims(3)
    x = torch.arange(12.0).reshape(3, 4)
    with pytest.raises(
        ValueError, match="at least 1 indices were supplied but the tensor only has 0 dimensions"
    ):
        x[i, j][0]
    with pytest.raises(ValueError, match="does not contain dim k or it was specified twice"):
        x[i, j].order(k)
    with pytest.raises(ValueError, match="does not contain k"):
        x[i].sum(k)
    with pytest.raises(ValueError, match="keepdim"):
        x[i].sum(i, keepdim=True)
    with pytest.raises(RuntimeError, match="order"):
        float(x[i].sum())
    with pytest.raises(RuntimeError, match="order"):
        x[i].tolist()
    with pytest.raises(RuntimeError, match="lacks"):
        x[i].mul_(x[i, j])
    with pytest.raises(DimensionMismatchError, match="size 2 along i"):
        x[i].topk(2, i)
    with pytest.raises(DimensionBindError, match="not in the dimension on the left"):
        x[i] = torch.zeros(3, 5)[i, k]
    with pytest.raises(IndexError, match="use torch"):
        x[x[i, j] > 2]
    with pytest.raises(IndexError, match="out of bounds"):
        x[i + 1].order(i).tolist()


def test_a_product_that_is_summed_is_never_made():
    i, j, k = dims(3)
    x, y = torch.randn(3, 4), torch.randn(4, 5)
    product = x[i, k] * y[k, j]
    assert torch.equal(product.sum(k).order(i, j), torch.einsum("ik,kj->ij", x, y)) and product._made is None
    assert product.dtype == torch.float32 and product.ndim == 0 and product._made is None
    before = x @ y
    x.zero_()  # after they were multiplied
    torch.testing.assert_close(product.sum(k).order(i, j), before)
    torch.testing.assert_close((product + 0).sum(k).order(i, j), before)


def test_writes_gradients_and_transforms():
    x = torch.randn(3, 4, requires_grad=True)
    i, j = dims(2)
    (x[i, j] * 2).sum((i, j)).backward()
    assert torch.equal(x.grad, torch.full((3, 4), 2.0))

    def f(x, y):
        i, j, k = dims(3)
        return (x[i, k] * y[k, j]).sum((i, j, k))

    y = torch.randn(4, 5)
    assert torch.allclose(torch.func.grad(f)(x.detach(), y), y.sum(1).expand(3, 4), atol=1e-5)
    xs = torch.randn(2, 3, 4)
    assert torch.allclose(torch.func.vmap(f, (0, None))(xs, y), (xs @ y).sum((1, 2)), atol=1e-4)
    with torch.no_grad():
        made = x[i, j] * y[j, dims(1)]
    assert not made.requires_grad


def test_numbers_are_drawn_for_each_place():
    torch.manual_seed(0)
    i = dims(sizes=[50])
    x = torch.zeros(50, 20)[i]
    drawn = torch.bernoulli(x + 0.5).order(i)
    assert 300 < drawn.sum() < 700 and not torch.equal(drawn[0], drawn[1])
    assert len(torch.rand_like(x).order(i).unique()) > 900


def test_a_scalar_in_the_loop_does_not_promote():
    i = dims(sizes=[3])
    assert (torch.zeros(2, dtype=torch.int32) + i).dtype == torch.int32
    assert (torch.zeros(2) * torch.zeros(3, dtype=torch.float64)[i]).dtype == torch.float32


def test_programs_import_it_from_functorch():
    done = python(
        "-c",
        "from functorch_lite.compat import install_as_torch; install_as_torch()\n"
        "import torch; from functorch.dim import dims, softmax\n"
        "i, j = dims(); x = torch.ones(2, 3)\n"
        "assert softmax(x[i, j], dim=j).sum(j).order(i).tolist() == [1, 1]",
    )
    assert done.returncode == 0, done.stderr
