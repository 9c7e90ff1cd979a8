"""ShapeProp: runs a Graph and notes the shape and dtype of every value."""

from __future__ import annotations

import traceback
from typing import Any, NamedTuple

from ..._core.api import Size, Tensor, dtypes
from ..._core.api import functions as torch
from ...api_names import listed
from ..interpreter import Interpreter
from ..node import Node, map_aggregate

__all__ = ["ShapeProp", "TensorMetadata"]
__dir__ = listed(__name__, "Node", "map_aggregate")


class TensorMetadata(NamedTuple):
    """Metadata of a tensor: all that is known of it without its numbers."""

    shape: Size
    dtype: dtypes.dtype
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: Any
    is_quantized: bool
    qparams: dict[str, Any]


def _extract_tensor_metadata(result: Tensor, include_contiguity: bool = True) -> TensorMetadata:
    """The TensorMetadata of a tensor."""
    formats = (
        (torch.contiguous_format, torch.channels_last, torch.channels_last_3d) if include_contiguity else ()
    )
    format = next((f for f in formats if result.is_contiguous(memory_format=f)), None)  # type: ignore[attr-defined]
    stride = tuple(result.stride()) if result.layout is torch.strided else ()  # type: ignore[attr-defined]
    return TensorMetadata(result.shape, result.dtype, result.requires_grad, stride, format, False, {})


class ShapeProp(Interpreter):
    """Runs a GraphModule on example inputs; each Node gets `meta["tensor_meta"]`, a TensorMetadata, or a nest of them,
    and `meta["type"]`.

    fake_mode: PyTorch's fake tensors, of which there are none here: must be None.

    >>> gm = torch.fx.symbolic_trace(torch.nn.Linear(3, 5))
    >>> _ = ShapeProp(gm).propagate(torch.ones(2, 3))
    >>> [node.meta["tensor_meta"].shape for node in gm.graph.nodes if node.op == "call_function"]
    [torch.Size([2, 5])]
    """

    def __init__(self, gm: Any, fake_mode: Any = None):
        super().__init__(gm)
        if fake_mode is not None:
            raise NotImplementedError(
                "ShapeProp: fake_mode= is not supported, because fake tensors do not exist here; leave it out and pass real inputs"
            )

    def run_node(self, n: Node) -> Any:
        """Runs a Node, and notes what its value is like."""
        try:
            result = super().run_node(n)
        except Exception as error:
            traceback.print_exc()
            raise RuntimeError(f"ShapeProp error for: node={n.format_node()} with meta={n.meta}") from error
        found = False

        def metadata(x: Any) -> Any:
            nonlocal found
            if isinstance(x, Tensor):
                found = True
                return _extract_tensor_metadata(x)
            return x

        meta = map_aggregate(result, metadata)
        if found:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Runs the Graph on the inputs; returns what it returns."""
        return super().run(*args)
