"""Joint programs as the planner sees them: steps with bytes, costs, kinds and edges.
Nothing here knows what a step computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

__all__ = ["INPUT", "OTHER", "POINTWISE", "PRODUCT", "RANDOM", "REDUCTION", "VIEW", "Plan", "Program", "Step"]

INPUT, VIEW, POINTWISE, REDUCTION, PRODUCT, RANDOM, OTHER = (
    "input", "view", "pointwise", "reduction", "product", "random", "other",
)  # fmt: skip
"""Kinds of steps.

INPUT: there anyway. VIEW: the same numbers in another shape. POINTWISE: what a compiler fuses into whoever reads it.
REDUCTION: fewer numbers than it reads. PRODUCT: matrix products, convolutions, attention. RANDOM: draws. OTHER: sorts,
gathers, loops."""


@dataclass(frozen=True)
class Step:
    """One value of a joint program, and what computing it takes.

    name      what the engine calls the value
    kind      one of the kinds above
    size      its bytes
    cost      of computing it once more
    reads     numbers of the steps that it reads, all before it
    backward  whether it depends on what the backward is given
    savable   whether the engine can keep it
    parameter whether it is an input that is kept in any case
    must      "save" or "recompute", if the user said so; prefer: the same, if the budget may overrule it
    op, line  for people
    flops     multiplications and additions of products alone
    """

    name: str
    kind: str
    size: int
    cost: float = 0.0
    reads: tuple[int, ...] = ()
    backward: bool = False
    savable: bool = True
    parameter: bool = False
    must: str | None = None
    prefer: str | None = None
    op: str = ""
    line: str = ""
    flops: float = 0.0


@dataclass(frozen=True)
class Program:
    """A joint program: its steps in order, and which of them are results of the forward and of the backward.

    >>> x, y = Step("x", INPUT, 4), Step("y", POINTWISE, 4, 1.0, (0,))
    >>> Program((x, y, Step("dx", POINTWISE, 4, 1.0, (1,), backward=True)), (1,), (2,)).required
    (1,)
    """

    steps: tuple[Step, ...]
    results: tuple[int, ...]
    gradients: tuple[int, ...]
    readers: tuple[tuple[int, ...], ...] = field(init=False, repr=False)
    required: tuple[int, ...] = field(init=False)
    before: frozenset[int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        readers: list[list[int]] = [[] for _ in self.steps]
        for i, step in enumerate(self.steps):
            for r in step.reads:
                if not 0 <= r < i:
                    raise ValueError(f"step {i} ({step.name}) reads {r}, which is not before it")
                readers[r].append(i)
        object.__setattr__(self, "readers", tuple(map(tuple, readers)))
        steps = self.steps
        needed = [
            i
            for i, step in enumerate(steps)
            if not step.backward and (i in self.gradients or any(steps[r].backward for r in readers[i]))
        ]
        object.__setattr__(self, "required", tuple(needed))
        object.__setattr__(self, "before", frozenset(self.ancestors(needed)))

    def ancestors(self, of: Sequence[int], up_to: frozenset[int] | set[int] = frozenset()) -> set[int]:
        """These steps and their ancestors; values in `up_to` are available, and not computed."""
        found: set[int] = set()
        left = list(of)
        while left:
            i = left.pop()
            if i not in found:
                found.add(i)
                if i not in up_to:
                    left.extend(self.steps[i].reads)
        return found

    @property
    def inputs(self) -> tuple[int, ...]:
        """The numbers of the inputs."""
        return tuple([i for i, s in enumerate(self.steps) if s.kind == INPUT and not s.backward])

    @property
    def input_bytes(self) -> int:
        """The bytes of all inputs."""
        return sum(self.steps[i].size for i in self.inputs)

    def with_costs(self, costs: Sequence[float]) -> Program:
        """Returns the program with other costs."""
        steps = tuple([replace(s, cost=float(c)) for s, c in zip(self.steps, costs, strict=True)])
        return Program(steps, self.results, self.gradients)


@dataclass(frozen=True)
class Plan:
    """Plan of the values that a program saves for its backward. saved: indices of the values that are not inputs;
    inputs: indices of the inputs that the backward reads; again: indices of the steps that run once more."""

    program: Program = field(repr=False)
    saved: tuple[int, ...]
    inputs: tuple[int, ...]
    again: tuple[int, ...]

    @property
    def saved_bytes(self) -> int:
        """The bytes of the saved values that are not inputs."""
        return sum(self.program.steps[i].size for i in self.saved)

    @property
    def total_bytes(self) -> int:
        """The bytes of all that the backward reads, inputs included."""
        return self.saved_bytes + sum(self.program.steps[i].size for i in self.inputs)

    @property
    def cost(self) -> float:
        """The cost of all that runs once more."""
        return sum(self.program.steps[i].cost for i in self.again)

    @property
    def flops(self) -> float:
        """The multiplications and additions in products that run once more."""
        return sum(self.program.steps[i].flops for i in self.again)


def plan_of(program: Program, kept: Sequence[int] | set[int]) -> Plan:
    """The plan that keeps these values, as far as the backward reads them."""
    kept = set(kept)
    reached = program.ancestors(program.required, kept)
    steps = program.steps
    forward = program.ancestors(program.results)
    saved = tuple(sorted(i for i in reached if i in kept and steps[i].kind != INPUT))
    inputs = tuple(sorted(i for i in reached if steps[i].kind == INPUT))
    # What the forward does not compute at all runs once, in the backward.
    again = tuple(sorted(i for i in reached if i not in kept and steps[i].kind != INPUT and i in forward))
    return Plan(program, saved, inputs, again)
