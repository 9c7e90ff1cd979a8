"""Residuals: the values that a function saves for its backward, counted from the differentiated program, together
with the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import jax
from jax.extend.core import Literal, jaxpr_as_fun

from ..._core.api import Graph, Kind, Tensor, row, tracing, walk
from ...utils._remat import Region
from .engine import SAVED, Partitioned
from .flat import NAME
from .forward import Forward, Origin, differentiable, restricted
from .kinds import bytes_of
from .planner import PlannedOp, Planner, planned_op
from .program import Plan

__all__ = ["Residual", "Residuals", "residuals"]


@dataclass(frozen=True)
class Residual:
    """A value that is kept: its bytes, shape and dtype, the op that made it, and the user's line.

    For an input, which exists anyway, the op is "input"."""

    bytes: int
    shape: tuple[int, ...]
    dtype: str
    op: str
    line: str

    @property
    def is_input(self) -> bool:
        """Returns whether it is an input of the function, or captured by it."""
        return self.op == "input"


@dataclass
class Residuals:
    """The values that a function keeps, and their bytes.

    values         a `Residual` for each, in the order in which they are computed
    saved_bytes    of those that are no inputs
    input_bytes    of the inputs that the backward reads
    all_input_bytes  of all inputs, which is what a budget counts from
    planned_bytes  what the plan says that saved_bytes is; None where no budget chose
    plans          the plans of the parts that a budget chose for
    """

    values: list[Residual] = field(repr=False)
    all_input_bytes: int = 0
    planned_bytes: int | None = None
    plans: list[Plan] = field(default_factory=list, repr=False)

    @property
    def saved_bytes(self) -> int:
        return sum(v.bytes for v in self.values if not v.is_input)

    @property
    def input_bytes(self) -> int:
        return sum(v.bytes for v in self.values if v.is_input)

    def __iter__(self) -> Iterator[Residual]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __str__(self) -> str:
        kept = [v for v in self.values if not v.is_input]
        rows = [
            f"{v.bytes:>12,}  {v.dtype + str(list(v.shape)):<28} {v.op.removeprefix('nn.functional.'):<22} {v.line}"
            for v in kept
        ]
        planned = "" if self.planned_bytes is None else f", as planned: {self.planned_bytes:,}"
        again = sum(p.flops for p in self.plans)
        cost = f"; {again:,.0f} operations of products run again" if self.plans else ""
        rows.append(f"{self.saved_bytes:>12,}  bytes in {len(kept)} values{planned}{cost}")
        rows.append(
            f"{self.input_bytes:>12,}  bytes of inputs that the backward reads, of {self.all_input_bytes:,}"
        )
        return "\n".join(rows)


def residuals(fn: Callable, *args: Any, budget: float | None = None, **kwargs: Any) -> Residuals:
    """Lists what `fn(*args, **kwargs)` keeps for its backward, by tensors that require grad (by all floating point ones
    if none does).

    fn is run once, and nothing is computed. Parts of it that are checkpointed keep what they keep. budget: as if all
    of fn were `checkpoint(fn, ..., policy="auto", budget=budget)`. The residuals of the differentiated program are
    counted, not a device's peak.

    >>> model, x = nn.Sequential(nn.Linear(3, 2), nn.Sigmoid()), torch.ones(4, 3)
    >>> print(functorch_lite.debug.residuals(model, x))
    32  float32[4, 2]  linear  ...
    32  bytes in 1 values
    48  bytes of inputs that the backward reads, of 80
    """
    region = Region(fn, args, kwargs)
    graph = region.recorded.graph
    edges = [isinstance(t, Tensor) and t._edge is not None for t in region.recorded.inputs]
    smooth = [jax.numpy.issubdtype(a.struct.dtype, jax.numpy.inexact) for a in graph.in_avals]
    perturbed = tuple([s and (e or not any(edges)) for s, e in zip(smooth, edges)])
    if budget is not None:
        planner = Planner.now(budget)
        of = planned_op(graph, planner, planner.key, region.parameters(), perturbed).partitioned
        return _counted(of.forward, of, perturbed, [of])
    forward = Forward(graph)
    return _counted(forward, jaxpr_as_fun(forward.jaxpr), perturbed, list(_planned_in(graph)))


def _planned_in(graph: Graph) -> Iterator[Partitioned]:
    for step in graph.steps:
        op: Any = step.op
        if isinstance(op, PlannedOp):
            yield op.partitioned
        for part in getattr(op, "made_of", None) or ():
            if isinstance(part, Graph) and not isinstance(op, PlannedOp):
                yield from _planned_in(part)


def _counted(
    forward: Forward, fn: Callable, perturbed: tuple[bool, ...], planned: list[Partitioned]
) -> Residuals:
    structs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in forward.jaxpr.in_avals]
    smooth = differentiable(forward.jaxpr)
    wanted = [i for i, p in enumerate(perturbed) if p]

    def differentiated(*primals):
        of_wanted = restricted(fn, primals, wanted, smooth)
        return jax.vjp(of_wanted, *[primals[i] for i in wanted], has_aux=True)[1]

    with tracing(forward.device):
        closed = jax.make_jaxpr(differentiated)(*structs)
    jaxpr = closed.jaxpr
    same: dict[Any, Any] = {}
    of: dict[Any, Origin] = {}
    for eqn in walk.steps(jaxpr):
        near = next((of[v] for v in reversed(eqn.invars) if not isinstance(v, Literal) and v in of), None)
        if eqn.primitive is NAME:
            near = _origin(eqn.params["name"], forward) or near
        if row(eqn).kind == Kind.SAME and len(eqn.outvars) == 1:
            v = eqn.invars[0]
            if not isinstance(v, Literal):
                same[eqn.outvars[0]] = same.get(v, v)
                if near is not None and eqn.primitive is NAME:
                    of[same[eqn.outvars[0]]] = near
        if near is not None:
            of.update(dict.fromkeys(eqn.outvars, near))
    kept = dict.fromkeys([same.get(v, v) for v in jaxpr.outvars if not isinstance(v, Literal)])
    inputs = set(jaxpr.invars)
    values = []
    for v in kept:
        origin = Origin(0, "input", "") if v in inputs else of.get(v, Origin(0, "", ""))
        values.append(
            Residual(bytes_of(v.aval), tuple(v.aval.shape), str(v.aval.dtype), origin.op, origin.line)
        )
    plans = [p.plan for p in planned]
    total = sum(bytes_of(v.aval) for v in jaxpr.invars)
    return Residuals(values, total, sum(p.saved_bytes for p in plans) if plans else None, plans)


def _origin(name: str, forward: Forward) -> Origin | None:
    if name.startswith(SAVED):
        _, op, line = (name.removeprefix(SAVED) + "||").split("|")[:3]
        return Origin(0, op, line)
    return forward.origins.get(name)
