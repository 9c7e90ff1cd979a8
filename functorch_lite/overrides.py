"""torch.overrides: calls of public functions taken over by subclasses of Tensor, by other types, and by modes.

Importing this turns overrides on; otherwise the first subclass of Tensor, mode, or foreign argument does (see
`_core/call/overrides.py`).
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Hashable, Iterable
from types import FunctionType
from typing import Any

from ._core.api import Tensor, bind
from ._core.api import overrides as core
from .api_names import listed

__all__ = [
    "get_ignored_functions",
    "get_overridable_functions", "get_testing_overrides", "handle_torch_function", "has_torch_function",
    "is_tensor_like", "is_tensor_method_or_property",
    "redispatch_function", "resolve_name",
    "wrap_torch_function",
]  # fmt: skip
__dir__ = listed(
    __name__,
    "BaseTorchFunctionMode",
    "TorchFunctionMode",
    "get_default_nowrap_functions",
    "has_torch_function_unary",
    "has_torch_function_variadic",
)

core.turn_on()


# -- in functions of one's own ---------------------------------------------------------------------------------------


def is_tensor_like(inp: Any) -> bool:
    """Returns whether inp is a Tensor, or of a type with a `__torch_function__`.

    >>> is_tensor_like(torch.zeros(2)), is_tensor_like(2.0)
    (True, False)
    """
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Returns whether a mode is on, or one of the arguments is of a type that overrides."""
    if core.here.passing:
        core.here.passing = False
        return False
    if core.here.modes:
        return True
    return not core.here.no_subclasses and any(core.overriding(type(x)) for x in relevant_args)


def has_torch_function_unary(obj: Any) -> bool:
    """`has_torch_function` of one argument."""
    return has_torch_function((obj,))


def has_torch_function_variadic(*relevant_args: Any) -> bool:
    """`has_torch_function` of arguments given one by one."""
    return has_torch_function(relevant_args)


