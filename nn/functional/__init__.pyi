"""The functions of torch.nn.functional. Written by `python -m tests.stubs --write`."""

from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

import numpy as np

from functorch_lite._core.call.size import Size
from functorch_lite._core.call.storage import UntypedStorage
from functorch_lite._core.call.storage import layout as _layout
from functorch_lite._core.lazy.tensor import Tensor
from functorch_lite._core.words.device import device as _device
from functorch_lite._core.words.dtypes import dtype as _dtype
from functorch_lite._core.words.memory_format import memory_format as _memory_format
from functorch_lite.random import Generator
from functorch_lite.storage import TypedStorage
from functorch_lite import return_types

Number = _bool | _int | _float | _complex
_Sizes = _int | Sequence[_int]

_Device = _device | _str | _int | None

__all__ = ['adaptive_avg_pool1d', 'adaptive_avg_pool2d', 'adaptive_avg_pool3d', 'adaptive_max_pool1d', 'adaptive_max_pool1d_with_indices', 'adaptive_max_pool2d', 'adaptive_max_pool2d_with_indices', 'adaptive_max_pool3d', 'adaptive_max_pool3d_with_indices', 'affine_grid', 'alpha_dropout', 'avg_pool1d', 'avg_pool2d', 'avg_pool3d', 'batch_norm', 'bilinear', 'binary_cross_entropy', 'binary_cross_entropy_with_logits', 'celu', 'channel_shuffle', 'conv1d', 'conv2d', 'conv3d', 'conv_tbc', 'conv_transpose1d', 'conv_transpose2d', 'conv_transpose3d', 'cosine_embedding_loss', 'cosine_similarity', 'cross_entropy', 'ctc_loss', 'dropout', 'dropout1d', 'dropout2d', 'dropout3d', 'elu', 'embedding', 'embedding_bag', 'feature_alpha_dropout', 'fold', 'fractional_max_pool2d', 'fractional_max_pool2d_with_indices', 'fractional_max_pool3d', 'fractional_max_pool3d_with_indices', 'gaussian_nll_loss', 'gelu', 'glu', 'grid_sample', 'group_norm', 'grouped_mm', 'gumbel_softmax', 'hardshrink', 'hardsigmoid', 'hardswish', 'hardtanh', 'hardtanh_', 'hinge_embedding_loss', 'huber_loss', 'instance_norm', 'interpolate', 'kl_div', 'l1_loss', 'layer_norm', 'leaky_relu', 'linear', 'linear_cross_entropy', 'local_response_norm', 'log_softmax', 'logsigmoid', 'lp_pool1d', 'lp_pool2d', 'lp_pool3d', 'margin_ranking_loss', 'max_pool1d', 'max_pool1d_with_indices', 'max_pool2d', 'max_pool2d_with_indices', 'max_pool3d', 'max_pool3d_with_indices', 'max_unpool1d', 'max_unpool2d', 'max_unpool3d', 'mish', 'mse_loss', 'multi_head_attention_forward', 'multi_margin_loss', 'multilabel_margin_loss', 'multilabel_soft_margin_loss', 'native_channel_shuffle', 'nll_loss', 'normalize', 'one_hot', 'pad', 'pairwise_distance', 'pdist', 'pixel_shuffle', 'pixel_unshuffle', 'poisson_nll_loss', 'prelu', 'relu', 'relu6', 'rms_norm', 'rrelu', 'rrelu_', 'scaled_dot_product_attention', 'scaled_grouped_mm', 'scaled_mm', 'selu', 'sigmoid', 'silu', 'smooth_l1_loss', 'soft_margin_loss', 'softmax', 'softmin', 'softplus', 'softshrink', 'softsign', 'tanh', 'tanhshrink', 'threshold', 'triplet_margin_loss', 'triplet_margin_with_distance_loss', 'unfold', 'upsample', 'upsample_bilinear', 'upsample_nearest']

