"""Errors of torch.compile. `torch._dynamo.exc` has them under their names."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

__all__ = [
    "AccuracyError",
    "BackendCompilerFailed",
    "FailOnRecompileLimitHit",
    "InvalidBackend",
    "RecompileError",
    "Unsupported",
    "UserError",
    "UserErrorType",
]


class InvalidBackend(RuntimeError):
    """A `backend=` that does not exist."""


class Unsupported(RuntimeError):
    """Code that was marked with `fullgraph=True` does what no recording holds: it reads a value, or calls what is kept
    out.

    >>> @torch.compile(fullgraph=True)
    ... def f(x):
    ...     return x if x.sum() > 0 else -x  # raises: which of them depends on a value

    Mended:

    >>> @torch.compile(fullgraph=True)
    ... def f(x):
    ...     return torch.where(x.sum() > 0, x, -x)
    """


class FailOnRecompileLimitHit(RuntimeError):
    """A function marked with `fullgraph=True` is called in more kinds of ways than `recompile_limit` says."""


class RecompileError(RuntimeError):
    """A function is called in a kind of ways that it was not called in before, and
    `torch._dynamo.config.error_on_recompile` is set."""


class BackendCompilerFailed(RuntimeError):
    """A `backend=` that is a function raised, or returned nothing that can be called.

    `inner_exception`: the exception of the backend; `graph`: the Graph that it received."""

    def __init__(self, backend: Callable, inner_exception: Exception, graph: Any = None):
        name = getattr(backend, "__name__", type(backend).__name__)
        super().__init__(f"backend={name!r} raised:\n{type(inner_exception).__name__}: {inner_exception}")
        self.backend_name, self.inner_exception, self.graph = name, inner_exception, graph


class AccuracyError(Exception):
    """A compiled program's results, or gradients, differ from the results of its ops run one by one
    (`torch._dynamo.config.repro_level = 4`)."""


class UserErrorType(enum.Enum):
    """Kinds of faults that a UserError reports."""

    DYNAMIC_CONTROL_FLOW = 1
    ANTI_PATTERN = 2
    STANDARD_LIBRARY = 3
    CONSTRAINT_VIOLATION = 4
    DYNAMIC_DIM = 5
    INVALID_INPUT = 6
    INVALID_OUTPUT = 7


class UserError(RuntimeError):
    """Error for requests that contradict each other: a size that is to be open and a program that fixes it, for one.
    `error_type` says which kind it is.

    >>> class Fixed(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x + torch.ones(8)  # raises where x is exported with an open size

    Mended:

    >>> class Open(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x + torch.ones(x.shape[0])
    """

    def __init__(self, error_type: UserErrorType, msg: str, case_name: str | None = None):
        super().__init__(msg)
        self.error_type, self.msg, self.message = error_type, msg, msg


AccuracyError.__module__ = "torch._dynamo.debug_utils"

for _error in (
    InvalidBackend,
    Unsupported,
    FailOnRecompileLimitHit,
    RecompileError,
    BackendCompilerFailed,
    UserError,
    UserErrorType,
):
    _error.__module__ = "torch._dynamo.exc"
