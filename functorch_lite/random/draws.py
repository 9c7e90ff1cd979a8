"""Random tensors: rand, randn, randint, randperm, bernoulli, normal, …"""

from __future__ import annotations

import math

import numpy as np

from .._core.api import (
    OPS,
    SYMINT,
    UNSET,
    SymInt,
    Tensor,
    Unset,
    apply,
    at_hand,
    cast,
    check,
    check_memory,
    check_memory_format,
    check_number,
    check_type,
    checked,
    composite,
    dtypes,
    from_array,
    independent,
    is_numpys,
    is_real,
    no_kernel,
    promote_types,
    spread_size,
    strided_only,
    to_size,
    write_out,
)
from .._core.api import devices as devices
from .._core.api import dtype as DType
from .._core.api import functions as torch
from ..ops.contracts.random import NEGATIVE_RATE, NEGATIVE_STD, NO_SHARE
from ..ops.sample import draw
from ..tensors.create import dtype_into, finish
from ..tensors.requirements import limited
from .generator import Generator, check_generator, exact_source, key_tensor, next_key

HOST_LIMIT = 1 << 20
"""Eager draws of at most this many numbers are made on the host at once: no program has to be compiled for them."""

# -- what all of them are made of --------------------------------------------------------------------------------------


DIGITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
"""Bits of the whole numbers that a dtype holds exactly."""


def outside(array: np.ndarray) -> Tensor:
    """An array made on the host as a tensor from outside of every transform."""
    t = from_array(array)
    t._cell.level = 0
    return t


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


def affine(t: Tensor, scale: float, shift: float) -> Tensor:
    v = t._cell.value
    if isinstance(v.array, np.ndarray):
        kind = v.array.dtype.type
        return from_array((v.array * kind(scale) + kind(shift)).astype(v.array.dtype))
    return apply(OPS["_scaled"], (), (t, scale, shift))


def uniform(size, d: DType, generator: Generator | None, low: float = 0.0, high: float = 1.0) -> Tensor:
    """Uniform numbers in [low, high)."""
    source = exact_source(generator)
    if source is not None:
        return outside(source.uniform(math.prod(size), d, low, high).reshape(size))
    if d.is_complex:
        both = uniform((*size, 2), d.to_real(), generator, low, high)
        return torch.view_as_complex_copy(both)
    made = drawn("uniform", size, d, generator)
    if (low, high) == (0.0, 1.0):
        return made
    made = affine(made, high - low, low)
    v = made._cell.value
    if isinstance(v.array, np.ndarray):
        bounds = np.array([low, high], v.array.dtype)
        return from_array(np.where(v.array == bounds[1], bounds[0], v.array))
    bound = from_array(np.array(high, d.np))
    return torch.where(made == bound, low, made)  # what was rounded up to the bound


def gaussian(
    size, d: DType, generator: Generator | None, mean: float = 0.0, std: float = 1.0, blocks: bool = True
) -> Tensor:
    """Normal numbers; `blocks`: whether they fill a contiguous tensor (PyTorch's own numbers depend on it)."""
    if 0 in size:
        return torch.empty(size, dtype=d)
    source = exact_source(generator)
    if source is not None:
        return outside(source.normal(math.prod(size), d, mean, std, blocks).reshape(size))
    made = drawn("normal", size, d, generator)
    return made if (mean, std) == (0.0, 1.0) else affine(made, std, mean)


def coins(size, p, generator: Generator | None, wide: bool = True) -> Tensor:
    """bool: true with probability p, a number or a tensor of this size. wide: compared with float64 draws, as for
    numbers."""
    source = exact_source(generator)
    n = math.prod(size)
    if source is not None:
        u = (source.doubles(n) if wide else source.singles(n)).reshape(size)
        return torch.lt(outside(u).to(p.device), p) if isinstance(p, Tensor) else outside(u < p)
    made = drawn("uniform", size, dtypes.float64 if wide else dtypes.float32, generator)
    return (made.to(p.device) if isinstance(p, Tensor) else made) < p


def exact_coins(size, p: float, like: Tensor) -> Tensor | None:
    """1 with probability p, else 0, as PyTorch's default generator draws them, in the dtype and on the device of
    `like`; None unless the default engine is "mt19937"."""
    return None if exact_source(None) is None else cast(coins(size, p, None), like.dtype).to(like.device)


