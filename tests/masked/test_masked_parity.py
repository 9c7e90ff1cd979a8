"""torch.masked beside PyTorch: values, dtypes, gradients, printing, errors."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import functorch_lite as ours
from tests.masked import cases

pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]
torch = pytest.importorskip("torch")
pytest.importorskip("torch.masked")


@pytest.mark.parametrize("source", cases.CALLS)
def test_functions(source):
    found = []
    for lib in (torch, ours):
        names = cases.scope(lib)
        x = names["x"].requires_grad_()
        out = eval(source, names)
        got = [out]
        if out.requires_grad and out.dtype == lib.float64:
            finite = lib.where(lib.isfinite(out), out, lib.zeros_like(out)).sum()
            got += lib.autograd.grad(finite, [x])
        found.append(got)
    for theirs, mine in zip(*found):
        assert str(theirs.dtype).split(".")[1] == str(mine.dtype).split(".")[1]
        theirs, mine = theirs.detach().numpy(), mine.detach().numpy()
        assert theirs.shape == mine.shape
        known = ~np.isnan(theirs) if theirs is not found[0][0] else np.ones_like(theirs, bool)
        np.testing.assert_allclose(np.where(known, mine, 0), np.where(known, theirs, 0), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("source", cases.OF_MASKED_TENSORS)
def test_masked_tensors(source):
    theirs, mine = (eval(source, cases.scope(lib)) for lib in (torch, ours))
    assert repr(mine) == repr(theirs)


@pytest.mark.parametrize("source", [*cases.ERRORS, *cases.ERRORS_OF_MASKED_TENSORS])
def test_errors(source):
    said = []
    for lib in (torch, ours):
        with pytest.raises(Exception) as caught, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            eval(source, cases.scope(lib))
        said.append((caught.type.__name__, str(caught.value)))
    assert said[1] == said[0]


@pytest.mark.parametrize("dtype", "uint8 int32 int64 bool float16 bfloat16 float64 complex64".split())
def test_dtypes(dtype):
    """What each function gives, or that it refuses, for a tensor of this dtype with and without a mask."""
    found = []
    for lib in (torch, ours):
        x, mask = lib.tensor([1, 2, 3, 100]).to(getattr(lib, dtype)), lib.tensor([True, False, True, True])
        results = {}
        for name in (*cases.REDUCTIONS, *cases.OTHERS):
            for given in ({}, {"mask": mask}):
                between = (2.0,) if name in ("norm", "normalize") else ()
                try:
                    got = getattr(lib.masked, name)(x, *between, 0, **given)
                    wide = got.detach().to(lib.complex128).tolist()
                    results[name, len(given)] = str(got.dtype).split(".")[1], wide
                except Exception as error:
                    results[name, len(given)] = type(error).__name__
        found.append(results)
    for case, theirs in found[0].items():
        mine = found[1][case]
        assert type(mine) is type(theirs) and mine[0] == theirs[0], (case, mine, theirs)
        if isinstance(theirs, tuple):
            coarse = dtype in ("float16", "bfloat16")
            np.testing.assert_allclose(mine[1], theirs[1], rtol=1e-2 if coarse else 1e-6, err_msg=str(case))
        else:
            assert mine == theirs, case
