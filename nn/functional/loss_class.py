"""Losses against classes: cross_entropy, nll_loss and the multi-class margins.

A class out of range, where torch raises after reading the values, makes the loss nan, and an error when a value is read
(`bounded`).
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from functorch_lite._core.api import (
    ENDS,
    Array,
    DynamicInt,
    Number,
    Positive,
    bounded,
    broadcast_shapes,
    check,
    dtype_of,
    dtypes,
    reads,
)
from functorch_lite.ops._pointwise import as_number, category, fit

from ._asked import CLASS_WEIGHT, LEGACY, MEAN, constant
from ._contracts import loss as contract
from ._declare import compute, nn_op, reduced, stands_for_number
from .loss import log_sigmoid

__all__ = ["cross_entropy", "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss", "nll_loss"]  # fmt: skip


def _pick(values, dim: int, target):
    """values at index target of `dim`; 0 where target is out of range."""  # hot path
    index = jax.lax.broadcasted_iota(target.dtype, values.shape, dim)
    hit = index == jnp.expand_dims(target, dim)
    return jnp.sum(jnp.where(hit, values, jnp.zeros((), values.dtype)), dim)


def _classes_of(target, ignore_index, classes: int):
    """(the targets as int64, which of them are ignored); the others are classes."""
    target = target.astype(jnp.int64)
    ignored = target == ignore_index
    return jnp.where(ignored, target, bounded(jnp.where(ignored, 0, target), classes, "target")), ignored


def _class_weights(weight, target, ignored, d):
    """The weight of each target's class, 0 where it is ignored, nan where it is out of range."""
    if weight is None:
        return jnp.where(ignored, jnp.zeros((), d), jnp.ones((), d))
    picked = (
        weight.astype(d)
        .reshape(-1)
        .at[target]
        .get(mode="fill", fill_value=jnp.nan, wrap_negative_indices=False)
    )
    return jnp.where(ignored, jnp.zeros((), d), picked)


def _reduce_weighted(loss, weights, reduction: str):
    if reduction == "none":
        return loss
    return jnp.sum(loss) / jnp.sum(weights) if reduction == "mean" else jnp.sum(loss)


def _nll(picked, weights, target, ignored, classes: int, reduction: str):
    bad = ~ignored & ((target < 0) | (target >= classes))
    loss = jnp.where(ignored, jnp.zeros((), picked.dtype), -picked * weights)
    loss = jnp.where(bad, jnp.asarray(jnp.nan, loss.dtype), loss)
    return _reduce_weighted(loss, weights, reduction)


@nn_op(asks=(LEGACY, MEAN, CLASS_WEIGHT), autocast="float")
def nll_loss(
    input: Array,
    target: Array,
    weight: Array | None = None,
    size_average: bool | None = None,
    ignore_index: DynamicInt = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
):
    """-input[n, target[n]], weighted by class; the mean is over the weights. input: (N, C, ...) log-probabilities.

    target: (N, …), of int64; ignore_index does not count. A target that is not a class raises IndexError; for a
    computed target, when a value is read.

    >>> F.nll_loss(torch.tensor([[-1., -2.], [-3., -4.]]), torch.tensor([0, 1])).item()
    2.5
    """
    contract.check_reduction(reduction)
    contract.check_target(input, target, weight)
    dim = min(1, input.ndim - 1)
    x = compute(input)
    if input.ndim == 1:
        target = target.reshape(())
    target, ignored = _classes_of(target, ignore_index, x.shape[dim])
    weights = _class_weights(weight, target, ignored, x.dtype)
    loss = _nll(_pick(x, dim, target), weights, target, ignored, x.shape[dim], reduction)
    return reads(loss, input, then=ENDS).astype(input.dtype)


