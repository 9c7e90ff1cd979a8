"""Functions that torch.func took over, under functorch's names; each warns at the call and says what to use instead."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from functorch_lite import func
from functorch_lite.compat.functorch import stateless

__all__ = [
    "combine_state_for_ensemble", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp",
    "make_functional", "make_functional_with_buffers", "vjp", "vmap",
]  # fmt: skip

P = ParamSpec("P")
R = TypeVar("R")


def _deprecated(function: Callable[P, R], instead: str | None = None) -> Callable[P, R]:
    name = function.__name__
    instead = instead or f"torch.func.{name}"
    sentence = f"`functorch.{name}` is deprecated, since torch has it: please use `{instead}` instead"

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        warnings.warn(sentence, FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    return called


vmap = _deprecated(func.vmap, "torch.vmap")
grad = _deprecated(func.grad)
grad_and_value = _deprecated(func.grad_and_value)
vjp = _deprecated(func.vjp)
jvp = _deprecated(func.jvp)
jacrev = _deprecated(func.jacrev)
jacfwd = _deprecated(func.jacfwd)
hessian = _deprecated(func.hessian)
functionalize = _deprecated(func.functionalize)
make_functional = _deprecated(stateless.make_functional, "torch.func.functional_call")
make_functional_with_buffers = _deprecated(
    stateless.make_functional_with_buffers, "torch.func.functional_call"
)
combine_state_for_ensemble = _deprecated(
    stateless.combine_state_for_ensemble, "torch.func.stack_module_state"
)
