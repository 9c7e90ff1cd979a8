"""Tensors to JAX arrays and back."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite.compat import from_jax, to_jax


def test_there_and_back_without_a_copy():
    array = jnp.arange(6.0).reshape(2, 3)
    tensor = from_jax(array)
    assert to_jax(tensor) is array
    assert tensor.dtype is torch.float32 and tensor.shape == (2, 3) and not tensor.requires_grad


@pytest.mark.parametrize("name", ["float64", "int64", "bfloat16", "bool", "complex64", "uint8"])
def test_dtypes_stay(name):
    tensor = torch.ones(3).to(getattr(torch, name))
    array = to_jax(tensor)
    assert isinstance(array, jax.Array) and array.dtype == tensor.dtype.np
    assert from_jax(array).dtype is tensor.dtype


def test_pending_values_are_computed():
    x = torch.ones(3)
    np.testing.assert_array_equal(to_jax(x * 2 + 1), [3.0, 3.0, 3.0])


def test_the_array_does_not_change_with_the_tensor():
    tensor = torch.zeros(10_000)
    array = to_jax(tensor)
    for _ in range(3):
        tensor += 1  # would be done in the array's memory if nobody held it
        torch.synchronize()
    np.testing.assert_array_equal(array, np.zeros(10_000))
    assert tensor.sum().item() == 30_000


def test_an_array_of_the_users_is_never_overwritten():
    array = jnp.zeros(10_000)
    tensor = from_jax(array)
    for _ in range(3):
        tensor += 1
        torch.synchronize()
    np.testing.assert_array_equal(array, np.zeros(10_000))
    assert tensor.sum().item() == 30_000


def test_gradients_start_at_an_array():
    x = from_jax(jnp.arange(3.0), requires_grad=True)
    (x * x).sum().backward()
    np.testing.assert_array_equal(to_jax(x.grad), [0.0, 2.0, 4.0])


def test_a_jax_function_inside_the_program():
    x = torch.linspace(0, 1, 5)
    y = from_jax(jax.jit(jnp.cumsum)(to_jax(x)))
    np.testing.assert_allclose(y, x.cumsum(0), rtol=1e-6)


def test_only_tensors_and_arrays():
    with pytest.raises(TypeError, match="must be Tensor, not Array"):
        to_jax(jnp.ones(2))
    with pytest.raises(TypeError, match=r"must be a jax.Array, not Tensor"):
        from_jax(torch.ones(2))


@pytest.mark.parametrize("ops", [1, 400])  # in one program, and in several
def test_what_is_pending_when_jit_begins_is_computed_not_traced(ops):
    x = torch.ones(3)
    pending, waiting = x * 2, x * 3
    for _ in range(ops):
        waiting = waiting + 1

    @jax.jit
    def f(a):
        return a + to_jax(pending) + to_jax(torch.sin(from_jax(a)) * waiting)

    a = np.arange(3, dtype=np.float32)
    np.testing.assert_allclose(f(a), a + 2 + np.sin(a) * (3 + ops), rtol=1e-6)
    assert x.tolist() == [1.0] * 3
    assert pending.tolist() == [2.0] * 3
    assert waiting.tolist() == [3.0 + ops] * 3
    assert (waiting * 2).tolist() == [6.0 + 2 * ops] * 3
