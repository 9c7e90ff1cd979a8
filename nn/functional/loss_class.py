"""Losses against classes: cross_entropy, nll_loss and the multi-class margins.

A class out of range, where torch raises after reading the values, makes the loss nan.
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
    broadcast_shapes,
    check,
    dtype_of,
    dtypes,
    is_python_number,
    need_kind,
    no_kernel,
    reads,
    scalar_name,
)
from functorch_lite.ops._pointwise import as_number, category, fit

from ._asked import CLASS_WEIGHT, LEGACY, MEAN, constant
from ._declare import compute, nn_op, reduced, shape_text
from .loss import check_reduction, log_sigmoid

__all__ = ["cross_entropy", "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss", "nll_loss"]  # fmt: skip


def _check_classes(target) -> None:
    check(
        target.dtype in (jnp.int64, jnp.uint8),
        RuntimeError,
        f"expected target dtype to be Long or Byte, but got {scalar_name(target)}",
    )


def _check_target(input, target, weight) -> int:
    """Checks class indices against input (N, C, ...); returns the class dim."""
    check(input.ndim > 0, ValueError, "Expected 1 or more dimensions (got 0)")
    dim = 0 if input.ndim == 1 else 1
    classes = input.shape[dim]
    check(
        input.ndim == 1 or input.shape[0] == (target.shape[0] if target.ndim else 0),
        ValueError,
        f"Expected input batch_size ({input.shape[0]}) to match target batch_size "
        f"({target.shape[0] if target.ndim else 0}).",
    )
    if input.ndim <= 2:
        check(target.ndim <= 1, RuntimeError, "0D or 1D target tensor expected, multi-target not supported")
        _check_classes(target)
        if input.ndim == 1:
            check(
                target.size == 1,
                ValueError,
                f"For 1D input, 1D target must have size 1, but got target size: {target.size}",
            )
        else:
            check(
                target.ndim == 1,
                RuntimeError,
                f"size mismatch (got input: {shape_text(input)}, target: {shape_text(target)})",
            )
    else:
        expected = (input.shape[0], *input.shape[2:])
        if input.ndim != 4 and input.size == 0 and target.size and target.shape == expected:
            # torch makes of both of them images, the one without elements of size 0
            rows = target.size // target.shape[0]
            raise RuntimeError(
                f"size mismatch (got input: {[*input.shape[:2], 0, 0]} , target: {[target.shape[0], 1, rows]}"
            )
        if input.ndim == 4:
            check(
                target.ndim == 3,
                RuntimeError,
                "only batches of spatial targets supported (3D tensors) but got targets of dimension: "
                f"{target.ndim}",
            )
            _check_classes(target)
            check(
                target.shape == expected,
                RuntimeError,
                f"size mismatch (got input: {shape_text(input)} , target: {shape_text(target)}",
            )
        check(
            target.shape == expected,
            RuntimeError,
            f"Expected target size {list(expected)}, got {shape_text(target)}",
        )
        _check_classes(target)
        check(
            target.dtype == jnp.int64 or not target.size,
            RuntimeError,
            f"expected scalar type Long but found {scalar_name(target)}",
        )
    if input.ndim < 3:
        check(
            weight is None or weight.shape == (classes,),
            RuntimeError,
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
            f"shape: {shape_text(weight)}",
        )
    else:  # of images torch counts the weights alone
        message = "weight tensor should be defined either for all or no classes"
        check(weight is None or weight.size == classes, RuntimeError, message)
    need_kind(input, "f", "nll_loss_out_frame")
    check(
        weight is None or weight.dtype == input.dtype,
        RuntimeError,
        f"expected scalar type {scalar_name(input)} but found {scalar_name(weight) if weight is not None else ''}",
    )
    return dim


def _pick(values, dim: int, target):
    """values at index target of `dim`; 0 where target is out of range."""  # hot path
    index = jax.lax.broadcasted_iota(target.dtype, values.shape, dim)
    hit = index == jnp.expand_dims(target, dim)
    return jnp.sum(jnp.where(hit, values, jnp.zeros((), values.dtype)), dim)


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

    target: (N, …), of int64; ignore_index does not count. A target that is no class raises IndexError where its values are on the host.

    >>> F.nll_loss(torch.tensor([[-1., -2.], [-3., -4.]]), torch.tensor([0, 1])).item()
    2.5
    """
    check_reduction(reduction)
    dim = _check_target(input, target, weight)
    x = compute(input)
    if input.ndim == 1:
        target = target.reshape(())
    target = target.astype(jnp.int64)
    ignored = target == ignore_index
    weights = _class_weights(weight, target, ignored, x.dtype)
    loss = _nll(_pick(x, dim, target), weights, target, ignored, x.shape[dim], reduction)
    return reads(loss, input, then=ENDS).astype(input.dtype)


