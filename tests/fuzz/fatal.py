"""Calls at which PyTorch itself ends the process, or never comes back: it reads memory that is not its own, or divides
by zero; and those whose results are images of gigabytes.

They are not made. `FATAL` has the name of a function without its namespace, and what of its calls is meant, and why.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.arguments import replace
from tests.fuzz.exclusions import call_arrays


def never_ends(call: Any) -> bool:
    """Whether PyTorch would not come back, from C++, where no signal reaches it: its binomial numbers of a count that
    is nan, a power whose absolute value overflows."""
    if call.name.endswith("matrix_power") and -(2**63) in [*call.args[1:2], call.kwargs.get("n")]:
        return True
    counts = {
        "binomial": [*call.args[:1], call.kwargs.get("count")],
        "distributions.Binomial": [call.kwargs.get("total_count")],
    }.get(call.name, [])
    found = [c.array if hasattr(c, "array") else c for c in counts]
    return any(
        np.isnan(c).any()
        for c in found
        if isinstance(c, float | np.ndarray) and np.asarray(c).dtype.kind in "fc"
    )


def makes_gigabytes(call: Any) -> bool:
    """Whether an image is made larger a hundred million times: seconds and the whole memory of a machine, in both
    libraries."""
    if not re.search("interpolate|upsample", call.name.lower()):
        return False
    numbers: list[float] = []
    replace([list(call.args), call.kwargs], lambda x: numbers.append(x) if isinstance(x, float) else None)
    return any(1e8 <= x < float("inf") for x in numbers)


def ends_the_process(call: Any) -> bool:
    """Whether this is a call of FATAL."""
    fatal = FATAL.get(call.name.removesuffix(" with gradients").rpartition(".")[2])
    return fatal is not None and fatal(call)


def _grid_sample(call: Any) -> bool:
    """Gradients are written to where a nan points."""
    return any(not np.isfinite(g).all() for g in call_arrays(call)[1:2] if g.dtype.kind == "f")


def _ctc_loss(call: Any) -> bool:
    """What targets beyond the classes point at is read."""
    arrays = call_arrays(call)
    classes = [a.shape[-1] for a in arrays if a.ndim > 1 and a.dtype.kind in "fc"][:1]
    targets = [a for a in arrays if a.ndim and a.dtype.kind in "iu"]
    return any(((a >= n) | (a < 0)).any() for n in classes for a in targets)


def _eigvals(call: Any) -> bool:
    """Its library does not look for nan."""
    return any(a.dtype.kind in "fc" and not np.isfinite(a).all() for a in call_arrays(call))


def _ldl_solve(call: Any) -> bool:
    """Its library does not look whether negative pivots come in pairs."""
    pivots = [a for a in call_arrays(call) if a.ndim and a.size and a.dtype.kind == "i"]
    return not all(_in_pairs(list(row)) for a in pivots for row in a.reshape(-1, a.shape[-1]))


def _in_pairs(pivots: list[int]) -> bool:
    """Whether negative pivots, of blocks of two rows, come as two that are equal."""
    while pivots:
        first, *pivots = pivots
        if first < 0 and (not pivots or pivots.pop(0) != first):
            return False
    return True


def _range(call: Any) -> bool:
    """Steps of integers are truncated to 0."""
    step = [*call.args[2:3], call.kwargs.get("step")][0]
    kinds = call.kwargs.get("dtype"), getattr(call.kwargs.get("out"), "dtype", None)
    return isinstance(step, float) and abs(step) < 1 and any("int" in str(kind) for kind in kinds)


def _lu_unpack(call: Any) -> bool:
    """As many pivots are read as a matrix has, but they are not counted."""
    arrays = call_arrays(call)
    if len(arrays) < 2 or arrays[0].ndim < 2 or not arrays[1].ndim:
        return False
    factors, pivots = arrays[:2]
    fits = pivots.shape[:-1] == factors.shape[:-2] and pivots.shape[-1] >= min(factors.shape[-2:])
    return not fits


def _embedding_bag(call: Any) -> bool:
    """A last offset alone ends no bag, and what lies before it is written to; so it is by the gradients of numbers in
    no bag."""
    shapes = [a.shape for a in call_arrays(call) if a.ndim and a.dtype.kind in "iu"]
    in_no_bag = call.name.endswith(" with gradients") and (0,) in shapes and shapes != [(0,)] * len(shapes)
    return in_no_bag or (bool(call.kwargs.get("include_last_offset")) and (1,) in shapes)


def _pdist(call: Any) -> bool:
    """The gradients of the distances of no points."""
    return call.name.endswith(" with gradients") and any(a.ndim and not a.shape[0] for a in call_arrays(call))


def _segment_reduce(call: Any) -> bool:
    """Lengths of more or fewer batches than the data have."""
    data, *others = call_arrays(call)[:2] or [np.zeros(0)]
    return any(a.ndim > 1 and a.shape[:-1] != data.shape[: a.ndim - 1] for a in others)


FATAL: dict[str, Callable[[Any], bool]] = {
    "grid_sample": _grid_sample,
    "ctc_loss": _ctc_loss,
    "eigvals": _eigvals,
    "ldl_solve": _ldl_solve,
    "range": _range,
    "lu_unpack": _lu_unpack,
    "embedding_bag": _embedding_bag,
    "pdist": _pdist,
    "segment_reduce": _segment_reduce,
}
