"""Random programs under random nestings of transforms give what torch.func gives."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as ours
from tests.func import nesting
from tests.support.full import FULL

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.parity


def library(lib):
    """torch.func.linearize does not nest: it raises inside forward mode, and jacrev of it gave numbers of uninitialised
    memory. Reverse transforms inside of torch's checkpoint raise, and transforms inside of functionalize fail an
    assertion of PyTorch's own."""
    names = nesting.torch_like(lib)
    if lib is torch:
        names.linearize = names.jvp
        names.checkpoint = lambda f, x: f(x)
        names.functionalize = lambda f: f
    return names


@pytest.mark.parametrize("seed", range(1000, 1100 if FULL else 1020))
def test_against_torch_func(seed):
    results = []
    for lib in (ours, torch):
        f, names = nesting.build(library(lib), seed)
        results.append(f(lib.tensor(nesting.point(seed), dtype=lib.float64)).numpy())
    np.testing.assert_allclose(*results, rtol=1e-8, atol=1e-9, err_msg=" of ".join(names[::-1]))
