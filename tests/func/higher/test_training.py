# ruff: noqa: E731
"""Unrolled and implicit derivatives, ensembles, neural tangent kernels: values from whole runs, finite differences and
dense matrices."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
import functorch_lite.nn as nn
from functorch_lite.func import grad, hessian, implicit, jacfwd, jacrev, ntk, training, vmap
from tests.support.full import FULL

from . import nets
from .facts import check, facts, of_calls
from .transforms import WAYS


@pytest.mark.parametrize(
    "checkpoint", [None, 1, 3, 5, 20, "sqrt", "nested", "offload"] if FULL else [3, "nested"]
)
def test_checkpoints_change_no_number(checkpoint):
    xs = torch.tensor(np.random.RandomState(0).randn(11, 3))
    f = lambda w: training.unroll(
        lambda c, x: (torch.tanh(c[0] * x + c[1]), c[1] * 0.9, c[2], c[3] + 1),
        (w, w * 0.5, None, 0),
        xs,
        checkpoint=checkpoint,
    )
    w = torch.tensor([0.3, -0.2, 0.9]).double()
    c = (w, w * 0.5)
    for x in xs:
        c = (torch.tanh(c[0] * x + c[1]), c[1] * 0.9)
    out = f(w)
    np.testing.assert_allclose(out[0].numpy(), c[0].numpy(), atol=1e-13)
    assert out[2] is None and out[3].item() == 11
    for way in ("vmap", "grad", "compile"):
        WAYS[way](lambda w: f(w)[0], w)
    plain = lambda w: training.unroll(lambda c, x: torch.tanh(c * x), w, xs).pow(2).sum()
    mine = lambda w: (
        training.unroll(lambda c, x: torch.tanh(c * x), w, xs, checkpoint=checkpoint).pow(2).sum()
    )
    np.testing.assert_allclose(hessian(mine)(w).numpy(), hessian(plain)(w).numpy(), atol=1e-12)


def test_memory_of_checkpoints():
    """A reverse pass of 400 steps keeps some 2 sqrt(400) states."""
    from functorch_lite.func.chunk_size import program_bytes
    from functorch_lite.func.cuts import Notes, record_function

    def bytes_of(checkpoint):
        w, xs = torch.ones(4096), torch.ones(400, 1)
        f = grad(
            lambda w, xs: training.unroll(lambda c, x: torch.sin(c) * x, w, xs, checkpoint=checkpoint).sum()
        )
        recorded = record_function("jvp", [w._aval, xs._aval], [w, xs], lambda t: ([f(*t)], None), Notes(0))
        return program_bytes(_Whole(recorded.graph), [t._aval for t in recorded.inputs])

    class _Whole:
        def __init__(self, graph):
            self.graph = graph

        def call(self, static, arrays):
            return self.graph(*arrays)

    state = 4096 * 4
    step = (
        4 * state
    )  # what the derivative of one step holds: the carry, its gradient, the sine and the cosine
    assert bytes_of(None) > 350 * state
    assert bytes_of("sqrt") <= 2 * 20 * state
    assert bytes_of("nested") <= 2 * 9 * state + step  # 2 log2(400)


# -- implicit --------------------------------------------------------------------------------------------------------


def _tanh_problem(fact):
    r, d = np.random.RandomState(fact["seed"]), fact["dim"]
    W, b = torch.tensor(0.4 * r.randn(d, d)), torch.tensor(r.randn(d))
    z0 = torch.zeros(d).double()

    def z(W, b, **more):
        return implicit.fixed_point(lambda z, W, b: torch.tanh(W @ z + b), z0, W, b, rtol=1e-13, **more)

    return W, b, z


@pytest.mark.parametrize("solver", ["iteration", "anderson", "newton", "broyden"] if FULL else ["anderson"])
def test_solvers_of_fixed_points(solver):
    W, b, z = _tanh_problem(facts()[of_calls("fixed_point")[0]])
    found = z(W, b, solver=solver)
    np.testing.assert_allclose(torch.tanh(W @ found + b).numpy(), found.numpy(), atol=1e-12)
    np.testing.assert_allclose(
        jacrev(lambda b: z(W, b, solver=solver, linear_solver="bicgstab"))(b).numpy(),
        jacfwd(lambda b: z(W, b))(b).numpy(),
        atol=1e-8,
    )


def test_roots():
    (name,) = of_calls("root_vmap")
    fact = facts()[name]
    a = torch.tensor(fact["a"], dtype=torch.float64)
    start = torch.tensor(1.5).double()
    f = lambda a: implicit.root(lambda x, a: a * x**3 - x - 2, start, a, rtol=1e-13)
    check(fact, vmap(grad(f))(a))
    for way in WAYS if FULL else ("grad",):
        WAYS[way](vmap(f), a, tol=1e-6)
    (name,) = of_calls("root_system")
    fact = facts()[name]

    def system(x, theta):
        return {"u": x["u"] ** 2 + x["v"] - theta[0], "v": x["u"] - x["v"] ** 3 + theta[1]}

    one = torch.tensor(1.0).double()

    def solution(theta, **more):
        x = implicit.root(system, {"u": one, "v": one}, theta, rtol=1e-13, **more)
        return torch.stack([x["u"], x["v"]])

    theta = torch.tensor(fact["theta"], dtype=torch.float64)
    for more in ({}, {"solver": "broyden"}):
        check(fact, jacrev(lambda t, more=more: solution(t, **more))(theta))


def test_minima():
    (name,) = of_calls("argmin_ridge")
    fact = facts()[name]
    r = np.random.RandomState(fact["seed"])
    X, y, Xv, yv = (torch.tensor(a) for a in (r.randn(20, 4), r.randn(20), r.randn(10, 4), r.randn(10)))
    penalties = torch.tensor(fact["penalties"], dtype=torch.float64)
    zeros = torch.zeros(4).double()
    for solver in ("newton", "newton_cg", "lbfgs", "gradient_descent"):

        def validation(l, solver=solver):
            w = implicit.argmin(
                lambda w, l: ((X @ w - y) ** 2).sum() / 2 + (l * w**2).sum() / 2,
                zeros,
                l,
                solver=solver,
                rtol=1e-11,
            )
            return ((Xv @ w - yv) ** 2).mean()

        check(fact, grad(validation)(penalties))
    for name in of_calls("argmin_qp"):
        fact = facts()[name]
        r = np.random.RandomState(fact["seed"])
        M, A, c, b = (torch.tensor(a) for a in (r.randn(4, 4), r.randn(2, 4), r.randn(4), r.randn(2)))
        Q = M @ M.T + torch.eye(4).double()

        def kkt(z, c, Q=Q, A=A, b=b):
            x, u = z
            return Q @ x + c + A.T @ u, A @ x - b

        z0 = (torch.zeros(4).double(), torch.zeros(2).double())
        check(fact, jacrev(lambda c, z0=z0: implicit.root(kkt, z0, c)[0])(c))


def test_a_solver_of_ones_own_and_early_stops():
    @implicit.custom_root(lambda x, a: x**2 - a)
    def root_of(init, a):
        return torch.sqrt(a.detach())

    a = torch.tensor(4.0).double()
    init = torch.tensor(1.0).double()
    assert grad(grad(lambda a: root_of(init, a)))(a).item() == pytest.approx(-1 / 32)
    slow = lambda **more: implicit.fixed_point(
        lambda z: 0.99 * z + 1, init, solver="iteration", max_steps=3, **more
    )
    with pytest.warns(UserWarning, match="iteration stopped after 3 steps"):
        slow()
    with pytest.raises(RuntimeError, match="stopped after 3 steps"):
        slow(throw=True)
    with pytest.raises(ValueError, match="anderson"):
        implicit.fixed_point(lambda z: z, init, solver="steffensen")
    with pytest.raises(RuntimeError, match="with the shapes of init"):
        implicit.root(lambda z: z[:1], torch.ones(2))


def test_solvers_of_optimistix_and_lineax():
    optimistix, lineax = pytest.importorskip("optimistix"), pytest.importorskip("lineax")
    W, b, z = _tanh_problem(facts()[of_calls("fixed_point")[0]])
    wanted = hessian(lambda b: z(W, b).pow(2).sum())(b)
    exact = {"rtol": 1e-12, "atol": 1e-12}
    for more in (
        {"solver": optimistix.Newton(**exact)}, {"solver": optimistix.FixedPointIteration(**exact)},
        {"solver": optimistix.LevenbergMarquardt(**exact)}, {"linear_solver": lineax.LU()}, {"linear_solver": lineax.GMRES(**exact)},
    ):  # fmt: skip
        found = hessian(lambda b, more=more: z(W, b, **more).pow(2).sum())(b)
        np.testing.assert_allclose(found.numpy(), wanted.numpy(), atol=1e-9)
        assert vmap(lambda b, more=more: z(W, b, **more))(torch.stack([b, 2 * b])).shape == (2, len(b))
    with pytest.raises(RuntimeError, match="Newton stopped after 1 steps without a solution"):
        z(W, b, solver=optimistix.Newton(**exact), max_steps=1, throw=True)


# -- neural tangent kernels ------------------------------------------------------------------------------------------

NTKS = of_calls("ntk", "ntk_operator", "linearized")


@pytest.mark.parametrize("name", NTKS if FULL else NTKS[::8])
def test_kernels(name):
    fact = facts()[name]
    model, ((x1, _), (x2, _)) = nets.net(fact["net"]), nets.data(fact["data"])
    params = nets.parameters(model)
    if fact["call"] == "ntk":
        check(fact, ntk.ntk(model, params, x1, x2, contract=fact["contract"]))
        if FULL:
            for method in ("jacobian", "products"):
                check(fact, ntk.ntk(model, params, x1, x2, contract=fact["contract"], method=method))
    elif fact["call"] == "ntk_operator":
        check(fact, ntk.NTK(model, params, x1) @ nets.vector(fact["v"]))
    else:
        delta, moved, first = nets.vector(fact["delta"]), {}, 0
        for k, p in params.items():
            moved[k] = p + delta[first : first + p.numel()].reshape(p.shape)
            first += p.numel()
        f = ntk.linearized(model, params)
        try:
            check(fact, f(moved, x1))
        except AssertionError:
            check(fact, [f(moved, x1), f(moved, x2)])
        G = torch.func.jacfwd(lambda p: f(p, x1))(moved)
        assert G["0.weight"].shape[0] == len(x1)


@pytest.mark.parametrize("way", WAYS)
def test_kernels_under_transforms(way):
    model = nets.Net([["Linear", 2, 3], ["Tanh"], ["Linear", 3, 2]]).double()
    params, x = nets.parameters(model), torch.tensor(np.random.RandomState(0).randn(3, 2))
    f = lambda w: ntk.ntk(model, {**params, "0.weight": w}, x)
    WAYS[way](f, params["0.weight"])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: training.unroll(lambda c, x: c, torch.ones(1), torch.ones(3), checkpoint=0), ValueError, "checkpoint"),
        (lambda: training.unroll(lambda c, x: c, torch.ones(1)), ValueError, "length="),
        (lambda: training.unroll(lambda c, x: c, torch.ones(1), (torch.ones(3), torch.ones(2))), ValueError, r"\(3,\), \(2,\)"),
        (lambda: training.unroll(lambda c, x: c[:1], torch.ones(2), length=2), RuntimeError, r"of shape \(2,\), after a step"),
        (lambda: training.unroll(lambda c, x: (c, c), torch.ones(2), length=2), RuntimeError, "step returned"),
        (lambda: training.ensemble(lambda i: nn.Linear(1, 1), 0), ValueError, "positive int"),
        (lambda: ntk.ntk(nn.Linear(2, 1), {"weight": torch.ones(1, 2)}, torch.ones(1, 2), contract="sum"), ValueError, "'trace'"),
        (lambda: ntk.ntk(nn.BatchNorm1d(2), {"weight": torch.ones(2)}, torch.ones(3, 2)), RuntimeError, "BatchNorm1d in training"),
        (lambda: ntk.ntk(nn.Dropout(), {"w": torch.ones(1)}, torch.ones(3, 2), method="products"), RuntimeError, r"Dropout.*model\.eval\(\)\."),
        (lambda: ntk.NTK(nn.Dropout(), {"w": torch.ones(1)}, torch.ones(3, 2)), RuntimeError, "active Dropout.*check=False"),
        (lambda: implicit.root(lambda z: z, torch.tensor([1])), RuntimeError, "floating point dtype"),
        (lambda: implicit.argmin(lambda z: z, torch.ones(2)), RuntimeError, "scalar Tensor"),
    ],
)  # fmt: skip
def test_errors(call, error, words):
    with pytest.raises(error, match=words):
        call()
