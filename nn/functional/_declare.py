"""Tools that every family here shares: `nn_op`, which declares an op of torch.nn.functional, and argument checks."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from functorch_lite._core.api import ENDS, check, dtypes, op, reads
from functorch_lite.ops._special import mean

nn_op = partial(op, namespace="nn.functional", method=False, out=False)


def of_dims(body: Callable, **options) -> Callable[[Callable], Any]:
    """Declares `body(name, n, ...)` of n dims, which the name ends in: the decorated function, `pool2d`, has the
    docstring and nothing else."""
    parameters = list(inspect.signature(body).parameters.values())[2:]

    def declare(documented: Callable) -> Any:
        name = documented.__name__

        @functools.wraps(documented)
        def fn(*args, **kwargs):
            return body(name, int(name[-2]), *args, **kwargs)

        fn.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return nn_op(fn, **options)

    return declare


def beside(bias, *others):
    """The bias, if given; torch's formula computes its gradient together with the gradients of `others`, which it
    reads."""
    return None if bias is None else reads(bias, *[x for x in others if x is not None], then=ENDS)


def is_float8(x) -> bool:
    """Returns whether `x` has one of the floating point dtypes of a byte."""
    return dtypes.from_numpy(x.dtype).is_float8


def stands_for_number(x) -> bool:
    """Returns whether x is a number, or an array that stands for one that changes."""
    return not hasattr(x, "dtype") or getattr(getattr(x, "aval", None), "weak_type", False)


def broadcasts_to(shape, whole) -> bool:
    """Returns whether an array of `shape` broadcasts to `whole`."""
    return len(shape) <= len(whole) and all(n in (1, m) for n, m in zip(shape[::-1], whole[::-1]))


def check_castable(found, to) -> None:
    """Raises torch's error where a result of dtype `found` would be written into one of dtype `to`, which is less
    general."""
    a, b = dtypes.from_numpy(found), dtypes.from_numpy(to)
    message = f"result type {a.scalar_name} can't be cast to the desired output type {b.scalar_name}"
    check(a.category <= b.category, RuntimeError, message)


def compute(x: jax.Array) -> jax.Array:
    """`x` in the dtype torch computes it in: half precision becomes float32."""
    return x.astype(jnp.float32) if x.dtype in (jnp.float16, jnp.bfloat16) else x


def ntuple(value, n: int, message: str) -> tuple[int, ...]:
    """An int, or a tuple of one or `n` ints, as `n` ints; RuntimeError(message) otherwise."""
    if isinstance(value, int):
        return (value,) * n
    values = tuple(value)
    check(len(values) in (1, n), RuntimeError, message)
    return values * n if len(values) == 1 else values


def shape_text(x) -> str:
    """A shape as torch's error sentences print it: [2, 3]."""
    return "None" if x is None else str(list(getattr(x, "shape", x)))


def reduced(loss: jax.Array, reduction: str) -> jax.Array:
    """`loss` itself, its mean, or its sum."""
    if reduction == "none":
        return loss
    if reduction == "mean":
        return mean(loss)
    if reduction == "sum":
        return jnp.sum(loss)
    raise ValueError(f"{reduction} is not a valid value for reduction")
