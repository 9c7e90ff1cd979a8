"""local_map: see local_map_program.py, which this runs in a process that has four devices."""

from __future__ import annotations

from tests.support.processes import run


def test_local_map():
    assert run("tests.distributed.local_map_program").count(" ok") == 4
