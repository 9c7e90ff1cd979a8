"""Functions laid over the op of their name, whose name and docstring they have: they look at the call before, or at the
result after."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .._core.api import OPS, bind, composite, write_out

__all__ = ["ended", "over", "plain_op", "shown_as"]


def plain_op(name: str, known: str = "") -> Callable:
    """The op's own function, which goes by its name, or as `known`."""
    return bind.make_function(OPS[name], known or name.rpartition(".")[2])


def shown_as(fn: Callable, of: Callable | inspect.Signature) -> None:
    """Shows the signature of `of`, and the named parameters that fn adds, for fn, which passes its arguments on."""
    shown = of if isinstance(of, inspect.Signature) else inspect.signature(of)
    parameters = {p.name: p.replace(annotation=p.empty) for p in shown.parameters.values()}
    for p in inspect.signature(fn).parameters.values():
        if p.kind is p.KEYWORD_ONLY and not p.name.startswith("_"):
            parameters.setdefault(p.name, p.replace(annotation=p.empty))
    fn.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined]


def over(*names: str, method: bool = False, alias_of: str = "") -> Callable[[Callable], Callable]:
    """Registers, under each of the names, the function that `make(name, plain)` returns; `plain` is the function of
    the op with that name.

    alias_of: the op of which the names are aliases.
    """

    def register(make: Callable) -> Callable:
        for qualified in names:
            space, _, name = qualified.rpartition(".")
            declared = alias_of or qualified
            fn = make(name, plain_op(declared, name))
            fn.__name__ = fn.__qualname__ = name
            fn.__doc__ = OPS[declared].__doc__
            if fn.__code__.co_flags & inspect.CO_VARKEYWORDS:
                shown_as(fn, plain_op(declared, name))
            composite(fn, namespace=space or "torch", method=method)
        return make

    return register


def ended(result: Any, out: Any, exact: bool = False) -> Any:
    """The result of a function, or `out=` that it was written into."""
    return result if out is None else write_out(out, result, exact)
