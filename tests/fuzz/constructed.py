"""Calls of what is constructed and then asked: distributions (arguments that are checked), transforms, optimizers,
schedules."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.distributions import cases
from tests.fuzz.functional import Call, f, mutations
from tests.fuzz.mutation import mutated, value
from tests.samples.base import T


def _tensor(x: Any, dtype: str) -> Any:
    return T(np.array(x, dtype)) if isinstance(x, list) else x


ASKED = (
    "log_prob",
    "cdf",
    "icdf",
    "entropy",
    "mean",
    "variance",
    "mode",
    "stddev",
    "sample",
    "rsample",
    "expand",
    "perplexity",
    "enumerate_support",
    "batch_shape",
    "event_shape",
    "repr",
)


def ask(lib: Any, args: tuple, kwargs: dict) -> Any:
    """args: (class, question, its argument); kwargs: the distribution's parameters."""
    kind, question, argument = args
    d = getattr(lib.distributions, kind)(**kwargs)
    if question in ("log_prob", "cdf", "icdf", "expand"):
        answer = getattr(d, question)(argument)
    elif question in ("sample", "rsample"):
        answer = getattr(d, question)(argument).shape
    elif question == "repr":
        answer = repr(d)
    else:
        answer = getattr(d, question)
        answer = answer() if callable(answer) else answer
    if question == "expand":
        answer = (answer.batch_shape, answer.event_shape, repr(answer))
    return answer


def distribution(rng: random.Random) -> Call:
    """A distribution of tests/distributions/cases.py with other parameters, and one question."""
    case = rng.choice(cases.CASES)
    given = given_to(case)
    question = rng.choice(ASKED + ("log_prob",) * 6)
    many, argument = 0, asked_with(case, question)
    if question in ("sample", "rsample"):
        argument = rng.choice(((), (2,), (2, 3), 2, (-1,), None, (0,)))
    elif rng.random() < 0.4:
        argument = value(rng, argument)
        many = 1
    if rng.random() < 0.75:
        many += mutations(rng)
        _, given = mutated(rng, (), given, {"validate_args": rng.choice((True, False, None))})
    for name in ("temperature",):
        if name in case.parameters and name not in given:
            given[name] = 0.5
    call = asked(case.kind, question, argument, given)
    call.several = many > 1
    return call


