"""Compares the code blocks of PyTorch's documents under PyTorch and under this library.

    python -m tests.snippets FOLDER_OR_FILES... [-v] [--area NAME]

Each document is run twice, each time in a process of its own: once with PyTorch and once with this library installed as
`torch`. The blocks run in order in one namespace, and the random generator is seeded before each block. A block agrees
if both runs print the same text, bind the same values (shape, dtype, requires_grad and numbers of tensors), and raise
the same type of error or none. A block that raises in both runs, such as one that uses a name of the reader's, agrees
and is counted as "raise in both".

The last statement of a block, and each expression statement at its top level, is shown as in an interactive session.
`-v` prints how each other block differs; `--json FILE` writes the outcome of every block.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
import warnings
from pathlib import Path
from types import ModuleType

from tests.document_facts import FIRST
from tests.documents import SLOW, name_of, stand_in_for_torchvision

HEADING = re.compile(r"^## (\d+)\. (.*?)$(.*?)(?=^## \d+\. |\Z)", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL | re.IGNORECASE)
PRINTED_LINE = re.compile(r"^(\[torch|tensor\(| \d+$)")
VOLATILE = (
    (re.compile(r" at 0x[0-9a-f]+"), " at 0x"),
    (re.compile(r"functorch_lite\.(compat\.)?"), "torch."),
    (
        re.compile(r"(?m)^.*Measurement object at 0x>(\n.*?)?(\n +\S.*(us|ms|s|ns)\n.*thread)?$"),
        "a measurement",
    ),
    (re.compile(r"Performance delta: \S+ percent"), "Performance delta"),
)
NUMBER = re.compile(r"-?\d+\.\d*(?:e[-+]?\d+)?")

AREAS = {
    "data": ("data", "dataframes_pipes", "datapipes_README", "standard_pipes", "typing"),
    "quantization": ("quantization", "torch.ao.ns._numeric_suite_fx", "backend_config_README"),
    "distributed": ("customization", "events", "multiprocessing"),
    "dtensor": ("distributed.tensor", "tensor_README"),
    "nested": ("nested",),
    "func": (
        "func.api", "func.batch_norm", "func.migrating", "func.ux_limitations", "func.whirlwind_tour", "extending.func",
        "functorch_README", "functorch.batch_norm", "functorch.functorch", "functorch.ux_limitations", "ensembling",
        "jacobians_hessians", "neural_tangent_kernels", "per_sample_grads", "notebook.whirlwind_tour",
    ),
    "compile": ("cond", "torch.compiler_fake_tensor", "torch.compiler_faq", "COMPILE_README", "minifier", "_numpy_README"),
}  # fmt: skip
"""Areas, and the documents of each; a document of none is counted under its own name."""

READ_AS = {("dataframes_pipes", "0"): ("reload(torch)", "")}
"""Parts of blocks that PyTorch cannot run twice in a process, and what they are read as."""

FACTS = {
    "datapipes_README": "import csv, os; from torch.utils.data import IterDataPipe, functional_datapipe\nos.makedirs('path/2/csv/folder', exist_ok=True); open('path/2/csv/folder/a.csv', 'w').write('1 2\\n3 4\\n')\n",
    "data": "import torch; from torch.utils.data import *\ndataset = TensorDataset(torch.arange(6.0)); sampler, batch_sampler, collate_fn = range(6), [[0, 1], [2]], list\n",
    "benchmark_README": "from torch.utils.benchmark import *\n",
    "masked": "import torch; from torch.masked import masked_tensor\n",
    "events": "import torch\n",
    "multiprocessing": "import torch\n",
    "minifier": "import torch\n",
    "nested": "import torch\n",
}
"""What documents take for granted beside `import torch` (also those of document_facts.FIRST)."""


def short_name(path: Path) -> str:
    """A name of a document that no other has."""
    if path.name.endswith("README.md.md") and not path.name.startswith("functorch__README"):
        parts = path.name.removesuffix(".md.md").split("__")
        return f"{parts[-2]}_README" if parts[-1] == "README" and parts[-2] else parts[-1].lstrip("_")
    return name_of(path)


def blocks(path: Path) -> list[tuple[str, str]]:
    """(name, code) of every code block of a document."""
    found = []
    for number, _title, body in HEADING.findall(path.read_text()):
        for at, code in enumerate(FENCE.findall(body)):
            found.append((f"{number}{'abcdefghijklmnopqrstuvwxyz'[at] if at else ''}", code))
    return found


def code_only(code: str) -> str:
    """A block without the lines of output that a document shows between its lines."""
    return "".join(line for line in code.splitlines(True) if not PRINTED_LINE.match(line))


def described(value: object, depth: int = 0) -> object:
    """A value as JSON can hold it: of a tensor shape, dtype, requires_grad and numbers; of others what they print."""
    import torch

    try:
        if type(value).__name__ == "MaskedTensor":
            return str(value)
        if isinstance(value, torch.Tensor):
            numbers = None
            if (
                not value.is_nested
                and value.layout == torch.strided
                and value.numel() <= 200
                and value.device.type != "meta"
            ):
                numbers = str(value.detach().to_dense().tolist())
            shape = None if value.is_nested else tuple(map(int, value.shape))
            kind = "Parameter" if isinstance(value, torch.nn.Parameter) else "Tensor"
            return [kind, str(value.dtype), str(shape), value.requires_grad, numbers]
        if isinstance(value, int | float | str | bool | type(None)):
            return str(value)
        if isinstance(value, list | tuple) and depth < 3:
            return [type(value).__name__, *(described(v, depth + 1) for v in value[:20])]
        if isinstance(value, dict) and depth < 3:
            return {str(k): described(v, depth + 1) for k, v in list(value.items())[:20]}
        if isinstance(value, type | ModuleType):
            return "class" if isinstance(value, type) else "module"
        if callable(value) and type(value).__name__ in ("function", "builtin_function_or_method", "partial"):
            return "function"
        if type(value).__name__.startswith("_"):
            return "object"
        return type(value).__name__
    except Exception as error:
        return type(error).__name__


def steady(text: str) -> str:
    """Text without addresses, and with this library's name as PyTorch's."""
    for pattern, instead in VOLATILE:
        text = pattern.sub(instead, text)
    return text


def run(path: Path) -> dict[str, dict]:
    """What each block of a document prints, binds and raises."""
    import torch

    stand_in_for_torchvision()
    name, found = short_name(path), {}
    scope: dict = {"__name__": "__main__"}
    exec("import torch", scope)
    torch.manual_seed(0)
    exec(FACTS.get(name, "") + FIRST.get(name, ""), scope)
    for number, code in blocks(path):
        code = SLOW[0].sub(SLOW[1], code_only(code)).replace(*READ_AS.get((name, number), ("", "")))
        if not torch.cuda.is_available():
            code = code.replace("device='cuda:0', ", "").replace("'cuda'", "'cpu'").replace('"cuda"', '"cpu"')
        torch.manual_seed(0)
        before, error, file = dict(scope), None, f"<{name} {number}>"
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
            try:
                for statement in ast.parse(code).body:
                    shown = isinstance(statement, ast.Expr)
                    tree = ast.Interactive([statement]) if shown else ast.Module([statement], [])
                    exec(compile(tree, file, "single" if shown else "exec"), scope)
            except Exception as raised:
                error = [type(raised).__name__, steady(str(raised)), traceback.format_exc()]
        bound = {k: described(v) for k, v in scope.items() if k not in before or before[k] is not v}
        bound = {k: v for k, v in bound.items() if not k.startswith("_")}
        found[number] = {"printed": steady(out.getvalue()), "bound": bound, "error": error}
    return found


def same_text(ours: str, theirs: str) -> bool:
    """Whether two texts are equal, apart from white space and the last digits of fractions."""
    if re.sub(r"\s", "", NUMBER.sub("#", ours)) != re.sub(r"\s", "", NUMBER.sub("#", theirs)):
        return False
    pairs = zip(map(float, NUMBER.findall(ours)), map(float, NUMBER.findall(theirs)), strict=True)
    return all(abs(a - b) <= 2e-4 + 2e-3 * abs(b) for a, b in pairs)


def difference(ours: dict, theirs: dict) -> str | None:
    """How the two outcomes of a block differ; None if they agree."""
    mine, other = ours["error"], theirs["error"]
    if (mine and mine[0]) != (other and other[0]):
        lesser = {"NotHere": "AttributeError"}
        if not (mine and other and lesser.get(mine[0], mine[0]) == other[0]):
            return f"raises {mine and mine[2]}\nPyTorch raises {other and other[:2]}"
    if not same_text(ours["printed"], theirs["printed"]):
        return f"prints\n{ours['printed']}\nPyTorch prints\n{theirs['printed']}"
    for key in sorted({*ours["bound"], *theirs["bound"]}):
        a, b = ours["bound"].get(key, "nothing"), theirs["bound"].get(key, "nothing")
        if not same_text(json.dumps(a), json.dumps(b)):
            return f"binds {key} = {a}\nPyTorch binds {b}"
    return None


def outcome(path: Path, *options: str) -> dict[str, dict]:
    """What became of a document in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        done = subprocess.run(
            [sys.executable, "-m", "tests.snippets", str(path.resolve()), "--report", str(report), *options],
            capture_output=True, text=True, timeout=900, check=False,
        )  # fmt: skip
        if not report.exists():
            raise RuntimeError(f"{path.name}: {done.stderr[-3000:]}")
        return json.loads(report.read_text())


