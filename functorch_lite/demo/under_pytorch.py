"""The four jobs under PyTorch, to have its time beside ours: a program for a process of its own, where `functorch_lite` means PyTorch.

    python functorch_lite/demo/under_pytorch.py        # prints the seconds of each job, as JSON
"""

import importlib
import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path

NAMES = ("", ".nn", ".nn.functional", ".func", ".optim", ".optim.lr_scheduler", ".utils", ".utils.data")
MOST = 600.0
"""Seconds that are waited for it."""


def seconds() -> list[float] | None:
    """What PyTorch takes for each job, in a process of its own; None if it is not installed, or does not do them."""
    try:
        if importlib.util.find_spec("torch") is None:
            return None
        ran = subprocess.run([sys.executable, __file__], capture_output=True, text=True, timeout=MOST)
        return json.loads(ran.stdout.splitlines()[-1]) if ran.returncode == 0 else None
    except (OSError, ValueError, IndexError, subprocess.TimeoutExpired):
        return None


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
    took: list[float] = []

    def job(run, *args):
        began = time.perf_counter()
        result = run(*args)
        took.append(round(time.perf_counter() - began, 3))
        return result

    _, model = job(train_cnn.run, data)
    job(per_sample_gradients.run, data, model)
    job(ensemble.run, data)
    job(hessian.run, data)
    print(json.dumps(took))


if __name__ == "__main__":
    os.environ.setdefault("TQDM_DISABLE", "1")
    main()
