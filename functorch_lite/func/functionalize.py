"""functionalize, and debug_unwrap: what PyTorch needs to take mutations out of a program, or wrappers off a tensor."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from .._core.api import Tensor, check_type, from_array, read, state
from .cuts import below, is_noted, lowered, notes_of

__all__ = ["debug_unwrap", "functionalize"]


def functionalize(func: Callable, *, remove: str = "mutations") -> Callable:
    """func itself: what is recorded here never mutates anything, so there is nothing to take out.

    A write is recorded as a pure op that gives the new value, whether or not it goes through a view. remove:
    "mutations" or "mutations_and_views", as in PyTorch; what func writes to its arguments is seen by the caller, as
    there.

    Args:
        func: the function.
        remove: "mutations" or "mutations_and_views", as in PyTorch; both return `func`. Default:
            "mutations".

    >>> functionalize(lambda x: x.clone().mul_(2))(torch.ones(2))
    tensor([2., 2.])
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced with their "
            "out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators {view} will be replaced with "
            "their non-aliasing counterparts, {view}_copy.\n"
        )

    @wraps(func)
    def wrapped(*args, **kwargs):
        return func(*args, **kwargs)

    return wrapped


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """For debugging: the value that a tensor of a running transform has below it, as a tensor; other tensors as they
    are.

    A tensor that vmap maps over has the examples along one more dimension, which is the first one except for vmap's
    own inputs. In the body of a loop, which is recorded once for all steps, no such value exists, and RuntimeError
    says so.

    Args:
        tensor: a tensor of a running transform; other tensors are returned as they are.
        recurse: whether all running transforms are unwrapped, down to an ordinary tensor. False
            unwraps one level. Default: True.

    >>> torch.func.grad(lambda x: (print(debug_unwrap(x * 2)), x ** 2)[1])(torch.tensor(3.))
    tensor(6.)
    tensor(6.)
    >>> torch.vmap(lambda x: (print(debug_unwrap(x * 2)), x)[1])(torch.ones(2))
    tensor([2., 2.])
    tensor([1., 1.])
    """
    check_type(isinstance(tensor, Tensor), tensor, "Tensor", "debug_unwrap", "tensor")
    v, rec = read(tensor), state.rec
    if v.rec is None or v.array is not None or not v.rec.level:
        return tensor
    if not is_noted(rec) or v.rec.kind.finished:
        value = from_array(v.rec.value_of(v, IN_VMAP))  # raises where there is none
        value._cell.level = 0
        return value
    notes = notes_of(rec)
    if v.rec is not rec:  # of a transform further out
        with below(rec, notes):
            return debug_unwrap(tensor, recurse=recurse)
    value = lowered(rec, notes, [tensor])[0][0]
    with below(rec, notes):
        return debug_unwrap(value) if recurse else value


IN_VMAP = (
    "debug_unwrap: in the body of a checkpoint or a loop inside vmap a tensor has no value yet. Return it from the function, or pass "
    "it with has_aux=True, to see the values."
)
