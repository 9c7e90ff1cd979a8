"""Recurrent networks over sequences: RNN, LSTM, GRU. Their mathematics is in nn/functional/recurrence.py."""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Iterable
from typing import Any

from functorch_lite._core.api import Tensor, autocast, refuse_pytorchs, tidied
from functorch_lite._core.api import functions as torch
from functorch_lite.nn import init
from functorch_lite.nn.functional.recurrent import Packing, run_layers
from functorch_lite.nn.parameter import Parameter
from functorch_lite.nn.utils.rnn import PackedSequence

from ._utils import empty
from .module import Module

__all__ = ["GRU", "LSTM", "RNN", "RNNBase"]


def apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    """Deprecated: tensor.index_select(dim, permutation)."""
    warnings.warn(
        "`apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead",
        FutureWarning,
        stacklevel=2,
    )
    return tensor.index_select(dim, permutation)


_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


class RNNBase(Module):
    """Weights and the loop of a recurrent network.

    Weights of layer k: weight_ih_l{k}, weight_hh_l{k}, bias_ih_l{k}, bias_hh_l{k} and, with projections,
    weight_hr_l{k}; with the suffix _reverse for the other direction. All are uniform in ±1/√hidden_size at first.

    Args:
        mode: "LSTM", "GRU", "RNN_TANH" or "RNN_RELU".
        input_size: the number of features of the input.
        hidden_size: the number of features of the hidden state.
        num_layers: the number of layers; each reads the output of the one before. Default: 1.
        bias: whether the layers have biases. Default: True.
        batch_first: whether the batch is the first dim of input and output. By default it is the
            second.
        dropout: the probability of dropout between layers, in training. Default: 0.0.
        bidirectional: whether there is a second direction that reads the sequence backwards.
            Default: False.
        proj_size: the size to which an LSTM projects its output; 0 means none. Other networks
            accept only 0. Default: 0.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    >>> base = nn.RNNBase("GRU", input_size=3, hidden_size=5)
    >>> {name: tuple(p.shape) for name, p in base.named_parameters()}
    {'weight_ih_l0': (15, 3), 'weight_hh_l0': (15, 5), 'bias_ih_l0': (15,), 'bias_hh_l0': (15,)}
    """

    @tidied
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
        gates = _GATES[mode] * hidden_size if _GATES[mode] > 1 else hidden_size
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

    def __setstate__(self, state: dict) -> None:
        # old versions pickled the names of weights under `all_weights`, and had no projections
        super().__setstate__({"proj_size": 0} | {k: v for k, v in state.items() if k != "all_weights"})

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
                stacklevel=5,
            )
        for name, kind in (("bias", bool), ("batch_first", bool), ("input_size", int), ("hidden_size", int)):
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
            if kind is int and value <= 0:
                raise ValueError(f"{name} must be greater than zero")
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

    @_flat_weights.setter
    def _flat_weights(self, weights: Iterable[Tensor]) -> None:
        """The layer computes with these tensors from now on, under their own names; a plain tensor is not a parameter
        afterwards."""
        weights = list(weights)
        names = self._flat_weights_names
        if len(weights) != len(names):
            raise RuntimeError(
                f"_flat_weights: {len(names)} weights are expected ({', '.join(names)}), got {len(weights)}"
            )
        for name, weight in zip(names, weights):
            if isinstance(weight, Parameter):
                setattr(self, name, weight)
            elif weight is not getattr(self, name):
                self._parameters.pop(name, None)
                setattr(self, name, weight)

    def flatten_parameters(self) -> None:
        """Does nothing: where weights lie in memory is XLA's affair.

        >>> nn.GRU(3, 5).flatten_parameters()
        """

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

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The last (or first) states with the sequences of the batch in another order.

        >>> h = torch.arange(2.).view(1, 2, 1)
        >>> nn.GRU(3, 1).permute_hidden(h, torch.tensor([1, 0])).flatten().tolist()
        [1.0, 0.0]
        """
        if permutation is None:
            return hx
        if isinstance(hx, tuple | list):
            return tuple([self.permute_hidden(h, permutation) for h in hx])
        return hx.index_select(1, permutation)

    def _check_input(self, input: Tensor, packed: bool) -> None:
        refuse_pytorchs(input)
        if not packed and input.dim() not in (2, 3):
            what = "tensor " if self.mode.startswith("RNN") else ""
            what = f"{input.dim()}D {what}instead"
            raise ValueError(f"{self._get_name()}: Expected input to be 2D or 3D, got {what}")
        weight = self.weight_ih_l0
        if input.dtype != weight.dtype and not autocast.STATE.on:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({weight.dtype}). Convert input: "
                f"input.to({weight.dtype}), or convert model: model.to({input.dtype})"
            )
        if packed and input.dim() != 2:
            raise RuntimeError(f"input must have 2 dimensions, got {input.dim()}")
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def _check_dims(self, input: Tensor, states: tuple) -> None:
        name = "hx and cx" if self.mode == "LSTM" else "hx"
        kind = "batched 3-D" if input.dim() == 3 else "unbatched 2-D"
        if any(h.dim() != input.dim() for h in states):
            if self.mode == "LSTM":
                got = f"({states[0].dim()}-D, {states[1].dim()}-D) tensors"
            else:
                got = f"{states[0].dim()}-D tensor"
            raise RuntimeError(f"For {kind} input, {name} should also be {input.dim()}-D but got {got}")

    def _states(self, x: Tensor, batch: int, given: tuple | None) -> tuple:
        """The first states (layers · directions, batch, width) of all layers: those given, checked, or zeros."""
        rows = self.num_layers * (2 if self.bidirectional else 1)
        real = self.proj_size if self.proj_size > 0 else self.hidden_size
        if self.mode == "LSTM":
            names, widths = ("hidden[0]", "hidden[1]"), (real, self.hidden_size)
        else:
            names, widths = ("hidden",), (real,)
        if given is None:
            return tuple(torch.zeros(rows, batch, w, dtype=x.dtype, device=x.device) for w in widths)
        for h, name, width in zip(given, names, widths):
            if tuple(h.shape) != (rows, batch, width):
                raise RuntimeError(f"Expected {name} size {(rows, batch, width)}, got {list(h.shape)}")
        return given

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        lstm, packed = self.mode == "LSTM", isinstance(input, PackedSequence)
        self._check_input(input[0] if packed else input, packed)
        pair = isinstance(hx, tuple | list)
        states = None if hx is None else (hx,) if not lstm else tuple(hx) if pair else (hx[0], hx[1])
        if packed:
            x, batch_sizes, order, back = input
            states = None if states is None else self.permute_hidden(states, order)
            packing = Packing(batch_sizes, x.device)
            out, *last = self._run(x, self._states(x, packing.shape[1], states), packing)
            out = PackedSequence(out, batch_sizes, order, back)
            finals = self.permute_hidden(tuple(last), back)
            return out, finals if lstm else finals[0]
        batched = input.dim() == 3
        if states is not None:
            self._check_dims(input, states)
            states = states if batched else tuple([h.unsqueeze(1) for h in states])
        x = input.unsqueeze(1) if not batched else input.transpose(0, 1) if self.batch_first else input
        states = self._states(x, x.size(1), states)
        if x.size(0) == 0:
            raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
        out, *last = self._run(x, states, None)
        if not batched:
            out, last = out.squeeze(1), [s.squeeze(1) for s in last]
        elif self.batch_first:
            out = out.transpose(0, 1)
        return out, tuple(last) if lstm else last[0]

    def _run(self, x: Tensor, states: tuple, packing: Packing | None) -> tuple[Tensor, ...]:
        if not isinstance(self.bidirectional, bool):
            raise TypeError(f"bidirectional should be of type bool, got: {type(self.bidirectional).__name__}")
        if isinstance(self.num_layers, bool):
            raise TypeError("num_layers should be of type int, got: bool")
        options = self.bias, self.num_layers, self.dropout, self.training, self.bidirectional
        return run_layers(self.mode, x, states, self._flat_weights, *options, packing)


class RNN(RNNBase):
    """Elman network: h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or ReLU, over a sequence.

    Args:
        input_size: the number of features of the input.
        hidden_size: the number of features of the hidden state.
        num_layers: the number of layers; each reads the output of the one before. Default: 1.
        nonlinearity: "tanh" or "relu". Default: "tanh".
        bias: whether the layers have biases. Default: True.
        batch_first: whether the batch is the first dim of input and output. By default it is the
            second.
        dropout: the probability of dropout between layers, in training. Default: 0.0.
        bidirectional: whether there is a second direction that reads the sequence backwards.
            Default: False.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.
        proj_size: the size to which an LSTM projects its output; 0 means none. Other networks
            accept only 0. Default: 0.

    Shape: (L, N, input), or (N, L, input) with `batch_first`, or (L, input) to (L, N, D·hidden) and (D·layers, N,
    hidden).

    Called with the input, which may be a PackedSequence, and the first hidden state (zeros if there is none); the
    results are all outputs and the last state. Raises RuntimeError for inputs or states of other sizes.

    >>> rnn = nn.RNN(input_size=3, hidden_size=5, num_layers=2, batch_first=True)
    >>> output, h = rnn(torch.ones(4, 7, 3))
    >>> tuple(output.shape), tuple(h.shape)
    ((4, 7, 5), (2, 4, 5))
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
        options = num_layers, bias, batch_first, dropout, bidirectional, 0
        super().__init__(mode, input_size, hidden_size, *options, device, dtype)


