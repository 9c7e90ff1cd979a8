"""Graphs of functions, as patterns and what replaces them are recorded."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ..._core.api import Tensor
from ...fx import GraphModule, Node
from ..graphs.trace import trace
from ..graphs.view import view_of
from ..passes import canonical, merge_common, simplify

__all__ = ["example_of", "fwd_only", "joint_fwd_bwd", "names_of", "tensor_names"]


def fwd_only(
    fn: Callable, args: Sequence[Any], *, run_functional_passes: bool = True, get_decomp_fn: Any = None
) -> GraphModule:
    """Traces fn(*args) as it is for inference. Tensors among the arguments become its inputs; their numbers are not
    read.

    run_functional_passes: steps that do nothing are left out, and equal ones merged.
    """
    if get_decomp_fn is not None:
        raise NotImplementedError("fwd_only: recorded ops are not decomposed; leave get_decomp_fn out")
    traced = trace(fn, tuple(args), {})
    if run_functional_passes:
        traced.graph = merge_common(canonical(simplify(traced.graph)))
    return view_of(traced.graph, traced.names(tensor_names(fn, args)), traced.drawn)


def joint_fwd_bwd(fn: Callable, args: Sequence[Any]) -> GraphModule:
    """Traces fn(*args) as it is for training: a step that several do the work of is left as it is, so that gradients
    are added up alike. Derivatives are taken after the replacement, so a pattern needs none."""
    traced = trace(fn, tuple(args), {})
    tensors = {i for i, a in enumerate(traced.graph.in_avals) if a.taped}
    traced.graph = canonical(simplify(traced.graph, tensors))
    return view_of(traced.graph, traced.names(tensor_names(fn, args)), traced.drawn)


def names_of(fn: Callable) -> list[str]:
    """Lists the names of the parameters that may be given by position."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [n for n, p in inspect.signature(fn).parameters.items() if p.kind in kinds]


def tensor_names(fn: Callable, args: Sequence[Any]) -> list[str]:
    """Lists the names of the parameters that are given tensors."""
    return [n for n, x in zip(names_of(fn), args) if isinstance(x, Tensor)]


def example_of(x: Any) -> Any:
    """Returns an example of an argument of a match, for tracing: what is known of a node's value, or the argument
    itself."""
    return x.meta["val"] if isinstance(x, Node) else x
