"""Docstrings as Markdown."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator

TICKS = re.compile(r"(`+[^`]*`+|https?://[^\s),]+)")
SPECIAL = re.compile(r"([\\*_\[\]<>#|])")
SECTION = re.compile(r"(Args|Attributes|Returns|Raises|Shape):$")
ENTRY = re.compile(r"([\w*., ]+?)(?: \([^)]*\))?: +(.*)")
COLUMNS = re.compile(r"(\S(?:.{0,60}?\S)?)\s{2,}(\S.*)")

Link = Callable[[str], str | None]
"""Where a name that stands between backticks is explained, if anywhere."""


def nowhere(name: str) -> None:
    """No link."""


def escaped(text: str, link: Link = nowhere) -> str:
    """Words that are no Markdown: all but what stands between backticks, which may be a link, and addresses."""
    parts = TICKS.split(text)
    parts[::2] = [SPECIAL.sub(r"\\\1", part) for part in parts[::2]]
    parts[1::2] = [_ticked(part, link) if part.startswith("`") else f"<{part}>" for part in parts[1::2]]
    return "".join(parts)


def _ticked(part: str, link: Link) -> str:
    target = link(part.strip("`").removesuffix("()"))
    return part if target is None else f"[{part}]({target})"


def first_sentence(doc: str, link: Link = nowhere) -> str:
    """What it is, for a row of a table."""
    words = " ".join(inspect.cleandoc(doc).split("\n\n")[0].split())
    found = re.match(r"(.*?\.)(?:\s|$)", words)
    return escaped(found[1] if found else words, link)


def text_of(doc: str, link: Link = nowhere) -> str:
    """A docstring as Markdown: examples as code, indented lines and columns as lists."""
    out: list[str] = []
    for block in re.split(r"\n\s*\n", inspect.cleandoc(doc)):
        lines = block.splitlines()
        margin = min((len(s) - len(s.lstrip()) for s in lines), default=0)
        lines = [s[margin:].rstrip() for s in lines]
        section = SECTION.match(lines[0]) if lines else None
        if section and len(lines) > 1 and lines[1].startswith(" "):
            out.append(_section(section[1], lines[1:], link))
        elif lines and lines[0].startswith((">>>", "$ ", "import ", "python ")):
            out.append(
                "```pycon\n" + "\n".join(lines) + "\n```\n"
                if lines[0].startswith(">>>")
                else "```\n" + "\n".join(lines) + "\n```\n"
            )
        else:
            out.append("\n".join(_listed(lines, link)) + "\n")
    return "\n".join(out) + "\n"


def _section(title: str, lines: list[str], link: Link) -> str:
    """A section of a docstring: its entries as a table if all have a name, else as a paragraph."""
    margin = min(len(s) - len(s.lstrip()) for s in lines if s)
    entries: list[str] = []
    for line in lines:
        if entries and line[margin : margin + 1] == " ":
            entries[-1] += f" {line.strip()}"
        else:
            entries.append(line.strip())
    named = [ENTRY.fullmatch(entry) for entry in entries]
    if title in ("Returns", "Shape") or not all(named):
        return f"**{title}**: " + " ".join(escaped(entry, link) for entry in entries) + "\n"
    kind = {"Args": "Parameter", "Attributes": "Attribute", "Raises": "Error"}[title]
    rows = [f"| `{m[1]}` | {_in_a_cell(escaped(m[2], link))} |" for m in named if m]
    return f"**{title}**\n\n| {kind} | Meaning |\n|---|---|\n" + "\n".join(rows) + "\n"


def _in_a_cell(text: str) -> str:
    """Markdown in which a bar does not end the cell of a table."""
    return re.sub(r"(?<!\\)\|", r"\\|", text)


def _listed(lines: list[str], link: Link) -> Iterator[str]:
    inside = False
    deeper = min((n for s in lines if (n := len(s) - len(s.lstrip()))), default=0)
    for line in lines:
        indent, words = len(line) - len(line.lstrip()), line.strip()
        columns = COLUMNS.fullmatch(words) if not indent else None
        if columns is not None or (indent == deeper and indent and not (inside and deeper > 8)):
            if not inside:
                yield ""
            inside = True
            yield (
                f"- {escaped(columns[1], link)}: {escaped(columns[2], link)}"
                if columns
                else f"- {escaped(words, link)}"
            )
        elif indent and inside:
            yield f"  {escaped(words, link)}"
        else:
            if inside:
                yield ""
            inside = False
            yield escaped(words, link)
