"""Functions that are one op here and several in PyTorch, written as those several: for legacy backward hooks.

Such a hook is called with the gradients at the last of PyTorch's ops. While a module that has one runs its forward, torch.nn.functional
has these in place of its own: the values are the same, and the tape then ends in the op that PyTorch's does.
"""

from __future__ import annotations

import functools
import inspect
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import functorch_lite.nn.functional as functional
from functorch_lite._core.api import Tensor, namespace
from functorch_lite._core.api import functions as torch

__all__ = ["composed_as_in_pytorch"]

F: Any = namespace("nn.functional")
"""The functions as they always are: what is looked up here is not replaced."""

_WAYS: dict[str, Callable] = {}
"""compose(plain, arguments) by the function's name. It may give None: then the plain function is called."""
_lock = threading.Lock()
_inside = 0
_replaced: dict[str, Any] = {}


@contextmanager
def composed_as_in_pytorch() -> Iterator[None]:
    """Inside, torch.nn.functional has the functions of this file. (Other threads get them too, which changes no result.)"""
    global _inside
    with _lock:
        _inside += 1
        if _inside == 1:
            for name in _WAYS:
                _replaced[name] = getattr(functional, name)
                setattr(functional, name, _function(name))
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                for name, plain in _replaced.items():
                    setattr(functional, name, plain)


def _composed(name: str) -> Callable[[Callable], Callable]:
    return lambda compose: _WAYS.setdefault(name, compose)


