"""torch.autograd: backward and grad over the tape, grad modes."""

from __future__ import annotations

from .._elsewhere import beside
from ..api_names import listed, missing
from . import forward_ad as forward_ad
from . import function as function
from . import functional as functional
from . import graph as graph
from . import tensor_backward as tensor_backward
from .anomaly import (
    detect_anomaly,
    set_detect_anomaly,
)
from .anomaly import (
    is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled,
)
from .anomaly import (
    is_anomaly_enabled as is_anomaly_enabled,
)
from .anomaly import (
    set_anomaly_enabled as set_anomaly_enabled,
)
from .derivatives import backward, grad
from .function import Function, NestedIOFunction
from .grad_mode import (
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from .grad_mode import (
    is_grad_enabled as is_grad_enabled,
)
from .grad_mode import (
    is_inference_mode_enabled as is_inference_mode_enabled,
)
from .gradcheck import gradcheck, gradgradcheck
from .variables import Variable, variable

__all__ = [
    "Function", "NestedIOFunction", "Variable", "backward", "detect_anomaly", "enable_grad", "grad", "gradcheck",
    "gradgradcheck", "inference_mode",
    "no_grad",
    "set_detect_anomaly", "set_grad_enabled", "set_multithreading_enabled", "variable",
]  # fmt: skip
__dir__ = listed(__name__, "forward_ad", "function", "functional", "graph")


def __getattr__(name: str):
    if name == "profiler":
        import importlib

        return importlib.import_module(f".{name}", __name__)
    raise missing(__name__, name)


beside(f"{__name__}.variable")
