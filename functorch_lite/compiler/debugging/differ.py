"""The first step of a Graph whose compiled result, or gradient, differs from the result of the ops run one by one."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..._core.api import Tensor, at_once, flush, tier
from ...fx import Graph, GraphModule, Node
from ...random import get_rng_state, set_rng_state
from .. import settings
from .compare import cast_to_fp64, clone_inputs_retaining_gradness, run_fwd_maybe_bwd
from .editing import beginning, outputs_of, steps_of, value_of
from .same import _numbers, rmse, same
from .stepping import as_module, describe, evaluate, line_of, op_name

__all__ = ["Difference", "compare", "compiled_by_xla"]


class Difference:
    """The first op whose compiled result, or gradient, differs from that of the ops run one by one; false if there is
    none.

    op, line   which op, and the user's line
    what       "result", "gradient", or "error" where the compiled program raised; empty if there is no difference
    inputs     what the op read, in words
    largest    the largest difference; errors: of the two from float64's numbers, root mean squares (reference,
               compiled)
    verdict    which of the two float64 sides with: "reference", "compiled", "neither", or "" where it was not asked
    """

    op = line = what = verdict = ""
    largest = 0.0
    errors: tuple[float, float] | None = None
    inputs: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.what)

    def __str__(self) -> str:
        if not self.what:
            return "No difference: results and gradients are those of the ops run one by one."
        if self.what == "error":
            return f"The compiled program raises: {self.verdict}"
        lines = [
            f"The first {self.what} that differs is that of {self.op}"
            + (f" at {self.line}" if self.line else "")
        ]
        lines += [f"  it reads {x}" for x in self.inputs]
        lines += [f"  largest difference {self.largest:.3g}"]
        if self.errors is not None:
            lines += [f"  away from float64: {self.errors[0]:.3g} op by op, {self.errors[1]:.3g} compiled"]
        said = {
            "reference": "the ops run one by one",
            "compiled": "the compiled program",
            "neither": "neither",
        }
        lines += [f"  float64 sides with {said[self.verdict]}"] if self.verdict else []
        return "\n".join(lines)

    __repr__ = __str__


def compiled_by_xla(gm: GraphModule, inputs: Sequence[Any]) -> Callable:
    """A backend: the Graph as one program, compiled by XLA and by nothing else."""

    def call(*given: Any) -> Any:
        with tier("compiled"):
            out = gm(*given)
            flush()
            return out

    return call


class _Sides:
    """Both sides of a comparison, for any beginning of a Graph."""

    def __init__(self, root: GraphModule, inputs: Sequence[Any], backend: Callable, against: str):
        self.root, self.inputs, self.backend, self.against = root, list(inputs), backend, against
        self.only_fwd = not any(isinstance(x, Tensor) and x.requires_grad for x in inputs)

    def outcome(self, graph: Graph) -> tuple[str, Any, Any, Any]:
        """Returns the difference ("result", "gradient", "error" or ""), and the three sides: op by op, compiled (or its
        error), in float64."""
        gm = GraphModule(self.root, copy.deepcopy(graph))
        seed = get_rng_state()
        try:
            with at_once():
                ref = run_fwd_maybe_bwd(gm, self.inputs, self.only_fwd)
            wide = self._in_float64(gm, seed)
            if self.against == "float64":
                if wide is None:
                    raise RuntimeError("compare: the function does not run in float64")
                ref = _as(ref, wide)
            set_rng_state(seed)
            try:
                compiled = self.backend(copy.deepcopy(gm), clone_inputs_retaining_gradness(self.inputs))
                res = run_fwd_maybe_bwd(compiled, self.inputs, self.only_fwd)
            except Exception as error:
                return "error", ref, error, wide
        finally:
            set_rng_state(seed)
        refs, ress = ([r] if self.only_fwd else r for r in (ref, res))
        wides: Any = [wide] if self.only_fwd and wide is not None else wide
        for k in range(len(refs)):
            if k in (2, 3, 4):  # a module's own, which the compiled callable has none of
                continue
            f = None if wides is None else wides[k]
            quiet: Callable[..., None] = lambda *_: None  # noqa: E731
            if not same(
                _listed(refs[k]),
                _listed(ress[k]),
                _listed(f),
                tol=settings.repro_tolerance,
                equal_nan=True,
                log_error=quiet,
            ):
                return "gradient" if k > 4 else "result", refs[k], ress[k], f
        return "", ref, res, wide

    def _in_float64(self, gm: GraphModule, seed: Any) -> Any:
        set_rng_state(seed)
        try:
            model, inputs = cast_to_fp64(copy.deepcopy(gm), clone_inputs_retaining_gradness(self.inputs))
            with at_once():
                return run_fwd_maybe_bwd(model, inputs, self.only_fwd)
        except Exception:  # such as an op that takes no float64
            return None


def _listed(x: Any) -> Any:
    return list(x) if isinstance(x, tuple) else x


def _as(like: Any, x: Any) -> Any:
    """x, with the dtypes that `like` has."""
    if isinstance(like, Tensor):
        return x.to(like.dtype)
    if isinstance(like, list | tuple):
        return [_as(a, b) for a, b in zip(like, x)]
    return {k: _as(v, x[k]) for k, v in like.items()} if isinstance(like, dict) else x


def compare(fn: Any, *args: Any, against: str = "eager", backend: Callable | None = None) -> Difference:
    """Prints and returns the first op of fn(*args) whose compiled result, or gradient, differs beyond
    `torch._dynamo.config.repro_tolerance` from what the ops give that are run one by one, with the user's line, and
    which of the two float64 sides with.

    Args:
        fn: a function or module, or one that torch.compile marked with a backend, which is then what is compared.
        against: "eager", or "float64": what the ops give in double precision, rounded.
        backend: gives the callable for a Graph, as in torch.compile; by default XLA's program.

    Gradients are compared of arguments that require grad. The prefixes of the Graph that differ are found by
    bisection, each compiled by itself.

    >>> bool(functorch_lite.debug.compare(lambda x: (x.sin() + 1).log(), torch.ones(3)))
    No difference: results and gradients are those of the ops run one by one.
    False
    """
    if against not in ("eager", "float64"):
        raise ValueError(f'compare: against is "eager" or "float64", not {against!r}')
    marked = getattr(fn, "replayed", None)
    backend = backend or getattr(marked, "backend", None) or compiled_by_xla
    gm, inputs = as_module(fn, args)
    sides = _Sides(gm, inputs, backend, against)
    found = Difference()
    outcome = sides.outcome(gm.graph)
    if outcome[0]:
        evaluate(gm, inputs)
        node, outcome = _first(gm.graph, sides, outcome)
        _tell(found, node, outcome)
    print(found)
    return found


def _first(graph: Graph, sides: _Sides, whole: tuple) -> tuple[Node, tuple]:
    """The step at whose end a difference is there first."""
    steps = steps_of(graph)
    low, high, last = 0, len(steps) - 1, whole
    while low < high:
        middle = (low + high) // 2
        made = beginning(graph, steps[middle])
        outcome = sides.outcome(made) if outputs_of(made) else ("",)
        if outcome[0]:
            high, last = middle, outcome
        else:
            low = middle + 1
    return steps[low], last


def _tell(found: Difference, node: Node, outcome: tuple) -> None:
    found.what, ref, res, wide = outcome
    found.op, found.line = op_name(node), line_of(node)
    found.inputs = [describe(value_of(r)) for r in node.all_input_nodes]
    if found.what == "error":
        found.verdict = f"{type(res).__name__}: {res}"
        return
    sides = [x if isinstance(x, list | tuple) else [x] for x in (ref, res, wide)]
    for a, b, w in zip(sides[0], sides[1], sides[2] if wide is not None else [None] * len(sides[0])):
        if not isinstance(a, Tensor) or not isinstance(b, Tensor) or a.shape != b.shape or not a.numel():
            continue
        x, y = _numbers(a), _numbers(b)
        with np.errstate(all="ignore"):
            off = np.abs(x.astype(np.float64) - y) if x.dtype.kind != "c" else np.abs(x - y)
        largest = np.nan if np.isnan(off).any() else off.max()
        if largest > found.largest or np.isnan(largest):
            found.largest = float(largest)
            if isinstance(w, Tensor):
                found.errors = errors = (rmse(_numbers(w), x), rmse(_numbers(w), y))
                found.verdict = _verdict(*errors)


def _verdict(ref: float, res: float) -> str:
    if ref == res or (np.isnan(ref) and np.isnan(res)):
        return "neither"
    return "reference" if np.isnan(res) or ref < res else "compiled"
