"""Every exact fact as a function of one tensor, f, and where it is taken, `at`: f(at) is what the fact is of.
So each can be looked at under every transform, and where its data are spread over a mesh."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F
from functorch_lite.func import (
    curvature,
    functional_call,
    grad,
    hessian,
    implicit,
    influence,
    jacfwd,
    jacrev,
    laplace,
    ntk,
    per_sample,
    privacy,
    taylor,
    training,
    vmap,
)

from . import nets, runs

__all__ = ["CALLS", "OF_BATCHES", "of_fact"]

CALLS: dict[str, Callable] = {}
"""By the word of the fact: (fact, spread) -> (f, at). spread: what is done to its batches."""
OF_BATCHES: set[str] = set()
"""Those that have data of training."""


def of_fact(fact: dict, spread: Callable = lambda batches: batches) -> tuple[Callable, Any]:
    """(f, at) of a fact."""
    return CALLS[fact["call"]](fact, spread)


def _numbers(numbers: Any) -> Any:
    return torch.tensor(numbers, dtype=torch.float64)


# -- Taylor mode -----------------------------------------------------------------------------------------------------


def _of_rows(transform: Callable) -> Callable:
    return lambda x: vmap(transform)(x)


def _row(model: Any) -> Callable:
    return lambda x: model(x[None])[0, 0]


def _of_data(fact: dict, spread: Callable) -> tuple[Any, Any]:
    ((x, _),) = spread(nets.data(fact["data"]))
    net = nets.net(fact["net"])
    params = {k: nets.placed(p) for k, p in nets.parameters(net).items()}
    return (lambda x: functional_call(net, params, (x,))), x


def _jet(fact: dict, spread: Callable) -> Any:
    f, terms = nets.FUNCTIONS[fact["function"]], [_numbers(s) for s in fact["series"]]
    return (lambda x: taylor.jet(f, (x,), (terms,))), _numbers(fact["x"])


def _directional(fact: dict, spread: Callable) -> Any:
    model, v = nets.net(fact["net"]), _numbers(fact["v"])
    f = lambda x: model(x[None])[0]  # noqa: E731
    return (lambda x: taylor.directional_derivatives(f, (x,), (v,), fact["order"])), _numbers(fact["x"])


def _mixed(fact: dict, spread: Callable) -> Any:
    return taylor.mixed_partial(nets.FUNCTIONS[fact["function"]], tuple(fact["orders"])), _numbers(fact["x"])


def _rows_by(name: str) -> Callable:
    def made(fact: dict, spread: Callable) -> Any:
        model, x = _of_data(fact, spread)
        more = {"weight": nets.vector(fact["weight"])} if "weight" in fact else {}
        return _of_rows(getattr(taylor, name)(_row(model), **more)), x

    return made


def _divergence(fact: dict, spread: Callable) -> Any:
    model, x = _of_data(fact, spread)
    return _of_rows(taylor.divergence(lambda x: model(x[None])[0])), x


def _laplacian_grad(fact: dict, spread: Callable) -> Any:
    _, x = _of_data(fact, spread)
    model = nets.net(fact["net"])
    params = nets.parameters(model)

    def loss(params: Any) -> Any:
        row = lambda x: functional_call(model, params, (x[None],))[0, 0]  # noqa: E731
        return (vmap(taylor.laplacian(row))(x) ** 2).mean()

    return (lambda v: grad(loss)(_tree(v, params))), _flat(params)


CALLS.update(
    jet=_jet, directional_derivatives=_directional, mixed_partial=_mixed, divergence=_divergence,
    laplacian_grad=_laplacian_grad, weighted_laplacian=_rows_by("laplacian"),
    **{k: _rows_by(k) for k in ("laplacian", "hessian_diagonal", "value_grad_laplacian", "biharmonic")},
)  # fmt: skip


# -- functions of the parameters -------------------------------------------------------------------------------------


def _flat(params: dict) -> Any:
    return torch.cat([p.reshape(-1) for p in params.values()])


def _tree(v: Any, params: dict) -> dict:
    parts = v.split([p.numel() for p in params.values()])
    return {k: t.reshape(p.shape) for (k, p), t in zip(params.items(), parts)}


def _of_params(value: Callable) -> Callable:
    """value(fact, model, loss, params, batches) as a function of the parameters."""

    def made(fact: dict, spread: Callable) -> Any:
        model, batches = nets.net(fact["net"]), spread(nets.data(fact["data"]))
        loss = nets.loss(fact["loss"], fact["reduction"]) if "loss" in fact else None
        params = nets.parameters(model)
        return (lambda v: value(fact, model, loss, _tree(v, params), batches)), _flat(params)

    return made


def _operator(fact: dict, model: Any, loss: Any, params: Any, batches: Any) -> Any:
    kind = getattr(curvature, fact["operator"])
    return kind(model, loss, params, batches, reduction=fact["reduction"])


def _by_operator(value: Callable) -> Callable:
    return _of_params(lambda fact, *given: value(fact, _operator(fact, *given)))


def _jacobian(fact: dict, model: Any, loss: Any, params: Any, batches: Any) -> Any:
    J = curvature.Jacobian(model, params, batches)
    return (J.T if fact["transpose"] else J) @ nets.vector(fact["v"])


def _hvp(fact: dict, spread: Callable) -> Any:
    f, v = nets.FUNCTIONS[fact["function"]], _numbers(fact["v"])
    return (lambda x: curvature.hvp(f, (x,), (v,))), _numbers(fact["x"])


def _eigsh(fact: dict, op: Any) -> Any:
    torch.manual_seed(0)
    return curvature.eigsh(op, fact["k"], fact["which"])[0]


def _solve(fact: dict, op: Any) -> Any:
    b = nets.vector(fact["b"])
    return curvature.solve(op, b, damping=fact["damping"], method=fact["method"], rtol=1e-12)


def _neumann(fact: dict, op: Any) -> Any:
    more = {k: fact[k] for k in ("damping", "terms", "scale")}
    return curvature.solve(op, nets.vector(fact["b"]), method="neumann", **more)


def _kfac(fact: dict, model: Any, loss: Any, params: Any, batches: Any, kind: Any = curvature.KFAC) -> Any:
    names = {"fisher": "fisher", "sharing": "sharing", "joint": "joint_bias"}
    more = {argument: fact[k] for k, argument in names.items() if k in fact}
    if fact["call"] == "kfra_factors":
        model, more["fisher"] = nn.Sequential(*model), "kfra"
    return kind(model, loss, params, batches, reduction=fact["reduction"], **more)


def _by_kfac(value: Callable, kind: Any = curvature.KFAC) -> Callable:
    return _of_params(lambda fact, *given: value(fact, _kfac(fact, *given, kind=kind)))


CALLS.update(
    hvp=_hvp,
    jacobian=_of_params(_jacobian),
    matvec=_by_operator(lambda fact, op: op @ nets.vector(fact["v"])),
    diagonal=_by_operator(lambda fact, op: curvature.diagonal(op)),
    trace_fro=_by_operator(lambda fact, op: [curvature.trace(op), curvature.frobenius_norm_squared(op)]),
    block=_by_operator(lambda fact, op: op.block(fact["rows"], fact["cols"])),
    submatrix=_by_operator(lambda fact, op: op.submatrix(fact["rows"], fact["cols"])),
    eigsh=_by_operator(_eigsh),
    solve=_by_operator(_solve),
    neumann=_by_operator(_neumann),
    logdet=_by_operator(lambda fact, op: curvature.logdet(op, damping=fact["damping"])),
    kfac_matvec=_by_kfac(lambda fact, op: op @ nets.vector(fact["v"])),
    ekfac_matvec=_by_kfac(lambda fact, op: op @ nets.vector(fact["v"]), curvature.EKFAC),
    kfac_factors=_by_kfac(lambda fact, op: list(op.factors.values())),
    kfra_factors=_by_kfac(lambda fact, op: list(op.factors.values())),
    kfac_logdet=_by_kfac(lambda fact, op: curvature.logdet(op, damping=fact["damping"])),
)


# -- single samples --------------------------------------------------------------------------------------------------


def _per_sample(name: str, *words: str, **more: Any) -> Callable:
    """words: the fact's entries that are arguments."""

    def value(fact: dict, model: Any, loss: Any, params: Any, batches: Any) -> Any:
        ((x, y),) = batches
        options = {k: fact[k] for k in words}
        return getattr(per_sample, name)(model, loss, params, x, y, **options, **more)

    return _of_params(value)


