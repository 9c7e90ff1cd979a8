"""`torch._dynamo._trace_wrapped_higher_order_op`, of which packages import one class."""

from __future__ import annotations

from typing import Any

__all__ = ["TransformGetItemToIndex"]


class TransformGetItemToIndex:
    """A context in which x[i] takes tensors of one number as indices inside of `vmap`; it changes nothing: they are
    taken everywhere."""

    def __enter__(self) -> TransformGetItemToIndex:
        return self

    def __exit__(self, *_: Any) -> None:
        pass
