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
    """The means of `output_size` windows of the last dim."""
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The means of windows of the last two dims, so many that the result has `output_size`; None keeps a size."""
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """The means of windows of the last three dims, so many that the result has `output_size`."""
def adaptive_max_pool1d(input: Tensor, output_size: _int | _Sizes, return_indices: _bool = False) -> Any:
    """The maxima of `output_size` windows of the last dim."""
def adaptive_max_pool1d_with_indices(input: Tensor, output_size: Any, return_indices: _bool = False) -> tuple[Tensor, Tensor]:
    """adaptive_max_pool1d with return_indices=True."""
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: _bool = False) -> Any:
    """The maxima of windows of the last two dims, so many that the result has `output_size`."""
def adaptive_max_pool2d_with_indices(input: Tensor, output_size: Any, return_indices: _bool = False) -> tuple[Tensor, Tensor]:
    """adaptive_max_pool2d with return_indices=True."""
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: _bool = False) -> tuple[Tensor, ...]:
    """The maxima of windows of the last three dims, so many that the result has `output_size`."""
def adaptive_max_pool3d_with_indices(input: Tensor, output_size: Any, return_indices: _bool = False) -> tuple[Tensor, Tensor]:
    """adaptive_max_pool3d with return_indices=True."""
def affine_grid(theta: Tensor, size: _Sizes, align_corners: _bool | None = None) -> Tensor:
    """The grid for grid_sample of affine maps theta (N, 2, 3) or (N, 3, 4), for an output of `size` (N, C, ...)."""
def alpha_dropout(input: Tensor, p: _float = ..., training: _bool = False, inplace: _bool = False) -> Tensor:
    """In training, drops elements with probability p and changes all so that mean and variance stay; otherwise the result is the input."""
def avg_pool1d(input: Tensor, kernel_size: _int | _Sizes, stride: _int | _Sizes | None = None, padding: _int | _Sizes = 0, ceil_mode: _bool = False, count_include_pad: _bool = True) -> Tensor:
    """The mean of each window of the last dim."""
def avg_pool2d(input: Tensor, kernel_size: _int | _Sizes, stride: _int | _Sizes | None = None, padding: _int | _Sizes = 0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override: _int | None = None, *, out: Any = None) -> Tensor:
    """The mean of each window of the last two dims."""
def avg_pool3d(input: Tensor, kernel_size: _int | _Sizes, stride: _int | _Sizes | None = None, padding: _int | _Sizes = 0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override: _int | None = None, *, out: Any = None) -> Tensor:
    """The mean of each window of the last three dims."""
def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None, bias: Tensor | None = None, training: _bool = False, momentum: _float = ..., eps: _float = ...) -> Tensor:
    """Batch normalization over dim 1 (Ioffe & Szegedy 2015); in training the running statistics are updated in place."""
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """out[..., o] = sum over i, j of input1[..., i] * weight[o, i, j] * input2[..., j], plus bias[o]."""
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """-(target log input + (1 - target) log(1 - input)), logarithms bounded by -100; weighted, reduced."""
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', pos_weight: Tensor | None = None) -> Tensor:
    """binary_cross_entropy of sigmoid(input), stably; pos_weight multiplies the terms of positive targets."""
def celu(input: Tensor, alpha: Number = ..., inplace: _bool = False) -> Tensor:
    """input where it is positive, alpha * (exp(input / alpha) - 1) elsewhere."""
def channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """Interleaves `groups` groups of channels (dim 1) (Zhang et al."""
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | _Sizes = 1, padding: _str | _int | _Sizes = 0, dilation: _int | _Sizes = 1, groups: _int = 1) -> Tensor:
    """Cross-correlates input (N, C, L) with weight (O, C / groups, K)."""
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | _Sizes = 1, padding: _str | _int | _Sizes = 0, dilation: _int | _Sizes = 1, groups: _int = 1) -> Tensor:
    """Cross-correlates input (N, C, H, W) with weight (O, C / groups, KH, KW)."""
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | _Sizes = 1, padding: _str | _int | _Sizes = 0, dilation: _int | _Sizes = 1, groups: _int = 1) -> Tensor:
    """Cross-correlates input (N, C, D, H, W) with weight (O, C / groups, KD, KH, KW)."""
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: _int = 0) -> Tensor:
    """conv1d of input (T, N, C) with weight (K, C, O): time first, channels last."""
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | _Sizes = 1, padding: _int | _Sizes = 0, output_padding: _int | _Sizes = 0, groups: _int = 1, dilation: _int | _Sizes = 1) -> Tensor:
    """The transpose (the gradient with respect to the input) of conv1d; weight: (C, O / groups, K)."""
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | _Sizes = 1, padding: _int | _Sizes = 0, output_padding: _int | _Sizes = 0, groups: _int = 1, dilation: _int | _Sizes = 1) -> Tensor:
    """The transpose (the gradient with respect to the input) of conv2d; weight: (C, O / groups, KH, KW)."""
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | _Sizes = 1, padding: _int | _Sizes = 0, output_padding: _int | _Sizes = 0, groups: _int = 1, dilation: _int | _Sizes = 1) -> Tensor:
    """The transpose (the gradient with respect to the input) of conv3d; weight: (C, O / groups, KD, KH, KW)."""
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: _float = ..., size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """1 - cosine(input1, input2) where target is 1, max(0, cosine - margin) where it is -1; reduced."""
def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = 1, eps: _float = ...) -> Tensor:
    """The cosine of the angle between x1 and x2 along dim; norms below eps count as eps."""
def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, ignore_index: _int = -100, reduce: _bool | None = None, reduction: _str = 'mean', label_smoothing: _float = ...) -> Tensor:
    """The negative log-likelihood of classes (indices, or probabilities in input's shape) under softmax(input)."""
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: _int = 0, reduction: _str = 'mean', zero_infinity: _bool = False) -> Tensor:
    """Connectionist temporal classification loss: -log p(targets | log_probs) over all alignments (Graves et al."""
def dropout(input: Tensor, p: _float = ..., training: _bool = True, inplace: _bool = False) -> Tensor:
    """In training, drops elements with probability p and multiplies the others by 1 / (1 - p); otherwise the result is the input."""
def dropout1d(input: Tensor, p: _float = ..., training: _bool = True, inplace: _bool = False) -> Tensor:
    """In training, drops whole channels with probability p and multiplies the others by 1 / (1 - p); otherwise the result is the input."""
def dropout2d(input: Tensor, p: _float = ..., training: _bool = True, inplace: _bool = False) -> Tensor:
    """In training, drops whole channels with probability p and multiplies the others by 1 / (1 - p); otherwise the result is the input."""
def dropout3d(input: Tensor, p: _float = ..., training: _bool = True, inplace: _bool = False) -> Tensor:
    """In training, drops whole channels with probability p and multiplies the others by 1 / (1 - p); otherwise the result is the input."""
def elu(input: Tensor, alpha: Number = ..., inplace: _bool = False) -> Tensor:
    """input where it is positive, alpha * (exp(input) - 1) elsewhere."""
def embedding(input: Tensor, weight: Tensor, padding_idx: _int | None = None, max_norm: _float | None = None, norm_type: _float = ..., scale_grad_by_freq: _bool = False, sparse: _bool = False) -> Tensor:
    """The rows of weight (number, features) that input names; the row `padding_idx` gets no gradient."""
def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: _float | None = None, norm_type: _float = 2, scale_grad_by_freq: _bool = False, mode: _str = 'mean', sparse: _bool = False, per_sample_weights: Tensor | None = None, include_last_offset: _bool = False, padding_idx: _int | None = None) -> Tensor:
    """The "sum", "mean" or "max" of the rows of weight (number, features) that each bag of indices names: (bags, features)."""