@functools.cache
def _function(name: str) -> Callable:
    plain, compose = getattr(F, name), _WAYS[name]
    signature = inspect.signature(plain)

    def made(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        a = SimpleNamespace(**bound.arguments)
        flags = getattr(a, "size_average", None), getattr(a, "reduce", None)
        calls_users_code = hasattr(a, "distance_function")
        checked = None if calls_users_code else plain(*args, **kwargs)  # wrong arguments raise here
        out = compose(plain, a) if flags == (None, None) else None
        return checked if out is None else out

    made.__name__, made.__doc__ = name, plain.__doc__
    return made


def _reduced(loss: Tensor, reduction: str) -> Tensor:
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


# -- activations, norms, pooling ---------------------------------------------------------------------------------------


@_composed("softsign")
def _softsign(plain, a):
    return a.input / (a.input.abs() + 1)


@_composed("tanhshrink")
def _tanhshrink(plain, a):
    return a.input - a.input.tanh()


@_composed("softmin")
def _softmin(plain, a):
    return None if a.dim is None else F.softmax(-a.input, a.dim, dtype=a.dtype)


@_composed("rms_norm")
def _rms_norm(plain, a):
    x = a.input
    if x.dtype.itemsize < 4 or not x.is_floating_point():
        return None
    eps = torch.finfo(x.dtype).eps if a.eps is None else a.eps
    dims = list(range(-len(a.normalized_shape), 0))
    out = x * ((x * x).mean(dims, keepdim=True) + eps).rsqrt()
    return out if a.weight is None else out * a.weight


@_composed("local_response_norm")
def _local_response_norm(plain, a):
    x = a.input
    squares = (x * x).reshape(x.shape[0], 1, x.shape[1], -1)
    around = F.avg_pool2d(F.pad(squares, (0, 0, a.size // 2, (a.size - 1) // 2)), (a.size, 1), stride=1)
    return x / (around.reshape(x.shape) * a.alpha + a.k) ** a.beta


def _lp_pool(n: int) -> None:
    @_composed(f"lp_pool{n}d")
    def lp_pool(plain, a):
        pool = getattr(F, f"avg_pool{n}d")
        mean = pool(a.input**a.norm_type, a.kernel_size, a.stride, 0, a.ceil_mode)
        count = a.kernel_size**n if isinstance(a.kernel_size, int) else math.prod(a.kernel_size)
        return (mean.sign() * mean.abs().relu() * count) ** (1.0 / a.norm_type)


for _n in (1, 2, 3):
    _lp_pool(_n)


@_composed("bilinear")
def _bilinear(plain, a):
    lead = a.input1.shape[:-1]
    flat = [x.reshape(-1, x.shape[-1]) for x in (a.input1, a.input2)]
    out = plain(*flat, a.weight).reshape(*lead, a.weight.shape[0])
    return out if a.bias is None else out + a.bias


# -- distances ---------------------------------------------------------------------------------------------------------


@_composed("cosine_similarity")
def _cosine_similarity(plain, a):
    units = [x / x.norm(2, a.dim, keepdim=True).clamp_min(a.eps) for x in (a.x1, a.x2)]
    return (units[0] * units[1]).sum(a.dim)


@_composed("pairwise_distance")
def _pairwise_distance(plain, a):
    return torch.norm(a.x1 - a.x2 + a.eps, a.p, -1, a.keepdim)


# -- losses ------------------------------------------------------------------------------------------------------------


@_composed("l1_loss")
def _l1_loss(plain, a):
    return None if a.weight is not None else _reduced((a.input - a.target).abs(), a.reduction)


@_composed("kl_div")
def _kl_div(plain, a):
    x, y = a.input, a.target
    loss = y.exp() * (y - x) if a.log_target else torch.xlogy(y, y) - y * x
    return loss.sum() / x.shape[0] if a.reduction == "batchmean" else _reduced(loss, a.reduction)


@_composed("poisson_nll_loss")
def _poisson_nll_loss(plain, a):
    x, y = a.input, a.target
    loss = x.exp() - y * x if a.log_input else x - y * (x + a.eps).log()
    if a.full:
        stirling = y * y.log() - y + 0.5 * (2 * math.pi * y).log()
        loss = loss + stirling.masked_fill(y <= 1, 0)
    return _reduced(loss, a.reduction)


@_composed("gaussian_nll_loss")
def _gaussian_nll_loss(plain, a):
    var = a.var
    if not isinstance(var, Tensor):
        return None
    if var.shape != a.input.shape and var.shape == a.input.shape[:-1]:
        var = var.unsqueeze(-1)
    var = var + (var.clamp_min(a.eps) - var).detach()  # the gradient is not clamped
    loss = 0.5 * (var.log() + (a.input - a.target) ** 2 / var)
    return _reduced(loss + 0.5 * math.log(2 * math.pi) if a.full else loss, a.reduction)


@_composed("hinge_embedding_loss")
def _hinge_embedding_loss(plain, a):
    x, y = a.input, a.target
    beyond = torch.where(y != 1, (a.margin - x).clamp_min(0), torch.zeros_like(x))
    return _reduced(beyond + torch.where(y != -1, x, torch.zeros_like(x)), a.reduction)


@_composed("margin_ranking_loss")
def _margin_ranking_loss(plain, a):
    return _reduced((-a.target * (a.input1 - a.input2) + a.margin).clamp_min(0), a.reduction)


@_composed("cosine_embedding_loss")
def _cosine_embedding_loss(plain, a):
    x, y, eps = a.input1, a.input2, 1e-12
    cos = (x * y).sum(-1) / (((x * x).sum(-1) + eps) * ((y * y).sum(-1) + eps)).sqrt()
    zeros = torch.zeros_like(cos)
    alike = torch.where(a.target == 1, 1 - cos, zeros)
    return _reduced(alike + torch.where(a.target == -1, (cos - a.margin).clamp_min(0), zeros), a.reduction)


@_composed("triplet_margin_loss")
def _triplet_margin_loss(plain, a):
    return _triplet(a, lambda x, y: F.pairwise_distance(x, y, a.p, a.eps))


@_composed("triplet_margin_with_distance_loss")
def _triplet_margin_with_distance_loss(plain, a):
    return _triplet(a, a.distance_function or F.pairwise_distance)


def _triplet(a, distance: Callable) -> Tensor:
    near, far = distance(a.anchor, a.positive), distance(a.anchor, a.negative)
    if a.swap:
        far = torch.minimum(far, distance(a.positive, a.negative))
    return _reduced((a.margin + near - far).clamp_min(0), a.reduction)


@_composed("multilabel_soft_margin_loss")
def _multilabel_soft_margin_loss(plain, a):
    x, y = a.input, a.target
    if not isinstance(y, Tensor):
        return None
    loss = -(y * F.logsigmoid(x) + (1 - y) * F.logsigmoid(-x))
    if a.weight is not None:
        loss = loss * a.weight
    return _reduced(loss.sum(-1) / x.shape[-1], a.reduction)


@_composed("cross_entropy")
def _cross_entropy(plain, a):
    x, weight, smoothing = a.input, a.weight, a.label_smoothing
    dim = min(1, x.ndim - 1)
    classes = x.shape[dim]
    logs = F.log_softmax(x, dim)
    if a.target.shape == x.shape:
        y = a.target * (1 - smoothing) + smoothing / classes if smoothing else a.target
        terms = logs * y if weight is None else logs * y * weight.reshape(-1, *[1] * (x.ndim - 1 - dim))
        if a.reduction == "none":
            return -terms.sum(dim)
        return (
            -terms.sum() if a.reduction == "sum" else None
        )  # a mean ends in a division that has no other form
    chosen = F.nll_loss(logs, a.target, weight, ignore_index=a.ignore_index, reduction=a.reduction)
    if not smoothing:
        return chosen
    weights = torch.ones(classes, dtype=x.dtype) if weight is None else weight
    spread = -(logs * weights.reshape(-1, *[1] * (x.ndim - 1 - dim))).sum(dim)
    spread = spread.masked_fill(a.target == a.ignore_index, 0.0)
    if a.reduction == "mean":
        used = a.target != a.ignore_index
        spread = spread.sum() / (weights[a.target.clamp(min=0, max=classes - 1)] * used).sum()
    elif a.reduction == "sum":
        spread = spread.sum()
    return chosen * (1 - smoothing) + spread * (smoothing / classes)


@_composed("ctc_loss")
def _ctc_loss(plain, a):
    each = plain(a.log_probs, a.targets, a.input_lengths, a.target_lengths, a.blank, "none", a.zero_infinity)
    if a.reduction == "none":
        if not a.zero_infinity:
            return None
        return torch.where(each == math.inf, torch.zeros_like(each), each)
    if a.reduction == "sum":
        return each.sum()
    lengths = a.target_lengths
    lengths = lengths if isinstance(lengths, Tensor) else torch.tensor(lengths)
    return (each / lengths.to(each.dtype).clamp_min(1)).mean()
