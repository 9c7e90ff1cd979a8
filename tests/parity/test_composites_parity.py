"""The calls of composite_calls.py give what PyTorch gives."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as ours

from .composite_calls import CALLS, SHAPES, tensors

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]


def _facts(t, call: str) -> list:
    found = eval(call, tensors(t))
    found = list(found) if isinstance(found, tuple | list) and not isinstance(found, t.Size) else [found]
    return [
        f for x in found for f in (x if isinstance(x, tuple | list) and not isinstance(x, t.Size) else [x])
    ]


@pytest.mark.parametrize("call", CALLS)
def test_call(call):
    theirs, mine = _facts(torch, call), _facts(ours, call)
    assert len(mine) == len(theirs)
    for a, b in zip(mine, theirs):
        if not isinstance(b, torch.Tensor):
            assert str(a) == str(b)
            continue
        assert str(a.dtype) == str(b.dtype)
        assert tuple(a.shape) == tuple(b.shape)
        if call in SHAPES and b._base is not None and 0 not in b.shape:
            assert a.stride() == b.stride()
        a, b = a.detach().resolve_conj(), b.detach().resolve_conj()
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=2e-6)
