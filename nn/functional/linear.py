"""Linear maps: linear and bilinear."""

from __future__ import annotations

import math
from functools import partial

import jax
import jax.numpy as jnp

from functorch_lite._core.api import (
    Array,
    converted,
    for_cpu,
    from_numpy,
    is_at_least,
    of_tensors,
)

from ._contracts import linear as contract
from ._declare import compute, nn_op

__all__ = ["bilinear", "linear"]


def _dot(x, w):
    """x @ w.T over the last dims; half precision is summed in float32."""
    if x.size == x.shape[-1] and is_at_least(w.size, _MANY) and w.ndim == 2 and for_cpu():
        return _dot_of_one_row(x, w)
    return _dot_as_it_is(x, w)  # hot path


_MANY = 1 << 16
"""Elements of a result from which on its gradient is kept apart."""


def _dot_as_it_is(x, w):
    """The product; on the CPU a barrier keeps what follows apart from it, and so does that barrier's derivative for the
    gradient.

    The gradient of the result is read in its order and transposed: without the barrier XLA for CPU computes it twice,
    the second time column by column (three times as long as the transposition of the finished array; 4 % of a
    transformer block's step).
    """
    wide = jnp.float32 if from_numpy(x.dtype).is_narrow else None
    out = jax.lax.dot_general(x, w, (((x.ndim - 1,), (w.ndim - 1,)), ((), ())), preferred_element_type=wide)
    if is_at_least(out.size, _MANY) and for_cpu():
        return jax.lax.optimization_barrier(out)
    return out


@jax.custom_jvp
def _dot_of_one_row(x, w):
    return _dot_as_it_is(x, w)


@partial(_dot_of_one_row.defjvp, symbolic_zeros=True)
def _dot_of_one_row_jvp(primals, tangents):
    """The gradient of w is an outer product, for every sample under vmap: of two rows, the second being zero.

    For a single row XLA would emit a multiplication, and fuse into it everything that computes x, which would then be
    recomputed for every row of w.
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


@nn_op(out="exact", grad=_grad_of_linear, autocast="lower", float8=True, adds_last="bias")
def linear(input: Array, weight: Array, bias: Array | None = None):
    """input @ weight.T + bias, over the last dim of input.

    weight: (out, in), or (in,) for a result without the last dim; bias: anything that broadcasts to the result.

    >>> F.linear(torch.ones(1, 2), torch.ones(3, 2), torch.ones(3))
    tensor([[3., 3., 3.]])
    """
    contract.check_linear(input, weight, bias)
    out = _dot(input, weight)
    if bias is not None:
        # torch adds it to a matrix of rows where the input is one row, or has three dims and the bias only one longer
        # than 1
        matrix = (math.prod(out.shape[:-1]), *out.shape[-1:])
        row = input.ndim == 1 or (input.ndim == 3 and sum(n != 1 for n in bias.shape) == 1)
        whole = matrix if bias.ndim == 2 == weight.ndim and row else out.shape
        contract.check_added(bias, whole, matrix)
        out = (out.reshape(whole) + bias.astype(out.dtype)).reshape(out.shape)
    return converted(out, input.dtype)


@nn_op(autocast=(None, "widest"), adds_last="bias")
def bilinear(input1: Array, input2: Array, weight: Array, bias: Array | None = None):
    """out[..., o] = sum over i, j of input1[..., i] * weight[o, i, j] * input2[..., j], plus bias[o].

    (…, I), (…, J) and weight (O, I, J) to (…, O).

    >>> F.bilinear(torch.tensor([2.]), torch.tensor([3.]), torch.ones(1, 1, 1)).tolist()
    [6.0]
    """
    contract.check_bilinear(input1, input2, weight, bias)
    out = jnp.einsum("...i,oij,...j->...o", compute(input1), compute(weight), compute(input2))
    if bias is not None:
        out = out + bias.astype(out.dtype)
    return out.astype(input1.dtype)
