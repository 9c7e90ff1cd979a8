"""Functions of tensors that draw random numbers or update statistics: dropout, batch_norm and instance_norm as users
call them."""

from __future__ import annotations

import math
from typing import Any

from functorch_lite._core.api import (
    INT,
    OPS,
    BatchedUpdate,
    Tensor,
    apply,
    cast,
    check,
    checked,
    composite,
    dtypes,
    functions,
    make_function,
    no_kernel,
    state,
    update,
)
from functorch_lite._core.api import namespace as functions_of
from functorch_lite.ops._pointwise import check_fit
from functorch_lite.random import key_tensor
from functorch_lite.random.draws import exact_coins
from functorch_lite.random.generator import exact_source

from ._arguments import flag_argument, float_argument, tensor_argument
from ._asked import warn

__all__ = ["count_batch"]

_ALPHA = 1.7580993408473766
"""Limit of a SELU at minus infinity, negated."""


def _dropped(op: str, x: Tensor, p: float) -> Tensor:
    """x with the dropout of this op; with PyTorch's own masks if the default generator draws its numbers."""
    by_channel = "feature" in op
    if x.is_meta:  # nothing is drawn
        return x * 1.0
    p = float(p)  # a tensor without dims may stand for it
    if by_channel and x.ndim < 2 and p == 1:
        return x * x.new_zeros(())
    size = (*x.shape[:2], *[1] * (x.ndim - 2)) if by_channel else tuple(x.shape)
    kept = exact_coins(size, 1 - p, x) if by_channel else _coins_like(x, 1 - p)
    if kept is None:
        return apply(OPS[f"nn.functional.{op}"], (), (x, key_tensor(), p))
    if "alpha" not in op:
        return x * (kept / (1 - p) if p < 1 else kept)
    if p == 1:
        return x * x.new_zeros(())
    a = ((_ALPHA**2 * p + 1) * (1 - p)) ** -0.5
    return x * (kept * a) + ((kept - 1) * (_ALPHA * a) + _ALPHA * a * p)


def _acts(name: str, input: Tensor, p: float, training: bool) -> bool:
    """Returns whether anything is dropped; raises for what torch cannot multiply by a mask of floats."""
    flag_argument(training, name, "train", 3)
    float_argument(p, name, "p", 2)
    if p != p:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0.0 or not input.numel():
        return False
    category = input.dtype.category
    if category < 2 and p < 1:
        to, default = input.dtype.scalar_name, dtypes.default_dtype().scalar_name
        raise RuntimeError(f"result type {default} can't be cast to the desired output type {to}")
    if category == 3 and p < 1:
        raise no_kernel("bernoulli_scalar_cpu_", input.dtype)
    return True


def _coins_like(x: Tensor, p: float) -> Tensor | None:
    """Returns exact_coins for x: PyTorch fills the mask in the order in which x lies in memory, if x is dense."""
    if exact_source(None) is None:
        return None
    order = sorted(range(x.ndim), key=lambda d: -x.stride(d))
    if not x.permute(order).is_contiguous():
        return exact_coins(tuple(x.shape), p, x)
    kept: Any = exact_coins(tuple([x.shape[d] for d in order]), p, x)
    return kept.permute(sorted(range(x.ndim), key=order.__getitem__))


def _warn_of_dims(name: str, dims: int, ranks: tuple[int, ...]) -> None:
    if dims not in ranks:
        warn(
            f"{name}: Received a {dims}-D input to {name}, which is deprecated and will result in an error in a future release. To "
            f"retain the behavior and silence this warning, please use dropout instead. Note that {name} exists to provide "
            f"channel-wise dropout on inputs with {ranks[0] - 1} spatial dimensions, a channel dimension, and an optional batch "
            f"dimension (i.e. {ranks[0]}D or {ranks[1]}D inputs)."
        )
    if dims == 3 and name == "dropout2d":
        warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - input is "
            "interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a future release to interpret "
            "the input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise dropout behavior, "
            "please switch to using dropout1d instead."
        )


