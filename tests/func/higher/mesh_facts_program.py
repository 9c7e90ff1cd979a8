"""The facts that have batches, on a mesh of four devices over which the batches are spread:
`python -m tests.func.higher.mesh_facts_program K N`, every N-th of them from the K-th on. Prints those that hold, and
what those say that do not."""

from __future__ import annotations

import sys
from typing import Any

from functorch_lite.distributed import init_device_mesh
from functorch_lite.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from functorch_lite.func._trees import flatten, unflatten

from . import nets
from .calls import OF_BATCHES, of_fact
from .facts import check, facts

MESH = init_device_mesh("cpu", (4,))


def _everywhere(t: Any) -> Any:
    return distribute_tensor(t, MESH, [Replicate()])


def _spread(batches: list) -> list:
    return [
        tuple(None if t is None else distribute_tensor(t, MESH, [Shard(0)]) for t in batch)
        for batch in batches
    ]


def _whole(tree: Any) -> Any:
    leaves, structure = flatten(tree)
    return unflatten(structure, [t.full_tensor() if isinstance(t, DTensor) else t for t in leaves])


def main(first: int, step: int) -> int:
    failed = 0
    nets.placed = _everywhere
    names = [n for n, f in facts().items() if f["kind"] == "exact" and f["call"] in OF_BATCHES]
    for name in names[first::step]:
        fact = facts()[name]
        try:
            f, at = of_fact(fact, _spread)
            check(fact, _whole(f(at if isinstance(at, DTensor) else _everywhere(at))))
            print("holds:", name, flush=True)
        except Exception as error:
            failed += 1
            print(f"{name}: {type(error).__name__}: {' '.join(str(error).split())[:300]}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
