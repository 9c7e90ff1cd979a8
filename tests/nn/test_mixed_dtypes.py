"""Layers whose states, inputs and weights are of several dtypes, or under autocast.
What is expected was observed in PyTorch 2.13."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn

_CELL_STATES = [  # input and hidden state, cell state, result
    ("float32", "float64", "float64"),
    ("float32", "bfloat16", "float32"),
    ("float32", "int64", "float32"),
    ("bfloat16", "float32", "float32"),
    ("bfloat16", "float64", "float64"),
    ("bfloat16", "int64", "bfloat16"),
    ("float64", "float32", "float64"),
]


def _filled(torch, *shape, dtype="float32"):
    x = torch.tensor((np.arange(1, 1 + np.prod(shape)) / 7).reshape(shape)).to(getattr(torch, dtype))
    return x.requires_grad_() if x.is_floating_point() else x


def _constant(module, dtype):
    module = module.to(dtype)
    for p in module.parameters():
        p.data.fill_(0.1)
    return module


def _cell(torch, kind, states):
    """Results and gradients of an LSTMCell."""
    cell = _constant(torch.nn.LSTMCell(3, 2), getattr(torch, kind))
    x, h, c = (
        _filled(torch, 2, 3, dtype=kind),
        _filled(torch, 2, 2, dtype=kind),
        _filled(torch, 2, 2, dtype=states),
    )
    out = cell(x, (h, c))
    (out[0].sum() + out[1].sum()).backward()
    return *out, *[t.grad for t in (x, h, c, cell.weight_ih) if t.is_floating_point()]


@pytest.mark.parametrize(("kind", "states", "expected"), _CELL_STATES)
def test_a_cell_state_of_another_dtype(kind, states, expected):
    h, c, *grads = _cell(torch, kind, states)
    assert h.dtype is c.dtype is getattr(torch, expected)
    assert [str(g.dtype)[6:] for g in grads] == [kind, kind, *([] if states == "int64" else [states]), kind]


@pytest.mark.parity
@pytest.mark.parametrize(("kind", "states", "expected"), _CELL_STATES)
def test_a_cell_state_of_another_dtype_is_as_in_pytorch(kind, states, expected):
    theirs = pytest.importorskip("torch")
    for mine, reference in zip(_cell(torch, kind, states), _cell(theirs, kind, states), strict=True):
        assert str(mine.dtype) == str(reference.dtype)
        tolerance = 2e-2 if "bfloat16" in (kind, states) else 1e-6
        np.testing.assert_allclose(
            mine.detach().double().numpy(), reference.detach().double().numpy(), tolerance
        )


def test_a_hidden_state_of_another_dtype_is_refused():
    for cell in (nn.RNNCell(3, 2), nn.GRUCell(3, 2)):
        with pytest.raises(
            RuntimeError, match="mat1 and mat2 must have the same dtype, but got Double and Float"
        ):
            cell(torch.ones(2, 3), torch.ones(2, 2, dtype=torch.float64))


def test_a_cell_state_of_another_dtype_over_a_sequence():
    lstm = _constant(nn.LSTM(3, 2), torch.float64)
    x, h, c = (
        _filled(torch, 2, 2, 3, dtype="float64"),
        _filled(torch, 1, 2, 2, dtype="float64"),
        _filled(torch, 1, 2, 2),
    )
    out, (h_last, c_last) = lstm(x, (h, c))
    assert out.dtype is h_last.dtype is c_last.dtype is torch.float64
    reference, _ = lstm(x, (h, c.double()))
    assert torch.equal(out, reference)
    out.sum().backward()
    assert c.grad.dtype is torch.float32

    half = _constant(nn.LSTM(3, 2), torch.bfloat16)
    out, (h_last, c_last) = half(x.bfloat16(), (h.bfloat16(), c))
    assert out.dtype is h_last.dtype is torch.bfloat16 and c_last.dtype is torch.float32
    with pytest.raises(RuntimeError, match="Input and hidden tensors are not the same dtype"):
        _constant(nn.LSTM(3, 2), torch.float32)(x.float(), (h.float(), c.double()))


_STEPS = {"RNNCell": "bfloat16", "GRUCell": "float32", "RNN": "bfloat16", "GRU": "float32"}


@pytest.mark.parametrize("name", _STEPS)
def test_autocast_lowers_products_and_not_states(name):
    sequence = () if "Cell" in name else (2,)
    x, h = torch.ones(*sequence, 2, 3), torch.ones(*([1] if sequence else []), 2, 2)
    with torch.autocast("cpu"):
        out = getattr(nn, name)(3, 2)(x, h)
        assert (out[0] if sequence else out).dtype is getattr(torch, _STEPS[name])
        out = getattr(nn, name)(3, 2)(x, h.bfloat16())
        assert (out[0] if sequence else out).dtype is torch.bfloat16


_LOW, _FULL = "bfloat16", "float32"
_PACKED_UNDER_AUTOCAST = [  # layer, input, first state, results
    ("LSTM", _FULL, None, _FULL),
    ("LSTM", _LOW, None, _LOW),
    ("LSTM", _FULL, _LOW, _LOW),
    ("LSTM", _LOW, _FULL, _FULL),
    ("GRU", _FULL, None, _FULL),
    ("GRU", _LOW, None, _LOW),
    ("GRU", _LOW, _FULL, _FULL),
    ("RNN", _FULL, None, _LOW),
    ("RNN", _LOW, _FULL, _LOW),
]


def _under_autocast(torch, name, kind, states, packed, **options):
    """Output, last states and gradients of a recurrent layer, over packed rows or a padded sequence."""
    layer = _constant(getattr(torch.nn, name)(3, 2, **options), torch.float32)
    x = _filled(torch, 3, 2, 3, dtype=kind)
    first = None if states is None else torch.zeros(1, 2, 2, dtype=getattr(torch, states))
    first = (first, first) if first is not None and name == "LSTM" else first
    given = torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor([3, 2])) if packed else x
    with torch.autocast("cpu"):
        out, last = layer(given, first)
    results = [out.data if packed else out, *(last if name == "LSTM" else (last,))]
    sum(r.float().sum() for r in results).backward()
    return [*results, x.grad, *[p.grad for p in layer.parameters()]]


@pytest.mark.parametrize(("name", "kind", "states", "expected"), _PACKED_UNDER_AUTOCAST)
def test_packed_rows_under_autocast(name, kind, states, expected):
    count = 3 if name == "LSTM" else 2
    found = [str(t.dtype)[6:] for t in _under_autocast(torch, name, kind, states, True)]
    assert found == [expected] * count + [kind] + [_FULL] * 4


@pytest.mark.parametrize("name", ["LSTM", "GRU", "RNN"])
def test_a_lowered_input_of_a_sequence_under_autocast(name):
    found = [str(t.dtype)[6:] for t in _under_autocast(torch, name, _LOW, None, False)]
    assert found == [_LOW] * (3 if name == "LSTM" else 2) + [_LOW] + [_FULL] * 4
    with pytest.raises(ValueError, match="RNN input dtype"):
        getattr(nn, name)(3, 2)(torch.ones(3, 2, 3, dtype=torch.bfloat16))


@pytest.mark.parity
def test_recurrence_under_autocast_beside_pytorch():
    theirs = pytest.importorskip("torch")
    calls = [(name, kind, states, True, {}) for name, kind, states, _ in _PACKED_UNDER_AUTOCAST]
    calls += [(name, _LOW, None, False, {}) for name in ("LSTM", "GRU", "RNN")]
    calls += [("LSTM", _FULL, None, True, {"proj_size": 1}), ("LSTM", _FULL, None, True, {"bias": False})]
    for *call, options in calls:
        for mine, reference in zip(
            _under_autocast(torch, *call, **options), _under_autocast(theirs, *call, **options), strict=True
        ):
            assert str(mine.dtype) == str(reference.dtype), call
            np.testing.assert_allclose(
                mine.detach().double().numpy(), reference.detach().double().numpy(), 5e-2, 2e-2
            )


def test_an_lstm_cell_under_autocast_has_the_wider_dtype_of_gates_and_cell_state():
    with torch.autocast("cpu"):
        for kind in (torch.float32, torch.bfloat16, torch.float64):
            h, c = nn.LSTMCell(3, 2)(torch.ones(2, 3), (torch.ones(2, 2), torch.ones(2, 2, dtype=kind)))
            assert h.dtype is c.dtype is kind


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize(
    ("mode", "batch_first", "training", "expected"),
    [
        ("no_grad", True, False, "bfloat16"),
        ("inference_mode", True, False, "bfloat16"),
        ("no_grad", False, False, "float32"),  # which PyTorch does not compute as one function
        ("no_grad", True, True, "float32"),
        ("enable_grad", True, False, "float32"),
    ],
)
def test_an_encoder_layer_under_autocast(mode, batch_first, training, expected, norm_first):
    layer = nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=batch_first, norm_first=norm_first).train(
        training
    )
    stack = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).train(training)
    padding = torch.tensor([[False, False, True], [False, False, False]])
    with getattr(torch, mode)(), torch.autocast("cpu"):
        x = torch.ones(2, 3, 8) if batch_first else torch.ones(3, 2, 8)
        for found in (layer(x), layer(x, src_key_padding_mask=padding), stack(x)):
            assert found.dtype is getattr(torch, expected)
    with torch.no_grad():
        assert layer(x).dtype is torch.float32


def test_a_hook_keeps_an_encoder_layer_from_being_one_function():
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    layer.linear1.register_forward_hook(lambda module, args, out: None)
    with torch.no_grad(), torch.autocast("cpu"):
        assert layer(torch.ones(2, 3, 8)).dtype is torch.float32


@pytest.mark.parametrize("context", [contextlib.nullcontext, torch.no_grad])
def test_attention_weights_under_autocast_have_the_lower_dtype_with_a_mask_too(context):
    attention = nn.MultiheadAttention(8, 2, batch_first=True)
    x, padding = torch.ones(2, 3, 8), torch.zeros(2, 3, dtype=torch.bool)
    with context(), torch.autocast("cpu"):
        out, weights = attention(x, x, x, key_padding_mask=padding)
    assert out.dtype is weights.dtype is torch.bfloat16
