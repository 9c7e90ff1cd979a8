"""Ops that move elements, pick them, or make tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._core.api import bool_, int64
from .builder import Builder, Value, dim_of, rule
from .errors import UnsupportedOperatorError
from .sizes import Size

ENDLESS = 2**62
"""An end beyond which PyTorch's slices and these are the same."""


@rule("view", "reshape", "_unsafe_view", "flatten", "unflatten", "squeeze", "view_as", "ravel")
def view(b: Builder, self: Any, *args: Any, **kwargs: Any) -> Value:
    if b.op == "view" and b.dtype is not self.dtype:
        raise UnsupportedOperatorError("a view as another dtype")
    return b.reshape(self, b.shape)


@rule("unsqueeze")
def unsqueeze(b: Builder, self: Any, dim: int) -> Value:
    return b.unsqueeze(self, [dim_of(dim, self.ndim + 1)])


@rule("t", "transpose", "swapaxes", "swapdims", "mT", "adjoint")
def transpose(b: Builder, self: Any, dim0: int = 0, dim1: int = 1) -> Value:
    if self.ndim < 2:
        return self
    if b.op in ("mT", "adjoint"):
        dim0, dim1 = -2, -1
    order = list(range(self.ndim))
    i, j = dim_of(dim0, self.ndim), dim_of(dim1, self.ndim)
    order[i], order[j] = j, i
    return b.transpose(self, order)


@rule("permute")
def permute(b: Builder, self: Any, dims: Sequence[int]) -> Value:
    return b.transpose(self, [dim_of(d, self.ndim) for d in dims])


@rule("movedim", "moveaxis")
def movedim(b: Builder, self: Any, source: Any, destination: Any) -> Value:
    n = self.ndim
    source, destination = [
        [dim_of(d, n) for d in ([x] if isinstance(x, int) else x)] for x in (source, destination)
    ]
    rest = iter([d for d in range(n) if d not in source])
    at = dict(zip(destination, source))
    return b.transpose(self, [at[d] if d in at else next(rest) for d in range(n)])


@rule("expand", "broadcast_to", "expand_as")
def expand(b: Builder, self: Any, *args: Any, **kwargs: Any) -> Value:
    return b.expand(self, b.shape)


@rule("repeat", "tile")
def repeat(b: Builder, self: Any, repeats: Sequence[Any]) -> Value:
    more = len(repeats) - self.ndim
    x = b.reshape(self, (*[1] * more, *self.shape)) if more > 0 else self
    return b("Tile", x, b.sizes([*[1] * -more, *repeats]))


