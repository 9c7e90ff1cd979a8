"""Every op, sample by sample, side by side with real torch: results, dtypes, gradients, second gradients, exceptions.

The samples are those of tests/test_ops.py, which holds us to recorded facts of torch. So the facts are compared with
torch for every sample, and we ourselves, compiled as users' programs are, for some of each op (for all in
`make parity-full`).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("torch")

from tests import checker, facts, torch_side
from tests.checker import FULL, spread
from tests.compare import difference, without_phase
from tests.facts import Facts
from tests.samples import all_samples
from tests.samples.base import Sample

pytestmark = pytest.mark.parity
GOLDEN = facts.load()
SAMPLES = all_samples()
MAX_RUN = 100 if FULL else 1
"""How many samples of an op we are run on here."""


def _live(name: str, i: int) -> tuple[Facts | None, str | None]:
    try:
        return torch_side.facts(name, SAMPLES[name][i]), None
    except Exception as error:
        return None, f"{name}[{i}] torch raises {type(error).__name__}: {error}"


def _changed(name: str, sample: Sample, live: Facts) -> Iterator[str]:
    """What torch says of a sample and the recorded facts do not."""
    packed = GOLDEN.get(name, {}).get(facts.fingerprint(sample))
    known = Facts() if packed is None else facts.decode(packed)
    if (known.skip, known.requires_grad) != (live.skip, live.requires_grad):
        yield f"{known.skip, known.requires_grad} are {live.skip, live.requires_grad}"
    (kind, sentence), (expected, whole) = known.error or ("", ""), live.error or ("", "")
    if kind != expected or not whole.startswith(sentence):  # long ones are cut
        yield f"{known.error} is {live.error}"
    axes = checker.UP_TO_PHASE.get(name, {})
    for order, field in enumerate(("outputs", "grads", "second")):
        ours, theirs = getattr(known, field) or [], getattr(live, field) or []
        if [x is None for x in ours] != [x is None for x in theirs]:
            yield f"{field}: there are others"
            continue
        for k, (a, b) in enumerate(zip(ours, theirs)):
            if a is not None and order == 0:
                a, b = without_phase(a, axes.get(k)), without_phase(b, axes.get(k))
            wrong = a is not None and difference(a, b, order, sample.rtol, sample.atol)
            if wrong:
                yield f"{field} {k}: {wrong}"


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_op_equals_torch(name):
    samples = SAMPLES[name]
    live = [_live(name, i) for i in range(len(samples))]
    failures = [wrong for _, wrong in live if wrong]
    for i, (known, _) in enumerate(live):
        if known is not None:
            failures += [
                f"{name}[{i}] recorded facts: {wrong}" for wrong in _changed(name, samples[i], known)
            ]
    some = spread(len(samples), MAX_RUN)
    found = checker.check(
        checker.subject(name), [samples[i] for i in some], [live[i][0] for i in some], itself=False
    )
    failures += [f"(of samples {some}) {f}" for f in found]
    assert not failures, "\n" + "\n".join(failures)
