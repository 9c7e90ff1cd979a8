"""Losses, with torch's reductions.

Values that torch refuses by reading them (a class out of range, a negative variance) can not raise inside a program;
the loss is nan there. The classification losses cross_entropy and nll_loss are in `loss_class.py`.
"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp

from functorch_lite._core.api import (
    Array,
    Number,
    Order,
    Positive,
    Real,
    broadcast_shapes,
    check,
    check_broadcasts_to,
    dtype_of,
    dtypes,
    is_python_number,
    need_kind,
    promote_types,
    required,
    result_dtype,
    rounded_to,
    scalar_name,
    to_common_dtype,
)
from functorch_lite.ops._pointwise import category, check_fit, check_subtraction, differentiated, fit
from functorch_lite.ops._special import divide, quotient
from functorch_lite.ops.decompose import without_derivative
from functorch_lite.ops.unary import abs as magnitude  # its derivative at 0 is 0, as torch's
from functorch_lite.ops.unary import whole_power

from ._asked import BATCHMEAN, COMPARED, LEGACY, MEAN, SIZES, SUPPORT_MEAN, constant
from ._contracts import loss as contract
from ._declare import check_castable, compute, nn_op, reduced, stands_for_number
from .activation import stable_softplus
from .distance import counts, pairwise_distance

__all__ = ["binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss", "gaussian_nll_loss", "hinge_embedding_loss", "huber_loss", "kl_div", "l1_loss", "margin_ranking_loss", "mse_loss", "poisson_nll_loss", "smooth_l1_loss", "soft_margin_loss", "triplet_margin_loss"]  # fmt: skip


def clamped_at_zero(x):
    """max(x, 0) with derivative 1 at 0, and 0 at nan, as torch's clamp_min."""
    return jnp.where(x >= 0, x, jax.lax.stop_gradient(jnp.where(x < 0, jnp.zeros((), x.dtype), x)))


def log_sigmoid(x):
    """log(sigmoid(x)), stably."""
    return -stable_softplus(-x)


def _common(*arrays):
    """All in their common dtype, half precision in float32; and that dtype. Shapes must broadcast."""
    to = dtype_of(arrays[0])
    for a in arrays[1:]:
        to = promote_types(to, dtype_of(a))
    broadcast_shapes(*(a.shape for a in arrays))
    return *(compute(a.astype(to.np)) for a in arrays), to.np


def _weighted(loss, input, weight, reduction: str, to, by_weight: bool = True):
    """Applies optional element weights, reduces (a mean is over the weights or over the count), and casts to `to`."""
    if weight is None:
        return _reduced(loss, reduction).astype(to)
    check(weight.shape == input.shape, ValueError, "Weights and input must have the same size.")
    to = promote_types(dtypes.from_numpy(to), dtype_of(weight)).np
    weight = compute(weight)
    loss = loss * weight
    if reduction == "mean" and by_weight:
        exact = dtypes.from_numpy(to).category < 2
        total, weights = jnp.sum(loss), jnp.sum(weight)
        if exact:
            return (total / weights).astype(dtypes.default_dtype().np)
        return divide(total, weights.astype(total.dtype)).astype(to)
    return _reduced(loss, reduction).astype(to)


def _reduced(loss, reduction: str):
    if reduction == "mean":
        contract.check_mean(loss)
    return reduced(loss, reduction)


@nn_op(asks=(SIZES, LEGACY, MEAN), autocast="float")
def mse_loss(
    input: Array,
    target: Array,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Array | None = None,
):
    """(input - target) ** 2, reduced.

    >>> F.mse_loss(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
    tensor(2.)
    """
    contract.check_reduction(reduction)
    x, y, to = _common(input, target)
    if weight is None:
        need_kind(x, "f", "mse_cpu")
    else:
        check_subtraction(input, target)
    d = x - y
    return _weighted(d * d, input, weight, reduction, to)


@nn_op(asks=(SIZES, LEGACY, MEAN), autocast="float")
def l1_loss(
    input: Array,
    target: Array,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Array | None = None,
):
    """|input - target|, reduced.

    Other shapes are broadcast, with a warning. Raises ValueError for a reduction that is not "mean", "sum" or "none".

    >>> F.l1_loss(torch.tensor([1., 2.]), torch.tensor([2., 4.])).item()
    1.5
    """
    contract.check_reduction(reduction)
    x, y, to = _common(input, target)
    check_subtraction(input, target)
    to = dtypes.from_numpy(to).to_real()
    if reduction == "sum" and to.category < 2:
        to = dtypes.int64
    return _weighted(magnitude(x - y), input, weight, reduction, to.np)


