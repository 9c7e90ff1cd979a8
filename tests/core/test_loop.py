"""The primitive of while loops: its derivatives in every mix of modes, mapped before or after, are those of the loop
written out."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import jaxpr_as_fun

from functorch_lite._core.jaxprs.walk import calls
from functorch_lite._core.lazy.applied import tracing
from functorch_lite._core.lazy.loop.joining import join_loops
from functorch_lite._core.lazy.loop.while_loop import while_loop

X = np.array([0.4, -0.9, 1.3])
V = np.array([0.7, 0.2, -0.5])


def powers(x, n):
    """A loop in a loop: the inner one of as many steps as the outer has done.

    The first carried depends on x from step to step only."""

    def inner(s, c):
        y, k = s
        return jnp.sin(y * c[0]) + c[1], k + np.uint32(1)

    def outer(s, c):
        y, z, k = s
        (y, _) = while_loop(lambda s, c: s[1] < c[2], inner, [z + y, np.uint32(0)], [c[0], c[0] * y, k])
        return y, z * c[0], k + np.uint32(1)

    start = [jnp.zeros_like(x), jnp.ones_like(x), np.uint32(0)]
    return while_loop(lambda s, c: s[2] < c[1], outer, start, [x, jnp.uint32(n)])[0]


def written_out(x, n):
    y, z = jnp.zeros_like(x), jnp.ones_like(x)
    for k in range(n):
        start, y = y, z + y
        for _ in range(k):
            y = jnp.sin(y * x) + x * start
        z = z * x
    return y


def along(f, order, v):
    """Σ f and its derivatives along v, in the modes of the letters, the innermost first."""

    def number(x):
        return f(x).sum()

    for mode in order:
        if mode == "r":
            number = (lambda g: lambda x: (jax.grad(g)(x) * v).sum())(number)
        else:
            number = (lambda g: lambda x: jax.jvp(g, (x,), (v,))[1])(number)
    return number


def compare(made, *args):
    """What `made` makes of the loop and of the loop written out, run."""
    with tracing():
        joined = join_loops(jax.make_jaxpr(made(powers))(*args))
        found, expected = jax.jit(jaxpr_as_fun(joined))(*args)[0], jax.jit(made(written_out))(*args)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("order", ["r", "f", "rf", "fr", "ffr", "rff", "rrr"])
def test_modes(order):
    compare(lambda f: along(lambda x: f(x, 3), order, V), X)


@pytest.mark.parametrize("order", ["r", "fr"])
def test_mapped_before_and_after(order):
    rows = np.stack([X, X * 0.5])
    compare(lambda f: along(jax.vmap(lambda x: f(x, 3)), order, np.stack([V, X])), rows)
    compare(lambda f: jax.vmap(lambda x, v: along(lambda x: f(x, 3), order, v)(x), (None, 0)), X, rows)


@pytest.mark.parametrize("order", ["r", "rf"])
def test_examples_with_steps_of_their_own(order):
    """Those that are done give no NaN: here, the root of what is negative."""

    def loop(x, n):
        def step(s, c):
            return jnp.sqrt(s[0] - c[0]), s[1] + np.uint32(1)

        return while_loop(lambda s, c: s[1] < c[1], step, [x * x, np.uint32(0)], [x, n])[0]

    def plain(x, n):
        y = x * x
        for _ in range(n):
            y = jnp.sqrt(y - x)
        return y

    at, steps = np.array([3.0, 0.5, 2.0]), np.array([1, 0, 1], np.uint32)
    with tracing():
        expected = sum(along(lambda x, n=n: plain(x, n), order, 1.0)(x) for x, n in zip(at, steps.tolist()))
        after = jax.vmap(lambda x, n: along(lambda x: loop(x, n), order, 1.0)(x))(at, steps)
        before = along(lambda x: jax.vmap(loop)(x, steps), order, np.ones(3))(at)
        np.testing.assert_allclose([before, after.sum()], expected, rtol=1e-9)


def simple(x, w, n=3):
    """Two that are carried, one captured that is used in every step."""

    def step(s, c):
        h, a, k = s
        return jnp.sin(h * c[0]) * a + h * h * 0.1, a + h * c[0][0], k + np.uint32(1)

    h, a, _ = while_loop(lambda s, c: s[2] < n, step, [x, x * 0.3, np.uint32(0)], [w])
    return h + a


def simple_written_out(x, w, n=3):
    a, h = x * 0.3, x
    for _ in range(n):
        h, a = jnp.sin(h * w) * a + h * h * 0.1, a + h * w[0]
    return h + a


@pytest.mark.parametrize("order", ["rr"])
def test_what_mapped_loops_share_gets_the_sum(order):
    """Mapped along one argument each, twice: cotangents and second derivatives of what the examples share."""

    def made(f):
        def rows(x):
            def cell(s, q):
                return f(x * s, jnp.cos(x) * q)

            return jax.vmap(lambda s: jax.vmap(lambda q: cell(s, q))(X[:2]))(X)

        return along(rows, order, V)

    with tracing():
        found, expected = (jax.jit(made(f))(X) for f in (simple, simple_written_out))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_each_order_doubles_the_program():
    """What an order compiles is at most four times what the order before it does, also of a loop in a loop."""

    def size(f, order):
        return jax.jit(along(f, order, V)).lower(X).as_text().count("stablehlo.")

    def nested(x):
        def step(s, c):
            return simple(s[0], c[0]), s[1] + np.uint32(1)

        return while_loop(lambda s, c: s[1] < 2, step, [x, np.uint32(0)], [x])[0]

    with tracing():
        for f in (lambda x: simple(x, x), nested):
            first, second, third = (size(f, order) for order in ("r", "rr", "rrr"))
            assert second < 4 * first
            assert third < 4 * second


@jax.custom_vjp
def aligned(x, w):
    """x w, whose backward takes other weights than w: no derivative of anything, and its derivative is not
    symmetric."""
    return x * w


aligned.defvjp(lambda x, w: (aligned(x, w), (x, w)), lambda saved, ct: (ct * 0.5, ct * saved[0]))


def test_second_derivatives_of_a_rule_that_is_no_derivative():
    def loop(x, w):
        return while_loop(
            lambda s, c: s[1] < 2,
            lambda s, c: (jnp.sin(aligned(s[0], c[0])), s[1] + np.uint32(1)),
            [x, np.uint32(0)],
            [w],
        )[0]

    def plain(x, w):
        for _ in range(2):
            x = jnp.sin(aligned(x, w))
        return x

    def second(f):
        def first(x, w):
            return sum((g * v).sum() for g, v in zip(jax.grad(lambda *a: f(*a).sum(), (0, 1))(x, w), (V, X)))

        return jax.jit(jax.grad(first, (0, 1)))(X, V)

    with tracing():
        for found, expected in zip(second(loop), second(plain)):
            np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_a_reverse_pass_over_more_steps_than_states_are_kept():
    def loop(x):
        def step(s, c):
            return s[0] * c[0], s[1] + np.uint32(1)

        return while_loop(lambda s, c: s[1] < 75, step, [jnp.ones_like(x), np.uint32(0)], [x])[0]

    at = np.array([0.99, 1.01])
    with tracing():
        for order, factor in (("r", 75), ("rf", 75 * 74)):
            found = jax.jit(along(loop, order, np.array([1.0, 0.0])))(at)
            np.testing.assert_allclose(found, factor * at[0] ** (75 - len(order)), rtol=1e-12)


def test_forward_mode_is_one_loop():
    """Besides the tangents it carries the values; also when only the tangents are mapped, and in the body of another
    loop."""

    def has_two(f, *args):
        return calls(join_loops(jax.make_jaxpr(f)(*args)).jaxpr, {"pushed_loop"})

    with tracing():
        assert not has_two(lambda x, v: jax.jvp(lambda x: powers(x, 3), (x,), (v,)), X, V)
        assert not has_two(
            lambda x, v: jax.vmap(lambda v: jax.jvp(lambda x: powers(x, 3), (x,), (v,)))(v),
            X,
            np.stack([V, X]),
        )
        assert not has_two(lambda x: along(lambda x: powers(x, 3), "rf", V)(x), X)


def test_what_does_not_move_has_no_tangents():
    """A carried number that does not depend on what is differentiated stays out of the derivative's loop."""

    def f(x):
        def step(s, c):
            return s[0] * c[0] * s[1], s[1] * 0.5, s[2] + np.uint32(1)

        return while_loop(lambda s, c: s[1] > 0.1, step, [x, jnp.float64(1), np.uint32(0)], [x])[0]

    with tracing():
        (eqn,) = join_loops(jax.make_jaxpr(lambda x, v: jax.jvp(f, (x,), (v,)))(X, V)).jaxpr.eqns[-1:]
        assert eqn.primitive.name == "loop" and eqn.params["n"] == 4  # and the tangent of one
