"""Contexts that switch the tape: no_grad, enable_grad, set_grad_enabled, inference_mode; each also a decorator."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from .._core.api import composite, state

__all__ = [
    "enable_grad",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]


_F = TypeVar("_F", bound=Callable[..., Any])

CLASS_DECORATED = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions or methods. "
    "To preserve the current behavior of class decoration, you can directly decorate the `__init__` method and nothing else."
)


class _DecoratorContextManager:
    """A context manager that is a decorator too; generators are resumed under it."""

    _decorates_itself = True

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, *exc: object) -> None:
        raise NotImplementedError

    def clone(self) -> _DecoratorContextManager:
        return type(self)()

    def __call__(self, fn: _F) -> _F:
        if inspect.isclass(fn):
            warnings.warn(CLASS_DECORATED, FutureWarning, stacklevel=2)
        if inspect.isgeneratorfunction(fn):

            @functools.wraps(fn)
            def generate(*args, **kwargs):
                generator = fn(*args, **kwargs)
                resume, sent = generator.send, None
                while True:
                    with self.clone():
                        try:
                            item = resume(sent)
                        except StopIteration as stop:
                            return stop.value
                    try:
                        resume, sent = generator.send, (yield item)
                    except GeneratorExit:
                        with self.clone():
                            generator.close()
                        raise
                    except BaseException as thrown:
                        resume, sent = generator.throw, thrown

            return generate  # type: ignore[return-value]

        @functools.wraps(fn)
        def decorated(*args, **kwargs):
            with self.clone():
                return fn(*args, **kwargs)

        return decorated  # type: ignore[return-value]


class no_grad(_DecoratorContextManager):
    """Nothing inside is taped: with torch.no_grad(): …, or @torch.no_grad().

    Args:
        fn: the function to decorate. None (the default) makes a context.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():
    ...     (x * 2).requires_grad
    False
    """

    _mode = False

    def __new__(cls, fn: Callable[..., Any] | None = None) -> Any:
        made = super().__new__(cls)
        return made if fn is None else made(fn)

    def __init__(self, fn: Callable[..., Any] | None = None) -> None:
        self._before: list[bool] = []

    def __enter__(self) -> Any:
        self._before.append(state.grad)
        state.here.grad = self._mode
        return self

    def __exit__(self, *exc: object) -> None:
        before = self._before
        state.here.grad = before[-1]  # first of all, and by no call: an interrupt comes after it
        before.pop()


class enable_grad(no_grad):
    """Tapes the ops inside, even within no_grad.

    Args:
        fn: the function to decorate. None (the default) makes a context.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad(), torch.enable_grad():
    ...     (x * 2).requires_grad
    True
    """

    _mode = True


class set_grad_enabled(_DecoratorContextManager):
    """Switches the tape on or off: at once, and until the end of the context when used as one.

    Args:
        mode: whether gradients are recorded.
    """

    def __init__(self, mode: bool) -> None:
        self._before = state.grad
        self.mode = mode
        state.here.grad = bool(mode)

    def clone(self) -> _DecoratorContextManager:
        return set_grad_enabled(self.mode)

    def __call__(self, fn) -> Any:
        state.here.grad = self._before
        return super().__call__(fn)

    def __enter__(self) -> Any:
        state.here.grad = bool(self.mode)
        return self

    def __exit__(self, *exc: object) -> None:
        state.here.grad = self._before


class inference_mode(_DecoratorContextManager):
    """no_grad that also lets is_inference_mode_enabled() say so; inference_mode(False) ends both, also within no_grad.

    Args:
        mode: whether inference mode is on. Default: True.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.inference_mode():
    ...     (x * 2).requires_grad
    False
    """

    def __new__(cls, mode: Any = True) -> Any:
        made = super().__new__(cls)
        if callable(mode):
            made.__init__(True)
            return made(mode)
        return made

    def __init__(self, mode: Any = True) -> None:
        self.mode = mode
        self._before: list[tuple[bool, bool]] = []

    def clone(self) -> _DecoratorContextManager:
        return inference_mode(self.mode)

    def __enter__(self) -> Any:
        self._before.append((state.grad, state.inference))
        here = state.here
        here.grad, here.inference = not self.mode, bool(self.mode)
        return self

    def __exit__(self, *exc: object) -> None:
        here, before = state.here, self._before
        here.grad, here.inference = before[-1]
        before.pop()


class set_multithreading_enabled(_DecoratorContextManager):
    """torch's switch for backward's threads.

    Here backward is recorded by the thread that calls it, with the switch on and off.

    Args:
        mode: whether PyTorch would use several threads.
    """

    def __init__(self, mode: bool) -> None:
        self.mode = mode

    def clone(self) -> _DecoratorContextManager:
        return set_multithreading_enabled(self.mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        pass


def is_grad_enabled() -> bool:
    """Returns whether ops are taped now.

    >>> torch.is_grad_enabled()
    True
    """
    return bool(state.grad)


def is_inference_mode_enabled() -> bool:
    """Returns whether inference_mode is on.

    >>> torch.is_inference_mode_enabled()
    False
    """
    return state.inference


for _function in (
    no_grad,
    enable_grad,
    set_grad_enabled,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
):
    composite(_function)
