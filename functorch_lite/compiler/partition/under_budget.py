"""Functions given to torch.compile under `torch._functorch.config.activation_memory_budget`.

Below 1, a call is one region, whose kept values are chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core.api import NotOneOp, advise, state
from ...random import get_rng_state, set_rng_state
from .settings import settings

__all__ = ["UnderBudget"]

_AS_IT_STANDS = (
    "torch.compile: activation_memory_budget={budget} has no effect on {name}, since {reason}: all that its backward reads is kept. Give torch.compile "
    "the module alone, not the step that trains it"
)


class UnderBudget:
    """A function or module that keeps for its backward what fits the budget, where that is below 1."""

    def __init__(self, fn: Callable):
        self.fn = fn
        self.reason = ""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        budget = settings.activation_memory_budget
        if budget == 1 or not state.grad or self.reason:
            return self.fn(*args, **kwargs)
        from ...utils._remat import Budget, rematerialized  # which is not loaded before it is asked for

        chosen = Budget(budget)
        before = get_rng_state()
        try:
            return rematerialized(self.fn, args, kwargs, reentrant=False, budget=chosen)
        except NotOneOp as reason:
            set_rng_state(before)
            if state.rec.kind.one_op:
                raise
            self.reason = str(reason)
            name = getattr(self.fn, "__qualname__", type(self.fn).__qualname__)
            advise(_AS_IT_STANDS.format(budget=budget, name=name, reason=reason), once=False)
            return self.fn(*args, **kwargs)
