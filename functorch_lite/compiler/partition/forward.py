"""A recorded Graph as one flat jaxpr, of which every equation is known to be of an op that the user's line recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
from jax.ad_checkpoint import checkpoint_name
from jax.extend.core import ClosedJaxpr

from ..._core.api import Graph, cell_of, walk
from ..._core.lazy.applied import tracing
from ..._core.lazy.graph import replay
from .flat import NAME, depending, flattened, live, named, named_only
from .forms import run_by_result

__all__ = ["Forward", "Origin"]

_STEP = "step "


@dataclass(frozen=True)
class Origin:
    """Origin of a value: the number of the step of the Graph that makes it, its op, the user's line; and whether it is
    a result of that step, not one on the way to it."""

    step: int
    op: str
    line: str
    is_result: bool = False


class Forward:
    """A Graph's forward: `jaxpr`, whose values have names, and `origins`, which says what is behind a name.

    The jaxpr's inputs and results are the Graph's.
    """

    def __init__(self, graph: Graph):
        self.graph = graph
        structs = [a.struct for a in graph.in_avals]
        device = next((a.device for a in graph.in_avals if a.device.type != "cpu"), None)
        self.device = device
        with tracing(device):
            marked = flattened(jax.make_jaxpr(self._run)(*structs))
        steps = [self._origin(k) for k in range(len(graph.steps))]
        self.origins: dict[str, Origin] = {}
        self.jaxpr = self._renamed(marked, steps)

    def _run(self, *inputs):
        slots: dict[int, Any] = {}
        for k, step in enumerate(self.graph.steps):
            if not run_by_result(step, slots, inputs):
                replay([step], slots, inputs)
            for i in range(step.base, step.base + step.n_out):
                slots[i] = checkpoint_name(slots[i], f"{_STEP}{k}")
        return [slots[o] if o >= 0 else inputs[-1 - o] for o in self.graph.outputs]

    def _origin(self, k: int) -> Origin:
        step = self.graph.steps[k]
        file, number = step.source or ("", 0)
        line = f"{cell_of(file) or file}:{number}" if file else ""
        return Origin(k, getattr(step.op, "name", "op"), line)

    def _renamed(self, marked: ClosedJaxpr, steps: list[Origin]) -> ClosedJaxpr:
        """Each equation belongs to the step whose results are marked next."""
        of: dict[Any, int] = {}
        results: set[Any] = set()
        now = len(steps) - 1
        for eqn in reversed(walk.steps(marked)):
            if eqn.primitive is NAME and str(eqn.params["name"]).startswith(_STEP):
                now = int(eqn.params["name"][len(_STEP) :])
                results.add(eqn.invars[0])
            of.update(dict.fromkeys(eqn.outvars, now))
        count = iter(range(len(of) + 1))

        def name(v: Any) -> str:
            called = f"v{next(count)}"
            step = steps[of[v]]
            self.origins[called] = Origin(step.step, step.op, step.line, v in results)
            return called

        return live(named(named_only(marked, {}), name))

    def jvp(self, perturbed: tuple[bool, ...]) -> ClosedJaxpr:
        """The forward and its derivative along the inputs in `perturbed`: inputs and their tangents to results and
        the tangents of the differentiable ones. Every value that does not depend on tangents has a name."""
        fn = jax.extend.core.jaxpr_as_fun(self.jaxpr)
        structs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in self.jaxpr.in_avals]
        wanted = [i for i, p in enumerate(perturbed) if p]
        smooth = differentiable(self.jaxpr)

        def both(primals, tangents):
            of_wanted = restricted(fn, primals, wanted, smooth)
            _, tangents_out, outs = jax.jvp(of_wanted, [primals[i] for i in wanted], tangents, has_aux=True)
            return [*outs, *tangents_out]

        with tracing(self.device):
            traced = flattened(jax.make_jaxpr(both)(structs, [structs[i] for i in wanted]))
        pattern = "".join("01"[p] for p in perturbed)  # such values are of this derivative alone
        late = depending(traced.jaxpr, traced.jaxpr.invars[len(structs) :])
        count = iter(range(len(walk.steps(traced)) * 2))

        def name(v: Any) -> str | None:
            if v in late:
                return None
            called = f"c{pattern}.{next(count)}"
            self.origins[called] = Origin(0, "", "")
            return called

        return self._with_origins(live(named(traced, name)))

    def _with_origins(self, closed: ClosedJaxpr) -> ClosedJaxpr:
        """Values that only the derivative computes belong to the step of their inputs."""
        of: dict[Any, Origin] = {}
        for eqn in walk.steps(closed):
            found = [of[v] for v in eqn.invars if not hasattr(v, "val") and v in of]
            near = max(found, key=lambda o: o.step, default=None)
            if eqn.primitive is NAME:
                called = eqn.params["name"]
                if called[0] == "c" and near is not None:
                    self.origins[called] = Origin(near.step, near.op, near.line)
                near = self.origins[called]
            if near is not None:
                of.update(dict.fromkeys(eqn.outvars, near))
        return closed


def restricted(fn: Callable, primals: Sequence, wanted: Sequence[int], smooth: Sequence[int]) -> Callable:
    """`fn` of the `wanted` ones of its arguments, the others being as in `primals`: (the results that are `smooth`, all
    of them)."""

    def called(*chosen):
        full = list(primals)
        for i, x in zip(wanted, chosen):
            full[i] = x
        outs = fn(*full)
        return [outs[o] for o in smooth], outs

    return called


def differentiable(closed: ClosedJaxpr) -> list[int]:
    """The numbers of the results that have derivatives."""
    return [o for o, a in enumerate(closed.out_avals) if jax.numpy.issubdtype(a.dtype, jax.numpy.inexact)]
