"""Attributes of Tensor, in words and with an example each: they are properties, which the library's source says little
of. `tests/test_site.py` runs the examples."""

from __future__ import annotations

__all__ = ["WORDS"]

_LINES = """
H | The conjugate transpose of a matrix. | torch.tensor([[1 + 2j, 3]]).H.shape | torch.Size([2, 1])
T | The tensor with its dimensions reversed; of a matrix, its transpose. | torch.ones(2, 3).T.shape | torch.Size([3, 2])
data | The same memory without history; a write to it is not seen by autograd. | torch.ones(2, requires_grad=True).data.requires_grad | False
device | Where the tensor is. | torch.ones(2).device | device(type='cpu')
dtype | The type of its elements. | torch.arange(3).dtype | torch.int64
grad | The gradient that `backward()` accumulated in a leaf, or None. | torch.ones(2, requires_grad=True).grad is None | True
grad_dtype | The dtype of the gradient of a leaf: its own. | torch.ones(2, requires_grad=True).grad_dtype | torch.float32
grad_fn | The node of the tape that the tensor came from; None for a leaf. | (torch.ones(2, requires_grad=True) * 2).grad_fn.name() | 'MulBackward0'
imag | The imaginary part of a complex tensor, as a view. | torch.tensor([1 + 2j]).imag | tensor([2.])
real | The real part of a complex tensor, as a view; a real tensor itself. | torch.tensor([1 + 2j]).real | tensor([1.])
is_cpu | Whether the tensor is on a CPU. | torch.ones(2).is_cpu | True
is_cuda | Whether the tensor is on a GPU. | torch.ones(2).is_cuda | False
is_ipu | Whether the tensor is on an IPU: never. | torch.ones(2).is_ipu | False
is_leaf | Whether the tensor was made by the user rather than by ops that are taped. | torch.ones(2, requires_grad=True).is_leaf | True
is_maia | Whether the tensor is on such a device: never. | torch.ones(2).is_maia | False
is_meta | Whether the tensor has a shape and a dtype, but no values. | torch.empty(2, device="meta").is_meta | True
is_mkldnn | Whether the tensor is in a layout of MKL-DNN's: never. | torch.ones(2).is_mkldnn | False
is_mps | Whether the tensor is on such a device: never. | torch.ones(2).is_mps | False
is_mtia | Whether the tensor is on such a device: never. | torch.ones(2).is_mtia | False
is_nested | Whether the tensor is a nested one. | torch.ones(2).is_nested | False
is_quantized | Whether the tensor is quantized: never. | torch.ones(2).is_quantized | False
is_sparse | Whether the tensor is sparse, with coordinates (COO). | torch.eye(2).to_sparse().is_sparse | True
is_sparse_csr | Whether the tensor is sparse, with compressed rows (CSR). | torch.eye(2).to_sparse_csr().is_sparse_csr | True
is_vulkan | Whether the tensor is on such a device: never. | torch.ones(2).is_vulkan | False
is_xla | Whether the tensor is on a device of PyTorch/XLA's: never. XLA computes all tensors here. | torch.ones(2).is_xla | False
is_xpu | Whether the tensor is on such a device: never. | torch.ones(2).is_xpu | False
itemsize | The bytes of an element. | torch.ones(2).itemsize | 4
layout | How the elements are laid out: strided, or a sparse layout. | torch.ones(2).layout | torch.strided
mH | The conjugate transpose of the last two dimensions. | torch.ones(5, 2, 3).mH.shape | torch.Size([5, 3, 2])
mT | The transpose of the last two dimensions. | torch.ones(5, 2, 3).mT.shape | torch.Size([5, 3, 2])
name | A name, which only PyTorch's own tools set: None. | torch.ones(2).name is None | True
names | The names of the dimensions: None for each, as there are no named tensors here. | torch.ones(2, 3).names | (None, None)
nbytes | The bytes of all elements. | torch.ones(2, 3).nbytes | 24
ndim | The number of dimensions. | torch.ones(2, 3).ndim | 2
output_nr | Which result of its node the tensor is. | torch.ones(2).output_nr | 0
requires_grad | Whether what is computed of the tensor is taped; may be set on a leaf. | torch.ones(2, requires_grad=True).requires_grad | True
retains_grad | Whether a tensor that is no leaf keeps its gradient (`retain_grad()`). | torch.ones(2, requires_grad=True).retains_grad | False
shape | The sizes of the dimensions. | torch.ones(2, 3).shape | torch.Size([2, 3])
volatile | A setting of PyTorch before 0.4, without effect: False. | torch.ones(2).volatile | False
"""

WORDS = {
    name: f"{words}\n\n>>> {call}\n{result}"
    for name, words, call, result in (line.split(" | ") for line in _LINES.strip().splitlines())
}
"""The docstring of each."""
