"""Linear maps: linear and bilinear."""

from __future__ import annotations

import math
from functools import partial

import jax
import jax.numpy as jnp

from functorch_lite._core.api import (
    Array,
    check,
    converted,
    cpp_name,
    for_cpu,
    from_numpy,
    no_kernel,
    of_tensors,
    scalar_name,
    wrap_dim,
)
from functorch_lite.ops._pointwise import category

from ._declare import compute, nn_op

__all__ = ["bilinear", "linear"]


def _dot(x, w):
    """x @ w.T over the last dims; half precision is summed in float32."""
    if x.size == x.shape[-1] and w.size >= 1 << 16 and w.ndim == 2 and for_cpu():
        return _dot_of_one_row(x, w)
    return _dot_as_it_is(x, w)  # hot path


_MANY = 1 << 16
"""Elements of a result from which on its gradient is kept apart."""


def _dot_as_it_is(x, w):
    """The product; on the CPU a barrier keeps what follows apart from it, and so does that barrier's derivative for the gradient.

    The gradient of the result is read as it is and transposed: without the barrier XLA for CPU computes it twice, the second time
    column by column (three times as long as the transposition of what is there; 4 % of a transformer block's step).
    """
    wide = jnp.float32 if from_numpy(x.dtype).is_narrow else None
    out = jax.lax.dot_general(x, w, (((x.ndim - 1,), (w.ndim - 1,)), ((), ())), preferred_element_type=wide)
    if out.size >= _MANY and for_cpu():
        return jax.lax.optimization_barrier(out)
    return out


@jax.custom_jvp
def _dot_of_one_row(x, w):
    return _dot_as_it_is(x, w)


@partial(_dot_of_one_row.defjvp, symbolic_zeros=True)
def _dot_of_one_row_jvp(primals, tangents):
    """The gradient of w is an outer product, for every sample under vmap: of two rows, the second being zero.

    Of one row XLA would make a multiplication, into which it pulls all that x was computed from: to be computed again
    for every row of w.
    """
    (x, w), (dx, dw) = primals, tangents
    zero = jax.custom_derivatives.SymbolicZero
    out = _dot_of_one_row(x, w)
    tangent = jnp.zeros_like(out)
    if not isinstance(dx, zero):
        tangent = _dot_of_one_row(dx, w)
    if not isinstance(dw, zero):
        row = x.reshape(1, -1)
        tangent = tangent + _dot_as_it_is(jnp.concatenate([row, jnp.zeros_like(row)]), dw)[:1].reshape(
            out.shape
        )
    return out, tangent


def _grad_of_linear(name: str, static: tuple, ranks) -> str:
    first, *others = of_tensors(ranks)
    if len(others) == 2:
        return "AddmmBackward0" if first == 2 else "ViewBackward0"
    return {1: "SqueezeBackward4", 2: "MmBackward0"}.get(first, "UnsafeViewBackward0")


