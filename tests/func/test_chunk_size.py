"""chunk_size: an int gives what the whole gives; "auto" picks the largest chunk whose program fits the memory
budget."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite.func import chunk_size as module
from functorch_lite.func import hessian, jacfwd, jacrev, memory_budget

ROWS = torch.tensor(np.random.default_rng(0).standard_normal((24, 24)).astype(np.float32))
WIDE = torch.tensor(np.random.default_rng(1).standard_normal((24, 400)).astype(np.float32) / 20)


def f(x):
    """From 24 numbers to 24, by way of some thousands."""
    return (torch.sin(WIDE * x[:, None]).cumsum(0) * WIDE.exp()).cumsum(1).sum(1)


def example(x):
    return f(x.sin())


def close(a, b):
    np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-4, atol=1e-4)


CASES = {
    "vmap": (lambda size: torch.vmap(example, chunk_size=size), ROWS),
    "vmap of columns": (lambda size: torch.vmap(example, in_dims=1, out_dims=1, chunk_size=size), ROWS),
    "jacrev": (lambda size: jacrev(f, chunk_size=size), ROWS[0]),
    "jacfwd": (lambda size: jacfwd(f, chunk_size=size), ROWS[0]),
    "hessian": (lambda size: hessian(lambda x: f(f(x) / 300).sum(), chunk_size=size), ROWS[0]),
}


@pytest.fixture
def measured(monkeypatch):
    """The sizes of all programs that were analysed."""
    sizes = []
    analyse = module.program_bytes

    def note(op, avals):
        sizes.append(analyse(op, avals))
        return sizes[-1]

    monkeypatch.setattr(module, "program_bytes", note)
    return sizes


@pytest.mark.parametrize("name", CASES)
def test_auto_fits_the_budget(name, measured):
    make, x = CASES[name]
    whole = make(None)(x)
    with memory_budget(1 << 30):
        assert make("auto")(x).shape == whole.shape
    assert len(measured) == 1  # all at once fits: nothing else is looked at
    budget = int(measured[0] * 0.5)
    with memory_budget(budget):
        found = make("auto")(x)
        fitting = max(size for size in measured if size <= budget)
        assert fitting > budget // 4, f"{fitting} of {budget} bytes are used"
        analysed = len(measured)
        make("auto")(x)
        assert len(measured) == analysed  # what was found is kept
    close(found, whole)


def test_int_chunks():
    for name in ("vmap", "vmap of columns", "jacrev", "jacfwd", "hessian"):
        make, x = CASES[name]
        close(make(7)(x), make(None)(x))


def test_warns_when_nothing_fits():
    with memory_budget(1), pytest.warns(UserWarning, match="even one at a time"):
        torch.vmap(example, chunk_size="auto")(ROWS)


def test_bad_arguments():
    with pytest.raises(ValueError, match="positive number of bytes"):
        memory_budget(0).__enter__()
    with pytest.raises(ValueError, match="chunk_size"):
        jacrev(f, chunk_size=0)
    with pytest.raises(ValueError, match="chunk_size should be None or greater than 0"):
        torch.vmap(f, chunk_size=-1)
