"""Recurrent networks as functions of tensors: torch.lstm, gru, rnn_tanh, rnn_relu over sequences, and one step of each.

A layer in one direction is one product for the input's share of all gates, and one scan (see recurrence.py).
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from functorch_lite._core.api import (
    OPS,
    Tensor,
    apply_op,
    autocast,
    check,
    check_type,
    composite,
    from_array,
    wrap_dim,
)
from functorch_lite._core.api import functions as torch
from functorch_lite._core.api import namespace as functions_of
from functorch_lite.autograd.grad_mode import no_grad

__all__: list[str] = []

F: Any = functions_of("nn.functional")


class Packing:
    """Places of the rows of packed data in a padded tensor, from `batch_sizes`, the number of sequences at each step.

    index: (T, N) row of the data (0 where there is none); flat: (rows,) place t N + n of each row; lengths: (N,).
    """

    def __init__(self, batch_sizes: Tensor, device):
        sizes = np.asarray(batch_sizes.numpy(force=True), np.int64)
        rows = np.arange(sizes[0])
        starts = np.cumsum(sizes) - sizes
        inside = rows[None, :] < sizes[:, None]
        self.shape = (len(sizes), len(rows))
        self.index = from_array(np.where(inside, starts[:, None] + rows[None, :], 0)).to(device)
        self.flat = from_array(np.flatnonzero(inside)).to(device)
        self.lengths = from_array(inside.sum(0)).to(device)

    def pad(self, data: Tensor) -> Tensor:
        """(rows, *) as (T, N, *); what is padding holds anything."""
        return data[self.index]

    def pack(self, padded: Tensor) -> Tensor:
        """(T, N, *) as (rows, *)."""
        return padded.flatten(0, 1).index_select(0, self.flat)


def _autocast(name: str, inputs: tuple) -> tuple:
    """The inputs of an op as autocast has them."""
    return autocast.cast_inputs(OPS[f"nn.functional.{name}"], (), inputs) if autocast.STATE.on else inputs


def _layer(mode: str, x: Tensor, h, c, weights: list, reverse: bool, packing: Packing | None):
    """One direction of one layer: its output, and the last states."""
    w_ih, w_hh, b_ih, b_hh, w_hr = weights
    if mode != "GRU" and b_ih is not None:
        b_ih, b_hh = None, b_ih + b_hh  # added within the scan, where it costs nothing
    zx = F.linear(x, w_ih, b_ih)
    zx = zx if packing is None else packing.pad(zx)
    inputs = (zx, h, c, w_hh, b_hh, w_hr, None if packing is None else packing.lengths)
    inputs = _autocast("_recur", inputs)
    with no_grad():
        results = apply_op(OPS["nn.functional._recur"], (mode, reverse), inputs)
    out, *last = apply_op(OPS["nn.functional._recall"], (len(results), mode, reverse), (*inputs, *results))
    return out if packing is None else packing.pack(out), last


def _states(mode: str, x: Tensor, states: tuple, one_kernel: bool) -> tuple:
    """The states as torch computes with them.

    `one_kernel`: where it has one kernel for all of an LSTM, of float32 and less."""
    h, *c = states
    casts = autocast.is_enabled("cpu") and torch.float64 not in (x.dtype, *[s.dtype for s in states])
    if c and one_kernel and casts:
        c = [c[0].to(autocast.get_dtype("cpu"))]
    wider = c and torch.promote_types(x.dtype, c[0].dtype) is not x.dtype
    if c and not one_kernel and not wider and not casts:
        c = [c[0].to(x.dtype)]
    for s in (h, *c):
        of_one_kernel = s is not h and one_kernel and s.dtype is torch.float32 and x.itemsize == 2
        check(
            casts or s.dtype is x.dtype or of_one_kernel,
            RuntimeError,
            f"Input and hidden tensors are not the same dtype, found input tensor with {x.dtype} and hidden tensor with {s.dtype}",
        )
    return (h, *c)


def run_layers(
    mode: str,
    x: Tensor,
    states: tuple,
    params,
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    packing: Packing | None = None,
) -> tuple[Tensor, ...]:
    """All layers of a recurrent network over x (T, N, features), or packed rows: (output, last h[, last c]).

    params: for each layer and direction weight_ih, weight_hh[, bias_ih, bias_hh][, weight_hr], in one list.
    """
    directions, num_layers = 2 if bidirectional else 1, operator.index(num_layers)
    count, left = divmod(len(params), num_layers * directions)
    plain = 4 if has_biases else 2
    check(
        left == 0 and count in ((plain, plain + 1) if mode == "LSTM" else (plain,)),
        RuntimeError,
        f"got an incorrect number of RNN parameters: {len(params)} for {num_layers} layers and {directions} directions",
    )
    one_kernel = packing is None and count == plain and x.dtype is not torch.float64
    states = _states(mode, x, states, one_kernel)
    last: list[list[Tensor]] = []
    for layer in range(num_layers):
        outs = []
        for side in range(directions):
            row = layer * directions + side
            w_ih, w_hh, *rest = params[row * count : (row + 1) * count]
            biases = rest[:2] if has_biases else [None, None]
            weights = [w_ih, w_hh, *biases, rest[-1] if count > plain else None]
            h, c = states[0][row], states[1][row] if mode == "LSTM" else None
            out, finals = _layer(mode, x, h, c, weights, side == 1, packing)
            outs.append(out)
            last.append(finals)
        x = outs[0] if directions == 1 else torch.cat(outs, -1)
        if dropout and train and layer < num_layers - 1:
            x = F.dropout(x, dropout, True)
    return (x, *[torch.stack(list(s)) for s in zip(*last)])


_OPTIONS = ("hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional")
_PADDED, _PACKED = ("input", *_OPTIONS, "batch_first"), ("data", "batch_sizes", *_OPTIONS)


def _sequence_function(name: str, mode: str) -> None:
    lstm = mode == "LSTM"

    def fn(*args, **kwargs):
        packed = "data" in kwargs or "batch_sizes" in kwargs
        packed = packed or (len(args) > 2 and isinstance(args[1 if lstm else 2], Tensor))
        names = _PACKED if packed else _PADDED
        given = dict(zip(names, args)) | kwargs
        if len(args) + len(kwargs) != len(names) or set(given) != set(names):
            raise TypeError(
                f"{name}() received an invalid combination of arguments; expected ({', '.join(names)})"
            )
        hx, options = given["hx"], [given[n] for n in _OPTIONS[1:]]
        check(not lstm or len(hx) == 2, RuntimeError, "lstm expects two hidden states")
        states = tuple(hx) if lstm else (hx,)
        if packed:
            data = given["data"]
            return run_layers(
                mode, data, states, *options, packing=Packing(given["batch_sizes"], data.device)
            )
        if not given["batch_first"]:
            return run_layers(mode, given["input"], states, *options)
        out, *last = run_layers(mode, given["input"].transpose(0, 1), states, *options)
        return (out.transpose(0, 1), *last)

    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = (
        f"torch.{name}({', '.join(_PADDED)}), or\n({', '.join(_PACKED)}) over packed rows.\n\n"
        "The output of the last layer, and the last states of all layers; see the module of that name.\n\n"
        f">>> layer = torch.nn.{mode.partition('_')[0]}(3, 2)\n"
        f">>> state = {'(torch.zeros(1, 5, 2), torch.zeros(1, 5, 2))' if lstm else 'torch.zeros(1, 5, 2)'}\n"
        f">>> torch.{name}(torch.ones(4, 5, 3), state, list(layer.parameters()), True, 1, 0.0, False, False, False)[0].shape\n"
        "torch.Size([4, 5, 2])\n"
    )
    composite(fn)


for _name, _mode in (("lstm", "LSTM"), ("gru", "GRU"), ("rnn_tanh", "RNN_TANH"), ("rnn_relu", "RNN_RELU")):
    _sequence_function(_name, _mode)


def _check_cell(gates: int, input: Tensor, states: tuple, w_ih: Tensor, w_hh: Tensor) -> None:
    if refusal := _cell_refusal(gates, *[t._aval.shape for t in (input, w_ih, w_hh, *states)]):
        raise RuntimeError(refusal)


@functools.lru_cache(1024)
def _cell_refusal(gates: int, x: tuple, w_ih: tuple, w_hh: tuple, *states: tuple) -> str:
    """Returns the refusal of these shapes, in torch's words; "" if nothing is wrong."""

    def size(shape: tuple, dim: int) -> int:
        return shape[wrap_dim(dim, len(shape))]

    given, taken = size(x, -1), size(w_ih, 1)
    if given != taken:
        return f"input has inconsistent input_size: got {given} expected {taken}"
    for k, h in enumerate(states):
        if size(x, 0) != size(h, 0):
            return f"Input batch size {size(x, 0)} doesn't match hidden{k} batch size {size(h, 0)}"
        if size(h, -1) != size(w_hh, 1):
            return f"hidden{k} has inconsistent hidden_size: got {size(h, -1)}, expected {size(w_hh, 1)}"
    hidden = gates * size(w_hh, 1)
    if size(w_ih, 0) != hidden:
        return f"weight_ih first dim must be {gates} * hidden_size = {hidden}, but got {size(w_ih, 0)}"
    return ""


