"""torch.onnx for programs that ask whether they are being exported: they never are."""

from __future__ import annotations

from typing import Any, NoReturn

from ..api_names import listed, lookup_of

__all__ = [
    "dynamo_export",
    "export",
    "is_in_onnx_export",
    "is_onnxrt_backend_supported",
    "register_custom_op_symbolic",
    "unregister_custom_op_symbolic",
]
__dir__ = listed(__name__)

_NO_EXPORT = (
    "torch.onnx.{}: programs are compiled by XLA here, and not written as ONNX. Save model.state_dict() with torch.save and build the model in PyTorch to "
    "export it, or take the function of jax arrays that functorch_lite.compat.as_pure(model) gives to jax.export or jax2onnx"
)


def is_in_onnx_export() -> bool:
    """False."""
    return False


def is_onnxrt_backend_supported() -> bool:
    """False."""
    return False


def export(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError(_NO_EXPORT.format("export"))


def dynamo_export(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError(_NO_EXPORT.format("dynamo_export"))


def register_custom_op_symbolic(*args: Any, **kwargs: Any) -> None:
    """Does nothing: what it registers is for an export, which raises."""


unregister_custom_op_symbolic = register_custom_op_symbolic

__getattr__ = lookup_of(__name__)
