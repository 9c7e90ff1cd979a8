"""The deprecated home of functional_call."""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager
from typing import Any

from functorch_lite._core.api import Tensor
from functorch_lite.func.modules import functional_call as _functional_call
from functorch_lite.func.modules import lent
from functorch_lite.nn.modules import Module

__all__ = ["functional_call"]


def _reparametrize_module(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    tie_weights: bool = False,
    strict: bool = False,
    stack_weights: bool = False,
) -> AbstractContextManager[None]:
    """A context in which a module has these parameters and buffers. stack_weights: in which order they are put back
    makes no difference here.

    >>> m = nn.Linear(1, 1, bias=False)
    >>> with torch.nn.utils.stateless._reparametrize_module(m, {"weight": torch.ones(1, 1)}):
    ...     m(torch.ones(1)).tolist()
    [1.0]
    """
    return lent(module, parameters_and_buffers, tie_weights, strict)


def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Deprecated: torch.func.functional_call does the same.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     functional_call(nn.Linear(1, 1, bias=False), {"weight": torch.ones(1, 1)}, torch.ones(1)).tolist()
    [1.0]
    """
    warnings.warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future version "
        "of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
        stacklevel=2,
    )
    return _functional_call(
        module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict
    )