def integers(size, low: int, high: int, generator: Generator | None) -> Tensor:
    """int64 in [low, high)."""
    source = exact_source(generator)
    if source is not None:
        return outside(source.integers(math.prod(size), low, high).reshape(size))
    bits, span = drawn("bits", size, dtypes.int64, generator), high - low
    if span < 2**63:
        v = bits._cell.value
        if isinstance(v.array, np.ndarray):
            return from_array((v.array % span + low).astype(np.int64))
        return apply(OPS["_within"], (), (bits, low, span))
    bits = bits ^ (drawn("bits", size, dtypes.int64, generator) << 1)  # 63 bits each: 64
    # beyond: the first of the int64s whose bits, as a number without sign, are not below the span
    beyond, least = from_array(np.array(span - 2**64)), from_array(np.array(low))
    return torch.where((bits >= 0) | (bits < beyond), bits, bits - beyond) + least


def without_numbers(size, d: DType, device, out: Tensor | None = None) -> Tensor | None:
    """The tensor to be filled if it is on the meta device, where nothing is drawn and a generator's state stays; else
    None."""
    on_meta = out is None and devices.resolve(device) is devices.META
    return torch.empty(size, dtype=d, device=devices.META) if on_meta else None


def check_kernel(name: str, d: DType, categories: tuple[int, ...] = (2, 3), size=()) -> None:
    """Raises torch's error if its kernel of this name does not fill this dtype; none fills float8.

    With a size of nothing it is not run."""
    if (d.category not in categories or d.is_float8) and 0 not in size:
        raise no_kernel(name, d)


def _check_size(size) -> None:
    for n in size:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(size)}")


def check_range(low: int, high: int, d: DType) -> None:
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    check_kernel("random_kernel_cpu" if d.is_complex else "random_update_from_to", d, (0, 1, 2))
    least, most = (0, 1)
    if d.category:
        info = dtypes.iinfo(d) if d.category == 1 else dtypes.finfo(d)
        least, most = info.min, info.max
    for what, value in (("from", low), ("to - 1", high - 1)):
        if not least <= value <= most:
            raise RuntimeError(f"{what} is out of bounds for {d.cpp_name}")


# -- functions ---------------------------------------------------------------------------------------------------------


def _sampler(name: str, kind: str) -> None:
    def sample(
        *spread,
        size=None,
        generator=None,
        out=None,
        dtype=None,
        layout=None,
        device=None,
        requires_grad=False,
        pin_memory=False,
    ):
        strided_only(layout, pin_memory)
        size = spread_size(spread, size, name, "size", 1)
        _check_size(size)
        d = dtype_into(dtype, out)
        if kind == "uniform":
            check_kernel("check_uniform_bounds", d)
        else:
            check_kernel("normal_kernel_cpu", d, size=size)
        draws = uniform if kind == "uniform" else gaussian
        made = without_numbers(size, d, device, out)
        made = draws(size, d, generator) if made is None else made
        return finish(made, device, requires_grad, out)

    sample.__name__ = sample.__qualname__ = name
    sample.__doc__ = f"A tensor of {kind} random numbers: torch.{name}(*size); of the default dtype, or another floating one.\n\n    >>> torch.{name}(2, 3).shape\n    torch.Size([2, 3])\n    "
    composite(sample)

    def like(
        input: Tensor,
        *,
        dtype: DType | None = None,
        layout=None,
        device=None,
        pin_memory=False,
        requires_grad: bool | None = False,
        memory_format=None,
        generator=None,
    ):
        strided_only(layout, pin_memory)
        check_memory_format(f"{name}_like", memory_format, input.ndim)
        return sample(
            size=input.shape,
            generator=generator,
            dtype=input.dtype if dtype is None else dtype,
            device=input._aval.device if device is None else device,
            requires_grad=requires_grad,
        )

    like.__name__ = like.__qualname__ = f"{name}_like"
    like.__doc__ = f"torch.{name} with input's shape, dtype and device.\n\n    >>> torch.{name}_like(torch.ones(2, 3)).shape\n    torch.Size([2, 3])\n    "
    composite(like)


_sampler("rand", "uniform")
_sampler("randn", "normal")


