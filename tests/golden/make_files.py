"""Writes `tests/golden/files.tar.xz` with PyTorch: `python -m tests.golden.make_files` (needs torch).

In it: one file for each of `tests/serialization/kinds.py`, as `kinds/NAME.pt`; some of them in the format before
PyTorch 1.6, as `old/NAME.pt`; archives of TorchScript, as `script/NAME.pt`; and `looks.json`, what each of the things
is and does in PyTorch.
"""

from __future__ import annotations

import io
import json
import tarfile
import tempfile
from pathlib import Path

GOLDEN = Path(__file__).parent / "files.tar.xz"


def golden() -> dict[str, bytes]:
    """The files, by name."""
    with tarfile.open(GOLDEN) as archive:
        return {m.name: archive.extractfile(m).read() for m in archive.getmembers()}  # type: ignore[union-attr]


OLD = ("checkpoint", "own module", "layers", "aliases", "gradients", "sparse", "optimizer adam", "tied")
"""What is also kept in the old format."""


def scripts(M):
    """Modules for torch.jit.save: scripted, traced, and one with lists, dicts, tied parameters and a second method."""
    M.manual_seed(0)

    class Gated(M.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = M.nn.Linear(2, 3)
            self.layers = M.nn.ModuleList([M.nn.Linear(3, 3), M.nn.Linear(3, 3)])
            self.norm = M.nn.BatchNorm1d(3)
            self.gate = M.nn.Parameter(M.ones(3), requires_grad=False)
            self.tied = self.first.weight
            self.names, self.sizes, self.count = ["x", "y"], {"a": 1}, 5
            self.register_buffer("mask", M.tensor([True, False, True]))

        def forward(self, x):
            x = self.first(x)
            for layer in self.layers:
                x = layer(x)
            return self.norm(x) * self.gate * self.count

    net = M.nn.Sequential(M.nn.Conv2d(1, 2, 3), M.nn.BatchNorm2d(2), M.nn.ReLU()).eval()
    return {
        "linear": M.jit.script(M.nn.Linear(2, 3).to(M.float64)),
        "traced": M.jit.trace(net, M.ones(1, 1, 4, 4)),
        "gated": M.jit.script(Gated().eval()),
    }


def look_at_script(M, module) -> dict:
    """What is read of a module of TorchScript."""
    from tests.serialization.kinds import look

    return {
        "state": [[n, look(M, t)] for n, t in module.state_dict().items()],
        "parameters": [[n, p.requires_grad] for n, p in module.named_parameters()],
        "buffers": [n for n, _ in module.named_buffers()],
        "modules": [n for n, _ in module.named_modules()],
        "training": module.training,
        "name": module.original_name,
    }


def bytes_of(M, x, **how) -> bytes:
    """A thing, saved."""
    file = io.BytesIO()
    M.save(x, file, **how)
    return file.getvalue()


if __name__ == "__main__":
    import torch

    from tests.golden import users
    from tests.serialization.kinds import kinds, look

    users.define(torch)
    files, looks = {}, {}
    for name, x in kinds(torch).items():
        files[f"kinds/{name}.pt"] = bytes_of(torch, x)
        if name in OLD:
            files[f"old/{name}.pt"] = bytes_of(torch, x, _use_new_zipfile_serialization=False)
    for path, data in files.items():
        looks[path] = look(torch, torch.load(io.BytesIO(data), weights_only=False))
    with tempfile.TemporaryDirectory() as folder:
        for name, module in scripts(torch).items():
            file = f"{folder}/{name}.pt"
            module.save(file, _extra_files={"note": name})
            files[f"script/{name}.pt"] = Path(file).read_bytes()
            looks[f"script/{name}.pt"] = look_at_script(torch, torch.jit.load(file))
    files["looks.json"] = json.dumps(looks, indent=1).encode()
    with tarfile.open(GOLDEN, "w:xz", preset=9) as archive:
        for path, data in files.items():
            about = tarfile.TarInfo(path)
            about.size = len(data)
            archive.addfile(about, io.BytesIO(data))
    print(f"{len(files)} files, {GOLDEN.stat().st_size} bytes in {GOLDEN}")
