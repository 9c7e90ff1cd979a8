"""A while loop that JAX differentiates in both modes and to every order; its own can be differentiated forwards only.

A derivative of a loop is made of loops again: forwards, one that carries the tangents too; in reverse, one that keeps some states, and one
that goes through them from the end. So each is built with the derivatives that will be taken of it in turn, which the levels
around it tell: "r" for reverse and "f" for forward mode, the innermost first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .._core.apply import read
from .._core.levels import n_explicit, reached_inputs
from .._core.recorder import FORWARD_KINDS, state
from .._core.tensor import Tensor

__all__ = ["KEPT", "MODES", "derivatives_to_come", "differentiable_while"]

KEPT = 32
"""States of a loop that its reverse pass keeps: the step k is reached again from the kept state before it."""

MODES = dict.fromkeys(FORWARD_KINDS, "f") | {"grad": "r", "vjp": "r", "jacrev": "r", "hessian": "rf"}
"""The modes of the transforms, by the kinds of their levels."""
TAPE = "rrrr"
"""What a tape may be asked for: each order makes the loops of its derivative when it is taken, so that a high bound costs nothing."""


def derivatives_to_come(inputs: Sequence[Any]) -> str:
    """The modes, innermost first, of the derivatives that may be taken of an op of these tensors at the level on top."""
    rec, found = state.rec, ""
    tensors = [t for t in inputs if isinstance(t, Tensor)]
    while rec.level:
        if state.grad and any(t._edge is not None for t in tensors):
            found += "r"  # it is on the tape of the level
        reached = set().union(*[reached_inputs(rec, read(t)) for t in tensors]) if tensors else set()
        if any(i < n_explicit(rec) for i in reached):
            found += MODES.get(rec.kind, "")
        tensors = [t for t in (rec.inputs[i] for i in sorted(reached)) if isinstance(t, Tensor)]
        rec = rec.outer
    return found + TAPE if any(t._edge is not None for t in tensors) else found


Test = Callable[[tuple, tuple], Any]
Step = Callable[[tuple, tuple], tuple]


def differentiable_while(test: Test, step: Step, n: int, orders: str) -> Callable[..., tuple]:
    """f(*carried, *captured) -> carried, the first n of its arguments, after step(carried, captured) while test(carried, captured).

    orders: the derivatives that will be taken, as `derivatives_to_come` tells.
    """

    def plain(*arrays):
        captured = arrays[n:]
        return jax.lax.while_loop(
            lambda s: test(s, captured), lambda s: tuple(step(s, captured)), tuple(arrays[:n])
        )

    if not orders:
        return plain
    return (_forward if orders[0] == "f" else _reverse)(test, step, n, orders[1:], plain)


def _inexact(arrays: Sequence) -> list[int]:
    return [i for i, x in enumerate(arrays) if jnp.issubdtype(x.dtype, jnp.inexact)]


def _replaced(arrays: Sequence, at: Sequence[int], new: Sequence) -> tuple:
    out = list(arrays)
    for i, x in zip(at, new):
        out[i] = x
    return tuple(out)


def _forward(test: Test, step: Step, n: int, orders: str, plain: Callable) -> Callable:
    """With the rule of forward mode: a loop that carries the tangents after what was carried."""
    if not orders:
        return plain  # JAX does it
    f = jax.custom_jvp(plain)
    alone = differentiable_while(test, step, n, orders)

    def jvp(arrays, tangents):
        carried, captured = arrays[:n], arrays[n:]
        moved, more = _inexact(carried), _inexact(captured)
        k = len(captured)

        def both(s, c):
            def some(chosen, extra):
                out = step(_replaced(s[:n], moved, chosen), _replaced(c[:k], more, extra))
                return [out[i] for i in moved], out

            _, pushed, out = jax.jvp(
                some,
                ([s[i] for i in moved], [c[i] for i in more]),
                (list(s[n:]), list(c[k:])),
                has_aux=True,
            )
            return (*out, *pushed)

        run = differentiable_while(lambda s, c: test(s[:n], c[:k]), both, n + len(moved), orders)
        out = run(*carried, *[tangents[i] for i in moved], *captured, *[tangents[n + i] for i in more])
        given = iter(out[n:])
        # The results once more, by themselves: a linearization needs those that do not depend on tangents.
        return alone(*arrays), tuple(
            [
                next(given) if i in moved else np.zeros(x.shape, jax.dtypes.float0)
                for i, x in enumerate(carried)
            ]
        )

    f.defjvp(jvp)
    return f


def _reverse(test: Test, step: Step, n: int, orders: str, plain: Callable) -> Callable:
    """With the rule of reverse mode. It needs the number of steps, which is counted besides."""
    f = jax.custom_vjp(plain)
    counted = differentiable_while(
        lambda s, c: test(s[:n], c), lambda s, c: (*step(s[:n], c), s[n] + jnp.uint32(1)), n + 1, orders
    )

    def forward(*arrays):
        out = counted(*arrays[:n], jnp.uint32(0), *arrays[n:])
        return out[:n], (arrays, out[n])

    def backward(saved, cotangents):
        arrays, count = saved
        carried, captured = arrays[:n], arrays[n:]
        moved, wanted = _inexact(carried), _inexact(captured)
        m = len(moved)
        stride = jnp.maximum((count + jnp.uint32(KEPT - 1)) // jnp.uint32(KEPT), jnp.uint32(1))

        def keep(s, c):
            """(state, k, kept states) one step on; captured: count, stride, the loop's own."""
            now, k, kept = s[:n], s[n], s[n + 1 :]
            at = k // c[1]
            kept = [jnp.where(k % c[1] == 0, x.at[at].set(y), x) for x, y in zip(kept, now)]
            return (*step(now, c[2:]), k + jnp.uint32(1), *kept)

        empty = [jnp.zeros((KEPT, *x.shape), x.dtype) for x in carried]
        first_pass = differentiable_while(lambda s, c: s[n] < c[0], keep, 2 * n + 1, orders)
        kept = first_pass(*carried, jnp.uint32(0), *empty, count, stride, *captured)[n + 1 :]

        to_step = differentiable_while(
            lambda s, c: s[n] < c[0], lambda s, c: (*step(s[:n], c[1:]), s[n] + jnp.uint32(1)), n + 1, orders
        )

        def back(s, c):
            """(k, cotangents, totals) one step back; captured: stride, kept states, the loop's own."""
            stride, kept, captured = c[0], c[1 : n + 1], c[n + 1 :]
            k = jnp.maximum(s[0], jnp.uint32(1)) - jnp.uint32(
                1
            )  # under vmap, examples that are done come by still
            near = k // stride
            now = to_step(*[x[near] for x in kept], near * stride, k, *captured)[:n]

            def some(chosen, extra):
                out = step(_replaced(now, moved, chosen), _replaced(captured, wanted, extra))
                return [out[i] for i in moved]

            _, pull = jax.vjp(some, [now[i] for i in moved], [captured[i] for i in wanted])
            cts, more = pull(list(s[1 : m + 1]))
            return (k, *cts, *[a + b for a, b in zip(s[m + 1 :], more)])

        second_pass = differentiable_while(lambda s, c: s[0] > 0, back, 1 + m + len(wanted), orders)
        totals = [jnp.zeros_like(captured[i]) for i in wanted]
        out = second_pass(count, *[cotangents[i] for i in moved], *totals, stride, *kept, *captured)
        found: list[Any] = [None] * len(arrays)
        for i, ct in zip(moved, out[1:]):
            found[i] = ct
        for i, ct in zip(wanted, out[m + 1 :]):
            found[n + i] = ct
        return tuple(found)

    f.defvjp(forward, backward)
    return f
