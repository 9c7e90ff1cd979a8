"""Every module class side by side with PyTorch: what its constructor draws, outputs and gradients in both modes,
updated buffers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import functorch_lite as ours
from functorch_lite import nn
from tests.compare import TOLERANCES
from tests.nn.module_cases import CASES, Case
from tests.nn.module_runs import DRAWS_OTHERWISE, arrays, inputs_of, made, run
from tests.nn.test_modules import is_long
from tests.support.full import FULL

pytestmark = [pytest.mark.parity, pytest.mark.usefixtures("draws_as_torch_does")]
torch = pytest.importorskip("torch")

FIRST = {c.name: n for n, c in reversed(list(enumerate(CASES)))}


def _chosen() -> list[int]:
    """The first case of each class, and those that `make test` leaves out; at full length all: it compares their facts
    with torch's."""
    full = FULL
    return [n for n, c in enumerate(CASES) if full or FIRST[c.name] == n or is_long(n)]


@pytest.mark.parametrize("n", _chosen(), ids=lambda n: f"{n}-{CASES[n].name}")
def test_module(n: int):
    c = CASES[n]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, mine = made(torch, c), made(ours, c)
        assert repr(mine) == repr(theirs)
        if c.name.startswith("Lazy"):  # both get their shapes
            theirs(*inputs_of(torch, c))
            mine(*inputs_of(ours, c))
            assert repr(mine) == repr(theirs)
            assert type(mine).__name__ == type(theirs).__name__
        state = theirs.state_dict()
        drawn = mine.state_dict()
        wanted = {k: (d, a.copy()) for k, (d, a) in arrays(state).items()}  # training changes them in place
        assert list(drawn) == list(state)
        drawn = {k: t.clone() for k, t in drawn.items()}
        mine.load_state_dict(
            {k: ours.tensor(wanted[k][1]).to(getattr(ours, str(v.dtype)[6:])) for k, v in state.items()}
        )
        results = []
        for training in c.modes:
            for lib in (torch, ours):
                lib.manual_seed(1)
            results.append((training, run(torch, theirs, c, training), run(ours, mine, c, training)))
    got_state = arrays(drawn)
    for k, (dtype, want) in wanted.items():
        assert (dtype, want.shape) == (got_state[k][0], got_state[k][1].shape)
        if not c.name.startswith("Lazy"):
            np.testing.assert_allclose(got_state[k][1], want, rtol=1e-6, atol=1e-7, err_msg=f"initial {k}")
    for training, want, got in results:
        _compare(c, arrays(got), arrays(want), training)


def _compare(c: Case, got: dict, want: dict, training: bool) -> None:
    """Everything of one run agrees; where torch has a gradient of zeros ours may have none."""
    assert got.keys() <= want.keys(), f"only ours: {sorted(got.keys() - want.keys())}"
    absent = want.keys() - got.keys()
    assert all(k.startswith("gradient") and not want[k][1].any() for k in absent), absent
    rtol, atol = (2e-5, 2e-6) if c.dtype == "float32" else TOLERANCES[c.dtype][1]
    for k in got:
        (dtype, a), (expected, b) = got[k], want[k]
        assert (dtype, a.shape) == (expected, b.shape), (k, training)
        if training and c.name in DRAWS_OTHERWISE:
            continue
        np.testing.assert_allclose(
            a, b, rtol=rtol, atol=atol, err_msg=f"{k}, {'training' if training else 'eval'}"
        )


def test_every_class_has_a_case():
    containers = {
        "Module",
        "Container",
        "Sequential",
        "ModuleList",
        "ModuleDict",
        "ParameterList",
        "ParameterDict",
    }
    bases = {"RNNBase", "RNNCellBase"}
    elsewhere = {"DataParallel"}  # test_data_parallel.py
    classes = {
        name
        for name in nn.__all__
        if isinstance(getattr(nn, name), type) and issubclass(getattr(nn, name), nn.Module)
    }
    assert classes - {c.name for c in CASES} == (containers | bases | elsewhere) & classes
