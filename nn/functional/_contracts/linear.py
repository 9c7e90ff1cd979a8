"""Checks of linear maps' arguments."""

from __future__ import annotations

import math

from functorch_lite._core.api import check, cpp_name, need_kind, wrap_dim
from functorch_lite.ops.contracts.matmul import check_one_dtype

from .._declare import broadcasts_to, check_castable


def check_linear(input, weight, bias) -> None:
    ndims = f"{input.ndim}D and {weight.ndim}D"
    message = f"both arguments to linear need to be at least 1D, but they are {ndims}"
    check(input.ndim > 0 and weight.ndim > 0, RuntimeError, message)
    message = f"t() expects a tensor with <= 2 dimensions, but self is {weight.ndim}D"
    check(weight.ndim <= 2, RuntimeError, message)
    rows, size = math.prod(input.shape[:-1]), input.shape[-1]
    if weight.ndim == 2:
        sizes = f"({rows}x{size} and {weight.shape[1]}x{weight.shape[0]})"
        message = f"mat1 and mat2 shapes cannot be multiplied {sizes}"
        check(size == weight.shape[1], RuntimeError, message)
    else:
        alone = bias is None or bias.ndim == input.ndim - 1 == 0
        check(alone, RuntimeError, "mat2 must be a matrix, got 1-D tensor")
        message = f"size mismatch, got input ({rows}), mat ({rows}x{size}), vec ({weight.shape[0]})"
        check(size == weight.shape[0], RuntimeError, message)
    if bias is None:
        names = f"{cpp_name(input)} != {cpp_name(weight)}"
        message = f"expected m1 and m2 to have the same dtype, but got: {names}"
        check(input.dtype == weight.dtype, RuntimeError, message)
    elif bias.ndim == 0 and input.ndim != 2:  # is added in place
        check_castable(bias.dtype, weight.dtype)
        check_one_dtype(("mat1", "mat2"), input, weight)
    else:
        check_product(input, weight, bias)
    need_kind(input, "ifc", "addmm_impl_cpu_")


def check_product(x, weight, bias) -> None:
    """The dtypes of x @ weight.T + bias."""
    if bias is not None:
        check_one_dtype(("self", "mat2"), bias, weight)
    check_one_dtype(("mat1", "mat2"), x, weight)


def check_added(bias, whole, shape) -> None:
    """`whole` is the shape to which a bias is added; `shape` is the shape of the matrix that torch makes of it."""
    at = next((i for i in range(1, min(bias.ndim, 2) + 1) if bias.shape[-i] not in (1, shape[-i])), 1)
    check(
        broadcasts_to(bias.shape, whole),
        RuntimeError,
        f"The expanded size of the tensor ({shape[-at]}) must match the existing size ({(bias.shape or (1,))[-at]}) at "
        f"non-singleton dimension {2 - at}.  Target sizes: {list(shape)}.  Tensor sizes: {list(bias.shape)}",
    )


def check_bilinear(input1, input2, weight, bias) -> None:
    names = f"input1: {cpp_name(input1)}, input2: {cpp_name(input2)}, weight: {cpp_name(weight)}"
    message = f"All tensors must have the same dtype, got {names}"
    check(input1.dtype == input2.dtype == weight.dtype, RuntimeError, message)
    message = f"bilinear(): input dimensions do not match: got {input1.ndim} and {input2.ndim}"
    check(input1.ndim == input2.ndim, RuntimeError, message)
    for i, (m, n) in enumerate(zip(input1.shape[:-1], input2.shape[:-1])):
        message = f"bilinear(): input batch dimensions do not match at dim {i}: got {m} and {n}"
        check(m == n, RuntimeError, message)
    for axis, x in enumerate((input1, input2), start=1):
        size = weight.shape[wrap_dim(axis, weight.ndim)]
        message = (
            f"bilinear(): input{axis} size does not match weight size: got {x.shape[-1]} but expected {size}"
        )
        check(x.shape[-1] == size, RuntimeError, message)
    if bias is not None:
        sizes = f"got {bias.shape[0]} but expected {weight.shape[0]}"
        message = f"bilinear(): bias size does not match weight size: {sizes}"
        check(bias.shape[0] == weight.shape[0], RuntimeError, message)
        names = f"weight: {cpp_name(weight)}, bias: {cpp_name(bias)}"
        message = f"All tensors must have the same dtype, got {names}"
        check(bias.dtype == weight.dtype, RuntimeError, message)
    check(weight.ndim == 3, RuntimeError, "number of dimensions must match")
    need_kind(input1, "ifc", "bmm")
