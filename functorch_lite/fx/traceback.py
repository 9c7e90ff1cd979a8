"""Metadata that new Nodes get while others are run.

`meta` is copied from the Node that is transformed to the Nodes derived from it."""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Callable, Iterator
from typing import Any

from ..api_names import listed

__all__ = [
    "annotate", "annotate_fn", "format_stack", "get_current_meta", "has_preserved_node_meta", "preserve_node_meta", "reset_grad_fn_seq_nr",
    "set_current_meta", "set_grad_fn_seq_nr", "set_stack_trace",
]  # fmt: skip
__dir__ = listed(__name__)

current_meta: dict[str, Any] = {}
should_preserve_node_meta = False


@contextlib.contextmanager
def preserve_node_meta(enable: bool = True) -> Iterator[None]:
    """A context in which a Node's `meta` is given to the Nodes that are made while an Interpreter runs it."""
    global should_preserve_node_meta, current_meta
    before, meta_before = should_preserve_node_meta, current_meta.copy()
    should_preserve_node_meta = enable
    try:
        yield
    finally:
        should_preserve_node_meta, current_meta = before, meta_before


def has_preserved_node_meta() -> bool:
    """Returns whether `preserve_node_meta` is on."""
    return should_preserve_node_meta


def set_stack_trace(stack: list[str]) -> None:
    """Sets the stack trace of the Nodes that are made from now on."""
    if should_preserve_node_meta and stack:
        current_meta["stack_trace"] = "".join(stack)


def set_grad_fn_seq_nr(seq_nr: int) -> None:
    """Notes the number of the step of a backward pass."""
    if should_preserve_node_meta:
        current_meta["grad_fn_seq_nr"] = [*current_meta.get("grad_fn_seq_nr", ()), seq_nr]
        current_meta["in_grad_fn"] = current_meta.get("in_grad_fn", 0) + 1


def reset_grad_fn_seq_nr() -> None:
    """Forgets the number that was noted last."""
    if should_preserve_node_meta:
        depth = current_meta.get("in_grad_fn", 0)
        if depth <= 0:
            raise AssertionError("current_level must be > 0")
        if depth == 1:
            del current_meta["in_grad_fn"], current_meta["grad_fn_seq_nr"]
        else:
            current_meta["in_grad_fn"] = depth - 1
            current_meta["grad_fn_seq_nr"] = current_meta["grad_fn_seq_nr"][:-1]


def format_stack() -> list[str]:
    """The stack trace that new Nodes are given, if one was set."""
    return (
        [current_meta["stack_trace"]] if should_preserve_node_meta and "stack_trace" in current_meta else []
    )


@contextlib.contextmanager
def set_current_meta(node: Any, pass_name: str = "") -> Iterator[None]:
    """A context in which the `meta` of a Node is what new ones are given, if `preserve_node_meta` is on."""
    global current_meta
    if not (should_preserve_node_meta and node.meta):
        yield
        return
    before = current_meta
    current_meta = {**copy.copy(node.meta), **({"custom": before["custom"]} if "custom" in before else {})}
    try:
        yield
    finally:
        current_meta = before


def get_current_meta() -> dict[str, Any]:
    """Returns the metadata that new Nodes are given."""
    return current_meta


@contextlib.contextmanager
def annotate(annotation_dict: dict) -> Iterator[None]:
    """A context in which new Nodes get `meta["custom"]` with these entries, if `preserve_node_meta` is on."""
    global current_meta
    before = current_meta
    current_meta = {**before, "custom": {**before.get("custom", {}), **annotation_dict}}
    try:
        yield
    finally:
        current_meta = before


def annotate_fn(annotation_dict: dict) -> Callable[[Callable], Callable]:
    """`annotate`, as a decorator."""

    def decorate(fn: Callable) -> Callable:
        @functools.wraps(fn)
        def annotated(*args: Any, **kwargs: Any) -> Any:
            with annotate(annotation_dict):
                return fn(*args, **kwargs)

        return annotated

    return decorate
