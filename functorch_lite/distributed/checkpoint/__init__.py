"""torch.distributed.checkpoint: state dicts in a folder, which any number of devices and processes loads.

The format is this library's own (`_files.py`): whole tensors, and a table of what is where. PyTorch's pickles its
table.
"""

from __future__ import annotations

from typing import Any

from ...api_names import listed, missing
from . import state_dict as state_dict
from ._files import CheckpointException
from ._saving import (
    DefaultLoadPlanner,
    DefaultSavePlanner,
    FileSystemReader,
    FileSystemWriter,
    Stateful,
    async_save,
    load,
    load_state_dict,
    save,
    save_state_dict,
)

__all__ = [
    "CheckpointException", "DefaultLoadPlanner", "DefaultSavePlanner", "FileSystemReader", "FileSystemWriter", "Stateful", "async_save", "load",
    "load_state_dict", "save", "save_state_dict",
]  # fmt: skip
__dir__ = listed(__name__, "state_dict")


def __getattr__(name: str) -> Any:
    raise missing(__name__, name)
