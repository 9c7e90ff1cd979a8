"""Transformer: encoder, decoder and their layers (Vaswani et al. 2017, arXiv:1706.03762)."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable
from typing import Any

import functorch_lite.nn.functional as F
from functorch_lite._core.api import Tensor, is_enabled
from functorch_lite._core.api import functions as torch
from functorch_lite.autograd.grad_mode import is_grad_enabled
from functorch_lite.nn import init
from functorch_lite.nn.functional.multi_head_attention import additive_mask

from .activation import GELU, ReLU
from .attention import MultiheadAttention
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]


def _subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
    return torch.triu(torch.full((sz, sz), -math.inf, dtype=dtype, device=device), diagonal=1)


def _activation(name: str | Callable) -> Callable:
    if not isinstance(name, str):
        return name
    if name not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {name}")
    return F.relu if name == "relu" else F.gelu


def _add_in_dtype(a: Tensor, b: Tensor) -> Tensor:
    """a + b in the dtype of a, as a.add_(b) has it."""
    return (a + b).to(a.dtype)


def _needs_gradient(layer: Module, src: Tensor) -> bool:
    return is_grad_enabled() and (src.requires_grad or any(p.requires_grad for p in layer.parameters()))


def _clones(module: Module, count: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(count)])


class TransformerEncoderLayer(Module):
    """Self-attention and a feed-forward network, each with dropout, a residual connection and a LayerNorm.

    Args:
        d_model: the number of features E.
        nhead: the number of heads; it divides `d_model`.
        dim_feedforward: the number of hidden features of the feed-forward network. Default: 2048.
        dropout: the probability of dropout. Default: 0.1.
        activation: "relu", "gelu" or a function. By default ReLU.
        layer_norm_eps: the `eps` of the LayerNorms. Default: 1e-05.
        batch_first: whether the batch is the first dim. By default it is the second.
        norm_first: whether the norms come before attention and feed-forward. By default they come
            after the residual sums.
        bias: whether the Linear and LayerNorm layers have biases. Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    Shape: src (S, N, E), or (N, S, E) with `batch_first`, or (S, E), kept.

    >>> TransformerEncoderLayer(8, 2, 16)(torch.randn(5, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    __constants__ = ["norm_first"]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        where = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **where
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **where)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **where)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _activation(activation)
        is_relu = self.activation is F.relu or isinstance(self.activation, ReLU)
        is_gelu = self.activation is F.gelu or isinstance(self.activation, GELU)
        self.activation_relu_or_gelu = 1 if is_relu else 2 if is_gelu else 0

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        if not hasattr(self, "activation"):  # absent in what old versions pickled
            self.activation = F.relu

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Encodes; for the masks see MultiheadAttention."""
        padding = additive_mask(src_key_padding_mask, "src_key_padding_mask", src.dtype, src_mask, "src_mask")
        mask = additive_mask(src_mask, "src_mask", src.dtype)
        x = src
        add = _add_in_dtype if is_enabled("cpu") and self._is_one_function(src) else torch.add
        if self.norm_first:
            x = add(self._sa_block(self.norm1(x), mask, padding, is_causal), x)
            return add(self._ff_block(self.norm2(x)), x)
        x = self.norm1(add(self._sa_block(x, mask, padding, is_causal), x))
        return self.norm2(add(self._ff_block(x), x))

    def _is_one_function(self, src: Tensor) -> bool:
        """Returns whether torch computes this layer as one function, in which sums are made in place."""
        if self.training or src.dim() != 3 or is_enabled("cuda") or _why_not_one_function(self):
            return False
        if any(m._forward_hooks or m._forward_pre_hooks for m in self.modules()):
            return False
        return not _needs_gradient(self, src)

    def _sa_block(
        self, x: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None, is_causal: bool = False
    ) -> Tensor:
        out, _ = self.self_attn(
            x,
            x,
            x,
            attn_mask=attn_mask,
            key_padding_mask=key_padding_mask,
            need_weights=False,
            is_causal=is_causal,
        )
        return self.dropout1(out)

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoderLayer(Module):
    """Self-attention, attention to the encoder's memory, and a feed-forward network; see TransformerEncoderLayer.

    Args:
        d_model: the number of features E.
        nhead: the number of heads; it divides `d_model`.
        dim_feedforward: the number of hidden features of the feed-forward network. Default: 2048.
        dropout: the probability of dropout. Default: 0.1.
        activation: "relu", "gelu" or a function. By default ReLU.
        layer_norm_eps: the `eps` of the LayerNorms. Default: 1e-05.
        batch_first: whether the batch is the first dim. By default it is the second.
        norm_first: whether the norms come before attention and feed-forward. By default they come
            after the residual sums.
        bias: whether the Linear and LayerNorm layers have biases. Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    Shape: tgt (T, N, E) and memory (S, N, E), or N first with `batch_first`, or both without N; like tgt.

    >>> TransformerDecoderLayer(8, 2, 16)(torch.randn(4, 3, 8), torch.randn(5, 3, 8)).shape
    torch.Size([4, 3, 8])
    """

    __constants__ = ["norm_first"]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        where = {"device": device, "dtype": dtype}
        attention = {"dropout": dropout, "batch_first": batch_first, "bias": bias, **where}
        self.self_attn = MultiheadAttention(d_model, nhead, **attention)
        self.multihead_attn = MultiheadAttention(d_model, nhead, **attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **where)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **where)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
        self.norm3 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = _activation(activation)

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        if not hasattr(self, "activation"):  # absent in what old versions pickled
            self.activation = F.relu

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Decodes; for the masks see MultiheadAttention."""
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        others = (memory_mask, memory_key_padding_mask, memory_is_causal)
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *own)
            x = x + self._mha_block(self.norm2(x), memory, *others)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *own))
        x = self.norm2(x + self._mha_block(x, memory, *others))
        return self.norm3(x + self._ff_block(x))

    def _attend(self, attention, x, mem, attn_mask, key_padding_mask, is_causal):
        return attention(
            x,
            mem,
            mem,
            attn_mask=attn_mask,
            key_padding_mask=key_padding_mask,
            is_causal=is_causal,
            need_weights=False,
        )[0]

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal: bool = False) -> Tensor:
        return self.dropout1(self._attend(self.self_attn, x, x, attn_mask, key_padding_mask, is_causal))

    def _mha_block(self, x, mem, attn_mask, key_padding_mask, is_causal: bool = False) -> Tensor:
        return self.dropout2(
            self._attend(self.multihead_attn, x, mem, attn_mask, key_padding_mask, is_causal)
        )

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoder(Module):
    """A stack of num_layers copies of an encoder layer, and a norm if given.

    `enable_nested_tensor` and `mask_check` are torch's names for a faster way in evaluation. Here they decide one thing
    that it changes, as in torch: in evaluation without gradients, what the stack gives at padding is zero when all
    padding is at the end.

    Args:
        encoder_layer: the layer that is copied.
        num_layers: the number of copies.
        norm: a module applied to the result. None (the default) applies none.
        enable_nested_tensor, mask_check: whether, in evaluation without gradients, the output at
            padding is zero when all padding is at the end, as in PyTorch. Default: True.

    >>> TransformerEncoder(TransformerEncoderLayer(8, 2, 16), 2)(torch.randn(5, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    __constants__ = ["norm"]

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        why_not = _why_not_nested(encoder_layer)
        self.use_nested_tensor = enable_nested_tensor and not why_not
        if enable_nested_tensor and why_not:
            warnings.warn(
                f"enable_nested_tensor is True, but self.use_nested_tensor is False because {why_not}",
                stacklevel=2,
            )

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """Encodes; for the masks see MultiheadAttention. `is_causal` says that mask is the causal mask."""
        padding = additive_mask(src_key_padding_mask, "src_key_padding_mask", src.dtype, mask, "mask")
        mask = additive_mask(mask, "mask", src.dtype)
        x = src
        _ = self.layers[0]  # none at all: IndexError
        for layer in self.layers:
            x = layer(x, src_mask=mask, is_causal=is_causal is True, src_key_padding_mask=padding)
        if padding is not None and mask is None and self._drops_padding(src):
            left_out = padding == -math.inf
            if self.mask_check:  # only when the padding is at the end of every sequence
                left_out = left_out & (left_out[:, 1:] >= left_out[:, :-1]).all()
            x = x.masked_fill(left_out.unsqueeze(-1), 0.0)
        return x if self.norm is None else self.norm(x)

    def _drops_padding(self, src: Tensor) -> bool:
        """Returns whether torch computes on nested tensors here, which do not have the padding."""
        first = self.layers[0]
        if not self.use_nested_tensor or first.training or src.dim() != 3:
            return False
        return not _needs_gradient(first, src)


def _why_not_nested(layer: Any) -> str:
    """Returns the reason why torch does not use nested tensors for a stack of this layer; "" when it does."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    return "encoder_layer.norm_first was True" if layer.norm_first else _why_not_one_function(layer)