def _whole_smoothing(op, static, inputs, result) -> None:
    """A label smoothing that changes is not above 1; of probabilities no class is ignored."""
    smoothing, ignored = (inputs[op.input_places[name]] for name in ("label_smoothing", "ignore_index"))
    if is_python_number(smoothing):
        _check_smoothing(smoothing)
    if inputs[0].aval.shape == inputs[1].aval.shape and is_python_number(ignored):
        _check_none_ignored(ignored)


def _check_smoothing(label_smoothing) -> None:
    check(
        not is_python_number(label_smoothing)
        or not label_smoothing > 1,  # what is not above 0 is none, as in torch
        RuntimeError,
        f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}",
    )


def _check_none_ignored(index) -> None:
    known = is_python_number(index)
    check(not known or index < 0, RuntimeError, "ignore_index is not supported for floating point target")


@nn_op(
    numbers=_whole_smoothing,
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
    check_reduction(reduction)
    dim = 0 if input.ndim == 1 else 1
    if input.shape == target.shape:
        return _cross_entropy_of_probabilities(
            input, target, weight, ignore_index, reduction, label_smoothing, dim
        )
    _check_smoothing(label_smoothing)
    check(
        input.ndim > 0, IndexError, "Dimension out of range (expected to be in range of [-1, 0], but got 1)"
    )
    smoothed = not is_python_number(label_smoothing) or label_smoothing > 0
    if category(input) != 2:
        raise no_kernel("log_softmax_lastdim_kernel_impl", input)
    _check_target(input, target, weight)
    x, target_type = compute(input), target.dtype
    check(
        not smoothed or input.ndim > 1 or target.ndim == 0,
        RuntimeError,
        "output with shape [] doesn't match the broadcast shape [1]",
    )
    if input.ndim == 1:
        target = target.reshape(())
    target = target.astype(jnp.int64)
    ignored = target == ignore_index
    classes = x.shape[dim]
    total = jax.nn.logsumexp(x, dim)
    weights = _class_weights(weight, target, ignored, x.dtype)
    nll = _nll(_pick(x, dim, target) - total, weights, target, ignored, classes, reduction)
    if not smoothed or not classes:
        return nll.astype(input.dtype)
    if weight is None:
        smooth = total * classes - jnp.sum(x, dim)
    else:
        check(
            reduction != "mean" or target_type == jnp.int64 or not target.size,
            RuntimeError,
            "gather(): Expected dtype int32/int64 for index",
        )
        w = weight.astype(x.dtype).reshape((1,) * dim + (-1,) + (1,) * (x.ndim - dim - 1))
        smooth = jnp.sum((jnp.expand_dims(total, dim) - x) * w, dim)
    smooth = _reduce_weighted(jnp.where(ignored, 0, smooth), weights, reduction)
    return ((1 - label_smoothing) * nll + (label_smoothing / classes) * smooth).astype(input.dtype)


def _cross_entropy_of_probabilities(input, target, weight, ignore_index, reduction, label_smoothing, dim):
    check(
        category(target) == 2,
        RuntimeError,
        f"Expected floating point type for target with class probabilities, got {scalar_name(target)}",
    )
    _check_none_ignored(ignore_index)
    check(input.ndim > 0, IndexError, "Dimension specified as 1 but tensor has no dimensions")
    _check_smoothing(label_smoothing)
    classes = input.shape[dim]
    check(
        weight is None or weight.shape == (classes,),
        RuntimeError,
        f"cross_entropy: weight tensor should be defined either for all {classes} classes or no classes but got "
        f"weight tensor of shape: {shape_text(weight)}",
    )
    if category(input) != 2:
        raise no_kernel("log_softmax_lastdim_kernel_impl", input)
    to = jnp.promote_types(input.dtype, target.dtype)
    to = to if weight is None else jnp.promote_types(to, weight.dtype)
    x, y = compute(input), compute(target)
    if not is_python_number(label_smoothing) or label_smoothing > 0:
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


def _check_rows(input, target, per_class: bool):
    good = input.ndim <= 2 and 0 not in input.shape[input.ndim == 2 :]
    check(
        good,
        RuntimeError,
        f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {shape_text(input)}",
    )
    if per_class:
        same = target.shape == input.shape or (
            input.ndim <= 1 and target.size == input.size and target.ndim <= 1
        )
        check(
            same,
            RuntimeError,
            f"inconsistent target size: {shape_text(target)} for input of size: {shape_text(input)}",
        )
    else:
        count = input.shape[0] if input.ndim == 2 else 1
        check(
            target.ndim <= 1 and target.size == count,
            RuntimeError,
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            f"size). Expected target size [{count}], but got {shape_text(target)}. Input has shape "
            f"{shape_text(input)}.",
        )
    if per_class and category(target) == 3:
        raise no_kernel("min_all", target)
    check(
        target.dtype == jnp.int64, RuntimeError, f"expected scalar type Long but found {scalar_name(target)}"
    )


def _above_zero(gap):
    """The gap of a margin where it is positive; elsewhere, at nan too, 0 with derivative 0, as in torch's loops over classes."""
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
    check_reduction(reduction)
    check(p in (1, 2), ValueError, "only p == 1 and p == 2 supported")
    margin = as_number(margin, dtype_of(compute(input)))
    check(weight is None or weight.ndim == 1, ValueError, "weight must be one-dimensional")
    _check_rows(input, target, per_class=False)
    need_kind(input, "f", "multi_margin_loss_cpu")
    x = compute(input).reshape((-1, *(input.shape[-1:] or (1,))))
    y = target.reshape(-1)
    classes = x.shape[1]
    check(
        weight is None or weight.size == classes,
        RuntimeError,
        f"inconsistent weight size, expected {classes} but got {shape_text(weight)}",
    )
    check(
        weight is None or weight.dtype == input.dtype,
        RuntimeError,
        f"expected scalar type {scalar_name(input)} but found {scalar_name(weight) if weight is not None else ''}",
    )
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
    check_reduction(reduction)
    _check_rows(input, target, per_class=True)
    need_kind(input, "f", "multilabel_margin_loss_forward_out_frame")
    x = compute(input).reshape((-1, *(input.shape[-1:] or (1,))))
    y = target.reshape(x.shape)
    classes = x.shape[1]
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
    check(
        input.ndim > 0 or size_average is not None or reduce is not None,
        IndexError,
        "Dimension specified as -1 but tensor has no dimensions",
    )
    message = f"unsupported operand type(s) for +: '{type(reduction).__name__}' and 'str'"
    check(isinstance(reduction, str), TypeError, message)  # of torch's sentence about what it does not know
    check(reduction in ("none", "mean", "sum"), ValueError, f"{reduction} is not valid")
    if not hasattr(target, "dtype") or target.aval.weak_type:
        target = jnp.asarray(target, input.dtype)
    broadcast_shapes(input.shape, target.shape)
    need_kind(input, "f", "log_sigmoid_cpu")
    check(
        category(target) > 0,
        RuntimeError,
        "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
        "`logical_not()` operator instead.",
    )
    x = compute(input)
    y = target.astype(jnp.promote_types(x.dtype, target.dtype) if category(target) >= 2 else x.dtype)
    loss = -(y * log_sigmoid(x) + (1 - y) * log_sigmoid(-x))
    by_class = hasattr(weight, "dtype") and not weight.aval.weak_type
    if by_class:
        broadcast_shapes(loss.shape, weight.shape)
        loss = loss * weight.astype(loss.dtype)
    elif weight is not None:
        loss = loss * weight
    # by its number in input, although a target or weight of more dims has another one there
    loss = jnp.sum(loss, input.ndim - 1) / input.shape[-1]
    to = jnp.promote_types(input.dtype, target.dtype) if category(target) >= 2 else input.dtype
    return reduced(loss, reduction).astype(to if not by_class else jnp.promote_types(to, weight.dtype))
