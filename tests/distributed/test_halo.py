"""Convolutions and pooling along dimensions that are cut: see halo_program.py, which this runs in a process that has
four devices."""

from __future__ import annotations

from tests.support.full import FULL
from tests.support.processes import run


def test_halo():
    assert run("tests.distributed.halo_program").count(" ok") == 6
    if FULL:
        assert "WRONG" not in run("tests.distributed.halo_program", "--random", "1", "100", timeout=7200)
