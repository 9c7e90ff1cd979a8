"""Recurrent layers: LSTM, GRU and RNN of ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.api import int64
from .builder import Builder, Value, rule
from .errors import UnsupportedOperatorError

_ORDER = {"LSTM": (0, 3, 1, 2), "GRU": (1, 0, 2), "RNN_TANH": (0,), "RNN_RELU": (0,)}
"""Where PyTorch has the gates that ONNX has first, second, …"""


@rule("_recur")
def recur(b: Builder, *inputs: Any, static: Any) -> list[Value]:
    """Rule of what the layer's derivative reads; the layer itself is written by `recall`, which alone reads it."""
    return [Value("unwritten", d, s) for d, s in zip(b.dtypes, b.shapes)]


@rule("_recall")
def recall(
    b: Builder,
    zx: Any,
    h: Any,
    c: Any,
    w_hh: Any,
    b_hh: Any,
    w_hr: Any,
    lengths: Any,
    *results: Any,
    static: Any,
) -> list[Value]:
    """One direction of one layer. zx is the input's share of the gates, a linear function, whose input and weights
    ONNX's layer takes."""
    _, mode, reverse = static
    if w_hr is not None or lengths is not None:
        raise UnsupportedOperatorError("a projection, or packed sequences")
    x, w_ih, b_ih = b.linear[zx.name]
    gates = _ORDER[mode]
    n = w_hh.shape[1]
    order = b.constant(np.concatenate([np.arange(g * n, g * n + n) for g in gates]), int64)

    def ordered(w: Value | None) -> Value:
        if w is None:
            return b.constant(np.zeros(len(gates) * n), zx.dtype)
        return b("Gather", w, order, axis=0)

    bias = None
    if b_ih is not None or b_hh is not None:
        bias = b.unsqueeze(
            b("Concat", ordered(b_ih), ordered(b_hh), axis=0, shape=(2 * len(gates) * n,)), [0]
        )
    states = [b.unsqueeze(h, [0]), *([b.unsqueeze(c, [0])] if mode == "LSTM" else [])]
    more = (
        {"linear_before_reset": 1}
        if mode == "GRU"
        else {"activations": [mode[4:].title()]}
        if mode != "LSTM"
        else {}
    )
    made = b(
        mode[:3] if mode.startswith("RNN") else mode,
        x,
        b.unsqueeze(ordered(w_ih), [0]),
        b.unsqueeze(ordered(w_hh), [0]),
        bias,
        None,
        *states,
        direction="reverse" if reverse else "forward",
        hidden_size=n,
        outputs=len(states) + 1,
        **more,
    )
    whole = made[0]._replace(shape=(zx.shape[0], 1, *zx.shape[1:-1], n))
    lasts = [m._replace(shape=(1, *h.shape)) for m in made[1:]]
    return [b.squeeze(whole, [1]), *[b.squeeze(m, [0]) for m in lasts]]
