"""Modules, optimizers and styles of parallelism on a mesh: see modules_program.py, which this runs in a process that
has four devices."""

from __future__ import annotations

from tests.support.processes import run


def test_modules():
    assert run("tests.distributed.modules_program").count(" ok") == 12
