"""Patterns in files: written once, and read without tracing anything.

A file is Python that builds the pattern, for people to read. It is parsed, and not executed: only expressions of
patterns, plain values, and functions of the library by name are taken from it.
"""

from __future__ import annotations

import ast
import inspect
import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..._core.api import OPS, dtypes
from ...fx._names import Namespace
from ...fx._record import found, named
from ..graphs.calls import OpCall, op_call
from . import expressions
from .expressions import MULTIPLE, Match, PatternExpr
from .matcher import always
from .replacement import gen_pattern, register_replacement

__all__ = ["gen_register_replacement", "pattern_of", "text_of"]

_CALLS = ("CallFunction", "CallMethod", "CallFunctionVarArgs")
_KINDS = (
    *_CALLS,
    "Arg",
    "Ignored",
    "KeywordArg",
    "ExclusiveKeywordArg",
    "ListOf",
    "MultiOutputPattern",
    "RepeatedExpr",
)
_HEAD = """# Generated; not to be edited. It is made anew by the program that registers the pattern, with PYTORCH_GEN_PATTERNS=1 in its environment.
import operator

import functorch_lite as torch
from functorch_lite.compiler.patterns import *

"""


# -- writing ---------------------------------------------------------------------------------------------------------


def text_of(pattern: PatternExpr, name: str) -> str:
    """The text of a file that holds a pattern under a name. The same pattern gives the same text in every process.

    >>> from functorch_lite.compiler.patterns import CallFunction, KeywordArg
    >>> print(text_of(CallFunction(torch.sin, KeywordArg("x")), "sine").splitlines()[-1])
    sine = CallFunction(torch.sin, KeywordArg('x'), _users=1)
    """
    return _HEAD + "\n".join(_Writer().lines(pattern, name)) + "\n"


class _Writer:
    """Writer of patterns as lines of Python. An expression that occurs twice in a pattern is one object, so every
    call gets a name."""

    def __init__(self) -> None:
        self._names = Namespace()
        self._called: dict[int, str] = {}
        self._lines: list[str] = []

    def lines(self, pattern: PatternExpr, name: str) -> list[str]:
        """Returns the lines of a pattern, an assignment each."""
        self._names.create_name(name, None)
        whole = self._expression(pattern, root=True)
        return [*self._lines, f"{name} = {whole}"]

    def _expression(self, x: Any, root: bool = False) -> str:
        if id(x) in self._called:
            return self._called[id(x)]
        kind = type(x).__name__
        if isinstance(x, PatternExpr) and kind not in _KINDS:
            raise NotImplementedError(f"a pattern with {kind} is not stored: register it without a file")
        if kind in _CALLS:
            return self._call(x, kind, root)
        if kind in ("KeywordArg", "ExclusiveKeywordArg"):
            return f"{kind}({x.name!r})"
        if kind == "ListOf":
            return f"ListOf({self._expression(x.pattern)}, partial={x.partial})"
        if kind == "RepeatedExpr":
            return f"RepeatedExpr({self._expression(x.inner)})"
        if kind == "MultiOutputPattern":
            return f"MultiOutputPattern([{', '.join(map(self._expression, x.outputs))}])"
        return f"{kind}()" if isinstance(x, PatternExpr) else self._plain(x)

    def _call(self, x: Any, kind: str, root: bool) -> str:
        functions = [self._function(f) for f in x.fns]
        parts = [functions[0] if len(functions) == 1 else f"[{', '.join(functions)}]"]
        parts += [self._expression(a) for a in x.args]
        parts += [f"{k}={self._expression(a)}" for k, a in x.kwargs.items()]
        text = f"{kind}({', '.join(parts)}, _users={'MULTIPLE' if x.users is MULTIPLE else x.users})"
        if root:
            return text
        last = functions[0].partition("(")[0].rpartition(".")[2].strip("'")
        name = self._called[id(x)] = self._names.create_name(last, None)
        self._lines.append(f"{name} = {text}")
        return name

    def _function(self, f: Any) -> str:
        if isinstance(f, str):
            return repr(f)
        if isinstance(f, OpCall) and OPS.get(f.op.name) is f.op:
            return f"op_call({f.op.name!r}, {self._plain(f.static)})"
        known = named(f)
        if not isinstance(known, list):
            raise NotImplementedError(
                f"a pattern that calls {f} is not stored: it has no name that other processes know"
            )
        return known[1]

    def _plain(self, x: Any) -> str:
        if isinstance(x, list | tuple):
            inner = ", ".join(map(self._expression, x)) + (
                "," if isinstance(x, tuple) and len(x) == 1 else ""
            )
            return f"[{inner}]" if isinstance(x, list) else f"({inner})"
        if isinstance(x, dtypes.dtype):
            return str(x)
        if isinstance(x, float) and not math.isfinite(x):
            return "torch.nan" if x != x else "torch.inf" if x > 0 else "-torch.inf"
        if isinstance(x, complex):
            return f"complex({self._plain(x.real)}, {self._plain(x.imag)})"
        if x is None or isinstance(x, bool | int | float | str):
            return repr(x)
        raise NotImplementedError(f"a pattern with {x!r} cannot be stored: only plain values can")


