"""Real torch: which of its functions corresponds to an op, and the facts that it gives for a sample. Needs torch."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from tests.arguments import fill, flat, placeholders, wants_grad
from tests.compare import Recorded, direction
from tests.facts import Facts
from tests.samples.base import Sample, T

torch.set_num_threads(1)


def _index(input, indices, dims):
    return input[_at_dims(input, indices, dims)]


def _index_put(input, indices, values, accumulate=False, dims=None):
    full: list = [None] * (max(dims) + 1 if dims else len(indices))
    for d, index in zip(dims or range(len(indices)), indices):
        full[d] = index
    return torch.ops.aten.index_put(input, full, values, accumulate)


def _at_dims(input, indices, dims):
    full: list = [slice(None)] * input.ndim
    for d, index in zip(dims, indices):
        full[d] = index
    return tuple(full)


def _batch_norm(training: bool, instance: bool = False) -> Callable:
    def run(input, weight, bias, running_mean, running_var, momentum=0.1, eps=1e-5):
        mean = None if running_mean is None else running_mean.clone()
        var = None if running_var is None else running_var.clone()
        if instance:
            out = F.instance_norm(input, mean, var, weight, bias, True, momentum, eps)
        else:
            out = F.batch_norm(input, mean, var, weight, bias, training, momentum, eps)
        return out if mean is None else (out, mean, var)

    return run


def _batch_norm_eval(input, weight, bias, running_mean, running_var, eps=1e-5):
    return F.batch_norm(input, running_mean, running_var, weight, bias, False, 0.1, eps)


def _state_cell(input, h, *weights, mode="GRU"):
    name = {"GRU": "gru_cell", "RNN_TANH": "rnn_tanh_cell", "RNN_RELU": "rnn_relu_cell"}[mode]
    return getattr(torch, name)(input, h, *weights)


def _embedding_bag(
    input, weight, offsets, weights=None, mode="mean", by_frequency=False, last=False, padding_idx=None
):
    return F.embedding_bag(
        input, weight, offsets, None, 2, by_frequency, mode, False, weights, last, padding_idx
    )


def _bag_tables(input, weight, offsets, mode="mean", last=False, padding_idx=None):
    number = ("sum", "mean", "max").index(mode)
    return torch.embedding_bag(weight, input, offsets, False, number, False, None, last, padding_idx)[1:]


SPECIAL: dict[str, Callable] = {
    "nn.functional._bag_tables": _bag_tables,
    "nn.functional._equal_parts": lambda input, n: input.chunk(n, -1),
    "nn.functional._grouped_product": torch._grouped_mm,
    "nn.functional._embedding_bag": _embedding_bag,
    "nn.functional._renormed_rows": lambda weight, *args: torch.embedding_renorm_(weight.clone(), *args),
    "nn.functional._weigh": lambda scores, value: (scores.softmax(-1) @ value, scores.logsumexp(-1)),
    "nn.functional._lstm_cell": lambda input, h, c, *weights: torch.lstm_cell(input, (h, c), *weights),
    "nn.functional._state_cell": _state_cell,
    "index": _index,
    "index_put": _index_put,
    "slice": torch.ops.aten.slice,
    "alias": torch.ops.aten.alias,
    "block_diag": lambda tensors: torch.block_diag(*tensors),
    "chain_matmul": lambda matrices: torch.chain_matmul(*matrices),
    "fill": torch.fill,
    "zero": lambda input: input.clone().zero_(),
    "_view_dtype": lambda input, dtype: input.view(dtype),
    "_cholesky_ex": lambda input, upper=False: torch.linalg.cholesky_ex(input, upper=upper),
    "_cast": lambda input, dtype: input.to(dtype),
    "_copy": lambda input, src: input.clone().copy_(src),
    "nn.functional._batch_norm_train": _batch_norm(True),
    "nn.functional._batch_norm_eval": _batch_norm_eval,
    "nn.functional._instance_norm_train": _batch_norm(True, instance=True),
    "nn.functional._cross_map_lrn": lambda input, *options: torch.nn.CrossMapLRN2d(*options)(input),
}
"""Ops of ours that torch has under another name or signature."""


def function(name: str) -> Callable | None:
    """torch's counterpart of an op; None when it has none (what draws random numbers from a key, for instance)."""
    if name in SPECIAL:
        return SPECIAL[name]
    space, _, short = name.rpartition(".")
    if space == "create":
        return getattr(torch, short, None)
    home: Any = torch
    for part in space.split(".") if space else ():
        home = getattr(home, part)
    return getattr(home, short, None) or (None if space else getattr(torch.Tensor, short, None))


