"""Lowerings for CPU of pointwise functions: how far they are from float64, in units in the last place, over all that
float32 holds."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from jax import lax
from jax.extend.core import jaxpr_as_fun

from functorch_lite._core.run.lowering.rewrite import lowered_jaxpr

TINY = np.float32(2.0**-126)
SPECIAL = np.array(
    [0.0, -0.0, 1, -1, 0.5, -0.5, np.inf, -np.inf, np.nan, 2, -3, 3.4e38, -3.4e38, TINY, -TINY], np.float32
)


def lowered(f, *xs):
    """A function's values by the lowerings, which there are."""
    with jax.enable_x64(True):
        closed = jax.make_jaxpr(f)(*xs)
        made = lowered_jaxpr(closed)
        assert made is not closed
        return np.asarray(jax.jit(jaxpr_as_fun(made))(*xs)[0])


def everywhere(seed: int, most: float = np.inf) -> np.ndarray:
    """Numbers of all exponents, those that are usual, and those that are special; none too small for a normal
    float32."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2**32, 100_000, dtype=np.uint32).view(np.float32)
    x = np.concatenate(
        [x, *[(rng.standard_normal(30_000) * s).astype(np.float32) for s in (1, 100, 1e4)], SPECIAL]
    )
    return x[~((np.abs(x) > most) & (np.abs(x) < np.inf)) & ~((np.abs(x) < TINY) & (x != 0))]


def ulps(got: np.ndarray, exact: np.ndarray) -> float:
    """The largest error; that nan, infinities and the signs of zeros are right is checked."""
    rounded = exact.astype(got.dtype)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(rounded))
    special = np.isinf(rounded) | (exact == 0)
    np.testing.assert_array_equal(got[special], rounded[special])
    np.testing.assert_array_equal(np.signbit(got[exact == 0]), np.signbit(rounded[exact == 0]))
    normal = ~np.isnan(rounded) & ~special & (np.abs(exact) >= TINY)
    step = np.spacing(np.abs(rounded[normal]))
    return float((np.abs(got[normal].astype(exact.dtype) - exact[normal]) / step).max())


ONE = {
    "sin": (np.sin, 2.0**25, 1.5),
    "cos": (np.cos, 2.0**25, 1.5),
    "tan": (np.tan, 2.0**25, 3),
    "atan": (np.arctan, np.inf, 2.5),
    "asin": (np.arcsin, np.inf, 2.5),
    "acos": (np.arccos, np.inf, 2.5),
}


@pytest.mark.parametrize("name", [*ONE, "rsqrt"])
@pytest.mark.filterwarnings("ignore:invalid value", "ignore:divide by zero")
def test_one_operand(name):
    exact, most, limit = ONE.get(name, (lambda x: 1 / np.sqrt(x), np.inf, 1.5))
    x = everywhere(0, most)
    x = x[np.isfinite(x)] if name in ("sin", "cos", "tan") else x  # inf and nan are XLA's, below
    assert ulps(lowered(getattr(lax, name), x), exact(x.astype(np.float64))) <= limit


@pytest.mark.parametrize("exponent", [None, 1.7, -0.5, 0.0, 3.0])
@pytest.mark.filterwarnings("ignore:invalid value", "ignore:divide by zero", "ignore:overflow")
def test_powers(exponent):
    """By the lowering where all are finite and not negative, and by XLA where they are not."""
    every = everywhere(2)
    every = every[~np.isnan(every)]  # whose powers with exponent 0 the op computes
    for x in (np.abs(every[np.isfinite(every)]), every):
        y = np.random.default_rng(3).standard_normal(x.size).astype(np.float32) * 3
        y = y if exponent is None else np.full_like(y, exponent)
        exact = np.power(x.astype(np.float64), y.astype(np.float64))
        held = (np.abs(exact) >= TINY) | (exact == 0) | np.isnan(exact)
        assert ulps(lowered(lax.pow, x, y)[held], exact[held]) <= 0.51


@pytest.mark.filterwarnings("ignore:invalid value")
def test_what_is_far_is_right_too():
    x = everywhere(1)
    assert ulps(lowered(lax.sin, x), np.sin(x.astype(np.float64))) <= 1.5


def test_sine_and_cosine_of_float64():
    x = np.random.default_rng(0).standard_normal(50_000) * 1000
    for f, exact in ((lax.sin, np.sin), (lax.cos, np.cos)):
        assert ulps(lowered(f, x), exact(x.astype(np.longdouble))) <= 1.5


@pytest.mark.filterwarnings("ignore:invalid value")
def test_atan2():
    pairs = np.meshgrid(SPECIAL, SPECIAL)
    y, x = [np.concatenate([everywhere(k)[:200_000], p.ravel()]) for k, p in enumerate(pairs)]
    n = min(len(x), len(y))
    y, x = y[-n:], x[-n:]
    assert ulps(lowered(lax.atan2, y, x), np.arctan2(y.astype(np.float64), x.astype(np.float64))) <= 2.5


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("scale", [1.0, 1e6, 1e30])
def test_the_rest_of_a_division_is_exact(scale):
    rng = np.random.default_rng(2)
    x = np.concatenate([rng.standard_normal(50_000) * scale, [0.0, -0.0, 6, -6, 1, np.inf, 1]]).astype(
        np.float32
    )
    y = np.concatenate([rng.standard_normal(50_000), [3, 3, 3, 3, np.inf, 1, 0.0]]).astype(np.float32)
    keep = slice(None) if scale > 1e29 else np.isfinite(x) & (y != 0)
    assert ulps(lowered(lax.rem, x[keep], y[keep]), np.fmod(x[keep], y[keep])) == 0


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("pair", [(0, 0), (np.inf, np.inf), (np.nan, 1), (1, np.nan), (2, np.inf)])
def test_the_rest_where_one_is_special(pair):
    x, y = (np.full(5000, a, np.float32) for a in pair)
    np.testing.assert_array_equal(lowered(lax.rem, x, y), np.fmod(x, y))


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_what_is_rounded_from_float64():
    special = pytest.importorskip("scipy.special")

    def rounded(f):
        return lambda x: f(x.astype(np.float64)).astype(np.float32)

    rng = np.random.default_rng(3)
    inside = np.concatenate([rng.random(100_000) * 2 - 1, 1 - rng.random(10_000) * 1e-4, SPECIAL]).astype(
        np.float32
    )
    inside = inside[inside != 0]  # SciPy's of -0.0 is 0.0, PyTorch's -0.0
    assert ulps(lowered(rounded(lax.erf_inv), inside), special.erfinv(inside.astype(np.float64))) <= 3.5
    around = [
        1 + rng.standard_normal(10_000) * 1e-3,
        2 + rng.standard_normal(10_000) * 1e-3,
        [1, 2, 8, np.inf, np.nan, 0.0],
    ]
    several = [rng.random(50_000) * 10, np.exp(rng.random(50_000) * 80), np.exp(-rng.random(50_000) * 80)]
    positive = np.concatenate([*around, *several]).astype(np.float32)
    assert ulps(lowered(rounded(lax.lgamma), positive), special.gammaln(positive.astype(np.float64))) <= 7
    both = np.array([-0.5, -1.5, 3, -2.75], np.float32)
    assert ulps(lowered(rounded(lax.lgamma), both), special.gammaln(both.astype(np.float64))) <= 1