def _is_mixed(op: str, input: Tensor, state: Tensor) -> bool:
    """Returns whether a step is of several dtypes, or autocast casts its parts: then each has the dtype that torch's has."""
    policy = OPS[f"nn.functional.{op}"].autocast
    in_parts = autocast.is_enabled("cpu") and (policy is None or policy[autocast.KINDS["cpu"]] is None)
    return in_parts or input.dtype is not state.dtype


def _mixed_step(mode: str, h: Tensor, zh: Tensor, zx: Tensor) -> Tensor:
    if mode != "GRU":
        return (zh + zx).tanh() if mode == "RNN_TANH" else (zh + zx).relu()
    (r_h, z_h, n_h), (r_x, z_x, n_x) = zh.chunk(3, 1), zx.chunk(3, 1)
    n = (n_x + n_h * (r_h + r_x).sigmoid()).tanh()
    return (h - n) * (z_h + z_x).sigmoid() + n


@composite
def lstm_cell(
    input: Tensor, hx, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """One step of a long short-term memory on (N, input) and ((N, hidden), (N, hidden)): (h', c').

    weights (4 * hidden, input) and (4 * hidden, hidden), biases (4 * hidden,); RuntimeError for other shapes.

    >>> h, c = torch.lstm_cell(torch.ones(5, 3), (torch.zeros(5, 2), torch.zeros(5, 2)), torch.ones(8, 3), torch.ones(8, 2))
    >>> h.shape, c.shape
    (torch.Size([5, 2]), torch.Size([5, 2]))
    """
    check_type(not isinstance(hx, Tensor), hx, "tuple of Tensors", "lstm_cell", "hx", 2)
    check(len(hx) == 2, RuntimeError, "lstm_cell expects two hidden states")
    _check_cell(4, input, tuple(hx), w_ih, w_hh)
    inputs = _autocast("_lstm_cell", (input, *hx, w_ih, w_hh, b_ih, b_hh))
    x, h, c, w_ih, w_hh, b_ih, b_hh = inputs
    if _is_mixed("_lstm_cell", x, c):
        i, f, g, o = (F.linear(h, w_hh, b_hh) + F.linear(x, w_ih, b_ih)).chunk(4, 1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c
    return apply_op(OPS["nn.functional._lstm_cell"], (), inputs)  # type: ignore[return-value]


def _cell_function(name: str, mode: str, gates: int) -> None:
    def fn(
        input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
    ) -> Tensor:  # fmt: skip
        _check_cell(gates, input, (hx,), w_ih, w_hh)
        inputs = _autocast("_state_cell", (input, hx, w_ih, w_hh, b_ih, b_hh))
        x, h, w_ih, w_hh, b_ih, b_hh = inputs
        if _is_mixed("_state_cell", x, h):
            return _mixed_step(mode, h, F.linear(h, w_hh, b_hh), F.linear(x, w_ih, b_ih))
        return apply_op(OPS["nn.functional._state_cell"], (mode,), inputs)[0]

    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = f"torch.{name}: one step on (N, input) and (N, hidden): h' (N, hidden).\n\n    >>> torch.{name}(torch.ones(5, 3), torch.zeros(5, 2), torch.ones({gates * 2}, 3), torch.ones({gates * 2}, 2)).shape\n    torch.Size([5, 2])\n    "
    composite(fn)


for _name, _mode, _gates in (
    ("gru_cell", "GRU", 3),
    ("rnn_tanh_cell", "RNN_TANH", 1),
    ("rnn_relu_cell", "RNN_RELU", 1),
):
    _cell_function(_name, _mode, _gates)
