"""The pages of the reference: one for each name, and one for each namespace with tables of its names, in groups."""

from __future__ import annotations

import inspect
import os
import re
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from html import escape
from typing import Any

import attributes
import entries
import uses
from docstrings import Link, first_sentence, text_of
from entries import PAGES, Entry

MOST_NEIGHBOURS, MOST_TUTORIALS, LONGEST_SOURCE = 12, 6, 120


def pages() -> Iterator[tuple[str, str]]:
    """(path of a page, its Markdown)."""
    with warnings.catch_warnings(action="ignore"):  # deprecated names warn when they are looked up
        used = uses.uses()
        for page, places in PAGES.items():
            yield f"api/{page}.md", "\n".join(part for place in places for part in _listing(page, place))
            for place in places:
                groups = _groups(place)
                for group, members in groups.items():
                    for entry in members:
                        if entry.place != "torch.Tensor" or entries.function_of(entry) is None:
                            yield entry.page, "\n".join(_page(page, entry, group, members, used))


# -- a namespace -------------------------------------------------------------------------------------------------------


def _groups(place: str) -> dict[str, list[Entry]]:
    """The names of a place under their headings; what would stand alone goes under "More"."""
    found: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries.of_place(place):
        found[_kind(entry) if place == "torch.Tensor" else entry.group].append(entry)
    alone = [e for group, members in found.items() if len(members) < 2 for e in members]
    kept = {group: members for group, members in found.items() if len(members) > 1 and group != "More"}
    rest = sorted({*alone, *found.get("More", ())}, key=lambda e: e.short)
    order = list(entries.FAMILIES) if place == "torch" else sorted(kept)
    sorted_ = {group: kept[group] for group in order if group in kept}
    return sorted_ | ({"More": rest} if rest else {})


def _kind(method: Entry) -> str:
    """The heading of a name of Tensor."""
    if not callable(method.thing):
        return "Attributes"
    if entries.function_of(method) is None:
        return "Methods of tensors alone"
    return (
        "Methods that write into the tensor"
        if method.short.endswith("_")
        else "Methods that are functions, too"
    )


def _listing(page: str, place: str) -> Iterator[str]:
    yield f"# {place}\n"
    link = _links(f"api/{page}.md", place)
    if place == "torch":
        yield "The functions, types and constants of the namespace itself.\n"
    elif place == "torch.Tensor":
        yield "Attributes and methods. What is a function of [`torch`](torch.md), too, is explained on its page.\n"
    else:
        yield text_of(entries.module_of(place).__doc__ or "", link)
    groups = _groups(place)
    for group, members in groups.items():
        if len(groups) > 1:
            yield f"## {group}\n"
        yield "| | |\n|---|---|"
        for entry in members:
            target = os.path.relpath(_target(entry), "api").replace(os.sep, "/")
            words = first_sentence(_doc(entry), link).replace("\n", " ")
            yield f"| [`{entry.short}`]({target}){{ #{entry.name} }} | {words} |"
        yield ""


def _doc(entry: Entry) -> str:
    if entry.place == "torch.Tensor" and entry.short in attributes.WORDS:
        return attributes.WORDS[entry.short]
    return inspect.getdoc(entry.thing) or ""


def _target(entry: Entry) -> str:
    function = entries.function_of(entry) if entry.place == "torch.Tensor" else None
    return entry.page if function is None else f"{function.page}#torch.Tensor.{entry.short}"


# -- a name ------------------------------------------------------------------------------------------------------------


