"""Views that change a tensor in place, views as copies, and views by strides."""

from __future__ import annotations

import functools
import gc
import inspect
import math
import operator
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from .._core.api import (
    OPS,
    Leaf,
    Lens,
    SymInt,
    Tensor,
    UntypedStorage,
    apply,
    apply_view,
    bind,
    check_memory_format,
    check_writable,
    checked,
    checked_composite,
    classes_of,
    composite,
    contiguous_strides,
    geometry_of,
    is_int,
    is_numpys,
    make_tensor,
    read,
    share_tensor,
    spread_size,
    to_static,
    write_out,
)
from .._core.api import dtype as DType
from .._core.api import functions as torch

__all__ = ["become"]


# -- in place --------------------------------------------------------------------------------------------------------


def _references(t: Tensor) -> int:
    return sys.getrefcount(t._cell)


def _views_of(t: Tensor) -> list[dict[str, Any]]:
    """The attributes of the views that were made from this very tensor."""
    fields = [
        r if isinstance(r, dict) else r.__dict__
        for r in gc.get_referrers(t)
        if isinstance(r, Tensor) or (isinstance(r, dict) and "_lenses" in r)
    ]
    return [f for f in fields if f.get("_root") is t]


_alone = 0


def _has_aliases(t: Tensor) -> bool:
    """Whether another tensor, or the tape, refers to the same storage."""
    global _alone
    if not _alone:
        _alone = _references(make_tensor(read(t), t._cell.level))
    return _references(t) > _alone


def become(t: Tensor, op, static: tuple, numbers: tuple = (), keep: bool = False) -> Tensor:
    """Makes t itself the view that `op` gives of it: other tensors that share its storage stay as they are.

    keep: t may come to need parts of its storage that the view does not show, or its strides.
    """
    check_writable(t)
    part = apply(op, static, (t, *numbers))
    lens = Lens(op, static, numbers)
    if t._lenses:
        t._lenses = (*t._lenses, lens)
    elif not keep and not _has_aliases(t):
        t._cell.value, t._aval, t._edge = part._cell.value, part._aval, part._edge
        return t
    else:
        root = share_tensor(Tensor, t)
        root._edge = t._edge
        for view in _views_of(t):  # they count on its shape
            view["_root"] = root
        t._root, t._lenses = root, (lens,)
    t._seen, t._value = t._cell.value, part._cell.value
    t._aval, t._edge = part._aval, part._edge
    return t


def _inplace_view(name: str) -> None:
    """`name_` of a view op with static arguments."""
    op = OPS[name]
    signature = inspect.Signature(list(inspect.signature(op.fn).parameters.values()))

    def fn(*args, **kwargs):
        if name == "squeeze" and len(args) > 2:  # dims as separate ints
            args = (args[0], args[1:])
        given = signature.bind(*args, **kwargs)
        for at, p in enumerate(op.params[1:], 2):
            if (classes := classes_of(p.annotation)) and p.name in given.arguments:
                given.arguments[p.name] = checked(given.arguments[p.name], classes, f"{name}_", p.name, at)
        given.apply_defaults()
        input, *rest = given.arguments.values()
        if not isinstance(input, Tensor):
            raise TypeError(f"{name}_(): argument 'input' must be Tensor, not {type(input).__name__}")
        if name == "t" and input.ndim > 2:
            raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
        return become(input, op, tuple([to_static(x) for x in rest]), keep=not name.endswith("squeeze"))

    fn.__name__ = f"{name}_"
    fn.__doc__ = f"{name} in place: the tensor itself becomes the view."
    composite(fn, method=True)


for _name in ("squeeze", "unsqueeze", "t", "transpose", "swapaxes", "swapdims"):
    _inplace_view(_name)


# -- copies ----------------------------------------------------------------------------------------------------------


_EXAMPLES = {
    "alias": "torch.alias_copy(torch.tensor([1, 2]))",
    "detach": "torch.detach_copy(torch.tensor([1, 2]))",
    "slice": "torch.slice_copy(torch.arange(4), 0, 1, 3)",
}
"""Of copies of what is no function, or has no example."""

_SEVERAL = ("split", "split_with_sizes", "unbind")
"""Views that are several tensors."""


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