def adaptive_avg_pool1d(input: Tensor, output_size: _int | _Sizes) -> Tensor:
    """The means of `output_size` windows of the last dim.

    input: (N, C, L) or (C, L).

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        output_size: the size of the output: an int, or one for each dim; None keeps the size of a dim.

    Returns:
        a new tensor.
    """
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The means of windows of the last two dims, so many that the result has `output_size`; None keeps a size.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        output_size: the size of the output: an int, or one for each dim; None keeps the size of a dim.
    """
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """The means of windows of the last three dims, so many that the result has `output_size`.

    input: (N, C, D, H, W) or (C, D, H, W); a None in output_size keeps a size.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        output_size: the size of the output: an int, or one for each dim; None keeps the size of a dim.
    """
def adaptive_max_pool1d(input: Tensor, output_size: _int | _Sizes, return_indices: _bool = False) -> Any:
    """The maxima of `output_size` windows of the last dim.

    input: (N, C, L) or (C, L). With return_indices also their places.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        output_size: the size of the output: an int, or one for each dim; None keeps the size of a dim.
        return_indices: whether to also return the positions of the maxima. Default: False.

    Returns:
        a new tensor; with `return_indices`, the pair of it and the positions.
    """
def adaptive_max_pool1d_with_indices(input: Tensor, output_size: Any, return_indices: _bool = False) -> tuple[Tensor, Tensor]:
    """adaptive_max_pool1d with return_indices=True.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        output_size: the size of the output: an int, or one for each dim; None keeps the size of a dim.
        return_indices: whether to also return the positions of the maxima. Default: False.
    """
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: _bool = False) -> Any:
    """The maxima of windows of the last two dims, so many that the result has `output_size`.

    input: (N, C, H, W) or (C, H, W); a None in output_size keeps a size. With return_indices also their places.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        output_size: the size of the output: an int, or one for each dim; None keeps the size of a dim.
        return_indices: whether to also return the positions of the maxima. Default: False.
    """
def adaptive_max_pool2d_with_indices(input: Tensor, output_size: Any, return_indices: _bool = False) -> tuple[Tensor, Tensor]:
    """adaptive_max_pool2d with return_indices=True.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        output_size: the size of the output: an int, or one for each dim; None keeps the size of a dim.
        return_indices: whether to also return the positions of the maxima. Default: False.
    """
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: _bool = False) -> tuple[Tensor, ...]:
    """The maxima of windows of the last three dims, so many that the result has `output_size`.

    input: (N, C, D, H, W) or (C, D, H, W); a None in output_size keeps a size. With return_indices also their places.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        output_size: the size of the output: an int, or one for each dim; None keeps the size of a dim.
        return_indices: whether to also return the positions of the maxima. Default: False.
    """
def adaptive_max_pool3d_with_indices(input: Tensor, output_size: Any, return_indices: _bool = False) -> tuple[Tensor, Tensor]:
    """adaptive_max_pool3d with return_indices=True.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        output_size: the size of the output: an int, or one for each dim; None keeps the size of a dim.
        return_indices: whether to also return the positions of the maxima. Default: False.
    """
def affine_grid(theta: Tensor, size: _Sizes, align_corners: _bool | None = None) -> Tensor:
    """The grid for grid_sample of affine maps theta (N, 2, 3) or (N, 3, 4), for an output of `size` (N, C, ...).

    Args:
        theta: the affine maps, of shape (N, 2, 3) or (N, 3, 4).
        size: the shape of the images: (N, C, H, W) or (N, C, D, H, W).
        align_corners: whether -1 and 1 are the centres of the corner pixels. None (the default) means False.

    Returns:
        a new tensor.
    """
def alpha_dropout(input: Tensor, p: _float = ..., training: _bool = False, inplace: _bool = False) -> Tensor:
    """In training, drops elements with probability p and changes all so that mean and variance stay; otherwise the result is the input.

    Raises ValueError for p outside [0, 1].

    Args:
        input: the input tensor.
        p: the probability that an element (or a channel) is dropped, in [0, 1]. Default: 0.5.
        training: whether anything is dropped. False returns the input. Default: False.
        inplace: whether the result is written into `input`, which is then returned. Default: False.
    """
def avg_pool1d(input: Tensor, kernel_size: _int | _Sizes, stride: _int | _Sizes | None = None, padding: _int | _Sizes = 0, ceil_mode: _bool = False, count_include_pad: _bool = True) -> Tensor:
    """The mean of each window of the last dim.

    input: (N, C, L) or (C, L). Raises RuntimeError for a padding of more than half a window.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None or () (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most half the
            window. Default: 0.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach over the
            end. Default: False.
        count_include_pad: whether zeros of the padding count in the mean. Default: True.

    Returns:
        a new tensor.
    """
def avg_pool2d(input: Tensor, kernel_size: _int | _Sizes, stride: _int | _Sizes | None = None, padding: _int | _Sizes = 0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override: _int | None = None, *, out: Any = None) -> Tensor:
    """The mean of each window of the last two dims.

    input: (N, C, H, W) or (C, H, W). divisor_override: what the sums are divided by. Raises RuntimeError for a padding
    of more than half a window.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None or () (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most half the
            window. Default: 0.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach over the
            end. Default: False.
        count_include_pad: whether zeros of the padding count in the mean. Default: True.
        divisor_override: the divisor of the mean. None (the default) is the size of the window.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def avg_pool3d(input: Tensor, kernel_size: _int | _Sizes, stride: _int | _Sizes | None = None, padding: _int | _Sizes = 0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override: _int | None = None, *, out: Any = None) -> Tensor:
    """The mean of each window of the last three dims.

    input: (N, C, D, H, W) or (C, D, H, W). divisor_override: what the sums are divided by. Raises RuntimeError for a
    padding of more than half a window.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None or () (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most half the
            window. Default: 0.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach over the
            end. Default: False.
        count_include_pad: whether zeros of the padding count in the mean. Default: True.
        divisor_override: the divisor of the mean. None (the default) is the size of the window.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None, bias: Tensor | None = None, training: _bool = False, momentum: _float = ..., eps: _float = ...) -> Tensor:
    """Batch normalization over dim 1 (Ioffe & Szegedy 2015); in training the running statistics are updated in place.

    input: (N, C, …); statistics, weight and bias: (C). Raises ValueError in training for one value per channel,
    RuntimeError for other lengths.

    Args:
        input: the input, of shape (N, C, ...).
        running_mean: the running means, one for each channel, updated in training. None (the default, where
            there is one) keeps none.
        running_var: the running variances, one for each channel, updated in training. None (the default, where
            there is one) keeps none.
        weight: the factor for each channel or element. None (the default) multiplies by nothing.
        bias: the summand for each channel or element. None (the default) adds nothing.
        training: whether the statistics of the batch are used. False uses the running ones. Default: False.
        momentum: the weight of the new batch in the running statistics. Default: 0.1.
        eps: a small number added to the variance. Default: 1e-05.
    """
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """out[..., o] = sum over i, j of input1[..., i] * weight[o, i, j] * input2[..., j], plus bias[o].

    (…, I), (…, J) and weight (O, I, J) to (…, O).

    Args:
        input1: the first input, of shape (..., in1).
        input2: the second input, of shape (..., in2).
        weight: the weights, of shape (out, in1, in2).
        bias: the bias, of shape (out,). None (the default) adds none.

    Returns:
        a new tensor.
    """
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """-(target log input + (1 - target) log(1 - input)), logarithms bounded by -100; weighted, reduced.

    Raises RuntimeError if an element of input or target is not in [0, 1]: at once if the values are on the host, otherwise when a
    value computed from the loss is read.

    Args:
        input: the probabilities, or for the function with logits their logits.
        target: the wanted probabilities, in the shape of `input`.
        weight: a factor for each element; it broadcasts. None (the default) is 1.
        size_average: deprecated; use `reduction`. None (the default) leaves it to that.
        reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".

    Returns:
        a new tensor.
    """
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', pos_weight: Tensor | None = None) -> Tensor:
    """binary_cross_entropy of sigmoid(input), stably; pos_weight multiplies the terms of positive targets.

    The result has the dtype of target, which may be complex if pos_weight is None.

    Raises ValueError for a target of another shape.

    Args:
        input: the probabilities, or for the function with logits their logits.
        target: the wanted probabilities, in the shape of `input`.
        weight: a factor for each element; it broadcasts. None (the default) is 1.
        size_average: deprecated; use `reduction`. None (the default) leaves it to that.
        reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".
        pos_weight: a factor for the positive class; it broadcasts with `target`. None (the default) is 1.

    Returns:
        a new tensor.
    """
def celu(input: Tensor, alpha: Number = ..., inplace: _bool = False) -> Tensor:
    """input where it is positive, alpha * (exp(input / alpha) - 1) elsewhere.

    Raises RuntimeError for alpha = 0.

    Args:
        input: the input tensor.
        alpha: the scale of the exponential for negative inputs. Default: 1.0.
        inplace: whether the result is written into `input`, which is then returned. Default: False.

    Returns:
        a new tensor.
    """
def channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """Interleaves `groups` groups of channels (dim 1) (Zhang et al. 2018, arXiv:1707.01083).

    Raises RuntimeError if groups does not divide the channels.

    Args:
        input: the input tensor.
        groups: the number of groups of channels.

    Returns:
        a new tensor.
    """
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | _Sizes = 1, padding: _str | _int | _Sizes = 0, dilation: _int | _Sizes = 1, groups: _int = 1) -> Tensor:
    """Cross-correlates input (N, C, L) with weight (O, C / groups, K).

    The result is (N, O, (L + 2 padding − dilation (K − 1) − 1) // stride + 1). padding: a number for each dim, "valid"
    or "same". Raises RuntimeError for channels that do not fit.

    Args:
        input: the input, of shape (N, C_in, ...) or, for one sample, (C_in, ...).
        weight: the kernels, of shape (C_out, C_in / groups, ...).
        bias: the bias, of shape (C_out,). None (the default) adds none.
        stride: the distance between windows: an int, or one for each dim. Default: 1.
        padding: the zeros added at both ends of each dim: an int, one for each dim, or "valid" (none) or
            "same" (the output has the size of the input; stride 1). Default: 0.
        dilation: the distance between the elements of a kernel: an int, or one for each dim. Default: 1.
        groups: the number of groups of channels that are convolved apart; it divides C_in and C_out. Default:
            1.

    Returns:
        a new tensor.
    """
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | _Sizes = 1, padding: _str | _int | _Sizes = 0, dilation: _int | _Sizes = 1, groups: _int = 1) -> Tensor:
    """Cross-correlates input (N, C, H, W) with weight (O, C / groups, KH, KW).

    Args:
        input: the input, of shape (N, C_in, ...) or, for one sample, (C_in, ...).
        weight: the kernels, of shape (C_out, C_in / groups, ...).
        bias: the bias, of shape (C_out,). None (the default) adds none.
        stride: the distance between windows: an int, or one for each dim. Default: 1.
        padding: the zeros added at both ends of each dim: an int, one for each dim, or "valid" (none) or
            "same" (the output has the size of the input; stride 1). Default: 0.
        dilation: the distance between the elements of a kernel: an int, or one for each dim. Default: 1.
        groups: the number of groups of channels that are convolved apart; it divides C_in and C_out. Default:
            1.

    Returns:
        a new tensor.
    """
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | _Sizes = 1, padding: _str | _int | _Sizes = 0, dilation: _int | _Sizes = 1, groups: _int = 1) -> Tensor:
    """Cross-correlates input (N, C, D, H, W) with weight (O, C / groups, KD, KH, KW).

    padding: a number for each dim, "valid" or "same". Raises RuntimeError for channels that do not fit.

    Args:
        input: the input, of shape (N, C_in, ...) or, for one sample, (C_in, ...).
        weight: the kernels, of shape (C_out, C_in / groups, ...).
        bias: the bias, of shape (C_out,). None (the default) adds none.
        stride: the distance between windows: an int, or one for each dim. Default: 1.
        padding: the zeros added at both ends of each dim: an int, one for each dim, or "valid" (none) or
            "same" (the output has the size of the input; stride 1). Default: 0.
        dilation: the distance between the elements of a kernel: an int, or one for each dim. Default: 1.
        groups: the number of groups of channels that are convolved apart; it divides C_in and C_out. Default:
            1.

    Returns:
        a new tensor.
    """
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: _int = 0) -> Tensor:
    """conv1d of input (T, N, C) with weight (K, C, O): time first, channels last.

    Args:
        input: the input, of shape (time, batch, C_in).
        weight: the kernels, of shape (width, C_in, C_out).
        bias: the bias, of shape (C_out,).
        pad: the zeros added at both ends of the time. Default: 0.

    Returns:
        a new tensor.
    """
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | _Sizes = 1, padding: _int | _Sizes = 0, output_padding: _int | _Sizes = 0, groups: _int = 1, dilation: _int | _Sizes = 1) -> Tensor:
    """The transpose (the gradient with respect to the input) of conv1d; weight: (C, O / groups, K).

    The result's length is (L − 1) stride − 2 padding + dilation (K − 1) + output_padding + 1.

    Args:
        input: the input, of shape (N, C_in, ...) or, for one sample, (C_in, ...).
        weight: the kernels, of shape (C_in, C_out / groups, ...).
        bias: the bias, of shape (C_out,). None (the default) adds none.
        stride: the distance between windows: an int, or one for each dim. Default: 1.
        padding: how much is cropped from both ends of each dim, as an int or a tuple: dilation * (kernel_size
            - 1) - padding zeros are added. Default: 0.
        output_padding: the size added to one end of each dim of the output: an int, or one for each dim.
            Default: 0.
        groups: the number of groups of channels that are convolved apart; it divides C_in and C_out. Default:
            1.
        dilation: the distance between the elements of a kernel: an int, or one for each dim. Default: 1.

    Returns:
        a new tensor.
    """
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | _Sizes = 1, padding: _int | _Sizes = 0, output_padding: _int | _Sizes = 0, groups: _int = 1, dilation: _int | _Sizes = 1) -> Tensor:
    """The transpose (the gradient with respect to the input) of conv2d; weight: (C, O / groups, KH, KW).

    Args:
        input: the input, of shape (N, C_in, ...) or, for one sample, (C_in, ...).
        weight: the kernels, of shape (C_in, C_out / groups, ...).
        bias: the bias, of shape (C_out,). None (the default) adds none.
        stride: the distance between windows: an int, or one for each dim. Default: 1.
        padding: how much is cropped from both ends of each dim, as an int or a tuple: dilation * (kernel_size
            - 1) - padding zeros are added. Default: 0.
        output_padding: the size added to one end of each dim of the output: an int, or one for each dim.
            Default: 0.
        groups: the number of groups of channels that are convolved apart; it divides C_in and C_out. Default:
            1.
        dilation: the distance between the elements of a kernel: an int, or one for each dim. Default: 1.

    Returns:
        a new tensor.
    """
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | _Sizes = 1, padding: _int | _Sizes = 0, output_padding: _int | _Sizes = 0, groups: _int = 1, dilation: _int | _Sizes = 1) -> Tensor:
    """The transpose (the gradient with respect to the input) of conv3d; weight: (C, O / groups, KD, KH, KW).

    Args:
        input: the input, of shape (N, C_in, ...) or, for one sample, (C_in, ...).
        weight: the kernels, of shape (C_in, C_out / groups, ...).
        bias: the bias, of shape (C_out,). None (the default) adds none.
        stride: the distance between windows: an int, or one for each dim. Default: 1.
        padding: how much is cropped from both ends of each dim, as an int or a tuple: dilation * (kernel_size
            - 1) - padding zeros are added. Default: 0.
        output_padding: the size added to one end of each dim of the output: an int, or one for each dim.
            Default: 0.
        groups: the number of groups of channels that are convolved apart; it divides C_in and C_out. Default:
            1.
        dilation: the distance between the elements of a kernel: an int, or one for each dim. Default: 1.

    Returns:
        a new tensor.
    """
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: _float = ..., size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """1 - cosine(input1, input2) where target is 1, max(0, cosine - margin) where it is -1; reduced.

    input1, input2: (N, D) and target (N), or (D) and ().

    Args:
        input1: the first vectors, of shape (N, D) or (D,).
        input2: the second vectors.
        target: 1 for similar pairs, -1 for others.
        margin: the largest cosine of pairs with target -1 that costs nothing. Default: 0.0.
        size_average: deprecated; use `reduction`. None (the default) leaves it to that.
        reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".

    Returns:
        a new tensor.
    """
def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = 1, eps: _float = ...) -> Tensor:
    """The cosine of the angle between x1 and x2 along dim; norms below eps count as eps.

    Args:
        x1: the first vectors.
        x2: the second vectors; they broadcast with the first.
        dim: the dim of the vectors. Default: 1.
        eps: a small number: the least product of norms, or a summand of the difference. Default: 1e-08.

    Returns:
        a new tensor.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
    """
def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, ignore_index: _int = -100, reduce: _bool | None = None, reduction: _str = 'mean', label_smoothing: _float = ...) -> Tensor:
    """The negative log-likelihood of classes (indices, or probabilities in input's shape) under softmax(input).

    input: (C,), (N, C) or (N, C, d1, ...) logits.

    Args:
        input: the logits, of shape (C,), (N, C) or (N, C, ...).
        target: the classes, int64, of shape (), (N,) or (N, ...); or probabilities in the shape of `input`.
        weight: one weight for each class, of shape (C,). None (the default) weighs all with 1.
        size_average: deprecated; use `reduction`. None (the default) leaves it to that.
        ignore_index: a class that is left out of the loss and of the gradient. Default: -100.
        reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".
        label_smoothing: how much of the probability is spread evenly over all classes, in [0, 1]. Default: 0.0.

    Returns:
        a new tensor.
    """
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: _int = 0, reduction: _str = 'mean', zero_infinity: _bool = False) -> Tensor:
    """Connectionist temporal classification loss: -log p(targets | log_probs) over all alignments (Graves et al. 2006).

    log_probs: (T, N, C) or (T, C). targets: (N, S), or the concatenated targets. Lengths: tensors or tuples of ints.

    Args:
        log_probs: the logarithms of the probabilities, of shape (T, N, C) or (T, C).
        targets: the target sequences, of shape (N, S), or all joined in one dim.
        input_lengths: the length of each input.
        target_lengths: the length of each target.
        blank: the class of the blank. Default: 0.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".
        zero_infinity: whether infinite losses and their gradients become 0. Default: False.
    """
def dropout(input: Tensor, p: _float = ..., training: _bool = True, inplace: _bool = False) -> Tensor:
    """In training, drops elements with probability p and multiplies the others by 1 / (1 - p); otherwise the result is the input.

    Raises ValueError for p outside [0, 1].

    Args:
        input: the input tensor.
        p: the probability that an element (or a channel) is dropped, in [0, 1]. Default: 0.5.
        training: whether anything is dropped. False returns the input. Default: True.
        inplace: whether the result is written into `input`, which is then returned. Default: False.
    """
def dropout1d(input: Tensor, p: _float = ..., training: _bool = True, inplace: _bool = False) -> Tensor:
    """In training, drops whole channels with probability p and multiplies the others by 1 / (1 - p); otherwise the result is the input.

    Raises ValueError for p outside [0, 1].

    Args:
        input: the input tensor.
        p: the probability that an element (or a channel) is dropped, in [0, 1]. Default: 0.5.
        training: whether anything is dropped. False returns the input. Default: True.
        inplace: whether the result is written into `input`, which is then returned. Default: False.
    """
def dropout2d(input: Tensor, p: _float = ..., training: _bool = True, inplace: _bool = False) -> Tensor:
    """In training, drops whole channels with probability p and multiplies the others by 1 / (1 - p); otherwise the result is the input.

    Raises ValueError for p outside [0, 1].

    Args:
        input: the input tensor.
        p: the probability that an element (or a channel) is dropped, in [0, 1]. Default: 0.5.
        training: whether anything is dropped. False returns the input. Default: True.
        inplace: whether the result is written into `input`, which is then returned. Default: False.
    """
def dropout3d(input: Tensor, p: _float = ..., training: _bool = True, inplace: _bool = False) -> Tensor:
    """In training, drops whole channels with probability p and multiplies the others by 1 / (1 - p); otherwise the result is the input.

    Raises ValueError for p outside [0, 1].

    Args:
        input: the input tensor.
        p: the probability that an element (or a channel) is dropped, in [0, 1]. Default: 0.5.
        training: whether anything is dropped. False returns the input. Default: True.
        inplace: whether the result is written into `input`, which is then returned. Default: False.
    """
def elu(input: Tensor, alpha: Number = ..., inplace: _bool = False) -> Tensor:
    """input where it is positive, alpha * (exp(input) - 1) elsewhere.

    Args:
        input: the input tensor.
        alpha: the scale of the exponential for negative inputs. Default: 1.0.
        inplace: whether the result is written into `input`, which is then returned. Default: False.

    Returns:
        a new tensor.
    """
def embedding(input: Tensor, weight: Tensor, padding_idx: _int | None = None, max_norm: _float | None = None, norm_type: _float = ..., scale_grad_by_freq: _bool = False, sparse: _bool = False) -> Tensor:
    """The rows of weight (number, features) that input names; the row `padding_idx` gets no gradient.

    max_norm: rows that are looked up and have a larger norm are scaled down to it first, in weight itself.
    scale_grad_by_freq: gradients are divided by how often the row is looked up. sparse: the gradient of weight is a
    sparse tensor of the rows that are looked up; inside a transform, and where dual numbers are, it is dense, which a
    warning says.

    Args:
        input: the rows to look up, int64 or int32.
        weight: the vectors, of shape (number of vectors, dim).
        padding_idx: the row that gets no gradient. None (the default) means none.
        max_norm: if given, looked-up rows with a larger norm are scaled down to it, in place. None (the
            default) scales nothing.
        norm_type: the order of the norm for `max_norm`. Default: 2.0.
        scale_grad_by_freq: whether gradients are divided by how often a row occurs in the batch. Default:
            False.
        sparse: whether the gradient of `weight` is a sparse tensor. Default: False.
    """
def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: _float | None = None, norm_type: _float = 2, scale_grad_by_freq: _bool = False, mode: _str = 'mean', sparse: _bool = False, per_sample_weights: Tensor | None = None, include_last_offset: _bool = False, padding_idx: _int | None = None) -> Tensor:
    """The "sum", "mean" or "max" of the rows of weight (number, features) that each bag of indices names: (bags,
    features).

    input: (bags, length) indices, or (N,) with `offsets`, where each bag begins (the first at 0), and with
    include_last_offset where the last one ends. per_sample_weights: like input, for "sum". padding_idx: a row that
    takes no part. sparse: as in embedding; with padding_idx gradients are dense. Values on the host are checked
    (values_at_hand.py).

    Args:
        input: the rows to look up, int64 or int32.
        weight: the vectors, of shape (number of vectors, dim).
        offsets: where each bag begins in a 1-D `input`. None (the default) if `input` is 2-D, with one bag in
            each row.
        max_norm: if given, looked-up rows with a larger norm are scaled down to it, in place. None (the
            default) scales nothing.
        norm_type: the order of the norm for `max_norm`. Default: 2.
        scale_grad_by_freq: whether gradients are divided by how often a row occurs in the batch. Default:
            False.
        mode: how a bag is reduced: "sum", "mean" or "max" (torch.embedding_bag takes 0, 1 or 2). Default:
            "mean".
        sparse: whether the gradient of `weight` is a sparse tensor. Default: False.
        per_sample_weights: one weight for each element of `input`, for mode "sum". None (the default) weighs
            all with 1.
        include_last_offset: whether `offsets` has the end of the last bag as a further element. Default: False.
        padding_idx: the row that gets no gradient. None (the default) means none.
    """
def feature_alpha_dropout(input: Tensor, p: _float = ..., training: _bool = False, inplace: _bool = False) -> Tensor:
    """Alpha dropout of whole channels.

    input: (N, C, …). Raises ValueError for p outside [0, 1].

    Args:
        input: the input tensor.
        p: the probability that an element (or a channel) is dropped, in [0, 1]. Default: 0.5.
        training: whether anything is dropped. False returns the input. Default: False.
        inplace: whether the result is written into `input`, which is then returned. Default: False.
    """
def fold(input: Tensor, output_size: _int | _Sizes, kernel_size: _int | _Sizes, dilation: _int | _Sizes = 1, padding: _int | _Sizes = 0, stride: _int | _Sizes = 1) -> Tensor:
    """The transpose of unfold: sums columns (N, C kh kw, blocks) into an image (N, C, *output_size).

    Raises RuntimeError for a number of blocks that does not fit.

    Args:
        input: the input tensor.
        output_size: the sizes (H, W) of the image.
        kernel_size: the size of the blocks: an int or a pair.
        dilation: the distance between the elements of a block: an int or a pair. Default: 1.
        padding: the zeros around the image: an int or a pair. Default: 0.
        stride: the distance between blocks: an int or a pair. Default: 1.

    Returns:
        a new tensor.
    """
def fractional_max_pool2d(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Tensor | None = None) -> Any:
    """The maxima of randomly placed windows of the last 2 dims (Graham 2014, arXiv:1412.6071).

    There are so many that the result has output_size, or output_ratio times the input's sizes. Raises ValueError if neither is given.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        kernel_size: the size of the window: an int, or one for each dim.
        output_size: the size of the output: an int, or one for each dim. None (the default) if `output_ratio`
            is given.
        output_ratio: the size of the output as a fraction of the input's, in (0, 1). None (the default) if
            `output_size` is given.
        return_indices: whether to also return the positions of the maxima. Default: False.
    """
def fractional_max_pool2d_with_indices(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """fractional_max_pool2d with return_indices=True.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        kernel_size: the size of the window: an int, or one for each dim.
        output_size: the size of the output: an int, or one for each dim. None (the default) if `output_ratio`
            is given.
        output_ratio: the size of the output as a fraction of the input's, in (0, 1). None (the default) if
            `output_size` is given.
        return_indices: whether to also return the positions of the maxima. Default: False.
    """
def fractional_max_pool3d(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Tensor | None = None) -> tuple[Tensor, ...]:
    """The maxima of randomly placed windows of the last 3 dims (Graham 2014, arXiv:1412.6071).

    There are so many that the result has output_size, or output_ratio times the input's sizes. Raises ValueError if neither is given.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        kernel_size: the size of the window: an int, or one for each dim.
        output_size: the size of the output: an int, or one for each dim. None (the default) if `output_ratio`
            is given.
        output_ratio: the size of the output as a fraction of the input's, in (0, 1). None (the default) if
            `output_size` is given.
        return_indices: whether to also return the positions of the maxima. Default: False.
    """
def fractional_max_pool3d_with_indices(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """fractional_max_pool3d with return_indices=True.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        kernel_size: the size of the window: an int, or one for each dim.
        output_size: the size of the output: an int, or one for each dim. None (the default) if `output_ratio`
            is given.
        output_ratio: the size of the output as a fraction of the input's, in (0, 1). None (the default) if
            `output_size` is given.
        return_indices: whether to also return the positions of the maxima. Default: False.
    """
def gaussian_nll_loss(input: Tensor, target: Tensor | Number, var: Tensor | Number, full: _bool = False, eps: Tensor | Number | None = ..., reduction: _str = 'mean') -> Tensor:
    """(log var + (input - target) ** 2 / var) / 2, plus log(2 pi) / 2 with `full`; var is at least eps; reduced.

    var: of input's shape, with a last 1, or without the last dim. Raises ValueError for a negative one.

    Args:
        input: the means.
        target: the observations.
        var: the variances, not negative: a tensor or a number.
        full: whether the constant is added. Default: False.
        eps: the least variance. Default: 1e-06.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".

    Returns:
        a new tensor.
    """
def gelu(input: Tensor, *, approximate: _str = 'none', out: Any = None) -> Tensor:
    """input times the normal distribution function of input; approximate="tanh" for the cheaper formula.

    Raises RuntimeError for another `approximate` than "none" and "tanh".

    Args:
        input: the input tensor.
        approximate: "none" for the exact function, "tanh" for an approximation by tanh. Default: "none".
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def glu(input: Tensor, dim: _int = -1) -> Tensor:
    """The first half of input along dim, times the sigmoid of the second half.

    (…, 2 N, …) to (…, N, …). Raises RuntimeError if the size along dim is odd.

    Args:
        input: the input tensor.
        dim: the dim to halve. Default: -1.

    Returns:
        a new tensor.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
    """
def grid_sample(input: Tensor, grid: Tensor, mode: _str = 'bilinear', padding_mode: _str = 'zeros', align_corners: _bool | None = None) -> Tensor:
    """input (N, C, ...) sampled at the points of grid (N, ..., 2 or 3), whose coordinates x, y, z run from -1 to 1.

    mode: "bilinear", "nearest" or "bicubic"; padding_mode: "zeros", "border" or "reflection". align_corners: whether ±1
    are the centres of the outer elements, or their edges.

    Args:
        input: the images, of shape (N, C, H, W) or (N, C, D, H, W).
        grid: the positions to sample, of shape (N, ..., 2) or (N, ..., 3); -1 and 1 are the ends.
        mode: "bilinear", "nearest" or "bicubic". Default: "bilinear".
        padding_mode: "zeros", "border" or "reflection": values outside of the image (an int in
            torch.grid_sampler). Default: "zeros".
        align_corners: whether -1 and 1 are the centres of the corner pixels. None (the default) means False.

    Returns:
        a new tensor.
    """
def group_norm(input: Tensor, num_groups: _int, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = ...) -> Tensor:
    """input normalized over groups of channels and all further dims (Wu & He 2018, arXiv:1803.08494).

    input: (N, C, …), weight and bias (C). Raises RuntimeError if num_groups does not divide C.

    Args:
        input: the input tensor.
        num_groups: the number of groups of channels; it divides the number of channels.
        weight: the factor for each channel or element. None (the default) multiplies by nothing.
        bias: the summand for each channel or element. None (the default) adds nothing.
        eps: a small number added to the variance. Default: 1e-05.

    Returns:
        a new tensor.
    """
def grouped_mm(mat_a: Tensor, mat_b: Tensor, *, offs: Tensor | None = None, bias: Tensor | None = None, out_dtype: _dtype | None = None) -> Tensor:
    """Products of matrices in groups: what is 2-d is cut into groups that end at `offs` (int32, not decreasing), what
    is 3-d has one matrix for each.

    (M, K) @ (G, K, N) -> (M, N): each group of rows with its own matrix. (G, M, K) @ (K, N) -> (M, N): each group of
    columns. (M, K) @ (K, N) -> (G, M, N): each group of the summed dim. (G, M, K) @ (G, K, N) -> (G, M, N), without
    offs. The dtype is float32, bfloat16 or float16; rows or columns must begin at multiples of 16 bytes. Rows beyond
    the last group are zero (in PyTorch they are uninitialized memory). A bias and an out_dtype that differs from the
    inputs' raise, as in PyTorch on a CPU.

    Args:
        mat_a: the first matrix or batch of matrices.
        mat_b: the second matrix or batch of matrices.
        offs: the ends of the groups, 1-D, int32. None (the default) if both are 3-D.
        bias: must be None, as in PyTorch on a CPU.
        out_dtype: must be None or the dtype of the inputs, as in PyTorch on a CPU.
    """
def gumbel_softmax(logits: Tensor, tau: _float = 1, hard: _bool = False, eps: _float = ..., dim: _int = -1) -> Tensor:
    """A sample of the Gumbel-softmax distribution (Jang et al., Maddison et al. 2016); one-hot where `hard`, with the
    soft sample's gradient.

    logits: (…, C, …), of a floating point dtype; the result has its shape.

    Args:
        logits: the logarithms of the probabilities, not necessarily normalized.
        tau: the temperature, positive. Default: 1.
        hard: whether the result is one-hot, with the gradient of the soft one. Default: False.
        eps: PyTorch's deprecated parameter; it changes nothing. Default: 1e-10.
        dim: the dim along which the results add up to 1. Default: -1.
    """
def hardshrink(input: Tensor, lambd: Number = ..., *, out: Any = None) -> Tensor:
    """0 where |input| <= lambd, input elsewhere.

    Args:
        input: the input tensor.
        lambd: the half width of the interval around 0 that becomes 0. Default: 0.5.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def hardsigmoid(input: Tensor, inplace: _bool = False) -> Tensor:
    """0 below -3, 1 above 3, input / 6 + 1/2 between.

    Args:
        input: the input tensor.
        inplace: whether the result is written into `input`, which is then returned. Default: False.

    Returns:
        a new tensor.
    """
def hardswish(input: Tensor, inplace: _bool = False) -> Tensor:
    """input * hardsigmoid(input).

    Args:
        input: the input tensor.
        inplace: whether the result is written into `input`, which is then returned. Default: False.

    Returns:
        a new tensor.
    """
def hardtanh(input: Tensor, min_val: Number = ..., max_val: Number = ..., inplace: _bool = False) -> Tensor:
    """Clips to [min_val, max_val]; keeps integer dtypes.

    Raises ValueError if min_val is larger than max_val.

    Args:
        input: the input tensor.
        min_val: the lower bound. Default: -1.0.
        max_val: the upper bound. Default: 1.0.
        inplace: whether the result is written into `input`, which is then returned. Default: False.

    Returns:
        a new tensor.
    """
def hardtanh_(input: Tensor, min_val: _float = ..., max_val: _float = ...) -> Tensor:
    """hardtanh in place. Unlike hardtanh's, bounds in the wrong order are allowed: everything becomes max_val then.

    Args:
        input: the input tensor.
        min_val: the lower bound. Default: -1.0.
        max_val: the upper bound. Default: 1.0.
    """
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: _float = ..., size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """input where target is 1, max(0, margin - input) where it is -1; reduced.

    Args:
        input: the distances.
        target: 1 or -1, in the shape of `input`.
        margin: the least distance of pairs with target -1. Default: 1.0.
        size_average: deprecated; use `reduction`. None (the default) leaves it to that.
        reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".

    Returns:
        a new tensor.
    """
def huber_loss(input: Tensor, target: Tensor, reduction: _str = 'mean', delta: _float = ..., weight: Tensor | None = None) -> Tensor:
    """d ** 2 / 2 where d = |input - target| <= delta, delta (d - delta / 2) elsewhere; reduced.

    Raises ValueError for a reduction that is not "mean", "sum" or "none".

    Args:
        input: the input tensor.
        target: the wanted values, in the shape of `input`.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".
        delta: the distance at which the loss changes from quadratic to linear. Default: 1.0.
        weight: a factor for each element. None (the default) is 1.

    Returns:
        a new tensor.
    """
def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: _bool = True, momentum: _float = ..., eps: _float = ...) -> Tensor:
    """Instance normalization (Ulyanov et al. 2016); running statistics, if given, are updated in place.

    input: (N, C, …), normalized over all dims after the second.

    Args:
        input: the input, of shape (N, C, ...).
        running_mean: the running means, one for each channel, updated in training. None (the default, where
            there is one) keeps none.
        running_var: the running variances, one for each channel, updated in training. None (the default, where
            there is one) keeps none.
        weight: the factor for each channel or element. None (the default) multiplies by nothing.
        bias: the summand for each channel or element. None (the default) adds nothing.
        use_input_stats: whether the statistics of the input are used. False uses the running ones. Default:
            True.
        momentum: the weight of the new batch in the running statistics. Default: 0.1.
        eps: a small number added to the variance. Default: 1e-05.
    """
def interpolate(input: Tensor, size: Any = None, scale_factor: Any = None, mode: _str = 'nearest', align_corners: Any = None, recompute_scale_factor: _bool | None = None, antialias: _bool = False) -> Tensor:
    """input (N, C, ...) resampled to `size` or by `scale_factor`.

    mode: "nearest", "nearest-exact", "linear" (3-D), "bilinear", "bicubic" (4-D), "trilinear" (5-D), "area";
    with antialias "bilinear", "bicubic" or "lanczos" (4-D), in which the filter widens as the image shrinks.

    Raises ValueError if both or neither of size and scale_factor are given, NotImplementedError for a mode that does
    not fit the dims.

    Args:
        input: the input, of shape (N, C, ...).
        size: the sizes of the output: an int, or one for each dim. None (the default) if `scale_factor` is
            given.
        scale_factor: the factors of the sizes: a number, or one for each dim. None (the default) if `size` is
            given.
        mode: "nearest", "nearest-exact", "linear" (3-D), "bilinear", "bicubic" or "lanczos" (4-D), "trilinear"
            (5-D) or "area". Default: "nearest".
        align_corners: whether the corners of input and output coincide. None (the default) means False.
        recompute_scale_factor: whether the scale is computed from the rounded sizes. None (the default) means
            False.
        antialias: whether the filter widens as the image shrinks (4-D). Default: False.
    """
def kl_div(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', log_target: _bool = False) -> Tensor:
    """target (log target - input), where input (and with log_target also target) is a logarithm; reduced.

    reduction "batchmean" divides the sum by the batch's size: the divergence; "mean", by the number of elements, with a
    warning.

    Args:
        input: the logarithms of the probabilities.
        target: the probabilities, or their logarithms if `log_target`.
        size_average: deprecated; use `reduction`. None (the default) leaves it to that.
        reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".
        log_target: whether `target` has logarithms. Default: False.

    Returns:
        a new tensor.
    """
def l1_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', weight: Tensor | None = None) -> Tensor:
    """|input - target|, reduced.

    Other shapes are broadcast, with a warning. Raises ValueError for a reduction that is not "mean", "sum" or "none".

    Args:
        input: the input tensor.
        target: the wanted values, in the shape of `input`.
        size_average: deprecated; use `reduction`. None (the default) leaves it to that.
        reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".
        weight: a factor for each element. None (the default) is 1.

    Returns:
        a new tensor.
    """
def layer_norm(input: Tensor, normalized_shape: _Sizes, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = ...) -> Tensor:
    """input normalized over its last dims, which have `normalized_shape` (Ba et al. 2016, arXiv:1607.06450).

    Args:
        input: the input tensor.
        normalized_shape: the sizes of the last dims, over which the input is normalized: an int or a tuple of
            ints.
        weight: the factor for each channel or element. None (the default) multiplies by nothing.
        bias: the summand for each channel or element. None (the default) adds nothing.
        eps: a small number added to the variance. Default: 1e-05.

    Returns:
        a new tensor.
    """
def leaky_relu(input: Tensor, negative_slope: Number = ..., inplace: _bool = False) -> Tensor:
    """input where it is positive, negative_slope * input elsewhere.

    Args:
        input: the input tensor.
        negative_slope: the slope for negative inputs. Default: 0.01.
        inplace: whether the result is written into `input`, which is then returned. Default: False.

    Returns:
        a new tensor.
    """
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, *, out: Any = None) -> Tensor:
    """input @ weight.T + bias, over the last dim of input.

    weight: (out, in), or (in,) for a result without the last dim; bias: anything that broadcasts to the result.

    Args:
        input: the input, of shape (..., in_features).
        weight: the weights, of shape (out_features, in_features) or (in_features,).
        bias: the bias, of shape (out_features,). None (the default) adds none.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def linear_cross_entropy(input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = None, weight: Tensor | None = None, reduction: _str = 'mean', ignore_index: _int | None = None, label_smoothing: _float = ..., options: Any = None) -> Tensor:
    """cross_entropy(linear(input, linear_weight, linear_bias), target). input: (N, F) or (F), linear_weight: (C, *, F).

    `options` ask PyTorch to go through the batch in pieces, to save memory; here the whole is computed, with a warning.

    Args:
        input: the features, of shape (N, F) or (F,).
        linear_weight: the weights of the linear layer, of shape (C, F) or (C, ..., F).
        target: the classes, int64.
        linear_bias: the bias of the linear layer. None (the default) adds none.
        weight: one weight for each class, of shape (C,). None (the default) weighs all with 1.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".
        ignore_index: a class that is left out. None (the default) leaves out none.
        label_smoothing: how much of the probability is spread evenly over all classes, in [0, 1]. Default: 0.0.
        options: an `nn.LinearCrossEntropyOptions`; it changes no result. None (the default) sets none.
    """
def local_response_norm(input: Tensor, size: _int, alpha: _float = ..., beta: _float = ..., k: _float = ...) -> Tensor:
    """input / (k + alpha * mean of squares over `size` neighbouring channels) ** beta; without elements it is input
    itself.

    input: (N, C, …); the result has its shape.

    Args:
        input: the input tensor.
        size: the number of neighbouring channels.
        alpha: the factor of the mean of squares. Default: 0.0001.
        beta: the exponent. Default: 0.75.
        k: the summand. Default: 1.0.
    """
def log_softmax(input: Tensor, dim: _int | None = None, _stacklevel: _int = 3, dtype: _dtype | None = None) -> Tensor:
    """The logarithm of softmax, computed stably.

    Args:
        input: the input tensor.
        dim: the dim along which the results add up to 1. In nn.functional, None (the default) chooses it as
            PyTorch does, with a warning.
        dtype: the dtype to which `input` is cast first. None (the default) keeps its own.

    Returns:
        a new tensor.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
    """
def logsigmoid(input: Tensor, *, out: Any = None) -> Tensor:
    """log(1 / (1 + exp(-input))), without overflow.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def lp_pool1d(input: Tensor, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: _bool = False) -> Tensor:
    """(sum of input ** norm_type) ** (1 / norm_type) over each window of the last dim.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        norm_type: the order p of the power mean.
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows. None (the default) is `kernel_size`.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach over the
            end. Default: False.
    """
def lp_pool2d(input: Tensor, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: _bool = False) -> Tensor:
    """(sum of input ** norm_type) ** (1 / norm_type) over each window of the last two dims.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        norm_type: the order p of the power mean.
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows. None (the default) is `kernel_size`.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach over the
            end. Default: False.
    """
def lp_pool3d(input: Tensor, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: _bool = False) -> Tensor:
    """(sum of input ** norm_type) ** (1 / norm_type) over each window of the last three dims.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        norm_type: the order p of the power mean.
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows. None (the default) is `kernel_size`.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach over the
            end. Default: False.
    """
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: _float = ..., size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """max(0, margin - target (input1 - input2)), reduced.

    Args:
        input1: the first scores.
        input2: the second scores.
        target: 1 if the first should be larger, else -1.
        margin: the least difference. Default: 0.0.
        size_average: deprecated; use `reduction`. None (the default) leaves it to that.
        reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".

    Returns:
        a new tensor.
    """
def max_pool1d(input: Tensor, kernel_size: _int | _Sizes, stride: _int | _Sizes | None = None, padding: _int | _Sizes = 0, dilation: _int | _Sizes = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Any:
    """The maximum of each window of the last dim; with return_indices also its place there.

    input: (N, C, L) or (C, L). Raises RuntimeError for a padding of more than half a window.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None or () (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most half the
            window. Default: 0.
        dilation: the distance between the elements of a window: an int, or one for each dim. Default: 1.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach over the
            end. Default: False.
        return_indices: whether to also return the positions of the maxima. Default: False.

    Returns:
        a new tensor; with `return_indices`, the pair of it and the positions.
    """
def max_pool1d_with_indices(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> tuple[Tensor, Tensor]:
    """max_pool1d with return_indices=True.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None or () (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most half the
            window. Default: 0.
        dilation: the distance between the elements of a window: an int, or one for each dim. Default: 1.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach over the
            end. Default: False.
        return_indices: whether to also return the positions of the maxima. Default: False.
    """
def max_pool2d(input: Tensor, kernel_size: _int | _Sizes, stride: _int | _Sizes | None = None, padding: _int | _Sizes = 0, dilation: _int | _Sizes = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Any:
    """The maximum of each window of the last two dims; with return_indices also its place in the flattened plane.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None or () (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most half the
            window. Default: 0.
        dilation: the distance between the elements of a window: an int, or one for each dim. Default: 1.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach over the
            end. Default: False.
        return_indices: whether to also return the positions of the maxima. Default: False.

    Returns:
        a new tensor; with `return_indices`, the pair of it and the positions.
    """
def max_pool2d_with_indices(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> tuple[Tensor, Tensor]:
    """max_pool2d with return_indices=True.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None or () (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most half the
            window. Default: 0.
        dilation: the distance between the elements of a window: an int, or one for each dim. Default: 1.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach over the
            end. Default: False.
        return_indices: whether to also return the positions of the maxima. Default: False.
    """
def max_pool3d(input: Tensor, kernel_size: _int | _Sizes, stride: _int | _Sizes | None = None, padding: _int | _Sizes = 0, dilation: _int | _Sizes = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Any:
    """The maximum of each window of the last three dims; with return_indices also its place in the flattened volume.

    input: (N, C, D, H, W) or (C, D, H, W). Raises RuntimeError for a padding of more than half a window.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None or () (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most half the
            window. Default: 0.
        dilation: the distance between the elements of a window: an int, or one for each dim. Default: 1.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach over the
            end. Default: False.
        return_indices: whether to also return the positions of the maxima. Default: False.

    Returns:
        a new tensor; with `return_indices`, the pair of it and the positions.
    """
def max_pool3d_with_indices(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> tuple[Tensor, Tensor]:
    """max_pool3d with return_indices=True.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None or () (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most half the
            window. Default: 0.
        dilation: the distance between the elements of a window: an int, or one for each dim. Default: 1.
        ceil_mode: whether the size of the output is rounded up, so that the last window may reach over the
            end. Default: False.
        return_indices: whether to also return the positions of the maxima. Default: False.
    """
def max_unpool1d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """input (N, C, L) or (C, L) at the places `indices` that max_pool1d gave; planes with an index out of range become
    nan.

    Args:
        input: the pooled values.
        indices: the positions of the values, as max pooling with `return_indices=True` returns them.
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None or () (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most half the
            window. Default: 0.
        output_size: the shape of the output. None (the default) computes the smallest from the window.

    Returns:
        a new tensor.
    """
def max_unpool2d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """input (N, C, H, W) or (C, H, W) at the places `indices` that max_pool2d gave, zeros elsewhere.

    Args:
        input: the pooled values.
        indices: the positions of the values, as max pooling with `return_indices=True` returns them.
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None or () (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most half the
            window. Default: 0.
        output_size: the shape of the output. None (the default) computes the smallest from the window.

    Returns:
        a new tensor.
    """
def max_unpool3d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """input (N, C, D, H, W) or (C, D, H, W) at the places `indices` that max_pool3d gave, zeros elsewhere.

    Args:
        input: the pooled values.
        indices: the positions of the values, as max pooling with `return_indices=True` returns them.
        kernel_size: the size of the window: an int, or one for each dim.
        stride: the distance between windows: an int, or one for each dim. None or () (the default) is
            `kernel_size`.
        padding: how far both ends of each dim are padded: an int, or one for each dim; at most half the
            window. Default: 0.
        output_size: the shape of the output. None (the default) computes the smallest from the window.

    Returns:
        a new tensor.
    """
def mish(input: Tensor, inplace: _bool = False) -> Tensor:
    """input * tanh(log(1 + exp(input))).

    Args:
        input: the input tensor.
        inplace: whether the result is written into `input`, which is then returned. Default: False.

    Returns:
        a new tensor.
    """
def mse_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', weight: Tensor | None = None) -> Tensor:
    """(input - target) ** 2, reduced.

    Args:
        input: the input tensor.
        target: the wanted values, in the shape of `input`.
        size_average: deprecated; use `reduction`. None (the default) leaves it to that.
        reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".
        weight: a factor for each element. None (the default) is 1.

    Returns:
        a new tensor.
    """
def multi_head_attention_forward(query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: _int, num_heads: _int, in_proj_weight: Tensor | None, in_proj_bias: Tensor | None, bias_k: Tensor | None, bias_v: Tensor | None, add_zero_attn: _bool, dropout_p: _float, out_proj_weight: Tensor, out_proj_bias: Tensor | None, training: _bool = True, key_padding_mask: Tensor | None = None, need_weights: _bool = True, attn_mask: Tensor | None = None, use_separate_proj_weight: _bool = False, q_proj_weight: Tensor | None = None, k_proj_weight: Tensor | None = None, v_proj_weight: Tensor | None = None, static_k: Tensor | None = None, static_v: Tensor | None = None, average_attn_weights: _bool = True, is_causal: _bool = False) -> tuple[Tensor, Tensor | None]:
    """Attention of num_heads heads between projections; see nn.MultiheadAttention.

    query: (L, N, E) or (L, E); key and value: (S, N, ·) or (S, ·). Masks are True where a key is left out, or are
    added: key_padding_mask (N, S) or (S); attn_mask (L, S) or (N heads, L, S). Result: (L, N, E) or (L, E), and with
    need_weights the weights (N, L, S), or (N, heads, L, S) unless averaged.

    Args:
        query: the queries, of shape (L, N, E).
        key: the keys, of shape (S, N, E).
        value: the values, of shape (S, N, E).
        embed_dim_to_check: the expected E.
        num_heads: the number of heads; it divides E.
        in_proj_weight: the weights of the three projections, of shape (3 E, E). None if
            `use_separate_proj_weight`.
        in_proj_bias: the biases of the three projections, of shape (3 E,), or None.
        bias_k: a key that is appended, of shape (1, 1, E), or None.
        bias_v: a value that is appended, of shape (1, 1, E), or None.
        add_zero_attn: whether a key and a value of zeros are appended.
        dropout_p: the probability that a weight is dropped in training.
        out_proj_weight: the weights of the last projection, of shape (E, E).
        out_proj_bias: the bias of the last projection, of shape (E,), or None.
        training: whether dropout is applied. Default: True.
        key_padding_mask: a mask of shape (N, S); True (or -inf, in an added mask) ignores a key. None (the
            default) ignores none.
        need_weights: whether the attention weights are returned as well. Default: True.
        attn_mask: a mask of shape (L, S) or (N * num_heads, L, S): True forbids attention, floats are added.
            None (the default) masks nothing.
        use_separate_proj_weight: whether the three weights are given separately. Default: False.
        q_proj_weight: the weights for `query`, or None.
        k_proj_weight: the weights for `key`, or None.
        v_proj_weight: the weights for `value`, or None.
        static_k: keys that replace the projected ones, or None.
        static_v: values that replace the projected ones, or None.
        average_attn_weights: whether the returned weights are averaged over the heads. Default: True.
        is_causal: a hint that `attn_mask` is causal. Default: False.
    """
def multi_margin_loss(input: Tensor, target: Tensor, p: _int = 1, margin: Number = ..., weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """The mean over the other classes j of max(0, margin - input[target] + input[j]) ** p, weighted by class.

    input: (N, C) or (C), target: (N) or (). Raises ValueError unless p is 1 or 2.

    Args:
        input: the scores, of shape (N, C) or (C,).
        target: the classes, int64.
        p: the exponent: 1 or 2. Default: 1.
        margin: the least difference of scores. Default: 1.0.
        weight: one weight for each class. None (the default) weighs all with 1.
        size_average: deprecated; use `reduction`. None (the default) leaves it to that.
        reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".

    Returns:
        a new tensor.
    """
def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """The mean over labels t and non-labels j of max(0, 1 - input[t] + input[j]); a row's labels end at the first -1.

    input and target: (N, C) or (C); target of int64.

    Args:
        input: the scores, of shape (N, C) or (C,).
        target: the classes of each sample, int64, filled up with -1.
        size_average: deprecated; use `reduction`. None (the default) leaves it to that.
        reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".

    Returns:
        a new tensor.
    """
def multilabel_soft_margin_loss(input: Tensor, target: Tensor | Number, weight: Tensor | Number | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """The mean over classes of binary cross entropy with logits, weighted by class.

    Args:
        input: the logits, of shape (N, C).
        target: 0 or 1, in the shape of `input`.
        weight: one weight for each class. None (the default) weighs all with 1.
        size_average: deprecated; use `reduction`. None (the default) leaves it to that.
        reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".

    Returns:
        a new tensor.
    """
def native_channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """channel_shuffle, under the name of PyTorch's kernel.

    Args:
        input: the input tensor.
        groups: the number of groups of channels.
    """
def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, ignore_index: _int = -100, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """-input[n, target[n]], weighted by class; the mean is over the weights. input: (N, C, ...) log-probabilities.

    target: (N, …), of int64; ignore_index does not count. A target that is not a class raises IndexError; for a
    computed target, when a value is read.

    Args:
        input: the logarithms of the probabilities, of shape (C,), (N, C) or (N, C, ...).
        target: the classes, int64, of shape (), (N,) or (N, ...).
        weight: one weight for each class, of shape (C,). None (the default) weighs all with 1.
        size_average: deprecated; use `reduction`. None (the default) leaves it to that.
        ignore_index: a class that is left out of the loss and of the gradient. Default: -100.
        reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".

    Returns:
        a new tensor.
    """
def normalize(input: Tensor, p: Any = ..., dim: _int | _Sizes | None = 1, eps: Tensor | Number = ..., *, out: Any = None) -> Tensor:
    """input divided by its p-norm along dim (None: of all its elements), or by eps where the norm is smaller.

    Args:
        input: the input tensor.
        p: the order of the norm. Default: 2.0.
        dim: the dim of the vectors: an int or a tuple of ints. Default: 1.
        eps: the least divisor. Default: 1e-12.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def one_hot(input: Tensor, num_classes: _int = -1) -> Tensor:
    """Integers as rows of 0 and one 1; the number of classes is read off the input when it is -1.

    input: of int64, any shape; the result has one more dim, the last, and its dtype. Raises RuntimeError for a negative
    class, or one of num_classes and more, where the values are on the host.

    Args:
        input: the classes, int64.
        num_classes: the number of classes; -1 takes one more than the largest. Default: -1.
    """
def pad(input: Tensor, pad: _Sizes, mode: _str = 'constant', value: Number | None = None) -> Tensor:
    """input with borders; `pad` gives (before, after) from the last dim backwards, negative crops.

    mode: "constant" (with `value`, 0 by default), "reflect", "replicate" or "circular".

    Args:
        input: the input tensor.
        pad: the sizes before and after each dim, from the last dim backwards; negative ones crop.
        mode: "constant", "reflect", "replicate" or "circular". Default: "constant".
        value: the number for mode "constant". None (the default) is 0.

    Returns:
        a new tensor.
    """
def pairwise_distance(x1: Tensor, x2: Tensor, p: Any = ..., eps: _float = ..., keepdim: _bool = False) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last dim.

    Args:
        x1: the first vectors.
        x2: the second vectors; they broadcast with the first.
        p: the order of the norm. Default: 2.0.
        eps: a small number: the least product of norms, or a summand of the difference. Default: 1e-06.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.

    Returns:
        a new tensor.
    """
def pdist(input: Tensor, p: Any = ...) -> Tensor:
    """The p-norm distances between all pairs of rows (i, j), i < j, row by row.

    input: (N, D); the result has N (N − 1) / 2 elements. Raises RuntimeError for other dims and a negative p.

    Args:
        input: the points, of shape (N, M).
        p: the order of the norm. Default: 2.0.

    Returns:
        a new tensor.
    """
def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor:
    """(..., C r^2, H, W) to (..., C, H r, W r) (Shi et al. 2016, arXiv:1609.05158).

    Raises RuntimeError if r^2 does not divide the channels.

    Args:
        input: the input tensor.
        upscale_factor: the factor r by which the image grows.

    Returns:
        a new tensor.
    """
def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor:
    """The inverse of pixel_shuffle: (..., C, H r, W r) to (..., C r^2, H, W).

    Raises RuntimeError if r does not divide H and W.

    Args:
        input: the input tensor.
        downscale_factor: the factor r by which the image shrinks.

    Returns:
        a new tensor.
    """
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: _bool = True, full: _bool = False, size_average: _bool | None = None, eps: _float = ..., reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """exp(input) - target * input (input - target log(input + eps) without log_input), plus with `full` Stirling's
    approximation of log(target!) where target > 1; reduced.

    Args:
        input: the rates, or their logarithms if `log_input`.
        target: the counts.
        log_input: whether `input` has logarithms. Default: True.
        full: whether Stirling's approximation of the constant is added. Default: False.
        size_average: deprecated; use `reduction`. None (the default) leaves it to that.
        eps: a small number that keeps log(0) away if not `log_input`. Default: 1e-08.
        reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".

    Returns:
        a new tensor.
    """
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """leaky_relu whose slope is learned: one for all, or one for each channel (dim 1).

    Raises RuntimeError for a weight of another length.

    Args:
        input: the input tensor.
        weight: the slope for negative inputs: one number, or one for each channel.

    Returns:
        a new tensor.
    """
def relu(input: Tensor, inplace: _bool = False) -> Tensor:
    """max(input, 0).

    Args:
        input: the input tensor.
        inplace: whether the result is written into `input`, which is then returned. Default: False.

    Returns:
        a new tensor.
    """
def relu6(input: Tensor, inplace: _bool = False) -> Tensor:
    """min(max(input, 0), 6).

    Args:
        input: the input tensor.
        inplace: whether the result is written into `input`, which is then returned. Default: False.

    Returns:
        a new tensor.
    """
def rms_norm(input: Tensor, normalized_shape: _Sizes, weight: Tensor | None = None, eps: _float | None = None) -> Tensor:
    """input divided by the root of the mean square over its last dims (Zhang & Sennrich 2019, arXiv:1910.07467).

    eps is the dtype's resolution when it is None.

    Raises RuntimeError for an input that does not end in normalized_shape.

    Args:
        input: the input tensor.
        normalized_shape: the sizes of the last dims, over which the input is normalized: an int or a tuple of
            ints.
        weight: the factor for each channel or element. None (the default) multiplies by nothing.
        eps: a small number added to the mean of squares. None (the default) is the epsilon of the dtype.

    Returns:
        a new tensor.
    """
def rrelu(input: Tensor, lower: _float = ..., upper: _float = ..., training: _bool = False, inplace: _bool = False) -> Tensor:
    """leaky_relu whose slopes are drawn uniformly from [lower, upper] in training, and are their mean otherwise.

    Args:
        input: the input tensor.
        lower: the smallest slope for negative inputs. Default: 0.125.
        upper: the largest slope for negative inputs. Default: 0.3333333333333333.
        training: whether slopes are drawn at random. False takes the mean of the bounds. Default: False.
        inplace: whether the result is written into `input`, which is then returned. Default: False.
    """
def rrelu_(input: Tensor, lower: _float = ..., upper: _float = ..., training: _bool = False) -> Tensor:
    """rrelu in place.

    Args:
        input: the input tensor.
        lower: the smallest slope for negative inputs. Default: 0.125.
        upper: the largest slope for negative inputs. Default: 0.3333333333333333.
        training: whether slopes are drawn at random. False takes the mean of the bounds. Default: False.
    """
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: _float = ..., is_causal: _bool = False, scale: _float | None = None, enable_gqa: _bool = False) -> Tensor:
    """softmax(query keyᵀ scale + mask) value; scale is 1/√E unless given.

    query: (..., L, E); key: (..., S, E); value: (..., S, F); result: (..., L, F). A bool mask is True where a key
    takes part, a float mask is added. Dropout is always applied: pass dropout_p=0 when not training.

    Args:
        query: the queries, of shape (..., L, E).
        key: the keys, of shape (..., S, E).
        value: the values, of shape (..., S, F).
        attn_mask: a bool mask (True where a query may attend) or one that is added to the scores; it
            broadcasts to (..., L, S). None (the default) masks nothing.
        dropout_p: the probability that a weight is dropped. Default: 0.0.
        is_causal: whether a query attends only to keys up to its own position. Default: False.
        scale: the factor of the scores. None (the default) is 1 / sqrt(E).
        enable_gqa: whether `key` and `value` may have fewer heads (dim -3), which are repeated. Default: False.
    """
def scaled_grouped_mm(*args: Any, **kwargs: Any) -> Tensor:
    """Not supported: multiply the scales in, and use torch.bmm, or jax.lax.ragged_dot, on bfloat16 matrices."""
def scaled_mm(*args: Any, **kwargs: Any) -> Tensor:
    """Not supported: multiply the scales in, and use torch.mm on bfloat16 or float32 matrices."""
def selu(input: Tensor, inplace: _bool = False) -> Tensor:
    """Scaled elu with the constants that keep mean 0 and variance 1 (Klambauer et al. 2017, arXiv:1706.02515).

    Args:
        input: the input tensor.
        inplace: whether the result is written into `input`, which is then returned. Default: False.

    Returns:
        a new tensor.
    """
def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input)).

    Args:
        input: the input tensor.

    Returns:
        a new tensor.
    """
def silu(input: Tensor, inplace: _bool = False) -> Tensor:
    """input * sigmoid(input).

    Args:
        input: the input tensor.
        inplace: whether the result is written into `input`, which is then returned. Default: False.

    Returns:
        a new tensor.
    """
def smooth_l1_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', beta: _float = ...) -> Tensor:
    """d ** 2 / (2 beta) where d = |input - target| < beta, d - beta / 2 elsewhere; reduced.

    Raises RuntimeError for a negative beta.

    Args:
        input: the input tensor.
        target: the wanted values, in the shape of `input`.
        size_average: deprecated; use `reduction`. None (the default) leaves it to that.
        reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".
        beta: the distance at which the loss changes from quadratic to linear. Default: 1.0.

    Returns:
        a new tensor.
    """
def soft_margin_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """log(1 + exp(-target * input)), reduced.

    Args:
        input: the input tensor.
        target: 1 or -1, in the shape of `input`.
        size_average: deprecated; use `reduction`. None (the default) leaves it to that.
        reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".

    Returns:
        a new tensor.
    """
def softmax(input: Tensor, dim: _int | None = None, _stacklevel: _int = 3, dtype: _dtype | None = None) -> Tensor:
    """exp(input) divided by its sum along dim; `dtype` is cast to first.

    Args:
        input: the input tensor.
        dim: the dim along which the results add up to 1. In nn.functional, None (the default) chooses it as
            PyTorch does, with a warning.
        dtype: the dtype to which `input` is cast first. None (the default) keeps its own.

    Returns:
        a new tensor.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
    """
def softmin(input: Tensor, dim: _int | None = None, _stacklevel: _int = 3, dtype: _dtype | None = None) -> Tensor:
    """softmax(-input).

    Args:
        input: the input tensor.
        dim: the dim along which the results add up to 1. In nn.functional, None (the default) chooses it as
            PyTorch does, with a warning.
        dtype: the dtype to which `input` is cast first. None (the default) keeps its own.

    Returns:
        a new tensor.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
    """
def softplus(input: Tensor, beta: Number = ..., threshold: Number = ..., *, out: Any = None) -> Tensor:
    """log(1 + exp(beta * input)) / beta; input itself where beta * input > threshold.

    Args:
        input: the input tensor.
        beta: the steepness. Default: 1.0.
        threshold: where beta * input exceeds this, the result is `input` itself. Default: 20.0.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def softshrink(input: Tensor, lambd: Number = ..., *, out: Any = None) -> Tensor:
    """input moved towards 0 by lambd, and 0 where |input| <= lambd.

    Raises RuntimeError for a negative lambd.

    Args:
        input: the input tensor.
        lambd: the half width of the interval around 0 that becomes 0. Default: 0.5.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def softsign(input: Tensor) -> Tensor:
    """input / (1 + |input|).

    Args:
        input: the input tensor.

    Returns:
        a new tensor.
    """
def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent.

    Args:
        input: the input tensor.

    Returns:
        a new tensor.
    """
def tanhshrink(input: Tensor) -> Tensor:
    """input - tanh(input).

    Args:
        input: the input tensor.

    Returns:
        a new tensor.
    """
def threshold(input: Tensor, threshold: Number, value: Number, inplace: _bool = False) -> Tensor:
    """`value` where input <= threshold, input elsewhere.

    Args:
        input: the input tensor.
        threshold: inputs up to this number are replaced.
        value: the number that replaces them.
        inplace: whether the result is written into `input`, which is then returned. Default: False.

    Returns:
        a new tensor.
    """
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: _float = ..., p: Any = ..., eps: _float = ..., swap: _bool = False, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """max(0, margin + |anchor - positive| - |anchor - negative|) with p-norms; reduced.

    (N, D) or (D) three times. Raises ValueError for a margin that is not positive.

    Args:
        anchor: the anchors, of shape (N, D) or (D,).
        positive: vectors that should be near.
        negative: vectors that should be far.
        margin: the least difference of the distances. Default: 1.0.
        p: the order of the norm. Default: 2.0.
        eps: a small number added to the difference. Default: 1e-06.
        swap: whether the distance of positive and negative is taken where it is smaller. Default: False.
        size_average: deprecated; use `reduction`. None (the default) leaves it to that.
        reduce: deprecated; use `reduction`. None (the default) leaves it to that.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".

    Returns:
        a new tensor.
    """
def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *, distance_function: Any = None, margin: _float = ..., swap: _bool = False, reduction: _str = 'mean') -> Tensor:
    """The triplet loss with a distance of one's own (by default the pairwise Euclidean distance).

    Raises ValueError for a margin that is not positive.

    Args:
        anchor: the anchors, of shape (N, D) or (D,).
        positive: vectors that should be near.
        negative: vectors that should be far.
        distance_function: a function of two batches of vectors. None (the default) is the Euclidean distance.
        margin: the least difference of the distances. Default: 1.0.
        swap: whether the distance of positive and negative is taken where it is smaller. Default: False.
        reduction: "none" for the loss of each element or sample, "mean" or "sum". Default: "mean".
    """
def unfold(input: Tensor, kernel_size: _int | _Sizes, dilation: _int | _Sizes = 1, padding: _int | _Sizes = 0, stride: _int | _Sizes = 1) -> Tensor:
    """The sliding blocks of (N, C, H, W) as columns: (N, C kh kw, blocks).

    Args:
        input: the input tensor.
        kernel_size: the size of the blocks: an int or a pair.
        dilation: the distance between the elements of a block: an int or a pair. Default: 1.
        padding: the zeros around the image: an int or a pair. Default: 0.
        stride: the distance between blocks: an int or a pair. Default: 1.

    Returns:
        a new tensor.
    """
def upsample(input: Tensor, size: Any = None, scale_factor: Any = None, mode: _str = 'nearest', align_corners: Any = None) -> Tensor:
    """Deprecated: interpolate, by its old name.

    Args:
        input: the input, of shape (N, C, ...).
        size: the sizes of the output: an int, or one for each dim. None (the default) if `scale_factor` is
            given.
        scale_factor: the factors of the sizes: a number, or one for each dim. None (the default) if `size` is
            given.
        mode: "nearest", "nearest-exact", "linear" (3-D), "bilinear", "bicubic" or "lanczos" (4-D), "trilinear"
            (5-D) or "area". Default: "nearest".
        align_corners: whether the corners of input and output coincide. None (the default) means False.
    """
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Deprecated: interpolate with mode "bilinear" and align_corners=True.

    Args:
        input: the input, of shape (N, C, ...).
        size: the sizes of the output: an int, or one for each dim. None (the default) if `scale_factor` is
            given.
        scale_factor: the factors of the sizes: a number, or one for each dim. None (the default) if `size` is
            given.
    """
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Deprecated: interpolate with mode "nearest".

    Args:
        input: the input, of shape (N, C, ...).
        size: the sizes of the output: an int, or one for each dim. None (the default) if `scale_factor` is
            given.
        scale_factor: the factors of the sizes: a number, or one for each dim. None (the default) if `size` is
            given.
    """
