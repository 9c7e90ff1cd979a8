"""PyTorch's own database of ops (`torch.testing._internal`, which is not public): the ops that have second derivatives,
samples of each, and what they are called with here."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import OpInfo
from torch.utils import _pytree as pytree

import functorch_lite as ours

TWICE = {
    f"{op.name}.{op.variant_test_name}".rstrip("."): op
    for op in op_db
    if op.supports_autograd and op.supports_gradgrad and torch.float64 in op.supported_backward_dtypes("cpu")
}
"""The ops that PyTorch's gradgradcheck looks at in float64 on a CPU, by name and variant."""


def samples(op: Any, most: int) -> Iterator[Any]:
    """The first `most` samples of an op, and the first `most` more of those with tensors that have no elements."""

    def empty(sample: Any) -> bool:
        leaves = pytree.tree_leaves((sample.input, sample.args, sample.kwargs))
        return any(isinstance(leaf, torch.Tensor) and not leaf.numel() for leaf in leaves)

    def all_of() -> Iterator[Any]:
        torch.manual_seed(0)
        return iter(op.sample_inputs("cpu", torch.float64, requires_grad=True))

    yield from islice(all_of(), most)
    yield from islice(filter(empty, islice(all_of(), most, None)), most)


def translated(x: Any) -> Any:
    """An argument, a tree of them, or a function of PyTorch or its tests, as it is here."""
    return pytree.tree_map(_translated, x)


def _translated(x: Any) -> Any:
    if isinstance(x, torch.Tensor):
        return ours.from_numpy(x.detach().numpy().copy()).requires_grad_(x.requires_grad)
    if isinstance(x, torch.dtype | torch.layout | torch.memory_format):
        return getattr(ours, str(x).removeprefix("torch."))
    if isinstance(x, torch.device):
        return ours.device(x.type)
    if isinstance(x, torch.nn.Module):
        return getattr(ours.nn, type(x).__name__)()
    return _function(x) if callable(x) and not isinstance(x, type) else x


class _Names(dict):
    """The global names of a module of PyTorch's tests, where `torch` is this library."""

    def __init__(self, names: dict[str, Any]) -> None:
        mine = {"torch": ours, "F": ours.nn.functional, "freeze_rng_state": contextlib.nullcontext}
        super().__init__(mine, __builtins__=names["__builtins__"])
        self.names = names

    def __missing__(self, name: str) -> Any:
        return _translated(self.names[name])


def _rebound(fn: types.FunctionType) -> types.FunctionType:
    cells = tuple(types.CellType(_translated(c.cell_contents)) for c in fn.__closure__ or ())
    made = types.FunctionType(fn.__code__, _Names(fn.__globals__), fn.__name__, fn.__defaults__, cells)
    made.__kwdefaults__ = fn.__kwdefaults__
    return made


def _function(fn: Any, name: str = "") -> Any:
    """A function of PyTorch's, as it is here: of its tests with other global names, any other by its name.

    LookupError where there is none."""
    if isinstance(fn, OpInfo):  # of which only the name is asked
        return fn
    home = getattr(fn, "__module__", None) or ("torch" if isinstance(fn, types.BuiltinFunctionType) else "")
    if isinstance(fn, types.FunctionType) and home.startswith("torch.testing"):
        return _rebound(fn)
    own = getattr(fn, "__name__", "")
    is_method = not isinstance(fn, types.FunctionType | types.BuiltinFunctionType)
    if not home.startswith("torch") and not name and not is_method:
        return fn
    paths = [name, f"{home}.{own}".removeprefix("torch.").removeprefix("_C._"), f"Tensor.{own}"]
    for path in reversed(paths) if is_method else paths:
        found: Any = ours
        for part in path.split("."):
            found = getattr(found, part, None)
        if path and found is not None:
            return found
    raise LookupError(f"{fn} is not here")


def functions(op: Any) -> tuple[Callable, Callable]:
    """The function of an op as PyTorch's tests differentiate it: PyTorch's, and ours."""

    def wrapped(call: Callable, wrapper: Callable) -> Callable:
        return lambda input, *args, **kwargs: wrapper(call, input, *args, **kwargs)

    theirs = wrapped(op.op, op.gradcheck_wrapper)
    return theirs, wrapped(_function(op.op, op.name), _function(op.gradcheck_wrapper))
