"""What recording a step costs the host on a mesh of two virtual devices, as a multiple of one device's.

    python benchmarks/distributed/host_on_mesh.py --layers 20

Processor time of the calling thread in Adam's steps of a net of small layers: its gradients cleared, forward, backward,
and the optimizer's step, without the run of the program; then with it. Medians of alternating steps.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from time import thread_time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["FUNCTORCH_LITE_TIER"] = "compiled"  # NumPy runs nothing on a mesh
if "host_platform_device_count" not in os.environ.get("XLA_FLAGS", ""):  # JAX reads it when it starts
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=2"
sys.path.insert(0, str(Path(__file__).parents[2]))

import functorch_lite as torch
import functorch_lite.nn.functional as F
from functorch_lite import nn
from functorch_lite._core.api import flush
from functorch_lite.distributed.device_mesh import init_device_mesh
from functorch_lite.distributed.tensor import Shard, distribute_module, distribute_tensor


def step(layers: int, several: bool) -> Callable[[], tuple[float, float]]:
    """A step of the net: its seconds of recording, and those with its run."""
    torch.manual_seed(0)
    model = nn.Sequential(*[m for _ in range(layers) for m in (nn.Linear(16, 16), nn.ReLU())])
    x, y = torch.randn(16, 16), torch.arange(16) % 16
    if several:
        mesh = init_device_mesh("cpu", (2,))
        distribute_module(model, mesh)
        x, y = (distribute_tensor(t, mesh, [Shard(0)]) for t in (x, y))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def one() -> tuple[float, float]:
        began = thread_time()
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
        recorded = thread_time()
        flush()
        return recorded - began, thread_time() - began

    return one


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--layers", type=int, default=20)
    parser.add_argument("--steps", type=int, default=200)
    options = parser.parse_args()
    steps = [step(options.layers, several) for several in (False, True)]
    for _ in range(40):
        for one in steps:
            one()
    programs = torch.debug.stats()["programs"]
    times = [[one() for one in steps] for _ in range(options.steps)]
    for at, what in enumerate(("recorded", "recorded and run")):
        alone, mesh = (statistics.median([pair[k][at] for pair in times]) for k in (0, 1))
        print(f"{what}: one device {alone * 1e6:.0f} µs, two {mesh * 1e6:.0f} µs: {mesh / alone:.2f}")
    print(f"programs compiled meanwhile: {torch.debug.stats()['programs'] - programs}")


if __name__ == "__main__":
    main()
