"""Run by test_op_coverage.py in a process with two devices: ops of the sample set with a Shard on each axis in turn, forward and gradient, beside
one device. `python -m tests.distributed.ops_program [--samples N] [--part K/N] [name …]`; a line of JSON for each difference, one at the end."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from typing import Any

import numpy as np

import functorch_lite as torch
from functorch_lite._core.api import Tensor
from functorch_lite.distributed.device_mesh import init_device_mesh
from functorch_lite.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from tests import checker
from tests.arguments import placeholders, wants_grad
from tests.checker import array_of, run, tensors_of
from tests.samples import all_samples

mesh = init_device_mesh("cpu", (2,), mesh_dim_names=("x",))


def numbers(t: Any) -> np.ndarray:
    if not isinstance(t, Tensor):
        return np.asarray(t)
    t = t.detach()
    t = t.full_tensor() if isinstance(t, DTensor) else t
    return np.asarray(
        t.double().numpy() if t.dtype == torch.bfloat16 or t.is_floating_point() else t.resolve_conj().numpy()
    )


def outcome(subject: Any, sample: Any, tensors: list, at: list[int]) -> list[np.ndarray | None]:
    """The results and the gradients of a sum of them."""
    torch.manual_seed(0)
    given = [t.clone() for t in tensors]  # what an op writes to is no leaf
    outs = run(subject.call, sample, given)
    found: list[np.ndarray | None] = [numbers(o) for o in outs]
    loss = None
    for o in checker.kept(subject, outs):
        if isinstance(o, Tensor) and o.requires_grad:
            w = torch.from_numpy(np.cos(np.arange(o.numel())).reshape(tuple(o.shape))).to(
                o.dtype if not o.dtype.is_complex else torch.float64
            )
            w = distribute_tensor(w, mesh, [Replicate()]) if isinstance(o, DTensor) else w
            part = (o * w).sum()
            part = part.real if part.dtype.is_complex else part
            loss = part if loss is None else loss + part
    if loss is not None:
        leaves = [tensors[i] for i in at]
        for g, leaf in zip(torch.autograd.grad(loss, leaves, allow_unused=True), leaves):
            found.append(None if g is None else numbers(g))
            if isinstance(g, DTensor) and g.placements != leaf.placements:
                raise AssertionError(f"a gradient is {g.placements}, of a tensor that is {leaf.placements}")
    return found


def equal(mine: list, theirs: list, narrow: bool) -> str:
    if len(mine) != len(theirs):
        return f"{len(mine)} results, not {len(theirs)}"
    for i, (a, b) in enumerate(zip(mine, theirs)):
        if a is None or b is None:
            if (a is None) != (b is None) and np.any((a if b is None else b) != 0):
                return f"result {i}: {a} beside {b}"
            continue
        if a.shape != b.shape:
            return f"result {i}: shape {a.shape}, not {b.shape}"
        rtol = 2e-2 if narrow else 2e-4
        if a.dtype.kind in "fc":
            scale = float(np.max(np.abs(b), initial=0, where=np.isfinite(b)))
            if not np.allclose(a, b, rtol=rtol, atol=rtol * max(scale, 1e-3), equal_nan=True):
                return f"result {i}: off by {np.nanmax(np.abs(a - b)):.2e} of {scale:.2e}"
        elif not np.array_equal(a, b):
            return f"result {i}: other whole numbers"
    return ""


def cases(samples: list, most: int) -> list[tuple[int, int, int]]:
    """(sample, tensor, axis) of each case."""
    found = []
    taken = 0
    for s, sample in enumerate(samples):
        shapes = [t.array.shape for t in placeholders(sample)]
        mine = [(s, i, d) for i, shape in enumerate(shapes) for d in range(len(shape))]
        if sample.error is None and mine and taken < most:
            taken += 1
            found += mine
    return found


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--samples", type=int, default=1)
    options.add_argument("--part", default="0/1")
    options.add_argument("--after", default="", help="leave out the ops up to this one")
    options.add_argument("names", nargs="*")
    given = options.parse_args()
    part, parts = (int(n) for n in given.part.split("/"))
    every = all_samples()
    counts: Counter[str] = Counter()
    for k, name in enumerate(given.names or sorted(every)):
        if k % parts != part or name <= given.after:
            continue
        print(
            name, dict(counts), file=sys.stderr, flush=True
        )  # where XLA ends the process, this says at which op
        subject = checker.subject(name)
        alone: dict[int, Any] = {}
        for s, i, d in cases(every[name], given.samples):
            sample = every[name][s]
            arrays, at = [array_of(t) for t in placeholders(sample)], wants_grad(sample)
            narrow = any(a.dtype.itemsize < 4 and a.dtype.kind not in "iub" for a in arrays)
            if s not in alone:
                try:
                    alone[s] = outcome(subject, sample, tensors_of(arrays, at), at)
                except Exception as error:
                    alone[s] = error
            if isinstance(alone[s], Exception):
                counts["not on one device either"] += 1
                continue
            try:
                plain = tensors_of(arrays, at)
                spread = [
                    distribute_tensor(t, mesh, [Shard(d) if j == i else Replicate()])
                    for j, t in enumerate(plain)
                ]
                wrong = equal(outcome(subject, sample, spread, at), alone[s], narrow)
                kind = "wrong" if wrong else "equal"
            except (NotImplementedError, RuntimeError, ValueError, TypeError) as error:
                wrong, kind = f"{type(error).__name__}: {str(error)[:300]}", "raises"
            except Exception as error:
                wrong, kind = f"{type(error).__name__}: {str(error)[:300]}", "breaks"
            counts[kind] += 1
            if wrong:
                print(
                    json.dumps(
                        {"op": name, "sample": s, "tensor": i, "axis": d, "kind": kind, "what": wrong}
                    ),
                    flush=True,
                )
    print(json.dumps({"counts": counts}))


if __name__ == "__main__":
    main()