# -- reading ---------------------------------------------------------------------------------------------------------


def pattern_of(text: str, name: str) -> PatternExpr:
    """The pattern that a file holds under a name. Raises ValueError for a file that is none of `text_of`'s."""
    env: dict[str, Any] = {"MULTIPLE": MULTIPLE}
    try:
        for line in ast.parse(text).body:
            if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
                env[line.targets[0].id] = _value(line.value, env)
        pattern = env[name]
    except (SyntaxError, KeyError, AttributeError, TypeError) as error:
        raise ValueError(f"no stored pattern {name}: {error}") from None
    if not isinstance(pattern, PatternExpr):
        raise ValueError(f"{name} does not contain a pattern")
    return pattern


def _value(x: ast.expr, env: Mapping[str, Any]) -> Any:
    if isinstance(x, ast.Constant):
        return x.value
    if isinstance(x, ast.Name):
        return env[x.id]
    if isinstance(x, ast.List | ast.Tuple):
        parts = [_value(e, env) for e in x.elts]
        return parts if isinstance(x, ast.List) else tuple(parts)
    if isinstance(x, ast.UnaryOp) and isinstance(x.op, ast.USub):
        return -_value(x.operand, env)
    if isinstance(x, ast.Attribute):
        return _dotted(ast.unparse(x))
    if isinstance(x, ast.Call) and isinstance(x.func, ast.Name):
        args = [_value(a, env) for a in x.args]
        if x.func.id == "complex":
            return complex(*args)
        if x.func.id == "op_call":
            return op_call(OPS[args[0]], args[1])
        if x.func.id in _KINDS:
            return getattr(expressions, x.func.id)(
                *args, **{str(k.arg): _value(k.value, env) for k in x.keywords}
            )
    raise TypeError(f"{ast.unparse(x)} cannot be part of a pattern")


def _dotted(name: str) -> Any:
    numbers = {"torch.inf": math.inf, "torch.nan": math.nan}
    if name in numbers:
        return numbers[name]
    return dtypes.DTYPES.get(name.removeprefix("torch.")) or found(["name", name])


# -- registering -----------------------------------------------------------------------------------------------------


def _file(search_fn: Callable, unique_name: str) -> Path:
    """Returns the file in which the pattern of a function is stored: next to the file of the function."""
    source = inspect.getsourcefile(search_fn)
    if source is None:
        raise RuntimeError(f"{search_fn} is not defined in a file, next to which its pattern could be stored")
    return Path(source).parent / "serialized_patterns" / f"{unique_name}.py"


def serialize_pattern(
    unique_name: str,
    search_fn: Callable,
    example_inputs: Sequence[Any],
    trace_fn: Callable,
    scalar_workaround: Mapping[str, float | int] | None = None,
    exclusive_arg_names: Sequence[str] = (),
) -> PatternExpr:
    """The pattern of a function, which is written to `serialized_patterns/<unique_name>.py` next to the function's
    file."""
    pattern = gen_pattern(search_fn, example_inputs, trace_fn, scalar_workaround, exclusive_arg_names)
    file = _file(search_fn, unique_name)
    file.parent.mkdir(exist_ok=True)
    file.write_text(text_of(pattern, unique_name))
    return pattern


def gen_register_replacement(
    unique_name: str,
    search_fn: Callable,
    replace_fn: Callable,
    example_inputs: Sequence[Any],
    trace_fn: Callable,
    pass_dicts: Any,
    extra_check: Callable[[Match], bool] = always,
    scalar_workaround: Mapping[str, float | int] | None = None,
    exclusive_arg_names: Sequence[str] = (),
    skip_duplicates: bool = False,
    get_decomp_fn: Any = None,
) -> None:
    """`register_replacement` of a pattern that is read from a file, so that search_fn is not traced.

    The file is `serialized_patterns/<unique_name>.py` next to the file of search_fn. Where the environment has
    PYTORCH_GEN_PATTERNS it is written; without it a missing file raises FileNotFoundError. A match of the pattern is
    traced as usual before it is replaced.
    """
    if get_decomp_fn is not None:
        raise NotImplementedError(
            "gen_register_replacement: recorded ops are not decomposed; leave get_decomp_fn out"
        )
    example_inputs = tuple(example_inputs)
    if "PYTORCH_GEN_PATTERNS" in os.environ:
        pattern = serialize_pattern(
            unique_name, search_fn, example_inputs, trace_fn, scalar_workaround, exclusive_arg_names
        )
    else:
        file = _file(search_fn, unique_name)
        if not file.exists():
            raise FileNotFoundError(
                f"the pattern {unique_name!r} is not in {file}: run the program once with PYTORCH_GEN_PATTERNS=1 in its environment, which writes it"
            )
        pattern = pattern_of(file.read_text(), unique_name)
    register_replacement(
        search_fn,
        replace_fn,
        example_inputs,
        trace_fn,
        pass_dicts,
        extra_check,
        scalar_workaround,
        exclusive_arg_names,
        search_fn_pattern=pattern,
        skip_duplicates=skip_duplicates,
    )
