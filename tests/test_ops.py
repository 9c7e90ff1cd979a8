"""Every op, sample by sample, against recorded facts of torch (tests/golden/ops.json) and against ourselves."""

from __future__ import annotations

from itertools import compress

import numpy as np
import pytest

import functorch_lite as ours
from functorch_lite._core.run import executor
from functorch_lite._core.words.device import CPU, resolve
from tests import checker, facts
from tests.arguments import placeholders
from tests.samples import all_samples
from tests.support.full import FULL

GOLDEN = facts.load()
SAMPLES = all_samples()
REMAKE = "make_ops.py has not seen this sample: run `python -m tests.golden.make_ops {}` (needs torch)"


def _known(name: str) -> tuple[list, list[str]]:
    """(facts of each of the op's samples, complaints about samples that have none)."""
    recorded, complaints = [], []
    for i, sample in enumerate(SAMPLES[name]):
        packed = GOLDEN.get(name, {}).get(facts.fingerprint(sample))
        if packed is None:
            complaints.append(f"{name}[{i}] golden: {REMAKE.format(name)}")
        recorded.append(None if packed is None else facts.decode(packed))
    return recorded, complaints


def _there(name: str, sample) -> bool:
    """Whether the default device computes it: a GPU has no convolution of integers."""
    integers = all(np.asarray(t.array).dtype.kind == "i" for t in placeholders(sample))
    return resolve(None) is CPU or not (
        name.startswith("nn.functional.conv") and integers and sample.error is None
    )


def _checked(name: str, by_numpy: bool) -> str:
    """What fails of an op's samples, a line each."""
    known, complaints = _known(name)
    there = [_there(name, s) for s in SAMPLES[name]]
    samples, known = list(compress(SAMPLES[name], there)), list(compress(known, there))
    failures = checker.check(checker.subject(name), samples, known, by_numpy=by_numpy)
    return "\n".join([*map(str, failures), *complaints])


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_op(name):
    """Of programs at full length; else of NumPy, but for what `checker.check` says."""
    wrong = _checked(name, by_numpy=not FULL)
    assert not wrong, "\n" + wrong


@pytest.mark.parametrize("name", sorted(SAMPLES) if FULL else [])
def test_op_by_numpy(name):
    executor.forget_programs()  # which would run where they are there
    with ours.debug.tier("cold"):
        wrong = _checked(name, by_numpy=False)
    assert not wrong, "\n" + wrong