@rule("slice")
def slice_(b: Builder, self: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Value:
    d = dim_of(dim, self.ndim)
    end = ENDLESS if end is None or (isinstance(end, int) and end > ENDLESS) else end
    if start in (None, 0) and step == 1 and b.shape[d] == self.shape[d]:
        return self
    return b.slice(self, d, start or 0, end, step)


@rule("narrow")
def narrow(b: Builder, self: Any, dim: int, start: Any, length: Any) -> Value:
    return b.slice(self, dim_of(dim, self.ndim), start, start + length)


@rule("select")
def select(b: Builder, self: Any, dim: int, index: Any) -> Value:
    return b("Gather", self, b.cast(index, int64), axis=dim_of(dim, self.ndim))


@rule("cat", "concat", "concatenate")
def cat(b: Builder, tensors: Sequence[Any], dim: int = 0) -> Value:
    whole = [t for t in tensors if t.shape != (0,) or len(b.shape) == 1]
    return b("Concat", *[b.cast(t, b.dtype) for t in whole], axis=dim_of(dim, len(b.shape)))


@rule("stack")
def stack(b: Builder, tensors: Sequence[Any], dim: int = 0) -> Value:
    d = dim_of(dim, len(b.shape))
    return b("Concat", *[b.unsqueeze(b.cast(t, b.dtype), [d]) for t in tensors], axis=d)


@rule(
    "split",
    "chunk",
    "split_with_sizes",
    "tensor_split",
    "unsafe_split",
    "unsafe_chunk",
    "_equal_parts",
    "unbind",
)
def split(b: Builder, self: Any, *args: Any, **kwargs: Any) -> Any:
    if b.op == "unbind":
        dim = dim_of(args[0] if args else kwargs.get("dim", 0), self.ndim)
        return [b("Gather", self, b.constant(k, int64), axis=dim) for k in range(len(b.shapes))]
    dim = args[1] if len(args) > 1 else kwargs.get("dim", -1 if b.op == "_equal_parts" else 0)
    dim = dim_of(dim, self.ndim)
    parts = [s[dim] for s in b.shapes]
    if len(parts) == 1:
        return [self]
    made = b("Split", self, b.sizes(parts), axis=dim, outputs=len(parts))
    return list(made)


@rule("flip")
def flip(b: Builder, self: Any, dims: Sequence[int]) -> Value:
    at = [dim_of(d, self.ndim) for d in dims]
    n = len(at)
    return b("Slice", self, b.ints([-1] * n), b.ints([-ENDLESS] * n), b.ints(at), b.ints([-1] * n))


@rule("roll")
def roll(b: Builder, self: Any, shifts: Any, dims: Any = ()) -> Value:
    if dims in ((), [], None):
        raise UnsupportedOperatorError("a roll of all elements: give dims")
    shifts, dims = [[x] if isinstance(x, int) else list(x) for x in (shifts, dims)]
    for shift, dim in zip(shifts, dims):
        d = dim_of(dim, self.ndim)
        n = self.shape[d]
        shift = shift % n if isinstance(n, int) and n else shift
        if shift:
            whole = self.shape
            self = b(
                "Concat", b.slice(self, d, -shift, ENDLESS), b.slice(self, d, 0, -shift), axis=d, shape=whole
            )
    return self


@rule("constant_pad_nd", "pad", "_pad_constant")
def pad(b: Builder, self: Any, pad: Sequence[Any], *rest: Any, **kwargs: Any) -> Value:
    given = [*rest, *kwargs.values()]
    mode = next((x for x in given if isinstance(x, str)), "constant")
    value = next((x for x in given if not isinstance(x, str) and x is not None), 0)
    n, half = self.ndim, len(pad) // 2
    before, after = [0] * n, [0] * n
    for k in range(half):
        before[n - 1 - k], after[n - 1 - k] = pad[2 * k], pad[2 * k + 1]
    how = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}[mode]
    return b(
        "Pad",
        self,
        b.sizes([*before, *after]),
        b.cast(value, self.dtype) if mode == "constant" else None,
        mode=how,
    )


# -- what picks elements by other tensors


@rule("embedding")
def embedding(b: Builder, weight: Any, indices: Any, *args: Any, **kwargs: Any) -> Value:
    return b("Gather", weight, indices, axis=0)


@rule("gather")
def gather(b: Builder, self: Any, dim: int, index: Any, sparse_grad: bool = False) -> Value:
    return b("GatherElements", self, index, axis=dim_of(dim, self.ndim))


@rule("take_along_dim")
def take_along_dim(b: Builder, self: Any, indices: Any, dim: int) -> Value:
    d = dim_of(dim, self.ndim)
    if any(n != m for k, (n, m) in enumerate(zip(self.shape, indices.shape)) if k != d):
        raise UnsupportedOperatorError("indices that are broadcast")
    return b("GatherElements", self, indices, axis=d)


@rule("index_select")
def index_select(b: Builder, self: Any, dim: int, index: Any) -> Value:
    return b("Gather", self, index, axis=dim_of(dim, self.ndim))