def feature_alpha_dropout(input: Tensor, p: _float = ..., training: _bool = False, inplace: _bool = False) -> Tensor:
    """Alpha dropout of whole channels."""
def fold(input: Tensor, output_size: _int | _Sizes, kernel_size: _int | _Sizes, dilation: _int | _Sizes = 1, padding: _int | _Sizes = 0, stride: _int | _Sizes = 1) -> Tensor:
    """The transpose of unfold: sums columns (N, C kh kw, blocks) into an image (N, C, *output_size)."""
def fractional_max_pool2d(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Tensor | None = None) -> Any:
    """The maxima of randomly placed windows of the last 2 dims (Graham 2014, arXiv:1412.6071)."""
def fractional_max_pool2d_with_indices(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """fractional_max_pool2d with return_indices=True."""
def fractional_max_pool3d(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Tensor | None = None) -> tuple[Tensor, ...]:
    """The maxima of randomly placed windows of the last 3 dims (Graham 2014, arXiv:1412.6071)."""
def fractional_max_pool3d_with_indices(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """fractional_max_pool3d with return_indices=True."""
def gaussian_nll_loss(input: Tensor, target: Tensor | Number, var: Tensor | Number, full: _bool = False, eps: Tensor | Number | None = ..., reduction: _str = 'mean') -> Tensor:
    """(log var + (input - target) ** 2 / var) / 2, plus log(2 pi) / 2 with `full`; var is at least eps; reduced."""
def gelu(input: Tensor, *, approximate: _str = 'none', out: Any = None) -> Tensor:
    """input times the normal distribution function of input; approximate="tanh" for the cheaper formula."""
def glu(input: Tensor, dim: _int = -1) -> Tensor:
    """The first half of input along dim, times the sigmoid of the second half."""
def grid_sample(input: Tensor, grid: Tensor, mode: _str = 'bilinear', padding_mode: _str = 'zeros', align_corners: _bool | None = None) -> Tensor:
    """input (N, C, ...) sampled at the points of grid (N, ..., 2 or 3), whose coordinates x, y, z run from -1 to 1."""
def group_norm(input: Tensor, num_groups: _int, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = ...) -> Tensor:
    """input normalized over groups of channels and all further dims (Wu & He 2018, arXiv:1803.08494)."""
def grouped_mm(mat_a: Tensor, mat_b: Tensor, *, offs: Tensor | None = None, bias: Tensor | None = None, out_dtype: _dtype | None = None) -> Tensor:
    """Products of matrices in groups: what is 2-d is cut into groups that end at `offs` (int32, not decreasing), what is 3-d has one matrix for each."""
def gumbel_softmax(logits: Tensor, tau: _float = 1, hard: _bool = False, eps: _float = ..., dim: _int = -1) -> Tensor:
    """A sample of the Gumbel-softmax distribution (Jang et al., Maddison et al."""
def hardshrink(input: Tensor, lambd: Number = ..., *, out: Any = None) -> Tensor:
    """0 where |input| <= lambd, input elsewhere."""
def hardsigmoid(input: Tensor, inplace: _bool = False) -> Tensor:
    """0 below -3, 1 above 3, input / 6 + 1/2 between."""
def hardswish(input: Tensor, inplace: _bool = False) -> Tensor:
    """input * hardsigmoid(input)."""
def hardtanh(input: Tensor, min_val: Number = ..., max_val: Number = ..., inplace: _bool = False) -> Tensor:
    """Clips to [min_val, max_val]; keeps integer dtypes."""
def hardtanh_(input: Tensor, min_val: _float = ..., max_val: _float = ...) -> Tensor:
    """hardtanh in place."""
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: _float = ..., size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """input where target is 1, max(0, margin - input) where it is -1; reduced."""
def huber_loss(input: Tensor, target: Tensor, reduction: _str = 'mean', delta: _float = ..., weight: Tensor | None = None) -> Tensor:
    """d ** 2 / 2 where d = |input - target| <= delta, delta (d - delta / 2) elsewhere; reduced."""
def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: _bool = True, momentum: _float = ..., eps: _float = ...) -> Tensor:
    """Instance normalization (Ulyanov et al."""
def interpolate(input: Tensor, size: Any = None, scale_factor: Any = None, mode: _str = 'nearest', align_corners: Any = None, recompute_scale_factor: _bool | None = None, antialias: _bool = False) -> Tensor:
    """input (N, C, ...) resampled to `size` or by `scale_factor`."""
def kl_div(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', log_target: _bool = False) -> Tensor:
    """target (log target - input), where input (and with log_target also target) is a logarithm; reduced."""
def l1_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', weight: Tensor | None = None) -> Tensor:
    """|input - target|, reduced."""
def layer_norm(input: Tensor, normalized_shape: _Sizes, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = ...) -> Tensor:
    """input normalized over its last dims, which have `normalized_shape` (Ba et al."""
def leaky_relu(input: Tensor, negative_slope: Number = ..., inplace: _bool = False) -> Tensor:
    """input where it is positive, negative_slope * input elsewhere."""
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, *, out: Any = None) -> Tensor:
    """input @ weight.T + bias, over the last dim of input."""
def linear_cross_entropy(input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = None, weight: Tensor | None = None, reduction: _str = 'mean', ignore_index: _int | None = None, label_smoothing: _float = ..., options: Any = None) -> Tensor:
    """cross_entropy(linear(input, linear_weight, linear_bias), target)."""
def local_response_norm(input: Tensor, size: _int, alpha: _float = ..., beta: _float = ..., k: _float = ...) -> Tensor:
    """input / (k + alpha * mean of squares over `size` neighbouring channels) ** beta; without elements it is input itself."""
def log_softmax(input: Tensor, dim: _int | None = None, _stacklevel: _int = 3, dtype: _dtype | None = None) -> Tensor:
    """The logarithm of softmax, computed stably."""
def logsigmoid(input: Tensor, *, out: Any = None) -> Tensor:
    """log(1 / (1 + exp(-input))), without overflow."""
def lp_pool1d(input: Tensor, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: _bool = False) -> Tensor:
    """(sum of input ** norm_type) ** (1 / norm_type) over each window of the last dim."""
def lp_pool2d(input: Tensor, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: _bool = False) -> Tensor:
    """(sum of input ** norm_type) ** (1 / norm_type) over each window of the last two dims."""
def lp_pool3d(input: Tensor, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: _bool = False) -> Tensor:
    """(sum of input ** norm_type) ** (1 / norm_type) over each window of the last three dims."""
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: _float = ..., size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """max(0, margin - target (input1 - input2)), reduced."""
def max_pool1d(input: Tensor, kernel_size: _int | _Sizes, stride: _int | _Sizes | None = None, padding: _int | _Sizes = 0, dilation: _int | _Sizes = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Any:
    """The maximum of each window of the last dim; with return_indices also its place there."""
def max_pool1d_with_indices(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> tuple[Tensor, Tensor]:
    """max_pool1d with return_indices=True."""
def max_pool2d(input: Tensor, kernel_size: _int | _Sizes, stride: _int | _Sizes | None = None, padding: _int | _Sizes = 0, dilation: _int | _Sizes = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Any:
    """The maximum of each window of the last two dims; with return_indices also its place in the flattened plane."""
def max_pool2d_with_indices(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> tuple[Tensor, Tensor]:
    """max_pool2d with return_indices=True."""
def max_pool3d(input: Tensor, kernel_size: _int | _Sizes, stride: _int | _Sizes | None = None, padding: _int | _Sizes = 0, dilation: _int | _Sizes = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Any:
    """The maximum of each window of the last three dims; with return_indices also its place in the flattened volume."""
def max_pool3d_with_indices(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> tuple[Tensor, Tensor]:
    """max_pool3d with return_indices=True."""
def max_unpool1d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """input (N, C, L) or (C, L) at the places `indices` that max_pool1d gave; planes with an index out of range become nan."""
def max_unpool2d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """input (N, C, H, W) or (C, H, W) at the places `indices` that max_pool2d gave, zeros elsewhere."""
def max_unpool3d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """input (N, C, D, H, W) or (C, D, H, W) at the places `indices` that max_pool3d gave, zeros elsewhere."""
def mish(input: Tensor, inplace: _bool = False) -> Tensor:
    """input * tanh(log(1 + exp(input)))."""
def mse_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', weight: Tensor | None = None) -> Tensor:
    """(input - target) ** 2, reduced."""
def multi_head_attention_forward(query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: _int, num_heads: _int, in_proj_weight: Tensor | None, in_proj_bias: Tensor | None, bias_k: Tensor | None, bias_v: Tensor | None, add_zero_attn: _bool, dropout_p: _float, out_proj_weight: Tensor, out_proj_bias: Tensor | None, training: _bool = True, key_padding_mask: Tensor | None = None, need_weights: _bool = True, attn_mask: Tensor | None = None, use_separate_proj_weight: _bool = False, q_proj_weight: Tensor | None = None, k_proj_weight: Tensor | None = None, v_proj_weight: Tensor | None = None, static_k: Tensor | None = None, static_v: Tensor | None = None, average_attn_weights: _bool = True, is_causal: _bool = False) -> tuple[Tensor, Tensor | None]:
    """Attention of num_heads heads between projections; see nn.MultiheadAttention."""
def multi_margin_loss(input: Tensor, target: Tensor, p: _int = 1, margin: Number = ..., weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """The mean over the other classes j of max(0, margin - input[target] + input[j]) ** p, weighted by class."""
def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """The mean over labels t and non-labels j of max(0, 1 - input[t] + input[j]); a row's labels end at the first -1."""
def multilabel_soft_margin_loss(input: Tensor, target: Tensor | Number, weight: Tensor | Number | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """The mean over classes of binary cross entropy with logits, weighted by class."""
def native_channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """channel_shuffle, under the name of PyTorch's kernel."""
def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: _bool | None = None, ignore_index: _int = -100, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """-input[n, target[n]], weighted by class; the mean is over the weights."""
def normalize(input: Tensor, p: Any = ..., dim: _int | _Sizes | None = 1, eps: Tensor | Number = ..., *, out: Any = None) -> Tensor:
    """input divided by its p-norm along dim (None: of all its elements), or by eps where the norm is smaller."""
def one_hot(input: Tensor, num_classes: _int = -1) -> Tensor:
    """Integers as rows of 0 and one 1; the number of classes is read off the input when it is -1."""
def pad(input: Tensor, pad: _Sizes, mode: _str = 'constant', value: Number | None = None) -> Tensor:
    """input with borders; `pad` gives (before, after) from the last dim backwards, negative crops."""
def pairwise_distance(x1: Tensor, x2: Tensor, p: Any = ..., eps: _float = ..., keepdim: _bool = False) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last dim."""
def pdist(input: Tensor, p: Any = ...) -> Tensor:
    """The p-norm distances between all pairs of rows (i, j), i < j, row by row."""
def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor:
    """(..., C r^2, H, W) to (..., C, H r, W r) (Shi et al."""
def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor:
    """The inverse of pixel_shuffle: (..., C, H r, W r) to (..., C r^2, H, W)."""
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: _bool = True, full: _bool = False, size_average: _bool | None = None, eps: _float = ..., reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """exp(input) - target * input (input - target log(input + eps) without log_input), plus with `full` Stirling's approximation of log(target!) where target > 1; reduced."""
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """leaky_relu whose slope is learned: one for all, or one for each channel (dim 1)."""
def relu(input: Tensor, inplace: _bool = False) -> Tensor:
    """max(input, 0)."""
def relu6(input: Tensor, inplace: _bool = False) -> Tensor:
    """min(max(input, 0), 6)."""
def rms_norm(input: Tensor, normalized_shape: _Sizes, weight: Tensor | None = None, eps: _float | None = None) -> Tensor:
    """input divided by the root of the mean square over its last dims (Zhang & Sennrich 2019, arXiv:1910.07467)."""
def rrelu(input: Tensor, lower: _float = ..., upper: _float = ..., training: _bool = False, inplace: _bool = False) -> Tensor:
    """leaky_relu whose slopes are drawn uniformly from [lower, upper] in training, and are their mean otherwise."""
def rrelu_(input: Tensor, lower: _float = ..., upper: _float = ..., training: _bool = False) -> Tensor:
    """rrelu in place."""
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: _float = ..., is_causal: _bool = False, scale: _float | None = None, enable_gqa: _bool = False) -> Tensor:
    """softmax(query keyᵀ scale + mask) value; scale is 1/√E unless given."""
def scaled_grouped_mm(*args: Any, **kwargs: Any) -> Tensor:
    """Not supported: multiply the scales in, and use torch.bmm, or jax.lax.ragged_dot, on bfloat16 matrices."""
def scaled_mm(*args: Any, **kwargs: Any) -> Tensor:
    """Not supported: multiply the scales in, and use torch.mm on bfloat16 or float32 matrices."""
def selu(input: Tensor, inplace: _bool = False) -> Tensor:
    """Scaled elu with the constants that keep mean 0 and variance 1 (Klambauer et al."""
def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input))."""
def silu(input: Tensor, inplace: _bool = False) -> Tensor:
    """input * sigmoid(input)."""
def smooth_l1_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', beta: _float = ...) -> Tensor:
    """d ** 2 / (2 beta) where d = |input - target| < beta, d - beta / 2 elsewhere; reduced."""
def soft_margin_loss(input: Tensor, target: Tensor, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """log(1 + exp(-target * input)), reduced."""
def softmax(input: Tensor, dim: _int | None = None, _stacklevel: _int = 3, dtype: _dtype | None = None) -> Tensor:
    """exp(input) divided by its sum along dim; `dtype` is cast to first."""
def softmin(input: Tensor, dim: _int | None = None, _stacklevel: _int = 3, dtype: _dtype | None = None) -> Tensor:
    """softmax(-input)."""
def softplus(input: Tensor, beta: Number = ..., threshold: Number = ..., *, out: Any = None) -> Tensor:
    """log(1 + exp(beta * input)) / beta; input itself where beta * input > threshold."""
def softshrink(input: Tensor, lambd: Number = ..., *, out: Any = None) -> Tensor:
    """input moved towards 0 by lambd, and 0 where |input| <= lambd."""
def softsign(input: Tensor) -> Tensor:
    """input / (1 + |input|)."""
def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
def tanhshrink(input: Tensor) -> Tensor:
    """input - tanh(input)."""
def threshold(input: Tensor, threshold: Number, value: Number, inplace: _bool = False) -> Tensor:
    """`value` where input <= threshold, input elsewhere."""
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: _float = ..., p: Any = ..., eps: _float = ..., swap: _bool = False, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> Tensor:
    """max(0, margin + |anchor - positive| - |anchor - negative|) with p-norms; reduced."""
def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *, distance_function: Any = None, margin: _float = ..., swap: _bool = False, reduction: _str = 'mean') -> Tensor:
    """The triplet loss with a distance of one's own (by default the pairwise Euclidean distance)."""
def unfold(input: Tensor, kernel_size: _int | _Sizes, dilation: _int | _Sizes = 1, padding: _int | _Sizes = 0, stride: _int | _Sizes = 1) -> Tensor:
    """The sliding blocks of (N, C, H, W) as columns: (N, C kh kw, blocks)."""
def upsample(input: Tensor, size: Any = None, scale_factor: Any = None, mode: _str = 'nearest', align_corners: Any = None) -> Tensor:
    """Deprecated: interpolate, by its old name."""
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Deprecated: interpolate with mode "bilinear" and align_corners=True."""
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Deprecated: interpolate with mode "nearest"."""
