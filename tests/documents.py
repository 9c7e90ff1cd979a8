"""Runs the code blocks of Markdown documents one after another in one namespace, with functorch_lite in place of
PyTorch.

    python -m tests.documents some_document.md [--torch]

The documents are PyTorch's and not part of this repository: FUNCTORCH_LITE_DOCUMENTS names the folder that holds them.
Each is run in a process of its own, where `import torch` gives this library (or, with --torch, PyTorch). Nothing of a
block is changed but what tests/document_facts.py says; 'cuda' is read as 'cpu' where there is no GPU; a benchmark's
`timeit(500)` runs the statement twice.

A document may show what a line prints, after ": ". That is compared, every number that has a fraction being taken for
any other: they are drawn at random. All that was printed is given back, so that a run with PyTorch and one with this
library can be compared number by number: both begin with the same seed, and here the numbers are drawn as PyTorch draws
them.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import sys
import tempfile
import traceback
from pathlib import Path
from types import ModuleType

from tests.document_facts import AFTER_EACH, DOUBTFUL, FIRST, INCOMPLETE, LAST, RAISES, READ_AS

BLOCK = re.compile(r"^## (\d+)\. (.*?)$(.*?)(?=^## \d+\. |\Z)", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)

SHOWN = re.compile(r"^: ((?:.+\n?)+)", re.MULTILINE)
FRACTION = re.compile(r"-?\d+\.\d*(e[-+]\d+)?")
SLOW = (re.compile(r"timeit\(\d+\)"), "timeit(2)")


def name_of(path: Path) -> str:
    """A short name of a document: of "docs__source__func.api.rst.md" it is "func.api"; what is functorch's is called
    so."""
    name = path.name
    for tail in (".md", ".rst", ".ipynb"):
        name = name.removesuffix(tail)
    last = name.rsplit("__", 1)[-1]
    if name.startswith("functorch__docs"):
        return f"functorch.{last}"
    if name.startswith("functorch__README"):
        return "functorch_README"
    return f"notebook.{last}" if last == "whirlwind_tour" else last


def blocks(path: Path) -> list[tuple[int, str, str]]:
    """(number, title, code) of every code block under a numbered heading."""
    found = []
    for number, title, body in BLOCK.findall(path.read_text()):
        for code in CODE.findall(body):
            found.append((int(number), title.strip(), code))
    return found


def stand_in_for_torchvision() -> ModuleType:
    """torchvision.models.resnet18 as far as the documents go: a small convolutional net that takes `norm_layer`."""
    from torch import nn

    def resnet18(norm_layer=nn.BatchNorm2d):
        return nn.Sequential(nn.Conv2d(3, 8, 3), norm_layer(8), nn.ReLU(), nn.Conv2d(8, 8, 3), norm_layer(8))

    module = ModuleType("torchvision")
    module.models = ModuleType("torchvision.models")
    module.models.resnet18 = resnet18
    sys.modules |= {"torchvision": module, "torchvision.models": module.models}
    return module


def pieces(code: str) -> list[tuple[str, str | None]]:
    """The parts of a block, each with what the document shows that its last line prints (None: nothing is shown)."""
    found, start = [], 0
    for shown in SHOWN.finditer(code):
        found.append((code[start : shown.start()], shown[1]))
        start = shown.end()
    return [*found, (code[start:], None)]


def form(printed: str) -> str:
    """What was printed, without white space and with every fraction written as #."""
    return re.sub(r"\s", "", FRACTION.sub("#", printed))


def execute_as_typed(code: str, file: str, scope: dict) -> None:
    """Runs code; if its last statement is an expression its value is printed, as an interactive Python does."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, file, "exec"), scope)
    if last is not None:
        exec(compile(ast.Interactive([last]), file, "single"), scope)


def run(path: Path) -> dict:
    """Runs a document: {"failures": what did not do what it should, "printed": what each block printed}."""
    import torch

    stand_in_for_torchvision()
    torch.manual_seed(0)
    name, scope = name_of(path), {"__name__": "__main__"}
    on_gpu = torch.cuda.is_available()
    failures, printed = [], {}

    def fail(number: int, title: str, error: str) -> None:
        failures.append({"block": number, "title": title, "error": error})

    def execute(number: int, title: str, code: str) -> None:
        code = SLOW[0].sub(SLOW[1], code)
        if not on_gpu:
            code = code.replace("device='cuda:0', ", "").replace("'cuda'", "'cpu'").replace('"cuda"', '"cpu"')
        expected = RAISES.get((name, number))
        for part, shown in pieces(code):
            with contextlib.redirect_stdout(io.StringIO()) as out:
                try:
                    execute_as_typed(part, f"<{name} {number}>", scope)
                except Exception as error:
                    if expected is None or expected not in str(error):
                        fail(number, title, traceback.format_exc())
                    return
            printed[str(number)] = printed.get(str(number), "") + out.getvalue()
            if shown is not None and (name, number) not in DOUBTFUL:
                if not form(out.getvalue()).startswith(form(shown)):  # a document may leave out the rest
                    fail(number, title, f"shown:\n{shown}\nprinted:\n{out.getvalue()}")
        if expected is not None:
            fail(number, title, f"raised nothing, expected: {expected}")

    execute(-1, "what the document takes for granted", FIRST.get(name, ""))
    for number, title, code in blocks(path):
        if (name, number) not in INCOMPLETE:
            read_as = READ_AS.get((name, number))
            execute(number, title, read_as(code) if read_as else code)
            execute(number, title, AFTER_EACH.get(name, ""))
    execute(999, "what the document only defines", LAST.get(name, ""))
    return {"failures": failures, "printed": printed}


def main(document: str, *options: str) -> None:
    """Prints what became of a document, as JSON."""
    if "--torch" not in options:
        import functorch_lite
        from functorch_lite.compat import install_as_torch

        install_as_torch()
        functorch_lite.random.set_default_engine("mt19937")
    path = Path(document).resolve()
    with tempfile.TemporaryDirectory() as folder:  # what a document saves
        os.chdir(folder)
        print("\n" + json.dumps(run(path)))


if __name__ == "__main__":
    main(*sys.argv[1:])
