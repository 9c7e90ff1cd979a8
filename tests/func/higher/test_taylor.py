"""Taylor mode: values of nets and functions from 60-digit arithmetic, and what it does under every other transform."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F
from functorch_lite.func import grad, hessian, jacfwd, jvp, taylor, vmap
from tests.support.full import FULL

from . import nets
from .facts import check_mean, facts, of_calls


def _row(model, scalar=True):
    return lambda x: model(x[None])[0, 0] if scalar else model(x[None])[0]


@pytest.mark.parametrize("name", of_calls("laplacian_estimate")[: None if FULL else 1])
def test_estimates(name):
    fact = facts()[name]
    model, ((x, _),) = nets.net(fact["net"]), nets.data(fact["data"])
    torch.manual_seed(3)
    estimate = taylor.laplacian(_row(model), samples=fact["samples"], distribution=fact["distribution"])
    found = vmap(estimate)(x)
    check_mean(fact, found.value, fact["samples"])
    exact = np.sqrt(np.array(fact["variance"]) / fact["samples"])
    ratio = found.standard_error.detach().numpy() / exact
    assert (ratio < 2).all() and (ratio > 0.5).all() and found.samples == fact["samples"]
    torch.manual_seed(3)
    assert taylor.laplacian(_row(model), samples=fact["samples"])(x[0]).value.item() == pytest.approx(
        found.value[0].item()
    ), "a vmap draws what is drawn without it"


def cubes(x):
    return (x**3).sum() * x.flatten()[0]


@pytest.mark.parametrize("distribution", ["rademacher", "normal", "sparse"])
def test_every_distribution_estimates_the_laplacian(distribution):
    x = torch.tensor([0.5, -1.0, 2.0, 0.3]).double()
    exact = hessian(cubes)(x).diagonal().sum().item()
    torch.manual_seed(0)
    samples = 2 if distribution == "sparse" else 30
    runs = [taylor.laplacian(cubes, samples=samples, distribution=distribution)(x) for _ in range(60)]
    values = np.array([r.value.item() for r in runs])
    assert abs(values.mean() - exact) < 4 * values.std() / np.sqrt(60) + 1e-9
    if distribution != "sparse":
        assert 0.5 < np.mean([r.standard_error.item() for r in runs]) / values.std() < 2
    whole = taylor.laplacian(cubes, samples=4, distribution="sparse")(x)
    assert whole.value.item() == pytest.approx(exact) and whole.standard_error.item() == 0


def test_estimates_of_the_others():
    x = torch.tensor([0.5, -1.0, 2.0]).double()
    f = lambda x: (x[0] * x[1] * x[2] ** 2 + (x**4).sum()) ** 2 / 100  # noqa: E731
    torch.manual_seed(1)
    found = taylor.biharmonic(f, samples=4000)(x)
    assert abs(found.value - taylor.biharmonic(f)(x)) < 4 * found.standard_error
    found = taylor.hessian_diagonal(f, samples=2000)(x)
    assert ((found.value - taylor.hessian_diagonal(f)(x)).abs() < 4 * found.standard_error).all()
    field = lambda x: torch.stack([x[0] * x[1], x[1] * x[2], x[0] * x[2]])  # noqa: E731
    found = taylor.divergence(field, samples=2000)(x)
    assert abs(found.value - taylor.divergence(field)(x)) < 4 * found.standard_error


class Cubed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g

    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * t


def _steps(x):
    out = torch._higher_order_ops.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, y * torch.sin(y)), (torch.tensor(0), x)
    )
    return out[1].sum()


A = torch.tensor(np.random.RandomState(0).randn(3, 3)).double()
KERNEL = torch.tensor(np.random.RandomState(1).randn(2, 1, 2)).double()

KINDS_OF_FUNCTIONS = {
    "relu": lambda x: (F.relu(x) ** 3).sum(),
    "softplus": lambda x: F.softplus(x * x).sum() * x[0],
    "cond": lambda x: torch.cond(x[0] > 0, lambda x: (x**3).sum(), lambda x: x.sum(), (x,)),
    "while": _steps,
    "sort": lambda x: (torch.sort(x).values ** 3 * torch.arange(1.0, 4.0).double()).sum(),
    "solve": lambda x: torch.linalg.solve(A + torch.outer(x, x) + 3 * torch.eye(3).double(), x).sum(),
    "eigh": lambda x: torch.linalg.eigvalsh(torch.outer(x, x) + torch.diag(x**2)).pow(2)[2],
    "cumprod": lambda x: torch.cumprod(x, 0).sum(),
    "prod": lambda x: x.prod(),
    "max": lambda x: x.max() ** 3 + torch.maximum(x, x.flip(0) ** 2).sum(),
    "norm": lambda x: torch.linalg.norm(x),
    "logsumexp": lambda x: torch.logsumexp(x * x, 0),
    "conv": lambda x: (F.conv1d(x[None, None], KERNEL) ** 3).sum(),
    "two products": lambda x: ((torch.outer(x, x) @ torch.outer(x, x)) ** 2).sum(),
    "pow": lambda x: ((x**2 + 1) ** (x[0] ** 2)).sum(),
    "div": lambda x: (x / (1 + x.flip(0) ** 2)).sum() * x[1],
    "index": lambda x: (x[torch.tensor([0, 2])] ** 3).sum() + x[1] ** 2 * x[0],
    "write": lambda x: _written(x).pow(2).sum(),
    "detach": lambda x: (x.detach() * x**3).sum(),
    "gather": lambda x: torch.gather(x**2, 0, torch.tensor([1, 1])).prod(),
    "layer norm": lambda x: (F.layer_norm(x, (3,)) ** 2 * x).sum(),
    "attention": lambda x: F.scaled_dot_product_attention(x[None, :, None], x[None, :, None] * 2, x[None, :, None] ** 2).sum(),
}  # fmt: skip


def _written(x):
    y = x * 2
    y[1] = x[0] ** 3
    return y


@pytest.mark.parametrize(
    "kind", KINDS_OF_FUNCTIONS if FULL else ("relu", "cond", "max", "div", "two products", "layer norm")
)
def test_any_function(kind):
    """Loops, branches, solvers, sorts: beside this library's own hessian and nested jvp."""
    f = KINDS_OF_FUNCTIONS[kind]
    x = torch.tensor([0.7, -0.4, 1.3]).double()
    H = hessian(f)(x) if kind != "while" else jacfwd(jacfwd(f))(x)
    value, gradient, laplacian = taylor.value_grad_laplacian(f)(x)
    np.testing.assert_allclose(laplacian.item(), H.diagonal().sum().item(), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(taylor.hessian_diagonal(f)(x).numpy(), H.diagonal().numpy(), atol=1e-9)
    np.testing.assert_allclose(gradient.numpy(), jacfwd(f)(x).numpy(), atol=1e-12)
    v = torch.tensor([0.2, -1.0, 0.6]).double()
    along = lambda g: lambda x: jvp(g, (x,), (v,))[1]  # noqa: E731
    third = along(along(along(f)))(x)
    found = taylor.directional_derivatives(f, (x,), (v,), 3)
    np.testing.assert_allclose(found[3].item(), third.item(), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(found[0].item(), value.item())


@pytest.mark.parametrize("what", ["function", "no_grad"])
def test_what_python_has_the_say_over(what):
    def f(x):
        if what == "function":
            return (Cubed.apply(x) * x[0]).sum()
        with torch.no_grad():
            y = x * 2
        return (y * x**3).sum()

    x = torch.tensor([0.7, -0.4]).double()
    H = jacfwd(jacfwd(f))(x).diagonal()
    v = torch.ones(2).double()
    for found in (
        taylor.laplacian(f)(x),
        taylor.value_grad_laplacian(f)(x)[2],
        taylor.hessian_diagonal(f)(x).sum(),
        taylor.linear_operator(f, {(2, 0): 1.0, (0, 2): 1.0})(x),
    ):
        assert found.item() == pytest.approx(H.sum().item())
    second = jvp(lambda x: jvp(f, (x,), (v,))[1], (x,), (v,))[1]
    zeros = torch.zeros(2).double()
    assert taylor.jet(f, (x,), ((v, zeros),))[1][1].item() == pytest.approx(second.item())


def test_layer_norm_and_batch_norm_where_torch_is_wrong():
    """torch 2.13's jvp of jvp through layer_norm gives 0.121 for what finite differences say is 0.207."""
    for module in (nn.LayerNorm(4).double(), nn.BatchNorm1d(4, track_running_stats=False).double()):
        shape = (4,) if isinstance(module, nn.LayerNorm) else (3, 4)
        x = torch.tensor(np.random.RandomState(3).randn(*shape))
        f = lambda x, m=module: (m(x) ** 3).sum()  # noqa: E731
        e, total = 1e-4, 0.0
        for i in range(x.numel()):
            d = torch.zeros(x.numel()).double()
            d[i] = e
            d = d.reshape(shape)
            total += (f(x + d) - 2 * f(x) + f(x - d)).item() / e**2
        assert taylor.laplacian(f)(x).item() == pytest.approx(total, rel=1e-4)


def test_shapes_chunks_and_methods():
    x = torch.tensor(np.random.RandomState(3).randn(2, 3))
    f = lambda x, y: {"a": torch.outer(x.sum(0) ** 3, y), "b": (x**2).sum()}  # noqa: E731
    y = torch.tensor([1.0, 2.0]).double()
    exact = taylor.laplacian(f)(x, y)
    assert exact["a"].shape == (3, 2) and exact["b"].item() == pytest.approx(12.0)
    for options in (
        {"chunk_size": 4},
        {"chunk_size": 1},
        {"chunk_size": "auto"},
        {"method": "nested"},
        {"method": "collapsed"},
    ):
        found = taylor.laplacian(f, **options)(x, y)
        np.testing.assert_allclose(found["a"].numpy(), exact["a"].numpy(), atol=1e-12)
    assert taylor.laplacian(f, argnums=1)(x, y)["a"].abs().max().item() == 0
    S = torch.tensor(np.random.RandomState(4).randn(6, 2))
    weighted = taylor.laplacian(f, weight=lambda x: S * x.sum())(x, y)["b"]
    assert weighted.item() == pytest.approx((2 * (S * x.sum()) ** 2).sum().item())
    assert taylor.hessian_diagonal(f)(x, y)["a"].shape == (3, 2, 2, 3)
    value, gradient, _ = taylor.value_grad_laplacian(f)(x, y)
    assert gradient["a"].shape == (3, 2, 2, 3) and value["b"].shape == ()
    low = taylor.laplacian(lambda x: (x**3).sum())(torch.ones(3, dtype=torch.bfloat16))
    assert low.dtype == torch.bfloat16 and low.item() == 18


def test_linear_operators():
    u = lambda z: torch.exp(-z[0]) * torch.sin(z[1]) * z[2] ** 3  # noqa: E731
    z = torch.tensor([0.3, 0.8, 1.1]).double()
    terms = {
        (1, 0, 0): 2.0,
        (0, 2, 0): torch.tensor(0.5),
        (0, 1, 2): lambda z: z[0],
        (0, 0, 0): -1.0,
        (0, 4, 0): 1.0,
    }
    found = taylor.linear_operator(u, terms)(z)
    t, s, w = z
    e, sin, cos = torch.exp(-t), torch.sin(s), torch.cos(s)
    wanted = (
        -2 * e * sin * w**3 - 0.5 * e * sin * w**3 + t * e * cos * 6 * w - e * sin * w**3 + e * sin * w**3
    )
    assert found.item() == pytest.approx(wanted.item())


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: taylor.laplacian(torch.sin)(torch.tensor([1, 2])), RuntimeError, "only Tensors of floating point dtype"),
        (lambda: taylor.jet(torch.sin, (torch.tensor(1),), ((torch.tensor(1),),)), RuntimeError, "only Tensors of floating point dtype"),
        (lambda: taylor.laplacian(lambda x: x > 0)(torch.ones(2)), RuntimeError, "floating-point Tensors"),
        (lambda: taylor.laplacian(torch.sin, weight=torch.ones(3, 2))(torch.ones(2)), ValueError, r"\(2, r\), got \(3, 2\)"),
        (lambda: taylor.laplacian(torch.sin, samples=0), ValueError, "positive int"),
        (lambda: taylor.laplacian(torch.sin, samples=3, distribution="sparse")(torch.ones(2)), ValueError, "without replacement of 2"),
        (lambda: taylor.laplacian(torch.sin, distribution="cauchy"), ValueError, "rademacher, normal, sparse"),
        (lambda: taylor.laplacian(torch.sin, method="backward"), ValueError, "forward, collapsed, nested"),
        (lambda: taylor.laplacian(torch.sin, chunk_size=0), ValueError, "greater than 0"),
        (lambda: taylor.divergence(lambda x: x[:1])(torch.ones(2)), ValueError, r"shape \(2,\), got \(1,\)"),
        (lambda: taylor.mixed_partial(torch.sum, (1, 1))(torch.ones(3)), ValueError, r"\(3,\)"),
        (lambda: taylor.mixed_partial(torch.sum, (1, -1)), ValueError, "not negative"),
        (lambda: taylor.linear_operator(torch.sum, {}), ValueError, "no terms"),
        (lambda: taylor.jet(torch.sin, (torch.ones(2),), ((torch.ones(3),),)), ValueError, r"\(2,\), a term of its series \(3,\)"),
        (lambda: taylor.jet(torch.add, (torch.ones(2),) * 2, ((torch.ones(2),), (torch.ones(2),) * 2)), ValueError, "same length"),
        (lambda: taylor.directional_derivatives(torch.sin, (torch.ones(2),), (torch.ones(2),), 0), ValueError, "positive int"),
        (lambda: taylor.laplacian(lambda d: d["a"])({"a": torch.ones(1), "b": torch.ones(1)}), ValueError, "one tensor"),
    ],
)  # fmt: skip
def test_errors(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.programs
def test_a_loop_compiles_once():
    f = lambda w, x: vmap(taylor.laplacian(lambda x: torch.tanh(x * w).sum()))(x).pow(2).mean()  # noqa: E731
    w, x = torch.ones(3), torch.randn(5, 3)
    made = []
    for _ in range(6):
        w = w - 0.1 * grad(f)(w, x)
        w.sum().item()
        made.append(torch.debug.stats()["programs"])
    assert made[-1] == made[2]


def test_has_aux():
    """Beside each result what func gives beside its outputs, tensors or not."""
    x = torch.tensor([1.0, 2.0]).double()
    f = lambda x: ((x**4).sum(), {"twice": x * 2, "word": "a"})  # noqa: E731
    for method in ("auto", "nested"):
        value, aux = taylor.laplacian(f, has_aux=True, method=method)(x)
        assert round(value.item(), 9) == 60 and aux["twice"].tolist() == [2, 4] and aux["word"] == "a"
    estimate, aux = taylor.laplacian(f, has_aux=True, samples=2, distribution="sparse")(x)
    assert round(estimate.value.item(), 9) == 60 and aux["word"] == "a"
    (_, slope, value), aux = taylor.value_grad_laplacian(f, has_aux=True)(x)
    assert slope.tolist() == [4, 32] and round(value.item(), 9) == 60 and aux["twice"].tolist() == [2, 4]
    field = lambda x: (x**2, x.sum())  # noqa: E731
    first = lambda x: (f(x)[0], x.sum())  # noqa: E731
    for found, wanted in (
        (taylor.hessian_diagonal(f, has_aux=True)(x)[0], [12, 48]),
        (torch.stack(taylor.divergence(field, has_aux=True)(x)), [6, 3]),
        (torch.stack(taylor.biharmonic(first, has_aux=True)(x)), [48, 3]),
        (torch.stack(taylor.mixed_partial(first, (0, 2), has_aux=True)(x)), [48, 3]),
        (
            torch.stack(vmap(taylor.laplacian(first, has_aux=True))(torch.stack([x, 2 * x]))),
            [[60, 240], [3, 6]],
        ),
    ):
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-12)
    with pytest.raises(RuntimeError, match="tuple"):
        taylor.laplacian(lambda x: x.sum(), has_aux=True)(x)
