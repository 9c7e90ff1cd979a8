"""torch.__future__: settings of how modules are converted and loaded. PyTorch's default behaviour is the behaviour
here."""

from __future__ import annotations

from .api_names import listed

__all__ = [
    "get_overwrite_module_params_on_conversion", "get_swap_module_params_on_conversion", "set_overwrite_module_params_on_conversion",
    "set_swap_module_params_on_conversion",
]  # fmt: skip
__dir__ = listed(__name__)

_NOT_SET = (
    "torch.__future__.{}(True): modules are converted as by default here: a parameter's numbers are replaced"
)


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Takes False, the default; True raises NotImplementedError."""
    if value:
        raise NotImplementedError(_NOT_SET.format("set_overwrite_module_params_on_conversion"))


def get_overwrite_module_params_on_conversion() -> bool:
    """False."""
    return False


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Takes False, the default; True raises NotImplementedError."""
    if value:
        raise NotImplementedError(_NOT_SET.format("set_swap_module_params_on_conversion"))


def get_swap_module_params_on_conversion() -> bool:
    """False."""
    return False
