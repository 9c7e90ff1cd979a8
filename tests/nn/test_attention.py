"""Attention: what PyTorch can not do (forward mode, vmap, second derivatives of any form), dropout, flex_attention,
contexts."""

from __future__ import annotations

import math

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.func import grad, jvp, vmap
from functorch_lite.nn.attention import SDPBackend, bias, enabled_backends, sdpa_kernel
from functorch_lite.nn.attention import flex_attention as flex

F = nn.functional
DOUBLE = torch.float64


def _close(a, b, tol: float = 1e-9):
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=tol, atol=tol)


def _qkv():
    torch.manual_seed(4)
    return [torch.randn(2, 3, n, 4, dtype=DOUBLE) for n in (5, 6, 6)]


def _attend(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def test_vmap_over_attention():
    q, k, v = _qkv()
    _close(vmap(_attend, in_dims=(0, None, 0))(q, k[0], v), _attend(q, k[:1], v))


@pytest.mark.parametrize("length, size", [(512, 512), (513, 300), (512, 200)])
def test_long_causal_attention_is_that_with_a_mask(length, size):
    torch.manual_seed(0)
    q, k, v = [torch.randn(2, n, 4, dtype=DOUBLE, requires_grad=True) for n in (length, size, size)]
    mask = torch.arange(length)[:, None] >= torch.arange(size)
    found = [
        F.scaled_dot_product_attention(q, k, v, is_causal=True),
        F.scaled_dot_product_attention(q, k, v, mask),
    ]
    gradients = [torch.autograd.grad(out.square().sum(), (q, k, v)) for out in found]
    for a, b in zip((found[0], *gradients[0]), (found[1], *gradients[1])):
        _close(a, b)
    with pytest.raises(RuntimeError, match="Expected size for first two dimensions"):
        F.scaled_dot_product_attention(q, k, v[:, 1:], is_causal=True)


def test_forward_mode_and_forward_over_reverse_through_attention_which_pytorch_can_not():
    q, k, v = _qkv()
    t = torch.randn(2, 3, 5, 4, dtype=DOUBLE)

    def f(q):
        return _attend(q, k, v).sin().sum()

    _, slope = jvp(f, (q,), (t,))
    _close(slope, (grad(f)(q) * t).sum())
    _, curve = jvp(grad(f), (q,), (t,))
    _close(curve, grad(lambda q: (grad(f)(q) * t).sum())(q))
    small = 1e-6
    _close(curve, (grad(f)(q + small * t) - grad(f)(q - small * t)) / (2 * small), 1e-6)


def test_a_query_without_keys_gets_zeros_and_finite_gradients():
    q, k, v = (x[0, 0].clone().requires_grad_() for x in _qkv())
    mask = torch.ones(5, 6, dtype=torch.bool)
    mask[2] = False
    out = F.scaled_dot_product_attention(q, k, v, mask)
    out.sin().sum().backward()
    assert out[2].tolist() == [0.0] * 4
    assert all(bool(x.grad.isfinite().all()) for x in (q, k, v))


def test_dropout_of_the_weights():
    torch.manual_seed(0)
    q, k, v = torch.zeros(400, 1), torch.zeros(50, 1), torch.ones(50, 1)
    out = F.scaled_dot_product_attention(q, k, v, dropout_p=0.5)
    assert abs(float(out.mean()) - 1) < 0.03
    assert abs(float(out.var()) - 1 / 50) < 0.005
    assert set(F.scaled_dot_product_attention(q, k[:1], v[:1], dropout_p=0.5).flatten().tolist()) == {
        0.0,
        2.0,
    }
    with pytest.raises(RuntimeError, match="dropout probability has to be between 0 and 1"):
        F.scaled_dot_product_attention(q, k, v, dropout_p=1.5)


def test_per_sample_gradients_of_multi_head_attention():
    torch.manual_seed(1)
    m = nn.MultiheadAttention(4, 2).double()
    weights = {n: p.detach() for n, p in m.named_parameters()}
    x = torch.randn(5, 3, 4, dtype=DOUBLE)

    def loss(weights, x):
        return torch.func.functional_call(m, weights, (x, x, x))[0].sin().sum()

    each, whole = vmap(grad(loss), (None, 1))(weights, x), grad(loss)(weights, x)
    for name in weights:
        _close(each[name].sum(0), whole[name])


def test_flex_attention_and_gradients_of_what_score_mod_captures_which_pytorch_lacks_on_the_cpu():
    torch.manual_seed(2)
    q, k, v = torch.randn(1, 4, 5, 3), torch.randn(1, 2, 6, 3), torch.randn(1, 2, 6, 2)
    slopes = torch.randn(4, requires_grad=True)
    block_mask = flex.create_block_mask(lambda b, h, i, j: i >= j, None, None, 5, 6, BLOCK_SIZE=2)
    out, lse = flex.flex_attention(
        q, k, v, lambda s, b, h, i, j: s + slopes[h] * (i - j), block_mask, enable_gqa=True, return_lse=True
    )
    (mine,) = torch.autograd.grad(out.sin().sum() + lse.sum(), slopes)

    i, j = torch.arange(5)[:, None], torch.arange(6)
    scores = q @ k.repeat_interleave(2, 1).transpose(-2, -1) / math.sqrt(3)
    scores = torch.where(i >= j, scores + slopes[:, None, None] * (i - j), -math.inf)
    plain = scores.softmax(-1) @ v.repeat_interleave(2, 1)
    (expected,) = torch.autograd.grad(plain.sin().sum() + scores.logsumexp(-1).sum(), slopes)
    _close(out, plain, 1e-5)
    _close(lse, scores.logsumexp(-1), 1e-5)
    _close(mine, expected, 1e-4)


def test_block_mask():
    made = flex.create_block_mask(lambda b, h, i, j: i >= j, 2, None, 300, 300)
    assert made.shape == (2, 1, 300, 300) and made.BLOCK_SIZE == (128, 128)
    assert made.kv_num_blocks[0, 0].tolist() == [1, 1, 3]
    assert made.kv_indices[0, 0].tolist() == [[0, 1, 2], [1, 0, 2], [0, 1, 2]]
    assert made.full_kv_num_blocks[0, 0].tolist() == [0, 1, 0]
    assert made.to_dense()[1, 0].tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    both = flex.and_masks(lambda b, h, i, j: i >= j, lambda b, h, i, j: j > 0)
    either = flex.or_masks(lambda b, h, i, j: i == j, flex.noop_mask)
    assert flex.create_mask(both, 1, 1, 2, 2)[0, 0].tolist() == [[False, False], [False, True]]
    assert flex.create_mask(either, 1, 1, 2, 2)[0, 0].tolist() == [[True, True], [True, True]]


def test_a_block_mask_is_adjusted_to_shorter_sequences():
    mask = flex.create_block_mask(lambda b, h, i, j: i >= j, 1, 1, 384, 256)
    x = torch.ones(1, 1, 200, 4)
    with pytest.raises(ValueError, match="was created for a larger length than you're using it for"):
        flex.flex_attention(x, x, x, block_mask=mask)
    cut = mask._adjust(200, 200)
    assert cut.shape == (1, 1, 200, 200)
    assert cut.to_dense().tolist() == [[[[1, 0], [1, 1]]]]
    assert cut.full_kv_num_blocks.tolist() == [[[0, 1]]]
    values = torch.arange(200.0).reshape(1, 1, 200, 1)
    _close(flex.flex_attention(x, x, values, block_mask=cut), values / 2, 1e-5)


def test_causal_masks():
    assert bias.causal_upper_left(2, 3).tolist() == [[True, False, False], [True, True, False]]
    assert bias.causal_lower_right(2, 3).tolist() == [[True, True, False], [True, True, True]]


def test_sdpa_kernel_checks_its_arguments():
    with sdpa_kernel([SDPBackend.MATH, SDPBackend.FLASH_ATTENTION], set_priority=True):
        assert enabled_backends() == [SDPBackend.MATH, SDPBackend.FLASH_ATTENTION]
    assert len(enabled_backends()) == 5
    with (
        pytest.raises(AssertionError, match="Backend must be an instance of SDPBackend"),
        sdpa_kernel("math"),
    ):
        pass
    with pytest.raises(RuntimeError, match="No available kernel"), sdpa_kernel([]):
        pass


X = torch.ones(3, 2, 4)
ERRORS = {
    "embed_dim": (
        lambda: nn.MultiheadAttention(4, 3),
        AssertionError,
        "embed_dim must be divisible by num_heads",
    ),
    "positive": (
        lambda: nn.MultiheadAttention(0, 1),
        ValueError,
        "embed_dim and num_heads must be greater than 0",
    ),
    "query_dims": (
        lambda: nn.MultiheadAttention(4, 2)(torch.ones(4), X, X),
        AssertionError,
        "query should be unbatched 2D or batched 3D tensor but received 1-D query tensor",
    ),
    "mask_shape": (
        lambda: nn.MultiheadAttention(4, 2)(X, X, X, attn_mask=torch.zeros(2, 3)),
        RuntimeError,
        "The shape of the 2D attn_mask is torch.Size([2, 3]), but should be (3, 3).",
    ),
    "padding_shape": (
        lambda: nn.MultiheadAttention(4, 2)(X, X, X, key_padding_mask=torch.zeros(2, 4)),
        AssertionError,
        "Expected key_padded_mask.shape[1] to be 3, but got 4",
    ),
    "mask_dtype": (
        lambda: nn.MultiheadAttention(4, 2)(X, X, X, attn_mask=torch.zeros(3, 3, dtype=torch.int64)),
        AssertionError,
        "only bool and floating types of attn_mask are supported",
    ),
    "causal": (
        lambda: nn.MultiheadAttention(4, 2)(X, X, X, is_causal=True),
        RuntimeError,
        "Need attn_mask if specifying",
    ),
    "flex_heads": (
        lambda: flex.flex_attention(torch.ones(1, 4, 2, 2), torch.ones(1, 2, 2, 2), torch.ones(1, 2, 2, 2)),
        ValueError,
        "Try setting enable_gqa=True for GQA.",
    ),
    "flex_dims": (
        lambda: flex.flex_attention(X, X, X),
        NotImplementedError,
        "query, key, and value must be 4D tensors",
    ),
    "activation": (
        lambda: nn.TransformerEncoderLayer(4, 2, activation="tanh"),
        RuntimeError,
        "activation should be relu/gelu, not tanh",
    ),
    "features": (
        lambda: nn.Transformer(4, 2, 1, 1, 4)(X, torch.ones(3, 2, 5)),
        RuntimeError,
        "the feature number of src and tgt",
    ),
    "batches": (
        lambda: nn.Transformer(4, 2, 1, 1, 4)(X, torch.ones(3, 1, 4)),
        RuntimeError,
        "the batch number of src and tgt",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_error(name):
    call, error, sentence = ERRORS[name]
    with pytest.raises(error) as found:
        call()
    assert sentence in str(found.value)
