"""Arguments by their names: what the signatures of functions and modules tell of a call."""

from __future__ import annotations

import inspect
import operator
import typing
from collections.abc import Callable
from typing import Any, NamedTuple

from .._core.api import overrides as _overrides
from ..api_names import listed
from ..nn import modules
from ._names import writes

__all__ = [
    "ArgsKwargsPair", "check_for_mutable_operation", "create_type_hint", "get_signature_for_torch_op", "normalize_function",
    "normalize_module", "type_matches",
]  # fmt: skip
__dir__ = listed(__name__)


class ArgsKwargsPair(NamedTuple):
    """Arguments: by position, by name."""

    args: tuple
    kwargs: dict[str, Any]


def check_for_mutable_operation(target: Callable, args: tuple, kwargs: dict[str, Any]) -> None:
    """Raises RuntimeError if a function of the library writes to its arguments."""
    name = _overrides.name_of(target)
    if name is not None and (writes(name) or kwargs.get("out") is not None or kwargs.get("inplace") is True):
        raise RuntimeError(
            f"Tried to trace mutable operation {name}. FX only supports functional code, so operations that mutate operands in-place "
            "(e.g. via `out` arguments) are not supported"
        )


def get_signature_for_torch_op(op: Callable, return_schemas: bool = False) -> Any:
    """The signatures of a function of the library, in a list; None if it is none. Returns nothing: schemas do not
    exist here."""
    if return_schemas:
        raise NotImplementedError(
            "get_signature_for_torch_op(return_schemas=True): functions have no schemas here"
        )
    if _overrides.name_of(op) is None:
        return None
    return [inspect.signature(op)]


def create_type_hint(x: Any) -> Any:
    """A type for a list or tuple of types: `list[T]` or `tuple[T, ...]` with what they have in common."""
    if not isinstance(x, list | tuple):
        return x
    make = (lambda t: list[t]) if isinstance(x, list) else (lambda t: tuple[t, ...])  # type: ignore[valid-type]
    if not x:
        return make(typing.Any)
    base: Any = x[0]
    for t in x[1:]:
        if isinstance(t, type) and isinstance(base, type) and issubclass(base, t):
            base = t
        elif not (isinstance(t, type) and isinstance(base, type) and issubclass(t, base)):
            return make(typing.Any)
    return make(base)


def type_matches(signature_type: Any, argument_type: Any) -> bool:
    """Returns whether an argument of one type is accepted for a parameter of a given type."""
    if signature_type is argument_type or signature_type is typing.Any:
        return True
    origin = typing.get_origin(signature_type)
    if origin in (typing.Union, getattr(__import__("types"), "UnionType", None)):
        return any(type_matches(t, argument_type) for t in typing.get_args(signature_type))
    if origin is list and argument_type is int:
        return typing.get_args(signature_type) == (int,)
    if origin is list and typing.get_origin(argument_type) in (list, tuple):
        inner = [t for t in typing.get_args(argument_type) if t is not ...]
        return all(type_matches(typing.get_args(signature_type)[0], t) for t in inner)
    if isinstance(signature_type, type) and isinstance(argument_type, type):
        return issubclass(argument_type, signature_type) or (signature_type is float and argument_type is int)
    return False


def normalize_function(
    target: Callable,
    args: tuple,
    kwargs: dict[str, Any] | None = None,
    arg_types: tuple | None = None,
    kwarg_types: dict[str, Any] | None = None,
    normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:
    """The arguments of a call with their defaults filled in; None where the signature is not known or does not fit.

    normalize_to_only_use_kwargs: whether all are given by their names.

    >>> normalize_function(torch.flatten, (1,), {"end_dim": 2}, normalize_to_only_use_kwargs=True).kwargs
    {'input': 1, 'start_dim': 0, 'end_dim': 2}
    """
    if (
        _overrides.name_of(target) is None
        and getattr(target, "__module__", "") != "_operator"
        and not callable(target)
    ):
        return None
    if getattr(target, "__module__", "") == "_operator" or isinstance(target, type(operator.add)):
        return None
    try:
        signature = inspect.signature(target)
    except (TypeError, ValueError):
        return None
    return _filled_in(signature, args, kwargs or {}, normalize_to_only_use_kwargs)


def normalize_module(
    root: Any, target: str, args: tuple, kwargs: dict[str, Any] | None = None, normalize_to_only_use_kwargs: bool = False
) -> ArgsKwargsPair | None:  # fmt: skip
    """`normalize_function` for the call of a submodule, by the signature of its `forward`; None for modules of other
    packages."""
    try:
        module = root.get_submodule(target)
    except AttributeError as error:
        raise RuntimeError(f"Tried to normalize arguments for module target {target!r}: {error}") from error
    kind = type(module)
    if getattr(modules, kind.__name__, None) is not kind:
        return None
    return _filled_in(inspect.signature(module.forward), args, kwargs or {}, normalize_to_only_use_kwargs)


def _filled_in(
    signature: inspect.Signature, args: tuple, kwargs: dict[str, Any], by_name: bool
) -> ArgsKwargsPair | None:
    kinds = {p.kind for p in signature.parameters.values()}
    if kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}:
        return None
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return None
    bound.apply_defaults()
    if by_name:
        return ArgsKwargsPair((), dict(bound.arguments))
    named = list(signature.parameters)[len(args) :]
    return ArgsKwargsPair(args, {n: bound.arguments[n] for n in named})
