"""Decorators of datapipes: the name of a step, its determinism, and checks of the types of arguments and items."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, get_type_hints

from .datapipe import IterDataPipe, MapDataPipe

__all__ = [
    "argument_validation", "functional_datapipe", "guaranteed_datapipes_determinism", "non_deterministic",
    "runtime_validation", "runtime_validation_disabled",
]  # fmt: skip


class functional_datapipe:
    """Decorator that makes the constructor of a datapipe a method of every datapipe of its kind.

    After `@functional_datapipe("name")`, `pipe.name(...)` is `cls(pipe, ...)`.

    Args:
        name: Name of the method.
        enable_df_api_tracing: Whether the datapipe that the method returns accepts operations on data frames.

    Raises:
        TypeError: If the class is not an IterDataPipe or MapDataPipe.

    >>> from functorch_lite.utils.data import IterDataPipe, functional_datapipe
    >>> @functional_datapipe("doubled_in_the_example")
    ... class Doubled(IterDataPipe):
    ...     def __init__(self, source): self.source = source
    ...     def __iter__(self): return (2 * x for x in self.source)
    >>> class Numbers(IterDataPipe):
    ...     def __iter__(self): return iter(range(3))
    >>> list(Numbers().doubled_in_the_example())
    [0, 2, 4]
    """

    def __init__(self, name: str, enable_df_api_tracing: bool = False):
        self.name, self.enable_df_api_tracing = name, enable_df_api_tracing

    def __call__(self, cls: Any) -> Any:
        of = getattr(cls, "__self__", cls)
        of = of.cls if isinstance(of, non_deterministic) else of
        if inspect.isclass(of) and issubclass(of, IterDataPipe):
            IterDataPipe.register_datapipe_as_function(self.name, cls, self.enable_df_api_tracing)
        elif inspect.isclass(of) and issubclass(of, MapDataPipe):
            MapDataPipe.register_datapipe_as_function(self.name, cls)
        else:
            raise TypeError("`functional_datapipe` can only decorate IterDataPipe or MapDataPipe")
        return cls


class _Switch:
    """Context manager that sets a flag of its class when it is made, and restores the flag at the end."""

    on = False

    def __init__(self) -> None:
        self.prev = type(self).on
        type(self).on = True

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc_info: Any) -> None:
        type(self).on = self.prev


class guaranteed_datapipes_determinism(_Switch):
    """Context manager in which constructing a non-deterministic datapipe raises TypeError.

    >>> from functorch_lite.utils.data import guaranteed_datapipes_determinism
    >>> with guaranteed_datapipes_determinism():
    ...     pass
    """


class runtime_validation_disabled(_Switch):
    """Context manager in which `runtime_validation` does not check the items.

    >>> from functorch_lite.utils.data import runtime_validation_disabled
    >>> with runtime_validation_disabled():
    ...     pass
    """


class non_deterministic:
    """Decorator that marks an IterDataPipe as non-deterministic.

    Args:
        arg: The class, or a function of the constructor's arguments that returns True if the result is not
            deterministic.

    Raises:
        TypeError: If `arg` is neither; when a marked class is constructed under `guaranteed_datapipes_determinism`.

    >>> from functorch_lite.utils.data import IterDataPipe, non_deterministic
    >>> @non_deterministic
    ... class Noise(IterDataPipe): pass
    >>> Noise()
    Noise
    """

    cls: type | None = None

    def __init__(self, arg: Any):
        if isinstance(arg, type):
            if not issubclass(arg, IterDataPipe):
                raise TypeError(
                    f"Only `IterDataPipe` can be decorated with `non_deterministic`, but {arg.__name__} is found"
                )
            self.cls = arg
        elif callable(arg):
            self.deterministic_fn = arg
        else:
            raise TypeError(f"{arg} can not be decorated by non_deterministic")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.cls is not None:
            if guaranteed_datapipes_determinism.on:
                raise TypeError(
                    f"{self.cls.__name__} is non-deterministic, but you set 'guaranteed_datapipes_determinism'. You can turn off "
                    "determinism for this DataPipe if that is acceptable for your application"
                )
            return self.cls(*args, **kwargs)
        if not (isinstance(args[0], type) and issubclass(args[0], IterDataPipe)):
            raise TypeError(f"Only `IterDataPipe` can be decorated, but {args[0].__name__} is found")
        self.cls = args[0]
        return self.deterministic_wrapper_fn

    def deterministic_wrapper_fn(self, *args: Any, **kwargs: Any) -> IterDataPipe:
        """Construct the datapipe after asking the function whether these arguments make it non-deterministic."""
        found = self.deterministic_fn(*args, **kwargs)
        if not isinstance(found, bool):
            raise TypeError(
                f"deterministic_fn of `non_deterministic` decorator is required to return a boolean value, but {type(found)} is found"
            )
        if guaranteed_datapipes_determinism.on and found:
            raise TypeError(
                f"{self.cls.__name__} is non-deterministic with the inputs, but you set "  # type: ignore[union-attr]
                "'guaranteed_datapipes_determinism'. You can turn off determinism for this DataPipe if that is acceptable for your "
                "application"
            )
        return self.cls(*args, **kwargs)  # type: ignore[misc]


def argument_validation(f: Callable) -> Callable:
    """Decorate a constructor so that arguments annotated with a class of datapipes are checked.

    As in PyTorch 2.13, only a bare class (`dp: IterDataPipe`) is checked, by the `type` attribute that both classes
    would have; annotations with a parameter (`IterDataPipe[int]`) are not.

    Args:
        f: The constructor.

    Returns:
        The constructor with the checks.

    >>> from functorch_lite.utils.data import IterDataPipe, argument_validation
    >>> class Pipe(IterDataPipe):
    ...     @argument_validation
    ...     def __init__(self, dp: IterDataPipe[int]): self.dp = dp
    >>> Pipe(range(3)).dp
    range(0, 3)
    """
    signature, hints = inspect.signature(f), get_type_hints(f)

    @functools.wraps(f)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            hint = hints.get(name)
            if not (inspect.isclass(hint) and issubclass(hint, IterDataPipe | MapDataPipe)):
                continue
            if not isinstance(value, IterDataPipe):
                raise TypeError(f"Expected argument '{name}' as a IterDataPipe, but found {type(value)}")
            if not value.type.issubtype(hint.type):
                raise TypeError(
                    f"Expected type of argument '{name}' as a subtype of hint {hint.type}, but found {value.type}"
                )
        return f(*args, **kwargs)

    return wrapper


def runtime_validation(f: Callable) -> Callable:
    """Decorate an `__iter__` so that each item is checked by the `type` attribute of its datapipe.

    Args:
        f: The `__iter__`. As in PyTorch 2.13, annotations do not set `type`: a class that uses the decorator defines it,
            as an object with the method `issubtype_of_instance(item)`.

    Returns:
        The `__iter__` with the check, a generator.

    Raises:
        TypeError: If the function is not an `__iter__`.

    >>> from functorch_lite.utils.data import runtime_validation
    >>> @runtime_validation
    ... def __iter__(self): yield 1
    """
    if f.__name__ != "__iter__":
        raise TypeError(f"Can not decorate function {f.__name__} with 'runtime_validation'")

    @functools.wraps(f)
    def wrapper(self: Any) -> Iterator:
        if runtime_validation_disabled.on:
            yield from f(self)
            return
        for item in f(self):
            if not self.type.issubtype_of_instance(item):
                raise RuntimeError(
                    f"Expected an instance as subtype of {self.type}, but found {item}({type(item)})"
                )
            yield item

    return wrapper
