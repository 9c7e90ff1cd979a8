"""Run by test_placements.py in a process with four devices: changes of placement and uneven shards, as one line of JSON
by the facts' names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import functorch_lite as torch
from functorch_lite.distributed.device_mesh import init_device_mesh
from functorch_lite.distributed.tensor import Partial, distribute_tensor
from functorch_lite.distributed.tensor.debug import CommDebugMode
from tests.distributed.placement_cases import PLACEMENTS

mesh = init_device_mesh("cpu", (4,), mesh_dim_names=("tp",))
MARKS = {**PLACEMENTS, "P(avg)": Partial("avg"), "P(max)": Partial("max")}


def described(t: Any) -> dict[str, Any]:
    return {
        "placements": [str(p) for p in t.placements],
        "shape": list(t.shape),
        "local": list(t._local_tensor.shape),
    }


def changed(before: str, after: str) -> dict[str, Any]:
    x = torch.arange(96, dtype=torch.float64).reshape(8, 12).sin()
    given = distribute_tensor(x, mesh, [MARKS[before]]).requires_grad_()
    try:
        with CommDebugMode() as comm:
            made = given.redistribute(placements=[MARKS[after]])
            made._local_tensor.numpy()
    except RuntimeError as error:
        return {"error": f"RuntimeError: {error}"}
    off = float((made.full_tensor() - x).abs().max())
    (made.full_tensor() * x.cos()).sum().backward()
    off = max(off, float((given.grad.full_tensor() - x.cos()).abs().max()))
    if before[0] != "P" and given.grad.placements != given.placements:
        off = 1.0
    return {**described(made), "collectives": comm.get_comm_counts(), "wrong": off if off > 1e-14 else 0}


def main() -> None:
    found: dict[str, Any] = {}
    facts = json.loads((Path(__file__).parent.parent / "golden" / "redistribute.json").read_text())["facts"]
    for name in facts:
        if " -> " in name:
            found[name] = changed(*name.split(" -> "))
            continue
        rows = int(name.split(", " if name.startswith("uneven") else "tensor ")[1].split(" ")[0])
        x = torch.arange(rows * 2, dtype=torch.float64).reshape(rows, 2).sin()
        t = distribute_tensor(x, mesh, [MARKS["S0"]])
        if name.startswith("uneven"):
            found[name] = [list(p.shape) for p in t.local_tensors()]
        else:
            off = [torch.cat(t.local_tensors()) - x]
            off += [
                f(t).full_tensor() - f(x)
                for f in (
                    torch.sum,
                    torch.mean,
                    torch.amax,
                    torch.norm,
                    lambda y: y.softmax(0),
                    lambda y: y.cumsum(0),
                    lambda y: y * y[:1],
                )
            ]
            found[name] = {
                **described(t),
                "wrong": 1 if max(float(o.abs().max()) for o in off) > 1e-13 else 0,
            }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
