"""The table of primitives: its names are names that there are, and readers have rules for no others."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import jax
import pytest
from jax.extend.core import Primitive

import functorch_lite as torch
from functorch_lite._core.api import OPS
from functorch_lite._core.jaxprs.primitives import PRIMITIVES, READERS, Kind, Rules, row
from functorch_lite._core.jaxprs.traits import traced
from functorch_lite._core.jaxprs.walk import equations
from tests import primitives as page
from tests.support.full import FULL

DEFINING = (
    "jax.lax.linalg", "jax.scipy.special", "jax.extend.core.primitives", "functorch_lite", "functorch_lite.distributed._halo",
    "functorch_lite.compiler.partition.coefficients",
)  # fmt: skip
"""Modules that define primitives, beside those that they import."""


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")[:3]))


@pytest.fixture(scope="module")
def there() -> set[str]:
    """The names of all primitives in this process."""
    for module in DEFINING:
        importlib.import_module(module)
    ours = [m for name, m in sys.modules.items() if name.partition(".")[0] in ("jax", "functorch_lite")]
    return {x.name for m in ours for x in list(vars(m).values()) if isinstance(x, Primitive)}


def test_every_name_is_a_primitives(there):
    installed = version(jax.__version__)
    wrong = [
        name
        for name, p in PRIMITIVES.items()
        if name not in there
        and not (p.until and installed >= version(p.until))
        and not (p.since and installed < version(p.since))
    ]
    assert not wrong, f"JAX {jax.__version__} has no primitives {wrong}, nor have we"
    assert not there & {"scatter_max", "scatter_add", "expand_dims", "pjit", "core_call"}


def test_a_name_that_there_is_not_has_no_rule():
    with pytest.raises(KeyError, match="scatter_max"):
        Rules.rule({}, "scatter_max")(None)  # type: ignore[arg-type]


def test_rows():
    assert row("jit").call == "jaxpr" and row("no such primitive").kind == Kind.OTHER
    kinds = {v for k, v in vars(Kind).items() if k.isupper()}
    for p in PRIMITIVES.values():
        assert p.kind in kinds, p
        assert (p.kind == Kind.CALL) is (p.call is not None), p
        assert p.call or not p.again, p


ROOT = Path(torch.__file__).parent.parent
OTHERS = {
    "functorch_lite/distributed/_halo.py": "names of ops",
    "functorch_lite/distributed/_layout.py": "names of ops",
}
"""Files that read equations, and whose strings are no primitives."""
OF_SIZES = ("sizes.py", "sized_plans.py")
"""Files that put sizes into parameters of any kind."""
FORMER = "pjit core_call remat expand_dims scatter_add scatter_max scatter_min scatter_mul copy_p custom_vjp_call_jaxpr"


def readers() -> Iterator[tuple[str, str, ast.Module]]:
    """The files that read equations, beside the table."""
    for folder in ("functorch_lite", "nn", "optim", "compat"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name, text = str(path.relative_to(ROOT)), path.read_text()
            if re.search(r"\beqns?\b|\.primitive\b", text) and not name.endswith("jaxprs/primitives.py"):
                yield name, text, ast.parse(text)


def told_apart(tree: ast.Module) -> Iterator[str]:
    """The strings that something is compared with, or looked up in: of comparisons, sets and the keys of dicts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.Dict):
            parts = [k for k in node.keys if k is not None]
        elif isinstance(node, ast.Set) or (
            isinstance(node, ast.Call) and ast.unparse(node.func) in ("set", "frozenset")
        ):
            parts = [node]
        else:
            continue
        for part in parts:
            if isinstance(part, ast.Constant | ast.Tuple | ast.List | ast.Set | ast.Call):
                strings = [
                    n.value
                    for n in ast.walk(part)
                    if isinstance(n, ast.Constant) and isinstance(n.value, str)
                ]
                yield from [word for text in strings for word in text.split()]


def test_primitives_are_told_apart_in_the_table_and_in_rules():
    wrong = []
    for name, text, tree in readers():
        if name not in OTHERS and not re.search(
            r"\b(rule|lowers|mends)\(", text
        ):  # whose names are those of its rules
            words = set(told_apart(tree)) & {*PRIMITIVES, *FORMER.split()} - {
                "name"
            }  # which is a parameter, too
            wrong += [f"{name}: {sorted(words)}"] if words else []
    assert not wrong, "\n".join(wrong)


def test_former_names_are_nowhere():
    strings = re.compile("|".join([f'"{name}"' for name in FORMER.split()]))
    assert not [name for name, text, _ in readers() if strings.search(text)]


def test_one_function_yields_inner_jaxprs():
    """Whoever looks for jaxprs among the parameters of an equation asks for their class."""
    looking = r"for .* in .*params\.(values|items)\(\)"
    found = {name.rpartition("/")[2] for name, text, _ in readers() if re.search(looking, text)}
    assert found == {"walk.py", *OF_SIZES}


def test_few_files_loop_over_equations():
    assert {name.rpartition("/")[2] for name, text, _ in readers() if ".eqns" in text} == {
        "walk.py", "joining.py", "signatures.py", "flat.py",
    }  # fmt: skip


def test_readers_answer_for_all_primitives_of_ops():
    page.load_readers()
    assert set(READERS) == {*page.COLUMNS}
    names = sorted(OPS)
    found = {}
    for name in names if FULL else names[::60]:
        jaxpr = traced(OPS[name])
        found.update({eqn.primitive.name: name for eqn in equations(jaxpr)} if jaxpr is not None else {})
    assert not {p: op for p, op in found.items() if p not in PRIMITIVES}
    for reader in READERS.values():
        answers = {reader.of(p) for p in PRIMITIVES.values()}
        assert all(a == "rule" or re.match("by kind: .|refused: .", a) for a in answers), (
            reader.name,
            answers,
        )


def test_the_page_is_up_to_date():
    assert page.PAGE.read_text() == page.written(), "run `python -m tests.primitives`"