@composite
def randint(
    first=UNSET,
    /,
    high=UNSET,
    size=UNSET,
    *,
    low=UNSET,
    generator=None,
    out=None,
    dtype: DType | None = None,
    layout=None,
    device=None,
    pin_memory=False,
    requires_grad: bool | None = False,
) -> Tensor:
    """Random integers in [low, high): randint(high, size) or randint(low, high, size).

    int64, or the dtype given; RuntimeError unless low < high.

    >>> x = torch.randint(3, (100,))
    >>> x.min() >= 0, x.max() < 3
    (tensor(True), tensor(True))
    """
    strided_only(layout, pin_memory)
    if low is not UNSET:
        if first is not UNSET or high is UNSET or size is UNSET:
            raise TypeError('randint() missing 2 required positional argument: "high", "size"')
    elif size is UNSET:
        low, high, size = 0, first, high
    elif high is UNSET:
        low, high = 0, first
    else:
        low = 0 if first is UNSET else first
    check_type(isinstance(size, tuple | list), size, "tuple of ints", "randint", "size")
    low = checked(low, SYMINT, "randint", "low", 1)
    high = checked(high, SYMINT, "randint", "high", 2)
    size = to_size((size,), "randint", "size", 3)
    _check_size(size)
    d = dtype_into(dtype, out, dtypes.int64)
    check_range(low, high, d)
    made = without_numbers(size, d, device, out)
    made = cast(integers(size, low, high, generator), d) if made is None else made
    return finish(made, device, requires_grad, out)


def _highest(high) -> int:
    """The only bound of randint_like: an int, or a tensor without dims of any dtype."""
    if not isinstance(high, Tensor):
        return checked(high, SYMINT, "randint_like", "high", 2)
    if high.ndim:
        raise RuntimeError("high must be a scalar tensor and on CPU")
    number = high.item()
    check_number(number, dtypes.int64)
    return int(number.real) if isinstance(number, complex) else int(number)


@composite
def randint_like(
    input: Tensor,
    low=UNSET,
    high=UNSET,
    *,
    generator=None,
    dtype: DType | None = None,
    layout=None,
    device=None,
    pin_memory=False,
    requires_grad: bool | None = False,
    memory_format=None,
) -> Tensor:
    """torch.randint with input's shape, dtype and device: randint_like(input, high) or randint_like(input, low, high).

    >>> torch.randint_like(torch.zeros(2, 3), 5).dtype
    torch.float32
    """
    strided_only(layout, pin_memory)
    check_memory_format("randint_like", memory_format, input.ndim)
    if low is UNSET or high is UNSET:
        low, high = 0, _highest(high if low is UNSET else low)
    else:
        low = checked(low, SYMINT, "randint_like", "low", 2)
        high = checked(high, SYMINT, "randint_like", "high", 3)
    if (input.dtype if dtype is None else dtype).is_complex:
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    return randint(
        low,
        high,
        input.shape,
        generator=generator,
        dtype=input.dtype if dtype is None else dtype,
        device=input._aval.device if device is None else device,
        requires_grad=requires_grad,
    )


@composite
def randperm(
    n: SymInt,
    *,
    generator=None,
    out=None,
    dtype: DType | None = None,
    layout=None,
    device=None,
    requires_grad: bool | None = False,
    pin_memory=False,
) -> Tensor:
    """A random permutation of the integers below n.

    (n,), int64 or the dtype given; RuntimeError for n < 0.

    >>> torch.randperm(4).sort().values
    tensor([0, 1, 2, 3])
    """
    strided_only(layout, pin_memory)
    if n < 0:
        raise RuntimeError(f"n must be non-negative, got {n}")
    d = dtype_into(dtype, out, dtypes.int64)
    check_memory((n,), d.itemsize)
    check_kernel("randperm", d, (1, 2))
    if d.category == 1 and n - 1 > np.iinfo(d.np).max:
        raise RuntimeError(f"n is too large for the dtype {d}: n - 1 must not exceed {np.iinfo(d.np).max}")
    if d.name in DIGITS and n > 2 ** DIGITS[d.name] + 1:
        raise RuntimeError(f"n cannot be greater than {2 ** DIGITS[d.name] + 1} for {d.scalar_name} type.")
    if (blank := without_numbers((n,), d, device, out)) is not None:
        return finish(blank, device, requires_grad)
    source = exact_source(generator)
    if source is not None:
        return finish(outside(source.permutation(n).astype(d.np)), device, requires_grad, out)
    key = next_key(generator)
    if isinstance(key, Tensor):
        made = apply(OPS["_draw"], ("permutation", (n,), d), (key,))
    else:
        with np.errstate(over="ignore"):
            made = from_array(draw(np, "permutation", key, n, d))
    return finish(made, device, requires_grad, out)


