"""torch._subclasses.fake_tensor: its names. No tensor is a fake one."""

from __future__ import annotations

from typing import Any

__all__ = ["FakeTensor", "FakeTensorMode", "is_fake"]

_WHY = "torch._subclasses.{}: use tensors of the device 'meta', which have a shape and a dtype and no numbers"


def is_fake(x: Any) -> bool:
    """False."""
    return False


class FakeTensor:
    """The class that no tensor is of."""

    def __init__(self, *args: Any, **kwargs: Any):
        raise NotImplementedError(_WHY.format("FakeTensor"))


class FakeTensorMode:
    """Raises NotImplementedError where it is made."""

    def __init__(self, *args: Any, **kwargs: Any):
        raise NotImplementedError(_WHY.format("FakeTensorMode"))
