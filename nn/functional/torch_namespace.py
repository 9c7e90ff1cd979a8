"""The functions of this folder that PyTorch has in the torch namespace too, with the arguments they have there.

Some take them in another order (`torch.batch_norm`), and the losses name their reduction by a number.
"""

from __future__ import annotations

from typing import Any

from functorch_lite._core.api import (
    OPS,
    Tensor,
    broadcast_shapes,
    check,
    check_broadcasts_to,
    check_type,
    composite,
    float64,
    is_int,
    lookup,
    make_function,
    need_kind,
    write_out,
)
from functorch_lite._core.api import apply_under_autocast as apply
from functorch_lite._core.api import namespace as functions_of
from functorch_lite.random.generator import check_generator

from . import composed, vision  # noqa: F401  # what is looked up here is declared there
from . import embedding_bag as _declares  # noqa: F401

__all__: list[str] = []

F: Any = functions_of("nn.functional")
_bag_tables = make_function(OPS["nn.functional._bag_tables"], "embedding_bag")

REDUCTIONS = ("none", "mean", "sum")

SAME = (
    "relu_", "celu_", "selu_", "prelu", "threshold_",
    "hardshrink", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "conv_tbc",
    "max_pool2d", "max_pool3d", "avg_pool1d", "adaptive_avg_pool1d", "rms_norm", "cosine_similarity", "pairwise_distance",
    "pdist", "bilinear", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "native_channel_shuffle",
)  # fmt: skip
"""Names of functions whose arguments are the same in both places."""

for _name in SAME:
    _found = lookup("nn.functional", _name)
    if _found is not None and lookup("torch", _name) is None:
        composite(_found, name=_name, method=_name in ("hardshrink", "prelu"))


@composite
def celu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """nn.functional.celu.

    >>> torch.celu(torch.tensor([-1., 2.]))
    tensor([-0.6321,  2.0000])
    """
    return F.celu(input, alpha)


@composite
def selu(input: Tensor) -> Tensor:
    """nn.functional.selu.

    >>> torch.selu(torch.tensor([-1., 2.]))
    tensor([-1.1113,  2.1014])
    """
    return F.selu(input)


@composite
def threshold(input: Tensor, threshold: float, value: float, *, out: Tensor | None = None) -> Tensor:
    """nn.functional.threshold.

    >>> torch.threshold(torch.tensor([0.5, 2.]), 1., 0.)
    tensor([0., 2.])
    """
    result = F.threshold(input, threshold, value)
    return result if out is None else write_out(out, result)  # type: ignore[return-value]


def _rrelu(name: str) -> None:

    def fn(
        input: Tensor,
        lower: float = 1 / 8,
        upper: float = 1 / 3,
        training: bool = False,
        generator: Any = None,
    ) -> Tensor:
        check_generator(generator)
        return composed.rrelu_by(generator, input, lower, upper, training, name == "rrelu_")

    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = f"nn.functional.{name}, whose slopes a generator may draw.\n\n    >>> torch.{name}(torch.tensor([-3., 2.]), 0.5, 0.5)\n    tensor([-1.5000,  2.0000])\n    "
    composite(fn)


for _name in ("rrelu", "rrelu_"):
    _rrelu(_name)


