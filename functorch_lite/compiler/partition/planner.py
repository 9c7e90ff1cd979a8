"""The planner of a recorded function: its budget, the settings of this moment, and what the user said of single ops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from ..._core.api import DerivedOp, Graph, undisturbed
from ..pass_reports import PassReport, tell
from .bans import Rules, rules
from .choose import check_budget, choose, pareto
from .engine import Partitioned
from .estimators import ESTIMATORS, costs_by
from .forward import Forward
from .knapsack import solver_named
from .pareto_plot import write_pareto
from .program import INPUT, Plan, Program, plan_of
from .settings import settings

__all__ = ["PlannedOp", "Planner", "keeping", "planned_op"]


@dataclass(frozen=True)
class Planner:
    """Settings that decide a plan: equal planners make equal plans.

    marks: for the numbers of steps of the Graph "must save", "must recompute", "prefer save" or "prefer recompute".
    """

    budget: float
    rules: Rules
    solver: Any = "dp"
    estimator: Any = "flops"
    marks: tuple[tuple[int, str], ...] = ()
    folder: str | None = None
    shows: bool = False

    @classmethod
    def now(cls, budget: float | None = None, marks: Mapping[int, str] | None = None) -> Planner:
        """Makes a planner by the settings of this moment. No budget: the settings' own. Raises RuntimeError for what
        they do not know."""
        budget = check_budget(settings.activation_memory_budget if budget is None else budget)
        solver, estimator = (
            settings.activation_memory_budget_solver,
            settings.activation_memory_budget_runtime_estimator,
        )
        solver_named(solver)
        if not callable(estimator) and estimator not in ESTIMATORS:
            costs_by(estimator, Program((), (), ()), (), None)
        return cls(
            budget, rules(), solver, estimator, tuple(sorted((marks or {}).items())),
            settings.memory_budget_pareto_dir, bool(settings.visualize_memory_budget_pareto),
        )  # fmt: skip

    @property
    def key(self) -> tuple:
        """Returns the key that distinguishes plans of this planner from others."""
        r = self.rules
        flags = (
            r.far_apart, r.long_chains, r.materialized, r.allowlist, r.reductions, r.recompute_views, r.free_parameters,
        )  # fmt: skip
        return (
            "budget",
            self.budget,
            flags,
            self.solver,
            self.estimator,
            self.marks,
            self.folder,
            self.shows,
        )

    def __call__(self, program: Program, forward: Forward, equations: Sequence[Any]) -> Plan:
        program = marked(program, forward, dict(self.marks))
        program = costs_by(self.estimator, program, equations, forward.jaxpr.jaxpr)
        solver = solver_named(self.solver)
        if self.shows:
            write_pareto(pareto(program, self.rules, solver), self.folder)
        return choose(program, self.budget, self.rules, solver)


def marked(program: Program, forward: Forward, marks: Mapping[int, str]) -> Program:
    """The program with what the user said of the steps that made its values.

    For an op that is to be saved, its results are; for one that is not to be saved, all its intermediate values are
    excluded."""
    if not marks:
        return program
    steps = []
    for s in program.steps:
        origin = forward.origins.get(s.name)
        said = marks.get(origin.step) if origin is not None else None
        if said is not None and origin is not None and (origin.is_result or said.endswith("recompute")):
            how, _, what = said.partition(" ")
            s = replace(s, must=what) if how == "must" else replace(s, prefer=what)
        steps.append(s)
    return Program(tuple(steps), program.results, program.gradients)


def keeping(chosen: frozenset[int]) -> Any:
    """A planner that keeps the results of these steps of the Graph, as far as the backward reads them, and nothing
    else."""

    def plan(program: Program, forward: Forward, equations: Sequence[Any]) -> Plan:
        origins = forward.origins
        kept = {
            i for i, s in enumerate(program.steps)
            if s.savable and s.name in origins and origins[s.name].is_result and origins[s.name].step in chosen
        }  # fmt: skip
        return plan_of(program, kept)

    return plan


class PlannedOp(DerivedOp):
    """The op of a recorded function that has its derivatives.

    `partitioned`: the function; `first`: the op that produces its arguments in addition to the inputs."""

    __slots__ = ("first", "partitioned")

    def __init__(self, partitioned: Partitioned, first: DerivedOp):
        super().__init__(partitioned.second, "checkpoint", saves="inputs")
        self.partitioned, self.first = partitioned, first


def planned_op(
    graph: Graph, planner: Any, key: tuple, parameters: frozenset[int], which: tuple[bool, ...]
) -> PlannedOp:
    """The op of a recorded function that keeps for its backward what the planner, told apart by `key`, chooses.

    It is made once for each."""
    key = (*key, tuple(sorted(parameters)), which)
    of = graph.derive(("partitioned", *key), lambda: _partitioned(graph, planner, parameters, which))
    first = graph.derive(("first", *key), lambda: DerivedOp(of.first, "checkpoint_forward"))
    return graph.derive(("second", *key), lambda: PlannedOp(of, first))


def _partitioned(
    graph: Graph, planner: Any, parameters: frozenset[int], which: tuple[bool, ...]
) -> Partitioned:
    """Plans in a thread of its own: in this one a hook may be called whenever a function is (see `ran.py`)."""
    began = perf_counter()
    made = undisturbed(lambda: Partitioned(graph, planner, parameters, which))
    plan = made.plan
    name = f"memory budget {planner.budget}" if isinstance(planner, Planner) else "checkpoint policy"
    steps = sum(s.kind != INPUT for s in plan.program.steps)
    tell(
        PassReport(
            "partition",
            name,
            perf_counter() - began,
            steps,
            steps + len(plan.again),
            saved_bytes=plan.saved_bytes,
        )
    )
    return made
