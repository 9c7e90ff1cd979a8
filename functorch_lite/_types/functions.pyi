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
    """Raises RuntimeError if the only element of the tensor is zero."""
def _convert_indices_from_coo_to_csr(input: Tensor, size: _int, *, out_int32: _bool = False) -> Tensor:
    """Counts the sorted row indices, of shape (nnz), that are below each of size + 1 rows: int64 (size + 1), or int32."""
def _convert_indices_from_csr_to_coo(crow_indices: Tensor, col_indices: Tensor, *, out_int32: _bool = False, transpose: _bool = False) -> Tensor:
    """(rows, columns) of the elements of a compressed matrix, of shape (2, nnz), int64 or int32; (columns, rows) with transpose."""
def _grouped_mm(self, mat2: Tensor, offs: Tensor | None = None, bias: Tensor | None = None, out_dtype: _dtype | None = None) -> Tensor:
    """nn.functional.grouped_mm."""
def _sample_dirichlet(self, generator: Generator | None = None) -> Tensor:
    """Numbers of the simplex along the last dim, of the concentrations in self, with implicit gradients."""
def _shape_as_tensor(self) -> Any:
    """The shape, as a tensor of int64."""
def _standard_gamma(self, generator: Generator | None = None) -> Tensor:
    """Gamma numbers of rate 1, of the concentrations in self, with implicit gradients: distributions of others are made of it."""
def abs(input: Tensor, *, out: Any = None) -> Tensor:
    """|input|; of a complex tensor the (real) modulus."""
def abs_(input: Tensor) -> Tensor:
    """abs in place; not of a complex tensor, whose modulus is real."""
def absolute(input: Tensor, *, out: Any = None) -> Tensor:
    """|input|; of a complex tensor the (real) modulus."""
def absolute_(input: Tensor) -> Tensor:
    """abs in place; not of a complex tensor, whose modulus is real."""
def acos(input: Tensor, *, out: Any = None) -> Tensor:
    """The arccosine in radians; nan outside [-1, 1]."""
def acos_(input: Tensor) -> Tensor:
    """The arccosine in radians; nan outside [-1, 1]."""
def acosh(input: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of the hyperbolic cosine; nan below 1."""
def acosh_(input: Tensor) -> Tensor:
    """The inverse of the hyperbolic cosine; nan below 1."""
def adaptive_avg_pool1d(input: Tensor, output_size: _int | _Sizes) -> Tensor:
    """The means of `output_size` windows of the last dim."""
def adaptive_max_pool1d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """(the maxima of `output_size` windows of the last dim, their places there)."""
def add(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1, out: Any = None) -> Tensor:
    """input + alpha * other; for bool, the logical or."""
def add_(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """input + alpha * other; for bool, the logical or."""
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Any = None) -> Tensor:
    """beta * input + alpha * (the sum over the batch of batch1 @ batch2)."""
def addbmm_(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (the sum over the batch of batch1 @ batch2)."""
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1, out: Any = None) -> Tensor:
    """input + value * tensor1 / tensor2; an error when both are tensors of integers."""
def addcdiv_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """input + value * tensor1 / tensor2; an error when both are tensors of integers."""
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1, out: Any = None) -> Tensor:
    """input + value * tensor1 * tensor2."""
def addcmul_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """input + value * tensor1 * tensor2."""
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Any = None) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2)."""
def addmm_(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2)."""
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Any = None) -> Tensor:
    """beta * input + alpha * (mat @ vec)."""
