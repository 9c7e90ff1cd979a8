"""Sizes that a user leaves open, tensor by tensor among the arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._core.api import Tensor
from ..compiler.errors import UserError, UserErrorType
from ..utils import _pytree as pytree
from .arguments import named_arguments
from .dynamic_shapes import AdditionalInputs, Dim, ShapesCollection
from .dynamic_shapes import _DimHint as DimHint

__all__ = ["specified"]


def specified(mod: Any, args: tuple, kwargs: dict[str, Any], shapes: Any) -> list[dict[int, Any]]:
    """Reads `dynamic_shapes` for each tensor among the arguments, one after the other: by dimension a Dim, a DimHint,
    or an int that is to be its size.

    Raises UserError for what does not fit the arguments.
    """
    if isinstance(shapes, ShapesCollection | AdditionalInputs):
        shapes = shapes.dynamic_shapes(mod, args, kwargs)
    named = named_arguments(mod, args, kwargs)
    if isinstance(shapes, Mapping):
        if sorted(shapes) != sorted(named):
            raise _invalid(
                f"When `dynamic_shapes` is specified as a dict, its top-level keys must be the arg names {list(named)} of `inputs`, but here they are "
                f"{list(shapes)}. Alternatively, you could also ignore arg names entirely and specify `dynamic_shapes` as a list/tuple matching `inputs`."
            )
        shapes = [shapes[name] for name in named]
    elif shapes is not None and not isinstance(shapes, list | tuple):
        raise _invalid(f"`dynamic_shapes` must be a dict, list or tuple, got {type(shapes)}")
    by_tensor: dict[int, dict[int, Any]] = {}
    _walk(list(named.values()), shapes, "inputs", "dynamic_shapes", by_tensor)
    leaves = pytree.tree_flatten((*args, *kwargs.values()))[0]
    return [by_tensor[id(x)] for x in leaves if isinstance(x, Tensor)]


def _walk(value: Any, shape: Any, where: str, shape_at: str, found: dict[int, dict[int, Any]]) -> None:
    if isinstance(value, Tensor):
        found[id(value)] = _of_tensor(value, shape, where)
    elif isinstance(value, Mapping):
        if shape is not None and (not isinstance(shape, Mapping) or sorted(shape, key=str) != sorted(value, key=str)):  # fmt: skip
            raise _mismatch(f"`{where}` is a {type(value)}, but `{shape_at}` is {_seen(shape)}")
        for k, v in value.items():
            _walk(v, None if shape is None else shape[k], f"{where}[{k!r}]", f"{shape_at}[{k!r}]", found)
    elif isinstance(value, list | tuple):
        if shape is not None and not isinstance(shape, list | tuple):
            raise _mismatch(f"`{where}` is a {type(value)}, but `{shape_at}` is a {type(shape)}")
        if shape is not None and len(shape) != len(value):
            raise _mismatch(f"`{where}` has {len(value)} elements, but `{shape_at}` has {len(shape)} elements")  # fmt: skip
        for k, v in enumerate(value):
            _walk(v, None if shape is None else shape[k], f"{where}[{k}]", f"{shape_at}[{k}]", found)
    else:
        inner = pytree.tree_flatten(value)[0]
        if len(inner) == 1 and inner[0] is value:
            if shape is not None and not (isinstance(shape, int) and shape == value):
                raise _mismatch(f"`{where}` is a {type(value)}, whose value is fixed, but `{shape_at}` is {_seen(shape)}")  # fmt: skip
            return
        parts = list(shape) if isinstance(shape, list | tuple) else [shape] if shape is not None else None
        _walk(inner, parts, where, shape_at, found)


def _seen(shape: Any) -> str:
    return f"a {type(shape)} with the keys {list(shape)}" if isinstance(shape, Mapping) else f"{shape!r}"


def _of_tensor(t: Tensor, shape: Any, where: str) -> dict[int, Any]:
    if shape is None:
        return {}
    if isinstance(shape, Mapping):
        for d in shape:
            if not isinstance(d, int) or not 0 <= d < t.ndim:
                raise IndexError(f"dynamic_shapes of `{where}` names dimension {d}, and the tensor has {t.ndim}")  # fmt: skip
        pairs = dict(shape)
    elif isinstance(shape, list | tuple):
        if len(shape) != t.ndim:
            raise _invalid(f"Expected dynamic shape spec {shape} at `dynamic_shapes` for `{where}` to have the same length as the actual tensor shape {t.shape} (expected {t.ndim}, but got {len(shape)} instead)")  # fmt: skip
        pairs = dict(enumerate(shape))
    else:
        raise _invalid(f"Unexpected dynamic shape spec {shape!r} for `{where}`, a tensor; try None, a dict or a tuple")  # fmt: skip
    for d, said in pairs.items():
        if said is not None and not isinstance(said, Dim | DimHint) and type(said) is not int:
            raise _invalid(f"Unexpected dimension mapped to index {d} in dynamic shape spec for `{where}` ({said!r}, not an int, Dim, Dim.AUTO, Dim.STATIC, or Dim.DYNAMIC)")  # fmt: skip
    return {d: said for d, said in pairs.items() if said is not None and said != Dim.STATIC}


def _invalid(text: str) -> UserError:
    return UserError(UserErrorType.INVALID_INPUT, text)


def _mismatch(text: str) -> UserError:
    return _invalid(f"Detected mismatch between the structure of `inputs` and `dynamic_shapes`: {text}")
