"""What is known of an op stands in its declaration: the core does not name ops.
Found by reading its source for strings that are names of ops."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import functorch_lite
from functorch_lite._core.api import OPS

CORE = Path(functorch_lite.__file__).parent / "_core"

OF_JAX = ("jaxprs/", "run/cold/", "run/buckets/", "run/lowering/")
"""Folders that evaluate or rewrite jaxprs: their strings are names of JAX's primitives, and of NumPy's functions, many
of which are torch's too."""

OTHER = {
    ("call/bind.py", "names of parameters"): "full mode",
    ("call/bind.py", "an ending of names"): "_copy",
    ("call/methods.py", "a word of a sentence"): "conj",
    ("call/signature.py", "a function of generated code"): "_required",
    ("lazy/applied.py", "what precision is of"): "matmul",
    ("lazy/apply.py", "what is derived of a view"): "put",
    ("lazy/bounds.py", "a parameter of a primitive of JAX"): "mode",
    ("run/cores.py", "a word of the kernel's files"): "max",
    ("lazy/bounds.py", "what a bound says"): "index",
    ("lazy/breaches.py", "what a bound says"): "index gather index_copy take",
    ("lazy/cutting.py", "names of ops that are not declared"): "detach",
    ("lazy/gradients.py", "names of ops that are not declared"): "add ones_like zeros_like",
    ("lazy/identity.py", "classes"): "slice",
    ("lazy/recorder.py", "an attribute"): "index",
    ("lazy/wide_sums.py", "a parameter of a primitive of JAX"): "mode",
    ("lazy/written.py", "words of what is written"): "add any complex detach ones_like zeros_like",
    ("run/executable.py", "an event"): "trace",
    ("run/report.py", "an event"): "trace",
    ("words/fingerprint.py", "an option of XLA"): "log",
    ("words/printing.py", "options of printing"): "full threshold",
}
"""(file, what its words are) -> words that are names of ops as well.

None may be left out, and none may stand here in vain."""

OF_DOCSTRINGS = ("call/parameters",)
"""Texts of docstrings: the tables of parameters by function."""
LEFT = {
    "call/autocast.py": 1,
    "call/indexing.py": 9,
    "call/methods.py": 1,
    "call/bind.py": 2,
    "call/overrides.py": 71,
    "call/results.py": 1,
    "call/storage.py": 3,
    "lazy/known.py": 1,
    "lazy/strides.py": 1,
    "lazy/windows.py": 7,
    "run/host.py": 2,
}
"""Files that name ops, and how often. Only to be made smaller."""


def names_of_ops() -> set[str]:
    """Of every declared op the qualified name, the short one, and the in-place one."""
    full = set(OPS) | {name.rpartition(".")[2] for name in OPS}
    return full | {f"{name}_" for name in full if not name.endswith("_")}


def words(tree: ast.AST) -> Iterator[str]:
    """The strings of a file that may be names, and the words of those that are split.

    Docstrings, lists of what is exported or has a slot, annotations, and names of attributes are none."""
    apart: set[ast.AST] = set()
    split = {n.value for n in ast.walk(tree) if isinstance(n, ast.Attribute) and n.attr == "split"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr | ast.JoinedStr):
            apart |= set(ast.iter_child_nodes(node))
        elif isinstance(node, ast.Assign) and {t.id for t in node.targets if isinstance(t, ast.Name)} & {
            "__all__",
            "__slots__",
        }:
            apart |= set(ast.walk(node.value))
        elif isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
            apart |= set(ast.walk(node.annotation))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "setattr", "hasattr"):
            apart |= set(node.args[1:2])
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in apart:
            yield from node.value.split() if node in split else [node.value]


def named(source: str, names: set[str]) -> list[str]:
    """The names of ops that stand in a file, as often as they do."""
    return [word for word in words(ast.parse(source)) if word in names]


