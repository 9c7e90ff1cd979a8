"""Multi-head attention, transformers and flex_attention beside PyTorch: values, weights, state and every gradient."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import functorch_lite as ours

pytestmark = pytest.mark.parity
theirs = pytest.importorskip("torch")

L, S, N, E = 3, 4, 2, 4
PADDING = np.array([[False, True, False, False], [False, False, False, True]])
MASK = np.array([[False] * 4, [True, False, False, False], [False, False, True, False]])
BIAS = (0.1 * np.arange(N * 2 * L * S)).reshape(N * 2, L, S).astype(np.float32)

ATTENTIONS = {
    "plain": ({}, {}),
    "without_weights": ({}, {"need_weights": False}),
    "other_sizes": ({"kdim": 3, "vdim": 5}, {"average_attn_weights": False}),
    "more_keys": (
        {"add_bias_kv": True, "add_zero_attn": True},
        {"key_padding_mask": PADDING, "attn_mask": MASK},
    ),
    "more_keys_without_weights": (
        {"add_bias_kv": True, "add_zero_attn": True, "bias": False},
        {"key_padding_mask": PADDING, "attn_mask": MASK, "need_weights": False},
    ),
    "batch_first": (
        {"batch_first": True},
        {"attn_mask": BIAS, "key_padding_mask": PADDING, "need_weights": False},
    ),
}


def _close(a, b, what: str = ""):
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-4, atol=2e-5, err_msg=what)


def _compare(make, call, shapes):
    """make(torch) -> module, call(torch, module, *inputs) -> Tensors or None; outputs and all gradients must agree."""
    rng = np.random.default_rng(8)
    theirs.manual_seed(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reference, mine = make(theirs), make(ours)
    assert repr(mine) == repr(reference)
    state = {
        k: rng.normal(scale=0.3, size=v.shape).astype(np.float32) for k, v in reference.state_dict().items()
    }
    assert list(mine.state_dict()) == list(state)
    arrays = [rng.normal(size=s).astype(np.float32) for s in shapes]
    found = []
    for torch, module in ((ours, mine), (theirs, reference)):
        module.load_state_dict({k: torch.tensor(v) for k, v in state.items()})
        inputs = [torch.tensor(a, requires_grad=True) for a in arrays]
        outs = call(torch, module, *inputs)
        outs = list(outs) if isinstance(outs, tuple) else [outs]
        sum(o.sin().sum() for o in outs if o is not None).backward()
        found.append(outs + [x.grad for x in (*inputs, *module.parameters())])
    for k, (a, b) in enumerate(zip(*found, strict=True)):
        assert (a is None) == (b is None)
        if a is not None:
            _close(a, b, f"result {k}")


@pytest.mark.parametrize("name", ATTENTIONS)
def test_multi_head_attention(name):
    options, given = ATTENTIONS[name]

    def call(torch, m, q, k, v):
        return m(
            q, k, v, **{n: torch.tensor(a) if isinstance(a, np.ndarray) else a for n, a in given.items()}
        )

    first = options.get("batch_first", False)
    shapes = [
        (N, n, e) if first else (n, N, e)
        for n, e in ((L, E), (S, options.get("kdim", E)), (S, options.get("vdim", E)))
    ]
    _compare(lambda torch: torch.nn.MultiheadAttention(E, 2, **options), call, shapes)


def test_unbatched_causal_self_attention():
    def call(torch, m, x):
        mask = torch.nn.Transformer.generate_square_subsequent_mask(L)
        return m(x, x, x, attn_mask=mask, is_causal=True, need_weights=False)

    _compare(lambda torch: torch.nn.MultiheadAttention(E, 2), call, [(L, E)])


@pytest.mark.parametrize(
    "options", [{}, {"norm_first": True, "activation": "gelu", "batch_first": True, "bias": False}]
)
def test_transformer(options):
    def call(torch, m, src, tgt):
        mask = torch.nn.Transformer.generate_square_subsequent_mask(L)
        return m(src, tgt, tgt_mask=mask, tgt_is_causal=True, src_key_padding_mask=torch.tensor(PADDING))

    shapes = [(N, n, E) if options else (n, N, E) for n in (S, L)]
    _compare(lambda torch: torch.nn.Transformer(E, 2, 1, 1, 6, dropout=0.0, **options), call, shapes)


@pytest.mark.parametrize("padding", [[[0, 0, 0, 1], [0, 0, 1, 1]], [[0, 1, 0, 0], [0, 0, 0, 1]]])
def test_padding_in_evaluation_is_zero_when_it_is_at_the_end(padding):
    x = np.random.default_rng(9).normal(size=(N, S, E)).astype(np.float32)
    theirs.manual_seed(4)
    state, found = None, []
    for torch in (theirs, ours):
        layer = torch.nn.TransformerEncoderLayer(E, 2, 6, batch_first=True)
        model = torch.nn.TransformerEncoder(layer, 1).eval()
        state = state or {k: v.numpy() for k, v in model.state_dict().items()}
        model.load_state_dict({k: torch.tensor(v) for k, v in state.items()})
        mask = torch.tensor(padding).bool()
        with torch.no_grad():
            found.append(model(torch.tensor(x), src_key_padding_mask=mask))
    _close(*found)


def test_flex_attention():
    import torch.nn.attention.flex_attention as reference

    import functorch_lite.nn.attention.flex_attention as mine

    rng = np.random.default_rng(10)
    shapes = ((2, 4, 5, 8), (2, 2, 6, 8), (2, 2, 6, 3))
    arrays = [rng.normal(size=s).astype(np.float32) for s in shapes]
    found, blocks = [], []
    for torch, flex in ((theirs, reference), (ours, mine)):
        made = flex.create_block_mask(
            lambda b, h, i, j: (i >= j) | (b == 1), 2, None, 5, 6, device="cpu", BLOCK_SIZE=2
        )
        q, k, v = [torch.tensor(a) for a in arrays]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(
                flex.flex_attention(
                    q,
                    k,
                    v,
                    lambda s, b, h, i, j: s + 0.1 * (i - j) * h,
                    made,
                    enable_gqa=True,
                    return_lse=True,
                )
            )
        blocks.append(
            [made.kv_num_blocks, made.kv_indices, made.full_kv_num_blocks, made.q_indices, made.to_dense()]
        )
        assert made.sparsity() == pytest.approx(100 * (1 - int(made.to_dense().sum()) * 4 / 60))
    for a, b in zip(*found):
        _close(a, b)
    for a, b in zip(*blocks):
        assert str(a.dtype) == str(b.dtype)
        _close(a, b)