def _why_not_one_function(layer: TransformerEncoderLayer) -> str:
    """Returns the reason why torch would not compute a layer as one function; "" if there is none."""
    name, attention = "encoder_layer", layer.self_attn
    reasons = {
        f"{name}.self_attn.batch_first was not True(use batch_first for better inference performance)": not attention.batch_first,
        f"{name}.self_attn._qkv_same_embed_dim was not True": not attention._qkv_same_embed_dim,
        f"{name}.self_attn was passed bias=False": attention.in_proj_bias is None,
        f"{name}.activation_relu_or_gelu was not True": not layer.activation_relu_or_gelu,
        f"{name}.norm1.eps was not equal to {name}.norm2.eps": layer.norm1.eps != layer.norm2.eps,
        f"{name}.self_attn.num_heads is odd": attention.num_heads % 2 == 1,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


class TransformerDecoder(Module):
    """A stack of num_layers copies of a decoder layer, and a norm if given.

    Args:
        decoder_layer: the layer that is copied.
        num_layers: the number of copies.
        norm: a module applied to the result. None (the default) applies none.

    >>> layer = TransformerDecoderLayer(8, 2, 16)
    >>> TransformerDecoder(layer, 2)(torch.randn(4, 3, 8), torch.randn(5, 3, 8)).shape
    torch.Size([4, 3, 8])
    """

    __constants__ = ["norm"]

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Decodes; for the masks see MultiheadAttention."""
        x = tgt
        _ = self.layers[0]  # none at all: IndexError
        for layer in self.layers:
            x = layer(
                x,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=tgt_is_causal is True,
                memory_is_causal=memory_is_causal,
            )
        return x if self.norm is None else self.norm(x)


class Transformer(Module):
    """Encoder and decoder; the options are passed on to the layers.

    Args:
        d_model: the number of features E. Default: 512.
        nhead: the number of heads; it divides `d_model`. Default: 8.
        num_encoder_layers: the number of layers of the encoder. Default: 6.
        num_decoder_layers: the number of layers of the decoder. Default: 6.
        dim_feedforward: the number of hidden features of the feed-forward network. Default: 2048.
        dropout: the probability of dropout. Default: 0.1.
        activation: "relu", "gelu" or a function. By default ReLU.
        custom_encoder: a module to use as the encoder. None (the default) builds one.
        custom_decoder: a module to use as the decoder. None (the default) builds one.
        layer_norm_eps: the `eps` of the LayerNorms. Default: 1e-05.
        batch_first: whether the batch is the first dim. By default it is the second.
        norm_first: whether the norms come before attention and feed-forward. By default they come
            after the residual sums.
        bias: whether the Linear and LayerNorm layers have biases. Default: True.
        device, dtype: where and in which dtype parameters are created. None (the default) means
            the default device and dtype.

    Shape: src (S, N, E) and tgt (T, N, E), or N first with `batch_first`, or both without N; like tgt.

    >>> model = Transformer(8, 2, 1, 1, 16)
    >>> model(torch.randn(5, 3, 8), torch.randn(4, 3, 8)).shape
    torch.Size([4, 3, 8])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        custom_encoder: Any | None = None,
        custom_decoder: Any | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        where = {"device": device, "dtype": dtype}
        options = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias,
        )  # fmt: skip
        if custom_encoder is None:
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
            self.encoder = TransformerEncoder(
                TransformerEncoderLayer(*options, **where), num_encoder_layers, norm
            )
        else:
            self.encoder = custom_encoder
        if custom_decoder is None:
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where)
            self.decoder = TransformerDecoder(
                TransformerDecoderLayer(*options, **where), num_decoder_layers, norm
            )
        else:
            self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def _reset_parameters(self) -> None:
        for p in self.parameters():
            if p.dim() > 1:
                init.xavier_uniform_(p)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Decodes tgt with the encoded src in view; for the masks see MultiheadAttention."""
        batch = 0 if self.batch_first else 1
        if src.size(batch) != tgt.size(batch) and src.dim() == 3:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """The causal mask (sz, sz): 0 at and below the diagonal, -inf above it.

        >>> nn.Transformer.generate_square_subsequent_mask(2).tolist()
        [[0.0, -inf], [0.0, 0.0]]
        """
        return _subsequent_mask(sz, device, dtype)