@nn_op(asks=(SIZES, LEGACY, MEAN), autocast="float")
def smooth_l1_loss(
    input: Array,
    target: Array,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: Positive = 1.0,
):
    """d ** 2 / (2 beta) where d = |input - target| < beta, d - beta / 2 elsewhere; reduced.

    Raises RuntimeError for a negative beta.

    >>> F.smooth_l1_loss(torch.tensor([0.5, 3.]), torch.zeros(2), reduction="none").tolist()
    [0.125, 2.5]
    """
    contract.check_reduction(reduction)
    known = is_python_number(beta)  # one that changes is positive
    check(not known or beta >= 0, RuntimeError, "smooth_l1_loss does not support negative values for beta.")
    if known and beta == 0:
        return l1_loss(input, target, reduction=reduction)
    x, y, to = _common(input, target)
    need_kind(x, "f", "smooth_l1_cpu")
    d = jnp.abs(x - y)
    far = d >= beta
    near = jnp.where(far, 0, d)  # the square of inf would make the derivative nan
    return reduced(jnp.where(far, d - 0.5 * beta, 0.5 * near * near / beta), reduction).astype(to)


@nn_op(asks=(SIZES, MEAN), autocast="float")
def huber_loss(
    input: Array, target: Array, reduction: str = "mean", delta: Positive = 1.0, weight: Array | None = None
):
    """d ** 2 / 2 where d = |input - target| <= delta, delta (d - delta / 2) elsewhere; reduced.

    Raises ValueError for a reduction that is not "mean", "sum" or "none".

    >>> F.huber_loss(torch.tensor([0.5, 3.]), torch.zeros(2), reduction="none").tolist()
    [0.125, 2.5]
    """
    contract.check_reduction(reduction)
    above = not is_python_number(delta) or delta > 0  # one that changes is
    check(above, RuntimeError, "huber_loss does not support non-positive values for delta.")
    if target.dtype != input.dtype:
        refused = f"Found dtype {scalar_name(target)} but expected {scalar_name(input)}"
        input = without_derivative(lambda x: x, refused)(input)
    x, y, to = _common(input, target)
    need_kind(x, "f", "huber_cpu")
    check_castable(to, input.dtype)
    d = jnp.abs(x - y)
    far = d >= delta  # on the bound torch's second derivative is that of the line
    near = jnp.where(far, 0, d)  # see smooth_l1_loss
    slope = jnp.where(far, jnp.asarray(delta, d.dtype), 1)  # an infinite one would do so too
    loss = jnp.where(far, slope * (d - 0.5 * delta), 0.5 * near * near)
    return _weighted(loss, input, weight, reduction, input.dtype, by_weight=False)


@differentiated(
    lambda t, out, x, y: t * ((x - y) / jnp.maximum((1 - x) * x, 1e-12)),  # torch's bound, at x = 0 and 1
    lambda t, out, x, y: t * (jnp.log1p(-x) - jnp.log(x)),
)
def _bce(x, y):
    return (y - 1) * jnp.maximum(jnp.log1p(-x), -100) - y * jnp.maximum(jnp.log(x), -100)


@nn_op(asks=(LEGACY, MEAN, constant("binary_cross_entropy", "weight")), autocast=("float", "unsafe"))
def binary_cross_entropy(
    input: Array,
    target: Array,
    weight: Array | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
):
    """-(target log input + (1 - target) log(1 - input)), logarithms bounded by -100; weighted, reduced.

    Raises RuntimeError if an element of input or target is not in [0, 1]: at once if the values are on the host, otherwise when a
    value computed from the loss is read.

    >>> F.binary_cross_entropy(torch.tensor([0.5, 0.5]), torch.tensor([1., 0.]))
    tensor(0.6931)
    """
    contract.check_reduction(reduction)
    contract.check_binary_cross_entropy(input, target, weight)
    x, y = compute(input), compute(target)
    within = (x >= 0) & (x <= 1)
    loss = required(
        jnp.where(within, _bce(x, y), jnp.nan), ~jnp.all(within), contract.NO_PROBABILITY["input"]
    )
    loss = required(loss, ~jnp.all((y >= 0) & (y <= 1)), contract.NO_PROBABILITY["target"])
    if weight is not None:
        loss = loss * weight.astype(loss.dtype)
    return reduced(loss, reduction).astype(input.dtype)


