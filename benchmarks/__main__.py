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
if "cuda" in sys.argv[1:]:
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"  # PyTorch needs memory too
else:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")

from . import (  # noqa: E402
    atlas,
    cold,
    dims,
    higher,
    higher_libraries,
    higher_training,
    host,
    loops,
    networks,
    notebooks,
    peers,
    recording,
    steady,
    training,
    transforms,
    whole_runs,
)

_SUITES = {
    "training": training,
    "transforms": transforms,
    "notebooks": notebooks,
    "networks": networks,
    "host": host,
    "recording": recording,
    "loops": loops,
    "steady": steady,
    "cold": cold,
    "atlas": atlas,
    "higher": higher,
    "higher_libraries": higher_libraries,
    "higher_training": higher_training,
    "dims": dims,
    "whole_runs": whole_runs,
    "peers": peers,
}


def use_gpu(torch, tf32: bool) -> None:
    """Makes the GPU every peer's device, and gives float32 products the same precision in each."""
    import jax

    import functorch_lite as ours

    for library in (torch, ours):
        library.set_default_device("cuda")
        library.set_float32_matmul_precision("high" if tf32 else "highest")
    torch.backends.cudnn.allow_tf32 = tf32
    jax.config.update("jax_default_matmul_precision", "high" if tf32 else "highest")
    print(f"{torch.cuda.get_device_name()}, float32 products in {'TensorFloat-32' if tf32 else 'float32'}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"which of {', '.join(_SUITES)} (default: all)")
    parser.add_argument("--smoke", action="store_true", help="a few steps of each, to see that they run")
    parser.add_argument(
        "--threads", type=int, help="how many threads compute, for each peer (default: all cores)"
    )
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where every peer computes")
    parser.add_argument(
        "--tf32", action="store_true", help="on a GPU: float32 products in TensorFloat-32, for each peer"
    )
    parser.add_argument(
        "--only", default="", help="atlas, peers, whole_runs: rows whose group or name has the word"
    )
    parser.add_argument("--json", help="atlas, peers, whole_runs: a file for the figures")
    parser.add_argument("--page", help="atlas, peers: a file for the figures as a page of the docs")
    parser.add_argument("--fraction", type=float, default=1.0, help="whole_runs: that part of the steps")
    parser.add_argument(
        "--seconds",
        type=float,
        help="whole_runs: as many steps as take PyTorch so long; peers: length of a run",
    )
    parser.add_argument("--peers", help="peers: some of them, separated by commas")
    parser.add_argument("--rounds", type=int, help="peers: how many runs of each")
    parser.add_argument("--limit", type=float, help="whole_runs: processor seconds after which ours is cut")
    options = parser.parse_args()
    for name in options.names:
        if name not in _SUITES:
            parser.error(f"no benchmark is called {name!r}; there are: {', '.join(_SUITES)}")
    import torch

    torch.set_num_threads(int(os.environ["NPROC"]))
    print(f"{os.environ['NPROC']} threads compute for each peer")
    if options.device == "cuda":
        use_gpu(torch, options.tf32)
    for name in options.names or _SUITES:
        for result in _SUITES[name].run(options.smoke) or ():
            print(result, flush=True)


if __name__ == "__main__":
    main()
