"""Views as copies: `*_copy` and `unsafe_*`."""

from __future__ import annotations

import inspect

from .._core.api import (
    OPS,
    SymInt,
    Tensor,
    apply_view,
    bind,
    checked_composite,
    composite,
    is_int,
    is_numpys,
    write_out,
)
from .._core.api import dtype as DType
from .._core.api import functions as torch
from .over_ops import shown_as

_EXAMPLES = {
    "alias": "torch.alias_copy(torch.tensor([1, 2]))",
    "detach": "torch.detach_copy(torch.tensor([1, 2]))",
    "slice": "torch.slice_copy(torch.arange(4), 0, 1, 3)",
}
"""Examples for copies of what is no function, or has no example."""


_SEVERAL = ("split", "split_with_sizes", "unbind")
"""Views that are several tensors."""
_SEVERAL_SHOWN = {
    "split": inspect.signature(lambda input, split_size, dim=0: None),
    "split_with_sizes": inspect.signature(lambda input, split_sizes, dim=0: None),
    "unbind": inspect.signature(lambda input, dim=0: None),
    "chunk": inspect.signature(lambda input, chunks, dim=0: None),
}
"""The parameters of these, of which there is no op."""


def _copy(name: str, view=None) -> None:
    def fn(input, *args, out=None, **kwargs):
        if out is not None and name in _SEVERAL and not isinstance(out, tuple | list):
            raise TypeError(
                f"{name}_copy(): argument 'out' must be tuple of Tensors, not {type(out).__name__}"
            )
        if view is not None:
            make = checked_composite(view)
        else:
            make = bind.lookup("torch", name) or bind.lookup_method(name)
        result = make(input, *args, **kwargs)  # type: ignore[misc]
        if isinstance(result, tuple):
            return _several(name, tuple([r.clone() for r in result]), out)
        result = result.clone()
        return result if out is None else write_out(out, result, exact=True)

    fn.__name__, fn.__doc__ = f"{name}_copy", f"{name}, as a copy instead of a view."
    if name in _EXAMPLES:
        fn.__doc__ += f"\n\n    >>> {_EXAMPLES[name]}\n    tensor([1, 2])\n    "
    shown_as(fn, _SEVERAL_SHOWN.get(name) or view or OPS[name].fn)
    composite(fn)


def _several(name: str, results: tuple, out) -> tuple | None:
    """The results; nothing, as in torch, where they were written to `out=`."""
    if out is None:
        return results
    if len(out) != len(results):
        who = "unbind_copy_int" if name == "unbind" else f"{name}_copy"
        raise RuntimeError(f"{who}_out expected an out= argument of size {len(results)}, got size {len(out)}")
    write_out(out, results, exact=True)
    return None


def _detached(input: Tensor) -> Tensor:
    return input.detach()  # type: ignore[attr-defined]


def _slice(
    input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    return apply_view(OPS["slice"], (dim, start, end, step), input)


def _alias(input: Tensor) -> Tensor:
    return apply_view(OPS["alias"], (), input)


def _expand(input: Tensor, size: tuple[int, ...]) -> Tensor:
    return input.expand(size)  # type: ignore[attr-defined]


def _viewed(input: Tensor, size: tuple[int, ...] | DType | None = None, dtype: DType | None = None) -> Tensor:
    if dtype is None and not isinstance(size, DType):
        return input.clone().view(size)  # type: ignore[attr-defined]  # whatever its strides
    return input.view(size if dtype is None else dtype)  # type: ignore[attr-defined]


def _split(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    return torch.split(input, split_size, dim)


for _name in sorted(name for name, op in OPS.items() if op.copied):
    _copy(_name)
for _name, _view in {
    "alias": _alias, "detach": _detached, "expand": _expand, "slice": _slice, "split": _split, "view": _viewed, "unbind": None,
    "split_with_sizes": None,
}.items():  # fmt: skip
    _copy(_name, _view)


@composite(method=True)
def narrow_copy(input: Tensor, dim: int, start: SymInt, length: SymInt, *, out=None) -> Tensor:
    """narrow, as a copy instead of a view; it looks at `start` before `length`."""
    if dim >= input.ndim > 0:
        raise RuntimeError(f"Expected dim < {input.ndim} to be true, but got dim={dim}")
    if length < 0 and input.ndim:
        size = input.shape[dim]
        if not -size <= start <= size:
            raise IndexError(
                f"start out of range (expected to be in range of [{-size}, {size}], but got {start})"
            )
    result = torch.narrow(input, dim, start, length).clone()
    return result if out is None else write_out(out, result, exact=True)  # type: ignore[return-value]


for _name in ("split", "chunk", "split_with_sizes"):

    def _unsafe(input, *args, _name=_name, **kwargs):
        size = args[0] if args else kwargs.get("split_size", 1)
        if _name == "split" and isinstance(size, tuple | list):
            raise TypeError(f"unsafe_split(): argument 'split_size' must be int, not {type(size).__name__}")
        if is_int(size) and is_numpys(size):  # torch.split, which is Python, takes it for a sequence
            args, kwargs = (int(size), *args[1:]), {k: v for k, v in kwargs.items() if k != "split_size"}
        # the method's argument is called split_size, as this one's
        make = bind.lookup_method("split") if _name == "split" else bind.lookup("torch", _name)
        return make(input, *args, **kwargs)  # type: ignore[misc]

    _unsafe.__name__ = f"unsafe_{_name}"
    shown_as(_unsafe, _SEVERAL_SHOWN[_name])
    _unsafe.__doc__ = (
        f"torch.{_name}: what is unsafe in PyTorch, writing to the parts in place, is safe here."
    )
    composite(_unsafe, method=True)
