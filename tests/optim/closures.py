"""Training loops for LBFGS, Adafactor, Muon and averaged models, written once for both libraries."""

from __future__ import annotations

import numpy as np

RNG = np.random.default_rng(0)
START = [RNG.normal(size=s) for s in [(4, 3), (3, 5), (2, 3, 4), (6,), ()]]
GRADS = [[RNG.normal(size=x.shape) for x in START] for _ in range(6)]

LBFGS_OPTIONS = [
    {}, {"lr": 0.5, "history_size": 3}, {"line_search_fn": "strong_wolfe"},
    {"line_search_fn": "strong_wolfe", "history_size": 2, "max_iter": 7}, {"max_iter": 4, "max_eval": 3},
]  # fmt: skip
ADAFACTOR_OPTIONS = [
    {},
    {"lr": 0.1, "weight_decay": 0.1, "maximize": True},
    {"eps": (1e-3, 0.1), "d": 1.5, "beta2_decay": -0.5},
]
MUON_OPTIONS = [
    {},
    {"lr": 0.1, "nesterov": False, "momentum": 0.8},
    {"adjust_lr_fn": "match_rms_adamw", "weight_decay": 0.0, "ns_steps": 3},
]


def array(t) -> np.ndarray:
    return t.detach().numpy().copy()


def rosenbrock(lib, options: dict, steps: int = 3):
    """LBFGS on Rosenbrock's function of three variables in two parameters: losses, points, and the counts at the
    end."""
    x = lib.tensor([-1.2, 1.0], dtype=lib.float64).requires_grad_()
    y = lib.tensor([[0.3]], dtype=lib.float64).requires_grad_()
    optimizer = lib.optim.LBFGS([x, y], **options)

    def closure():
        optimizer.zero_grad()
        z = lib.cat([x, y.reshape(-1)])
        loss = (100 * (z[1:] - z[:-1] ** 2) ** 2 + (1 - z[:-1]) ** 2).sum()
        loss.backward()
        return loss

    trail = []
    for _ in range(steps):
        loss = optimizer.step(closure)
        trail.append(np.concatenate([array(loss).reshape(1), array(x), array(y).reshape(-1)]))
    state = optimizer.state_dict()["state"][0]
    return np.stack(trail), (state["func_evals"], state["n_iter"], len(state["old_dirs"]))


def uphill(lib, options: dict) -> list[float]:
    """The losses of a line search that finds nothing, as the gradient has the wrong sign: one for each evaluation."""
    x = lib.zeros(2, dtype=lib.float64).requires_grad_()
    optimizer = lib.optim.LBFGS([x], line_search_fn="strong_wolfe", **options)
    losses = []

    def closure():
        x.grad = lib.ones_like(x)
        losses.append(-float(x.detach().sum()))
        return lib.tensor(losses[-1])

    optimizer.step(closure)
    return losses


def along_lines(lib, name: str) -> list[float]:
    """The losses, then the end, of searches where a cubic through two points is a straight line or overflows, or losses
    are equal."""
    losses: list[float] = []
    loss_of = {
        "straight": lambda x: (x - 3).abs().sum(),
        "overflow": lambda x: (x * 1e80).pow(2).sum() * 1e100 + (x - 1).sum(),
        "equal": lambda x: 0 * x.sum() - int(bool(losses)),
    }[name]
    x = lib.tensor([-1.2, 1.0, 0.3], dtype=lib.float64).requires_grad_()
    optimizer = lib.optim.LBFGS([x], line_search_fn="strong_wolfe", max_iter=4)

    def closure():
        optimizer.zero_grad()
        loss = loss_of(x)
        loss.backward()
        if name == "equal":
            x.grad = lib.full_like(x, -1 if losses else 1)
        losses.append(float(loss))
        return loss

    optimizer.step(closure)
    return losses + x.tolist()


def stepped(lib, name: str, options: dict, dtype: str, only_matrices: bool):
    """The parameters after steps with fixed gradients, and the state."""
    keep = [i for i, x in enumerate(START) if x.ndim == 2 or not only_matrices]
    kind = getattr(lib, dtype)
    params = [lib.tensor(START[i], dtype=kind).requires_grad_() for i in keep]
    optimizer = getattr(lib.optim, name)(params, **options)
    for k, grads in enumerate(GRADS):
        for j, i in enumerate(keep):
            params[j].grad = None if (k, j) == (2, 0) else lib.tensor(grads[i], dtype=kind)
        optimizer.step()
    state = {f"{k}.{n}": array(v) for k, s in optimizer.state_dict()["state"].items() for n, v in s.items()}
    return [array(p) for p in params], state, repr(optimizer)


def averaged(lib, how: str):
    """An averaged model with a BatchNorm through a few updates, update_bn, and SWALR's learning rates."""
    swa = lib.optim.swa_utils
    model = lib.nn.Sequential(lib.nn.Linear(3, 2), lib.nn.BatchNorm1d(2)).double()
    with lib.no_grad():
        for i, p in enumerate(model.parameters()):
            p.copy_(lib.tensor(np.linspace(-1, 1 + i, p.numel()).reshape(tuple(p.shape))))
    options = {
        "swa": {}, "ema": {"multi_avg_fn": swa.get_ema_multi_avg_fn(0.9)}, "buffers": {"use_buffers": True},
        "one by one": {"avg_fn": swa.get_ema_avg_fn(0.8)},
    }[how]  # fmt: skip
    mean = swa.AveragedModel(model, **options)
    optimizer = lib.optim.SGD(model.parameters(), lr=0.1)
    strategy = "linear" if how == "ema" else "cos"
    scheduler = swa.SWALR(optimizer, swa_lr=0.05, anneal_epochs=3, anneal_strategy=strategy)
    batches = [lib.tensor(RNG_X[i]) for i in range(4)]
    rates = []
    for x in batches:
        optimizer.zero_grad()
        (model(x).tanh() * x[:, :2]).sum().backward()
        optimizer.step()
        mean.update_parameters(model)
        scheduler.step()
        rates.append(scheduler.get_last_lr()[0])
    before = {k: array(v) for k, v in mean.state_dict().items()}
    swa.update_bn([(b, None) for b in batches], mean)
    after = {f"after {k}": array(v) for k, v in mean.state_dict().items()}
    return (
        before
        | after
        | {"rates": np.array(rates), "output": array(mean(batches[0])), "training": np.array(mean.training)}
    )


RNG_X = np.random.default_rng(1).normal(size=(4, 5, 3))