def _rows_of_gradients(fact: dict, model: Any, loss: Any, params: Any, batches: Any) -> Any:
    ((x, y),) = batches
    found = per_sample.gradients(model, loss, params, x, y)
    return torch.cat([g.reshape(len(x), -1) for g in found.values()], 1)


def _dp_step(fact: dict, model: Any, loss: Any, params: Any, batches: Any) -> Any:
    ((x, y),) = batches
    more = {k: fact[k] for k in ("max_norm", "noise_multiplier")}
    step = privacy.private_gradient(model, loss, params, x, y, **more)
    return [p - fact["lr"] * step[n] for n, p in params.items()]


CALLS.update(
    gradient_norms=_per_sample("gradient_norms"),
    gradient_norms_each=_per_sample("gradient_norms", per_parameter=True),
    clipped_gradient_sum=_per_sample("clipped_gradient_sum", "max_norm"),
    gradient_gram=_per_sample("gradient_gram"),
    gradient_second_moment=_per_sample("gradient_second_moment"),
    gradient_variance=_per_sample("gradient_variance"),
    ggn_diagonal=_per_sample("ggn_diagonal", "reduction"),
    loss_hessian_diagonal=_per_sample("hessian_diagonal", "reduction"),
    gradients=_of_params(_rows_of_gradients),
    dp_step=_of_params(_dp_step),
)


