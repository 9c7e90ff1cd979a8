"""The layers of CONTRIBUTING.md, by reading the source: who may import whom, how long a file may be, what may not be
written."""

from __future__ import annotations

import ast
import gc
import re
import tomllib
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("functorch_lite", "nn", "optim", "compat")
WARN_LINES, FAIL_LINES = 600, 800

ROOMS = (
    "_core.words",
    "_core.declare",
    "_core.jaxprs",
    "_core.lazy",
    "_core.run",
    "_core.call",
    "_core",
    "ops",
    "tensors",
)
"""Low to high: what stands in one imports from itself and those to the left.

All other packages are above them, in any order that has no cycle; the facade, functorch_lite/__init__.py, is above
all."""

PROGRAMS = ("demo",)
"""Packages that use the library as anybody does: above the facade, with absolute imports."""

CYCLES = {
    ("func.training", "distributed"),
    ("fx.experimental.proxy_tensor", "compiler"),
    ("utils._remat", "compiler"),
    ("utils.flop_counter", "nn"),
}
"""Imports that close a cycle of packages: (module, package). PyTorch has the names there; a higher layer does the
work."""


INSIDE = {
    "", "autograd.calls_recorded", "autograd.context", "autograd.derivatives", "autograd.forward_ad", "autograd.tensor_methods", "autograd.watch",
    "compiler.fusing", "compiler.modes", "compiler.noting", "compiler.partition.joint", "compiler.partition.forward",
    "compiler.sources", "compiler.steps", "debug", "func.anomalies", "func.cuts", "func.derivatives", "func.loops",
    "func.within", "ops.merged", "optim.optimizer", "utils._remat",
}  # fmt: skip
"""Modules that work on the recording or the tape itself; all others take what they need of the core from
`_core/api.py`. Only to be made smaller."""


MOST_IN_A_CIRCLE = 5
"""Files of the largest circle of imports, those inside functions counted. Only to be made smaller."""
MOST_LATE = 25
"""Imports of ours inside functions. Only to be made smaller; each says why it stands there."""


class Import:
    """One import of one of our own modules: by whom, of what, on which line, and whether inside a function."""

    def __init__(self, module: str, target: str, line: int, lazy: bool, relative: bool):
        self.module, self.target, self.line, self.lazy, self.relative = module, target, line, lazy, relative

    def __str__(self) -> str:
        return f"{self.module or 'functorch_lite'}:{self.line} imports {self.target or 'the facade'}"


@pytest.fixture(scope="module", autouse=True)
def no_tree_is_kept():
    """The collector of garbage looks neither through a million nodes while they are made nor ever after."""
    gc.disable()
    yield
    tree.cache_clear()
    gc.enable()


@cache
def sources() -> dict[str, Path]:
    """Module name below functorch_lite ("" is the facade) -> its file."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            parts = parts[1:] if package == "functorch_lite" else parts
            found[".".join(parts[:-1] if parts and parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree(path: Path) -> ast.Module:
    """A parsed file."""
    return ast.parse(path.read_text(), str(path))


@cache
def imports(module: str) -> list[Import]:
    """Imports of our own modules, resolved to module names; imports for type checkers only are left out."""
    return list(_imports(module))


def _imports(module: str) -> Iterator[Import]:
    path = sources()[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node, lazy in import_nodes(path):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "functorch_lite":
                    yield Import(module, alias.name.partition(".")[2], node.lineno, lazy, False)
            continue
        if node.level:
            parts = package.split(".") if package else []
            base = ".".join([*parts[: len(parts) - node.level + 1], *([node.module] if node.module else [])])
        elif (node.module or "").split(".")[0] == "functorch_lite":
            base = (node.module or "").partition(".")[2]
        else:
            continue
        for alias in node.names:
            inner = f"{base}.{alias.name}" if base else alias.name
            yield Import(module, inner if inner in sources() else base, node.lineno, lazy, node.level > 0)


@cache
def import_nodes(path: Path) -> list[tuple[ast.Import | ast.ImportFrom, bool]]:
    """A file's imports, and whether each stands inside a function."""
    return list(_import_nodes(tree(path), False))


