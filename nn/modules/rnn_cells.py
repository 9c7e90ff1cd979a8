"""One step of a recurrent network: RNNCell, LSTMCell, GRUCell."""

from __future__ import annotations

import math
from typing import Any

from functorch_lite._core.api import Tensor, refuse_pytorchs
from functorch_lite._core.api import functions as torch
from functorch_lite.nn import init
from functorch_lite.nn.parameter import Parameter

from ._utils import empty
from .module import Module

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "RNNCellBase"]


class RNNCellBase(Module):
    """Weights of one step: weight_ih (k·hidden, input), weight_hh (k·hidden, hidden), bias_ih, bias_hh (k·hidden), k
    gates.

    All are uniform in ±1/√hidden_size at first.

    Args:
        input_size: the number of features of the input.
        hidden_size: the number of features of the hidden state.
        bias: whether the layers have biases.
        num_chunks: the number of gates k.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    >>> {name: tuple(p.shape) for name, p in nn.RNNCellBase(3, 5, bias=False, num_chunks=4).named_parameters()}
    {'weight_ih': (20, 3), 'weight_hh': (20, 5)}
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

    def _check_dims(self, x: Tensor, least: int, most: int, name: str) -> None:
        refuse_pytorchs(x)
        if not least <= x.dim() <= most:
            raise ValueError(f"{self._get_name()}: Expected {name} to be 1D or 2D, got {x.dim()}D instead")

    def _hidden(self, input: Tensor, h: Tensor | None, name: str) -> Tensor:
        """The hidden state `h` with a batch dim; zeros when None. `input` has its batch dim already."""
        if h is None:
            return torch.zeros(input.size(0), self.hidden_size, dtype=input.dtype, device=input.device)
        self._check_dims(h, 1, 2, name)
        return h.unsqueeze(0) if h.dim() == 1 else h

    def _step(self, cell: Any, input: Tensor, hx: Tensor | None) -> Tensor:
        self._check_dims(input, 1, 2, "input")
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        h = self._hidden(x, hx, "hidden")
        out = cell(x, h, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return out if batched else out.squeeze(0)


class RNNCell(RNNCellBase):
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or ReLU. Shape: (N, input) or (input), (N, hidden) to (N, hidden).

    The state is zeros if it is not given. Raises RuntimeError for an input or state of other sizes.

    Args:
        input_size: the number of features of the input.
        hidden_size: the number of features of the hidden state.
        bias: whether the layers have biases. Default: True.
        nonlinearity: "tanh" or "relu". Default: "tanh".
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    >>> cell = nn.RNNCell(3, 5)
    >>> h = cell(torch.ones(4, 3)); h = cell(torch.ones(4, 3), h); tuple(h.shape)
    (4, 5)
    """

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
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        step = torch.rnn_tanh_cell if self.nonlinearity == "tanh" else torch.rnn_relu_cell
        return self._step(step, input, hx)


class LSTMCell(RNNCellBase):
    """One step of a long short-term memory. Shape: (N, input) or (input), ((N, hidden), (N, hidden)) to (h', c').

    i, f, g, o = σ, σ, tanh, σ of the four parts of W_ih x + b_ih + W_hh h + b_hh; c' = f c + i g; h' = o tanh(c').

    The state is zeros if it is not given. Raises RuntimeError for an input or state of other sizes.

    Args:
        input_size: the number of features of the input.
        hidden_size: the number of features of the hidden state.
        bias: whether the layers have biases. Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    >>> h, c = nn.LSTMCell(3, 5)(torch.ones(4, 3))
    >>> tuple(h.shape), tuple(c.shape)
    ((4, 5), (4, 5))
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        self._check_dims(input, 1, 2, "input")
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        states = [self._hidden(x, s, f"hx[{k}]") for k, s in enumerate((None, None) if hx is None else hx)]
        if batched and isinstance(hx, Tensor):
            raise TypeError("lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor")
        if batched and len(states) != 2:
            raise RuntimeError("lstm_cell expects two hidden states")
        h, c = states[0], states[1]  # PyTorch takes no notice of others when there is no batch dim
        h, c = torch.lstm_cell(x, (h, c), self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return (h, c) if batched else (h.squeeze(0), c.squeeze(0))


class GRUCell(RNNCellBase):
    """One step of a gated recurrent unit. Shape: (N, input) or (input), (N, hidden) to (N, hidden).

    r, z = σ(W x + b + W' h + b') of the first two parts; n = tanh(W x + b + r (W' h + b')) of the third;
    h' = (1 − z) n + z h.

    The state is zeros if it is not given. Raises RuntimeError for an input or state of other sizes.

    Args:
        input_size: the number of features of the input.
        hidden_size: the number of features of the hidden state.
        bias: whether the layers have biases. Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    >>> tuple(nn.GRUCell(3, 5)(torch.ones(4, 3), torch.zeros(4, 5)).shape)
    (4, 5)
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._step(torch.gru_cell, input, hx)
