"""Every op, sample by sample, against recorded facts of torch (tests/golden/ops.json) and against ourselves."""

from __future__ import annotations

from itertools import compress

import numpy as np
import pytest

from functorch_lite._core.words.device import CPU, resolve
from tests import checker, facts
from tests.arguments import placeholders
from tests.samples import all_samples

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


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_op(name):
    known, complaints = _known(name)
    there = [_there(name, s) for s in SAMPLES[name]]
    samples, known = list(compress(SAMPLES[name], there)), list(compress(known, there))
    failures = [str(f) for f in checker.check(checker.subject(name), samples, known)]
    assert not failures and not complaints, "\n" + "\n".join(failures + complaints)
