"""Run by test_checkpoint.py in processes with 4, 2 and 1 devices: `save folder` trains on a mesh of all devices and
saves; `load folder` loads and compares; `both folder 4 2 1` does so on the first of four devices, and on two and one of
them.

What is compared with are the whole tensors as torch.save has written them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import jax

import functorch_lite as torch
import functorch_lite.distributed.checkpoint as dcp
from functorch_lite import nn
from functorch_lite.distributed.checkpoint.state_dict import StateDictOptions, get_state_dict, set_state_dict
from functorch_lite.distributed.device_mesh import DeviceMesh
from functorch_lite.distributed.fsdp import fully_shard
from functorch_lite.distributed.tensor import DTensor
from functorch_lite.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

WHOLE = StateDictOptions(full_state_dict=True)


def made(devices: int, seed: int):
    """A model on a mesh of the first devices, cut in two dimensions where there are four, and its optimizer after two
    steps."""
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(7, 6), nn.GELU(), nn.Linear(6, 5), nn.LayerNorm(5))
    if devices == 4:
        mesh = DeviceMesh("cpu", [[0, 1], [2, 3]], mesh_dim_names=("dp", "tp"))
        parallelize_module(model, mesh["tp"], {"0": ColwiseParallel(), "2": RowwiseParallel()})
        fully_shard(model, mesh=mesh["dp"])
    elif devices > 1:
        fully_shard(model, mesh=DeviceMesh("cpu", list(range(devices))))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01 * (seed + 1))
    for _ in range(2):
        optimizer.zero_grad()
        out = model(torch.randn(8, 7))
        out.square().mean().backward()
        optimizer.step()
    return model, optimizer


def values(tree, name=""):
    if isinstance(tree, dict):
        for k, v in tree.items():
            yield from values(v, f"{name}.{k}")
    else:
        yield name, tree


def bits(state) -> dict:
    return {n: (v.numpy().tobytes(), v.dtype) if isinstance(v, torch.Tensor) else v for n, v in values(state)}


def save(folder: Path, devices: int) -> None:
    model, optimizer = made(devices, 0)
    state = dict(zip(("model", "optim"), get_state_dict(model, optimizer)))
    kinds = {type(v) for v in state["model"].values()}
    assert (DTensor in kinds) == (devices > 1), kinds
    state["step"], state["rows"] = 2, torch.arange(10).bfloat16()
    dcp.async_save(state, checkpoint_id=folder / "checkpoint").result()
    whole = dict(zip(("model", "optim"), get_state_dict(model, optimizer, options=WHOLE)))
    torch.save(whole, folder / "whole.pt")


def load(folder: Path, devices: int) -> None:
    model, optimizer = made(devices, 1)
    state = dict(zip(("model", "optim"), get_state_dict(model, optimizer)))
    placements = {n: getattr(v, "placements", None) for n, v in state["model"].items()}
    state["step"], state["rows"] = 0, torch.zeros(10).bfloat16()
    expected = bits(torch.load(folder / "whole.pt"))
    assert bits(dict(zip(("model", "optim"), get_state_dict(model, optimizer, options=WHOLE)))) != expected
    dcp.load(state, checkpoint_id=folder / "checkpoint")
    assert state["step"] == 2 and state["rows"].tolist() == list(range(10))
    set_state_dict(model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optim"])
    found = dict(zip(("model", "optim"), get_state_dict(model, optimizer, options=WHOLE)))
    assert bits(found) == expected
    assert {n: getattr(v, "placements", None) for n, v in model.state_dict().items()} == placements
    set_state_dict(
        *made(devices, 2), model_state_dict=found["model"], optim_state_dict=found["optim"], options=WHOLE
    )
    print(f"loaded on {devices} ok")


if __name__ == "__main__":
    what, folder = sys.argv[1], Path(sys.argv[2])
    first, *others = [int(n) for n in sys.argv[3:]] or [jax.device_count()]
    if what == "load":
        load(folder, first)
    else:
        save(folder, first)
        print(f"saved on {first} ok")
    for devices in others:
        load(folder, devices)
