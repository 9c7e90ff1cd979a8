"""Look-ups by class: embedding and one_hot.

An error that torch finds by reading values (an index out of range) cannot be raised inside a program, which reports
it instead (`bounded`); the result is poisoned on purpose (nan, or the lowest integer), never plausible.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from functorch_lite._core.api import Array, Number, bounded, check, scalar_name
from functorch_lite.ops._pointwise import category, differentiated

from ._declare import nn_op

__all__ = ["embedding", "one_hot"]


def _poison(d):
    """A value of dtype d that can not be taken for a result."""
    if jnp.issubdtype(d, jnp.inexact):
        return np.asarray(np.nan, d)
    return np.asarray(False if d == np.bool_ else np.iinfo(d).min, d)


def look_up(input, weight, name: str):
    """The rows of weight that input names."""
    check(
        input.dtype in (jnp.int32, jnp.int64),
        RuntimeError,
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
        f"torch.{scalar_name(input)}Tensor instead (while checking arguments for {name})",
    )
    input = bounded(input, weight.shape[0], "bag" if name == "embedding_bag" else "self")
    return weight.at[input].get(mode="fill", fill_value=_poison(weight.dtype), wrap_negative_indices=False)


def by_frequency(rows, input, number: int):
    """rows, whose gradient is divided by how often each index occurs in input."""
    counts = jnp.zeros(number, jnp.int32).at[input.reshape(-1)].add(1, mode="drop")
    if category(rows) < 2:  # which have no gradient
        return rows
    share = 1 / jnp.maximum(counts, 1).at[input].get(mode="clip").astype(rows.dtype)
    return _with_slope(rows, jnp.broadcast_to(share[..., None], rows.shape))


@differentiated(lambda t, out, rows, share: t * share, None)
def _with_slope(rows, share):
    return rows


@nn_op(float8=True, mixes_devices=True)
def embedding(
    input: Array,
    weight: Array,
    padding_idx: int | None = None,
    max_norm: Number | None = None,
    norm_type: Number = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
):
    """The rows of weight (number, features) that input names; the row `padding_idx` gets no gradient.

    scale_grad_by_freq: gradients are divided by how often the row is looked up. sparse: gradients are dense all the
    same.

    >>> F.embedding(torch.tensor([1]), torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[3., 4.]])
    """
    if max_norm is not None:
        raise NotImplementedError("the pure function does not renormalize; F.embedding does, in place")
    check(weight.ndim == 2, RuntimeError, "'weight' must be 2-D")
    number = weight.shape[0]
    if padding_idx is not None:
        check(-number <= padding_idx < number, AssertionError, "Padding_idx must be within num_embeddings")
        padding_idx %= number
    rows = look_up(input, weight, "embedding")
    rows = by_frequency(rows, input, number) if scale_grad_by_freq else rows
    if padding_idx is not None and category(weight) >= 2:
        rows = jnp.where((input == padding_idx)[..., None], jax.lax.stop_gradient(rows), rows)
    return rows


def _check_index(input) -> None:
    check(
        input.dtype == jnp.int64,
        RuntimeError,
        "one_hot is only applicable to index tensor of type LongTensor.",
    )


@nn_op()
def one_hot(input: Array, num_classes: int = -1):
    """A new last dim of num_classes that is 1 where its index equals input, else 0; int64.

    num_classes=-1, which reads the values, is `_one_hot_inferred`. A class outside gives a row of the lowest integer.

    >>> F.one_hot(torch.tensor([1]), 3)
    tensor([[0, 1, 0]])
    """
    _check_index(input)
    if num_classes == -1:
        raise NotImplementedError("one_hot: num_classes=-1 depends on the values; give the number of classes")
    check(num_classes > 0, RuntimeError, "Class values must be smaller than num_classes.")
    input = bounded(input, num_classes, "classes")
    classes = jnp.arange(num_classes, dtype=input.dtype)
    hot = (input[..., None] == classes).astype(jnp.int64)
    inside = (input >= 0) & (input < num_classes)
    return jnp.where(inside[..., None], hot, _poison(hot.dtype))


@nn_op(host=True)
def _one_hot_inferred(input: Array):
    """one_hot with as many classes as the largest value needs."""
    _check_index(input)
    values = np.asarray(input)
    check(values.size > 0, RuntimeError, "Can not infer total number of classes from empty tensor.")
    check(values.min() >= 0, RuntimeError, "Class values must be non-negative.")
    return (values[..., None] == np.arange(values.max() + 1)).astype(np.int64)
