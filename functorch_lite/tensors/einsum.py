"""Sums of products over named dims: einsum, tensordot."""

from __future__ import annotations

import string
from typing import Any

from .._core.api import Tensor, composite, overrides
from .._core.api import functions as torch
from ..ops.einsum import parse_equation
from .over_ops import plain_op

_einsum = plain_op("einsum")
_tensordot = plain_op("tensordot")


@composite
def einsum(*args) -> Tensor:
    """The sum of products that an equation describes: einsum("ij,jk->ik", a, b); the tensors may be given as one list.

    Instead of an equation, each tensor may be followed by a list of ints that name its dims; a last list names the
    result's. If the dims of one tensor are only reordered, or a diagonal is taken, the result is a view.

    >>> torch.einsum("ij,j->i", torch.ones(2, 3), torch.arange(3.0))
    tensor([3., 3.])
    """
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts list"
        )
    args = _spread(args)
    if isinstance(args[0], str):
        equation, *tensors = args
        terms = equation.partition("->")[0].count(",") + 1
        if len(tensors) != terms and len(tensors) > 2 and not all(isinstance(t, Tensor) for t in tensors):
            raise ValueError(  # which is counted before it is looked what they are
                f"Number of einsum subscripts, {terms}, must be equal to the number of operands, {len(tensors)}."
            )
        tensors = tuple(tensors)
        rearranged = _rearranged(equation, tensors[0]) if len(tensors) == 1 else None
        return _einsum(equation, tensors) if rearranged is None else rearranged
    return _einsum(args[0], args[1:])  # which says what an equation is


@composite
def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Tensor:
    """The sum of products over pairs of dims: the last `dims` of a with the first of b, or the lists dims[0] and
    dims[1].

    >>> torch.tensordot(torch.ones(2, 3), torch.ones(3, 2), 1)
    tensor([[3., 3.],
            [3., 3.]])
    """
    if isinstance(dims, Tensor):
        dims = dims.tolist() if dims.numel() > 1 else int(dims.item())
    elif not isinstance(dims, int | tuple | list):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, but got "
            f"{dims=}"
        )
    elif isinstance(dims, int) and dims < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got {dims=}")
    return _tensordot(a, b, int(dims) if isinstance(dims, bool) else dims, out=out)


def _spread(args: tuple, by_modes: bool = False) -> tuple:
    """einsum's arguments as an equation and tensors. A mode sees a list of tensors as it was given, as in PyTorch; a
    subclass does not."""
    if len(args) > 1 and isinstance(args[0], Tensor):
        args = _with_equation(args)
    while not by_modes and len(args) == 2 and isinstance(args[0], str) and isinstance(args[1], tuple | list):
        args = (args[0], *args[1])
    return args


overrides.FORMS["torch.functional.einsum"] = _spread


def _with_equation(args: tuple) -> tuple:
    """einsum(a, [0, 1], b, [1, 2], [0, 2]) as einsum("AB,BC->AC", a, b)."""
    pairs, rest = args[: len(args) // 2 * 2], args[len(args) // 2 * 2 :]
    terms = [_term(names) for names in pairs[1::2]]
    arrow = [f"->{_term(rest[0])}"] if rest else []
    return ("".join([",".join(terms), *arrow]), *pairs[::2])


def _term(names: Any) -> str:
    if isinstance(names, str) or not hasattr(names, "__iter__"):
        raise TypeError(f"einsum(): dims must be named by a list of ints, not {type(names).__name__}")
    return "".join(map(_label, names))


def _label(c: Any) -> str:
    if c is Ellipsis:
        return "..."
    try:
        return (string.ascii_uppercase + string.ascii_lowercase)[range(52)[c] if c >= 0 else 52]
    except IndexError:
        raise ValueError(
            f"einsum(): dims are named by ints from 0 to 51 and by Ellipsis, but got {c!r}"
        ) from None
    except TypeError:
        message = f"einsum(): dims are named by ints and by Ellipsis, not by {type(c).__name__}"
        raise TypeError(message) from None


def _rearranged(equation: str, t: Any) -> Tensor | None:
    """einsum of one tensor as a view: its dims in another order, where repeated labels name a diagonal; None if it
    sums."""
    if not isinstance(t, Tensor):
        return None
    (labels,), wanted = parse_equation(equation, [t])
    sizes = dict(zip(labels, t.shape))
    if set(labels) != set(wanted) or any(sizes[c] != n for c, n in zip(labels, t.shape)):
        return None  # a sum, or what einsum says is wrong
    while len(labels) > len(wanted):
        first, second = next(
            (i, k) for i, c in enumerate(labels) for k in range(i + 1, len(labels)) if labels[k] == c
        )
        t = torch.diagonal(t, 0, first, second)
        labels = [c for i, c in enumerate(labels) if i not in (first, second)] + [labels[first]]
    return t.permute([labels.index(c) for c in wanted])
