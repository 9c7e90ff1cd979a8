"""torch.nn.attention: masks in blocks and what can be asked of them, causal biases, the choice of a kernel."""

from __future__ import annotations

import importlib

from tests.nn.protocol import program


def library(torch, name):
    """A module of torch.nn.attention."""
    return importlib.import_module(f"{torch.__name__}.nn.attention.{name}")


@program
def block_masks(torch, log):
    flex = library(torch, "flex_attention")

    def causal(b, h, q, k):
        return q >= k

    def early(b, h, q, k):
        return k < 2 + b

    for mod in (causal, flex.and_masks(causal, early), flex.or_masks(causal, early), flex.noop_mask):
        m = flex.create_block_mask(mod, 2, None, 5, 6, device="cpu", BLOCK_SIZE=2)
        log(m.shape, m.numel(), m.to_dense(), m.sparsity(), m.BLOCK_SIZE, m.seq_lengths)
        log([t if t is None or callable(t) is False else "mask_mod" for t in m.as_tuple()])
        log(m.to_string(), repr(m) == str(m))
    log(flex.create_mask(early, 2, 1, 2, 4, device="cpu"))
    log(
        flex.create_block_mask(
            causal, None, None, 4, 4, device="cpu", BLOCK_SIZE=(2, 4), separate_full_blocks=False
        ).as_tuple()[:6]
    )
    m = flex.create_block_mask(causal, 2, 2, 4, 4, device="cpu", BLOCK_SIZE=2)
    for index in (
        0,
        (0, 1),
        (slice(None), 1),
        (slice(0, 1), slice(None)),
        torch.tensor([1]),
        (slice(None), slice(None), 1),
    ):
        part = log.attempt(lambda index=index: m[index].shape)
        if part is not None:
            log(m[index].kv_num_blocks, m[index].kv_indices)
    again = flex.BlockMask.from_kv_blocks(
        m.kv_num_blocks, m.kv_indices, m.full_kv_num_blocks, m.full_kv_indices, 2, causal
    )
    log(
        again.to_dense(),
        again.seq_lengths,
        flex.BlockMask.from_kv_blocks(m.kv_num_blocks, m.kv_indices).shape,
        m.to("cpu").shape,
    )
    log.attempts(
        lambda: flex.BlockMask.from_kv_blocks(torch.ones(1), torch.ones(1)),
        lambda: flex.BlockMask.from_kv_blocks(m.kv_num_blocks, m.kv_indices, m.full_kv_num_blocks),
        lambda: flex.and_masks(3),
    )


@program
def causal_biases(torch, log):
    bias = library(torch, "bias")
    for make in (bias.causal_upper_left, bias.causal_lower_right):
        made = make(2, 3)
        log(type(made).__name__, int(made.variant), made.seq_len_q, made.seq_len_kv)
        q, k = torch.ones(1, 1, 2, 4), torch.arange(12.0).reshape(1, 1, 3, 4) / 8
        log(torch.nn.functional.scaled_dot_product_attention(q, k, k, made))
        log.attempt(lambda make=make: make(2))
    log(list(bias.CausalVariant))
    log.attempt(lambda: bias.CausalBias(bias.CausalVariant.LOWER_RIGHT, 2, 3).variant)


@program
def kernels(torch, log):
    attention = importlib.import_module(f"{torch.__name__}.nn.attention")
    q = torch.arange(8.0).reshape(1, 1, 2, 4) / 8
    math = attention.SDPBackend.MATH
    for chosen in (math, [math, attention.SDPBackend.FLASH_ATTENTION]):
        with attention.sdpa_kernel(chosen):
            log(torch.nn.functional.scaled_dot_product_attention(q, q, q))
    with attention.sdpa_kernel([math], set_priority=True):
        log(torch.nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True))
    log.attempts(
        lambda: attention.sdpa_kernel(3).__enter__(),
        lambda: attention.sdpa_kernel("math").__enter__(),
    )
    log([b.name for b in (attention.SDPBackend.ERROR, math, attention.SDPBackend.CUDNN_ATTENTION)], int(math))
