"""The loop over time of RNN, LSTM and GRU as one scan, and its derivative.

`_recur` runs one direction of one layer and returns what its derivative reads. `_recall` is the same function of the
same arguments, whose results it is given: it computes nothing, but has the derivative. So the loop runs forward once,
whatever is differentiated afterwards and however often.

The tangent of a recurrence is a linear scan. The share of the weights' tangents in it is one matrix product over all
steps, before the scan; transposed by JAX, the weights' gradient is one matrix product after the reverse scan instead of
one a step. Sources: Elman 1990; Hochreiter & Schmidhuber 1997; Cho et al. 2014, arXiv:1406.1078; Sak et al. 2014,
arXiv:1402.1128 (projections).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from functorch_lite._core.api import FOREVER, Array, Arrays, reads

from ._contracts.linear import check_product
from ._declare import compute, nn_op

__all__: list[str] = []


# -- cells: one step between its matrix products -----------------------------------------------------------------------


class _Cell(NamedTuple):
    """A cell as functions of zx = W_ih x + b and zh = W_hh h + b', all gates side by side, and of the state before, h
    and c.

    step: (zx, zh, h, c) -> output, c', and the activations that the derivative reads.
    slopes: (saved, h, c, output, c') -> coefficients of the tangent.
    merge: (dzx, dzh) -> the share of the gates' tangents that comes from outside the scan.
    push: (slopes, merged, dzh from dh, dh, dc) -> tangents of output and c'.
    saved_push: (saved, dzx, dzh) -> tangents of the activations.
    output: (saved, c') -> the output again (for projections); None where there are none.
    """

    step: Callable
    slopes: Callable
    merge: Callable
    push: Callable
    saved_push: Callable
    output: Callable | None = None


def _dsigmoid(s):
    return s * (1 - s)


def _dtanh(t):
    return 1 - t * t


def _lstm_step(zx, zh, h, c):
    i, f, g, o = jnp.split(zx + zh, 4, -1)
    i, f, g, o = jax.nn.sigmoid(i), jax.nn.sigmoid(f), jnp.tanh(g), jax.nn.sigmoid(o)
    c = f * c + i * g
    return o * jnp.tanh(c), c, (i, f, g, o)


def _lstm_slopes(saved, h, c, output, c_next):
    i, f, g, o = saved
    t = jnp.tanh(c_next)
    return g * _dsigmoid(i), c * _dsigmoid(f), i * _dtanh(g), t * _dsigmoid(o), f, o * _dtanh(t)


def _lstm_push(slopes, z, z_h, dh, dc):
    by_i, by_f, by_g, by_o, f, by_c = slopes
    di, df, dg, do = jnp.split(z + z_h, 4, -1)
    dc = f * dc + by_i * di + by_f * df + by_g * dg
    return by_o * do + by_c * dc, dc


def _lstm_saved_push(saved, dzx, dzh):
    (i, f, g, o), (di, df, dg, do) = saved, jnp.split(dzx + dzh, 4, -1)
    return _dsigmoid(i) * di, _dsigmoid(f) * df, _dtanh(g) * dg, _dsigmoid(o) * do


def _gru_step(zx, zh, h, c):
    (xr, xz, xn), (hr, hz, hn) = jnp.split(zx, 3, -1), jnp.split(zh, 3, -1)
    r, z = jax.nn.sigmoid(xr + hr), jax.nn.sigmoid(xz + hz)
    n = jnp.tanh(xn + r * hn)
    return n + z * (h - n), c, (r, z, n, hn)


def _gru_slopes(saved, h, c, output, c_next):
    r, z, n, m = saved
    by_n = (1 - z) * _dtanh(n)
    return by_n * m * _dsigmoid(r), (h - n) * _dsigmoid(z), by_n, by_n * r, z


def _gru_merge(dzx, dzh):
    (dx, dn), (dh, dm) = [jnp.split(d, [d.shape[-1] // 3 * 2], -1) for d in (dzx, dzh)]
    return dx + dh, dn, dm  # of r and z together; n is not of the sum


def _gru_push(slopes, merged, z_h, dh, dc):
    by_r, by_z, by_n, by_m, z = slopes
    both, dn, dm = merged
    both_h, m_h = jnp.split(z_h, [z_h.shape[-1] // 3 * 2], -1)
    dr, dz = jnp.split(both + both_h, 2, -1)
    return by_r * dr + by_z * dz + by_n * dn + by_m * (dm + m_h) + z * dh, dc


def _gru_saved_push(saved, dzx, dzh):
    r, z, n, m = saved
    both, dn, dm = _gru_merge(dzx, dzh)
    dr, dz = jnp.split(both, 2, -1)
    dr = _dsigmoid(r) * dr
    return dr, _dsigmoid(z) * dz, _dtanh(n) * (dn + dr * m + r * dm), dm


def _elman(act: Callable, slope: Callable) -> _Cell:
    def step(zx, zh, h, c):
        return act(zx + zh), c, ()

    def slopes(saved, h, c, output, c_next):
        return (slope(output),)

    def push(slopes, z, z_h, dh, dc):
        return slopes[0] * (z + z_h), dc

    return _Cell(step, slopes, jnp.add, push, lambda saved, dzx, dzh: ())


_CELLS = {
    "LSTM": _Cell(_lstm_step, _lstm_slopes, jnp.add, _lstm_push, _lstm_saved_push, lambda saved, c: saved[3] * jnp.tanh(c)),
    "GRU": _Cell(_gru_step, _gru_slopes, _gru_merge, _gru_push, _gru_saved_push),
    "RNN_TANH": _elman(jnp.tanh, _dtanh),
    "RNN_RELU": _elman(
        lambda z: reads(jax.nn.relu(z), z, then=FOREVER), lambda h: reads((h > 0).astype(h.dtype), h, order=0, then=FOREVER)
    ),
}  # fmt: skip


# -- the scan ----------------------------------------------------------------------------------------------------------


class _Inputs(NamedTuple):
    """zx: (T, N, gates·hidden). h: (N, H), c: (N, hidden) or None. w_hh: (gates·hidden, H). w_hr: (H, hidden) or None.
    keep: (T, N, 1) bool or None; a step that is not kept leaves the state as it is."""

    zx: Any
    h: Any
    c: Any
    w_hh: Any
    b_hh: Any
    w_hr: Any
    keep: Any


class _Results(NamedTuple):
    """h: (T, N, H) and c: (T, N, hidden) or None, the states after each step; saved: the cell's activations."""

    h: Any
    c: Any
    saved: tuple


def _chosen(keep, new, old):
    return new if keep is None or new is None else jnp.where(keep, new, old)


def _before(states, first, reverse: bool):
    """The state before each step, given the states after it."""
    if states is None:
        return None
    parts = [states[1:], first[None]] if reverse else [first[None], states[:-1]]
    return jnp.concatenate(parts)


def _scan(mode: str, reverse: bool, at: _Inputs) -> _Results:
    cell = _CELLS[mode]
    w = at.w_hh.T  # once, outside the loop: on a CPU its products are faster so

    def step(state, x):
        (h, c), (zx, keep) = state, x
        zh = h @ w
        zh = zh if at.b_hh is None else zh + at.b_hh
        out, c_next, saved = cell.step(zx, zh, h, c)
        out = out if at.w_hr is None else out @ at.w_hr.T
        state = _chosen(keep, out, h), _chosen(keep, c_next, c)
        return state, _Results(*state, saved)

    return lax.scan(step, (at.h, at.c), (at.zx, at.keep), reverse=reverse)[1]


@partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def _known(mode: str, reverse: bool, at: _Inputs, results: _Results) -> _Results:
    """_scan(mode, reverse, at), given its results: it has the derivative of the scan."""
    return results


@_known.defjvp
def _known_jvp(mode: str, reverse: bool, primals, tangents):
    cell, at, d = _CELLS[mode], primals[0], tangents[0]
    results = _known(mode, reverse, *primals)
    h, c = _before(results.h, at.h, reverse), _before(results.c, at.c, reverse)
    slopes = cell.slopes(results.saved, h, c, results.h, results.c)
    by_weight = h @ d.w_hh.T
    by_weight = by_weight if at.b_hh is None else by_weight + d.b_hh
    by_projection = None if at.w_hr is None else cell.output(results.saved, results.c) @ d.w_hr.T  # type: ignore[misc]

    def step(state, x):
        (dh, dc), (slopes, merged, by_projection, keep) = state, x
        # the gates side by side in the derivative, too, of which XLA would make a product each (row nn.LSTM: 1.3, so
        # 1.1)
        by_state = lax.optimization_barrier(dh @ at.w_hh.T)
        out, dc_next = cell.push(slopes, merged, by_state, dh, dc)
        out = out if at.w_hr is None else out @ at.w_hr.T + by_projection
        state = _chosen(keep, out, dh), _chosen(keep, dc_next, dc)
        return state, state

    xs = (slopes, cell.merge(d.zx, by_weight), by_projection, at.keep)
    _, (dhs, dcs) = lax.scan(step, (d.h, d.c), xs, reverse=reverse)
    dh = _before(dhs, d.h, reverse)
    dzh = by_weight + dh @ at.w_hh.T
    return results, _Results(dhs, dcs, cell.saved_push(results.saved, d.zx, dzh))


def _inputs(input, h, c, w_hh, b_hh, w_hr, lengths) -> _Inputs:
    keep = None
    if lengths is not None:
        steps = jnp.arange(input.shape[0], dtype=lengths.dtype)
        keep = (steps[:, None] < lengths[None, :])[..., None]
    return _Inputs(*[None if x is None else compute(x) for x in (input, h, c, w_hh, b_hh, w_hr)], keep)


@nn_op(autocast=(None, "lower"))
def _recur(
    input: Array,
    h: Array,
    c: Array | None,
    w_hh: Array,
    b_hh: Array | None = None,
    w_hr: Array | None = None,
    lengths: Array | None = None,
    mode: str = "LSTM",
    reverse: bool = False,
):
    """One direction of one recurrent layer: the states after each step, and the activations.

    input: (T, N, gates·hidden), the input's share of the gates; lengths: (N,), how many steps of each sequence count.
    mode: "LSTM", "GRU", "RNN_TANH" or "RNN_RELU".
    """
    out = _scan(mode, reverse, _inputs(input, h, c, w_hh, b_hh, w_hr, lengths))
    return jax.tree.leaves(out)


@nn_op(saves="nothing")
def _recall(
    input: Array,
    h: Array,
    c: Array | None,
    w_hh: Array,
    b_hh: Array | None,
    w_hr: Array | None,
    lengths: Array | None,
    results: Arrays,
    mode: str = "LSTM",
    reverse: bool = False,
):
    """Computes what `_recur` returns from `results`, which it kept: output (T, N, H), the last h (N, H), and the last c
    (N, hidden) of an LSTM."""
    at = _inputs(input, h, c, w_hh, b_hh, w_hr, lengths)
    h_all, *rest = results
    c_all = rest.pop(0) if c is not None else None
    out = _known(mode, reverse, at, _Results(h_all, c_all, tuple(rest)))
    last = 0 if reverse else -1
    # the dtypes differ under autocast; torch has no one kernel for packed rows, so that an LSTM's output has the dtype
    # of o * tanh(c)
    wider = h if mode == "GRU" else c if lengths is not None and w_hr is None else None
    kind = input.dtype if wider is None else jnp.promote_types(input.dtype, wider.dtype)
    found = [out.h.astype(kind), out.h[last].astype(kind)]
    return found if c is None else [*found, out.c[last].astype(jnp.promote_types(input.dtype, c.dtype))]


# -- single steps ------------------------------------------------------------------------------------------------------


def _cell_step(mode: str, input, h, c, w_ih, w_hh, b_ih, b_hh):
    check_product(input, w_ih, b_ih)
    check_product(h, w_hh, b_hh)
    cell = _CELLS[mode]
    x, h, c, w_ih, w_hh, b_ih, b_hh = [
        None if a is None else compute(a) for a in (input, h, c, w_ih, w_hh, b_ih, b_hh)
    ]
    zx, zh = x @ w_ih.T, h @ w_hh.T
    zx, zh = zx if b_ih is None else zx + b_ih, zh if b_hh is None else zh + b_hh
    out, c, _ = cell.step(zx, zh, h, c)
    return out.astype(input.dtype), c if c is None else c.astype(input.dtype)


@nn_op(autocast=(None, "lower"))
def _lstm_cell(
    input: Array, h: Array, c: Array, w_ih: Array, w_hh: Array, b_ih: Array | None = None, b_hh: Array | None = None
):  # fmt: skip
    """One step of a long short-term memory: h' and c'."""
    return _cell_step("LSTM", input, h, c, w_ih, w_hh, b_ih, b_hh)


@nn_op(autocast=(None, "lower"))
def _state_cell(
    input: Array,
    h: Array,
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None = None,
    b_hh: Array | None = None,
    mode: str = "GRU",
):
    """One step of a "GRU", "RNN_TANH" or "RNN_RELU": h'."""
    return _cell_step(mode, input, h, None, w_ih, w_hh, b_ih, b_hh)[0]