def handle_torch_function(
    public_api: Callable, relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """Calls the `__torch_function__` of the mode, or of one of the arguments; for use when `has_torch_function` says
    that there is one.

    Raises TypeError when all of them return NotImplemented.
    """

    def nobody(*args, **kwargs):
        raise TypeError(
            f"no implementation found for '{name}': none of its arguments has a __torch_function__"
        )

    name = f"{public_api.__module__}.{public_api.__name__}"
    return core.dispatch(public_api, name, args, kwargs, relevant_args, nobody)


def redispatch_function(func: Callable, types: Iterable[type], args: tuple, kwargs: dict | None) -> Any:
    """Calls func past the override that it is called from: what func itself calls is offered to overrides again.

    >>> class Log(torch.Tensor):
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         print(func.__name__)
    ...         return redispatch_function(func, types, args, kwargs)
    >>> torch.add(torch.ones(2).as_subclass(Log), 1)
    add
    tensor([2., 2.])
    """
    core.here.passing = True
    try:
        return func(*args, **(kwargs or {}))
    finally:
        core.here.passing = False


def wrap_torch_function(dispatcher: Callable) -> Callable:
    """Decorator that makes a function overridable; `dispatcher`, of the same signature, returns the arguments that may
    override it.

    >>> @wrap_torch_function(lambda a: (a,))
    ... def double(a):
    ...     return a + a
    >>> double(torch.ones(2))
    tensor([2., 2.])
    """

    def decorate(func: Callable) -> Callable:
        @functools.wraps(func)
        def wrapped(*args, **kwargs):
            values = dispatcher(*args, **kwargs)
            if has_torch_function(values):
                return handle_torch_function(wrapped, values, *args, **kwargs)
            return func(*args, **kwargs)

        return wrapped

    return decorate


# -- modes -----------------------------------------------------------------------------------------------------------


class TorchFunctionMode:
    """A context in which every public function, including functions that create tensors, is handed to the mode's
    `__torch_function__`.

    While that runs the mode is off; modes around it are on. Enter it again (`with self:`) to have it see what it calls.

    >>> class Log(TorchFunctionMode):
    ...     def __torch_function__(self, func, types, args=(), kwargs=None):
    ...         print(resolve_name(func))
    ...         return func(*args, **(kwargs or {}))
    >>> with Log():
    ...     x = torch.ones(2) + 1
    torch.ones
    torch.Tensor.add
    """

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        self.__dict__.setdefault("_entered", []).append(entered := core.pushed(self))
        entered.__enter__()
        return self

    def __exit__(self, *exception) -> None:
        self.__dict__["_entered"].pop().__exit__(*exception)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that changes nothing."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


# -- which functions there are ---------------------------------------------------------------------------------------

_SPACES = ("torch", "nn.functional", "linalg", "fft", "special")


def _module(space: str) -> Any:
    return importlib.import_module("functorch_lite" if space == "torch" else f"functorch_lite.{space}")


@functools.cache
def _functions() -> dict[Any, list[Callable]]:
    """Every public function that can be overridden, by the module or class it is in."""
    found: dict[Any, list[Callable]] = {}
    for space in _SPACES:
        module = _module(space)
        listed = found[module] = []
        for name in sorted(bind.names(space) if space == "torch" else dir(module)):
            fn = getattr(module, name)
            if core.name_of(fn) is not None and fn not in listed and name not in _FACTORIES:
                listed.append(fn)
    methods = found[Tensor] = []
    for name in sorted({*vars(Tensor), *bind.method_names()}):
        getattr(Tensor, name)
        attribute = vars(Tensor).get(name)
        if isinstance(attribute, property):
            if core.name_of(attribute.fget) is not None:
                methods.append(attribute.__get__)
                if attribute.fset is not None:
                    methods.append(attribute.__set__)
        elif core.name_of(attribute) is not None:
            methods.append(attribute)  # type: ignore[arg-type]
    return found


_FACTORIES = frozenset(
    """
    arange as_tensor asarray bartlett_window blackman_window can_cast empty empty_permuted empty_strided eye from_numpy frombuffer
    full hamming_window hann_window kaiser_window linspace logspace normal ones promote_types rand randint randn randperm range
    result_type scalar_tensor tensor tril_indices triu_indices vander zeros
    """.split()
)
"""Functions that modes see, but that nobody overrides by the type of an argument."""


def get_overridable_functions() -> dict[Any, list[Callable]]:
    """The functions that can be overridden, by the module (or Tensor) they are found in."""
    return {space: list(functions) for space, functions in _functions().items()}


def get_ignored_functions() -> set[Callable]:
    """The public functions that cannot be overridden by the type of an argument."""
    found: set[Callable] = set()
    for space in _SPACES:
        module = _module(space)
        for name in bind.names(space):
            fn = getattr(module, name)
            if isinstance(fn, FunctionType) and (core.name_of(fn) is None or name in _FACTORIES):
                found.add(fn)
    return found | {
        fn
        for name in core.NEVER["torch"]
        if isinstance(fn := getattr(_module("torch"), name, None), FunctionType)
    }


def get_testing_overrides() -> dict[Callable, Callable]:
    """Returns for each overridable function a function of the same signature that returns -1."""
    found: dict[Callable, Callable] = {}
    for functions in _functions().values():
        for fn in functions:
            found[fn] = _dummy(fn)
    return found


def _dummy(fn: Callable) -> Callable:
    def stand_in(*args, **kwargs):
        signature.bind(*args, **kwargs)
        return -1

    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError):  # the accessor of a property
        accessor = fn.__name__
        signature = inspect.signature(
            (lambda self: -1) if accessor == "__get__" else (lambda self, value: -1)
        )
    stand_in.__signature__ = signature  # type: ignore[attr-defined]
    return stand_in


@functools.cache
def _names() -> dict[Callable, str]:
    found: dict[Callable, str] = {}
    for functions in _functions().values():
        for fn in functions:
            owner = getattr(fn, "__self__", None)
            if isinstance(owner, property):
                found[fn] = core.name_of(owner.fset if fn.__name__ == "__set__" else owner.fget) or ""
            else:
                found[fn] = core.name_of(fn) or ""
    return found


def resolve_name(f: Callable) -> str | None:
    """The public name of a function, such as "torch.add" or "torch.Tensor.shape.__get__"; None if it has none.

    >>> resolve_name(torch.add), resolve_name(torch.Tensor.add)
    ('torch.add', 'torch.Tensor.add')
    """
    return core.name_of(f) or (_names().get(f) if isinstance(f, Hashable) else None)


def is_tensor_method_or_property(func: Callable) -> bool:
    """Returns whether func is a method of Tensor, or the `__get__` of one of its properties."""
    name = resolve_name(func)
    return (name is not None and name.startswith("torch.Tensor.")) or getattr(
        func, "__name__", ""
    ) == "__get__"


def get_default_nowrap_functions() -> set[Callable]:
    """The functions whose results the inherited `__torch_function__` does not make instances of the subclass."""
    return core.nowrap()
