"""Modes of the process and the thread, on which a call depends in addition to its arguments and the names in its
code."""

from __future__ import annotations

from typing import Any

from .._core.api import PRECISION, THREADS, deterministic, devices, dtypes, state
from .._core.call import autocast, overrides
from ..autograd import anomaly, forward_ad
from ..nn.modules import _global_hooks
from .partition.settings import of_budget

__all__ = ["modes"]


def _dispatch() -> Any:
    from .aten import dispatch  # which needs torch.fx

    return dispatch


overrides.ops_by_class.entered = lambda: _dispatch().by_class()
overrides.ops_by_class.seen = lambda: _dispatch().seen


def modes() -> tuple | None:
    """Returns all of them; None where one is on in which nothing is replayed."""
    here = state.here
    if (
        here.rec.level
        or here.run_at_once
        or here.saved_hooks
        or overrides.here.modes
        or forward_ad.is_active()
    ):
        return None
    if anomaly.anomaly["enabled"] or any(_hooks):
        return None
    grad: Any = (here.grad, here.inference)
    if autocast.STATE.on:
        local = autocast.LOCAL
        grad = (*grad, frozenset(local.enabled), tuple(local.dtypes.items()), local.cache)
    return (
        *grad,
        dtypes.default_dtype(),
        devices.current_device(),
        deterministic["on"],
        deterministic["warn_only"],
        tuple(PRECISION.items()),
        THREADS["xla"],
        of_budget(),
    )


_hooks = [
    hooks
    for name, hooks in vars(_global_hooks).items()
    if isinstance(hooks, dict) and not name.startswith("__")
]
