"""Records the names of PyTorch's modules: `python -m tests.golden.make_names` (needs torch) writes
tests/golden/names.json.

For every public module of PyTorch that there is here, what `import *` binds and what `dir()` lists besides, by kind.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import warnings
from pathlib import Path
from types import ModuleType

import torch

from functorch_lite.compat.namespace import ROOTS, find_source
from tests.names import by_kind, star

GOLDEN = Path(__file__).parent / "names.json"
IN_PART = (
    "torch.ao", "torch.backends.mkl", "torch.jit.annotations", "torch.backends.mkldnn", "torch.backends.openmp", "torch.backends.quantized", "torch.compiler.config", "torch.cuda.nvtx", "torch.distributed.",
    "torch.fx.experimental.proxy_tensor", "torch.fx.experimental.symbolic_shapes", "torch.hub", "torch.library", "torch.mps", "torch.multiprocessing", "torch.nn.parallel.distributed",
    "torch.nn.parallel.scatter_gather", "torch.onnx", "torch.return_types", "torch.utils.data.datapipes", "torch.utils.deterministic", "torch.utils.flop_counter", "torch.utils.cpp_extension", "torch.utils.model_zoo",
    "torch.utils.tensorboard", "torch.utils.weak", "torch.xpu",
)  # fmt: skip
"""Modules that have, for packages that import them, some of PyTorch's names: how these names begin."""


def there() -> list[str]:
    """The public modules of PyTorch that have a counterpart here."""
    found, todo = [], list(ROOTS)
    while todo:
        name = todo.pop()
        found.append(name)
        importlib.import_module(find_source(name) or "")  # some of ours make the modules inside of them
        inside = getattr(importlib.import_module(name), "__path__", ())
        todo += [
            f"{name}.{m.name}"
            for m in pkgutil.iter_modules(inside)
            if not m.name.startswith("_")
            and not f"{name}.{m.name}".startswith(IN_PART)
            and find_source(f"{name}.{m.name}")
        ]
    return sorted(found)


def facts(module: ModuleType) -> dict[str, dict[str, str]]:
    """Names by kind: what `import *` binds, and the other public ones."""
    bound = star(module.__name__)
    rest = {n: getattr(module, n) for n in dir(module) if not n.startswith("_") and n not in bound}
    return {"star": by_kind(bound), "rest": by_kind(rest)}


def main() -> None:
    """Writes tests/golden/names.json."""
    warnings.simplefilter("ignore")
    modules = [importlib.import_module(name) for name in there()]  # all of them first: they are names too
    head = json.dumps({"torch": torch.__version__, "made_by": "python -m tests.golden.make_names"})[:-1]
    lines = [f"{json.dumps(m.__name__)}: {json.dumps(facts(m))}" for m in modules]
    GOLDEN.write_text(f'{head}, "modules": {{\n' + ",\n".join(lines) + "\n}}\n")
    print(f"{len(lines)} modules, {GOLDEN.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
