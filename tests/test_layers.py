"""The layers of CONTRIBUTING.md, by reading the source: who may import whom, how long a file may be, what may not be written."""

from __future__ import annotations

import ast
import tomllib
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("functorch_lite", "nn", "optim", "compat")
WARN_LINES, FAIL_LINES = 600, 800

ORDER = (
    "_core", "api_names", "ops", "compose", "storage", "_C", "_utils", "overrides", "random", "quasirandom", "func", "_higher_order_ops", "autograd", "profiler", "utils", "amp", "serialization", "sparse", "hub",
    "types", "testing", "linalg", "fft", "signal", "special", "backends", "version", "torch_version", "futures", "_streams", "cpu", "cuda", "accelerator", "distributed", "distributions", "masked", "nested", "debug",
    "nn", "optim", "compiler", "jit", "compat", "api_status",
)  # fmt: skip
"""Low to high: a module imports from packages to the left of its own. The facade, functorch_lite/__init__.py, is above them."""

PROGRAMS = ("demo",)
"""Packages that use the library as anybody does: above the facade, with absolute imports."""

CORE_ORDER = (
    "tracebacks", "errors", "dtypes", "undisturbed", "advice", "device", "promote", "float8", "op", "printing", "grad_names", "value", "packing", "reach", "rules", "loop_body", "loop_joining", "loop", "wide_sums", "applied", "cutting", "tensor", "size", "overrides", "arguments", "tape", "wide_ints", "recorder", "meta", "apart", "graph", "recycling", "host_memory", "disk_cache", "executable", "program", "chunks",
    "executor", "known", "strides", "overlap", "apply", "windows", "divisors", "joining", "autocast", "levels", "memory_format", "conversions", "moving", "host", "results", "older_forms", "bind", "indexing", "methods", "reprs", "storage", "grad_methods", "names",
)  # fmt: skip
"""The same for the modules of _core."""

LAZY_UPWARDS = {
    ("_core.apply", "_core.levels"),
    ("_core.apply", "_core.bind"),
    ("_core.chunks", "_core.executor"),
    ("_core.executor", "_core.levels"),
    ("_core.grad_methods", "autograd"),
    ("_core.grad_methods", "func.cuts"),
    ("_core.recorder", "_core.executor"),
    ("_core.recorder", "_core.meta"),
    ("_core.tensor", "_core.bind"),
    ("backends.cuda", "nn.attention"),
    ("nn.modules.module", "compiler"),
    ("serialization.loading", "nn"),
}
"""Imports inside functions that point upwards: (from, to). Each is a place where a low layer calls back into a higher one:
what is pending must be run, or a method is found at first use."""


class Import:
    """One import of one of our own modules: by whom, of what, on which line, and whether inside a function."""

    def __init__(self, module: str, target: str, line: int, lazy: bool, relative: bool):
        self.module, self.target, self.line, self.lazy, self.relative = module, target, line, lazy, relative

    def __str__(self) -> str:
        return f"{self.module or 'functorch_lite'}:{self.line} imports {self.target or 'the facade'}"


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


def imports(module: str) -> Iterator[Import]:
    """Imports of our own modules, resolved to module names; imports for type checkers only are left out."""
    path = sources()[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node, lazy in _import_nodes(tree(path), False):
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


def rank(module: str) -> tuple[int, int]:
    """How high a module stands; within _core its place there."""
    package, _, rest = module.partition(".")
    if not module or package in PROGRAMS:
        return len(ORDER) + bool(module), 0
    inner = CORE_ORDER.index(rest.split(".")[0]) if package == "_core" and rest else 0
    return ORDER.index(package), inner


def points_upwards(i: Import) -> bool:
    """Whether an import leads to a higher layer."""
    if i.module == i.target:
        return False
    return rank(i.target) > rank(i.module)


def test_every_module_has_a_place():
    known = {*ORDER, *PROGRAMS, ""}
    unplaced = sorted({m.partition(".")[0] for m in sources()} - known)
    assert not unplaced, f"say in ORDER of {Path(__file__).name} where these belong: {unplaced}"
    core = sorted({m.split(".")[1] for m in sources() if m.startswith("_core.")} - set(CORE_ORDER))
    assert not core, f"say in CORE_ORDER where these belong: {core}"


def test_every_package_is_in_pyproject():
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    present = {
        f"functorch_lite.{m}" if m else "functorch_lite"
        for m, path in sources().items()
        if path.name == "__init__.py"
    }
    assert present == listed, f"not listed: {sorted(present - listed)}; not there: {sorted(listed - present)}"


def test_imports_point_downwards():
    wrong = [str(i) for m in sources() for i in imports(m) if not i.lazy and points_upwards(i)]
    assert not wrong, "\n".join(wrong)


def test_lazy_imports_point_upwards_only_where_allowed():
    wrong = []
    for module in sources():
        for i in imports(module):
            if (
                i.lazy
                and points_upwards(i)
                and not any(
                    i.module == a and (i.target == b or i.target.startswith(b + ".")) for a, b in LAZY_UPWARDS
                )
            ):
                wrong.append(str(i))
    assert not wrong, "add to LAZY_UPWARDS, with a reason, or turn around:\n" + "\n".join(wrong)


def test_no_import_cycles():
    edges: dict[str, set[str]] = {}
    for module in sources():
        targets = {i.target for i in imports(module) if not i.lazy}
        edges[module] = {
            t for t in targets if t != module and not module.startswith(f"{t}.") and t in sources()
        }
    state: dict[str, int] = {}
    trail: list[str] = []

    def visit(module: str) -> None:
        if state.get(module) == 2:
            return
        assert state.get(module) != 1, f"import cycle: {' -> '.join([*trail[trail.index(module) :], module])}"
        state[module] = 1
        trail.append(module)
        for target in sorted(edges[module]):
            visit(target)
        trail.pop()
        state[module] = 2

    for module in sources():
        visit(module)


def test_ops_see_no_tensor():
    seen = [
        str(i)
        for m in sources()
        if m.startswith("ops")
        for i in imports(m)
        if i.target.startswith(("_core.tensor", "_core.apply", "_core.bind"))
    ]
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
        for node, _ in _import_nodes(tree(path), False):
            names = (
                [a.name for a in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if not node.level
                else []
            )
            found += [f"{module}:{node.lineno}" for n in names if n.split(".")[0] == forbidden]
    assert not found, f"{forbidden} is imported by {found}"


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
