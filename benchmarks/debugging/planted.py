"""Eight kinds of faults in three programs: each found at its level, its script run alone, and shrunk.
`python -m benchmarks.debugging.planted [KIND …]` prints the table.

For each: a process runs the program with a backend that has the fault; the launcher that it leaves runs in a second;
`repro.py`, taken to an empty folder without the inputs' numbers, in a third.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

KINDS = {
    "relu_compile_error": (2, "ReluCompileError"),
    "relu_runtime_error": (2, "RuntimeError: ReluRuntimeError"),
    "relu_accuracy_error": (4, "AccuracyError: Bad accuracy detected"),
    "no_grad_dropped": (4, "AccuracyError: Bad accuracy detected"),
    "relu_nan": (4, "AccuracyError: Bad accuracy detected"),
    "relu_half": (4, "AccuracyError: Bad accuracy detected"),
    "relu_abort": (3, ""),
    "relu_derivative": (4, "AccuracyError: Bad accuracy detected"),
}
"""The level that finds each kind, and how its error ends; a process that dies has none."""

PROGRAMS = ("mlp", "gpt", "cnn")
MOST_OPS, MOST_SECONDS = 3, 60


def mlp(torch: Any, backend: str) -> None:
    """A training step of a small MLP, part of which is under no_grad."""
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(8, 16), nn.Linear(16, 4)

        def forward(self, x):
            h = torch.relu(self.a(x))
            with torch.no_grad():
                scale = h.mean(-1, keepdim=True) + 1
            return torch.log_softmax(self.b(h * scale), -1)

    model = Model()
    optimizer = torch.optim.Adam(model.parameters())
    compiled = torch.compile(model, backend=backend)
    x, y = torch.randn(6, 8), torch.randint(4, (6,))
    optimizer.zero_grad()
    nn.functional.nll_loss(compiled(x), y).backward()
    optimizer.step()


def gpt(torch: Any, backend: str) -> None:
    """A block of a GPT: attention that is written out, and an MLP."""
    nn = torch.nn
    width, heads, length = 16, 2, 5

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.register_buffer("mask", torch.tril(torch.ones(length, length)).bool())

        def forward(self, x):
            batch = x.shape[0]
            q, k, v = self.qkv(self.norm(x)).view(batch, length, 3, heads, -1).permute(2, 0, 3, 1, 4)
            scores = (q @ k.transpose(-2, -1)) * q.shape[-1] ** -0.5
            scores = scores.masked_fill(~self.mask, float("-inf"))
            x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, width))
            h = torch.relu(self.up(self.norm2(x)))
            with torch.no_grad():
                scale = h.mean(-1, keepdim=True) + 1
            return x + self.down(h * scale)

    compiled = torch.compile(Block(), backend=backend)
    compiled(torch.randn(2, length, width)).square().sum().backward()


def cnn(torch: Any, backend: str) -> None:
    """Gradients of each sample of a CNN: vmap(grad(loss))."""
    nn = torch.nn
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 3))
    params = {k: v.detach() for k, v in model.named_parameters()}

    def loss(params, x, y):
        logits = torch.func.functional_call(model, params, (x[None],))
        with torch.no_grad():
            scale = logits.square().mean() + 1
        return nn.functional.cross_entropy(logits * scale, y[None])

    each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    torch.compile(each, backend=backend)(params, torch.randn(4, 1, 8, 8), torch.randint(3, (4,)))


def _program(name: str, kind: str) -> None:
    sys.path.insert(0, str(ROOT))
    import functorch_lite as torch

    torch.manual_seed(0)
    {"mlp": mlp, "gpt": gpt, "cnn": cnn}[name](torch, f"{kind}_TESTING_ONLY")


def _run(arguments: list[str], cwd: Path, **more: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**os.environ, **more},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def planted(name: str, kind: str, folder: Path) -> dict[str, Any]:
    """What came of one fault in one program: the times of finding, shrinking and reproducing it, and what is wrong, if
    anything."""
    level, error = KINDS[kind]
    wrong = []
    settings = {
        "TORCHDYNAMO_REPRO_AFTER": "dynamo",
        "TORCHDYNAMO_REPRO_LEVEL": str(level),
        "TORCHDYNAMO_DEBUG_DIR": str(folder),
    }
    began = time.perf_counter()
    found = _run([__file__, "--program", name, kind], folder, **settings)
    times = [time.perf_counter() - began]
    if found.returncode == 0 or (error and error not in found.stderr):
        wrong.append(f"it ended with {found.returncode}: {found.stderr[-300:]}")
    launcher = folder / "minifier" / "minifier_launcher.py"
    here, alone = folder / "here", folder / "alone"
    here.mkdir()
    alone.mkdir()
    ops, queries = -1, -1
    if not launcher.exists():
        wrong.append("no launcher")
    else:
        began = time.perf_counter()
        shrunk = _run([str(launcher)], here)
        times.append(time.perf_counter() - began)
        if shrunk.returncode:
            wrong.append(f"the minifier ended with {shrunk.returncode}: {shrunk.stderr[-600:]}")
        else:
            queries = int(re.search(r"\((\d+) queries", shrunk.stdout)[1])  # type: ignore[index]
    if (here / "repro.py").exists():
        text = (here / "repro.py").read_text()
        ops = count(text)
        shutil.copy(here / "repro.py", alone / "repro.py")
        shutil.rmtree(here)  # random numbers stand for the inputs
        began = time.perf_counter()
        again = _run(["repro.py"], alone, PYTHONPATH="")
        times.append(time.perf_counter() - began)
        if again.returncode == 0 or (error and error not in again.stderr):
            wrong.append(f"repro.py ended with {again.returncode}: {again.stderr[-300:]}")
        if ops > MOST_OPS:
            wrong.append(f"{ops} ops are left")
    else:
        wrong.append("no repro.py")
    if sum(times) > MOST_SECONDS:
        wrong.append(f"{sum(times):.0f} s")
    return {"program": name, "kind": kind, "level": level, "ops": ops, "queries": queries, "seconds": sum(times), "wrong": "; ".join(wrong)}  # fmt: skip


def count(script: str) -> int:
    """The ops of a script, those of functions inside too."""
    lines = re.findall(r"^ +\w+ = (.*)$", script, re.M)
    return sum(
        not re.fullmatch(r"\w+\[\d+\]", x) and "set_grad_enabled" not in x and "reader." not in x
        for x in lines
    )


def main(arguments: list[str]) -> int:
    """Prints the table; how many are wrong. arguments: of which kinds or programs, if not all."""
    if arguments[:1] == ["--program"]:
        _program(*arguments[1:])
        return 0
    print("| program | fault | level | ops left | queries | seconds | |\n|---|---|---|---|---|---|---|")
    failures = 0
    for name in PROGRAMS:
        for kind in KINDS:
            if arguments and not {name, kind} & set(arguments):
                continue
            with tempfile.TemporaryDirectory() as folder:
                row = planted(name, kind, Path(folder))
            failures += bool(row["wrong"])
            cells = [row[k] for k in ("program", "kind", "level", "ops", "queries")]
            print(
                "|",
                *[f"{c} |" for c in cells],
                f"{row['seconds']:.1f} | {row['wrong'] or 'found'} |",
                flush=True,
            )
    return failures


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
