"""torch.utils._python_dispatch: which tensors wrap others, for packages that ask. There is no dispatcher here whose calls could be taken over."""

from __future__ import annotations

from typing import Any

from .._core.api import Tensor
from ..api_names import refusing

__all__ = ["TorchDispatchMode", "is_traceable_wrapper_subclass", "is_traceable_wrapper_subclass_type"]

_WHY = "there is no dispatcher here, whose calls could be taken over; torch.overrides.TorchFunctionMode sees every public function"


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Whether a class derived from Tensor says of what tensors its own consist, by `__tensor_flatten__` and `__tensor_unflatten__`."""
    whole = hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")
    return issubclass(t, Tensor) and t is not Tensor and whole


def is_traceable_wrapper_subclass(t: Any) -> bool:
    """Whether something is a tensor of such a class."""
    return is_traceable_wrapper_subclass_type(type(t))


class TorchDispatchMode:
    """PyTorch's mode that takes over calls below autograd. Raises NotImplementedError when it is made."""

    def __init__(self, *args: Any, **kwargs: Any):
        raise NotImplementedError(f"torch.utils._python_dispatch.TorchDispatchMode: {_WHY}")


__getattr__ = refusing(
    "torch.utils._python_dispatch",
    frozenset(("_get_current_dispatch_mode", "return_and_correct_aliasing", "transform_subclass")),
    _WHY,
)