@rule("index")
def index(b: Builder, self: Any, indices: Sequence[Any]) -> Value:
    at = [d for d, i in enumerate(indices) if i is not None]
    if any(indices[d].dtype is bool_ for d in at):
        raise UnsupportedOperatorError("an index by a mask, whose result is as long as the mask says")
    given = [b.cast(indices[d], int64) for d in at]
    if len(at) == 1:
        return b("Gather", self, given[0], axis=at[0])
    count = len(at)
    rest = [d for d in range(self.ndim) if d not in at]
    first = b.transpose(self, [*at, *rest])
    picked = max(i.ndim for i in given)
    shape = b.shape[at[0] : at[0] + picked] if at == list(range(at[0], at[0] + count)) else b.shape[:picked]
    joined = b("Concat", *[b.unsqueeze(b.expand(i, shape), [picked]) for i in given], axis=picked)
    out = b("GatherND", first, joined, dtype=self.dtype, shape=(*shape, *[self.shape[d] for d in rest]))
    if at == list(range(at[0], at[0] + count)):  # the picked dims stand where the indices stood
        n = len(b.shape)
        return b.transpose(out, [*range(picked, picked + at[0]), *range(picked), *range(picked + at[0], n)])
    return out


@rule("scatter", "scatter_add")
def scatter(b: Builder, self: Any, dim: int, index: Any, src: Any, reduce: str | None = None) -> Value:
    src = src if isinstance(src, Value) else b.expand(b.cast(src, self.dtype), index.shape)
    how = {"add": "add", "multiply": "mul", None: "none"}["add" if b.op == "scatter_add" else reduce]
    return b("ScatterElements", self, index, src, axis=dim_of(dim, self.ndim), reduction=how)


@rule("triu", "tril")
def triu(b: Builder, self: Any, diagonal: int = 0) -> Value:
    if self.dtype is bool_:  # ONNX's takes booleans too, but not every runtime's
        return b.cast(
            b("Trilu", b.cast(self, int64), b.constant(diagonal, int64), upper=int(b.op == "triu")), bool_
        )
    return b("Trilu", self, b.constant(diagonal, int64), upper=int(b.op == "triu"))


@rule("repeat_interleave")
def repeat_interleave(b: Builder, self: Any, repeats: Any, dim: int | None = None, **kwargs: Any) -> Value:
    if isinstance(repeats, Value) or dim is None:
        raise UnsupportedOperatorError("repeats by a tensor, or without a dim")
    d = dim_of(dim, self.ndim)
    wide = (*self.shape[: d + 1], repeats, *self.shape[d + 1 :])
    return b.reshape(b.expand(b.unsqueeze(self, [d + 1]), wide), b.shape)


