"""A line search for the strong Wolfe conditions, with cubic interpolation.

Source: Nocedal & Wright, "Numerical optimization", 2nd edition, algorithms 3.5 and 3.6. The safeguards and the order
of evaluations are taken from minFunc (Mark Schmidt), which PyTorch follows too, so that both take the same steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

__all__ = ["CURVATURE", "LEAST_CHANGE", "SUFFICIENT_DECREASE", "Point", "cubic_minimum", "strong_wolfe"]

SUFFICIENT_DECREASE, CURVATURE = 1e-4, 0.9

LEAST_CHANGE = 1e-9
"""Ends of a bracket that move no parameter further apart than this are one; LBFGS's `tolerance_change` does not reach
it in PyTorch either."""


class Point(NamedTuple):
    """A step length with the loss, the gradient and the slope along the direction there."""

    t: float
    loss: float
    gradient: Any
    slope: float


def cubic_minimum(a: Point, b: Point, low: float, high: float) -> float:
    """Returns the place where the cubic through the losses and slopes of two points is least, within [low, high]."""
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = d1 * d1 - a.slope * b.slope
    if not square >= 0:  # nan too: a loss that is none
        return (low + high) / 2.0
    left, right = (a, b) if a.t <= b.t else (b, a)
    d2 = math.sqrt(square)
    with np.errstate(all="ignore"):  # of a straight line the ratio is infinite: the longest step
        ratio = np.float64(right.slope + d2 - d1) / (right.slope - left.slope + 2 * d2)
        at = float(right.t - (right.t - left.t) * ratio)
    return min(max(at, low), high)


def strong_wolfe(
    evaluate: Callable[[float], Point],
    start: Point,
    t: float,
    reach: float,
    max_points: int,
    decrease: float = SUFFICIENT_DECREASE,
    curvature: float = CURVATURE,
    least_change: float = LEAST_CHANGE,
) -> tuple[Point, int]:
    """A point that satisfies the strong Wolfe conditions, or the best one found; and how many were evaluated.

    evaluate: the Point at a step length. start: that at 0. t: the first step length. reach: the largest entry of the
    direction. max_points: how many are evaluated after the first one. decrease, curvature: the constants of the two
    conditions. least_change: the least size, in the largest entry, of a bracket.
    """

    def decreases(p: Point) -> bool:
        return p.loss <= start.loss + decrease * p.t * start.slope

    def is_flat(p: Point) -> bool:
        return abs(p.slope) <= -curvature * start.slope

    previous, new = start, evaluate(t)
    evaluations, count = 1, 0
    bracket: tuple[Point, Point] | None = None
    while count < max_points:
        if not decreases(new) or (count > 1 and new.loss >= previous.loss):
            bracket = (previous, new)
            break
        if is_flat(new):
            return new, evaluations
        if new.slope >= 0:
            bracket = (previous, new)
            break
        longest, shortest = new.t * 10, new.t + 0.01 * (new.t - previous.t)
        t = cubic_minimum(previous, new, shortest, longest)
        previous, new = new, evaluate(t)
        evaluations, count = evaluations + 1, count + 1
    if bracket is None:
        bracket = (start, new)
    ends = list(bracket)
    low = 0 if ends[0].loss <= ends[1].loss else 1  # of equal losses the first, wherever it lies
    stalled = False
    while count < max_points:
        left, right = min(ends[0].t, ends[1].t), max(ends[0].t, ends[1].t)
        if (right - left) * reach < least_change:
            break
        t = cubic_minimum(ends[0], ends[1], left, right)
        margin = 0.1 * (right - left)
        if min(right - t, t - left) < margin:  # too near to an end: allowed once
            if stalled or t >= right or t <= left:
                t = right - margin if abs(t - right) < abs(t - left) else left + margin
                stalled = False
            else:
                stalled = True
        else:
            stalled = False
        new = evaluate(t)
        evaluations, count = evaluations + 1, count + 1
        if not decreases(new) or new.loss >= ends[low].loss:
            ends[1 - low] = new
            low = 0 if ends[0].loss <= ends[1].loss else 1
        else:
            if is_flat(new):
                return new, evaluations
            if new.slope * (ends[1 - low].t - ends[low].t) >= 0:
                ends[1 - low] = ends[low]
            ends[low] = new
    return ends[low], evaluations
