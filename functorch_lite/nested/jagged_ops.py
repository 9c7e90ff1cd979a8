"""The functions that jagged tensors support in addition to the pointwise ones, by name: HANDLERS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core.api import Tensor, namespace
from .._core.api import functions as torch
from .jagged import HANDLERS, NestedTensor, RaggedSize, holes, pack, wrap

__all__: list[str] = []

F = namespace("nn.functional")


def _handles(*names: str) -> Callable:
    def register(fn: Callable) -> Callable:
        HANDLERS.update(dict.fromkeys(names, fn))
        return fn

    return register


def _alike(t: NestedTensor, values: Any, ragged: int | None = None) -> NestedTensor:
    return wrap(values, t._structure, t._ragged_idx if ragged is None else ragged)


def _not_ragged(t: NestedTensor, dim: int, name: str) -> int:
    """dim, counted from the front; an error for the batch and the ragged dim."""
    d = t._positive(dim)
    if d == 0:
        raise RuntimeError(f"{name}(): not supported for NestedTensor on dim=0")
    if d == t._ragged_idx:
        raise RuntimeError(f"{name}(): not supported for NestedTensor on ragged dim")
    return d


def _from_padded(padded: Any, t: NestedTensor, ragged: int) -> NestedTensor:
    """The nested tensor with t's structure of a dense one, whose dim `ragged` is as long as t's longest part."""
    part, position = t._structure.places(t._values.shape[t._ragged_idx - 1])
    return wrap(padded.movedim(ragged, 1)[part, position].movedim(0, ragged - 1), t._structure, ragged)


# -- reductions --------------------------------------------------------------------------------------------------------


def _identity(name: str, t: NestedTensor) -> Any:
    """Returns the number that fills the ends of parts so that a reduction does not see them."""
    d = t.dtype
    least, most = (-float("inf"), float("inf"))
    if d.category == 1:
        info = torch.iinfo(d)
        least, most = info.min, info.max
    elif d.category == 0:
        least, most = False, True
    return {"amax": least, "max": least, "argmax": least, "amin": most, "min": most, "argmin": most, "prod": 1, "all": True}.get(name, 0)  # fmt: skip


def _reduced(name: str, t: NestedTensor, dims: tuple[int, ...], keepdim: bool, extra: dict) -> Any:
    """A reduction of t along dims."""
    r = t._ragged_idx
    holes(t, name)
    fn = getattr(torch, name)
    one = len(dims) == 1 and name not in ("sum", "mean", "amax", "amin")

    def along(x: Any, where: tuple[int, ...]) -> Any:
        if name in ("all", "any", "prod") and len(where) > 1:
            for d in sorted(where, reverse=True):
                x = fn(x, d, keepdim=keepdim, **extra)
            return x
        single = one or len(where) == 1
        return fn(x, where[0] if single else where, keepdim=keepdim, **extra)  # type: ignore

    if 0 in dims and r not in dims:
        raise RuntimeError(
            f"{name}(): reducing along the batch dimension but not the ragged dimension is not supported for nested tensors"
        )
    if r in dims and 0 not in dims and len(dims) > 1:
        if name == "mean":
            raise AssertionError(
                "Cannot reduce on both ragged and non-batch dimensions without also reducing on batch"
            )
        raise RuntimeError(
            f"{name}(): reducing along a ragged and non-batch dimension is not supported for nested tensors"
        )
    if r in dims and 0 in dims:
        out = along(t._values, tuple([d - 1 for d in dims if d]))
        return out.unsqueeze(0) if keepdim else out
    if r in dims:
        if name == "mean":
            total = t._padded(0).sum(r, keepdim=keepdim, **extra)
            counts = t._structure.extents()
            return total / counts.reshape(-1, *[1] * (total.ndim - 1)).to(total.dtype)  # type: ignore[attr-defined]
        return along(t._padded(_identity(name, t)), (r,))
    out = along(t._values, tuple([d - 1 for d in dims]))
    ragged = r if keepdim else r - sum(d < r for d in dims)
    if isinstance(out, tuple):
        return type(out)(*[wrap(x, t._structure, ragged) for x in out])
    return wrap(out, t._structure, ragged)


def _reduction(name: str, several: bool) -> Callable:
    def fn(input, dim=None, keepdim=False, **extra):
        if extra.pop("out", None) is not None:
            raise NotImplementedError(f"{name}(): out= is not supported for nested tensors")
        if dim is None or dim == ():
            holes(input, name)
            return getattr(torch, name)(input._values, **extra)
        if not isinstance(dim, int) and not several:
            raise NotImplementedError(f"{name}(): several dims are not supported for nested tensors")
        given = (dim,) if isinstance(dim, int) else tuple(dim)
        return _reduced(name, input, tuple([input._positive(d) for d in given]), keepdim, extra)

    return fn


for _name in ("sum", "mean", "amax", "amin", "all", "any"):
    HANDLERS[_name] = _reduction(_name, True)
for _name in ("prod", "argmax", "argmin"):
    HANDLERS[_name] = _reduction(_name, False)


def _extreme(name: str) -> Callable:
    reduce = _reduction(name, False)

    def fn(input, dim=None, keepdim=False, **extra):
        if isinstance(dim, Tensor):
            raise NotImplementedError(f"{name}() of two nested tensors: use torch.{name}imum")
        return reduce(input, dim, keepdim, **extra)

    return fn


HANDLERS["max"], HANDLERS["min"] = _extreme("max"), _extreme("min")


@_handles("softmax")
def _softmax(input, dim, dtype=None, _stacklevel=3):
    d = input._positive(dim)
    if d == 0:
        raise RuntimeError(
            "softmax(): not supported when reducing across the batch dimension for NestedTensor"
        )
    if d != input._ragged_idx:
        return _alike(input, torch.softmax(input._values, d - 1, dtype=dtype))
    holes(input, "softmax")
    return _from_padded(torch.softmax(input._padded(-float("inf")), d, dtype=dtype), input, d)


@_handles("log_softmax")
def _log_softmax(input, dim, dtype=None, _stacklevel=3):
    d = input._positive(dim)
    if d in (0, input._ragged_idx):
        across = "batch" if d == 0 else "ragged"
        raise RuntimeError(
            f"log_softmax(): not supported when reducing along the {across} dimension for NestedTensor"
        )
    return _alike(input, torch.log_softmax(input._values, d - 1, dtype=dtype))


# -- layers ------------------------------------------------------------------------------------------------------------


def _last_is_dense(t: Any, name: str, count: int = 1) -> None:
    if not isinstance(t, NestedTensor):
        raise NotImplementedError(f"{name}(): only the input may be a nested tensor")
    holes(t, name)
    if t._ragged_idx >= t.dim() - count:
        raise RuntimeError(f"{name}(): not supported for NestedTensor on ragged dim")


@_handles("linear")
def _linear(input, weight, bias=None):
    _last_is_dense(input, "linear")
    return _alike(input, F.linear(input._values, weight, bias))


@_handles("layer_norm")
def _layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    _last_is_dense(input, "layer_norm", len(normalized_shape))
    return _alike(input, F.layer_norm(input._values, normalized_shape, weight, bias, eps))


@_handles("rms_norm")
def _rms_norm(input, normalized_shape, weight=None, eps=None):
    _last_is_dense(input, "rms_norm", len(normalized_shape))
    return _alike(input, F.rms_norm(input._values, normalized_shape, weight, eps))


@_handles("embedding")
def _embedding(input, weight, *args, **kwargs):
    if not isinstance(input, NestedTensor):
        raise NotImplementedError("embedding(): only the indices may be a nested tensor")
    return _alike(input, F.embedding(input._values, weight, *args, **kwargs))


@_handles("matmul", "bmm", "__matmul__", "__rmatmul__")
def _matmul(input, other):
    a, b = input, other
    left, right = isinstance(a, NestedTensor), isinstance(b, NestedTensor)
    for x in (a, b):
        if isinstance(x, NestedTensor):
            holes(x, "matmul")
    if left and not right and a._ragged_idx < a.dim() - 1:
        if b.ndim <= 2:
            return _alike(a, torch.matmul(a._values, b))
        if b.ndim == a.dim():
            return _from_padded(torch.matmul(a._padded(0), b), a, a._ragged_idx)
    elif right and not left and b._ragged_idx == b.dim() - 1 and a.ndim == b.dim():
        return _from_padded(torch.matmul(a, b._padded(0)), b, b._ragged_idx)
    elif left and right and a._structure is b._structure and a.dim() == b.dim():
        if a._ragged_idx == a.dim() - 1 and b._ragged_idx == b.dim() - 2:
            return torch.matmul(a._padded(0), b._padded(0))
    raise RuntimeError(f"matmul(): not supported between inputs of shapes {tuple(a.shape)} and {b.shape}")


@_handles("scaled_dot_product_attention")
def _attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    if attn_mask is not None:
        raise NotImplementedError("scaled_dot_product_attention: attn_mask must be None for nested tensors")
    if not all(isinstance(x, NestedTensor) and x.dim() == 4 and x._ragged_idx == 2 for x in (query, key, value)):  # fmt: skip
        raise NotImplementedError(
            "scaled_dot_product_attention: query, key and value must be nested tensors of shape (batch, heads, ragged, features)"
        )
    if key._structure is not value._structure:
        raise ValueError("scaled_dot_product_attention: key and value must have the same ragged structure")
    q, k, v = [x._padded(0) for x in (query, key, value)]
    places = torch.arange(k.shape[2], device=k.device)
    seen = (places < key._structure.extents().unsqueeze(1))[:, None, None, :]
    if is_causal:
        seen = seen & (places <= torch.arange(q.shape[2], device=q.device).unsqueeze(1))
    out = F.scaled_dot_product_attention(q, k, v, seen, dropout_p, False, scale=scale, enable_gqa=enable_gqa)
    return _from_padded(out, query, 2)


# -- shapes ------------------------------------------------------------------------------------------------------------


@_handles("transpose", "swapaxes", "swapdims")
def _transpose(input, dim0, dim1):
    a, b = input._positive(dim0), input._positive(dim1)
    if a == b:
        return input
    if 0 in (a, b):
        raise ValueError("Transpose is not supported on the batch dimension for jagged NT")
    ragged = {a: b, b: a}.get(input._ragged_idx, input._ragged_idx)
    return _alike(input, input._values.transpose(a - 1, b - 1), ragged)


@_handles("permute")
def _permute(input, *dims):
    dims = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
    order = [input._positive(d) for d in dims]
    if len(order) != input.dim():
        raise ValueError(
            f"permute(): number of dimensions in the tensor input ({input.dim()}) does not match the length of the desired ordering "
            f"of dimensions ({len(order)})."
        )
    if order[0] != 0:
        raise ValueError("Permute is not supported on the batch dimension for jagged NT")
    values = input._values.permute([d - 1 for d in order[1:]])
    return _alike(input, values, order.index(input._ragged_idx))


@_handles("unsqueeze")
def _unsqueeze(input, dim):
    d = dim + input.dim() + 1 if dim < 0 else dim
    if d == 0:
        raise RuntimeError("unsqueeze(): not supported for NestedTensor on dim=0")
    r = input._ragged_idx
    return _alike(input, input._values.unsqueeze(d - 1), r + 1 if d <= r else r)


@_handles("squeeze")
def _squeeze(input, dim=None):
    if dim is None or not isinstance(dim, int):
        raise NotImplementedError("squeeze(): give one dim for nested tensors")
    d = _not_ragged(input, dim, "squeeze")
    if input._values.shape[d - 1] != 1:
        return input
    r = input._ragged_idx
    return _alike(input, input._values.squeeze(d - 1), r - 1 if d < r else r)


@_handles("view", "reshape")
def _view(input, *size):
    size = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int | RaggedSize) else size
    r, shape = input._ragged_idx, tuple(input.shape)

    def fails():
        raise RuntimeError(f"view(): cannot view shape {shape} as {list(size)}")

    places = [i for i, n in enumerate(size) if isinstance(n, RaggedSize)]
    if not places:  # then the first -1 after the batch stands for the ragged dim
        places = [i for i, n in enumerate(size) if n == -1][:1]
    if len(places) != 1 or not size or size[0] != shape[0]:
        fails()
    at, values = places[0], input._values
    if isinstance(size[at], RaggedSize) and size[at] != shape[r]:
        fails()
    before, after = size[1:at], size[at + 1 :]
    count = values.shape[r - 1]
    have = 1
    for n in values.shape[: r - 1]:
        have *= n
    want = 1
    for n in before:
        want *= n
    if -1 in before or want != have:
        fails()
    inner = (*before, count, *after)
    if not values.numel() or -1 not in after:
        total = 1
        for n in inner:
            total *= n
        if total != values.numel():
            fails()
    return _alike(input, values.reshape(inner), at)


@_handles("unflatten")
def _unflatten(input, dim, sizes):
    d = _not_ragged(input, dim, "unflatten")
    r = input._ragged_idx
    return _alike(input, input._values.unflatten(d - 1, sizes), r + len(sizes) - 1 if d < r else r)


@_handles("flatten")
def _flatten(input, start_dim=0, end_dim=-1):
    a, b = input._positive(start_dim), input._positive(end_dim)
    if a == 0:
        raise RuntimeError("flatten(): not supported for NestedTensor on dim=0")
    r = input._ragged_idx
    if a <= r <= b and a != b:
        raise RuntimeError("flatten(): not supported for NestedTensor on ragged dim")
    return _alike(input, input._values.flatten(a - 1, b - 1), r - (b - a) if b < r else r)


@_handles("select")
def _select(input, dim, index):
    if input._positive(dim) == 0:
        return input.unbind()[index]
    d = _not_ragged(input, dim, "select")
    r = input._ragged_idx
    return _alike(input, input._values.select(d - 1, index), r - 1 if d < r else r)


@_handles("narrow")
def _narrow(input, dim, start, length):
    d = _not_ragged(input, dim, "narrow")
    return _alike(input, input._values.narrow(d - 1, start, length))


@_handles("chunk")
def _chunk(input, chunks, dim=0):
    if input._positive(dim) == 0:
        parts = input.unbind()
        step = -(-len(parts) // chunks)
        return tuple([pack(list(parts[i : i + step]), input._ragged_idx) for i in range(0, len(parts), step)])
    d = _not_ragged(input, dim, "chunk")
    return tuple([_alike(input, v) for v in input._values.chunk(chunks, d - 1)])


@_handles("split", "split_with_sizes")
def _split(tensor, split_size_or_sections, dim=0):
    d = _not_ragged(tensor, dim, "split" if isinstance(split_size_or_sections, int) else "split_with_sizes")
    return tuple([_alike(tensor, v) for v in torch.split(tensor._values, split_size_or_sections, d - 1)])


def _joined(name: str) -> Callable:
    def fn(tensors, dim=0):
        first = tensors[0]
        if not all(isinstance(t, NestedTensor) and t.shape[first._ragged_idx] == first.shape[first._ragged_idx] and
                   t._ragged_idx == first._ragged_idx for t in tensors):  # fmt: skip
            raise RuntimeError(f"{name}(): expected nested tensors with the same ragged structure")
        r = first._ragged_idx
        values = [t._values for t in tensors]
        if name == "cat":
            return _alike(first, torch.cat(values, _not_ragged(first, dim, "cat") - 1))
        d = dim + first.dim() + 1 if dim < 0 else dim
        if d == 0:
            raise RuntimeError("stack(): not supported for NestedTensor on dim=0")
        return _alike(first, torch.stack(values, d - 1), r + 1 if d <= r else r)

    return fn


for _name in ("cat", "concat", "concatenate"):
    HANDLERS[_name] = _joined("cat")
HANDLERS["stack"] = _joined("stack")


@_handles("is_same_size")
def _is_same_size(self, other):
    return tuple(self.shape) == tuple(other.shape)


@_handles("is_tensor")
def _is_tensor(obj):
    return True


@_handles("squeeze_", "unsqueeze_", "transpose_")
def _in_place(*args, **kwargs):
    raise NotImplementedError("nested tensors do not change their shape in place")
