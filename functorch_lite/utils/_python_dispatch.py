"""torch.utils._python_dispatch: modes that are handed each op of aten, and which tensors wrap others."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from .._core.api import Tensor
from ..api_names import refusing
from ._op_modes import entered, here, without

__all__ = ["TorchDispatchMode", "is_traceable_wrapper_subclass", "is_traceable_wrapper_subclass_type"]


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Returns whether a class derived from Tensor says of what tensors its own consist, by `__tensor_flatten__` and
    `__tensor_unflatten__`."""
    whole = hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")
    return issubclass(t, Tensor) and t is not Tensor and whole


def is_traceable_wrapper_subclass(t: Any) -> bool:
    """Returns whether something is a tensor of such a class."""
    return is_traceable_wrapper_subclass_type(type(t))


class TorchDispatchMode:
    """A context in which each op is handed to the mode's `__torch_dispatch__`, of the forward and of `backward()`.

    func is an overload of `torch.ops.aten` (`func.overloadpacket`, `str(func)`), args and kwargs are as `make_fx`
    shows them, and what is returned takes the place of the result. Calling func computes it; the modes around this
    one are handed that call, and this one again under `with self:`. A result that a mode replaced has the derivative
    of the op. An op that is none of aten's is one of `functorch_lite`, by its name here: random draws, and
    derivatives that no rule spells. An op in place is the one that is not, whose result is then written. Creating
    tensors from Python numbers is not an op. Nothing is replayed meanwhile, and outside of modes nothing is slower.

    >>> from functorch_lite.utils._python_dispatch import TorchDispatchMode
    >>> class Log(TorchDispatchMode):
    ...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
    ...         print(func)
    ...         return func(*args, **(kwargs or {}))
    >>> w = torch.ones(2, 3, requires_grad=True)
    >>> with Log():
    ...     loss = (torch.ones(4, 3) @ w.T).relu().sum()
    aten.ones.default
    aten.permute.default
    aten.mm.default
    aten.relu.default
    aten.sum.default
    """

    def __init__(self, _dispatch_key: Any = None):
        if _dispatch_key is not None:
            raise NotImplementedError(
                "TorchDispatchMode: _dispatch_key= is not supported, because dispatch keys do not exist here; leave it out"
            )

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Any:
        self.__dict__.setdefault("_entered", []).append(context := entered(self))
        context.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        self.__dict__["_entered"].pop().__exit__(*exception)

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        """A mode of this class, made with these arguments."""
        return cls(*args, **kwargs)


def _get_current_dispatch_mode() -> Any:
    """The innermost mode of this thread; None without one."""
    return here.modes[-1] if here.modes else None


def _get_current_dispatch_mode_stack() -> list[Any]:
    """The modes of this thread, innermost last."""
    return list(here.modes)


def _disable_current_modes() -> AbstractContextManager[None]:
    """A context without modes."""
    return without()


__getattr__ = refusing(
    "torch.utils._python_dispatch",
    frozenset(("return_and_correct_aliasing", "transform_subclass")),
    "there is no dispatcher here that calls tensors of a class; torch.overrides tells how to override functions",
)
