"""Rules of products of matrices, layers and losses."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ..._core.api import UNSET
from .emit import Emit, Pulled, rule, shape_of, val_of
from .shapes import view_or_copy


def _mm(e: Emit, a: Any, b: Any) -> Pulled:
    """A product of two matrices."""

    def pull(g: Any, wanted: Any) -> dict[str, Any]:
        return _of_factors(e, g[0], a, b, "input", "other", wanted)

    return Pulled(e("mm.default", a, b), pull)


def _of_factors(e: Emit, g: Any, a: Any, b: Any, first: str, second: str, wanted: Any) -> dict[str, Any]:
    """The gradients of the factors of a product of matrices. A transposed factor is computed transposed."""
    found = {}
    if first in wanted:
        if _lies_transposed(a):
            found[first] = e("t.default", e("mm.default", b, e("t.default", g)))
        else:
            found[first] = e("mm.default", g, e("t.default", b))
    if second in wanted:
        if _lies_transposed(b):
            found[second] = e("t.default", e("mm.default", e("t.default", g), a))
        else:
            found[second] = e("mm.default", e("t.default", a), g)
    return found


def _lies_transposed(x: Any) -> bool:
    stride, shape = val_of(x).stride(), shape_of(x)
    return stride[0] == 1 and stride[1] == shape[0] and shape[0] > 1


@rule("mm")
def mm(e: Emit, input: Any, mat2: Any) -> Any:
    """A product of two matrices."""
    out, pull = _mm(e, input, mat2)
    return Pulled(out, lambda g, w: _named(pull(g, _named_back(w, "mat2")), "mat2"))


def _named(found: dict[str, Any], other: str) -> dict[str, Any]:
    return {other if k == "other" else k: x for k, x in found.items()}


def _named_back(wanted: Any, other: str) -> set[str]:
    return {"other" if k == other else k for k in wanted}


@rule("matmul")
def matmul(e: Emit, input: Any, other: Any) -> Any:
    """A product of matrices and vectors."""
    a, b = shape_of(input), shape_of(other)
    if len(a) == len(b) == 2:
        return _mm(e, input, other)
    if len(a) == len(b) == 1:
        return e("dot.default", input, other)
    if (len(a), len(b)) == (2, 1):
        return e("mv.default", input, other)
    if len(a) > 2 and len(b) == 2:
        rows = view_or_copy(e, input, [prod(a[:-1]), a[-1]])
        out, of_two = _mm(e, rows, other)

        def pull(g: Any, wanted: Any) -> dict[str, Any]:
            found = of_two([view_or_copy(e, g[0], shape_of(out))], wanted)
            return {k: e("view.default", x, a) if k == "input" else x for k, x in found.items()}

        return Pulled(e("_unsafe_view.default", out, [*a[:-1], b[-1]]), pull)
    if len(a) == len(b) > 2 and a[:-2] == b[:-2]:
        return _batched(e, input, other)
    return None


def _batched(e: Emit, input: Any, other: Any) -> Any:
    """A product of as many matrices."""
    a, b = shape_of(input), shape_of(other)
    n = prod(a[:-2])
    flat = []
    for x, shape in ((input, a), (other, b)):
        grown = e("expand.default", x, shape)
        flat.append(view_or_copy(e, grown, [n, *shape[-2:]]))
    out = e("bmm.default", *flat)

    def pull(g: Any, wanted: Any) -> dict[str, Any]:
        found = {}
        product = view_or_copy(e, g[0], shape_of(out))
        if "other" in wanted:
            found["other"] = e("bmm.default", e("transpose.int", flat[0], 1, 2), product)
        if "input" in wanted:
            found["input"] = e("bmm.default", product, e("transpose.int", flat[1], 1, 2))
        return {k: e("view.default", x, a if k == "input" else b) for k, x in found.items()}

    shape = [*a[:-1], b[-1]]
    return Pulled(e("_unsafe_view.default", out, shape), pull)


@rule("bmm")
def bmm(e: Emit, input: Any, mat2: Any) -> Any:
    """A product of as many matrices."""
    out = e("bmm.default", input, mat2)

    def pull(g: Any, wanted: Any) -> dict[str, Any]:
        found = {}
        if "mat2" in wanted:
            found["mat2"] = e("bmm.default", e("transpose.int", input, 1, 2), g[0])
        if "input" in wanted:
            found["input"] = e("bmm.default", g[0], e("transpose.int", mat2, 1, 2))
        return found

    return Pulled(out, pull)


@rule("addmm")
def addmm(e: Emit, input: Any, mat1: Any, mat2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """A product of matrices and a sum."""
    more = {k: x for k, x in (("beta", beta), ("alpha", alpha)) if x != 1}
    out = e("addmm.default", input, mat1, mat2, **more)
    if more:
        return out

    def pull(g: Any, wanted: Any) -> dict[str, Any]:
        found = _of_factors(e, g[0], mat1, mat2, "mat1", "mat2", wanted)
        if "input" in wanted:
            found["input"] = e.summed(g[0], input)
        return found

    return Pulled(out, pull)


@rule("nn.functional.linear")
def linear(e: Emit, input: Any, weight: Any, bias: Any = None) -> Any:
    """x Wᵀ + b."""
    shape, of_weight = shape_of(input), shape_of(weight)
    if len(shape) < 2 or len(of_weight) != 2:
        return None
    flat = len(shape) > 2
    rows = view_or_copy(e, input, [prod(shape[:-1]), shape[-1]]) if flat else input
    turned = e("t.default", weight)
    if bias is None:
        out, of_product = _mm(e, rows, turned)
        names = {"input": "input", "other": "weight"}
    else:
        out, of_product = addmm(e, bias, rows, turned)
        names = {"mat1": "input", "mat2": "weight", "input": "bias"}
    made = e("_unsafe_view.default" if bias is None else "view.default", out, [*shape[:-1], of_weight[0]]) if flat else out  # fmt: skip

    def pull(g: Any, wanted: Any) -> dict[str, Any]:
        ct = view_or_copy(e, g[0], shape_of(out)) if flat else g[0]
        found = of_product([ct], {inner for inner, name in names.items() if name in wanted})
        found = {names[k]: x for k, x in found.items()}
        if flat and "input" in found:
            found["input"] = e("view.default", found["input"], shape)
        if "weight" in found:
            found["weight"] = e("t.default", found["weight"])
        return found

    return Pulled(made, pull)


# -- softmax, norms


@rule("nn.functional.softmax", "nn.functional.log_softmax")
def softmax(e: Emit, input: Any, dim: Any, _stacklevel: Any = 3, dtype: Any = None) -> Any:
    """The softmax, or its logarithm."""
    if dtype is not None or dim is None:
        return None
    name = f"_{e.name}"
    out = e(f"{name}.default", input, dim, False)
    kind = val_of(input).dtype
    return Pulled(out, lambda g, wanted: {"input": e(f"{name}_backward_data.default", g[0], out, dim, kind)})


@rule("nn.functional.layer_norm")
def layer_norm(e: Emit, input: Any, normalized_shape: Sequence[int], weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:  # fmt: skip
    """The norm over the last axes."""
    out, mean, rstd = e.parts(e("native_layer_norm.default", input, normalized_shape, weight, bias, eps))

    def pull(g: Any, wanted: Any) -> dict[str, Any]:
        names = ("input", "weight", "bias")
        mask = [n in wanted for n in names]
        made = e("native_layer_norm_backward.default", g[0], input, normalized_shape, mean, rstd, weight, bias, mask)  # fmt: skip
        return dict(zip(names, e.parts(made)))

    return Pulled(out, pull)


@rule("nn.functional.group_norm")
def group_norm(e: Emit, input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:  # fmt: skip
    """The norm over groups of channels."""
    n, c, *rest = shape_of(input)
    return e.parts(e("native_group_norm.default", input, weight, bias, n, c, prod(rest), num_groups, eps))[0]


@rule("nn.functional._batch_norm_eval")
def batch_norm_eval(e: Emit, input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, eps: Any = 1e-5) -> Any:  # fmt: skip
    """The norm by running statistics."""
    return e.parts(e("native_batch_norm.default", input, weight, bias, running_mean, running_var, False, 0.1, eps))[0]  # fmt: skip


# -- convolutions, pools


def _many(x: Any, n: int) -> list[int]:
    found = list(x) if isinstance(x, tuple | list) else [x]
    return found * n if len(found) == 1 else found


@rule("nn.functional.conv1d", "nn.functional.conv2d", "nn.functional.conv3d")
def conv(e: Emit, input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Any:  # fmt: skip
    """A convolution."""
    n = len(shape_of(weight)) - 2
    if isinstance(padding, str) or len(shape_of(input)) != n + 2:
        return None
    how = (_many(stride, n), _many(padding, n), _many(dilation, n), False, [0] * n, groups)
    out = e("convolution.default", input, weight, bias, *how)

    def pull(g: Any, wanted: Any) -> dict[str, Any]:
        names = ("input", "weight", "bias")
        sizes = None if bias is None else list(shape_of(bias))
        mask = [n in wanted for n in names]
        return dict(zip(names, e.parts(e("convolution_backward.default", g[0], input, weight, sizes, *how, mask))))  # fmt: skip

    return Pulled(out, pull)


@rule("nn.functional.max_pool2d")
def max_pool2d(e: Emit, input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:  # fmt: skip
    """The largest of each window."""
    given = [_many(kernel_size, 2), [] if stride in (None, UNSET) else _many(stride, 2), _many(padding, 2), _many(dilation, 2), ceil_mode]  # fmt: skip
    usual: list[Any] = [None, [], [0, 0], [1, 1], False]
    count = max(k for k in range(5) if given[k] != usual[k]) + 1
    out, at = e.parts(e("max_pool2d_with_indices.default", input, *given[:count]))
    if return_indices:
        return out, at

    def pull(g: Any, wanted: Any) -> dict[str, Any]:
        return {"input": e("max_pool2d_with_indices_backward.default", g[0], input, *given, at)}  # fmt: skip

    return Pulled(out, pull)


@rule("nn.functional.adaptive_avg_pool2d")
def adaptive_avg_pool2d(e: Emit, input: Any, output_size: Any) -> Any:
    """The mean of each image."""
    if _many(output_size, 2) != [1, 1]:
        return None
    out = e("mean.dim", input, [-1, -2], True)
    count = prod(shape_of(input)[-2:])
    return Pulled(
        out,
        lambda g, w: {"input": e("div.Scalar", e("expand.default", g[0], shape_of(input)), count)},
    )


@rule("nn.functional.pad")
def pad(e: Emit, input: Any, pad: Any, mode: str = "constant", value: Any = None) -> Any:
    """Numbers around a tensor."""
    if mode != "constant":
        return None
    out = e("constant_pad_nd.default", input, pad, 0.0 if value is None else value)
    back = [-p for p in pad]
    return Pulled(out, lambda g, wanted: {"input": e("constant_pad_nd.default", g[0], back)})


@rule("nn.functional.embedding")
def embedding(e: Emit, input: Any, weight: Any, padding_idx: Any = None, max_norm: Any = None, norm_type: Any = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Any:  # fmt: skip
    """The rows of a table."""
    if max_norm is not None or scale_grad_by_freq or sparse:
        return None
    at = -1 if padding_idx is None else padding_idx % shape_of(weight)[0]
    out = e("embedding.default", weight, input, *([at] if at != -1 else []))
    rows = shape_of(weight)[0]
    return Pulled(
        out, lambda g, w: {"weight": e("embedding_dense_backward.default", g[0], input, rows, at, False)}
    )


# -- losses

_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


@rule("nn.functional.mse_loss")
def mse_loss(e: Emit, input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean", weight: Any = None) -> Any:  # fmt: skip
    """Squares of differences."""
    if weight is not None or size_average is not None or reduce is not None or shape_of(input) != shape_of(target):  # fmt: skip
        return None
    how = _REDUCTIONS[reduction]
    out = e("mse_loss.default", input, target, *([how] if how != 1 else []))

    def pull(g: Any, wanted: Any) -> dict[str, Any]:
        found = {}
        if "input" in wanted:
            found["input"] = e("mse_loss_backward.default", g[0], input, target, how)
        if "target" in wanted:
            found["target"] = e("mse_loss_backward.default", g[0], target, input, how)
        return found

    return Pulled(out, pull)


@rule("nn.functional.cross_entropy")
def cross_entropy(e: Emit, input: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: int = -100, reduce: Any = None, reduction: str = "mean", label_smoothing: Any = 0.0) -> Any:  # fmt: skip
    """The loss of classes, of their logarithms' softmax."""
    if label_smoothing != 0 or val_of(target).dtype.is_floating_point:
        return None
    if len(shape_of(input)) != 2 or size_average is not None or reduce is not None:
        return None
    logs = e("_log_softmax.default", input, 1, False)
    out, of_logs = _nll(e, logs, target, weight, ignore_index, reduction)
    kind = val_of(input).dtype

    def pull(g: Any, wanted: Any) -> dict[str, Any]:
        if "input" not in wanted:
            return {}
        ct = of_logs(g, wanted)["input"]
        return {"input": e("_log_softmax_backward_data.default", ct, logs, 1, kind)}

    return Pulled(out, pull)