@rule("diagonal")
def diagonal(b: Builder, self: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    i, j = dim_of(dim1, self.ndim), dim_of(dim2, self.ndim)
    length = b.shape[-1]
    if isinstance(length, Size):
        raise UnsupportedOperatorError("the diagonal of a matrix of an open size")
    rest = [d for d in range(self.ndim) if d not in (i, j)]
    x = b.transpose(self, [i, j, *rest])
    at = [[k + max(-offset, 0), k + max(offset, 0)] for k in range(length)]
    out = b(
        "GatherND", x, b.constant(at, int64), dtype=self.dtype, shape=(length, *[self.shape[d] for d in rest])
    )
    return b.transpose(out, [*range(1, len(b.shape)), 0])


# -- what makes tensors


@rule("arange")
def arange(b: Builder, *given: Any, **kwargs: Any) -> Value:
    start, end, step = (
        {1: (0, *given, 1), 2: (*given, 1), 3: given}[len(given)] if given else (0, kwargs["end"], 1)
    )
    return b("Range", b.cast(start, b.dtype), b.cast(end, b.dtype), b.cast(step, b.dtype))


def _filled(b: Builder, value: Any) -> Value:
    return b.expand(b.cast(value, b.dtype), b.shape)


@rule("zeros", "ones", "zeros_like", "ones_like", "new_zeros", "new_ones", "empty", "empty_like", "new_empty")
def zeros(b: Builder, *args: Any, **kwargs: Any) -> Value:
    return _filled(b, 1 if "ones" in b.op else 0)


@rule("full", "full_like", "new_full", "fill", "scalar_tensor")
def full(b: Builder, *args: Any, **kwargs: Any) -> Value:
    value = kwargs.get(
        "fill_value",
        kwargs.get(
            "value", args[0 if b.op == "scalar_tensor" else 1] if len(args) > (b.op != "scalar_tensor") else 0
        ),
    )
    return _filled(b, value)


@rule("meshgrid")
def meshgrid(b: Builder, tensors: Sequence[Any], indexing: str = "ij") -> Any:
    found = []
    for k, t in enumerate(tensors):
        d = {0: 1, 1: 0}.get(k, k) if indexing == "xy" else k
        thin = [t.shape[0] if i == d else 1 for i in range(len(tensors))]
        found.append(b.expand(b.reshape(t, thin), b.shapes[k]))
    return found


@rule("one_hot")
def one_hot(b: Builder, self: Any, num_classes: int = -1) -> Value:
    return b("OneHot", self, b.constant([b.shape[-1]], int64), b.constant([0, 1], int64), axis=-1)


@rule("pixel_shuffle", "pixel_unshuffle")
def pixel_shuffle(b: Builder, self: Any, factor: int) -> Value:
    if b.op == "pixel_shuffle":
        return b("DepthToSpace", self, blocksize=factor, mode="CRD")
    n, c, h, w = self.shape
    if isinstance(h, Size) or isinstance(w, Size):
        raise UnsupportedOperatorError("pixel_unshuffle of an open height or width")
    x = b.reshape(self, (n, c, h // factor, factor, w // factor, factor))
    return b.reshape(b.transpose(x, [0, 1, 3, 5, 2, 4]), b.shape)


@rule("upsample_nearest2d", "upsample_bilinear2d", "upsample_bicubic2d", "interpolate", "upsample_nearest1d")
def upsample(
    b: Builder,
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: Any = None,
    *rest: Any,
    **kwargs: Any,
) -> Value:
    if b.op != "interpolate":
        mode = b.op.removeprefix("upsample_")[:-2]
        align_corners = scale_factor if mode != "nearest" and isinstance(scale_factor, bool) else False
    how = {"nearest": "nearest", "bilinear": "linear", "linear": "linear", "bicubic": "cubic"}.get(mode)
    if how is None or kwargs.get("antialias"):
        raise UnsupportedOperatorError(f"mode={mode!r} with {kwargs}")
    corner = "align_corners" if align_corners else "asymmetric" if how == "nearest" else "pytorch_half_pixel"
    more = (
        {"nearest_mode": "floor"} if how == "nearest" else {"cubic_coeff_a": -0.75} if how == "cubic" else {}
    )
    return b(
        "Resize", input, None, None, b.sizes(b.shape), mode=how, coordinate_transformation_mode=corner, **more
    )


@rule("linspace")
def linspace(b: Builder, start: Any, end: Any, steps: Any, **kwargs: Any) -> Value:
    if isinstance(steps, Size) or isinstance(start, Value) or isinstance(end, Value):
        raise UnsupportedOperatorError("linspace of an open number of steps, or between tensors")
    return b.constant(np.linspace(start, end, steps, dtype=b.dtype.np), b.dtype)


@rule("diff")
def diff(b: Builder, self: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Value:
    d = dim_of(dim, self.ndim)
    parts = [b.cast(x, self.dtype) for x in (prepend, self, append) if x is not None]
    length = sum([x.shape[d] for x in parts])  # type: ignore[index]
    for _ in range(n):
        self = (
            b("Concat", *parts, axis=d, shape=(*self.shape[:d], length, *self.shape[d + 1 :]))
            if len(parts) > 1
            else parts[0]
        )
        length = length - 1
        parts = [
            b(
                "Sub",
                b.slice(self, d, 1, ENDLESS),
                b.slice(self, d, 0, -1),
                shape=(*self.shape[:d], length, *self.shape[d + 1 :]),
            )
        ]
    return parts[0]
