"""Convolutions and pooling of an input that is cut along a dimension that windows move over: every device computes its
own places.

The elements that its windows read beyond its own shard (the halo) are received from its neighbours, by `ppermute`.
XLA's partitioner does so for a convolution alone; it gathers the input for gradients of weights, for parts that are
not even, and for pooling. All derivatives are JAX's, of the exchange too.

Along such a dimension of W elements, k devices have s = ceil(W / k) each, and compute t = ceil(O / k) of the O places.
Device i needs the elements from i·t·stride - pad on; it has those from i·s on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jax.sharding import NamedSharding, PartitionSpec

from ._propagation import Spec

__all__ = ["over_parts", "recut"]


class Windows(NamedTuple):
    """How windows move over the last dims of an op's input, and the op of what they show.

    `fill` is what they show beyond its ends. `call(arrays, pads)` is the op of some arrays, the input first, with other
    pads."""

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]
    dilation: tuple[int, ...]
    fill: Any
    groups: int
    arrays: tuple[Any, ...]
    call: Callable[[Sequence[Any], Sequence[tuple[int, int]]], Any]


def _each(value: Any, n: int) -> tuple[int, ...]:
    if isinstance(value, int):
        return (value,) * n
    given = tuple(value)
    return given * n if len(given) == 1 else given


def _padded(x: Any, pads: Sequence[tuple[int, int]], fill: Any) -> Any:
    if not any(map(any, pads)):
        return x
    around = [(0, 0, 0)] * (x.ndim - len(pads)) + [(low, high, 0) for low, high in pads]
    return jax.lax.pad(x, jnp.asarray(fill, x.dtype), around)


def _convolution(op: Any, args: list) -> Windows:
    x, w, b, stride, padding, dilation, groups = args
    n = w.ndim - 2
    stride, dilation = _each(stride, n), _each(dilation, n)
    if isinstance(padding, str):
        reach = [d * (k - 1) * (padding == "same") for d, k in zip(dilation, w.shape[2:])]
        pads = [(r // 2, r - r // 2) for r in reach]
    else:
        pads = [(p, p) for p in _each(padding, n)]

    def call(arrays: Sequence[Any], pads: Sequence[tuple[int, int]]) -> Any:
        x, w, b = (*arrays, None)[:3]
        uneven = [(0, 0) if low == high else (low, high) for low, high in pads]
        even = tuple([low if low == high else 0 for low, high in pads])
        return op(_padded(x, uneven, 0), w, b, stride, even, dilation, groups)

    arrays = (x, w) if b is None else (x, w, b)
    return Windows(w.shape[2:], stride, tuple(pads), dilation, 0, groups, arrays, call)


def _max_pool(op: Any, args: list) -> Windows | None:
    x, kernel, stride, padding, dilation, ceil_mode, return_indices = args
    if return_indices or ceil_mode:
        return None
    n = int(op.name[-2])
    kernel = _each(kernel, n)
    stride = kernel if stride is None or stride == () else _each(stride, n)
    pads, dilation = tuple([(p, p) for p in _each(padding, n)]), _each(dilation, n)
    fill = -math.inf if jnp.issubdtype(x.dtype, jnp.floating) else jnp.iinfo(x.dtype).min

    def call(arrays: Sequence[Any], pads: Sequence[tuple[int, int]]) -> Any:
        return op(arrays[0], kernel, stride, tuple([low for low, _ in pads]), dilation, False, False)

    return Windows(kernel, stride, pads, dilation, fill, 1, (x,), call)


def _avg_pool(op: Any, args: list) -> Windows | None:
    x, kernel, stride, padding, ceil_mode, count_include_pad, *divisor = args
    n = int(op.name[-2])
    kernel = _each(kernel, n)
    stride = kernel if stride is None or stride == () else _each(stride, n)
    pads = tuple([(p, p) for p in _each(padding, n)])
    if ceil_mode or divisor[:1] not in ([], [None]) or (any(map(any, pads)) and not count_include_pad):
        return None

    def call(arrays: Sequence[Any], pads: Sequence[tuple[int, int]]) -> Any:
        return op(arrays[0], kernel, stride, tuple([low for low, _ in pads]))

    return Windows(kernel, stride, pads, (1,) * n, 0, 1, (x,), call)


_OPS = {
    **{f"nn.functional.conv{n}d": _convolution for n in (1, 2, 3)},
    **{f"nn.functional.max_pool{n}d": _max_pool for n in (1, 2, 3)},
    **{f"nn.functional.avg_pool{n}d": _avg_pool for n in (1, 2, 3)},
    **{
        f"nn.functional.{name}": lambda op, args: None
        for name in ("conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "conv_tbc")
    },
}


def over_parts(op: Any, static: tuple, args: list, layouts: Sequence[Any]) -> Any:
    """The result of an op on a mesh, with every device computing its own indices; None if XLA should compute it.
    layouts: the layouts of its inputs, None for inputs that are not on a mesh.

    Batches stay sharded, and so do a convolution's channels where its weight is sharded; everything else that is
    sharded is gathered, and so are dimensions of which a single index remains.
    """
    on = next((on for on in layouts if on is not None), None)
    name = getattr(op, "name", "")
    if on is None or name not in _OPS:
        return None
    windows = _OPS[name](op, op.arguments(static, args))
    together = all(other is None or other.mesh == on.mesh for other in layouts)
    if windows is None or not together or layouts[0] is None or on.mesh.ndim == 0:
        return _whole(op, static, args, on)
    x, *rest = windows.arrays
    first = x.ndim - len(windows.kernel)
    given = on.spec(x.ndim)
    if not any(given[first:]):
        return _whole(op, static, args, on)
    out = jax.eval_shape(lambda *arrays: windows.call(arrays, windows.pads), *windows.arrays).shape
    batch = first - 1 if rest else first  # the dims in front that are computed one by one
    spec = [dims if d < batch or (d >= first and out[d] > 1) else () for d, dims in enumerate(given)]
    left = [i for i in range(on.mesh.ndim) if all(i not in dims for dims in spec)]
    channels: tuple[int, ...] = ()
    if rest and windows.groups == 1 and layouts[1] is not None:
        channels = tuple([i for i in left if layouts[1].placements[i].is_shard(0)])
    made = tuple([channels if rest and d == first - 1 else dims for d, dims in enumerate(spec)])
    return _exchanged(
        windows, on, [tuple(spec), *[(channels,) + ((),) * (a.ndim - 1) for a in rest]], made, out
    )


def _whole(op: Any, static: tuple, args: list, on: Any) -> Any:
    """The same of whole images; None where XLA's partitioner may cut them (jaxlib 0.10.2): it makes wrong convolutions
    where images are cut along one dimension of the mesh and channels along another, and wrong transposed ones of any
    cut but the batch's."""
    if "pool" in op.name or (on.mesh.root.ndim == 1 and "transpose" not in op.name):
        return None
    n = 1 if op.name.endswith("conv_tbc") else int(op.name[-2])

    def images(x: Any) -> Any:
        there = n + 1 if "transpose" in op.name else n
        return recut(x, x.shape, (None,) * (x.ndim - there) + ((),) * there, on.mesh)

    return images(op.call(static, [images(x) if getattr(x, "ndim", 0) > n else x for x in args]))


