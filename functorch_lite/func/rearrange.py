"""rearrange: reshapes, permutes and stacks tensors as a pattern such as "b (h p) c -> b p (c h)" says."""

from __future__ import annotations

import keyword
import math
import re
import warnings
from functools import lru_cache
from typing import Any

from .._core.api import Tensor, composite, tidied
from .._core.api import functions as torch

__all__ = ["DimensionBindError", "rearrange"]

ELLIPSIS = "…"
BARE = ("...",)
"""The group of an ellipsis that is not in parentheses: a dimension for each of its axes."""
_ONE = ""
"""An unnamed axis of size 1, in a parsed expression."""


class DimensionBindError(Exception):
    """The sizes of a tensor do not fit the pattern."""


Group = tuple[str, ...]
"""The axes that make up one dimension, from the slowest; names, the ellipsis, or ones."""


@composite
@tidied
def rearrange(tensor: Tensor | list | tuple, pattern: str, **axes_lengths: int) -> Tensor:
    """The tensor with its dimensions split, permuted and merged as the pattern says; a view where reshape gives one.

    axes_lengths: sizes of axes that cannot be inferred. A list of tensors is stacked along a first dimension.
    Raises ValueError for a pattern that is wrong, DimensionBindError for sizes that do not fit.

    Args:
        tensor: a tensor, or a list of tensors of one shape, which is stacked along a first dim.
        pattern: "left -> right", each a list of axis names; names in parentheses form one dim,
            "..." stands for all other dims, 1 or () for one of size 1.

    >>> rearrange(torch.zeros(2, 6, 5), "b (h p) c -> b p (c h)", p=3).shape
    torch.Size([2, 3, 10])
    """
    if not isinstance(tensor, Tensor):
        tensor = torch.stack(tensor)
    left, right = _parsed(pattern, tuple([(k, type(v)) for k, v in axes_lengths.items()]))
    shape = tuple(tensor.shape)  # type: ignore[attr-defined]
    named = len(left) - (BARE in left)
    if BARE in left:
        if len(shape) < named:
            raise ValueError(
                f"Number of dimensions in pattern ({named}) must be less than or equal to the number of dimensions in the tensor "
                f"({len(shape)})"
            )
    elif len(shape) != named:
        raise ValueError(
            f"Number of dimensions in pattern ({named}) must be equal to the number of dimensions in the tensor ({len(shape)})"
        )
    if not shape:
        return tensor  # type: ignore  # whatever the pattern, as in torch
    rest = [f"{ELLIPSIS}{i}" for i in range(len(shape) - named)]
    left, right = _expanded(left, rest), _expanded(right, rest)
    sizes = _bound(left, shape, axes_lengths)
    axes = [a for g in left for a in g if a != _ONE]
    order = [axes.index(a) for g in right for a in g if a != _ONE]
    out = _reshaped(tensor, [sizes[a] for a in axes])
    if order != sorted(order):
        out = out.permute(order)
    return _reshaped(out, [math.prod([sizes[a] for a in g if a != _ONE]) for g in right])


def _reshaped(t: Any, shape: list[int]) -> Any:
    return t if list(t.shape) == shape else t.reshape(shape)


def _expanded(groups: list[Group], rest: list[str]) -> list[Group]:
    """The groups with the axes that an ellipsis stands for in its place."""
    out: list[Group] = []
    for g in groups:
        if g == BARE:
            out += [(a,) for a in rest]
        else:
            out.append(tuple([b for a in g for b in (rest if a == ELLIPSIS else [a])]))
    return out


