"""Docstrings of public callables name every parameter: a limit that may only fall."""

from __future__ import annotations

import dataclasses
import inspect
import sys
import warnings
from collections.abc import Iterator
from enum import EnumType
from pathlib import Path
from typing import Any

import functorch_lite.sparse  # noqa: F401  # gives Tensor more methods
from functorch_lite._core.call.docstrings import arguments_of

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "site"))
import entries

MOST_INCOMPLETE = 12
"""Public callables with three parameters or more whose docstring leaves one out. May only fall."""
LEAST = 3


def documented(doc: str, sections: tuple[str, ...] = ("Args:\n",)) -> set[str]:
    """The parameters that have an entry in these sections of a docstring."""
    return {
        name
        for part in inspect.cleandoc(doc).split("\n\n")
        if part.startswith(sections)
        for name in arguments_of(part.partition("\n")[2])
    }


def is_record(thing: Any) -> bool:
    """Whether the parameters of a class are its attributes."""
    return dataclasses.is_dataclass(thing) or hasattr(thing, "_fields")


def parameters(place: str, thing: Any) -> list[str]:
    """The names that a caller may give: those of a method without the tensor itself."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return []
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    names = list(signature.parameters)
    hidden = {"self", "cls", *names[: place == "torch.Tensor"]}
    return [
        p.name
        for p in signature.parameters.values()
        if p.kind not in several and p.name not in hidden and p.name[0] != "_"
    ]


def incomplete(least: int = LEAST) -> Iterator[tuple[str, list[str], int]]:
    """(name, parameters that its docstring leaves out, number of parameters) of each public callable."""
    for places in entries.PAGES.values():
        for place in places:
            for entry in entries.of_place(place):
                if isinstance(entry.thing, property | EnumType) or not callable(entry.thing):
                    continue
                names = parameters(place, entry.thing)
                if len(names) >= least:
                    sections = ("Args:\n", "Attributes:\n") if is_record(entry.thing) else ("Args:\n",)
                    named = documented(inspect.getdoc(entry.thing) or "", sections)
                    yield entry.name, [n for n in names if n not in named], len(names)


def test_docstrings_name_every_parameter():
    with warnings.catch_warnings(action="ignore"):  # deprecated names warn when they are looked up
        found = list(incomplete())
    left_out = {name: missing for name, missing, _ in found if missing}
    assert len(found) > 900
    assert len(left_out) <= MOST_INCOMPLETE, left_out


if __name__ == "__main__":  # lists what is missing
    warnings.simplefilter("ignore")
    least = int(sys.argv[1]) if sys.argv[1:] else LEAST
    rows = list(incomplete(least))
    for name, missing, _ in rows:
        if missing:
            print(name, "|", ", ".join(missing))
    complete = sum(not missing for _, missing, _ in rows)
    print(f"{complete} of {len(rows)} callables with {least} parameters or more name all of them")