def _given(made: Tensor, out) -> Tensor:
    return made if out is None else write_out(out, made)  # type: ignore[return-value]


@composite(method=True)
def bernoulli(input: Tensor, p: float | Unset = UNSET, *, generator=None, out=None) -> Tensor:
    """0 or 1 with the probabilities in input, or all with probability p; with gradients of zero.

    Probabilities outside [0, 1] raise where they are at hand; where they are still to be computed, they give nan.

    Same shape and dtype, float; RuntimeError for other dtypes.

    >>> torch.bernoulli(torch.tensor([0., 1.]))
    tensor([0., 1.])
    """
    if p is not UNSET:
        if out is not None:
            raise TypeError("bernoulli() received an invalid combination of arguments: p= and out=")
        if is_numpys(p) or (isinstance(p, Tensor) and not p.ndim and not p.requires_grad):
            p = p.item()
            if isinstance(p, complex):
                check(p.imag == 0, RuntimeError, "value cannot be converted to type double without overflow")
                p = p.real
        if not isinstance(p, int | float):
            raise TypeError(
                f"bernoulli() received an invalid combination of arguments - got (Tensor, {type(p).__name__})"
            )
        check_probability("bernoulli_", p)
        check_kernel("bernoulli_scalar_cpu_", input.dtype, (0, 1, 2), input.shape)
        return independent(cast(coins(tuple(input.shape), p, generator), input.dtype), (input,))
    into = out if isinstance(out, Tensor) else input
    check_kernel("bernoulli_tensor_cpu_self_", into.dtype, (0, 1, 2), input.shape)
    check_kernel("bernoulli_tensor_cpu_p_", input.dtype, (2,), input.shape)
    if not input.numel():
        return _given(
            independent(input.detach().clone() if out is None else cast(input, out.dtype), (input,)), out
        )
    wide = input.dtype is dtypes.float64
    each = probabilities(input)
    made = cast(coins(tuple(input.shape), each, generator, wide), input.dtype)
    if at_hand(input) is None:
        made = torch.where((each >= 0) & (each <= 1), made, math.nan)
    return _given(independent(made if out is None else cast(made, out.dtype), (input,)), out)


def check_probability(name: str, p: float) -> None:
    if not 0 <= p <= 1:
        raise RuntimeError(f"{name} expects p to be in [0, 1], but got p={p:g}")


def probabilities(p: Tensor) -> Tensor:
    return limited(p.detach(), 0, 1, NO_SHARE)


def _plain_number(t: Tensor) -> float:
    number = t.item()
    check_number(number, dtypes.float64)
    return float(number.real)


@composite
def normal(
    mean,
    std=1.0,
    size=None,
    *,
    generator=None,
    out=None,
    dtype=None,
    layout=None,
    device=None,
    pin_memory=False,
    requires_grad=None,
) -> Tensor:
    """Normal numbers with the given means and standard deviations (tensors or numbers), or of `size` with numbers for
    both.

    Means and deviations broadcast; RuntimeError for a deviation below 0.

    >>> torch.normal(torch.zeros(2, 3), 1.).shape
    torch.Size([2, 3])
    """
    strided_only(layout, pin_memory)
    if any(x is not None for x in (size, dtype, device, requires_grad)):
        plain = all(not isinstance(x, Tensor) or (not x.ndim and not x.requires_grad) for x in (mean, std))
        if size is None or not plain:
            raise TypeError("normal() of tensors takes no size, dtype, device or requires_grad")
        mean, std = (_plain_number(x) if isinstance(x, Tensor) else x for x in (mean, std))
    for x in (mean, std):
        if not (isinstance(x, Tensor) or is_real(x)):
            raise TypeError(
                f"normal() received an invalid combination of arguments - got ({type(mean).__name__}, {type(std).__name__})"
            )
    mean, std = (float(x) if isinstance(x, int) else x for x in (mean, std))
    if not isinstance(std, Tensor) and not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if not isinstance(mean, Tensor) and not isinstance(std, Tensor):
        size = spread_size((), size, "normal", "size", 3)
        _check_size(size)
        d = dtype_into(dtype, out)
        check_kernel("normal_kernel_cpu", d, size=size)
        return finish(gaussian(size, d, generator, mean, std), device, requires_grad, out)
    if isinstance(std, Tensor) and std.is_complex():
        raise RuntimeError("normal expects standard deviation to be non-complex")
    tensors = [t for t in (mean, std) if isinstance(t, Tensor)]
    std = limited(std.detach(), 0, None, NEGATIVE_STD) if isinstance(std, Tensor) else std
    d = out.dtype if isinstance(out, Tensor) else tensors[0].dtype
    shape = torch.broadcast_shapes(*[t.shape for t in tensors])
    check_kernel("normal_kernel_cpu", d, size=shape)
    # torch draws into `out=`, and adds the means to that
    if isinstance(out, Tensor) and not isinstance(std, Tensor):
        means, shape = list(shape), torch.broadcast_shapes(out.shape, shape)
        message = f"output with shape {list(out.shape)} doesn't match the broadcast shape {means}"
        check(shape == out.shape, RuntimeError, message)
    if isinstance(mean, Tensor) and mean.is_complex() and not d.is_complex:
        sum_of = promote_types(mean.dtype, d).scalar_name
        raise RuntimeError(f"result type {sum_of} can't be cast to the desired output type {d.scalar_name}")
    mean = mean.detach() if isinstance(mean, Tensor) else mean
    made = cast(gaussian(tuple(shape), d, generator).to(tensors[0].device) * std + mean, d)
    return _given(independent(made, tuple(tensors)), out)


