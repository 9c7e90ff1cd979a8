"""torch.nested: what makes nested tensors, and makes dense ones of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.api import Tensor, check_type, composite, dtypes, values_of
from .._core.api import functions as torch
from .._core.api import jagged as jagged_layout
from .._core.api import strided as strided_layout
from .base import NestedBase
from .jagged import Structure, pack, structure_of, wrap
from .strided import bundle

__all__ = [
    "as_nested_tensor", "masked_select", "narrow", "nested_tensor", "nested_tensor_from_jagged", "to_padded_tensor",
]  # fmt: skip


def _layout(layout: Any) -> Any:
    if layout not in (None, strided_layout, jagged_layout):
        raise RuntimeError(f"Specified layout is unsupported for nested tensors: {layout}")
    return layout or strided_layout


def _jagged(parts: list, dtype: Any, device: Any) -> Any:
    """A jagged tensor of a list of tensors, with PyTorch's checks."""
    if not parts:
        raise RuntimeError("Cannot construct a nested tensor from an empty tensor list")
    for what, found in (
        ("have the same dtype", {p.dtype for p in parts}),
        ("be on the same device", {p.device for p in parts}),
        ("have the same dim", {p.ndim for p in parts}),
    ):
        if len(found) != 1:
            raise RuntimeError(f"When constructing a nested tensor, all tensors in list must {what}")
    if not parts[0].ndim:
        raise RuntimeError("Cannot construct a nested tensor from a list of zero-dim tensors")
    ragged = [d + 1 for d in range(parts[0].ndim) if len({p.shape[d] for p in parts}) > 1]
    if len(ragged) > 1:
        raise RuntimeError(
            "Cannot represent given tensor list as a nested tensor with the jagged layout. Note that the jagged layout only allows for a "
            "single ragged dimension. For example: (B, *, D_0, D_1, ..., D_N), with ragged * dim."
        )
    return _moved(pack(parts, ragged[0] if ragged else 1), dtype, device)


def _moved(t: Any, dtype: Any, device: Any) -> Any:
    t = t if device is None else t.to(device)
    return t if dtype is None else t.to(dtype)


def _strided(parts: list, dtype: Any, device: Any) -> Any:
    for i, p in enumerate(parts):
        if p.ndim != parts[0].ndim:
            raise RuntimeError(
                f"All Tensors given to nested_tensor must have the same dimension. Found dimension {p.ndim} for Tensor at index {i} and "
                f"dimension {parts[0].ndim} for Tensor at index 0."
            )
    dtype = dtype or (parts[0].dtype if parts else None)
    return _moved(bundle(parts), dtype, device) if parts else bundle(parts)


def nested_tensor(
    tensor_list: Any, *, dtype=None, layout=None, device=None, requires_grad: bool = False, pin_memory: bool = False
) -> Any:  # fmt: skip
    """A nested tensor with copies of the tensors (or nested lists of numbers) in a list; a leaf.

    >>> torch.nested.nested_tensor([torch.ones(2), torch.zeros(3)], layout=torch.jagged).to_padded_tensor(-1.0)
    tensor([[ 1.,  1., -1.],
            [ 0.,  0.,  0.]])
    """
    if _layout(layout) is strided_layout and not isinstance(tensor_list, list):
        raise TypeError("Only lists (List[Tensor] and List[List...[Scalar]]) are accepted in nested_tensor")
    parts = [t.detach().clone() if isinstance(t, Tensor) else torch.tensor(t) for t in tensor_list]
    made = (_jagged if layout is jagged_layout else _strided)(parts, dtype, device)
    return made.requires_grad_(True) if requires_grad else made


def as_nested_tensor(ts: Any, dtype=None, device=None, layout=None) -> Any:
    """A nested tensor of tensors, with their history; a dense tensor's parts are those along dim 0.

    A nested one is returned as it is.

    >>> torch.nested.as_nested_tensor([torch.ones(2), torch.zeros(3)]).unbind()
    (tensor([1., 1.]), tensor([0., 0., 0.]))
    """
    is_list = isinstance(ts, list | tuple) and all(isinstance(t, Tensor) for t in ts)
    if not isinstance(ts, Tensor) and not is_list:
        raise TypeError(
            "as_nested_tensor(): Expected first argument to be a tensor or a list / tuple of tensors "
        )
    if isinstance(ts, NestedBase):
        if _layout(layout) is not ts.layout and layout is not None:
            raise RuntimeError("Converting between nested tensor layouts is not supported")
        return _moved(ts, dtype, device)
    if isinstance(ts, Tensor) and ts.ndim < 2:  # type: ignore[attr-defined]
        raise RuntimeError("as_nested_tensor(): Expected tensor argument to have dim() > 1")
    if isinstance(ts, Tensor):
        if _layout(layout) is strided_layout:
            return _strided(list(ts.unbind(0)), dtype, device)  # type: ignore[attr-defined]
        batch, length = ts.shape[:2]  # type: ignore[attr-defined]
        offsets = torch.arange(batch + 1, dtype=dtypes.int64, device=ts.device) * length
        flat = wrap(ts.flatten(0, 1), Structure(offsets, None, (length,) * batch), 1)  # type: ignore[attr-defined]
        return _moved(flat, dtype, device)
    if _layout(layout) is strided_layout:
        return _strided([t.clone() for t in ts], dtype, device)
    return _jagged(list(ts), dtype, device)


