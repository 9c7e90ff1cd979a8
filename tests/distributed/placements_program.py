"""Run by test_placements.py in a process with four devices: each case of the facts on a mesh and on one device, as a
line of JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import functorch_lite as torch
from functorch_lite.distributed.device_mesh import init_device_mesh
from functorch_lite.distributed.tensor import DTensor, distribute_tensor
from functorch_lite.distributed.tensor.debug import CommDebugMode
from tests.distributed.placement_cases import PLACEMENTS, case

GOLDEN = Path(__file__).parent.parent / "golden"
mesh = init_device_mesh("cpu", (4,), mesh_dim_names=("tp",))


def tensors(out: Any) -> list:
    return list(out) if isinstance(out, tuple | list) else [out]


def compared(name: str) -> dict[str, Any]:
    fn, given, seed = case(name)  # type: ignore[misc]
    spread = [distribute_tensor(x, mesh, [PLACEMENTS[m]]) for x, m in given]
    try:
        with CommDebugMode() as comm:
            torch.manual_seed(seed)
            out = fn(*spread)
            for x in tensors(out):
                if isinstance(x, DTensor):
                    x._local_tensor.numpy()
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    torch.manual_seed(seed)
    alone = fn(*[x for x, _ in given])
    wrong = 0.0
    told = []
    for x, y in zip(tensors(out), tensors(alone)):
        if not isinstance(x, DTensor):
            wrong = max(wrong, abs(x - y) if abs(x - y) > 1e-12 * abs(y) else 0.0)
            continue
        full = x.full_tensor()
        tolerance = 1e-2 if y.dtype == torch.half else 1e-10
        if (
            full.shape != y.shape
            or full.dtype != y.dtype
            or not torch.allclose(full, y, rtol=tolerance, atol=tolerance)
        ):
            wrong = max(wrong, float((full.double() - y.double()).abs().max()), 1e-9)
        told.append(
            {
                "placements": [str(p) for p in x.placements],
                "shape": list(x.shape),
                "local": list(x._local_tensor.shape),
            }
        )
    return {"out": told, "wrong": wrong, "collectives": comm.get_comm_counts()}


if __name__ == "__main__":
    facts = json.loads((GOLDEN / "placements.json").read_text())["facts"]
    names = [n for n in facts if case(n) is not None]
    unknown = sorted(set(facts) - set(names))
    print(json.dumps({"unknown": unknown}))
    chosen = sys.argv[1:] or names
    for name in chosen:
        print(json.dumps({"name": name, **compared(name)}), flush=True)
