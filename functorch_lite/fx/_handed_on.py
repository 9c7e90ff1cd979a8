"""The arguments that a Proxy sees of a call: PyTorch's functions that are written in Python hand them on by position
and by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

__all__ = ["AS_GIVEN", "as_handed_on"]

AS_GIVEN = frozenset(
    """
    adaptive_avg_pool1d avg_pool1d avg_pool2d avg_pool3d bilinear celu_ channel_shuffle conv1d conv2d conv3d conv_tbc conv_transpose1d
    conv_transpose2d conv_transpose3d cosine_similarity elu_ gelu hardshrink hardtanh_ leaky_relu_ linear logsigmoid native_channel_shuffle
    one_hot pairwise_distance pdist pixel_shuffle pixel_unshuffle prelu relu_ rrelu_ scaled_dot_product_attention selu_ softplus softshrink
    threshold_
    """.split()
)
"""Functions of torch.nn.functional that are not written in Python there: they hand on what they were given."""

_PYTHONS = ("torch.nn.functional.", "torch.functional.")


@cache
def _signature(fn: Callable) -> inspect.Signature | None:
    try:
        return inspect.signature(fn)
    except (TypeError, ValueError):
        return None


def as_handed_on(
    name: str, fn: Callable, args: tuple, kwargs: dict[str, Any]
) -> tuple[tuple, dict[str, Any]]:
    """(args, kwargs) of the Node of a call, given the arguments of the call itself.

    A parameter without a default is passed by position, and every other one by its name, even if the call left it
    out.
    """
    short = name.rpartition(".")[2]
    if not name.startswith(_PYTHONS) or (name.startswith(_PYTHONS[0]) and short in AS_GIVEN):
        return args, kwargs
    signature = _signature(fn)
    if signature is None:
        return args, kwargs
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return args, kwargs
    bound.apply_defaults()
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for p in signature.parameters.values():
        value = bound.arguments[p.name]
        if p.kind is p.VAR_POSITIONAL:
            positional += value
        elif p.kind is p.VAR_KEYWORD:
            named.update(value)
        elif p.default is p.empty and p.kind is not p.KEYWORD_ONLY:
            positional.append(value)
        else:
            named[p.name] = value
    return tuple(positional), named
