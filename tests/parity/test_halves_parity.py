"""float16 rounds at every op, as in PyTorch: chains whose numbers are the same to the bit, by NumPy and by programs."""

from __future__ import annotations

import random

import numpy as np
import pytest

pt = pytest.importorskip("torch")

import functorch_lite as torch  # noqa: E402

pytestmark = pytest.mark.parity

STEPS = {
    "add": lambda x, y, c: x + y,
    "sub": lambda x, y, c: x - y,
    "mul": lambda x, y, c: x * y,
    "div": lambda x, y, c: x / y,
    "times a number": lambda x, y, c: x * c,
    "and a number": lambda x, y, c: x + c,
    "from a number": lambda x, y, c: c - x,
    "square": lambda x, y, c: x**2,
    "sqrt": lambda x, y, c: x.abs().sqrt(),
    "relu": lambda x, y, c: x.relu(),
    "maximum": lambda x, y, c: x.maximum(y),
    "reshape": lambda x, y, c: x.reshape(4, 4).t().reshape(-1),
}


def _chain(names: list[str], numbers: list[float], x, y):
    for name, number in zip(names, numbers):
        x = STEPS[name](x, y, number)
    return x


@pytest.mark.parametrize("tier", ["cold", "compiled"])
def test_chains_of_halves(tier):
    draw, values = random.Random(5), np.random.default_rng(5)
    chains = []
    for _ in range(200):
        names = draw.choices(list(STEPS), k=draw.randint(2, 6))
        chains.append(
            (
                names,
                [round(draw.uniform(-4, 4), 3) for _ in names],
                values.normal(size=(2, 16)).astype(np.float16),
            )
        )
    with torch.debug.tier(tier):
        ours = [
            _chain(names, numbers, *map(torch.from_numpy, arrays.copy())) for names, numbers, arrays in chains
        ]
        found = [t.numpy() for t in ours]
    for (names, numbers, arrays), result in zip(chains, found):
        expected = _chain(names, numbers, *map(pt.from_numpy, arrays.copy())).numpy()
        np.testing.assert_array_equal(result, expected, err_msg=f"{names} {numbers}")
