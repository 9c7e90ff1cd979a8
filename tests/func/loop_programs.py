"""Random programs with loops, nested up to three deep, written twice: with scan, map, while_loop and cond, and as
Python's loops.

A program maps a vector to a vector. `build(lib, loops, seed)` makes the same function for each way to loop (`AsOps`,
`Unrolled`) and, unrolled, for each library with torch's names. What it is made of is in `nesting.OPS`; bodies use
tensors from outside.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from .nesting import OPS

Function = Callable[[Any], Any]
MAX_DEPTH = 3


class AsOps:
    """Loops as ops of the library."""

    @staticmethod
    def scan(lib, body: Callable, carry, xs):
        from functorch_lite._higher_order_ops import scan

        return scan(body, carry, xs)

    @staticmethod
    def map(lib, body: Callable, xs):
        from functorch_lite._higher_order_ops import map

        return map(body, xs)

    @staticmethod
    def repeat(lib, body: Function, n: int, x):
        from functorch_lite._higher_order_ops import while_loop

        return while_loop(lambda k, _: k < n, lambda k, x: (k + 1, body(x)), (lib.array(0), x))[1]

    @staticmethod
    def cond(lib, pred, yes: Function, no: Function, x):
        from functorch_lite import cond

        return cond(pred, yes, no, (x,))


class Unrolled:
    """The same by Python."""

    @staticmethod
    def scan(lib, body: Callable, carry, xs):
        ys = []
        for x in xs:
            carry, y = body(carry, x)
            ys.append(y)
        return carry, lib.stack(ys, 0)

    @staticmethod
    def map(lib, body: Callable, xs):
        return lib.stack([body(x) for x in xs], 0)

    @staticmethod
    def repeat(lib, body: Function, n: int, x):
        for _ in range(n):
            x = body(x)
        return x

    @staticmethod
    def cond(lib, pred, yes: Function, no: Function, x):
        return lib.where(pred, yes(x), no(x))


def block(lib, loops, rng: random.Random, depth: int) -> Callable:
    """A function (h, x) -> h of one op, or of a loop around some."""
    kind = rng.choice(("op", "scan", "map", "repeat", "cond")) if depth else "op"
    c = rng.uniform(-1.0, 1.0)
    if kind == "op":
        step = rng.choice(OPS)
        return lambda h, x: lib.tanh(step(lib, h, x, c))
    inner = [block(lib, loops, rng, depth - 1) for _ in range(rng.randint(1, 2))]

    def run(h, x):
        for f in inner:
            h = f(h, x)
        return h

    if kind == "scan":

        def by_scan(h, x):
            def body(carry, row):
                out = run(carry * c + row, x)
                return out, lib.sin(carry) * out + lib.cos(x)  # the last: the same in every step

            carry, ys = loops.scan(lib, body, h, lib.stack([x, h * x], 0))
            return carry + lib.sum(ys, 0)

        return by_scan
    if kind == "map":
        return lambda h, x: lib.sum(
            loops.map(lib, lambda row: run(row * h, x) * lib.sin(h), lib.stack([x, h], 0)), 0
        )
    if kind == "repeat":
        return lambda h, x: loops.repeat(lib, lambda a: run(a, x) + c * h, 2, h)
    return lambda h, x: loops.cond(lib, lib.sum(h) > c, lambda a: run(a, x), lambda a: lib.sin(a) * x, h)


def build(lib, loops, seed: int) -> Function:
    """The function of a vector that this seed stands for."""
    rng = random.Random(seed)
    blocks = [block(lib, loops, rng, MAX_DEPTH if seed % 2 else 1) for _ in range(2 if seed % 2 else 1)]

    def f(x):
        h = lib.sin(x)
        for b in blocks:
            h = b(h, x)
        return h

    return f
