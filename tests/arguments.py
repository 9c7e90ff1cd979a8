"""From a sample's arguments to tensors: every placeholder T in them, wherever it is nested, is replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.samples.base import Sample, T


def replace(tree: Any, convert: Callable[[Any], Any]) -> Any:
    """`tree` with `convert` applied to its leaves, which are everything but lists, tuples and dicts."""
    if isinstance(tree, list):
        return [replace(x, convert) for x in tree]
    if type(tree) is tuple:
        return tuple(replace(x, convert) for x in tree)
    if type(tree) is dict:
        return {k: replace(x, convert) for k, x in tree.items()}
    return convert(tree)


def placeholders(sample: Sample) -> list[T]:
    """The sample's tensors, in order of appearance."""
    found: list[T] = []

    def note(x: Any) -> Any:
        if isinstance(x, T):
            found.append(x)
        return x

    replace([list(sample.args), sample.kwargs], note)
    return found


def fill(sample: Sample, tensors: list, other: Callable[[Any], Any] = lambda x: x) -> tuple[list, dict]:
    """(args, kwargs) with the placeholders replaced by `tensors`, in order, and all else by `other(it)`."""
    rest = iter(tensors)
    args, kwargs = replace(
        [list(sample.args), sample.kwargs], lambda x: next(rest) if isinstance(x, T) else other(x)
    )
    return args, kwargs


def wants_grad(sample: Sample) -> list[int]:
    """Numbers of the placeholders whose gradients are checked."""
    return [i for i, t in enumerate(placeholders(sample)) if t.grad] if sample.grad else []


def flat(result: Any) -> list:
    """The results of a call as a list: a single one, or a tuple, list or named tuple of them, possibly nested."""
    if isinstance(result, tuple | list):
        return [x for part in result for x in flat(part)]
    return [result]
