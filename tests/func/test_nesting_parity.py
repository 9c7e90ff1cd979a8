"""Random programs under random nestings of transforms give what torch.func gives."""

from __future__ import annotations

import os

import numpy as np
import pytest

import functorch_lite as ours
from tests.func import nesting

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.parity


FULL = os.environ.get("FUNCTORCH_LITE_PARITY") == "full"
NOT_IN_TORCH = "Nested forward mode AD is not supported at the moment"


@pytest.mark.parametrize("seed", range(1000, 1100 if FULL else 1020))
def test_against_torch_func(seed):
    results = []
    for lib in (ours, torch):
        f, names = nesting.build(nesting.torch_like(lib), seed)
        try:
            results.append(f(lib.tensor(nesting.point(seed), dtype=lib.float64)).numpy())
        except RuntimeError as error:
            if lib is torch and NOT_IN_TORCH in str(error):
                pytest.skip("torch.func.linearize does not nest with forward mode")
            raise
    np.testing.assert_allclose(*results, rtol=1e-8, atol=1e-9, err_msg=" of ".join(names[::-1]))
