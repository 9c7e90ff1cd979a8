"""functionalize, and debug_unwrap: what PyTorch needs to take mutations out of a program, or wrappers off a tensor."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from .._core.apply import from_array, read
from .._core.levels import force_in_level
from .._core.recorder import state
from .._core.tensor import Tensor

__all__ = ["debug_unwrap", "functionalize"]


def functionalize(func: Callable, *, remove: str = "mutations") -> Callable:
    """func itself: what is recorded here never mutates anything, so there is nothing to take out.

    A write is recorded as a pure op that gives the new value, whether or not it goes through a view. remove: "mutations" or
    "mutations_and_views", as in PyTorch; what func writes to its arguments is seen by the caller, as there.

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
    """For debugging: the value that a tensor of a running transform has, as an ordinary tensor; other tensors as they are.

    recurse=True goes down all levels at once, which is the only way here. Inside vmap, where a tensor stands for many, and in the
    body of a loop there is no such value: then RuntimeError says so.

    >>> grad(lambda x: (print(debug_unwrap(x * 2)), x ** 2)[1])(torch.tensor(3.))
    tensor(6.)
    tensor(6.)
    """
    v = read(tensor)
    if v.rec is None or v.array is not None or not v.rec.level:
        return tensor
    if not recurse and state.rec.outer.level:
        raise NotImplementedError(
            "debug_unwrap(recurse=False): levels are taken off all at once; pass recurse=True"
        )
    value = from_array(force_in_level(v, IN_VMAP))
    value._cell.level = 0
    return value


IN_VMAP = (
    "debug_unwrap: inside vmap a tensor stands for all examples at once and has no value yet. Return it from the function, or pass it "
    "with has_aux=True, to see the values."
)
