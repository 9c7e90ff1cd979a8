"""`python -m benchmarks [names] [--smoke]`: prints times, ratios and compile counts. Needs PyTorch as a peer."""

from __future__ import annotations

import argparse
import os
import sys


def _threads(arguments: list[str]) -> int:
    """The number after --threads, else that of the cores: as many threads compute for each peer."""
    if "--threads" in arguments[:-1]:
        return int(arguments[arguments.index("--threads") + 1])
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# Before jax and torch count cores: NPROC is what XLA takes for their number (no flag of its own binds all its kernels).
os.environ["NPROC"] = os.environ["OMP_NUM_THREADS"] = str(_threads(sys.argv))

from . import loops, networks, notebooks, recording, steady, training, transforms  # noqa: E402

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
        "--threads", type=int, help="how many threads compute, for each peer (default: all cores)"
    )
    options = parser.parse_args()
    for name in options.names:
        if name not in _SUITES:
            parser.error(f"no benchmark is called {name!r}; there are: {', '.join(_SUITES)}")
    import torch

    torch.set_num_threads(int(os.environ["NPROC"]))
    print(f"{os.environ['NPROC']} threads compute for each peer")
    for name in options.names or _SUITES:
        for result in _SUITES[name].run(options.smoke) or ():
            print(result, flush=True)


if __name__ == "__main__":
    main()
