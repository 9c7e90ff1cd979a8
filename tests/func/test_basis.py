"""Jacobians and Hessians multiply no zeros of an identity, and have the numbers of those that do: NaNs and infinities,
too."""

from __future__ import annotations

from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.jaxprs.walk import inner
from functorch_lite.func import basis
from functorch_lite.func.basis import over_bases, over_basis


def identity(like):
    return jnp.eye(like.size, dtype=like.dtype).reshape(like.size, *like.shape)


def both(f, like):
    """By over_basis and by the rows of an identity; of which XLA must not know, or it leaves out some products with its
    zeros."""
    return jax.jit(lambda eye: (over_basis(f, like), jax.vmap(f)(eye)))(identity(like))


ATOL = 1e-6 if jax.__version_info__ < (0, 11) else 5e-6


def same(got, expected):
    np.testing.assert_allclose(got, expected, rtol=2e-5, atol=ATOL, equal_nan=True)


def array(*shape):
    """Always the same."""
    return jnp.asarray(np.random.default_rng(shape).standard_normal(shape), jnp.float32)


W, V, BATCH = array(3, 4), array(4, 3), array(2, 4, 3)
NAN, INF = W.at[1, 2].set(jnp.nan), W.at[1, 2].set(jnp.inf)
X = array(4)

LINEAR = {
    "nothing": (lambda x: x, X),
    "scaled": (lambda x: -(x * X) / 3, X),
    "scaled by infinity": (lambda x: x * X.at[2].set(jnp.inf) + x, X),
    "sums": (lambda x: (x * X).sum() * X, X),
    "sum of one axis": (lambda x: (x * W).sum(0), W),
    "sum beside the diagonal": (lambda x: (x[:, None] * V).sum(1), X),
    "matrix": (lambda x: W @ (x * X), X),
    "matrix from the left": (lambda x: (x * X) @ V, X),
    "matrix, transposed": (lambda x: jnp.einsum("ij,j->i", V.T, x), X),
    "with NaN": (lambda x: NAN @ x, X),
    "with infinity": (lambda x: INF @ (x * X), X),
    "with infinity and a zero of infinity": (lambda x: INF @ (x * X.at[1].set(jnp.inf)), X),
    "two matrices": (lambda x: V @ jnp.where(X[:3] > 0, W @ x, 0), X),
    "both axes": (lambda x: jnp.einsum("ij,jki->k", W * x, array(4, 2, 3)), W),
    "both axes, the other way": (lambda x: jnp.einsum("jki,ij->k", BATCH.transpose(1, 0, 2), W * x), W),
    "one of two axes": (lambda x: (x * W) @ V, W),
    "batched": (lambda x: jnp.einsum("bij,i->bj", BATCH, x), X),
    "batched diagonal": (lambda x: jnp.einsum("bij,bi->bj", BATCH, x * BATCH[:, :, 0]), array(2, 4)),
    "mapped": (lambda x: jax.vmap(lambda w: w @ (x * w[0]))(BATCH.transpose(0, 2, 1)), X),
    "transposed": (lambda x: (x * W).T.reshape(-1) @ array(12, 2), W),
    "flattened": (lambda x: (x * W).reshape(-1) @ array(12, 2), W),
    "split": (lambda x: W @ (x * array(12)).reshape(4, 3), array(12)),
    "ones": (lambda x: W @ (x[None, :, None] * X[:, None])[0, :, 0], X),
    "choice": (lambda x: jnp.where(X > 0, x, 0.1 * x) + jnp.where(X > 0, 0, x), X),
    "choice of jax.lax": (lambda x: jax.lax.select(X > 0, x, jnp.zeros_like(x)) @ V, X),
    "double": (lambda x: (x.astype(jnp.float64) * X) @ V.astype(jnp.float64), X),
    "bfloat16": (lambda x: jnp.dot(W.astype(jnp.bfloat16), x.astype(jnp.bfloat16)), X),
    "bfloat16 into float": (
        lambda x: jnp.dot(W.astype(jnp.bfloat16), x.astype(jnp.bfloat16), preferred_element_type=jnp.float32),
        X,
    ),
    "complex": (lambda x: jnp.real((x + 0j) * 1j * X), X),
    "Fourier": (lambda x: jnp.abs(jnp.fft.fft(X)) * jnp.fft.rfft(x, 7).real, X),
    "cumulative": (lambda x: jnp.cumsum(x * X), X),
    "indexed": (lambda x: x[jnp.asarray([2, 0])] * 2, X),
    "nothing of it": (lambda x: X * 2, X),
    "several": (lambda x: {"a": x * X, "b": (W @ x, X)}, X),
    "loop": (lambda x: jax.lax.scan(lambda c, w: (w @ c, c * X), x, array(5, 4, 4)), X),
    "one element": (lambda x: x * X, array(1)),
    "a scalar": (lambda x: x * X, array()),
    "ones around": (lambda x: (x * array(1, 4, 1))[0].T @ V, array(1, 4, 1)),
}


