"""Spellings that PyTorch's compiler replaces, or might, beside what would be put in their place: whether that would
gain time beside XLA's own fusion.

`python -m benchmarks.graphs.spellings [--smoke]`
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import functorch_lite as torch
from functorch_lite.nn import functional as F


def layer_norm(x, w, b):
    """Written out."""
    mean = x.mean(-1, keepdim=True)
    return (x - mean) / torch.sqrt((x - mean).square().mean(-1, keepdim=True) + 1e-5) * w + b


def pairs(rows: int, width: int) -> dict[str, tuple[Callable, Callable]]:
    """By name, a spelling and its replacement, as functions of (x, w, b)."""
    at, weight = torch.randint(width, (rows, 1)), torch.randn(width, width)
    return {
        "LayerNorm": (layer_norm, lambda x, w, b: F.layer_norm(x, (width,), w, b)),
        "RMSNorm": (
            lambda x, w, b: x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * w,
            lambda x, w, b: F.rms_norm(x, (width,), w, 1e-5),
        ),
        "softmax, scaled after the maximum": (
            lambda x, w, b: torch.softmax(x * 0.3, -1),
            lambda x, w, b: torch.softmax((x - x.detach().amax(-1, keepdim=True)) * 0.3, -1),
        ),
        "one-hot scatter": (
            lambda x, w, b: torch.zeros(rows, width).scatter(1, at, 1.0) * x,
            lambda x, w, b: (torch.arange(width) == at).float() * x,
        ),
        "product of a batch of 1": (
            lambda x, w, b: torch.bmm(x[None], weight[None])[0],
            lambda x, w, b: x @ weight,
        ),
        "cross entropy": (
            lambda x, w, b: -torch.log_softmax(x, -1).gather(1, at).mean(),
            lambda x, w, b: F.cross_entropy(x, at[:, 0]),
        ),
    }


def main() -> None:
    """Prints the times of forward and backward."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--smoke", action="store_true", help="small sizes")
    smoke = parser.parse_args().smoke
    rows, width, rounds = (16, 32, 3) if smoke else (1024, 512, 14)
    torch.manual_seed(0)
    x, w, b = torch.randn(rows, width, requires_grad=True), torch.randn(width), torch.randn(width)
    for name, functions in pairs(rows, width).items():
        best = [float("inf")] * 2
        for r in range(rounds):
            for k, f in enumerate(functions):
                began = time.process_time()
                (gradient,) = torch.autograd.grad(f(x, w, b).square().sum(), x)
                gradient.numpy()
                if r >= rounds // 3:
                    best[k] = min(best[k], time.process_time() - began)
        print(
            f"{name:34} {1e3 * best[0]:7.2f} ms, replaced {1e3 * best[1]:7.2f} ms ({best[1] / best[0]:.2f} ×)",
            flush=True,
        )


if __name__ == "__main__":
    main()
