"""Autocast: while it is on, the functions of a table take their tensors in lower precision, in float32, or in the widest dtype.

`bind` sends the functions of the table through `apply` here when `STATE.on` says that a thread has it on, or has something else record them
(`LOCAL.instead`); all others do not know of it. What is cast, and how, is PyTorch's table: https://docs.pytorch.org/docs/stable/amp.html#autocast-op-reference
"""

from __future__ import annotations

import threading
from typing import Any

from ..declare.op import OPS
from ..lazy import apply as plain
from ..lazy.tensor import Tensor
from ..words import dtypes
from ..words.dtypes import dtype

__all__ = ["NAMES", "STATE", "apply", "get_dtype", "is_enabled", "set_dtype", "set_enabled"]


class _State:
    """`on`: for how many (thread, kind of device) autocast is enabled, and how many threads have something `instead`."""

    __slots__ = ("on",)

    def __init__(self):
        self.on = 0


STATE = _State()


class _Local(threading.local):
    """`instead`: what records the functions of the table in this thread, if that is not the library's `apply`."""

    def __init__(self):
        self.instead: Any = None
        self.enabled: set[str] = set()
        self.dtypes: dict[str, dtype] = {"cpu": dtypes.bfloat16, "cuda": dtypes.float16}
        self.cache = True
        self.nesting = 0


LOCAL = _Local()


def is_enabled(kind: str) -> bool:
    """Whether autocast is enabled in this thread for this kind of device."""
    return kind in LOCAL.enabled


def set_enabled(kind: str, enabled: bool) -> None:
    """Enables or disables autocast in this thread for this kind of device."""
    if enabled and kind not in LOCAL.enabled:
        LOCAL.enabled.add(kind)
        STATE.on += 1
    elif not enabled and kind in LOCAL.enabled:
        LOCAL.enabled.discard(kind)
        STATE.on -= 1


def get_dtype(kind: str) -> dtype:
    """The lower precision of this kind of device."""
    return LOCAL.dtypes[kind]


def set_dtype(kind: str, to: dtype) -> None:
    """Sets the lower precision of this kind of device."""
    LOCAL.dtypes[kind] = to


def _f(names: str) -> list[str]:
    return [f"nn.functional.{n}" for n in names.split()]


