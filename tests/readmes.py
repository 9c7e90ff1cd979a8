"""Tables of files at the end of each package folder's README.md: `python -m tests.readmes --write` writes them, from
docstrings.

The words above a table are written by hand. A large package's folders are listed in its own README, file by file
(`ROOMS_OF`); other folders inside a package are one line each, and have a README of their own where they hold many
files.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.test_layers import ROOMS, ROOT, imports, sources

COMPILER = (
    "compiler",
    *[f"compiler.{r}" for r in ("graphs", "aten", "passes", "patterns", "partition", "debugging")],
)
ROOMS_OF = {"_core": ROOMS, "compiler": COMPILER}
"""Packages whose README lists the files of their folders too, and those folders, in the order in which one reads
them."""
MANY = 9
"""A folder of this many files has a README of its own."""
HEAD = "| | |\n|---|---|\n"
ROOMS_HEAD = "| | | |\n|---|---|---|\n"
LAYERS = "In the layers of `tests/test_layers.py`: "
DOCSTRING = re.compile(r'(?:#.*\n|\s)*r?"""(.*?)"""', re.DOTALL)
SENTENCE = re.compile(r".+?[.](?=\s+[A-Z`(]|$)")


def folders() -> list[str]:
    """The packages that have a README.md, by module name."""
    listed_elsewhere = tuple(f"{package}." for package in ROOMS_OF)
    return [
        module
        for module, path in sources().items()
        if module
        and path.name == "__init__.py"
        and not module.startswith(listed_elsewhere)
        and ("." not in module or len(list(path.parent.glob("*.py"))) > MANY)
    ]


def readme(package: str) -> Path:
    """Where a package's README.md lies."""
    return sources()[package].parent / "README.md"


def generated(package: str) -> str:
    """The end of a package's README.md, which is made from the sources."""
    if package in ROOMS_OF:
        return rooms_table(package, ROOMS_OF[package])
    return "\n".join(filter(None, (layers(package), files_table(package))))


def layers(package: str) -> str:
    """A line that says from which other packages a package imports, and which import from it, as they are loaded."""
    top = package.partition(".")[0]
    above, below = set(), set()
    for module in sources():
        for i in imports(module) if module else ():
            here, there = ((m.partition(".")[0]) for m in (module, i.target))
            if i.lazy or here == there or not there or "api_names" in (here, there):
                continue
            if f"{module}.".startswith(f"{package}."):
                below.add(there)
            elif f"{i.target}.".startswith(f"{package}."):
                above.add(here)
    said = [
        f"{word} {', '.join(f'`{name}`' for name in sorted(names - {top}))}"
        for word, names in (("above", below), ("below", above))
        if names
    ]
    return f"{LAYERS}{'; '.join(said)}.\n" if said else ""


def files_table(package: str) -> str:
    """A line for each file of a package, and one for each folder in it."""
    rows = []
    inside = sorted(m for m in sources() if m.startswith(f"{package}.") and "." not in m[len(package) + 1 :])
    for module in inside:
        path, name = sources()[module], module.rpartition(".")[2]
        name = f"{name}/" if path.name == "__init__.py" else f"{name}.py"
        if module in folders():
            name = f"[{name}]({name}README.md)"
        else:
            name = f"`{name}`"
        rows.append(f"| {name} | {about(module)} |\n")
    return HEAD + "".join(rows) if rows else ""


def docstring(module: str) -> str:
    """The first paragraph of a module's docstring, on one line. No tree is made for it: there are hundreds of files."""
    found = DOCSTRING.match(sources()[module].read_text())
    return " ".join(found[1].strip().partition("\n\n")[0].split()) if found else ""


def about(module: str) -> str:
    """What a module says of itself first: the first line of its docstring, or the first sentence where that is longer
    than a line."""
    line = next(iter(sources()[module].read_text().removeprefix('"""').splitlines()), "").removesuffix('"""')
    if not line.endswith("."):
        text = docstring(module)
        found = SENTENCE.match(text)
        line = found[0] if found else text
    return line.replace("|", r"\|")


def rooms_table(package: str, rooms: Sequence[str]) -> str:
    """The rooms of a package, and the files of each, after those that they import."""
    rows = ROOMS_HEAD.splitlines()
    order = list(_in_order(sorted(m for m in sources() if m.startswith(f"{package}."))))
    for room in [r for r in rooms if r == package or r.startswith(f"{package}.")]:
        if room == package and package in ROOMS:
            continue
        inside = [m for m in order if m.startswith(f"{room}.") and sources()[m].name != "__init__.py"]
        if room == package:
            inside = [m for m in inside if "." not in m.removeprefix(f"{package}.")]
        words = docstring(room) if room != package else "what users call"
        rows.append(f"| **{room.removeprefix(f'{package}.')}** | | {words} |")
        for m in inside:
            rows.append(f"| | `{m.removeprefix(f'{room}.').replace('.', '/')}` | {about(m)} |")
    return "\n".join(rows) + "\n"


def _in_order(modules: list[str]) -> Iterator[str]:
    """Each module after those of the list that it imports."""
    done: set[str] = set()

    def visit(module: str) -> Iterator[str]:
        if module in done or module not in modules:
            return
        done.add(module)
        for target in sorted({i.target for i in imports(module)}):
            yield from visit(target)
        yield module

    for module in modules:
        yield from visit(module)


def with_table(text: str, package: str) -> str:
    """A README whose end is made anew."""
    heads = (ROOMS_HEAD,) if package in ROOMS_OF else (LAYERS, f"\n{HEAD}")
    written = text[: min((at for head in heads if (at := text.rfind(head)) >= 0), default=len(text))]
    return f"{written.rstrip()}\n\n{generated(package)}".rstrip() + "\n"


def main(arguments: list[str]) -> None:
    """Prints which READMEs have another table than their files give; with --write, writes it."""
    for package in folders():
        path = readme(package)
        if not path.exists():
            print(f"{path.relative_to(ROOT)} is not there: say in it what the folder is for")
            continue
        text = path.read_text()
        if text != (new := with_table(text, package)):
            print(path.relative_to(ROOT))
            if "--write" in arguments:
                path.write_text(new)


if __name__ == "__main__":
    main(sys.argv[1:])