def test_the_core_names_no_op():
    names, found, used = names_of_ops(), {}, set()
    for path in sorted(CORE.rglob("*.py")):
        file = path.relative_to(CORE).as_posix()
        if file.startswith((*OF_JAX, *OF_DOCSTRINGS)):
            continue
        allowed = {word for (at, _), words in OTHER.items() if at == file for word in words.split()}
        here = named(path.read_text(), names)
        used |= {(file, word) for word in here}
        if rest := [word for word in here if word not in allowed]:
            found[file] = rest
    assert {file: len(rest) for file, rest in found.items()} == LEFT, found
    listed = {(file, word) for (file, _), words in OTHER.items() for word in words.split()}
    assert listed <= used, f"not there any more: {sorted(listed - used)}"


KEPT_BY_HAND = {
    "_core/call/overrides.py": "where PyTorch has functions, which no op says",
    "_foreach.py": "the functions that PyTorch has",
    "ao/quantization/tensors.py": "which functions keep a scale",
    "_subclasses/fake_tensor.py": "which functions make tensors, for a fake one of another device",
    "distributed/_partials.py": "what is gathered first, since XLA would take several collectives for it",
    "fx/_handed_on.py": "which functions PyTorch has in C++",
    "onnx/pointwise.py": "what ONNX calls them",
    "overrides.py": "which functions PyTorch does not let types override",
    "special.py": "which functions PyTorch has twice",
}
"""Files that keep a collection of ten or more names of ops beside the declarations, and why.

Only to be made smaller: what a collection says is a trait that a jaxpr tells (`_core/jaxprs/traits.py`), or stands in
the declarations."""

PUBLIC = Path(functorch_lite.__file__).parent
DECLARE = ("ops/", "nn/functional/", "demo/", *(f"_core/{folder}" for folder in OF_JAX))
OF_PRIMITIVES = "compiler/passes/known.py"
"""It has rules for JAX's primitives, by their names."""


def collected(source: str, names: set[str]) -> list[list[str]]:
    """The names of ops in each collection of a file that is written out and has ten or more; those of `__all__` are
    none."""
    tree = ast.parse(source)
    apart: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(t, ast.Name) and t.id == "__all__" for t in targets):
                apart |= set(ast.walk(node))
    found = []
    for node in ast.walk(tree):
        parts: list = []
        if node in apart:
            continue
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            parts = node.elts
        elif isinstance(node, ast.Dict):
            parts = node.keys
        elif (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split"
        ):
            text = node.func.value
            parts = (
                [ast.Constant(w) for w in text.value.split()]
                if isinstance(text, ast.Constant) and isinstance(text.value, str)
                else []
            )
        here = [
            p.value
            for p in parts
            if isinstance(p, ast.Constant) and isinstance(p.value, str) and p.value in names
        ]
        if len(here) >= 10:
            found.append(here)
    return found


def test_few_collections_of_ops_are_kept_by_hand():
    names, found = names_of_ops(), {}
    for path in sorted(PUBLIC.rglob("*.py")):
        file = path.relative_to(PUBLIC).as_posix()
        if (
            not file.startswith(DECLARE)
            and file != OF_PRIMITIVES
            and (here := collected(path.read_text(), names))
        ):
            found[file] = here
    assert set(found) == set(KEPT_BY_HAND), found
    counts = {file: len(here) for file, here in found.items()}
    assert counts == {**dict.fromkeys(KEPT_BY_HAND, 1), "_core/call/overrides.py": 2}, found


def test_collections_are_found():
    names = {f"op{i}" for i in range(12)}
    text = " ".join(sorted(names))
    for source in (f"x = {sorted(names)}", f"x = {dict.fromkeys(sorted(names))}", f"x = {text!r}.split()"):
        assert [len(x) for x in collected(source, names)] == [12]
    for source in (f"__all__ = {sorted(names)}", f"x = {sorted(names)[:9]}", f"x = {text!r}"):
        assert not collected(source, names)


@pytest.mark.parametrize(
    "text", ['OPS["add"]', 'op.name in ("add", "x")', '"add sub_x".split()', 'x = {"add": 1}', 'f("add_")']
)
def test_names_are_found(text):
    assert len(named(text, {"add", "add_"})) == 1


@pytest.mark.parametrize(
    "text",
    ['"""add"""', '__all__ = ["add"]', 'getattr(x, "add")', 'x: "add" = 1', 'f"{x}add"', '"add, and more"'],
)
def test_what_is_no_name_is_not(text):
    assert not named(text, {"add", "add_"})