def _dropout_like(name: str, op: str, ranks: tuple[int, ...] = (), by_default: bool = True) -> None:
    """ranks: how many dims an input has that is not batched, and one that is."""
    batched = () if name == "dropout2d" else ranks[1:]  # which takes the first two dims as they are

    def dropout(input: Tensor, p: float = 0.5, training: bool = by_default, inplace: bool = False) -> Tensor:
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        tensor_argument(input, name, "input", 1)
        dims = len(input._aval.shape)
        if name == "dropout1d":
            given = f"dropout1d: Expected 2D or 3D input, but received a {dims}D input."
            check(dims in ranks, RuntimeError, given)
        elif ranks and (dims == 3 or dims not in ranks):
            _warn_of_dims(name, dims, ranks)
        single = bool(batched) and dims not in batched
        if not _acts(name, input, p, training):
            return input.unsqueeze(0).squeeze(0) if single and not inplace else input  # a view, as torch's
        if single:
            out = _dropped(op, input.unsqueeze(0), p).squeeze(0)
        else:
            out = _dropped(op, input, p)
        return input.copy_(out) if inplace else out

    dropout.__name__ = dropout.__qualname__ = name
    what = "whole channels" if ranks else "elements"
    rest = (
        "changes all so that mean and variance stay"
        if "alpha" in name
        else "multiplies the others by 1 / (1 - p)"
    )
    sizes = ", ".join("2345"[: ranks[-1] if ranks else 3])
    dropout.__doc__ = f"""In training, drops {what} with probability p and {rest}; otherwise the result is the input.

    Raises ValueError for p outside [0, 1].

    >>> x = torch.ones({sizes})
    >>> tuple(F.{name}(x, 0.5, training=True).shape)
    ({sizes})
    >>> torch.equal(F.{name}(x, 0.5, training=False), x)
    True
    """
    composite(dropout, namespace="nn.functional")


_dropout_like("dropout", "_dropout")
_dropout_like("dropout1d", "_feature_dropout", (2, 3))
_dropout_like("dropout2d", "_feature_dropout", (3, 4))
_dropout_like("dropout3d", "_feature_dropout", (4, 5))
_dropout_like("alpha_dropout", "_alpha_dropout", by_default=False)


