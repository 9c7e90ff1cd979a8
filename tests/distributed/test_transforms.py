"""Transforms of functions of DTensors: see transforms_program.py, which this runs in a process that has four
devices."""

from __future__ import annotations

from tests.support.processes import run


def test_transforms():
    assert run("tests.distributed.transforms_program").count(" ok") == 23