# -- kernels, Laplace's approximation, influence ---------------------------------------------------------------------


def _ntk(fact: dict, model: Any, loss: Any, params: Any, batches: Any) -> Any:
    (x1, _), (x2, _) = batches
    return ntk.ntk(model, params, x1, x2, contract=fact["contract"])


def _linearized(fact: dict, spread: Callable) -> Any:
    """Of both batches: the fact has the first, or both."""
    model, batches = nets.net(fact["net"]), spread(nets.data(fact["data"]))
    params = {k: nets.placed(p) for k, p in nets.parameters(model).items()}
    f = ntk.linearized(model, params)
    wanted = fact["expect"].get("size") or np.size(fact["expect"]["values"])
    some = [x for x, _ in batches][
        : 1 if wanted == len(batches[0][0]) * f(params, batches[0][0]).shape[1] else 2
    ]
    return (lambda v: [f(_tree(v, params), x) for x in some]), _flat(params) + nets.vector(fact["delta"])


def _posterior(fact: dict, model: Any, loss: Any, params: Any, batches: Any) -> Any:
    return laplace.laplace(
        model, "classification" if fact["loss"] == "cross_entropy" else "regression", params, batches,
        structure=fact["structure"], prior_precision=fact["prior_precision"], noise=fact["noise"] or 1.0,
    )  # fmt: skip


def _test(fact: dict) -> Any:
    ((x, _),) = nets.data(fact["test"])
    return nets.placed(x)


def _influence(fact: dict, model: Any, loss: Any, params: Any, batches: Any) -> Any:
    test = tuple(nets.placed(t) for t in nets.data(fact["test"])[0])
    more = {"operator": fact["operator"], "damping": fact["damping"], "reduction": fact["reduction"]}
    return influence.influence(model, loss, params, batches, test, **more)


