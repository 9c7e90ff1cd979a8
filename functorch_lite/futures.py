"""torch.futures: a value that another thread will give, and what is to be done with it then. Within one process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from ._core.api import devices as devices
from .api_names import listed

__all__ = ["Future", "collect_all", "wait_all"]
__dir__ = listed(__name__, "S", "T")

T = TypeVar("T")
S = TypeVar("S")


class Future(Generic[T]):
    """A value to come. Callbacks run in the thread that sets the value, or at once if it is already set.

    >>> f = torch.futures.Future()
    >>> doubled = f.then(lambda f: 2 * f.wait())
    >>> f.set_result(3)
    >>> doubled.wait()
    6
    """

    def __init__(self, *, devices: Any = None):
        for d in devices or ():
            _check_device(d)
        self._changed = threading.Condition()
        self._callbacks: list[Callable[[Future], Any]] = []
        self._is_done = False
        self._result: Any = None
        self._error: BaseException | None = None

    def done(self) -> bool:
        """Returns whether there is a value or an exception."""
        return self._is_done

    def wait(self) -> T:
        """Waits for the value and returns it; raises the exception if one was set."""
        with self._changed:
            self._changed.wait_for(self.done)
        return self.value()

    def value(self) -> T:
        """The value of a future that is done."""
        if not self._is_done:
            raise RuntimeError("value(): the Future is not completed; use wait()")
        if self._error is not None:
            raise self._error
        return self._result

    def then(self, callback: Callable[[Future[T]], S]) -> Future[S]:
        """A future of what `callback` returns, which is called with this future when it is done.

        If the callback fails, the new future's wait() raises RuntimeError.
        """
        _check_callback("then", callback)
        made: Future[S] = Future()

        def run(f: Future[T]) -> None:
            try:
                result = callback(f)
            except Exception as e:
                failure = RuntimeError(
                    f"Got the following error when running the callback: {type(e).__name__}: {e}"
                )
                failure.__cause__ = e
                made.set_exception(failure)
            else:
                made.set_result(result)

        self._when_done(run)
        return made

    def add_done_callback(self, callback: Callable[[Future[T]], None]) -> None:
        """Has `callback` called with this future when it is done; what it raises is printed."""
        _check_callback("add_done_callback", callback)

        def run(f: Future[T]) -> None:
            try:
                callback(f)
            except Exception:
                import traceback

                traceback.print_exc()

        self._when_done(run)

    def _when_done(self, run: Callable[[Future[T]], None]) -> None:
        with self._changed:
            if not self._is_done:
                self._callbacks.append(run)
                return
        run(self)

    def set_result(self, result: T) -> None:
        """Gives the value; once only."""
        self._finish(result, None)

    def set_exception(self, result: BaseException) -> None:
        """Has wait() and value() raise an exception."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._finish(None, result)

    def _finish(self, result: Any, error: BaseException | None) -> None:
        with self._changed:
            if self._is_done:
                raise RuntimeError(
                    "Attempting to mark a completed Future as complete again. Note that a Future can only be marked completed once."
                )
            self._result, self._error, self._is_done = result, error, True
            callbacks, self._callbacks = self._callbacks, []
            self._changed.notify_all()
        for run in callbacks:
            run(self)


def _check_device(d: Any) -> None:
    devices.resolve(d)  # raises for one that is not here


def _check_callback(name: str, callback: Any) -> None:
    if not callable(callback):
        raise TypeError(
            f"{name}(): incompatible function arguments: {type(callback).__name__} is not callable"
        )


def collect_all(futures: list[Future]) -> Future[list[Future]]:
    """A future of the list of these, done when all of them are.

    >>> a, b = torch.futures.Future(), torch.futures.Future()
    >>> both = torch.futures.collect_all([a, b])
    >>> a.set_result(1), both.done(), b.set_result(2)
    (None, False, None)
    >>> [f.wait() for f in both.wait()]
    [1, 2]
    """
    waited = list(futures)
    made: Future[list[Future]] = Future()
    left, lock = [len(waited)], threading.Lock()

    def run(_: Future) -> None:
        with lock:
            left[0] -= 1
            last = left[0] == 0
        if last:
            made.set_result(waited)

    if not waited:
        made.set_result(waited)
    for f in waited:
        f._when_done(run)
    return made


def wait_all(futures: list[Future]) -> list:
    """The values of all futures, once they are there; raises what one of them raises.

    >>> f = torch.futures.Future()
    >>> f.set_result(1)
    >>> torch.futures.wait_all([f, f])
    [1, 1]
    """
    return [f.wait() for f in collect_all(futures).wait()]
