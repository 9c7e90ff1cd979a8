"""`torch._dynamo.utils`: counters of what the passes found, and whether results are the same."""

from __future__ import annotations

from typing import Any

from ..compiler.debugging.same import same
from ..compiler.patterns import counters
from ..debug import stats

__all__ = ["compile_times", "counters", "is_compile_supported", "same"]


def is_compile_supported(device_type: str) -> bool:
    """True: what is compiled for a device is compiled by XLA."""
    return True


def compile_times(repr: str = "str", aggregate: bool = False) -> Any:
    """Returns the seconds that programs took to make so far, by phase, as text (repr="str") or as headers and rows
    ("csv"). One sum for each phase, aggregate or not: `functorch_lite.debug.explain()` has them program by program.

    >>> print(torch._dynamo.utils.compile_times().splitlines()[1])
    Function, Runtimes (s)
    """
    if repr not in ("str", "csv"):
        return None
    found = stats()
    times = {k: f"{found[k]:.4f}" for k in ("trace_seconds", "lower_seconds", "compile_seconds")}
    if repr == "csv":
        return list(times), [*times.values()]
    return "\n".join(
        [
            "TorchDynamo compilation metrics:",
            "Function, Runtimes (s)",
            *[f"{k}, {v}" for k, v in times.items()],
        ]
    )
