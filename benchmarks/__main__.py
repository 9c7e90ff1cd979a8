"""`python -m benchmarks [names] [--smoke]`: prints times, ratios and compile counts. Needs PyTorch as a peer."""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
if hasattr(
    os, "sched_setaffinity"
):  # XLA's own threads heed no flag: one thread means one core, for all peers
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_cpu_multi_thread_eigen=false"

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
