"""Lowerings for CPU: what a program computes in another way than XLA would gives what PyTorch gives, and can be turned
off."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.run.lowering import rewrite, table


@pytest.fixture
def doubled(monkeypatch):
    """A table in which the sine of floats is computed as twice itself."""

    def choose(site: table.Site):
        return (lambda x: 2 * jax.lax.sin(x)) if site.ins[0].dtype == np.float32 else None

    monkeypatch.setattr(table, "TABLE", {"sin": [choose]})
    monkeypatch.setattr(rewrite, "TABLE", table.TABLE)


def test_what_the_table_says_is_computed(doubled):
    def f(x):
        return jnp.sin(x) + jax.lax.map(jnp.sin, x)

    x = np.linspace(0, 1, 5, dtype=np.float32)
    closed = jax.make_jaxpr(f)(x)
    (made,) = jax.extend.core.jaxpr_as_fun(rewrite.lowered_jaxpr(closed))(x)
    np.testing.assert_allclose(made, 4 * np.sin(x), rtol=1e-6)


def test_what_the_table_does_not_say_stays_the_same_object(doubled):
    closed = jax.make_jaxpr(jnp.cos)(1.0)
    assert rewrite.lowered_jaxpr(closed) is closed


def test_programs_are_lowered_and_the_switch_turns_it_off(doubled):
    x = torch.linspace(0, 1, 5)
    with torch.debug.tier("compiled"):
        torch.debug.executor.forget_programs()
        assert torch.allclose(torch.sin(x) / 2, torch.tensor(np.sin(x.numpy())))
        with torch.debug.cpu_lowerings(False):
            assert torch.allclose(torch.sin(x), torch.tensor(np.sin(x.numpy())))
        assert torch.allclose(torch.sin(x) / 2, torch.tensor(np.sin(x.numpy())))
    torch.debug.executor.forget_programs()


@pytest.mark.parametrize("turned", [0, 1, 2])
@pytest.mark.parametrize("shape", [(64, 512, 10), (64, 10, 512), (2, 32, 512, 10), (7, 5, 3)])
def test_sums_over_rows_of_two_widths(shape, turned):
    *rows, m, n = shape
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((*rows, k)).astype(np.float32) for k in (m, n))
    over = tuple(range(len(rows)))

    def f(a, b):
        made = jax.lax.dot_general(a, b, ((over, over), ((), ())))
        for _ in range(turned):  # twice, as the gradient of `h @ w.T`
            made = jax.lax.transpose(made, (1, 0))
        return made

    closed = jax.make_jaxpr(f)(a, b)
    lowered = rewrite.lowered_jaxpr(closed)
    assert (lowered is closed) == (m == 5 or (m == 10) != (turned == 1))
    (made,) = jax.jit(jax.extend.core.jaxpr_as_fun(lowered))(a, b)
    np.testing.assert_allclose(made, f(a.astype(np.float64), b.astype(np.float64)), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("sizes", [(16, 8), (12, 4), (16, 16), (7, 3)])
def test_sums_of_windows_that_overlap(sizes):
    x = torch.tensor(
        np.random.default_rng(0).standard_normal((40, 400)).astype(np.float32), requires_grad=True
    )
    with torch.debug.tier("compiled"):
        made = x.unfold(1, *sizes).sum(-1)
        (gradient,) = torch.autograd.grad(made.sum(), x)
        made, gradient = made.detach().numpy(), gradient.numpy()
    starts = range(0, 400 - sizes[0] + 1, sizes[1])
    expected = np.stack([x.detach().numpy()[:, s : s + sizes[0]].sum(1) for s in starts], 1)
    np.testing.assert_allclose(made, expected, rtol=1e-5, atol=1e-5)
    counts = [sum(s <= k < s + sizes[0] for s in starts) for k in range(400)]
    np.testing.assert_array_equal(gradient, np.broadcast_to(counts, (40, 400)))
