"""Settings of all tests."""

from __future__ import annotations

import os
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")
# of its own: tests of the cache and tests that are run at the same time do not meet
os.environ.setdefault("FUNCTORCH_LITE_CACHE", str(Path(__file__).parent.parent / ".pytest_cache" / "xla"))

import gc

import pytest

PROGRAMS_KEPT = 150


@pytest.fixture(autouse=True)
def forget_old_programs():
    """Forgets programs now and then: each holds dozens of memory maps, of which Linux gives a process some 65,000."""
    yield
    from functorch_lite._core import executor

    made = executor.stats["programs"]
    if made - forget_old_programs_at[0] > PROGRAMS_KEPT:
        executor.flush()
        executor.forget_programs()
        gc.collect()
        forget_old_programs_at[0] = made


forget_old_programs_at = [0]
