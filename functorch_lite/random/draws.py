"""Random tensors: rand, randn, randint, randperm, bernoulli, multinomial, normal, and the in-place samplers."""

from __future__ import annotations

import math

import numpy as np

from .._core import dtypes
from .._core.apply import apply, check_writable, from_array, write
from .._core.bind import cast, composite, to_size
from .._core.bind import functions as torch
from .._core.dtypes import dtype as DType
from .._core.methods import to_device, values_of
from .._core.op import OPS
from .._core.tensor import Tensor
from ..compose.creation import finish, plain_dtype
from ..ops.sample import draw
from .generator import Generator, next_key

HOST_LIMIT = 1 << 20
"""Eager draws of at most this many numbers are made on the host at once: no program has to be compiled for them."""


def drawn(kind: str, size: tuple[int, ...], d: DType, generator: Generator | None) -> Tensor:
    """A tensor of draws (see ops.sample.draw), on the host if small and eager, else recorded."""
    n = math.prod(size)
    key = next_key(generator)
    if not isinstance(key, Tensor):
        if n <= HOST_LIMIT:
            with np.errstate(over="ignore"):
                return from_array(draw(np, kind, key, n, d).reshape(size))
        key = from_array(key)
    return apply(OPS["_draw"], (kind, size, d), (key,))


def _affine(t: Tensor, scale: float, shift: float) -> Tensor:
    v = t._cell.value
    if isinstance(v.array, np.ndarray):
        kind = v.array.dtype.type
        return from_array((v.array * kind(scale) + kind(shift)).astype(v.array.dtype))
    return apply(OPS["_scaled"], (), (t, scale, shift))


def _check_float(name: str, d: DType) -> None:
    if d.category < 2:
        raise RuntimeError(f"\"{name}\" not implemented for '{dtypes.type_name(d)}'")


def _sampler(name: str, kind: str) -> None:
    def sample(
        *size,
        generator=None,
        out=None,
        dtype=None,
        layout=None,
        device=None,
        requires_grad=False,
        pin_memory=False,
    ):
        size = to_size(size, name, "size", 1)
        if any(n < 0 for n in size):
            raise RuntimeError(f"Trying to create tensor with negative dimension {min(size)}: {list(size)}")
        d = plain_dtype(dtype)
        _check_float("check_uniform_bounds" if kind == "uniform" else "normal_kernel_cpu", d)
        return finish(drawn(kind, size, d, generator), device, requires_grad, out)

    sample.__name__ = sample.__qualname__ = name
    sample.__doc__ = f"A tensor of {kind} random numbers: torch.{name}(*size)."
    composite(sample)

    def like(
        input,
        *,
        dtype=None,
        layout=None,
        device=None,
        requires_grad=False,
        memory_format=None,
        generator=None,
    ):
        return sample(
            *input.shape,
            generator=generator,
            dtype=dtype or input.dtype,
            device=device or input.device,
            requires_grad=requires_grad,
        )

    like.__name__ = like.__qualname__ = f"{name}_like"
    like.__doc__ = f"torch.{name} with input's shape, dtype and device."
    composite(like)


_sampler("rand", "uniform")
_sampler("randn", "normal")


@composite
def randint(
    low,
    high=None,
    size=None,
    *,
    generator=None,
    out=None,
    dtype=None,
    layout=None,
    device=None,
    requires_grad=False,
) -> Tensor:
    """Random integers in [low, high): randint(high, size) or randint(low, high, size)."""
    if size is None:
        low, high, size = 0, low, high
    low, high = int(low), int(high)
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    size = to_size((size,), "randint", "size", 3)
    raw = drawn("bits", size, dtypes.int64, generator)
    v = raw._cell.value
    d = plain_dtype(dtype, dtypes.int64)
    if isinstance(v.array, np.ndarray):
        made = from_array((v.array % (high - low) + low).astype(d.np))
    else:
        made = cast(raw % (high - low) + low, d)
    return finish(made, device, requires_grad, out)


@composite
def randint_like(
    input, low, high=None, *, dtype=None, device=None, requires_grad=False, memory_format=None
) -> Tensor:
    """torch.randint with input's shape, dtype and device."""
    low, high = (0, low) if high is None else (low, high)
    return randint(
        low,
        high,
        input.shape,
        dtype=dtype or input.dtype,
        device=device or input.device,
        requires_grad=requires_grad,
    )


@composite
def randperm(
    n: int,
    *,
    generator=None,
    out=None,
    dtype=None,
    layout=None,
    device=None,
    requires_grad=False,
    pin_memory=False,
) -> Tensor:
    """A random permutation of the integers below n."""
    if n < 0:
        raise RuntimeError(f"n must be non-negative, got {n}")
    d = plain_dtype(dtype, dtypes.int64)
    key = next_key(generator)
    if isinstance(key, Tensor):
        made = apply(OPS["_draw"], ("permutation", (n,), d), (key,))
    else:
        with np.errstate(over="ignore"):
            made = from_array(draw(np, "permutation", key, n, d))
    return finish(made, device, requires_grad, out)


