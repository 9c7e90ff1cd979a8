"""torch.utils.dlpack: tensors to and from other libraries."""

from __future__ import annotations

from .._core.api import functions as torch
from ..api_names import listed

to_dlpack, from_dlpack = torch.to_dlpack, torch.from_dlpack

__all__ = ["from_dlpack"]
__dir__ = listed(__name__)
