"""Methods that fill a tensor with random numbers: `normal_`, `uniform_`, `bernoulli_`, …"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._core.api import (
    INT,
    UNSET,
    Tensor,
    Unset,
    cast,
    check_type,
    check_writable,
    checked,
    composite,
    dtypes,
    is_bool,
    is_numpys,
    is_real,
    to_device,
    write,
    wrong_type,
)
from .._core.api import dtype as DType
from .._core.api import functions as torch
from .draws import (
    DIGITS,
    affine,
    check_kernel,
    check_probability,
    check_range,
    coins,
    drawn,
    gaussian,
    integers,
    outside,
    probabilities,
    uniform,
    without_numbers,
)
from .generator import Generator, exact_source


def _overwrite(t: Tensor, new: Tensor) -> Tensor:
    return write(t, to_device(cast(new, t.dtype), t._aval.device))


def _fill(t: Tensor, generator: Generator | None, make) -> Tensor:
    """Overwrites t with `make(shape, contiguous)`.

    PyTorch fills a tensor in the order of its memory, which matters for its numbers."""
    shape = tuple(t.shape)
    if (blank := without_numbers(shape, t.dtype, t.device)) is not None:
        return _overwrite(t, blank)
    if 0 in shape:
        return t
    contiguous = not t._lenses or t.is_contiguous()
    if contiguous or exact_source(generator) is None:
        return _overwrite(t, make(shape, contiguous))
    strides = t.stride()
    order = sorted(range(len(shape)), key=lambda i: -strides[i])
    made = make(tuple([shape[i] for i in order]), False)
    return _overwrite(t, made.permute(*[order.index(i) for i in range(len(shape))]))


def check_bounds(d: DType, a: float, b: float) -> None:
    """The checks of `uniform_(a, b)` on a tensor of dtype d."""
    check_kernel("check_uniform_bounds", d)
    name, limit = d.cpp_name, float(dtypes.finfo(d).max)
    for what, bound in (("from", a), ("to", b)):
        if not abs(bound) <= limit:
            raise RuntimeError(f"{what} is out of bounds for {name}")
    if a > b:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={a:g} > to={b:g}")
    if b - a > limit:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{name}>::max(), but found to={b:g} and "
            f"from={a:g} which result in to-from to exceed the limit"
        )


@composite(namespace="Tensor", method=True)
def uniform_(self: Tensor, a: float = 0, b: float = 1, *, generator=None, **names) -> Tensor:
    """Fills the tensor with uniform numbers in [a, b); torch calls the bounds `from` and `to`.

    Float; RuntimeError unless a <= b.

    >>> x = torch.zeros(9).uniform_(1, 3)
    >>> x.min() >= 1, x.max() < 3
    (tensor(True), tensor(True))
    """
    a, b = names.pop("from", a), names.pop("to", b)
    _no_more("uniform_", self, names)
    a, b = _floats("uniform_", {"from": a, "to": b})
    check_writable(self)
    check_bounds(self.dtype, a, b)
    return _fill(self, generator, lambda size, _: uniform(size, self.dtype, generator, float(a), float(b)))


def _floats(who: str, given: dict[str, Any]) -> list:
    """The parameters of a distribution, complex ones without an imaginary part and large ints as floats; TypeError
    for one that is not a real number."""
    for i, (name, x) in enumerate(given.items()):
        single = isinstance(x, Tensor) and not x.ndim and not x.requires_grad
        if not is_real(x) and not single:
            raise wrong_type(x, "float", who, name, i + 1)
    return [
        float(x)
        if (isinstance(x, Tensor) and x.dtype.is_complex)
        or (isinstance(x, int) and abs(x) > 2**53)
        or (is_bool(x) and is_numpys(x))
        else x
        for x in given.values()
    ]


def _no_more(name: str, t: object, names: dict) -> None:
    """Checks what is checked for other functions from their annotations: the tensor, and that no name is left over."""
    check_type(isinstance(t, Tensor), t, "Tensor", name, "input", 1)
    for known in names:
        raise TypeError(f"{name}() got an unexpected keyword argument '{known}'")


@composite(namespace="Tensor", method=True)
def normal_(self: Tensor, mean: float = 0, std: float = 1, *, generator=None) -> Tensor:
    """Fills the tensor with normal numbers.

    Float or complex; RuntimeError for std < 0.

    >>> torch.zeros(2, 3).normal_(1.0, 0.5).shape
    torch.Size([2, 3])
    """
    mean, std = _floats("normal_", {"mean": mean, "std": std})
    check_writable(self)
    check_kernel("normal_kernel_cpu", self.dtype, size=self.shape)
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    return _fill(
        self,
        generator,
        lambda size, blocks: gaussian(size, self.dtype, generator, float(mean), float(std), blocks),
    )


@composite(namespace="Tensor", method=True)
def exponential_(self: Tensor, lambd: float = 1, *, generator=None) -> Tensor:
    """Fills the tensor with exponentially distributed numbers of rate lambd.

    Float; RuntimeError for lambd <= 0.

    >>> bool((torch.zeros(9).exponential_() > 0).all())
    True
    """
    (lambd,) = _floats("exponential_", {"lambd": lambd})
    check_writable(self)
    d = self.dtype
    if d.category != 2 and self.numel():
        raise RuntimeError(
            "Exponential distribution is a continuous probability distribution. dtype must be a floating point but you "
            f"specified {d.scalar_name}"
        )
    check_kernel("exponential_cpu", d, size=self.shape)
    if not lambd > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")

    def make(size, _):
        source = exact_source(generator)
        if source is not None:
            return outside(source.exponential(math.prod(size), d, lambd).reshape(size))
        return affine(drawn("exponential", size, d, generator), 1 / lambd, 0.0)

    return _fill(self, generator, make)


@composite(namespace="Tensor", method=True)
def cauchy_(self: Tensor, median: float = 0, sigma: float = 1, *, generator=None) -> Tensor:
    """Fills the tensor with numbers that have Cauchy's distribution.

    Float; RuntimeError for sigma <= 0.

    >>> torch.zeros(2).cauchy_().shape
    torch.Size([2])
    """
    median, sigma = _floats("cauchy_", {"median": median, "sigma": sigma})
    check_writable(self)
    d = self.dtype
    if d.category != 2:
        raise RuntimeError(
            "Cauchy distribution is a continuous probability distribution. dtype must be a floating point but you "
            f"specified {d.cpp_name}"
        )
    check_kernel("cauchy_cpu", d)
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")

    def make(size, _):
        source = exact_source(generator)
        if source is not None:
            return outside(source.cauchy(math.prod(size), d, median, sigma).reshape(size))
        u = drawn("uniform", size, dtypes.float64, generator)
        return torch.tan(math.pi * (u - 0.5)) * sigma + median

    return _fill(self, generator, make)


@composite(namespace="Tensor", method=True)
def log_normal_(self: Tensor, mean: float = 1, std: float = 2, *, generator=None) -> Tensor:
    """Fills the tensor with numbers whose logarithms are normal with this mean and standard deviation.

    Float; RuntimeError for std <= 0.

    >>> bool((torch.zeros(9).log_normal_() > 0).all())
    True
    """
    mean, std = _floats("log_normal_", {"mean": mean, "std": std})
    check_writable(self)
    d = self.dtype
    check_kernel("log_normal_cpu", d, (2,), self.shape)
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")

    def make(size, _):
        source = exact_source(generator)
        if source is not None:
            return outside(source.log_normal(math.prod(size), d, mean, std).reshape(size))
        return torch.exp(gaussian(size, dtypes.float64, generator, float(mean), float(std)))

    return _fill(self, generator, make)


@composite(namespace="Tensor", method=True)
def geometric_(self: Tensor, p: float, *, generator=None) -> Tensor:
    """Fills the tensor with numbers of trials up to the first success, of probability p each.

    RuntimeError for p outside (0, 1).

    >>> bool((torch.zeros(9).geometric_(0.5) >= 1).all())
    True
    """
    (p,) = _floats("geometric_", {"p": p})
    check_writable(self)
    d = self.dtype
    check_kernel("geometric_cpu", d, (1, 2), self.shape)
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")

    def make(size, _):
        source = exact_source(generator)
        if source is not None:
            return outside(source.geometric(math.prod(size), d, p).reshape(size))
        u = drawn("uniform", size, dtypes.float64, generator)
        return torch.ceil(torch.log1p(-u) / math.log1p(-p)).clamp(min=1)

    return _fill(self, generator, make)


@composite(namespace="Tensor", method=True)
def bernoulli_(self: Tensor, p=0.5, *, generator=None) -> Tensor:
    """Fills the tensor with 0 and 1, the latter with probability p (a number, or a tensor that broadcasts to this one).

    RuntimeError for p outside [0, 1].

    >>> torch.zeros(2).bernoulli_(1.0)
    tensor([1., 1.])
    """
    check_writable(self)
    if not isinstance(p, Tensor):
        check_probability("bernoulli_", p)
        check_kernel("bernoulli_scalar_cpu_", self.dtype, (0, 1, 2), self.shape)
        return _fill(self, generator, lambda size, _: coins(size, p, generator))
    check_kernel("bernoulli_tensor_cpu_self_", self.dtype, (0, 1, 2), self.shape)
    check_kernel("bernoulli_tensor_cpu_p_", p.dtype, (2,), self.shape)
    if not self.numel():
        p.expand(tuple(self.shape))
        return self
    p = probabilities(p).expand(tuple(self.shape))
    return _overwrite(self, coins(tuple(self.shape), p, generator, p.dtype is dtypes.float64))


@composite(namespace="Tensor", method=True)
def random_(
    self: Tensor, from_: int | Unset = UNSET, /, to: int | Unset | None = UNSET, *, generator=None, **names
) -> Tensor:
    """Fills the tensor with integers: random_() up to what its dtype holds exactly, random_(to), random_(from, to).

    random_(from, None) has no upper bound but what the dtype holds exactly.

    RuntimeError for bounds that the dtype does not hold.

    >>> x = torch.zeros(9).random_(1, 3)
    >>> x.min() >= 1, x.max() < 3
    (tensor(True), tensor(True))
    """
    if "from" in names and to is UNSET:
        raise TypeError("random_() received an invalid combination of arguments - got (from=int, )")
    from_ = names.pop("from", from_)
    everything = from_ is UNSET and to is UNSET
    _no_more("random_", self, names)
    check_writable(self)
    d = self.dtype
    digits = DIGITS.get(d.name)
    top = (1 << digits) + 1 if digits else int(np.iinfo(d.np).max) + 1 if d.category == 1 else 2
    if everything:
        check_kernel("random_kernel_cpu", d, (0, 1, 2), self.shape)
        return _fill(self, generator, lambda size, _: _whole_range(size, top, d, generator))
    if from_ is None or (from_ is UNSET and to is None):
        raise TypeError("random_() received an invalid combination of arguments - got (NoneType)")
    if to is UNSET:  # random_(to)
        from_, to = 0, from_
    elif from_ is UNSET:
        from_ = 0
    from_ = checked(from_, INT, "random_", "from", 1)
    if to is None and digits and from_ >= top - 1:
        raise RuntimeError(
            "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but got "
            f"from={from_} > to_inc={top - 1}"
        )
    to = min(top, (1 << 63) - 1) if to is None else checked(to, INT, "random_", "to", 2)
    check_range(int(from_), int(to), d)  # type: ignore[arg-type]
    return _fill(self, generator, lambda size, _: integers(size, int(from_), int(to), generator))  # type: ignore[arg-type]


def _whole_range(size, top: int, d: DType, generator: Generator | None) -> Tensor:
    source = exact_source(generator)
    n = math.prod(size)
    if source is None:
        # below 2 ** 63 - 1: the last number of int64 is left out
        return integers(size, 0, min(top, (1 << 63) - 1), generator)
    words = source.long_words(n) if d.itemsize == 8 else source.words(n)
    return outside((words % np.uint64(top)).astype(np.int64).reshape(size))
