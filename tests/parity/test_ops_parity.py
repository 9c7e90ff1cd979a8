"""Every op, sample by sample, side by side with real torch: results, dtypes, gradients, second gradients, exceptions."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from tests import checker, torch_side
from tests.facts import Facts
from tests.samples import all_samples

pytestmark = pytest.mark.parity
SAMPLES = all_samples()


def _live(name: str, i: int) -> tuple[Facts | None, str | None]:
    try:
        return torch_side.facts(name, SAMPLES[name][i]), None
    except Exception as error:
        return None, f"{name}[{i}] torch raises {type(error).__name__}: {error}"


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_op_equals_torch(name):
    live = [_live(name, i) for i in range(len(SAMPLES[name]))]
    failures = [wrong for _, wrong in live if wrong]
    failures += [
        str(f)
        for f in checker.check(checker.subject(name), SAMPLES[name], [f for f, _ in live], itself=False)
    ]
    assert not failures, "\n" + "\n".join(failures)