@nn_op(
    numbers=contract.whole_smoothing,
    asks=(
        LEGACY,
        MEAN,
        (f"{CLASS_WEIGHT[0]} and input._aval.shape != target._aval.shape", *CLASS_WEIGHT[1:]),
    ),
    grad="NllLoss",
    autocast="float",
)
def cross_entropy(
    input: Array,
    target: Array,
    weight: Array | None = None,
    size_average: bool | None = None,
    ignore_index: DynamicInt = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: Positive = 0.0,
):
    """The negative log-likelihood of classes (indices, or probabilities in input's shape) under softmax(input).

    input: (C,), (N, C) or (N, C, d1, ...) logits.

    >>> F.cross_entropy(torch.zeros(1, 4), torch.tensor([2]))
    tensor(1.3863)
    """
    contract.check_reduction(reduction)
    if input.shape == target.shape:
        return _cross_entropy_of_probabilities(
            input, target, weight, ignore_index, reduction, label_smoothing
        )
    contract.check_cross_entropy(input, target, weight, reduction, label_smoothing)
    x, dim = compute(input), min(1, input.ndim - 1)
    if input.ndim == 1:
        target = target.reshape(())
    target, ignored = _classes_of(target, ignore_index, x.shape[dim])
    classes = x.shape[dim]
    total = jax.nn.logsumexp(x, dim)
    weights = _class_weights(weight, target, ignored, x.dtype)
    nll = _nll(_pick(x, dim, target) - total, weights, target, ignored, classes, reduction)
    if not contract.is_smoothed(label_smoothing) or not classes:
        return nll.astype(input.dtype)
    if weight is None:
        smooth = total * classes - jnp.sum(x, dim)
    else:
        w = weight.astype(x.dtype).reshape((1,) * dim + (-1,) + (1,) * (x.ndim - dim - 1))
        smooth = jnp.sum((jnp.expand_dims(total, dim) - x) * w, dim)
    smooth = _reduce_weighted(jnp.where(ignored, 0, smooth), weights, reduction)
    return ((1 - label_smoothing) * nll + (label_smoothing / classes) * smooth).astype(input.dtype)


def _cross_entropy_of_probabilities(input, target, weight, ignore_index, reduction, label_smoothing):
    contract.check_probabilities(input, target, weight, ignore_index, label_smoothing)
    dim = min(1, input.ndim - 1)
    classes = input.shape[dim]
    to = jnp.promote_types(input.dtype, target.dtype)
    to = to if weight is None else jnp.promote_types(to, weight.dtype)
    x, y = compute(input), compute(target)
    if contract.is_smoothed(label_smoothing):
        y = y * (1 - label_smoothing) + label_smoothing / classes
    terms = jax.nn.log_softmax(x, dim) * y
    if weight is not None:
        terms = terms * compute(weight).reshape((1,) * dim + (-1,) + (1,) * (x.ndim - dim - 1))
    loss = -jnp.sum(terms, dim)
    if reduction == "mean":
        loss = jnp.sum(loss) / (input.size / classes) if input.size else jnp.full((), jnp.nan, loss.dtype)
    elif reduction == "sum":
        loss = jnp.sum(loss)
    return loss.astype(to)


def _above_zero(gap):
    """The gap of a margin where it is positive; elsewhere, at nan too, 0 with derivative 0, as in torch's loops over
    classes."""
    return jnp.where(gap > 0, gap, jnp.zeros((), gap.dtype))


