"""The meaning of the parameters that many functions share: one sentence or two for each, written once.

`docstrings.py` composes the Args of a docstring from them. A declaration's own Args come first, then the entry of a
group that lists the function, then that of the namespace, then that of all functions.
"""

from __future__ import annotations

from .parameters_of_groups import GROUPS, NAMESPACES
from .parameters_of_networks import NETWORKS

__all__ = ["RAISES", "SHARED", "text_of"]

SHARED = {
    # tensors
    "input": "the input tensor.",
    "other": "the second tensor, or a number; it broadcasts with `input`.",
    "tensors": "the tensors: a list or tuple.",
    "tensor": "the tensor.",
    "x": "the input tensor.",
    "data": "the values: a number, nested lists or tuples of numbers, a NumPy array or a tensor.",
    "mask": "a bool tensor that broadcasts with `input`; True selects an element.",
    "index": "the positions along `dim`, an int64 or int32 tensor.",
    "indices": "the positions, an int64 tensor.",
    "values": "the values to write.",
    "value": "the number to write.",
    "src": "the tensor whose elements are written.",
    "source": "the tensor whose elements are written.",
    "vec": "a vector: a 1-D tensor.",
    "vec2": "the second vector: a 1-D tensor.",
    "mat2": "the second matrix.",
    "weights": "one weight for each element of `input`. None (the default) counts every element once.",
    "start": "the first position. Negative positions count from the end.",
    "end": "the position after the last. Negative positions count from the end.",
    "length": "the number of elements.",
    "n": "the size or order: an int.",
    "p": "the order of the norm.",
    "k": "how many: an int.",
    "func": "the function.",
    # dims
    "dim": "the dim (an int, negative ones count from the end).",
    "dims": "the dims: an int or a tuple of ints; negative ones count from the end.",
    "dim0": "the first dim; negative ones count from the end.",
    "dim1": "the first of the two dims; negative ones count from the end.",
    "dim2": "the second of the two dims; negative ones count from the end.",
    "axis": "NumPy's name for `dim`; give one of the two.",
    "axis0": "the first dim.",
    "axis1": "the second dim.",
    "keepdim": "whether the reduced dims are kept, with size 1. By default they are removed.",
    "keepdims": "NumPy's name for `keepdim`.",
    "size": "the shape: a tuple of ints, or separate ints.",
    "sizes": "the sizes: a tuple of ints.",
    "stride": "the steps between elements: a tuple with one int for each dim, counted in elements.",
    "storage_offset": "the position of the first element in the storage, counted in elements.",
    "offset": "which diagonal: 0 is the main one, positive ones are above it and negative ones below it.",
    "diagonal": "which diagonal: 0 is the main one, positive ones are above it and negative ones below it.",
    "step": "the distance between consecutive positions; it must be positive.",
    # results
    "out": "a tensor into which the result is written; it is resized if its shape differs. None (the default) returns a new tensor.",
    "dtype": "the dtype of the result. None (the default) keeps the one that the inputs determine.",
    "device": 'the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default device.',
    "layout": "only `torch.strided`, or None (the default), which means the same; convert the result with `to_sparse()`.",
    "requires_grad": "whether operations on the result are recorded for autograd.",
    "pin_memory": "whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.",
    "memory_format": "the order in which PyTorch would store the dims. It is checked against the number of dims; None (the default) checks nothing.",
    "inplace": "whether the result is written into `input`, which is then returned.",
    "generator": "the `torch.Generator` that draws the numbers. None (the default) is the global generator, which `torch.manual_seed` seeds.",
    "sorted": "whether the result must be in order.",
    "as_tuple": "whether the result is a tuple with one 1-D tensor for each dim.",
    "return_inverse": "whether to also return, for each element, its index among the returned elements.",
    "return_counts": "whether to also return how often each returned element occurs.",
    "hermitian": "whether the matrix is Hermitian (symmetric, if real); only one triangle is then read.",
    "upper": "whether the upper triangle is meant. By default it is the lower one.",
    "left": "whether the matrix is multiplied from the left; False multiplies from the right.",
    "unitriangular": "whether the diagonal counts as ones and is not read.",
    "transpose": "whether the transposed matrix is used (the conjugate transpose for complex numbers).",
    "check_errors": "whether a failure raises an error. By default the returned `info` reports it.",
    "accumulate": "whether values are added to the elements. By default they replace them.",
    "include_self": "whether the elements of `input` that are written to take part in the reduction.",
    "correction": "what is subtracted from the number of elements in the divisor.",
    "descending": "whether the largest elements come first.",
    "stable": "whether equal elements keep their order. They always do here.",
    "alpha": "a number that scales the second operand.",
    "beta": "a number that scales `input`; 0 ignores `input`, nan included.",
    "min": "the lower bound: a number, or a tensor that broadcasts with `input`. None (the default) sets no bound.",
    "max": "the upper bound: a number, or a tensor that broadcasts with `input`. None (the default) sets no bound.",
    "rtol": "the tolerance relative to the magnitude of `other`.",
    "atol": "the absolute tolerance.",
    "equal_nan": "whether nan equals nan.",
    "eps": "a small number added for numerical stability.",
    "fill_value": "the number with which the result is filled.",
}
"""By the name of the parameter, for all functions."""

RAISES = {
    "dim": "IndexError: if `dim` is out of range for the number of dims.",
    "out": "RuntimeError: if the dtype of the result cannot be cast to that of `out`.",
}
"""The errors that come with a parameter of every op that has it."""

_IN_GROUPS: dict[str, list[dict[str, str]]] = {}


def _list_groups() -> None:
    for names, texts in (*NETWORKS, *GROUPS):
        for name in names.split():
            _IN_GROUPS.setdefault(name, []).append(texts)


def text_of(space: str, function: str, parameter: str) -> str | None:
    """The shared text on a parameter of a function in a namespace; None if there is none."""
    if not _IN_GROUPS:
        _list_groups()
    for name in (f"{space}.{function}", function, function.removesuffix("_"), function.removesuffix("_copy")):
        for texts in _IN_GROUPS.get(name, ()):
            if parameter in texts:
                return texts[parameter]
    return NAMESPACES.get(space, SHARED).get(parameter) or SHARED.get(parameter)
