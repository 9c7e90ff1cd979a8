"""Estimate: what an estimator returns; and how estimators draw their probes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .._core.api import Tensor, state
from .._core.api import functions as torch
from ._trees import NODES, Node

__all__ = ["Estimate", "check_samples", "mean_of", "probes", "same_draws"]


class Estimate(NamedTuple):
    """Estimate from random draws: `value`, the mean over draws; `standard_error` of that mean, told from the draws
    themselves, of the value's shape; `samples`, how many draws there were. The error of a single draw is nan: nothing
    tells it."""

    value: Any
    standard_error: Any
    samples: int


NODES[Estimate] = Node(
    lambda e: ((e.value, e.standard_error), e.samples), lambda children, n: Estimate(*children, n)
)
"""As a tree it holds two: a vmap has no use for the number of samples."""


def check_samples(who: str, samples: Any, most: int | None = None) -> None:
    """ValueError unless samples is a positive int, at most `most`."""
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 1:
        raise ValueError(f"{who}: samples must be a positive int or None, got {samples!r}")
    if most is not None and samples > most:
        raise ValueError(
            f"{who}: {samples} samples without replacement of {most} coordinates; give at most {most}, or samples=None for the exact value"
        )


def mean_of(draws: Tensor, samples: int, scale: float = 1.0, population: int | None = None) -> Estimate:
    """The Estimate from draws, along their first dimension. population: how many there are to draw from without
    replacement."""
    error = draws.std(0, correction=1) * (scale / samples**0.5)  # type: ignore[attr-defined]
    if population is not None and population > 1:
        # of draws without replacement: they see a part of all there is (Cochran, "Sampling techniques", 2.5)
        error = error * (max(population - samples, 0) / population) ** 0.5
        if samples == population:
            error = torch.zeros_like(error)
    return Estimate(draws.mean(0) * scale, error, samples)  # type: ignore[attr-defined]


@contextlib.contextmanager
def same_draws() -> Iterator[None]:
    """Within it, a vmap that refuses random numbers draws the same ones for all lanes: as many as without the vmap, and
    the same."""
    rec = state.rec
    held = rec.randomness if rec.level else None
    if held is None or held[0] != "error":
        yield
        return
    rec.randomness = ("same", None)
    try:
        yield
    finally:
        rec.randomness = held


def probes(distribution: str, shape: Sequence[int], like: Tensor, generator: Any) -> Tensor:
    """Random vectors of mean 0 and variance 1, of the dtype and on the device of `like`."""
    on = {"dtype": like.dtype, "device": like.device}
    with same_draws():
        if distribution == "normal":
            return torch.randn(*shape, generator=generator, **on)
        return torch.randint(0, 2, tuple(shape), generator=generator, **on) * 2 - 1
