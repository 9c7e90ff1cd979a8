"""Linear algebra by NumPy: batches of small matrices, and systems that are solved at once."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg.lapack
from jax import lax

import functorch_lite as torch
from functorch_lite._core.run.cold import tier  # noqa: F401  (the rules)
from functorch_lite._core.run.cold.interpreter import plan_of

DTYPES = ["f", "d", "F", "D"]


def drawn(dtype, *shape, seed=0):
    """Normal numbers."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype in "FD" else x).astype(dtype)


def as_by_xla(f, *args):
    """Compares what NumPy's rules give with what XLA does."""
    with jax.enable_x64(True):
        found, expected = plan_of(jax.make_jaxpr(f)(*args))(*args), f(*args)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(2, 20, 4, 4), (3, 4, 4), (40, 1, 1)])
def test_factors(dtype, shape):
    x = drawn(dtype, *shape)
    x[1, ..., 0, :] = 0
    as_by_xla(lax.linalg.lu, x)
    x[-1] = 0
    as_by_xla(lax.linalg.lu, x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("how", range(32))
def test_triangular_systems(dtype, how):
    left, lower, transposed, conjugated, unit = [bool(how >> i & 1) for i in range(5)]
    a, b = drawn(dtype, 20, 4, 4) + 4 * np.eye(4, dtype=dtype), drawn(dtype, 20, 4, 3, seed=1)

    def solve(a, b):
        return [
            lax.linalg.triangular_solve(
                a, b, left_side=left, lower=lower, transpose_a=transposed, conjugate_a=conjugated, unit_diagonal=unit
            )
        ]  # fmt: skip

    as_by_xla(solve, a, b if left else np.swapaxes(b, -1, -2))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("a", "b"),
    [((3, 3), (3,)), ((3, 3), (3, 2)), ((4, 3, 3), (4, 3, 2)), ((3, 3, 3), (3, 3, 3)), ((5, 3, 3), (3,))],
)
def test_systems_and_derivatives(dtype, a, b):
    a, b = drawn(dtype, *a) + 4 * np.eye(3, dtype=dtype), drawn(dtype, *b, seed=1)
    f = jnp.linalg.solve
    back = lambda a, b: jax.vjp(f, a, b)[1](f(a, b))  # noqa: E731
    as_by_xla(lambda a, b: [f(a, b)], a, b)
    as_by_xla(back, a, b)
    as_by_xla(lambda a, b: jax.jvp(f, (a, b), (a * 2, b * 3)), a, b)
    as_by_xla(lambda a, b: jax.vjp(back, a, b)[1]((a, b)), a, b)
    as_by_xla(lambda a, b: [jax.vmap(f, (0, None))(jnp.stack([a, a + 1]), b)], a, b)
    as_by_xla(lambda a, b: [jax.vmap(f, (None, -1))(a, jnp.stack([b, b + 1, b], -1))], a, b)


def test_factors_that_nothing_reads_are_not_computed(monkeypatch):
    x, asked, of_scipy = drawn("f", 4, 3, 3), [], scipy.linalg.lapack.get_lapack_funcs
    monkeypatch.setattr(
        scipy.linalg.lapack,
        "get_lapack_funcs",
        lambda *args, **kwargs: asked.append(args[0]) or of_scipy(*args, **kwargs),
    )
    plan_of(jax.make_jaxpr(jnp.linalg.solve)(x, x))(x, x)
    assert not asked
    plan_of(jax.make_jaxpr(lambda a, b: (jnp.linalg.solve(a, b), jax.lax.linalg.lu(a)[0]))(x, x))(x, x)
    assert asked == ["getrf"] * len(asked) and asked


@pytest.mark.parametrize("value", [0.0, np.inf, np.nan])
def test_what_has_no_solution_is_left_to_a_program(value):
    x = np.broadcast_to(np.eye(2, dtype=np.float32), (30, 2, 2)).copy()
    x[3] = value
    with pytest.raises(np.linalg.LinAlgError):
        plan_of(jax.make_jaxpr(jnp.linalg.solve)(x, x))(x, x)
    with torch.debug.tier("cold"):
        found = torch.linalg.inv_ex(torch.tensor(x)).inverse
        assert found[4].equal(torch.eye(2)) and not found[3].isfinite().any()
