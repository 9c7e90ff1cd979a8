"""The names of modules are PyTorch's (tests/golden/names.json): what `import *` binds, what `dir()` lists, and of which
kind each is.

Looked at twice: as modules of functorch_lite, and, in a process of its own, as `torch…` of the drop-in namespace.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import functorch_lite as torch
from functorch_lite.compat.namespace import ELSEWHERE, find_source
from tests.names import kind, star
from tests.support.processes import python

ROOT = Path(__file__).parent.parent
GOLDEN = json.loads((Path(__file__).parent / "golden" / "names.json").read_text())["modules"]

MORE: dict[str, tuple[tuple[str, ...], str]] = {
    "torch": (("compat", "debug", "set_check_bounds", "set_log", "synchronize"), "what this library has beyond PyTorch; not in the drop-in namespace"),
    "torch.backends.cudnn": (
        ("allow_tf32", "benchmark", "deterministic", "enabled", "flags", "is_available", "version"),
        "PyTorch's is an object in place of the module, and lists nothing of what it has",
    ),
    "torch.backends.opt_einsum": (
        ("flags", "get_opt_einsum", "is_available", "set_flags"),
        "PyTorch's is an object in place of the module, and lists nothing of what it has",
    ),
    "torch.func": (
        ("memory_budget", "curvature", "implicit", "influence", "laplace", "ntk", "per_sample", "privacy", "taylor", "training"),
        "for chunk_size='auto'; higher-order derivatives",
    ),
    "torch.optim": (("Optax", "functional"), "optax's transformations as optimizers, optimizers as pure functions"),
    "torch.random": (("default_engine", "set_default_engine"), "for PyTorch's own random numbers"),
}  # fmt: skip
"""Public names that PyTorch's module has not, and why."""

OTHER_KIND: dict[str, tuple[tuple[str, ...], str]] = {
    "torch.autograd.profiler": (
        ("emit_itt", "emit_nvtx"),
        "functions that refuse, where PyTorch has contexts",
    ),
    "torch.compiler": (("set_stance",), "a context that can be called; PyTorch's function returns one"),
}
"""Names that are not of PyTorch's kind, and why."""

MADE_AT_FIRST_USE: dict[str, str] = {
    **dict.fromkeys(
        ("torch", "torch.functional", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special"),
        "functions are bound at first use: all of torch's take a second. `vars()` of the drop-in module has them",
    ),
    "torch.func": "modules that PyTorch has not are imported at first use",
    "torch.utils": "its modules are imported at first use",
    "torch.distributed": "what meshes need is imported at first use",
    "torch.cuda": "default_generators counts the devices",
    "torch.backends.cudnn": "allow_tf32 is a setting that is kept elsewhere",
}
"""Modules that have names which are not in `vars()` until they are used, and why."""


@cache
def recorded(module: str, part: str) -> dict[str, str]:
    """Names of PyTorch's module, with their kinds."""
    return {name: k for k, names in GOLDEN[module][part].items() for name in names.split()}


def complaints(module: str, ours: ModuleType, lazy: bool) -> Iterator[str]:
    """What is wrong with the names of `ours`, which stands for PyTorch's module of this name."""
    bound, rest = recorded(module, "star"), recorded(module, "rest")
    more, other = MORE.get(module, ((), ""))[0], OTHER_KIND.get(module, ((), ""))[0]
    mine = star(ours.__name__)
    listed = {n for n in dir(ours) if not n.startswith("_")}
    for name in sorted(mine):
        if name not in bound and name not in more:
            yield f"import * binds {name}"
    for name in sorted(listed - more_names(bound, rest, more)):
        yield f"dir() lists {name}"
    for name in sorted(listed | set(mine)):
        theirs = bound.get(name) or rest.get(name)
        if theirs is not None and name not in other and kind(getattr(ours, name)) != theirs:
            yield f"{name} is a {kind(getattr(ours, name))}, PyTorch's is a {theirs}"
    if not lazy:
        yield from (f"{name} is in dir(), not in vars()" for name in sorted(listed - set(vars(ours))))


def more_names(*names) -> set[str]:
    return {n for some in names for n in some}


@pytest.mark.parametrize("module", [m for m in GOLDEN if m not in ELSEWHERE])
def test_names_are_pytorchs(module):
    source = find_source(module)
    ours = importlib.import_module(source)
    # vars() is looked at first: dir() and getattr() below make what is made at first use
    assert list(complaints(module, ours, module in MADE_AT_FIRST_USE)) == []


MIRRORED = """
import importlib, sys, warnings
warnings.simplefilter("ignore")
from functorch_lite.compat import install_as_torch
torch = install_as_torch()
from tests import test_names as t
found = []
for module in t.GOLDEN:
    it = importlib.import_module(module)
    found += [f"{module}: {c}" for c in t.complaints(module, it, lazy=False)]
assert not found, "\\n".join(found)

before = torch
for module in ("torch.distributions.transforms", "torch.nn.functional", "torch.nn.init", "torch.distributions", "torch.optim.adamw"):
    space = {"torch": before}
    exec(f"from {module} import *", space)
    assert space["torch"] is before, module
    assert getattr(importlib.import_module(module), "torch", before) is before, module
    assert "math" not in space, module
assert vars(torch)["sin"] is torch.sin and "Normal" in vars(torch.distributions)
vars(torch)["mine"] = 3
assert torch.mine == 3
"""


def test_names_of_the_drop_in_namespace():
    done = python("-c", MIRRORED)
    assert done.returncode == 0, done.stderr[-3000:]


def test_import_star_binds_the_functions():
    space = star("functorch_lite")
    import functorch_lite

    assert space["sin"] is functorch_lite.sin
    assert space["float32"] is functorch_lite.float32
    assert "nn" not in space  # as in PyTorch


@pytest.mark.parity
def test_the_record_is_pytorchs():
    """It has every public module that is in both libraries, and the names of some (of all takes a while)."""
    pytest.importorskip("torch")
    from tests.golden import make_names

    assert make_names.there() == sorted(GOLDEN)
    for name in ("torch.distributions.transforms", "torch.optim.adam", "torch.nn.init"):
        assert make_names.facts(importlib.import_module(name)) == GOLDEN[name]


def test_signatures_and_sources_are_those_of_a_reader():
    """What `torch.sum?` and `torch.sum??` show."""
    for function in (
        torch.sum,
        torch.max,
        torch.Tensor.add_,
        torch.repeat_interleave,
        torch.nn.functional.relu,
    ):
        assert " object at 0x" not in str(inspect.signature(function))
    assert "<not given>" in str(inspect.signature(torch.sum))
    assert inspect.getsourcefile(inspect.unwrap(torch.sum)).endswith(os.path.join("ops", "reduce.py"))  # type: ignore[union-attr]
    assert "def sum_(" in inspect.getsource(torch.Tensor.sum)
