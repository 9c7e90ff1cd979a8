"""The hand-written tangent of the recurrent scan against JAX's own derivative of that scan: first and second order, and
batched."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch_lite.nn  # noqa: F401  (declares the ops)
from functorch_lite.nn.functional import recurrence

STEPS, BATCH, HIDDEN, PROJECTED = 3, 2, 3, 2
CASES = {
    "lstm": ("LSTM", 4, False, ("b_hh",)),
    "lstm_projected_reverse_ragged": ("LSTM", 4, True, ("w_hr", "keep")),
    "gru_reverse_ragged": ("GRU", 3, True, ("b_hh", "keep")),
    "relu": ("RNN_RELU", 1, True, ()),
}
QUICKLY = {"xla_backend_optimization_level": 0}  # compiled


def _inputs(mode: str, gates: int, parts: tuple) -> recurrence._Inputs:
    rng = np.random.default_rng(3)
    size = PROJECTED if "w_hr" in parts else HIDDEN
    keep = np.arange(STEPS)[:, None, None] < np.array([STEPS, 1])[:, None]
    return recurrence._Inputs(
        zx=rng.normal(size=(STEPS, BATCH, gates * HIDDEN)),
        h=rng.normal(size=(BATCH, size)),
        c=rng.normal(size=(BATCH, HIDDEN)) if mode == "LSTM" else None,
        w_hh=rng.normal(size=(gates * HIDDEN, size)),
        b_hh=rng.normal(size=gates * HIDDEN) if "b_hh" in parts else None,
        w_hr=rng.normal(size=(PROJECTED, HIDDEN)) if "w_hr" in parts else None,
        keep=keep if "keep" in parts else None,
    )


@pytest.mark.parametrize("name", CASES)
def test_tangent_is_that_of_the_scan(name):
    mode, gates, reverse, parts = CASES[name]
    at = _inputs(mode, gates, parts)
    numbers = {k: x for k, x in at._asdict().items() if x is not None and k != "keep"}
    rng = np.random.default_rng(4)
    tangent = {k: rng.normal(size=x.shape) for k, x in numbers.items()}

    def own(numbers):
        return recurrence._scan(mode, reverse, at._replace(**numbers))

    def ours(numbers):
        given = jax.lax.stop_gradient(own(numbers))
        return recurrence._known(mode, reverse, at._replace(**numbers), given)

    def facts(f):
        """Of results and activations alike: tangents of a batch of two; gradients, and their tangents."""

        def loss(numbers):
            return sum(jnp.sin(x).sum() for x in jax.tree.leaves(f(numbers)))

        def all_of(numbers, tangent):
            two = jax.tree.map(lambda a, b: jnp.stack([a, b]), numbers, tangent)
            return {
                "tangents": jax.vmap(lambda n: jax.jvp(f, (n,), (tangent,)))(two),
                "gradients": jax.jvp(jax.grad(loss), (numbers,), (tangent,)),
            }

        return jax.jit(all_of, compiler_options=QUICKLY)(numbers, tangent)

    with jax.enable_x64(True):
        expected, found = facts(own), facts(ours)
    for key, tree in expected.items():
        leaves = jax.tree.leaves(tree)
        assert len(leaves) == len(jax.tree.leaves(found[key]))
        for a, b in zip(leaves, jax.tree.leaves(found[key])):
            np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-11, err_msg=key)
