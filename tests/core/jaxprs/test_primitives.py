"""The table of primitives: its names are names that there are, and readers have rules for no others."""

from __future__ import annotations

import importlib
import sys

import jax
import pytest
from jax.extend.core import Primitive

from functorch_lite._core.jaxprs.primitives import PRIMITIVES, Kind, Rules, row

DEFINING = (
    "jax.lax.linalg", "jax.scipy.special", "jax.extend.core.primitives", "functorch_lite", "functorch_lite.distributed._halo",
    "functorch_lite.compiler.partition.coefficients",
)  # fmt: skip
"""Modules that define primitives, beside those that they import."""


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")[:2]))


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
