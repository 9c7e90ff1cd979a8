"""The functions of torch. Written by `python -m tests.stubs --write`."""

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

__all__ = ['_assert', '_assert_async', '_convert_indices_from_coo_to_csr', '_convert_indices_from_csr_to_coo', '_grouped_mm', '_sample_dirichlet', '_shape_as_tensor', '_standard_gamma', 'abs', 'abs_', 'absolute', 'absolute_', 'acos', 'acos_', 'acosh', 'acosh_', 'adaptive_avg_pool1d', 'adaptive_max_pool1d', 'add', 'add_', 'addbmm', 'addbmm_', 'addcdiv', 'addcdiv_', 'addcmul', 'addcmul_', 'addmm', 'addmm_', 'addmv', 'addmv_', 'addr', 'addr_', 'adjoint', 'affine_grid_generator', 'alias_copy', 'all', 'allclose', 'alpha_dropout', 'alpha_dropout_', 'amax', 'amin', 'aminmax', 'angle', 'any', 'arange', 'arccos', 'arccos_', 'arccosh', 'arccosh_', 'arcsin', 'arcsin_', 'arcsinh', 'arcsinh_', 'arctan', 'arctan2', 'arctan2_', 'arctan_', 'arctanh', 'arctanh_', 'are_deterministic_algorithms_enabled', 'argmax', 'argmin', 'argsort', 'argwhere', 'as_strided', 'as_strided_', 'as_strided_copy', 'as_strided_scatter', 'as_tensor', 'asarray', 'asin', 'asin_', 'asinh', 'asinh_', 'atan', 'atan2', 'atan2_', 'atan_', 'atanh', 'atanh_', 'atleast_1d', 'atleast_2d', 'atleast_3d', 'autocast_decrement_nesting', 'autocast_increment_nesting', 'avg_pool1d', 'baddbmm', 'baddbmm_', 'bartlett_window', 'batch_norm', 'bernoulli', 'bilinear', 'binary_cross_entropy_with_logits', 'bincount', 'binomial', 'bitwise_and', 'bitwise_and_', 'bitwise_left_shift', 'bitwise_left_shift_', 'bitwise_not', 'bitwise_not_', 'bitwise_or', 'bitwise_or_', 'bitwise_right_shift', 'bitwise_right_shift_', 'bitwise_xor', 'bitwise_xor_', 'blackman_window', 'block_diag', 'bmm', 'broadcast_shapes', 'broadcast_tensors', 'broadcast_to', 'bucketize', 'can_cast', 'cartesian_prod', 'cat', 'ccol_indices_copy', 'cdist', 'ceil', 'ceil_', 'celu', 'celu_', 'chain_matmul', 'channel_shuffle', 'cholesky', 'cholesky_inverse', 'cholesky_solve', 'chunk', 'clamp', 'clamp_', 'clamp_max', 'clamp_max_', 'clamp_min', 'clamp_min_', 'clear_autocast_cache', 'clip', 'clip_', 'clone', 'col_indices_copy', 'column_stack', 'combinations', 'complex', 'concat', 'concatenate', 'cond', 'conj', 'conj_physical', 'conj_physical_', 'constant_pad_nd', 'conv1d', 'conv2d', 'conv3d', 'conv_tbc', 'conv_transpose1d', 'conv_transpose2d', 'conv_transpose3d', 'convolution', 'copysign', 'copysign_', 'corrcoef', 'cos', 'cos_', 'cosh', 'cosh_', 'cosine_embedding_loss', 'cosine_similarity', 'count_nonzero', 'cov', 'cross', 'crow_indices_copy', 'ctc_loss', 'cummax', 'cummin', 'cumprod', 'cumprod_', 'cumsum', 'cumsum_', 'cumulative_trapezoid', 'deg2rad', 'deg2rad_', 'dequantize', 'det', 'detach', 'detach_', 'detach_copy', 'diag', 'diag_embed', 'diagflat', 'diagonal', 'diagonal_copy', 'diagonal_scatter', 'diff', 'digamma', 'digamma_', 'dist', 'div', 'div_', 'divide', 'divide_', 'dot', 'dropout', 'dropout_', 'dsmm', 'dsplit', 'dstack', 'eig', 'einsum', 'embedding', 'embedding_bag', 'embedding_renorm_', 'empty', 'empty_like', 'empty_permuted', 'empty_strided', 'eq', 'eq_', 'equal', 'erf', 'erf_', 'erfc', 'erfc_', 'erfinv', 'erfinv_', 'exp', 'exp2', 'exp2_', 'exp_', 'expand_copy', 'expm1', 'expm1_', 'eye', 'fake_quantize_per_channel_affine', 'fake_quantize_per_tensor_affine', 'feature_alpha_dropout', 'feature_alpha_dropout_', 'feature_dropout', 'feature_dropout_', 'fill', 'fill_', 'fix', 'fix_', 'flatten', 'flip', 'fliplr', 'flipud', 'float_power', 'floor', 'floor_', 'floor_divide', 'floor_divide_', 'fmax', 'fmin', 'fmod', 'fmod_', 'frac', 'frac_', 'frexp', 'frobenius_norm', 'from_dlpack', 'from_file', 'from_numpy', 'frombuffer', 'full', 'full_like', 'gather', 'gcd', 'gcd_', 'ge', 'ge_', 'geqrf', 'ger', 'get_autocast_cpu_dtype', 'get_autocast_dtype', 'get_autocast_gpu_dtype', 'get_default_dtype', 'get_deterministic_debug_mode', 'get_device', 'get_device_module', 'get_float32_matmul_precision', 'get_num_interop_threads', 'get_num_threads', 'get_rng_state', 'gradient', 'greater', 'greater_', 'greater_equal', 'greater_equal_', 'grid_sampler', 'grid_sampler_2d', 'grid_sampler_3d', 'group_norm', 'gru', 'gru_cell', 'gt', 'gt_', 'hamming_window', 'hann_window', 'hardshrink', 'hash_tensor', 'heaviside', 'heaviside_', 'hinge_embedding_loss', 'histc', 'histogram', 'histogramdd', 'hsplit', 'hstack', 'hypot', 'hypot_', 'i0', 'i0_', 'igamma', 'igamma_', 'igammac', 'igammac_', 'imag', 'index_add', 'index_add_', 'index_copy', 'index_copy_', 'index_fill', 'index_fill_', 'index_put', 'index_put_', 'index_reduce', 'index_reduce_', 'index_select', 'indices_copy', 'initial_seed', 'inner', 'instance_norm', 'int_repr', 'inverse', 'is_anomaly_check_nan_enabled', 'is_anomaly_enabled', 'is_autocast_cache_enabled', 'is_autocast_cpu_enabled', 'is_autocast_enabled', 'is_complex', 'is_conj', 'is_deterministic_algorithms_warn_only_enabled', 'is_distributed', 'is_floating_point', 'is_grad_enabled', 'is_inference_mode_enabled', 'is_neg', 'is_nonzero', 'is_same_size', 'is_signed', 'is_storage', 'is_tensor', 'is_warn_always_enabled', 'isclose', 'isfinite', 'isin', 'isinf', 'isnan', 'isneginf', 'isposinf', 'isreal', 'istft', 'kaiser_window', 'kl_div', 'kron', 'kthvalue', 'layer_norm', 'lcm', 'lcm_', 'ldexp', 'ldexp_', 'le', 'le_', 'lerp', 'lerp_', 'less', 'less_', 'less_equal', 'less_equal_', 'lgamma', 'lgamma_', 'linspace', 'lobpcg', 'log', 'log10', 'log10_', 'log1p', 'log1p_', 'log2', 'log2_', 'log_', 'log_softmax', 'logaddexp', 'logaddexp2', 'logcumsumexp', 'logdet', 'logical_and', 'logical_and_', 'logical_not', 'logical_not_', 'logical_or', 'logical_or_', 'logical_xor', 'logical_xor_', 'logit', 'logit_', 'logspace', 'logsumexp', 'lstm', 'lstm_cell', 'lstsq', 'lt', 'lt_', 'lu', 'lu_solve', 'lu_unpack', 'manual_seed', 'margin_ranking_loss', 'masked_fill', 'masked_fill_', 'masked_scatter', 'masked_scatter_', 'masked_select', 'matmul', 'matrix_exp', 'matrix_power', 'matrix_rank', 'max', 'max_pool1d', 'max_pool1d_with_indices', 'max_pool2d', 'max_pool3d', 'maximum', 'mean', 'median', 'meshgrid', 'min', 'minimum', 'mm', 'mode', 'moveaxis', 'movedim', 'msort', 'mul', 'mul_', 'multinomial', 'multiply', 'multiply_', 'mv', 'mvlgamma', 'mvlgamma_', 'nan_to_num', 'nan_to_num_', 'nanmean', 'nanmedian', 'nanquantile', 'nansum', 'narrow', 'narrow_copy', 'native_channel_shuffle', 'native_norm', 'ne', 'ne_', 'neg', 'neg_', 'negative', 'negative_', 'nextafter', 'nextafter_', 'nonzero', 'nonzero_static', 'norm', 'norm_except_dim', 'normal', 'not_equal', 'not_equal_', 'nuclear_norm', 'numel', 'ones', 'ones_like', 'orgqr', 'ormqr', 'outer', 'pairwise_distance', 'pca_lowrank', 'pdist', 'permute', 'permute_copy', 'pinverse', 'pixel_shuffle', 'pixel_unshuffle', 'poisson', 'poisson_nll_loss', 'polar', 'polygamma', 'polygamma_', 'positive', 'pow', 'pow_', 'prelu', 'prod', 'promote_types', 'put', 'put_', 'q_per_channel_axis', 'q_per_channel_scales', 'q_per_channel_zero_points', 'q_scale', 'q_zero_point', 'qr', 'quantile', 'quantize_per_channel', 'quantize_per_tensor', 'quantize_per_tensor_dynamic', 'rad2deg', 'rad2deg_', 'rand', 'rand_like', 'randint', 'randint_like', 'randn', 'randn_like', 'randperm', 'range', 'ravel', 'real', 'rearrange', 'reciprocal', 'reciprocal_', 'relu', 'relu_', 'remainder', 'remainder_', 'renorm', 'renorm_', 'repeat_interleave', 'reshape', 'resize_', 'resize_as_', 'resolve_conj', 'resolve_neg', 'result_type', 'rms_norm', 'rnn_relu', 'rnn_relu_cell', 'rnn_tanh', 'rnn_tanh_cell', 'roll', 'rot90', 'round', 'round_', 'row_indices_copy', 'row_stack', 'rrelu', 'rrelu_', 'rsqrt', 'rsqrt_', 'rsub', 'scalar_tensor', 'scatter', 'scatter_', 'scatter_add', 'scatter_add_', 'scatter_reduce', 'scatter_reduce_', 'searchsorted', 'seed', 'segment_reduce', 'select', 'select_copy', 'select_scatter', 'selu', 'selu_', 'set_anomaly_enabled', 'set_autocast_cache_enabled', 'set_autocast_cpu_dtype', 'set_autocast_cpu_enabled', 'set_autocast_dtype', 'set_autocast_enabled', 'set_autocast_gpu_dtype', 'set_default_dtype', 'set_default_tensor_type', 'set_deterministic_debug_mode', 'set_float32_matmul_precision', 'set_flush_denormal', 'set_num_interop_threads', 'set_num_threads', 'set_rng_state', 'set_warn_always', 'sgn', 'sgn_', 'sigmoid', 'sigmoid_', 'sign', 'sign_', 'signbit', 'sin', 'sin_', 'sinc', 'sinc_', 'sinh', 'sinh_', 'slice_copy', 'slice_scatter', 'slogdet', 'smm', 'softmax', 'solve', 'sort', 'sparse_bsc_tensor', 'sparse_bsr_tensor', 'sparse_compressed_tensor', 'sparse_coo_tensor', 'sparse_csc_tensor', 'sparse_csr_tensor', 'split', 'split_copy', 'split_with_sizes', 'split_with_sizes_copy', 'spmm', 'sqrt', 'sqrt_', 'square', 'square_', 'squeeze', 'squeeze_', 'squeeze_copy', 'stack', 'std', 'std_mean', 'stft', 'sub', 'sub_', 'subtract', 'subtract_', 'sum', 'svd', 'svd_lowrank', 'swapaxes', 'swapaxes_', 'swapdims', 'swapdims_', 'sym_float', 'sym_int', 'sym_ite', 'sym_max', 'sym_min', 'sym_not', 'sym_sqrt', 'sym_sum', 'symeig', 't', 't_', 't_copy', 'take', 'take_along_dim', 'tan', 'tan_', 'tanh', 'tanh_', 'tensor', 'tensor_split', 'tensordot', 'thread_safe_generator', 'threshold', 'threshold_', 'tile', 'to_dlpack', 'topk', 'trace', 'transpose', 'transpose_', 'transpose_copy', 'trapezoid', 'trapz', 'triangular_solve', 'tril', 'tril_', 'tril_indices', 'triplet_margin_loss', 'triu', 'triu_', 'triu_indices', 'true_divide', 'true_divide_', 'trunc', 'trunc_', 'typename', 'unbind', 'unbind_copy', 'unflatten', 'unfold_copy', 'unique', 'unique_consecutive', 'unravel_index', 'unsafe_chunk', 'unsafe_split', 'unsafe_split_with_sizes', 'unsqueeze', 'unsqueeze_', 'unsqueeze_copy', 'use_deterministic_algorithms', 'values_copy', 'vander', 'var', 'var_mean', 'vdot', 'view_as_complex', 'view_as_complex_copy', 'view_as_real', 'view_as_real_copy', 'view_copy', 'vsplit', 'vstack', 'where', 'while_loop', 'xlogy', 'xlogy_', 'zero', 'zero_', 'zeros', 'zeros_like']

def _assert(condition: Any, message: Any) -> Any:
    """Raises AssertionError with the message unless the condition is true."""
def _assert_async(self, assert_msg: Any = 'Expected Tensor with single nonzero value, but got zero') -> Any:
    """Raises RuntimeError if the only element of the tensor is zero.

    Nothing here waits for a device, so the condition is checked at once.
    """
def _convert_indices_from_coo_to_csr(input: Tensor, size: _int, *, out_int32: _bool = False) -> Tensor:
    """Counts the sorted row indices, of shape (nnz), that are below each of size + 1 rows: int64 (size + 1), or int32.

    Args:
        input: the input tensor.
        size: the shape: a tuple of ints, or separate ints.
    """
def _convert_indices_from_csr_to_coo(crow_indices: Tensor, col_indices: Tensor, *, out_int32: _bool = False, transpose: _bool = False) -> Tensor:
    """(rows, columns) of the elements of a compressed matrix, of shape (2, nnz), int64 or int32; (columns, rows) with
    transpose.

    Args:
        transpose: whether the transposed matrix is used (the conjugate transpose for complex numbers).
            Default: False.
    """
def _grouped_mm(self, mat2: Tensor, offs: Tensor | None = None, bias: Tensor | None = None, out_dtype: _dtype | None = None) -> Tensor:
    """nn.functional.grouped_mm.

    Args:
        mat2: the second matrix.
    """
def _sample_dirichlet(self, generator: Generator | None = None) -> Tensor:
    """Numbers of the simplex along the last dim, of the concentrations in self, with implicit gradients.

    Same shape and dtype, float. Not PyTorch's numbers, whatever the engine.

    Args:
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
            which `torch.manual_seed` seeds.
    """
def _shape_as_tensor(self) -> Any:
    """The shape, as a tensor of int64."""
def _standard_gamma(self, generator: Generator | None = None) -> Tensor:
    """Gamma numbers of rate 1, of the concentrations in self, with implicit gradients: distributions of others are made
    of it.

    Same shape and dtype, float. Not PyTorch's numbers, whatever the engine.

    Args:
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
            which `torch.manual_seed` seeds.
    """
def abs(input: Tensor, *, out: Any = None) -> Tensor:
    """|input|; of a complex tensor the (real) modulus. Its derivative at 0 is 0.

    Same shape and dtype, real for complex; NotImplementedError for bool.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def abs_(input: Tensor) -> Tensor:
    """abs in place; not of a complex tensor, whose modulus is real.

    Args:
        input: the input tensor.
    """
def absolute(input: Tensor, *, out: Any = None) -> Tensor:
    """|input|; of a complex tensor the (real) modulus. Its derivative at 0 is 0.

    Same shape and dtype, real for complex; NotImplementedError for bool.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def absolute_(input: Tensor) -> Tensor:
    """abs in place; not of a complex tensor, whose modulus is real.

    Args:
        input: the input tensor.
    """
