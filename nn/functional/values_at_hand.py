"""Checks of a tensor's values, as torch makes them: indices, targets and offsets in range, probabilities that are.

Values that are on the host anyway (a tensor that was just made from data) cost nothing to look at: the functions below
look, once the arguments themselves were found right. A program reports such an element, so that reading a value raises
(`bounded`, `required`).
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from functorch_lite._core.api import (
    Signature,
    Tensor,
    at_hand,
    check,
    composite,
    lookup,
    out_of_range,
    outside,
    require,
)

from . import embedding_bag, embeddings, loss, loss_class, unpool  # noqa: F401  # what is looked up is declared there
from ._contracts.loss import NEGATIVE_VARIANCE, NO_PROBABILITY

__all__: list[str] = []


def _values(t: Any) -> np.ndarray | None:
    """The tensor's values if they are on the host and not none at all; else None."""
    array = at_hand(t)
    return array if array is not None and array.size else None


def _outside(t: Any, size: int, but: int | None = None) -> int | None:
    """The first value of an index tensor that is not in range(size), nor `but`; None if all are valid or the values
    are unknown."""
    values = outside(t, 0, size) if isinstance(t, Tensor) else None
    if values is None:
        return None
    wrong = (values < 0) | (values >= size)
    if but is not None:
        wrong &= values != but
    return int(values[wrong].flat[0]) if wrong.any() else None


def _check(wrong: int | None, name: str, says: str, size: int, low: int = 0) -> None:
    """Raises what a program would that found this value, at the user's line."""
    if wrong is not None:
        raise out_of_range(says, f"({name}", wrong, low, size)


def _looking(*names: str) -> Callable[[Callable], Callable]:
    """Makes `look(result, *args, **kwargs)` part of these functions: it is called with their result and arguments."""

    def add(look: Callable) -> Callable:
        for name in names:
            _publish(name, look)
        return look

    return add


def _publish(name: str, look: Callable) -> None:
    plain: Any = lookup("nn.functional", name)

    parameters = inspect.signature(plain).parameters.values()
    given = ", ".join([f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else p.name for p in parameters])
    lines = f"result = _plain({given})", f"_look(result, {given})", "return result"
    fn = Signature(name, parameters).function(lines, {"_plain": plain, "_look": look})
    functools.update_wrapper(fn, plain)
    composite(fn, namespace="nn.functional", name=name)


def _class_targets(name: str) -> None:
    @_looking(name)
    def look(result, input, target, weight=None, size_average=None, ignore_index=-100, *_, **__) -> None:
        shape = input._aval.shape
        if isinstance(target, Tensor) and outside(target, 0, shape[1 if len(shape) > 1 else -1]) is None:
            return  # hot path
        classes = shape[min(1, len(shape) - 1)]
        _check(_outside(target, classes, ignore_index), name, "target", classes)


_class_targets("nll_loss")
_class_targets("cross_entropy")


@_looking("multi_margin_loss")
def _margin_targets(result, input, target, *_, **__) -> None:
    classes = input.shape[-1] if input.ndim else 1
    _check(_outside(target, classes), "multi_margin_loss", "margin", classes)


@_looking("multilabel_margin_loss")
def _label_targets(result, input, target, *_, **__) -> None:
    classes = input.shape[-1] if input.ndim else 1
    _check(_outside(target, classes, -1), "multilabel_margin_loss", "labels", classes, -1)


@_looking("embedding")
def _rows(result, input, weight, *_, **__) -> None:
    _check(_outside(input, weight.shape[0]), "embedding", "self", weight.shape[0])


@_looking("embedding_bag")
def _bag_rows(
    result, input, weight, offsets=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode="mean",
    sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None,
) -> None:  # fmt: skip
    begins = _values(offsets)
    if begins is not None:
        first, last, length = int(begins[0]), int(begins[-1]), input.shape[0]
        check(
            first == 0,
            RuntimeError,
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got "
            f"{first}",
        )
        check(
            last <= length,
            RuntimeError,
            f"offsets[-1] can not be greater than input's length {length} but got offsets[-1] of {last}",
        )
        check(
            bool((begins[1:] >= begins[:-1]).all()),
            RuntimeError,
            f"offsets has to be in order, but got {begins.tolist()}",
        )
    _check(_outside(input, weight.shape[0]), "embedding_bag", "bag", weight.shape[0])


@_looking("one_hot")
def _classes(result, input, num_classes=-1) -> None:
    values = _values(input)
    if values is not None:
        least, most = int(values.min()), int(values.max())
        if least < 0:
            _check(least, "one_hot", "classes", num_classes if num_classes != -1 else most + 1)
        if num_classes != -1 and most >= num_classes:
            _check(most, "one_hot", "classes", num_classes)


@_looking("binary_cross_entropy")
def _probabilities(result, input, target, *_, **__) -> None:
    for name, t in (("input", input), ("target", target)):
        values = _values(t)
        require(values is None or ((values >= 0) & (values <= 1)).all(), NO_PROBABILITY[name])


@_looking("binary_cross_entropy_with_logits")
def _real_if_taped(result, *_, **__) -> None:
    check(
        not (result.dtype.is_complex and result.requires_grad),
        RuntimeError,
        "binary_cross_entropy_with_logits does not support automatic differentiation for outputs with complex dtype.",
    )


@_looking("gaussian_nll_loss")
def _variances(result, input, target, var, *_, **__) -> None:
    if not isinstance(var, Tensor):
        check(
            isinstance(var, float),
            TypeError,
            f"var must be a Tensor or a float, but got {type(var).__name__}",
        )
        require(not var < 0, NEGATIVE_VARIANCE)
    values = _values(var)
    require(values is None or not (values < 0).any(), NEGATIVE_VARIANCE)


def _places(n: int) -> None:
    @_looking(f"max_unpool{n}d")
    def look(result, input, indices, *given, **named) -> None:
        for size in (*given, *named.values()):
            if isinstance(size, Tensor):
                tuple(size)  # as torch's Python does, which a tensor without dims does not survive
        sizes = tuple(result.shape[-n:])
        if not math.prod(sizes):  # nothing is written, so torch does not look
            return
        wrong = _outside(indices, math.prod(sizes))
        shown = "x".join(map(str, sizes)) + ("x1" if n == 1 else "")
        found = f"Found an invalid max index: {wrong} (output volumes are of size {shown})"
        check(wrong is None, RuntimeError, found)


for _n in (1, 2, 3):
    _places(_n)
