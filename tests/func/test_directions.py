"""Jacobians by the direction that takes far fewer vectors: the same matrix, whichever is asked for."""

import jax
import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite.func import jacfwd, jacobians, jacrev, vmap

WIDE, NARROW = 300, 3


def _weights():
    return torch.tensor(np.random.default_rng(0).standard_normal((NARROW, WIDE)) / 10)


def _narrowing(x):
    return (_weights() @ x.sin()).tanh() + x.exp().sum()


def _widening(x):
    return (_weights().T @ x.sin()).tanh() * x.prod()


def _looping(x):
    from functorch_lite._higher_order_ops import while_loop

    _, y = while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, (y * 0.5).sin()), (torch.tensor(0), x))
    return _weights() @ y


def _by_differences(f, x, step=1e-6):
    directions = torch.eye(x.numel(), dtype=x.dtype).reshape(-1, *x.shape)
    columns = [(f(x + step * d) - f(x - step * d)) / (2 * step) for d in directions]
    return torch.stack(columns, -1).reshape(*columns[0].shape, *x.shape).numpy()


@pytest.mark.parametrize("transform", [jacfwd, jacrev])
@pytest.mark.parametrize("f, n", [(_narrowing, WIDE), (_widening, NARROW), (_looping, WIDE)])
def test_either_direction_gives_the_jacobian(transform, f, n):
    x = torch.tensor(np.random.default_rng(1).standard_normal(n))
    expected = transform(f, chunk_size=100)(x).numpy()  # with a chunk size, the direction that is asked for
    np.testing.assert_allclose(transform(f)(x).numpy(), expected, atol=1e-12)
    np.testing.assert_allclose(expected, _by_differences(f, x), atol=1e-7)


@pytest.mark.parametrize("transform, f, n", [(jacfwd, _narrowing, WIDE), (jacrev, _widening, NARROW)])
def test_inside_other_transforms(transform, f, n):
    x = torch.tensor(np.random.default_rng(2).standard_normal((2, n)))
    mapped = vmap(transform(f))(x)
    for row, example in zip(mapped, x):
        np.testing.assert_allclose(row.numpy(), transform(f, chunk_size=100)(example).numpy(), atol=1e-12)
    along = torch.func.jvp(transform(f), (x[0],), (x[1],))[1]
    h = 1e-6
    expected = (transform(f)(x[0] + h * x[1]) - transform(f)(x[0] - h * x[1])) / (2 * h)
    np.testing.assert_allclose(along.numpy(), expected.numpy(), atol=1e-7)


def test_several_inputs_and_outputs_of_which_some_do_not_move():
    def f(x, y):
        return {"a": (x * y[0]).sum(), "b": torch.arange(2), "c": y * 2}

    x, y = torch.arange(300.0), torch.tensor([2.0, 3.0])
    found = jacfwd(f, (0, 1))(x, y)
    np.testing.assert_array_equal(found["a"][0].numpy(), np.full(300, 2.0))
    np.testing.assert_array_equal(found["a"][1].numpy(), [x.sum().item(), 0.0])
    assert found["b"][0].shape == (2, 300) and not found["b"][0].any()
    np.testing.assert_array_equal(found["c"][0].numpy(), np.zeros((2, 300)))
    np.testing.assert_array_equal(found["c"][1].numpy(), 2 * np.eye(2))


class _Shape:
    def __init__(self, *shape):
        self.shape = shape


@pytest.mark.parametrize(
    "kind, n, m, other",
    [
        ("jacfwd", 2048, 32, True),
        ("jacrev", 32, 2048, True),
        ("jacfwd", 32, 2048, False),
        ("jacfwd", 2048, 1024, False),  # not far fewer
        ("jacfwd", 64, 1, False),  # not many
    ],
)
def test_which_direction_is_taken(kind, n, m, other):
    assert jacobians._better_the_other_way(kind, (jax.numpy.zeros(n),), [_Shape(m)]) is other
