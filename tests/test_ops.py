"""Every op, sample by sample, against recorded facts of torch (tests/golden/ops.json) and against ourselves."""

from __future__ import annotations

import pytest

from tests import checker, facts
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


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_op(name):
    known, complaints = _known(name)
    failures = [str(f) for f in checker.check(checker.subject(name), SAMPLES[name], known)]
    assert not failures and not complaints, "\n" + "\n".join(failures + complaints)
