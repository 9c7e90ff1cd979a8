"""Idioms: equations that NumPy does in fewer steps, or none, give what XLA gives of them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.lazy.bounds import bounded
from functorch_lite._core.lazy.breaches import Breach, gathering
from functorch_lite._core.run.cold import tier  # noqa: F401  (the rules and idioms)
from functorch_lite._core.run.cold.interpreter import plan_of
from functorch_lite.ops import _special, reduce
from functorch_lite.ops.index import index, index_put


def plan_and_xla(f, *args):
    """The Plan of a function, and what XLA gives."""
    with jax.enable_x64(True):
        closed = jax.make_jaxpr(f)(*args)
        return plan_of(closed), [np.asarray(x) for x in jax.tree.leaves(jax.jit(f)(*args))]


def agree(steps, f, *args):
    """NumPy gives what XLA does, in so many steps."""
    plan, expected = plan_and_xla(f, *args)
    with np.errstate(all="ignore"):
        found = plan(*args)
    assert len(plan._steps) == steps, [run for run, *_ in plan._steps]
    for x, y in zip(found, expected, strict=True):
        assert (np.shape(x), x.dtype) == (y.shape, y.dtype)
        np.testing.assert_array_equal(x, y)


X = np.random.default_rng(0).standard_normal((6, 5, 4)).astype("f")
Y = np.random.default_rng(1).standard_normal((6, 5, 4)).astype("f")
X[0, 0], Y[0, 0], Y[1, 1] = [np.nan, np.inf, -np.inf, 0.0], [0.0, np.inf, 1.0, np.nan], 0.0
I, J = np.array([0, -1, 3, -6, 5, 3]), np.array([4, -5, 0, 2, -1, 2])


def test_quotients_and_minima():
    agree(1, _special.divide, X, Y)
    agree(1, _special.quotient, X, Y[0])
    agree(1, _special.quotient, X[:, 0], Y[0, 1:2])
    agree(1, _special.quotient, X[:, :1], Y[:1])
    agree(1, reduce.smaller_of, X, Y)
    agree(4, lambda x, y: -jnp.maximum(-x, -y), I, J)


def test_truth_as_numbers():
    agree(1, lambda x: jnp.any(x.astype(np.int64) != 0, 1), X[0] > 0)
    agree(3, lambda x: jnp.any(x.astype(np.int64) != 0, 1), (9 * np.nan_to_num(Y, posinf=0)).astype("i"))


def test_shapes_of_shapes():
    agree(0, lambda x: jnp.squeeze(x[:, None], 1), X)
    agree(0, lambda x: x.reshape(5, 24).reshape(6, 5, 4), X)
    agree(1, lambda x: x[:, None][None].reshape(6, 5, 1, 4), X)
    agree(1, lambda x: jnp.squeeze(x.reshape(1, 6, 5, 4), 0)[..., None].reshape(30, 4), X)
    agree(2, lambda x: x.sum((0, 2), keepdims=True)[0, :, 0] * 1, np.ones((2, 3, 4), np.float32)[:, :, :1])


def test_what_is_known_is_not_chosen():
    agree(0, lambda x, y: jnp.where(jnp.abs(np.float32(-3)) > 2, x, y), X, Y)
    agree(1, lambda x: jax.lax.cond(jnp.int32(1) > 0, jnp.sin, jnp.cos, x), np.zeros(3, np.float32))


@pytest.mark.parametrize("dims", [(0,), (1,), (2,), (0, 1), (1, 2), (0, 2)])
def test_parts_at_indices(dims):
    shapes = [X.shape[d] for d in dims]
    given = [i % (2 * n) - n for i, n in zip((I, J), shapes)]
    agree(1, lambda x, *at: index(x, list(at), dims), X, *given)
    agree(1, lambda x, *at: index(x, list(at), dims), X, *[i.reshape(2, 3) for i in given])
    agree(1, lambda x, *at: index(x, list(at), dims), X, *[np.array(i[1]) for i in given])
    read = index(jnp.asarray(Y), [jnp.asarray(i) for i in given], dims)
    agree(1, lambda x, y, *at: index_put(x, list(at), y, False, dims), X, np.asarray(read), *given)


@pytest.mark.parametrize("low", [0, -5])
@pytest.mark.parametrize("axis", [0, 1])
def test_indices_out_of_range(low, axis):
    """As many are noted, and what stands there is what XLA puts there."""
    x = X[:5, :, 0] if axis == 0 else X[..., 0]

    def read(x, i):
        i = bounded(i, 5, "index:0", low)
        i = jnp.where(i < 0, 5, i) if low == 0 else i
        return x.at[(slice(None),) * axis + (i,)].get(mode="fill")

    for i in (np.array([4, 0, 7]), np.array([-6, 1, 2]), np.array([-5, 4, 0]), np.array(-1), np.array(2**40)):
        plan, expected = plan_and_xla(read, x, i)
        assert len(plan._steps) == 1
        is_broken = bool(((i < low) | (i >= 5)).any())
        with gathering() as found:
            np.testing.assert_array_equal(plan(x, i)[0], expected[0])
        assert bool(found) == is_broken
        if is_broken:
            with pytest.raises(Breach):
                plan(x, i)


def test_writes_out_of_range():
    def put(x, i, y):
        return x.at[bounded(i, 6, "index:0", -6)].set(y, mode="drop")

    for i in (np.array([1, 6, -7]), np.array([0, 1, 2]), np.array([1, 1, -5])):
        plan, expected = plan_and_xla(put, X, i, Y[:3])
        with gathering() as found:
            np.testing.assert_array_equal(plan(X, i, Y[:3])[0], expected[0])
        assert bool(found) == bool(((i < -6) | (i >= 6)).any())


@pytest.mark.parametrize("at", [(2,), (-1,), (1, 3), (-1, 0), (slice(1, 3),), (slice(None), 2), (..., -1)])
def test_assignments_and_updates_of_a_part(at):
    """As with the op for each: also of what was read before, of a view, and of the part itself."""
    for tier_ in ("cold", "compiled"):
        with torch.debug.tier(tier_):
            x = torch.arange(24.0).reshape(4, 6)
            expected = np.arange(24.0, dtype=np.float32).reshape(4, 6)
            y, row = x * 2, x[1]
            for wanted, ours in ((expected, x), (2 * expected, y)):
                part = ours[at]
                ours[at] += 1
                wanted[at] += 1
                ours[at] = part * 3
                wanted[at] = wanted[at] * 3
                ours[at] = ours[at]
                assert (part.numpy() == wanted[at]).all()
                assert (ours.numpy() == wanted).all()
            assert (row.numpy() == expected[1]).all()


def test_what_is_assigned_is_not_shared():
    x, y = torch.zeros(3, 2), torch.ones(2)
    x[1] = y
    y += 1
    x[2] = y
    x[1, 0] = 5
    assert (x.tolist(), y.tolist()) == ([[0, 0], [5, 1], [2, 2]], [2, 2])
    a = torch.arange(4.0)
    a[:2] = a[1:3]
    version = a._version
    a[1] = a[1]
    assert a.tolist() == [1, 2, 2, 3] and a._version > version
    w = torch.ones(2, requires_grad=True)
    z = torch.zeros(2, 2)
    z[0] = w
    z[1] += w * 2
    z[1] = z[1] * 2
    z.sum().backward()
    assert w.grad.tolist() == [5, 5]