for _name, _view in {
    "alias": _alias, "as_strided": None, "detach": _detached, "diagonal": None, "expand": _expand, "permute": None,
    "select": None, "slice": _slice, "split": _split, "split_with_sizes": None, "squeeze": None, "t": None, "transpose": None,
    "unbind": None, "unfold": None, "unsqueeze": None, "view": _viewed, "view_as_complex": None, "view_as_real": None,
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
    _unsafe.__doc__ = (
        f"torch.{_name}: what is unsafe in PyTorch, writing to the parts in place, is safe here."
    )
    composite(_unsafe, method=True)


# -- by strides ------------------------------------------------------------------------------------------------------


def _storage_of(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset
) -> tuple[Tensor, int]:
    """The tensor that holds a view's whole storage, and where in it a view by strides begins. A view that is a leaf, whose gradient its base
    knows nothing of, stands for its part of the storage."""
    if not input._lenses:
        return input, storage_offset or 0
    found = geometry_of(input)
    base = input._root
    assert base is not None
    own_leaf = input._edge is not None and (base._edge is None or type(input._edge[0]) is Leaf)
    if own_leaf and found is not None and found[0] == contiguous_strides(input._aval.shape):
        first = 0 if storage_offset is None else storage_offset - found[1]
        last = first + sum((n - 1) * s for n, s in zip(size, stride))
        if 0 <= first <= last < math.prod(input._aval.shape):
            return input, first
    if found is None or base._lenses or base._aval.dtype is not input._aval.dtype or own_leaf:
        raise NotImplementedError(
            "as_strided() of a view whose place in its storage is not followed; use as_strided() of its base, or clone() it"
        )
    return base, found[1] if storage_offset is None else storage_offset


@composite(method=True)
def as_strided(
    input: Tensor, size: tuple[int, ...], stride: tuple[int, ...], storage_offset: SymInt | None = None
) -> Tensor:
    """The view of the elements at `storage_offset + sum(i * stride)` of the storage of `input`.

    >>> torch.arange(6).as_strided((2, 2), (1, 2))
    tensor([[0, 2],
            [1, 3]])
    """
    base, offset = _storage_of(input, size, stride, storage_offset)
    return apply_view(OPS["as_strided"], (tuple(size), tuple(stride), offset), base)


@composite(method=True)
def as_strided_(
    input: Tensor, size: tuple[int, ...], stride: tuple[int, ...], storage_offset: SymInt | None = None
) -> Tensor:
    """as_strided in place: the tensor itself becomes the view.

    >>> torch.arange(6).as_strided_((2, 2), (3, 1))
    tensor([[0, 1],
            [3, 4]])
    """
    if not input._lenses:
        return become(input, OPS["as_strided"], (tuple(size), tuple(stride), storage_offset or 0), keep=True)
    view = as_strided(input, size, stride, storage_offset)
    check_writable(input)
    for name in ("_lenses", "_root", "_seen", "_value", "_aval", "_edge"):
        setattr(input, name, getattr(view, name))
    return input


@composite(namespace="Tensor", method=True)
def set_(
    self: Tensor,
    source: Any = None,
    storage_offset: int = 0,
    size: tuple[int, ...] | None = None,
    stride: tuple[int, ...] | None = None,
) -> Tensor:
    """Makes the tensor show what `source` holds: a tensor, or a storage, all of it or what size, stride and offset select.

    Without a source the tensor becomes empty. Raises RuntimeError if the dtypes differ; a storage without a dtype is taken
    for one of the tensor's.

    >>> torch.empty(0).set_(torch.arange(6.).untyped_storage(), 1, (2, 2), (2, 1))
    tensor([[1., 2.],
            [3., 4.]])
    """
    check_writable(self)
    untyped = getattr(source, "_untyped", source)
    if source is None:
        source = torch.empty(0, dtype=self.dtype, device=self.device)
    elif isinstance(untyped, UntypedStorage):
        if untyped is not source and source.dtype is not self.dtype:
            raise RuntimeError(
                f"Expected a Storage of type {self.dtype.cpp_name} or an UntypedStorage, but got type "
                f"{source.dtype.scalar_name} for argument 1 'storage'"
            )
        source = torch.ravel(untyped._tensor())
        source = source if source.dtype is self.dtype else source.view(self.dtype)
        if size is None and storage_offset:
            raise TypeError("set_(): storage_offset needs a size")
    elif not isinstance(source, Tensor):
        raise TypeError(f"set_(): argument 'source' must be Tensor or Storage, not {type(source).__name__}")
    if source.dtype is not self.dtype:
        raise RuntimeError(
            f"Could not set tensor of type {source.dtype.cpp_name} to a tensor of type {self.dtype.cpp_name}"
        )
    if size is not None:
        first = storage_offset + source.storage_offset()  # type: ignore[attr-defined]
        source = as_strided(
            source, size, contiguous_strides(tuple(size)) if stride is None else stride, first
        )
    self.data = source
    return self


def _laid_out(input: Tensor) -> tuple[Tensor, int]:
    """A copy of input in a storage like its own, and where in that it begins."""
    if not input._lenses:
        return input.clone(), 0  # type: ignore[attr-defined]
    found, base = geometry_of(input), input._root
    if found is None or base is None or base._lenses or base._aval.dtype is not input._aval.dtype:
        raise NotImplementedError(
            "as_strided_scatter() of a view whose place in its storage is not followed; clone() it"
        )
    storage = torch.zeros(math.prod(base._aval.shape), dtype=input.dtype, device=input.device)
    out = as_strided(storage, tuple(input.shape), *found)
    out.copy_(input)  # type: ignore[attr-defined]
    return out, found[1]


@composite(method=True)
def as_strided_scatter(
    input: Tensor,
    src: Tensor,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    storage_offset: SymInt | None = None,
) -> Tensor:
    """A copy of input with src written through the view `as_strided(size, stride, storage_offset)` of it.

    Same shape and dtype as input.

    >>> torch.as_strided_scatter(torch.zeros(4), torch.ones(2), (2,), (2,))
    tensor([1., 0., 1., 0.])
    """
    out, at = _laid_out(input)
    view = as_strided(out, size, stride, at if storage_offset is None else storage_offset)
    if view.shape != src.shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src.shape)}, slice size = "
            f"{list(view.shape)}"
        )
    view.copy_(src)  # type: ignore[attr-defined]
    return out


