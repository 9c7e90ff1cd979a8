"""Models of timm and transformers here beside PyTorch, each with the weights that PyTorch made, saved there and loaded
here; see `make ecosystem`.

`python -m tests.ecosystem.beside_pytorch --pytorch PYTHON [model …]`, where PYTHON is one that has PyTorch and the
packages. What is compared are logits (evaluated, trained, and after a step), the loss, and all gradients. Rounding is
judged by PyTorch's own: the same model in float64 is run there too.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.ecosystem.models import NAMES, inputs_of, model_of, results

ROOT = Path(__file__).parents[2]
MODULE = "tests.ecosystem.beside_pytorch"
LIMIT_S = 900
TOLERANCE = 1e-4
ROUNDING = 4.0
"""How much further from float64 than PyTorch's own gradients those here may be, where that is more than TOLERANCE."""


def write(name: str, file: str) -> None:
    """Under PyTorch: makes the model, and saves weights, inputs and results, and the results in float64."""
    import torch

    # torchvision's ops in C++, which do not load beside PyTorch for CPUs and which no model here calls
    sys.modules["torchvision._meta_registrations"] = ModuleType("torchvision._meta_registrations")
    torch.manual_seed(0)
    model, exact = model_of(name), model_of(name)
    x, y = inputs_of(name)
    weights = {n: v.clone() for n, v in model.state_dict().items()}
    exact.load_state_dict(weights)
    wide = x.double() if x.is_floating_point() else x
    parts = {"weights": weights, "x": x, "y": y, "results": results(name, model, x, y)}
    torch.save({**parts, "exact": results(name, exact.double(), wide, y)}, file)


def _furthest(found: Any, expected: Any) -> float:
    """The largest difference, as a share of the largest number where that is more than 1."""
    expected = expected.detach().double()
    return ((found.detach().double() - expected).abs().max() / expected.abs().max().clamp(min=1.0)).item()


def _gradients_furthest(found: dict[str, Any], expected: dict[str, Any]) -> float:
    """The largest difference of a gradient, as a share of its norm, or of a thousandth of that of all."""
    whole = sum(g.double().square().sum() for g in expected.values()).sqrt()
    assert found.keys() == expected.keys(), found.keys() ^ expected.keys()
    return max(
        ((found[n].double() - g.double()).norm() / g.double().norm().clamp(min=1e-3 * whole)).item()
        for n, g in expected.items()
    )


def read(name: str, file: str) -> dict[str, float]:
    """Here: loads the weights, and measures how far the results are from PyTorch's; see `TOLERANCE`."""
    import functorch_lite.compat as compat

    compat.install_as_torch()
    import torch

    saved = torch.load(file)
    model = model_of(name)
    model.load_state_dict(saved["weights"])
    found, theirs, exact = results(name, model, saved["x"], saved["y"]), saved["results"], saved["exact"]
    told = {
        what: _furthest(found[what], theirs[what])
        for what in ("evaluated", "trained", "loss", "after a step")
    }
    told["gradients"] = _gradients_furthest(found["gradients"], theirs["gradients"])
    told["gradients from float64"] = _gradients_furthest(found["gradients"], exact["gradients"])
    told["PyTorch's from float64"] = _gradients_furthest(theirs["gradients"], exact["gradients"])
    return told


def agrees(told: dict[str, float]) -> bool:
    """Whether all is within the tolerance; gradients that PyTorch rounds more coarsely may be as far from the exact
    ones as ROUNDING times its own."""
    values = all(told[what] <= TOLERANCE for what in ("evaluated", "trained", "loss", "after a step"))
    fine = told["gradients from float64"] <= ROUNDING * told["PyTorch's from float64"]
    return values and (told["gradients"] <= TOLERANCE or fine)


def _run(python: str, *arguments: str) -> tuple[bool, str]:
    done = subprocess.run(
        [python, "-m", MODULE, *arguments], capture_output=True, text=True, timeout=LIMIT_S, cwd=ROOT
    )
    lines = [
        line for line in (done.stdout if done.returncode == 0 else done.stderr).splitlines() if line.strip()
    ]
    return done.returncode == 0, lines[-1] if lines else f"exit code {done.returncode}"


def compare(name: str, pytorch: str) -> tuple[bool, str | dict[str, float]]:
    """(whether it agrees, the differences or the last line of an error)."""
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "weights.pt"))
        good, told = _run(pytorch, "--write", name, file)
        if not good:
            return False, f"under PyTorch: {told}"
        good, told = _run(sys.executable, "--read", name, file)
        if not good:
            return False, told
    differences = json.loads(told)
    return agrees(differences), differences


def main(arguments: list[str]) -> int:
    if arguments[0] == "--write":
        write(*arguments[1:])
    elif arguments[0] == "--read":
        print(json.dumps(read(*arguments[1:])))
    elif arguments[0] == "--pytorch":
        worst = 0
        for name in arguments[2:] or NAMES:
            began = time.monotonic()
            good, told = compare(name, arguments[1])
            worst |= not good
            print(
                f"{name:28} {'agrees' if good else 'DIFFERS'} {time.monotonic() - began:4.0f} s  {told}",
                flush=True,
            )
        return worst
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