@nn_op(
    asks=(LEGACY, MEAN, constant("multi_margin_loss", "weight")),
    numbers=fit("margin", halves=dtypes.float32),
    autocast="float",
)
def multi_margin_loss(
    input: Array,
    target: Array,
    p: int = 1,
    margin: Number = 1.0,
    weight: Array | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
):
    """The mean over the other classes j of max(0, margin - input[target] + input[j]) ** p, weighted by class.

    input: (N, C) or (C), target: (N) or (). Raises ValueError unless p is 1 or 2.

    >>> F.multi_margin_loss(torch.tensor([[0.5, 0., 0., 0.]]), torch.tensor([0])).item()
    0.375
    """
    contract.check_reduction(reduction)
    check(p in (1, 2), ValueError, "only p == 1 and p == 2 supported")
    margin = as_number(margin, dtype_of(compute(input)))
    contract.check_multi_margin(input, target, weight)
    x = compute(input).reshape((-1, *(input.shape[-1:] or (1,))))
    classes = x.shape[1]
    y = bounded(target.reshape(-1), classes, "margin")
    gap = _above_zero(margin - _pick(x, 1, y)[:, None] + x)
    gap = gap * gap if p == 2 else gap
    gap = jnp.where(jnp.arange(classes) == y[:, None], jnp.zeros((), gap.dtype), gap)
    loss = jnp.sum(gap, 1) / classes
    if weight is not None:
        loss = loss * _pick(jnp.broadcast_to(weight.astype(x.dtype), x.shape), 1, y)
    loss = jnp.where((y >= 0) & (y < classes), loss, jnp.asarray(jnp.nan, loss.dtype))
    return reduced(loss.reshape(target.shape), reduction).astype(input.dtype)


@nn_op(asks=(LEGACY, MEAN), autocast="float")
def multilabel_margin_loss(
    input: Array,
    target: Array,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
):
    """The mean over labels t and non-labels j of max(0, 1 - input[t] + input[j]); a row's labels end at the first -1.

    input and target: (N, C) or (C); target of int64.

    >>> F.multilabel_margin_loss(torch.tensor([[0., 0.5, 0., 0.]]), torch.tensor([[1, -1, -1, -1]])).item()
    0.375
    """
    contract.check_reduction(reduction)
    contract.check_multilabel_margin(input, target)
    x = compute(input).reshape((-1, *(input.shape[-1:] or (1,))))
    classes = x.shape[1]
    y = bounded(target.reshape(x.shape), classes, "labels", -1)
    listed = jnp.cumsum((y < 0).astype(jnp.int32), 1) == 0
    hit = (y[:, :, None] == jnp.arange(classes)) & listed[:, :, None]
    labels = jnp.sum(jnp.where(hit, x[:, None, :], jnp.zeros((), x.dtype)), 2)
    gap = _above_zero(1 - labels[:, :, None] + x[:, None, :])
    counted = listed[:, :, None] & ~jnp.any(hit, 1)[:, None, :]
    loss = jnp.sum(jnp.where(counted, gap, jnp.zeros((), x.dtype)), (1, 2)) / classes
    bad = jnp.any((y >= classes) | (y < -1), 1)
    loss = jnp.where(bad, jnp.asarray(jnp.nan, loss.dtype), loss)
    return reduced(loss if input.ndim == 2 else loss[0], reduction).astype(input.dtype)


@nn_op(asks=(LEGACY,))
def multilabel_soft_margin_loss(
    input: Array,
    target: Array | Number,
    weight: Array | Number | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
):
    """The mean over classes of binary cross entropy with logits, weighted by class.

    >>> F.multilabel_soft_margin_loss(torch.zeros(1, 3), torch.tensor([[1., 0., 1.]]))
    tensor(0.6931)
    """
    contract.check_multilabel_soft_margin(
        input, target, size_average is not None or reduce is not None, reduction
    )
    if stands_for_number(target):
        target = jnp.asarray(target, input.dtype)
    x = compute(input)
    y = target.astype(jnp.promote_types(x.dtype, target.dtype) if category(target) >= 2 else x.dtype)
    loss = -(y * log_sigmoid(x) + (1 - y) * log_sigmoid(-x))
    by_class = not stands_for_number(weight)
    if by_class:
        broadcast_shapes(loss.shape, weight.shape)
        loss = loss * weight.astype(loss.dtype)
    elif weight is not None:
        loss = loss * weight
    # by its number in input, although a target or weight of more dims has another one there
    loss = jnp.sum(loss, input.ndim - 1) / input.shape[-1]
    to = jnp.promote_types(input.dtype, target.dtype) if category(target) >= 2 else input.dtype
    return reduced(loss, reduction).astype(to if not by_class else jnp.promote_types(to, weight.dtype))
