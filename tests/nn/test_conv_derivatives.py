"""The convolution's form on CPU and every derivative of it, against JAX's own derivatives of XLA's convolution."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from functorch_lite.nn.functional import _columns, _convolve, conv
from functorch_lite.nn.functional._convolve import Window, convolution, input_gradient

CASES = {
    "valid": ((2, 3, 7, 6), (4, 3, 3, 2), Window((1, 1), ((0, 0), (0, 0)), (1, 1))),
    "strided, dilated, padded": ((2, 3, 7, 6), (4, 3, 3, 2), Window((2, 1), ((1, 1), (0, 2)), (1, 2))),
    "rows left over": ((2, 2, 8, 8), (3, 2, 3, 3), Window((3, 3), ((0, -1), (0, 0)), (1, 1))),
    "one tap": ((3, 2, 5, 5), (4, 2, 1, 1), Window((2, 2), ((1, 1), (0, 0)), (1, 1))),
    "one dim": ((2, 3, 9), (4, 3, 3), Window((2,), ((1, 0),), (2,))),
    "larger kernel": ((2, 3, 2, 3), (4, 3, 4, 3), Window((1, 1), ((3, 2), (1, 4)), (1, 2))),
    "three dims": ((2, 2, 5, 4, 5), (3, 2, 2, 2, 3), Window((1, 2, 1), ((1, 1), (0, 0), (1, 1)), (1, 1, 2))),
}


def by_xla(x, w, window):
    letters = "DHW"[2 - x.ndim :]
    names = ("NC" + letters, "OI" + letters, "NC" + letters)
    return jax.lax.conv_general_dilated(
        x, w, window.stride, window.pads, rhs_dilation=window.dilation, dimension_numbers=names
    )


def arrays(*shapes):
    rng = np.random.default_rng(0)
    return [jnp.asarray(rng.standard_normal(shape)) for shape in shapes]


@pytest.fixture(autouse=True)
def float64():
    with jax.enable_x64(True):
        yield


def agree(ours, theirs, *args):
    same(jax.jit(ours)(*args), jax.jit(theirs)(*args))


def same(got, expected):
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10 * max(1.0, float(jnp.abs(b).max())))


@pytest.mark.parametrize(
    ("case", "chunk"),
    [
        ("strided, dilated, padded", None),
        ("one tap", None),
        ("one dim", None),
        ("valid", 1),
        ("three dims", 5),
    ],
)
def test_every_vmap_of_value_and_gradients(case, chunk, monkeypatch):
    """Of x alone (per-sample gradients), of w alone, of both (ensembles), and of one inside another."""
    if chunk:  # the ways of large ones: steps of a sample, or of some rows of one
        monkeypatch.setattr(_columns, "_PLACES", chunk)
        monkeypatch.setattr(_columns, "_ROWS", 1)
    x_shape, w_shape, window = CASES[case]
    x, w, xs, ws = arrays(x_shape, w_shape, (3, *x_shape), (2, *w_shape))

    def both(conv):
        def value(x, w):
            return jnp.sum(jnp.sin(conv(x, w, window)))

        return jax.value_and_grad(value, (0, 1))

    one, each = both(convolution), jax.jit(both(by_xla))

    def mapped(x, w, xs, ws):
        return (
            jax.vmap(one, (0, None))(xs, w),
            jax.vmap(one, (None, 3))(x, jnp.moveaxis(ws, 0, 3)),
            jax.vmap(one)(xs[:2], ws),
            jax.vmap(jax.vmap(one, (0, None)), (None, 0))(xs, ws),
            jax.vmap(jax.vmap(one, (1, None)), (0, None))(jnp.stack([xs, xs + 1], 2), w),
        )

    def looped(x, w, xs, ws):
        def stack(*trees):
            return jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)

        return (
            stack(*[each(a, w) for a in xs]),
            stack(*[each(x, b) for b in ws]),
            stack(*[each(a, b) for a, b in zip(xs, ws)]),
            stack(*[stack(*[each(a, b) for a in xs]) for b in ws]),
            stack(*[stack(each(a, w), each(a + 1, w)) for a in xs]),
        )

    same(jax.jit(mapped)(x, w, xs, ws), looped(x, w, xs, ws))


@pytest.mark.parametrize("case", ["strided, dilated, padded"])
def test_higher_derivatives(case):
    """Forward, reverse over reverse, and a third order; the form is bilinear in what it is given, so sin bends it."""
    x_shape, w_shape, window = CASES[case]
    x, w, dx, dw = arrays(x_shape, w_shape, x_shape, w_shape)

    def all_of(conv):
        def loss(x, w):
            return jnp.sum(jnp.sin(conv(x, w, window)))

        def norm(f):
            return lambda *args: sum(jnp.sum(jnp.cos(g)) for g in jax.grad(f, (0, 1))(*args))

        def orders(x, w, dx, dw):
            return (
                jax.jvp(lambda x, w: conv(x, w, window), (x, w), (dx, dw)),
                jax.jvp(jax.grad(loss, (0, 1)), (x, w), (dx, dw)),
                jax.grad(norm(loss), (0, 1))(x, w),
                jax.grad(norm(norm(loss)), (0, 1))(x, w),
            )

        return orders

    agree(all_of(convolution), all_of(by_xla), x, w, dx, dw)


@pytest.mark.parametrize("case", ["strided, dilated, padded", "rows left over"])
def test_transposed_convolution_is_the_input_gradient(case):
    x_shape, w_shape, window = CASES[case]
    x, w = arrays(x_shape, w_shape)
    (g,) = arrays(by_xla(x, w, window).shape)

    def theirs(w, g):
        return jax.linear_transpose(lambda x: by_xla(x, w, window), x)(g)[0]

    agree(lambda w, g: input_gradient(w, g, window, x_shape[2:]), theirs, w, g)


def test_kernels_in_the_place_of_their_inputs(monkeypatch):
    """What is done where tables of all products would be too large."""
    monkeypatch.setattr(_convolve, "_TABLE", 0)
    calls, exchanged = [], _convolve._exchanged
    monkeypatch.setattr(_convolve, "_exchanged", lambda *args: calls.append(args) or exchanged(*args))
    test_higher_derivatives("larger kernel")
    test_every_vmap_of_value_and_gradients("larger kernel", None, monkeypatch)
    test_transposed_convolution_is_the_input_gradient("larger kernel")
    assert calls


@pytest.mark.parametrize("rows", [1, 2])
def test_linear_of_one_row(rows):
    """Its weight gradient is another product than XLA's outer one; that shows in no value, of no order."""
    from functorch_lite.nn.functional.linear import linear

    x, w, dx, dw, xs = arrays((rows, 256), (256, 256), (rows, 256), (256, 256), (2, rows, 256))

    def all_of(f):
        def loss(x, w):
            return jnp.sum(jnp.sin(f(x, w)))

        def orders(x, w, dx, dw, xs):
            return (
                f(x, w),
                jax.jvp(jax.grad(loss, (0, 1)), (x, w), (dx, dw)),
                jax.vmap(jax.grad(loss, (0, 1)), (0, None))(xs, w),
            )

        return orders

    agree(all_of(lambda x, w: linear(x, w)), all_of(lambda x, w: x @ w.T), x, w, dx, dw, xs)


