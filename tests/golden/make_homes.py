"""Records where PyTorch has its modules and classes: `python -m tests.golden.make_homes` (needs torch) writes
tests/golden/homes.json.

Modules: all of PyTorch's that there are here, also the private ones, by what `from a.b import c` gives for `a.b.c`: the
module itself, or something else that has its name. Classes: all public ones, by the module that their `__module__`
names.
"""

from __future__ import annotations

import importlib
import inspect
import json
import warnings
from pathlib import Path
from types import ModuleType

import torch

from functorch_lite.api_names import names
from functorch_lite.compat.namespace import find_source

GOLDEN = Path(__file__).parent / "homes.json"


def modules() -> dict[str, list[str]]:
    """The modules that are in both, by what an import from the package around them gives."""
    root = Path(torch.__file__).parent
    files = sorted(p.relative_to(root.parent).with_suffix("") for p in root.rglob("*.py"))
    found: dict[str, list[str]] = {"module": [], "something else": []}
    for file in files:
        name = ".".join(file.parts[:-1] if file.name == "__init__" else file.parts)
        if not find_source(name):
            continue
        parent, _, last = name.rpartition(".")
        try:
            module = importlib.import_module(name)
        except ImportError:  # torch.utils.tensorboard, without that package
            module = None
        given = getattr(importlib.import_module(parent), last, module) if parent else module
        found["module" if isinstance(given, ModuleType) or given is None else "something else"].append(name)
    return {kind: sorted(set(of_it)) for kind, of_it in found.items()}


def classes() -> dict[str, str]:
    """The public classes of PyTorch, under their public names, by the module that each says it is of."""
    found: dict[str, set[str]] = {}
    for section, inside in names().items():
        public = section.split(" ")[0]
        if public == "torch.Tensor":
            continue
        for name in inside:
            made = getattr(importlib.import_module(public), name, None)
            if inspect.isclass(made) and made.__module__.split(".")[0] == "torch":
                own = made.__qualname__.removeprefix(f"{made.__module__}.")  # some of C++ say both
                there = getattr(importlib.import_module(made.__module__), own, None) is made
                if there:
                    found.setdefault(made.__module__, set()).add(f"{public}.{name}:{own}")
    return {home: " ".join(sorted(found[home])) for home in sorted(found)}


def main() -> None:
    """Writes tests/golden/homes.json."""
    warnings.simplefilter("ignore")
    head = {"torch": torch.__version__, "made_by": "python -m tests.golden.make_homes"}
    of_kinds = {kind: " ".join(found) for kind, found in modules().items()}
    lines = [json.dumps({k: v}, indent=None)[1:-1] for k, v in {**head, "modules": of_kinds}.items()]
    lines.append(
        '"classes": {\n'
        + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in classes().items())
        + "\n}"
    )
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
