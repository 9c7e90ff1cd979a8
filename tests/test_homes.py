"""PyTorch's modules are found by each way of importing, and its classes where their `__module__` says
(tests/golden/homes.json).

Looked at under functorch_lite and, in a process of its own, as `torch…` of the drop-in namespace.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from functorch_lite import _elsewhere
from tests.support.processes import python

GOLDEN = json.loads((Path(__file__).parent / "golden" / "homes.json").read_text())
HIDES = dict.fromkeys(GOLDEN["modules"]["something else"].split(), True)
MODULES = [*GOLDEN["modules"]["module"].split(), *HIDES]

OTHERS = {
    "torch.ops": "functorch_lite.ops declares the ops; PyTorch's are in functorch_lite._ops",
    "torch.utils.tensorboard": "it needs the package tensorboard, which need not be there",
}
"""Modules that are left out, and why."""


def imported(name: str, hides: bool) -> Iterator[str]:
    """What is wrong with a module, by each way of importing it."""
    parent, _, last = name.rpartition(".")
    for how in (f"import {name}", f"from {parent} import {last}", f"importlib.import_module({name!r})"):
        space = {"importlib": importlib}
        try:
            exec(how, space)
        except Exception as e:
            yield f"{how}: {type(e).__name__}: {e}"
            continue
        if how.startswith("from") and isinstance(space[last], ModuleType) is hides:
            yield f"{how} gives a {type(space[last]).__name__}"
    if name in sys.modules and importlib.util.find_spec(name) is None:  # type: ignore[attr-defined]
        yield f"{name} has no spec"


def homes(root: str) -> Iterator[str]:
    """Classes that are not in the modules that PyTorch's `__module__` names.

    Those that are nowhere here are left out."""
    for home, names in GOLDEN["classes"].items():
        for public, own in [pair.split(":") for pair in names.split()]:
            at, _, name = public.replace("torch", root, 1).rpartition(".")
            try:
                ours = getattr(importlib.import_module(at), name)
            except (AttributeError, ImportError):
                continue
            try:
                found = getattr(importlib.import_module(home.replace("torch", root, 1)), own)
            except (AttributeError, ImportError) as e:
                found = e
            if found is not ours:
                yield f"{home}.{own} is {found!r}, not {public}"


def complaints(root: str) -> list[str]:
    there = [m for m in MODULES if m not in OTHERS and m.startswith("torch.")]
    if root != "torch":
        there = [m for m in there if not m.startswith("torch.distributed")] + ["torch.distributed"]
    wrong = [c for m in there for c in imported(m.replace("torch", root, 1), m in HIDES)]
    return [*wrong, *homes(root)]


def test_under_functorch_lite():
    assert complaints("functorch_lite") == []


DROP_IN = """
import warnings
warnings.simplefilter("ignore")
from functorch_lite.compat import install_as_torch
install_as_torch()
from tests.test_homes import complaints
wrong = complaints("torch")
assert not wrong, "\\n".join(wrong)
"""


def test_in_the_drop_in_namespace():
    done = python("-c", DROP_IN)
    assert done.returncode == 0, done.stderr[-3000:]


def test_modules_inside_functions_of_their_names_do_not_replace_them():
    import functorch_lite as torch

    importlib.import_module("functorch_lite.autograd.variable")
    importlib.import_module("functorch_lite.multiprocessing.spawn")
    assert callable(torch.autograd.variable) and callable(torch.multiprocessing.spawn)


@pytest.mark.parity
def test_the_record_is_pytorchs():
    pytest.importorskip("torch")
    from tests.golden import make_homes

    assert {k: " ".join(v) for k, v in make_homes.modules().items()} == GOLDEN["modules"]
    assert make_homes.classes() == GOLDEN["classes"]


@pytest.mark.parametrize("name", _elsewhere.MODULES)
def test_what_is_kept_elsewhere(name):
    importlib.import_module(f"functorch_lite.{name}")
