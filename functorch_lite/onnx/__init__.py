"""torch.onnx: a module as a model of ONNX.

`exporting.py` records the module, at several sizes where some are left open (`sizes.py`), `converting.py` walks the
Graphs, and the rules in `pointwise.py`, `shapes.py`,
`reductions.py`, `layers.py` and `recurrent.py` write op by op what an op of aten is in ONNX, with a `Builder`
(`builder.py`). onnx is imported where it is needed first.
"""

from __future__ import annotations

import enum
from typing import Any, NoReturn

from ..api_names import listed, lookup_of
from . import errors
from .errors import OnnxExporterError
from .exporting import export, exporting
from .program import ONNXProgram

__all__ = ["ONNXProgram", "OnnxExporterError", "errors", "export", "is_in_onnx_export"]
__dir__ = listed(__name__)


class TrainingMode(enum.Enum):
    """The mode that a module is exported in, by PyTorch's older exporter: `export` here takes the module as it is."""

    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


class OperatorExportTypes(enum.Enum):
    """The operators that PyTorch's older exporter may write. `export` writes ONNX operators only."""

    ONNX = 0
    ONNX_ATEN = 1
    ONNX_ATEN_FALLBACK = 2
    ONNX_FALLTHROUGH = 3


def is_in_onnx_export() -> bool:
    """Returns whether a module is run to be exported as ONNX."""
    return exporting()


def is_onnxrt_backend_supported() -> bool:
    """False: onnxruntime runs only programs from `export`."""
    return False


def dynamo_export(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError: PyTorch has no such function any more."""
    raise NotImplementedError("torch.onnx.dynamo_export: use torch.onnx.export")


def register_custom_op_symbolic(*args: Any, **kwargs: Any) -> None:
    """Does nothing: what it registers is for PyTorch's older exporter. `export(custom_translation_table=)` takes
    what writes an op."""


unregister_custom_op_symbolic = register_custom_op_symbolic

__getattr__ = lookup_of(__name__)
