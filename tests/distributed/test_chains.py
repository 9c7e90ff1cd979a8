"""Random programs of several ops on a mesh: see chains_program.py, which this runs in a process that has four devices."""

from __future__ import annotations

import os

from tests.support.processes import run

WHOLE = os.environ.get("FUNCTORCH_LITE_PARITY") == "full"


def test_random_programs_give_what_one_device_gives():
    count = 200 if WHOLE else 8
    assert f"{count} programs, 0 wrong" in run(
        "tests.distributed.chains_program", "0", str(count), timeout=7200
    )