def _page(page: str, entry: Entry, group: str, members: list[Entry], used: dict) -> Iterator[str]:
    link = _links(entry.page, entry.place)
    yield f"---\ntitle: {entry.name}\nsearch:\n  boost: {_boost(entry)}\n---\n"
    yield f"[{entry.place}](../{page}.md) · {group}\n{{ .where }}\n"
    yield f"# {entry.name.replace('_', chr(92) + '_')} {{ #{entry.name} }}\n"
    if callable(entry.thing):
        yield f"```python\n{_call(entry.name, entry.thing)}\n```\n"
    yield text_of(_doc(entry), link)
    yield from _twins(entry)
    if entry.name == "torch.Tensor":
        yield "Its attributes and methods have [a page of their own](../Tensor.md).\n"
    elif inspect.isclass(entry.thing) and entry.thing.__module__.startswith("functorch_lite"):
        yield from _methods(entry, link)
    if entry.place == "torch":
        yield from _as_methods(entry, link)
    tutorials = used.get(entry.name, [])
    if tutorials:
        yield "## In the tutorials { data-search-exclude }\n"
        up = "../../" if entry.page.count("/") == 2 else "../"
        yield (
            "\n".join(
                f"- [{uses.title_of(path)}]({up}{path.relative_to(uses.ROOT).as_posix()})"
                for path in tutorials[:MOST_TUTORIALS]
            )
            + "\n"
        )
    beside = _around(members, entry)
    if beside:
        yield f"## Beside it: {group.lower()} {{ data-search-exclude }}\n"
        yield ", ".join(f"[`{e.short}`]({_relative(_target(e), entry.page)})" for e in beside) + "\n"
    yield from _source(entry)


SOUGHT = {
    "torch.nn": 4,
    "torch.optim": 4,
    "torch.func": 4,
    "torch.utils.data": 4,
    "torch": 3,
    "torch.nn.functional": 2,
}
"""Places whose names are sought more often than others of the same spelling."""


def _boost(entry: Entry) -> int:
    """How far above others it is found.

    A search is for all that begins with the words: so the name itself has to stand before those that go on."""
    small = entry.short.lower()
    longer = sum(other != small and other.startswith(small) for other in _spelled())
    return SOUGHT.get(entry.place, 1) * (1 + min(2 * longer, 20))


@cache
def _spelled() -> frozenset[str]:
    """All names, in small letters."""
    return frozenset(
        e.short.lower() for places in PAGES.values() for place in places for e in entries.of_place(place)
    )


def _methods(entry: Entry, link: Link) -> Iterator[str]:
    """The methods of a class that say what they do."""
    begun = False
    for name, found in sorted(vars(entry.thing).items()):
        function = getattr(found, "__func__", found)
        if name.startswith("_") or not inspect.isfunction(function) or not function.__doc__:
            continue
        if not begun:
            yield "## Methods\n"
            begun = True
        yield f"### {name.replace('_', chr(92) + '_')} {{ #{entry.name}.{name} }}\n"
        yield f"```python\n{_call(f'{entry.short}.{name}', function)}\n```\n\n{text_of(inspect.getdoc(function) or '', link)}"


def _as_methods(entry: Entry, link: Link) -> Iterator[str]:
    """The methods of Tensor that are forms of a function, each with its example."""
    for short in (entry.short, f"{entry.short}_"):
        method = entries.known(f"torch.Tensor.{short}")
        if method is None or entries.function_of(method) is not entry:
            continue
        yield f"## Tensor.{short.replace('_', chr(92) + '_')} {{ #torch.Tensor.{short} }}\n"
        yield f"```python\n{_call(f'Tensor.{short}', method.thing)}\n```\n"
        doc, of_function = inspect.getdoc(method.thing) or "", inspect.getdoc(entry.thing) or ""
        said = of_function.split("\n\n")
        yield text_of(
            "\n\n".join(
                part
                for part in doc.split("\n\n")
                if part.startswith(">>>") or not (part in said or part.startswith(_SECTIONS))
            ),
            link,
        )


_SECTIONS = ("Args:", "Returns:", "Raises:")
"""Sections of a method's docstring that say the same as those of its function."""


def _twins(entry: Entry) -> Iterator[str]:
    """What has the same name elsewhere: a layer and its function, say."""
    key = entry.short.lower().replace("_", "")
    found = [e for e in _by_key().get(key, ()) if e.name != entry.name and e.place != "torch.Tensor"]
    if found:
        yield (
            "Of the same name: "
            + ", ".join(f"[`{e.name}`]({_relative(_target(e), entry.page)})" for e in found)
            + ".\n"
        )


@cache
def _by_key() -> dict[str, list[Entry]]:
    found: dict[str, list[Entry]] = defaultdict(list)
    for places in PAGES.values():
        for place in places:
            for entry in entries.of_place(place):
                found[entry.short.lower().replace("_", "")].append(entry)
    return found


