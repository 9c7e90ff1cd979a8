"""From a Graph to what is called for it: passes of ours and of the user's, in stages, as PyTorch's compiler has them.

    pre-grad   `pre_grad_custom_pass`
    joint      `joint_custom_pre_pass`, steps that do nothing and constants, patterns, `joint_custom_post_pass`
    post-grad  `post_grad_custom_pre_pass`, `post_grad_custom_post_pass`

All work on what the function computes. Its derivative is taken of what the last stage leaves, by the tape as of any
code; so what a pass puts there is differentiated too.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Collection, Sequence
from time import perf_counter
from typing import Any

from .._core.api import Graph, Tensor, state
from ..fx import GraphModule
from ..testing import assert_close
from .config import config
from .graphs.decomposing import Decomposing
from .graphs.trace import Traced, trace
from .graphs.view import view_of
from .hooks import debugging, watched
from .pass_reports import PassReport, after, counters, tell
from .passes import canonical, changed_inside, fuse_attention, merge_common, simplify
from .patterns.matcher import PatternMatcherPass

__all__ = ["compile_graph", "compile_without_passes", "pattern_passes"]


pattern_passes: list[PatternMatcherPass] = []
"""Passes whose patterns are replaced in the joint stage."""


def compile_graph(
    gm: GraphModule,
    example_inputs: Sequence[Any],
    inner_compile: Callable | None = None,
    config_patches: dict[str, Any] | None = None,
    decompositions: dict[Any, Callable] | None = None,
) -> Callable:
    """Compiles a Graph: runs all passes on it, and `inner_compile(graph module, example inputs)` makes the callable of
    what they leave.

    Args:
        gm: is edited
        example_inputs: tensors and numbers; of tensors shapes, dtypes and whether they require grad are looked at
        inner_compile: by default the Graph's own code, which is recorded as it runs
        config_patches: settings of `torch._inductor.config` for this compilation
        decompositions: functions in whose place others are to be called, before the joint stage
    """
    if config_patches:
        with config.patch(config_patches):
            return compile_graph(gm, example_inputs, inner_compile, None, decompositions)
    if config.save_args:
        debugging.saved(gm, example_inputs)
    if not config.trace.enabled:
        return _compiled(_Stages(gm, example_inputs), inner_compile, decompositions)
    with debugging.folder() as folder:
        folder.given(gm, example_inputs)
        run = _Stages(gm, example_inputs, folder.after)
        found = _compiled(run, inner_compile, decompositions)
        folder.lowered(run.gm, example_inputs)
    return found


def _compiled(
    run: _Stages, inner_compile: Callable | None, decompositions: dict[Any, Callable] | None
) -> Callable:
    """The stages, one after the other, and what `inner_compile` makes of what they leave."""
    run.users("pre-grad", "pre_grad_custom_pass", config.fx_passes_numeric_check.get("pre_grad", False))
    run.keep("pre-grad")
    if decompositions:
        run.ours("joint", "decompositions", lambda: run.decompose(decompositions))
    run.users("joint", "joint_custom_pre_pass")
    run.joint(config.joint_graph_constant_folding, config.pattern_matcher)
    if config.pattern_matcher:
        for p in pattern_passes:
            run.ours("joint", p.pass_name or "patterns", lambda p=p: p.apply(run.gm))  # type: ignore[misc]
    run.users("joint", "joint_custom_post_pass")
    run.keep("joint")
    run.users("post-grad", "post_grad_custom_pre_pass")
    run.users("post-grad", "post_grad_custom_post_pass")
    run.keep("post-grad")
    return watched(inner_compile or compile_without_passes, "aot")(run.gm, run.inputs)


def compile_without_passes(gm: GraphModule, example_inputs: Sequence[Any]) -> Callable:
    """Returns the callable of an unchanged Graph: its own code, which is recorded as it runs."""
    return gm.forward


class _Stages:
    """A Graph on its way through the passes. seen: is given what each stage leaves."""

    def __init__(
        self, gm: GraphModule, inputs: Sequence[Any], seen: Callable[[str, GraphModule], None] | None = None
    ):
        self.gm, self.inputs, self.seen = gm, list(inputs), seen
        graded = state.grad
        self.differentiated = {
            i for i, x in enumerate(self.inputs) if graded and isinstance(x, Tensor) and x.requires_grad
        }

    def keep(self, stage: str) -> None:
        """Checks what a stage left, and remembers it."""
        self.gm.graph.lint()
        self.gm.recompile()
        after[stage] = copy.deepcopy(self.gm)
        if self.seen is not None:
            self.seen(stage, self.gm)

    def decompose(self, table: dict[Any, Callable]) -> None:
        """Records the Graph with other functions in the place of some."""
        self._shown(*self._recorded(Decomposing(self.gm, table).run))

    def joint(self, folds: bool, fuses: bool) -> None:
        """Steps that do nothing go, and attention that is written out becomes one step.

        Views are `reshape`s then: a `view` may need a copy that goes."""
        if not (folds or fuses):
            return
        names, traced = self._recorded(self.gm)
        graph = traced.graph
        if folds:
            graph = self._timed("remove_noop_ops, constant_fold_uniform_value", graph, self._simpler)
        if fuses:
            graph = self._timed("fuse_attention", graph, self._fused)
        if folds or graph is not traced.graph:
            traced.graph = graph
            self._shown(names, traced)

    def _simpler(self, graph: Graph) -> tuple[Graph, int]:
        def simpler(g: Graph, wanted: Collection[int]) -> Graph:
            return merge_common(canonical(simplify(g, wanted)), wanted)

        wanted = self.differentiated
        return simpler(changed_inside(graph, simpler, wanted), wanted), 0

    def _fused(self, graph: Graph) -> tuple[Graph, int]:
        counts = []

        def fused(g: Graph, wanted: Collection[int] = ()) -> Graph:
            made, count = fuse_attention(canonical(g))
            counts.append(count)
            return made if count else g

        made = fused(changed_inside(graph, fused, self.differentiated))
        return made, sum(counts)

    def _timed(self, name: str, graph: Graph, change: Callable[[Graph], tuple[Graph, int]]) -> Graph:
        """The Graph that a pass makes."""
        began = perf_counter()
        made, count = change(graph)
        counters["inductor"]["fuse_attention"] += count
        _report("joint", name, began, len(graph.steps), len(made.steps), count)
        return made

    def _recorded(self, run: Callable) -> tuple[list[str], Traced]:
        """Records a function of the inputs. Returns the names of the inputs, and the recording."""
        names = [n.name for n in self.gm.graph.nodes if n.op == "placeholder"]
        self.gm.recompile()
        return names, trace(run, tuple(self.inputs), {})

    def _shown(self, names: list[str], traced: Traced) -> None:
        self.gm = view_of(traced.graph, traced.names(names), traced.drawn)

    def ours(self, stage: str, name: str, do: Callable[[], Any]) -> None:
        """Runs a pass of the library's."""
        began, before = perf_counter(), _count(self.gm)
        found = do()
        _report(stage, name, began, before, _count(self.gm), found if isinstance(found, int) else 0)

    def users(self, stage: str, name: str, check: bool = False) -> None:
        """Runs the user's passes that are set under a name."""
        found = getattr(config, name)
        for do in found if isinstance(found, list | tuple) else [found]:
            if do is None:
                continue
            before = copy.deepcopy(self.gm) if check else None
            self.ours(
                stage, f"{name} {getattr(do, '__name__', type(do).__name__)}", lambda do=do: self._edit(do)
            )  # type: ignore[misc]
            if before is not None:
                _compare(before, self.gm, self.inputs, name)

    def _edit(self, do: Callable) -> None:
        do(self.gm.graph)
        self.gm.graph.lint()
        self.gm.recompile()


def _report(stage: str, name: str, began: float, before: int, left: int, matches: int) -> None:
    tell(PassReport(stage, name, perf_counter() - began, before, left, matches))


def _count(gm: GraphModule) -> int:
    return sum(n.op.startswith("call") and n.target is not operator.getitem for n in gm.graph.nodes)


def _compare(before: GraphModule, after: GraphModule, inputs: Sequence[Any], name: str) -> None:
    """Raises where a pass changed results by more than rounding (`fx_passes_numeric_check`)."""
    for k, (a, b) in enumerate(zip(before(*inputs), after(*inputs), strict=True)):
        try:
            assert_close(b, a, equal_nan=True)
        except AssertionError as error:
            raise RuntimeError(f"fx_passes_numeric_check: {name} changes result {k}: {error}") from None
