"""Rules of differentiation in bodies of scans: a function whose rule is not its code's derivative keeps it, to every
order."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import jaxpr_as_fun

from functorch_lite._core.lazy.loop.rules import keep_rules


@jax.custom_jvp
def by_jvp(x, w, k):
    """sin(x w), with three times its derivative."""
    return jnp.sin(x * w), k + 1


@by_jvp.defjvp
def _by_jvp_jvp(primals, tangents):
    x, w, _ = primals
    slope = 3 * jnp.cos(x * w)
    out = by_jvp(*primals)
    return out, (slope * (w * tangents[0] + x * tangents[1]), np.zeros((), jax.dtypes.float0))


@jax.custom_vjp
def by_vjp(x, w, k):
    """The same by a rule of reverse mode; its code calls another function with a rule."""
    return by_jvp(x, w, k)


def _backward(saved, cts):
    x, w = saved
    slope = 3 * jnp.cos(x * w) * cts[0]
    return slope * w, slope * x, None


by_vjp.defvjp(lambda x, w, k: (by_vjp(x, w, k), (x, w)), _backward)

XS = np.arange(3.0, dtype=np.float32) / 3


def looped(f):
    def step(carry, b):
        x, k, w = carry
        y, k = f(x + b, w, k)
        y, k = jax.lax.cond(b > 0, lambda: f(y, w, k), lambda: (y, k))
        return (y, k, w), f(w, w, k)[0] * x

    def run(x, w):
        (y, _, _), ys = jax.lax.scan(step, (x, jnp.int32(0), w), XS)
        return y + (ys * ys).sum()

    return run


def unrolled(f):
    def run(x, w):
        ys, k = [], jnp.int32(0)
        for b in XS:
            ys.append(f(w, w, k)[0] * x)
            x, k = f(x + b, w, k)
            if b > 0:
                x, k = f(x, w, k)
        return x + sum(y * y for y in ys)

    return run


def kept(f):
    return lambda *args: jaxpr_as_fun(keep_rules(jax.make_jaxpr(f)(*args)))(*args)[0]


@pytest.mark.parametrize(
    ("f", "order"),
    [(by_jvp, "r"), (by_jvp, "rf"), (by_jvp, "fr"), (by_jvp, "rrf"), (by_vjp, "r"), (by_vjp, "rr")],
)
@pytest.mark.parametrize("batched", [False, True])
def test_derivatives_are_those_of_the_unrolled_loop(f, order, batched):
    def derivative(g):
        for mode in order:
            g = (jax.grad if mode == "r" else lambda h: lambda x, w: jax.jvp(h, (x, w), (x, w))[1])(g)
        return g

    x, w = np.float32(0.7), np.float32(1.1)
    with jax.enable_x64(True):
        found, expected = kept(looped(f)), unrolled(f)
        if batched:
            found, expected = (jax.vmap(derivative(g), (0, None)) for g in (found, expected))
            x = np.stack([x, 0.9 * x])
        else:
            found, expected = derivative(found), derivative(expected)
        np.testing.assert_allclose(found(x, w), expected(x, w), rtol=2e-4)


def test_what_has_no_scan_is_left_alone():
    plain = jax.make_jaxpr(lambda x: by_jvp(x, x, jnp.int32(0)))(1.0)
    assert keep_rules(plain) is plain
