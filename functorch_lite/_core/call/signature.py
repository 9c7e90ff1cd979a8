"""The signature of a function that is generated: a list of parameters that is edited, and rendered once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from inspect import Parameter
from inspect import Signature as Shown
from typing import Any

from ..declare.op import Unset
from ..words.tracebacks import tidy
from .older_forms import rearranged

__all__ = ["MISSING", "Signature"]

MISSING: Any = Unset()
"""The default of what need not be given, but may not be None."""
_EMPTY, _KEYWORD, _SEVERAL = Parameter.empty, Parameter.KEYWORD_ONLY, Parameter.VAR_POSITIONAL

NUMPYS = {"dim": "axis", "keepdim": "keepdims"}
"""Parameters that torch's functions take under NumPy's name too; those that PyTorch has in Python do not."""


class Signature:
    """Parameters in order, and the lines that have what was given in them: those of a later edit come before those of
    an earlier one."""

    def __init__(self, name: str, parameters: Iterable[Parameter]):
        self.name, self.parameters, self.lines = name, list(parameters), list[str]()
        self._shown: list[Parameter] | None = None

    def keyword(self, name: str, default: Any) -> None:
        """One more keyword, the last."""
        self.parameters.append(Parameter(name, _KEYWORD, default=default))

    def numpys_names(self) -> None:
        """Takes parameters under NumPy's names too, but one that is required and followed by such.

        A required one then has a default."""
        given = list(self.parameters)
        for i, p in enumerate(given):
            n, other = p.name, NUMPYS.get(p.name)
            if other is None or any(q.name == other for q in given):
                continue
            whose = f"{self.name!r}, {n!r}"
            if p.default is not _EMPTY:
                self.lines.append(
                    f"if {other} is not _MISSING: {n} = _renamed({other}, {n} is _d_{n}, {whose})"
                )
            elif all(q.default is not _EMPTY for q in given[i + 1 :]):
                self.parameters[i] = p.replace(default=MISSING)
                self.lines.append(f"if {n} is _MISSING: {n} = _required({other}, {whose})")
                self.lines.append(f"elif {other} is not _MISSING: _given_twice({whose})")
            else:
                continue
            self.keyword(other, MISSING)

    def spread(self, name: str) -> None:
        """Takes a parameter as separate arguments, in `name_args`, or by its name; those after it by name alone."""
        at = next(i for i, p in enumerate(self.parameters) if p.name == name)
        for i, p in enumerate(self.parameters[at:], at):
            self.parameters[i] = p.replace(
                kind=_KEYWORD, default=MISSING if p.default is _EMPTY else p.default
            )
        self.parameters.insert(at, Parameter(f"{name}_args", _SEVERAL))

    def dims_alone(self) -> None:
        """Takes dims, the second parameter, as separate arguments too; those after it by name alone."""
        self.lines.insert(0, "if more: dim = (dim, *more)")
        self.parameters[2:] = [p.replace(kind=_KEYWORD) for p in self.parameters[2:]]
        self._take_more("more")

    def older_forms(self, scalings: Sequence[str]) -> None:
        """Takes keywords that are scalings by place too (`older_forms.py`)."""
        operands = [p.name for p in self.parameters if p.kind is not _KEYWORD]
        keywords = ", ".join([f"{n}={n}" for n in scalings])
        given = f"{self.name!r}, ({', '.join(operands)}, *older), {len(operands)}, {keywords}"
        self.lines.insert(0, f"if older: {', '.join([*operands, *scalings])} = _rearranged({given})")
        self._take_more("older")

    def _take_more(self, name: str) -> None:
        """Takes more positional arguments, without showing it."""
        self._shown = list(self.parameters)
        at = next(i for i, p in enumerate([*self._shown, None]) if p is None or p.kind is _KEYWORD)
        self.parameters.insert(at, Parameter(name, _SEVERAL))

    def second(self, other: str, kind: str) -> None:
        """Takes a second argument as `dim`, or as the parameter `other` where it is of this kind, and alone."""
        self._shown = list(self.parameters)
        dim = next(p for p in self._shown if p.name == "dim")
        at = self._shown.index(dim)
        self.parameters[at] = dim.replace(name="second", default=MISSING)
        at = next(i for i, p in enumerate(self.parameters) if p.kind is _KEYWORD)
        self.parameters.insert(at, dim.replace(kind=_KEYWORD))
        self.lines[:0] = [
            "if second is not _MISSING:",
            f"    if isinstance(second, {kind}) and {other} is keepdim is dim is _d_dim: {other} = second",
            "    elif dim is _d_dim: dim = second",
            f"    else: _given_twice({self.name!r}, 'dim')",
        ]

    def function(self, body: Sequence[str], scope: dict[str, Any]) -> Any:
        """The function with these lines for a body, which may call it `_self`."""
        scope, parts, before = {**_SCOPE, **scope}, list[str](), None
        for p in self.parameters:
            if before is Parameter.POSITIONAL_ONLY is not p.kind:
                parts.append("/")
            if p.kind is _KEYWORD and before not in (_KEYWORD, _SEVERAL):
                parts.append("*")
            before, scope[f"_d_{p.name}"] = p.kind, p.default
            plain = p.default is _EMPTY
            parts.append(f"*{p.name}" if p.kind is _SEVERAL else p.name if plain else f"{p.name}=_d_{p.name}")
        lines = "".join([f"        {line}\n" for line in (*self.lines, *body)])
        tidied = "    except BaseException as error: _tidy(error); raise\n"
        source = f"def {self.name}({', '.join(parts)}):\n    try:\n{lines}{tidied}"
        exec(compile(source, f"<functorch_lite {self.name}>", "exec"), scope)
        made = scope["_self"] = scope.pop(self.name)
        if self._shown is not None:
            made.__signature__ = Shown([p.replace(annotation=_EMPTY) for p in self._shown])
        return made


def _required(value: Any, function: str, name: str) -> Any:
    if value is MISSING:
        raise TypeError(f'{function}() missing 1 required positional arguments: "{name}"')
    return value


def _renamed(value: Any, free: bool, function: str, name: str) -> Any:
    return value if free else _given_twice(function, name)


def _given_twice(function: str, name: str) -> Any:
    raise TypeError(f"{function}() got multiple values for argument '{name}'")


_SCOPE = {
    "_MISSING": MISSING, "_required": _required, "_given_twice": _given_twice, "_renamed": _renamed, "_rearranged": rearranged, "_tidy": tidy,
}  # fmt: skip