OPTIMIZERS: dict[str, dict[str, Any]] = {
    "SGD": {"lr": 0.1, "momentum": 0.9, "dampening": 0.1, "weight_decay": 0.01, "nesterov": False, "maximize": False},
    "Adam": {"lr": 0.1, "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0.01, "amsgrad": True, "maximize": False},
    "AdamW": {"lr": 0.1, "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0.01, "amsgrad": True},
    "Adamax": {"lr": 0.1, "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0.01}, "NAdam": {"lr": 0.1, "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0.01, "momentum_decay": 4e-3, "decoupled_weight_decay": True},
    "RAdam": {"lr": 0.1, "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0.01, "decoupled_weight_decay": False},
    "Adagrad": {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.01, "initial_accumulator_value": 0.1, "eps": 1e-10}, "Adadelta": {"lr": 0.1, "rho": 0.9, "eps": 1e-6, "weight_decay": 0.01},
    "RMSprop": {"lr": 0.1, "alpha": 0.9, "eps": 1e-8, "weight_decay": 0.01, "momentum": 0.5, "centered": True}, "Rprop": {"lr": 0.1, "etas": (0.5, 1.2), "step_sizes": (1e-6, 50.0)},
    "ASGD": {"lr": 0.1, "lambd": 1e-4, "alpha": 0.75, "t0": 1e6, "weight_decay": 0.01}, "Adafactor": {"lr": 0.1, "beta2_decay": -0.8, "eps": (None, 1e-3), "d": 1.0, "weight_decay": 0.01},
    "LBFGS": {"lr": 0.5, "max_iter": 3, "max_eval": None, "tolerance_grad": 1e-7, "tolerance_change": 1e-9, "history_size": 3, "line_search_fn": None},
    "Muon": {"lr": 0.1, "weight_decay": 0.1, "momentum": 0.9, "nesterov": True, "eps": 1e-7, "ns_steps": 3, "adjust_lr_fn": "original"},
}  # fmt: skip

SCHEDULES: dict[str, dict[str, Any]] = {
    "StepLR": {"step_size": 2, "gamma": 0.5}, "MultiStepLR": {"milestones": [1, 3], "gamma": 0.5}, "ExponentialLR": {"gamma": 0.5}, "ConstantLR": {"factor": 0.5, "total_iters": 2},
    "LinearLR": {"start_factor": 0.5, "end_factor": 1.0, "total_iters": 3}, "PolynomialLR": {"total_iters": 3, "power": 2.0}, "CosineAnnealingLR": {"T_max": 3, "eta_min": 0.01},
    "CosineAnnealingWarmRestarts": {"T_0": 2, "T_mult": 2, "eta_min": 0.01}, "CyclicLR": {"base_lr": 0.1, "max_lr": 0.5, "step_size_up": 2, "mode": "triangular2", "gamma": 0.9},
    "OneCycleLR": {"max_lr": 0.5, "total_steps": 5, "pct_start": 0.4, "anneal_strategy": "linear", "div_factor": 10.0}, "ReduceLROnPlateau": {"mode": "min", "factor": 0.5, "patience": 0, "threshold": 0.1, "threshold_mode": "rel", "cooldown": 0, "min_lr": 0.01},
}  # fmt: skip


def given_to(case: Any) -> dict:
    """The parameters of a case's distribution, as placeholders."""
    return {k: _tensor(v, case.dtype) for k, v in case.parameters.items()}


def asked_with(case: Any, question: str) -> Any:
    """The argument of a question that asks for one: values, probabilities or a shape."""
    return {
        "icdf": T(np.array([0.1, 0.5, 0.8], case.dtype)),
        "expand": (2, *np.shape(next(iter(case.parameters.values())))[:1]),
        "sample": (2,),
        "rsample": (2,),
    }.get(question, T(np.array(case.values, "int64" if case.kind == "Categorical" else case.dtype)))


def asked(kind: str, question: str, argument: Any, given: dict) -> Call:
    return Call(f"distributions.{kind}", (kind, question, argument), given, ask, grad=False)


def optimise(lib: Any, args: tuple, kwargs: dict) -> Any:
    """Two steps of an optimizer; args: (class, what it is given as parameters, start)."""
    name, given, start = args
    p = lib.nn.Parameter(start.clone() if isinstance(start, lib.Tensor) else lib.ones(2))
    params: Any = {
        "list": [p],
        "tensor": p,
        "empty": [],
        "groups": [{"params": [p], "lr": 0.05}],
        "twice": [p, p],
        "no params": [{"lr": 0.1}],
        "float": [1.0],
        "none": None,
    }[given]
    opt = getattr(lib.optim, name)(params, **kwargs)

    def closure() -> Any:
        opt.zero_grad()
        loss = (p * p.detach().cos()).sum() + (p * p).sum()
        loss.backward()
        return loss

    for _ in range(2):
        if name == "LBFGS":
            opt.step(closure)
        else:
            closure()
            opt.step()
    return p.detach()


def optimizer(rng: random.Random) -> Call:
    name = rng.choice(sorted(OPTIMIZERS))
    many = mutations(rng)
    _, kwargs = mutated(rng, (), {}, OPTIMIZERS[name])
    given = (
        "list"
        if rng.random() < 0.8
        else rng.choice(("tensor", "empty", "groups", "twice", "no params", "float", "none"))
    )
    start = (
        f(3, 2) if rng.random() < 0.8 else rng.choice((f(3), f(2, 3, 2), f(2, 2, dtype=np.float64), f(0, 2)))
    )
    call = optimised(name, given, start, kwargs)
    call.several = many + (given != "list") > 1
    return call


def optimised(name: str, given: str, start: T, kwargs: dict) -> Call:
    # Muon orthogonalises in bfloat16: rounding decides the third digit
    return Call(f"optim.{name}", (name, given, start), kwargs, optimise, name == "Muon", grad=False)


def schedule(lib: Any, args: tuple, kwargs: dict) -> Any:
    """Learning rates over six steps."""
    (name,) = args
    p = lib.nn.Parameter(lib.ones(2))
    opt = lib.optim.SGD([p], lr=0.3, momentum=0.9)
    s = getattr(lib.optim.lr_scheduler, name)(opt, **kwargs)
    rates = []
    for k in range(6):
        rates.append(float(opt.param_groups[0]["lr"]))
        opt.step()
        s.step(1.0 + k % 2) if name == "ReduceLROnPlateau" else s.step()
    return tuple(rates)


def scheduler(rng: random.Random) -> Call:
    name = rng.choice(sorted(SCHEDULES))
    many = mutations(rng)
    _, kwargs = mutated(rng, (), dict(SCHEDULES[name]))
    call = scheduled(name, kwargs)
    call.several = many > 1
    return call


def scheduled(name: str, kwargs: dict) -> Call:
    return Call(f"optim.lr_scheduler.{name}", (name,), kwargs, schedule, grad=False)


FAMILIES = {"distributions": distribution, "optimizers": optimizer, "schedules": scheduler}