def compared(path: Path) -> dict[str, str | None]:
    """How each block of a document differs: None, a difference, or "raise in both"."""
    ours, theirs = outcome(path), outcome(path, "--torch")
    found = {}
    for number in theirs:
        found[number] = difference(ours[number], theirs[number])
        if found[number] is None and theirs[number]["error"]:
            found[number] = "raise in both: " + ": ".join(theirs[number]["error"][:2])[:200]
    return found


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.snippets", description=__doc__.split("\n")[0])
    parser.add_argument("documents", nargs="+", type=Path)
    parser.add_argument("-v", action="store_true", help="print how blocks differ")
    parser.add_argument("--area", help="only the documents of an area")
    parser.add_argument("--json", type=Path, help="file for the outcome of every block")
    parser.add_argument("--report", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--torch", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.report:
        warnings.simplefilter("ignore")
        if not asked.torch:
            import functorch_lite
            from functorch_lite.compat import install_as_torch

            install_as_torch()
            functorch_lite.random.set_default_engine("mt19937")
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            asked.report.write_text(json.dumps(run(asked.documents[0]), default=str))
        return
    area_of = {document: area for area, documents in AREAS.items() for document in documents}
    paths = [
        p for given in asked.documents for p in (sorted(given.glob("*.md")) if given.is_dir() else [given])
    ]
    counts: dict[str, list[int]] = {}
    every = {}
    for path in paths:
        name = short_name(path)
        area = area_of.get(name, name)
        if asked.area not in (None, area):
            continue
        every[name] = found = compared(path)
        count = counts.setdefault(area, [0, 0, 0])
        for number, how in found.items():
            count[1] += 1
            if how is None or how.startswith("raise in both"):
                count[0] += 1
                count[2] += how is not None
            elif asked.v:
                print(f"--- {name} {number}: {how}")
            if asked.v and how is not None and how.startswith("raise in both"):
                print(f"--- {name} {number}: {how}")
    total = [sum(c[i] for c in counts.values()) for i in range(3)]
    for area, (good, of, raised) in [*counts.items(), ("all", total)]:
        print(f"{area}: {good} of {of} agree ({raised} raise in both)")
    if asked.json:
        asked.json.write_text(json.dumps(every, indent=1))


if __name__ == "__main__":
    main()