@composite(namespace="nn.functional")
def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Alpha dropout of whole channels.

    input: (N, C, …). Raises ValueError for p outside [0, 1].

    >>> y = F.feature_alpha_dropout(torch.ones(1, 4, 3), training=True)
    >>> all(len(set(channel.tolist())) == 1 for channel in y[0])
    True
    """
    check(not (p < 0 or p > 1), ValueError, f"dropout probability has to be between 0 and 1, but got {p}")
    tensor_argument(input, "feature_alpha_dropout", "input", 1)
    if not _acts("feature_alpha_dropout", input, p, training):
        return input
    out = _dropped("_feature_alpha_dropout", input, p)
    return input.copy_(out) if inplace else out


_STATS_IN_VMAP = (
    "{} got a batched tensor as input while the running_mean or running_var, which will be updated in place, were not batched.\n"
    "If you are using a module and do not need eval mode, please set `track_running_stats` to be False. If you are using a prebuilt "
    "model, torch.func.replace_all_batch_norm_modules_(model) does so for all its modules. Statistics of each example's own are "
    "computed when the buffers are arguments with a batch dimension: torch.func.functional_call(model, (params, buffers), x)."
)


def _update_statistics(who: str, *pairs: tuple[Tensor | None, Tensor]) -> None:
    """Writes new running statistics; inside a transform also to statistics that come from outside the transform."""
    try:
        for t, new in pairs:
            if t is not None:
                update(t, new)
    except BatchedUpdate:
        raise RuntimeError(_STATS_IN_VMAP.format(who)) from None


def count_batch(num_batches_tracked: Tensor) -> None:
    """Counts one more batch, also inside a transform that the counter comes from outside of."""
    if num_batches_tracked._cell.level == state.here.rec.level:
        num_batches_tracked.add_(1)  # type: ignore[attr-defined]
    else:
        update(num_batches_tracked, num_batches_tracked + 1)


_BOTH = "running_mean and running_var must either both be None or neither be None"
_OTHERS = ("input", "weight", "bias", "running_mean", "running_var")


def _check_normalization(who: str, tensors: tuple, flag: Any, momentum: Any, eps: Any) -> tuple[Any, Any]:
    """torch's checks of what batch_norm and instance_norm are called with; (momentum, eps) as Python numbers or
    tensors."""
    for i, t in enumerate(tensors):
        tensor_argument(t, who, _OTHERS[i], i + 1, i > 0)
    flag_argument(flag, who, "training" if who == "batch_norm" else "use_input_stats", 6)
    return float_argument(momentum, who, "momentum", 7), float_argument(eps, who, "eps", 8)


def _check_batch(input: Tensor) -> None:
    """Statistics of one value are none."""
    shape = input._aval.shape
    if shape and shape[0] * math.prod(shape[2:]) == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {input.shape}"
        )


def _of_nothing(input: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    """An input without elements, of which PyTorch checks nothing more: it reads one element of each parameter."""
    out = input.clone()  # type: ignore[attr-defined]
    out = out if weight is None else out * weight[0]
    return out if bias is None else out + bias[0]


@composite(namespace="nn.functional")
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Batch normalization over dim 1 (Ioffe & Szegedy 2015); in training the running statistics are updated in place.

    input: (N, C, …); statistics, weight and bias: (C). Raises ValueError in training for one value per channel,
    RuntimeError for other lengths.

    >>> mean, var = torch.zeros(1), torch.ones(1)
    >>> y = F.batch_norm(torch.tensor([[1.], [3.]]), mean, var, training=True, momentum=0.5)
    >>> mean.tolist(), var.tolist()
    ([1.0], [1.5])
    """
    momentum, eps = _check_normalization(
        "batch_norm", (input, weight, bias, running_mean, running_var), training, momentum, eps
    )
    if training:
        _check_batch(input)
        if eps <= 0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    if eps < 0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    if 0 in input._aval.shape:
        return _of_nothing(input, weight, bias)
    if not training:
        return apply(
            OPS["nn.functional._batch_norm_eval"], (), (input, weight, bias, running_mean, running_var, eps)
        )
    check((running_mean is None) == (running_var is None), ValueError, _BOTH)
    inputs = (input, weight, bias, running_mean, running_var, momentum, eps)
    out, mean, var = apply(OPS["nn.functional._batch_norm_train"], (), inputs)
    _update_statistics("Batch norm", (running_mean, mean), (running_var, var))
    return out


