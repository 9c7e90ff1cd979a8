"""torch.utils.collect_env: what a bug report should say of a machine. `python -m torch.utils.collect_env` prints it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from typing import Any, NamedTuple

from ..api_names import listed
from ..version import __version__

__all__ = ["SystemEnv", "get_env_info", "get_pretty_env_info", "main", "pretty_str"]
__dir__ = listed(__name__)

PACKAGES = ("functorch_lite", "jax", "jaxlib", "numpy", "scipy", "ml_dtypes", "optax", "flax", "torch")
"""The packages whose versions matter."""


class SystemEnv(NamedTuple):
    """Facts about a machine."""

    torch_version: str
    python_version: str
    python_platform: str
    os: str
    cpu_info: str
    jax_backend: str
    devices: list[str]
    settings: dict[str, str]
    packages: dict[str, str]


def get_env_info() -> SystemEnv:
    """Returns versions, processor, devices, and the settings in the environment."""
    import jax  # the backend starts here: not before somebody asks

    backend = jax.default_backend()
    return SystemEnv(
        torch_version=__version__,
        python_version=f"{platform.python_version()} ({64 if sys.maxsize > 2**32 else 32}-bit runtime)",
        python_platform=platform.platform(),
        os=f"{platform.system()} {platform.release()} ({platform.machine()})",
        cpu_info=f"{_processor()}, {os.cpu_count()} logical processors",
        jax_backend=backend,
        devices=[str(d) for d in jax.devices()],
        settings={
            k: v for k, v in sorted(os.environ.items()) if k.startswith(("FUNCTORCH_LITE_", "JAX_", "XLA_"))
        },
        packages={name: v for name in PACKAGES if (v := _version(name)) is not None},
    )


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def pretty_str(envinfo: Any) -> str:
    """Returns a SystemEnv as lines."""
    lines = [
        f"PyTorch version: {envinfo.torch_version} (functorch_lite)",
        f"Python version: {envinfo.python_version}",
        f"Python platform: {envinfo.python_platform}",
        f"OS: {envinfo.os}",
        f"CPU: {envinfo.cpu_info}",
        f"JAX's backend: {envinfo.jax_backend}",
        "Devices: " + ", ".join(envinfo.devices),
        "",
        "Settings:",
        *([f"{k}={v}" for k, v in envinfo.settings.items()] or ["none"]),
        "",
        "Versions of relevant libraries:",
        *[f"[pip3] {name}=={version}" for name, version in envinfo.packages.items()],
    ]
    return "\n".join(lines)


def get_pretty_env_info() -> str:
    """Returns `get_env_info` as lines.

    >>> "Python version:" in torch.utils.collect_env.get_pretty_env_info()
    True
    """
    return pretty_str(get_env_info())


def main() -> None:
    """Prints it."""
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