@nn_op(out="exact", grad=_grad_of_linear, autocast="lower", float8=True)
def linear(input: Array, weight: Array, bias: Array | None = None):
    """input @ weight.T + bias, over the last dim of input.

    weight: (out, in), or (in,) for a result without the last dim; bias: anything that broadcasts to the result.

    >>> F.linear(torch.ones(1, 2), torch.ones(3, 2), torch.ones(3))
    tensor([[3., 3., 3.]])
    """
    check(
        input.ndim > 0 and weight.ndim > 0,
        RuntimeError,
        f"both arguments to linear need to be at least 1D, but they are {input.ndim}D and {weight.ndim}D",
    )
    check(
        weight.ndim <= 2,
        RuntimeError,
        f"t() expects a tensor with <= 2 dimensions, but self is {weight.ndim}D",
    )
    rows = math.prod(input.shape[:-1])
    if weight.ndim == 2:
        check(
            input.shape[-1] == weight.shape[1],
            RuntimeError,
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{input.shape[-1]} and "
            f"{weight.shape[1]}x{weight.shape[0]})",
        )
    else:
        check(
            bias is None or bias.ndim == input.ndim - 1 == 0,
            RuntimeError,
            "mat2 must be a matrix, got 1-D tensor",
        )
        check(
            input.shape[-1] == weight.shape[0],
            RuntimeError,
            f"size mismatch, got input ({rows}), mat ({rows}x{input.shape[-1]}), vec ({weight.shape[0]})",
        )
    if bias is not None and bias.ndim == 0 and input.ndim != 2:  # is added in place
        check(
            category(bias) <= category(weight),
            RuntimeError,
            f"result type {scalar_name(bias)} can't be cast to the desired output type {scalar_name(weight)}",
        )
        bias = bias.astype(weight.dtype)
    check(
        bias is None or bias.dtype == weight.dtype,
        RuntimeError,
        f"self and mat2 must have the same dtype, but got {scalar_name(bias)} and {scalar_name(weight)}"
        if bias is not None
        else "",
    )
    check(
        input.dtype == weight.dtype,
        RuntimeError,
        f"expected m1 and m2 to have the same dtype, but got: {cpp_name(input)} != {cpp_name(weight)}"
        if bias is None
        else f"mat1 and mat2 must have the same dtype, but got {scalar_name(input)} and {scalar_name(weight)}",
    )
    if category(input) == 0:
        raise no_kernel("addmm_impl_cpu_", input)
    out = _dot(input, weight)
    if bias is not None:
        # torch adds it to a matrix of rows where the input is one row, or has three dims and the bias only one longer than 1
        row = input.ndim == 1 or (input.ndim == 3 and sum(n != 1 for n in bias.shape) == 1)
        whole = (rows, out.shape[-1]) if bias.ndim == 2 == weight.ndim and row else out.shape
        fits = bias.ndim <= len(whole) and all(b in (1, n) for b, n in zip(bias.shape[::-1], whole[::-1]))
        if not fits:
            shape = (rows, out.shape[-1])
            at = next((i for i in range(1, min(bias.ndim, 2) + 1) if bias.shape[-i] not in (1, shape[-i])), 1)
            raise RuntimeError(
                f"The expanded size of the tensor ({shape[-at]}) must match the existing size ({bias.shape[-at]}) "
                f"at non-singleton dimension {2 - at}.  Target sizes: {list(shape)}.  "
                f"Tensor sizes: {list(bias.shape)}"
            )
        out = (out.reshape(whole) + bias.astype(out.dtype)).reshape(out.shape)
    return converted(out, input.dtype)


@nn_op(autocast=(None, "widest"))
def bilinear(input1: Array, input2: Array, weight: Array, bias: Array | None = None):
    """out[..., o] = sum over i, j of input1[..., i] * weight[o, i, j] * input2[..., j], plus bias[o].

    (…, I), (…, J) and weight (O, I, J) to (…, O).

    >>> F.bilinear(torch.tensor([2.]), torch.tensor([3.]), torch.ones(1, 1, 1)).tolist()
    [6.0]
    """
    check(
        input1.dtype == input2.dtype == weight.dtype,
        RuntimeError,
        f"All tensors must have the same dtype, got input1: {cpp_name(input1)}, input2: {cpp_name(input2)}, "
        f"weight: {cpp_name(weight)}",
    )
    check(
        input1.ndim == input2.ndim,
        RuntimeError,
        f"bilinear(): input dimensions do not match: got {input1.ndim} and {input2.ndim}",
    )
    for i in range(input1.ndim - 1):
        check(
            input1.shape[i] == input2.shape[i],
            RuntimeError,
            f"bilinear(): input batch dimensions do not match at dim {i}: got {input1.shape[i]} and {input2.shape[i]}",
        )
    for axis, (name, x) in enumerate((("input1", input1), ("input2", input2)), start=1):
        size = weight.shape[wrap_dim(axis, weight.ndim)]
        check(
            x.shape[-1] == size,
            RuntimeError,
            f"bilinear(): {name} size does not match weight size: got {x.shape[-1]} but expected {size}",
        )
    check(
        bias is None or bias.shape[0] == weight.shape[0],
        RuntimeError,
        f"bilinear(): bias size does not match weight size: got {0 if bias is None else bias.shape[0]} "
        f"but expected {weight.shape[0]}",
    )
    check(
        bias is None or bias.dtype == weight.dtype,
        RuntimeError,
        f"All tensors must have the same dtype, got weight: {cpp_name(weight)}, bias: {None if bias is None else cpp_name(bias)}",
    )
    check(weight.ndim == 3, RuntimeError, "number of dimensions must match")
    if category(input1) == 0:
        raise no_kernel("bmm", input1)
    out = jnp.einsum("...i,oij,...j->...o", compute(input1), compute(weight), compute(input2))
    if bias is not None:
        out = out + bias.astype(out.dtype)
    return out.astype(input1.dtype)
