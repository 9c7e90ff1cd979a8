"""Modules and models under torch.compile, beside unmarked ones: in training and eval mode, forward, backward and three
optimizer steps, to the last bit."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.run import executor
from functorch_lite.compiler import replay
from tests.compiler.rounds import differs, forget, shown, tensors_in
from tests.models import MODELS
from tests.nn import module_runs
from tests.nn.module_cases import CASES, Case
from tests.support.full import FULL

CALLS, STEPS = 5, 3
REFUSED = {
    "lstm_language_model": "reads a value",  # the lengths of its sentences
    "BatchNorm1d(momentum=None)": "reads a value",  # how often it was called
    "BatchNorm2d(momentum=None)": "reads a value",
    "MultiLabelMarginLoss": "always run",  # targets that are out of one of the ranges that they are asked for
}
"""Modules that are not replayed, and why."""


def _compared(run: Callable[[Callable], list], refused: str | None) -> None:
    """Runs twice, with a function that wraps nothing and with torch.compile; the second must show the same, and have
    been replayed."""
    before = len(replay.mismatches)
    compiled: list[Any] = []

    def wrap(f: Any) -> Any:
        compiled.append(torch.compile(f))
        return compiled[-1]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        executor.flush()
        wanted = run(lambda f: f)
        executor.flush()
        got = run(wrap)
    assert len(got) == len(wanted)
    for (what, mine), (_, theirs) in zip(got, wanted, strict=True):
        wrong = differs(mine, theirs)
        assert not wrong, f"{what}: {wrong}"
    assert len(replay.mismatches) == before
    why = [reason for f in compiled for reason in f.replayed.why_not]
    print(sum(f.replayed.replays for f in compiled), sum(f.replayed.runs for f in compiled), why)
    if refused is None:
        assert all(f.replayed.replays for f in compiled), why
    else:
        assert any(refused in said for said in why or ["always run"])


# -- modules -----------------------------------------------------------------------------------------------------------


def _module(c: Case, training: bool) -> Callable[[Callable], list]:
    """Calls with other numbers each; outputs, gradients and buffers."""

    def run(wrap: Callable) -> list:
        module = module_runs.made(torch, c)
        module_runs.fill(torch, module, c)
        module.train(training)
        f = wrap(module)
        found = []
        torch.manual_seed(5)
        executor.flush()
        for k in range(CALLS):
            with torch.no_grad():
                inputs = [_smaller(x, k) for x in module_runs.inputs_of(torch, c)]
            inputs = [_leaves(x, n in c.fixed) for n, x in enumerate(inputs)]
            outs = [o for o in tensors_in(f(*inputs)) if isinstance(o, torch.Tensor)]
            roots = [o for o in outs if o.requires_grad]
            leaves = [x for x in [*tensors_in(inputs), *module.parameters()] if isinstance(x, torch.Tensor) and x.requires_grad]  # fmt: skip
            grads = torch.autograd.grad(roots, leaves, [o.detach() for o in roots], allow_unused=True) if roots else []  # fmt: skip
            left = [*outs, *grads, *module.buffers(), *tensors_in(inputs)]
            found += [(f"call {k + 1}, {n}", shown(x)) for n, x in enumerate(left)]
            executor.flush()
        return found

    return run


def _smaller(x: Any, k: int) -> Any:
    if isinstance(x, tuple):
        return tuple([_smaller(part, k) for part in x])
    return x.detach() * (1 - 0.125 * k) if isinstance(x, torch.Tensor) and x.is_floating_point() else x


def _leaves(x: Any, fixed: bool) -> Any:
    if isinstance(x, tuple):
        return tuple([_leaves(part, fixed) for part in x])
    is_one = isinstance(x, torch.Tensor) and x.is_floating_point() and not fixed
    return x.detach().requires_grad_(True) if is_one else x


SHARE = range(len(CASES)) if FULL else range(0, len(CASES), 32)


@pytest.mark.parametrize("n", SHARE, ids=[f"{n}-{CASES[n].name}" for n in SHARE])
def test_module(n):
    c = CASES[n]
    for training in c.modes:
        counts = training and getattr(module_runs.made(torch, c), "momentum", 0) is None
        _compared(_module(c, training), REFUSED.get(f"{c.name}(momentum=None)" if counts else c.name))
    if n % 8 == 0:
        forget()


# -- models ------------------------------------------------------------------------------------------------------------


def _optimizer(spec: Any, model: Any) -> Any:
    make = getattr(spec, "optimizer", None)
    return make(torch, model) if make else torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)


def _trained(name: str, how: str) -> Callable[[Callable], list]:
    """Three calls in eval mode and some steps of training, then one call in eval mode again. how: what is compiled, the
    model or the step."""
    spec = MODELS[name]

    def run(wrap: Callable) -> list:
        torch.manual_seed(0)
        model = spec.build(torch)
        optimizer = _optimizer(spec, model)
        called = wrap(model) if how == "model" else model

        def step(*tensors):
            optimizer.zero_grad()
            loss = spec.loss(torch, called, *tensors)
            loss.backward()
            optimizer.step()
            return loss

        step = step if how == "model" else wrap(step)
        ask = getattr(spec, "forward", None) or (lambda torch, model, x, *_: model(x))
        found = []
        executor.flush()
        for k in range(STEPS + 5):
            tensors = [torch.tensor(a) for a in spec.example(np.random.default_rng(k))]
            model.train(3 <= k < STEPS + 4)
            if model.training:
                left = [step(*tensors), *model.state_dict().values(), *[p.grad for p in model.parameters()]]
            else:
                left = tensors_in(ask(torch, called, *tensors))
            found += [(f"call {k + 1}, {n}", shown(x)) for n, x in enumerate(left)]
            executor.flush()
        return found

    return run


SOME = sorted(MODELS) if FULL else ("vae", "lstm_language_model")


@pytest.mark.parametrize("how", ["model", "step"])
@pytest.mark.parametrize("name", SOME)
def test_model(name, how):
    _compared(_trained(name, how), REFUSED.get(name))
    forget()
