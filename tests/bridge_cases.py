"""JAX functions for `tests.bridge`: of everything that JAX is used for beside torch, each with arguments that it is
smooth at.

A case's first argument, a tree, is what it is differentiated by and mapped over. `modes` says how JAX differentiates
it: forward ("f"), reverse ("r"), both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax
from jax.scipy import linalg, special

__all__ = ["CASES", "SHORT", "Case"]


class Case(NamedTuple):
    """A JAX function at arguments: `args[0]` is a tree of NumPy's arrays, the others are anything that `jax_function`
    takes."""

    fn: Callable
    args: tuple
    modes: str = "fr"
    order: int = 3
    """How many times it is differentiated."""
    rtol: float = 1e-8
    options: dict = {}
    """Of jax_function."""


_random = np.random.default_rng(0)
_uniform = _random.random


def _matrix(n: int = 3) -> np.ndarray:
    """A matrix that is well conditioned, with eigenvalues apart from each other."""
    return np.diag(np.arange(1.0, n + 1)) + 0.2 * _uniform((n, n))


def _symmetric(x):
    return (x + x.T) / 2


class Point(NamedTuple):
    """A named tuple in and out."""

    x: Any
    y: Any


# -- rules of their own ------------------------------------------------------------------------------------------------


@jax.custom_jvp
def tripled(x):
    """sin, with a derivative that is not its own, so that it shows whether the rule is used."""
    return jnp.sin(x)


@tripled.defjvp
def _(primals, tangents):
    (x,), (t,) = primals, tangents
    return tripled(x), 3 * jnp.cos(x) * t


@jax.custom_vjp
def halved(x, w):
    """x * w * w, with half of its gradient."""
    return x * w * w


halved.defvjp(
    lambda x, w: (x * w * w, (x, w)), lambda saved, g: (g * saved[1] ** 2 / 2, g * saved[0] * saved[1])
)


@jax.custom_vjp
def clipped(x):
    """x, whose gradient is kept within 0.5."""
    return x * 1.0


clipped.defvjp(lambda x: (x * 1.0, None), lambda _, g: (jnp.clip(g, -0.5, 0.5),))


# -- loops -------------------------------------------------------------------------------------------------------------


def recurrent(p, xs):
    """A recurrent net: a scan over steps."""

    def step(h, x):
        h = jnp.tanh(p["w"] @ h + p["u"] @ x)
        return h, h.sum()

    return lax.scan(step, jnp.zeros(p["w"].shape[0], p["w"].dtype), xs)


def powers_by_fori(x):
    """A loop of known length, which JAX differentiates both ways."""
    return lax.fori_loop(0, 4, lambda i, y: y * jnp.sin(x) + i, x)


def newton(x):
    """A square root by Newton's method, until it stands still: a loop that JAX differentiates forward only."""

    def step(state):
        y, _ = state
        new = (y + x / y) / 2
        return new, jnp.abs(new - y).max()

    return lax.while_loop(lambda state: state[1] > 1e-14, step, (x, jnp.asarray(1.0, x.dtype)))[0]


def ruled_scan(x):
    """A function with a rule of its own in the body of a scan."""
    return lax.scan(lambda c, _: (tripled(c) + 0.5, c), x, None, length=3)


def root(a):
    """The x with x**3 + a * x == 1, by bisection: differentiated by the implicit function theorem."""

    def solve(f, guess):
        def halve(_, ends):
            low, high = ends
            middle = (low + high) / 2
            below = f(middle) < 0
            return jnp.where(below, middle, low), jnp.where(below, high, middle)

        low, high = lax.fori_loop(0, 60, halve, (jnp.zeros_like(guess), jnp.ones_like(guess)))
        return (low + high) / 2

    return lax.custom_root(
        lambda x: x**3 + a * x - 1, jnp.full_like(a, 0.5), solve, lambda g, y: y / g(jnp.ones_like(y))
    )


