"""Pages of the API reference, from the docstrings of what is imported.

Functions and methods are made from declarations as they are first used, so a reader of sources would find few of them: this looks at the objects.
"""

from __future__ import annotations

import importlib
import inspect
import re
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import functorch_lite as torch

PAGES: dict[str, list[str]] = {
    "torch": ["torch"],
    "Tensor": ["torch.Tensor"],
    "linalg": ["torch.linalg"],
    "fft": ["torch.fft"],
    "special": ["torch.special"],
    "func": ["torch.func"],
    "higher": ["torch.func.taylor", "torch.func.curvature", "torch.func.per_sample", "torch.func.privacy", "torch.func.training", "torch.func.implicit", "torch.func.ntk", "torch.func.laplace", "torch.func.influence"],
    "autograd": ["torch.autograd", "torch.autograd.functional", "torch.autograd.forward_ad", "torch.autograd.graph"],
    "nn": ["torch.nn"],
    "functional": ["torch.nn.functional"],
    "nn_utils": ["torch.nn.init", "torch.nn.utils", "torch.nn.utils.parametrize", "torch.nn.utils.rnn"],
    "optim": ["torch.optim", "torch.optim.lr_scheduler", "torch.optim.swa_utils"],
    "distributions": ["torch.distributions"],
    "utils": ["torch.utils.data", "torch.utils.checkpoint", "torch.utils.benchmark"],
    "compat": ["functorch_lite.compat", "functorch_lite.compat.flax", "functorch_lite.compat.pytorch"],
    "debug": ["functorch_lite.debug"],
}  # fmt: skip
"""The page of a name, and what is on it."""

TICKS = re.compile(r"(`+[^`]*`+|https?://[^\s),]+)")
SPECIAL = re.compile(r"([\\*_\[\]<>#|])")
COLUMNS = re.compile(r"(\S(?:.{0,60}?\S)?)\s{2,}(\S.*)")


def pages() -> Iterator[tuple[str, str]]:
    """(path of a page, its Markdown)."""
    with warnings.catch_warnings(action="ignore"):  # deprecated names warn when they are looked up
        for name, places in PAGES.items():
            yield f"api/{name}.md", "\n".join(part for place in places for part in _section(place))


def _section(place: str) -> Iterator[str]:
    yield f"# {place}\n"
    if place == "torch.Tensor":
        yield from _tensor()
        return
    module = importlib.import_module(
        place.replace("torch", "functorch_lite", 1) if place.startswith("torch") else place
    )
    yield (
        text_of(module.__doc__ or "")
        if place != "torch"
        else "The functions, types and constants of the namespace itself.\n"
    )
    for name in _public(module):
        thing = getattr(module, name)
        if callable(thing) and not isinstance(thing, ModuleType):
            yield from _entry(f"{place}.{name}", thing)


def _tensor() -> Iterator[str]:
    yield "Methods that are functions of `torch` too are explained [there](torch.md).\n"
    for name in sorted(n for n in dir(torch.Tensor) if not n.startswith("_")):
        thing, function = getattr(torch.Tensor, name), getattr(torch, name.rstrip("_"), None)
        if not callable(thing):
            yield f"## {escaped(name)} {{ #torch.Tensor.{name} }}\n"
            yield text_of(inspect.getdoc(thing) or "")
        elif function is not None and callable(function) and f"torch.{name.rstrip('_')}" in _with_entries():
            yield f"## {escaped(name)} {{ #torch.Tensor.{name} }}\n\n```python\n{_call(f'Tensor.{name}', thing)}\n```\n"
            written = ", into the tensor itself" if name.endswith("_") else ""
            base = name.rstrip("_")
            yield f"As [`torch.{base}`](torch.md#torch.{base}){written}.\n"
        else:
            yield from _entry(f"torch.Tensor.{name}", thing)


def _with_entries() -> set[str]:
    return {f"torch.{name}" for name in _public(torch) if callable(getattr(torch, name))}


def _public(module: ModuleType) -> list[str]:
    names = getattr(module, "__all__", None) or dir(module)
    found = sorted({n for n in names if not n.startswith("_")})
    return [n for n in found if not isinstance(getattr(module, n), ModuleType)]


def _entry(name: str, thing: Any) -> Iterator[str]:
    short = name.rpartition(".")[2]
    yield f"## {escaped(short)} {{ #{name} }}\n\n```python\n{_call(name, thing)}\n```\n"
    yield text_of(inspect.getdoc(thing) or "")
    if inspect.isclass(thing) and thing.__module__.startswith("functorch_lite"):
        for method, found in sorted(vars(thing).items()):
            function = getattr(found, "__func__", found)
            if not method.startswith("_") and inspect.isfunction(function) and function.__doc__:
                yield f"**`{_call(f'{short}.{method}', function)}`**\n\n{text_of(inspect.getdoc(function) or '')}"


def _call(name: str, thing: Any) -> str:
    """How it is called: names and defaults, without annotations, which the docstrings say in words."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return f"{name}(...)"
    shown = [p.replace(annotation=p.empty) for p in signature.parameters.values() if p.name != "self"]
    shown = [p.replace(default=...) if _is_sign(p.default) else p for p in shown]
    text = str(inspect.Signature(shown)).replace("Ellipsis", "...")
    return name + re.sub(r"<(?:class|function|built-in function) '?([\w.]+)[^>]*>", r"\1", text)


def _is_sign(default: Any) -> bool:
    """Whether a default only says that nothing was given."""
    return type(default) is object or repr(default) == "<not given>"


def escaped(text: str) -> str:
    """Words that are no Markdown: all but what stands between backticks, and addresses."""
    parts = TICKS.split(text)
    parts[::2] = [SPECIAL.sub(r"\\\1", part) for part in parts[::2]]
    parts[1::2] = [part if part.startswith("`") else f"<{part}>" for part in parts[1::2]]
    return "".join(parts)


def text_of(doc: str) -> str:
    """A docstring as Markdown: examples as code, indented lines and columns as lists."""
    out: list[str] = []
    for block in re.split(r"\n\s*\n", inspect.cleandoc(doc)):
        lines = block.splitlines()
        margin = min((len(s) - len(s.lstrip()) for s in lines), default=0)
        lines = [s[margin:].rstrip() for s in lines]
        if lines and lines[0].startswith((">>>", "$ ", "import ", "python ")):
            out.append(
                "```pycon\n" + "\n".join(lines) + "\n```\n"
                if lines[0].startswith(">>>")
                else "```\n" + "\n".join(lines) + "\n```\n"
            )
        else:
            out.append("\n".join(_listed(lines)) + "\n")
    return "\n".join(out) + "\n"


def _listed(lines: list[str]) -> Iterator[str]:
    inside = False
    deeper = min((n for s in lines if (n := len(s) - len(s.lstrip()))), default=0)
    for line in lines:
        indent, words = len(line) - len(line.lstrip()), line.strip()
        columns = COLUMNS.fullmatch(words) if not indent else None
        if columns is not None or (indent == deeper and indent and not (inside and deeper > 8)):
            if not inside:
                yield ""
            inside = True
            yield f"- {escaped(columns[1])}: {escaped(columns[2])}" if columns else f"- {escaped(words)}"
        elif indent and inside:
            yield f"  {escaped(words)}"
        else:
            if inside:
                yield ""
            inside = False
            yield escaped(words)