@pytest.mark.parametrize("name", LINEAR)
def test_every_vector(name):
    with jax.enable_x64(True):
        jax.tree.map(same, *both(*LINEAR[name]))


@pytest.mark.parametrize("name", ["matrix", "sums", "two matrices"])
def test_some_at_a_time(name):
    f, like = LINEAR[name]
    jax.tree.map(same, over_basis(f, like, 3), over_basis(f, like))


# -- random linear functions -------------------------------------------------------------------------------------------

SPECIAL = (0.0, 1.0, -2.0, np.inf, np.nan)


def random_linear(seed: int):
    """A chain of linear steps, with zeros, infinities and NaNs among the factors."""
    draw = np.random.default_rng(seed)

    def factor(*shape):
        x = draw.standard_normal(shape)
        where = draw.random(shape) < draw.choice([0, 0.1, 0.3])
        return jnp.asarray(np.where(where, draw.choice(SPECIAL, shape), x), jnp.float32)

    shape = tuple([int(n) for n in draw.integers(1, 4, draw.integers(1, 4))])
    like, steps = factor(*shape), []
    for _ in range(draw.integers(1, 7)):
        kind = draw.choice(
            ["mul", "div", "select", "split", "sum", "dot", "transpose", "reshape", "broadcast", "add"]
        )
        axis = int(draw.integers(len(shape))) if shape else 0
        if kind == "mul":
            steps.append(lambda x, c=factor(*shape): x * c)
        elif kind == "div":
            steps.append(lambda x, c=factor(*shape): x / c)
        elif kind == "select":
            steps.append(lambda x, c=factor(*shape): jnp.where(c > 0, x, 0))
        elif kind == "split":
            steps.append(lambda x, c=factor(*shape), d=factor(*shape): x * c - jnp.where(d > 0, x, -x))
        elif kind == "transpose":
            order = [int(a) for a in draw.permutation(len(shape))]
            shape = tuple([shape[a] for a in order])
            steps.append(lambda x, order=order: x.transpose(order))
        elif kind == "broadcast":
            shape = (*shape[:axis], 2, *shape[axis:])
            steps.append(lambda x, axis=axis, s=shape: jnp.broadcast_to(jnp.expand_dims(x, axis), s))
        elif kind == "reshape":
            shape = (int(np.prod(shape)),) if draw.random() < 0.6 else (1, *shape)
            steps.append(lambda x, s=shape: x.reshape(s))
        elif kind == "add":
            steps.append(lambda x, c=factor(*shape): x + x.sum() * c)
        elif shape:
            size = shape[axis]
            shape = (*shape[:axis], *shape[axis + 1 :])
            if kind == "sum":
                steps.append(lambda x, axis=axis: x.sum(axis))
            else:
                w, left = factor(size, 2), draw.random() < 0.5
                shape = (2, *shape) if left else (*shape, 2)
                steps.append(
                    lambda x, w=w, a=axis, left=left: (
                        jnp.tensordot(w, x, ((0,), (a,))) if left else jnp.tensordot(x, w, ((a,), (0,)))
                    )
                )

    def run(x):
        for step in steps:
            x = step(x)
        return x

    return run, like


@pytest.mark.parametrize("block", range(4))
def test_random_linear_functions(block):
    for seed in range(block * 25, block * 25 + 25):
        same(*both(*random_linear(seed)))


# -- the transforms ----------------------------------------------------------------------------------------------------

