"""Torch's names of derivatives: `AddBackward0`. One recorded op may be several of torch's, told apart by its arguments.

Ops that torch makes of others (a loss, a norm of rows) are one op here, and are called by their own names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .op import UNSET

__all__ = ["all_tensors", "beside_numbers", "dim_given", "name_of_derivative", "of_a_dim", "of_tensors"]


def dim_given(static: tuple) -> bool:
    """Returns whether the first static argument, a dimension, was given."""
    return bool(static) and static[0] is not None and static[0] is not UNSET


def of_tensors(ranks: Sequence[int | None]) -> list[int]:
    """The numbers of dims of the inputs that are tensors."""
    return [r for r in ranks if r is not None]


def of_a_dim(name: str, static: tuple, ranks: Sequence[int | None]) -> str:
    """For `@op(grad=)`: Backward1 when a dimension is given."""
    return f"{name}Backward{int(dim_given(static))}"


def beside_numbers(name: str, static: tuple, ranks: Sequence[int | None]) -> str:
    """For `@op(grad=)`: Backward1 when one operand alone is a tensor."""
    return f"{name}Backward{int(len(of_tensors(ranks)) == 1)}"


def all_tensors(count: int) -> Callable[[str, tuple, Sequence[int | None]], str]:
    """For `@op(grad=)`: Backward1 when all of so many operands are tensors."""
    return lambda name, static, ranks: f"{name}Backward{int(len(of_tensors(ranks)) == count)}"


def name_of_derivative(op: Any, static: tuple | None, ranks: Sequence[int | None]) -> str:
    """torch's name of an op's derivative; `static` are its static arguments, `ranks` the numbers of dimensions of its
    tensors, with None for its numbers."""
    name = op.grad
    if not isinstance(name, str):
        words = op.name.rsplit(".", 1)[-1].strip("_").split("_")
        own = "".join(w[:1].upper() + w[1:] for w in words)
        name = own if name is None else name(own, static or (), ranks)
    is_whole = "Backward" in name or name == "CopySlices"  # of a write to a view
    return name if is_whole else f"{name}Backward0"