def _exchanged(w: Windows, on: Any, specs: list[Spec], made: Spec, out: tuple[int, ...]) -> Any:
    """specs: how the arrays are cut, made: the result, whose shape is `out`."""
    sizes = on.mesh.shape
    first, whole = w.arrays[0].ndim - len(w.kernel), w.arrays[0].shape
    pads = [(0, 0) if made[first + d] else pad for d, pad in enumerate(w.pads)]

    def axes(dims: tuple[int, ...]) -> tuple[str, ...]:
        return _axes(dims, on.mesh)

    placed = partial(_placed, mesh=on.mesh)

    def counts(spec: Spec) -> list[int]:
        return [math.prod([sizes[i] for i in dims]) for dims in spec]

    def local(x: Any, *rest: Any) -> Any:
        for d, (k, stride, (low, _), dilation) in enumerate(
            zip(w.kernel, w.stride, w.pads, w.dilation), first
        ):
            if made[d]:
                line = _Line(d, axes(made[d]), counts(made)[d], whole[d], out[d])
                x = line.shown(x, stride, low, dilation * (k - 1) + 1, w.fill)
        return w.call((x, *rest), pads)

    arrays = [
        recut(x, tuple([-(-n // k) * k for n, k in zip(x.shape, counts(spec))]), spec, on.mesh)
        for x, spec in zip(w.arrays, specs)
    ]
    names = {a for dims in made for a in axes(dims)}
    if names:
        local = jax.shard_map(
            local,
            mesh=on.mesh.root._jax,
            in_specs=tuple(map(placed, specs)),
            out_specs=placed(made),
            axis_names=names,
            check_vma=False,
        )
    return recut(local(*arrays), out, made, on.mesh)


class _Line(NamedTuple):
    """A dimension that is cut over `devices` along `axes`: of so many elements, and so many places."""

    dim: int
    axes: tuple[str, ...]
    devices: int
    elements: int
    places: int

    def shown(self, x: Any, stride: int, low: int, reach: int, fill: Any) -> Any:
        """Returns the elements that the windows of a device show, of its part and its neighbours': windows of `reach`
        elements, the first of which begins `low` before the first element."""
        s, t = x.shape[self.dim], -(-self.places // self.devices)
        size = (t - 1) * stride + reach
        before, after, ahead, behind = 0, 0, 0, 0
        for i in range(-(-self.places // t)):
            begin = i * t * stride - low
            last = min((i + 1) * t, self.places) - 1
            before, after = max(before, i * s - begin), max(after, begin + size - (i + 1) * s)
            ahead = max(ahead, min(i * s - begin, i * s))
            end = min(last * stride - low + reach, self.elements)
            behind = max(behind, end - (i + 1) * s)
        parts = [self._moved(x, h, min(s, ahead - (h - 1) * s)) for h in range(-(-ahead // s), 0, -1)]
        parts += [x] + [
            self._moved(x, -h, min(s, behind - (h - 1) * s)) for h in range(1, -(-behind // s) + 1)
        ]
        around = [(0, 0)] * x.ndim
        around[self.dim] = (before - ahead, after - behind)
        x = jnp.pad(jnp.concatenate(parts, self.dim) if len(parts) > 1 else x, around)
        at = jax.lax.axis_index(self.axes)
        if fill != 0:
            number = at * s - before + jnp.arange(x.shape[self.dim], dtype=jnp.int32)
            there = jnp.expand_dims(
                (number >= 0) & (number < self.elements), [d for d in range(x.ndim) if d != self.dim]
            )
            x = jnp.where(there, x, jnp.asarray(fill, x.dtype))
        if t * stride == s:
            return jax.lax.slice_in_dim(x, before - low, before - low + size, axis=self.dim)
        return jax.lax.dynamic_slice_in_dim(x, at * (t * stride - s) + (before - low), size, self.dim)

    def _moved(self, x: Any, by: int, length: int) -> Any:
        """The last `length` elements of the device `by` before this one, the first of one behind; zeros where there is
        none."""
        s = x.shape[self.dim]
        begin, end = (s - length, s) if by > 0 else (0, length)
        pairs = [(j, j + by) for j in range(self.devices) if 0 <= j + by < self.devices]
        return jax.lax.ppermute(jax.lax.slice_in_dim(x, begin, end, axis=self.dim), self.axes, pairs)


# -- arrays of another length -----------------------------------------------------------------------------------------

_recut_p = Primitive("recut")


def recut(x: Any, shape: tuple[int, ...], spec: Sequence[tuple[int, ...] | None], on: Any) -> Any:
    """An array with its dimensions cut off or made longer by zeros, at their ends, and where it is then: for each
    dimension `spec` has the dimensions of the mesh `on` that it is cut over, None where it stays as it is. Its
    transpose is itself."""
    return _recut_p.bind(x, shape=shape, spec=tuple(spec), on=on)


def _axes(dims: tuple[int, ...], on: Any) -> tuple[str, ...]:
    return tuple([a for i in dims for a in on._axes[i]])


def _placed(spec: Sequence[tuple[int, ...] | None], mesh: Any) -> PartitionSpec:
    return PartitionSpec(
        *[PartitionSpec.UNCONSTRAINED if dims is None else _axes(dims, mesh) or None for dims in spec]
    )


def _recut(x: Any, *, shape: tuple[int, ...], spec: tuple, on: Any) -> Any:
    sharding = NamedSharding(on.root._jax, _placed(spec, on))
    x = x[tuple([slice(n) for n in shape])]
    if x.shape != shape:
        x = jax.lax.with_sharding_constraint(x, sharding)
        x = jnp.pad(x, [(0, n - m) for m, n in zip(x.shape, shape)])
    return jax.lax.with_sharding_constraint(x, sharding)


def _recut_transpose(cotangent: Any, x: Any, *, shape: tuple[int, ...], **params: Any) -> list:
    return [_recut_p.bind(cotangent, shape=x.aval.shape, **params)]


def _recut_batched(args: Any, axes: Any, *, shape: tuple[int, ...], spec: tuple, on: Any) -> Any:
    x = jnp.moveaxis(args[0], axes[0], 0)
    return _recut_p.bind(x, shape=(x.shape[0], *shape), spec=(None, *spec), on=on), 0


_recut_p.def_abstract_eval(lambda x, *, shape, **_: jax.core.ShapedArray(shape, x.dtype))
_recut_p.def_impl(lambda x, **params: jax.jit(partial(_recut, **params))(x))
ad.deflinear2(_recut_p, _recut_transpose)
batching.primitive_batchers[_recut_p] = _recut_batched
mlir.register_lowering(_recut_p, mlir.lower_fun(_recut, multiple_results=False))
