"""torch.distributed on one process: it says that there is no other, so that programs which ask first run as they are.

To use several devices, put arrays on a mesh with `jax.sharding`: one program then runs on all of them.
"""

from __future__ import annotations

from typing import Any, NoReturn

from .api_names import listed, lookup_of

__all__ = ["get_rank", "get_world_size", "init_process_group", "is_available", "is_initialized"]
__dir__ = listed(__name__)


def is_available() -> bool:
    """False: there are no process groups."""
    return False


def is_initialized() -> bool:
    """False."""
    return False


def init_process_group(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError(
        "torch.distributed.init_process_group: there are no process groups. Run on one process; to use several devices, put arrays on a mesh "
        "with jax.sharding"
    )


def get_rank(group: Any = None) -> NoReturn:
    """Raises ValueError, as before `init_process_group` in PyTorch."""
    raise ValueError(
        "Default process group has not been initialized, please make sure to call init_process_group."
    )


get_world_size = get_rank

__getattr__ = lookup_of(__name__)
