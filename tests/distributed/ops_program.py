"""Run by test_op_coverage.py in a process with two devices: ops of the sample set with a Shard on each axis in turn,
forward and gradient, beside one device. `python -m tests.distributed.ops_program [--samples N] [--part K/N] [--sizes
4,5,7] [name …]`; a line of JSON for each difference, one at the end. With `--sizes` the axis gets each of these sizes,
where the op's arguments allow it: see `resized`."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
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


def resized(arrays: list[np.ndarray], i: int, axis: int, size: int) -> Iterator[list[np.ndarray]]:
    """The arrays with another size of an axis of array i, in the ways that an op may take: all axes of its size changed
    too, those at the same place, counted from the end, of all arrays, and that one alone."""
    had = arrays[i].shape[axis]
    if had == size:
        yield arrays
        return
    from_end = axis - arrays[i].ndim
    ways = [
        [[d for d, n in enumerate(a.shape) if n == had] for a in arrays],
        [[from_end % a.ndim] if a.ndim >= -from_end and a.shape[from_end] == had else [] for a in arrays],
        [[axis] if j == i else [] for j in range(len(arrays))],
    ]
    tried = []
    for way in ways:
        if way not in tried:
            tried.append(way)
            yield [_indices(_with_sizes(a, dims, size), had, size) for a, dims in zip(arrays, way)]


def _with_sizes(a: np.ndarray, dims: list[int], size: int) -> np.ndarray:
    """An array whose dims have this size: cut, or gone on with numbers between those that it has, which an op takes
    where it takes these."""
    for d in dims:
        had = a.shape[d]
        if size <= had or had == 0:
            a = np.take(a, range(min(size, had)), d)
            continue
        more = np.take(a, [k % had for k in range(had, size)], d)
        if a.dtype.kind in "fc" or a.dtype.kind == "V":
            after = np.take(a, [(k + 1) % had for k in range(had, size)], d)
            more = (more * 0.75 + after * 0.25 if had > 1 else more * 0.75).astype(a.dtype)
        a = np.concatenate([a, more], d)
    return a


def _indices(a: np.ndarray, had: int, size: int) -> np.ndarray:
    """Whole numbers that may be places along an axis that is shorter now."""
    return np.where(a >= size, a % size, a).astype(a.dtype) if a.dtype.kind in "iu" and size < had else a


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


def placed(subject: Any, sample: Any, arrays: list, at: list[int], i: int, d: int) -> list:
    spread = [
        distribute_tensor(t, mesh, [Shard(d) if j == i else Replicate()])
        for j, t in enumerate(tensors_of(arrays, at))
    ]
    return outcome(subject, sample, spread, at)


def compared(
    subject: Any, sample: Any, arrays: list, at: list[int], i: int, d: int, alone: Any
) -> tuple[str, str]:
    """(kind, what is wrong) of a case; alone: what one device gives."""
    narrow = any(a.dtype.itemsize < 4 and a.dtype.kind not in "iub" for a in arrays)
    try:
        wrong = equal(placed(subject, sample, arrays, at, i, d), alone, narrow)
        return ("wrong" if wrong else "equal"), wrong
    except (NotImplementedError, RuntimeError, ValueError, TypeError) as error:
        return "raises", f"{type(error).__name__}: {str(error)[:300]}"
    except Exception as error:
        return "breaks", f"{type(error).__name__}: {str(error)[:300]}"


def on_one_device(subject: Any, sample: Any, ways: Iterable[list], at: list[int], known: dict) -> Any:
    """(arrays, what one device gives) of the first way that one device takes; None if it takes none."""
    for arrays in ways:
        key = (id(sample), *[a.shape for a in arrays])
        if key not in known:
            try:
                known[key] = arrays, outcome(subject, sample, tensors_of(arrays, at), at)
            except Exception:
                known[key] = None
        if known[key] is not None:
            return known[key]
    return None


OF_SINGULAR = ("linalg.cholesky_ex",)
"""Ops whose resized samples are singular to rounding, which decides what they say of that: not to be compared."""


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--samples", type=int, default=1)
    options.add_argument("--part", default="0/1")
    options.add_argument("--after", default="", help="leave out the ops up to this one")
    options.add_argument("--sizes", type=lambda text: [int(n) for n in text.split(",")], default=[])
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
        known: dict[Any, Any] = {}
        for s, i, d in cases(every[name], given.samples):
            sample = every[name][s]
            own, at = [array_of(t) for t in placeholders(sample)], wants_grad(sample)
            for size in (given.sizes if name not in OF_SINGULAR else []) or [own[i].shape[d]]:
                found = on_one_device(subject, sample, resized(own, i, d, size), at, known)
                if found is None:
                    counts["not on one device either"] += 1
                    continue
                kind, wrong = compared(subject, sample, found[0], at, i, d, found[1])
                counts[kind] += 1
                if wrong:
                    line = {
                        "op": name,
                        "sample": s,
                        "tensor": i,
                        "axis": d,
                        "size": size,
                        "kind": kind,
                        "what": wrong,
                    }
                    print(json.dumps(line), flush=True)
    print(json.dumps({"counts": counts}))


if __name__ == "__main__":
    main()
