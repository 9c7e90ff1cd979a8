"""Tensors on two devices: see two_devices.py, which this runs in a process that has two."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize("cpu_at", ["0", "1"])
def test_two_devices(cpu_at):
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=2"
    env = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}
    run = subprocess.run(
        [sys.executable, "-m", "tests.two_devices", cpu_at],
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout.count(" ok") == 10
