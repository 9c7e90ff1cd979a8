"""torch.masked: each function is the plain one on what the mask leaves; inside vmap and grad; MaskedTensor."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import masked
from functorch_lite.func import grad, vmap
from tests.masked.cases import CALLS, MASK, OF_MASKED_TENSORS, X, scope

PLAIN = {
    "sum": np.sum, "prod": np.prod, "amax": np.max, "amin": np.min, "mean": np.mean, "argmax": None, "argmin": None,
    "var": lambda a: np.var(a, ddof=1), "std": lambda a: np.std(a, ddof=1), "norm": np.linalg.norm,
    "logsumexp": lambda a: np.log(np.exp(a).sum()), "median": lambda a: np.sort(a)[(len(a) - 1) // 2],
}  # fmt: skip


@pytest.mark.parametrize("name", [n for n, f in PLAIN.items() if f is not None])
def test_reductions_are_of_what_is_left(name):
    arguments = (2.0, 1) if name == "norm" else (1,)
    got = getattr(masked, name)(torch.tensor(X), *arguments, mask=torch.tensor(MASK)).numpy()
    for row in (0, 2):
        np.testing.assert_allclose(got[row], PLAIN[name](X[row][MASK[row]]), rtol=1e-12)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "softmin", "cumsum", "cumprod"])
def test_rows_are_of_what_is_left(name):
    got = getattr(masked, name)(torch.tensor(X), 1, mask=torch.tensor(MASK)).numpy()
    left = torch.tensor(X[0][MASK[0]])
    plain = torch.softmax(-left, 0) if name == "softmin" else getattr(torch, name)(left, 0)
    np.testing.assert_allclose(got[0][MASK[0]], plain.numpy(), rtol=1e-12)


def test_the_empty_row():
    x, mask = torch.tensor(X), torch.tensor(MASK)
    values = [
        getattr(masked, n)(x, 1, mask=mask)[1].item() for n in ("sum", "prod", "amax", "amin", "logsumexp")
    ]
    assert values == [0, 1, -np.inf, np.inf, -np.inf]
    assert np.isnan([getattr(masked, n)(x, 1, mask=mask)[1].item() for n in ("mean", "var", "median")]).all()
    assert masked.argmax(x, 1, mask=mask).tolist() == [2, 0, 3]
    assert masked.argmin(x, 1, mask=mask).tolist() == [3, 0, 0]


def test_inside_vmap_and_grad():
    x, mask = torch.tensor(X), torch.tensor(MASK)
    batched = vmap(lambda a, k: masked.softmax(a, 0, mask=k))(x, mask)
    np.testing.assert_allclose(batched.numpy(), masked.softmax(x, 1, mask=mask).numpy())
    slope = grad(lambda a: masked.mean(a, mask=mask[0]))(x[0])
    np.testing.assert_allclose(slope.numpy(), MASK[0] / 3)
    two = grad(lambda a: masked.normalize(a, 2.0, 0, mask=mask[0])[0])(x[0])
    assert two[1].item() == 0


def test_logaddexp_and_normalize():
    x, mask = torch.tensor(X), torch.tensor(MASK)
    np.testing.assert_allclose(masked.logaddexp(x, x, input_mask=mask, other_mask=~mask).numpy(), X)
    length = masked.normalize(x, 2.0, 1, mask=mask).norm(dim=1)
    np.testing.assert_allclose(length.numpy(), [1, 0, 1])


def test_gradients_of_a_masked_tensor_are_masked():
    q = masked.masked_tensor(torch.arange(3.0), torch.tensor([True, False, True]), requires_grad=True)
    (q * q).sum().get_data().backward()
    assert repr(q.grad) == "MaskedTensor(\n  [  0.0000,       --,   4.0000]\n)"


def test_methods_need_one_mask_and_say_so():
    a = masked.masked_tensor(torch.ones(2), torch.tensor([True, False]))
    b = masked.masked_tensor(torch.ones(2), torch.tensor([False, True]))
    with pytest.raises(ValueError, match="Input masks must match"):
        a + b
    with pytest.raises(NotImplementedError, match="is not supported for masked tensors"):
        torch.sort(a)


def test_every_call_of_the_table_runs():
    for source in [*CALLS[:3], *OF_MASKED_TENSORS[:3]]:
        assert eval(source, scope(torch)) is not None