def _around(members: list[Entry], entry: Entry) -> list[Entry]:
    """Its neighbours in the group."""
    at, half = members.index(entry), MOST_NEIGHBOURS // 2
    first = max(0, min(at - half, len(members) - MOST_NEIGHBOURS))
    return [e for e in members[first : first + MOST_NEIGHBOURS + 1] if e is not entry]


def _source(entry: Entry) -> Iterator[str]:
    if entry.source is None:
        return
    path, line, text = entry.source
    lines = text.rstrip().splitlines()
    if len(lines) > LONGEST_SOURCE:
        lines = [*lines[:LONGEST_SOURCE], f"# and {len(lines) - LONGEST_SOURCE} lines more"]
    # not as a block of Markdown: colours for all of them take as long as all else
    code = escape("\n".join(lines)).replace("\n", "&#10;")
    yield f'<details class="source" data-search-exclude><summary>Source: <code>{path}</code>, line {line}</summary>'
    yield f"<pre><code>{code}</code></pre></details>\n"


# -- links -------------------------------------------------------------------------------------------------------------


def _relative(target: str, page: str) -> str:
    return os.path.relpath(target, os.path.dirname(page)).replace(os.sep, "/")


SHORT = {"nn.": "torch.nn.", "F.": "torch.nn.functional.", "Tensor.": "torch.Tensor.", "optim.": "torch.optim.", "func.": "torch.func.", "linalg.": "torch.linalg.", "debug.": "functorch_lite.debug.", "compat.": "functorch_lite.compat."}  # fmt: skip
"""How docstrings write places, and what they are."""


def _links(page: str, place: str) -> Link:
    """Where names are explained, as they are written on a page of this place: whole, in short, or alone where they are
    of the place or of torch."""

    def link(name: str) -> str | None:
        name = name.partition("(")[0]
        if name in _WORDS:
            return None
        whole = [name, f"{place}.{name}"]
        whole += [long + name.removeprefix(short) for short, long in SHORT.items() if name.startswith(short)]
        if re.fullmatch(r"\w+", name) and len(name) > 3:
            whole.append(f"torch.{name}")
        for candidate in whole:
            entry = entries.known(candidate)
            if entry is not None and entry.page != page:
                return _relative(_target(entry), page)
        return None

    return link


_WORDS = frozenset(
    "input other size device dtype layout index dim keepdim sum mean median where select values indices float long bool mode norm zeros ones".split()
)
"""What more often stands for an argument, or a value of one, than for the function."""


def _call(name: str, thing: Any) -> str:
    """How it is called: names and defaults, without annotations, which the docstrings say in words."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return f"{name}(...)"
    shown = [p.replace(annotation=p.empty) for p in signature.parameters.values() if p.name != "self"]
    if name.startswith("Tensor.") and shown and shown[0].name == "input":
        shown = shown[1:]
    shown = [p.replace(default=...) if _is_sign(p.default) else p for p in shown]
    text = str(inspect.Signature(shown)).replace("Ellipsis", "...")
    text = name + re.sub(r"<(?:class|function|built-in function) '?([\w.]+)[^>]*>", r"\1", text)
    return text if len(text) <= 96 else _folded(name, (str(p) for p in _texts(text[len(name) + 1 : -1])))


def _texts(arguments: str) -> Iterator[str]:
    """The arguments, cut at the commas that are not inside of brackets or quotes."""
    depth, part, quoted = 0, "", ""
    for letter in arguments:
        if quoted:
            quoted = "" if letter == quoted else quoted
        elif letter in "'\"":
            quoted = letter
        depth += (letter in "([{") - (letter in ")]}") if not quoted else 0
        if letter == "," and not depth and not quoted:
            yield part.strip()
            part = ""
        else:
            part += letter
    yield part.strip()


def _folded(name: str, arguments: Iterable[str]) -> str:
    """A long call over several lines."""
    lines, line = [f"{name}("], "   "
    for argument in arguments:
        if len(line) + len(argument) > 90:
            lines.append(line)
            line = "   "
        line += f" {argument},"
    return "\n".join([*lines, line, ")"])


def _is_sign(default: Any) -> bool:
    """Whether a default only says that nothing was given."""
    return type(default) is object or repr(default) == "<not given>"