def tensor(t: T) -> torch.Tensor:
    """A placeholder as a torch tensor."""
    made = torch.from_numpy(np.array(t.array, order="C"))
    return made.to(getattr(torch, t.dtype)) if t.dtype else made


def other(x: Any) -> Any:
    """What is no placeholder: dtypes of ours become torch's; numpy scalars stay."""
    return getattr(torch, x.name) if type(x).__name__ == "dtype" and hasattr(x, "category") else x


def recorded(t: Any) -> Recorded:
    """A torch tensor (or a plain value, such as a bool) as an array and its dtype."""
    if not isinstance(t, torch.Tensor):
        return Recorded(np.asarray(t), type(t).__name__)
    name = str(t.dtype).removeprefix("torch.")
    t = t.detach() if t.layout is torch.strided else t.detach().to_dense()
    wide = t.float() if name in ("bfloat16", "float16") or name.startswith("float8") else t
    wide = t.to(torch.complex64) if name == "complex32" else wide
    return Recorded(wide.numpy(force=True).copy(), name)


def along(role: str, index: int, like: torch.Tensor) -> torch.Tensor:
    """The fixed direction of this role as a tensor like `like`."""
    return torch.from_numpy(direction(role, index, tuple(like.shape), like.is_complex())).to(like.dtype)


def facts(name: str, sample: Sample) -> Facts:
    """What torch gives for a sample: results, gradients along fixed cotangents, second gradients; or its exception."""
    fn = function(name)
    if fn is None:
        return Facts(skip=f"torch has no {name}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _facts(fn, sample)


def _facts(fn: Callable, sample: Sample) -> Facts:
    tensors = [tensor(t) for t in placeholders(sample)]
    at = wants_grad(sample) if sample.error is None else []
    for i in at:
        tensors[i].requires_grad_(True)
    args, kwargs = fill(sample, tensors, other)
    if sample.error is not None:
        try:
            fn(*args, **kwargs)
        except Exception as error:
            return Facts(error=(type(error).__name__, str(error)))
        return Facts(error=("", "torch raises nothing"))
    outs = flat(fn(*args, **kwargs))
    known = Facts(
        [recorded(o) for o in outs], [isinstance(o, torch.Tensor) and o.requires_grad for o in outs]
    )
    rooted = [o for o in outs if isinstance(o, torch.Tensor) and o.requires_grad]
    if not at or not rooted:
        return known
    inputs = [tensors[i] for i in at]
    cts = [along("ct", k, o).requires_grad_(sample.gradgrad) for k, o in enumerate(rooted)]
    grads = torch.autograd.grad(rooted, inputs, cts, create_graph=sample.gradgrad, allow_unused=True)
    known.grads = [None if g is None else recorded(g) for g in grads]
    if sample.gradgrad:
        known.second = _second(grads, [*inputs, *cts])
    return known


def _second(grads, inputs) -> list[Recorded | None] | None:
    rooted = [(k, g) for k, g in enumerate(grads) if g is not None and g.requires_grad]
    if not rooted:
        return None
    us = [along("u", k, g) for k, g in rooted]
    second = torch.autograd.grad([g for _, g in rooted], inputs, us, allow_unused=True)
    return [None if s is None else recorded(s) for s in second]
