"""Operators of curvature: values from dense matrices, and what they do under every other transform."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F
from functorch_lite.func import curvature
from tests.support.full import FULL

from . import nets
from .facts import check_mean, facts, of_calls
from .transforms import WAYS


def operator(fact, params=None, **more):
    model = nets.net(fact["net"])
    params = nets.parameters(model) if params is None else params
    loss = nets.loss(fact["loss"], fact["reduction"])
    kind = getattr(curvature, fact["operator"])
    return kind(model, loss, params, nets.data(fact["data"]), reduction=fact["reduction"], **more)


MLP = facts()["Hessian @ v: MLP cross entropy"]
CNN = facts()["Hessian @ v: CNN cross entropy"]
SMALL = facts()["GGN @ v: MLP bce"]


def small(kind, params=None, **more):
    model = nets.net(SMALL["net"])
    params = nets.parameters(model) if params is None else params
    loss = nets.loss("bce", "mean")
    return getattr(curvature, kind)(model, loss, params, nets.data(SMALL["data"]), **more)


def _dense_consistent(op):
    dense = op.to_dense()
    v = torch.tensor(np.random.RandomState(0).randn(op.shape[1], 2))
    np.testing.assert_allclose((op @ v).numpy(), (dense @ v).numpy(), atol=1e-10)
    tree = op.parameters.of(op.parameters.split(v[:, 0]))
    np.testing.assert_allclose(
        torch.cat([t.reshape(-1) for t in (op @ tree).values()]), (dense @ v)[:, 0], atol=1e-10
    )
    np.testing.assert_allclose(op.diagonal().numpy(), dense.diagonal().numpy(), atol=1e-10)
    assert curvature.trace(op).item() == pytest.approx(dense.trace().item())
    assert curvature.frobenius_norm_squared(op).item() == pytest.approx((dense**2).sum().item())
    return dense


KRONECKERS = ("KFAC reduce joint", "EKFAC", "KFAC", "KFAC mc", "KFAC empirical", "KFAC forward-only")


@pytest.mark.parametrize("kind", KRONECKERS if FULL else KRONECKERS[:2])
def test_kronecker_operators_are_their_dense_matrices(kind):
    name, *words = kind.split()
    more = {}
    if words:
        more = {"sharing": "reduce", "joint_bias": True} if "joint" in words else {"fisher": words[0]}
    op = small(name, **more)
    dense = _dense_consistent(op)
    eye = torch.eye(op.shape[0]).double()
    b = torch.ones(op.shape[0], 3).double()
    np.testing.assert_allclose(
        curvature.solve(op, b, damping=0.2, method="exact").numpy(),
        torch.linalg.solve(dense + 0.2 * eye, b).numpy(),
        atol=1e-9,
    )
    assert curvature.logdet(op, damping=0.2).item() == pytest.approx(torch.logdet(dense + 0.2 * eye).item())


def test_kfac_is_exact_where_it_should_be():
    """Of one linear layer, a squared loss: GGN = B (x) A; and EKFAC is nearer to the GGN than KFAC."""
    model, x, y = nn.Linear(3, 2, bias=False).double(), torch.randn(7, 3).double(), torch.randn(7, 2).double()
    given = (model, F.mse_loss, nets.parameters(model), (x, y))
    ggn = curvature.GGN(*given).to_dense().detach()
    np.testing.assert_allclose(curvature.KFAC(*given).to_dense().detach(), ggn, atol=1e-12)
    ggn, kf, ekf = (small(kind).to_dense() for kind in ("GGN", "KFAC", "EKFAC"))
    model = nets.net(SMALL["net"])
    rows = [i for i, (n, p) in enumerate(model.named_parameters()) if "weight" in n for _ in range(p.numel())]
    assert rows and (ekf - ggn).norm() <= (kf - ggn).norm()


def test_kfra():
    """It is KFLR of a single sample, for which means are no approximation, and of layers without anything between;
    else near to it."""
    rng = np.random.RandomState(0)
    x, y = torch.tensor(rng.randn(8, 4)), torch.tensor(rng.randint(0, 3, 8))
    mlp = nn.Sequential(
        nn.Linear(4, 6), nn.Tanh(), nn.Sequential(nn.Linear(6, 5), nn.Tanh()), nn.Linear(5, 3)
    ).double()
    cnn = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3)).double()
    plain = nn.Sequential(nn.Linear(4, 6), nn.Linear(6, 3)).double()
    images = torch.tensor(rng.randn(1, 1, 4, 4))
    for model, x_, y_, tol in (
        (mlp, x[:1], y[:1], 1e-12),
        (cnn, images, y[:1], 1e-12),
        (plain, x, y, 1e-12),
        (mlp, x, y, 0.1),
    ):
        parts = [(x_[:3], y_[:3]), (x_[3:], y_[3:])] if len(x_) > 3 else (x_, y_)
        params = nets.parameters(model)
        mine = curvature.KFAC(model, F.cross_entropy, params, parts, fisher="kfra").factors
        for name, (A, B) in curvature.KFAC(model, F.cross_entropy, params, (x_, y_)).factors.items():
            np.testing.assert_allclose(mine[name][0].numpy(), A.numpy(), atol=1e-12)
            assert (mine[name][1] - B).norm() <= tol * B.norm()
    with pytest.raises(NotImplementedError, match=r"nn\.Sequential, got Linear"):
        one = nn.Linear(4, 3).double()
        curvature.KFAC(one, F.cross_entropy, nets.parameters(one), (x, y), fisher="kfra")


def test_sums_of_halves_are_carried_in_float32():
    """1000 equal terms, of which bfloat16 would lose most."""
    model, x, y = (
        (lambda w, x: w * x),
        torch.ones(1, 1, dtype=torch.bfloat16),
        torch.zeros(1, 1, dtype=torch.bfloat16),
    )
    w = torch.ones(1, dtype=torch.bfloat16)

    def product(**more):
        return curvature.Hessian(model, F.mse_loss, w, [(x, y)] * 1000, reduction="sum", **more) @ w

    assert product().item() == 2000 and product().dtype == torch.bfloat16
    assert product(accumulate=torch.bfloat16).item() < 1000
    with pytest.raises(TypeError, match="accumulate"):
        product(accumulate=torch.int32)
    linear = nn.Linear(2, 1).bfloat16()
    data = (torch.ones(300, 2, dtype=torch.bfloat16), torch.zeros(300, 1, dtype=torch.bfloat16))
    for dtype in (None, torch.float64):
        kfac = curvature.KFAC(linear, F.mse_loss, nets.parameters(linear), data, accumulate=dtype)
        A, B = kfac.factors[""]
        assert (
            A.dtype == B.dtype == (dtype or torch.float32)
            and A[0, 1].item() == 1
            and B.item() == pytest.approx(2, rel=1e-2)
        )
        assert (kfac @ torch.ones(3, dtype=torch.bfloat16)).dtype == torch.bfloat16


def test_kfac_of_other_layers():
    model = nets.Net([["Linear", 4, 6], ["LayerNorm", 6], ["Tanh"], ["Linear", 6, 3]]).double()
    data = (torch.randn(5, 4).double(), torch.tensor([0, 1, 2, 0, 1]))
    given = (model, F.cross_entropy, nets.parameters(model), data)
    with pytest.raises(NotImplementedError, match=r"1\.weight, 1\.bias"):
        curvature.KFAC(*given)
    ggn = curvature.GGN(*given).diagonal().detach()
    with_diagonal, skipped = (curvature.KFAC(*given, others=o) for o in ("diagonal", "skip"))
    at = slice(30, 42)
    np.testing.assert_allclose(with_diagonal.diagonal()[at].detach(), ggn[at], atol=1e-10)
    assert skipped.diagonal()[at].abs().max().item() == 0
    _dense_consistent(with_diagonal)


@pytest.mark.parametrize("name", of_calls("fisher_mc") if FULL else of_calls("fisher_mc")[1:])
def test_monte_carlo_fisher(name):
    fact = facts()[name]
    model = nets.net(fact["net"])
    given = (
        model,
        nets.loss(fact["loss"], fact["reduction"]),
        nets.parameters(model),
        nets.data(fact["data"]),
    )
    torch.manual_seed(2)
    op = curvature.FisherMC(*given, samples=fact["samples"])
    v = torch.ones(op.shape[0]).double()
    torch.testing.assert_close(op @ v, op @ v)
    assert op.to_dense().shape == op.shape
    torch.manual_seed(2)
    torch.testing.assert_close(curvature.FisherMC(*given, samples=fact["samples"]) @ v, op @ v)
    draws = fact["draws"] if FULL else 30
    mine = [curvature.FisherMC(*given, samples=fact["samples"], seed=1000 * k) @ v for k in range(draws)]
    within_four_errors(mine, curvature.GGN(*given) @ v)
    kfacs = [curvature.KFAC(*given, fisher="mc", samples=fact["samples"]) for _ in range(draws)]
    for name, (_, B) in curvature.KFAC(*given).factors.items():
        within_four_errors([kf.factors[name][1] for kf in kfacs], B)


def within_four_errors(draws, exact):
    """The mean of draws is the exact value in each entry, within four standard errors of the mean, told from the
    draws."""
    values = np.stack([d.detach().numpy() for d in draws])
    error = values.std(0, ddof=1) / np.sqrt(len(values))
    assert (np.abs(values.mean(0) - exact.detach().numpy()) <= 4 * error + 1e-12).all()


def test_algebra():
    H, G = small("Hessian"), small("GGN")
    n = H.shape[0]
    v = torch.tensor(np.random.RandomState(0).randn(n))
    op = 2.0 * H - G + 0.5 * curvature.identity
    wanted = 2 * H.to_dense() - G.to_dense() + 0.5 * torch.eye(n).double()
    np.testing.assert_allclose((op @ v).numpy(), (wanted @ v).numpy(), atol=1e-12)
    np.testing.assert_allclose(op.diagonal().numpy(), wanted.diagonal().numpy(), atol=1e-12)
    assert op.shape == (n, n) and op.T.shape == (n, n) and op.dtype == torch.float64
    inverse = curvature.inverse(
        G, damping=0.3, preconditioner=curvature.inverse(small("KFAC"), damping=0.3, method="exact")
    )
    np.testing.assert_allclose((G @ (inverse @ v) + 0.3 * (inverse @ v)).numpy(), v.numpy(), atol=1e-8)
    scipy = pytest.importorskip("scipy.sparse.linalg")
    values = np.sort(scipy.eigsh(H.to_scipy(), k=2, which="LA")[0])[::-1]
    torch.manual_seed(0)
    np.testing.assert_allclose(curvature.eigsh(H, 2)[0].numpy(), values, rtol=1e-6)


ESTIMATES = {
    "hutchinson": lambda op: curvature.trace(op, samples=8),
    "hutch++": lambda op: curvature.trace(op, samples=12, method="hutch++"),
    "xtrace": lambda op: curvature.trace(op, samples=12, method="xtrace"),
    "logdet": lambda op: curvature.logdet(op, damping=0.1, samples=6, steps=20),
    "frobenius": lambda op: curvature.frobenius_norm_squared(op, samples=8),
    "diagonal": lambda op: curvature.diagonal(op, samples=8),
    "xdiag": lambda op: curvature.diagonal(op, samples=12, method="xdiag"),
    "density": lambda op: curvature.spectral_density(
        op, torch.tensor([0.0, 0.2]).double(), width=0.1, samples=6
    ),
}
EXACT_VALUES = {
    "logdet": lambda op: torch.logdet(op.to_dense() + 0.1 * torch.eye(op.shape[0]).double()),
    "frobenius": curvature.frobenius_norm_squared,
    "diagonal": curvature.diagonal,
    "xdiag": curvature.diagonal,
    "density": lambda op: (
        torch.exp(
            -((torch.tensor([0.0, 0.2]).double()[:, None] - torch.linalg.eigvalsh(op.to_dense())) ** 2) / 0.02
        ).mean(1)
        / (0.1 * (2 * np.pi) ** 0.5)
    ),
}


@pytest.mark.parametrize("what", ESTIMATES if FULL else ("hutch++", "xtrace", "xdiag"))
def test_estimates(what):
    """Means over seeds are the exact values, and the errors that are reported are those that there are, within a factor
    of 2."""
    dense = small("GGN").to_dense()

    class Dense(curvature.operators.Operator):
        parameters = small("GGN").parameters

        def _times(self, columns):
            return dense @ columns

    op = Dense()
    seeds = 200 if FULL else 50
    torch.manual_seed(0)
    runs = [ESTIMATES[what](op) for _ in range(seeds)]
    values = np.stack([r.value.numpy() for r in runs])
    exact = EXACT_VALUES.get(what, curvature.trace)(op).numpy()
    spread = values.std(0)
    assert (np.abs(values.mean(0) - exact) < 4 * spread / np.sqrt(seeds) + 1e-9 * np.abs(exact)).all()
    reported = np.sqrt(np.mean([r.standard_error.numpy() ** 2 for r in runs], 0))
    clear = spread > 1e-6
    assert (reported[clear] < 2 * spread[clear]).all() and (reported[clear] > spread[clear] / 2).all()


@pytest.mark.parametrize(
    "name", of_calls("logdet_slq", "spectral_density") if FULL else of_calls("logdet_slq")[:1]
)
def test_quadrature(name):
    fact = facts()[name]
    op = operator(fact)
    torch.manual_seed(0)
    if fact["call"] == "logdet_slq":
        found = curvature.logdet(op, damping=fact["damping"], samples=fact["samples"], steps=fact["steps"])
        check_mean(fact, found.value, fact["samples"])
    else:
        grid = torch.tensor(fact["grid"], dtype=torch.float64)
        found = curvature.spectral_density(
            op, grid, width=fact["width"], steps=fact["steps"], samples=fact["samples"]
        )
        wanted = np.array(fact["expect"]["values"])
        assert (np.abs(found.value.numpy() - wanted) < 5 * found.standard_error.numpy() + 1e-3).all()


KINDS = ("Hessian", "GGN", "EmpiricalFisher", "FisherMC", "Jacobian", "solve", "hvp")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS if FULL else ("GGN", "solve"))
def test_under_transforms(kind, way):
    """As a function of the parameters: vmap, grad, torch.compile."""
    model = nets.net(SMALL["net"])
    params = nets.parameters(model)
    shapes = {k: tuple(p.shape) for k, p in params.items()}
    sizes = [int(np.prod(s)) for s in shapes.values()]
    data = [(x[:2], y[:2]) for x, y in nets.data(SMALL["data"])]
    v = torch.tensor(np.random.RandomState(0).randn(sum(sizes)))
    loss = nets.loss("bce", "mean")

    def of_flat(flat):
        tree = {k: t.reshape(s) for (k, s), t in zip(shapes.items(), flat.split(sizes))}
        if kind == "hvp":
            f = lambda w: (torch.sin(w).sum() ** 3) / 10  # noqa: E731
            return curvature.hvp(f, (flat,), (v,))[1]
        if kind == "Jacobian":
            return curvature.Jacobian(model, tree, data) @ v
        if kind == "solve":
            return curvature.solve(
                curvature.GGN(model, loss, tree, data[:1]), v[:32], damping=0.5, rtol=1e-12
            )
        more = {"seed": 3} if kind == "FisherMC" else {}
        return getattr(curvature, kind)(model, loss, tree, data, **more) @ v

    if kind == "FisherMC" and way == "grad":
        pytest.skip("labels that are drawn anew at other parameters")
    at = torch.cat([p.reshape(-1) for p in params.values()])
    WAYS[way](of_flat, at, **({"tol": 1e-6} if kind == "solve" else {}))


@pytest.mark.programs
def test_batches_share_programs():
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
    sizes = [8] * 9 + [5]
    data = [(torch.randn(n, 4), torch.randint(0, 3, (n,))) for n in sizes]
    params = nets.parameters(model)
    op = curvature.Hessian(model, F.cross_entropy, params, data)
    v = {k: torch.ones_like(p) for k, p in params.items()}
    [t.sum().item() for t in v.values()]
    before = torch.debug.stats()["programs"]
    for _ in range(6):
        (op @ v)["0.bias"].numpy()
    assert torch.debug.stats()["programs"] - before <= 2


def test_an_operator_is_an_argument():
    op = small("GGN")
    v = torch.ones(op.shape[0]).double()

    @torch.compile
    def twice(op, v):
        return op @ (op @ v)

    for _ in range(3):
        np.testing.assert_allclose(twice(op, v).numpy(), (op @ (op @ v)).numpy(), atol=1e-12)


class Once:
    def __iter__(self):
        return iter(nets.data(SMALL["data"]))


def test_data_and_losses():
    """Loaders, trees, subsets, losses of one's own; data that can be read once are refused."""
    model = nets.net(SMALL["net"])
    params, batches = nets.parameters(model), nets.data(SMALL["data"])
    convex = lambda z, y: torch.logsumexp(torch.cat([z, -z], 1), 1).mean() + ((z - y) ** 4).sum()  # noqa: E731
    some = {"2.weight": params["2.weight"]}
    op = curvature.GGN(model, convex, some, Once())
    dense = op.to_dense()
    assert op.shape == (10, 10) and torch.linalg.eigvalsh(dense).min() > -1e-10

    def total(w):
        out = [torch.func.functional_call(model, {"2.weight": w}, (x,)) for x, _ in batches]
        return (
            sum(convex(z[i : i + 1], y[i : i + 1]) for z, (_, y) in zip(out, batches) for i in range(len(z)))
            / 9
        )

    exact = torch.func.hessian(total)(some["2.weight"]).reshape(10, 10)
    assert not dense.requires_grad  # the other parameters are constants
    np.testing.assert_allclose(dense.numpy(), exact.detach().numpy(), atol=1e-9)
    tree = lambda p, x: x["a"] @ p[0] + p[1]  # noqa: E731
    data = [({"a": torch.ones(2, 3)}, torch.zeros(2))]
    assert curvature.Hessian(tree, F.mse_loss, [torch.ones(3), torch.ones(1)], data).to_dense().shape == (
        4,
        4,
    )


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda m, p, d: curvature.Hessian(m, nn.MSELoss(reduction="sum"), p, d), ValueError, "reduction='sum'"),
        (lambda m, p, d: curvature.Hessian(m, F.mse_loss, p, d, reduction="none"), ValueError, "'mean' or 'sum'"),
        (lambda m, p, d: curvature.Hessian(m, F.mse_loss, p, iter([d])), TypeError, "read again"),
        (lambda m, p, d: curvature.Hessian(m, F.mse_loss, p, d) @ torch.ones(4), ValueError, r"\(3, 3\).*\(4,\)"),
        (lambda m, p, d: curvature.Hessian(m, F.mse_loss, p, d) @ {"weight": torch.ones(1, 2)}, ValueError, "differ in .'bias'"),
        (lambda m, p, d: curvature.Hessian(m, F.mse_loss, p, d) @ {"weight": torch.ones(2, 2), "bias": torch.ones(1)}, ValueError, r"weight has shape \(2, 2\)"),
        (lambda m, p, d: curvature.Hessian(m, lambda z, y: z - y, p, d) @ torch.ones(3), RuntimeError, "scalar Tensor"),
        (lambda m, p, d: curvature.Hessian(m, F.mse_loss, {"weight": torch.ones(1, 2, dtype=torch.int64)}, d), RuntimeError, "floating point dtype"),
        (lambda m, p, d: curvature.Hessian(nn.Sequential(m, nn.Dropout()), F.mse_loss, p, d), RuntimeError, "1 is an active Dropout"),
        (lambda m, p, d: curvature.EmpiricalFisher(nn.Sequential(m, nn.BatchNorm1d(1)), F.mse_loss, p, d), RuntimeError, "1 is a BatchNorm1d"),
        (lambda m, p, d: curvature.FisherMC(m, F.mse_loss, p, d, samples=0), ValueError, "samples"),
        (lambda m, p, d: curvature.FisherMC(m, F.l1_loss, p, d) @ torch.ones(3), ValueError, "sampler="),
        (lambda m, p, d: curvature.KFAC(m, F.mse_loss, p, d, fisher="kflr"), ValueError, "type-2"),
        (lambda m, p, d: curvature.eigsh(curvature.GGN(m, F.mse_loss, p, d), 4), ValueError, "from 1 to 3"),
        (lambda m, p, d: curvature.eigsh(curvature.GGN(m, F.mse_loss, p, d), 1, max_restarts=0), ValueError, "max_restarts"),
        (lambda m, p, d: curvature.logdet(curvature.GGN(m, F.mse_loss, p, d), damping=-1.0), ValueError, "damping"),
        (lambda m, p, d: curvature.spectral_density(curvature.GGN(m, F.mse_loss, p, d), torch.ones(1), width=0.0), ValueError, "width"),
        (lambda m, p, d: curvature.FisherMC(nn.Sequential(m, nn.BatchNorm1d(1)), F.mse_loss, p, d), RuntimeError, "1 is a BatchNorm1d"),
        (lambda m, p, d: curvature.KFAC(nn.Sequential(m, nn.BatchNorm1d(1)), F.mse_loss, p, d, others="skip"), RuntimeError, "1 is a BatchNorm1d"),
        (lambda m, p, d: curvature.KFAC(nn.Sequential(m, nn.Dropout()), F.mse_loss, p, d), RuntimeError, "1 is an active Dropout"),
        (lambda m, p, d: curvature.Jacobian(nn.Sequential(m, nn.Dropout()), p, d), RuntimeError, "1 is an active Dropout"),
        (lambda m, p, d: curvature.hvp(torch.sum, (torch.tensor([1]),), (torch.tensor([1]),)), RuntimeError, "floating point dtype"),
        (lambda m, p, d: curvature.eigsh(curvature.GGN(m, F.mse_loss, p, d), 1, "BE"), ValueError, "'LA', 'SA' or 'LM'"),
        (lambda m, p, d: curvature.solve(curvature.GGN(m, F.mse_loss, p, d), torch.ones(3), method="exact"), ValueError, "KFAC"),
        (lambda m, p, d: curvature.solve(curvature.GGN(m, F.mse_loss, p, d), torch.ones(3), damping=-1.0), ValueError, "damping"),
        (lambda m, p, d: curvature.solve(curvature.GGN(m, F.mse_loss, p, d), torch.ones(2)), ValueError, r"\(3, 3\), b \(2,\)"),
        (lambda m, p, d: curvature.trace(curvature.GGN(m, F.mse_loss, p, d), samples=1, method="xtrace"), ValueError, "at least 2"),
        (lambda m, p, d: curvature.GGN(m, F.mse_loss, p, d).block("weight", "b"), KeyError, "the names are weight, bias"),
        (lambda m, p, d: curvature.solve(curvature.GGN(m, F.mse_loss, p, d), torch.tensor([1.0, 2.0, 3.0]), damping=1e-6, max_steps=1, throw=True), RuntimeError, "after 1 steps"),
        (lambda m, p, d: curvature.hvp(torch.sum, (torch.ones(2),), (torch.ones(3),)), ValueError, r"\(2,\), its tangent \(3,\)"),
    ],
)  # fmt: skip
def test_errors(call, error, words):
    model = nn.Linear(2, 1)
    with pytest.raises(error, match=words):
        call(model, nets.parameters(model), (torch.randn(4, 2), torch.zeros(4, 1)))