def _softmax(name: str) -> None:
    """torch.softmax, whose `dim` must be given, and torch.special's; special.log_softmax has its `dtype` by name
    alone."""
    plain = getattr(F, name)

    def softmax(input: Tensor, dim: int, dtype: Any = None, *, out: Tensor | None = None) -> Tensor:
        result = plain(input, dim, dtype=dtype)
        return result if out is None else write_out(out, result, exact=True)  # type: ignore[return-value]

    def special(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
        return softmax(input, dim, dtype)

    def named(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
        return softmax(input, dim, dtype)

    def method(self: Tensor, dim: int, dtype: Any = None) -> Tensor:
        return plain(self, dim, dtype=dtype)

    method.__name__, method.__doc__ = name, f"torch.{name} of the tensor."
    composite(method, namespace="Tensor", method=True)

    for made, space in ((softmax, "torch"), (named if name == "log_softmax" else special, "special")):
        made.__name__ = made.__qualname__ = name
        made.__doc__ = f"""nn.functional.{name} along `dim`, computed in `dtype` if that is given.

    >>> x = torch.tensor([1., 2.])
    >>> torch.equal({"torch" if space == "torch" else "torch.special"}.{name}(x, 0), F.{name}(x, dim=0))
    True
    """
        composite(made, namespace=space)


for _name in ("softmax", "log_softmax"):
    _softmax(_name)


@composite
def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """nn.functional.batch_norm, with its arguments in another order.

    >>> torch.batch_norm(torch.tensor([[1.], [3.]]), None, None, None, None, True, 0.1, 1e-5, False)
    tensor([[-1.0000],
            [ 1.0000]])
    """
    return F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


@composite
def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """nn.functional.instance_norm, with its arguments in another order.

    >>> torch.instance_norm(torch.tensor([[[1., 3.]]]), None, None, None, None, True, 0.1, 0., False)
    tensor([[[-1.,  1.]]])
    """
    return F.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


@composite
def layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:
    """nn.functional.layer_norm; `cudnn_enable` chooses a kernel in PyTorch, and there is one here.

    >>> torch.layer_norm(torch.tensor([[1., 3.]]), (2,), eps=0.)
    tensor([[-1.,  1.]])
    """
    return F.layer_norm(input, normalized_shape, weight, bias, eps)


@composite
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:
    """nn.functional.group_norm; `cudnn_enabled` chooses a kernel in PyTorch, and there is one here.

    >>> torch.group_norm(torch.tensor([[1., 3.]]), 1, eps=0.)
    tensor([[-1.,  1.]])
    """
    return F.group_norm(input, num_groups, weight, bias, eps)


def _dropouts(name: str, function: str) -> None:
    def dropout(input: Tensor, p: float, train: bool) -> Tensor:
        return getattr(F, function)(input, p, train)

    def dropout_(input: Tensor, p: float, train: bool) -> Tensor:
        return getattr(F, function)(input, p, train, True)

    for fn, known in ((dropout, name), (dropout_, f"{name}_")):
        fn.__name__ = fn.__qualname__ = known
        fn.__doc__ = f"nn.functional.{function}, with `train` instead of `training`{', in place' if known[-1] == '_' else ''}.\n\n    >>> torch.{known}(torch.ones(1, 2), 0.5, False)\n    tensor([[1., 1.]])\n    "
        composite(fn)


_dropouts("dropout", "dropout")
_dropouts("alpha_dropout", "alpha_dropout")
_dropouts("feature_alpha_dropout", "feature_alpha_dropout")


def _feature_dropouts() -> None:
    def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
        """Zeroes whole channels (indices of dims 0 and 1) with probability p, and scales what is left, when training.

        >>> torch.feature_dropout(torch.ones(1, 2, 2), 0.5, False)
        tensor([[[1., 1.],
                 [1., 1.]]])
        """
        check(input.ndim >= 2, RuntimeError, "Feature dropout requires at least 2 dimensions in the input")
        if input.ndim == 2:
            return F.dropout(input, p, train)
        return F.dropout2d(input.reshape(*input.shape[:2], -1, 1), p, train).reshape(input.shape)

    def feature_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
        """feature_dropout in place.

        >>> torch.feature_dropout_(torch.ones(1, 2, 2), 1., True)
        tensor([[[0., 0.],
                 [0., 0.]]])
        """
        return input.copy_(feature_dropout(input, p, train))

    composite(feature_dropout)
    composite(feature_dropout_)


_feature_dropouts()


@composite
def embedding(
    weight: Tensor,
    indices: Tensor,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """nn.functional.embedding, with the weight first; padding_idx=-1 means none.

    >>> torch.embedding(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1]))
    tensor([[3., 4.]])
    """
    none = None if padding_idx == -1 else padding_idx
    return F.embedding(indices, weight, none, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


@composite
def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """nn.functional.embedding_bag with the weight first and mode 0, 1, 2 for "sum", "mean", "max"; with PyTorch's
    tables for its derivative: (bags, the bag of each index, the sizes of the bags, the rows of weight that the maxima
    come from).

    The tables are the same as those returned by PyTorch's CPU kernels: for sums the sizes are zeros, and in single
    precision without padding_idx the bag of each index is left out; without maxima the last table is the sizes again.

    >>> torch.embedding_bag(torch.eye(3), torch.tensor([0, 2, 2]), torch.tensor([0, 1]), mode=1)[2]
    tensor([1, 2])
    """
    check(
        per_sample_weights is None or mode == 0,
        RuntimeError,
        "embedding_bag: per_sample_weights only supported with mode='sum'",
    )
    check(mode in (0, 1, 2), RuntimeError, "`mode` must be sum, mean, or max.")
    check(
        offsets.ndim == 1,
        RuntimeError,
        f"offsets has to be a 1D Tensor, but got Tensor of dimension {offsets.ndim}",
    )
    wanted = f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}"
    check(weight.ndim == 2, RuntimeError, wanted)  # nn.functional raises ValueError
    known = offsets.shape[0] - include_last_offset
    check(known >= 0, RuntimeError, "include_last_offset: number of offset should be at least 1")
    same = indices.ndim == 1 and (per_sample_weights is None or per_sample_weights.shape == indices.shape)
    which = (
        "select_indices.numel() == add_indices"
        if indices.ndim != 1
        else "per_sample_weights.value().numel() == indices"
    )
    check(
        same,
        RuntimeError,
        f"Expected {which}.numel() to be true, but got false.  (Could this error message be improved?  If so, please report an "
        "enhancement request to PyTorch.)",
    )
    name = ("sum", "mean", "max")[mode]
    largest = mode == 2  # whose gradients are neither scaled nor sparse, and nobody is told
    scaled, listed = scale_grad_by_freq and not largest, sparse and not largest
    options = (name, listed, per_sample_weights, include_last_offset, padding_idx)
    out = F.embedding_bag(indices, weight, offsets, None, 2.0, scaled, *options)
    plain = weight.detach()
    where, sizes, chosen = _bag_tables(indices, plain, offsets, name, include_last_offset, padding_idx)
    if mode == 0:
        sizes = chosen = sizes.new_zeros(known if weight.requires_grad else offsets.shape[0])
        if padding_idx is None and weight.dtype != float64:
            where = where[:0]
    return out, where, sizes, chosen


@composite
def max_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = (),
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Tensor:
    """nn.functional.max_pool1d.

    >>> torch.max_pool1d(torch.tensor([[1., 3., 2., 4.]]), 2)
    tensor([[3., 4.]])
    """
    return F.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)


@composite
def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Any,
    stride: Any = (),
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> tuple[Tensor, Tensor]:
    """(the maximum of each window of the last dim, its place there).

    (N, C, L) to (N, C, number of windows); the places are int64.

    >>> torch.max_pool1d_with_indices(torch.tensor([[[1., 3., 2., 4.]]]), 2)
    (tensor([[[3., 4.]]]), tensor([[[1, 3]]]))
    """
    return F.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


@composite
def adaptive_max_pool1d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """(the maxima of `output_size` windows of the last dim, their places there).

    (N, C, L) to (N, C, output_size); the places are int64.

    >>> torch.adaptive_max_pool1d(torch.tensor([[[1., 3., 2., 4.]]]), 2)
    (tensor([[[3., 4.]]]), tensor([[[1, 3]]]))
    """
    return F.adaptive_max_pool1d(input, output_size, True)


@composite
def affine_grid_generator(theta: Tensor, size: Any, align_corners: bool) -> Tensor:
    """nn.functional.affine_grid.

    >>> torch.affine_grid_generator(torch.eye(2, 3)[None], [1, 1, 2, 2], True).shape
    torch.Size([1, 2, 2, 2])
    """
    return F.affine_grid(theta, size, align_corners)


def _grid_sampler(name: str, ndim: int | None) -> None:
    def sampler(
        input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
    ) -> Tensor:
        check(
            ndim is None or input.ndim == ndim,
            RuntimeError,
            f"{name}(): expected a {ndim}-D input, but got {input.ndim}-D",
        )
        mode = ("bilinear", "nearest", "bicubic")[interpolation_mode]
        return F.grid_sample(
            input, grid, mode, ("zeros", "border", "reflection")[padding_mode], align_corners
        )

    sampler.__name__ = sampler.__qualname__ = name
    sampler.__doc__ = "nn.functional.grid_sample, with its modes as numbers.\n\n    >>> grid = torch.nn.functional.affine_grid(torch.eye(2, 3)[None], [1, 1, 2, 2], True)\n    >>> torch.grid_sampler(torch.ones(1, 1, 2, 2), grid, 0, 0, True).shape\n    torch.Size([1, 1, 2, 2])\n    "
    composite(sampler)


_grid_sampler("grid_sampler", None)
_grid_sampler("grid_sampler_2d", 4)
_grid_sampler("grid_sampler_3d", 5)


@composite
def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Tensor:
    """The (transposed) convolution of as many dims as input has after the first two.

    >>> torch.convolution(torch.ones(1, 2, 5), torch.ones(3, 2, 2), None, (1,), (0,), (1,), False, (0,), 1).shape
    torch.Size([1, 3, 4])
    """
    n = weight.ndim - 2
    check(
        n in (1, 2, 3), RuntimeError, f"convolution: expected a weight of 3 to 5 dims, but got {weight.ndim}"
    )
    if transposed:
        fn = getattr(F, f"conv_transpose{n}d")
        return fn(input, weight, bias, stride, padding, output_padding, groups, dilation)
    return getattr(F, f"conv{n}d")(input, weight, bias, stride, padding, dilation, groups)


# -- losses ----------------------------------------------------------------------------------------------------------


def _reduction(number: int) -> str:
    check_type(is_int(number), number, "int", "", "reduction")
    return REDUCTIONS[number] if number in (1, 2) else "none"  # as for every other number in torch


@composite
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:
    """nn.functional.cosine_embedding_loss; reduction: 0 none, 1 mean, 2 sum.

    >>> torch.cosine_embedding_loss(torch.tensor([[1., 0.]]), torch.tensor([[0., 1.]]), torch.ones(1))
    tensor([1.])
    """
    return F.cosine_embedding_loss(input1, input2, target, margin, reduction=_reduction(reduction))


@composite
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 0) -> Tensor:
    """nn.functional.hinge_embedding_loss; reduction: 0 none, 1 mean, 2 sum.

    >>> torch.hinge_embedding_loss(torch.tensor([0.5, 0.25]), torch.tensor([1., -1.]))
    tensor([0.5000, 0.7500])
    """
    return F.hinge_embedding_loss(input, target, margin, reduction=_reduction(reduction))


@composite
def kl_div(input: Tensor, target: Tensor, reduction: int = 0, *, log_target: bool = False) -> Tensor:
    """nn.functional.kl_div without its advice; reduction: 0 none, 1 mean, 2 sum.

    >>> torch.kl_div(torch.tensor([0.5]).log(), torch.tensor([1.]), 2)
    tensor(0.6931)
    """
    static = (None, None, _reduction(reduction), log_target)
    return apply(OPS["nn.functional.kl_div"], static, (input, target))


@composite
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:
    """nn.functional.margin_ranking_loss, of tensors that may be broadcast; reduction: 0 none, 1 mean, 2 sum.

    >>> torch.margin_ranking_loss(torch.tensor([1., 2.]), torch.tensor([2., 1.]), torch.ones(2))
    tensor([1., 0.])
    """
    if not input1.ndim == input2.ndim == target.ndim:
        shape = broadcast_shapes(input1.shape, input2.shape, target.shape)
        input1, input2, target = input1.expand(shape), input2.expand(shape), target.expand(shape)
    return F.margin_ranking_loss(input1, input2, target, margin, reduction=_reduction(reduction))


@composite
def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int
) -> Tensor:
    """nn.functional.poisson_nll_loss; reduction: 0 none, 1 mean, 2 sum.

    >>> torch.poisson_nll_loss(torch.zeros(2), torch.ones(2), True, False, 1e-8, 1)
    tensor(1.)
    """
    return F.poisson_nll_loss(
        input, target, log_input=log_input, full=full, eps=eps, reduction=_reduction(reduction)
    )


