"""The wheel as pip installs it, with nothing beside it: it imports, trains, and says what its bridge to flax needs.
`make package` runs this file away from the sources: python -I tests/installed.py."""

from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F

FOLDER = Path(torch.__file__).parent


def main() -> None:
    assert "site-packages" in FOLDER.parts and not FOLDER.is_symlink(), FOLDER
    assert (FOLDER / "nn" / "functional").is_dir() and (FOLDER / "py.typed").is_file()
    assert torch.__version__ == version("functorch_lite")
    assert find_spec("flax") is None and find_spec("torch") is None, "to be run where neither is installed"

    torch.manual_seed(0)
    x = torch.randn(64, 4)
    y = (x[:, 0] > 0).long()
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.05)
    losses = []
    for _ in range(60):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 4, losses

    try:
        torch.compat.flax  # noqa: B018
    except ModuleNotFoundError as error:
        assert "pip install 'functorch_lite[flax]'" in str(error), error
    else:
        raise AssertionError("compat.flax without flax")
    print(f"functorch_lite {torch.__version__}: loss {losses[0]:.3f} -> {losses[-1]:.3f}")


if __name__ == "__main__":
    main()
