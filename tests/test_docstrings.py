"""Every example in a docstring runs and prints what it says, and what users call has one."""

from __future__ import annotations

import ast
import doctest
import importlib
from pathlib import Path

import numpy as np
import pytest

import functorch_lite as torch
import functorch_lite.nn.functional as F
from functorch_lite import func, nn, optim
from functorch_lite.optim import lr_scheduler, swa_utils

ROOT = Path(torch.__file__).parent.parent
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)


def sources():
    """The files of the package that have examples, each with the name of its module."""
    for folder in ("functorch_lite", "nn", "optim", "compat"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if ">>>" in path.read_text():
                parts = path.relative_to(ROOT).with_suffix("").parts
                name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                yield path, name if folder == "functorch_lite" else f"functorch_lite.{name}"


def documented(path):
    """(name, docstring, line) of all that has a docstring with an example in the file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, DOCUMENTED) and ">>>" in (doc := ast.get_docstring(node) or ""):
            first = node.body[0].lineno
            yield getattr(node, "name", path.stem), doc, first


@pytest.mark.parametrize("path, name", [pytest.param(*s, id=s[1]) for s in sources()])
def test_examples(path, name):
    module = importlib.import_module(name)
    at_hand = {"functorch_lite": torch, **vars(module), "torch": torch, "nn": nn, "F": F, "np": np}
    failures: list[str] = []
    for what, doc, line in documented(path):
        torch.manual_seed(0)
        test = doctest.DocTestParser().get_doctest(doc, dict(at_hand), f"{name}.{what}", str(path), line)
        doctest.DocTestRunner(optionflags=FLAGS).run(test, out=failures.append)
        assert torch.get_default_dtype() is torch.float32 and torch.is_grad_enabled(), test.name
    assert not failures, "".join(failures)


@pytest.mark.parametrize("module", [func, optim, lr_scheduler, swa_utils, nn], ids=lambda m: m.__name__)
def test_all_have_an_example(module):
    public = {name: getattr(module, name) for name in module.__all__}
    called = {name: x for name, x in public.items() if callable(x)}
    assert [name for name, x in called.items() if ">>>" not in (x.__doc__ or "")] == []
