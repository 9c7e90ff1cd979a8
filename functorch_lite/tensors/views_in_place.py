"""Tensors that themselves become a view, take another's place, or let go of their history."""

from __future__ import annotations

import gc
import inspect
import sys

from .._core.api import (
    OPS,
    Lens,
    Tensor,
    apply,
    apply_view,
    become_view,
    check_writable,
    checked,
    classes_of,
    composite,
    make_tensor,
    read,
    share_tensor,
    to_static,
)
from .over_ops import shown_as


def _references(t: Tensor) -> int:
    return sys.getrefcount(t._cell)


def _views_of(t: Tensor) -> list[Tensor]:
    """The views that were made from this very tensor."""
    return [r for r in gc.get_referrers(t) if isinstance(r, Tensor) and r._root is t]


_alone = 0


def has_aliases(t: Tensor) -> bool:
    """Returns whether another tensor, or the tape, refers to the same storage."""
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
    elif not keep and not has_aliases(t):
        t._cell.value, t._aval, t._edge = part._cell.value, part._aval, part._edge
        return t
    else:
        root = share_tensor(Tensor, t)
        root._edge = t._edge
        for view in _views_of(t):  # they count on its shape
            view._root = root
        become_view(t, root, (lens,))
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
    shown_as(fn, signature)
    composite(fn, method=True)


for _name in ("squeeze", "unsqueeze", "t", "transpose", "swapaxes", "swapdims"):
    _inplace_view(_name)


@composite(namespace="Tensor", method=True)
def module_load(self: Tensor, other: Tensor, assign: bool = False) -> Tensor:
    """Returns the tensor that `load_state_dict` puts in the place of a parameter or buffer: other, or self with other's
    values.

    >>> torch.zeros(2).module_load(torch.ones(2))
    tensor([1., 1.])
    """
    return other.detach() if assign else self.copy_(other).detach()  # type: ignore[attr-defined]


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


@composite
def detach_(input: Tensor) -> Tensor:
    """`input.detach_()`.

    >>> torch.detach_(torch.ones(2, requires_grad=True) * 2).requires_grad
    False
    """
    return input.detach_()  # type: ignore[attr-defined]
