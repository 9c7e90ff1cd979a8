"""MultiheadAttention (Vaswani et al. 2017, arXiv:1706.03762)."""

from __future__ import annotations

from typing import Any

import functorch_lite.nn.functional as F
from functorch_lite._core.api import Tensor
from functorch_lite.nn import init
from functorch_lite.nn.functional.multi_head_attention import additive_mask
from functorch_lite.nn.parameter import Parameter

from ._utils import empty
from .linear import NonDynamicallyQuantizableLinear
from .module import Module

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Module):
    """Concat(head_1, …, head_h) W_O with head_i = softmax(Q_i K_iᵀ / √(E/h)) V_i of projected query, key and value.

    Args:
        embed_dim: the number of features E.
        num_heads: the number of heads; it divides `embed_dim`.
        dropout: the probability that an attention weight is dropped. Default: 0.0.
        bias: whether the projections have biases. Default: True.
        add_bias_kv: whether one learned key and value are appended. Default: False.
        add_zero_attn: whether a key and a value of zeros are appended. Default: False.
        kdim: the number of features of the keys. None (the default) is `embed_dim`.
        vdim: the number of features of the values. None (the default) is `embed_dim`.
        batch_first: whether the batch is the first dim. By default it is the second.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    Shape: query (L, N, E), key (S, N, kdim), value (S, N, vdim), with N first when `batch_first`, or all without N;
    output like query, weights (N, L, S), or (N, heads, L, S) with `average_attn_weights=False`; None with
    `need_weights=False`.

    Attributes:
        in_proj_weight: (3E, E), or q_proj_weight (E, E), k_proj_weight (E, kdim), v_proj_weight (E, vdim); Xavier
            uniform at first.
        in_proj_bias: (3E), zero at first; None if `bias=False`.
        out_proj: the Linear after the heads.
        bias_k, bias_v: (1, 1, E) with `add_bias_kv`.

    >>> x = torch.randn(2, 5, 16)
    >>> out, weights = MultiheadAttention(16, 4, batch_first=True)(x, x, x)
    >>> out.shape, weights.shape
    (torch.Size([2, 5, 16]), torch.Size([2, 5, 5]))
    """

    __constants__ = ["batch_first"]

    bias_k: Tensor | None
    bias_v: Tensor | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")

        sizes = {"q_proj_weight": embed_dim, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        if self._qkv_same_embed_dim:
            self.in_proj_weight = Parameter(empty((3 * embed_dim, embed_dim), device, dtype))
            for name in sizes:
                self.register_parameter(name, None)
        else:
            for name, size in sizes.items():
                self.register_parameter(name, Parameter(empty((embed_dim, size), device, dtype)))
            self.register_parameter("in_proj_weight", None)
        self.register_parameter(
            "in_proj_bias", Parameter(empty(3 * embed_dim, device, dtype)) if bias else None
        )
        self.out_proj = NonDynamicallyQuantizableLinear(
            embed_dim, embed_dim, bias=bias, device=device, dtype=dtype
        )
        if add_bias_kv:
            self.bias_k = Parameter(empty((1, 1, embed_dim), device, dtype))
            self.bias_v = Parameter(empty((1, 1, embed_dim), device, dtype))
        else:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def __setstate__(self, state: dict) -> None:
        super().__setstate__({"_qkv_same_embed_dim": True} | state)  # absent in what old versions pickled

    def _reset_parameters(self) -> None:
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            weight = getattr(self, name)
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Attends; masks are True where a key is left out, or are added.

        key_padding_mask: (N, S) or (S). attn_mask: (L, S) or (N heads, L, S). is_causal: says that attn_mask is the
        causal mask.
        """
        padding = additive_mask(key_padding_mask, "key_padding_mask", query.dtype, attn_mask, "attn_mask")
        turned = self.batch_first and query.dim() == 3
        if turned:  # one tensor stays one tensor: it is projected in one product
            q = query.transpose(0, 1)
            k = q if key is query else key.transpose(0, 1)
            v = k if value is key else value.transpose(0, 1)
        else:
            q, k, v = query, key, value
        out, weights = F.multi_head_attention_forward(
            q,
            k,
            v,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=padding,
            need_weights=need_weights,
            attn_mask=additive_mask(attn_mask, "attn_mask", query.dtype),
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return out.transpose(0, 1) if turned else out, weights

    def merge_masks(
        self, attn_mask: Tensor | None, key_padding_mask: Tensor | None, query: Tensor
    ) -> tuple[Tensor | None, int | None]:
        """Both masks as one, and its kind: 1 for key_padding_mask alone, else 2 with shape (N, heads, L, S); (None,
        None) for none.

        query: (N, L, E).
        """
        batch, length, _ = query.shape
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        if attn_mask.dim() == 3:
            merged = attn_mask.view(batch, -1, length, length)
        else:
            merged = attn_mask.view(1, 1, length, length).expand(batch, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            merged = merged + key_padding_mask.view(batch, 1, 1, length).expand(-1, self.num_heads, -1, -1)
        return merged, 2