@nn_op(
    asks=(
        LEGACY,
        MEAN,
        constant("binary_cross_entropy_with_logits", "weight"),
        constant("binary_cross_entropy_with_logits", "pos_weight"),
    ),
    autocast="float",
)
def binary_cross_entropy_with_logits(
    input: Array,
    target: Array,
    weight: Array | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Array | None = None,
):
    """binary_cross_entropy of sigmoid(input), stably; pos_weight multiplies the terms of positive targets.

    The result has the dtype of target, which may be complex if pos_weight is None.

    Raises ValueError for a target of another shape.

    >>> F.binary_cross_entropy_with_logits(torch.zeros(2), torch.tensor([1., 0.]))
    tensor(0.6931)
    """
    contract.check_reduction(reduction)
    contract.check_with_logits(input, target, weight, pos_weight)
    if category(target) == 3:
        x, y = input.astype(target.real.dtype), target
    else:
        x, y, _ = _common(input, target)
    # beside a target of another dtype torch rounds it to input's
    positive = (
        log_sigmoid(x)
        if input.dtype == target.dtype
        else log_sigmoid(compute(input)).astype(input.dtype).astype(x.dtype)
    )
    if pos_weight is not None:
        check_broadcasts_to(target.shape, pos_weight.shape)
        positive = ((pos_weight.astype(x.dtype) - 1) * y + 1) * positive
    loss = (1 - y) * x - positive
    if weight is not None:
        check_broadcasts_to(loss.shape, weight.shape)
        loss = loss * weight.astype(loss.dtype)
    return reduced(loss, reduction).astype(target.dtype)


_BATCHMEANS = tuple(("batchmean", meant) for meant in ("none", "mean", "sum"))


@nn_op(asks=(SUPPORT_MEAN, BATCHMEAN, MEAN), autocast="float")
def kl_div(
    input: Array,
    target: Array,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
):
    """target (log target - input), where input (and with log_target also target) is a logarithm; reduced.

    reduction "batchmean" divides the sum by the batch's size: the divergence; "mean", by the number of elements, with a
    warning.

    >>> p, q = torch.tensor([[0.5, 0.5]]), torch.tensor([[0.25, 0.75]])
    >>> F.kl_div(q.log(), p, reduction="batchmean")
    tensor(0.1438)
    """
    within = "sum"
    if reduction in _BATCHMEANS:
        reduction, within = reduction
    contract.check_reduction(reduction, ("batchmean",))
    contract.check_kl_div(input, target)
    x, y, _ = _common(input, target)
    to = result_dtype(input, target).np
    if log_target:
        loss = jnp.exp(y) * (y - x)
    else:
        loss = jnp.where(y == 0, 0, y * jnp.log(y)) - y * x  # as in torch, the derivative by y is nan at 0
    if reduction == "batchmean":
        total = reduced(loss, within)
        return divide(total, jnp.asarray(len(input) if input.ndim else 1, total.dtype)).astype(to)
    return reduced(loss, reduction).astype(to)


@nn_op(asks=(LEGACY,), autocast="float")
def poisson_nll_loss(
    input: Array,
    target: Array,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: Real = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
):
    """exp(input) - target * input (input - target log(input + eps) without log_input), plus with `full` Stirling's
    approximation of log(target!) where target > 1; reduced.

    >>> F.poisson_nll_loss(torch.zeros(2), torch.tensor([1., 2.])).item()
    1.0
    """
    contract.check_poisson(input, target, log_input, full, reduction)
    if log_input:
        loss = _by_torch(
            jnp.subtract, _by_torch(jnp.exp, input, kind="float"), _by_torch(jnp.multiply, target, input)
        )
    else:
        log = _by_torch(jnp.log, _by_torch(jnp.add, input, eps), kind="float")
        loss = _by_torch(jnp.subtract, input, _by_torch(jnp.multiply, target, log))
    if full:
        y = jnp.where(target > 1, target, jnp.full_like(target, 2))
        terms = _by_torch(jnp.multiply, y, _by_torch(jnp.log, y, kind="float")), y
        scaled = _by_torch(jnp.log, _by_torch(jnp.multiply, y, 2 * math.pi), kind="float")
        stirling = _by_torch(jnp.add, _by_torch(jnp.subtract, *terms), _by_torch(jnp.multiply, scaled, 0.5))
        loss = _by_torch(jnp.add, loss, jnp.where(target > 1, stirling, 0)).astype(loss.dtype)
    return reduced(compute(loss), reduction).astype(loss.dtype)


