"""The four jobs under PyTorch, to compare its time with this library's: a program for a process of its own, where
`functorch_lite` means PyTorch.

python functorch_lite/demo/under_pytorch.py # prints the seconds of each job, a line for each
"""

import importlib
import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

NAMES = ("", ".nn", ".nn.functional", ".func", ".optim", ".optim.lr_scheduler", ".utils", ".utils.data")
MOST = 120.0
"""Seconds that it is given."""


def seconds() -> list[float]:
    """Returns PyTorch's seconds for each job, in a process of its own: of the jobs that it has done within MOST
    seconds; of none if it is not installed."""
    if importlib.util.find_spec("torch") is None:
        return []
    try:
        told = subprocess.run([sys.executable, __file__], stdout=subprocess.PIPE, timeout=MOST).stdout
    except subprocess.TimeoutExpired as error:
        told = error.stdout or b""
    return [float(line) for line in told.decode().splitlines()]


def main() -> None:
    """Does the jobs."""
    folder = Path(__file__).parent
    sys.path.remove(str(folder))
    for name in NAMES:
        sys.modules[f"functorch_lite{name}"] = importlib.import_module(f"torch{name}")
    spec = importlib.util.spec_from_file_location(
        "functorch_lite.demo", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    sys.modules["functorch_lite.demo"] = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    digits, train_cnn, per_sample_gradients, ensemble, hessian = [
        importlib.import_module(f"functorch_lite.demo.{name}")
        for name in ("digits", "train_cnn", "per_sample_gradients", "ensemble", "hessian")
    ]
    data = digits.load()

    def job(run, *args):
        began = time.perf_counter()
        result = run(*args)
        print(f"{time.perf_counter() - began:.3f}", flush=True)
        return result

    _, model = job(train_cnn.run, data)
    job(per_sample_gradients.run, data, model)
    job(ensemble.run, data)
    job(hessian.run, data)


if __name__ == "__main__":
    os.environ.setdefault("TQDM_DISABLE", "1")
    main()
