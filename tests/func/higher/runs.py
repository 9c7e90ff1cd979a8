"""The training runs of the facts: SGD, momentum, Adam, as a function of first parameters and a learning rate."""

from __future__ import annotations

from typing import Any

import numpy as np

import functorch_lite as torch
import functorch_lite.nn.functional as F
from functorch_lite.func import functional_call, grad, training

from . import nets

__all__ = ["Run"]

BETAS, EPS = (0.9, 0.999), 1e-8


class Run:
    """A run as a fact's `spec` says: its model, its first parameters, its data."""

    def __init__(self, spec: dict):
        self.spec, self.model = spec, nets.net(spec["net"])
        self.params = nets.parameters(self.model)
        r = np.random.RandomState(spec["data_seed"])
        shape = (spec["steps"], spec["batch"])
        self.data = [
            torch.tensor(a)
            for a in (r.randn(*shape, 3), r.randint(0, 2, shape), r.randn(8, 3), r.randint(0, 2, (8,)))
        ]

    def state_of(self, params: Any) -> Any:
        """What the optimizer begins with."""
        zeros = {k: torch.zeros_like(p) for k, p in params.items()}
        one = next(iter(params.values()))
        return {"sgd": None, "momentum": zeros, "adam": (zeros, zeros, torch.zeros_like(one.sum()))}[
            self.spec["optimizer"]
        ]

    def step(self, carry: Any, batch: Any, lr: Any) -> Any:
        """(params, state) after a step."""
        p, state = carry
        g = grad(lambda p: F.cross_entropy(functional_call(self.model, p, (batch[0],)), batch[1]))(p)
        if self.spec["optimizer"] == "sgd":
            return {k: p[k] - lr * g[k] for k in p}, state
        if self.spec["optimizer"] == "momentum":
            v = {k: 0.9 * state[k] + g[k] for k in p}
            return {k: p[k] - lr * v[k] for k in p}, v
        b1, b2 = BETAS
        m = {k: b1 * state[0][k] + (1 - b1) * g[k] for k in p}
        s = {k: b2 * state[1][k] + (1 - b2) * g[k] ** 2 for k in p}
        t = state[2] + 1
        new = {k: p[k] - lr * (m[k] / (1 - b1**t)) / (torch.sqrt(s[k] / (1 - b2**t)) + EPS) for k in p}
        return new, (m, s, t)

    def outcome(self, params: Any, lr: Any) -> Any:
        """The validation loss after the run."""
        X, Y, Xv, Yv = self.data
        carry = (params, self.state_of(params))
        p, _ = training.unroll(
            lambda c, x: self.step(c, x, lr), carry, (X, Y), checkpoint=self.spec.get("checkpoint")
        )
        return F.cross_entropy(functional_call(self.model, p, (Xv,)), Yv)