CALLS.update(
    ntk=_of_params(_ntk),
    ntk_operator=_of_params(
        lambda fact, model, loss, params, batches: (
            ntk.NTK(model, params, batches[0][0]) @ nets.vector(fact["v"])
        )
    ),
    linearized=_linearized,
    laplace_marglik=_of_params(lambda *given: _posterior(*given).log_marginal_likelihood()),
    laplace_variance=_of_params(lambda *given: _posterior(*given).functional_variance(_test(given[0]))),
    laplace_probit=_of_params(lambda *given: _posterior(*given).predict(_test(given[0]), "probit")),
    influence=_of_params(_influence),
)
OF_BATCHES.update(k for k in CALLS if k not in ("jet", "directional_derivatives", "mixed_partial", "hvp"))


# -- implicit functions ----------------------------------------------------------------------------------------------


def _tanh_problem(fact: dict) -> tuple[Any, Any, Callable]:
    r, d = np.random.RandomState(fact["seed"]), fact["dim"]
    W, b = torch.tensor(0.4 * r.randn(d, d)), torch.tensor(r.randn(d))
    z0 = torch.zeros(d).double()

    def z(W: Any, b: Any) -> Any:
        return implicit.fixed_point(lambda z, W, b: torch.tanh(W @ z + b), z0, W, b, rtol=1e-13)

    return W, b, z


def _fixed_point(fact: dict, spread: Callable) -> Any:
    W, b, z = _tanh_problem(fact)
    d = b.numel()
    f = grad(lambda W, b: (z(W, b) ** 2).sum(), (0, 1))
    return (lambda t: f(t[: d * d].reshape(d, d), t[d * d :])), torch.cat([W.reshape(-1), b])


def _fixed_point_jvp(fact: dict, spread: Callable) -> Any:
    W, b, z = _tanh_problem(fact)
    return (lambda b: jacfwd(lambda b: z(W, b))(b)), b


def _fixed_point_hessian(fact: dict, spread: Callable) -> Any:
    W, b, z = _tanh_problem(fact)
    return (lambda b: hessian(lambda b: (z(W, b) ** 2).sum())(b)), b


def _root_vmap(fact: dict, spread: Callable) -> Any:
    start = _numbers(1.5)
    f = lambda a: implicit.root(lambda x, a: a * x**3 - x - 2, start, a, rtol=1e-13)  # noqa: E731
    return (lambda a: vmap(grad(f))(a)), _numbers(fact["a"])


def _root_system(fact: dict, spread: Callable) -> Any:
    def system(x: Any, theta: Any) -> Any:
        return {"u": x["u"] ** 2 + x["v"] - theta[0], "v": x["u"] - x["v"] ** 3 + theta[1]}

    one = _numbers(1.0)

    def found(theta: Any) -> Any:
        x = implicit.root(system, {"u": one, "v": one}, theta, rtol=1e-13)
        return torch.stack([x["u"], x["v"]])

    return (lambda theta: jacrev(found)(theta)), _numbers(fact["theta"])


def _ridge(fact: dict, spread: Callable) -> Any:
    r = np.random.RandomState(fact["seed"])
    X, y, Xv, yv = (torch.tensor(a) for a in (r.randn(20, 4), r.randn(20), r.randn(10, 4), r.randn(10)))

    def validation(penalties: Any) -> Any:
        def objective(w: Any, penalties: Any) -> Any:
            return ((X @ w - y) ** 2).sum() / 2 + (penalties * w**2).sum() / 2

        w = implicit.argmin(objective, torch.zeros(4).double(), penalties, rtol=1e-12)
        return ((Xv @ w - yv) ** 2).mean()

    return (lambda penalties: grad(validation)(penalties)), _numbers(fact["penalties"])


