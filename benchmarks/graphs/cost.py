"""What the passes cost those who ask for them and those who do not: `python -m benchmarks.graphs.cost [--smoke]
[--before PYTHON]`.

With all passes on, the seconds of a marked training step's passes beside those of compiling it, and what is compiled
after warm-up. `--before` names the interpreter of an environment where another version is installed: importing the
library and loops that nothing is wrapped around, there and here, in turns.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile

IMPORT = "import time; t = time.process_time(); import functorch_lite; print(1e3 * (time.process_time() - t))"

LOOPS = """
import json, sys, time
import functorch_lite as torch
from functorch_lite import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attends = nn.MultiheadAttention(32, 4, batch_first=True)
        self.one, self.two = nn.LayerNorm(32), nn.LayerNorm(32)
        self.mlp = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32))

    def forward(self, x):
        x = self.one(x + self.attends(x, x, x, need_weights=False)[0])
        return self.two(x + self.mlp(x))

def training(net, x):
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    def step():
        optimizer.zero_grad()
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
    return step

def gradients():
    weights, x = torch.randn(8, 4), torch.randn(16, 8)
    called = torch.func.vmap(torch.func.grad(lambda w, row: (row @ w).tanh().sum()), (None, 0))
    return lambda: called(weights, x)

def chain():
    a, b = torch.randn(8, 8), torch.randn(8, 8)
    def step():
        x = a
        for _ in range(20):
            x = (x * b + a).tanh()
    return step

torch.manual_seed(0)
loops = {
    "60 ops": chain(),
    "MLP": training(nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1)), torch.randn(4, 16)),
    "20 layers": training(nn.Sequential(*[nn.Linear(16, 16) for _ in range(20)]), torch.randn(4, 16)),
    "transformer block": training(Block(), torch.randn(2, 8, 32)),
    "vmap(grad)": gradients(),
}
STEPS, ROUNDS = map(int, sys.argv[1:])
found = {}
for name, step in loops.items():
    for _ in range(3 * STEPS):
        step()
    torch.synchronize()
    found[name] = []
for _ in range(ROUNDS):
    for name, step in loops.items():
        began = time.thread_time()
        for _ in range(STEPS):
            step()
        torch.synchronize()
        found[name].append(1e6 * (time.thread_time() - began) / STEPS)
print(json.dumps({name: min(times) for name, times in found.items()}))
"""


def passes(smoke: bool) -> None:
    """A transformer's training step with every pass on, attention fused and half of the activations kept."""
    os.environ["FUNCTORCH_LITE_CACHE"] = "0"  # a program from disk is not compiled
    import functorch_lite as torch
    from functorch_lite import debug

    from .fusing import Block

    torch.manual_seed(0)
    width, length = (32, 32) if smoke else (128, 128)
    model = torch.nn.Sequential(*[Block(width, 4) for _ in range(1 if smoke else 4)])
    options = {"pattern_matcher": True, "joint_graph_constant_folding": True}
    with torch._functorch.config.patch(activation_memory_budget=0.5), debug.tier("compiled"):
        called = torch.compile(model, options=options)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        x = torch.randn(4, length, width)

        def steps(count: int):
            with debug.explain() as report:
                for k in range(count):
                    for group in optimizer.param_groups:
                        group["lr"] = 1e-3 / (k + 1)
                    optimizer.zero_grad()
                    loss = called(x).square().mean()
                    loss.backward()
                    optimizer.step()
                    loss.item()
            return report

        report, later = steps(8), steps(20)
    compiled = [p for p in report.programs if p.compiled]
    compiling = sum(p.compile_seconds for p in compiled)
    ran = sum(p.seconds for p in report.passes)
    most = max(p.steps_before for p in report.passes if p.stage != "partition")
    print(
        f"passes on {most} steps: {1e3 * ran:.0f} ms; compiling {len(compiled)} programs: {1e3 * compiling:.0f} ms; {ran / compiling:.1%}"
    )
    for p in report.passes:
        print("   ", p)
    print(f"compiled in 20 later steps: {sum(p.compiled for p in later.programs)}")


def beside(before: str, smoke: bool) -> None:
    """Import and loops of another version and of this one, in processes of their own, in turns: the least of all."""
    turns, steps, rounds = (1, 5, 2) if smoke else (7, 50, 15)
    both = (before, sys.executable)
    imports: dict[str, list[float]] = {python: [] for python in both}
    loops: dict[str, list[dict[str, float]]] = {python: [] for python in both}
    for turn in range(turns):
        for python in both if turn % 2 else both[::-1]:
            imports[python] += [float(_run(python, IMPORT)) for _ in range(3)]
            loops[python].append(json.loads(_run(python, LOOPS, str(steps), str(rounds))))
    old, new = (min(imports[python]) for python in both)
    print(f"import: {old:.0f} ms before, {new:.0f} ms now ({new - old:+.0f} ms of processor time)")
    for name in loops[before][0]:
        old, new = (min(found[name] for found in loops[python]) for python in both)
        print(f"{name:18} {old:7.1f} us before, {new:7.1f} us now ({new / old:.3f} x of processor time)")


def _run(python: str, code: str, *arguments: str) -> str:
    command = [python, "-c", code, *arguments]
    return subprocess.run(
        command, cwd=tempfile.gettempdir(), capture_output=True, text=True, check=True
    ).stdout


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small sizes")
    parser.add_argument("--before", metavar="PYTHON", help="an interpreter that has another version")
    arguments = parser.parse_args()
    passes(arguments.smoke)
    if arguments.before:
        beside(arguments.before, arguments.smoke)


if __name__ == "__main__":
    main()
