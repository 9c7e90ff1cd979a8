"""torch._subclasses: tensors that only have shapes are tensors of the device 'meta' here."""

from __future__ import annotations

from . import fake_tensor
from .fake_tensor import FakeTensor, FakeTensorMode

__all__ = ["FakeTensor", "FakeTensorMode", "fake_tensor"]
