"""Calls made from the samples of the ops of `torch` and `Tensor`: as function, method, in place and with `out=`,
mutated."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from functorch_lite._core.declare.op import OPS
from tests.arguments import replace
from tests.fuzz.mutation import mutated
from tests.fuzz.outcome import Arr, Call, Name, exists
from tests.samples import all_samples
from tests.samples.base import T

OUTS = ("float32", "float32", "float64", "int64", "bool", "complex64", "float16")


@cache
def targets() -> dict[str, list[str]]:
    """Op -> the paths under which both libraries have it."""
    found = {}
    for name in all_samples():
        op = OPS.get(name)
        if op is None or op.namespace not in ("torch", "Tensor") or name.startswith(("create.", "_")):
            continue
        paths = [p for p in (f"torch.{name}", f"Tensor.{name}") if exists(p)]
        if op.inplace and paths:
            paths += [p for p in (f"torch.{name}_", f"Tensor.{name}_") if exists(p)]
        if paths:
            found[name] = paths
    return found


@st.composite
def calls(draw) -> Call:
    """A mutated sample."""
    name = draw(st.sampled_from(sorted(targets())))
    path = draw(st.sampled_from(targets()[name]))
    rng = Random(draw(st.integers(0, 2**48)))
    sample = rng.choice(all_samples()[name])
    args, kwargs = mutated(rng, sample.args, sample.kwargs)
    if OPS[name].out and path == f"torch.{name}" and rng.random() < 0.15:
        kwargs = kwargs | {"out": _out(rng, OPS[name].returns)}
    if path.startswith("Tensor.") and not (args and isinstance(args[0], T)):
        path = f"torch.{name}" if exists(f"torch.{name}") else path
    if path.startswith("Tensor.") and not (args and isinstance(args[0], T)):
        args = (T(np.arange(3.0, dtype=np.float32)), *args[1:])
    return Call(path, *to_arguments(args, kwargs))


def to_arguments(args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """Arguments of a sample as those of a Call."""
    args, kwargs = replace([tuple(args), kwargs], _argument)
    return args, kwargs


def _argument(x: Any) -> Any:
    if isinstance(x, T):
        return Arr(x.array, x.dtype)
    named = type(x).__name__
    return Name(x.name) if named in ("Named", "dtype") and hasattr(x, "name") else x


def _out(rng: Random, returns: tuple[str, ...] | None) -> Any:
    def one() -> T:
        shape = rng.choice(((0,), (0,), (3, 4), (2,), ()))
        dtype = rng.choice(OUTS)
        return T(np.zeros(shape, np.float32 if dtype == "bfloat16" else dtype))

    return tuple(one() for _ in returns) if returns and rng.random() < 0.9 else one()