def perceptron(p, x):
    """Two layers, their parameters in a dict of tuples."""
    (w, b), (v, c) = p["first"], p["second"]
    return {"out": jax.nn.softplus(x @ w + b) @ v + c, "norms": [jnp.sum(w * w), jnp.sum(v**2)]}


def reduced(x, axis, how):
    """What is static decides what is computed."""
    return {"sum": jnp.sum, "max": jnp.max}[how](x**3, axis=axis)


def drawn(p, key):
    """Draws from a normal distribution, differentiated by its parameters."""
    return p["mean"] + jnp.exp(p["log"]) * jax.random.normal(key, (4,), p["mean"].dtype)


_bfloat16 = _uniform((4, 3)).astype(ml_dtypes.bfloat16)

CASES: dict[str, Case] = {
    # linear algebra
    "solve": Case(lambda a, b: jnp.linalg.solve(a, b), (_matrix(), _uniform((3, 2)))),
    "inv": Case(jnp.linalg.inv, (_matrix(),)),
    "det": Case(jnp.linalg.det, (_matrix(),)),
    "slogdet": Case(lambda a: tuple(jnp.linalg.slogdet(a)), (_matrix(),)),
    "cholesky": Case(lambda a: jnp.linalg.cholesky(a @ a.T + jnp.eye(3)), (_matrix(),)),
    "eigvalsh": Case(lambda a: jnp.linalg.eigvalsh(_symmetric(a)), (_matrix(),), rtol=1e-6),
    "eigh": Case(lambda a: jnp.abs(jnp.linalg.eigh(_symmetric(a))[1]), (_matrix(),), rtol=1e-6),
    "singular values": Case(lambda a: jnp.linalg.svd(a, compute_uv=False), (_matrix(),), rtol=1e-6),
    "qr": Case(lambda a: jnp.linalg.qr(a)[1], (_matrix(),), rtol=1e-7),
    "pinv": Case(jnp.linalg.pinv, (_matrix()[:, :2],), rtol=1e-7),
    "expm": Case(linalg.expm, (_matrix() / 4,), rtol=1e-7),
    "solve_triangular": Case(lambda a: linalg.solve_triangular(a, jnp.ones(3), lower=True), (_matrix(),)),
    "einsum": Case(lambda x, y: jnp.einsum("ij,jk,ik->i", x, y, x), (_uniform((2, 3)), _uniform((3, 3)))),
    "conjugate gradients": Case(
        lambda a, b: jax.scipy.sparse.linalg.cg(lambda x: a @ (a.T @ x) + x, b, tol=1e-14)[0],
        (_matrix(), _uniform(3)), order=2, rtol=1e-6,
    ),
    # special functions
    "i0": Case(special.i0, (_uniform(3),)),
    "gammaln": Case(special.gammaln, (1 + _uniform(3),)),
    "digamma": Case(special.digamma, (1 + _uniform(3),), order=2),
    "log_ndtr": Case(special.log_ndtr, (_uniform(3) - 2,)),
    "erfinv": Case(special.erfinv, (_uniform(3) / 2,)),
    "betainc": Case(lambda x: special.betainc(2.0, 1.5, x), (_uniform(3) / 2,)),
    "logsumexp": Case(lambda x: special.logsumexp(x, axis=-1), (_uniform((2, 3)),)),
    # loops and branches
    "recurrent net": Case(recurrent, ({"w": _uniform((3, 3)), "u": _uniform((3, 2))}, _uniform((4, 2)))),
    "associative_scan": Case(lambda x: lax.associative_scan(jnp.multiply, x), (1 + _uniform(4),)),
    "fori_loop": Case(powers_by_fori, (_uniform(3),)),
    "while_loop": Case(newton, (1 + _uniform(3),), modes="f"),
    "map": Case(lambda x: lax.map(lambda r: jnp.outer(r, r).sum() * jnp.sin(r), x), (_uniform((3, 2)),)),
    "cond": Case(lambda x: lax.cond(x.sum() > 0, jnp.sin, jnp.cos, x) * x, (_uniform(3),)),
    "custom_root": Case(root, (1 + _uniform(3),), order=2, rtol=1e-6),
    "checkpoint": Case(jax.checkpoint(lambda x: jnp.sin(jnp.exp(jnp.sin(x)))), (_uniform(3),)),
    # rules
    "custom_jvp": Case(tripled, (_uniform(3),)),
    # JAX 0.10 forgets the rule from the second derivative on
    "custom_jvp in a scan": Case(ruled_scan, (_uniform(3),), order=1),
    "custom_vjp": Case(lambda p: halved(p["x"], p["w"]), ({"x": _uniform(3), "w": _uniform(3)},), modes="r"),
    "custom_vjp that clips": Case(lambda x: clipped(jnp.exp(x)), (_uniform(3),), modes="r"),
    "relu": Case(lambda x: jax.nn.relu(x) ** 2 + jax.nn.gelu(x), (_uniform(4) - 0.5,)),
    # trees
    "perceptron": Case(
        perceptron,
        ({"first": (_uniform((3, 4)), _uniform(4)), "second": (_uniform((4, 2)), _uniform(2))}, _uniform((2, 3))),
    ),
    "named tuples": Case(lambda p: Point(p.y * jnp.sin(p.x), (p.x**3,)), (Point(_uniform(3), _uniform(3)),)),
    # integers in and out
    "argsort": Case(lambda x: (jnp.argsort(x), jnp.sort(x) ** 3), (_uniform(5),)),
    "top_k": Case(lambda x: lax.top_k(x * x, 2), (_uniform((2, 4)),)),
    "gather": Case(lambda x, i: jnp.sin(x)[i], (_uniform(5), np.array([3, 0, 3]))),
    "segment_sum": Case(lambda x, i: jax.ops.segment_sum(x**3, i, 3), (_uniform(5), np.array([0, 2, 2, 0, 1]))),
    # dtypes
    "float32": Case(lambda x, y: jnp.tanh(x) @ y, (_uniform((2, 3)).astype("f"), _uniform((3, 2)).astype("f")), rtol=1e-5),
    "bfloat16": Case(lambda x, y: jnp.sin(x) @ y, (_bfloat16, _uniform((3, 2)).astype(ml_dtypes.bfloat16)), rtol=2e-2),
    "bfloat16 to float32": Case(lambda x: jnp.sum(x.astype(jnp.float32) ** 3), (_bfloat16,), rtol=2e-2),
    "complex": Case(lambda z: jnp.exp(1j * z) * z.conj(), (_uniform(3) + 1j * _uniform(3),)),
    "complex linear algebra": Case(
        lambda z: jnp.linalg.solve(z, z.conj().T) @ z, (_matrix() + 0.3j * _matrix(),), rtol=1e-7
    ),
    "fft": Case(lambda x: jnp.abs(jnp.fft.fft(x)) ** 2, (_uniform(5),)),
    "real to complex": Case(lambda x: jnp.fft.rfft(jnp.sin(x)), (_uniform(5),)),
    # static arguments, numbers, keys
    "static arguments": Case(reduced, (_uniform((2, 3)), 1, "sum"), options={"static_argnames": "how"}),
    "numbers": Case(lambda x, s, n: x**n * s, (_uniform(3).astype("f"), 2.5, 3), rtol=1e-5),
    "random": Case(drawn, ({"mean": _uniform(4), "log": _uniform(4)}, np.array([0, 7], np.uint32))),
    "typed key": Case(drawn, ({"mean": _uniform(4), "log": _uniform(4)}, jax.random.key(3))),
    "jit and vmap inside": Case(jax.jit(jax.vmap(lambda r: jnp.outer(r, jnp.cos(r)))), (_uniform((2, 3)),)),
    "convolution": Case(
        lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME") ** 2, (_uniform((1, 2, 4, 4)), _uniform((2, 2, 3, 3)))
    ),
}  # fmt: skip

SHORT = (
    "solve", "i0", "recurrent net", "while_loop", "custom_jvp", "custom_vjp", "named tuples", "argsort", "bfloat16", "complex",
    "static arguments", "typed key",
)  # fmt: skip
"""Those that `make test` looks at."""
