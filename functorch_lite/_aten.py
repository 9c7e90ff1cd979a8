"""Ops of aten that PyTorch's public functions are made of, where no public function does the same: what Graphs of
`make_fx` call.

They are reached as `torch.ops.aten._softmax.default`; aten_overloads.txt names them. Each is made of public
functions, whose derivatives the ops `…_backward` compute.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

from ._core.api import Tensor, dtypes
from ._core.api import functions as torch
from .func import vjp
from .nn import functional as F
from .sparse import addmm as _addmm
from .sparse import mm as _mm

# -- copies and shapes


def _to_copy(self: Tensor, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:  # fmt: skip
    """A tensor of its own, of another dtype or on another device."""
    return self.to(device=device, dtype=dtype, copy=True)


def _unsafe_view(self: Tensor, size: Sequence[int]) -> Tensor:
    """The numbers in another shape."""
    return self.reshape(tuple(size))


def alias(self: Tensor) -> Tensor:
    """A view of all of it."""
    return self.view(self.shape)


def expand(self: Tensor, size: Sequence[int], *, implicit: bool = False) -> Tensor:
    """The tensor, with axes of length 1 made longer."""
    return self.expand(tuple(size))


def repeat(self: Tensor, repeats: Sequence[int]) -> Tensor:
    """The tensor, several times along each axis."""
    return self.repeat(tuple(repeats))


def slice(self: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:  # fmt: skip
    """Every `step`th of the places from start to end along an axis."""
    dim %= self.ndim
    return self[(builtins.slice(None),) * dim + (builtins.slice(start, end, step),)]


def index(self: Tensor, indices: Sequence[Tensor | None]) -> Tensor:
    """The elements at these places, an axis each; None stands for a whole axis."""
    return self[tuple([builtins.slice(None) if i is None else i for i in indices])]


def view(self: Tensor, size: Any) -> Tensor:
    """The numbers in another shape, as a view."""
    return self.view(size if not isinstance(size, Sequence) else tuple(size))


def sym_size(self: Tensor, dim: int) -> int:
    """The size along an axis."""
    return self.shape[dim]


# -- activations


def _softmax(self: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """The softmax along an axis."""
    return F.softmax(self, dim)


def _log_softmax(self: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """The logarithm of the softmax along an axis."""
    return F.log_softmax(self, dim)


def _softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: Any) -> Tensor:
    """The derivative of the softmax, of its result."""
    product = grad_output * output
    return (product - output * product.sum(dim, keepdim=True)).to(input_dtype)


def _log_softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: Any) -> Tensor:
    """The derivative of log_softmax, of its result."""
    return (grad_output - output.exp() * grad_output.sum(dim, keepdim=True)).to(input_dtype)


def tanh_backward(grad_output: Tensor, output: Tensor) -> Tensor:
    """The derivative of tanh, of its result."""
    return grad_output * (1 - output * output)


def sigmoid_backward(grad_output: Tensor, output: Tensor) -> Tensor:
    """The derivative of sigmoid, of its result."""
    return grad_output * (1 - output) * output


def threshold_backward(grad_output: Tensor, self: Tensor, threshold: float) -> Tensor:
    """The gradient where a tensor is above a number, else 0."""
    return (self > threshold) * grad_output


def gelu_backward(grad_output: Tensor, self: Tensor, *, approximate: str = "none") -> Tensor:
    """The derivative of gelu."""
    return _pulled(lambda x: F.gelu(x, approximate=approximate), grad_output, self)[0]


def silu_backward(grad_output: Tensor, self: Tensor) -> Tensor:
    """The derivative of silu."""
    return _pulled(F.silu, grad_output, self)[0]


def _pulled(f: Callable, cotangents: Any, *inputs: Tensor) -> tuple[Tensor, ...]:
    """The cotangents of the inputs."""
    return vjp(f, *inputs)[1](cotangents)


# -- norms


def native_layer_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """(layer_norm, the means, one over the standard deviations)."""
    dims = tuple(range(-len(normalized_shape), 0))
    mean = input.mean(dims, keepdim=True)
    rstd = (input.var(dims, correction=0, keepdim=True) + eps).rsqrt()
    return F.layer_norm(input, tuple(normalized_shape), weight, bias, eps), mean, rstd


def native_layer_norm_backward(grad_out: Tensor, input: Tensor, normalized_shape: Sequence[int], mean: Tensor, rstd: Tensor, weight: Tensor | None, bias: Tensor | None, output_mask: Sequence[bool]) -> tuple:  # fmt: skip
    """The gradients of input, weight and bias; None where output_mask is False."""
    dims = tuple(range(-len(normalized_shape), 0))
    normal = (input - mean) * rstd
    g = grad_out if weight is None else grad_out * weight
    found = rstd * (g - g.mean(dims, keepdim=True) - normal * (g * normal).mean(dims, keepdim=True))
    before = tuple(range(input.ndim - len(normalized_shape)))
    of_weight = grad_out * normal
    return (
        found if output_mask[0] else None,
        (of_weight.sum(before) if before else of_weight) if output_mask[1] else None,
        (grad_out.sum(before) if before else grad_out) if output_mask[2] else None,
    )


def native_group_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, N: int, C: int, HxW: int, group: int, eps: float) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """(group_norm, the means, one over the standard deviations) of N examples of C channels of HxW numbers."""
    parts = input.reshape(N, group, -1)
    rstd = (parts.var(-1, correction=0) + eps).rsqrt()
    return F.group_norm(input, group, weight, bias, eps), parts.mean(-1), rstd


def native_batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, training: bool, momentum: float, eps: float) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """(batch_norm, the means, one over the standard deviations); the last two are empty outside of training.

    Writes the running statistics in training."""
    out = F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
    if not training:
        return out, input.new_zeros(0), input.new_zeros(0)
    dims = (0, *range(2, input.ndim))
    return out, input.mean(dims), (input.var(dims, correction=0) + eps).rsqrt()


# -- products


def convolution_backward(grad_output: Tensor, input: Tensor, weight: Tensor, bias_sizes: Sequence[int] | None, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int, output_mask: Sequence[bool]) -> tuple:  # fmt: skip
    """The gradients of input, weight and bias; None where output_mask is False."""
    of_two = _CONVOLUTIONS[transposed][weight.ndim - 3]
    more = {"output_padding": tuple(output_padding)} if transposed else {}

    def convolved(x: Tensor, w: Tensor) -> Tensor:
        return of_two(x, w, None, stride=tuple(stride), padding=tuple(padding), dilation=tuple(dilation), groups=groups, **more)  # fmt: skip

    of_input, of_weight = _pulled(convolved, grad_output, input, weight)
    of_bias = grad_output.sum((0, *range(2, grad_output.ndim)))
    return tuple([g if asked else None for g, asked in zip((of_input, of_weight, of_bias), output_mask)])


_CONVOLUTIONS = {
    False: (F.conv1d, F.conv2d, F.conv3d),
    True: (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d),
}


def einsum(equation: str, tensors: Sequence[Tensor], path: Any = None) -> Tensor:
    """Sums of products, as the equation says. path: in which order is found out."""
    return torch.einsum(equation, *tensors)


# -- pools


def max_pool2d_with_indices(self: Tensor, kernel_size: Sequence[int], stride: Sequence[int] = (), padding: Sequence[int] = (0, 0), dilation: Sequence[int] = (1, 1), ceil_mode: bool = False) -> tuple[Tensor, Tensor]:  # fmt: skip
    """(the largest of each window, where it is)."""
    return F.max_pool2d(self, _two(kernel_size), _two(stride) if len(stride) else None, _two(padding), _two(dilation), ceil_mode, return_indices=True)  # fmt: skip


def max_pool2d_with_indices_backward(grad_output: Tensor, self: Tensor, kernel_size: Sequence[int], stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], ceil_mode: bool, indices: Tensor) -> Tensor:  # fmt: skip
    """The gradient of what was pooled: each number goes where the largest was."""
    flat = self.new_zeros((*self.shape[:-2], self.shape[-2] * self.shape[-1]))
    return flat.scatter_add(-1, indices.flatten(-2), grad_output.flatten(-2)).view(self.shape)


def _two(sizes: Sequence[int]) -> tuple[int, ...]:
    return tuple(sizes) if len(sizes) == 2 else tuple(sizes) * 2


# -- losses

_REDUCTIONS = ("none", "mean", "sum")


def mse_loss(self: Tensor, target: Tensor, reduction: int = 1) -> Tensor:
    """The squares of differences; reduction: 0 none, 1 their mean, 2 their sum."""
    return F.mse_loss(self, target, reduction=_REDUCTIONS[reduction])


def mse_loss_backward(grad_output: Tensor, self: Tensor, target: Tensor, reduction: int) -> Tensor:
    """The derivative of mse_loss by its first argument."""
    return grad_output * (self - target) * (2 / self.numel() if reduction == 1 else 2)


def cross_entropy_loss(self: Tensor, target: Tensor, weight: Tensor | None = None, reduction: int = 1, ignore_index: int = -100, label_smoothing: float = 0.0) -> Tensor:  # fmt: skip
    """cross_entropy; reduction as in mse_loss."""
    return F.cross_entropy(self, target, weight, ignore_index=ignore_index, reduction=_REDUCTIONS[reduction], label_smoothing=label_smoothing)  # fmt: skip


def nll_loss_forward(self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int) -> tuple[Tensor, Tensor]:  # fmt: skip
    """(nll_loss, the sum of the targets' weights)."""
    loss = F.nll_loss(self, target, weight, ignore_index=ignore_index, reduction=_REDUCTIONS[reduction])
    return loss, _weights(self, target, weight, ignore_index).sum() if reduction else self.new_zeros(())


def nll_loss_backward(grad_output: Tensor, self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int, total_weight: Tensor) -> Tensor:  # fmt: skip
    """The derivative of nll_loss by its first argument."""
    each = _weights(self, target, weight, ignore_index)
    each = -each * grad_output / total_weight if reduction == 1 else -each * grad_output
    at = F.one_hot(target.where(target != ignore_index, 0), self.shape[-1])
    return at.to(self.dtype) * each.unsqueeze(-1)


def _weights(self: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int) -> Tensor:
    """The weight of each target."""
    counts = target != ignore_index
    return counts.to(self.dtype) if weight is None else weight[target.where(counts, 0)] * counts


def embedding_dense_backward(grad_output: Tensor, indices: Tensor, num_weights: int, padding_idx: int, scale_grad_by_freq: bool) -> Tensor:  # fmt: skip
    """The gradient of a table whose rows were looked up."""
    g = grad_output.reshape(-1, grad_output.shape[-1])
    at = indices.reshape(-1)
    if padding_idx >= 0:
        g = g.masked_fill((at == padding_idx).unsqueeze(-1), 0)
    if scale_grad_by_freq:
        g = g / torch.bincount(at, minlength=num_weights)[at].unsqueeze(-1)
    return g.new_zeros((num_weights, g.shape[-1])).index_add(0, at, g)


def slice_backward(grad_output: Tensor, input_sizes: Sequence[int], dim: int, start: int, end: int, step: int) -> Tensor:  # fmt: skip
    """The gradient of what a slice was taken of."""
    at = (builtins.slice(None),) * dim + (builtins.slice(start, end, step),)
    return _put(grad_output, input_sizes, at)


def select_backward(grad_output: Tensor, input_sizes: Sequence[int], dim: int, index: int) -> Tensor:
    """The gradient of what one place of an axis was taken of."""
    return _put(grad_output, input_sizes, (builtins.slice(None),) * dim + (index,))


def _put(grad_output: Tensor, sizes: Sequence[int], at: tuple) -> Tensor:
    made = grad_output.new_zeros(tuple(sizes))
    made[at] = grad_output
    return made


# -- sparse matrices


def _sparse_addmm(self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * self + alpha * (mat1 @ mat2), with a sparse mat1."""
    return _addmm(self, mat1, mat2, beta=beta, alpha=alpha)


def _sparse_mm_reduce_impl(self: Tensor, other: Tensor, reduce: str) -> tuple[Tensor, Tensor]:
    """(a sparse matrix times a dense one, whose products are summed or joined as `reduce` says; an empty tensor).

    The second tells in PyTorch, of some kinds that take gradients, which products were the largest; that is not kept
    here.
    """
    return _mm(self, other, reduce), torch.empty(0, dtype=dtypes.int64)