def _bound(left: list[Group], shape: tuple[int, ...], given: dict[str, int]) -> dict[str, int]:
    """The size of every axis."""
    order = {a: f"d{i}" for i, a in enumerate([a for g in left for a in g if a != _ONE])}
    sizes: dict[str, int] = {}
    for g, size in zip(left, shape):
        axes = [a for a in g if a != _ONE]
        unknown = [a for a in axes if a not in given]
        pack = "(" + ", ".join([order[a] for a in axes]) + (",)" if len(axes) == 1 else ")")
        known = math.prod([given[a] for a in axes if a in given])
        if len(unknown) > 1:
            raise DimensionBindError(
                f"cannot infer the sizes of two dimensions at once {order[unknown[0]]} and {order[unknown[1]]}"
            )
        if unknown and known == 0:
            raise ZeroDivisionError("integer modulo by zero")
        if unknown and (known < 0 or size % known):
            parts = tuple([given.get(a, "?") for a in axes])
            raise DimensionBindError(
                f"inferred dimension does not evenly fit into larger dimension: {size} vs {parts}"
            )
        if not unknown and known != size:
            raise DimensionBindError(
                f"Dimension sizes to do not match ({size} != {known}) when matching dimension pack {pack}"
            )
        sizes |= {a: given[a] for a in axes if a in given} | dict.fromkeys(unknown, size // known)
    return sizes


# -- patterns --------------------------------------------------------------------------------------------------------


@lru_cache(256)
def _parsed(pattern: str, given: tuple[tuple[str, type], ...]) -> tuple[list[Group], list[Group]]:
    """Both sides of a pattern, checked. given: names and types of the lengths that are passed with it."""
    sides = pattern.split("->")
    if len(sides) != 2:
        raise ValueError("Pattern must contain a single '->' separator")
    left, right = (_expression(s) for s in sides)
    if "..." in sides[1] and "..." not in sides[0]:
        raise ValueError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if "..." in sides[0] and BARE not in left:
        raise ValueError(f"Ellipsis is parenthesis in the left side is not allowed: {pattern}")
    names, others = (
        {ELLIPSIS if g is BARE else a for g in side for a in g if a != _ONE} for side in (left, right)
    )
    if any(a.isdecimal() for a in names | others):
        raise ValueError("rearrange only supports unnamed axes of size 1")
    if names != others:
        raise ValueError(
            f"Identifiers only on one side of rearrange expression (should be on both): {names ^ others}"
        )
    unmatched = {k for k, _ in given} - names
    if unmatched:
        raise ValueError(f"Identifiers not found in rearrange expression: {unmatched}")
    for _, kind in given:
        if not issubclass(kind, int):
            raise TypeError(f"rearrange axis lengths must be integers, got: {kind}")
    return left, right


def _expression(text: str) -> list[Group]:
    """One side of a pattern."""
    if "." in text:
        if text.replace("...", "").count(".") or "..." not in text:
            raise ValueError("Expression may contain dots only inside ellipsis (...)")
        if text.count("...") != 1:
            raise ValueError(
                "Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor "
            )
    groups: list[Group] = []
    inner: list[str] | None = None
    seen: set[str] = set()
    for token in re.findall(r"\.\.\.|[\w…]+|[^ ]", text):
        if token == "(":
            if inner is not None:
                raise ValueError("Axis composition is one-level (brackets inside brackets not allowed)")
            inner = []
        elif token == ")":
            if inner is None:
                raise ValueError("Brackets are not balanced")
            groups.append(tuple(inner))
            inner = None
        else:
            axis = _axis(token, seen)
            if inner is not None:
                inner.append(axis)
            elif axis == ELLIPSIS:
                groups.append(BARE)
            else:
                groups.append(() if axis == _ONE else (axis,))
    if inner is not None:
        raise ValueError(f"Imbalanced parentheses in expression: '{text}'")
    return groups


def _axis(token: str, seen: set[str]) -> str:
    """An axis by its token; raises for a token that is not a name."""
    if token == "...":
        return ELLIPSIS
    if token == "1":
        return _ONE
    if not re.fullmatch(r"[\w…]+", token):
        raise ValueError(f"Unknown character '{token}'")
    if not token.isdecimal():
        if not token.isidentifier():
            raise ValueError(f"Invalid axis identifier: {token}\nnot a valid python identifier")
        if token[0] == "_" or token[-1] == "_":
            raise ValueError(
                f"Invalid axis identifier: {token}\naxis name should should not start or end with underscore"
            )
        if keyword.iskeyword(token):
            warnings.warn(
                f"It is discouraged to use axes names that are keywords: {token}",
                RuntimeWarning,
                stacklevel=2,
            )
    if token in seen:
        raise ValueError(f"Indexing expression contains duplicate dimension '{token}'")
    seen.add(token)
    return token