A, B = torch.tensor(np.array(W)), torch.tensor([0.0, 1.0, 0.5])

FUNCTIONS = {
    "layer": lambda x: torch.nn.functional.linear(x, A, B).tanh(),
    "relu": lambda x: (A @ x).relu(),
    "gelu of layers": lambda x: A.T @ torch.nn.functional.gelu(A @ x),
    "softmax": lambda x: (A @ x).softmax(0),
    "pointwise": lambda x: x.sin() * x,
    "infinite derivative": lambda x: A @ x.relu().sqrt(),
    "infinite derivative after": lambda x: (A @ x.relu()).abs().sqrt(),
    "total": lambda x: (A @ x).square().sum() + x.prod(),
    "norm": lambda x: torch.nn.functional.layer_norm(x, (4,)),
    "matrix": lambda x: x.outer(x).tanh() @ A.T,
}
POINTS = {"random": torch.tensor(np.array(X)), "with zeros": torch.tensor([0.0, 1.5, -2.0, 0.0])}


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_rows_and_columns_one_by_one(name, point):
    f, x = FUNCTIONS[name], POINTS[point]
    y, pull = torch.func.vjp(f, x)  # type: ignore[misc]
    units = torch.eye(y.numel()).reshape(-1, *y.shape)
    rows = torch.stack([pull(e)[0] for e in units]).reshape(*y.shape, *x.shape)
    same(torch.func.jacrev(f)(x), rows)
    columns = torch.stack([torch.func.jvp(f, (x,), (e,))[1] for e in torch.eye(4)], -1)
    same(torch.func.jacfwd(f)(x), columns)
    if point == "random":
        gradient = torch.func.jacrev(f)
        blocks = torch.stack([torch.func.jvp(gradient, (x,), (e,))[1] for e in torch.eye(4)], -1)
        same(torch.func.hessian(f)(x), blocks)
        batch = torch.stack([x, 2 * x])
        same(torch.vmap(torch.func.hessian(f))(batch)[0], blocks)


def products(jaxpr) -> Counter:
    """How many multiplications its matrix products do, by primitive."""
    found: Counter = Counter()
    for eqn in jaxpr.eqns:
        for each in inner(eqn):
            found += products(each)
        if eqn.primitive.name == "dot_general":
            ((contracted, _), _) = eqn.params["dimension_numbers"]
            shape = eqn.invars[0].aval.shape
            found["dot_general"] += int(eqn.outvars[0].aval.size * np.prod([shape[a] for a in contracted]))
    return found


def test_no_zeros_are_multiplied():
    w = array(64, 32)

    def f(x):
        return jnp.tanh(w @ x)

    x = array(32)
    y, pull = jax.vjp(f, x)
    assert products(jax.make_jaxpr(lambda: over_basis(pull, y))()) == {}
    assert products(jax.make_jaxpr(jax.vmap(pull))(identity(y))) == {"dot_general": 64 * 64 * 32}
    _, push = jax.linearize(f, x)
    assert products(jax.make_jaxpr(lambda: over_basis(push, x))()) == {}


@pytest.mark.parametrize("chunk_size", [None, 3])
def test_bases_of_many_arrays_are_joined(chunk_size, monkeypatch):
    likes = [jnp.ones(shape) for shape in [(2, 3), (), (4,), (2, 1), (1,)]]

    def f(a, b, c, d, e):
        return [jnp.sin(1.0) * a.sum(0) * 2 - e, b + c, d]

    found = {}
    for most in (1, 2, 99):
        monkeypatch.setattr(basis, "MOST", most)
        found[most] = over_bases(f, likes, chunk_size)
    assert [x[1].shape for x in found[1]] == [(x.size, 4) for x in likes]
    jax.tree.map(same, found[1], found[99])
    jax.tree.map(same, found[2], found[99])


def test_a_function_of_many_arrays_is_traced_a_few_times():
    times = []

    def f(*xs):
        times.append(1)
        return [x * 2 for x in xs]

    over_bases(f, [jnp.ones(2)])
    once, times[:] = len(times), []
    over_bases(f, [jnp.ones(2)] * (basis.MOST * 5))
    assert len(times) == once * basis.MOST
