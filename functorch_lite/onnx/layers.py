"""Layers: products of matrices, convolutions, pooling, normalisation, attention."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from .._core.api import bool_, int64
from .builder import Builder, Value, rule
from .errors import UnsupportedOperatorError
from .reductions import reduced
from .sizes import Size, product

# -- products


@rule("linear")
def linear(b: Builder, input: Any, weight: Any, bias: Any = None) -> Value:
    if input.ndim == 2:
        out = b("Gemm", input, weight, bias, transB=1)
        b.linear[out.name] = (input, weight, bias)
        return out
    out = b("MatMul", input, b.transpose(weight, [1, 0]) if weight.ndim == 2 else weight)
    out = b("Add", out, bias) if bias is not None else out
    b.linear[out.name] = (input, weight, bias)
    return out


@rule("mm", "bmm", "matmul", "mv", "dot")
def matmul(b: Builder, self: Any, mat2: Any) -> Value:
    return b("MatMul", self, mat2)


@rule("addmm", "baddbmm")
def addmm(b: Builder, self: Any, mat1: Any, mat2: Any, beta: Any = 1, alpha: Any = 1) -> Value:
    if b.op == "addmm":
        return b("Gemm", mat1, mat2, self, alpha=float(alpha), beta=float(beta))
    out = b("MatMul", mat1, mat2)
    out = b("Mul", out, b.cast(alpha, b.dtype)) if alpha != 1 else out
    return b("Add", out, b("Mul", self, b.cast(beta, b.dtype)) if beta != 1 else self)


@rule("einsum")
def einsum(b: Builder, equation: str, *tensors: Any) -> Value:
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], list | tuple) else tensors
    return b("Einsum", *given, equation=equation)


@rule("outer")
def outer(b: Builder, self: Any, vec2: Any) -> Value:
    return b("Mul", b.unsqueeze(self, [1]), b.unsqueeze(vec2, [0]))


@rule("bilinear")
def bilinear(b: Builder, input1: Any, input2: Any, weight: Any, bias: Any = None) -> Value:
    out = b("Einsum", input1, weight, input2, equation="...i,oij,...j->...o")
    return b("Add", out, bias) if bias is not None else out


# -- convolutions


def _list(x: Any, n: int) -> list[int]:
    return [int(x)] * n if isinstance(x, int) else [int(k) for k in x] * (n if len(x) == 1 else 1)


@rule("conv1d", "conv2d", "conv3d")
def conv(
    b: Builder,
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Value:
    n = weight.ndim - 2
    alone = input.ndim == n + 1
    x = b.unsqueeze(input, [0]) if alone else input
    dilation = _list(dilation, n)
    if isinstance(padding, str):
        whole = [d * (k - 1) if padding == "same" else 0 for d, k in zip(dilation, weight.shape[2:])]
        pads = [p // 2 for p in whole] + [p - p // 2 for p in whole]
    else:
        pads = _list(padding, n) * 2
    kernel = list(weight.shape[2:])
    out = b(
        "Conv",
        x,
        weight,
        bias,
        strides=_list(stride, n),
        pads=pads,
        dilations=dilation,
        group=groups,
        kernel_shape=kernel,
        shape=(1, *b.shape) if alone else b.shape,
    )
    return b.squeeze(out, [0]) if alone else out


@rule("conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
def conv_transpose(
    b: Builder,
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Value:
    n = weight.ndim - 2
    if input.ndim == n + 1:
        raise UnsupportedOperatorError("a transposed convolution of one sample without a batch")
    return b(
        "ConvTranspose",
        input,
        weight,
        bias,
        strides=_list(stride, n),
        pads=_list(padding, n) * 2,
        output_padding=_list(output_padding, n),
        group=groups,
        dilations=_list(dilation, n),
        kernel_shape=list(weight.shape[2:]),
    )


# -- pooling


@rule("max_pool1d", "max_pool2d", "max_pool3d")
def max_pool(
    b: Builder,
    self: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Value:
    n = int(b.op[-2])
    if return_indices or self.ndim != n + 2:
        raise UnsupportedOperatorError("pooling that gives indices, or of one sample without a batch")
    kernel = _list(kernel_size, n)
    return b(
        "MaxPool",
        self,
        kernel_shape=kernel,
        strides=_list(stride, n) if stride else kernel,
        pads=_list(padding, n) * 2,
        dilations=_list(dilation, n),
        ceil_mode=int(ceil_mode),
    )


@rule("avg_pool1d", "avg_pool2d", "avg_pool3d")
def avg_pool(
    b: Builder,
    self: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Any = None,
) -> Value:
    n = int(b.op[-2])
    if divisor_override is not None or self.ndim != n + 2:
        raise UnsupportedOperatorError("divisor_override, or one sample without a batch")
    kernel = _list(kernel_size, n)
    return b(
        "AveragePool",
        self,
        kernel_shape=kernel,
        strides=_list(stride, n) if stride else kernel,
        pads=_list(padding, n) * 2,
        ceil_mode=int(ceil_mode),
        count_include_pad=int(count_include_pad),
    )


@rule(
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
)
def adaptive_pool(b: Builder, self: Any, output_size: Any, *rest: Any) -> Value:
    n, kind = int(b.op[-2]), "Average" if "avg" in b.op else "Max"
    sizes, wanted = self.shape[-n:], b.shape[-n:]
    if all(k == 1 for k in wanted):
        return reduced(b, "ReduceMean" if kind == "Average" else "ReduceMax", self, list(range(-n, 0)), True)
    if any(isinstance(s, Size) for s in sizes) or (
        kind == "Max" and any(s % k for s, k in zip(sizes, wanted))
    ):
        raise UnsupportedOperatorError(f"windows of several sizes: {tuple(sizes)} to {tuple(wanted)}")
    if any(
        s % k for s, k in zip(sizes, wanted)
    ):  # means along one dim after the other, each a product with a matrix
        for d, (s, k) in enumerate(zip(sizes, wanted)):
            last = [*range(self.ndim - n + d), *range(self.ndim - n + d + 1, self.ndim), self.ndim - n + d]
            back = [last.index(p) for p in range(self.ndim)]
            moved = b.transpose(self, last)
            means = b("MatMul", moved, b.constant(_windows(s, k), self.dtype), shape=(*moved.shape[:-1], k))
            self = b.transpose(means, back)
        return self
    kernel = [s // k for s, k in zip(sizes, wanted)]
    return b(f"{kind}Pool", self, kernel_shape=kernel, strides=kernel)


def _windows(size: int, count: int) -> np.ndarray:
    """The matrix whose columns take the means of the windows that PyTorch divides a dim into."""
    found = np.zeros((size, count))
    for k in range(count):
        start, end = k * size // count, -(-(k + 1) * size // count)
        found[start:end, k] = 1 / (end - start)
    return found


# -- normalisation


def _affine(b: Builder, out: Value, weight: Any, bias: Any, shape: Sequence[int] | None = None) -> Value:
    if weight is not None:
        out = b("Mul", out, b.reshape(weight, shape) if shape else weight, shape=out.shape)
    return (
        b("Add", out, b.reshape(bias, shape) if shape else bias, shape=out.shape) if bias is not None else out
    )


@rule(
    "native_batch_norm",
    "batch_norm",
    "_native_batch_norm_legit",
    "_native_batch_norm_legit_no_training",
    "cudnn_batch_norm",
)
def batch_norm(
    b: Builder,
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool = False,
    momentum: Any = 0.1,
    eps: Any = 1e-5,
    *rest: Any,
) -> Any:
    if training or running_mean is None:
        dims = [d for d in range(input.ndim) if d != 1]
        mean = reduced(b, "ReduceMean", input, dims, True)
        off = b("Sub", input, mean, shape=input.shape)
        std = b(
            "Sqrt",
            b(
                "Add",
                reduced(b, "ReduceMean", b("Mul", off, off), dims, True),
                b.cast(float(eps), input.dtype),
            ),
        )
        shape = (input.shape[1], *[1] * (input.ndim - 2))
        return [_affine(b, b("Div", off, std), weight, bias, shape)]
    c = running_mean.shape
    weight = weight if weight is not None else b.constant(np.ones(c), input.dtype)
    bias = bias if bias is not None else b.constant(np.zeros(c), input.dtype)
    return [b("BatchNormalization", input, weight, bias, running_mean, running_var, epsilon=float(eps))]


@rule("_batch_norm_train")
def batch_norm_train(
    b: Builder,
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    momentum: Any = 0.1,
    eps: Any = 1e-5,
    **static: Any,
) -> Any:
    return batch_norm(b, input, weight, bias, running_mean, running_var, True, momentum, eps)


@rule("layer_norm")
def layer_norm(
    b: Builder,
    input: Any,
    normalized_shape: Sequence[int],
    weight: Any = None,
    bias: Any = None,
    eps: Any = 1e-5,
    *rest: Any,
) -> Value:
    weight = weight if weight is not None else b.constant(np.ones(tuple(normalized_shape)), input.dtype)
    return b("LayerNormalization", input, weight, bias, axis=-len(normalized_shape), epsilon=float(eps))


@rule("rms_norm")
def rms_norm(
    b: Builder, input: Any, normalized_shape: Sequence[int], weight: Any = None, eps: Any = None
) -> Value:
    squares = reduced(b, "ReduceMean", b("Mul", input, input), list(range(-len(normalized_shape), 0)), True)
    eps = float(np.finfo(input.dtype.np).eps) if eps is None else float(eps)
    return _affine(b, b("Div", input, b("Sqrt", b("Add", squares, b.cast(eps, input.dtype)))), weight, None)


@rule("group_norm", "instance_norm")
def group_norm(
    b: Builder,
    input: Any,
    groups: Any = None,
    weight: Any = None,
    bias: Any = None,
    eps: Any = 1e-5,
    *rest: Any,
    **kwargs: Any,
) -> Value:
    if b.op == "instance_norm":
        raise UnsupportedOperatorError("use GroupNorm with a group for each channel")
    n, c = input.shape[:2]
    of_group = product(input.shape[1:]) * Fraction(1, groups)
    x = b.reshape(input, (n, groups, of_group))
    out = b(
        "InstanceNormalization",
        x,
        b.constant(np.ones(groups), input.dtype),
        b.constant(np.zeros(groups), input.dtype),
        epsilon=float(eps),
    )
    return _affine(b, b.reshape(out, input.shape), weight, bias, (c, *[1] * (input.ndim - 2)))


@rule("normalize")
def normalize(b: Builder, input: Any, p: Any = 2.0, dim: Any = 1, eps: Any = 1e-12, **static: Any) -> Value:
    if p not in (1, 2):
        raise UnsupportedOperatorError(f"a norm of order {p}")
    length = b("Max", reduced(b, f"ReduceL{int(p)}", input, dim, True), b.cast(float(eps), input.dtype))
    return b("Div", input, length)


@rule("cosine_similarity")
def cosine_similarity(b: Builder, x1: Any, x2: Any, dim: int = 1, eps: Any = 1e-8) -> Value:
    lengths = [b("Max", reduced(b, "ReduceL2", x, dim), b.cast(float(eps), b.dtype)) for x in (x1, x2)]
    return b("Div", reduced(b, "ReduceSum", b("Mul", x1, x2, shape=x1.shape), dim), b("Mul", *lengths))


# -- attention


@rule("scaled_dot_product_attention")
def attention(
    b: Builder,
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: Any = 0.0,
    is_causal: bool = False,
    scale: Any = None,
    enable_gqa: bool = False,
) -> Value:
    if dropout_p:
        raise UnsupportedOperatorError(
            "the module draws random numbers, which ONNX cannot export; call module.eval() first"
        )
    if enable_gqa and key.shape[-3] != query.shape[-3]:
        times = query.shape[-3] // key.shape[-3]
        key, value = _repeated(b, key, times), _repeated(b, value, times)
    n = query.ndim
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    length, keys = query.shape[-2], key.shape[-2]
    scores = b(
        "MatMul",
        b("Mul", query, b.cast(scale, b.dtype)),
        b.transpose(key, [*range(n - 2), n - 1, n - 2]),
        shape=(*b.shape[:-1], keys),
    )
    if is_causal:
        ones = b.expand(b.constant(1, int64), (length, keys))
        attn_mask = b.cast(b("Trilu", ones, upper=0), bool_)
    if attn_mask is not None:
        if attn_mask.dtype is bool_:
            attn_mask = b("Where", attn_mask, b.cast(0, b.dtype), b.cast(-math.inf, b.dtype), dtype=b.dtype)
        scores = b("Add", scores, b.cast(attn_mask, b.dtype))
    return b("MatMul", b("Softmax", scores, axis=-1), value)


def _repeated(b: Builder, x: Value, times: int) -> Value:
    assert x.shape is not None
    d = x.ndim - 3
    wide = (*x.shape[: d + 1], times, *x.shape[d + 1 :])
    return b.reshape(
        b.expand(b.unsqueeze(x, [d + 1]), wide), (*x.shape[:d], x.shape[d] * times, *x.shape[d + 1 :])
    )


# -- losses


@rule("cross_entropy_loss", "nll_loss")
def cross_entropy(
    b: Builder,
    self: Any,
    target: Any,
    weight: Any = None,
    reduction: int = 1,
    ignore_index: int = -100,
    label_smoothing: Any = 0.0,
) -> Value:
    if target.dtype.is_floating_point or label_smoothing:
        raise UnsupportedOperatorError("targets that are probabilities")
    how = {0: "none", 1: "mean", 2: "sum"}[reduction]
    op = "SoftmaxCrossEntropyLoss" if b.op == "cross_entropy_loss" else "NegativeLogLikelihoodLoss"
    return b(op, self, target, weight, reduction=how, ignore_index=ignore_index)


@rule("mse_loss", "l1_loss")
def mse_loss(b: Builder, self: Any, target: Any, reduction: Any = 1, **kwargs: Any) -> Value:
    off = b("Sub", self, target, shape=self.shape)
    loss = b("Mul", off, off) if b.op == "mse_loss" else b("Abs", off)
    how = kwargs.get("reduction", reduction)
    return (
        loss
        if how in (0, "none")
        else reduced(b, "ReduceMean" if how in (1, "mean") else "ReduceSum", loss, None)
    )
