"""Products of matrices and convolutions evaluated by NumPy, against XLA's."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from functorch_lite._core.run.cold import convolutions
from functorch_lite._core.run.cold.interpreter import RULES, NoRule

from .agreement import (
    INEXACT,
    INTEGERS,
    SOME,
    agree,
    by_numpy,
    by_xla,
    close,
    close_all,
    of_jaxpr,
    random,
    traced,
    turned,
)

DOTS = [
    ((5, 7), (7, 3), ([1], [0]), ([], [])),
    ((7, 5), (7, 3), ([0], [0]), ([], [])),
    ((5, 7), (3, 7), ([1], [1]), ([], [])),
    ((7, 5), (3, 7), ([0], [1]), ([], [])),
    ((7,), (7,), ([0], [0]), ([], [])),
    ((), (), ([], []), ([], [])),
    ((4,), (3, 2), ([], []), ([], [])),
    ((5, 7), (7,), ([1], [0]), ([], [])),
    ((1, 7), (7, 1), ([1], [0]), ([], [])),
    ((2, 5, 7), (2, 7, 3), ([2], [1]), ([0], [0])),
    ((5, 2, 7), (3, 7, 2), ([2], [1]), ([1], [2])),
    ((7, 5, 2), (7, 2), ([0], [0]), ([2], [1])),
    ((2, 3, 4, 5), (5, 3, 6, 2), ([1, 3], [1, 0]), ([0], [3])),
    ((2, 3, 4, 5), (4, 3, 2, 6), ([2, 1, 0], [0, 1, 2]), ([], [])),
    ((2, 3, 4), (3, 2, 4), ([], []), ([1, 0], [0, 1])),
    ((6, 3, 4, 2), (2, 6, 4), ([0, 3], [1, 0]), ([2], [2])),
    ((8, 1), (8, 1), ([1], [1]), ([0], [0])),
    ((0, 4), (4, 3), ([1], [0]), ([], [])),
    ((3, 0), (0, 2), ([1], [0]), ([], [])),
    ((2, 3, 0), (2, 0, 4), ([2], [1]), ([0], [0])),
    ((0, 3, 2), (0, 2, 4), ([2], [1]), ([0], [0])),
]


def dot(contract, batch, **params):
    return lambda a, b: lax.dot_general(a, b, (contract, batch), **params)


@pytest.mark.parametrize(("a", "b", "contract", "batch"), DOTS)
def test_products_of_any_dimensions(a, b, contract, batch):
    f = dot(contract, batch)
    agree(
        lambda *args: (f(*args[:2]), f(*args[2:])),
        *(random(s, d) for d in (np.float32, np.int8) for s in (a, b)),
        used=2,
    )


@pytest.mark.parametrize("dtype", [bool, *INTEGERS, *INEXACT], ids=lambda d: np.dtype(d).name)
def test_products_of_any_dtype(dtype):
    kind, size = np.dtype(dtype).kind, np.dtype(dtype).itemsize
    wide = {
        "b": [np.int32, np.float32],
        "i": [np.int64, np.uint64, np.float64],
        "u": [np.int64, np.float64],
    }.get(kind, [])
    wide = {"c": [np.complex128], "f": [np.float32, np.float64], "V": [np.float32, np.float64]}.get(
        kind, wide
    )
    wide = [d for d in wide if np.dtype(d).itemsize >= size]

    def f(a, b, c, d, e):
        plain = ([1], [0]), ([], [])
        return (
            dot(*plain)(a, b),
            dot(([2], [2]), ([1], [0]))(c, d),
            dot(([], []), ([], []))(e, e),
            *[dot(*plain, preferred_element_type=d)(a, b) for d in wide],
        )

    shapes = (4, 37), (37, 3), (3, 2, 5), (2, 4, 5), (6,)
    agree(f, *(random(s, dtype, k) for k, s in enumerate(shapes)), used=3 + len(wide))


def test_products_may_be_rounded_to_narrow_floats():
    plain = ([1], [0]), ([], [])
    for dtype, tolerance in ((np.float16, 1e-3), (jnp.bfloat16, 8e-3)):
        f = dot(*plain, preferred_element_type=dtype)
        agree(f, random((4, 37)), random((37, 3)), tolerance=tolerance)


def test_products_of_two_dtypes():
    pairs = [
        (np.int8, np.float32),
        (np.int8, np.uint8),
        (np.float32, jnp.bfloat16),
        (np.float16, np.float64),
        (bool, np.int32),
    ]
    f = dot(([1], [0]), ([], []))
    args = [random(s, d) for pair in pairs for s, d in zip(((3, 5), (5, 2)), pair)]
    agree(lambda *args: [f(*pair) for pair in zip(args[::2], args[1::2])], *args, used=5)


@pytest.mark.parametrize("terms", [3, 1500])
def test_products_whose_sums_wrap_around(terms):
    plain = ([1], [0]), ([], [])

    def f(*args):
        return [
            g(x, y)
            for low, high in zip(args[::2], args[1::2])
            for g in functions
            for x, y in ((low, high), (high.T, high))
        ]

    functions = [dot(*plain), dot(*plain, preferred_element_type=np.int64)]
    args = []
    for dtype in (np.int8, np.int16, np.int32, np.uint8, np.uint32):
        args += [
            np.full((2, terms), np.iinfo(dtype).min, dtype),
            np.full((terms, 2), np.iinfo(dtype).max, dtype),
        ]
    agree(f, *args, used=20)


def test_views_that_repeat_and_reverse_are_multiplied():
    def f(a, b):
        return jnp.einsum("bij,bjk->bik", a, b), a[0] @ b[0]

    a = np.broadcast_to(random((3, 1, 5)), (3, 4, 5))
    b = random((3, 5, 4))[:, ::-1, ::-1]
    agree(f, a, b, used=2)


@pytest.mark.parametrize(
    "subscripts",
    [
        "ij,jk->ki",
        "bhqd,bhkd->bhqk",
        "bqhd,bkhd->bhqk",
        "bhqk,bkhd->bqhd",
        "ij,ij->i",
        "ij,ij->",
        "i,j->ij",
        "bij,j->bi",
        "abc,cad->dba",
        "ii,ij->j",
    ],
)
def test_einsums_and_their_gradients(subscripts):
    sizes = dict(zip("abcdhijkq", (2, 3, 4, 5, 2, 4, 6, 3, 7)))
    a, b = (random([sizes[c] for c in term]) for term in subscripts.split("->")[0].split(","))

    def f(a, b):
        out, pull = jax.vjp(lambda a, b: jnp.einsum(subscripts, a, b), a, b)
        return out, pull(jnp.cos(out))

    agree(f, a, b, used=0)


def test_products_by_an_algorithm_have_no_rule():
    f = dot(([1], [0]), ([], []), precision=lax.DotAlgorithmPreset.BF16_BF16_F32)
    closed = jax.make_jaxpr(f)(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32))
    eqn = next(e for e in closed.jaxpr.eqns if e.primitive.name == "dot_general")
    with pytest.raises(NoRule):
        RULES["dot_general"](eqn)


# convolutions


def both_gradients(convolve):
    def f(x, w):
        out, pull = jax.vjp(convolve, x, w)
        return out, pull(jnp.cos(out) if jnp.issubdtype(out.dtype, jnp.inexact) else out)

    return f


CONVOLUTIONS = [
    # x as NC…, w as OI…, strides, padding, spread of x, dilation of w, groups of features, of samples
    ((2, 3, 9), (4, 3, 3), (1,), ((0, 0),), (1,), (1,), 1, 1),
    ((2, 3, 9), (4, 3, 3), (2,), ((2, 1),), (1,), (2,), 1, 1),
    ((2, 3, 9), (4, 3, 2), (3,), ((3, 4),), (2,), (3,), 1, 1),
    ((2, 3, 9), (4, 3, 2), (1,), ((-2, -1),), (1,), (1,), 1, 1),
    ((2, 3, 9), (4, 3, 2), (1,), ((-2, 3),), (3,), (1,), 1, 1),
    ((2, 3, 4), (2, 3, 2), (1,), ((-6, 9),), (1,), (1,), 1, 1),
    ((2, 6, 9), (4, 3, 3), (2,), ((1, 1),), (1,), (1,), 2, 1),
    ((4, 3, 9), (6, 3, 3), (2,), ((1, 1),), (1,), (1,), 1, 2),
    ((2, 5, 9), (10, 1, 3), (2,), ((1, 2),), (1,), (1,), 5, 1),
    ((6, 1, 9), (6, 1, 3), (1,), ((1, 1),), (2,), (1,), 1, 3),
    ((2, 3, 7, 8), (4, 3, 3, 2), (1, 1), ((0, 0), (0, 0)), (1, 1), (1, 1), 1, 1),
    ((2, 3, 7, 8), (4, 3, 3, 2), (2, 3), ((1, 2), (0, 3)), (1, 1), (2, 1), 1, 1),
    ((2, 4, 7, 8), (6, 2, 3, 2), (2, 1), ((1, 2), (-1, 3)), (1, 2), (1, 2), 2, 1),
    ((3, 2, 5, 6), (5, 2, 5, 6), (1, 1), ((0, 0), (0, 0)), (1, 1), (1, 1), 1, 1),
    ((3, 2, 5, 6), (5, 2, 1, 1), (1, 1), ((0, 0), (0, 0)), (1, 1), (1, 1), 1, 1),
    ((3, 12, 8, 9), (16, 12, 3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), (1, 1), 1, 1),
    ((3, 12, 8, 9), (2, 12, 3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), (1, 1), 1, 1),
    ((16, 10, 5, 4), (9, 10, 2, 2), (2, 2), ((1, 1), (1, 1)), (1, 1), (1, 1), 1, 1),
    ((2, 10, 9, 9), (10, 1, 3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), (1, 1), 10, 1),
    ((1, 2, 4, 5, 6), (3, 2, 2, 3, 2), (1, 2, 1), ((0, 1), (1, 1), (2, 0)), (1, 1, 2), (1, 1, 2), 1, 1),
    ((3, 2), (4, 2), (), (), (), (), 1, 1),
]


def orders(n):
    """Of the dimensions of the input, the kernel and the result."""
    usual, last = tuple(range(n)), (0, n - 1, *range(1, n - 1))
    samples_last = (n - 1, 0, *range(1, n - 1))
    mixed = (1, n - 1, *reversed([d for d in range(n) if d not in (1, n - 1)])) if n > 2 else (1, 0)
    return [
        (usual,) * 3,
        (last, (n - 1, n - 2, *range(n - 2)), last),
        (samples_last, usual, samples_last),
        (mixed, usual, usual),
    ]


@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_convolutions_and_their_gradients(case, monkeypatch):
    x, w, strides, padding, spread, dilation, features, samples = case

    def convolution(specs):
        def convolve(x, w):
            x, w = (a.transpose(np.argsort(spec)) for a, spec in zip((x, w), specs))
            numbers = lax.ConvDimensionNumbers(*specs)
            groups = {"feature_group_count": features, "batch_group_count": samples}
            out = lax.conv_general_dilated(x, w, strides, padding, spread, dilation, numbers, **groups)
            return out.transpose(specs[2])

        return both_gradients(convolve)

    args = random(x), random(w)
    several = [traced(convolution(specs), *args) for specs in orders(len(x))]
    expected = by_xla(convolution(orders(len(x))[0]), *args)
    for closed in several:
        close_all(of_jaxpr(closed, *args, used=3), expected)
        close_all(of_jaxpr(closed, *turned(args), used=3), expected)
    # each way, and in chunks of few elements, whatever is the faster way
    monkeypatch.setattr(convolutions, "_AT_ONCE", 40)
    for way in (convolutions._by_patches, convolutions._by_places):
        monkeypatch.setattr(convolutions._Convolution, "ways", lambda self, way=way: {way: 0.0})
        for closed in several:
            close_all(of_jaxpr(closed, *args, used=3), expected)


@pytest.mark.parametrize("dtype", SOME, ids=lambda d: np.dtype(d).name)
def test_convolutions_of_any_dtype(dtype):
    kind = np.dtype(dtype).kind
    wide = {"b": np.int32, "i": np.int64, "u": np.uint64, "c": np.complex128}.get(kind, np.float64)

    def f(x, w, v):
        def convolve(x, w, wide=None):
            return lax.conv_general_dilated(
                x, w, (2, 1), ((1, 1), (0, 2)), (1, 2), (1, 1), preferred_element_type=wide
            )

        each = lax.conv_general_dilated(x, v, (1, 1), "SAME", feature_group_count=3)
        out = both_gradients(convolve)(x, w) if kind in "fcV" else convolve(x, w)
        # XLA adds real and imaginary parts before it widens them
        return out, each, (convolve(x, w, wide) if kind != "c" else each)

    args = random((2, 3, 6, 7), dtype), random((4, 3, 3, 2), dtype, 1), random((6, 1, 2, 2), dtype, 1)
    agree(f, *args, used=3 if kind in "bcui" else 5)
    if kind == "c":
        (found,) = by_numpy(
            lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "VALID", preferred_element_type=wide),
            *args[:2],
        )
        (other,) = by_numpy(
            lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "VALID"), *(a.astype(wide) for a in args[:2])
        )
        close(found, other, 1e-12)


@pytest.mark.parametrize(("channels", "last"), [((1, 8), False), ((1, 8), True), ((32, 16), True)])
def test_large_convolutions_are_computed_in_chunks(channels, last):
    numbers = ("NHWC", "HWIO", "NHWC") if last else ("NCHW", "OIHW", "NCHW")
    i, o = channels
    x = random((20, 18, 17, i) if last else (20, i, 18, 17))
    w = random((3, 3, i, o) if last else (o, i, 3, 3))

    def convolve(x, w):
        return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=numbers)

    f = both_gradients(convolve)
    close_all(by_numpy(f, x, w, used=3), by_xla(f, x, w), 1e-4)


@pytest.mark.parametrize(
    ("x", "w"),
    [
        ((2, 3, 0), (4, 3, 1)),
        ((2, 0, 4), (4, 0, 2)),
        ((0, 3, 4), (4, 3, 2)),
        ((2, 3, 4), (0, 3, 2)),
        ((2, 3, 4), (2, 3, 9)),
    ],
)
def test_empty_convolutions(x, w):
    agree(lambda x, w: lax.conv_general_dilated(x, w, (1,), ((1, 1),)), random(x), random(w))