def nested_tensor_from_jagged(
    values: Any, offsets: Any = None, lengths: Any = None, jagged_dim: int | None = None, min_seqlen: int | None = None,
    max_seqlen: int | None = None,
) -> Any:  # fmt: skip
    """The jagged tensor whose parts lie in `values` at `offsets` (batch + 1 of them), or one after another with these
    `lengths`.

    With both, a part ends after its length: there are holes. Tensors made with the same offsets object have the same
    structure. min_seqlen and max_seqlen are found out when they are needed.
    """
    if offsets is None and lengths is None:
        raise RuntimeError("nested_tensor_from_jagged(): At least one of offsets or lengths is required.")
    for name, x in (("input", values), ("offsets", offsets), ("lengths", lengths)):
        check_type(x is None or isinstance(x, Tensor), x, "Tensor", "nested_tensor_from_jagged", name)
    if offsets is None:
        offsets = torch.cat([lengths.new_zeros(1, dtype=dtypes.int64), lengths.cumsum(0)])
        lengths = None
    ragged = 1 if jagged_dim is None else jagged_dim
    if ragged < 1:
        raise ValueError(f"Expected jagged_dim >=1, but got {ragged}.")
    if ragged > values.ndim:
        raise IndexError("tuple index out of range")
    return wrap(values, structure_of(offsets, lengths), ragged)


def narrow(tensor: Any, dim: int, start: Any, length: Any, layout=strided_layout) -> Any:
    """A jagged view of a dense tensor (batch, time, …): of each row `length` elements from `start` on, both numbers or
    tensors.

    >>> torch.nested.narrow(torch.arange(6).reshape(2, 3), 1, 0, torch.tensor([1, 2]), layout=torch.jagged).unbind()
    (tensor([0]), tensor([3, 4]))
    """
    for name, x in (("start", start), ("length", length)):
        if not isinstance(x, int | Tensor):
            raise RuntimeError(f"{name} must be an integer or a tensor")
    if _layout(layout) is strided_layout:
        if isinstance(start, Tensor) or isinstance(length, Tensor):
            raise RuntimeError("start and length must be integers for the strided layout NT impl")
        if dim != 0:
            raise RuntimeError(f"narrow(): only dim=0 supported for nested tensors, but got: {dim}")
        return bundle(list(tensor.unbind(0))[start : start + length])
    if dim != 1:
        raise RuntimeError("jagged layout only supports dim=1")
    if isinstance(tensor, NestedBase):
        raise NotImplementedError("narrow(): nested tensors cannot be narrowed along the ragged dim")
    batch, longest = tensor.shape[0], tensor.shape[1]
    first, count = [
        x.to(dtypes.int64) if isinstance(x, Tensor) else torch.tensor([x], device=tensor.device)
        for x in (start, length)
    ]
    try:
        first, count = first.expand(batch), count.expand(batch)
    except RuntimeError:
        raise RuntimeError(
            "When constructing a nested tensor from a tensor, start and length must be Tensors that broadcast to input.shape[0]"
        ) from None
    if (
        (values_of(first) < 0).any()
        or (values_of(count) < 0).any()
        or (values_of(first) + values_of(count) > longest).any()
    ):
        raise IndexError(f"narrow(): start and length reach beyond the {longest} elements of dim 1")
    begins = first + torch.arange(batch, device=tensor.device) * longest
    offsets = torch.cat([begins, (begins[-1:] + count[-1:])])
    return wrap(tensor.flatten(0, 1), Structure(offsets, count), 1)


def masked_select(tensor: Any, mask: Any) -> Any:
    """The jagged tensor of the elements where mask, which broadcasts to tensor, is True: one part for each row along
    the last dim.

    >>> torch.nested.masked_select(torch.tensor([[1, 2], [3, 4]]), torch.tensor([[True, False], [True, True]])).unbind()
    (tensor([1]), tensor([3, 4]))
    """
    if isinstance(tensor, NestedBase):
        raise RuntimeError(f"torch.nested.masked_select requires a strided tensor, given {tensor.layout}")
    if mask.layout is not strided_layout:
        raise RuntimeError(f"torch.nested.masked_select requires a strided mask, given: {mask.layout}")
    taken = torch.masked_select(tensor, mask)
    counts = values_of(mask.expand(tensor.shape)).sum(-1).reshape(-1)
    sizes = tuple(counts.tolist())
    offsets = torch.tensor(
        np.concatenate([[0], counts.cumsum()]).tolist(), dtype=dtypes.int64, device=tensor.device
    )
    return wrap(taken, Structure(offsets, None, sizes), 1)


@composite(namespace="Tensor", method=True)
def to_padded_tensor(input: Any, padding: float, output_size: Any = None, out: Any = None) -> Any:
    """A dense tensor of a nested one: parts that are shorter than the longest are filled up with `padding`."""
    if not isinstance(input, NestedBase):
        raise NotImplementedError("to_padded_tensor(): only nested tensors are padded")
    if out is not None:
        raise NotImplementedError("to_padded_tensor(): out= is not supported")
    return input.to_padded_tensor(padding, output_size)  # type: ignore[attr-defined]