class LSTM(RNNBase):
    """Long short-term memory over a sequence; see LSTMCell.

    Args:
        input_size: the number of features of the input.
        hidden_size: the number of features of the hidden state.
        num_layers: the number of layers; each reads the output of the one before. Default: 1.
        bias: whether the layers have biases. Default: True.
        batch_first: whether the batch is the first dim of input and output. By default it is the
            second.
        dropout: the probability of dropout between layers, in training. Default: 0.0.
        bidirectional: whether there is a second direction that reads the sequence backwards.
            Default: False.
        proj_size: the size to which an LSTM projects its output; 0 means none. Other networks
            accept only 0. Default: 0.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    Shape: (L, N, input), or (N, L, input) with `batch_first`, or (L, input) to (L, N, D·H) and (h, c) = ((D·layers,
    N, H), (D·layers, N, hidden)), H = proj_size or hidden_size.

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
        options = num_layers, bias, batch_first, dropout, bidirectional, proj_size
        super().__init__("LSTM", input_size, hidden_size, *options, device, dtype)


class GRU(RNNBase):
    """Gated recurrent units over a sequence; see GRUCell.

    Args:
        input_size: the number of features of the input.
        hidden_size: the number of features of the hidden state.
        num_layers: the number of layers; each reads the output of the one before. Default: 1.
        bias: whether the layers have biases. Default: True.
        batch_first: whether the batch is the first dim of input and output. By default it is the
            second.
        dropout: the probability of dropout between layers, in training. Default: 0.0.
        bidirectional: whether there is a second direction that reads the sequence backwards.
            Default: False.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.
        proj_size: the size to which an LSTM projects its output; 0 means none. Other networks
            accept only 0. Default: 0.

    Shape: (L, N, input), or (N, L, input) with `batch_first`, or (L, input) to (L, N, D·hidden) and (D·layers, N,
    hidden).

    Called with the input, which may be a PackedSequence, and the first hidden state (zeros if there is none). Raises
    RuntimeError for inputs or states of other sizes.

    >>> gru = nn.GRU(input_size=3, hidden_size=5, bidirectional=True)
    >>> output, h = gru(torch.ones(7, 4, 3))
    >>> tuple(output.shape), tuple(h.shape)
    ((7, 4, 10), (2, 4, 5))
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
        options = num_layers, bias, batch_first, dropout, bidirectional, 0
        super().__init__("GRU", input_size, hidden_size, *options, device, dtype)
