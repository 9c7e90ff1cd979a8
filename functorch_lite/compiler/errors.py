"""Errors of torch.compile. `torch._dynamo.exc` has them under their names."""

from __future__ import annotations

__all__ = ["FailOnRecompileLimitHit", "InvalidBackend", "Unsupported"]


class InvalidBackend(RuntimeError):
    """A `backend=` that does not exist."""


class Unsupported(RuntimeError):
    """Code that was marked with `fullgraph=True` does what no recording holds: it reads a value, or calls what is kept out.

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


for _error in (InvalidBackend, Unsupported, FailOnRecompileLimitHit):
    _error.__module__ = "torch._dynamo.exc"