def _logistic(fact: dict, spread: Callable) -> Any:
    r = np.random.RandomState(fact["seed"])
    X, y, Xv, yv = (
        torch.tensor(np.asarray(a, dtype=float))
        for a in (r.randn(30, 3), r.rand(30) < 0.5, r.randn(10, 3), r.rand(10) < 0.5)
    )

    def nll(w: Any, X: Any, y: Any) -> Any:
        return (F.softplus(X @ w) - y * (X @ w)).mean()

    def validation(penalty: Any) -> Any:
        def objective(w: Any, penalty: Any) -> Any:
            return nll(w, X, y) + penalty * (w**2).sum() / 2

        return nll(implicit.argmin(objective, torch.zeros(3).double(), penalty, rtol=1e-12), Xv, yv)

    return (lambda penalty: grad(validation)(penalty)), _numbers(fact.get("penalty", fact.get("l")))


def _quadratic(fact: dict, spread: Callable) -> Any:
    r = np.random.RandomState(fact["seed"])
    M, A, c, b = (torch.tensor(a) for a in (r.randn(4, 4), r.randn(2, 4), r.randn(4), r.randn(2)))
    Q = M @ M.T + torch.eye(4).double()

    def kkt(z: Any, c: Any) -> Any:
        x, u = z
        return Q @ x + c + A.T @ u, A @ x - b

    z0 = (torch.zeros(4).double(), torch.zeros(2).double())
    return (lambda c: jacrev(lambda c: implicit.root(kkt, z0, c)[0])(c)), c


CALLS.update(
    fixed_point=_fixed_point, fixed_point_jvp=_fixed_point_jvp, fixed_point_hessian=_fixed_point_hessian, root_vmap=_root_vmap,
    root_system=_root_system, argmin_ridge=_ridge, argmin_logistic=_logistic, argmin_qp=_quadratic,
)  # fmt: skip


# -- training runs ---------------------------------------------------------------------------------------------------


def _of_rate(transform: Callable) -> Callable:
    def made(fact: dict, spread: Callable) -> Any:
        run = runs.Run(fact["spec"])
        return (lambda lr: transform(lambda lr: run.outcome(run.params, lr))(lr)), _numbers(
            fact["spec"]["lr"]
        )

    return made


def _of_start(fact: dict, spread: Callable) -> Any:
    run = runs.Run(fact["spec"])
    lr = _numbers(fact["spec"]["lr"])
    f = grad(lambda p: run.outcome(p, lr))
    return (lambda v: f(_tree(v, run.params))), _flat(run.params)


def _runs_vmapped(fact: dict, spread: Callable) -> Any:
    run = runs.Run(fact["spec"])
    return (lambda lrs: vmap(lambda lr: run.outcome(run.params, lr))(lrs)), _numbers(fact["spec"]["lrs"])


def _members(fact: dict, spread: Callable) -> Any:
    spec = fact["spec"]
    run = runs.Run(spec)
    X, Y, Xv, Yv = run.data

    e = training.ensemble(
        lambda i: nets.net({**spec["net"], "seed": spec["net"]["seed"] + i}), len(spec["lrs"])
    )
    begin = e.params

    def losses(lrs: Any) -> Any:
        e.params = begin
        if spec["optimizer"] == "sgd":
            e.train(lambda p, x, lr: run.step((p, None), x, lr)[0], (X, Y), lr=lrs)
        else:
            e.train(run.step, (X, Y), state=vmap(run.state_of)(e.params), lr=lrs)
        return vmap(lambda z: F.cross_entropy(z, Yv))(e(Xv))

    return losses, _numbers(spec["lrs"])


CALLS.update(
    unrolled_lr=_of_rate(grad), unrolled_second=_of_rate(lambda f: grad(grad(f))), unrolled_init=_of_start,
    runs_vmapped=_runs_vmapped, members=_members,
)  # fmt: skip


def _epsilon(fact: dict, spread: Callable) -> Any:
    given = [fact[k] for k in ("noise_multiplier", "sample_rate", "steps", "delta")]
    return (lambda _: torch.tensor(privacy.epsilon(*given, accountant=fact["accountant"]))), _numbers(0.0)


CALLS["epsilon"] = _epsilon