@composite
def poisson(input: Tensor, generator=None) -> Tensor:
    """Poisson numbers with the rates in input, in its dtype; with gradients of zero.

    Not PyTorch's numbers, whatever the engine.

    Raises RuntimeError for a rate below 0.

    >>> torch.poisson(torch.tensor([0., 4.])).shape
    torch.Size([2])
    """
    check_generator(generator, "poisson", 2)
    check_kernel("poisson_cpu", input.dtype, (2,))
    rates = limited(input.detach(), 0, None, NEGATIVE_RATE)
    key = key_tensor(generator)
    return independent(apply(OPS["_sample_poisson"], (), (rates, key)), (input,))


@composite
def _standard_gamma(self: Tensor, generator=None) -> Tensor:
    """Gamma numbers of rate 1, of the concentrations in self, with implicit gradients: distributions of others are made
    of it.

    Same shape and dtype, float. Not PyTorch's numbers, whatever the engine.

    >>> torch._standard_gamma(torch.tensor([1., 4.])).shape
    torch.Size([2])
    """
    check_generator(generator, "_standard_gamma", 2)
    return apply(OPS["_sample_gamma"], (), (self, key_tensor(generator)))


@composite
def _sample_dirichlet(self: Tensor, generator=None) -> Tensor:
    """Numbers of the simplex along the last dim, of the concentrations in self, with implicit gradients.

    Same shape and dtype, float. Not PyTorch's numbers, whatever the engine.

    >>> torch._sample_dirichlet(torch.ones(2, 3)).sum(-1).allclose(torch.ones(2))
    True
    """
    check_generator(generator, "_sample_dirichlet", 2)
    return apply(OPS["_sample_dirichlet"], (), (self, key_tensor(generator)))


@composite
def binomial(count: Tensor, prob: Tensor, generator=None) -> Tensor:
    """Binomial numbers: successes in `count` trials of probability `prob`. Not PyTorch's numbers, whatever the engine.

    Same shape and dtype, float; the two broadcast.

    >>> torch.binomial(torch.tensor([4., 2.]), torch.tensor([1., 0.]))
    tensor([4., 0.])
    """
    for name, t in (("count", count), ("prob", prob)):
        if t.dtype.category != 2:
            raise ValueError(
                f"binomial only supports floating-point dtypes for {name}, got: {t.dtype.scalar_name}"
            )
    if count.dtype is not prob.dtype:
        found, expected = prob.dtype.scalar_name, count.dtype.scalar_name
        raise RuntimeError(f"Found dtype {found} but expected {expected}")
    if count.dtype.is_narrow:
        raise no_kernel("binomial_cpu", count.dtype)
    key = key_tensor(generator)
    given = (count, prob)
    count, prob = torch.broadcast_tensors(count.detach().clamp(min=0), prob.detach().clamp(0, 1))
    made = apply(OPS["_sample_binomial"], (), (count, prob, key))
    return independent(made, given, "derivative for aten::binomial is not implemented")
