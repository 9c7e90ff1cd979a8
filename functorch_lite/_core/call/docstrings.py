"""Composes the docstrings of functions and methods that are made from declarations.

A declaration's docstring has the summary, the `Args` that the function alone has, and the example. `composed` adds the
parameters that many functions share (`parameters.py`), in the order of the signature, and what follows from the
declaration: the default, what is returned, what is raised.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from inspect import Parameter, cleandoc
from typing import Any

__all__ = ["arguments_of", "composed"]

WIDTH = 108
_SECTION = re.compile(r"(Args|Returns|Raises):\n")
_ENTRY = re.compile(r"\*{0,2}\w+(?:, \*{0,2}\w+)*(?= \(|:)")
_PLAIN = frozenset((bool, int, float, str, tuple))
"""Types of defaults that are shown as they are written in a call."""


@cache
def _shared() -> Any:
    """The table of shared texts, which is loaded with the first function: the import of the library needs no text."""
    return import_module(".parameters", __package__)


def composed(
    doc: str | None,
    parameters: Iterable[Parameter],
    space: str,
    name: str,
    returns: str = "",
    raises: bool = False,
) -> str | None:
    """The docstring with an entry for every parameter.

    Args:
        doc: the docstring of the declaration, or one that was composed before.
        parameters: the parameters to document, in order: those of a method without the tensor itself.
        space: the namespace of the function, such as "torch" or "linalg".
        name: the name of the function in the namespace.
        returns: a sentence on the result, used where the docstring has no Returns section.
        raises: whether the errors that come with shared parameters are listed.
    """
    if not doc:
        return doc
    prose, sections, examples = _taken_apart(doc)
    written = arguments_of(sections.get("Args", ""))
    entries, errors, shared = [], [], _shared()
    done = set[str]()
    for p in parameters:
        if p.name in done or p.name[0] == "_":
            continue
        entry = written.get(p.name)
        if entry is None:
            text = shared.text_of(space, name, p.name)
            if text is not None:
                entry = _folded(f"    {p.name}: {text}{_default(p, text)}")
        else:
            done |= {other for other, lines in written.items() if lines is entry}
        if entry is not None:
            entries.append(entry)
        if raises and p.name in shared.RAISES:
            errors.append(_folded(f"    {shared.RAISES[p.name]}"))
    parts = [prose] if prose else []
    if entries:
        parts.append("Args:\n" + "\n".join(entries))
    if said := sections.get("Returns", "") or (returns and _folded(f"    {returns}")):
        parts.append(f"Returns:\n{said}")
    if said := sections.get("Raises", "") or "\n".join(dict.fromkeys(errors)):
        parts.append(f"Raises:\n{said}")
    if examples:
        parts.append(examples)
    return "\n\n".join(parts)


def arguments_of(section: str) -> dict[str, str]:
    """The entries of an Args section, each under every name that it documents; lines keep their indentation."""
    entries: list[list[str]] = []
    for line in section.split("\n"):
        if line[:4] == "    " and line[4:5].strip():
            entries.append([line])
        elif entries:
            entries[-1].append(line)
    found: dict[str, str] = {}
    for lines in entries:
        if named := _ENTRY.match(lines[0].strip()):
            text = "\n".join(lines).rstrip()
            found.update(dict.fromkeys(named[0].replace("*", "").split(", "), text))
    return found


def _taken_apart(doc: str) -> tuple[str, dict[str, str], str]:
    """(prose, the bodies of the Args, Returns and Raises sections, examples)."""
    doc = cleandoc(doc)
    at = doc.find(">>>")
    head, examples = (doc, "") if at < 0 else (doc[:at].rstrip(), doc[at:])
    sections: dict[str, str] = {}
    prose = []
    for part in head.split("\n\n"):
        begun = _SECTION.match(part)
        if begun:
            sections[begun[1]] = part[begun.end() :].rstrip()
        else:
            prose.append(part)
    return "\n\n".join(prose), sections, examples


def _default(p: Parameter, text: str) -> str:
    """A sentence on the default, unless the text has one."""
    if type(p.default) not in _PLAIN or "efault" in text:
        return ""
    return f" Default: {_written(p.default)}."


def _written(default: Any) -> str:
    return f'"{default}"' if default.__class__ is str else repr(default)


def _folded(line: str) -> str:
    """An entry over lines of at most WIDTH characters, the further ones indented."""
    lines = []
    while len(line) > WIDTH and (at := line.rfind(" ", 12, WIDTH)) > 0:
        lines.append(line[:at])
        line = f"        {line[at + 1 :]}"
    return "\n".join([*lines, line])
