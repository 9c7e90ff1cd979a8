"""Spellings of attention: which are fused, how far the results are from those without, and what it spares.

`python -m benchmarks.graphs.attention [--smoke]`
"""

from __future__ import annotations

import argparse
import inspect
import json
import math
import time
from pathlib import Path

import functorch_lite as torch
from functorch_lite._dynamo.utils import counters
from functorch_lite.nn import functional as F

SPELLINGS = Path(__file__).parents[2] / "tests" / "golden" / "attention_spellings.json"


def spelled(name: str, source: str, dtype, sizes: dict[str, int]):
    """A spelling as a function, and arguments for it."""
    scope = {"torch": torch, "F": F, "math": math, **sizes}
    exec(compile(source, f"<{name}>", "exec"), scope)
    f = scope[source.split("def ")[1].split("(")[0]]
    b, h, t, d = (sizes[k] for k in "BHTD")
    shape = (
        (b, t, h, d)
        if "length before heads" in name
        else (b * h, t, d)
        if name in ("3-D bmm", "baddbmm")
        else (b, h, t, d)
    )
    args = [torch.randn(shape).to(dtype) for _ in range(3)]
    for p in list(inspect.signature(f).parameters)[3:]:
        if p == "s":
            args.append(torch.tensor(2.5, dtype=dtype))
        elif "boolean" in name:
            args.append((torch.rand(b, 1, t, t) > 0.3) | torch.eye(t, dtype=torch.bool))
        else:
            args.append(torch.randn((1, h, t, t) if p == "bias" else (b, 1, t, t)).to(dtype))
    return f, args


def differences(f, g, args: list, training: bool) -> tuple[float, float, int]:
    """(largest difference of the results, of the gradients, how many attentions were fused)."""
    before = counters["inductor"]["fuse_attention"]
    found = []
    for h in (f, g):
        torch.manual_seed(0)
        leaves = [a.detach().requires_grad_(training) for a in args[:3]]
        out = h(*leaves, *args[3:])
        out = out[0] if isinstance(out, tuple) else out
        grads = torch.autograd.grad(out.float().square().mean(), leaves) if training else ()
        found.append([out.detach().float(), *[x.float() for x in grads]])
    gaps = [(a - b).abs().max().item() for a, b in zip(*found)]
    return gaps[0], max(gaps[1:], default=0.0), counters["inductor"]["fuse_attention"] - before


def seconds(f, args: list, rounds: int) -> list[float]:
    """Processor time of forward and backward, the least of some rounds, of f and of f fused, in turns."""
    both = [f, torch.compile(f, options={"pattern_matcher": True})]
    best = [math.inf, math.inf]
    for _ in range(rounds + 2):
        for k, g in enumerate(both):
            leaves = [a.detach().requires_grad_() for a in args]
            began = time.process_time()
            for x in torch.autograd.grad(g(*leaves).square().sum(), leaves):
                x.numpy()
            best[k] = min(best[k], time.process_time() - began)
    return best


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--smoke", action="store_true", help="a few spellings")
    smoke = parser.parse_args().smoke
    spellings = json.loads(SPELLINGS.read_text())["spellings"]
    names = list(spellings)[:: 8 if smoke else 1]
    print(
        f"{'spelling':40} {'may':>4}  "
        + "  ".join(f"{m + ' ' + d:>24}" for m in ("inference", "training") for d in ("float32", "bfloat16"))
    )
    right = 0
    for name in names:
        row = []
        may = not spellings[name]["must_not"]
        for training in (False, True):
            for dtype in (torch.float32, torch.bfloat16):
                f, args = spelled(name, spellings[name]["source"], dtype, {"B": 2, "H": 4, "T": 16, "D": 8})
                with torch.debug.tier("cold"):
                    out, grad, fused = differences(
                        f, torch.compile(f, options={"pattern_matcher": True}), args, training
                    )
                row.append(f"{'fused' if fused else '-':>6} {out:.0e} {grad:.0e}")
                right += bool(fused) is may
        print(f"{name:40} {'yes' if may else 'no':>4}  " + "  ".join(f"{x:>24}" for x in row), flush=True)
    print(f"{right} of {4 * len(names)} as they should be")
    t = 64 if smoke else 512
    f, args = spelled(
        "scaled scores",
        spellings["scaled scores"]["source"],
        torch.float32,
        {"B": 2, "H": 4, "T": t, "D": 64},
    )
    plain, fused = seconds(f, args, 1 if smoke else 10)
    print(f"forward and backward at T = {t}: {1e3 * plain:.1f} ms, fused {1e3 * fused:.1f} ms")


if __name__ == "__main__":
    main()
