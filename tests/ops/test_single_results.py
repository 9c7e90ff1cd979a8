"""Gradients of some of the results of an op that has several: the other results are not differentiated.

The vectors of a decomposition have no derivative where its values are equal. The values do."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite
from functorch_lite._core.api import Tensor
from tests.arguments import fill, flat, placeholders, wants_grad
from tests.checker import array_of, subject, tensors_of
from tests.core.counting import counted
from tests.samples import all_samples

ONES, EYE, ZEROS, DIAGONAL = np.ones((3, 3)), np.eye(3), np.zeros((3, 3)), np.diag([1.0, 1.0, 3.0])
LAST = np.diag([0.0, 0.0, 1.0])

GRADIENTS = {
    "svd, the largest of ones": (lambda t, x: t.linalg.svd(x).S[0], ONES, ONES / 3),
    "svd, max of ones": (lambda t, x: t.linalg.svd(x).S.max(), ONES, ONES / 3),
    "svd, sum": (lambda t, x: t.linalg.svd(x).S.sum(), EYE, EYE),
    "svd, sum of a diagonal": (lambda t, x: t.linalg.svd(x).S.sum(), DIAGONAL, EYE),
    "svd, the largest of a diagonal": (lambda t, x: t.linalg.svd(x).S[0], DIAGONAL, LAST),
    "svd, squares": (lambda t, x: t.linalg.svd(x).S.square().sum(), ZEROS, ZEROS),
    "svd, reduced": (lambda t, x: t.linalg.svd(x, full_matrices=False).S.sum(), EYE[:, :2], EYE[:, :2]),
    "svd, full": (lambda t, x: t.linalg.svd(x).S.sum(), EYE[:2], EYE[:2]),
    "svd, complex": (lambda t, x: t.linalg.svd(x.to(t.complex128)).S.sum(), DIAGONAL, EYE),
    "svd, batch": (lambda t, x: t.linalg.svd(x).S.sum(), np.stack([EYE, DIAGONAL]), np.stack([EYE, EYE])),
    "svd under vmap": (lambda t, x: t.vmap(t.linalg.svd)(x)[1].sum(), np.stack([EYE, DIAGONAL]), np.stack([EYE, EYE])),
    "torch.svd": (lambda t, x: t.svd(x)[1].sum(), EYE, EYE),
    "torch.svd, some=False": (lambda t, x: t.svd(x, some=False).S[0], ONES, ONES / 3),
    "nuclear norm": (lambda t, x: t.linalg.matrix_norm(x, "nuc"), DIAGONAL, EYE),
    "eigh": (lambda t, x: t.linalg.eigh(x)[0].sum(), EYE, EYE),
    "eigh, the largest of ones": (lambda t, x: t.linalg.eigh(x).eigenvalues[-1], ONES, ONES / 3),
    "eigh, squares": (lambda t, x: t.linalg.eigh(x)[0].square().sum(), DIAGONAL, 2 * DIAGONAL),
    "eig": (lambda t, x: t.linalg.eig(x)[0].real.sum(), EYE, EYE),
    "eig, squares": (lambda t, x: t.linalg.eig(x)[0].square().real.sum(), DIAGONAL, 2 * DIAGONAL),
    "qr, R": (lambda t, x: t.linalg.qr(x)[1].diagonal().abs().sum(), EYE, EYE),
    "slogdet": (lambda t, x: t.linalg.slogdet(x).logabsdet, DIAGONAL, np.diag([1, 1, 1 / 3])),
    "lu, U": (lambda t, x: t.linalg.lu(x).U.diagonal().sum(), DIAGONAL, EYE),
    "max": (lambda t, x: x.max(0).values.sum(), EYE, EYE),
    "sort": (lambda t, x: x.sort(0).values[-1].sum(), EYE, EYE),
    "topk": (lambda t, x: x.topk(1, 0).values.sum(), EYE, EYE),
    "std_mean, the mean": (lambda t, x: t.std_mean(x)[1], ZEROS, np.full((3, 3), 1 / 9)),
}  # fmt: skip


@pytest.fixture
def torch():
    return functorch_lite


def on_tape(torch, f, a, **how):
    x = torch.tensor(a, requires_grad=True)
    (g,) = torch.autograd.grad(f(torch, x), x, **how)
    return g


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradient(torch, name):
    f, a, expected = GRADIENTS[name]
    for found in (
        on_tape(torch, f, a),
        on_tape(torch, f, a, create_graph=True),
        torch.func.grad(lambda x: f(torch, x))(torch.tensor(a)),
    ):
        np.testing.assert_allclose(found.detach().numpy(), expected, atol=1e-6)


@pytest.mark.parity
@pytest.mark.parametrize("name", GRADIENTS)
def test_gradient_is_pytorchs(name):
    f, a, expected = GRADIENTS[name]
    found = on_tape(pytest.importorskip("torch"), f, a)
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-6)


@pytest.mark.parametrize(
    "f", [lambda L, x: L.svd(x).S, lambda L, x: L.eigh(x)[0], lambda L, x: L.eig(x)[0].real, lambda L, x: L.qr(x)[1]]
)  # fmt: skip
def test_second_derivatives(torch, f):
    a = torch.tensor([[2.0, 0.5], [0.5, 3.0]], dtype=torch.float64)
    weights = torch.tensor([[1.0, -2.0], [3.0, 0.5]], dtype=torch.float64)

    def slope(x, grad):
        return (grad(lambda x: f(torch.linalg, x).sin().sum(), x) * weights).sum()

    def taped(f, x):
        return torch.autograd.grad(f(x), x, create_graph=True)[0]

    x = a.clone().requires_grad_()
    (found,) = torch.autograd.grad(slope(x, taped), x)
    by_transforms = torch.func.grad(lambda x: slope(x, lambda f, x: torch.func.grad(f)(x)))(a)
    torch.testing.assert_close(found, by_transforms)
    step, up = 1e-5, torch.tensor([[0.3, -0.7], [-0.7, 0.2]], dtype=torch.float64)
    ends = [slope(x, lambda f, x: torch.func.grad(f)(x)).item() for x in (a + step * up, a - step * up)]
    assert (found * up).sum().item() == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-6)


SEVERAL = (
    "aminmax", "gradient", "linalg.lstsq", "linalg.lu", "linalg.lu_factor", "linalg.qr", "linalg.slogdet", "linalg.svd",
    "lu_unpack", "nn.functional._equal_parts", "nn.functional._lstm_cell", "nn.functional._recall", "nn.functional._weigh", "std_mean", "svd",
    "var_mean",
)  # fmt: skip
"""Ops of which several results have derivatives."""


@pytest.mark.parametrize("name", SEVERAL)
def test_each_result_alone_has_the_same_gradient_on_the_tape(torch, name):
    """The tape's gradient of one result is that of `func.grad`, and there is no nan in the one that the other lacks."""
    sample = next(s for s in all_samples()[name] if s.error is None and wants_grad(s))
    call, at = subject(name).call, wants_grad(sample)
    arrays = [array_of(t) for t in placeholders(sample)]

    def outputs(tensors):
        torch.manual_seed(0)
        return flat(call(*(filled := fill(sample, tensors))[0], **filled[1]))

    def total(out):
        out = torch.view_as_real(out.resolve_conj()) if out.is_complex() else out
        return out.sin().sum()

    outs = outputs(tensors_of(arrays, at))
    places = [k for k, o in enumerate(outs) if isinstance(o, Tensor) and o.requires_grad]
    for k in places[:3]:
        inputs = tensors_of(arrays, at)
        moved = [inputs[i] for i in at]
        loss = total(outputs(inputs)[k])
        taped = torch.autograd.grad(loss, moved, allow_unused=True)

        def of(*moved, k=k):
            tensors = tensors_of(arrays)
            for i, x in zip(at, moved):
                tensors[i] = x
            return total(outputs(tensors)[k])

        by_transforms = torch.func.grad(of, tuple(range(len(at))))(*[x.detach() for x in moved])
        for ours, theirs in zip(taped, by_transforms):
            ours = torch.zeros_like(theirs) if ours is None else ours
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5, msg=f"result {k}")


@pytest.mark.programs
def test_steady_loops_compile_once_for_each_choice_of_results(torch):
    def step(k, which):
        x = torch.tensor(DIAGONAL * (1 + k)).requires_grad_()
        found = torch.linalg.svd(x, full_matrices=False)
        (found[1].sum() if which == "values" else (found[0] * found[1]).sum()).backward()
        return x.grad.sum().item()

    for which in ("values", "both"):
        for k in range(3):
            step(k, which)
    with counted() as compiles:
        values = [step(k, which) for k in range(5) for which in ("values", "both")]
    assert compiles.n == 0
    assert all(v == pytest.approx(3) for v in values[::2])
