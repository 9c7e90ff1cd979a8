"""Covariance, reductions over segments, limits of norms, checksums, and coordinates of nonzero elements in a fixed
number."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .._core.api import (
    Array,
    DynamicInt,
    Number,
    Order,
    SymInt,
    advise,
    check,
    dtype_of,
    dtypes,
    is_python_number,
    need_kind,
    no_kernel,
    op,
    required,
    result_dtype,
    scalar_name,
    wrap_dim,
    wrap_dims,
)
from ._pointwise import BOOL, COMPLEX, FLOAT, INT, category, converted, differentiated, fit, once
from ._special import quotient, unit_of
from .contracts import statistics as contract
from .limits import clamp
from .reduce import p_norm

INT64 = dtypes.int64.np


def _wide(x):
    """Half precision in float32."""
    return x.astype(jnp.float32) if category(x) == FLOAT and x.dtype.itemsize < 4 else x


# ---- covariance


def _check_weights(weights, name: str, integral: bool, count: int) -> None:
    check(
        weights.ndim <= 1,
        RuntimeError,
        f"cov(): expected {name} to have one or fewer dimensions but got {name} with {weights.ndim} dimensions",
    )
    fits = category(weights) == INT if integral else category(weights) == FLOAT
    kind = "integral" if integral else "floating point"
    check(
        fits,
        RuntimeError,
        f"cov(): expected {name} to have {kind} dtype but got {name} with {scalar_name(weights)} dtype",
    )
    check(
        weights.size == count,
        RuntimeError,
        f"cov(): expected {name} to have the same numel as there are observations in the input but got "
        f"{weights.size} != {count}",
    )


def _few(input, correction):
    if (input.shape[-1] if input.ndim else 1) - correction <= 0:
        advise(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.",
            once=False,
        )
    return input, correction


@op(
    out=False,
    asks=(("fweights is None and aweights is None", "input, correction", _few),),
    looks=contract.look_at_weights,
)
def cov(
    input: Array, *, correction: DynamicInt = 1, fweights: Array | None = None, aweights: Array | None = None
):
    """The covariance matrix of variables (rows) from observations (columns); a vector is one variable.

    fweights: how often each observation is counted; aweights: how much it weighs. Raises RuntimeError for
    negative weights, and for a sum of 0.

    >>> torch.cov(torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    check(
        input.ndim <= 2,
        RuntimeError,
        f"cov(): expected input to have two or fewer dimensions but got an input with {input.ndim} dimensions",
    )
    check(category(input) != BOOL, RuntimeError, "cov(): bool dtype is not supported for input")
    x = input if input.ndim == 2 else input.reshape(1, -1)
    count = x.shape[1]
    weights = None
    for given, name, integral in ((fweights, "fweights", True), (aweights, "aweights", False)):
        if given is not None:
            _check_weights(given, name, integral, count)
            given = required(given, jnp.any(given < 0), contract.NEGATIVE[name])
            weights = given if weights is None else weights * given.astype(result_dtype(weights, given).np)
    result = dtype_of(x) if weights is None else result_dtype(x, weights)
    result = dtypes.default_dtype() if result.category < FLOAT else result
    integers = x if weights is None else x * weights  # whose sum wraps, as torch's
    x = _wide(x.astype(result.np))
    real = x.real.dtype

    def summed(numbers):
        if category(integers) < FLOAT:
            return jnp.sum(integers, 1, keepdims=True, dtype=jnp.int64).astype(real)
        return jnp.sum(numbers, 1, keepdims=True)

    if weights is None:
        center, freedom = summed(x) / count if count else jnp.nan, jnp.asarray(count, real)
        freedom, weighted = freedom - jnp.asarray(correction, real), x - center
    else:
        w = weights.astype(real)
        total = jnp.sum(w)
        total = required(total, total == 0, contract.NO_WEIGHT)
        center = summed(x * w) / total
        bias = total if aweights is None else jnp.sum(w * aweights.astype(real))
        freedom = total - correction * bias / (1 if aweights is None else total)
        if aweights is None:
            freedom = total - jnp.asarray(correction, real)
        weighted = (x - center) * w
    freedom = jnp.maximum(freedom, 0)
    out = (x - center) @ jnp.conj(weighted.T)
    # a complex number by a real one: nothing left over is inf, as in torch, where a complex division would give nan
    out = lax.complex(out.real / freedom, out.imag / freedom) if jnp.iscomplexobj(out) else out / freedom
    return (out[0, 0] if out.shape == (1, 1) else out).astype(result.np)


@op(out=False, asks=(("True", "input", lambda input: _few(input, 1)[0]),))
def corrcoef(input: Array):
    """The correlation coefficients of variables (rows): their covariances over the product of their standard
    deviations.

    (n, m) to (n, n); a vector gives a number. RuntimeError for more than two dims.

    >>> torch.corrcoef(torch.tensor([[0., 1., 2.], [2., 1., 0.]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    check(
        input.ndim <= 2,
        RuntimeError,
        f"corrcoef(): expected input to have two or fewer dimensions but got an input with {input.ndim} dimensions",
    )
    if (
        category(input) >= FLOAT
    ):  # it does not change the result, and squares of what is as small or large have no value
        edge = float(jnp.finfo(input.dtype).tiny) ** 0.25
        input = quotient(input, unit_of(input, None, edge, 1 / edge))
    c = cov(input)
    if c.ndim == 0:
        return c / c
    deviation = jnp.sqrt(jnp.diagonal(c).real)
    c = quotient(quotient(c, deviation[:, None]), deviation[None, :])
    if category(c) == COMPLEX:
        return lax.complex(clamp(lax.real(c), -1, 1), clamp(lax.imag(c), -1, 1))
    return clamp(c, -1, 1)


# ---- norms


def _check_norms(p, maxnorm):
    check(not isinstance(p, complex), RuntimeError, "renorm: p must be real-valued")
    check(p > 0, RuntimeError, "renorm: non-positive-norm not supported")
    check(not isinstance(maxnorm, complex), RuntimeError, "renorm: maxnorm must be real-valued")
    if is_python_number(maxnorm):
        check(maxnorm >= 0, RuntimeError, f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    return p, maxnorm


@op(inplace=True, out="exact", asks=(("True", "p, maxnorm", _check_norms),), autocast=(None, "float"))
def renorm(input: Array, p: Order, dim: int, maxnorm: Number):
    """Scales each part of input along `dim` whose p-norm exceeds maxnorm down to it.

    Same shape and dtype, float or complex; RuntimeError for less than two dims.

    >>> torch.renorm(torch.tensor([[3., 4.], [0., 1.]]), 2, 0, 2.5)
    tensor([[1.5000, 2.0000],
            [0.0000, 1.0000]])
    """
    check(
        input.ndim > 1,
        RuntimeError,
        f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions",
    )
    axis = wrap_dim(dim, input.ndim)
    check(
        category(input) >= FLOAT,
        RuntimeError,
        f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {scalar_name(input)}",
    )
    x = _wide(input)
    norms = p_norm(x, p, tuple(a for a in range(x.ndim) if a != axis), True)
    limit = lax.convert_element_type(maxnorm, norms.dtype)
    over = norms > limit
    factor = jnp.where(
        over, quotient(limit, jnp.where(over, norms, 1) + norms.dtype.type(1e-7)), norms.dtype.type(1)
    )
    factor = jnp.where(limit >= 0, factor, jnp.nan)  # of a tensor, which could not be looked at before
    return (x * factor.astype(x.dtype)).astype(input.dtype)


# ---- segments


def _segment_ids(ends, length: int):
    """Returns the segment that each position lies in; one more than there are where it lies in none."""
    return jnp.searchsorted(ends, lax.iota(ends.dtype, length), side="right")


def _product_by_scan(data, ids, count: int):
    """Products over segments of the first dim: a scan that restarts where a segment begins; every derivative is
    right."""
    first = jnp.concatenate([jnp.ones(1, bool), ids[1:] != ids[:-1]])
    first = first.reshape(-1, *[1] * (data.ndim - 1)) & jnp.ones(data.shape, bool)

    def join(a, b):
        return a[0] | b[0], jnp.where(b[0], b[1], a[1] * b[1])

    _, running = lax.associative_scan(join, (first, data))
    last = jnp.concatenate([ids[1:] != ids[:-1], jnp.ones(1, bool)])
    # each segment has one last position: a sum over it picks the product
    picked = jnp.where(last.reshape(-1, *[1] * (data.ndim - 1)), running, 0)
    some = jax.ops.segment_sum(jnp.ones(ids.shape, INT64), ids, count + 1)[:count] > 0
    out = jax.ops.segment_sum(picked, ids, count + 1)[:count]
    return jnp.where(some.reshape(-1, *[1] * (data.ndim - 1)), out, 1).astype(data.dtype)


def _extreme_of_segments(data, ids, count: int, largest: bool, initial):
    """Extremes over segments; ties, with each other and not with `initial`, share the gradient evenly, and so do
    nans."""

    start = initial if initial is not None else -jnp.inf if largest else jnp.inf

    def share(t, out, data, ids, start):
        of_mine = out[ids]
        won = converted((data == of_mine) | (jnp.isnan(data) & jnp.isnan(of_mine)), data.dtype)
        ties = jax.ops.segment_sum(won, ids, count + 1)
        return jax.ops.segment_sum(won * t, ids, count + 1) / jnp.maximum(ties, 1)

    @differentiated(share, None, None)
    def extreme(data, ids, start):
        out = (jax.ops.segment_max if largest else jax.ops.segment_min)(data, ids, count + 1)
        out = (jnp.maximum if largest else jnp.minimum)(out, start)
        broken = jax.ops.segment_sum(converted(jnp.isnan(data), data.dtype), ids, count + 1) > 0
        return jnp.where(broken, jnp.nan, out)

    return extreme(once(data), ids, jnp.asarray(start, data.dtype))[:count]


def _reduce_segments(data, ends, starts, reduce: str, initial):
    """Over segments of the first dim."""
    count = ends.shape[0]
    ids = _segment_ids(ends, data.shape[0])
    if count:  # what lies before the first segment is in none
        ids = jnp.where(jnp.arange(data.shape[0]) < starts[0], count, ids)
    if reduce in ("max", "min", "amax", "amin"):
        return _extreme_of_segments(data, ids, count, reduce.endswith("max"), initial)
    if reduce == "prod":
        out = _product_by_scan(data, ids, count)
        return out if initial is None else out * jnp.asarray(initial, data.dtype)
    out = jax.ops.segment_sum(data, ids, count + 1)[:count]
    if initial is not None:
        out = out + jnp.asarray(initial, data.dtype)
    if reduce == "sum":
        return out
    sizes = (ends - starts).astype(data.dtype).reshape(-1, *[1] * (data.ndim - 1))
    mean = out / jnp.where(sizes == 0, 1, sizes)
    return jnp.where(sizes == 0, jnp.asarray(jnp.nan if initial is None else initial, data.dtype), mean)


def _check_segments(data, reduce: str, lengths, indices, offsets, axis: int) -> None:
    check(
        reduce in ("sum", "mean", "prod", "max", "min", "amax", "amin"),
        RuntimeError,
        f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}",
    )
    check(indices is None, RuntimeError, "segment_reduce(): indices based reduction is not supported yet.")
    given = lengths if lengths is not None else offsets
    check(given is not None, RuntimeError, "segment_reduce(): Either lengths or offsets must be defined.")
    check(
        data.ndim >= given.ndim,
        RuntimeError,
        "Expected data.dim() >= lengths_value.dim() to be true, but got false.",
    )
    check(axis == given.ndim - 1, RuntimeError, "Expected axis == lengths.dim() - 1")
    check(  # torch reads what lies beyond
        given.shape[:-1] == data.shape[:axis],
        RuntimeError,
        f"segment_reduce(): lengths or offsets are of shape {list(given.shape)}, whose dims before axis {axis} are not those of data, "
        f"{list(data.shape)}",
    )
    need_kind(data, "f", "_segment_reduce_cpu")
    if given.dtype not in (np.int32, np.int64):
        kernel = "lengths" if offsets is None else "offsets"
        raise no_kernel(f"_segment_reduce_{kernel}_cpu_kernel1", given)
    if lengths is None:
        check(
            offsets.shape[-1] > 0,
            RuntimeError,
            f"Trying to create tensor with negative dimension -1: {[*offsets.shape[:-1], -1, *data.shape[axis + 1 :]]}",
        )


@op(method=False, out=False, looks=contract.look_at_segments, numbers=fit("initial"))
def segment_reduce(
    data: Array,
    reduce: str,
    *,
    lengths: Array | None = None,
    indices: Array | None = None,
    offsets: Array | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: Number | None = None,
):
    """Reduces consecutive pieces of `data` along `axis`, of the given lengths or between the given offsets.

    reduce: "sum", "mean", "prod", "max" or "min". `lengths` and `offsets` have the dims of data before `axis`, and
    one more. Unless `unsafe`, lengths must add up to the size of the dim, which is checked if their values are known;
    elements beyond the last segment are left out.

    >>> torch.segment_reduce(torch.tensor([1.0, 2.0, 3.0]), "sum", lengths=torch.tensor([2, 1]))
    tensor([3., 3.])
    """
    axis = wrap_dim(axis, data.ndim)
    _check_segments(data, reduce, lengths, indices, offsets, axis)
    if lengths is not None:
        if not unsafe:
            sums = jnp.sum(lengths, -1, dtype=INT64)
            lengths = required(lengths, jnp.any(lengths < 0), contract.NEGATIVE_LENGTH)
            lengths = required(lengths, jnp.any(sums != data.shape[axis]), contract.OTHER_SUM)
        ends = jnp.cumsum(lengths, axis=-1, dtype=INT64)
        starts = ends - lengths.astype(INT64)
    else:
        offsets = required(offsets, jnp.any(jnp.diff(offsets) < 0), contract.NOT_ASCENDING)
        starts, ends = offsets[..., :-1].astype(INT64), offsets[..., 1:].astype(INT64)  # type: ignore[index]

    def run(d, e, s):
        return _reduce_segments(d, e, s, reduce, initial)

    for _ in range(axis):
        run = jax.vmap(run)
    return run(_wide(data), ends, starts).astype(data.dtype)


# ---- checksums, coordinates


@op(out="exact")
def hash_tensor(input: Array, dim: int | tuple | None = (), *, keepdim: bool = False, mode: int = 0):
    """A checksum over `dim` as uint64: the exclusive or of the elements' bits, as int64 or float64. `mode` must be 0.

    >>> torch.hash_tensor(torch.tensor([1, 2]))
    tensor(3, dtype=torch.uint64)
    """
    check(mode == 0, RuntimeError, f"Unknown hash_tensor mode: {mode}")
    need_kind(input, "bif", "xor_sum_cpu")
    axes = wrap_dims(dim, input.ndim)
    check(
        input.size > 0 or (dim is not None and dim != ()),
        RuntimeError,
        "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. "
        "Specify the reduction dim with the 'dim' argument.",
    )
    for a in axes:
        check(
            input.ndim == 0 or input.shape[a] > 0,
            IndexError,
            f"hash_tensor: Expected reduction dim {a} to have non-zero size.",
        )
    x = lax.stop_gradient(input)
    if category(x) == FLOAT:
        bits = lax.bitcast_convert_type(x.astype(jnp.float64), jnp.uint64)
    else:
        bits = x.astype(INT64).astype(jnp.uint64)
    out = lax.reduce(bits, np.uint64(0), lax.bitwise_xor, axes)
    return jnp.expand_dims(out, axes) if keepdim else out


@op(saves="nothing", out="exact")
def nonzero_static(input: Array, *, size: SymInt, fill_value: DynamicInt = -1):
    """The coordinates of the first `size` nonzero elements, int64 of shape (size, ndim); the rest is filled with
    fill_value.

    Unlike `nonzero` it has a shape that does not depend on values: it works inside vmap and compiled functions.

    >>> torch.nonzero_static(torch.tensor([0, 1, 2]), size=3)
    tensor([[ 1],
            [ 2],
            [-1]])
    """
    check(size >= 0, RuntimeError, "nonzero_static: 'size' must be an non-negative integer")
    if input.ndim == 0:
        return jnp.zeros((size, 0), INT64)
    if input.size == 0:
        return jnp.full((size, input.ndim), fill_value, INT64)
    found = jnp.nonzero(lax.stop_gradient(input), size=size, fill_value=fill_value)
    return jnp.stack([f.astype(INT64) for f in found], 1)