@pytest.mark.parametrize("method", ["cg", "minres", "lsmr"])
def test_a_solver_that_stops_early_warns(method):
    model = nn.Linear(2, 1)
    op = curvature.GGN(model, F.mse_loss, nets.parameters(model), (torch.randn(4, 2), torch.zeros(4, 1)))
    with pytest.warns(UserWarning, match=f"{method} stopped after 1 steps with a residual of"):
        curvature.solve(op, torch.tensor([1.0, 2.0, 3.0]), damping=1e-6, max_steps=1, method=method)


def test_eigenvalues_that_stop_early_warn():
    model, x = nn.Linear(60, 1), torch.randn(50, 60)
    op = curvature.GGN(model, F.mse_loss, nets.parameters(model), (x, torch.zeros(50, 1)))
    with pytest.warns(UserWarning, match="after 1 restarts a residual is"):
        curvature.eigsh(op, 3, tol=1e-30, max_restarts=1)
    with pytest.raises(RuntimeError, match="after 1 restarts a residual is"):
        curvature.eigsh(op, 3, tol=1e-30, max_restarts=1, throw=True)


def test_an_active_dropout_where_the_user_says_so():
    model = nn.Sequential(nn.Linear(2, 1), nn.Dropout())
    data = (torch.randn(4, 2), torch.zeros(4, 1))
    op = curvature.Hessian(model, F.mse_loss, nets.parameters(model), data, check=False)
    assert (op @ torch.ones(3)).shape == (3,)