@composite(method=True)
def bernoulli(input: Tensor, p: float | None = None, *, generator=None, out=None) -> Tensor:
    """0 or 1 with the probabilities in input (or p)."""
    probabilities = input.detach() if p is None else p
    u = drawn("uniform", tuple(input.shape), input.dtype, generator)
    return cast(u < probabilities, input.dtype)


@composite
def normal(
    mean, std=1.0, size=None, *, generator=None, out=None, dtype=None, device=None, requires_grad=False
) -> Tensor:
    """Normal numbers with the given means and standard deviations (tensors or numbers)."""
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        shape = torch.broadcast_shapes(*[t.shape for t in (mean, std) if isinstance(t, Tensor)])
        d = next(t.dtype for t in (mean, std) if isinstance(t, Tensor))
        return drawn("normal", tuple(shape), d, generator) * std + mean
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    return finish(
        _affine(drawn("normal", to_size((size,), "normal", "size", 3), plain_dtype(dtype), generator), std, mean),
        device, requires_grad, out,
    )  # fmt: skip


@composite(method=True)
def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator=None, out=None
) -> Tensor:
    """Indices sampled from the rows of unnormalised probabilities in input."""
    if input.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if not input.is_floating_point():
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {input.dtype}")
    p = np.atleast_2d(values_of(input.detach())).astype(np.float64)
    if (p < 0).any() or not np.isfinite(p).all():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if (p.sum(1) <= 0).any():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    if not replacement and ((p > 0).sum(1) < num_samples).any():
        raise RuntimeError(
            "invalid multinomial distribution (with replacement=False, not enough non-negative category to sample)"
        )
    size = (p.shape[0], num_samples) if replacement else p.shape
    u = values_of(drawn("uniform", size, dtypes.float64, generator))
    if replacement:
        cdf = np.cumsum(p, 1) / p.sum(1, keepdims=True)
        chosen = np.stack([np.searchsorted(c, row, side="right") for c, row in zip(cdf, u)])
        chosen = np.minimum(chosen, p.shape[1] - 1)
    else:  # the exponential race: the smallest -log(u) / p win
        with np.errstate(divide="ignore"):
            chosen = np.argsort(np.where(p > 0, -np.log1p(-u) / p, np.inf), 1, kind="stable")[:, :num_samples]
    chosen = chosen.astype(np.int64)
    return from_array(chosen[0] if input.ndim == 1 else chosen)


# -- in place --------------------------------------------------------------------------------------------------------


def _overwrite(t: Tensor, new: Tensor) -> Tensor:
    check_writable(t)
    return write(t, to_device(new, t._aval.device))


@composite(namespace="Tensor", method=True)
def uniform_(self: Tensor, a: float = 0, b: float = 1, *, generator=None) -> Tensor:
    """Fills the tensor with uniform numbers in [a, b)."""
    check_writable(self)
    _check_float("check_uniform_bounds", self.dtype)
    if a > b:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={a} > to={b}")
    return _overwrite(self, _affine(drawn("uniform", tuple(self.shape), self.dtype, generator), b - a, a))


@composite(namespace="Tensor", method=True)
def normal_(self: Tensor, mean: float = 0, std: float = 1, *, generator=None) -> Tensor:
    """Fills the tensor with normal numbers."""
    check_writable(self)
    _check_float("normal_kernel_cpu", self.dtype)
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    return _overwrite(self, _affine(drawn("normal", tuple(self.shape), self.dtype, generator), std, mean))


@composite(namespace="Tensor", method=True)
def exponential_(self: Tensor, lambd: float = 1, *, generator=None) -> Tensor:
    """Fills the tensor with exponentially distributed numbers of rate lambd."""
    check_writable(self)
    if lambd <= 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd}")
    return _overwrite(
        self, _affine(drawn("exponential", tuple(self.shape), self.dtype, generator), 1 / lambd, 0.0)
    )


@composite(namespace="Tensor", method=True)
def bernoulli_(self: Tensor, p=0.5, *, generator=None) -> Tensor:
    """Fills the tensor with 0 and 1, the latter with probability p (a number or a tensor)."""
    check_writable(self)
    d = self.dtype if self.dtype.is_floating_point else dtypes.float32
    return _overwrite(self, cast(drawn("uniform", tuple(self.shape), d, generator) < p, self.dtype))


@composite(namespace="Tensor", method=True)
def random_(self: Tensor, from_: int = 0, to: int | None = None, *, generator=None) -> Tensor:
    """Fills the tensor with integers in [from_, to), by default up to what its dtype holds exactly."""
    check_writable(self)
    if to is None:
        limits = {2: 1 << {"float16": 11, "bfloat16": 8, "float32": 24}.get(self.dtype.name, 53), 0: 2}
        top = limits.get(self.dtype.category) or int(np.iinfo(self.dtype.np).max)
        from_, to = (0, from_) if from_ else (0, top)
    return _overwrite(self, cast(randint(from_, to, tuple(self.shape), generator=generator), self.dtype))