@composite
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 0,
) -> Tensor:
    """nn.functional.triplet_margin_loss; reduction: 0 none, 1 mean, 2 sum.

    >>> torch.triplet_margin_loss(torch.tensor([[0.]]), torch.tensor([[1.]]), torch.tensor([[3.]]))
    tensor([0.])
    """
    return F.triplet_margin_loss(
        anchor, positive, negative, margin=margin, p=p, eps=eps, swap=swap, reduction=_reduction(reduction)
    )


@composite
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: int = 0,
) -> Tensor:
    """nn.functional.binary_cross_entropy_with_logits, of an input that may be broadcast; reduction: 0 none, 1 mean, 2
    sum.

    >>> torch.binary_cross_entropy_with_logits(torch.zeros(2), torch.ones(2))
    tensor([0.6931, 0.6931])
    """
    for name, given, position in (("weight", weight, 3), ("pos_weight", pos_weight, 4)):
        fits = given is None or isinstance(given, Tensor)
        check_type(fits, given, "Tensor", "binary_cross_entropy_with_logits", name, position)
    if input.shape != target.shape:
        need_kind(input.dtype, "f", "log_sigmoid_cpu")
        check_broadcasts_to(target.shape, input.shape)
        if pos_weight is not None:  # by which the input's logarithm is multiplied in place
            check_broadcasts_to(input.shape, broadcast_shapes(pos_weight.shape, target.shape))
        input = input.expand(target.shape)
    return F.binary_cross_entropy_with_logits(
        input, target, weight, pos_weight=pos_weight, reduction=_reduction(reduction)
    )


@composite
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 0,
    zero_infinity: bool = False,
) -> Tensor:
    """nn.functional.ctc_loss; reduction: 0 none, 1 mean, 2 sum.

    >>> logits = torch.zeros(4, 1, 3).log_softmax(-1)
    >>> torch.ctc_loss(logits, torch.tensor([[1, 2]]), torch.tensor([4]), torch.tensor([2]))
    tensor([1.6864])
    """
    return F.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, _reduction(reduction), zero_infinity
    )
