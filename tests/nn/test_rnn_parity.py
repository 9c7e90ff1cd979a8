"""Recurrent networks, cells and packing beside PyTorch: values, last states, and every gradient."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as ours

pytestmark = pytest.mark.parity
theirs = pytest.importorskip("torch")

NETWORKS = {
    "lstm": ("LSTM", {}, "padded"),
    "lstm_stacked": ("LSTM", {"num_layers": 2, "bidirectional": True}, "packed"),
    "lstm_projected": ("LSTM", {"num_layers": 2, "bidirectional": True, "proj_size": 2}, "packed"),
    "lstm_unbatched": ("LSTM", {"bias": False, "batch_first": True}, "unbatched"),
    "gru": ("GRU", {"num_layers": 2, "bidirectional": True}, "packed"),
    "gru_batch_first": ("GRU", {"batch_first": True}, "padded"),
    "rnn": ("RNN", {"bidirectional": True}, "packed"),
    "rnn_relu": ("RNN", {"nonlinearity": "relu", "bias": False}, "no state"),
}
CELLS = {"LSTMCell": {}, "GRUCell": {"bias": False}, "RNNCell": {"nonlinearity": "relu"}}


def _close(a, b, what: str = ""):
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-4, atol=1e-5, err_msg=what)


def _pair(kind: str, options: dict):
    theirs.manual_seed(1)
    reference, mine = getattr(theirs.nn, kind)(3, 4, **options), getattr(ours.nn, kind)(3, 4, **options)
    assert repr(mine) == repr(reference)
    assert list(mine.state_dict()) == list(reference.state_dict())
    mine.load_state_dict({k: ours.tensor(v.numpy()) for k, v in reference.state_dict().items()})
    return reference, mine


def _run(torch, network, x, states, form: str, batch_first: bool):
    rnn = torch.nn.utils.rnn
    x = torch.tensor(x, requires_grad=True)
    states = [torch.tensor(s, requires_grad=True) for s in states]
    hx = None if form == "no state" else tuple(states) if isinstance(network, torch.nn.LSTM) else states[0]
    given = rnn.pack_padded_sequence(x, [3, 1, 4], batch_first, False) if form == "packed" else x
    out, last = network(given, hx)
    if form == "packed":
        out, lengths = rnn.pad_packed_sequence(out, batch_first, -1.0)
        assert lengths.tolist() == [3, 1, 4]
    last = list(last) if isinstance(last, tuple) else [last]
    sum(o.sin().sum() for o in [out, *last]).backward()
    grads = [x.grad, *[s.grad for s in states if hx is not None], *[p.grad for p in network.parameters()]]
    return [out, *last, *grads]


@pytest.mark.parametrize("name", NETWORKS)
def test_network(name):
    kind, options, form = NETWORKS[name]
    reference, mine = _pair(kind, options)
    rng = np.random.default_rng(5)
    rows = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
    batch = () if form == "unbatched" else (3,)
    batch_first = options.get("batch_first", False)
    shape = (*batch, 4, 3) if batch_first else (4, *batch, 3)
    x = rng.normal(size=shape).astype(np.float32)
    widths = (options.get("proj_size", 4), 4) if kind == "LSTM" else (4,)
    states = [rng.normal(size=(rows, *batch, w)).astype(np.float32) for w in widths]
    found = [_run(t, m, x, states, form, batch_first) for t, m in ((ours, mine), (theirs, reference))]
    assert len(found[0]) == len(found[1])
    for k, (a, b) in enumerate(zip(*found)):
        _close(a, b, f"result {k}")


@pytest.mark.parametrize("kind", CELLS)
def test_cell(kind):
    reference, mine = _pair(kind, CELLS[kind])
    x = np.random.default_rng(6).normal(size=(2, 3)).astype(np.float32)
    found = []
    for torch, cell in ((ours, mine), (theirs, reference)):
        state = cell(torch.tensor(x))
        state = cell(torch.tensor(x), state)
        outs = list(state) if isinstance(state, tuple) else [state]
        sum(o.sin().sum() for o in outs).backward()
        alone = cell(torch.tensor(x[0]))
        outs.append(alone[0] if isinstance(alone, tuple) else alone)
        found.append(outs + [p.grad for p in cell.parameters()])
    for a, b in zip(*found):
        _close(a, b)


def test_functions():
    found = []
    for torch in (theirs, ours):
        theirs.manual_seed(2)
        weights = [torch.tensor(p.detach().numpy()) for p in theirs.nn.GRU(3, 2, 2).parameters()]
        x, h = torch.ones(3, 1, 3), torch.zeros(2, 1, 2)
        padded = torch.gru(x, h, weights, True, 2, 0.0, False, False, False)
        data, sizes = torch.ones(3, 3), torch.tensor([1, 1, 1])
        packed = torch.gru(data, sizes, h, weights, True, 2, 0.0, False, False)
        found.append([*padded, *packed])
    for a, b in zip(*found):
        _close(a, b)


@pytest.mark.parametrize("lengths", [[3, 3, 2], [1, 2, 3]])
def test_packing(lengths):
    x = np.random.default_rng(7).normal(size=(3, 4, 2)).astype(np.float32)
    found = []
    for torch in (theirs, ours):
        rnn = torch.nn.utils.rnn
        packed = rnn.pack_padded_sequence(torch.tensor(x), lengths, True, enforce_sorted=False)
        parts = rnn.unpack_sequence(packed)
        again = rnn.pack_sequence(parts, enforce_sorted=False)
        found.append([*packed, *parts, *again, *rnn.pad_packed_sequence(again, total_length=5)])
    for a, b in zip(*found):
        assert str(a.dtype) == str(b.dtype)
        _close(a, b)
