"""Writes functorch_lite/api_names.txt, the public names of PyTorch by module: python docs/make_api.py, with torch 2.13
installed.

Public is a submodule's `__all__`, where it has one; else what `dir(module)` lists without an underscore, but for
modules, and for what a module imports from elsewhere (typing, the standard library, in submodules other submodules).
"""

from __future__ import annotations

import importlib
import inspect
import types
import warnings
from pathlib import Path

import torch

warnings.simplefilter("ignore")

MODULES = """
torch torch.Tensor torch.linalg torch.fft torch.special torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn
torch.nn.utils.parametrize torch.nn.utils.parametrizations torch.nn.utils.stateless torch.nn.attention torch.nn.parallel torch.optim
torch.optim.lr_scheduler torch.optim.swa_utils torch.func torch.autograd torch.autograd.functional torch.autograd.forward_ad
torch.autograd.graph torch.distributions torch.distributions.constraints torch.distributions.transforms torch.masked torch.nested
torch.sparse torch.random torch.amp torch.cuda torch.cpu torch.backends torch.serialization torch.testing torch.utils.data
torch.utils.checkpoint torch.utils.benchmark torch.utils._pytree torch.compiler torch.export torch.profiler torch.distributed
torch.distributed.device_mesh torch.distributed.tensor torch.distributed.tensor.parallel torch.distributed.fsdp
torch.distributed.checkpoint torch.distributed.pipelining torch.distributed.algorithms.join functorch functorch.dim
""".split()
FOREIGN = (
    "typing", "typing_extensions", "collections", "functools", "enum", "datetime", "dataclasses", "contextlib", "builtins", "abc", "copy",
    "inspect", "warnings", "itertools", "operator", "importlib", "threading", "types", "numbers", "__future__", "math",
)  # fmt: skip


def public(path: str) -> list[str]:
    """The public names of a module or class."""
    if path == "torch.Tensor":
        return sorted(n for n in dir(torch.Tensor) if not n.startswith("_"))
    module = importlib.import_module(path)
    listed = set(getattr(module, "__all__", ()))
    found = []
    for name in dir(module):
        if name.startswith("_") or name == "TYPE_CHECKING":
            continue
        thing = getattr(module, name, None)
        if isinstance(thing, types.ModuleType):
            continue
        if path != "torch" and thing is torch.Tensor:
            continue
        if path != "torch" and listed:
            if name in listed:
                found.append(name)
            continue
        home = getattr(thing, "__module__", None) or ""
        if name not in listed and (home.split(".")[0] in FOREIGN or name.startswith("BroadcastingList")):
            continue
        if path != "torch" and (not callable(thing) or _belongs_elsewhere(home, path)):
            continue
        found.append(name)
    return sorted(found)


def _belongs_elsewhere(home: str, path: str) -> bool:
    """Whether what has this home was only imported by the module at `path`."""
    root = path.split(".")[0]
    parent = path.rpartition(".")[0] or path
    return home.startswith(root) and not home.startswith((path, parent, "torch._C", "torch._"))


def is_function(name: str) -> bool:
    """Whether a name of the torch namespace is a function on tensors or a setting, rather than a type or a constant."""
    thing = getattr(torch, name)
    return callable(thing) and not inspect.isclass(thing)


def sections() -> dict[str, list[str]]:
    """The names by section: the torch namespace is split into functions and the rest."""
    found = {}
    for path in MODULES:
        names = public(path)
        if path == "torch":
            found["torch (functions)"] = [n for n in names if is_function(n)]
            found["torch (types and constants)"] = [n for n in names if not is_function(n)]
        else:
            found[path] = names
    return found


if __name__ == "__main__":
    lines = [f"# Public names of PyTorch {torch.__version__.split('+')[0]}, by docs/make_api.py"]
    for section, names in sections().items():
        lines.append(f"\n## {section}")
        row = ""
        for name in names:
            if len(row) + len(name) > 118:
                lines.append(row.rstrip())
                row = ""
            row += name + " "
        if row:
            lines.append(row.rstrip())
    target = Path(__file__).parents[1] / "functorch_lite" / "api_names.txt"
    target.write_text("\n".join(lines) + "\n")
    print(f"{sum(len(n) for n in sections().values())} names in {target}")
