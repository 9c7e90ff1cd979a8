"""Contexts that switch the tape: no_grad, enable_grad, set_grad_enabled, inference_mode; each also a decorator."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from .._core.bind import composite
from .._core.recorder import state

__all__ = [
    "enable_grad",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]


class _Mode:
    """A context manager that is a decorator too; generators are resumed under it."""

    _decorates_itself = True

    def __enter__(self):
        raise NotImplementedError

    def __exit__(self, *exc) -> None:
        raise NotImplementedError

    def _again(self) -> _Mode:
        return type(self)()

    def __call__(self, fn) -> Any:
        if inspect.isgeneratorfunction(fn):

            @functools.wraps(fn)
            def generate(*args, **kwargs):
                generator, sent = fn(*args, **kwargs), None
                while True:
                    with self._again():
                        try:
                            item = generator.send(sent)
                        except StopIteration as stop:
                            return stop.value
                    sent = yield item

            return generate

        @functools.wraps(fn)
        def decorated(*args, **kwargs):
            with self._again():
                return fn(*args, **kwargs)

        return decorated


class no_grad(_Mode):
    """Nothing inside is taped: with torch.no_grad(): …, or @torch.no_grad()."""

    _mode = False

    def __new__(cls, fn=None):
        made = super().__new__(cls)
        return made if fn is None else made(fn)

    def __init__(self, fn=None):
        self._before: list[bool] = []

    def __enter__(self):
        self._before.append(state.grad)
        state.grad = self._mode
        return self

    def __exit__(self, *exc) -> None:
        state.grad = self._before.pop()


class enable_grad(no_grad):
    """What is inside is taped, even within no_grad."""

    _mode = True


class set_grad_enabled(_Mode):
    """Switches the tape on or off: at once, and until the end of the context when used as one."""

    def __init__(self, mode: bool):
        self._before = state.grad
        self._mode = mode
        state.grad = bool(mode)

    def _again(self) -> _Mode:
        return set_grad_enabled(self._mode)

    def __call__(self, fn) -> Any:
        state.grad = self._before
        return super().__call__(fn)

    def __enter__(self):
        state.grad = bool(self._mode)
        return self

    def __exit__(self, *exc) -> None:
        state.grad = self._before


class inference_mode(_Mode):
    """no_grad that also lets is_inference_mode_enabled() say so."""

    def __new__(cls, mode: Any = True):
        made = super().__new__(cls)
        if callable(mode):
            made.__init__(True)
            return made(mode)
        return made

    def __init__(self, mode: Any = True):
        self._mode = mode
        self._before: list[tuple[bool, bool]] = []

    def _again(self) -> _Mode:
        return inference_mode(self._mode)

    def __enter__(self):
        self._before.append((state.grad, state.inference))
        if self._mode:
            state.grad, state.inference = False, True
        return self

    def __exit__(self, *exc) -> None:
        state.grad, state.inference = self._before.pop()


class set_multithreading_enabled(_Mode):
    """torch's switch for backward's threads. Here backward is recorded by the thread that calls it, with the switch on and off."""

    def __init__(self, mode: bool):
        self.mode = mode

    def _again(self) -> _Mode:
        return set_multithreading_enabled(self.mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc) -> None:
        pass


def is_grad_enabled() -> bool:
    """Whether ops are taped now."""
    return state.grad


def is_inference_mode_enabled() -> bool:
    """Whether inference_mode is on."""
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
