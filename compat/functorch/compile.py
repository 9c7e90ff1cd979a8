"""functorch.compile: forward and backward of functions as Graphs, each handed to a compiler of the user's.
XLA compiles without being asked; names that only ask for that say so when they are called."""

from __future__ import annotations

from typing import Any, NoReturn

from functorch_lite.compiler.aot import aot_function, aot_module, default_partition, nop
from functorch_lite.compiler.debugging.minify import minifier
from functorch_lite.compiler.partition.of_modules import min_cut_rematerialization_partition

__all__ = [
    "aot_function", "aot_module", "aot_module_simplified", "compiled_function", "compiled_module", "default_partition",
    "make_boxed_func", "memory_efficient_fusion", "min_cut_rematerialization_partition", "minifier", "nop", "ts_compile",
]  # fmt: skip

_COMPILED = (
    "functorch.compile.{}: programs are recorded and compiled by themselves here, forward and backward together. Call the function "
    "or the module as it is. To save memory in backward use torch.utils.checkpoint."
)


def _refuse(name: str, text: str) -> Any:
    def refuse(*args, **kwargs) -> NoReturn:
        raise NotImplementedError(text.format(name))

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Raises NotImplementedError, which says what to do instead of {name}."
    return refuse


aot_module_simplified = _refuse("aot_module_simplified", _COMPILED)


def make_boxed_func(f: Any) -> Any:
    """The function, called with one list of its arguments, which it empties.

    >>> make_boxed_func(lambda a, b: a + b)([1, 2])
    3
    """

    def boxed(args: list) -> Any:
        given = list(args)
        args.clear()
        return f(*given)

    boxed._boxed_call = True  # type: ignore[attr-defined]
    return boxed


compiled_function = _refuse("compiled_function", _COMPILED)
compiled_module = _refuse("compiled_module", _COMPILED)
memory_efficient_fusion = _refuse("memory_efficient_fusion", _COMPILED)
ts_compile = _refuse("ts_compile", _COMPILED)
