"""The stubs that checkers and editors read are those of the declarations, and name everything that is public."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

import functorch_lite as torch
import functorch_lite.nn.functional
from tests import stubs

NAMED = {
    "torch": [
        "functorch_lite/_types/functions.pyi",
        "functorch_lite/_types/constants.pyi",
        "functorch_lite/__init__.py",
    ],
    "torch.linalg": ["functorch_lite/linalg.pyi"],
    "torch.fft": ["functorch_lite/fft.pyi"],
    "torch.special": ["functorch_lite/special.pyi"],
    "torch.nn.functional": ["nn/functional/__init__.pyi"],
    "torch.return_types": ["functorch_lite/return_types.pyi"],
}


def test_they_are_in_step():
    """In a process of its own: signatures show more arguments once other code has asked for them."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.stubs", "--check"], cwd=stubs.ROOT, capture_output=True, text=True
    )
    assert not done.stdout, f"run python -m tests.stubs --write: {done.stdout}"
    assert done.returncode == 0, done.stderr[-2000:]


def _names(path: str) -> set[str]:
    """What a file's statements bind."""
    found = set()
    for node in ast.walk(ast.parse((stubs.ROOT / path).read_text())):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            found |= {a.asname or a.name for a in node.names}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return found


@pytest.mark.parametrize("module", NAMED)
def test_every_public_name_is_there(module):
    here = torch if module == "torch" else eval(module, {"torch": torch})
    public = {n for n in dir(here) if not n.startswith("_")}
    there = set().union(*map(_names, NAMED[module]))
    assert sorted(public - there) == []


def test_every_method_of_a_tensor_is_there():
    public = {n for n in dir(torch.Tensor) if not n.startswith("_")}
    assert sorted(public - _names("functorch_lite/_types/tensor.pyi")) == []


def test_checkers_take_for_public_what_is_imported_for_them():
    """Where the library is installed, a name that `__all__` lacks is "not exported" to pyright, though it can be
    seen."""
    tree = ast.parse((stubs.ROOT / "functorch_lite" / "__init__.py").read_text())
    (block,) = [n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"]
    imported = {a.asname or a.name for n in block.body if isinstance(n, ast.ImportFrom) for a in n.names}
    written = [n for n in block.body if isinstance(n, ast.Assign | ast.AugAssign)]
    listed = {x.value for n in written for x in ast.walk(n) if isinstance(x, ast.Constant)}
    added = {ast.unparse(n.value) for n in written}
    assert imported - listed == {"constants", "functions", "*"}
    assert {"constants.__all__", "functions.__all__"} <= added
