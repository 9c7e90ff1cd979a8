"""Status of PyTorch's public names here: `python -m functorch_lite.api_status [--write docs/api.md]`.

A name is supported, not yet supported, or will never be: see `functorch_lite.api_names`.
"""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

from .api_documents import DIFFERENT
from .api_names import names, reason_for

__all__ = ["Section", "page", "sections"]


class Section(NamedTuple):
    """The names of a module by what became of them; `never` gives the reasons."""

    name: str
    there: list[str]
    not_yet: list[str]
    never: dict[str, str]

    @property
    def share(self) -> float:
        """The supported share of the possible names, in percent."""
        possible = len(self.there) + len(self.not_yet)
        return 100.0 * len(self.there) / possible if possible else 100.0


def _home(section: str) -> Any:
    """Our counterpart of a module or class; None when there is none."""
    path = section.split(" ")[0]
    if path.split(".")[0] == "functorch":
        path = "compat." + path
    else:
        path = path.partition(".")[2]
    here: Any = importlib.import_module("functorch_lite")
    done = "functorch_lite"
    for part in path.split(".") if path else ():
        done += f".{part}"
        try:
            here = getattr(here, part)
        except AttributeError:
            try:
                here = importlib.import_module(done)
            except ImportError:
                return None
    return here


def sections() -> list[Section]:
    """Lists all modules of PyTorch, with the names of each that are here."""
    found = []
    for section, public in names().items():
        home = _home(section)
        there = [n for n in public if home is not None and hasattr(home, n)]
        missing = [n for n in public if n not in set(there)]
        never = {n: why for n in missing if (why := reason_for(section, n)) is not None}
        found.append(Section(section, there, [n for n in missing if n not in never], never))
    return found


def page() -> str:
    """The page docs/api.md."""
    found = sections()
    lines = [
        "# PyTorch's API, name by name", "",
        "This page lists every public name of PyTorch 2.13. The share of a module counts the names that are possible here. Names that",
        "are not planned are listed at the end, with the reason. `python -m functorch_lite.api_status --write docs/api.md` writes the page.", "",
        "| module | supported | not yet | not planned | share |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for s in found:
        lines.append(f"| `{s.name}` | {len(s.there)} | {len(s.not_yet)} | {len(s.never)} | {s.share:.0f} % |")
    for s in found:
        lines += ["", f"## {s.name}", ""]
        if s.there:
            lines += [f"Supported: {_listed(s.there)}", ""]
        if s.not_yet:
            lines += [f"Not yet supported: {_listed(s.not_yet)}", ""]
        if s.never:
            lines += [f"Not planned: {_listed(list(s.never))}", ""]
    lines += ["", "## Why names are not planned", ""]
    reasons: dict[str, list[str]] = {}
    for s in found:
        for name, why in s.never.items():
            reasons.setdefault(why, []).append(name)
    lines += [f"- {why}: {_listed(sorted(set(names)))}" for why, names in reasons.items()]
    lines += [
        "", "## Examples of PyTorch's documents that behave differently", "",
        "Every other example of the pages on data, quantization, elastic launches, distributed and nested tensors, torch.func, functorch,",
        "sparse tensors and torch.compile prints and binds what it does under PyTorch (`python -m tests.snippets`).", "",
        "| page | example | why |", "|---|---|---|",
    ]  # fmt: skip
    lines += [f"| {page} | {number} | {why} |" for (page, number), why in DIFFERENT.items()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


def _listed(names: list[str]) -> str:
    return " ".join(f"`{n}`" for n in names)


def main(arguments: list[str]) -> None:
    """Prints the shares; with `--write FILE` writes the page."""
    if arguments[:1] == ["--write"]:
        Path(arguments[1]).write_text(page())
        return
    for s in sections():
        print(
            f"{s.name:36} {len(s.there):4} there {len(s.not_yet):4} not yet {len(s.never):4} never {s.share:6.1f} %"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