def written_in(path: Path, words: str) -> bool:
    """Whether a file has one of these words, without which there is nothing to find in its tree."""
    return re.search(words, path.read_text()) is not None


def _import_nodes(node: ast.AST, lazy: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, lazy
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        else:
            yield from _import_nodes(
                child, lazy or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            )


def package_of(module: str) -> str:
    """The package that a module belongs to; within _core, the room."""
    first, _, rest = module.partition(".")
    return f"_core.{rest.partition('.')[0]}" if first == "_core" and "." in rest else first


def between_packages() -> Iterator[tuple[Import, str, str]]:
    """The imports that leave a package, with the packages from and to."""
    for module in sources():
        for i in imports(module):
            here, there = package_of(module), package_of(i.target)
            if here != there and module and here not in PROGRAMS:
                yield i, here, there


def cycle(edges: dict[str, set[str]]) -> list[str]:
    """Some cycle of a graph; empty if it has none."""
    done: set[str] = set()
    trail: list[str] = []

    def visit(node: str) -> list[str]:
        if node in done:
            return []
        if node in trail:
            return [*trail[trail.index(node) :], node]
        trail.append(node)
        for target in sorted(edges.get(node, ())):
            if found := visit(target):
                return found
        trail.pop()
        done.add(node)
        return []

    return next(filter(None, map(visit, sorted(edges))), [])


def test_every_package_is_in_pyproject():
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    present = {
        f"functorch_lite.{m}" if m else "functorch_lite"
        for m, path in sources().items()
        if path.name == "__init__.py"
    }
    assert present == listed, f"not listed: {sorted(present - listed)}; not there: {sorted(listed - present)}"


def test_rooms_import_from_lower_rooms():
    wrong = []
    for i, here, there in between_packages():
        if here in ROOMS and (there not in ROOMS or ROOMS.index(there) > ROOMS.index(here)):
            wrong.append(str(i))
    assert not wrong, "upwards:\n" + "\n".join(wrong)


def functions(module: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of a file, methods and inner ones too."""
    for node in ast.walk(tree(sources()[module])):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    a = function.args
    named = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
    return [x.arg for x in named if x.arg not in ("self", "cls")]


MOST_PARAMETERS = 5


def test_functions_of_run_have_few_parameters():
    many = [
        f"{module}:{function.lineno} {function.name}"
        for module in sources()
        if module.startswith("_core.run.")
        for function in functions(module)
        if len(_parameters(function)) > MOST_PARAMETERS
    ]
    assert not many, (
        f"more than {MOST_PARAMETERS} parameters, where an object would say what they are: {many}"
    )


WAYS = "_core.run.ways"
FOLDERS_OF_WAYS = ("_core.run.buckets", "_core.run.cold", "_core.run.kept")


def test_a_way_is_a_line():
    """Of a way that has a folder nobody knows but its line in `ways.py`, and those who are in the folder."""
    wrong = []
    for module in sources():
        for i in imports(module):
            folder = next((f for f in FOLDERS_OF_WAYS if i.target == f or i.target.startswith(f"{f}.")), None)
            if folder is not None and module != WAYS and not f"{module}.".startswith(f"{folder}."):
                wrong.append(str(i))
    assert not wrong, "without its folder and its line there is to be no trace of a way:\n" + "\n".join(wrong)
    lines = [i.target for i in imports(WAYS) if i.target.startswith(FOLDERS_OF_WAYS)]
    assert sorted(lines) == [f"{folder}.way" for folder in FOLDERS_OF_WAYS], "each has one line"


def test_nothing_imports_the_facade():
    assert not [str(i) for i, _, there in between_packages() if not there]


def test_packages_have_no_cycles():
    edges: dict[str, set[str]] = {}
    for i, here, there in between_packages():
        if (i.module, there) not in CYCLES:
            edges.setdefault(here, set()).add(there)
    assert not cycle(edges), " -> ".join(cycle(edges))
    for module, there in CYCLES:
        edges[package_of(module)].add(there)
        assert cycle(edges), f"{module} may import {there}: take it out of CYCLES"
        edges[package_of(module)].discard(there)


def test_modules_have_no_cycles():
    edges: dict[str, set[str]] = {}
    for module in sources():
        targets = {i.target for i in imports(module) if not i.lazy}
        edges[module] = {
            t for t in targets if t != module and not module.startswith(f"{t}.") and t in sources()
        }
    assert not cycle(edges), " -> ".join(cycle(edges))


def circles(edges: dict[str, set[str]]) -> set[frozenset[str]]:
    """The nodes of a graph that reach each other, where there are several."""
    left = dict(edges)
    while ends := [node for node, targets in left.items() if not targets & left.keys()]:
        for node in ends:  # from which nothing comes back
            del left[node]
    reached = {node: _reached(left, node) for node in left}
    around = {frozenset(n for n in reached[node] if node in reached[n]) for node in left}
    return {circle for circle in around if len(circle) > 1}


def _reached(edges: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    todo = [start]
    while todo:
        more = edges[todo.pop()] & edges.keys() - found
        found |= more
        todo += more
    return found


def test_circles_are_found():
    edges = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": {"e"}, "e": {"d", "f"}, "f": {"d"}}
    assert circles(edges) == {frozenset("bc"), frozenset("def")}


def test_circles_of_imports_are_small():
    edges = {m: {i.target for i in imports(m) if i.target in sources()} - {m} for m in sources()}
    largest = max(circles(edges), key=len, default=frozenset())
    assert len(largest) <= MOST_IN_A_CIRCLE, sorted(largest)


def test_late_imports_are_few_and_say_why():
    late = {(m, i.line): i for m in sources() for i in imports(m) if i.lazy}
    assert len(late) <= MOST_LATE, "inside functions:\n" + "\n".join(map(str, late.values()))
    silent = [
        str(i)
        for (m, line), i in late.items()
        if "  # " not in sources()[m].read_text().splitlines()[line - 1]
    ]
    assert not silent, "without a word that says why:\n" + "\n".join(silent)


def test_the_core_imports_at_the_top():
    late = [str(i) for m in sources() if m.startswith("_core") for i in imports(m) if i.lazy]
    assert not late, "inside a function:\n" + "\n".join(late)


def test_the_core_is_used_by_its_api():
    others = {
        i.module for i, here, there in between_packages()
        if there.startswith("_core") and not here.startswith("_core") and i.target != "_core.api"
    }  # fmt: skip
    facade = {i.module for i in imports("") if i.target.startswith("_core") and i.target != "_core.api"}
    assert others | facade == INSIDE


def test_ops_see_no_tensor():
    seen = []
    for module, path in sources().items():
        for node, _ in import_nodes(path) if package_of(module) == "ops" else ():
            names = {a.name for a in node.names} & {"Tensor", "make_tensor", "apply", "apply_op", "composite"}
            if names:
                seen.append(f"{module}:{node.lineno} imports {names}")
    assert not seen, "a Tensor is never seen in ops/:\n" + "\n".join(seen)


def test_imports_are_relative_inside_and_absolute_across():
    wrong = []
    for module in sources():
        inside = module.partition(".")[0] not in ("nn", "optim", "compat", *PROGRAMS)
        for i in imports(module):
            same_package = i.target.partition(".")[0] == module.partition(".")[0]
            if inside and not i.relative and module:
                wrong.append(f"{i}: absolutely; inside functorch_lite/ imports are relative")
            if not inside and i.relative and not same_package:
                wrong.append(f"{i}: relatively; across packages imports are absolute")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("forbidden", ["torch", "functorch", "torchvision"])
def test_torch_is_never_imported(forbidden):
    found = []
    for module, path in sources().items():
        for node, _ in import_nodes(path):
            names = (
                [a.name for a in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if not node.level
                else []
            )
            found += [f"{module}:{node.lineno}" for n in names if n.split(".")[0] == forbidden]
    assert not found, f"{forbidden} is imported by {found}"


@cache
def _needs_torch(path: Path) -> bool:
    """Whether a file of tests/ imports PyTorch as it is loaded, itself or by another file of tests/, before
    `pytest.importorskip("torch")` could have skipped it."""
    for node in tree(path).body:
        if isinstance(node, ast.Expr | ast.Assign) and "importorskip('torch')" in ast.unparse(node):
            return False
        if isinstance(node, ast.Import):
            targets = [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            folder = path.relative_to(ROOT).parts[: -node.level] if node.level else ()
            module = ".".join([*folder, *([node.module] if node.module else [])])
            targets = [module, *(f"{module}.{a.name}" for a in node.names)]
        else:
            continue
        for target in targets:
            file = ROOT.joinpath(*target.split(".")).with_suffix(".py")
            if target.split(".")[0] == "torch" or (
                target.startswith("tests.") and file.exists() and _needs_torch(file)
            ):
                return True
    return False


def test_the_tests_can_be_collected_without_torch():
    asking = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if _needs_torch(path)
    ]
    assert not asking, f'{asking} import torch without pytest.importorskip("torch") before'


def test_files_are_not_long():
    too_long = []
    for path in [*sources().values(), *sorted((ROOT / "tests").rglob("*.py"))]:
        lines = len(path.read_text().splitlines())
        if lines > FAIL_LINES:
            too_long.append(f"{path.relative_to(ROOT)} has {lines} lines")
        elif lines > WARN_LINES:
            warnings.warn(
                f"{path.relative_to(ROOT)} has {lines} lines; from {FAIL_LINES} on this fails", stacklevel=1
            )
    assert not too_long, f"more than {FAIL_LINES} lines: {too_long}"


def _discarded(root: ast.AST) -> Iterator[ast.Expr]:
    """Statements that compute something and drop it: allclose(...), x.at[...].set(...)."""
    for node in ast.walk(root):
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            continue
        fn = node.value.func
        name = fn.attr if isinstance(fn, ast.Attribute) else fn.id if isinstance(fn, ast.Name) else ""
        updates = (
            isinstance(fn, ast.Attribute)
            and isinstance(fn.value, ast.Subscript)
            and isinstance(fn.value.value, ast.Attribute)
            and fn.value.value.attr == "at"
        )
        if (name in ("allclose", "array_equal", "equal") and not name.startswith("assert")) or updates:
            yield node


def test_results_are_not_discarded():
    found = []
    for folder in (*PACKAGES, "tests", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if written_in(path, r"allclose|array_equal|equal|\bat\b"):
                found += [
                    f"{path.relative_to(ROOT)}:{n.lineno}: {ast.unparse(n)}" for n in _discarded(tree(path))
                ]
    assert not found, "results computed and thrown away:\n" + "\n".join(found)


@pytest.mark.parametrize(
    "text", ["np.allclose(a, b)", "torch.allclose(a, b)", "x.at[0].set(1)", "x.at[1:, 2].add(y)"]
)
def test_discarded_results_are_found(text):
    assert len(list(_discarded(ast.parse(text)))) == 1
    assert not list(_discarded(ast.parse(f"y = {text}\nassert {text}")))


NUMPYS_NUMBERS = {"_core.words.numbers", "utils.data.collate"}
"""Modules that tell NumPy's scalars apart by their classes; others ask `_core/words/numbers.py`.

Only to be made smaller."""


def _asks_for_numpys(node: ast.AST) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance"):
        return False
    kinds = ("generic", "number", "integer", "floating", "bool_")
    return any(
        isinstance(n, ast.Attribute) and n.attr in kinds and ast.unparse(n.value) == "np"
        for n in ast.walk(node)
    )


def test_numbers_are_told_apart_in_one_place():
    looked = {m: path for m, path in sources().items() if written_in(path, r"\bnp\b") and not m.startswith("testing.")}  # fmt: skip
    asking = {m for m, path in looked.items() if any(map(_asks_for_numpys, ast.walk(tree(path))))}
    assert asking == NUMPYS_NUMBERS


def test_dtypes_are_named_in_one_place():
    found = []
    for module, path in sources().items():
        for node in ast.walk(tree(path)) if written_in(path, "Float|c10") else ():
            text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            if module != "_core.words.dtypes" and (text == "ComplexFloat" or "c10::" in text):
                found.append(f"{module}:{node.lineno}")  # type: ignore[attr-defined]
    assert not found, f"a dtype has its names in _core/words/dtypes.py: {found}"


REFUSED_BY_HAND = {
    "_core.run.tiers": 1, "_core.words.device": 1, "_core.words.memory_format": 1, "autograd.derivatives": 1, "compat.files": 1, "compat.flax": 3,
    "compat.jax_bridge": 2, "compat.jax_function": 1, "compat.pure": 1, "distributed._dtensor": 2, "distributed._placements": 1,
    "distributed.device_mesh": 1, "distributed.groups": 1, "distributed.pipelining.schedules": 1, "nn.modules.rnn_cells": 1, "ops.fft": 1,
    "optim.optax_optimizer": 1, "optim.rules": 1, "tensors.create": 3, "tensors.data": 2, "tensors.differences": 1, "tensors.einsum": 1,
    "tensors.factors": 1, "tensors.fft": 1, "tensors.histogram": 2, "tensors.index": 3, "tensors.logic": 1, "tensors.shape": 3, "tensors.strides": 1,
    "tensors.types": 1, "tensors.view_copies": 2, "tensors.views_in_place": 2,
}  # fmt: skip
"""Modules with sentences of their own of an argument of the wrong type, beside the gate, and how many.

Only to be made smaller."""
_WRONG_TYPE = re.compile(r"must be .*, not ")


def _texts(node: ast.AST) -> Iterator[str]:
    """The strings of a file; one with values in it is one string."""
    if isinstance(node, ast.JoinedStr):
        yield "".join([ast.unparse(v) if not isinstance(v, ast.Constant) else v.value for v in node.values])
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    else:
        for child in ast.iter_child_nodes(node):
            yield from _texts(child)


def test_wrong_types_are_refused_by_the_gate():
    found = {
        m: sum(1 for text in _texts(tree(path)) if _WRONG_TYPE.search(text)) for m, path in sources().items()
    }
    assert found.pop("_core.call.gate") == 1
    assert {m: n for m, n in found.items() if n} == REFUSED_BY_HAND


@pytest.mark.parametrize(
    "text", ["f'{name}(): argument must be Tensor, not {kind}'", "'x must be int, ' 'not str'"]
)
def test_sentences_of_wrong_types_are_found(text):
    assert [bool(_WRONG_TYPE.search(t)) for t in _texts(ast.parse(text))] == [True]


FOLDERS = ("functorch_lite/ops", "nn/functional")
"""Where what is refused stands apart from what is computed."""
MOST_REFUSALS = 3


def _mixes(function: ast.FunctionDef) -> bool:
    """Whether a function computes, and also refuses more than now and then."""
    called = [ast.unparse(n.func) for n in ast.walk(function) if isinstance(n, ast.Call)]
    raised = [n for n in ast.walk(function) if isinstance(n, ast.Raise)]
    checks = [name for name in called if "check" in name.split(".")[-1]]
    computes = any(name.startswith(("jnp.", "lax.", "jax.")) for name in called)
    return computes and len(raised) + len(checks) > MOST_REFUSALS


def test_refusals_stand_apart_from_computation():
    mixed = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef) and _mixes(node)
    ]
    assert not mixed, f"computes, with more than {MOST_REFUSALS} refusals of its own: {mixed}"


def test_mixtures_are_found():
    refusals = "\n".join(["    check(x.ndim, RuntimeError, '')"] * 3)
    few, many = (
        f"def f(x):\n{refusals}\n{more}    return jnp.sin(x)" for more in ("", "    _check_sizes(x)\n")
    )
    assert not _mixes(ast.parse(few).body[0])  # type: ignore[arg-type]
    assert _mixes(ast.parse(many).body[0])  # type: ignore[arg-type]
    assert not _mixes(ast.parse(many.replace("jnp.sin(x)", "x")).body[0])  # type: ignore[arg-type]
