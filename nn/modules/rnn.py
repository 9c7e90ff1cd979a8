"""Recurrent networks: the cells, and RNN, LSTM, GRU as loops over them.

The loops are plain Python over time: the input's share of all steps is one matrix product, and the recording of equal
steps is shared, so a long sequence costs no long compile.
"""

from __future__ import annotations

import math
import numbers
import warnings
from typing import Any

import functorch_lite.nn.functional as F
from functorch_lite._core.bind import functions as torch
from functorch_lite._core.tensor import Tensor
from functorch_lite.nn import init
from functorch_lite.nn.parameter import Parameter

from ._utils import empty
from .module import Module

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]


def _lstm_step(gates: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    i, f, g, o = gates.chunk(4, -1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def _gru_step(from_input: Tensor, from_hidden: Tensor, h: Tensor) -> Tensor:
    r_i, z_i, n_i = from_input.chunk(3, -1)
    r_h, z_h, n_h = from_hidden.chunk(3, -1)
    r, z = torch.sigmoid(r_i + r_h), torch.sigmoid(z_i + z_h)
    n = torch.tanh(n_i + r * n_h)
    return n + z * (h - n)


# ---- cells


class RNNCellBase(Module):
    """Weights of one step: weight_ih (k·hidden, input), weight_hh (k·hidden, hidden), bias_ih, bias_hh (k·hidden), k gates.

    All are uniform in ±1/√hidden_size at first.
    """

    weight_ih: Tensor
    weight_hh: Tensor
    bias_ih: Tensor | None
    bias_hh: Tensor | None

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        gates = num_chunks * hidden_size
        self.weight_ih = Parameter(empty((gates, input_size), device, dtype))
        self.weight_hh = Parameter(empty((gates, hidden_size), device, dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(empty(gates, device, dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws all weights afresh."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        s = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            s += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            s += f", nonlinearity={self.nonlinearity}"
        return s

    def _check_input(self, input: Tensor) -> None:
        if input.dim() not in (1, 2):
            raise ValueError(f"{self._get_name()}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                f"input has inconsistent input_size: got {input.size(-1)} expected {self.input_size}"
            )

    def _hidden(self, input: Tensor, h: Tensor | None, which: int, name: str) -> Tensor:
        """The hidden state `h`, checked, with a batch dim; zeros when None. `input` has its batch dim already."""
        if h is None:
            return torch.zeros(input.size(0), self.hidden_size, dtype=input.dtype, device=input.device)
        if h.dim() not in (1, 2):
            raise ValueError(f"{self._get_name()}: Expected {name} to be 1D or 2D, got {h.dim()}D instead")
        h = h.unsqueeze(0) if h.dim() == 1 else h
        if h.size(0) != input.size(0):
            raise RuntimeError(
                f"Input batch size {input.size(0)} doesn't match hidden{which} batch size {h.size(0)}"
            )
        if h.size(1) != self.hidden_size:
            raise RuntimeError(
                f"hidden{which} has inconsistent hidden_size: got {h.size(1)}, expected {self.hidden_size}"
            )
        return h


class RNNCell(RNNCellBase):
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or ReLU. Shape: (N, input) or (input), (N, hidden) to (N, hidden)."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        self._check_input(input)
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        h = self._hidden(x, hx, 0, "hidden")
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        act = torch.tanh if self.nonlinearity == "tanh" else F.relu
        out = act(F.linear(x, self.weight_ih, self.bias_ih) + F.linear(h, self.weight_hh, self.bias_hh))
        return out if batched else out.squeeze(0)


class LSTMCell(RNNCellBase):
    """One step of a long short-term memory. Shape: (N, input) or (input), ((N, hidden), (N, hidden)) to (h', c').

    i, f, g, o = σ, σ, tanh, σ of the four parts of W_ih x + b_ih + W_hh h + b_hh; c' = f c + i g; h' = o tanh(c').
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        self._check_input(input)
        if isinstance(hx, Tensor):
            raise TypeError("lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor")
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        h, c = (None, None) if hx is None else hx
        h, c = self._hidden(x, h, 0, "hx[0]"), self._hidden(x, c, 1, "hx[1]")
        gates = F.linear(x, self.weight_ih, self.bias_ih) + F.linear(h, self.weight_hh, self.bias_hh)
        h, c = _lstm_step(gates, c)
        return (h, c) if batched else (h.squeeze(0), c.squeeze(0))


class GRUCell(RNNCellBase):
    """One step of a gated recurrent unit. Shape: (N, input) or (input), (N, hidden) to (N, hidden).

    r, z = σ(W x + b + W' h + b') of the first two parts; n = tanh(W x + b + r (W' h + b')) of the third;
    h' = (1 − z) n + z h.
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        self._check_input(input)
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        h = self._hidden(x, hx, 0, "hidden")
        h = _gru_step(F.linear(x, self.weight_ih, self.bias_ih), F.linear(h, self.weight_hh, self.bias_hh), h)
        return h if batched else h.squeeze(0)


# ---- whole networks

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


class RNNBase(Module):
    """Weights and the loop of a recurrent network.

    Weights of layer k: weight_ih_l{k}, weight_hh_l{k}, bias_ih_l{k}, bias_hh_l{k} and, with projections, weight_hr_l{k};
    with the suffix _reverse for the other direction. All are uniform in ±1/√hidden_size at first.
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._check_options(dropout)
        gates = _GATES[mode] * hidden_size
        directions = 2 if bidirectional else 1
        real = proj_size if proj_size > 0 else hidden_size
        for layer in range(num_layers):
            size = input_size if layer == 0 else real * directions
            shapes: dict[str, Any] = {"weight_ih": (gates, size), "weight_hh": (gates, real)}
            if bias:
                shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
            if proj_size > 0:
                shapes["weight_hr"] = (proj_size, hidden_size)
            for suffix in self._suffixes(layer):
                for name, shape in shapes.items():
                    self.register_parameter(name + suffix, Parameter(empty(shape, device, dtype)))
        self.reset_parameters()

    def _check_options(self, dropout: Any) -> None:
        if (
            not isinstance(dropout, numbers.Number)
            or not 0 <= float(dropout) <= 1
            or isinstance(dropout, bool)
        ):
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if dropout > 0 and self.num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
                f"greater than 1, but got dropout={dropout} and num_layers={self.num_layers}",
                stacklevel=4,
            )
        for name in ("input_size", "hidden_size"):
            if not isinstance(getattr(self, name), int):
                raise TypeError(f"{name} should be of type int, got: {type(getattr(self, name)).__name__}")
        if self.hidden_size <= 0:
            raise ValueError("hidden_size must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if self.mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + self.mode)

    def _suffixes(self, layer: int) -> list[str]:
        return [f"_l{layer}", f"_l{layer}_reverse"][: 2 if self.bidirectional else 1]

    def _names(self, suffix: str) -> list[str]:
        names = ["weight_ih", "weight_hh"]
        if self.bias:
            names += ["bias_ih", "bias_hh"]
        if self.proj_size > 0:
            names.append("weight_hr")
        return [name + suffix for name in names]

    @property
    def all_weights(self) -> list[list[Tensor]]:
        """The weights, one list for each layer and direction."""
        return [
            [getattr(self, name) for name in self._names(suffix)]
            for layer in range(self.num_layers)
            for suffix in self._suffixes(layer)
        ]

    @property
    def _flat_weights_names(self) -> list[str]:
        return [
            n for k in range(self.num_layers) for suffix in self._suffixes(k) for n in self._names(suffix)
        ]

    @property
    def _flat_weights(self) -> list[Tensor]:
        return [getattr(self, name) for name in self._flat_weights_names]

    def flatten_parameters(self) -> None:
        """Does nothing: where weights lie in memory is XLA's affair."""

    def reset_parameters(self) -> None:
        """Draws all weights afresh."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        s = f"{self.input_size}, {self.hidden_size}"
        if self.proj_size != 0:
            s += f", proj_size={self.proj_size}"
        for name, default in (
            ("num_layers", 1),
            ("bias", True),
            ("batch_first", False),
            ("dropout", 0),
            ("bidirectional", False),
        ):
            value = getattr(self, name)
            if value != default:
                s += f", {name}={value}"
        return s

    # ---- running

    def _check_tensor(self, input: Any, hx: Any) -> None:
        if not isinstance(input, Tensor):
            raise NotImplementedError(
                f"{self._get_name()}: packed sequences are not supported yet; give a padded Tensor"
            )
        if input.dim() not in (2, 3):
            what = "tensor " if self.mode.startswith("RNN") else ""
            what = f"{input.dim()}D {what}instead"
            raise ValueError(f"{self._get_name()}: Expected input to be 2D or 3D, got {what}")
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )
        weight = self.weight_ih_l0
        if input.dtype != weight.dtype:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({weight.dtype}). Convert input: "
                f"input.to({weight.dtype}), or convert model: model.to({input.dtype})"
            )
        if hx is None:
            return
        lstm = self.mode == "LSTM"
        states = hx if lstm else (hx,)
        name = "hx and cx" if lstm else "hx"
        kind = "batched 3-D" if input.dim() == 3 else "unbatched 2-D"
        if any(h.dim() != input.dim() for h in states):
            got = f"({hx[0].dim()}-D, {hx[1].dim()}-D) tensors" if lstm else f"{hx.dim()}-D tensor"
            raise RuntimeError(f"For {kind} input, {name} should also be {input.dim()}-D but got {got}")

    def _check_sizes(self, states: tuple, batch: int) -> None:
        rows = self.num_layers * (2 if self.bidirectional else 1)
        real = self.proj_size if self.proj_size > 0 else self.hidden_size
        names = ("hidden[0]", "hidden[1]") if self.mode == "LSTM" else ("hidden",)
        for h, name, width in zip(states, names, (real, self.hidden_size)):
            if tuple(h.shape) != (rows, batch, width):
                raise RuntimeError(f"Expected {name} size {(rows, batch, width)}, got {list(h.shape)}")

    def _run_layer(self, steps: Any, suffix: str, h: Tensor, c: Tensor | None) -> tuple[list, Tensor, Any]:
        """Runs one direction of one layer over `steps` (T, N, gates), the input's share of the gates."""
        w_hh = getattr(self, "weight_hh" + suffix)
        b_hh = getattr(self, "bias_hh" + suffix) if self.bias else None
        w_hr = getattr(self, "weight_hr" + suffix) if self.proj_size > 0 else None
        act = F.relu if self.mode == "RNN_RELU" else torch.tanh
        outs = []
        for x in steps:
            from_hidden = F.linear(h, w_hh, b_hh)
            if self.mode == "LSTM":
                h, c = _lstm_step(x + from_hidden, c)
                h = h if w_hr is None else F.linear(h, w_hr)
            elif self.mode == "GRU":
                h = _gru_step(x, from_hidden, h)
            else:
                h = act(x + from_hidden)
            outs.append(h)
        return outs, h, c

    def forward(self, input: Tensor, hx: Any = None) -> tuple[Tensor, Any]:
        self._check_tensor(input, hx)
        batched = input.dim() == 3
        lstm = self.mode == "LSTM"
        if batched:
            x = input.transpose(0, 1) if self.batch_first else input
        else:
            x = input.unsqueeze(1)
        if x.size(0) == 0:
            raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
        batch = x.size(1)
        if hx is None:
            rows = self.num_layers * (2 if self.bidirectional else 1)
            real = self.proj_size if self.proj_size > 0 else self.hidden_size
            widths = (real, self.hidden_size) if lstm else (real,)
            states = tuple(torch.zeros(rows, batch, w, dtype=x.dtype, device=x.device) for w in widths)
        else:
            states = tuple(hx) if lstm else (hx,)
            if not batched:
                states = tuple(h.unsqueeze(1) for h in states)
            self._check_sizes(states, batch)

        last_h, last_c, row = [], [], 0
        for layer in range(self.num_layers):
            sides = []
            for suffix in self._suffixes(layer):
                bias = getattr(self, "bias_ih" + suffix) if self.bias else None
                steps = F.linear(x, getattr(self, "weight_ih" + suffix), bias).unbind(0)
                backwards = suffix.endswith("reverse")
                c = states[1][row] if lstm else None  # type: ignore
                outs, h, c = self._run_layer(
                    reversed(steps) if backwards else steps, suffix, states[0][row], c
                )
                sides.append(torch.stack(outs[::-1] if backwards else outs))
                last_h.append(h)
                last_c.append(c)
                row += 1
            x = sides[0] if len(sides) == 1 else torch.cat(sides, -1)
            if self.dropout and layer < self.num_layers - 1:
                x = F.dropout(x, self.dropout, self.training)

        finals = [torch.stack(last_h)] + ([torch.stack(last_c)] if lstm else [])
        if not batched:
            x, finals = x.squeeze(1), [f.squeeze(1) for f in finals]
        elif self.batch_first:
            x = x.transpose(0, 1)
        return x, tuple(finals) if lstm else finals[0]


class RNN(RNNBase):
    """Elman network: h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or ReLU, over a sequence.

    Shape: (L, N, input), or (N, L, input) with `batch_first`, or (L, input) to (L, N, D·hidden) and (D·layers, N, hidden).
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
        proj_size: int = 0,
    ) -> None:
        if proj_size:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        self.nonlinearity = nonlinearity
        mode = "RNN_TANH" if nonlinearity == "tanh" else "RNN_RELU"
        super().__init__(
            mode,
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            0,
            device,
            dtype,
        )


class LSTM(RNNBase):
    """Long short-term memory over a sequence; see LSTMCell.

    Shape: (L, N, input), or (N, L, input) with `batch_first`, or (L, input) to (L, N, D·H) and
    (h, c) = ((D·layers, N, H), (D·layers, N, hidden)), H = proj_size or hidden_size.

    >>> output, (h, c) = LSTM(10, 20, 2)(torch.randn(5, 3, 10))
    >>> output.shape, h.shape
    (torch.Size([5, 3, 20]), torch.Size([2, 3, 20]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            "LSTM",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            proj_size,
            device,
            dtype,
        )


class GRU(RNNBase):
    """Gated recurrent units over a sequence; see GRUCell.

    Shape: (L, N, input), or (N, L, input) with `batch_first`, or (L, input) to (L, N, D·hidden) and (D·layers, N, hidden).
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
        proj_size: int = 0,
    ) -> None:
        if proj_size:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__(
            "GRU",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            0,
            device,
            dtype,
        )