_LOWER = {
    *"matmul mm bmm addmm baddbmm addbmm einsum chain_matmul tensordot inner matrix_power linalg.multi_dot linalg.vecdot".split(),
    *"linalg.matrix_power".split(),
    *_f("linear prelu conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d affine_grid"),
    *_f("scaled_dot_product_attention _dropped_attention _softmax_attention"),
}  # fmt: skip
_CPU_FLOAT = {
    *"prod trace pinverse inverse cholesky quantile nanquantile qr svd geqrf cdist polar cholesky_solve".split(),
    *"cholesky_inverse lu_solve orgqr ormqr triangular_solve linalg.lu_solve _cholesky_ex".split(),
    *"linalg.inv linalg.svd linalg.svdvals linalg.eig linalg.eigvals linalg.eigh linalg.eigvalsh linalg.qr linalg.cholesky".split(),
    *"linalg.cholesky_ex linalg.inv_ex linalg.cond linalg.matrix_rank linalg.solve linalg.lstsq linalg.solve_ex".split(),
    *"linalg.householder_product linalg.tensorinv linalg.tensorsolve".split(),
    *[f"fft.{r}{k}" for r in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft") for k in ("", "2", "n")],
    *_f("avg_pool3d max_pool3d adaptive_avg_pool3d adaptive_max_pool3d _fractional_max_pool max_unpool1d max_unpool2d max_unpool3d"),
    *_f("grid_sample cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits mse_loss l1_loss smooth_l1_loss"),
    *_f("huber_loss kl_div poisson_nll_loss cosine_embedding_loss hinge_embedding_loss margin_ranking_loss soft_margin_loss"),
    *_f("triplet_margin_loss multi_margin_loss multilabel_margin_loss _ctc_loss pad local_response_norm"),
}  # fmt: skip
_CUDA_LOWER = _LOWER | {"mv", "addmv", "addr", *_f("_lstm_cell _state_cell _recur")}
_CUDA_FLOAT = {
    *"acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow prod cumprod cumsum sum norm".split(),
    *"dist cdist renorm logsumexp linalg.vector_norm linalg.matrix_norm div".split(),
    *_f("softplus layer_norm group_norm cosine_similarity poisson_nll_loss cosine_embedding_loss nll_loss cross_entropy kl_div"),
    *_f("hinge_embedding_loss l1_loss smooth_l1_loss huber_loss mse_loss margin_ranking_loss multilabel_margin_loss pdist"),
    *_f("soft_margin_loss triplet_margin_loss multi_margin_loss binary_cross_entropy_with_logits interpolate softmax softmin"),
    *_f("log_softmax normalize"),
}  # fmt: skip
_WIDEST = {"cat", "stack", "index_copy"}
_CUDA_WIDEST = {
    "addcdiv", "addcmul", "atan2", "cross", "dot", "vdot", "index_put", "scatter_add", "linalg.cross",
    "tensordot",
    *_f("bilinear grid_sample"),
}  # fmt: skip


def _table(lower: set[str], floats: set[str], widest: set[str]) -> dict[str, str]:
    return {
        **dict.fromkeys(floats, "float"),
        **dict.fromkeys(lower, "lower"),
        **dict.fromkeys(widest, "widest"),
    }


POLICIES = {
    "cpu": _table(_LOWER, _CPU_FLOAT, _WIDEST),
    "cuda": _table(_CUDA_LOWER, _CUDA_FLOAT, _CUDA_WIDEST),
}
"""Kind of device -> name of an op -> how its tensors are cast."""

NAMES = frozenset(n for table in POLICIES.values() for n in table)

_BANNED = "nn.functional.binary_cross_entropy"
_UNSAFE = (
    "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
    "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
    "In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n"
    "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\nsafe to autocast."
)


def _applies(op, static: tuple, inputs) -> bool:
    """Whether the policy holds for these arguments: PyTorch's table is by kernel, and some ops here are several kernels."""
    if op.name == "nn.functional.pad":
        width, mode = static[0], static[1]
        return mode == "replicate" or (mode == "reflect" and len(width) < 6)
    if op.name == "nn.functional.local_response_norm":
        return inputs[0].ndim > 3
    if op.name in ("nn.functional.softmax", "nn.functional.log_softmax", "sum", "prod", "cumsum", "cumprod"):
        return not any(isinstance(s, dtype) for s in static)  # a dtype that is asked for is left alone
    if op.name == "div":
        return not isinstance(inputs[0], Tensor)  # a number divided by a tensor: PyTorch takes the reciprocal
    return True


def _eligible(x: Any, kind: str) -> bool:
    if not isinstance(x, Tensor):
        return False
    a = x._aval
    return a.dtype.category == 2 and a.dtype is not dtypes.float64 and a.device.type == kind


def _cast(x: Tensor, to: dtype) -> Tensor:
    return x if x._aval.dtype is to else plain.apply(OPS["_cast"], (to,), (x,))


def cast_inputs(op, static: tuple, inputs) -> tuple:
    """The inputs of an op as autocast has them in this thread."""
    for kind in LOCAL.enabled:
        policy = POLICIES[kind].get(op.name)
        if op.name == _BANNED and kind == "cuda" and any(_eligible(x, kind) for x in inputs):
            raise RuntimeError(_UNSAFE)
        if policy is None or not _applies(op, static, inputs):
            continue
        to = LOCAL.dtypes[kind] if policy == "lower" else dtypes.float32
        if policy == "widest":
            given = [x._aval.dtype for x in inputs if _eligible(x, kind)]
            to = dtypes.float32 if dtypes.float32 in given else LOCAL.dtypes[kind]
        inputs = tuple([_cast(x, to) if _eligible(x, kind) else x for x in inputs])
    return inputs


def apply(op, static: tuple, inputs) -> Any:
    """`apply`, with the inputs cast where autocast is on."""
    if LOCAL.enabled:
        inputs = cast_inputs(op, static, inputs)
    return plain.apply(op, static, inputs) if LOCAL.instead is None else LOCAL.instead(op, static, inputs)