@composite(method=True)
def resize_(input: Tensor, *spread, size=None, memory_format=None) -> Tensor:
    """Gives the tensor another size: the first elements of its storage, which grows with zeros where it is too small.

    Any number of elements; RuntimeError for a tensor that requires grad.

    >>> torch.arange(4).resize_(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    shape = spread_size(spread, size, "resize_", "size", 2)
    check_memory_format("resize_", memory_format, len(shape))
    if input._edge is not None:
        raise RuntimeError("cannot resize variables that require grad")
    count = math.prod(shape)
    found = geometry_of(input)
    if found is None:
        raise NotImplementedError(
            "resize_() of a view whose place in its storage is not followed; clone() it"
        )
    strides = contiguous_strides(shape)
    room = input._cell.value.aval
    if found[1] + count <= math.prod(room.shape) and room.dtype is input._aval.dtype:
        return input if input.shape == shape else as_strided_(input, shape, strides, found[1])
    if input._lenses or _has_aliases(input):
        raise NotImplementedError(
            "resize_(): storage that other tensors see cannot grow; make a new tensor of the size and copy into it"
        )
    grown = torch.cat(
        [input.reshape(-1), torch.zeros(count - input.numel(), dtype=input.dtype, device=input.device)]
    )
    made = grown.reshape(shape)
    input._cell.value, input._aval = read(made), made._aval
    return input


def _as_size(input: Tensor, name: str, sizes) -> Tensor:
    warnings.warn(f"non-inplace {name} is deprecated", stacklevel=3)
    count = functools.reduce(operator.mul, sizes, 1)
    if input.numel() != count:
        wanted, found = ("x".join(map(str, s)) for s in (sizes, input.shape))
        raise RuntimeError(
            f"requested resize to {wanted} ({count} elements in total), but the given tensor has a size of {found} "
            f"({input.numel()} elements). autograd's resize can only change the shape of a given tensor, while preserving the "
            "number of elements. "
        )
    return input.contiguous().view(*sizes)


@composite(namespace="Tensor", method=True)
def resize(self: Tensor, *sizes) -> Tensor:
    """The tensor with another shape of as many elements. Deprecated: use reshape.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.arange(4).resize(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    return _as_size(self, "resize", sizes)


@composite(namespace="Tensor", method=True)
def resize_as(self: Tensor, tensor: Tensor) -> Tensor:
    """The tensor with another's shape, which has as many elements. Deprecated: use reshape_as.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.arange(4).resize_as(torch.ones(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    return _as_size(self, "resize_as", tensor.size())


@composite(namespace="Tensor", method=True)
def unflatten(self: Tensor, dim, sizes) -> Tensor:
    """torch.unflatten; as a method it looks at whether there are sizes before it looks at what they are.

    >>> torch.arange(6).unflatten(0, (2, 3))
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    return torch.unflatten(self, dim, sizes)


@composite(method=True)
def conj(input: Tensor) -> Tensor:
    """The complex conjugate, as a view: writes to it reach `input`. A real tensor is returned as it is.

    >>> x = torch.tensor([1 + 2j])
    >>> x.conj().imag.fill_(5.0)
    tensor([5.])
    >>> x
    tensor([1.-5.j])
    """
    return apply_view(OPS["conj"], (), input) if input.dtype.is_complex else input


@composite(namespace="Tensor", method=True)
def module_load(self: Tensor, other: Tensor, assign: bool = False) -> Tensor:
    """What `load_state_dict` puts in the place of a parameter or buffer: other, or self with other's values.

    >>> torch.zeros(2).module_load(torch.ones(2))
    tensor([1., 1.])
    """
    return other.detach() if assign else self.copy_(other).detach()  # type: ignore[attr-defined]


@composite(method=True)
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format=None) -> Tensor:
    """resize_ to another tensor's size.

    >>> torch.arange(4).resize_as_(torch.ones(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    check_memory_format("resize_as_", memory_format, the_template.ndim)
    return resize_(input, tuple(the_template.shape))


@composite(namespace="Tensor", method=True)
def as_subclass(self: Tensor, cls: type) -> Tensor:
    """The tensor as one of another class, with the same storage and history.

    Same shape and dtype.

    >>> class Named(torch.Tensor):
    ...     pass
    >>> type(torch.ones(2).as_subclass(Named)).__name__
    'Named'
    """
    if not (isinstance(cls, type) and issubclass(cls, Tensor)):
        raise TypeError(
            f"as_subclass(): argument 'cls' (position 1) must be a subclass of Tensor, not {cls!r}"
        )
    alias = apply_view(OPS["alias"], (), self)
    made = share_tensor(cls, alias)
    made._edge = alias._edge
    return made
