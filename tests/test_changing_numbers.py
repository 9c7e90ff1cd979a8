"""A Python number that changes from call to call becomes an input of the program, and ops do not see its value any more: what they
refuse must not depend on that."""

from __future__ import annotations

import math

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core import bind, executor
from functorch_lite._core.apply import from_array
from functorch_lite._core.op import OPS
from tests.arguments import replace
from tests.checker import spread
from tests.samples import all_samples
from tests.samples.base import T

NUMBERS = (
    -7, -1, 0, 1, 2, 5, 300, 70000, 2**40, 0.5, 2.0, 1e5, 1e39, -1e39, math.inf, -math.inf, math.nan, 1j, 2 + 0j,
)  # fmt: skip
NAMES = sorted(
    name
    for name in all_samples()
    if name in OPS and not OPS[name].host and any(p.allows_number or p.is_real for p in OPS[name].params)
)


def _said(call, number) -> str:
    """What a call raises, or what it returns but for its numbers."""
    try:
        result = call(number)
    except Exception as e:
        return f"{type(e).__name__}: {e}"
    return str([(t.dtype, tuple(t.shape)) for t in (result if isinstance(result, tuple) else (result,))])


def _calls(op, sample):
    """For each place of a number in a sample: its name, and a function that makes the call with another number there."""
    fn = bind.lookup(op.namespace, op.name.rpartition(".")[2]) or bind.make_function(op, op.name)
    given = dict(zip([p.name for p in op.params], sample.args)) | sample.kwargs
    for p in op.params:
        placed = given.get(p.name, p.default)
        if (p.allows_number or p.is_real) and not isinstance(placed, str | tuple | list):
            yield p.name, lambda number, place=p.name: fn(**_tensors(given | {place: number}))


def _tensors(arguments: dict) -> dict:
    return replace(arguments, lambda x: from_array(np.array(x.array)) if isinstance(x, T) else x)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_what_is_refused(name):
    op, samples = OPS[name], [s for s in all_samples()[name] if s.error is None]
    wrong = []
    for at in spread(len(samples), 6):
        for place, call in _calls(op, samples[at]):
            first = []
            for number in NUMBERS:
                executor.forget_programs()
                first.append(_said(call, number))
            executor.forget_programs()
            for number, alone in zip(NUMBERS, first):
                executor.flush()
                later = _said(call, number)
                if later != alone:
                    wrong.append(f"{place}={number!r} of {samples[at]}: {alone}; after others: {later}")
    assert not wrong, "\n".join(wrong)


def test_numpys_numbers_are_assigned():
    x = torch.zeros(3)
    for number in (1.5, 2.5, 3.5):
        x[1] = np.float64(number)
        assert x.tolist() == [0.0, number, 0.0]
