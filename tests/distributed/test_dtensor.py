"""DeviceMesh and DTensor: see dtensor_program.py, which this runs in a process that has four devices."""

from __future__ import annotations

from tests.support.processes import run


def test_dtensor():
    assert run("tests.distributed.dtensor_program").count(" ok") == 13