def _by_torch(fn, *args, kind: str = "default"):
    """`fn` of arguments in the dtype in which torch computes, rounded to the dtype of torch's result: one step of a
    formula of several ops."""
    given, _, result = to_common_dtype(list(args), kind)
    return fn(*given).astype(result.np)


def _least_fits(op, static, inputs, result) -> None:
    """Checks, for `numbers=`, that eps fits the dtype of what it bounds: var, or where that is a number, its product
    with ones like input."""
    eps, var = (inputs[op.input_places[name]] for name in ("eps", "var"))
    if is_python_number(eps):
        if hasattr(var, "aval"):
            d = var.aval.dtype
        else:
            d = inputs[op.input_places["input"]].aval.dtype
            d = d if d.category >= 2 else dtypes.default_dtype()
        check_fit(eps, d)


@nn_op(
    asks=(("isinstance(eps, Tensor) and eps.requires_grad", "eps", lambda eps: eps.detach()),),
    numbers=_least_fits,
)
def gaussian_nll_loss(
    input: Array,
    target: Array | Number,
    var: Array | Number,
    full: bool = False,
    eps: Array | Number | None = 1e-6,
    reduction: str = "mean",
):
    """(log var + (input - target) ** 2 / var) / 2, plus log(2 pi) / 2 with `full`; var is at least eps; reduced.

    var: of input's shape, with a last 1, or without the last dim. Raises ValueError for a negative one.

    >>> F.gaussian_nll_loss(torch.zeros(2), torch.tensor([1., 3.]), torch.ones(2)).item()
    2.5
    """
    contract.check_variance(input, var, eps)
    if stands_for_number(target):
        target = jnp.asarray(target, bool if isinstance(target, bool) else result_dtype(input, target).np)
    contract.check_gaussian(input, target, eps, reduction)
    number = stands_for_number(var)
    to = promote_types(dtype_of(input), dtype_of(target))
    to = (to if number else promote_types(to, dtype_of(var))).np
    if getattr(var, "shape", ()) and var.shape == input.shape[:-1]:
        var = var[..., None]
    if dtypes.from_numpy(to).category < 2:  # a number times ones like input
        to = dtypes.default_dtype().np
    x, y, v = (compute(jnp.asarray(a).astype(to)) for a in (input, target, var))
    v = required(jnp.where(v < 0, jnp.nan, v), jnp.any(v < 0), contract.NEGATIVE_VARIANCE)
    # least and logarithm are in var's own dtype; the clamp is outside the derivative, as in torch
    own = input if number else var
    own = own.dtype if category(own) == 2 else to
    least = jnp.asarray(eps).astype(own).astype(v.dtype)
    v = v + jax.lax.stop_gradient(jnp.where(v >= least, jnp.zeros((), v.dtype), least - v))
    loss = 0.5 * (jnp.log(v).astype(own).astype(v.dtype) + quotient(whole_power(x - y, 2), v))
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction).astype(to)


@nn_op(asks=(LEGACY, MEAN, COMPARED), numbers=fit("margin"), autocast="float")
def hinge_embedding_loss(
    input: Array,
    target: Array,
    margin: Real = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
):
    """input where target is 1, max(0, margin - input) where it is -1; reduced.

    >>> F.hinge_embedding_loss(torch.tensor([2., 0.25]), torch.tensor([1, -1]), reduction="none").tolist()
    [2.0, 0.75]
    """
    contract.check_reduction(reduction)
    broadcast_shapes(input.shape, target.shape)
    x = compute(input)
    contract.check_hinge(x, reduction)
    zero = jnp.zeros((), x.dtype)
    loss = jnp.where(target != 1, clamped_at_zero(margin - x), zero) + jnp.where(target != -1, x, zero)
    return reduced(loss, reduction).astype(input.dtype)


