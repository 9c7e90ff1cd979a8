"""Examples in docstrings run and print what they say (all of them with FUNCTORCH_LITE_PARITY=full, else a sample), and
what users call has one."""

from __future__ import annotations

import ast
import doctest
import functools
import importlib
import re
import warnings
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import functorch_lite as torch
import functorch_lite.nn.functional as F
from functorch_lite import distributions, fft, func, linalg, nn, optim, special
from functorch_lite.optim import lr_scheduler, swa_utils
from tests.support.full import FULL
from tests.support.printed import PrintedChecker, prints_alike

ROOT = Path(torch.__file__).parent.parent
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)
SHARE, SHARE_MADE = (
    (1, 1) if FULL else (3, 7)
)  # of so many docstrings in files, and made of others, one is run
AT_HAND = {
    "functorch_lite": torch,
    "torch": torch,
    "nn": nn,
    "F": F,
    "np": np,
    "grad": func.grad,
    **{name: getattr(func, name) for name in func.MORE},
}
parser = doctest.DocTestParser()


def sources() -> Iterator[tuple[Path, str]]:
    """The files of the package that have examples, each with the name of its module."""
    for folder in ("functorch_lite", "nn", "optim", "compat"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if ">>>" in path.read_text():
                parts = path.relative_to(ROOT).with_suffix("").parts
                name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                yield path, name if folder == "functorch_lite" else f"functorch_lite.{name}"


@functools.cache
def documented(path: Path) -> list[tuple[str, str, int]]:
    """(name, docstring, line) of all that has a docstring with an example in a file."""
    return [
        (getattr(node, "name", path.stem), doc, node.body[0].lineno)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, DOCUMENTED) and ">>>" in (doc := ast.get_docstring(node) or "")
    ]


def public(*modules) -> Iterator[tuple[str, Any]]:
    for module in modules:
        for name in getattr(module, "__all__", None) or dir(module):
            if not name.startswith("_") and callable(x := getattr(module, name)):
                yield f"{module.__name__}.{name}", x


def failures(docs: Iterable[tuple[str, str, int]], at_hand: dict, where: str, share: int = SHARE) -> str:
    """What the examples in docstrings print that they should not, each docstring in a space of its own."""
    said: list[str] = []
    for name, doc, line in docs:
        if zlib.crc32(doc.encode()) % share:
            continue
        torch.manual_seed(0)
        test = parser.get_doctest(doc, {**at_hand, **AT_HAND}, f"{where}.{name}", where, line)
        with (
            torch.debug.tier("cold"),
            warnings.catch_warnings(action="ignore"),
        ):  # few of these programs are run twice
            doctest.DocTestRunner(PrintedChecker(), optionflags=FLAGS).run(test, out=said.append)
        assert torch.get_default_dtype() is torch.float32 and torch.is_grad_enabled(), name
    return "".join(said)


def test_how_output_is_compared():
    """A processor's last digits are no difference; other numbers, forms and dtypes are."""
    assert prints_alike("tensor([5.])", "tensor([5.0000])") and prints_alike(
        "tensor(0.3333)", "tensor(0.3334)"
    )
    for other in (
        "tensor([5])",
        "tensor([5.1])",
        "tensor([5., 5.])",
        "tensor([-5.])",
        "tensor([5.], dtype=torch.float64)",
    ):
        assert not prints_alike("tensor([5.])", other)


@pytest.mark.parametrize("path, name", [pytest.param(*s, id=s[1]) for s in sources()])
def test_examples(path, name):
    said = failures(documented(path), vars(importlib.import_module(name)), str(path))
    assert not said, said


def test_examples_of_docstrings_that_are_made():
    written = {
        e.source for path, _ in sources() for _, doc, _ in documented(path) for e in parser.get_examples(doc)
    }
    with warnings.catch_warnings(action="ignore"):  # deprecated names
        found = {
            x.__doc__: name
            for name, x in public(torch, torch.Tensor, F, linalg, fft, special, nn, optim, func)
        }
    made = [
        (name, doc, 1)
        for doc, name in found.items()
        if any(e.source not in written for e in parser.get_examples(doc or ""))
    ]
    assert len(made) > 10
    said = failures(made, {}, "made", SHARE_MADE)
    assert not said, said


ALL = [
    torch,
    torch.Tensor,
    distributions,
    distributions.constraints,
    distributions.Distribution,
    distributions.Transform,
    func,
    optim,
    optim.Optimizer,
    lr_scheduler,
    swa_utils,
    nn,
    nn.Module,
    F,
    nn.init,
    nn.utils,
    nn.attention,
    nn.parallel,
    linalg,
    fft,
    special,
]


def _is_example_needed(x: Any) -> bool:
    """Not of what is raised, and of PyTorch's older types of tensors and storages."""
    return not (
        isinstance(x, type) and (issubclass(x, Exception) or x.__name__.endswith(("Tensor", "Storage")))
    )


@pytest.mark.parametrize("module", ALL, ids=lambda m: m.__name__)
def test_all_have_an_example(module):
    with warnings.catch_warnings(action="ignore"):  # deprecated names
        asked = [(name, x.__doc__ or "") for name, x in public(module) if _is_example_needed(x)]
    assert [name for name, doc in asked if not doc.lstrip().partition("\n")[0]] == []
    assert [name for name, doc in asked if ">>>" not in doc] == []


OPENING = re.compile(r'"""\\?\s*(?:Of|Those|That|What|Which|Whose)\b')
"""First words that say nothing yet."""


def test_docstrings_begin_with_a_verb_or_a_noun():
    found = [
        f"{path.relative_to(ROOT)}:{node.body[0].lineno}"
        for folder in ("functorch_lite", "nn", "optim", "compat")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if OPENING.search(text := path.read_text())
        for node in ast.walk(ast.parse(text))
        if isinstance(node, DOCUMENTED) and OPENING.match(f'"""{ast.get_docstring(node) or ""}')
    ]
    assert found == []