@rule("nn.functional.nll_loss")
def nll_loss(e: Emit, input: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: int = -100, reduce: Any = None, reduction: str = "mean") -> Any:  # fmt: skip
    """The loss of classes, of their logarithms."""
    if len(shape_of(input)) != 2 or size_average is not None or reduce is not None:
        return None
    return _nll(e, input, target, weight, ignore_index, reduction)


def _nll(e: Emit, logs: Any, target: Any, weight: Any, ignore_index: int, reduction: str) -> Pulled:
    how = _REDUCTIONS[reduction]
    out, total = e.parts(e("nll_loss_forward.default", logs, target, weight, how, ignore_index))

    def pull(g: Any, wanted: Any) -> dict[str, Any]:
        return {"input": e("nll_loss_backward.default", g[0], logs, target, weight, how, ignore_index, total)}

    return Pulled(out, pull)


# -- what is one op here


@rule("nn.functional.scaled_dot_product_attention")
def attention(e: Emit, query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: Any = 0.0, is_causal: bool = False, scale: Any = None, enable_gqa: bool = False) -> Any:  # fmt: skip
    """Attention."""
    if dropout_p != 0:
        return None
    given = [attn_mask, 0.0, is_causal] if is_causal else [attn_mask] if attn_mask is not None else []
    more = {"scale": scale} if scale is not None else {}
    if enable_gqa:
        more["enable_gqa"] = True
    return e("scaled_dot_product_attention.default", query, key, value, *given, **more)


@rule("einsum")
def einsum(e: Emit, equation: str, operands: Sequence[Any]) -> Any:
    """A sum of products."""
    return e("einsum.default", equation, operands)
