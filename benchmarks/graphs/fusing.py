"""What fusing attention in marked functions costs and spares: beside compiling, in steps that train, and in import.

`python -m benchmarks.graphs.fusing [--smoke]`
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

import functorch_lite as torch
from functorch_lite import debug
from functorch_lite.nn import functional as F


class Block(torch.nn.Module):
    """A block of a transformer whose attention is written out."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.one, self.two = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.mlp = torch.nn.Sequential(
            torch.nn.Linear(width, 4 * width), torch.nn.GELU(), torch.nn.Linear(4 * width, width)
        )

    def forward(self, x):
        """x: (batch, length, width)"""
        b, t, c = x.shape
        q, k, v = self.qkv(self.one(x)).split(c, 2)
        q, k, v = (y.view(b, t, self.heads, c // self.heads).transpose(1, 2) for y in (q, k, v))
        w = F.softmax(q @ k.transpose(-2, -1) * (c // self.heads) ** -0.5, -1)
        x = x + self.out((w @ v).transpose(1, 2).reshape(b, t, c))
        return x + self.mlp(self.two(x))


def steps(layers: int, width: int, length: int, fuses: bool):
    """A step that trains, marked; the processor seconds of its passes, of compiling, and the steps that were
    recorded."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(*[Block(width, 4) for _ in range(layers)])
    with torch._inductor.config.patch(pattern_matcher=fuses):
        called = torch.compile(model)
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
        x = torch.randn(4, length, width)

        def step() -> None:
            optimizer.zero_grad()
            loss = called(x).square().mean()
            loss.backward()
            optimizer.step()
            loss.item()

        with debug.explain() as report, debug.tier("compiled"):
            for _ in range(6):
                step()
    return step, report


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--smoke", action="store_true", help="small sizes")
    smoke = parser.parse_args().smoke
    layers, width, length, rounds = (1, 32, 32, 3) if smoke else (4, 128, 128, 15)
    made = {}
    for fuses in (False, True):
        made[fuses] = steps(layers, width, length, fuses)
        report = made[fuses][1]
        compiled = [p for p in report.programs if p.compiled]
        compiling = sum(p.compile_seconds for p in compiled)
        print(
            f"fused {fuses!s:5}: {len(compiled)} programs, {compiling:.2f} s compiling; "
            + "; ".join(map(str, report.passes))
        )
    with debug.explain() as report:
        times: dict[bool, list[float]] = {False: [], True: []}
        for _ in range(rounds):
            for fuses, (step, _) in made.items():
                began = time.perf_counter()
                step()
                times[fuses].append(time.perf_counter() - began)
    plain, fused = (1e3 * statistics.median(times[f]) for f in (False, True))
    print(
        f"a step: {plain:.1f} ms, fused {fused:.1f} ms ({fused / plain:.2f} ×); compiled meanwhile: {sum(p.compiled for p in report.programs)}"
    )
    code = "import time; t = time.process_time(); import functorch_lite; print(time.process_time() - t)"
    seconds = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        for _ in range(rounds)
    ]
    print(f"import: {1e3 * min(seconds):.0f} ms of processor time")


if __name__ == "__main__":
    main()
