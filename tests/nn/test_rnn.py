"""Recurrent networks against their own cells, step by step; derivatives of all orders; what PyTorch can not do;
packing; errors."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.func import functional_call, grad, jvp, vmap
from functorch_lite.nn.utils import rnn

DOUBLE = torch.float64
KINDS = ("LSTM", "GRU", "RNN")


def _network(kind: str, **options):
    torch.manual_seed(3)
    return getattr(nn, kind)(3, 2, **options).double()


def _loop(network, x):
    """What a network of one layer and direction gives for x (T, N, features), by its cell in a Python loop."""
    cell = getattr(nn, type(network).__name__ + "Cell")(3, 2).double()
    weights = {n.removesuffix("_l0"): p for n, p in network.named_parameters()}
    state, outs = None, []
    for step in x:
        state = functional_call(cell, weights, (step, state))
        outs.append(state[0] if isinstance(state, tuple) else state)
    return torch.stack(outs)


def _close(a, b, tol: float = 1e-9):
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=tol, atol=tol)


@pytest.mark.parametrize("kind", KINDS)
def test_scan_equals_the_loop_over_cells_in_value_and_two_derivatives(kind):
    network = _network(kind)
    x = torch.randn(4, 2, 3, dtype=DOUBLE, requires_grad=True)
    found = []
    for run in (lambda x: network(x)[0], lambda x: _loop(network, x)):
        out = run(x)
        inputs = [x, *network.parameters()]
        first = torch.autograd.grad(out.sin().sum(), inputs, create_graph=True)
        second = torch.autograd.grad(sum(g.sin().sum() for g in first), inputs)
        found.append([out, *first, *second])
    for a, b in zip(*found):
        _close(a, b)


@pytest.mark.parametrize("kind", KINDS)
def test_vmap_over_a_network_which_pytorch_has_no_batching_rule_for(kind):
    network = _network(kind)
    x = torch.randn(4, 3, 3, dtype=DOUBLE)
    out = vmap(lambda one: network(one)[0], in_dims=1, out_dims=1)(x)  # each example is an unbatched sequence
    _close(out, network(x)[0])


def test_per_sample_gradients_of_an_lstm():
    network = _network("LSTM")
    weights = {k: p.detach() for k, p in network.named_parameters()}
    x = torch.randn(4, 3, 3, dtype=DOUBLE)

    def loss(weights, one):
        return functional_call(network, weights, (one,))[0].sin().sum()

    each = vmap(grad(loss), in_dims=(None, 1))(weights, x)
    whole = grad(loss)(weights, x)
    assert each["weight_hh_l0"].shape == (3, 8, 2)
    for name in weights:
        _close(each[name].sum(0), whole[name])


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_forward_mode_and_forward_over_reverse_which_pytorch_can_not(kind):
    network = _network(kind)
    x, v = torch.randn(3, 2, 3, dtype=DOUBLE), torch.randn(3, 2, 3, dtype=DOUBLE)

    def f(x):
        return network(x)[0].sin().sum()

    _, slope = jvp(f, (x,), (v,))
    _close(slope, (grad(f)(x) * v).sum())
    _, curve = jvp(grad(f), (x,), (v,))
    _close(curve, grad(lambda x: (grad(f)(x) * v).sum())(x))


def test_the_loop_runs_once_for_value_and_gradient():
    import jax

    from functorch_lite._core.declare.op import OPS

    names = [n for n in OPS if n.startswith("nn.functional._re")]
    assert {"nn.functional._recur", "nn.functional._recall"} <= set(names)
    z, h, w = np.ones((3, 2, 8), np.float32), np.ones((2, 2), np.float32), np.ones((8, 2), np.float32)
    results = OPS["nn.functional._recur"](z, h, h, w)

    def recalled(z, w):
        return OPS["nn.functional._recall"](z, h, h, w, None, None, None, results)[0].sum()

    text = str(jax.make_jaxpr(jax.grad(recalled, (0, 1)))(z, w))
    assert text.count("scan[") == 1  # the reverse one


def test_packed_sequences_are_as_if_run_one_by_one():
    network = _network("LSTM", bidirectional=True)
    parts = [torch.randn(n, 3, dtype=DOUBLE) for n in (2, 4, 1)]
    packed = rnn.pack_sequence(parts, enforce_sorted=False)
    out, (h, c) = network(packed)
    assert isinstance(out, rnn.PackedSequence)
    for k, (mine, part) in enumerate(zip(rnn.unpack_sequence(out), parts)):
        alone, (h_k, c_k) = network(part)
        _close(mine, alone)
        _close(h[:, k], h_k)
        _close(c[:, k], c_k)


def test_padding_does_not_reach_the_gradient():
    network = _network("GRU", bidirectional=True)
    x = torch.randn(4, 2, 3, dtype=DOUBLE, requires_grad=True)
    out, _ = network(rnn.pack_padded_sequence(x, [4, 2]))
    out.data.sin().sum().backward()
    assert float(x.grad[2:, 1].abs().max()) == 0.0
    assert float(x.grad[:2, 1].abs().min()) > 0.0


def test_pack_and_pad():
    x = torch.arange(12.0).reshape(3, 2, 2)
    packed = rnn.pack_padded_sequence(x, torch.tensor([2, 3]), enforce_sorted=False)
    assert packed.batch_sizes.tolist() == [2, 2, 1]
    assert packed.sorted_indices.tolist() == [1, 0] and packed.unsorted_indices.tolist() == [1, 0]
    assert packed.data.tolist() == [[2, 3], [0, 1], [6, 7], [4, 5], [10, 11]]
    back, lengths = rnn.pad_packed_sequence(packed, padding_value=-1.0, total_length=4)
    assert lengths.tolist() == [2, 3]
    assert back[:, 0].tolist() == [[0, 1], [4, 5], [-1, -1], [-1, -1]]
    assert back.shape == (4, 2, 2)
    left = rnn.pad_sequence([torch.tensor([1, 2]), torch.tensor([3])], True, 9, padding_side="left")
    assert left.tolist() == [[1, 2], [9, 3]]
    kept = packed.to(DOUBLE)
    assert kept.data.dtype is DOUBLE and kept.batch_sizes.dtype is torch.int64 and packed.to("cpu") is packed


def test_dropout_between_layers_only_when_training():
    torch.manual_seed(0)
    network = nn.LSTM(3, 4, num_layers=2, dropout=0.5)
    x = torch.randn(3, 2, 3)
    a, b = network(x)[0], network(x)[0]
    assert not torch.equal(a, b)
    network.eval()
    assert torch.equal(network(x)[0], network(x)[0])


ERRORS = {
    "input_dims": (
        lambda m: m(torch.ones(3)),
        ValueError,
        "LSTM: Expected input to be 2D or 3D, got 1D instead",
    ),
    "input_size": (
        lambda m: m(torch.ones(3, 2, 4)),
        RuntimeError,
        "input.size(-1) must be equal to input_size. Expected 3, got 4",
    ),
    "dtype": (
        lambda m: m(torch.ones(3, 2, 3, dtype=DOUBLE)),
        ValueError,
        "RNN input dtype (torch.float64) does not match",
    ),
    "no_steps": (
        lambda m: m(torch.ones(0, 2, 3)),
        RuntimeError,
        "Expected sequence length to be larger than 0 in RNN",
    ),
    "state_size": (
        lambda m: m(torch.ones(3, 2, 3), (torch.ones(1, 3, 2),) * 2),
        RuntimeError,
        "Expected hidden[0] size (1, 2, 2), got [1, 3, 2]",
    ),
    "state_dims": (
        lambda m: m(torch.ones(3, 2, 3), (torch.ones(2, 2),) * 2),
        RuntimeError,
        "For batched 3-D input, hx and cx should also be 3-D but got (2-D, 2-D) tensors",
    ),
    "projection": (
        lambda m: nn.LSTM(3, 2, proj_size=2),
        ValueError,
        "proj_size has to be smaller than hidden_size",
    ),
    "gru_projection": (
        lambda m: nn.GRU(3, 2, proj_size=1),
        ValueError,
        "proj_size argument is only supported for LSTM",
    ),
    "unsorted": (
        lambda m: rnn.pack_padded_sequence(torch.ones(3, 2), [1, 3]),
        RuntimeError,
        "`lengths` array must be sorted",
    ),
    "no_length": (
        lambda m: rnn.pack_padded_sequence(torch.ones(3, 2), [3, 0]),
        RuntimeError,
        "Length of all samples has to be greater than 0",
    ),
    "too_long": (lambda m: rnn.pack_padded_sequence(torch.ones(3, 2), [4, 1]), RuntimeError, "a length is 4"),
    "total_length": (
        lambda m: rnn.pad_packed_sequence(rnn.pack_sequence([torch.ones(2)]), total_length=1),
        ValueError,
        "Expected total_length to be at least the length of the longest sequence in input",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_error(name):
    call, error, sentence = ERRORS[name]
    with pytest.raises(error) as found:
        call(nn.LSTM(3, 2))
    assert sentence in str(found.value)