def biased(x, w, b):
    """A convolution as conv2d makes it, then what is done point by point; the mean of its squares."""
    return (jnp.tanh(conv._with_bias(convolution(x, w, CASES["valid"][2]), b, True)) ** 2).mean()


def test_gradients_apart(monkeypatch):
    """What follows a large convolution changes no derivative of any order; only under vmap there is a barrier."""
    x, w, b = arrays((5, 1, 3, 7, 6), (4, 3, 3, 2), (4,))
    direction = arrays(w.shape)[0] / 2

    def transforms(f):
        gradient = jax.grad(f, (0, 1, 2))

        def second(x, w, b):
            return jax.grad(lambda w: sum([(g**2).sum() for g in gradient(x, w, b)]))(w)

        def pushed(x, w, b):
            return jax.jvp(lambda w: gradient(x, w, b), (w,), (direction,))[1]

        one = lambda x, w, b: (f(x, w, b), gradient(x, w, b), second(x, w, b), pushed(x, w, b))  # noqa: E731
        return jax.jit(lambda x, w, b: (jax.vmap(one, (0, None, None))(x, w, b), one(x[0], w, b)))

    def barriers(f, *args):
        return str(jax.make_jaxpr(f)(*args)).count("optimization_barrier")

    plain = transforms(biased)(x, w, b)
    monkeypatch.setattr(conv, "_MANY", 1)
    agree(transforms(biased), lambda *args: plain, x, w, b)
    gradient = jax.grad(biased, (0, 1, 2))
    assert barriers(jax.vmap(gradient, (0, None, None)), x, w, b) == 1
    assert barriers(gradient, x[0], w, b) == barriers(jax.vmap(biased, (0, None, None)), x, w, b) == 0
