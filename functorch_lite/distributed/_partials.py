"""Partials: which ops give or keep them, by mapping the op over the parts of its inputs, so that a device computes one.

An op that is not named here is computed of whole values, which reduces a Partial first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from .._core.api import OPS, UNSET, Aval
from ._placements import Replicate

__all__ = ["KEEP", "Plan", "decide", "joined", "parts_of"]

Plan = Any
"""The form of an input along a dimension of the mesh: "parts" (it has them), ("cut", dim) into them, "first" (the
first part is the input, the others are 0), "each" (every part is the input), ("ids", rows) and ("rows", 0) of an
embedding."""

KEEP = ("sum", "avg")
"""Reductions that linear functions keep."""

_REDUCES = {"sum": "sum", "mean": "avg", "amax": "max", "amin": "min"}
_PRODUCTS = {"matmul", "mm", "bmm", "nn.functional.linear"}
_MOVES = {"stack", "cat", "roll", "clone", "contiguous", "flip"}
"""Ops that move elements, as views do."""
_LINEAR = {"neg", "positive", "sum", "mean"}


def decide(
    name: str,
    static: Sequence[Any],
    inputs: Sequence[Any],
    shapes: Sequence[tuple[int, ...]],
    states: Sequence[Any],
    n: int,
) -> tuple[str, list[Plan]] | None:
    """The reduction of an op's Partial result, and what is made of each input; None if the result is none. states: the
    inputs' placements along a dimension of the mesh of n devices; None for numbers. shapes: of the inputs, or of the
    parts that another dimension of the mesh has cut them into."""
    partials = {s.reduce_op for s in states if s is not None and s.is_partial()}
    if len(partials) > 1:
        return None
    kind = next(iter(partials), None)
    found = None if kind is None else _kept(name, static, inputs, states, kind)
    if found is not None:
        return found
    reduced = [Replicate() if s is not None and s.is_partial() else s for s in states]
    return _made(name, static, inputs, shapes, reduced, n)


def _is_view(name: str) -> bool:
    """Returns whether an op shows the elements of its input, as they are."""
    op = OPS.get(name)
    return op is not None and op.is_view and op.signs is None and not getattr(op.strides, "asks_size", False)


def _kept(
    name: str, static: Sequence[Any], inputs: Sequence[Any], states: Sequence[Any], kind: str
) -> tuple[str, list[Plan]] | None:
    parts = [s is not None and s.is_partial() for s in states]
    whole = [s is None or s.is_replicate() for s in states]
    if name in _MOVES or _is_view(name):
        return (
            (kind, ["parts" if p else "each" for p in parts])
            if all(p or s is None for p, s in zip(parts, states))
            else None
        )
    if kind not in KEEP or not all(p or w for p, w in zip(parts, whole)):
        return None
    if name in _LINEAR:
        return kind, ["parts" if p else "each" for p in parts]
    if name == "mul" and sum(parts) == 1:
        return kind, ["parts" if p else "each" for p in parts]
    if name == "div" and parts[0] and sum(parts) == 1 and tuple(static) == (None,):
        return kind, ["parts" if p else "each" for p in parts]
    if name in ("add", "sub") and len(states) == 2 and not any(s is None for s in states):
        return kind, ["parts" if p else ("first" if kind == "sum" else "each") for p in parts]
    if name in _PRODUCTS and parts[0] and not any(parts[1:]):
        plans: list[Plan] = ["parts", "each"]
        return kind, plans + ["first" if kind == "sum" else "each"] * (len(states) - 2)
    if (
        name == "nn.functional.pad"
        and static[1] == "constant"
        and all(s is None or p for s, p in zip(states, parts))
    ):
        return kind, ["parts" if p else "each" for p in parts]
    return None


def _made(
    name: str,
    static: Sequence[Any],
    inputs: Sequence[Any],
    shapes: Sequence[tuple[int, ...]],
    states: Sequence[Any],
    n: int,
) -> tuple[str, list[Plan]] | None:
    narrow = [x.dtype.itemsize < 4 for x in inputs if isinstance(x, Aval) and x.dtype.is_floating_point]
    if any(narrow):  # each part would be rounded, where the whole is rounded once
        return None
    if name in _REDUCES:
        d = states[0].dim if states[0] is not None and states[0].is_shard() else None
        if d is None or shapes[0][d] % n or d not in _reduced(static[0], len(shapes[0])):
            return None
        return _REDUCES[name], [("cut", d)]
    if name == "norm" and static[0] == (str, "fro") and states[0].is_shard() and static[3] is None:
        d = states[0].dim
        if not shapes[0][d] % n and d in _reduced(static[1], len(shapes[0])):
            return "norm", [("cut", d)]
        return None
    if name in _PRODUCTS:
        return _product(name, shapes, states, n)
    if (
        name == "nn.functional.embedding"
        and states[0].is_replicate()
        and states[1].is_shard(0)
        and shapes[1] == inputs[1].shape
        and shapes[1][0] % n == 0
    ):
        return "sum", [("ids", shapes[1][0] // n), ("rows", 0)]
    return None


NEEDS_WHOLE_FIRST = {
    "nn.functional.softmax", "nn.functional.log_softmax", "softmax", "log_softmax", "nn.functional.layer_norm", "nn.functional.rms_norm",
    "nn.functional.group_norm", "var", "std", "var_mean", "std_mean", "sort", "topk", "argmax", "argmin", "cumsum", "cumprod", "max", "min", "median",
    "flip", "roll", "slice", "narrow", "select", "nn.functional.pad", "nn.functional.max_pool2d", "nn.functional.avg_pool2d", "logsumexp",
    "nn.functional.scaled_dot_product_attention",
}  # fmt: skip
"""Ops whose inputs are gathered first where they are cut along what the op goes along: one collective, where XLA would
take several."""


def _reduced(dims: Any, ndim: int) -> set[int]:
    if dims is UNSET or dims is None or dims == ():
        return set(range(ndim))
    if isinstance(dims, int):
        dims = (dims,)
    return {d % max(ndim, 1) for d in dims} if isinstance(dims, tuple) else set()


def _product(
    name: str, shapes: Sequence[tuple[int, ...]], states: Sequence[Any], n: int
) -> tuple[str, list[Plan]] | None:
    left, right = shapes[0], shapes[1]
    at = len(left) - 1, (1 if name.endswith("linear") else max(len(right) - 2, 0))
    if len(right) < 2 or not left or left[-1] % n:
        return None
    cut = [s.is_shard(d) for s, d in zip(states, at)]
    if not any(cut) or not all(c or s.is_replicate() for c, s in zip(cut, states)):
        return None
    if any(s is not None and not s.is_replicate() for s in states[2:]):
        return None
    return "sum", [("cut", at[0]), ("cut", at[1]), *["first"] * (len(shapes) - 2)]


def parts_of(x: Any, plan: Plan, n: int) -> tuple[Any, int | None]:
    """An input as its parts, and the axis that tells them apart: None where all have the same."""
    if plan == "parts":
        return x, 0
    if plan == "each":
        return x, None
    if plan == "first":
        first = jnp.arange(n).reshape((n,) + (1,) * x.ndim) == 0
        return jnp.where(first, x[None], jnp.zeros((), x.dtype)), 0
    if plan[0] == "ids":  # of rows that another part has: a row of zeros behind its own
        rows = plan[1]
        at = jnp.where(x < 0, x + rows * n, x)[None] - (jnp.arange(n) * rows).reshape(
            (n,) + (1,) * x.ndim
        ).astype(x.dtype)
        return jnp.where((at >= 0) & (at < rows), at, jnp.asarray(rows, x.dtype)), 0
    d = plan[1]
    if plan[0] == "rows":
        parts = x.reshape(n, x.shape[0] // n, *x.shape[1:])
        return jnp.pad(parts, [(0, 0), (0, 1)] + [(0, 0)] * (x.ndim - 1)), 0
    shape = (*x.shape[:d], n, x.shape[d] // n, *x.shape[d + 1 :])
    return jnp.moveaxis(x.reshape(shape), d, 0), 0


def joined(x: Any, kind: str) -> Any:
    """The parts along the first axis as one array."""
    if kind == "sum":
        return jnp.sum(x, 0, dtype=x.dtype)
    if kind == "avg":
        return (jnp.sum(x, 0, dtype=x.dtype) / x.shape[0]).astype(x.dtype)
    if kind == "product":
        return jnp.prod(x, 0, dtype=x.dtype)
    if kind == "norm":
        return _norm(x)
    return jnp.max(x, 0) if kind == "max" else jnp.min(x, 0)


def _norm(x: Any) -> Any:
    """The norm along the first axis, of numbers whose squares may be too large; negative where the first is, so that
    any number can be written to a norm."""
    most = jnp.max(jnp.abs(x), 0)
    unit = jnp.where((most > 0) & jnp.isfinite(most), most, 1)
    return jnp.where(x[0] < 0, -unit, unit) * jnp.sqrt(jnp.sum(jnp.square(x / unit), 0, dtype=x.dtype))


def spread(x: Any, kind: str, n: int) -> Any:
    """Parts that make this array: it and zeros, it and ones, or all the same."""
    if kind in ("sum", "product", "norm"):
        first = jnp.arange(n).reshape((n,) + (1,) * x.ndim) == 0
        return jnp.where(first, x[None], jnp.asarray(kind == "product", x.dtype))
    return jnp.broadcast_to(x[None], (n, *x.shape))


def mapped(fn: Callable[..., list], plans: Sequence[list[Plan]], sizes: Sequence[int]) -> Callable[..., list]:
    """`fn` of an op's arrays, mapped over the parts along some dimensions of the mesh, the first one outermost."""
    if not plans:
        return fn
    inner = mapped(fn, plans[1:], sizes[1:])

    def outer(*arrays: Any) -> list:
        pairs = [parts_of(x, plan, sizes[0]) for x, plan in zip(arrays, plans[0])]
        return jax.vmap(inner, in_axes=tuple([axis for _, axis in pairs]))(*[x for x, _ in pairs])

    return outer


def after(shape: tuple[int, ...], plan: Plan, n: int) -> tuple[int, ...]:
    """The shape of a part."""
    if plan[0] == "cut":
        return (*shape[: plan[1]], shape[plan[1]] // n, *shape[plan[1] + 1 :])
    return (shape[0] // n + 1, *shape[1:]) if plan[0] == "rows" else shape


def is_number(x: Any) -> bool:
    """Returns whether an input of an op is a Python number, or stands for one."""
    return not isinstance(x, Aval) or x.weak
