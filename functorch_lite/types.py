"""torch.types: names for annotations."""

from __future__ import annotations

import builtins
from typing import Any, TypeAlias

from ._core.api import Size, Tensor, UntypedStorage, dtype
from ._core.api import device as _device
from ._core.api import layout as _layout  # noqa: F401
from .api_names import listed

__all__ = ["Device", "FileLike", "Number", "Storage"]
__dir__ = listed(__name__)

_int, _float, _bool, _complex = builtins.int, builtins.float, builtins.bool, builtins.complex
_str, _bytes, _dtype = builtins.str, builtins.bytes, dtype
Number: TypeAlias = int | float | bool
"""A Python number."""
_Number = (int, float, bool)
Device: TypeAlias = "_device | str | int | None"
"""Type of a `device=` argument."""
FileLike: TypeAlias = "str | Any"
"""Type of the file that `torch.save` writes to: a path or a binary file."""
Storage = UntypedStorage
_size: TypeAlias = "Size | list[int] | tuple[int, ...]"
_TensorOrTensors: TypeAlias = "Tensor | tuple[Tensor, ...]"
