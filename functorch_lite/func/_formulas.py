"""Formulas of one sample's gradient by the uses of a weight: the gradient itself, its norm, second moments.
All are run under a vmap over samples."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from .._core.api import Tensor
from .._core.api import functions as torch
from ._layers import Use, positions

__all__ = ["bias_gradient", "by_parameter", "norm_squared", "weight_gradient"]


def by_parameter(uses: Sequence[Use]) -> tuple[dict[int, list[Use]], dict[int, list[Use]]]:
    """(uses of each weight, uses of each bias), by their numbers."""
    weights: dict[int, list[Use]] = {}
    biases: dict[int, list[Use]] = {}
    for use in uses:
        weights.setdefault(use.param, []).append(use)
        if use.bias is not None:
            biases.setdefault(use.bias, []).append(use)
    return weights, biases


def weight_gradient(uses: Sequence[Use]) -> Tensor:
    """The gradient of one sample in a weight."""
    total = None
    for use in uses:
        a, g = positions(use)
        if use.kind == "embedding":
            part = torch.zeros(*use.shape, dtype=g.dtype, device=g.device).index_add(0, a, g)
        else:
            part = (g.mT @ a).reshape(use.shape)
        total = part if total is None else total + part
    return total  # type: ignore[return-value]


def bias_gradient(uses: Sequence[Use]) -> Tensor:
    """The gradient of one sample in a bias: a sum over positions."""
    total = None
    for use in uses:
        part = (
            use.g.reshape(-1, use.g.shape[-1]).sum(0)
            if use.kind == "linear"
            else positions(use)[1].sum(1).reshape(-1)
        )
        total = part if total is None else total + part
    return total  # type: ignore[return-value]


def norm_squared(uses: Sequence[Use]) -> Tensor:
    """The squared norm of the gradient of one sample in a weight, by whichever way takes fewer operations and less
    memory."""
    if _by_products(uses):
        return _ghost(uses)
    return weight_gradient(uses).square().sum()  # type: ignore[attr-defined]


def _by_products(uses: Sequence[Use]) -> bool:
    """Returns whether products of positions with each other are cheaper than the gradient."""
    if any(u.kind == "conv" and u.static[3] > 1 for u in uses) and len(uses) > 1:
        return False
    shape = uses[0].shape
    fan_out = shape[0]
    fan_in = 1
    for s in shape[1:]:
        fan_in *= s
    count = 0
    for u in uses:
        per = u.a.numel() if u.kind == "embedding" else u.g.numel() // fan_out
        count += per
    if all(u.kind == "embedding" for u in uses):
        return count * count <= fan_out * fan_in
    return count * (fan_in + fan_out) <= fan_in * fan_out


def _ghost(uses: Sequence[Use]) -> Tensor:
    """sum over r and s of (a_r . a_s) (g_r . g_s), over the positions of all uses: of an embedding what is on the left
    are rows of the identity."""
    found = [(u.kind == "embedding", *positions(u)) for u in uses]
    total = None
    for i, j in itertools.combinations_with_replacement(range(len(found)), 2):
        (looks_up, a, g), (looks_up_too, b, h) = found[i], found[j]
        if looks_up and looks_up_too:
            part = ((a[:, None] == b) * (g @ h.mT)).sum()
        elif looks_up or looks_up_too:
            ids, width = (a, g) if looks_up else (b, h)
            read, slope = (b[0], h[0]) if looks_up else (a[0], g[0])
            part = (slope[:, ids] * (read @ width.mT)).sum()
        else:
            if (
                a.shape[0] == 1 and b.shape[0] == 1
            ):  # products with a dimension of one group would cost copies
                a, g, b, h = (x[0] for x in (a, g, b, h))
            part = ((a @ b.mT) * (g @ h.mT)).sum()
        part = part if i == j else 2 * part
        total = part if total is None else total + part
    return total  # type: ignore[return-value]
