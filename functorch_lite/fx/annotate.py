"""annotate: the type of a Proxy's Node."""

from __future__ import annotations

from typing import Any

from ..api_names import listed
from .proxy import Proxy

__all__ = ["annotate"]
__dir__ = listed(__name__, "Proxy")


def annotate(val: Any, type: Any) -> Any:
    """Gives the Node of a Proxy an annotation; returns a Proxy of it. Any other value stays as it is."""
    if not isinstance(val, Proxy):
        return val
    if val.node.type:
        raise RuntimeError(
            f"Tried to annotate a value that already had a type on it! Existing type is {val.node.type} and new type is {type}. This "
            "could happen if you tried to annotate a function parameter value (in which case you should use the type slot on the function "
            "signature) or you called annotate on the same value twice"
        )
    val.node.type = type
    return val