@nn_op(asks=(LEGACY, MEAN), autocast="float")
def margin_ranking_loss(
    input1: Array,
    input2: Array,
    target: Array,
    margin: Real = 0.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
):
    """max(0, margin - target (input1 - input2)), reduced.

    >>> F.margin_ranking_loss(torch.tensor([1., 3.]), torch.tensor([2., 2.]), torch.tensor([1, 1]), reduction="none").tolist()
    [1.0, 0.0]
    """
    contract.check_reduction(reduction)
    contract.check_ranked(input1, input2, target)
    a, b, between = _common(input1, input2)
    y, difference, to = _common(-target, (a - b).astype(between))  # integers wrap at each step
    product = (y * difference).astype(to)
    if category(product) < 2:
        to = dtypes.default_dtype().np  # the margin is a float
    margin = compute(jnp.asarray(margin, to))
    return reduced(clamped_at_zero(margin + compute(product.astype(to))), reduction).astype(to)


@nn_op(asks=(LEGACY, MEAN, COMPARED), autocast="float")
def cosine_embedding_loss(
    input1: Array,
    input2: Array,
    target: Array,
    margin: Real = 0.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
):
    """1 - cosine(input1, input2) where target is 1, max(0, cosine - margin) where it is -1; reduced.

    input1, input2: (N, D) and target (N), or (D) and ().

    >>> x = torch.tensor([[1., 0.], [1., 0.]])
    >>> F.cosine_embedding_loss(x, x.flip(1), torch.tensor([1, -1]), reduction="none").tolist()
    [1.0, 0.0]
    """
    contract.check_reduction(reduction)
    contract.check_cosine(input1, input2, target)

    def dot(a, b):
        products = _by_torch(jnp.multiply, a, b)
        if category(products) < 2:
            return jnp.sum(products.astype(jnp.int64), -1)
        return jnp.sum(compute(products), -1).astype(products.dtype)

    tiny = 1e-12  # torch's, under the root
    squares = [_by_torch(jnp.add, dot(x, x), tiny) for x in (input1, input2)]
    sizes = _by_torch(jnp.sqrt, _by_torch(jnp.multiply, *squares))
    cosine = _by_torch(quotient, dot(input1, input2), sizes)  # of integers too: tiny is a float
    above = clamped_at_zero(compute(_by_torch(jnp.subtract, cosine, margin)))
    loss = jnp.where(target == 1, 1 - compute(cosine), jnp.where(target == -1, above, 0))
    return reduced(loss, reduction).astype(cosine.dtype)


@nn_op(asks=(LEGACY, MEAN), undefined=counts, autocast="float")
def triplet_margin_loss(
    anchor: Array,
    positive: Array,
    negative: Array,
    margin: Positive = 1.0,
    p: Order = 2.0,
    eps: Real = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
):
    """max(0, margin + |anchor - positive| - |anchor - negative|) with p-norms; reduced.

    (N, D) or (D) three times. Raises ValueError for a margin that is not positive.

    >>> round(F.triplet_margin_loss(torch.tensor([[0.]]), torch.tensor([[1.]]), torch.tensor([[4.]]), margin=4.0).item(), 4)
    1.0
    """
    contract.check_reduction(reduction)
    above = not is_python_number(margin) or not margin <= 0  # one that changes is
    check(above, ValueError, f"margin must be greater than 0, got {margin}")
    check(
        anchor.ndim == positive.ndim == negative.ndim,
        RuntimeError,
        "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
        f"anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs",
    )
    near, far = pairwise_distance(anchor, positive, p, eps), pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = jnp.minimum(far, pairwise_distance(positive, negative, p, eps))
    kind = result_dtype(near, far)
    near, far, to = _common(near, far)
    total = margin + near
    if kind.is_narrow:  # rounded after each step, as by torch
        total = rounded_to(total, kind)
    return reduced(clamped_at_zero(total - far), reduction).astype(to)


@nn_op(asks=(LEGACY, MEAN, constant("soft_margin_loss", "target")), autocast="float")
def soft_margin_loss(
    input: Array,
    target: Array,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
):
    """log(1 + exp(-target * input)), reduced.

    >>> F.soft_margin_loss(torch.zeros(2), torch.tensor([1., -1.]))
    tensor(0.6931)
    """
    contract.check_reduction(reduction)
    contract.check_soft_margin(input, target)
    x, y, _ = _common(input, target)
    loss = jnp.log1p(jnp.exp(-y * x)) if category(x) == 3 else -log_sigmoid(y * x)
    return reduced(loss, reduction).astype(input.dtype)  # torch writes into one like input
