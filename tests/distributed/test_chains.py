"""Random programs of several ops on a mesh: see chains_program.py, which this runs in a process that has four
devices."""

from __future__ import annotations

from tests.support.full import FULL
from tests.support.processes import run


def test_random_programs_give_what_one_device_gives():
    count = 200 if FULL else 8
    assert f"{count} programs, 0 wrong" in run(
        "tests.distributed.chains_program", "0", str(count), timeout=7200
    )
