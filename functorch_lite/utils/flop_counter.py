"""torch.utils.flop_counter: the multiplications and additions of products that run in a context."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from .._core.api import counting, flops_of, flush

__all__ = ["FlopCounterMode"]


class FlopCounterMode:
    """Counts floating point operations of matrix products, convolutions and attention, forward and backward: two for each pair of numbers
    that is multiplied. They follow from the shapes; what is elementwise counts nothing, as in PyTorch.

    Counts are by op (`linear`, `convolution_backward`, ...), under "Global": modules are not told apart, unlike PyTorch's, and `mods` and
    `depth` change nothing. display: whether the table is printed at the end. custom_mapping raises NotImplementedError.

    >>> with torch.utils.flop_counter.FlopCounterMode(display=False) as counter:
    ...     _ = torch.ones(2, 3) @ torch.ones(3, 4)
    >>> counter.get_total_flops()
    48
    """

    def __init__(self, mods: Any = None, depth: int = 2, display: bool = True, custom_mapping: Any = None):
        if custom_mapping:
            raise NotImplementedError(
                "FlopCounterMode(custom_mapping): what an op costs is counted from what it is made of"
            )
        self.display = display
        self._counts: dict[str, int] = {}

    def __enter__(self) -> FlopCounterMode:
        flush()
        self._counts = defaultdict(int)
        counting.append(self._count)
        return self

    def __exit__(self, *_: Any) -> None:
        try:
            flush()
        finally:
            counting.remove(self._count)
        if self.display:
            print(self.get_table())

    def _count(self, path: Any) -> None:
        for step in path:
            flops = sum(flops_of(eqn) for eqn in step.applied.jaxpr.jaxpr.eqns)
            if flops:
                self._counts[step.op.name] += round(flops)

    def get_total_flops(self) -> int:
        """All of them."""
        return sum(self._counts.values())

    def get_flop_counts(self) -> dict[str, dict[str, int]]:
        """{"Global": {op: flops}}."""
        return {"Global": dict(self._counts)}

    def get_table(self, depth: int | None = None) -> str:
        """The counts as a table."""
        total = self.get_total_flops()
        rows = [("Global", total)] + [(f" - {name}", n) for name, n in sorted(self._counts.items())]
        width = max(len(name) for name, _ in rows)
        lines = [f"{'Op':{width}}  {'FLOP':>14}  % Total", f"{'-' * width}  {'-' * 14}  -------"]
        return "\n".join(
            lines + [f"{name:{width}}  {n:>14,}  {n / total if total else 0:>7.2%}" for name, n in rows]
        )
