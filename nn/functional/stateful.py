"""Functions of tensors that draw random numbers or update statistics: dropout, batch_norm and instance_norm as users call them."""

from __future__ import annotations

from functorch_lite._core.apply import apply, replace
from functorch_lite._core.bind import composite, functions, lookup, make_function
from functorch_lite._core.bind import namespace as functions_of
from functorch_lite._core.errors import check
from functorch_lite._core.op import OPS
from functorch_lite._core.recorder import state
from functorch_lite._core.tensor import Tensor
from functorch_lite.random import key_tensor

__all__: list[str] = []


def _dropout_like(name: str, op: str, least: int = 0, most: int | None = None) -> None:
    def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
        check(0.0 <= p <= 1.0, ValueError, f"dropout probability has to be between 0 and 1, but got {p}")
        if not training or p == 0.0:
            return input
        dims = input.ndim
        check(
            dims >= least and (most is None or dims <= most),
            RuntimeError,
            f"{name}: Expected a tensor of {least} to {most} dims, but received a {dims}-D input",
        )
        unbatched = least and dims == least and name != "dropout1d"
        x = input.unsqueeze(0) if unbatched else input
        out = apply(OPS[f"nn.functional.{op}"], (), (x, key_tensor(), float(p)))
        out = out.squeeze(0) if unbatched else out
        return input.copy_(out) if inplace else out

    dropout.__name__ = dropout.__qualname__ = name
    dropout.__doc__ = (
        f"torch.nn.functional.{name}: zeroes with probability p and scales what is left, when training."
    )
    composite(dropout, namespace="nn.functional")
    if name == "dropout":
        composite(dropout)


_dropout_like("dropout", "_dropout")
_dropout_like("dropout1d", "_feature_dropout", 2, 3)
_dropout_like("dropout2d", "_feature_dropout", 3, 4)
_dropout_like("dropout3d", "_feature_dropout", 4, 5)
_dropout_like("alpha_dropout", "_alpha_dropout")


@composite(namespace="nn.functional")
def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Alpha dropout of whole channels."""
    check(0.0 <= p <= 1.0, ValueError, f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0.0:
        return input
    out = apply(OPS["nn.functional._feature_alpha_dropout"], (), (input, key_tensor(), float(p)))
    return input.copy_(out) if inplace else out


_STATS_IN_VMAP = (
    "{}: the running statistics are updated in place, and inside {} they are tensors from outside, which cannot be written to. Use "
    "track_running_stats=False, module.eval(), or torch.func.functional_call with the buffers as arguments; "
    "replace_all_batch_norm_modules_ of torch.func makes a whole model so."
)


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
    """Batch normalization over dim 1 (Ioffe & Szegedy 2015); in training the running statistics are updated in place."""
    if not training:
        return apply(
            OPS["nn.functional._batch_norm_eval"], (), (input, weight, bias, running_mean, running_var, eps)
        )
    size = input.numel() // max(input.shape[1], 1)
    check(
        size > 1,
        ValueError,
        f"Expected more than 1 value per channel when training, got input size {input.shape}",
    )
    level = state.rec
    for t in (running_mean, running_var):
        if t is not None and t._cell.level != level.level:
            raise RuntimeError(_STATS_IN_VMAP.format("batch_norm", level.kind))
    inputs = (input, weight, bias, running_mean, running_var, 0.0 if momentum is None else momentum, eps)
    out, mean, var = apply(OPS["nn.functional._batch_norm_train"], (), inputs)
    if running_mean is not None:
        replace(running_mean, mean)
    if running_var is not None:
        replace(running_var, var)
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
    """Instance normalization (Ulyanov et al. 2016); running statistics, if given, are updated in place."""
    if running_mean is None and running_var is None:
        return _plain_instance_norm(input, None, None, weight, bias, use_input_stats, momentum, eps)
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    for t in (running_mean, running_var):
        if t is not None and t._cell.level != state.rec.level:
            raise RuntimeError(_STATS_IN_VMAP.format("instance_norm", state.rec.kind))
    op = OPS["nn.functional._instance_norm_train"]
    given = {
        "input": input, "weight": weight, "bias": bias, "running_mean": running_mean, "running_var": running_var,
        "momentum": momentum, "eps": eps,
    }  # fmt: skip
    out, mean, var = apply(op, (), tuple([given[p.name] for p in op.params]))
    if running_mean is not None:
        replace(running_mean, mean)
    if running_var is not None:
        replace(running_var, var)
    return out


_plain_instance_norm = make_function(OPS["nn.functional.instance_norm"], "instance_norm")


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
    """The triplet loss with a distance of one's own (by default the pairwise Euclidean distance)."""
    check(margin > 0, ValueError, f"margin must be greater than 0, got {margin}")
    check(reduction in ("mean", "sum", "none"), ValueError, f"{reduction} is not a valid value for reduction")
    distance = distance_function or functions_of("nn.functional").pairwise_distance
    far = distance(anchor, negative)
    if swap:
        far = functions.minimum(far, distance(positive, negative))
    loss = (margin + distance(anchor, positive) - far).clamp(min=0)
    return loss if reduction == "none" else loss.mean() if reduction == "mean" else loss.sum()


@composite(namespace="nn.functional")
def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    """Integers as rows of 0 and one 1; the number of classes is read off the input when it is -1."""
    name = "_one_hot_inferred" if num_classes == -1 else "one_hot"
    op = OPS[f"nn.functional.{name}"]
    return (
        make_function(op, name)(input) if num_classes == -1 else make_function(op, name)(input, num_classes)
    )


for _name in ("softmax", "log_softmax", "relu_", "celu", "selu", "prelu", "rrelu", "threshold", "alpha_dropout", "dropout_", "conv1d",
              "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "max_pool1d", "max_pool2d", "max_pool3d",
              "avg_pool1d", "adaptive_avg_pool1d", "batch_norm", "layer_norm", "group_norm", "instance_norm", "rms_norm", "embedding",
              "cosine_similarity", "pairwise_distance", "pdist", "bilinear", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle",
              "cosine_embedding_loss", "hinge_embedding_loss", "kl_div", "margin_ranking_loss", "poisson_nll_loss",
              "triplet_margin_loss", "binary_cross_entropy_with_logits", "layer_norm"):  # fmt: skip
    _found = functions_of("nn.functional").__dict__.get(_name) or lookup("nn.functional", _name)
    if _found is not None and lookup("torch", _name) is None:
        composite(_found, name=_name)  # PyTorch has these in both places
