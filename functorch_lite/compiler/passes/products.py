"""Products of matrices in one spelling: `matmul` replaces einsums of two operands, and products and sums replace
baddbmm."""

from __future__ import annotations

from typing import Any

from ..._core.api import OPS, Builder, Graph

__all__ = ["with_products"]


def with_products(graph: Graph, now: dict[int, int]) -> Graph:
    """The Graph in which `matmul` replaces einsums of two operands, and `bmm` with a product and a sum replaces
    baddbmm. now: receives the positions of values in it."""
    made = Builder(graph.in_avals, graph.n_inputs)
    now.update({-1 - i: -1 - i for i in range(len(graph.in_avals))})
    for step in graph.steps:
        refs = [now[r] for r in step.refs]
        outs = None
        if step.op.name == "einsum" and len(refs) == 2 and not step.stop:
            outs = _of_einsum(made, step, refs)
        elif step.op.name == "baddbmm" and len(refs) == 3 and not step.stop:
            outs = _of_baddbmm(made, step, refs)
        if outs is None or [made.aval(o) for o in outs] != list(step.avals):
            outs = made.add_applied(step.applied, refs, step.stop, step.source, step.avals)
        now.update(zip(range(step.base, step.base + step.n_out), outs))
    return made.graph([now[o] for o in graph.outputs])


def _of_baddbmm(made: Builder, step: Any, refs: list[int]) -> list[int]:
    beta, alpha = step.applied.inputs[3:5]

    def times(ref: int, number: tuple | None) -> int:
        if number is None or number[1] == 1:
            return ref
        (found,) = made.add(OPS["mul"], (), [ref, number], source=step.source)
        return found

    (product,) = made.add(OPS["bmm"], (), refs[1:3], source=step.source)
    product = times(product, alpha)
    if beta is not None and beta[1] == 0:
        return [product]
    return made.add(OPS["add"], (), [product, times(refs[0], beta)], source=step.source)


def _of_einsum(made: Builder, step: Any, refs: list[int]) -> list[int] | None:
    equation = step.static[0].replace(" ", "")
    if "..." in equation or "->" not in equation:
        return None
    left, out = equation.split("->")
    a, b = left.split(",")
    if any(len(set(x)) != len(x) for x in (a, b, out)):
        return None
    batch = [c for c in out if c in a and c in b]
    inner = [c for c in a if c in b and c not in out]
    free = [[c for c in x if c not in batch and c not in inner] for x in (a, b)]
    if len(inner) != 1 or any(len(x) != 1 for x in free) or set(out) != {*batch, *free[0], *free[1]}:
        return None

    def permuted(ref: int, labels: str, order: str) -> int:
        places = tuple([labels.index(c) for c in order])
        if places == tuple(range(len(places))):
            return ref
        (found,) = made.add(OPS["permute"], (places,), [ref], source=step.source)
        return found

    lead = "".join(batch)
    x = permuted(refs[0], a, f"{lead}{free[0][0]}{inner[0]}")
    y = permuted(refs[1], b, f"{lead}{free[1][0]}{inner[0]}")
    y = permuted(y, f"{lead}{free[1][0]}{inner[0]}", f"{lead}{inner[0]}{free[1][0]}")
    (product,) = made.add(OPS["matmul"], (), [x, y], source=step.source)
    return [permuted(product, f"{lead}{free[0][0]}{free[1][0]}", out)]