def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (mat @ vec)."""
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Any = None) -> Tensor:
    """beta * input + alpha * (the outer product of two vectors)."""
def addr_(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (the outer product of two vectors)."""
def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of the last two dims."""
def affine_grid_generator(theta: Tensor, size: Any, align_corners: _bool) -> Tensor:
    """nn.functional.affine_grid."""
def alias_copy(input: Tensor, *, out: Any = None) -> Any:
    """alias, as a copy instead of a view."""
def all(input: Tensor, dim: _int | _Sizes | None = None, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """Whether all elements along `dim` are nonzero; bool, or uint8 for uint8."""
def allclose(input: Tensor, other: Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = False) -> _bool:
    """Whether |input - other| <= atol + rtol * |other| for all elements."""
def alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """nn.functional.alpha_dropout, with `train` instead of `training`."""
def alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """nn.functional.alpha_dropout, with `train` instead of `training`, in place."""
def amax(input: Tensor, dim: _int | _Sizes | None = ..., keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The largest element over `dim`; ties share the gradient evenly."""
def amin(input: Tensor, dim: _int | _Sizes | None = ..., keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The smallest element over `dim`; ties share the gradient evenly."""
def aminmax(input: Tensor, *, dim: _int | None = None, keepdim: _bool = False, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> return_types.aminmax:
    """The smallest and the largest element over one dim or all."""
def angle(input: Tensor, *, out: Any = None) -> Tensor:
    """The argument of a complex number, in radians; of a real number 0, or pi where it is negative; nan of nan."""
def any(input: Tensor, dim: _int | _Sizes | None = None, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """Whether any element along `dim` is nonzero; bool, or uint8 for uint8."""
def arange(*given: Any, start: Any = ..., end: Any = ..., step: Any = ..., out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Numbers from start (0) up to but not including end, in steps: arange(end), arange(start, end, step)."""
def arccos(input: Tensor, *, out: Any = None) -> Tensor:
    """The arccosine in radians; nan outside [-1, 1]."""
def arccos_(input: Tensor) -> Tensor:
    """The arccosine in radians; nan outside [-1, 1]."""
def arccosh(input: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of the hyperbolic cosine; nan below 1."""
def arccosh_(input: Tensor) -> Tensor:
    """The inverse of the hyperbolic cosine; nan below 1."""
def arcsin(input: Tensor, *, out: Any = None) -> Tensor:
    """The arcsine in radians; nan outside [-1, 1]."""
def arcsin_(input: Tensor) -> Tensor:
    """The arcsine in radians; nan outside [-1, 1]."""
def arcsinh(input: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of the hyperbolic sine."""
def arcsinh_(input: Tensor) -> Tensor:
    """The inverse of the hyperbolic sine."""
def arctan(input: Tensor, *, out: Any = None) -> Tensor:
    """The arctangent in radians."""
def arctan2(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The angle of the point (other, input), in radians; its derivative at the origin is 0."""
def arctan2_(input: Tensor, other: Tensor) -> Tensor:
    """The angle of the point (other, input), in radians; its derivative at the origin is 0."""
def arctan_(input: Tensor) -> Tensor:
    """The arctangent in radians."""
def arctanh(input: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of the hyperbolic tangent; nan outside [-1, 1]."""
def arctanh_(input: Tensor) -> Tensor:
    """The inverse of the hyperbolic tangent; nan outside [-1, 1]."""
def are_deterministic_algorithms_enabled() -> _bool:
    """Whether `use_deterministic_algorithms` was asked for."""
def argmax(input: Tensor, dim: _int | None = None, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The index of the first largest element along `dim`, or in the flattened tensor."""
def argmin(input: Tensor, dim: _int | None = None, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The index of the first smallest element along `dim`, or in the flattened tensor."""
def argsort(input: Tensor, dim: _int = -1, descending: _bool = False, *, stable: _bool = False, axis: Any = ..., out: Any = None) -> Tensor:
    """The indices that put the elements in order along `dim`."""
def argwhere(input: Tensor) -> Tensor:
    """Indices of the elements that are not zero, shape (n, ndim)."""
def as_strided(input: Tensor, size: _Sizes, stride: _Sizes, storage_offset: _int | None = None) -> Tensor:
    """The view of the elements at `storage_offset + sum(i * stride)` of the storage of `input`."""
def as_strided_(input: Tensor, size: _Sizes, stride: _Sizes, storage_offset: _int | None = None) -> Tensor:
    """as_strided in place: the tensor itself becomes the view."""
def as_strided_copy(input: Tensor, size: Any, stride: Any, storage_offset: Any = None, *, out: Any = None) -> Any:
    """as_strided, as a copy instead of a view."""
def as_strided_scatter(input: Tensor, src: Tensor, size: _Sizes, stride: _Sizes, storage_offset: _int | None = None) -> Tensor:
    """A copy of input with src written through the view `as_strided(size, stride, storage_offset)` of it."""
def as_tensor(data: Any, *, dtype: _dtype | None = None, device: _Device = None) -> Tensor:
    """`data` as a tensor; the tensor itself when it is one with that dtype and device."""
def asarray(obj: Any, *, dtype: _dtype | None = None, device: _Device = None, copy: Any = None, requires_grad: _bool | None = None) -> Tensor:
    """`obj` as a tensor, without a copy where it is one already (copy=True forces one; copy=False raises where one is made)."""
def asin(input: Tensor, *, out: Any = None) -> Tensor:
    """The arcsine in radians; nan outside [-1, 1]."""
def asin_(input: Tensor) -> Tensor:
    """The arcsine in radians; nan outside [-1, 1]."""
def asinh(input: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of the hyperbolic sine."""
def asinh_(input: Tensor) -> Tensor:
    """The inverse of the hyperbolic sine."""
def atan(input: Tensor, *, out: Any = None) -> Tensor:
    """The arctangent in radians."""
def atan2(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The angle of the point (other, input), in radians; its derivative at the origin is 0."""
def atan2_(input: Tensor, other: Tensor) -> Tensor:
    """The angle of the point (other, input), in radians; its derivative at the origin is 0."""
def atan_(input: Tensor) -> Tensor:
    """The arctangent in radians."""
def atanh(input: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of the hyperbolic tangent; nan outside [-1, 1]."""
def atanh_(input: Tensor) -> Tensor:
    """The inverse of the hyperbolic tangent; nan outside [-1, 1]."""
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
    """The mean of each window of the last dim."""
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Any = None) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2), batch by batch."""
def baddbmm_(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2), batch by batch."""
def bartlett_window(window_length: Any, *args: Any, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, **kwargs: Any) -> Tensor:
    """The triangular window 1 - |2i/N - 1|."""
def batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, training: _bool, momentum: _float, eps: _float, cudnn_enabled: _bool) -> Tensor:
    """nn.functional.batch_norm, with its arguments in another order."""
def bernoulli(input: Tensor, p: _float = ..., *, generator: Generator | None = None, out: Any = None) -> Tensor:
    """0 or 1 with the probabilities in input, or all with probability p; with gradients of zero."""
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """out[..., o] = sum over i, j of input1[..., i] * weight[o, i, j] * input2[..., j], plus bias[o]."""
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None, reduction: _int = 0) -> Tensor:
    """nn.functional.binary_cross_entropy_with_logits, of an input that may be broadcast; reduction: 0 none, 1 mean, 2 sum."""
def bincount(input: Tensor, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
    """How often each integer from 0 to the largest occurs in the 1-D `input`, or the sum of its weights."""
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """Binomial numbers: successes in `count` trials of probability `prob`."""
def bitwise_and(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """The bits set in both; integers and bool only."""
def bitwise_and_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """The bits set in both; integers and bool only."""
def bitwise_left_shift(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input * 2 ** other in integers; 0 where `other` is negative or not less than the dtype's width."""
def bitwise_left_shift_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """input * 2 ** other in integers; 0 where `other` is negative or not less than the dtype's width."""
def bitwise_not(input: Tensor, *, out: Any = None) -> Tensor:
    """All bits flipped; the logical not of bool."""
def bitwise_not_(input: Tensor) -> Tensor:
    """All bits flipped; the logical not of bool."""
def bitwise_or(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """The bits set in either; integers and bool only."""
def bitwise_or_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """The bits set in either; integers and bool only."""
def bitwise_right_shift(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """floor(input / 2 ** other) in integers; a negative `other` counts as the dtype's width."""
def bitwise_right_shift_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """floor(input / 2 ** other) in integers; a negative `other` counts as the dtype's width."""
def bitwise_xor(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """The bits set in exactly one; integers and bool only."""
def bitwise_xor_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """The bits set in exactly one; integers and bool only."""
def blackman_window(window_length: Any, *args: Any, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, **kwargs: Any) -> Tensor:
    """The window 0.42 - 0.5 cos(2πi/N) + 0.08 cos(4πi/N)."""
def block_diag(tensors: Sequence[Tensor]) -> Tensor:
    """A matrix with the given matrices on its diagonal and zeros elsewhere; a vector counts as a row."""
def bmm(input: Tensor, mat2: Tensor, *, out: Any = None) -> Tensor:
    """The products of two batches of matrices: (b, n, m) times (b, m, p) is (b, n, p)."""
def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that shapes broadcast to."""
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """All tensors expanded to their common shape."""
def broadcast_to(input: Tensor, size: _Sizes) -> Tensor:
    """`input` broadcast to `size`; -1 keeps a size."""
def bucketize(input: Tensor | Number, boundaries: Tensor, *, out_int32: _bool = False, right: _bool = False, out: Any = None) -> Tensor:
    """The index of the bucket between 1-D sorted `boundaries` that each value of `input` falls into; of a number not into `out=`."""
def can_cast(from_: _dtype, to: _dtype) -> _bool:
    """Whether a result of dtype `from_` may be written into a tensor of dtype `to`."""
def cartesian_prod(*tensors: Any) -> Tensor:
    """Rows of all combinations of the elements of 1-d tensors."""
def cat(tensors: Sequence[Tensor], dim: _int = 0, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The tensors joined along `dim`, in their common dtype; empty 1-d tensors are skipped, as torch does."""
def ccol_indices_copy(input: Tensor, *, out: Any = None) -> Any:
    """A copy of `input.ccol_indices()`; RuntimeError for other layouts."""
def cdist(x1: Tensor, x2: Tensor, p: Any = ..., compute_mode: Any = 'use_mm_for_euclid_dist_if_necessary') -> Tensor:
    """The distances of order `p` of every row of x1 (.., P, M) from every row of x2 (.., R, M), as (.., P, R)."""
def ceil(input: Tensor, *, out: Any = None) -> Tensor:
    """The smallest integer not below input; its derivative is 0."""
def ceil_(input: Tensor) -> Tensor:
    """The smallest integer not below input; its derivative is 0."""
def celu(input: Tensor, alpha: _float = ...) -> Tensor:
    """nn.functional.celu."""
def celu_(input: Tensor, alpha: Number = ...) -> Tensor:
    """input where it is positive, alpha * (exp(input / alpha) - 1) elsewhere."""
def chain_matmul(*matrices: Any, out: Any = None) -> Tensor:
    """The product of a chain of matrices in the cheapest order."""
def channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """Interleaves `groups` groups of channels (dim 1) (Zhang et al."""
def cholesky(input: Tensor, upper: _bool = False, *, out: Any = None) -> Tensor:
    """The lower (or upper) triangular Cholesky factor; LinAlgError for a matrix that is not positive definite."""
def cholesky_inverse(input: Tensor, upper: _bool = False, *, out: Any = None) -> Tensor:
    """The inverse of A, of which `input` is the lower (or upper) Cholesky factor; LinAlgError for a zero on its diagonal."""
def cholesky_solve(input: Tensor, input2: Tensor, upper: _bool = False, *, out: Any = None) -> Tensor:
    """The solution X of A @ X = input, where input2 is the lower (or upper) Cholesky factor of A."""
def chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of equal size along dim (the last may be smaller)."""
def clamp(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None, *, out: Any = None) -> Tensor:
    """Input limited to [min, max]; max wins where min > max; nan where a bound is nan."""
def clamp_(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """Input limited to [min, max]; max wins where min > max; nan where a bound is nan."""
def clamp_max(input: Tensor, max: Tensor | Number, *, out: Any = None) -> Tensor:
    """Input, or `max` where that is less."""
def clamp_max_(input: Tensor, max: Tensor | Number) -> Tensor:
    """Input, or `max` where that is less."""
def clamp_min(input: Tensor, min: Tensor | Number, *, out: Any = None) -> Tensor:
    """Input, or `min` where that is greater."""
def clamp_min_(input: Tensor, min: Tensor | Number) -> Tensor:
    """Input, or `min` where that is greater."""
def clear_autocast_cache() -> None:
    """Does nothing: there is no cache to clear, since a program computes equal casts once."""
def clip(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None, *, out: Any = None) -> Tensor:
    """Input limited to [min, max]; max wins where min > max; nan where a bound is nan."""
def clip_(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """Input limited to [min, max]; max wins where min > max; nan where a bound is nan."""
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy of the tensor, through which derivatives flow; there are no memory formats to keep."""
def col_indices_copy(input: Tensor, *, out: Any = None) -> Any:
    """A copy of `input.col_indices()`; RuntimeError for other layouts."""
def column_stack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """The tensors joined along dim 1, after a 1-d tensor was made a column."""
def combinations(input: Tensor, r: _int = 2, with_replacement: _bool = False) -> Tensor:
    """All combinations of r elements of a vector, one in a row, as itertools gives them."""
def complex(real: Tensor, imag: Tensor, *, out: Any = None) -> Tensor:
    """The complex tensor with these real and imaginary parts, float32 or float64."""
def concat(tensors: Sequence[Tensor], dim: _int = 0, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The tensors joined along `dim`, in their common dtype; empty 1-d tensors are skipped, as torch does."""
def concatenate(tensors: Sequence[Tensor], dim: _int = 0, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The tensors joined along `dim`, in their common dtype; empty 1-d tensors are skipped, as torch does."""
def cond(pred: _bool | _int | _float | Tensor, true_fn: Callable, false_fn: Callable, operands: _Sizes | list = ...) -> Any:
    """true_fn(*operands) if pred, else false_fn(*operands): the choice is part of the program, so pred may be batched or traced."""
def conj(input: Tensor) -> Tensor:
    """The complex conjugate, as a view: what is written to it is conjugated and written to `input`."""
def conj_physical(input: Tensor, *, out: Any = None) -> Tensor:
    """The complex conjugate; a real tensor is returned as it is."""
def conj_physical_(input: Tensor) -> Tensor:
    """The complex conjugate; a real tensor is returned as it is."""
def constant_pad_nd(input: Tensor, pad: _Sizes, value: Number = 0) -> Tensor:
    """`value` added around the tensor: `pad` gives (before, after) from the last dim backwards; negative sizes cut."""
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
def convolution(input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, transposed: _bool, output_padding: Any, groups: _int) -> Tensor:
    """The (transposed) convolution of as many dims as input has after the first two."""
def copysign(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """|input| with the sign of `other` (of its sign bit: -0.0 counts as negative)."""
def copysign_(input: Tensor, other: Tensor | Number) -> Tensor:
    """|input| with the sign of `other` (of its sign bit: -0.0 counts as negative)."""
def corrcoef(input: Tensor) -> Tensor:
    """The correlation coefficients of variables (rows): their covariances over the product of their standard deviations."""
def cos(input: Tensor, *, out: Any = None) -> Tensor:
    """The cosine of an angle in radians."""
def cos_(input: Tensor) -> Tensor:
    """The cosine of an angle in radians."""
def cosh(input: Tensor, *, out: Any = None) -> Tensor:
    """The hyperbolic cosine."""
def cosh_(input: Tensor) -> Tensor:
    """The hyperbolic cosine."""
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: _float = ..., reduction: _int = 0) -> Tensor:
    """nn.functional.cosine_embedding_loss; reduction: 0 none, 1 mean, 2 sum."""
def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = 1, eps: _float = ...) -> Tensor:
    """The cosine of the angle between x1 and x2 along dim; norms below eps count as eps."""
def count_nonzero(input: Tensor, dim: _int | _Sizes | None = None, *, axis: Any = ...) -> Tensor:
    """How many elements along `dim` are nonzero (nan is)."""
def cov(input: Tensor, *, correction: _int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
    """The covariance matrix of variables (rows) from observations (columns); a vector is one variable."""
def cross(input: Tensor, other: Tensor, dim: _int | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The cross product of vectors of size 3 along `dim`, by default the first dim of that size."""
def crow_indices_copy(input: Tensor, *, out: Any = None) -> Any:
    """A copy of `input.crow_indices()`; RuntimeError for other layouts."""
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: _int = 0, reduction: _int = 0, zero_infinity: _bool = False) -> Tensor:
    """nn.functional.ctc_loss; reduction: 0 none, 1 mean, 2 sum."""
def cummax(input: Tensor, dim: _int = ..., *, axis: Any = ..., out: Any = None) -> return_types.cummax:
    """(values, indices) of the largest element so far along `dim`; the gradient goes to the element selected."""
def cummin(input: Tensor, dim: _int = ..., *, axis: Any = ..., out: Any = None) -> return_types.cummin:
    """(values, indices) of the smallest element so far along `dim`; the gradient goes to the element selected."""
def cumprod(input: Tensor, dim: _int = ..., *, dtype: _dtype | None = None, axis: Any = ..., out: Any = None) -> Tensor:
    """The running product along `dim`; its gradient is right where elements are zero."""
def cumprod_(input: Tensor, dim: _int = ..., *, dtype: _dtype | None = None, axis: Any = ...) -> Tensor:
    """The running product along `dim`; its gradient is right where elements are zero."""
def cumsum(input: Tensor, dim: _int = ..., *, dtype: _dtype | None = None, axis: Any = ..., out: Any = None) -> Tensor:
    """The running sum along `dim`; bool and integers give int64 unless `dtype` is given."""
def cumsum_(input: Tensor, dim: _int = ..., *, dtype: _dtype | None = None, axis: Any = ...) -> Tensor:
    """The running sum along `dim`; bool and integers give int64 unless `dtype` is given."""
def cumulative_trapezoid(y: Tensor, x: Any = ..., *, dx: Any = ..., dim: _int = -1) -> Tensor:
    """The running integral of `y` along `dim` by the trapezoid rule; one element shorter than `y`."""
def deg2rad(input: Tensor, *, out: Any = None) -> Tensor:
    """Degrees as radians."""
def deg2rad_(input: Tensor) -> Tensor:
    """Degrees as radians."""
def dequantize(input: Any) -> Any:
    """The numbers of a quantized tensor, or of each of a list, as float32."""
def det(input: Tensor) -> Tensor:
    """The determinant of square matrices."""
def detach(input: Tensor) -> Tensor:
    """input.detach()."""
def detach_(input: Tensor) -> Tensor:
    """`input.detach_()`."""
def detach_copy(input: Tensor, *, out: Any = None) -> Tensor:
    """detach, as a copy instead of a view."""
def diag(input: Tensor, diagonal: _int = 0, *, out: Any = None) -> Tensor:
    """The diagonal of a matrix, or the matrix with a 1-D tensor on its diagonal."""
def diag_embed(input: Tensor, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
    """Matrices over the dims `dim1` and `dim2` of the result, whose diagonal `offset` is the last dim of `input`."""
def diagflat(input: Tensor, offset: _int = 0) -> Tensor:
    """The matrix with the elements of `input` on its diagonal `offset`."""
def diagonal(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
    """The diagonal of the matrices in dims `dim1` and `dim2`, as the last dim of the result."""
def diagonal_copy(input: Tensor, offset: Any = 0, dim1: Any = 0, dim2: Any = 1, *, out: Any = None) -> Tensor:
    """diagonal, as a copy instead of a view."""
def diagonal_scatter(input: Tensor, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
    """`input` with a diagonal replaced by `src`."""
def diff(input: Tensor, n: _int = 1, dim: _int = -1, prepend: Tensor | None = None, append: Tensor | None = None, *, out: Any = None) -> Tensor:
    """The n-th difference of neighbours along `dim`, after joining `prepend` and `append`; bool differs by exclusive or."""
def digamma(input: Tensor, *, out: Any = None) -> Tensor:
    """The derivative of `lgamma`; nan at negative whole numbers, infinite at 0."""
def digamma_(input: Tensor) -> Tensor:
    """The derivative of `lgamma`; nan at negative whole numbers, infinite at 0."""
def dist(input: Tensor, other: Tensor, p: Any = 2) -> Tensor:
    """The norm of order `p` of input - other."""
def div(input: Tensor | Number, other: Tensor | Number, *, rounding_mode: _str | None = None, out: Any = None) -> Tensor:
    """input / other: in floating point, or rounded "trunc" (towards 0) or "floor" with the dtype kept."""
def div_(input: Tensor | Number, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
    """input / other: in floating point, or rounded "trunc" (towards 0) or "floor" with the dtype kept."""
def divide(input: Tensor | Number, other: Tensor | Number, *, rounding_mode: _str | None = None, out: Any = None) -> Tensor:
    """input / other: in floating point, or rounded "trunc" (towards 0) or "floor" with the dtype kept."""
def divide_(input: Tensor | Number, other: Tensor | Number, *, rounding_mode: _str | None = None) -> Tensor:
    """input / other: in floating point, or rounded "trunc" (towards 0) or "floor" with the dtype kept."""
def dot(input: Tensor, tensor: Tensor, *, out: Any = None) -> Tensor:
    """The inner product of two vectors, without conjugation."""
def dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """nn.functional.dropout, with `train` instead of `training`."""
def dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """nn.functional.dropout, with `train` instead of `training`, in place."""
def dsmm(input: Any, mat2: Any) -> Any:
    """torch.mm, under an older name."""
def dsplit(input: Tensor, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
    """torch.dsplit: tensor_split along its dimension."""
def dstack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """The tensors joined along dim 2, after each was given at least three dims."""
def eig(*args: Any, **kwargs: Any) -> Any:
    """Removed from PyTorch, raises RuntimeError: use torch.linalg (eig)."""
def einsum(*args: Any) -> Tensor:
    """The sum of products that an equation describes: einsum("ij,jk->ik", a, b); the tensors may be given as one list."""
def embedding(weight: Tensor, indices: Tensor, padding_idx: _int = -1, scale_grad_by_freq: _bool = False, sparse: _bool = False) -> Tensor:
    """nn.functional.embedding, with the weight first; padding_idx=-1 means none."""
def embedding_bag(weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: _bool = False, mode: _int = 0, sparse: _bool = False, per_sample_weights: Tensor | None = None, include_last_offset: _bool = False, padding_idx: _int | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """nn.functional.embedding_bag with the weight first and mode 0, 1, 2 for "sum", "mean", "max"; with PyTorch's tables for its derivative: (bags, the bag of each index, the sizes of the bags, the rows of weight that the maxima come from)."""
def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: _float, norm_type: _float = ...) -> Tensor:
    """Scales the rows of `input` (number, features) that indices name, in place, to a norm of at most max_norm."""
def empty(*sizes: Any, size: Any = None, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: _memory_format | None = ...) -> Tensor:
    """A tensor whose contents torch leaves open; here they are zeros."""
def empty_like(input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: _memory_format | None = None) -> Tensor:
    """A tensor like `input` in shape, dtype and device: torch.empty_like."""
def empty_permuted(size: Any, physical_layout: Any, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, requires_grad: _bool = False, pin_memory: _bool = False) -> Tensor:
    """A tensor of zeros whose dims lie in memory in the order `physical_layout`, outermost first."""
def empty_strided(size: _Sizes, stride: _Sizes, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, requires_grad: _bool = False, pin_memory: _bool = False) -> Tensor:
    """A tensor of zeros with these strides (a view by strides of contiguous storage)."""
def eq(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input == other, as a bool tensor."""
def eq_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input == other, as a bool tensor."""
def equal(input: Tensor, other: Tensor) -> _bool:
    """Whether shapes and all elements are equal."""
def erf(input: Tensor, *, out: Any = None) -> Tensor:
    """The error function."""
def erf_(input: Tensor) -> Tensor:
    """The error function."""
def erfc(input: Tensor, *, out: Any = None) -> Tensor:
    """1 - erf(input), accurate where erf is close to 1."""
def erfc_(input: Tensor) -> Tensor:
    """1 - erf(input), accurate where erf is close to 1."""
def erfinv(input: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of `erf` on (-1, 1); infinite at the ends, nan outside."""
def erfinv_(input: Tensor) -> Tensor:
    """The inverse of `erf` on (-1, 1); infinite at the ends, nan outside."""
def exp(input: Tensor, *, out: Any = None) -> Tensor:
    """e ** input."""
def exp2(input: Tensor, *, out: Any = None) -> Tensor:
    """2 ** input, exact for whole numbers."""
def exp2_(input: Tensor) -> Tensor:
    """2 ** input, exact for whole numbers."""
def exp_(input: Tensor) -> Tensor:
    """e ** input."""
def expand_copy(input: Tensor, size: Any, *, out: Any = None) -> Tensor:
    """expand, as a copy instead of a view."""
def expm1(input: Tensor, *, out: Any = None) -> Tensor:
    """exp(input) - 1, accurate near 0."""
def expm1_(input: Tensor) -> Tensor:
    """exp(input) - 1, accurate near 0."""
def eye(n: _int, m: Any = ..., *, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Ones on the diagonal, zeros elsewhere: shape (n, m or n)."""
def fake_quantize_per_channel_affine(input: Tensor, scale: Tensor, zero_point: Tensor, axis: _int, quant_min: _int, quant_max: _int) -> Tensor:
    """The same with a scale and a zero point for each index along an axis."""
def fake_quantize_per_tensor_affine(input: Tensor, scale: Any, zero_point: Any, quant_min: _int, quant_max: _int) -> Tensor:
    """Rounds floats as quantizing and dequantizing would."""
def feature_alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """nn.functional.feature_alpha_dropout, with `train` instead of `training`."""
def feature_alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """nn.functional.feature_alpha_dropout, with `train` instead of `training`, in place."""
def feature_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """Zeroes whole channels (indices of dims 0 and 1) with probability p, and scales what is left, when training."""
def feature_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """feature_dropout in place."""
def fill(input: Tensor, value: Tensor | Number) -> Tensor:
    """A tensor of input's shape and dtype filled with `value`."""
def fill_(input: Tensor, value: Tensor | Number) -> Tensor:
    """A tensor of input's shape and dtype filled with `value`."""
def fix(input: Tensor, *, out: Any = None) -> Tensor:
    """Input rounded towards 0; its derivative is 0."""
def fix_(input: Tensor) -> Tensor:
    """Input rounded towards 0; its derivative is 0."""
def flatten(input: Tensor, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
    """The dims from start_dim to end_dim as one: a view if possible, else a copy."""
def flip(input: Tensor, dims: _Sizes) -> Tensor:
    """The order of the elements reversed along `dims`."""
def fliplr(input: Tensor) -> Tensor:
    """The order reversed along dim 1."""
def flipud(input: Tensor) -> Tensor:
    """The order reversed along dim 0."""
def float_power(input: Tensor | Number, exponent: Tensor | Number, *, out: Any = None) -> Tensor:
    """input ** exponent in float64, or complex128 when either is complex; `out=` has that dtype."""
def floor(input: Tensor, *, out: Any = None) -> Tensor:
    """The largest integer not above input; its derivative is 0."""
def floor_(input: Tensor) -> Tensor:
    """The largest integer not above input; its derivative is 0."""
def floor_divide(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """floor(input / other) with the dtype kept; its derivative is 0 (torch has none and raises)."""
def floor_divide_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """floor(input / other) with the dtype kept; its derivative is 0 (torch has none and raises)."""
def fmax(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The greater of the two, ignoring nan."""
def fmin(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The smaller of the two, ignoring nan."""
def fmod(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input - other * trunc(input / other): the remainder with the sign of `input`."""
def fmod_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input - other * trunc(input / other): the remainder with the sign of `input`."""
def frac(input: Tensor, *, out: Any = None) -> Tensor:
    """input - trunc(input): the part behind the point, with the sign of input; its derivative is 1."""
def frac_(input: Tensor) -> Tensor:
    """input - trunc(input): the part behind the point, with the sign of input; its derivative is 1."""
def frexp(input: Tensor, *, out: Any = None) -> return_types.frexp:
    """Mantissa in [0.5, 1) and int32 exponent with input == mantissa * 2 ** exponent; exponent 0 for 0, inf and nan."""
def frobenius_norm(input: Tensor, dim: Any, keepdim: _bool = False, *, out: Any = None) -> Tensor:
    """The square root of the sum of squares over `dim` (one or two dims, or () for all)."""
def from_dlpack(ext_tensor: Any, *, device: _Device = None, copy: _bool | None = None) -> Tensor:
    """A tensor with the values of an object that speaks DLPack (jax, numpy, torch, cupy)."""
def from_file(filename: Any, shared: _bool | None = None, size: _int = 0, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False) -> Tensor:
    """A 1-d tensor of the first `size` elements of a file."""
def from_numpy(ndarray: Any) -> Tensor:
    """A tensor with the values of a numpy array."""
def frombuffer(buffer: Any, *, dtype: _dtype, count: _int = -1, offset: _int = 0, requires_grad: _bool = False) -> Tensor:
    """A 1-d tensor of the bytes of a buffer."""
def full(size: Any, fill_value: Number | Tensor, *, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """A tensor of `size` filled with a number; its dtype follows the number."""
def full_like(input: Tensor, fill_value: Number | Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: _memory_format | None = None) -> Tensor:
    """A tensor of input's shape filled with a number."""
def gather(input: Tensor, dim: _int, index: Tensor, *, sparse_grad: _bool = False, out: Any = None) -> Tensor:
    """result[i][j] = input[index[i][j]][j] for dim 0, and so on; the result has the shape of `index`."""
def gcd(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The greatest common divisor, not negative but beside the smallest number there is; gcd(0, 0) is 0."""
def gcd_(input: Tensor, other: Tensor) -> Tensor:
    """The greatest common divisor, not negative but beside the smallest number there is; gcd(0, 0) is 0."""
def ge(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input >= other, as a bool tensor."""
def ge_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input >= other, as a bool tensor."""
def geqrf(input: Tensor, *, out: Any = None) -> return_types.geqrf:
    """QR in LAPACK's form: R on and above the diagonal, Householder vectors below it, and their factors; no derivative."""
def ger(input: Tensor, vec2: Tensor, *, out: Any = None) -> Tensor:
    """All products of an element of one vector with an element of another (another name of `outer`)."""
def get_autocast_cpu_dtype() -> _dtype:
    """Deprecated: get_autocast_dtype("cpu")."""
def get_autocast_dtype(device_type: _str) -> _dtype:
    """The dtype that autocast casts to on this kind of device."""
def get_autocast_gpu_dtype() -> _dtype:
    """Deprecated: get_autocast_dtype("cuda")."""
def get_default_dtype() -> _dtype:
    """The dtype of floating point tensors made of Python numbers."""
def get_deterministic_debug_mode() -> _int:
    """0, 1 or 2: see `set_deterministic_debug_mode`."""
def get_device(input: Tensor) -> _int:
    """The number of the tensor's device; -1 for a CPU."""
def get_device_module(device: Any = None) -> Any:
    """torch.cpu or torch.cuda: the module of a device; None means that of the GPU if there is one, else the CPU's."""
def get_float32_matmul_precision() -> _str:
    """How float32 matrix products are computed: 'highest', 'high' or 'medium'."""
def get_num_interop_threads() -> _int:
    """The same number: XLA has one pool."""
def get_num_threads() -> _int:
    """How many threads XLA computes with on the CPU: as many as `set_num_threads` or NPROC in the environment said before it started, else one for each core that this process may use."""
def get_rng_state() -> Any:
    """The default generator's state, a uint8 tensor."""
def gradient(input: Tensor, *, spacing: Any = 1, dim: _int | _Sizes | None = None, edge_order: _int = 1) -> tuple[Tensor, ...]:
    """The derivatives, along each dim, of a function of which `input` holds samples: one tensor for each dim."""
def greater(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input > other, as a bool tensor."""
def greater_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input > other, as a bool tensor."""
def greater_equal(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input >= other, as a bool tensor."""
def greater_equal_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input >= other, as a bool tensor."""
def grid_sampler(input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool) -> Tensor:
    """nn.functional.grid_sample, with its modes as numbers."""
def grid_sampler_2d(input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool) -> Tensor:
    """nn.functional.grid_sample, with its modes as numbers."""
def grid_sampler_3d(input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool) -> Tensor:
    """nn.functional.grid_sample, with its modes as numbers."""
def group_norm(input: Tensor, num_groups: _int, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = ..., cudnn_enabled: _bool = True) -> Tensor:
    """nn.functional.group_norm; `cudnn_enabled` chooses a kernel in PyTorch, and there is one here."""
def gru(*args: Any, **kwargs: Any) -> Any:
    """torch.gru(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), or (data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional) over packed rows."""
def gru_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """torch.gru_cell: one step on (N, input) and (N, hidden): h' (N, hidden)."""
def gt(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input > other, as a bool tensor."""
def gt_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input > other, as a bool tensor."""
def hamming_window(window_length: Any, *args: Any, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, **kwargs: Any) -> Tensor:
    """The window alpha - beta cos(2πi/N)."""
def hann_window(window_length: Any, *args: Any, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, **kwargs: Any) -> Tensor:
    """The window 0.5 - 0.5 cos(2πi/N)."""
def hardshrink(input: Tensor, lambd: Number = ..., *, out: Any = None) -> Tensor:
    """0 where |input| <= lambd, input elsewhere."""
def hash_tensor(input: Tensor, dim: _int | _Sizes | None = ..., *, keepdim: _bool = False, mode: _int = 0, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """A checksum over `dim` as uint64: the exclusive or of the elements' bits, as int64 or float64."""
def heaviside(input: Tensor, values: Tensor, *, out: Any = None) -> Tensor:
    """0 where input < 0 or is nan, 1 where input > 0, and `values` where it is 0."""
def heaviside_(input: Tensor, values: Tensor) -> Tensor:
    """0 where input < 0 or is nan, 1 where input > 0, and `values` where it is 0."""
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: _float = ..., reduction: _int = 0) -> Tensor:
    """nn.functional.hinge_embedding_loss; reduction: 0 none, 1 mean, 2 sum."""
def histc(input: Tensor, bins: _int = 100, min: Number = 0, max: Number = 0, *, out: Any = None) -> Tensor:
    """How many elements fall into each of `bins` equal bins from `min` to `max` (of the data, when those are equal)."""
def histogram(input: Tensor, bins: Any = 100, *, range: tuple[_float, ...] | None = None, weight: Tensor | None = None, density: _bool = False, out: Any = None) -> return_types.histogram:
    """(counts, edges) of all elements of input in bins: a number of bins of equal width, or the edges of bins."""
def histogramdd(input: Tensor, bins: Any, range: Any = None, weight: Any = None, density: _bool = False) -> return_types.histogramdd:
    """(counts, edges) of points input[..., :] in boxes; bins: numbers of bins, or tensors of edges, one for each coordinate."""
def hsplit(input: Tensor, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
    """torch.hsplit: tensor_split along its dimension."""
def hstack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """The tensors joined along dim 1, or along dim 0 when they are 1-d."""
def hypot(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """sqrt(input^2 + other^2) without overflow; its derivative at the origin is nan, as in torch."""
def hypot_(input: Tensor, other: Tensor) -> Tensor:
    """sqrt(input^2 + other^2) without overflow; its derivative at the origin is nan, as in torch."""
def i0(input: Tensor, *, out: Any = None) -> Tensor:
    """The modified Bessel function of the first kind of order 0."""
def i0_(input: Tensor) -> Tensor:
    """The modified Bessel function of the first kind of order 0."""
def igamma(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The regularized lower incomplete gamma function P(input, other), for nonnegative arguments."""
def igamma_(input: Tensor, other: Tensor) -> Tensor:
    """The regularized lower incomplete gamma function P(input, other), for nonnegative arguments."""
def igammac(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The regularized upper incomplete gamma function Q(input, other) = 1 - igamma(input, other)."""
def igammac_(input: Tensor, other: Tensor) -> Tensor:
    """The regularized upper incomplete gamma function Q(input, other) = 1 - igamma(input, other)."""
def imag(input: Tensor) -> Tensor:
    """The imaginary part, as a view; an error for a real tensor."""
def index_add(input: Tensor, dim: _int, index: Tensor, source: Tensor, *, alpha: Number = 1, out: Any = None) -> Tensor:
    """`input` with alpha times the slices of `source` added to the slices that `index` names."""
def index_add_(input: Tensor, dim: _int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
    """`input` with alpha times the slices of `source` added to the slices that `index` names."""
def index_copy(input: Tensor, dim: _int, index: Tensor, source: Tensor, *, out: Any = None) -> Tensor:
    """`input` with the slices that `index` names replaced by those of `source`."""
def index_copy_(input: Tensor, dim: _int, index: Tensor, source: Tensor) -> Tensor:
    """`input` with the slices that `index` names replaced by those of `source`."""
def index_fill(input: Tensor, dim: _int, index: Tensor, value: Tensor | Number) -> Tensor:
    """`input` with the slices that `index` names filled with `value`, a number or a 0-d tensor."""
def index_fill_(input: Tensor, dim: _int, index: Tensor, value: Tensor | Number) -> Tensor:
    """`input` with the slices that `index` names filled with `value`, a number or a 0-d tensor."""
def index_put(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: _bool = False) -> Tensor:
    """A copy of input with values written (or added) at the indices."""
def index_put_(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: _bool = False) -> Tensor:
    """input[indices] = values, or += with accumulate=True (where an index repeats, all its values are added)."""
def index_reduce(input: Tensor, dim: _int, index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True, out: Any = None) -> Tensor:
    """The slices of `source` combined with the slices of `input` that `index` names: "prod", "mean", "amax" or "amin"."""
def index_reduce_(input: Tensor, dim: _int, index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
    """The slices of `source` combined with the slices of `input` that `index` names: "prod", "mean", "amax" or "amin"."""
def index_select(input: Tensor, dim: _int, index: Tensor, *, out: Any = None) -> Tensor:
    """The slices along `dim` that the vector `index` names."""
def indices_copy(input: Tensor, *, out: Any = None) -> Any:
    """A copy of `input.indices()`; RuntimeError for other layouts."""
def initial_seed() -> _int:
    """The default generator's seed."""
def inner(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The products of all rows (last dims) of `input` with all rows of `other`; a 0-d factor just multiplies."""
def instance_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, use_input_stats: _bool, momentum: _float, eps: _float, cudnn_enabled: _bool) -> Tensor:
    """nn.functional.instance_norm, with its arguments in another order."""
def int_repr(input: Any) -> Tensor:
    """The integers of a quantized tensor."""
def inverse(input: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of square matrices; LinAlgError for a singular one."""
def is_anomaly_check_nan_enabled() -> _bool:
    """Whether anomaly mode, when on, looks for nan."""
def is_anomaly_enabled() -> _bool:
    """Whether anomaly mode is on."""
def is_autocast_cache_enabled() -> _bool:
    """Whether casts of parameters may be kept; a program computes equal casts once in any case."""
def is_autocast_cpu_enabled() -> _bool:
    """Deprecated: is_autocast_enabled("cpu")."""
def is_autocast_enabled(device_type: _str = 'cuda') -> _bool:
    """Whether autocast is enabled in this thread for this kind of device."""
def is_complex(input: Tensor) -> _bool:
    """Whether the dtype is a complex dtype."""
def is_conj(input: Tensor) -> _bool:
    """Whether the tensor is the conjugate of what its storage holds: a view that `conj` gave, or a view of it."""
def is_deterministic_algorithms_warn_only_enabled() -> _bool:
    """Whether it was asked for with warn_only."""
def is_distributed(self) -> _bool:
    """False, as in PyTorch."""
def is_floating_point(input: Tensor) -> _bool:
    """Whether the dtype is a floating point dtype."""
def is_grad_enabled() -> _bool:
    """Whether ops are taped now."""
def is_inference_mode_enabled() -> _bool:
    """Whether inference_mode is on."""
def is_neg(input: Tensor) -> _bool:
    """Whether the tensor is the negative of what its storage holds, as the imaginary part of a conjugate is."""
def is_nonzero(input: Tensor) -> _bool:
    """Whether a tensor of one element is not zero."""
def is_same_size(input: Tensor, other: Tensor) -> _bool:
    """Whether the shapes are equal."""
def is_signed(input: Tensor) -> _bool:
    """Whether the tensor's dtype has negative numbers."""
def is_storage(obj: Any) -> _bool:
    """Whether obj is a storage."""
def is_tensor(obj: Any) -> _bool:
    """Whether obj is a Tensor."""
def is_warn_always_enabled() -> _bool:
    """Whether `set_warn_always(True)` is on."""
def isclose(input: Tensor, other: Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = False) -> Tensor:
    """|input - other| <= atol + rtol * |other|, elementwise; infinities are close only to themselves."""
def isfinite(input: Tensor) -> Tensor:
    """Whether a number (with both its parts) is neither infinite nor nan."""
def isin(*args: Any, assume_unique: _bool = False, invert: _bool = False, out: Any = None, **named: Any) -> Tensor:
    """isin(elements, test_elements): whether each of `elements` is among `test_elements` (or, with invert, is not)."""
def isinf(input: Tensor) -> Tensor:
    """Whether a number (or a part of a complex one) is infinite."""
def isnan(input: Tensor) -> Tensor:
    """Whether a number (or a part of a complex one) is nan."""
def isneginf(input: Tensor, *, out: Any = None) -> Tensor:
    """Whether a number is negative infinity."""
def isposinf(input: Tensor, *, out: Any = None) -> Tensor:
    """Whether a number is positive infinity."""
def isreal(input: Tensor) -> Tensor:
    """Whether the imaginary part is 0."""
def istft(input: Tensor, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Tensor | None = None, center: _bool = True, normalized: _bool = False, onesided: _bool | None = None, length: _int | None = None, return_complex: _bool = False) -> Tensor:
    """The signal whose `stft` is input, in the sense of least squares where frames contradict each other."""
def kaiser_window(window_length: Any, *args: Any, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, **kwargs: Any) -> Tensor:
    """The window I0(beta sqrt(1 - (2i/N - 1)²)) / I0(beta), with the modified Bessel function I0."""
def kl_div(input: Tensor, target: Tensor, reduction: _int = 0, *, log_target: _bool = False) -> Tensor:
    """nn.functional.kl_div without its advice; reduction: 0 none, 1 mean, 2 sum."""
def kron(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The Kronecker product: every element of `input` times the whole of `other`, which first get as many dims as each other."""
def kthvalue(input: Tensor, k: _int, dim: _int = -1, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> return_types.kthvalue:
    """(values, indices) of the k-th smallest element along `dim`, counted from 1."""
def layer_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = ..., cudnn_enable: _bool = True) -> Tensor:
    """nn.functional.layer_norm; `cudnn_enable` chooses a kernel in PyTorch, and there is one here."""
def lcm(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The least common multiple, not negative; 0 where either is 0."""
def lcm_(input: Tensor, other: Tensor) -> Tensor:
    """The least common multiple, not negative; 0 where either is 0."""
def ldexp(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """input * 2 ** other; other may not be bool beside floating point."""
def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """input * 2 ** other; other may not be bool beside floating point."""
def le(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input <= other, as a bool tensor."""
def le_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input <= other, as a bool tensor."""
def lerp(input: Tensor, end: Tensor, weight: Tensor | Number, *, out: Any = None) -> Tensor:
    """input + weight * (end - input), computed from the nearer end so that weight 1 gives `end` exactly."""
def lerp_(input: Tensor, end: Tensor, weight: Tensor | Number) -> Tensor:
    """input + weight * (end - input), computed from the nearer end so that weight 1 gives `end` exactly."""
def less(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input < other, as a bool tensor."""
def less_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input < other, as a bool tensor."""
def less_equal(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input <= other, as a bool tensor."""
def less_equal_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input <= other, as a bool tensor."""
def lgamma(input: Tensor, *, out: Any = None) -> Tensor:
    """The logarithm of the absolute value of the gamma function."""
def lgamma_(input: Tensor) -> Tensor:
    """The logarithm of the absolute value of the gamma function."""
def linspace(start: Any, end: Any, steps: _int, *, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """`steps` evenly spaced numbers from `start` to `end`, both included."""
def lobpcg(A: Any, k: _int | None = None, B: Any = None, X: Any = None, n: _int | None = None, iK: Any = None, niter: _int | None = None, tol: _float | None = None, largest: _bool | None = None, method: _str | None = None, tracker: Any = None, ortho_iparams: dict | None = None, ortho_fparams: dict | None = None, ortho_bparams: dict | None = None) -> tuple[Tensor, Tensor]:
    """The k largest (or smallest) eigenvalues of a symmetric A, or of A x = lambda B x, and their vectors, by iteration."""
def log(input: Tensor, *, out: Any = None) -> Tensor:
    """The natural logarithm; -inf at 0 and nan below."""
def log10(input: Tensor, *, out: Any = None) -> Tensor:
    """The logarithm to base 10, exact for powers of ten."""
def log10_(input: Tensor) -> Tensor:
    """The logarithm to base 10, exact for powers of ten."""
def log1p(input: Tensor, *, out: Any = None) -> Tensor:
    """log(1 + input), accurate near 0."""
def log1p_(input: Tensor) -> Tensor:
    """log(1 + input), accurate near 0."""
def log2(input: Tensor, *, out: Any = None) -> Tensor:
    """The logarithm to base 2, exact for powers of two."""
def log2_(input: Tensor) -> Tensor:
    """The logarithm to base 2, exact for powers of two."""
def log_(input: Tensor) -> Tensor:
    """The natural logarithm; -inf at 0 and nan below."""
def log_softmax(input: Tensor, dim: _int, dtype: Any = None, *, out: Tensor | None = None) -> Tensor:
    """nn.functional.log_softmax along `dim`, computed in `dtype` if that is given."""
def logaddexp(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """log(exp(input) + exp(other)) without overflow."""
def logaddexp2(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """log2(2 ** input + 2 ** other) without overflow."""
def logcumsumexp(input: Tensor, dim: _int = ..., *, axis: Any = ..., out: Any = None) -> Tensor:
    """log(cumsum(exp(input))) along `dim`, computed without overflow."""
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant: nan for a negative one, -inf for 0."""
def logical_and(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """Whether both are not 0."""
def logical_and_(input: Tensor, other: Tensor) -> Tensor:
    """Whether both are not 0."""
def logical_not(input: Tensor, *, out: Any = None) -> Tensor:
    """Whether input is 0."""
def logical_not_(input: Tensor) -> Tensor:
    """Whether input is 0."""
def logical_or(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """Whether one of them is not 0."""
def logical_or_(input: Tensor, other: Tensor) -> Tensor:
    """Whether one of them is not 0."""
def logical_xor(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """Whether exactly one of them is not 0."""
def logical_xor_(input: Tensor, other: Tensor) -> Tensor:
    """Whether exactly one of them is not 0."""
def logit(input: Tensor, eps: _float | None = None, *, out: Any = None) -> Tensor:
    """log(x / (1 - x)), the inverse of `sigmoid`; with `eps`, x is clamped to [eps, 1 - eps] first."""
def logit_(input: Tensor, eps: _float | None = None) -> Tensor:
    """log(x / (1 - x)), the inverse of `sigmoid`; with `eps`, x is clamped to [eps, 1 - eps] first."""
def logspace(start: Any, end: Any, steps: _int, base: Any = ..., *, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """base ** linspace(start, end, steps)."""
def logsumexp(input: Tensor, dim: _int | _Sizes, keepdim: _bool = False, *, out: Any = None) -> Tensor:
    """log(sum(exp(input))) over `dim`, computed without overflow; integers give floating point."""
def lstm(*args: Any, **kwargs: Any) -> Any:
    """torch.lstm(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), or (data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional) over packed rows."""
def lstm_cell(input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """One step of a long short-term memory on (N, input) and ((N, hidden), (N, hidden)): (h', c')."""
def lstsq(*args: Any, **kwargs: Any) -> Any:
    """Removed from PyTorch, raises RuntimeError: use torch.linalg (lstsq)."""
def lt(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input < other, as a bool tensor."""
def lt_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input < other, as a bool tensor."""
def lu(A: Tensor, pivot: _bool = True, get_infos: _bool = False, out: Any = None) -> Any:
    """The LU factorization in packed form: (LU, pivots), and with get_infos=True also where U has a zero on its diagonal."""
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Any = None) -> Tensor:
    """The solution X of A @ X = input from A's LU factorization."""
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: _bool = True, unpack_pivots: _bool = True, *, out: Any = None) -> tuple[Tensor, ...]:
    """P, L and U of a packed factorization; what is not asked for is an empty tensor."""
def manual_seed(seed: _int) -> Generator:
    """Seeds the default generator; returns it."""
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: _float = ..., reduction: _int = 0) -> Tensor:
    """nn.functional.margin_ranking_loss, of tensors that may be broadcast; reduction: 0 none, 1 mean, 2 sum."""
def masked_fill(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """Input with `value`, a number or 0-d tensor, where mask is true; the dtype is the input's."""
def masked_fill_(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """Input with `value`, a number or 0-d tensor, where mask is true; the dtype is the input's."""
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """A copy of input with the elements of `source`, in order, where mask is True."""
def masked_scatter_(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """masked_scatter in place."""
def masked_select(input: Tensor, mask: Tensor, *, out: Any = None) -> Tensor:
    """The elements of input where mask is True, as a 1-d tensor; differentiable."""
def matmul(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The product of vectors, matrices or batches of matrices; batch dims broadcast, a 1-d factor is a vector."""
def matrix_exp(input: Tensor) -> Tensor:
    """The matrix exponential."""
def matrix_power(input: Tensor, n: _int, *, out: Any = None) -> Tensor:
    """The n-th power of square matrices; negative powers go through the inverse."""
def matrix_rank(*args: Any, **kwargs: Any) -> Tensor:
    """Removed from PyTorch, raises RuntimeError: use torch.linalg (matrix_rank)."""
@overload
def max(input: Tensor) -> Tensor: ...
@overload
def max(input: Tensor, dim: _int, keepdim: _bool = ..., *, out: Any = ...) -> return_types.max: ...
@overload
def max(input: Tensor, other: Tensor, *, out: Any = ...) -> Tensor: ...
def max_pool1d(input: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = 0, dilation: Any = 1, ceil_mode: _bool = False) -> Tensor:
    """nn.functional.max_pool1d."""
def max_pool1d_with_indices(input: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = 0, dilation: Any = 1, ceil_mode: _bool = False) -> tuple[Tensor, Tensor]:
    """(the maximum of each window of the last dim, its place there)."""
def max_pool2d(input: Tensor, kernel_size: _int | _Sizes, stride: _int | _Sizes | None = None, padding: _int | _Sizes = 0, dilation: _int | _Sizes = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Any:
    """The maximum of each window of the last two dims; with return_indices also its place in the flattened plane."""
def max_pool3d(input: Tensor, kernel_size: _int | _Sizes, stride: _int | _Sizes | None = None, padding: _int | _Sizes = 0, dilation: _int | _Sizes = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Any:
    """The maximum of each window of the last three dims; with return_indices also its place in the flattened volume."""
def maximum(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The greater of the two; nan where either is nan."""
def mean(input: Tensor, dim: _int | _Sizes | None = ..., keepdim: _bool = ..., *, dtype: _dtype | None = None, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The mean over `dim`; integers need a floating point `dtype`."""
@overload
def median(input: Tensor) -> Tensor: ...
@overload
def median(input: Tensor, dim: _int, keepdim: _bool = ..., *, out: Any = ...) -> return_types.median: ...
def meshgrid(*tensors: Any, indexing: _str | None = None) -> tuple[Tensor, ...]:
    """Coordinate grids of 1-d tensors; indexing: "ij" (the default) or "xy"."""
@overload
def min(input: Tensor) -> Tensor: ...
@overload
def min(input: Tensor, dim: _int, keepdim: _bool = ..., *, out: Any = ...) -> return_types.min: ...
@overload
def min(input: Tensor, other: Tensor, *, out: Any = ...) -> Tensor: ...
def minimum(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The smaller of the two; nan where either is nan."""
def mm(input: Tensor, mat2: Tensor, *, out: Any = None) -> Tensor:
    """The product of two matrices: (n, m) times (m, p) is (n, p)."""
def mode(input: Tensor, dim: _int = -1, keepdim: _bool = False, *, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> return_types.mode:
    """(values, indices) of the smallest of the most frequent elements along `dim`; the index is that of its last occurrence."""
def moveaxis(input: Tensor, source: _int | _Sizes, destination: _int | _Sizes) -> Tensor:
    """The dims `source` moved to the positions `destination` (numpy's name of `movedim`)."""
def movedim(input: Tensor, source: _int | _Sizes, destination: _int | _Sizes) -> Tensor:
    """The dims `source` moved to the positions `destination`; the others keep their order."""
def msort(input: Tensor, *, out: Any = None) -> Tensor:
    """The elements in order along the first dim."""
def mul(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input * other; for bool, the logical and."""
def mul_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """input * other; for bool, the logical and."""
def multinomial(input: Tensor, num_samples: _int, replacement: _bool = False, *, generator: Generator | None = None, out: Any = None) -> Tensor:
    """Indices (int64) sampled from the rows of unnormalised probabilities in input, of shape (n,) or (m, n)."""
def multiply(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input * other; for bool, the logical and."""
def multiply_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """input * other; for bool, the logical and."""
def mv(input: Tensor, vec: Tensor, *, out: Any = None) -> Tensor:
    """The product of a matrix and a vector: (n, m) times (m) is (n)."""
def mvlgamma(input: Tensor, p: _int, *, out: Any = None) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension p >= 1."""
def mvlgamma_(input: Tensor, p: _int) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension p >= 1."""
def nan_to_num(input: Tensor, nan: _float | None = None, posinf: _float | None = None, neginf: _float | None = None, *, out: Any = None) -> Tensor:
    """Replaces nan (by 0), inf (by the dtype's largest number) and -inf (by its smallest), or by the numbers given."""
def nan_to_num_(input: Tensor, nan: _float | None = None, posinf: _float | None = None, neginf: _float | None = None) -> Tensor:
    """Replaces nan (by 0), inf (by the dtype's largest number) and -inf (by its smallest), or by the numbers given."""
def nanmean(input: Tensor, dim: _int | _Sizes | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Any = None) -> Tensor:
    """The mean over `dim` of what is not nan: nansum's checks of dtypes hold."""
@overload
def nanmedian(input: Tensor) -> Tensor: ...
@overload
def nanmedian(input: Tensor, dim: _int, keepdim: _bool = ..., *, out: Any = ...) -> return_types.nanmedian: ...
def nanquantile(input: Tensor, q: Tensor | Number, dim: _int | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear', out: Any = None) -> Tensor:
    """The q-quantiles along `dim` of what is not nan."""
def nansum(input: Tensor, dim: _int | _Sizes | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Any = None) -> Tensor:
    """The sum over `dim` of what is not nan."""
def narrow(input: Tensor, dim: _int, start: Any, length: _int) -> Tensor:
    """The view of `length` elements along dim from `start` on (an int or a 0-d integer tensor)."""
def narrow_copy(input: Tensor, dim: _int, start: _int, length: _int, *, out: Any = None) -> Tensor:
    """narrow, as a copy instead of a view; it looks at `start` before `length`."""
def native_channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """channel_shuffle, under the name of PyTorch's kernel."""
def native_norm(input: Tensor, p: Any = 2, dim: Any = None, keepdim: _bool = False, dtype: _dtype | None = None) -> Tensor:
    """The p-norm: `norm` under another name."""
def ne(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input != other, as a bool tensor."""
def ne_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input != other, as a bool tensor."""
def neg(input: Tensor, *, out: Any = None) -> Tensor:
    """-input."""
def neg_(input: Tensor) -> Tensor:
    """-input."""
def negative(input: Tensor, *, out: Any = None) -> Tensor:
    """-input."""
def negative_(input: Tensor) -> Tensor:
    """-input."""
def nextafter(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The floating point number next to `input` in the direction of `other`."""
def nextafter_(input: Tensor, other: Tensor) -> Tensor:
    """The floating point number next to `input` in the direction of `other`."""
def nonzero(input: Tensor, *, out: Any = None, as_tuple: _bool = False) -> Tensor:
    """Indices of the elements that are not zero: shape (n, ndim), or one 1-d tensor for each dim with as_tuple=True."""
def nonzero_static(input: Tensor, *, size: _int, fill_value: _int = -1, out: Any = None) -> Tensor:
    """The coordinates of the first `size` nonzero elements, int64 of shape (size, ndim); the rest is filled with fill_value."""
def norm(input: Tensor, p: Any = 'fro', dim: Any = None, keepdim: Any = False, out: Any = None, dtype: Any = None) -> Tensor:
    """The p-norm of the elements over `dim`; "fro" is p=2, "nuc" the sum of the singular values of a matrix."""
def norm_except_dim(v: Tensor, pow: _int = 2, dim: _int = 0) -> Tensor:
    """The norm over all dims but one, which stays; over all dims when dim is -1."""
def normal(mean: Any, std: Any = ..., size: Any = None, *, generator: Generator | None = None, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool | None = None) -> Tensor:
    """Normal numbers with the given means and standard deviations (tensors or numbers), or of `size` with numbers for both."""
def not_equal(input: Tensor, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input != other, as a bool tensor."""
def not_equal_(input: Tensor, other: Tensor | Number) -> Tensor:
    """input != other, as a bool tensor."""
def nuclear_norm(input: Tensor, dim: Any = None, keepdim: _bool = False, *, out: Any = None) -> Tensor:
    """The sum of the singular values of a matrix, or of the matrices in two dims: nuclear_norm(input, keepdim) or (input, dim, keepdim)."""
def numel(input: Tensor) -> _int:
    """The number of elements."""
def ones(*sizes: Any, size: Any = None, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: _memory_format | None = ...) -> Tensor:
    """A tensor of ones."""
def ones_like(input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: _memory_format | None = None) -> Tensor:
    """A tensor like `input` in shape, dtype and device: torch.ones_like."""
def orgqr(input: Tensor, input2: Tensor, *, out: Any = None) -> Tensor:
    """The first columns of the product of Householder reflections: another name of linalg.householder_product."""
def ormqr(input: Tensor, input2: Tensor, input3: Tensor, left: _bool = True, transpose: _bool = False, *, out: Any = None) -> Tensor:
    """The product of Q and `input3`, where Q is the whole orthogonal matrix of Householder reflections (`input`, `input2`)."""
def outer(input: Tensor, vec2: Tensor, *, out: Any = None) -> Tensor:
    """All products of an element of one vector with an element of another."""
def pairwise_distance(x1: Tensor, x2: Tensor, p: Any = ..., eps: _float = ..., keepdim: _bool = False) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last dim."""
def pca_lowrank(A: Any, q: _int | None = None, center: _bool = True, niter: _int = 2) -> tuple[Tensor, Tensor, Tensor]:
    """(U, S, V) of svd_lowrank for the rows of A, from which their mean is subtracted if `center`; q is min(6, m, n) by default."""
def pdist(input: Tensor, p: Any = ...) -> Tensor:
    """The p-norm distances between all pairs of rows (i, j), i < j, row by row."""
def permute(input: Tensor, dims: _Sizes) -> Tensor:
    """The dims in another order: dim i of the result is dim `dims[i]` of the input."""
def permute_copy(input: Tensor, dims: Any, *, out: Any = None) -> Tensor:
    """permute, as a copy instead of a view."""
def pinverse(input: Tensor, rcond: _float = ...) -> Tensor:
    """The Moore-Penrose pseudo-inverse; singular values up to rcond * the largest count as 0."""
def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor:
    """(..., C r^2, H, W) to (..., C, H r, W r) (Shi et al."""
def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor:
    """The inverse of pixel_shuffle: (..., C, H r, W r) to (..., C r^2, H, W)."""
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Poisson numbers with the rates in input, in its dtype; with gradients of zero."""
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: _bool, full: _bool, eps: _float, reduction: _int) -> Tensor:
    """nn.functional.poisson_nll_loss; reduction: 0 none, 1 mean, 2 sum."""
def polar(abs: Tensor, angle: Tensor, *, out: Any = None) -> Tensor:
    """The complex tensor with these absolute values and angles, float32 or float64."""
def polygamma(n: _int, input: Tensor, *, out: Any = None) -> Tensor:
    """The n-th derivative of `digamma`, n >= 0; infinite at the poles."""
def polygamma_(n: _int, input: Tensor) -> Tensor:
    """The n-th derivative of `digamma`, n >= 0; infinite at the poles."""
def positive(input: Tensor) -> Tensor:
    """+input: the input itself; an error for bool."""
def pow(input: Tensor | Number, exponent: Tensor | Number, *, out: Any = None) -> Tensor:
    """input ** exponent."""
def pow_(input: Tensor | Number, exponent: Tensor | Number) -> Tensor:
    """input ** exponent."""
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """leaky_relu whose slope is learned: one for all, or one for each channel (dim 1)."""
def prod(input: Tensor, dim: _int = ..., keepdim: _bool = ..., *, dtype: _dtype | None = None, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The product over one dim or all; its gradient is right where elements are zero."""
def promote_types(type1: _dtype, type2: _dtype) -> _dtype:
    """The smallest dtype that both can be cast to."""
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
    """`input` with `source` written (or added) at the given positions of the flattened tensor."""
def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
    """`input` with `source` written (or added) at the given positions of the flattened tensor."""
def q_per_channel_axis(input: Any) -> _int:
    """The axis of a tensor that was quantized by channel."""
def q_per_channel_scales(input: Any) -> Tensor:
    """The scales of a tensor that was quantized by channel."""
def q_per_channel_zero_points(input: Any) -> Tensor:
    """The integers that stand for 0 in a tensor that was quantized by channel."""
def q_scale(input: Any) -> _float:
    """The scale of a quantized tensor."""
def q_zero_point(input: Any) -> _int:
    """The integer that stands for 0 in a quantized tensor."""
def qr(input: Tensor, some: _bool = True, *, out: Any = None) -> return_types.qr:
    """linalg.qr with mode "reduced", or "complete" with some=False."""
def quantile(input: Tensor, q: Tensor | Number, dim: _int | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear', out: Any = None) -> Tensor:
    """The q-quantiles along `dim` or of all elements; a 1-D `q` gives a new first dim."""
def quantize_per_channel(input: Tensor, scales: Tensor, zero_points: Tensor, axis: _int, dtype: Any) -> Any:
    """A float32 tensor as integers, with a scale and a zero point for each index along an axis."""
def quantize_per_tensor(input: Tensor, scale: Any, zero_point: Any, dtype: Any) -> Any:
    """A float32 tensor as integers of torch.qint8, quint8 or qint32 that stand for `(integer - zero_point) * scale`; of a list, with a scale and a zero point each, a tuple."""
def quantize_per_tensor_dynamic(input: Tensor, dtype: Any, reduce_range: _bool) -> Any:
    """A float32 tensor as integers, whose scale and zero point are those of its least and largest number."""
def rad2deg(input: Tensor, *, out: Any = None) -> Tensor:
    """Radians as degrees."""
def rad2deg_(input: Tensor) -> Tensor:
    """Radians as degrees."""
def rand(*sizes: Any, size: Any = None, generator: Generator | None = None, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, requires_grad: _bool = False, pin_memory: _bool = False) -> Tensor:
    """A tensor of uniform random numbers: torch.rand(*size); of the default dtype, or another floating one."""
def rand_like(input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool | None = False, memory_format: _memory_format | None = None, generator: Generator | None = None) -> Tensor:
    """torch.rand with input's shape, dtype and device."""
def randint(first: Any = ..., high: Any = ..., size: Any = ..., *, low: Any = ..., generator: Generator | None = None, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool | None = False) -> Tensor:
    """Random integers in [low, high): randint(high, size) or randint(low, high, size)."""
def randint_like(input: Tensor, low: Any = ..., high: Any = ..., *, generator: Generator | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool | None = False, memory_format: _memory_format | None = None) -> Tensor:
    """torch.randint with input's shape, dtype and device: randint_like(input, high) or randint_like(input, low, high)."""
def randn(*sizes: Any, size: Any = None, generator: Generator | None = None, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, requires_grad: _bool = False, pin_memory: _bool = False) -> Tensor:
    """A tensor of normal random numbers: torch.randn(*size); of the default dtype, or another floating one."""
def randn_like(input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool | None = False, memory_format: _memory_format | None = None, generator: Generator | None = None) -> Tensor:
    """torch.randn with input's shape, dtype and device."""
def randperm(n: _int, *, generator: Generator | None = None, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, requires_grad: _bool | None = False, pin_memory: _bool = False) -> Tensor:
    """A random permutation of the integers below n."""
def range(start: Any, end: Any, step: Any = 1, *, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, requires_grad: _bool = False) -> Tensor:
    """Numbers from start to end, including end, in steps; floating point by default."""
def ravel(input: Tensor) -> Tensor:
    """All elements as one dim, contiguous: a view of what is contiguous, else a copy."""
def real(input: Tensor) -> Tensor:
    """The real part, as a view."""
def rearrange(tensor: Tensor | list | _Sizes, pattern: _str, **axes_lengths: Any) -> Tensor:
    """The tensor with its dimensions split, permuted and merged as the pattern says; a view where reshape gives one."""
def reciprocal(input: Tensor, *, out: Any = None) -> Tensor:
    """1 / input."""
def reciprocal_(input: Tensor) -> Tensor:
    """1 / input."""
def relu(input: Tensor) -> Tensor:
    """max(input, 0); its derivative at 0 is 0."""
def relu_(input: Tensor) -> Tensor:
    """max(input, 0); its derivative at 0 is 0."""
def remainder(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input - other * floor(input / other): the remainder with the sign of `other`."""
def remainder_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """input - other * floor(input / other): the remainder with the sign of `other`."""
def renorm(input: Tensor, p: Any, dim: _int, maxnorm: Number, *, out: Any = None) -> Tensor:
    """Scales each part of input along `dim` whose p-norm exceeds maxnorm down to it."""
def renorm_(input: Tensor, p: Any, dim: _int, maxnorm: Number) -> Tensor:
    """Scales each part of input along `dim` whose p-norm exceeds maxnorm down to it."""
def repeat_interleave(input: Any = ..., repeats: Any = ..., dim: _int | None = None, *, output_size: _int | None = None) -> Tensor:
    """Each element (along dim, or of the flattened tensor) repeated `repeats` times in a row."""
def reshape(input: Tensor, shape: _Sizes) -> Tensor:
    """The same elements in another shape (one entry may be -1): a view if possible, else a copy."""
def resize_(input: Tensor, *sizes: Any, size: Any = None, memory_format: _memory_format | None = None) -> Tensor:
    """Gives the tensor another size: the first elements of its storage, which grows with zeros where it is too small."""
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: _memory_format | None = None) -> Tensor:
    """resize_ to another tensor's size."""
def resolve_conj(input: Tensor) -> Tensor:
    """A copy of a tensor that `is_conj`; the tensor itself otherwise."""
def resolve_neg(input: Tensor) -> Tensor:
    """A copy of a tensor that `is_neg`; the tensor itself otherwise."""
def result_type(*given: Any, **named: Any) -> _dtype:
    """The dtype of arithmetic between two tensors or numbers, which are called (tensor, other), (scalar, tensor) or (scalar1, scalar2)."""
def rms_norm(input: Tensor, normalized_shape: _Sizes, weight: Tensor | None = None, eps: _float | None = None) -> Tensor:
    """input divided by the root of the mean square over its last dims (Zhang & Sennrich 2019, arXiv:1910.07467)."""
def rnn_relu(*args: Any, **kwargs: Any) -> Any:
    """torch.rnn_relu(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), or (data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional) over packed rows."""
def rnn_relu_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """torch.rnn_relu_cell: one step on (N, input) and (N, hidden): h' (N, hidden)."""
def rnn_tanh(*args: Any, **kwargs: Any) -> Any:
    """torch.rnn_tanh(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first), or (data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional) over packed rows."""
def rnn_tanh_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """torch.rnn_tanh_cell: one step on (N, input) and (N, hidden): h' (N, hidden)."""
def roll(input: Tensor, shifts: _Sizes, dims: _int | _Sizes | None = ...) -> Tensor:
    """The elements shifted along `dims`, those falling off coming in at the other end; without dims, of the flattened tensor."""
def rot90(input: Tensor, k: _int = 1, dims: _Sizes = ...) -> Tensor:
    """The tensor turned by k times 90 degrees in the plane of two dims, from the first towards the second."""
def round(input: Tensor, *, decimals: _int = ..., out: Any = None) -> Tensor:
    """Input rounded to `decimals` (0) digits behind the point (before it, when negative), halves to even."""
def round_(input: Tensor, *, decimals: _int = ...) -> Tensor:
    """Input rounded to `decimals` (0) digits behind the point (before it, when negative), halves to even."""
def row_indices_copy(input: Tensor, *, out: Any = None) -> Any:
    """A copy of `input.row_indices()`; RuntimeError for other layouts."""
def row_stack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """The tensors joined along dim 0, after a 1-d tensor was made a row."""
def rrelu(input: Tensor, lower: _float = ..., upper: _float = ..., training: _bool = False, generator: Any = None) -> Tensor:
    """nn.functional.rrelu, whose slopes a generator may draw."""
def rrelu_(input: Tensor, lower: _float = ..., upper: _float = ..., training: _bool = False, generator: Any = None) -> Tensor:
    """nn.functional.rrelu_, whose slopes a generator may draw."""
def rsqrt(input: Tensor, *, out: Any = None) -> Tensor:
    """1 / sqrt(input)."""
def rsqrt_(input: Tensor) -> Tensor:
    """1 / sqrt(input)."""
def rsub(input: Tensor, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """other - alpha * input."""
def scalar_tensor(s: Any, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """A 0-d tensor of a Python number, floating point unless dtype says otherwise."""
def scatter(input: Tensor, dim: _int, index: Tensor, src: Tensor | Number | None = None, *, value: Number | None = None, reduce: _str | None = None, out: Any = None) -> Tensor:
    """`input` with result[index[i][j]][j] = src[i][j] for dim 0, and so on; `src` may be a number."""
def scatter_(input: Tensor, dim: _int, index: Tensor, src: Tensor | Number | None = None, *, value: Number | None = None, reduce: _str | None = None) -> Tensor:
    """`input` with result[index[i][j]][j] = src[i][j] for dim 0, and so on; `src` may be a number."""
def scatter_add(input: Tensor, dim: _int, index: Tensor, src: Tensor, *, out: Any = None) -> Tensor:
    """`input` with src[i][j] added at result[index[i][j]][j] for dim 0, and so on."""
def scatter_add_(input: Tensor, dim: _int, index: Tensor, src: Tensor) -> Tensor:
    """`input` with src[i][j] added at result[index[i][j]][j] for dim 0, and so on."""
def scatter_reduce(input: Tensor, dim: _int, index: Tensor, src: Tensor, reduce: _str, *, include_self: _bool = True, out: Any = None) -> Tensor:
    """`src` scattered into `input`, where those that meet are combined: "sum", "prod", "mean", "amax" ("max") or "amin" ("min")."""
def scatter_reduce_(input: Tensor, dim: _int, index: Tensor, src: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
    """`src` scattered into `input`, where those that meet are combined: "sum", "prod", "mean", "amax" ("max") or "amin" ("min")."""
def searchsorted(sorted_sequence: Tensor, input: Tensor | Number, *, out_int32: _bool = False, right: _bool = False, side: _str | None = None, sorter: Tensor | None = None, out: Any = None) -> Tensor:
    """The index in the last dim of `sorted_sequence` at which each value of `input` would keep it sorted."""
def seed() -> _int:
    """Seeds the default generator from the operating system; returns the seed."""
def segment_reduce(data: Tensor, reduce: _str, *, lengths: Tensor | None = None, indices: Tensor | None = None, offsets: Tensor | None = None, axis: _int = 0, unsafe: _bool = False, initial: Number | None = None) -> Tensor:
    """Reduces consecutive pieces of `data` along `axis`, of the given lengths or between the given offsets."""
def select(input: Tensor, dim: _int, index: Number) -> Tensor:
    """The slice `index` along dim, without that dim: a view."""
def select_copy(input: Tensor, dim: Any, index: Any, *, out: Any = None) -> Any:
    """select, as a copy instead of a view."""
def select_scatter(input: Tensor, src: Tensor, dim: _int, index: Number) -> Tensor:
    """`input` with its slice `index` along `dim` replaced by `src`."""
def selu(input: Tensor) -> Tensor:
    """nn.functional.selu."""
def selu_(input: Tensor) -> Tensor:
    """Scaled elu with the constants that keep mean 0 and variance 1 (Klambauer et al."""
def set_anomaly_enabled(mode: _bool, check_nan: _bool = True) -> None:
    """Switches anomaly mode on or off."""
def set_autocast_cache_enabled(enabled: _bool) -> None:
    """Sets what is_autocast_cache_enabled gives."""
def set_autocast_cpu_dtype(dtype: _dtype) -> None:
    """Deprecated: set_autocast_dtype("cpu", dtype)."""
def set_autocast_cpu_enabled(enabled: _bool) -> None:
    """Deprecated: set_autocast_enabled("cpu", enabled)."""
def set_autocast_dtype(device_type: _str, dtype: _dtype) -> None:
    """Sets the dtype that autocast casts to on this kind of device."""
def set_autocast_enabled(device_type: Any, enabled: _bool | None = None) -> None:
    """Enables or disables autocast: `set_autocast_enabled("cpu", True)`, or with a bool alone for CUDA."""
def set_autocast_gpu_dtype(dtype: _dtype) -> None:
    """Deprecated: set_autocast_dtype("cuda", dtype)."""
def set_default_dtype(d: _dtype) -> None:
    """Sets get_default_dtype(); recorded programs that depended on it are forgotten."""
def set_default_tensor_type(t: Any) -> None:
    """Sets the default dtype by the name or class of an older tensor type, such as torch.DoubleTensor."""
def set_deterministic_debug_mode(debug_mode: _int | _str) -> None:
    """'default' or 0: off; 'warn' or 1, 'error' or 2: `use_deterministic_algorithms`."""
def set_float32_matmul_precision(precision: _str) -> None:
    """How float32 matrix products are computed where the device has faster, coarser units (GPU, TPU): 'highest' in float32, 'high' by several passes of a narrower type (TensorFloat32, three bfloat16), 'medium' by one."""
def set_flush_denormal(mode: _bool) -> _bool:
    """Whether denormal numbers could be set to be flushed to zero: always False, XLA decides."""
def set_num_interop_threads(num: _int) -> None:
    """Warns, unless it is the number there is: XLA has one pool, see `set_num_threads`."""
def set_num_threads(num: _int) -> None:
    """How many threads XLA is to compute with on the CPU: they are made once, at the first program, so call it before."""
def set_rng_state(new_state: Any) -> None:
    """Puts the default generator in a state that get_rng_state gave."""
def set_warn_always(b: Any) -> None:
    """Whether warnings that PyTorch's C++ code gives once in a process are given each time."""
def sgn(input: Tensor, *, out: Any = None) -> Tensor:
    """`sign` of a real tensor; input / |input| of a complex one, and 0 at 0."""
def sgn_(input: Tensor) -> Tensor:
    """`sign` of a real tensor; input / |input| of a complex one, and 0 at 0."""
def sigmoid(input: Tensor, *, out: Any = None) -> Tensor:
    """1 / (1 + exp(-input))."""
def sigmoid_(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input))."""
def sign(input: Tensor, *, out: Any = None) -> Tensor:
    """-1, 0 or 1 by the sign of input; 0 for nan."""
def sign_(input: Tensor) -> Tensor:
    """-1, 0 or 1 by the sign of input; 0 for nan."""
def signbit(input: Tensor, *, out: Any = None) -> Tensor:
    """Whether the sign bit is set: true for negative numbers and for -0.0."""
def sin(input: Tensor, *, out: Any = None) -> Tensor:
    """The sine of an angle in radians."""
def sin_(input: Tensor) -> Tensor:
    """The sine of an angle in radians."""
def sinc(input: Tensor, *, out: Any = None) -> Tensor:
    """sin(pi x) / (pi x), and 1 at 0."""
def sinc_(input: Tensor) -> Tensor:
    """sin(pi x) / (pi x), and 1 at 0."""
def sinh(input: Tensor, *, out: Any = None) -> Tensor:
    """The hyperbolic sine."""
def sinh_(input: Tensor) -> Tensor:
    """The hyperbolic sine."""
def slice_copy(input: Tensor, dim: Any = 0, start: Any = None, end: Any = None, step: Any = 1, *, out: Any = None) -> Any:
    """slice, as a copy instead of a view."""
def slice_scatter(input: Tensor, src: Tensor, dim: _int = 0, start: _int | None = None, end: _int | None = None, step: _int = 1, *, axis: Any = ..., out: Any = None) -> Tensor:
    """`input` with its elements start:end:step along `dim` replaced by `src`."""
def slogdet(input: Tensor, *, out: Any = None) -> return_types.slogdet:
    """Sign and logarithm of the absolute value of the determinant."""
def smm(input: Any, mat2: Any) -> Any:
    """The product of a sparse and a dense matrix, as a sparse tensor."""
def softmax(input: Tensor, dim: _int, dtype: Any = None, *, out: Tensor | None = None) -> Tensor:
    """nn.functional.softmax along `dim`, computed in `dtype` if that is given."""
def solve(*args: Any, **kwargs: Any) -> Any:
    """Removed from PyTorch, raises RuntimeError: use torch.linalg (solve)."""
def sort(input: Tensor, dim: _int = -1, descending: _bool = False, *, stable: _bool | None = False, axis: Any = ..., out: Any = None) -> return_types.sort:
    """(values, indices) of the elements in order along `dim`; equal elements keep their order even if not `stable`."""
def sparse_bsc_tensor(ccol_indices: Any, row_indices: Any, values: Any, size: Any = None, *, dtype: _dtype | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _bool | None = None) -> Any:
    """A sparse matrix in columns of blocks: as sparse_csc_tensor, with values of shape (nnz, rows of a block, columns of a block)."""
def sparse_bsr_tensor(crow_indices: Any, col_indices: Any, values: Any, size: Any = None, *, dtype: _dtype | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _bool | None = None) -> Any:
    """A sparse matrix in rows of blocks: as sparse_csr_tensor, with values of shape (nnz, rows of a block, columns of a block)."""
def sparse_compressed_tensor(compressed_indices: Any, plain_indices: Any, values: Any, size: Any = None, *, dtype: _dtype | None = None, layout: Any = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _bool | None = None) -> Any:
    """A matrix in the compressed form that `layout` says: torch.sparse_csr, sparse_csc, sparse_bsr or sparse_bsc."""
def sparse_coo_tensor(indices: Any = None, values: Any = None, size: Any = None, *, dtype: _dtype | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _bool | None = None, is_coalesced: _bool | None = None) -> Tensor:
    """A sparse tensor in coordinate form: indices of shape (sparse dims, nnz), values of shape (nnz, *dense dims)."""
def sparse_csc_tensor(ccol_indices: Any, row_indices: Any, values: Any, size: Any = None, *, dtype: _dtype | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _bool | None = None) -> Any:
    """A sparse matrix in column form: where each column begins, the row of each value, and the values."""
def sparse_csr_tensor(crow_indices: Any, col_indices: Any, values: Any, size: Any = None, *, dtype: _dtype | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, check_invariants: _bool | None = None) -> Any:
    """A sparse matrix in row form: where each row begins, the column of each value, and the values."""
def split(tensor: Tensor, split_size_or_sections: Any, dim: _int = 0) -> tuple[Tensor, ...]:
    """Views of `tensor` along dim: pieces of one size (the last may be smaller), or of the sizes listed."""
def split_copy(input: Tensor, split_size: Any, dim: Any = 0, *, out: Any = None) -> Any:
    """split, as a copy instead of a view."""
def split_with_sizes(input: Tensor, split_sizes: Any, dim: _int = 0) -> tuple[Tensor, ...]:
    """Views of `input` along dim with the sizes listed."""
def split_with_sizes_copy(input: Tensor, split_sizes: Any, dim: Any = 0, *, out: Any = None) -> Any:
    """split_with_sizes, as a copy instead of a view."""
def spmm(input: Any, mat2: Any) -> Any:
    """torch.mm."""
def sqrt(input: Tensor, *, out: Any = None) -> Tensor:
    """The square root; nan for negative numbers, and infinite derivative at 0."""
def sqrt_(input: Tensor) -> Tensor:
    """The square root; nan for negative numbers, and infinite derivative at 0."""
def square(input: Tensor, *, out: Any = None) -> Tensor:
    """input * input."""
def square_(input: Tensor) -> Tensor:
    """input * input."""
def squeeze(input: Tensor, dim: _int | _Sizes = ..., *, axis: Any = ...) -> Tensor:
    """The dims of size 1 removed: all, or those among `dim`."""
def squeeze_(input: Tensor, dim: _int | _Sizes = ...) -> Tensor:
    """squeeze in place: the tensor itself becomes the view."""
def squeeze_copy(input: Tensor, dim: Any = ..., *, out: Any = None) -> Any:
    """squeeze, as a copy instead of a view."""
def stack(tensors: Sequence[Tensor], dim: _int = 0, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The tensors, all of one shape, joined along a new dim."""
def std(input: Tensor, dim: _int | _Sizes | None = ..., unbiased: _bool = ..., keepdim: _bool = ..., *, correction: Number | None = None, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The standard deviation over `dim`; where it is 0 its gradient is 0."""
def std_mean(input: Tensor, dim: _int | _Sizes | None = ..., unbiased: _bool = ..., keepdim: _bool = ..., *, correction: Number | None = None, axis: Any = ..., keepdims: _bool = ...) -> tuple[Tensor, ...]:
    """(standard deviation, mean) over `dim`."""
def stft(input: Tensor, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Tensor | None = None, center: Any = True, pad_mode: Any = 'reflect', normalized: _bool = False, onesided: _bool | None = None, return_complex: Any = None, align_to_window: Any = None) -> Tensor:
    """Fourier transforms of overlapping windows of a signal: (…, time) becomes (…, frequency, frame)."""
def sub(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1, out: Any = None) -> Tensor:
    """input - alpha * other; an error for bool."""
def sub_(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """input - alpha * other; an error for bool."""
def subtract(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1, out: Any = None) -> Tensor:
    """input - alpha * other; an error for bool."""
def subtract_(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """input - alpha * other; an error for bool."""
def sum(input: Tensor, dim: _int | _Sizes | None = ..., keepdim: _bool = ..., *, dtype: _dtype | None = None, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The sum over `dim`; bool and integers give int64 unless `dtype` is given."""
def svd(input: Tensor, some: _bool = True, compute_uv: _bool = True, *, out: Any = None) -> return_types.svd:
    """input = U @ diag(S) @ V^H: linalg.svd with V instead of Vh; some=False gives square U and V."""
def svd_lowrank(A: Any, q: _int | None = 6, niter: _int | None = 2, M: Any = None) -> tuple[Tensor, Tensor, Tensor]:
    """(U, S, V) with A - M nearly U @ diag(S) @ V^H, of rank q; by random projection and `niter` subspace iterations."""
def swapaxes(input: Tensor, axis0: _int, axis1: _int) -> Tensor:
    """Two dims exchanged (numpy's name of `transpose`)."""
def swapaxes_(input: Tensor, axis0: _int, axis1: _int) -> Tensor:
    """swapaxes in place: the tensor itself becomes the view."""
def swapdims(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """Two dims exchanged (another name of `transpose`)."""
def swapdims_(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """swapdims in place: the tensor itself becomes the view."""
def sym_float(a: Any) -> _float:
    """float(a)."""
def sym_int(a: Any) -> _int:
    """int(a), towards zero."""
def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """t if b else f."""
def sym_max(a: Any, b: Any) -> Any:
    """The larger number; a float if either is one."""
def sym_min(a: Any, b: Any) -> Any:
    """The smaller number; a float if either is one."""
def sym_not(a: Any) -> _bool:
    """not a."""
def sym_sqrt(a: Any) -> _float:
    """math.sqrt(a)."""
def sym_sum(args: Any) -> Any:
    """The sum of numbers."""
def symeig(*args: Any, **kwargs: Any) -> Any:
    """Removed from PyTorch, raises RuntimeError: use torch.linalg (symeig)."""
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; a tensor with fewer dims is returned as it is."""
def t_(input: Tensor) -> Tensor:
    """t in place: the tensor itself becomes the view."""
def t_copy(input: Tensor, *, out: Any = None) -> Tensor:
    """t, as a copy instead of a view."""
def take(input: Tensor, index: Tensor, *, out: Any = None) -> Tensor:
    """The elements at the given positions of the flattened tensor; negative ones count from the end."""
def take_along_dim(input: Tensor, indices: Tensor, dim: _int | None = None, *, out: Any = None) -> Tensor:
    """The elements of input at `indices` along dim, where the other dims broadcast; without dim, of the flattened tensor."""
def tan(input: Tensor, *, out: Any = None) -> Tensor:
    """The tangent of an angle in radians."""
def tan_(input: Tensor) -> Tensor:
    """The tangent of an angle in radians."""
def tanh(input: Tensor, *, out: Any = None) -> Tensor:
    """The hyperbolic tangent."""
def tanh_(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
def tensor(data: Any, *, dtype: _dtype | None = None, device: _Device = None, requires_grad: _bool = False, pin_memory: _bool = False) -> Tensor:
    """A new leaf tensor with a copy of `data`: numbers, nested sequences, numpy arrays."""
def tensor_split(input: Tensor, indices_or_sections: Any = None, dim: _int = 0, *, indices: Any = None, sections: Any = None, tensor_indices_or_sections: Any = None) -> tuple[Tensor, ...]:
    """Views along dim: so many nearly equal ones, or cut at the indices listed."""
def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Tensor:
    """The sum of products over pairs of dims: the last `dims` of a with the first of b, or the lists dims[0] and dims[1]."""
def thread_safe_generator() -> Generator | None:
    """Returns, in a worker thread of a DataLoader, that thread's own generator, elsewhere None: the default generator."""
def threshold(input: Tensor, threshold: _float, value: _float, *, out: Tensor | None = None) -> Tensor:
    """nn.functional.threshold."""
def threshold_(input: Tensor, threshold: Number, value: Number) -> Tensor:
    """`value` where input <= threshold, input elsewhere."""
def tile(input: Tensor, dims: _Sizes) -> Tensor:
    """The tensor repeated along its dims; `dims` counts from the last one."""
def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule of the tensor, for libraries that take one (once)."""
def topk(input: Tensor, k: _int, dim: _int = -1, largest: _bool = True, sorted: _bool = True, *, axis: Any = ..., out: Any = None) -> return_types.topk:
    """(values, indices) of the k largest (or smallest) elements along `dim`, in order even if not `sorted`."""
def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix; integers are summed as int64."""
def transpose(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """Two dims exchanged."""
def transpose_(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """transpose in place: the tensor itself becomes the view."""
def transpose_copy(input: Tensor, dim0: Any, dim1: Any, *, out: Any = None) -> Tensor:
    """transpose, as a copy instead of a view."""
def trapezoid(y: Tensor, x: Any = ..., *, dx: Any = ..., dim: _int = -1) -> Tensor:
    """The integral of the samples `y` along `dim` by the trapezoid rule; they lie at `x`, or `dx` (1) apart."""
def trapz(y: Tensor, x: Any = ..., *, dx: Any = ..., dim: _int = -1) -> Tensor:
    """The integral of the samples `y` along `dim` by the trapezoid rule; they lie at `x`, or `dx` (1) apart."""
def triangular_solve(input: Tensor, A: Tensor, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False, *, out: Any = None) -> return_types.triangular_solve:
    """The solution X of A @ X = input (A^T @ X with transpose=True) for triangular A, and a copy of A."""
def tril(input: Tensor, diagonal: _int = 0, *, out: Any = None) -> Tensor:
    """The matrices with zeros above the diagonal number `diagonal`."""
def tril_(input: Tensor, diagonal: _int = 0) -> Tensor:
    """The matrices with zeros above the diagonal number `diagonal`."""
def tril_indices(row: _int, col: _int, offset: _int = 0, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """(2, n): the row and column numbers of the elements of a row × col matrix on and below the diagonal `offset`."""
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: _float = ..., p: _float = ..., eps: _float = ..., swap: _bool = False, reduction: _int = 0) -> Tensor:
    """nn.functional.triplet_margin_loss; reduction: 0 none, 1 mean, 2 sum."""
def triu(input: Tensor, diagonal: _int = 0, *, out: Any = None) -> Tensor:
    """The matrices with zeros below the diagonal number `diagonal`."""
def triu_(input: Tensor, diagonal: _int = 0) -> Tensor:
    """The matrices with zeros below the diagonal number `diagonal`."""
def triu_indices(row: _int, col: _int, offset: _int = 0, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """(2, n): the row and column numbers of the elements of a row × col matrix on and above the diagonal `offset`."""
def true_divide(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input / other in floating point."""
def true_divide_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """input / other in floating point."""
def trunc(input: Tensor, *, out: Any = None) -> Tensor:
    """Input rounded towards 0; its derivative is 0."""
def trunc_(input: Tensor) -> Tensor:
    """Input rounded towards 0; its derivative is 0."""
def typename(obj: Any) -> _str:
    """The name of a tensor's type, such as "torch.FloatTensor", or the full name of another object's type."""
def unbind(input: Tensor, dim: _int = 0) -> tuple[Tensor, ...]:
    """Views of the slices along dim, with that dim removed."""
def unbind_copy(input: Tensor, dim: Any = 0, *, out: Any = None) -> Any:
    """unbind, as a copy instead of a view."""
def unflatten(input: Tensor, dim: _int, sizes: _Sizes) -> Tensor:
    """The dim `dim` split into several of the given sizes, one of which may be -1."""
def unfold_copy(input: Tensor, dimension: Any, size: Any, step: Any, *, out: Any = None) -> Any:
    """unfold, as a copy instead of a view."""
def unique(input: Tensor, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None) -> Any:
    """The distinct elements in order (also if not `sorted`), then, if asked for, where each went and how often each is."""
def unique_consecutive(input: Tensor, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None) -> Any:
    """The first element of every run of equal elements, then, if asked for, where each went and the lengths of the runs."""
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """The coordinates, one tensor for each dim of `shape`, of positions in a flattened tensor of that shape."""
def unsafe_chunk(input: Tensor, chunks: Any, dim: Any = 0) -> Any:
    """torch.chunk: what is unsafe in PyTorch, writing to the parts in place, is safe here."""
def unsafe_split(input: Tensor, split_size: Any, dim: Any = 0) -> Any:
    """torch.split: what is unsafe in PyTorch, writing to the parts in place, is safe here."""
def unsafe_split_with_sizes(input: Tensor, split_sizes: Any, dim: Any = 0) -> Any:
    """torch.split_with_sizes: what is unsafe in PyTorch, writing to the parts in place, is safe here."""
def unsqueeze(input: Tensor, dim: _int = ..., *, axis: Any = ...) -> Tensor:
    """A dim of size 1 inserted at `dim`."""
def unsqueeze_(input: Tensor, dim: _int) -> Tensor:
    """unsqueeze in place: the tensor itself becomes the view."""
def unsqueeze_copy(input: Tensor, dim: Any, *, out: Any = None) -> Any:
    """unsqueeze, as a copy instead of a view."""
def use_deterministic_algorithms(mode: _bool, *, warn_only: _bool = False) -> None:
    """Asks for the same bits each time."""
def values_copy(input: Tensor, *, out: Any = None) -> Any:
    """A copy of `input.values()`; RuntimeError for other layouts."""
def vander(x: Tensor, N: _int | None = None, increasing: _bool = False) -> Tensor:
    """The matrix of the powers of a 1-D `x`: its N columns are x^(N-1) … x^0, or the other way if `increasing`."""
def var(input: Tensor, dim: _int | _Sizes | None = ..., unbiased: _bool = ..., keepdim: _bool = ..., *, correction: Number | None = None, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The variance over `dim`: the sum of squared distances from the mean, divided by max(0, count - correction)."""
def var_mean(input: Tensor, dim: _int | _Sizes | None = ..., unbiased: _bool = ..., keepdim: _bool = ..., *, correction: Number | None = None, axis: Any = ..., keepdims: _bool = ...) -> tuple[Tensor, ...]:
    """(variance, mean) over `dim`."""
def vdot(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The inner product of two vectors, the first conjugated."""
def view_as_complex(input: Tensor) -> Tensor:
    """A real tensor whose last dim has size 2 as a complex one."""
def view_as_complex_copy(input: Tensor, *, out: Any = None) -> Any:
    """view_as_complex, as a copy instead of a view."""
def view_as_real(input: Tensor) -> Tensor:
    """A complex tensor as a real one with a last dim of size 2: real and imaginary part."""
def view_as_real_copy(input: Tensor, *, out: Any = None) -> Any:
    """view_as_real, as a copy instead of a view."""
def view_copy(input: Tensor, size: Any = None, dtype: _dtype | None = None, *, out: Any = None) -> Tensor:
    """view, as a copy instead of a view."""
def vsplit(input: Tensor, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
    """torch.vsplit: tensor_split along its dimension."""
def vstack(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """The tensors joined along dim 0, after a 1-d tensor was made a row."""
def where(condition: Tensor, input: Tensor | Number = ..., other: Tensor | Number = ..., *, out: Any = None) -> Tensor:
    """Elements of `input` where condition holds, else of `other`; with the condition alone, nonzero(as_tuple=True)."""
def while_loop(cond_fn: Callable, body_fn: Callable, carried_inputs: _Sizes | list) -> Any:
    """carried = body_fn(*carried) while cond_fn(*carried): a loop whose length depends on values, as one op."""
def xlogy(input: Tensor | Number, other: Tensor | Number, *, out: Any = None) -> Tensor:
    """input * log(other), and 0 where input is 0 (unless other is nan)."""
def xlogy_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """input * log(other), and 0 where input is 0 (unless other is nan)."""
def zero(input: Tensor) -> Tensor:
    """Zeros of input's shape and dtype."""
def zero_(input: Tensor) -> Tensor:
    """Zeros of input's shape and dtype."""
def zeros(*sizes: Any, size: Any = None, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: _memory_format | None = ...) -> Tensor:
    """A tensor of zeros."""
def zeros_like(input: Tensor, *, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool = False, memory_format: _memory_format | None = None) -> Tensor:
    """A tensor like `input` in shape, dtype and device: torch.zeros_like."""
