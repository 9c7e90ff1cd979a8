"""Rules for products of matrices, and for convolutions over what is not padded."""

from __future__ import annotations

from collections.abc import Sequence

from .axes import Axis, NoRule, Padded, plain
from .elementwise import combined
from .interpreter import Evaluation, rule
from .signatures import Equation

__all__: list[str] = []


@rule("dot_general")
def _dot_general(to: Evaluation, eqn: Equation, a: Padded, b: Padded) -> Padded:
    """Masks the contracted dimensions of both operands: in padding there may be nan, and 0 · nan is nan."""
    ((along_a, along_b), (batch_a, batch_b)) = eqn.param("dimension_numbers")
    a_axes, b_axes = list(a.axes), list(b.axes)
    for i, j in (*zip(along_a, along_b), *zip(batch_a, batch_b)):
        x, y = a.axes[i], b.axes[j]
        both = combined([Padded(None, (x,)), Padded(None, (y,))])[0]
        a_axes[i] = b_axes[j] = both._replace(free=False)
    a = Padded(to.lengths.spread(a, a_axes), tuple(a_axes))
    b = Padded(to.lengths.spread(b, b_axes), tuple(b_axes))
    out = [a_axes[i] for i in batch_a]
    out += [x for i, x in enumerate(a_axes) if i not in (*along_a, *batch_a)]
    out += [x for j, x in enumerate(b_axes) if j not in (*along_b, *batch_b)]
    arrays = [to.lengths.masked(a, along_a, 0), to.lengths.masked(b, along_b, 0)]
    return Padded(to.bind(eqn, arrays)[0], tuple(out))


@rule("conv_general_dilated")
def _convolution(to: Evaluation, eqn: Equation, x: Padded, w: Padded) -> Padded:
    """Over windows that are not padded: the examples may be, which derivatives sum over."""
    at_x, at_w, at_out = eqn.param("dimension_numbers")
    if not all(x.axes[d].is_plain for d in at_x[2:]) or not all(w.axes[d].is_plain for d in at_w[2:]):
        raise NoRule("conv_general_dilated along a length")
    if not w.axes[at_w[0]].is_plain:
        raise NoRule("conv_general_dilated of channels that differ")
    if not (eqn.param("feature_group_count") == 1 and eqn.param("batch_group_count") == 1):
        if not x.axes[at_x[1]].is_plain or not w.is_plain or eqn.param("batch_group_count") != 1:
            raise NoRule("conv_general_dilated in groups")
    x, w = to.lengths.whole(x), to.lengths.whole(w)
    if x.axes[at_x[1]] != w.axes[at_w[1]] and not (x.axes[at_x[1]].is_plain and w.axes[at_w[1]].is_plain):
        raise NoRule("conv_general_dilated")
    arrays = [to.lengths.masked(x, (at_x[1],), 0), to.lengths.masked(w, (at_w[1],), 0)]
    made = to.bind(eqn, arrays)[0]
    axes = list(map(plain, made.shape))
    axes[at_out[0]], axes[at_out[1]] = x.axes[at_x[0]], w.axes[at_w[0]]
    return Padded(made, tuple(axes))


_DIMS = {"x": "bnc", "w": "boc", "g": "bno"}
"""Dims of the operands of the library's convolutions (nn/functional/_convolve.py) before those of windows: batch,
examples, channels."""


@rule("convolution_form")
def _convolution_form(to: Evaluation, eqn: Equation, a: Padded, b: Padded) -> Padded:
    """Examples may be padded, which the weights' derivative sums over."""
    yields, windows = eqn.param("yields"), len(eqn.raw.params["window"].stride)
    of: dict[str, Sequence[Axis]] = {}
    arrays = []
    for role, x in zip([r for r in "xwg" if r != yields], (a, b)):
        x = to.lengths.whole(x)
        lead = len(x.axes) - windows
        n = 1 if role == "w" else lead - 2
        axes = dict(zip(_DIMS[role], (x.axes[:1], x.axes[1 : 1 + n], x.axes[1 + n : lead])))
        if (
            not all(s.is_plain for d in axes if d != "n" for s in axes[d])
            or not Padded(0, x.axes[lead:]).is_plain
        ):
            raise NoRule("convolution_form along a length")
        of |= axes
        arrays.append(to.lengths.masked(x, range(1, 1 + n), 0) if yields == "w" and role != "w" else x.array)
    made = to.bind(eqn, arrays)[0]
    lead_axes = sum((tuple(of[d]) for d in _DIMS[yields]), ())
    return Padded(made, (*lead_axes, *map(plain, made.shape[len(lead_axes) :])))
