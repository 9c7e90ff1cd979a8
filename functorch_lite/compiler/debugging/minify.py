"""The minifier: a Graph that fails becomes as small as it can while it still fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..._core.api import Tensor
from ..._core.api import functions as torch
from ...fx import GraphModule
from .answers import Answers
from .saved import Storages
from .shrinking import Fails, Minifier, is_finite
from .stepping import as_module

__all__ = ["minifier", "minify"]


def minifier(
    fail_f: GraphModule,
    inps: Sequence[Any],
    module_fails: Fails,
    dump_state: Callable[[GraphModule, list[Any]], Any] | None = None,
    *,
    save_dir: str | None = None,
    offload_to_disk: bool = False,
    skip_offload: bool = False,
    skip_sanity: bool = False,
    max_granularity: int | None = None,
) -> tuple[GraphModule, list[Any]]:
    """The smallest Graph that was found for which `module_fails` holds, and its inputs.

    Args:
        fail_f: a GraphModule that fails.
        inps: its inputs.
        module_fails: of a GraphModule and a list of inputs: whether the fault is there. If `inps` are finite, it is
            asked of finite inputs alone, so that the op that makes a NaN is found.
        dump_state: is given each smaller Graph with its inputs.
        save_dir: where answers are kept as they come, so that a run that was killed goes on, and, with
            `offload_to_disk`, the results of steps.
        skip_offload: the results of steps stay in memory all the same.
        skip_sanity: it is not asked first whether `fail_f` fails.
        max_granularity: a power of two: how many steps go at once, at most.

    What comes back is 1-minimal: without any single step or output it does not fail. Raises RuntimeError if `fail_f`
    does not fail, or what was found does not fail when it is asked again.

    >>> def fails(gm, inputs):
    ...     return any(n.target is torch.relu for n in gm.graph.nodes)
    >>> gm = torch.fx.symbolic_trace(lambda x: (torch.relu(x.sin()) + 1).cos())
    >>> small, inputs = functorch.compile.minifier(gm, [torch.ones(2)], fails)  # doctest: +SKIP
    """
    if max_granularity is not None and (max_granularity < 1 or max_granularity & (max_granularity - 1)):
        raise RuntimeError(f"max_granularity {max_granularity} not power of two")
    if offload_to_disk and save_dir is None:
        raise AssertionError("save_dir must not be None when offload_to_disk=True")
    answers = Answers(None if save_dir is None else Path(save_dir) / "answers.txt")
    store = None
    if offload_to_disk and not skip_offload:
        store = Storages(Path(save_dir or "") / "intermediates").put_away
    made = Minifier(
        fail_f, inps, module_fails, dump_state, answers=answers, max_granularity=max_granularity, store=store
    )
    return made.run(skip_sanity)


def minify(
    graph: Any,
    inputs: Sequence[Any],
    fails: Fails | None = None,
    *,
    fault: str | None = None,
    shrink_shapes: bool = False,
    save_dir: str | None = None,
) -> tuple[GraphModule, list[Any]]:
    """The smallest Graph that was found with a fault, and its inputs: see `functorch.compile.minifier`.

    Args:
        graph: a GraphModule, or a function or module, whose Graph for `inputs` is taken.
        fails: of a GraphModule and a list of inputs: whether the fault is there.
        fault: in place of `fails`: "nan" or "inf": a result is such, though no input is.
        shrink_shapes: sizes and numbers shrink too.
        save_dir: where answers are kept, so that a run that was killed goes on.

    >>> small, _ = functorch_lite.debug.minify(lambda x: (x.sin() - 2).log() + 1, [torch.ones(3)], fault="nan")  # doctest: +SKIP
    """
    if (fails is None) == (fault is None):
        raise TypeError("minify takes fails, or fault")
    if fault not in (None, "nan", "inf"):
        raise ValueError(f'minify: fault is "nan" or "inf", not {fault!r}')
    gm, given = as_module(graph, inputs)
    which = {"nan": torch.isnan, "inf": torch.isinf}[fault or "nan"]

    def has(gm: GraphModule, given: list[Any]) -> bool:
        outs = gm(*given)
        return any(
            isinstance(o, Tensor) and o.is_floating_point() and bool(which(o.detach()).any())
            for o in (outs if isinstance(outs, tuple | list) else [outs])
        )

    if fault is not None and not all(map(is_finite, given)):
        raise ValueError("minify: an input is not finite already")
    answers = Answers(None if save_dir is None else Path(save_dir) / "answers.txt")
    made = Minifier(gm, given, fails or has, answers=answers, values=fault is not None, shapes=shrink_shapes)
    return made.run()
