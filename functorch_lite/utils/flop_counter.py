"""torch.utils.flop_counter: the multiplications and additions of products that run in a context, by module and op."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from .._core.api import Applied, Formula, counting, flops_in, flush
from ..nn.modules._global_hooks import register_module_forward_hook, register_module_forward_pre_hook

__all__ = ["FlopCounterMode"]

_GLOBAL = "Global"


class FlopCounterMode:
    """Counts floating point operations of matrix products, convolutions and attention, forward and backward: two for
    each pair of numbers that is multiplied. They follow from the shapes; what is elementwise counts nothing, as in
    PyTorch.

    Counts are by op (`linear`, `convolution_backward`, ...), for each module that was called ("Sequential.0": the class
    of the outermost one, then names), and for all under "Global". A backward counts where its forward did. Calls of
    modules end the program that is being recorded, so code runs slower meanwhile.

    depth: how many names deep the table goes. display: whether it is printed at the end. `mods` changes nothing:
    modules are found as they are called. custom_mapping raises NotImplementedError.

    >>> with torch.utils.flop_counter.FlopCounterMode(display=False) as counter:
    ...     _ = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU())(torch.ones(2, 3))
    >>> counter.get_total_flops()
    48
    >>> counter.get_flop_counts()["Sequential.0"]
    {'nn.functional.linear': 48}
    """

    def __init__(self, mods: Any = None, depth: int = 2, display: bool = True, custom_mapping: Any = None):
        if custom_mapping:
            raise NotImplementedError(
                "FlopCounterMode: custom_mapping is not supported, because the operations of an op are counted from its jaxpr; leave it out"
            )
        self.depth, self.display = depth, display
        self._counts: dict[str, dict[str, int]] = {}
        self._names: dict[Any, str] = {}
        self._inside: list[str] = [_GLOBAL]
        self._forwards: dict[Applied, list[tuple[str, ...]]] = {}
        self._hooks: list[Any] = []

    def __enter__(self) -> FlopCounterMode:
        flush()
        self._counts = defaultdict(lambda: defaultdict(int))
        self._names, self._inside, self._forwards = {}, [_GLOBAL], defaultdict(list)
        self._hooks = [
            register_module_forward_pre_hook(self._enter),
            register_module_forward_hook(self._leave, always_call=True),
        ]
        counting.append(self._count)
        return self

    def __exit__(self, *_: Any) -> None:
        for hook in self._hooks:
            hook.remove()
        try:
            flush()
        finally:
            counting.remove(self._count)
        if self.display:
            print(self.get_table())

    def _enter(self, module: Any, _: Any) -> None:
        flush()
        name = self._names.setdefault(module, type(module).__name__)
        for child, m in module.named_children():
            self._names.setdefault(m, f"{name}.{child}")
        self._inside.append(name)

    def _leave(self, *_: Any) -> None:
        flush()
        self._inside.pop()

    def _count(self, path: Any) -> None:
        here = tuple(dict.fromkeys(self._inside))
        for step in path:
            flops = round(flops_in(step.applied.jaxpr))
            if not flops:
                continue
            where, op = here, step.op
            if (
                isinstance(op, Formula)
                and isinstance(op.made_of, tuple)
                and isinstance(op.made_of[0], Applied)
            ):
                uses = self._forwards[op.made_of[0]]
                where = uses.pop() if uses else here
            else:
                self._forwards[step.applied].append(here)
            for name in where:
                self._counts[name][op.name] += flops

    def get_total_flops(self) -> int:
        """Returns all flops, added up."""
        return sum(self.get_flop_counts()[_GLOBAL].values())

    def get_flop_counts(self) -> dict[str, dict[str, int]]:
        """{module: {op: flops}}, and all under "Global"."""
        return {name: dict(ops) for name, ops in {_GLOBAL: {}, **self._counts}.items()}

    def get_table(self, depth: int | None = None) -> str:
        """The counts as a table. depth: how many names deep; by default the depth of the counter."""
        depth = self.depth if depth is None else depth
        total = self.get_total_flops()
        rows: list[tuple[str, int]] = []
        for name, ops in sorted(
            self.get_flop_counts().items(), key=lambda item: (item[0] != _GLOBAL, item[0])
        ):
            level = 0 if name == _GLOBAL else name.count(".") + 1
            if level <= depth:
                rows.append((" " * level + name, sum(ops.values())))
                rows += [(f"{' ' * level} - {op.rpartition('.')[2]}", n) for op, n in sorted(ops.items())]
        width = max(len(name) for name, _ in rows)
        lines = [f"{'Module':{width}}  {'FLOP':>14}  % Total", f"{'-' * width}  {'-' * 14}  -------"]
        return "\n".join(
            lines + [f"{name:{width}}  {n:>14,}  {n / total if total else 0:>7.2%}" for name, n in rows]
        )