def acos(input: Tensor, *, out: Any = None) -> Tensor:
    """The arccosine in radians; nan outside [-1, 1].

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def acos_(input: Tensor) -> Tensor:
    """The arccosine in radians; nan outside [-1, 1].

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def acosh(input: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of the hyperbolic cosine; nan below 1.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def acosh_(input: Tensor) -> Tensor:
    """The inverse of the hyperbolic cosine; nan below 1.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def adaptive_avg_pool1d(input: Tensor, output_size: _int | _Sizes) -> Tensor:
    """The means of `output_size` windows of the last dim.

    input: (N, C, L) or (C, L).

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        output_size: the size of the output: an int, or one for each dim; None keeps the size of a dim.

    Returns:
        a new tensor.
    """
def adaptive_max_pool1d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """(the maxima of `output_size` windows of the last dim, their places there).

    (N, C, L) to (N, C, output_size); the places are int64.

    Args:
        input: the input, of shape (N, C, ...) or, for one sample, (C, ...).
        output_size: the size of the output: an int, or one for each dim; None keeps the size of a dim.
    """
def add(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1, out: Any = None) -> Tensor:
    """input + alpha * other; for bool, the logical or.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.
        alpha: a number that multiplies `other` before it is added. Default: 1.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def add_(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """input + alpha * other; for bool, the logical or.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.
        alpha: a number that multiplies `other` before it is added. Default: 1.

    Returns:
        `input` itself.
    """
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Any = None) -> Tensor:
    """beta * input + alpha * (the sum over the batch of batch1 @ batch2).

    Args:
        input: the summand; it broadcasts to the shape of the product.
        batch1: the first batch of matrices, of shape (b, n, m).
        batch2: the second batch of matrices, of shape (b, m, p).
        beta: a number that multiplies `input`; with 0 `input` is ignored, nan included. Default: 1.
        alpha: a number that multiplies the product. Default: 1.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def addbmm_(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (the sum over the batch of batch1 @ batch2).

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the summand; it broadcasts to the shape of the product.
        batch1: the first batch of matrices, of shape (b, n, m).
        batch2: the second batch of matrices, of shape (b, m, p).
        beta: a number that multiplies `input`; with 0 `input` is ignored, nan included. Default: 1.
        alpha: a number that multiplies the product. Default: 1.

    Returns:
        `input` itself.
    """
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1, out: Any = None) -> Tensor:
    """input + value * tensor1 / tensor2; an error when both are tensors of integers.

    Args:
        input: the input tensor.
        tensor1: the first factor, or the numerator; it broadcasts with `input`.
        tensor2: the second factor, or the denominator; it broadcasts with `input`.
        value: a number that multiplies the product or quotient before it is added. Default: 1.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def addcdiv_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """input + value * tensor1 / tensor2; an error when both are tensors of integers.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        tensor1: the first factor, or the numerator; it broadcasts with `input`.
        tensor2: the second factor, or the denominator; it broadcasts with `input`.
        value: a number that multiplies the product or quotient before it is added. Default: 1.

    Returns:
        `input` itself.
    """
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1, out: Any = None) -> Tensor:
    """input + value * tensor1 * tensor2.

    Args:
        input: the input tensor.
        tensor1: the first factor, or the numerator; it broadcasts with `input`.
        tensor2: the second factor, or the denominator; it broadcasts with `input`.
        value: a number that multiplies the product or quotient before it is added. Default: 1.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def addcmul_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """input + value * tensor1 * tensor2.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        tensor1: the first factor, or the numerator; it broadcasts with `input`.
        tensor2: the second factor, or the denominator; it broadcasts with `input`.
        value: a number that multiplies the product or quotient before it is added. Default: 1.

    Returns:
        `input` itself.
    """
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Any = None) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2).

    Args:
        input: the summand; it broadcasts to the shape of the product.
        mat1: the first matrix, of shape (n, m).
        mat2: the second matrix, of shape (m, p).
        beta: a number that multiplies `input`; with 0 `input` is ignored, nan included. Default: 1.
        alpha: a number that multiplies the product. Default: 1.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def addmm_(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2).

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the summand; it broadcasts to the shape of the product.
        mat1: the first matrix, of shape (n, m).
        mat2: the second matrix, of shape (m, p).
        beta: a number that multiplies `input`; with 0 `input` is ignored, nan included. Default: 1.
        alpha: a number that multiplies the product. Default: 1.

    Returns:
        `input` itself.
    """
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Any = None) -> Tensor:
    """beta * input + alpha * (mat @ vec).

    Args:
        input: the summand; it broadcasts to the shape of the product.
        mat: the matrix, of shape (n, m).
        vec: the vector, of shape (m,).
        beta: a number that multiplies `input`; with 0 `input` is ignored, nan included. Default: 1.
        alpha: a number that multiplies the product. Default: 1.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (mat @ vec).

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the summand; it broadcasts to the shape of the product.
        mat: the matrix, of shape (n, m).
        vec: the vector, of shape (m,).
        beta: a number that multiplies `input`; with 0 `input` is ignored, nan included. Default: 1.
        alpha: a number that multiplies the product. Default: 1.

    Returns:
        `input` itself.
    """
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Any = None) -> Tensor:
    """beta * input + alpha * (the outer product of two vectors).

    Args:
        input: the summand; it broadcasts to the shape of the product.
        vec1: the first vector, of shape (n,).
        vec2: the second vector, of shape (m,).
        beta: a number that multiplies `input`; with 0 `input` is ignored, nan included. Default: 1.
        alpha: a number that multiplies the product. Default: 1.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def addr_(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (the outer product of two vectors).

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the summand; it broadcasts to the shape of the product.
        vec1: the first vector, of shape (n,).
        vec2: the second vector, of shape (m,).
        beta: a number that multiplies `input`; with 0 `input` is ignored, nan included. Default: 1.
        alpha: a number that multiplies the product. Default: 1.

    Returns:
        `input` itself.
    """
def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of the last two dims.

    (…, m, n) to (…, n, m), same dtype; a view of a real tensor.

    Args:
        input: the input tensor.
    """
def affine_grid_generator(theta: Tensor, size: Any, align_corners: _bool) -> Tensor:
    """nn.functional.affine_grid.

    Args:
        theta: the affine maps, of shape (N, 2, 3) or (N, 3, 4).
        size: the shape of the images: (N, C, H, W) or (N, C, D, H, W).
        align_corners: whether -1 and 1 are the centres of the corner pixels. None (the default) means False.
    """
def alias_copy(input: Tensor, *, out: Any = None) -> Any:
    """alias, as a copy instead of a view.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def all(input: Tensor, dim: _int | _Sizes | None = None, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """Tests whether all elements along `dim` are nonzero; bool, or uint8 for uint8.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce; negative ones count from the end. None (the default) reduces all dims.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def allclose(input: Tensor, other: Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = False) -> _bool:
    """Returns whether |input - other| <= atol + rtol * |other| for all elements.

    Args:
        input: the input tensor.
        other: the tensor to compare with; it broadcasts with `input`.
        rtol: the tolerance relative to the magnitude of `other`. Default: 1e-05.
        atol: the absolute tolerance. Default: 1e-08.
        equal_nan: whether nan equals nan. Default: False.
    """
def alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """nn.functional.alpha_dropout, with `train` instead of `training`.

    Args:
        input: the input tensor.
        p: the probability that an element (or a channel) is dropped, in [0, 1].
        train: whether anything is dropped. False returns the input.
    """
def alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """nn.functional.alpha_dropout, with `train` instead of `training`, in place.

    Args:
        input: the input tensor.
        p: the probability that an element (or a channel) is dropped, in [0, 1].
        train: whether anything is dropped. False returns the input.
    """
def amax(input: Tensor, dim: _int | _Sizes | None = ..., keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The largest element over `dim`; ties share the gradient evenly.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
            are reduced. Default: ().
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def amin(input: Tensor, dim: _int | _Sizes | None = ..., keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The smallest element over `dim`; ties share the gradient evenly.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
            are reduced. Default: ().
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def aminmax(input: Tensor, *, dim: _int | None = None, keepdim: _bool = False, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> return_types.aminmax:
    """The smallest and the largest element over one dim or all.

    Args:
        input: the input tensor.
        dim: the dim to reduce; negative ones count from the end. Without it all elements are reduced.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a named tuple of `min`, `max`.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def angle(input: Tensor, *, out: Any = None) -> Tensor:
    """The argument of a complex number, in radians; of a real number 0, or pi where it is negative; nan of nan.

    Same shape; integers and bool give the default dtype, complex a real one.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def any(input: Tensor, dim: _int | _Sizes | None = None, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """Tests whether any element along `dim` is nonzero; bool, or uint8 for uint8.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce; negative ones count from the end. None (the default) reduces all dims.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def arange(*given: Any, start: Any = ..., end: Any = ..., step: Any = ..., out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Numbers from start (0) up to but not including end, in steps: arange(end), arange(start, end, step).

    Args:
        start: the first number. For arange it defaults to 0.
        end: the end of the range; arange excludes it and range includes it.
        step: the distance between numbers. Default: 1.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        dtype: the dtype of the result. None (the default) is int64 for ints in arange, else the default dtype.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
    """
def arccos(input: Tensor, *, out: Any = None) -> Tensor:
    """The arccosine in radians; nan outside [-1, 1].

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def arccos_(input: Tensor) -> Tensor:
    """The arccosine in radians; nan outside [-1, 1].

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def arccosh(input: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of the hyperbolic cosine; nan below 1.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def arccosh_(input: Tensor) -> Tensor:
    """The inverse of the hyperbolic cosine; nan below 1.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def arcsin(input: Tensor, *, out: Any = None) -> Tensor:
    """The arcsine in radians; nan outside [-1, 1].

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def arcsin_(input: Tensor) -> Tensor:
    """The arcsine in radians; nan outside [-1, 1].

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def arcsinh(input: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of the hyperbolic sine.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def arcsinh_(input: Tensor) -> Tensor:
    """The inverse of the hyperbolic sine.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def arctan(input: Tensor, *, out: Any = None) -> Tensor:
    """The arctangent in radians.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def arctan2(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The angle of the point (other, input), in radians; its derivative at the origin is 0.

    Args:
        input: the second coordinates (y) of the points.
        other: the first coordinates (x) of the points.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def arctan2_(input: Tensor, other: Tensor) -> Tensor:
    """The angle of the point (other, input), in radians; its derivative at the origin is 0.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the second coordinates (y) of the points.
        other: the first coordinates (x) of the points.

    Returns:
        `input` itself.
    """
def arctan_(input: Tensor) -> Tensor:
    """The arctangent in radians.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def arctanh(input: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of the hyperbolic tangent; nan outside [-1, 1].

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def arctanh_(input: Tensor) -> Tensor:
    """The inverse of the hyperbolic tangent; nan outside [-1, 1].

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def are_deterministic_algorithms_enabled() -> _bool:
    """Returns the setting of `use_deterministic_algorithms`."""
def argmax(input: Tensor, dim: _int | None = None, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The index of the first largest element along `dim`, or in the flattened tensor.

    Args:
        input: the input tensor.
        dim: the dim to reduce; negative ones count from the end. Without it all elements are reduced.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def argmin(input: Tensor, dim: _int | None = None, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The index of the first smallest element along `dim`, or in the flattened tensor.

    Args:
        input: the input tensor.
        dim: the dim to reduce; negative ones count from the end. Without it all elements are reduced.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def argsort(input: Tensor, dim: _int = -1, descending: _bool = False, *, stable: _bool = False, axis: Any = ..., out: Any = None) -> Tensor:
    """The indices that put the elements in order along `dim`.

    Args:
        input: the input tensor.
        dim: the dim along which to sort. Default: -1.
        descending: whether the largest elements come first. Default: False.
        stable: whether equal elements keep their order. They always do here. Default: False.
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def argwhere(input: Tensor) -> Tensor:
    """Indices of the elements that are not zero, shape (n, ndim).

    Args:
        input: the input tensor.
    """
def as_strided(input: Tensor, size: _Sizes, stride: _Sizes, storage_offset: _int | None = None) -> Tensor:
    """The view of the elements at `storage_offset + sum(i * stride)` of the storage of `input`.

    Args:
        input: the input tensor.
        size: the shape of the result: a tuple of ints.
        stride: the steps between elements of each dim: a tuple of ints, counted in elements.
        storage_offset: the position of the first element in the storage. None (the default) is that of `input`.
    """
def as_strided_(input: Tensor, size: _Sizes, stride: _Sizes, storage_offset: _int | None = None) -> Tensor:
    """as_strided in place: the tensor itself becomes the view.

    Args:
        input: the input tensor.
        size: the shape of the result: a tuple of ints.
        stride: the steps between elements of each dim: a tuple of ints, counted in elements.
        storage_offset: the position of the first element in the storage. None (the default) is that of `input`.
    """
def as_strided_copy(input: Tensor, size: Any, stride: Any, storage_offset: Any = None, *, out: Any = None) -> Any:
    """as_strided, as a copy instead of a view.

    Args:
        input: the input tensor.
        size: the shape of the result: a tuple of ints.
        stride: the steps between elements of each dim: a tuple of ints, counted in elements.
        storage_offset: the position of the first element in the storage. None (the default) is that of `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def as_strided_scatter(input: Tensor, src: Tensor, size: _Sizes, stride: _Sizes, storage_offset: _int | None = None) -> Tensor:
    """A copy of input with src written through the view `as_strided(size, stride, storage_offset)` of it.

    Same shape and dtype as input.

    Args:
        input: the input tensor.
        src: the values to write; its shape is `size`.
        size: the shape of the result: a tuple of ints.
        stride: the steps between elements of each dim: a tuple of ints, counted in elements.
        storage_offset: the position of the first element in the storage. None (the default) is that of `input`.
    """
def as_tensor(data: Any, *, dtype: _dtype | None = None, device: _Device = None) -> Tensor:
    """`data` as a tensor; the tensor itself when it is one with that dtype and device.

    Args:
        data: the values: a number, nested lists or tuples of numbers, a NumPy array or a tensor.
        dtype: the dtype of the result. None (the default) follows the data; Python floats give the default
            dtype.
        device: the device of the result. None (the default) is that of the data, else the current default
            device.
    """
def asarray(obj: Any, *, dtype: _dtype | None = None, device: _Device = None, copy: Any = None, requires_grad: _bool | None = None) -> Tensor:
    """`obj` as a tensor, without a copy where it is one already (copy=True forces one; copy=False raises where one is
    made).

    requires_grad: of the result, be it `obj` itself; None: as `obj` does.

    Args:
        obj: the values: a tensor, a NumPy array, an object with DLPack or the buffer protocol, a number, or
            nested lists of numbers.
        dtype: the dtype of the result. None (the default) follows the data; Python floats give the default
            dtype.
        device: the device of the result. None (the default) is that of the data, else the current default
            device.
        copy: True copies, False raises if a copy is needed. None (the default) copies only if it must.
        requires_grad: whether operations on the result are recorded for autograd.
    """
def asin(input: Tensor, *, out: Any = None) -> Tensor:
    """The arcsine in radians; nan outside [-1, 1].

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def asin_(input: Tensor) -> Tensor:
    """The arcsine in radians; nan outside [-1, 1].

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def asinh(input: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of the hyperbolic sine.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def asinh_(input: Tensor) -> Tensor:
    """The inverse of the hyperbolic sine.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def atan(input: Tensor, *, out: Any = None) -> Tensor:
    """The arctangent in radians.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def atan2(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The angle of the point (other, input), in radians; its derivative at the origin is 0.

    Args:
        input: the second coordinates (y) of the points.
        other: the first coordinates (x) of the points.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def atan2_(input: Tensor, other: Tensor) -> Tensor:
    """The angle of the point (other, input), in radians; its derivative at the origin is 0.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the second coordinates (y) of the points.
        other: the first coordinates (x) of the points.

    Returns:
        `input` itself.
    """
def atan_(input: Tensor) -> Tensor:
    """The arctangent in radians.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def atanh(input: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of the hyperbolic tangent; nan outside [-1, 1].

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def atanh_(input: Tensor) -> Tensor:
    """The inverse of the hyperbolic tangent; nan outside [-1, 1].

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def atleast_1d(*tensors: Any) -> Any:
    """Tensors with at least 1 dimensions, as views."""
def atleast_2d(*tensors: Any) -> Any:
    """Tensors with at least 2 dimensions, as views."""
def atleast_3d(*tensors: Any) -> Any:
    """Tensors with at least 3 dimensions, as views."""
def autocast_decrement_nesting() -> _int:
    """Counts one autocast context of this thread less; gives how many there are."""
def autocast_increment_nesting() -> _int:
    """Counts one more autocast context of this thread; gives how many there are."""
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
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Any = None) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2), batch by batch.

    Args:
        input: the summand; it broadcasts to the shape of the product.
        batch1: the first batch of matrices, of shape (b, n, m).
        batch2: the second batch of matrices, of shape (b, m, p).
        beta: a number that multiplies `input`; with 0 `input` is ignored, nan included. Default: 1.
        alpha: a number that multiplies the product. Default: 1.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def baddbmm_(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2), batch by batch.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the summand; it broadcasts to the shape of the product.
        batch1: the first batch of matrices, of shape (b, n, m).
        batch2: the second batch of matrices, of shape (b, m, p).
        beta: a number that multiplies `input`; with 0 `input` is ignored, nan included. Default: 1.
        alpha: a number that multiplies the product. Default: 1.

    Returns:
        `input` itself.
    """
def bartlett_window(window_length: Any, *args: Any, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, **kwargs: Any) -> Tensor:
    """The triangular window 1 - |2i/N - 1|.

    Args:
        window_length: the number of points.
        out: None: windows take no `out`, as in PyTorch.
        dtype: the dtype of the result. None (the default) is the default dtype, float32 unless
            `torch.set_default_dtype` changed it.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
    """
def batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, training: _bool, momentum: _float, eps: _float, cudnn_enabled: _bool) -> Tensor:
    """nn.functional.batch_norm, with its arguments in another order.

    Args:
        input: the input, of shape (N, C, ...).
        weight: the factor for each channel or element. None (the default) multiplies by nothing.
        bias: the summand for each channel or element. None (the default) adds nothing.
        running_mean: the running means, one for each channel, updated in training. None (the default, where
            there is one) keeps none.
        running_var: the running variances, one for each channel, updated in training. None (the default, where
            there is one) keeps none.
        training: whether the statistics of the batch are used. False uses the running ones.
        momentum: the weight of the new batch in the running statistics.
        eps: a small number added to the variance.
        cudnn_enabled: PyTorch's choice of a kernel; it changes nothing here.
    """
def bernoulli(input: Tensor, p: _float = ..., *, generator: Generator | None = None, out: Any = None) -> Tensor:
    """0 or 1 with the probabilities in input, or all with probability p; with gradients of zero.

    Probabilities outside [0, 1] raise where they are at hand; where they are still to be computed, they give nan.

    Same shape and dtype, float; RuntimeError for other dtypes.

    Args:
        input: the probabilities of 1, in [0, 1].
        p: one probability for all elements, instead of those in `input`.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
            which `torch.manual_seed` seeds.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
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
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None, reduction: _int = 0) -> Tensor:
    """nn.functional.binary_cross_entropy_with_logits, of an input that may be broadcast; reduction: 0 none, 1 mean, 2
    sum.

    Args:
        input: the probabilities, or for the function with logits their logits.
        target: the wanted probabilities, in the shape of `input`.
        weight: a factor for each element; it broadcasts. None (the default) is 1.
        pos_weight: a factor for the positive class; it broadcasts with `target`. None (the default) is 1.
        reduction: 0 for the loss of each sample, 1 for the mean, 2 for the sum. Default: 0.
    """
def bincount(input: Tensor, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
    """How often each integer from 0 to the largest occurs in the 1-D `input`, or the sum of its weights.

    Args:
        input: integers that are not negative, 1-D.
        weights: one weight for each element of `input`. None (the default) counts every element once.
        minlength: the least number of bins. Default: 0.
    """
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """Binomial numbers: successes in `count` trials of probability `prob`. Not PyTorch's numbers, whatever the engine.

    Same shape and dtype, float; the two broadcast.

    Args:
        count: the numbers of trials, floating point.
        prob: the probabilities of success; they broadcast with `count`.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
            which `torch.manual_seed` seeds.
    """
def bitwise_and(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """The bits set in both; integers and bool only.

    Args:
        input: the input tensor.
        other: the second tensor or number, of integers (bool is allowed for bitwise ops).
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def bitwise_and_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """The bits set in both; integers and bool only.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor or number, of integers (bool is allowed for bitwise ops).

    Returns:
        `input` itself.
    """
def bitwise_left_shift(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input * 2 ** other in integers; 0 where `other` is negative or not less than the dtype's width.

    Args:
        input: the input tensor.
        other: the number of bits to shift by: a tensor or an int.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def bitwise_left_shift_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """input * 2 ** other in integers; 0 where `other` is negative or not less than the dtype's width.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the number of bits to shift by: a tensor or an int.

    Returns:
        `input` itself.
    """
def bitwise_not(input: Tensor, *, out: Any = None) -> Tensor:
    """All bits flipped; the logical not of bool.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def bitwise_not_(input: Tensor) -> Tensor:
    """All bits flipped; the logical not of bool.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def bitwise_or(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """The bits set in either; integers and bool only.

    Args:
        input: the input tensor.
        other: the second tensor or number, of integers (bool is allowed for bitwise ops).
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def bitwise_or_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """The bits set in either; integers and bool only.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor or number, of integers (bool is allowed for bitwise ops).

    Returns:
        `input` itself.
    """
def bitwise_right_shift(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """floor(input / 2 ** other) in integers; a negative `other` counts as the dtype's width.

    Args:
        input: the input tensor.
        other: the number of bits to shift by: a tensor or an int.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def bitwise_right_shift_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """floor(input / 2 ** other) in integers; a negative `other` counts as the dtype's width.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the number of bits to shift by: a tensor or an int.

    Returns:
        `input` itself.
    """
def bitwise_xor(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """The bits set in exactly one; integers and bool only.

    Args:
        input: the input tensor.
        other: the second tensor or number, of integers (bool is allowed for bitwise ops).
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def bitwise_xor_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """The bits set in exactly one; integers and bool only.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor or number, of integers (bool is allowed for bitwise ops).

    Returns:
        `input` itself.
    """
def blackman_window(window_length: Any, *args: Any, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, **kwargs: Any) -> Tensor:
    """The window 0.42 - 0.5 cos(2πi/N) + 0.08 cos(4πi/N).

    Args:
        window_length: the number of points.
        out: None: windows take no `out`, as in PyTorch.
        dtype: the dtype of the result. None (the default) is the default dtype, float32 unless
            `torch.set_default_dtype` changed it.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
    """
def block_diag(tensors: Sequence[Tensor]) -> Tensor:
    """A matrix with the given matrices on its diagonal and zeros elsewhere; a vector counts as a row.

    Args:
        tensors: the tensors: a list or tuple.
    """
def bmm(input: Tensor, mat2: Tensor, *, out: Any = None) -> Tensor:
    """The products of two batches of matrices: (b, n, m) times (b, m, p) is (b, n, p).

    Args:
        input: the first matrices, of shape (b, n, m).
        mat2: the second matrices, of shape (b, m, p).
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that shapes broadcast to."""
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """All tensors expanded to their common shape."""
def broadcast_to(input: Tensor, size: _Sizes) -> Tensor:
    """`input` broadcast to `size`; -1 keeps a size.

    Args:
        input: the input tensor.
        size: the shape to broadcast to; -1 keeps a size.
    """
def bucketize(input: Tensor | Number, boundaries: Tensor, *, out_int32: _bool = False, right: _bool = False, out: Any = None) -> Tensor:
    """The index of the bucket between 1-D sorted `boundaries` that each value of `input` falls into; of a number not
    into `out=`.

    Shape of input, int64 or int32. RuntimeError for boundaries that are not 1-D.

    Args:
        input: the values to locate: a tensor or a number.
        boundaries: the sorted boundaries, 1-D.
        out_int32: whether the result is int32. By default it is int64.
        right: whether the position after equal values is returned. By default it is the position before them.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def can_cast(from_: _dtype, to: _dtype) -> _bool:
    """Returns whether a result of dtype `from_` may be written into a tensor of dtype `to`."""
def cartesian_prod(*tensors: Any) -> Tensor:
    """Rows of all combinations of the elements of 1-d tensors."""
def cat(tensors: Sequence[Tensor], dim: _int = 0, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The tensors joined along `dim`, in their common dtype; empty 1-d tensors are skipped, as torch does.

    Args:
        tensors: the tensors: a list or tuple; all sizes but that of `dim` must agree.
        dim: the dim along which to join. Default: 0.
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def ccol_indices_copy(input: Tensor, *, out: Any = None) -> Any:
    """A copy of `input.ccol_indices()`; RuntimeError for other layouts.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def cdist(x1: Tensor, x2: Tensor, p: Any = ..., compute_mode: Any = 'use_mm_for_euclid_dist_if_necessary') -> Tensor:
    """The distances of order `p` of every row of x1 (.., P, M) from every row of x2 (.., R, M), as (.., P, R).

    Args:
        x1: the first points, of shape (..., P, M).
        x2: the second points, of shape (..., R, M).
        p: the order of the norm, in [0, inf]. Default: 2.0.
        compute_mode: which algorithm PyTorch chooses for p=2; all give the same values here. Default:
            "use_mm_for_euclid_dist_if_necessary".

    Returns:
        a new tensor.
    """
def ceil(input: Tensor, *, out: Any = None) -> Tensor:
    """The smallest integer not below input; its derivative is 0.

    Same shape and dtype; NotImplementedError for bool and complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def ceil_(input: Tensor) -> Tensor:
    """The smallest integer not below input; its derivative is 0.

    Same shape and dtype; NotImplementedError for bool and complex.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def celu(input: Tensor, alpha: _float = ...) -> Tensor:
    """nn.functional.celu.

    Args:
        input: the input tensor.
        alpha: the scale of the exponential for negative inputs. Default: 1.0.
    """
def celu_(input: Tensor, alpha: Number = ...) -> Tensor:
    """input where it is positive, alpha * (exp(input / alpha) - 1) elsewhere.

    Raises RuntimeError for alpha = 0.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        alpha: the scale of the exponential for negative inputs. Default: 1.0.

    Returns:
        `input` itself.
    """
def chain_matmul(*matrices: Any, out: Any = None) -> Tensor:
    """The product of a chain of matrices in the cheapest order.

    Matrices (n, m), (m, k), …; RuntimeError for other shapes.

    Args:
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
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
def cholesky(input: Tensor, upper: _bool = False, *, out: Any = None) -> Tensor:
    """The lower (or upper) triangular Cholesky factor; LinAlgError for a matrix that is not positive definite.

    (…, n, n) to (…, n, n), float or complex. Deprecated: use linalg.cholesky.

    Args:
        input: the Hermitian positive definite matrices, of shape (..., n, n).
        upper: whether the upper factor is returned. By default it is the lower one.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def cholesky_inverse(input: Tensor, upper: _bool = False, *, out: Any = None) -> Tensor:
    """The inverse of A, of which `input` is the lower (or upper) Cholesky factor; LinAlgError for a zero on its
    diagonal.

    (…, n, n) to (…, n, n), float or complex.

    Args:
        input: the Cholesky factors, of shape (..., n, n).
        upper: whether `input` is the upper factor. By default it is the lower one.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def cholesky_solve(input: Tensor, input2: Tensor, upper: _bool = False, *, out: Any = None) -> Tensor:
    """The solution X of A @ X = input, where input2 is the lower (or upper) Cholesky factor of A.

    (…, n, k) and (…, n, n), which broadcast; float or complex.

    Args:
        input: the right-hand sides, of shape (..., n, k).
        input2: the Cholesky factors, of shape (..., n, n).
        upper: whether `input2` is the upper factor. By default it is the lower one.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of equal size along dim (the last may be smaller).

    Args:
        input: the input tensor.
        chunks: the number of pieces; there may be fewer, and the last may be smaller.
        dim: the dim to split. Default: 0.
        axis: NumPy's name for `dim`; give one of the two.
    """
def clamp(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None, *, out: Any = None) -> Tensor:
    """Input limited to [min, max]; max wins where min > max; nan where a bound is nan.

    The derivative is 1 on the bounds themselves.

    Args:
        input: the input tensor.
        min: the lower bound: a number, or a tensor that broadcasts with `input`. None (the default) sets no
            bound.
        max: the upper bound: a number, or a tensor that broadcasts with `input`. None (the default) sets no
            bound.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def clamp_(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """Input limited to [min, max]; max wins where min > max; nan where a bound is nan.

    The derivative is 1 on the bounds themselves.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        min: the lower bound: a number, or a tensor that broadcasts with `input`. None (the default) sets no
            bound.
        max: the upper bound: a number, or a tensor that broadcasts with `input`. None (the default) sets no
            bound.

    Returns:
        `input` itself.
    """
def clamp_max(input: Tensor, max: Tensor | Number, *, out: Any = None) -> Tensor:
    """Input, or `max` where that is less.

    `max` is a number or a tensor that broadcasts; the dtype is promoted. NotImplementedError for complex.

    Args:
        input: the input tensor.
        max: the upper bound: a number, or a tensor that broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def clamp_max_(input: Tensor, max: Tensor | Number) -> Tensor:
    """Input, or `max` where that is less.

    `max` is a number or a tensor that broadcasts; the dtype is promoted. NotImplementedError for complex.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        max: the upper bound: a number, or a tensor that broadcasts with `input`.

    Returns:
        `input` itself.
    """
def clamp_min(input: Tensor, min: Tensor | Number, *, out: Any = None) -> Tensor:
    """Input, or `min` where that is greater.

    `min` is a number or a tensor that broadcasts; the dtype is promoted. NotImplementedError for complex.

    Args:
        input: the input tensor.
        min: the lower bound: a number, or a tensor that broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def clamp_min_(input: Tensor, min: Tensor | Number) -> Tensor:
    """Input, or `min` where that is greater.

    `min` is a number or a tensor that broadcasts; the dtype is promoted. NotImplementedError for complex.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        min: the lower bound: a number, or a tensor that broadcasts with `input`.

    Returns:
        `input` itself.
    """
def clear_autocast_cache() -> None:
    """Does nothing: casts are not cached, since a program computes equal casts once."""
def clip(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None, *, out: Any = None) -> Tensor:
    """Input limited to [min, max]; max wins where min > max; nan where a bound is nan.

    The derivative is 1 on the bounds themselves.

    Args:
        input: the input tensor.
        min: the lower bound: a number, or a tensor that broadcasts with `input`. None (the default) sets no
            bound.
        max: the upper bound: a number, or a tensor that broadcasts with `input`. None (the default) sets no
            bound.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def clip_(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """Input limited to [min, max]; max wins where min > max; nan where a bound is nan.

    The derivative is 1 on the bounds themselves.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        min: the lower bound: a number, or a tensor that broadcasts with `input`. None (the default) sets no
            bound.
        max: the upper bound: a number, or a tensor that broadcasts with `input`. None (the default) sets no
            bound.

    Returns:
        `input` itself.
    """
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy of the tensor, through which derivatives flow; memory formats do not apply.

    Args:
        input: the input tensor.
        memory_format: the order in which PyTorch would store the dims; it changes `stride()` and no values.

    Returns:
        a new tensor.
    """
def col_indices_copy(input: Tensor, *, out: Any = None) -> Any:
    """A copy of `input.col_indices()`; RuntimeError for other layouts.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def column_stack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """The tensors joined along dim 1, after a 1-d tensor was made a column.

    Args:
        tensors: the tensors: a list or tuple.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def combinations(input: Tensor, r: _int = 2, with_replacement: _bool = False) -> Tensor:
    """All combinations of r elements of a vector, one in a row, as itertools gives them.

    (n,) to (number, r), same dtype; RuntimeError for a tensor that is not 1-d.

    Args:
        input: a 1-D tensor.
        r: the number of elements in a combination. Default: 2.
        with_replacement: whether an element may occur several times. Default: False.
    """
def complex(real: Tensor, imag: Tensor, *, out: Any = None) -> Tensor:
    """The complex tensor with these real and imaginary parts, float32 or float64.

    Args:
        real: the real parts, float32 or float64.
        imag: the imaginary parts, of the same dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def concat(tensors: Sequence[Tensor], dim: _int = 0, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The tensors joined along `dim`, in their common dtype; empty 1-d tensors are skipped, as torch does.

    Args:
        tensors: the tensors: a list or tuple; all sizes but that of `dim` must agree.
        dim: the dim along which to join. Default: 0.
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def concatenate(tensors: Sequence[Tensor], dim: _int = 0, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The tensors joined along `dim`, in their common dtype; empty 1-d tensors are skipped, as torch does.

    Args:
        tensors: the tensors: a list or tuple; all sizes but that of `dim` must agree.
        dim: the dim along which to join. Default: 0.
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def cond(pred: _bool | _int | _float | Tensor, true_fn: Callable, false_fn: Callable, operands: _Sizes | list = ...) -> Any:
    """true_fn(*operands) if pred, else false_fn(*operands): the choice is part of the program, so pred may be batched
    or traced.

    pred: a tensor with one element, or a Python number, which is decided at once. operands: a tuple of (nested)
    tensors. Both branches must return the same structure of tensors with the same shapes and dtypes, and may write
    only to tensors of their own. Captured values get gradients as the operands do.

    Args:
        pred: a bool, or a bool tensor of one element.
        true_fn: the function that is called if `pred` is True.
        false_fn: the function that is called if `pred` is False.
        operands: the arguments of both functions: a tuple, by default empty.
    """
def conj(input: Tensor) -> Tensor:
    """The complex conjugate, as a view: what is written to it is conjugated and written to `input`.

    Args:
        input: the input tensor.
    """
def conj_physical(input: Tensor, *, out: Any = None) -> Tensor:
    """The complex conjugate; a real tensor is returned as it is.

    Same shape and dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def conj_physical_(input: Tensor) -> Tensor:
    """The complex conjugate; a real tensor is returned as it is.

    Same shape and dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def constant_pad_nd(input: Tensor, pad: _Sizes, value: Number = 0) -> Tensor:
    """`value` added around the tensor: `pad` gives (before, after) from the last dim backwards; negative sizes cut.

    Args:
        input: the input tensor.
        pad: the sizes before and after each dim, from the last dim backwards; negative ones crop.
        value: the number to pad with. Default: 0.

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
def convolution(input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, transposed: _bool, output_padding: Any, groups: _int) -> Tensor:
    """The (transposed) convolution of as many dims as input has after the first two.

    Args:
        input: the input, of shape (N, C_in, ...) or, for one sample, (C_in, ...).
        weight: the kernels, of shape (C_out, C_in / groups, ...).
        bias: the bias, of shape (C_out,). None (the default) adds none.
        stride: the distance between windows: an int, or one for each dim.
        padding: the zeros added at both ends of each dim: an int, one for each dim, or "valid" (none) or
            "same" (the output has the size of the input; stride 1).
        dilation: the distance between the elements of a kernel: an int, or one for each dim.
        transposed: whether the transposed convolution is computed.
        output_padding: the size added to one end of each dim of the output: an int, or one for each dim.
        groups: the number of groups of channels that are convolved apart; it divides C_in and C_out.
    """
def copysign(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """|input| with the sign of `other` (of its sign bit: -0.0 counts as negative).

    Args:
        input: the input tensor.
        other: the tensor or number whose signs are taken.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def copysign_(input: Tensor, other: Tensor | Number) -> Tensor:
    """|input| with the sign of `other` (of its sign bit: -0.0 counts as negative).

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the tensor or number whose signs are taken.

    Returns:
        `input` itself.
    """
def corrcoef(input: Tensor) -> Tensor:
    """The correlation coefficients of variables (rows): their covariances over the product of their standard
    deviations.

    (n, m) to (n, n); a vector gives a number. RuntimeError for more than two dims.

    Args:
        input: the input tensor.

    Returns:
        a new tensor.
    """
def cos(input: Tensor, *, out: Any = None) -> Tensor:
    """The cosine of an angle in radians.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def cos_(input: Tensor) -> Tensor:
    """The cosine of an angle in radians.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def cosh(input: Tensor, *, out: Any = None) -> Tensor:
    """The hyperbolic cosine.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def cosh_(input: Tensor) -> Tensor:
    """The hyperbolic cosine.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: _float = ..., reduction: _int = 0) -> Tensor:
    """nn.functional.cosine_embedding_loss; reduction: 0 none, 1 mean, 2 sum.

    Args:
        input1: the first vectors, of shape (N, D) or (D,).
        input2: the second vectors.
        target: 1 for similar pairs, -1 for others.
        margin: the largest cosine of pairs with target -1 that costs nothing. Default: 0.0.
        reduction: 0 for the loss of each sample, 1 for the mean, 2 for the sum. Default: 0.
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
def count_nonzero(input: Tensor, dim: _int | _Sizes | None = None, *, axis: Any = ...) -> Tensor:
    """How many elements along `dim` are nonzero (nan is).

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
            are reduced.
        axis: NumPy's name for `dim`; give one of the two.

    Returns:
        a new tensor.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
    """
def cov(input: Tensor, *, correction: _int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
    """The covariance matrix of variables (rows) from observations (columns); a vector is one variable.

    fweights: how often each observation is counted; aweights: how much it weighs. Raises RuntimeError for
    negative weights, and for a sum of 0.

    Args:
        input: one variable in each row, one observation in each column; a vector is one variable.
        correction: what is subtracted from the number of observations in the divisor. Default: 1.
        fweights: how often each observation is counted: 1-D, integers. None (the default) counts each once.
        aweights: how much each observation weighs: 1-D, floating point. None (the default) weighs all the same.

    Returns:
        a new tensor.
    """
def cross(input: Tensor, other: Tensor, dim: _int | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The cross product of vectors of size 3 along `dim`, by default the first dim of that size.

    Args:
        input: the input tensor.
        other: the second tensor of vectors; it broadcasts with `input`.
        dim: the dim of the vectors, of size 3. For torch.cross, None (the default) is the first dim of size 3.
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def crow_indices_copy(input: Tensor, *, out: Any = None) -> Any:
    """A copy of `input.crow_indices()`; RuntimeError for other layouts.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: _int = 0, reduction: _int = 0, zero_infinity: _bool = False) -> Tensor:
    """nn.functional.ctc_loss; reduction: 0 none, 1 mean, 2 sum.

    Args:
        log_probs: the logarithms of the probabilities, of shape (T, N, C) or (T, C).
        targets: the target sequences, of shape (N, S), or all joined in one dim.
        input_lengths: the length of each input.
        target_lengths: the length of each target.
        blank: the class of the blank. Default: 0.
        reduction: 0 for the loss of each sample, 1 for the mean, 2 for the sum. Default: 0.
        zero_infinity: whether infinite losses and their gradients become 0. Default: False.
    """
def cummax(input: Tensor, dim: _int = ..., *, axis: Any = ..., out: Any = None) -> return_types.cummax:
    """(values, indices) of the largest element so far along `dim`; the gradient goes to the element selected.

    Args:
        input: the input tensor.
        dim: the dim along which values accumulate; required.
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a named tuple of `values`, `indices`.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def cummin(input: Tensor, dim: _int = ..., *, axis: Any = ..., out: Any = None) -> return_types.cummin:
    """(values, indices) of the smallest element so far along `dim`; the gradient goes to the element selected.

    Args:
        input: the input tensor.
        dim: the dim along which values accumulate; required.
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a named tuple of `values`, `indices`.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def cumprod(input: Tensor, dim: _int = ..., *, dtype: _dtype | None = None, axis: Any = ..., out: Any = None) -> Tensor:
    """The running product along `dim`; its gradient is right where elements are zero.

    Args:
        input: the input tensor.
        dim: the dim along which values accumulate; required.
        dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
            default) keeps the natural dtype of the result.
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def cumprod_(input: Tensor, dim: _int = ..., *, dtype: _dtype | None = None, axis: Any = ...) -> Tensor:
    """The running product along `dim`; its gradient is right where elements are zero.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        dim: the dim along which values accumulate; required.
        dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
            default) keeps the natural dtype of the result.
        axis: NumPy's name for `dim`; give one of the two.

    Returns:
        `input` itself.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
    """
def cumsum(input: Tensor, dim: _int = ..., *, dtype: _dtype | None = None, axis: Any = ..., out: Any = None) -> Tensor:
    """The running sum along `dim`; bool and integers give int64 unless `dtype` is given.

    Args:
        input: the input tensor.
        dim: the dim along which values accumulate; required.
        dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
            default) keeps the natural dtype of the result.
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def cumsum_(input: Tensor, dim: _int = ..., *, dtype: _dtype | None = None, axis: Any = ...) -> Tensor:
    """The running sum along `dim`; bool and integers give int64 unless `dtype` is given.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        dim: the dim along which values accumulate; required.
        dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
            default) keeps the natural dtype of the result.
        axis: NumPy's name for `dim`; give one of the two.

    Returns:
        `input` itself.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
    """
def cumulative_trapezoid(y: Tensor, x: Any = ..., *, dx: Any = ..., dim: _int = -1) -> Tensor:
    """The running integral of `y` along `dim` by the trapezoid rule; one element shorter than `y`.

    Args:
        y: the samples.
        x: the coordinates of the samples; they broadcast with `y`. Without them the samples are `dx` apart.
        dx: the distance between samples, a number. Default: 1.
        dim: the dim along which to integrate. Default: -1.
        axis: NumPy's name for `dim`; give one of the two.
    """
def deg2rad(input: Tensor, *, out: Any = None) -> Tensor:
    """Degrees as radians.

    Same shape and dtype; integers and bool give the default dtype. RuntimeError for complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def deg2rad_(input: Tensor) -> Tensor:
    """Degrees as radians.

    Same shape and dtype; integers and bool give the default dtype. RuntimeError for complex.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def dequantize(input: Any) -> Any:
    """The numbers of a quantized tensor, or of each of a list, as float32. A tensor of floats is returned unchanged.

    Args:
        input: the input tensor.
    """
def det(input: Tensor) -> Tensor:
    """The determinant of square matrices.

    Args:
        input: the input tensor.

    Returns:
        a new tensor.
    """
def detach(input: Tensor) -> Tensor:
    """input.detach(). A separate function, because overrides receive the function that was called.

    Args:
        input: the input tensor.
    """
def detach_(input: Tensor) -> Tensor:
    """`input.detach_()`.

    Args:
        input: the input tensor.
    """
def detach_copy(input: Tensor, *, out: Any = None) -> Tensor:
    """detach, as a copy instead of a view.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def diag(input: Tensor, diagonal: _int = 0, *, out: Any = None) -> Tensor:
    """The diagonal of a matrix, or the matrix with a 1-D tensor on its diagonal.

    Args:
        input: the input tensor.
        diagonal: which diagonal: 0 is the main one, positive ones are above it and negative ones below it.
            Default: 0.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def diag_embed(input: Tensor, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
    """Matrices over the dims `dim1` and `dim2` of the result, whose diagonal `offset` is the last dim of `input`.

    Args:
        input: the input tensor.
        offset: which diagonal: 0 is the main one, positive ones are above it and negative ones below it.
            Default: 0.
        dim1: the first dim of the matrices. Default: -2.
        dim2: the second dim of the matrices. Default: -1.

    Returns:
        a new tensor.
    """
def diagflat(input: Tensor, offset: _int = 0) -> Tensor:
    """The matrix with the elements of `input` on its diagonal `offset`.

    Args:
        input: the input tensor.
        offset: which diagonal: 0 is the main one, positive ones are above it and negative ones below it.
            Default: 0.

    Returns:
        a new tensor.
    """
def diagonal(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
    """The diagonal of the matrices in dims `dim1` and `dim2`, as the last dim of the result.

    Args:
        input: the input tensor.
        offset: which diagonal: 0 is the main one, positive ones are above it and negative ones below it.
            Default: 0.
        dim1: the first dim of the matrices. Default: 0.
        dim2: the second dim of the matrices. Default: 1.
    """
def diagonal_copy(input: Tensor, offset: Any = 0, dim1: Any = 0, dim2: Any = 1, *, out: Any = None) -> Tensor:
    """diagonal, as a copy instead of a view.

    Args:
        input: the input tensor.
        offset: which diagonal: 0 is the main one, positive ones are above it and negative ones below it.
            Default: 0.
        dim1: the first dim of the matrices. Default: 0.
        dim2: the second dim of the matrices. Default: 1.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def diagonal_scatter(input: Tensor, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
    """`input` with a diagonal replaced by `src`.

    Args:
        input: the input tensor.
        src: the values of the diagonal.
        offset: which diagonal: 0 is the main one, positive ones are above it and negative ones below it.
            Default: 0.
        dim1: the first dim of the matrices. Default: 0.
        dim2: the second dim of the matrices. Default: 1.

    Returns:
        a new tensor.
    """
def diff(input: Tensor, n: _int = 1, dim: _int = -1, prepend: Tensor | None = None, append: Tensor | None = None, *, out: Any = None) -> Tensor:
    """The n-th difference of neighbours along `dim`, after joining `prepend` and `append`; bool differs by exclusive
    or.

    For a dim without elements the result is the input itself, as in torch.

    Args:
        input: the input tensor.
        n: how often to take differences. Default: 1.
        dim: the dim along which to take them. Default: -1.
        prepend: a tensor to join before `input`, None (the default) for none.
        append: a tensor to join after `input`, None (the default) for none.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        axis: NumPy's name for `dim`; give one of the two.
    """
def digamma(input: Tensor, *, out: Any = None) -> Tensor:
    """The derivative of `lgamma`; nan at negative whole numbers, infinite at 0.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def digamma_(input: Tensor) -> Tensor:
    """The derivative of `lgamma`; nan at negative whole numbers, infinite at 0.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def dist(input: Tensor, other: Tensor, p: Any = 2) -> Tensor:
    """The norm of order `p` of input - other.

    Args:
        input: the input tensor.
        other: the second tensor; it broadcasts with `input`.
        p: the order of the norm of the difference. Default: 2.

    Returns:
        a new tensor.
    """
def div(input: Tensor | Number, other: Tensor | Number, *, rounding_mode: _str | None = None, out: Any = None) -> Tensor:
    """input / other: in floating point, or rounded "trunc" (towards 0) or "floor" with the dtype kept.

    The derivative of a rounded quotient is 0.

    Args:
        input: the input tensor.
        other: the divisor: a tensor or a number; it broadcasts with `input`.
        rounding_mode: how the quotient is rounded: "trunc" towards zero, "floor" downwards. None (the default)
            does not round and gives floating point.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def div_(input: Tensor | Number, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
    """input / other: in floating point, or rounded "trunc" (towards 0) or "floor" with the dtype kept.

    The derivative of a rounded quotient is 0.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the divisor: a tensor or a number; it broadcasts with `input`.
        rounding_mode: how the quotient is rounded: "trunc" towards zero, "floor" downwards. None (the default)
            does not round and gives floating point.

    Returns:
        `input` itself.
    """
def divide(input: Tensor | Number, other: Tensor | Number, *, rounding_mode: _str | None = None, out: Any = None) -> Tensor:
    """input / other: in floating point, or rounded "trunc" (towards 0) or "floor" with the dtype kept.

    The derivative of a rounded quotient is 0.

    Args:
        input: the input tensor.
        other: the divisor: a tensor or a number; it broadcasts with `input`.
        rounding_mode: how the quotient is rounded: "trunc" towards zero, "floor" downwards. None (the default)
            does not round and gives floating point.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def divide_(input: Tensor | Number, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
    """input / other: in floating point, or rounded "trunc" (towards 0) or "floor" with the dtype kept.

    The derivative of a rounded quotient is 0.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the divisor: a tensor or a number; it broadcasts with `input`.
        rounding_mode: how the quotient is rounded: "trunc" towards zero, "floor" downwards. None (the default)
            does not round and gives floating point.

    Returns:
        `input` itself.
    """
def dot(input: Tensor, tensor: Tensor, *, out: Any = None) -> Tensor:
    """The inner product of two vectors, without conjugation.

    Args:
        input: the first vector.
        tensor: the second vector, of the same size.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """nn.functional.dropout, with `train` instead of `training`.

    Args:
        input: the input tensor.
        p: the probability that an element (or a channel) is dropped, in [0, 1].
        train: whether anything is dropped. False returns the input.
    """
def dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """nn.functional.dropout, with `train` instead of `training`, in place.

    Args:
        input: the input tensor.
        p: the probability that an element (or a channel) is dropped, in [0, 1].
        train: whether anything is dropped. False returns the input.
    """
def dsmm(input: Any, mat2: Any) -> Any:
    """torch.mm, under an older name.

    Args:
        input: the input tensor.
        mat2: the second matrix.
    """
def dsplit(input: Tensor, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
    """torch.dsplit: tensor_split along its dimension. RuntimeError for fewer than 3 dims, and where a number of parts does not divide it.

    Args:
        input: the input tensor.
        indices_or_sections: an int: the number of pieces; a tuple of ints: where to cut. Give one of this,
            `indices` and `sections`.
        indices: where to cut: a tuple of ints. None (the default) if `sections` is given.
        sections: the number of pieces, an int. None (the default) if `indices` is given.
    """
def dstack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """The tensors joined along dim 2, after each was given at least three dims.

    Args:
        tensors: the tensors: a list or tuple.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def eig(*args: Any, **kwargs: Any) -> Any:
    """Removed from PyTorch, raises RuntimeError: use torch.linalg (eig)."""
def einsum(*args: Any) -> Tensor:
    """The sum of products that an equation describes: einsum("ij,jk->ik", a, b); the tensors may be given as one list.

    Instead of an equation, each tensor may be followed by a list of ints that name its dims; a last list names the
    result's. If the dims of one tensor are only reordered, or a diagonal is taken, the result is a view.

    Args:
        equation: the subscripts, such as "ij,jk->ik".
        operands: the tensors.
    """
def embedding(weight: Tensor, indices: Tensor, padding_idx: _int = -1, scale_grad_by_freq: _bool = False, sparse: _bool = False) -> Tensor:
    """nn.functional.embedding, with the weight first; padding_idx=-1 means none.

    Args:
        weight: the vectors, of shape (number of vectors, dim).
        indices: the rows to look up, int64 or int32, of any shape.
        padding_idx: the row that gets no gradient; -1 means none. Default: -1.
        scale_grad_by_freq: whether gradients are divided by how often a row occurs in the batch. Default:
            False.
        sparse: whether the gradient of `weight` is a sparse tensor. Default: False.
    """
def embedding_bag(weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: _bool = False, mode: _int = 0, sparse: _bool = False, per_sample_weights: Tensor | None = None, include_last_offset: _bool = False, padding_idx: _int | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """nn.functional.embedding_bag with the weight first and mode 0, 1, 2 for "sum", "mean", "max"; with PyTorch's
    tables for its derivative: (bags, the bag of each index, the sizes of the bags, the rows of weight that the maxima
    come from).

    The tables are the same as those returned by PyTorch's CPU kernels: for sums the sizes are zeros, and in single
    precision without padding_idx the bag of each index is left out; without maxima the last table is the sizes again.

    Args:
        weight: the vectors, of shape (number of vectors, dim).
        indices: the rows to look up, int64 or int32.
        offsets: where each bag begins in a 1-D `input`. None (the default) if `input` is 2-D, with one bag in
            each row.
        scale_grad_by_freq: whether gradients are divided by how often a row occurs in the batch. Default:
            False.
        mode: how a bag is reduced: "sum", "mean" or "max" (torch.embedding_bag takes 0, 1 or 2). Default: 0.
        sparse: whether the gradient of `weight` is a sparse tensor. Default: False.
        per_sample_weights: one weight for each element of `input`, for mode "sum". None (the default) weighs
            all with 1.
        include_last_offset: whether `offsets` has the end of the last bag as a further element. Default: False.
        padding_idx: the row that gets no gradient. None (the default) means none.
    """
def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: _float, norm_type: _float = ...) -> Tensor:
    """Scales the rows of `input` (number, features) that indices name, in place, to a norm of at most max_norm.

    Args:
        input: the vectors.
        indices: the rows to scale.
        max_norm: the largest norm that a row may keep.
        norm_type: the order of the norm. Default: 2.0.
    """
def empty(*sizes: Any, size: Any = None, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: _memory_format | None = ...) -> Tensor:
    """A tensor whose contents torch leaves open; here they are zeros.

    Args:
        size: the shape: a tuple of ints, or separate ints.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        dtype: the dtype of the result. None (the default) is the default dtype, float32 unless
            `torch.set_default_dtype` changed it.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        memory_format: the order in which PyTorch would store the dims. It is checked against the number of
            dims; None (the default) checks nothing.
    """
def empty_like(input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: _memory_format | None = None) -> Tensor:
    """A tensor like `input` in shape, dtype and device: torch.empty_like.

    Args:
        input: the tensor whose shape is taken.
        dtype: the dtype of the result. None (the default) is that of `input`.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result. None (the default) is that of `input`.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        memory_format: the order in which PyTorch would store the dims. It is checked against the number of
            dims; None (the default) checks nothing.
    """
def empty_permuted(size: Any, physical_layout: Any, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, requires_grad: _bool = False, pin_memory: _bool = False) -> Tensor:
    """A tensor of zeros whose dims lie in memory in the order `physical_layout`, outermost first.

    RuntimeError if `physical_layout` is not a permutation of the dims.

    Args:
        size: the shape: a tuple of ints, or separate ints.
        physical_layout: the order in which PyTorch would store the dims: a permutation of them.
        dtype: the dtype of the result. None (the default) is the default dtype, float32 unless
            `torch.set_default_dtype` changed it.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
    """
def empty_strided(size: _Sizes, stride: _Sizes, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, requires_grad: _bool = False, pin_memory: _bool = False) -> Tensor:
    """A tensor of zeros with these strides (a view by strides of contiguous storage).

    The shape is `size`; the dtype is the default one unless given.

    Args:
        size: the shape of the result: a tuple of ints.
        stride: the steps between elements of each dim: a tuple of ints, counted in elements.
        dtype: the dtype of the result. None (the default) is the default dtype, float32 unless
            `torch.set_default_dtype` changed it.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
    """
def eq(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input == other, as a bool tensor.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def eq_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input == other, as a bool tensor.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def equal(input: Tensor, other: Tensor) -> _bool:
    """Returns whether shapes and all elements are equal.

    Args:
        input: the input tensor.
        other: the tensor to compare with.
    """
def erf(input: Tensor, *, out: Any = None) -> Tensor:
    """The error function.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def erf_(input: Tensor) -> Tensor:
    """The error function.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def erfc(input: Tensor, *, out: Any = None) -> Tensor:
    """1 - erf(input), accurate where erf is close to 1.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def erfc_(input: Tensor) -> Tensor:
    """1 - erf(input), accurate where erf is close to 1.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def erfinv(input: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of `erf` on (-1, 1); infinite at the ends, nan outside.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def erfinv_(input: Tensor) -> Tensor:
    """The inverse of `erf` on (-1, 1); infinite at the ends, nan outside.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def exp(input: Tensor, *, out: Any = None) -> Tensor:
    """e ** input.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def exp2(input: Tensor, *, out: Any = None) -> Tensor:
    """2 ** input, exact for whole numbers.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def exp2_(input: Tensor) -> Tensor:
    """2 ** input, exact for whole numbers.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def exp_(input: Tensor) -> Tensor:
    """e ** input.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def expand_copy(input: Tensor, size: Any, *, out: Any = None) -> Tensor:
    """expand, as a copy instead of a view.

    Args:
        input: the input tensor.
        size: the shape to broadcast to; -1 keeps a size.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def expm1(input: Tensor, *, out: Any = None) -> Tensor:
    """exp(input) - 1, accurate near 0.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def expm1_(input: Tensor) -> Tensor:
    """exp(input) - 1, accurate near 0.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def eye(n: _int, m: Any = ..., *, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Ones on the diagonal, zeros elsewhere: shape (n, m or n).

    Args:
        n: the number of rows.
        m: the number of columns. By default it is `n`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        dtype: the dtype of the result. None (the default) is the default dtype, float32 unless
            `torch.set_default_dtype` changed it.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
    """
def fake_quantize_per_channel_affine(input: Tensor, scale: Tensor, zero_point: Tensor, axis: _int, quant_min: _int, quant_max: _int) -> Tensor:
    """The same with a scale and a zero point for each index along an axis.

    Args:
        input: the input tensor.
        scale: the step between quantized values: a number or a tensor.
        zero_point: the integer that stands for 0.
        axis: the dim of the slices.
        quant_min: the smallest quantized value.
        quant_max: the largest quantized value.
    """
def fake_quantize_per_tensor_affine(input: Tensor, scale: Any, zero_point: Any, quant_min: _int, quant_max: _int) -> Tensor:
    """Rounds floats as quantizing and dequantizing would. The gradient passes where the integer is
    from quant_min to quant_max, and is 0 elsewhere.

    Args:
        input: the input tensor.
        scale: the step between quantized values: a number or a tensor.
        zero_point: the integer that stands for 0.
        quant_min: the smallest quantized value.
        quant_max: the largest quantized value.
    """
def feature_alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """nn.functional.feature_alpha_dropout, with `train` instead of `training`.

    Args:
        input: the input tensor.
        p: the probability that an element (or a channel) is dropped, in [0, 1].
        train: whether anything is dropped. False returns the input.
    """
def feature_alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """nn.functional.feature_alpha_dropout, with `train` instead of `training`, in place.

    Args:
        input: the input tensor.
        p: the probability that an element (or a channel) is dropped, in [0, 1].
        train: whether anything is dropped. False returns the input.
    """
def feature_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """Zeroes whole channels (indices of dims 0 and 1) with probability p, and scales what is left, when training.

    Args:
        input: the input tensor.
        p: the probability that an element (or a channel) is dropped, in [0, 1].
        train: whether anything is dropped. False returns the input.
    """
def feature_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """feature_dropout in place.

    Args:
        input: the input tensor.
        p: the probability that an element (or a channel) is dropped, in [0, 1].
        train: whether anything is dropped. False returns the input.
    """
def fill(input: Tensor, value: Tensor | Number) -> Tensor:
    """A tensor of input's shape and dtype filled with `value`.

    `value` is a number, or a tensor of no dims: RuntimeError for one of more.

    Args:
        input: the input tensor.
        value: the number to write.

    Returns:
        a new tensor.
    """
def fill_(input: Tensor, value: Tensor | Number) -> Tensor:
    """A tensor of input's shape and dtype filled with `value`.

    `value` is a number, or a tensor of no dims: RuntimeError for one of more.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        value: the number to write.

    Returns:
        `input` itself.
    """
def fix(input: Tensor, *, out: Any = None) -> Tensor:
    """Input rounded towards 0; its derivative is 0.

    Same shape and dtype; NotImplementedError for bool and complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def fix_(input: Tensor) -> Tensor:
    """Input rounded towards 0; its derivative is 0.

    Same shape and dtype; NotImplementedError for bool and complex.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def flatten(input: Tensor, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
    """The dims from start_dim to end_dim as one: a view if possible, else a copy.

    Args:
        input: the input tensor.
        start_dim: the first dim to merge. Default: 0.
        end_dim: the last dim to merge. Default: -1.
    """
def flip(input: Tensor, dims: _Sizes) -> Tensor:
    """The order of the elements reversed along `dims`.

    Args:
        input: the input tensor.
        dims: the dims to reverse.

    Returns:
        a new tensor.
    """
def fliplr(input: Tensor) -> Tensor:
    """The order reversed along dim 1.

    Args:
        input: the input tensor.

    Returns:
        a new tensor.
    """
def flipud(input: Tensor) -> Tensor:
    """The order reversed along dim 0.

    Args:
        input: the input tensor.

    Returns:
        a new tensor.
    """
def float_power(input: Tensor | Number, exponent: Tensor | Number, *, out: Any = None) -> Tensor:
    """input ** exponent in float64, or complex128 when either is complex; `out=` has that dtype.

    The two broadcast.

    Args:
        input: the base: a tensor or a number.
        exponent: the exponent: a tensor or a number; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def floor(input: Tensor, *, out: Any = None) -> Tensor:
    """The largest integer not above input; its derivative is 0.

    Same shape and dtype; NotImplementedError for bool and complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def floor_(input: Tensor) -> Tensor:
    """The largest integer not above input; its derivative is 0.

    Same shape and dtype; NotImplementedError for bool and complex.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def floor_divide(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """floor(input / other) with the dtype kept; its derivative is 0 (torch has none and raises).

    Args:
        input: the input tensor.
        other: the divisor: a tensor or a number; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def floor_divide_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """floor(input / other) with the dtype kept; its derivative is 0 (torch has none and raises).

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the divisor: a tensor or a number; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def fmax(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The greater of the two, ignoring nan. Where they are equal the derivative is the input's.

    Args:
        input: the input tensor.
        other: the second tensor; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def fmin(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The smaller of the two, ignoring nan. Where they are equal the derivative is the input's.

    Args:
        input: the input tensor.
        other: the second tensor; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def fmod(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input - other * trunc(input / other): the remainder with the sign of `input`.

    Args:
        input: the input tensor.
        other: the divisor: a tensor or a number; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def fmod_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input - other * trunc(input / other): the remainder with the sign of `input`.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the divisor: a tensor or a number; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def frac(input: Tensor, *, out: Any = None) -> Tensor:
    """input - trunc(input): the part behind the point, with the sign of input; its derivative is 1.

    Same shape and dtype, which must be of floating point: NotImplementedError otherwise.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def frac_(input: Tensor) -> Tensor:
    """input - trunc(input): the part behind the point, with the sign of input; its derivative is 1.

    Same shape and dtype, which must be of floating point: NotImplementedError otherwise.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def frexp(input: Tensor, *, out: Any = None) -> return_types.frexp:
    """Mantissa in [0.5, 1) and int32 exponent with input == mantissa * 2 ** exponent; exponent 0 for 0, inf and nan.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a named tuple of `mantissa`, `exponent`.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def frobenius_norm(input: Tensor, dim: Any, keepdim: _bool = False, *, out: Any = None) -> Tensor:
    """The square root of the sum of squares over `dim` (one or two dims, or () for all).

    Float or complex.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
            are reduced.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
    """
def from_dlpack(ext_tensor: Any, *, device: _Device = None, copy: _bool | None = None) -> Tensor:
    """A tensor with the values of an object that speaks DLPack (jax, numpy, torch, cupy).

    The memory is not shared: copy=False raises.

    Args:
        ext_tensor: an object with `__dlpack__`, such as an array of NumPy, JAX or CuPy.
        device: the device of the result. None (the default) is that of the object.
        copy: None (the default) and True copy; False raises, because memory is not shared.
    """
def from_file(filename: Any, shared: _bool | None = None, size: _int = 0, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False) -> Tensor:
    """A 1-d tensor of the first `size` elements of a file. They are read, not mapped: shared=True is not supported.

    1-d, of the default dtype or that given; RuntimeError for a file with fewer elements.

    Args:
        filename: the path of the file.
        shared: whether writes to the tensor go to the file. None (the default) means False.
        size: the number of elements to read. Default: 0.
        dtype: the dtype of the elements. None (the default) is the default dtype.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
    """
def from_numpy(ndarray: Any) -> Tensor:
    """A tensor with the values of a numpy array. The memory is not shared: later writes to the array are not seen.

    Same shape and dtype; TypeError for dtypes that no tensor has.

    Args:
        ndarray: a NumPy array.
    """
def frombuffer(buffer: Any, *, dtype: _dtype, count: _int = -1, offset: _int = 0, requires_grad: _bool = False) -> Tensor:
    """A 1-d tensor of the bytes of a buffer. They are copied: later writes to the buffer are not seen.

    Args:
        buffer: an object with the buffer protocol, such as bytes.
        dtype: the dtype of the elements.
        count: how many elements to read; -1 reads all. Default: -1.
        offset: how many bytes to skip. Default: 0.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
    """
def full(size: Any, fill_value: Number | Tensor, *, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """A tensor of `size` filled with a number; its dtype follows the number.

    Args:
        size: the shape: a tuple of ints, or separate ints.
        fill_value: the number with which the result is filled.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        dtype: the dtype of the result. None (the default) is the default dtype, float32 unless
            `torch.set_default_dtype` changed it.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
    """
def full_like(input: Tensor, fill_value: Number | Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: _memory_format | None = None) -> Tensor:
    """A tensor of input's shape filled with a number.

    Args:
        input: the tensor whose shape is taken.
        fill_value: the number with which the result is filled.
        dtype: the dtype of the result. None (the default) is that of `input`.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result. None (the default) is that of `input`.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        memory_format: the order in which PyTorch would store the dims. It is checked against the number of
            dims; None (the default) checks nothing.
    """
def gather(input: Tensor, dim: _int, index: Tensor, *, sparse_grad: _bool = False, out: Any = None) -> Tensor:
    """result[i][j] = input[index[i][j]][j] for dim 0, and so on; the result has the shape of `index`.

    Args:
        input: the input tensor.
        dim: the dim to index.
        index: the positions along `dim`, int64, with as many dims as `input`; its shape is that of the result.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def gcd(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The greatest common divisor, which is not negative except next to the smallest integer; gcd(0, 0) is 0.

    Args:
        input: the input tensor.
        other: the second tensor or number, of integers (bool is allowed for bitwise ops).
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def gcd_(input: Tensor, other: Tensor) -> Tensor:
    """The greatest common divisor, which is not negative except next to the smallest integer; gcd(0, 0) is 0.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor or number, of integers (bool is allowed for bitwise ops).

    Returns:
        `input` itself.
    """
def ge(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input >= other, as a bool tensor.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def ge_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input >= other, as a bool tensor.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def geqrf(input: Tensor, *, out: Any = None) -> return_types.geqrf:
    """QR in LAPACK's form: R on and above the diagonal, Householder vectors below it, and their factors; no derivative.

    (…, m, n) to (…, m, n) and (…, min(m, n)), float or complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a named tuple of `a`, `tau`.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def ger(input: Tensor, vec2: Tensor, *, out: Any = None) -> Tensor:
    """All products of an element of one vector with an element of another (another name of `outer`).

    Args:
        input: the first vector.
        vec2: the second vector.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def get_autocast_cpu_dtype() -> _dtype:
    """Deprecated: get_autocast_dtype("cpu")."""
def get_autocast_dtype(device_type: _str) -> _dtype:
    """The dtype that autocast casts to on this kind of device.

    Args:
        device_type: the type of the device: "cpu" or "cuda".
    """
def get_autocast_gpu_dtype() -> _dtype:
    """Deprecated: get_autocast_dtype("cuda")."""
def get_default_dtype() -> _dtype:
    """The dtype of floating point tensors made of Python numbers."""
def get_deterministic_debug_mode() -> _int:
    """0, 1 or 2: see `set_deterministic_debug_mode`."""
def get_device(input: Tensor) -> _int:
    """The number of the tensor's device; -1 for a CPU.

    Args:
        input: the input tensor.
    """
def get_device_module(device: Any = None) -> Any:
    """torch.cpu or torch.cuda: the module of a device; None means the GPU's if one exists, else the CPU's.

    Args:
        device: a device or its type. None (the default) means the GPU if one exists, else the CPU.
    """
def get_float32_matmul_precision() -> _str:
    """How float32 matrix products are computed: 'highest', 'high' or 'medium'."""
def get_num_interop_threads() -> _int:
    """The same number: XLA has one pool."""
def get_num_threads() -> _int:
    """How many threads XLA computes with on the CPU: as many as `set_num_threads` or NPROC in the environment said
    before it started, else one for each core that this process may use.
    """
def get_rng_state() -> Any:
    """The default generator's state, a uint8 tensor."""
def gradient(input: Tensor, *, spacing: Any = 1, dim: _int | _Sizes | None = None, edge_order: _int = 1) -> tuple[Tensor, ...]:
    """The derivatives, along each dim, of a function of which `input` holds samples: one tensor for each dim.

    spacing: the distance of samples, one number or one for each dim, or tensors of coordinates, one for each dim.

    Args:
        input: the input tensor.
        spacing: the distance between samples: a number, a list with one number for each dim, or a list of 1-D
            tensors of coordinates. Default: 1.
        dim: the dim or dims of the derivatives. None (the default) gives all.
        edge_order: the order of the one-sided differences at the ends: 1 or 2. Default: 1.
        axis: NumPy's name for `dim`; give one of the two.
    """
def greater(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input > other, as a bool tensor.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def greater_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input > other, as a bool tensor.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def greater_equal(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input >= other, as a bool tensor.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def greater_equal_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input >= other, as a bool tensor.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def grid_sampler(input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool) -> Tensor:
    """nn.functional.grid_sample, with its modes as numbers.

    Args:
        input: the images, of shape (N, C, H, W) or (N, C, D, H, W).
        grid: the positions to sample, of shape (N, ..., 2) or (N, ..., 3); -1 and 1 are the ends.
        interpolation_mode: 0 for bilinear, 1 for nearest, 2 for bicubic.
        padding_mode: "zeros", "border" or "reflection": values outside of the image (an int in
            torch.grid_sampler).
        align_corners: whether -1 and 1 are the centres of the corner pixels. None (the default) means False.
    """
def grid_sampler_2d(input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool) -> Tensor:
    """nn.functional.grid_sample, with its modes as numbers.

    Args:
        input: the images, of shape (N, C, H, W) or (N, C, D, H, W).
        grid: the positions to sample, of shape (N, ..., 2) or (N, ..., 3); -1 and 1 are the ends.
        interpolation_mode: 0 for bilinear, 1 for nearest, 2 for bicubic.
        padding_mode: "zeros", "border" or "reflection": values outside of the image (an int in
            torch.grid_sampler).
        align_corners: whether -1 and 1 are the centres of the corner pixels. None (the default) means False.
    """
def grid_sampler_3d(input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool) -> Tensor:
    """nn.functional.grid_sample, with its modes as numbers.

    Args:
        input: the images, of shape (N, C, H, W) or (N, C, D, H, W).
        grid: the positions to sample, of shape (N, ..., 2) or (N, ..., 3); -1 and 1 are the ends.
        interpolation_mode: 0 for bilinear, 1 for nearest, 2 for bicubic.
        padding_mode: "zeros", "border" or "reflection": values outside of the image (an int in
            torch.grid_sampler).
        align_corners: whether -1 and 1 are the centres of the corner pixels. None (the default) means False.
    """
def group_norm(input: Tensor, num_groups: _int, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = ..., cudnn_enabled: _bool = True) -> Tensor:
    """nn.functional.group_norm; `cudnn_enabled` chooses a kernel in PyTorch, and there is one here.

    Args:
        input: the input tensor.
        num_groups: the number of groups of channels; it divides the number of channels.
        weight: the factor for each channel or element. None (the default) multiplies by nothing.
        bias: the summand for each channel or element. None (the default) adds nothing.
        eps: a small number added to the variance. Default: 1e-05.
        cudnn_enabled: PyTorch's choice of a kernel; it changes nothing here. Default: True.
    """
def gru(*args: Any, **kwargs: Any) -> Any:
    """torch.gru(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), or
    (data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional) over packed rows.

    The output of the last layer, and the last states of all layers; see the module of that name.
    """
def gru_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """torch.gru_cell: one step on (N, input) and (N, hidden): h' (N, hidden).

    Args:
        input: the input, of shape (N, input_size).
        hx: the hidden state, of shape (N, hidden_size); for an LSTM the pair (h, c).
        w_ih: the weights of the input, of shape (gates * hidden_size, input_size).
        w_hh: the weights of the state, of shape (gates * hidden_size, hidden_size).
        b_ih: the bias of the input. None (the default) adds none.
        b_hh: the bias of the state. None (the default) adds none.
    """
def gt(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input > other, as a bool tensor.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def gt_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input > other, as a bool tensor.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def hamming_window(window_length: Any, *args: Any, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, **kwargs: Any) -> Tensor:
    """The window alpha - beta cos(2πi/N).

    Args:
        window_length: the number of points.
        out: None: windows take no `out`, as in PyTorch.
        dtype: the dtype of the result. None (the default) is the default dtype, float32 unless
            `torch.set_default_dtype` changed it.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
    """
def hann_window(window_length: Any, *args: Any, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, **kwargs: Any) -> Tensor:
    """The window 0.5 - 0.5 cos(2πi/N).

    Args:
        window_length: the number of points.
        out: None: windows take no `out`, as in PyTorch.
        dtype: the dtype of the result. None (the default) is the default dtype, float32 unless
            `torch.set_default_dtype` changed it.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
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
def hash_tensor(input: Tensor, dim: _int | _Sizes | None = ..., *, keepdim: _bool = False, mode: _int = 0, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """A checksum over `dim` as uint64: the exclusive or of the elements' bits, as int64 or float64. `mode` must be 0.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce; negative ones count from the end. By default all dims are reduced.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        mode: the kind of checksum; only 0 (exclusive or) exists. Default: 0.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def heaviside(input: Tensor, values: Tensor, *, out: Any = None) -> Tensor:
    """0 where input < 0 or is nan, 1 where input > 0, and `values` where it is 0. (torch has no derivative and raises.)

    Args:
        input: the input tensor.
        values: the results where `input` is 0; they broadcast with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def heaviside_(input: Tensor, values: Tensor) -> Tensor:
    """0 where input < 0 or is nan, 1 where input > 0, and `values` where it is 0. (torch has no derivative and raises.)

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        values: the results where `input` is 0; they broadcast with `input`.

    Returns:
        `input` itself.
    """
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: _float = ..., reduction: _int = 0) -> Tensor:
    """nn.functional.hinge_embedding_loss; reduction: 0 none, 1 mean, 2 sum.

    Args:
        input: the distances.
        target: 1 or -1, in the shape of `input`.
        margin: the least distance of pairs with target -1. Default: 1.0.
        reduction: 0 for the loss of each sample, 1 for the mean, 2 for the sum. Default: 0.
    """
def histc(input: Tensor, bins: _int = 100, min: Number = 0, max: Number = 0, *, out: Any = None) -> Tensor:
    """How many elements fall into each of `bins` equal bins from `min` to `max` (of the data, when those are equal).

    Args:
        input: the input tensor.
        bins: the number of bins. Default: 100.
        min: the lower end of the range. Default: 0.
        max: the upper end of the range. If it equals `min`, the range is that of the data. Default: 0.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def histogram(input: Tensor, bins: Any = 100, *, range: tuple[_float, ...] | None = None, weight: Tensor | None = None, density: _bool = False, out: Any = None) -> return_types.histogram:
    """(counts, edges) of all elements of input in bins: a number of bins of equal width, or the edges of bins.

    The last edge belongs to the last bin. weight: what each element counts; density: the integral over the range is 1.
    Without range or edges, an input with nan or inf raises when its values are at hand; otherwise the edges are nan.

    Args:
        input: the input tensor.
        bins: the number of bins (for histogramdd one for each dim), or the increasing edges of the bins as a
            tensor (tensors). Default: 100.
        range: the lower and upper ends of the bins, as floats. None (the default) is the range of the data.
        weight: one weight for each element. None (the default) counts each once.
        density: whether the result is divided by the total weight and the sizes of the bins. Default: False.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def histogramdd(input: Tensor, bins: Any, range: Any = None, weight: Any = None, density: _bool = False) -> return_types.histogramdd:
    """(counts, edges) of points input[..., :] in boxes; bins: numbers of bins, or tensors of edges, one for each
    coordinate.

    counts has one dim for each of the last dim of input, of the default dtype or input's; edges are 1-d.

    Args:
        input: the input tensor.
        bins: the number of bins (for histogramdd one for each dim), or the increasing edges of the bins as a
            tensor (tensors).
        range: the lower and upper ends of the bins, as floats. None (the default) is the range of the data.
        weight: one weight for each element. None (the default) counts each once.
        density: whether the result is divided by the total weight and the sizes of the bins. Default: False.
    """
def hsplit(input: Tensor, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
    """torch.hsplit: tensor_split along its dimension. RuntimeError for fewer than 1 dims, and where a number of parts does not divide it.

    Args:
        input: the input tensor.
        indices_or_sections: an int: the number of pieces; a tuple of ints: where to cut. Give one of this,
            `indices` and `sections`.
        indices: where to cut: a tuple of ints. None (the default) if `sections` is given.
        sections: the number of pieces, an int. None (the default) if `indices` is given.
    """
def hstack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """The tensors joined along dim 1, or along dim 0 when they are 1-d.

    Args:
        tensors: the tensors: a list or tuple.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def hypot(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """sqrt(input^2 + other^2) without overflow; its derivative at the origin is nan, as in torch.

    Args:
        input: the input tensor.
        other: the other leg of the triangle; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def hypot_(input: Tensor, other: Tensor) -> Tensor:
    """sqrt(input^2 + other^2) without overflow; its derivative at the origin is nan, as in torch.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the other leg of the triangle; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def i0(input: Tensor, *, out: Any = None) -> Tensor:
    """The modified Bessel function of the first kind of order 0.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def i0_(input: Tensor) -> Tensor:
    """The modified Bessel function of the first kind of order 0.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def igamma(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The regularized lower incomplete gamma function P(input, other), for nonnegative arguments.

    torch has no derivative with respect to `input`; here there is the first one.

    Args:
        input: the parameter a of the distribution, not negative.
        other: the limit of the integral x, not negative; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def igamma_(input: Tensor, other: Tensor) -> Tensor:
    """The regularized lower incomplete gamma function P(input, other), for nonnegative arguments.

    torch has no derivative with respect to `input`; here there is the first one.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the parameter a of the distribution, not negative.
        other: the limit of the integral x, not negative; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def igammac(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The regularized upper incomplete gamma function Q(input, other) = 1 - igamma(input, other).

    Args:
        input: the parameter a of the distribution, not negative.
        other: the limit of the integral x, not negative; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def igammac_(input: Tensor, other: Tensor) -> Tensor:
    """The regularized upper incomplete gamma function Q(input, other) = 1 - igamma(input, other).

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the parameter a of the distribution, not negative.
        other: the limit of the integral x, not negative; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def imag(input: Tensor) -> Tensor:
    """The imaginary part, as a view; an error for a real tensor.

    Args:
        input: the input tensor.
    """
def index_add(input: Tensor, dim: _int, index: Tensor, source: Tensor, *, alpha: Number = 1, out: Any = None) -> Tensor:
    """`input` with alpha times the slices of `source` added to the slices that `index` names.

    Args:
        input: the input tensor.
        dim: the dim to index.
        index: the positions along `dim`: 1-D, int64 or int32.
        source: the slices: as many as there are in `index`.
        alpha: a number that multiplies `source`. Default: 1.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def index_add_(input: Tensor, dim: _int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
    """`input` with alpha times the slices of `source` added to the slices that `index` names.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        dim: the dim to index.
        index: the positions along `dim`: 1-D, int64 or int32.
        source: the slices: as many as there are in `index`.
        alpha: a number that multiplies `source`. Default: 1.
    """
def index_copy(input: Tensor, dim: _int, index: Tensor, source: Tensor, *, out: Any = None) -> Tensor:
    """`input` with the slices that `index` names replaced by slices of `source`.

    Args:
        input: the input tensor.
        dim: the dim to index.
        index: the positions along `dim`: 1-D, int64 or int32.
        source: the slices: as many as there are in `index`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def index_copy_(input: Tensor, dim: _int, index: Tensor, source: Tensor) -> Tensor:
    """`input` with the slices that `index` names replaced by slices of `source`.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        dim: the dim to index.
        index: the positions along `dim`: 1-D, int64 or int32.
        source: the slices: as many as there are in `index`.
    """
def index_fill(input: Tensor, dim: _int, index: Tensor, value: Tensor | Number) -> Tensor:
    """`input` with the slices that `index` names filled with `value`, a number or a 0-d tensor.

    Args:
        input: the input tensor.
        dim: the dim to index.
        index: the positions along `dim`: 1-D, int64 or int32.
        value: the number to write, or a tensor without dims.
    """
def index_fill_(input: Tensor, dim: _int, index: Tensor, value: Tensor | Number) -> Tensor:
    """`input` with the slices that `index` names filled with `value`, a number or a 0-d tensor.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        dim: the dim to index.
        index: the positions along `dim`: 1-D, int64 or int32.
        value: the number to write, or a tensor without dims.
    """
def index_put(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: _bool = False) -> Tensor:
    """A copy of input with values written (or added) at the indices.

    Args:
        input: the input tensor.
        indices: a tuple of integer or bool tensors, one for each indexed dim.
        values: the values; they broadcast to the indexed shape.
        accumulate: whether values are added to the elements. By default they replace them.
    """
def index_put_(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: _bool = False) -> Tensor:
    """input[indices] = values, or += with accumulate=True (where an index repeats, all its values are added).

    Args:
        input: the input tensor.
        indices: a tuple of integer or bool tensors, one for each indexed dim.
        values: the values; they broadcast to the indexed shape.
        accumulate: whether values are added to the elements. By default they replace them.
    """
def index_reduce(input: Tensor, dim: _int, index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True, out: Any = None) -> Tensor:
    """The slices of `source` combined with the slices of `input` that `index` names: "prod", "mean", "amax" or "amin".

    Same shape and dtype; RuntimeError for another `reduce`, IndexError for an index that there is not.

    Args:
        input: the input tensor.
        dim: the dim to index.
        index: the positions along `dim`: 1-D, int64 or int32.
        source: the slices: as many as there are in `index`.
        reduce: "prod", "mean", "amax" or "amin".
        include_self: whether the elements of `input` that are written to take part in the reduction. Default:
            True.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def index_reduce_(input: Tensor, dim: _int, index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
    """The slices of `source` combined with the slices of `input` that `index` names: "prod", "mean", "amax" or "amin".

    Same shape and dtype; RuntimeError for another `reduce`, IndexError for an index that there is not.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        dim: the dim to index.
        index: the positions along `dim`: 1-D, int64 or int32.
        source: the slices: as many as there are in `index`.
        reduce: "prod", "mean", "amax" or "amin".
        include_self: whether the elements of `input` that are written to take part in the reduction. Default:
            True.
    """
def index_select(input: Tensor, dim: _int, index: Tensor, *, out: Any = None) -> Tensor:
    """The slices along `dim` that the vector `index` names.

    Args:
        input: the input tensor.
        dim: the dim to index.
        index: the positions along `dim`: 1-D, int32 or int64.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def indices_copy(input: Tensor, *, out: Any = None) -> Any:
    """A copy of `input.indices()`; RuntimeError for other layouts.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def initial_seed() -> _int:
    """The default generator's seed."""
def inner(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The products of all rows (last dims) of `input` with all rows of `other`; a 0-d factor just multiplies.

    Args:
        input: the first vector.
        other: the second vector.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def instance_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, use_input_stats: _bool, momentum: _float, eps: _float, cudnn_enabled: _bool) -> Tensor:
    """nn.functional.instance_norm, with its arguments in another order.

    Args:
        input: the input, of shape (N, C, ...).
        weight: the factor for each channel or element. None (the default) multiplies by nothing.
        bias: the summand for each channel or element. None (the default) adds nothing.
        running_mean: the running means, one for each channel, updated in training. None (the default, where
            there is one) keeps none.
        running_var: the running variances, one for each channel, updated in training. None (the default, where
            there is one) keeps none.
        use_input_stats: whether the statistics of the input are used. False uses the running ones.
        momentum: the weight of the new batch in the running statistics.
        eps: a small number added to the variance.
        cudnn_enabled: PyTorch's choice of a kernel; it changes nothing here.
    """
def int_repr(input: Any) -> Tensor:
    """The integers of a quantized tensor.

    Args:
        input: the input tensor.
    """
def inverse(input: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of square matrices; LinAlgError for a singular one.

    (…, n, n) to (…, n, n), float or complex; RuntimeError for integers.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def is_anomaly_check_nan_enabled() -> _bool:
    """Returns whether anomaly mode, when on, looks for nan."""
def is_anomaly_enabled() -> _bool:
    """Returns whether anomaly mode is on."""
def is_autocast_cache_enabled() -> _bool:
    """Returns whether casts of parameters may be kept; a program computes equal casts once in any case."""
def is_autocast_cpu_enabled() -> _bool:
    """Deprecated: is_autocast_enabled("cpu")."""
def is_autocast_enabled(device_type: _str = 'cuda') -> _bool:
    """Returns whether autocast is enabled in this thread for this kind of device.

    Args:
        device_type: the type of the device: "cpu" or "cuda". Default: "cuda".
    """
def is_complex(input: Tensor) -> _bool:
    """Returns whether the dtype is a complex dtype.

    Args:
        input: the input tensor.
    """
def is_conj(input: Tensor) -> _bool:
    """Returns whether the tensor is the conjugate of what its storage holds: a view that `conj` gave, or a view of it.

    Args:
        input: the input tensor.
    """
def is_deterministic_algorithms_warn_only_enabled() -> _bool:
    """Returns whether the setting was made with warn_only."""
def is_distributed(self) -> _bool:
    """False, as in PyTorch."""
def is_floating_point(input: Tensor) -> _bool:
    """Returns whether the dtype is a floating point dtype.

    Args:
        input: the input tensor.
    """
def is_grad_enabled() -> _bool:
    """Returns whether ops are taped now."""
def is_inference_mode_enabled() -> _bool:
    """Returns whether inference_mode is on."""
def is_neg(input: Tensor) -> _bool:
    """Returns whether the tensor is the negative of what its storage holds, as the imaginary part of a conjugate is.

    Args:
        input: the input tensor.
    """
def is_nonzero(input: Tensor) -> _bool:
    """Returns whether a tensor of one element is not zero.

    Args:
        input: the input tensor.
    """
def is_same_size(input: Tensor, other: Tensor) -> _bool:
    """Returns whether the shapes are equal.

    Args:
        input: the input tensor.
        other: the tensor to compare with.
    """
def is_signed(input: Tensor) -> _bool:
    """Returns whether the tensor's dtype has negative numbers.

    Args:
        input: the input tensor.
    """
def is_storage(obj: Any) -> _bool:
    """Returns whether obj is a storage.

    Args:
        obj: any object.
    """
def is_tensor(obj: Any) -> _bool:
    """Returns whether obj is a Tensor.

    Args:
        obj: any object.
    """
def is_warn_always_enabled() -> _bool:
    """Returns whether `set_warn_always(True)` is on."""
def isclose(input: Tensor, other: Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = False) -> Tensor:
    """|input - other| <= atol + rtol * |other|, elementwise; infinities are close only to themselves.

    Args:
        input: the input tensor.
        other: the tensor to compare with; it broadcasts with `input`.
        rtol: the tolerance relative to the magnitude of `other`. Default: 1e-05.
        atol: the absolute tolerance. Default: 1e-08.
        equal_nan: whether nan equals nan. Default: False.

    Returns:
        a new tensor.
    """
def isfinite(input: Tensor) -> Tensor:
    """Tests whether each element (with both its parts) is neither infinite nor nan.

    Args:
        input: the input tensor.

    Returns:
        a new tensor.
    """
def isin(*args: Any, assume_unique: _bool = False, invert: _bool = False, out: Any = None, **named: Any) -> Tensor:
    """isin(elements, test_elements): whether each of `elements` is among `test_elements` (or, with invert, is not).

    One of both may be a number, which is then called `element` or `test_element`.

    Args:
        assume_unique: whether both have no repeated elements. It changes no result. Default: False.
        invert: whether the result is True for elements that are not in the set. Default: False.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        elements: the elements to look for: a tensor or a number.
        test_elements: the set: a tensor or a number.
    """
def isinf(input: Tensor) -> Tensor:
    """Tests whether each element (or a part of a complex one) is infinite.

    Args:
        input: the input tensor.

    Returns:
        a new tensor.
    """
def isnan(input: Tensor) -> Tensor:
    """Tests whether each element (or a part of a complex one) is nan.

    Args:
        input: the input tensor.

    Returns:
        a new tensor.
    """
def isneginf(input: Tensor, *, out: Any = None) -> Tensor:
    """Tests whether each element is negative infinity.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def isposinf(input: Tensor, *, out: Any = None) -> Tensor:
    """Tests whether each element is positive infinity.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def isreal(input: Tensor) -> Tensor:
    """Tests whether the imaginary part of each element is 0.

    Args:
        input: the input tensor.

    Returns:
        a new tensor.
    """
def istft(input: Tensor, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Tensor | None = None, center: _bool = True, normalized: _bool = False, onesided: _bool | None = None, length: _int | None = None, return_complex: _bool = False) -> Tensor:
    """The signal whose `stft` is input, in the sense of least squares where frames contradict each other.

    Raises RuntimeError if there are samples that no window reaches.

    (…, frequency, frame) to (…, time), real unless return_complex.

    Args:
        input: the input tensor.
        n_fft: the size of each Fourier transform.
        hop_length: the distance between frames. None (the default) is n_fft // 4.
        win_length: the size of the window. None (the default) is `n_fft`.
        window: the window, 1-D of size `win_length`. None (the default) is a window of ones.
        center: whether frames are centred on their times, for which the signal is padded. Default: True.
        normalized: whether the transforms are divided by the square root of `n_fft`. Default: False.
        onesided: whether only half of the terms are present. None (the default) means True for real signals.
        length: the length of the signal, which is cropped or padded. None (the default) is the whole signal.
        return_complex: whether the result is complex. For stft it is required for real input; False gives real
            and imaginary parts in a last dim. Default: False.

    Returns:
        a new tensor.
    """
def kaiser_window(window_length: Any, *args: Any, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, **kwargs: Any) -> Tensor:
    """The window I0(beta sqrt(1 - (2i/N - 1)²)) / I0(beta), with the modified Bessel function I0.

    Args:
        window_length: the number of points.
        out: None: windows take no `out`, as in PyTorch.
        dtype: the dtype of the result. None (the default) is the default dtype, float32 unless
            `torch.set_default_dtype` changed it.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
    """
def kl_div(input: Tensor, target: Tensor, reduction: _int = 0, *, log_target: _bool = False) -> Tensor:
    """nn.functional.kl_div without its advice; reduction: 0 none, 1 mean, 2 sum.

    Args:
        input: the logarithms of the probabilities.
        target: the probabilities, or their logarithms if `log_target`.
        reduction: 0 for the loss of each sample, 1 for the mean, 2 for the sum. Default: 0.
        log_target: whether `target` has logarithms. Default: False.
    """
def kron(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The Kronecker product: every element of `input` times the whole of `other`, which first get as many dims as each
    other.

    Args:
        input: the input tensor.
        other: the second factor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def kthvalue(input: Tensor, k: _int, dim: _int = -1, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> return_types.kthvalue:
    """(values, indices) of the k-th smallest element along `dim`, counted from 1.

    Args:
        input: the input tensor.
        k: the rank of the element, counted from 1.
        dim: the dim to reduce; negative ones count from the end. Default: -1.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a named tuple of `values`, `indices`.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def layer_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = ..., cudnn_enable: _bool = True) -> Tensor:
    """nn.functional.layer_norm; `cudnn_enable` chooses a kernel in PyTorch, and there is one here.

    Args:
        input: the input tensor.
        normalized_shape: the sizes of the last dims, over which the input is normalized: an int or a tuple of
            ints.
        weight: the factor for each channel or element. None (the default) multiplies by nothing.
        bias: the summand for each channel or element. None (the default) adds nothing.
        eps: a small number added to the variance. Default: 1e-05.
        cudnn_enable: PyTorch's choice of a kernel; it changes nothing here. Default: True.
    """
def lcm(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The least common multiple, not negative; 0 where either is 0.

    Args:
        input: the input tensor.
        other: the second tensor or number, of integers (bool is allowed for bitwise ops).
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def lcm_(input: Tensor, other: Tensor) -> Tensor:
    """The least common multiple, not negative; 0 where either is 0.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor or number, of integers (bool is allowed for bitwise ops).

    Returns:
        `input` itself.
    """
def ldexp(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """input * 2 ** other; other may not be bool if input is of floating point.

    Args:
        input: the input tensor.
        other: the exponents of 2; they broadcast with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """input * 2 ** other; other may not be bool if input is of floating point.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the exponents of 2; they broadcast with `input`.

    Returns:
        `input` itself.
    """
def le(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input <= other, as a bool tensor.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def le_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input <= other, as a bool tensor.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def lerp(input: Tensor, end: Tensor, weight: Tensor | Number, *, out: Any = None) -> Tensor:
    """input + weight * (end - input), computed from the nearer end so that weight 1 gives `end` exactly.

    Args:
        input: the input tensor.
        end: the tensor at weight 1; it broadcasts with `input`.
        weight: the weight of `end`: a number, or a tensor that broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def lerp_(input: Tensor, end: Tensor, weight: Tensor | Number) -> Tensor:
    """input + weight * (end - input), computed from the nearer end so that weight 1 gives `end` exactly.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        end: the tensor at weight 1; it broadcasts with `input`.
        weight: the weight of `end`: a number, or a tensor that broadcasts with `input`.

    Returns:
        `input` itself.
    """
def less(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input < other, as a bool tensor.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def less_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input < other, as a bool tensor.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def less_equal(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input <= other, as a bool tensor.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def less_equal_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input <= other, as a bool tensor.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def lgamma(input: Tensor, *, out: Any = None) -> Tensor:
    """The logarithm of the absolute value of the gamma function.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def lgamma_(input: Tensor) -> Tensor:
    """The logarithm of the absolute value of the gamma function.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def linspace(start: Any, end: Any, steps: _int, *, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """`steps` evenly spaced numbers from `start` to `end`, both included.

    Args:
        start: the first point, or for logspace its exponent.
        end: the last point, or for logspace its exponent.
        steps: the number of points.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        dtype: the dtype of the result. None (the default) is the default dtype, float32 unless
            `torch.set_default_dtype` changed it.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
    """
def lobpcg(A: Any, k: _int | None = None, B: Any = None, X: Any = None, n: _int | None = None, iK: Any = None, niter: _int | None = None, tol: _float | None = None, largest: _bool | None = None, method: _str | None = None, tracker: Any = None, ortho_iparams: dict | None = None, ortho_fparams: dict | None = None, ortho_bparams: dict | None = None) -> tuple[Tensor, Tensor]:
    """The k largest (or smallest) eigenvalues of a symmetric A, or of A x = lambda B x, and their vectors, by
    iteration.

    Knyazev, SIAM J. Sci. Comput. 23 (2001); iK is a preconditioner, X the first guess, n how many vectors are
    iterated. The residuals are read in every iteration. A has derivatives, the ones of exact eigenpairs; with B no
    derivative exists, as in PyTorch. `method` may be "basic" or "ortho": both are the same here.

    Args:
        A: the symmetric matrix, of shape (..., m, m), dense or sparse.
        k: the number of eigenpairs. None (the default) is the number of columns of `X`, or 1.
        B: the symmetric positive definite matrix of the generalized problem. None (the default) is the
            identity.
        X: the initial vectors, of shape (..., m, n). None (the default) draws them.
        n: the number of vectors if `X` is not given. None (the default) is `k`.
        iK: a preconditioner. None (the default) is the identity.
        niter: the largest number of iterations. None (the default) sets no limit.
        tol: the tolerance of the residual. None (the default) is the square root of the dtype's epsilon.
        largest: whether the largest eigenvalues are sought. None (the default) means True.
        method: "basic" or "ortho". None (the default) means "ortho".
        tracker: a function that is called in each iteration. None (the default) calls nothing.
        ortho_iparams: integer parameters of the method "ortho".
        ortho_fparams: float parameters of the method "ortho".
        ortho_bparams: bool parameters of the method "ortho".
    """
def log(input: Tensor, *, out: Any = None) -> Tensor:
    """The natural logarithm; -inf at 0 and nan below.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def log10(input: Tensor, *, out: Any = None) -> Tensor:
    """The logarithm to base 10, exact for powers of ten.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def log10_(input: Tensor) -> Tensor:
    """The logarithm to base 10, exact for powers of ten.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def log1p(input: Tensor, *, out: Any = None) -> Tensor:
    """log(1 + input), accurate near 0.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def log1p_(input: Tensor) -> Tensor:
    """log(1 + input), accurate near 0.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def log2(input: Tensor, *, out: Any = None) -> Tensor:
    """The logarithm to base 2, exact for powers of two.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def log2_(input: Tensor) -> Tensor:
    """The logarithm to base 2, exact for powers of two.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def log_(input: Tensor) -> Tensor:
    """The natural logarithm; -inf at 0 and nan below.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def log_softmax(input: Tensor, dim: _int, dtype: Any = None, *, out: Tensor | None = None) -> Tensor:
    """nn.functional.log_softmax along `dim`, computed in `dtype` if that is given.

    Args:
        input: the input tensor.
        dim: the dim along which the results add up to 1. In nn.functional, None (the default) chooses it as
            PyTorch does, with a warning.
        dtype: the dtype to which `input` is cast first. None (the default) keeps its own.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        axis: NumPy's name for `dim`; give one of the two.
    """
def logaddexp(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """log(exp(input) + exp(other)) without overflow.

    Args:
        input: the input tensor.
        other: the second tensor; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def logaddexp2(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """log2(2 ** input + 2 ** other) without overflow.

    Args:
        input: the input tensor.
        other: the second tensor; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def logcumsumexp(input: Tensor, dim: _int = ..., *, axis: Any = ..., out: Any = None) -> Tensor:
    """log(cumsum(exp(input))) along `dim`, computed without overflow.

    Args:
        input: the input tensor.
        dim: the dim along which values accumulate; required.
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant: nan for a negative one, -inf for 0.

    Args:
        input: the input tensor.

    Returns:
        a new tensor.
    """
def logical_and(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """Tests whether both elements are nonzero, elementwise.

    Args:
        input: the input tensor.
        other: the second tensor; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def logical_and_(input: Tensor, other: Tensor) -> Tensor:
    """Tests whether both elements are nonzero, elementwise.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def logical_not(input: Tensor, *, out: Any = None) -> Tensor:
    """Tests whether each element is 0.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def logical_not_(input: Tensor) -> Tensor:
    """Tests whether each element is 0.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def logical_or(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """Tests whether at least one of two elements is nonzero, elementwise.

    Args:
        input: the input tensor.
        other: the second tensor; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def logical_or_(input: Tensor, other: Tensor) -> Tensor:
    """Tests whether at least one of two elements is nonzero, elementwise.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def logical_xor(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """Tests whether exactly one of two elements is nonzero, elementwise.

    Args:
        input: the input tensor.
        other: the second tensor; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def logical_xor_(input: Tensor, other: Tensor) -> Tensor:
    """Tests whether exactly one of two elements is nonzero, elementwise.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def logit(input: Tensor, eps: _float | None = None, *, out: Any = None) -> Tensor:
    """log(x / (1 - x)), the inverse of `sigmoid`; with `eps`, x is clamped to [eps, 1 - eps] first.

    In halves each step is rounded to them.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    Args:
        input: the input tensor.
        eps: if given, `input` is first clamped to [eps, 1 - eps]. None (the default) does not clamp.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def logit_(input: Tensor, eps: _float | None = None) -> Tensor:
    """log(x / (1 - x)), the inverse of `sigmoid`; with `eps`, x is clamped to [eps, 1 - eps] first.

    In halves each step is rounded to them.

    Same shape and dtype; integers and bool give the default dtype. NotImplementedError for complex.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        eps: if given, `input` is first clamped to [eps, 1 - eps]. None (the default) does not clamp.

    Returns:
        `input` itself.
    """
def logspace(start: Any, end: Any, steps: _int, base: Any = ..., *, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """base ** linspace(start, end, steps).

    Args:
        start: the first point, or for logspace its exponent.
        end: the last point, or for logspace its exponent.
        steps: the number of points.
        base: the base of the powers. Default: 10.0.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        dtype: the dtype of the result. None (the default) is the default dtype, float32 unless
            `torch.set_default_dtype` changed it.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
    """
def logsumexp(input: Tensor, dim: _int | _Sizes, keepdim: _bool = False, *, out: Any = None) -> Tensor:
    """log(sum(exp(input))) over `dim`, computed without overflow; integers give floating point.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
            are reduced.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
    """
def lstm(*args: Any, **kwargs: Any) -> Any:
    """torch.lstm(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), or
    (data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional) over packed rows.

    The output of the last layer, and the last states of all layers; see the module of that name.
    """
def lstm_cell(input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """One step of a long short-term memory on (N, input) and ((N, hidden), (N, hidden)): (h', c').

    weights (4 * hidden, input) and (4 * hidden, hidden), biases (4 * hidden,); RuntimeError for other shapes.

    Args:
        input: the input, of shape (N, input_size).
        hx: the hidden state, of shape (N, hidden_size); for an LSTM the pair (h, c).
        w_ih: the weights of the input, of shape (gates * hidden_size, input_size).
        w_hh: the weights of the state, of shape (gates * hidden_size, hidden_size).
        b_ih: the bias of the input. None (the default) adds none.
        b_hh: the bias of the state. None (the default) adds none.
    """
def lstsq(*args: Any, **kwargs: Any) -> Any:
    """Removed from PyTorch, raises RuntimeError: use torch.linalg (lstsq)."""
def lt(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input < other, as a bool tensor.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def lt_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input < other, as a bool tensor.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def lu(A: Tensor, pivot: _bool = True, get_infos: _bool = False, out: Any = None) -> Any:
    """The LU factorization in packed form: (LU, pivots), and with get_infos=True also where U has a zero on its
    diagonal.

    (…, m, n) to (…, m, n) and int32 (…, min(m, n)). LinAlgError for a singular matrix, unless get_infos.

    Args:
        A: the matrices, of shape (..., m, n).
        pivot: whether rows are exchanged; False is possible on CUDA only, as in PyTorch. Default: True.
        get_infos: whether to also return the status of each factorization. Default: False.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Any = None) -> Tensor:
    """The solution X of A @ X = input from A's LU factorization.

    input (…, n, k), LU (…, n, n), pivots (…, n) int32, which broadcast; float or complex.

    Args:
        input: the right-hand sides, of shape (..., n, k).
        LU_data: the factors, as `torch.linalg.lu_factor` returns them.
        LU_pivots: the pivots, as `torch.linalg.lu_factor` returns them.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: _bool = True, unpack_pivots: _bool = True, *, out: Any = None) -> tuple[Tensor, ...]:
    """P, L and U of a packed factorization; what is not asked for is an empty tensor.

    LU (…, m, n), pivots (…, min(m, n)) int32, else RuntimeError; P (…, m, m), L (…, m, k), U (…, k, n), k = min(m, n).

    Args:
        LU_data: the factors, as `lu_factor` returns them.
        LU_pivots: the pivots, as `lu_factor` returns them.
        unpack_data: whether L and U are returned; False returns them empty. Default: True.
        unpack_pivots: whether P is returned; False returns it empty. Default: True.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def manual_seed(seed: _int) -> Generator:
    """Seeds the default generator; returns it.

    Args:
        seed: the seed: an int that fits in 64 bits.
    """
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: _float = ..., reduction: _int = 0) -> Tensor:
    """nn.functional.margin_ranking_loss, of tensors that may be broadcast; reduction: 0 none, 1 mean, 2 sum.

    Args:
        input1: the first scores.
        input2: the second scores.
        target: 1 if the first should be larger, else -1.
        margin: the least difference. Default: 0.0.
        reduction: 0 for the loss of each sample, 1 for the mean, 2 for the sum. Default: 0.
    """
def masked_fill(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """Input with `value`, a number or 0-d tensor, where mask is true; the dtype is the input's.

    Args:
        input: the input tensor.
        mask: a bool tensor that broadcasts to `input`; True marks elements to fill.
        value: the number to write, or a tensor without dims.

    Returns:
        a new tensor.
    """
def masked_fill_(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """Input with `value`, a number or 0-d tensor, where mask is true; the dtype is the input's.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        mask: a bool tensor that broadcasts to `input`; True marks elements to fill.
        value: the number to write, or a tensor without dims.

    Returns:
        `input` itself.
    """
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """A copy of input with the elements of `source`, in order, where mask is True.

    Raises RuntimeError if source has fewer elements: at once if the mask's values are on the host, otherwise when a
    value computed from the result is read.

    Args:
        input: the input tensor.
        mask: a bool tensor that broadcasts with `input`; True marks elements to replace.
        source: the values, in order; at least as many as there are True elements.
    """
def masked_scatter_(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """masked_scatter in place.

    Args:
        input: the input tensor.
        mask: a bool tensor that broadcasts with `input`; True marks elements to replace.
        source: the values, in order; at least as many as there are True elements.
    """
def masked_select(input: Tensor, mask: Tensor, *, out: Any = None) -> Tensor:
    """The elements of input where mask is True, as a 1-d tensor; differentiable.

    Args:
        input: the input tensor.
        mask: a bool tensor that broadcasts with `input`; True selects an element.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def matmul(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The product of vectors, matrices or batches of matrices; batch dims broadcast, a 1-d factor is a vector.

    Args:
        input: a vector, a matrix or a batch of matrices.
        other: a vector, a matrix or a batch of matrices; batch dims broadcast.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def matrix_exp(input: Tensor) -> Tensor:
    """The matrix exponential.

    Args:
        input: the input tensor.

    Returns:
        a new tensor.
    """
def matrix_power(input: Tensor, n: _int, *, out: Any = None) -> Tensor:
    """The n-th power of square matrices; negative powers go through the inverse.

    Args:
        input: the input tensor.
        n: the exponent: an int; negative ones invert.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def matrix_rank(*args: Any, **kwargs: Any) -> Tensor:
    """Removed from PyTorch, raises RuntimeError: use torch.linalg (matrix_rank)."""
@overload
def max(input: Tensor) -> Tensor: ...
@overload
def max(input: Tensor, dim: _int, keepdim: _bool = ..., *, out: Any = ...) -> return_types.max: ...
@overload
def max(input: Tensor, other: Tensor, *, out: Any = ...) -> Tensor: ...
def max_pool1d(input: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = 0, dilation: Any = 1, ceil_mode: _bool = False) -> Tensor:
    """nn.functional.max_pool1d.

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
    """
def max_pool1d_with_indices(input: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = 0, dilation: Any = 1, ceil_mode: _bool = False) -> tuple[Tensor, Tensor]:
    """(the maximum of each window of the last dim, its place there).

    (N, C, L) to (N, C, number of windows); the places are int64.

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
def maximum(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The greater of the two; nan where either is nan. Where they are equal the derivative is shared.

    Args:
        input: the input tensor.
        other: the second tensor; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def mean(input: Tensor, dim: _int | _Sizes | None = ..., keepdim: _bool = ..., *, dtype: _dtype | None = None, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The mean over `dim`; integers need a floating point `dtype`.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
            are reduced.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
            default) keeps the natural dtype of the result.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
@overload
def median(input: Tensor) -> Tensor: ...
@overload
def median(input: Tensor, dim: _int, keepdim: _bool = ..., *, out: Any = ...) -> return_types.median: ...
def meshgrid(*tensors: Any, indexing: _str | None = None) -> tuple[Tensor, ...]:
    """Coordinate grids of 1-d tensors; indexing: "ij" (the default) or "xy".

    Args:
        indexing: "ij" (matrix) or "xy" (Cartesian) order of the dims.
    """
@overload
def min(input: Tensor) -> Tensor: ...
@overload
def min(input: Tensor, dim: _int, keepdim: _bool = ..., *, out: Any = ...) -> return_types.min: ...
@overload
def min(input: Tensor, other: Tensor, *, out: Any = ...) -> Tensor: ...
def minimum(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The smaller of the two; nan where either is nan. Where they are equal the derivative is shared.

    Args:
        input: the input tensor.
        other: the second tensor; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def mm(input: Tensor, mat2: Tensor, *, out: Any = None) -> Tensor:
    """The product of two matrices: (n, m) times (m, p) is (n, p).

    Args:
        input: the first matrix, of shape (n, m).
        mat2: the second matrix, of shape (m, p).
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def mode(input: Tensor, dim: _int = -1, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> return_types.mode:
    """(values, indices) of the smallest of the most frequent elements along `dim`; the index is the index of its last
    occurrence.

    Args:
        input: the input tensor.
        dim: the dim to reduce; negative ones count from the end. Default: -1.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a named tuple of `values`, `indices`.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def moveaxis(input: Tensor, source: _int | _Sizes, destination: _int | _Sizes) -> Tensor:
    """The dims `source` moved to the positions `destination` (numpy's name of `movedim`).

    Args:
        input: the input tensor.
        source: the dims to move: an int or a tuple of ints.
        destination: their positions in the result: as many as in `source`.
    """
def movedim(input: Tensor, source: _int | _Sizes, destination: _int | _Sizes) -> Tensor:
    """The dims `source` moved to the positions `destination`; the others keep their order.

    Args:
        input: the input tensor.
        source: the dims to move: an int or a tuple of ints.
        destination: their positions in the result: as many as in `source`.
    """
def msort(input: Tensor, *, out: Any = None) -> Tensor:
    """The elements in order along the first dim.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def mul(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input * other; for bool, the logical and.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def mul_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """input * other; for bool, the logical and.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def multinomial(input: Tensor, num_samples: _int, replacement: _bool = False, *, generator: Generator | None = None, out: Any = None) -> Tensor:
    """Indices (int64) sampled from the rows of unnormalised probabilities in input, of shape (n,) or (m, n).

    (num_samples,) or (m, num_samples). Raises RuntimeError for negative probabilities, and for more samples without
    replacement than there are. Inside vmap and in the body of a loop the error is raised when a value computed from
    the samples is read.

    Args:
        input: the weights of the categories, 1-D or 2-D with one distribution in each row; they need not add
            up to 1.
        num_samples: how many categories to draw from each distribution.
        replacement: whether a category may be drawn more than once. Default: False.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
            which `torch.manual_seed` seeds.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def multiply(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input * other; for bool, the logical and.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def multiply_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """input * other; for bool, the logical and.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def mv(input: Tensor, vec: Tensor, *, out: Any = None) -> Tensor:
    """The product of a matrix and a vector: (n, m) times (m) is (n).

    Args:
        input: the matrix, of shape (n, m).
        vec: the vector, of shape (m,).
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def mvlgamma(input: Tensor, p: _int, *, out: Any = None) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension p >= 1.

    https://en.wikipedia.org/wiki/Multivariate_gamma_function

    Args:
        input: the input tensor.
        p: the dimension: an int, at least 1.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def mvlgamma_(input: Tensor, p: _int) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension p >= 1.

    https://en.wikipedia.org/wiki/Multivariate_gamma_function

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        p: the dimension: an int, at least 1.

    Returns:
        `input` itself.
    """
def nan_to_num(input: Tensor, nan: _float | None = None, posinf: _float | None = None, neginf: _float | None = None, *, out: Any = None) -> Tensor:
    """Replaces nan (by 0), inf (by the dtype's largest number) and -inf (by its smallest), or by the numbers given.

    Same shape and dtype.

    Args:
        input: the input tensor.
        nan: the number that replaces nan. None (the default) is 0.
        posinf: the number that replaces inf. None (the default) is the largest number of the dtype.
        neginf: the number that replaces -inf. None (the default) is the smallest number of the dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def nan_to_num_(input: Tensor, nan: _float | None = None, posinf: _float | None = None, neginf: _float | None = None) -> Tensor:
    """Replaces nan (by 0), inf (by the dtype's largest number) and -inf (by its smallest), or by the numbers given.

    Same shape and dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        nan: the number that replaces nan. None (the default) is 0.
        posinf: the number that replaces inf. None (the default) is the largest number of the dtype.
        neginf: the number that replaces -inf. None (the default) is the smallest number of the dtype.

    Returns:
        `input` itself.
    """
def nanmean(input: Tensor, dim: _int | _Sizes | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Any = None) -> Tensor:
    """The mean over `dim` of what is not nan: nansum's checks of dtypes hold.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
            are reduced.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
            default) keeps the natural dtype of the result.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
    """
@overload
def nanmedian(input: Tensor) -> Tensor: ...
@overload
def nanmedian(input: Tensor, dim: _int, keepdim: _bool = ..., *, out: Any = ...) -> return_types.nanmedian: ...
def nanquantile(input: Tensor, q: Tensor | Number, dim: _int | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear', out: Any = None) -> Tensor:
    """The q-quantiles along `dim` of what is not nan.

    Args:
        input: the input tensor.
        q: the quantiles: a number, or a 1-D tensor, in [0, 1].
        dim: the dim to reduce. None (the default) takes all elements.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        interpolation: how to choose between two neighbouring elements: "linear", "lower", "higher", "midpoint"
            or "nearest". Default: "linear".
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
    """
def nansum(input: Tensor, dim: _int | _Sizes | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Any = None) -> Tensor:
    """The sum over `dim` of what is not nan.

    It is computed in the dtype of `out=`, floating point of floating point numbers.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
            are reduced.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
            default) keeps the natural dtype of the result.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
    """
def narrow(input: Tensor, dim: _int, start: Any, length: _int) -> Tensor:
    """The view of `length` elements along dim from `start` on (an int or a 0-d integer tensor).

    Args:
        input: the input tensor.
        dim: the dim to narrow.
        start: the first position: an int, or an integer tensor without dims.
        length: the number of elements.
    """
def narrow_copy(input: Tensor, dim: _int, start: _int, length: _int, *, out: Any = None) -> Tensor:
    """narrow, as a copy instead of a view; it looks at `start` before `length`.

    Args:
        input: the input tensor.
        dim: the dim to narrow.
        start: the first position: an int, or an integer tensor without dims.
        length: the number of elements.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def native_channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """channel_shuffle, under the name of PyTorch's kernel.

    Args:
        input: the input tensor.
        groups: the number of groups of channels.
    """
def native_norm(input: Tensor, p: Any = 2, dim: Any = None, keepdim: _bool = False, dtype: _dtype | None = None) -> Tensor:
    """The p-norm: `norm` under another name.

    Args:
        input: the input tensor.
        p: the order of the norm. Default: 2.
        dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
            are reduced.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
            default) keeps the natural dtype of the result.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
    """
def ne(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input != other, as a bool tensor.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def ne_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input != other, as a bool tensor.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def neg(input: Tensor, *, out: Any = None) -> Tensor:
    """-input.

    Same shape and dtype; RuntimeError for bool.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def neg_(input: Tensor) -> Tensor:
    """-input.

    Same shape and dtype; RuntimeError for bool.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def negative(input: Tensor, *, out: Any = None) -> Tensor:
    """-input.

    Same shape and dtype; RuntimeError for bool.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def negative_(input: Tensor) -> Tensor:
    """-input.

    Same shape and dtype; RuntimeError for bool.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def nextafter(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The floating point number next to `input` in the direction of `other`.

    Args:
        input: the input tensor.
        other: the tensor that gives the direction; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def nextafter_(input: Tensor, other: Tensor) -> Tensor:
    """The floating point number next to `input` in the direction of `other`.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the tensor that gives the direction; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def nonzero(input: Tensor, *, out: Any = None, as_tuple: _bool = False) -> Tensor:
    """Indices of the elements that are not zero: shape (n, ndim), or one 1-d tensor for each dim with as_tuple=True.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        as_tuple: whether the result is a tuple with one 1-D tensor for each dim. Default: False.
    """
def nonzero_static(input: Tensor, *, size: _int, fill_value: _int = -1, out: Any = None) -> Tensor:
    """The coordinates of the first `size` nonzero elements, int64 of shape (size, ndim); the rest is filled with
    fill_value.

    Unlike `nonzero` it has a shape that does not depend on values: it works inside vmap and compiled functions.

    Args:
        input: the input tensor.
        size: the number of rows of the result.
        fill_value: the number in rows that are left over. Default: -1.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def norm(input: Tensor, p: Any = 'fro', dim: Any = None, keepdim: Any = False, out: Any = None, dtype: Any = None) -> Tensor:
    """The p-norm of the elements over `dim`; "fro" is p=2, "nuc" the sum of the singular values of a matrix.

    Args:
        input: the input tensor.
        p: the order of the norm: a number, inf, -inf, "fro" (Frobenius) or "nuc" (nuclear). Default: "fro".
        dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
            are reduced.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
            default) keeps the natural dtype of the result.
    """
def norm_except_dim(v: Tensor, pow: _int = 2, dim: _int = 0) -> Tensor:
    """The norm over all dims but one, which stays; over all dims when dim is -1.

    Float or complex.

    Args:
        v: the tensor.
        pow: the order of the norm. Default: 2.
        dim: the dim that is kept; all others are reduced. Default: 0.
        axis: NumPy's name for `dim`; give one of the two.
    """
def normal(mean: Any, std: Any = ..., size: Any = None, *, generator: Generator | None = None, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool | None = None) -> Tensor:
    """Normal numbers with the given means and standard deviations (tensors or numbers), or of `size` with numbers for
    both.

    Means and deviations broadcast; RuntimeError for a deviation below 0.

    Args:
        mean: the means: a tensor or a number.
        std: the standard deviations, not negative: a tensor or a number. Default: 1.0.
        size: the shape, if `mean` and `std` are numbers. None (the default) broadcasts the tensors.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
            which `torch.manual_seed` seeds.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        dtype: the dtype of the result. None (the default) is the default dtype, float32 unless
            `torch.set_default_dtype` changed it.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd; only with `size`. None (the
            default) means False.
    """
def not_equal(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input != other, as a bool tensor.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def not_equal_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input != other, as a bool tensor.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def nuclear_norm(input: Tensor, dim: Any = None, keepdim: _bool = False, *, out: Any = None) -> Tensor:
    """The sum of the singular values of a matrix, or of the matrices in two dims: nuclear_norm(input, keepdim) or
    (input, dim, keepdim).

    Float or complex; RuntimeError for less than two dims.

    Args:
        input: the input tensor.
        dim: the two dims of the matrices. None (the default) needs a matrix.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
    """
def numel(input: Tensor) -> _int:
    """The number of elements.

    Args:
        input: the input tensor.
    """
def ones(*sizes: Any, size: Any = None, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: _memory_format | None = ...) -> Tensor:
    """A tensor of ones.

    Args:
        size: the shape: a tuple of ints, or separate ints.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        dtype: the dtype of the result. None (the default) is the default dtype, float32 unless
            `torch.set_default_dtype` changed it.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        memory_format: the order in which PyTorch would store the dims. It is checked against the number of
            dims; None (the default) checks nothing.
    """
def ones_like(input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: _memory_format | None = None) -> Tensor:
    """A tensor like `input` in shape, dtype and device: torch.ones_like.

    Args:
        input: the tensor whose shape is taken.
        dtype: the dtype of the result. None (the default) is that of `input`.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result. None (the default) is that of `input`.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        memory_format: the order in which PyTorch would store the dims. It is checked against the number of
            dims; None (the default) checks nothing.
    """
def orgqr(input: Tensor, input2: Tensor, *, out: Any = None) -> Tensor:
    """The first columns of the product of Householder reflections: another name of linalg.householder_product.

    (…, m, n) and (…, k) to (…, m, n), float or complex.

    Args:
        input: the vectors of the reflections, below the diagonal: (..., m, n).
        input2: the factors of the reflections, of shape (..., k).
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def ormqr(input: Tensor, input2: Tensor, input3: Tensor, left: _bool = True, transpose: _bool = False, *, out: Any = None) -> Tensor:
    """The product of Q and `input3`, where Q is the whole orthogonal matrix of Householder reflections (`input`,
    `input2`).

    left=False multiplies from the right; transpose=True uses Q's conjugate transpose.

    (…, m, k), (…, k) and (…, m, n) to (…, m, n), float or complex.

    Args:
        input: the vectors of the reflections, below the diagonal: (..., m, k).
        input2: the factors of the reflections, of shape (..., k).
        input3: the matrices to multiply, of shape (..., m, n).
        left: whether Q is multiplied from the left; False multiplies from the right. Default: True.
        transpose: whether the conjugate transpose of Q is used. Default: False.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def outer(input: Tensor, vec2: Tensor, *, out: Any = None) -> Tensor:
    """All products of an element of one vector with an element of another.

    Args:
        input: the first vector.
        vec2: the second vector.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
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
def pca_lowrank(A: Any, q: _int | None = None, center: _bool = True, niter: _int = 2) -> tuple[Tensor, Tensor, Tensor]:
    """(U, S, V) of svd_lowrank for the rows of A, from which their mean is subtracted if `center`; q is min(6, m, n) by
    default.

    Args:
        A: the matrix, of shape (..., m, n).
        q: the number of singular values to estimate. None (the default) is 6.
        center: whether the columns are centred first. Default: True.
        niter: the number of subspace iterations. Default: 2.
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
def permute(input: Tensor, dims: _Sizes) -> Tensor:
    """The dims in another order: dim i of the result is dim `dims[i]` of the input.

    Args:
        input: the input tensor.
        dims: the new order of the dims.
    """
def permute_copy(input: Tensor, dims: Any, *, out: Any = None) -> Tensor:
    """permute, as a copy instead of a view.

    Args:
        input: the input tensor.
        dims: the new order of the dims.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def pinverse(input: Tensor, rcond: _float = ...) -> Tensor:
    """The Moore-Penrose pseudo-inverse; singular values up to rcond * the largest count as 0.

    Args:
        input: the input tensor.
        rcond: the relative tolerance below which singular values count as 0. Default: 1e-15.

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
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Poisson numbers with the rates in input, in its dtype; with gradients of zero.

    Not PyTorch's numbers, whatever the engine.

    Raises RuntimeError for a rate below 0.

    Args:
        input: the rates, not negative.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
            which `torch.manual_seed` seeds.
    """
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: _bool, full: _bool, eps: _float, reduction: _int) -> Tensor:
    """nn.functional.poisson_nll_loss; reduction: 0 none, 1 mean, 2 sum.

    Args:
        input: the rates, or their logarithms if `log_input`.
        target: the counts.
        log_input: whether `input` has logarithms.
        full: whether Stirling's approximation of the constant is added.
        eps: a small number that keeps log(0) away if not `log_input`.
        reduction: 0 for the loss of each sample, 1 for the mean, 2 for the sum.
    """
def polar(abs: Tensor, angle: Tensor, *, out: Any = None) -> Tensor:
    """The complex tensor with these absolute values and angles, float32 or float64.

    Args:
        abs: the absolute values, float32 or float64.
        angle: the angles in radians, of the same dtype.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def polygamma(n: _int, input: Tensor, *, out: Any = None) -> Tensor:
    """The n-th derivative of `digamma`, n >= 0; infinite at the poles.

    Args:
        n: the order of the derivative: an int that is not negative.
        input: the argument, floating point.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def polygamma_(n: _int, input: Tensor) -> Tensor:
    """The n-th derivative of `digamma`, n >= 0; infinite at the poles.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        n: the order of the derivative: an int that is not negative.
        input: the argument, floating point.

    Returns:
        `n` itself.
    """
def positive(input: Tensor) -> Tensor:
    """+input: the input itself; an error for bool.

    Same shape and dtype.

    Args:
        input: the input tensor.
    """
def pow(input: Tensor | Number, exponent: Tensor | Number, *, out: Any = None) -> Tensor:
    """input ** exponent. Integers stay integers; a Python exponent must then not be negative.

    Args:
        input: the base: a tensor or a number.
        exponent: the exponent: a tensor or a number; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def pow_(input: Tensor | Number, exponent: Tensor | Number) -> Tensor:
    """input ** exponent. Integers stay integers; a Python exponent must then not be negative.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the base: a tensor or a number.
        exponent: the exponent: a tensor or a number; it broadcasts with `input`.

    Returns:
        `input` itself.
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
def prod(input: Tensor, dim: _int = ..., keepdim: _bool = ..., *, dtype: _dtype | None = None, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The product over one dim or all; its gradient is right where elements are zero.

    Args:
        input: the input tensor.
        dim: the dim to reduce; negative ones count from the end. Without it all elements are reduced.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
            default) keeps the natural dtype of the result.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def promote_types(type1: _dtype, type2: _dtype) -> _dtype:
    """The smallest dtype that both can be cast to."""
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
    """`input` with `source` written (or added) at the given positions of the flattened tensor.

    Same shape and dtype; RuntimeError for a source of another dtype, IndexError for a position that there is not.

    Args:
        input: the input tensor.
        index: positions in the flattened tensor, int64.
        source: the values: as many as there are in `index`.
        accumulate: whether values are added to the elements. By default they replace them.
    """
def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
    """`input` with `source` written (or added) at the given positions of the flattened tensor.

    Same shape and dtype; RuntimeError for a source of another dtype, IndexError for a position that there is not.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        index: positions in the flattened tensor, int64.
        source: the values: as many as there are in `index`.
        accumulate: whether values are added to the elements. By default they replace them.
    """
def q_per_channel_axis(input: Any) -> _int:
    """The axis of a tensor that was quantized by channel.

    Args:
        input: the input tensor.
    """
def q_per_channel_scales(input: Any) -> Tensor:
    """The scales of a tensor that was quantized by channel.

    Args:
        input: the input tensor.
    """
def q_per_channel_zero_points(input: Any) -> Tensor:
    """The integers that stand for 0 in a tensor that was quantized by channel.

    Args:
        input: the input tensor.
    """
def q_scale(input: Any) -> _float:
    """The scale of a quantized tensor.

    Args:
        input: the input tensor.
    """
def q_zero_point(input: Any) -> _int:
    """The integer that stands for 0 in a quantized tensor.

    Args:
        input: the input tensor.
    """
def qr(input: Tensor, some: _bool = True, *, out: Any = None) -> return_types.qr:
    """linalg.qr with mode "reduced", or "complete" with some=False.

    (…, m, n) to Q (…, m, k), R (…, k, n), k = min(m, n), or m with some=False.

    Args:
        input: the matrices, of shape (..., m, n).
        some: whether the reduced factors are returned; False returns the complete ones. Default: True.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def quantile(input: Tensor, q: Tensor | Number, dim: _int | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear', out: Any = None) -> Tensor:
    """The q-quantiles along `dim` or of all elements; a 1-D `q` gives a new first dim. nan if there is a nan.

    Raises RuntimeError if an element of `q` is outside [0, 1].

    Args:
        input: the input tensor.
        q: the quantiles: a number, or a 1-D tensor, in [0, 1].
        dim: the dim to reduce. None (the default) takes all elements.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        interpolation: how to choose between two neighbouring elements: "linear", "lower", "higher", "midpoint"
            or "nearest". Default: "linear".
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
    """
def quantize_per_channel(input: Tensor, scales: Tensor, zero_points: Tensor, axis: _int, dtype: Any) -> Any:
    """A float32 tensor as integers, with a scale and a zero point for each index along an axis.

    Args:
        input: the input tensor.
        scales: one step for each slice along `axis`.
        zero_points: one zero point for each slice along `axis`.
        axis: the dim of the slices.
        dtype: the quantized dtype, such as `torch.qint8`.
    """
def quantize_per_tensor(input: Tensor, scale: Any, zero_point: Any, dtype: Any) -> Any:
    """A float32 tensor as integers of torch.qint8, quint8 or qint32 that stand for `(integer - zero_point) * scale`;
    of a list, with a scale and a zero point each, a tuple.

    Args:
        input: the input tensor.
        scale: the step between quantized values: a number or a tensor.
        zero_point: the integer that stands for 0.
        dtype: the quantized dtype, such as `torch.qint8`.
    """
def quantize_per_tensor_dynamic(input: Tensor, dtype: Any, reduce_range: _bool) -> Any:
    """A float32 tensor as integers, with scale and zero point from its least and largest number. reduce_range:

    whether one bit fewer is used.

    Args:
        input: the input tensor.
        dtype: the quantized dtype, such as `torch.qint8`.
        reduce_range: whether one bit fewer is used.
    """
def rad2deg(input: Tensor, *, out: Any = None) -> Tensor:
    """Radians as degrees.

    Same shape and dtype; integers and bool give the default dtype. RuntimeError for complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def rad2deg_(input: Tensor) -> Tensor:
    """Radians as degrees.

    Same shape and dtype; integers and bool give the default dtype. RuntimeError for complex.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def rand(*sizes: Any, size: Any = None, generator: Generator | None = None, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, requires_grad: _bool = False, pin_memory: _bool = False) -> Tensor:
    """A tensor of uniform random numbers: torch.rand(*size); of the default dtype, or another floating one.

    Args:
        size: the shape: a tuple of ints, or separate ints.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
            which `torch.manual_seed` seeds.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        dtype: the dtype of the result. None (the default) is the default dtype, float32 unless
            `torch.set_default_dtype` changed it.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
    """
def rand_like(input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool | None = False, memory_format: _memory_format | None = None, generator: Generator | None = None) -> Tensor:
    """torch.rand with input's shape, dtype and device.

    Args:
        input: the tensor whose shape is taken.
        dtype: the dtype of the result. None (the default) is that of `input`.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result. None (the default) is that of `input`.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        memory_format: the order in which PyTorch would store the dims. It is checked against the number of
            dims; None (the default) checks nothing.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
            which `torch.manual_seed` seeds.
    """
def randint(first: Any = ..., high: Any = ..., size: Any = ..., *, low: Any = ..., generator: Generator | None = None, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool | None = False) -> Tensor:
    """Random integers in [low, high): randint(high, size) or randint(low, high, size).

    int64, or the dtype given; RuntimeError unless low < high.

    Args:
        first: `high` if it is the only bound, else `low`.
        high: the end of the range, which is excluded.
        size: the shape: a tuple of ints.
        low: the smallest integer. Default: 0.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
            which `torch.manual_seed` seeds.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        dtype: the dtype of the result. None (the default) is int64.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
    """
def randint_like(input: Tensor, low: Any = ..., high: Any = ..., *, generator: Generator | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool | None = False, memory_format: _memory_format | None = None) -> Tensor:
    """torch.randint with input's shape, dtype and device: randint_like(input, high) or randint_like(input, low, high).

    Args:
        input: the tensor whose shape is taken.
        low: the smallest integer. Default: 0.
        high: the end of the range, which is excluded.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
            which `torch.manual_seed` seeds.
        dtype: the dtype of the result. None (the default) is that of `input`.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result. None (the default) is that of `input`.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        memory_format: the order in which PyTorch would store the dims. It is checked against the number of
            dims; None (the default) checks nothing.
    """
def randn(*sizes: Any, size: Any = None, generator: Generator | None = None, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, requires_grad: _bool = False, pin_memory: _bool = False) -> Tensor:
    """A tensor of normal random numbers: torch.randn(*size); of the default dtype, or another floating one.

    Args:
        size: the shape: a tuple of ints, or separate ints.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
            which `torch.manual_seed` seeds.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        dtype: the dtype of the result. None (the default) is the default dtype, float32 unless
            `torch.set_default_dtype` changed it.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
    """
def randn_like(input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool | None = False, memory_format: _memory_format | None = None, generator: Generator | None = None) -> Tensor:
    """torch.randn with input's shape, dtype and device.

    Args:
        input: the tensor whose shape is taken.
        dtype: the dtype of the result. None (the default) is that of `input`.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result. None (the default) is that of `input`.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        memory_format: the order in which PyTorch would store the dims. It is checked against the number of
            dims; None (the default) checks nothing.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
            which `torch.manual_seed` seeds.
    """
def randperm(n: _int, *, generator: Generator | None = None, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, requires_grad: _bool | None = False, pin_memory: _bool = False) -> Tensor:
    """A random permutation of the integers below n.

    (n,), int64 or the dtype given; RuntimeError for n < 0.

    Args:
        n: the number of integers.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
            which `torch.manual_seed` seeds.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        dtype: the dtype of the result. None (the default) is int64.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
    """
def range(start: Any, end: Any, step: Any = 1, *, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, requires_grad: _bool = False) -> Tensor:
    """Numbers from start to end, including end, in steps; floating point by default. `arange` is what replaced it.

    RuntimeError for a step of 0 or in the other direction.

    Args:
        start: the first number. For arange it defaults to 0.
        end: the end of the range; arange excludes it and range includes it.
        step: the distance between numbers. Default: 1.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        dtype: the dtype of the result. None (the default) is int64 for ints in arange, else the default dtype.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
    """
def ravel(input: Tensor) -> Tensor:
    """All elements as one dim, contiguous: a view of what is contiguous, else a copy.

    Args:
        input: the input tensor.
    """
def real(input: Tensor) -> Tensor:
    """The real part, as a view.

    Args:
        input: the input tensor.
    """
def rearrange(tensor: Tensor | list | _Sizes, pattern: _str, **axes_lengths: Any) -> Tensor:
    """The tensor with its dimensions split, permuted and merged as the pattern says; a view where reshape gives one.

    axes_lengths: sizes of axes that cannot be inferred. A list of tensors is stacked along a first dimension.
    Raises ValueError for a pattern that is wrong, DimensionBindError for sizes that do not fit.

    Args:
        tensor: a tensor, or a list of tensors of one shape, which is stacked along a first dim.
        pattern: "left -> right", each a list of axis names; names in parentheses form one dim,
            "..." stands for all other dims, 1 or () for one of size 1.
    """
def reciprocal(input: Tensor, *, out: Any = None) -> Tensor:
    """1 / input.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def reciprocal_(input: Tensor) -> Tensor:
    """1 / input.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def relu(input: Tensor) -> Tensor:
    """max(input, 0); its derivative at 0 is 0.

    Same shape and dtype; RuntimeError for bool, NotImplementedError for complex.

    Args:
        input: the input tensor.

    Returns:
        a new tensor.
    """
def relu_(input: Tensor) -> Tensor:
    """max(input, 0); its derivative at 0 is 0.

    Same shape and dtype; RuntimeError for bool, NotImplementedError for complex.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def remainder(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input - other * floor(input / other): the remainder with the sign of `other`.

    Args:
        input: the input tensor.
        other: the divisor: a tensor or a number; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def remainder_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """input - other * floor(input / other): the remainder with the sign of `other`.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the divisor: a tensor or a number; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def renorm(input: Tensor, p: Any, dim: _int, maxnorm: Number, *, out: Any = None) -> Tensor:
    """Scales each part of input along `dim` whose p-norm exceeds maxnorm down to it.

    Same shape and dtype, float or complex; RuntimeError for less than two dims.

    Args:
        input: the input tensor.
        p: the order of the norm.
        dim: the dim whose slices are measured.
        maxnorm: the largest norm that a slice may keep.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def renorm_(input: Tensor, p: Any, dim: _int, maxnorm: Number) -> Tensor:
    """Scales each part of input along `dim` whose p-norm exceeds maxnorm down to it.

    Same shape and dtype, float or complex; RuntimeError for less than two dims.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        p: the order of the norm.
        dim: the dim whose slices are measured.
        maxnorm: the largest norm that a slice may keep.

    Returns:
        `input` itself.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
    """
def repeat_interleave(input: Any = ..., repeats: Any = ..., dim: _int | None = None, *, output_size: _int | None = None) -> Tensor:
    """Each element (along dim, or of the flattened tensor) repeated `repeats` times in a row.

    A Tensor of repeats, one for each element, is read at once. With one argument, `repeats`: the indices themselves.

    Args:
        input: the tensor to repeat; without it, `repeats` alone gives the repeated indices.
        repeats: how often to repeat: an int, or a tensor with one number for each element along `dim`.
        dim: the dim to repeat along. None (the default) repeats the elements of the flattened tensor.
        output_size: the size of the result along `dim`, if known. None (the default) computes it from
            `repeats`.
        axis: NumPy's name for `dim`; give one of the two.
    """
def reshape(input: Tensor, shape: _Sizes) -> Tensor:
    """The same elements in another shape (one entry may be -1): a view if possible, else a copy.

    Args:
        input: the input tensor.
        shape: the new shape; one size may be -1.
    """
def resize_(input: Tensor, *sizes: Any, size: Any = None, memory_format: _memory_format | None = None) -> Tensor:
    """Gives the tensor another size: the first elements of its storage, which grows with zeros where it is too small.

    Any number of elements; RuntimeError for a tensor that requires grad.

    Args:
        input: the input tensor.
        size: the shape: a tuple of ints, or separate ints.
        memory_format: only checked: memory formats change no values.
    """
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: _memory_format | None = None) -> Tensor:
    """resize_ to another tensor's size.

    Args:
        input: the input tensor.
        the_template: the tensor whose shape is taken.
        memory_format: only checked: memory formats change no values.
    """
def resolve_conj(input: Tensor) -> Tensor:
    """A copy of a tensor that `is_conj`; the tensor itself otherwise.

    Same shape and dtype.

    Args:
        input: the input tensor.
    """
def resolve_neg(input: Tensor) -> Tensor:
    """A copy of a tensor that `is_neg`; the tensor itself otherwise.

    Same shape and dtype.

    Args:
        input: the input tensor.
    """
def result_type(*given: Any, **named: Any) -> _dtype:
    """The dtype of arithmetic between two tensors or numbers, which are called (tensor, other), (scalar, tensor) or
    (scalar1, scalar2).
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
def rnn_relu(*args: Any, **kwargs: Any) -> Any:
    """torch.rnn_relu(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), or
    (data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional) over packed rows.

    The output of the last layer, and the last states of all layers; see the module of that name.
    """
def rnn_relu_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """torch.rnn_relu_cell: one step on (N, input) and (N, hidden): h' (N, hidden).

    Args:
        input: the input, of shape (N, input_size).
        hx: the hidden state, of shape (N, hidden_size); for an LSTM the pair (h, c).
        w_ih: the weights of the input, of shape (gates * hidden_size, input_size).
        w_hh: the weights of the state, of shape (gates * hidden_size, hidden_size).
        b_ih: the bias of the input. None (the default) adds none.
        b_hh: the bias of the state. None (the default) adds none.
    """
def rnn_tanh(*args: Any, **kwargs: Any) -> Any:
    """torch.rnn_tanh(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), or
    (data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional) over packed rows.

    The output of the last layer, and the last states of all layers; see the module of that name.
    """
def rnn_tanh_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """torch.rnn_tanh_cell: one step on (N, input) and (N, hidden): h' (N, hidden).

    Args:
        input: the input, of shape (N, input_size).
        hx: the hidden state, of shape (N, hidden_size); for an LSTM the pair (h, c).
        w_ih: the weights of the input, of shape (gates * hidden_size, input_size).
        w_hh: the weights of the state, of shape (gates * hidden_size, hidden_size).
        b_ih: the bias of the input. None (the default) adds none.
        b_hh: the bias of the state. None (the default) adds none.
    """
def roll(input: Tensor, shifts: _Sizes, dims: _int | _Sizes | None = ...) -> Tensor:
    """The elements shifted along `dims`, those falling off coming in at the other end; without dims, of the flattened
    tensor.

    Args:
        input: the input tensor.
        shifts: how far to shift: an int, or one for each of `dims`.
        dims: the dims to shift along. By default the flattened tensor is shifted.

    Returns:
        a new tensor.
    """
def rot90(input: Tensor, k: _int = 1, dims: _Sizes = ...) -> Tensor:
    """The tensor turned by k times 90 degrees in the plane of two dims, from the first towards the second.

    Args:
        input: the input tensor.
        k: the number of quarter turns; negative ones turn the other way. Default: 1.
        dims: the plane: two dims; the rotation is from the first towards the second. Default: (0, 1).

    Returns:
        a new tensor.
    """
def round(input: Tensor, *, decimals: _int = ..., out: Any = None) -> Tensor:
    """Input rounded to `decimals` (0) digits behind the point (before it, when negative), halves to even.

    Integers are rounded to themselves, but not to a number of digits that is given.

    Same shape and dtype; NotImplementedError for bool and complex.

    Args:
        input: the input tensor.
        decimals: the number of digits after the point; negative ones round to tens, hundreds and so on.
            Default: 0.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def round_(input: Tensor, *, decimals: _int = ...) -> Tensor:
    """Input rounded to `decimals` (0) digits behind the point (before it, when negative), halves to even.

    Integers are rounded to themselves, but not to a number of digits that is given.

    Same shape and dtype; NotImplementedError for bool and complex.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        decimals: the number of digits after the point; negative ones round to tens, hundreds and so on.
            Default: 0.

    Returns:
        `input` itself.
    """
def row_indices_copy(input: Tensor, *, out: Any = None) -> Any:
    """A copy of `input.row_indices()`; RuntimeError for other layouts.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def row_stack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """The tensors joined along dim 0, after a 1-d tensor was made a row.

    Args:
        tensors: the tensors: a list or tuple.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def rrelu(input: Tensor, lower: _float = ..., upper: _float = ..., training: _bool = False, generator: Any = None) -> Tensor:
    """nn.functional.rrelu, whose slopes a generator may draw.

    Args:
        input: the input tensor.
        lower: the smallest slope for negative inputs. Default: 0.125.
        upper: the largest slope for negative inputs. Default: 0.3333333333333333.
        training: whether slopes are drawn at random. False takes the mean of the bounds. Default: False.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
            which `torch.manual_seed` seeds.
    """
def rrelu_(input: Tensor, lower: _float = ..., upper: _float = ..., training: _bool = False, generator: Any = None) -> Tensor:
    """nn.functional.rrelu_, whose slopes a generator may draw.

    Args:
        input: the input tensor.
        lower: the smallest slope for negative inputs. Default: 0.125.
        upper: the largest slope for negative inputs. Default: 0.3333333333333333.
        training: whether slopes are drawn at random. False takes the mean of the bounds. Default: False.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global generator,
            which `torch.manual_seed` seeds.
    """
def rsqrt(input: Tensor, *, out: Any = None) -> Tensor:
    """1 / sqrt(input).

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def rsqrt_(input: Tensor) -> Tensor:
    """1 / sqrt(input).

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def rsub(input: Tensor, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """other - alpha * input.

    Args:
        input: the input tensor.
        other: the minuend: a tensor or a number.
        alpha: a number that multiplies `input` before it is subtracted. Default: 1.

    Returns:
        a new tensor.
    """
def scalar_tensor(s: Any, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """A 0-d tensor of a Python number, floating point unless dtype says otherwise.

    Args:
        s: the number.
        dtype: the dtype of the result. None (the default) is the default dtype, float32 unless
            `torch.set_default_dtype` changed it.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
    """
def scatter(input: Tensor, dim: _int, index: Tensor, src: Tensor | Number | None = None, *, value: Number | None = None, reduce: _str | None = None, out: Any = None) -> Tensor:
    """`input` with result[index[i][j]][j] = src[i][j] for dim 0, and so on; `src` may be a number.

    reduce: "add" or "multiply" combines instead of overwriting.

    Args:
        input: the input tensor.
        dim: the dim along which `index` selects.
        index: the positions along `dim`, int64, with as many dims as `input`.
        src: the values; at least as large as `index` in every dim.
        value: a number to write instead of `src`.
        reduce: how values that meet are combined: for scatter "add" or "multiply", for scatter_reduce "sum",
            "prod", "mean", "amax" or "amin".
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def scatter_(input: Tensor, dim: _int, index: Tensor, src: Tensor | Number | None = None, *, value: Number | None = None, reduce: _str | None = None) -> Tensor:
    """`input` with result[index[i][j]][j] = src[i][j] for dim 0, and so on; `src` may be a number.

    reduce: "add" or "multiply" combines instead of overwriting.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        dim: the dim along which `index` selects.
        index: the positions along `dim`, int64, with as many dims as `input`.
        src: the values; at least as large as `index` in every dim.
        value: a number to write instead of `src`.
        reduce: how values that meet are combined: for scatter "add" or "multiply", for scatter_reduce "sum",
            "prod", "mean", "amax" or "amin".
    """
def scatter_add(input: Tensor, dim: _int, index: Tensor, src: Tensor, *, out: Any = None) -> Tensor:
    """`input` with src[i][j] added at result[index[i][j]][j] for dim 0, and so on.

    Args:
        input: the input tensor.
        dim: the dim along which `index` selects.
        index: the positions along `dim`, int64, with as many dims as `input`.
        src: the values; at least as large as `index` in every dim.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def scatter_add_(input: Tensor, dim: _int, index: Tensor, src: Tensor) -> Tensor:
    """`input` with src[i][j] added at result[index[i][j]][j] for dim 0, and so on.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        dim: the dim along which `index` selects.
        index: the positions along `dim`, int64, with as many dims as `input`.
        src: the values; at least as large as `index` in every dim.
    """
def scatter_reduce(input: Tensor, dim: _int, index: Tensor, src: Tensor, reduce: _str, *, include_self: _bool = True, out: Any = None) -> Tensor:
    """`src` scattered into `input`, where colliding elements are combined: "sum", "prod", "mean", "amax" ("max") or
    "amin" ("min").

    With include_self=False the elements of `input` that are written to do not take part.

    Args:
        input: the input tensor.
        dim: the dim along which `index` selects.
        index: the positions along `dim`, int64, with as many dims as `input`.
        src: the values; at least as large as `index` in every dim.
        reduce: how values that meet are combined: for scatter "add" or "multiply", for scatter_reduce "sum",
            "prod", "mean", "amax" or "amin".
        include_self: whether the elements of `input` that are written to take part in the reduction. Default:
            True.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def scatter_reduce_(input: Tensor, dim: _int, index: Tensor, src: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
    """`src` scattered into `input`, where colliding elements are combined: "sum", "prod", "mean", "amax" ("max") or
    "amin" ("min").

    With include_self=False the elements of `input` that are written to do not take part.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        dim: the dim along which `index` selects.
        index: the positions along `dim`, int64, with as many dims as `input`.
        src: the values; at least as large as `index` in every dim.
        reduce: how values that meet are combined: for scatter "add" or "multiply", for scatter_reduce "sum",
            "prod", "mean", "amax" or "amin".
        include_self: whether the elements of `input` that are written to take part in the reduction. Default:
            True.
    """
def searchsorted(sorted_sequence: Tensor, input: Tensor | Number, *, out_int32: _bool = False, right: _bool = False, side: _str | None = None, sorter: Tensor | None = None, out: Any = None) -> Tensor:
    """The index in the last dim of `sorted_sequence` at which each value of `input` would keep it sorted.

    Args:
        sorted_sequence: the sorted values, in the last dim.
        input: the values to locate: a tensor or a number.
        out_int32: whether the result is int32. By default it is int64.
        right: whether the position after equal values is returned. By default it is the position before them.
        side: "left" or "right": another way to say `right`. None (the default) leaves it to `right`.
        sorter: indices that sort `sorted_sequence`, as `argsort` returns them. None (the default) if the
            sequence is sorted.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def seed() -> _int:
    """Seeds the default generator from the operating system; returns the seed."""
def segment_reduce(data: Tensor, reduce: _str, *, lengths: Tensor | None = None, indices: Tensor | None = None, offsets: Tensor | None = None, axis: _int = 0, unsafe: _bool = False, initial: Number | None = None) -> Tensor:
    """Reduces consecutive pieces of `data` along `axis`, of the given lengths or between the given offsets.

    reduce: "sum", "mean", "prod", "max" or "min". `lengths` and `offsets` have the dims of data before `axis`, and
    one more. Unless `unsafe`, lengths must add up to the size of the dim, which is checked if their values are known;
    elements beyond the last segment are left out.

    Args:
        data: the tensor to reduce.
        reduce: "sum", "mean", "prod", "max" or "min".
        lengths: the lengths of the segments, int64 or int32. Give this or `offsets`.
        indices: PyTorch accepts no indices either; leave it None.
        offsets: the boundaries of the segments, one more than there are segments.
        axis: the dim that is cut into segments. Default: 0.
        unsafe: whether the check that lengths add up is left out. Default: False.
        initial: the value with which each reduction starts. None (the default) is the identity of the
            reduction.

    Returns:
        a new tensor.
    """
def select(input: Tensor, dim: _int, index: Number) -> Tensor:
    """The slice `index` along dim, without that dim: a view. An index in a tensor is checked when its value is at hand.

    Args:
        input: the input tensor.
        dim: the dim to index.
        index: the position along `dim`; negative ones count from the end.
    """
def select_copy(input: Tensor, dim: Any, index: Any, *, out: Any = None) -> Any:
    """select, as a copy instead of a view.

    Args:
        input: the input tensor.
        dim: the dim to index.
        index: the position along `dim`; negative ones count from the end.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def select_scatter(input: Tensor, src: Tensor, dim: _int, index: Number) -> Tensor:
    """`input` with its slice `index` along `dim` replaced by `src`.

    An index in a tensor is checked when its value is at hand.

    Args:
        input: the input tensor.
        src: the slice to write, without `dim`.
        dim: the dim to index.
        index: the position along `dim`; negative ones count from the end.
    """
def selu(input: Tensor) -> Tensor:
    """nn.functional.selu.

    Args:
        input: the input tensor.
    """
def selu_(input: Tensor) -> Tensor:
    """Scaled elu with the constants that keep mean 0 and variance 1 (Klambauer et al. 2017, arXiv:1706.02515).

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def set_anomaly_enabled(mode: _bool, check_nan: _bool = True) -> None:
    """Switches anomaly mode on or off.

    Args:
        mode: whether anomaly mode is on.
        check_nan: whether nan is looked for. Default: True.
    """
def set_autocast_cache_enabled(enabled: _bool) -> None:
    """Sets what is_autocast_cache_enabled gives.

    Args:
        enabled: the answer of `is_autocast_cache_enabled()`.
    """
def set_autocast_cpu_dtype(dtype: _dtype) -> None:
    """Deprecated: set_autocast_dtype("cpu", dtype).

    Args:
        dtype: the lower precision, such as `torch.bfloat16`.
    """
def set_autocast_cpu_enabled(enabled: _bool) -> None:
    """Deprecated: set_autocast_enabled("cpu", enabled).

    Args:
        enabled: whether autocast is on for CPU.
    """
def set_autocast_dtype(device_type: _str, dtype: _dtype) -> None:
    """Sets the dtype that autocast casts to on this kind of device.

    Args:
        device_type: the type of the device: "cpu" or "cuda".
        dtype: the lower precision, such as `torch.bfloat16`.
    """
def set_autocast_enabled(device_type: Any, enabled: _bool | None = None) -> None:
    """Enables or disables autocast: `set_autocast_enabled("cpu", True)`, or with a bool alone for CUDA.

    Args:
        device_type: the type of the device: "cpu" or "cuda".
        enabled: whether autocast is on.
    """
def set_autocast_gpu_dtype(dtype: _dtype) -> None:
    """Deprecated: set_autocast_dtype("cuda", dtype).

    Args:
        dtype: the lower precision, such as `torch.bfloat16`.
    """
def set_default_dtype(d: _dtype) -> None:
    """Sets get_default_dtype(); recorded programs that depended on it are forgotten."""
def set_default_tensor_type(t: Any) -> None:
    """Sets the default dtype by the name or class of an older tensor type, such as torch.DoubleTensor.

    Args:
        t: a type of tensors, such as `torch.FloatTensor`, or its name.
    """
def set_deterministic_debug_mode(debug_mode: _int | _str) -> None:
    """'default' or 0: off; 'warn' or 1, 'error' or 2: `use_deterministic_algorithms`.

    Args:
        debug_mode: "default", "warn" or "error", or 0, 1 or 2.
    """
def set_float32_matmul_precision(precision: _str) -> None:
    """How float32 matrix products are computed where the device has faster, coarser units (GPU, TPU): 'highest' in
    float32, 'high' by several passes of a narrower type (TensorFloat32, three bfloat16), 'medium' by one. Programs made
    before are forgotten, as the precision is part of them.

    Args:
        precision: "highest", "high" or "medium".
    """
def set_flush_denormal(mode: _bool) -> _bool:
    """Returns whether denormal numbers could be set to be flushed to zero: always False, XLA decides.

    Args:
        mode: whether denormal numbers become 0.
    """
def set_num_interop_threads(num: _int) -> None:
    """Warns, unless it is the number there is: XLA has one pool, see `set_num_threads`.

    Args:
        num: the number of threads.
    """
def set_num_threads(num: _int) -> None:
    """Sets how many threads compute on the CPU.

    NumPy's matrix products use at most so many from now on. XLA makes its threads once, before its first program: a
    later call warns and changes nothing there. Then start Python with NPROC=1 in the environment, or under taskset.

    Before, it sets NPROC in the environment, which XLA reads as it starts; processes that are started from this one
    have it too.

    Args:
        num: the number of threads.
    """
def set_rng_state(new_state: Any) -> None:
    """Puts the default generator in a state that get_rng_state gave.

    Args:
        new_state: a state, as `torch.get_rng_state` returns it.
    """
def set_warn_always(b: Any) -> None:
    """Returns whether warnings that PyTorch's C++ code gives once in a process are given each time.

    Args:
        b: whether warnings repeat.
    """
def sgn(input: Tensor, *, out: Any = None) -> Tensor:
    """`sign` of a real tensor; input / |input| of a complex one, and 0 at 0.

    Same shape and dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def sgn_(input: Tensor) -> Tensor:
    """`sign` of a real tensor; input / |input| of a complex one, and 0 at 0.

    Same shape and dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def sigmoid(input: Tensor, *, out: Any = None) -> Tensor:
    """1 / (1 + exp(-input)).

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def sigmoid_(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input)).

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def sign(input: Tensor, *, out: Any = None) -> Tensor:
    """-1, 0 or 1 by the sign of input; 0 for nan.

    Same shape and dtype; NotImplementedError for complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def sign_(input: Tensor) -> Tensor:
    """-1, 0 or 1 by the sign of input; 0 for nan.

    Same shape and dtype; NotImplementedError for complex.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def signbit(input: Tensor, *, out: Any = None) -> Tensor:
    """Tests whether the sign bit of each element is set: true for negative numbers and for -0.0.

    Same shape, bool; NotImplementedError for complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def sin(input: Tensor, *, out: Any = None) -> Tensor:
    """The sine of an angle in radians.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def sin_(input: Tensor) -> Tensor:
    """The sine of an angle in radians.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def sinc(input: Tensor, *, out: Any = None) -> Tensor:
    """sin(pi x) / (pi x), and 1 at 0. Its second derivative at 0 is the true one, where torch gives nan.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def sinc_(input: Tensor) -> Tensor:
    """sin(pi x) / (pi x), and 1 at 0. Its second derivative at 0 is the true one, where torch gives nan.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def sinh(input: Tensor, *, out: Any = None) -> Tensor:
    """The hyperbolic sine.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def sinh_(input: Tensor) -> Tensor:
    """The hyperbolic sine.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def slice_copy(input: Tensor, dim: Any = 0, start: Any = None, end: Any = None, step: Any = 1, *, out: Any = None) -> Any:
    """slice, as a copy instead of a view.

    Args:
        input: the input tensor.
        dim: the dim (an int, negative ones count from the end). Default: 0.
        start: the first position. Negative positions count from the end.
        end: the position after the last. Negative positions count from the end.
        step: the distance between consecutive positions; it must be positive. Default: 1.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def slice_scatter(input: Tensor, src: Tensor, dim: _int = 0, start: _int | None = None, end: _int | None = None, step: _int = 1, *, axis: Any = ..., out: Any = None) -> Tensor:
    """`input` with its elements start:end:step along `dim` replaced by `src`.

    Bounds that change are unknown here: the caller has checked that there are as many elements as in `src`.

    Args:
        input: the input tensor.
        src: the values to write.
        dim: the dim to slice. Default: 0.
        start: the first position. None (the default) is the first of the dim.
        end: the position after the last. None (the default) is the end of the dim.
        step: the distance between positions; it must be positive. Default: 1.
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def slogdet(input: Tensor, *, out: Any = None) -> return_types.slogdet:
    """Sign and logarithm of the absolute value of the determinant.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a named tuple of `sign`, `logabsdet`.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def smm(input: Any, mat2: Any) -> Any:
    """The product of a sparse and a dense matrix, as a sparse tensor.

    Args:
        input: the input tensor.
        mat2: the second matrix.
    """
def softmax(input: Tensor, dim: _int, dtype: Any = None, *, out: Tensor | None = None) -> Tensor:
    """nn.functional.softmax along `dim`, computed in `dtype` if that is given.

    Args:
        input: the input tensor.
        dim: the dim along which the results add up to 1. In nn.functional, None (the default) chooses it as
            PyTorch does, with a warning.
        dtype: the dtype to which `input` is cast first. None (the default) keeps its own.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        axis: NumPy's name for `dim`; give one of the two.
    """
def solve(*args: Any, **kwargs: Any) -> Any:
    """Removed from PyTorch, raises RuntimeError: use torch.linalg (solve)."""
def sort(input: Tensor, dim: _int = -1, descending: _bool = False, *, stable: _bool | None = False, axis: Any = ..., out: Any = None) -> return_types.sort:
    """(values, indices) of the elements in order along `dim`; equal elements keep their order even if not `stable`.

    Args:
        input: the input tensor.
        dim: the dim along which to sort. Default: -1.
        descending: whether the largest elements come first. Default: False.
        stable: whether equal elements keep their order. They always do here. Default: False.
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def sparse_bsc_tensor(ccol_indices: Any, row_indices: Any, values: Any, size: Any = None, *, dtype: _dtype | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _bool | None = None) -> Any:
    """A sparse matrix in columns of blocks: as sparse_csc_tensor, with values of shape (nnz, rows of a block, columns
    of a block).

    Args:
        ccol_indices: where each column (of blocks) begins in `values`: one more entry than there are columns.
        row_indices: the row (of blocks) of each element.
        values: the elements, with nnz as their first size.
        size: the shape. None (the default) infers the smallest that holds all indices.
        dtype: the dtype of the result. None (the default) is that of `values`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        check_invariants: whether the indices are checked. None (the default) follows
            `torch.sparse.check_sparse_tensor_invariants`.
    """
def sparse_bsr_tensor(crow_indices: Any, col_indices: Any, values: Any, size: Any = None, *, dtype: _dtype | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _bool | None = None) -> Any:
    """A sparse matrix in rows of blocks: as sparse_csr_tensor, with values of shape (nnz, rows of a block, columns of a
    block).

    Args:
        crow_indices: where each row (of blocks) begins in `values`: one more entry than there are rows.
        col_indices: the column (of blocks) of each element.
        values: the elements, with nnz as their first size.
        size: the shape. None (the default) infers the smallest that holds all indices.
        dtype: the dtype of the result. None (the default) is that of `values`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        check_invariants: whether the indices are checked. None (the default) follows
            `torch.sparse.check_sparse_tensor_invariants`.
    """
def sparse_compressed_tensor(compressed_indices: Any, plain_indices: Any, values: Any, size: Any = None, *, dtype: _dtype | None = None, layout: Any = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _bool | None = None) -> Any:
    """A matrix in the compressed form that `layout` says: torch.sparse_csr, sparse_csc, sparse_bsr or sparse_bsc.

    Args:
        compressed_indices: where each row or column begins in `values`.
        plain_indices: the column or row of each element.
        values: the elements, with nnz as their first size.
        size: the shape. None (the default) infers the smallest that holds all indices.
        dtype: the dtype of the result. None (the default) is that of `values`.
        layout: `torch.sparse_csr`, `sparse_csc`, `sparse_bsr` or `sparse_bsc`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        check_invariants: whether the indices are checked. None (the default) follows
            `torch.sparse.check_sparse_tensor_invariants`.
    """
def sparse_coo_tensor(indices: Any = None, values: Any = None, size: Any = None, *, dtype: _dtype | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _bool | None = None, is_coalesced: _bool | None = None) -> Tensor:
    """A sparse tensor in coordinate form: indices of shape (sparse dims, nnz), values of shape (nnz, *dense dims).

    Indices may repeat: their values are added. The size is inferred if it is not given. Indices are read, to be
    checked.

    Args:
        indices: the coordinates of the elements, of shape (sparse dims, nnz).
        values: the elements, with nnz as their first size.
        size: the shape. None (the default) infers the smallest that holds all indices.
        dtype: the dtype of the result. None (the default) is that of `values`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        check_invariants: whether the indices are checked. None (the default) follows
            `torch.sparse.check_sparse_tensor_invariants`.
        is_coalesced: whether the coordinates are sorted and distinct. None (the default) leaves it unknown.
    """
def sparse_csc_tensor(ccol_indices: Any, row_indices: Any, values: Any, size: Any = None, *, dtype: _dtype | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _bool | None = None) -> Any:
    """A sparse matrix in column form: where each column begins, the row of each value, and the values.

    Else as sparse_csr_tensor.

    Args:
        ccol_indices: where each column (of blocks) begins in `values`: one more entry than there are columns.
        row_indices: the row (of blocks) of each element.
        values: the elements, with nnz as their first size.
        size: the shape. None (the default) infers the smallest that holds all indices.
        dtype: the dtype of the result. None (the default) is that of `values`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        check_invariants: whether the indices are checked. None (the default) follows
            `torch.sparse.check_sparse_tensor_invariants`.
    """
def sparse_csr_tensor(crow_indices: Any, col_indices: Any, values: Any, size: Any = None, *, dtype: _dtype | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _bool | None = None) -> Any:
    """A sparse matrix in row form: where each row begins, the column of each value, and the values.

    Indices are read, to be checked.

    All three may have the same batch dims in front, and values dense dims at the end.

    Args:
        crow_indices: where each row (of blocks) begins in `values`: one more entry than there are rows.
        col_indices: the column (of blocks) of each element.
        values: the elements, with nnz as their first size.
        size: the shape. None (the default) infers the smallest that holds all indices.
        dtype: the dtype of the result. None (the default) is that of `values`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        check_invariants: whether the indices are checked. None (the default) follows
            `torch.sparse.check_sparse_tensor_invariants`.
    """
def split(tensor: Tensor, split_size_or_sections: Any, dim: _int = 0) -> tuple[Tensor, ...]:
    """Views of `tensor` along dim: pieces of one size (the last may be smaller), or of the sizes listed.

    Args:
        tensor: the tensor to split.
        split_size_or_sections: the size of each piece, or a list with the size of every piece.
        dim: the dim to split. Default: 0.
    """
def split_copy(input: Tensor, split_size: Any, dim: Any = 0, *, out: Any = None) -> Any:
    """split, as a copy instead of a view.

    Args:
        input: the input tensor.
        split_size: the size of each piece, or a list with the size of every piece.
        dim: the dim to split. Default: 0.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def split_with_sizes(input: Tensor, split_sizes: Any, dim: _int = 0) -> tuple[Tensor, ...]:
    """Views of `input` along dim with the sizes listed.

    Args:
        input: the input tensor.
        split_sizes: the size of every piece.
        dim: the dim to split. Default: 0.
        axis: NumPy's name for `dim`; give one of the two.
    """
def split_with_sizes_copy(input: Tensor, split_sizes: Any, dim: Any = 0, *, out: Any = None) -> Any:
    """split_with_sizes, as a copy instead of a view.

    Args:
        input: the input tensor.
        split_sizes: the size of every piece.
        dim: the dim to split. Default: 0.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def spmm(input: Any, mat2: Any) -> Any:
    """torch.mm.

    Args:
        input: the input tensor.
        mat2: the second matrix.
    """
def sqrt(input: Tensor, *, out: Any = None) -> Tensor:
    """The square root; nan for negative numbers, and infinite derivative at 0.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def sqrt_(input: Tensor) -> Tensor:
    """The square root; nan for negative numbers, and infinite derivative at 0.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def square(input: Tensor, *, out: Any = None) -> Tensor:
    """input * input.

    Same shape and dtype; bool gives int64.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def square_(input: Tensor) -> Tensor:
    """input * input.

    Same shape and dtype; bool gives int64.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def squeeze(input: Tensor, dim: _int | _Sizes = ..., *, axis: Any = ...) -> Tensor:
    """The dims of size 1 removed: all, or those among `dim`.

    Args:
        input: the input tensor.
        dim: the dim or dims to remove if their size is 1. Without it all such dims are removed.
        axis: NumPy's name for `dim`; give one of the two.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
    """
def squeeze_(input: Tensor, dim: _int | _Sizes = ...) -> Tensor:
    """squeeze in place: the tensor itself becomes the view.

    Args:
        input: the input tensor.
        dim: the dim or dims to remove if their size is 1. Without it all such dims are removed.
    """
def squeeze_copy(input: Tensor, dim: Any = ..., *, out: Any = None) -> Any:
    """squeeze, as a copy instead of a view.

    Args:
        input: the input tensor.
        dim: the dim or dims to remove if their size is 1. Without it all such dims are removed.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def stack(tensors: Sequence[Tensor], dim: _int = 0, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The tensors, all of one shape, joined along a new dim.

    Args:
        tensors: the tensors: a list or tuple, all of one shape.
        dim: the position of the new dim in the result. Default: 0.
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def std(input: Tensor, dim: _int | _Sizes | None = ..., unbiased: _bool = ..., keepdim: _bool = ..., *, correction: Number | None = None, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The standard deviation over `dim`; where it is 0 its gradient is 0.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
            are reduced.
        unbiased: whether the divisor is N - 1 (True, `correction=1`) or N (False, `correction=0`). Give this
            or `correction`.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        correction: what is subtracted from N in the divisor. None (the default) means 1.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def std_mean(input: Tensor, dim: _int | _Sizes | None = ..., unbiased: _bool = ..., keepdim: _bool = ..., *, correction: Number | None = None, axis: Any = ..., keepdims: _bool = ...) -> tuple[Tensor, ...]:
    """(standard deviation, mean) over `dim`.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
            are reduced.
        unbiased: whether the divisor is N - 1 (True, `correction=1`) or N (False, `correction=0`). Give this
            or `correction`.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        correction: what is subtracted from N in the divisor. None (the default) means 1.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.

    Returns:
        the pair of tensors (standard deviation, mean).

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
    """
def stft(input: Tensor, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Tensor | None = None, center: Any = True, pad_mode: Any = 'reflect', normalized: _bool = False, onesided: _bool | None = None, return_complex: Any = None, align_to_window: Any = None) -> Tensor:
    """Fourier transforms of overlapping windows of a signal: (…, time) becomes (…, frequency, frame).

    hop_length: from frame to frame (n_fft // 4). center: frames are centred on their times, the signal is padded for
    it. onesided: half of the terms, for real signals. return_complex=False gives real and imaginary parts in a last
    dim.

    Complex, of the precision of input; RuntimeError for a window longer than n_fft.

    Args:
        input: the input tensor.
        n_fft: the size of each Fourier transform.
        hop_length: the distance between frames. None (the default) is n_fft // 4.
        win_length: the size of the window. None (the default) is `n_fft`.
        window: the window, 1-D of size `win_length`. None (the default) is a window of ones.
        center: whether frames are centred on their times, for which the signal is padded. Default: True.
        pad_mode: how the signal is padded if `center`: a mode of `F.pad`, such as "reflect" or "constant".
            Default: "reflect".
        normalized: whether the transforms are divided by the square root of `n_fft`. Default: False.
        onesided: whether only half of the terms are present. None (the default) means True for real signals.
        return_complex: whether the result is complex. For stft it is required for real input; False gives real
            and imaginary parts in a last dim.
        align_to_window: with `center=False`, whether windows are aligned with the beginning of the signal.
            None (the default) means False.

    Returns:
        a new tensor.
    """
def sub(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1, out: Any = None) -> Tensor:
    """input - alpha * other; an error for bool.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.
        alpha: a number that multiplies `other` before it is subtracted. Default: 1.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def sub_(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """input - alpha * other; an error for bool.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.
        alpha: a number that multiplies `other` before it is subtracted. Default: 1.

    Returns:
        `input` itself.
    """
def subtract(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1, out: Any = None) -> Tensor:
    """input - alpha * other; an error for bool.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.
        alpha: a number that multiplies `other` before it is subtracted. Default: 1.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def subtract_(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """input - alpha * other; an error for bool.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the second tensor, or a number; it broadcasts with `input`.
        alpha: a number that multiplies `other` before it is subtracted. Default: 1.

    Returns:
        `input` itself.
    """
def sum(input: Tensor, dim: _int | _Sizes | None = ..., keepdim: _bool = ..., *, dtype: _dtype | None = None, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The sum over `dim`; bool and integers give int64 unless `dtype` is given.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
            are reduced.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
            default) keeps the natural dtype of the result.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def svd(input: Tensor, some: _bool = True, compute_uv: _bool = True, *, out: Any = None) -> return_types.svd:
    """input = U @ diag(S) @ V^H: linalg.svd with V instead of Vh; some=False gives square U and V.

    With compute_uv=False, U and V are square matrices of zeros.

    (…, m, n) to U (…, m, k), S (…, k) real, V (…, n, k), k = min(m, n).

    Args:
        input: the matrices, of shape (..., m, n).
        some: whether the reduced factors are returned; False returns the full ones. Default: True.
        compute_uv: whether U and V are computed; False returns zeros for them. Default: True.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def svd_lowrank(A: Any, q: _int | None = 6, niter: _int | None = 2, M: Any = None) -> tuple[Tensor, Tensor, Tensor]:
    """(U, S, V) with A - M nearly U @ diag(S) @ V^H, of rank q; by random projection and `niter` subspace iterations.

    Args:
        A: the matrix, of shape (..., m, n).
        q: the number of singular values to estimate. None (the default) is 6.
        niter: the number of subspace iterations. Default: 2.
        M: a matrix to subtract from `A`. None (the default) subtracts nothing.
    """
def swapaxes(input: Tensor, axis0: _int, axis1: _int) -> Tensor:
    """Two dims exchanged (numpy's name of `transpose`).

    Args:
        input: the input tensor.
        axis0: the first dim to exchange.
        axis1: the second dim to exchange.
    """
def swapaxes_(input: Tensor, axis0: _int, axis1: _int) -> Tensor:
    """swapaxes in place: the tensor itself becomes the view.

    Args:
        input: the input tensor.
        axis0: the first dim to exchange.
        axis1: the second dim to exchange.
    """
def swapdims(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """Two dims exchanged (another name of `transpose`).

    Args:
        input: the input tensor.
        dim0: the first dim to exchange.
        dim1: the second dim to exchange.
    """
def swapdims_(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """swapdims in place: the tensor itself becomes the view.

    Args:
        input: the input tensor.
        dim0: the first dim to exchange.
        dim1: the second dim to exchange.
    """
def sym_float(a: Any) -> _float:
    """float(a).

    Args:
        a: a number.
    """
def sym_int(a: Any) -> _int:
    """int(a), towards zero.

    Args:
        a: a number.
    """
def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """t if b else f.

    Args:
        b: the condition.
        t: the value if it is True.
        f: the value if it is False.
    """
def sym_max(a: Any, b: Any) -> Any:
    """The larger number; a float if either is one.

    Args:
        a: a number.
        b: the second number.
    """
def sym_min(a: Any, b: Any) -> Any:
    """The smaller number; a float if either is one.

    Args:
        a: a number.
        b: the second number.
    """
def sym_not(a: Any) -> _bool:
    """not a.

    Args:
        a: a number.
    """
def sym_sqrt(a: Any) -> _float:
    """math.sqrt(a).

    Args:
        a: a number.
    """
def sym_sum(args: Any) -> Any:
    """The sum of numbers."""
def symeig(*args: Any, **kwargs: Any) -> Any:
    """Removed from PyTorch, raises RuntimeError: use torch.linalg (symeig)."""
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; a tensor with fewer dims is returned as it is.

    Args:
        input: the input tensor.
    """
def t_(input: Tensor) -> Tensor:
    """t in place: the tensor itself becomes the view.

    Args:
        input: the input tensor.
    """
def t_copy(input: Tensor, *, out: Any = None) -> Tensor:
    """t, as a copy instead of a view.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def take(input: Tensor, index: Tensor, *, out: Any = None) -> Tensor:
    """The elements at the given positions of the flattened tensor; negative ones count from the end.

    Args:
        input: the input tensor.
        index: positions in the flattened tensor, int64.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def take_along_dim(input: Tensor, indices: Tensor, dim: _int | None = None, *, out: Any = None) -> Tensor:
    """The elements of input at `indices` along dim, where the other dims broadcast; without dim, of the flattened
    tensor.

    Args:
        input: the input tensor.
        indices: the positions along `dim`, int64; other dims broadcast.
        dim: the dim to index. None (the default) indexes the flattened tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        axis: NumPy's name for `dim`; give one of the two.
    """
def tan(input: Tensor, *, out: Any = None) -> Tensor:
    """The tangent of an angle in radians.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def tan_(input: Tensor) -> Tensor:
    """The tangent of an angle in radians.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def tanh(input: Tensor, *, out: Any = None) -> Tensor:
    """The hyperbolic tangent.

    Same shape and dtype; integers and bool give the default dtype.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def tanh_(input: Tensor) -> Tensor:
    """The hyperbolic tangent.

    Same shape and dtype; integers and bool give the default dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def tensor(data: Any, *, dtype: _dtype | None = None, device: _Device = None, requires_grad: _bool = False, pin_memory: _bool = False) -> Tensor:
    """A new leaf tensor with a copy of `data`: numbers, nested sequences, numpy arrays.

    Args:
        data: the values: a number, nested lists or tuples of numbers, a NumPy array or a tensor.
        dtype: the dtype of the result. None (the default) follows the data; Python floats give the default
            dtype.
        device: the device of the result. None (the default) is that of the data, else the current default
            device.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
    """
def tensor_split(input: Tensor, indices_or_sections: Any = None, dim: _int = 0, *, indices: Any = None, sections: Any = None, tensor_indices_or_sections: Any = None) -> tuple[Tensor, ...]:
    """Views along dim: so many nearly equal ones, or cut at the indices listed.

    Args:
        input: the input tensor.
        indices_or_sections: an int: the number of pieces; a tuple of ints: where to cut. Give one of this,
            `indices` and `sections`.
        dim: the dim to split. Default: 0.
        indices: where to cut: a tuple of ints. None (the default) if `sections` is given.
        sections: the number of pieces, an int. None (the default) if `indices` is given.
        tensor_indices_or_sections: the same in a tensor on the CPU.
        axis: NumPy's name for `dim`; give one of the two.
    """
def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Tensor:
    """The sum of products over pairs of dims: the last `dims` of a with the first of b, or the lists dims[0] and
    dims[1].

    Args:
        a: the first tensor.
        b: the second tensor.
        dims: how many dims to sum over, or a pair of lists of dims. Default: 2.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def thread_safe_generator() -> Generator | None:
    """Returns, in a worker thread of a DataLoader, that thread's own generator, elsewhere None: the default generator."""
def threshold(input: Tensor, threshold: _float, value: _float, *, out: Tensor | None = None) -> Tensor:
    """nn.functional.threshold.

    Args:
        input: the input tensor.
        threshold: inputs up to this number are replaced.
        value: the number that replaces them.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def threshold_(input: Tensor, threshold: Number, value: Number) -> Tensor:
    """`value` where input <= threshold, input elsewhere.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        threshold: inputs up to this number are replaced.
        value: the number that replaces them.

    Returns:
        `input` itself.
    """
def tile(input: Tensor, dims: _Sizes) -> Tensor:
    """The tensor repeated along its dims; `dims` counts from the last one.

    Args:
        input: the input tensor.
        dims: how often to repeat along each dim, counted from the last one.

    Returns:
        a new tensor.
    """
def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule of the tensor, for libraries that take one (once).

    Args:
        tensor: the tensor.
    """
def topk(input: Tensor, k: _int, dim: _int = -1, largest: _bool = True, sorted: _bool = True, *, axis: Any = ..., out: Any = None) -> return_types.topk:
    """(values, indices) of the k largest (or smallest) elements along `dim`, in order even if not `sorted`.

    Args:
        input: the input tensor.
        k: how many elements to select.
        dim: the dim along which to select. Default: -1.
        largest: whether the largest are selected; False selects the smallest. Default: True.
        sorted: whether the elements must be in order. They always are here. Default: True.
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a named tuple of `values`, `indices`.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix; integers are summed as int64.

    Args:
        input: the input tensor.

    Returns:
        a new tensor.
    """
def transpose(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """Two dims exchanged.

    Args:
        input: the input tensor.
        dim0: the first dim to exchange.
        dim1: the second dim to exchange.
    """
def transpose_(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """transpose in place: the tensor itself becomes the view.

    Args:
        input: the input tensor.
        dim0: the first dim to exchange.
        dim1: the second dim to exchange.
    """
def transpose_copy(input: Tensor, dim0: Any, dim1: Any, *, out: Any = None) -> Tensor:
    """transpose, as a copy instead of a view.

    Args:
        input: the input tensor.
        dim0: the first dim to exchange.
        dim1: the second dim to exchange.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def trapezoid(y: Tensor, x: Any = ..., *, dx: Any = ..., dim: _int = -1) -> Tensor:
    """The integral of the samples `y` along `dim` by the trapezoid rule; they lie at `x`, or `dx` (1) apart.

    Args:
        y: the samples.
        x: the coordinates of the samples; they broadcast with `y`. Without them the samples are `dx` apart.
        dx: the distance between samples, a number. Default: 1.
        dim: the dim along which to integrate. Default: -1.
        axis: NumPy's name for `dim`; give one of the two.
    """
def trapz(y: Tensor, x: Any = ..., *, dx: Any = ..., dim: _int = -1) -> Tensor:
    """The integral of the samples `y` along `dim` by the trapezoid rule; they lie at `x`, or `dx` (1) apart.

    Args:
        y: the samples.
        x: the coordinates of the samples; they broadcast with `y`. Without them the samples are `dx` apart.
        dx: the distance between samples, a number. Default: 1.
        dim: the dim along which to integrate. Default: -1.
        axis: NumPy's name for `dim`; give one of the two.
    """
def triangular_solve(input: Tensor, A: Tensor, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False, *, out: Any = None) -> return_types.triangular_solve:
    """The solution X of A @ X = input (A^T @ X with transpose=True) for triangular A, and a copy of A.

    (…, n, k) and (…, n, n), which broadcast; float or complex.

    Args:
        input: the right-hand sides, of shape (..., n, k).
        A: the triangular matrices, of shape (..., n, n).
        upper: whether `A` is upper triangular. False means lower. Default: True.
        transpose: whether the system of the transposed `A` is solved. Default: False.
        unitriangular: whether the diagonal counts as ones and is not read. Default: False.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a named tuple of `solution`, `cloned_coefficient`.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def tril(input: Tensor, diagonal: _int = 0, *, out: Any = None) -> Tensor:
    """The matrices with zeros above the diagonal number `diagonal`.

    Args:
        input: the input tensor.
        diagonal: which diagonal: 0 is the main one, positive ones are above it and negative ones below it.
            Default: 0.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def tril_(input: Tensor, diagonal: _int = 0) -> Tensor:
    """The matrices with zeros above the diagonal number `diagonal`.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        diagonal: which diagonal: 0 is the main one, positive ones are above it and negative ones below it.
            Default: 0.

    Returns:
        `input` itself.
    """
def tril_indices(row: _int, col: _int, offset: _int = 0, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """(2, n): the row and column numbers of the elements of a row × col matrix on and below the diagonal `offset`.

    Args:
        row: the number of rows of the matrix.
        col: the number of columns of the matrix.
        offset: the diagonal that bounds the triangle: 0 is the main one, positive ones are above it. Default:
            0.
        dtype: the dtype of the indices. None (the default) is int64.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
    """
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: _float = ..., p: _float = ..., eps: _float = ..., swap: _bool = False, reduction: _int = 0) -> Tensor:
    """nn.functional.triplet_margin_loss; reduction: 0 none, 1 mean, 2 sum.

    Args:
        anchor: the anchors, of shape (N, D) or (D,).
        positive: vectors that should be near.
        negative: vectors that should be far.
        margin: the least difference of the distances. Default: 1.0.
        p: the order of the norm. Default: 2.0.
        eps: a small number added to the difference. Default: 1e-06.
        swap: whether the distance of positive and negative is taken where it is smaller. Default: False.
        reduction: 0 for the loss of each sample, 1 for the mean, 2 for the sum. Default: 0.
    """
def triu(input: Tensor, diagonal: _int = 0, *, out: Any = None) -> Tensor:
    """The matrices with zeros below the diagonal number `diagonal`.

    Args:
        input: the input tensor.
        diagonal: which diagonal: 0 is the main one, positive ones are above it and negative ones below it.
            Default: 0.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def triu_(input: Tensor, diagonal: _int = 0) -> Tensor:
    """The matrices with zeros below the diagonal number `diagonal`.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        diagonal: which diagonal: 0 is the main one, positive ones are above it and negative ones below it.
            Default: 0.

    Returns:
        `input` itself.
    """
def triu_indices(row: _int, col: _int, offset: _int = 0, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """(2, n): the row and column numbers of the elements of a row × col matrix on and above the diagonal `offset`.

    Args:
        row: the number of rows of the matrix.
        col: the number of columns of the matrix.
        offset: the diagonal that bounds the triangle: 0 is the main one, positive ones are above it. Default:
            0.
        dtype: the dtype of the indices. None (the default) is int64.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
    """
def true_divide(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input / other in floating point.

    Args:
        input: the input tensor.
        other: the divisor: a tensor or a number; it broadcasts with `input`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def true_divide_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """input / other in floating point.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the divisor: a tensor or a number; it broadcasts with `input`.

    Returns:
        `input` itself.
    """
def trunc(input: Tensor, *, out: Any = None) -> Tensor:
    """Input rounded towards 0; its derivative is 0.

    Same shape and dtype; NotImplementedError for bool and complex.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def trunc_(input: Tensor) -> Tensor:
    """Input rounded towards 0; its derivative is 0.

    Same shape and dtype; NotImplementedError for bool and complex.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def typename(obj: Any) -> _str:
    """The name of a tensor's type, such as "torch.FloatTensor", or the full name of another object's type.

    Args:
        obj: any object.
    """
def unbind(input: Tensor, dim: _int = 0) -> tuple[Tensor, ...]:
    """Views of the slices along dim, with that dim removed.

    Args:
        input: the input tensor.
        dim: the dim to remove. Default: 0.
        axis: NumPy's name for `dim`; give one of the two.
    """
def unbind_copy(input: Tensor, dim: Any = 0, *, out: Any = None) -> Any:
    """unbind, as a copy instead of a view.

    Args:
        input: the input tensor.
        dim: the dim to remove. Default: 0.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def unflatten(input: Tensor, dim: _int, sizes: _Sizes) -> Tensor:
    """The dim `dim` split into several of the given sizes, one of which may be -1.

    Args:
        input: the input tensor.
        dim: the dim to split.
        sizes: the sizes of the new dims; one may be -1.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
    """
def unfold_copy(input: Tensor, dimension: Any, size: Any, step: Any, *, out: Any = None) -> Any:
    """unfold, as a copy instead of a view.

    Args:
        input: the input tensor.
        dimension: the dim to slide along.
        size: the size of each window.
        step: the distance between windows.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def unique(input: Tensor, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None) -> Any:
    """The distinct elements in order (also if not `sorted`), then, if asked for, where each went and how often each is.

    Args:
        input: the input tensor.
        sorted: whether the elements must be in order. They always are here. Default: True.
        return_inverse: whether to also return, for each element, its index among the returned elements.
            Default: False.
        return_counts: whether to also return how often each returned element occurs. Default: False.
        dim: the dim whose slices are compared. None (the default) compares the elements of the flattened
            tensor.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
    """
def unique_consecutive(input: Tensor, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None) -> Any:
    """The first element of every run of equal elements, then, if asked for, where each went and the lengths of the
    runs.

    Args:
        input: the input tensor.
        return_inverse: whether to also return, for each element, its index among the returned elements.
            Default: False.
        return_counts: whether to also return how often each returned element occurs. Default: False.
        dim: the dim whose slices are compared. None (the default) compares the elements of the flattened
            tensor.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
    """
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """The coordinates, one tensor for each dim of `shape`, of positions in a flattened tensor of that shape.

    Integers, else TypeError; ValueError for negative entries of `shape`.

    Args:
        indices: positions in the flattened tensor.
        shape: the shape of that tensor.
    """
def unsafe_chunk(input: Tensor, chunks: Any, dim: Any = 0) -> Any:
    """torch.chunk: what is unsafe in PyTorch, writing to the parts in place, is safe here.

    Args:
        input: the input tensor.
        dim: the dim (an int, negative ones count from the end). Default: 0.
    """
def unsafe_split(input: Tensor, split_size: Any, dim: Any = 0) -> Any:
    """torch.split: what is unsafe in PyTorch, writing to the parts in place, is safe here.

    Args:
        input: the input tensor.
        dim: the dim (an int, negative ones count from the end). Default: 0.
    """
def unsafe_split_with_sizes(input: Tensor, split_sizes: Any, dim: Any = 0) -> Any:
    """torch.split_with_sizes: what is unsafe in PyTorch, writing to the parts in place, is safe here.

    Args:
        input: the input tensor.
        dim: the dim (an int, negative ones count from the end). Default: 0.
    """
def unsqueeze(input: Tensor, dim: _int = ..., *, axis: Any = ...) -> Tensor:
    """A dim of size 1 inserted at `dim`.

    Args:
        input: the input tensor.
        dim: the position of the new dim; required.
        axis: NumPy's name for `dim`; give one of the two.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
    """
def unsqueeze_(input: Tensor, dim: _int) -> Tensor:
    """unsqueeze in place: the tensor itself becomes the view.

    Args:
        input: the input tensor.
        dim: the position of the new dim; required.
    """
def unsqueeze_copy(input: Tensor, dim: Any, *, out: Any = None) -> Any:
    """unsqueeze, as a copy instead of a view.

    Args:
        input: the input tensor.
        dim: the position of the new dim; required.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def use_deterministic_algorithms(mode: _bool, *, warn_only: _bool = False) -> None:
    """Asks for the same bits each time.

    Nothing is padded, and a recording is always run in the same way: by NumPy where compiling would not pay, else by
    a program, which on a GPU is compiled to be deterministic.

    Args:
        mode: whether ops must be deterministic.
        warn_only: whether an op that is not only warns. Default: False.
    """
def values_copy(input: Tensor, *, out: Any = None) -> Any:
    """A copy of `input.values()`; RuntimeError for other layouts.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def vander(x: Tensor, N: _int | None = None, increasing: _bool = False) -> Tensor:
    """The matrix of the powers of a 1-D `x`: its N columns are x^(N-1) … x^0, or the other way if `increasing`.

    Args:
        x: the points, 1-D.
        N: the number of columns. None (the default) is the number of points.
        increasing: whether powers grow from left to right. Default: False.

    Returns:
        a new tensor.
    """
def var(input: Tensor, dim: _int | _Sizes | None = ..., unbiased: _bool = ..., keepdim: _bool = ..., *, correction: Number | None = None, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The variance over `dim`: the sum of squared distances from the mean, divided by max(0, count - correction).

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
            are reduced.
        unbiased: whether the divisor is N - 1 (True, `correction=1`) or N (False, `correction=0`). Give this
            or `correction`.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        correction: what is subtracted from N in the divisor. None (the default) means 1.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def var_mean(input: Tensor, dim: _int | _Sizes | None = ..., unbiased: _bool = ..., keepdim: _bool = ..., *, correction: Number | None = None, axis: Any = ..., keepdims: _bool = ...) -> tuple[Tensor, ...]:
    """(variance, mean) over `dim`.

    Args:
        input: the input tensor.
        dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
            are reduced.
        unbiased: whether the divisor is N - 1 (True, `correction=1`) or N (False, `correction=0`). Give this
            or `correction`.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        correction: what is subtracted from N in the divisor. None (the default) means 1.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.

    Returns:
        the pair of tensors (variance, mean).

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
    """
def vdot(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The inner product of two vectors, the first conjugated.

    Args:
        input: the first vector.
        other: the second vector.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def view_as_complex(input: Tensor) -> Tensor:
    """A real tensor whose last dim has size 2 as a complex one.

    Args:
        input: the input tensor.
    """
def view_as_complex_copy(input: Tensor, *, out: Any = None) -> Any:
    """view_as_complex, as a copy instead of a view.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def view_as_real(input: Tensor) -> Tensor:
    """A complex tensor as a real one with a last dim of size 2: real and imaginary part.

    Args:
        input: the input tensor.
    """
def view_as_real_copy(input: Tensor, *, out: Any = None) -> Any:
    """view_as_real, as a copy instead of a view.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def view_copy(input: Tensor, size: Any = None, dtype: _dtype | None = None, *, out: Any = None) -> Tensor:
    """view, as a copy instead of a view.

    Args:
        input: the input tensor.
        size: the new shape; one size may be -1.
        dtype: the dtype as which the bits are read.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def vsplit(input: Tensor, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
    """torch.vsplit: tensor_split along its dimension. RuntimeError for fewer than 2 dims, and where a number of parts does not divide it.

    Args:
        input: the input tensor.
        indices_or_sections: an int: the number of pieces; a tuple of ints: where to cut. Give one of this,
            `indices` and `sections`.
        indices: where to cut: a tuple of ints. None (the default) if `sections` is given.
        sections: the number of pieces, an int. None (the default) if `indices` is given.
    """
def vstack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """The tensors joined along dim 0, after a 1-d tensor was made a row.

    Args:
        tensors: the tensors: a list or tuple.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def where(condition: Tensor, input: Tensor | Number = ..., other: Tensor | Number = ..., *, out: Any = None) -> Tensor:
    """Elements of `input` where condition holds, else of `other`; with the condition alone, nonzero(as_tuple=True).

    Args:
        condition: a bool tensor.
        input: the values where `condition` is True: a tensor or a number.
        other: the values where `condition` is False: a tensor or a number. Without `input` and `other` the
            result is `nonzero(condition, as_tuple=True)`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def while_loop(cond_fn: Callable, body_fn: Callable, carried_inputs: _Sizes | list) -> Any:
    """carried = body_fn(*carried) while cond_fn(*carried): a loop whose length depends on values, as one op.

    carried_inputs: a tuple of (nested) tensors or ints. body_fn returns as many, of the same shapes and dtypes; cond_fn
    a bool tensor of no dimensions. body_fn may write in place to the tensors that it is given; carried_inputs stay as
    they are. Under vmap each example has its own number of steps. Derivatives of every order and
    mode are taken through it: a reverse pass runs steps again from 32 states that it keeps, instead of keeping all.
    """
def xlogy(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input * log(other), and 0 where input is 0 (unless other is nan).

    Args:
        input: the input tensor.
        other: the argument of the logarithm: a tensor or a number.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def xlogy_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """input * log(other), and 0 where input is 0 (unless other is nan).

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.
        other: the argument of the logarithm: a tensor or a number.

    Returns:
        `input` itself.
    """
def zero(input: Tensor) -> Tensor:
    """Zeros of input's shape and dtype.

    Args:
        input: the input tensor.

    Returns:
        a new tensor.
    """
def zero_(input: Tensor) -> Tensor:
    """Zeros of input's shape and dtype.

    In place: the result is cast to the dtype of the tensor and written into it.

    Args:
        input: the input tensor.

    Returns:
        `input` itself.
    """
def zeros(*sizes: Any, size: Any = None, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: _memory_format | None = ...) -> Tensor:
    """A tensor of zeros.

    Args:
        size: the shape: a tuple of ints, or separate ints.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        dtype: the dtype of the result. None (the default) is the default dtype, float32 unless
            `torch.set_default_dtype` changed it.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        memory_format: the order in which PyTorch would store the dims. It is checked against the number of
            dims; None (the default) checks nothing.
    """
def zeros_like(input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: _memory_format | None = None) -> Tensor:
    """A tensor like `input` in shape, dtype and device: torch.zeros_like.

    Args:
        input: the tensor whose shape is taken.
        dtype: the dtype of the result. None (the default) is that of `input`.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result. None (the default) is that of `input`.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
        memory_format: the order in which PyTorch would store the dims. It is checked against the number of
            dims; None (the default) checks nothing.
    """