@composite(namespace="nn.functional")
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Instance normalization (Ulyanov et al. 2016); running statistics, if given, are updated in place.

    input: (N, C, …), normalized over all dims after the second.

    >>> F.instance_norm(torch.tensor([[[1., 3.]]]))
    tensor([[[-1.0000,  1.0000]]])
    """
    if running_mean is None and running_var is None:
        return _plain_instance_norm(input, None, None, weight, bias, use_input_stats, momentum, eps)
    tensors = (input, weight, bias, running_mean, running_var)
    momentum, eps = _check_normalization("instance_norm", tensors, use_input_stats, momentum, eps)
    if running_mean is None or running_var is None:
        check(
            use_input_stats,
            RuntimeError,
            "Expected running_mean and running_var to be defined when use_input_stats is false",
        )
        raise ValueError(_BOTH)
    if not use_input_stats:
        check(input.ndim > 0, IndexError, "Dimension specified as 0 but tensor has no dimensions")
        check(
            input.ndim > 1,
            IndexError,
            "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
        )
        copied = (
            weight is not None or bias is not None
        )  # for every member of the batch; PyTorch looks at the first
        check(
            not copied or input.shape[0] > 0,
            IndexError,
            "select(): index 0 out of range for tensor of size [0] at dimension 0",
        )
        check(
            running_var.dtype in (running_mean.dtype, input.dtype),
            RuntimeError,
            f"expected scalar type {input.dtype.scalar_name} but found {running_var.dtype.scalar_name}",
        )
        check(
            all(p is None or p.ndim < 2 for p in (weight, bias)),
            RuntimeError,
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
        )
        if 0 in input.shape:
            return _of_nothing(input, weight, bias)
        to = dtypes.float32 if input.dtype.itemsize == 2 else input.dtype
        statistics = [cast(running, to) for running in (running_mean, running_var)]
        return apply(OPS["nn.functional._batch_norm_eval"], (), (input, weight, bias, *statistics, eps))
    check(
        running_mean.dtype is not input.dtype or running_var.dtype is input.dtype or 0 in input.shape,
        RuntimeError,
        f"expected scalar type {input.dtype.scalar_name} but found {running_var.dtype.scalar_name}",
    )
    op = OPS["nn.functional._instance_norm_train"]
    given = {
        "input": input, "weight": weight, "bias": bias, "running_mean": running_mean, "running_var": running_var,
        "momentum": momentum, "eps": eps,
    }  # fmt: skip
    out, mean, var = apply(op, (), tuple([given[p.name] for p in op.params]))
    _update_statistics("instance_norm", (running_mean, mean), (running_var, var))
    return out


_plain_instance_norm = make_function(OPS["nn.functional.instance_norm"], "instance_norm")
_local_response_norm = make_function(OPS["nn.functional.local_response_norm"], "local_response_norm")


@composite(namespace="nn.functional")
def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """input / (k + alpha * mean of squares over `size` neighbouring channels) ** beta; without elements it is input
    itself.

    input: (N, C, …); the result has its shape.

    >>> F.local_response_norm(torch.ones(1, 2, 1), 1, alpha=3.0, beta=1.0).flatten().tolist()
    [0.25, 0.25]
    """
    if isinstance(input, Tensor) and input.ndim >= 3 and 0 in input.shape:
        return input
    if isinstance(input, Tensor) and input.dtype.is_narrow and isinstance(beta, int | float):
        check_fit(beta, input.dtype)
    return _local_response_norm(input, size, alpha, beta, k)


@composite(namespace="nn.functional")
def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function=None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """The triplet loss with a distance of one's own (by default the pairwise Euclidean distance).

    Raises ValueError for a margin that is not positive.

    >>> F.triplet_margin_with_distance_loss(torch.tensor([[0.]]), torch.tensor([[1.]]), torch.tensor([[4.]]), distance_function=lambda a, b: (a - b).abs().sum(-1), margin=4.0).item()
    1.0
    """
    check(reduction in ("mean", "sum", "none"), ValueError, f"{reduction} is not a valid value for reduction")
    check(not margin <= 0, ValueError, f"margin must be greater than 0, got {margin}")
    check(
        anchor.ndim == positive.ndim == negative.ndim,
        RuntimeError,
        "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor "
        f"{anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs",
    )
    plain = functions_of("nn.functional").pairwise_distance
    distance = plain if distance_function is None else distance_function
    far = distance(anchor, negative)
    if swap:
        far = functions.minimum(far, distance(positive, negative))
    loss = (margin + distance(anchor, positive) - far).clamp(min=0)
    return loss if reduction == "none" else loss.mean() if reduction == "mean" else loss.sum()


@composite(namespace="nn.functional")
def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    """Integers as rows of 0 and one 1; the number of classes is read off the input when it is -1.

    input: of int64, any shape; the result has one more dim, the last, and its dtype. Raises RuntimeError for a negative
    class, or one of num_classes and more, where the values are on the host.

    >>> F.one_hot(torch.tensor([0, 2]), 3).tolist()
    [[1, 0, 0], [0, 0, 1]]
    """
    num_classes = checked(num_classes, INT, "one_hot", "num_classes", 2)
    name = "_one_hot_inferred" if num_classes == -1 else "one_hot"
    op = OPS[f"nn.functional.{name}"]
    return (
        make_function(op, name)(input) if num_classes == -1 else make_function(op, name)(input, num_classes)
    )
