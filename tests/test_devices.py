"""Tensors on two devices: see two_devices.py, which this runs in a process that has two."""

from __future__ import annotations

import pytest

from tests.support.processes import run


@pytest.mark.parametrize("cpu_at", ["0", "1"])
def test_two_devices(cpu_at):
    assert run("tests.two_devices", cpu_at, devices=2).count(" ok") == 10
