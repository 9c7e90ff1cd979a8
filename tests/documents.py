"""Runs the code blocks of Markdown documents one after another in one namespace, with functorch_lite in place of PyTorch.

    python -m tests.documents some_document.md

The documents are PyTorch's and not part of this repository: FUNCTORCH_LITE_DOCUMENTS names the folder that holds them. Each is run in
a process of its own, where `import torch` gives this library. Nothing of a block is changed but what its list below says:
'cuda' is read as 'cpu' where there is no GPU; a benchmark's `timeit(500)` runs the statement twice.
"""

from __future__ import annotations

import json
import re
import sys
import traceback
from pathlib import Path
from types import ModuleType

BLOCK = re.compile(r"^## (\d+)\. (.*?)$(.*?)(?=^## \d+\. |\Z)", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)

RAISES: dict[tuple[str, int], str] = {
    ("func.ux_limitations", 2): "Dimension specified as 0 but tensor has no dimensions",
    ("func.ux_limitations", 4): "vmap: inplace arithmetic",
    ("func.ux_limitations", 8): "torch.cond",
    ("func.ux_limitations", 10): "torch.cond",
    ("func.ux_limitations", 11): "can output dynamic shape",
    ("functorch.ux_limitations", 2): "vmap: inplace arithmetic",
    ("functorch.ux_limitations", 4): "torch.cond",
    ("functorch.ux_limitations", 6): "torch.cond",
}
"""Blocks that raise, as with PyTorch, and a part of the message. One that raises there is no limitation here: writing to torch.zeros
under vmap. (Block 2 of that document is a line about a batch that the reader is to imagine.)"""

INCOMPLETE: dict[tuple[str, int], str] = {
    ("func.batch_norm", 0): "C and G are the reader's",
    ("func.batch_norm", 2): "not valid Python: a positional argument follows a keyword argument",
    ("cond", 2): "the branches that it compares with are not those of the module",
    ("cond", 3): "torch.export: what is recorded is compiled by itself",
    ("functorch_README", 6): "not Python, and of the C extension",
    ("functorch_README", 7): "not Python, and of the C extension",
    ("extending.func", 4): "ends in the middle of a function",
    ("extending.func", 5): "begins in the middle of a function",
}
"""Blocks that are not run, and why."""

FIRST: dict[str, str] = {
    "func.batch_norm": (
        "import torch; from torch import nn; from torch.nn import BatchNorm2d, GroupNorm; from torch.func import vmap\n"
        "net = nn.Sequential(nn.Conv2d(3, 4, 3), BatchNorm2d(4)); model = nn.Sequential(nn.Flatten(), nn.Linear(4, 4), nn.BatchNorm1d(4))\n"
        "x = torch.randn(3, 2, 4)\n"
    ),
    "functorch.batch_norm": "import torch; from torch import nn; from torch.nn import BatchNorm2d\nnet = nn.Sequential(BatchNorm2d(4))\n",
    "func.api": "import torch; from torch.func import jacrev\n",
    "functorch.functorch": "import torch; from functorch import jacrev\n",
    "func.ux_limitations": "from torch.func import vmap\n",
    "functorch.ux_limitations": "from functorch import vmap\n",
    "neural_tangent_kernels": "import torch; import torch.nn as nn; from torch.func import vmap, jacrev, vjp, jvp, functional_call\n",
}
"""What a document takes for granted: its imports, and the reader's model."""

LAST: dict[str, str] = {
    "cond": (
        "for n in (3, 5):\n"
        "    x = torch.rand(n)\n"
        "    assert torch.equal(dyn_shape_mod(x), x.cos() if n > 4 else x.sin())\n"
        "for x in (torch.ones(3), torch.ones(9)):\n"
        "    got = DataDependentCondPredicate()(x)\n"
        "    assert torch.allclose(got, x.cos() + x.sin() if x.sum() > 4 else x.sin())\n"
    ),
    "func.batch_norm": "assert net[1].running_mean is None\n",
    "neural_tangent_kernels": (
        "net = CNN(); net.fc = nn.Linear(32 * 4 * 4, 2)\n"
        "from functorch import make_functional\n"
        "fnet, params = make_functional(net)\n"
        "single = lambda params, x: fnet(params, x.unsqueeze(0)).squeeze(0)\n"
        "a, b = torch.randn(2, 3, 10, 10), torch.randn(3, 3, 10, 10)\n"
        "for compute in ('full', 'trace', 'diagonal'):\n"
        "    one = empirical_ntk_jacobian_contraction(single, params, a, b, compute)\n"
        "    two = empirical_ntk_ntk_vps(single, params, a, b, compute)\n"
        "    assert torch.allclose(one, two, rtol=1e-3, atol=1e-3), compute\n"
    ),
}
"""What is run at the end, so that functions that a document only defines are called."""

SLOW = (re.compile(r"timeit\(\d+\)"), "timeit(2)")


def name_of(path: Path) -> str:
    """A short name of a document: of "docs__source__func.api.rst.md" it is "func.api"; what is functorch's is called so."""
    name = path.name
    for tail in (".md", ".rst", ".ipynb"):
        name = name.removesuffix(tail)
    last = name.rsplit("__", 1)[-1]
    if name.startswith("functorch__docs"):
        return f"functorch.{last}"
    if name.startswith("functorch__README"):
        return "functorch_README"
    return f"notebook.{last}" if last == "whirlwind_tour" else last


def blocks(path: Path) -> list[tuple[int, str, str]]:
    """(number, title, code) of every code block under a numbered heading."""
    found = []
    for number, title, body in BLOCK.findall(path.read_text()):
        for code in CODE.findall(body):
            found.append((int(number), title.strip(), code))
    return found


def stand_in_for_torchvision() -> ModuleType:
    """torchvision.models.resnet18 as far as the documents go: a small convolutional net that takes `norm_layer`."""
    from torch import nn

    def resnet18(norm_layer=nn.BatchNorm2d):
        return nn.Sequential(nn.Conv2d(3, 8, 3), norm_layer(8), nn.ReLU(), nn.Conv2d(8, 8, 3), norm_layer(8))

    module = ModuleType("torchvision")
    module.models = ModuleType("torchvision.models")
    module.models.resnet18 = resnet18
    sys.modules |= {"torchvision": module, "torchvision.models": module.models}
    return module


def run(path: Path) -> list[dict]:
    """Runs a document; one entry for each block that did not do what it should."""
    import torch

    stand_in_for_torchvision()
    name, scope = name_of(path), {"__name__": "__main__"}
    on_gpu = torch.cuda.is_available()
    failures = []

    def execute(number: int, title: str, code: str) -> None:
        code = SLOW[0].sub(SLOW[1], code)
        if not on_gpu:
            code = code.replace("'cuda'", "'cpu'").replace('"cuda"', '"cpu"')
        expected = RAISES.get((name, number))
        try:
            exec(compile(code, f"<{name} {number}>", "exec"), scope)
        except Exception as error:
            if expected is None or expected not in str(error):
                failures.append({"block": number, "title": title, "error": traceback.format_exc()})
            return
        if expected is not None:
            failures.append(
                {"block": number, "title": title, "error": f"raised nothing, expected: {expected}"}
            )

    execute(-1, "what the document takes for granted", FIRST.get(name, ""))
    for number, title, code in blocks(path):
        if (name, number) not in INCOMPLETE:
            execute(number, title, code)
    execute(999, "what the document only defines", LAST.get(name, ""))
    return failures


if __name__ == "__main__":
    from functorch_lite.compat import install_as_torch

    install_as_torch()
    print("\n" + json.dumps(run(Path(sys.argv[1]))))
