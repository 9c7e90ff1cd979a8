"""Plans: what they do in their first calls, and as code."""

from __future__ import annotations

import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special

from functorch_lite._core.run import threefry
from functorch_lite._core.run.cold import tier  # noqa: F401  (the rules)
from functorch_lite._core.run.cold.interpreter import FEW_CALLS, plan_of
from functorch_lite._core.run.cold.special import erf
from functorch_lite.ops import sample


def calls(f, *args):
    """What the Plan of a function gives, call after call, until it is code."""
    with jax.enable_x64(True):
        plan = plan_of(jax.make_jaxpr(f)(*args))
    with np.errstate(all="ignore"):
        found = [plan(*args) for _ in range(FEW_CALLS + 3)]
    assert plan._code is not None
    return found


FUNCTIONS = {
    "of nothing that is read": lambda x, y: [x],
    "an argument twice": lambda x, y: [x, y, x],
    "a constant": lambda x, y: [x + 1, jnp.zeros(3, x.dtype)],
    "what is left out": lambda x, y: [jnp.sin(x), jnp.cos(jnp.exp(x) * y) + x],
    "several results of one step": lambda x, y: [*jax.lax.sort((x, y), num_keys=1), jnp.split(y, [1])[1]],
    "one of several results": lambda x, y: jax.lax.sort((x, y), num_keys=1)[:1],
    "calls": lambda x, y: [jnp.where(x > y, x, jnp.linalg.norm(y)), jax.nn.relu(x)],
    "branches": lambda x, y: [jax.lax.cond(x[0] > 0, jnp.sin, jnp.cos, y)],
    "loops": lambda x, y: jax.lax.scan(lambda c, r: (c * r + 1, c - r), x[0], y),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_code_gives_what_the_steps_give(name):
    f = FUNCTIONS[name]
    x, y = np.array([0.5, -1.0, 2.0], np.float32), np.array([3.0, 0.1, -0.7], np.float32)
    expected = jax.tree.leaves(jax.jit(f)(x, y))
    for found in calls(f, x, y):
        assert len(found) == len(expected)
        for a, b in zip(found, expected):
            np.testing.assert_allclose(a, b, rtol=1e-6)


def test_plans_of_one_form_are_not_one():
    x = np.array([4.0, 9.0])
    assert [c[0].tolist() for c in calls(jnp.sqrt, x)] == [[2.0, 3.0]] * (FEW_CALLS + 3)
    assert [c[0].tolist() for c in calls(jnp.negative, x)] == [[-4.0, -9.0]] * (FEW_CALLS + 3)
    assert [c[0].tolist() for c in calls(lambda x: x * 2, x)] == [[8.0, 18.0]] * (FEW_CALLS + 3)
    assert [c[0].tolist() for c in calls(lambda x: x * 3, x)] == [[12.0, 27.0]] * (FEW_CALLS + 3)


def test_plans_keep_nothing_of_a_call():
    class Array(np.ndarray):
        pass

    plan = plan_of(jax.make_jaxpr(lambda x: jnp.sin(x) + x)(np.ones(3, np.float32)))
    for _ in range(FEW_CALLS + 3):
        x = np.ones(3, np.float32).view(Array)
        alive = weakref.ref(x)
        plan(x)
        del x
        assert alive() is None


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64, np.int32, np.int64])
@pytest.mark.parametrize("by", [0, 1, 7, 8, 31, 32, 63, 64, 100])
def test_shifts_by_a_number_of_bits(dtype, by):
    info = np.iinfo(dtype)
    x = np.array([info.min, 1, 2, info.max // 3, info.max], dtype)
    shifts = (jax.lax.shift_left, jax.lax.shift_right_logical, jax.lax.shift_right_arithmetic)

    def f(x):
        return [shift(x, jnp.full(x.shape, by, dtype)) for shift in shifts]

    def by_number(x):
        return [shift(x, dtype(by)) for shift in shifts]

    with jax.enable_x64(True):
        expected = jax.jit(f)(x)
        for g in (f, by_number):
            for found in calls(g, x):
                for a, b in zip(found, expected):
                    assert a.dtype == b.dtype
                    assert a.tolist() == b.tolist()


@pytest.mark.parametrize("shape", [(3, 4), (0, 4), (60, 70)])
@pytest.mark.parametrize("dtype", [bool, np.int8, np.float32, jnp.bfloat16, jnp.float8_e4m3fn, np.complex64])
def test_what_is_repeated(shape, dtype):
    def f(x, row, column):
        return [jnp.broadcast_to(a, shape) for a in (x, row, column)]

    args = np.array(1, dtype), np.ones((1, shape[1]), dtype), np.ones((shape[0], 1), dtype)
    for found in calls(f, *args):
        for a in found:
            assert a.shape == shape
            assert a.dtype == dtype
            assert (a == np.array(1, dtype)).all()


@pytest.mark.parametrize("above", [-9.0, -3.4, 0.0, 3.4, 9.0])
@pytest.mark.parametrize("shape", [(30,), (5000,), (2500, 3)])
def test_what_is_selected_everywhere_seldom_or_nowhere(shape, above):
    rng = np.random.default_rng(0)
    x, y = [rng.standard_normal(shape).astype("f") for _ in range(2)]
    x.flat[2] = np.nan
    for f in (
        lambda x, y: [jnp.where(y > above, x, y), jnp.where(y > above, 0.0, x), jnp.where(y > above, x, 1.0)],
        lambda x, y: [jnp.where((y > above)[:1], x, y), jnp.where((y > above)[:1], x[:1], y)],
        lambda x, y: [jnp.where((y > above)[:1], 2.0, y), jnp.where((y > above)[:1], 2.0, y[:1]) + y],
    ):
        for found in calls(f, x, y):
            for ours, expected in zip(found, f(x, y)):
                np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("bound", [0.3, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("n", [30, 5000])
def test_the_larger_of_arrays_and_a_number(n, bound):
    x = np.random.default_rng(0).standard_normal(n).astype("f")
    x[:3] = np.nan, np.inf, -np.inf

    def f(x):
        x = jnp.asarray(x)
        whole = [(x * 9).astype("int8"), x[5:].astype("int32")]
        return [jnp.maximum(x, bound), jnp.minimum(bound, x), *whole]

    for found in calls(f, x):
        for ours, expected in zip(found, f(x)):
            np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.int32, np.int8])
def test_many_elements_are_selected_and_divided_as_few_are(dtype):
    rng = np.random.default_rng(0)
    x, y = ((rng.standard_normal((50, 60)) * 9).astype(dtype) for _ in range(2))
    x[0, :4], y[0, 4:8] = (
        ([np.nan, np.inf, -0.0, 1e30], [np.inf, -np.inf, 0.0, 7]) if dtype().dtype.kind == "f" else (0, 1)
    )
    which = rng.random((50, 60)) < 0.5
    for no, yes in ((x, y), (x, y[:, :1].repeat(60, 1).T.reshape(50, 60)), (x[0, 0], y), (x, y[0, 9])):
        for made in calls(lambda w, a, b: [jnp.where(w, b, a)], which, no, yes):
            np.testing.assert_array_equal(made[0], np.where(which, yes, no))
    for made in calls(lambda a, b: [jnp.where(a[0, 4] == b[0, 4], a, b)], x, y):
        np.testing.assert_array_equal(made[0], x if x[0, 4] == y[0, 4] else y)
    if dtype().dtype.kind == "f":
        for rows in (slice(None), slice(1, None)):  # also where all quotients are small
            with np.errstate(all="ignore"):
                wanted = np.fmod(x[rows], y[rows])
            for made in calls(lambda a, b: [jax.lax.rem(a, b)], x[rows], y[rows]):
                np.testing.assert_array_equal(made[0], wanted)
                np.testing.assert_array_equal(np.signbit(made[0]), np.signbit(wanted))


@pytest.mark.parametrize("n", [30_000, 40_001])
def test_random_bits_are_equal_whoever_mixes_them(n, monkeypatch):
    key = np.array([5, 77], np.uint32)
    expected = np.asarray(sample.bits32(jnp, jnp.asarray(key), n))
    for mixed in (0, threefry.PAID):
        monkeypatch.setattr(threefry._block, "mixed", mixed)
        np.testing.assert_array_equal(threefry.bits_by_numpy(key, n), expected)


def test_erf_is_within_3_ulps():
    x = np.concatenate(
        [np.linspace(-6, 6, 30_001), np.logspace(-37, 0, 10_000), [np.nan, np.inf, -np.inf, 0, -0.0]]
    ).astype(np.float32)
    got, exact = erf(x), scipy.special.erf(x.astype(np.float64))
    assert np.nanmax(np.abs(got - exact) / np.spacing(np.abs(exact).astype(np.float32))) < 3
    np.testing.assert_array_equal(got[-5:], exact[-5:].astype(np.float32))
    np.testing.assert_array_equal(np.signbit(got[-2:]), [False, True])


@pytest.mark.parametrize("zero", [0.0, -0.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_zeros_in_place_of_what_is_masked(dtype, zero):
    rng = np.random.default_rng(0)
    x, mask = rng.standard_normal((40, 100)).astype(dtype), rng.random((40, 100)) < 0.5
    x[0, :6] = np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0
    for found in calls(lambda m, x: [jnp.where(m, x, dtype(zero)), jnp.where(m, dtype(zero), x)], mask, x):
        for a, kept in zip(found, (mask, ~mask)):
            expected = np.where(kept, x, dtype(zero))
            assert a.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(3, 1), (0, 4), (7, 16), (2, 5, 300), (2, 8193)])
def test_sums_of_rows(dtype, shape):
    x = np.random.default_rng(0).standard_normal(shape).astype(dtype)

    def f(x):
        return [jnp.sum(x, -1), jnp.sum(x), jnp.sum(jnp.swapaxes(x, 0, 1), -1)]

    for found in calls(f, x):
        for a, expected in zip(found, (x.sum(-1), x.sum(), x.swapaxes(0, 1).sum(-1))):
            assert np.asarray(a).dtype == dtype
            np.testing.assert_allclose(a, expected, rtol=1e-5, atol=1e-4)
