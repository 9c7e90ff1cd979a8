"""Programs that need several devices, run in a process of their own with virtual ones: JAX counts its devices when it starts."""

from __future__ import annotations

import os
import subprocess
import sys


def run(module: str, *arguments: str, devices: int = 4, timeout: int = 900) -> str:
    """What `python -m module arguments` prints, with this many CPU devices; its errors are raised."""
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={devices}"
    env = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}
    ran = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env=env,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-6000:]
    return ran.stdout
