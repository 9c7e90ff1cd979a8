"""`python -m benchmarks [names] [--smoke]`: prints times, ratios and compile counts. Needs PyTorch as a peer."""

from __future__ import annotations

import argparse
import os
import sys

# One thread computes, for each peer: NPROC is what XLA takes for the number of cores (no flag of its own binds all its kernels).
os.environ["NPROC"] = os.environ["OMP_NUM_THREADS"] = "1"
if "--one-core" in sys.argv:  # before jax and torch count cores
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

from . import loops, networks, notebooks, recording, steady, training, transforms

_SUITES = {
    "training": training,
    "transforms": transforms,
    "notebooks": notebooks,
    "networks": networks,
    "recording": recording,
    "loops": loops,
    "steady": steady,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"which of {', '.join(_SUITES)} (default: all)")
    parser.add_argument("--smoke", action="store_true", help="a few steps of each, to see that they run")
    parser.add_argument(
        "--one-core",
        action="store_true",
        help="keep the whole process on one core: Python no longer runs beside XLA (Linux only)",
    )
    options = parser.parse_args()
    for name in options.names:
        if name not in _SUITES:
            parser.error(f"no benchmark is called {name!r}; there are: {', '.join(_SUITES)}")
    import torch

    torch.set_num_threads(1)
    for name in options.names or _SUITES:
        for result in _SUITES[name].run(options.smoke) or ():
            print(result, flush=True)


if __name__ == "__main__":
    main()
