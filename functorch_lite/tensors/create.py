"""Making tensors: filled, ranges, windows; the arguments dtype, device and requires_grad that all of them take."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._core.api import (
    OPS,
    SYMINT,
    UNSET,
    Keywords,
    SymInt,
    Tensor,
    advise,
    apply,
    bind,
    cannot_allocate,
    check_memory,
    check_memory_format,
    checked,
    composite,
    dtypes,
    from_array,
    is_scalar,
    no_kernel,
    number_dtype,
    plain_number,
    preserve_format,
    python_number,
    spread_size,
    to_number_argument,
    to_real_argument,
)
from .._core.api import devices as devices
from .._core.api import dtype as DType
from ..ops.create import numbers_before
from .new import ALL, LATE, LATE_NEW, NEW, New


def _filled(name: str) -> None:
    def create(
        *spread,
        size=None,
        new: New = LATE,
        memory_format=UNSET,
    ):
        if memory_format is not UNSET and name != "empty":
            raise TypeError(f"{name}() got an unexpected keyword argument 'memory_format'")
        new.check_layout()
        size = spread_size(spread, size, name, "size", 1)
        if memory_format is not UNSET:
            check_memory_format(name, memory_format, len(size))
            if memory_format is preserve_format:
                raise RuntimeError("unsupported memory format Preserve")
        return new.finish(apply(OPS[f"create.{name}"], (size, new.kind()), ()))

    create.__name__ = create.__qualname__ = name
    create.__doc__ = OPS[f"create.{name}"].__doc__ if f"create.{name}" in OPS else None
    composite(create)


for _name in ("zeros", "ones", "empty"):
    _filled(_name)


zeros = bind.functions.zeros


_KINDS = (bool, int, float, complex)
"""Of Python numbers: what tensors without dims stand for, by the category of their dtype."""


def _fill_number(x: Any, who: str, position: int) -> Any:
    """`fill_value` as a Python number or a tensor of no dimensions; PyTorch takes numpy's bools for floats."""
    if isinstance(x, Tensor) and not x.ndim and not x.requires_grad:
        return x.item() if x.dtype.is_complex else x
    if is_scalar(x):
        return plain_number(python_number(x))
    raise TypeError(
        f"{who}(): argument 'fill_value' (position {position}) must be Number, not {type(x).__name__}"
    )


@composite
def full(size, fill_value, *, new: New = LATE) -> Tensor:
    """A tensor of `size` filled with a number; its dtype follows the number.

    >>> torch.full((2,), 3.5)
    tensor([3.5000, 3.5000])
    """
    fill_value = _fill_number(fill_value, "full", 2)
    new.check_layout()
    number = _KINDS[fill_value.dtype.category] if isinstance(fill_value, Tensor) else type(fill_value)
    d = new.kind(number_dtype(number))
    size = spread_size((), size, "full", "size", 1)
    return new.finish(apply(OPS["create.full"], (size, d), (fill_value,)))


_OF_METHODS: Any = Keywords(New, "dtype device requires_grad layout pin_memory")


def _like(name: str) -> None:
    def create(
        input: Tensor,
        *,
        new: New = NEW,
        memory_format=None,
    ):
        check_memory_format(f"{name}_like", memory_format, input.ndim)
        op = OPS[f"create.{name}_like"]
        d = new.kind(input._aval.dtype)
        if new.elsewhere(input):
            return getattr(bind.functions, name)(
                input._aval.shape, dtype=d, device=new.device, requires_grad=new.requires_grad
            )
        return new.beside(input).finish(apply(op, (d,), (input.detach(),)))

    create.__name__ = create.__qualname__ = f"{name}_like"
    create.__doc__ = f"A tensor like `input` in shape, dtype and device: torch.{name}_like.\n\n    >>> torch.{name}_like(torch.rand(2, 3)).shape\n    torch.Size([2, 3])\n    "
    composite(create)

    def method(self, *spread, size=None, new: New = _OF_METHODS):
        size = spread_size(spread, size, f"new_{name}", "size", 1)
        d = new.beside(self)
        return getattr(bind.functions, name)(
            size, dtype=d.dtype, device=d.device, requires_grad=d.requires_grad
        )

    method.__name__ = method.__qualname__ = f"new_{name}"
    method.__doc__ = f"torch.{name} with this tensor's dtype and device.\n\n    >>> torch.rand(2).new_{name}((2, 3)).shape\n    torch.Size([2, 3])\n    "
    composite(method, namespace="Tensor", method=True)


for _name in ("zeros", "ones", "empty"):
    _like(_name)


@composite
def full_like(input: Tensor, fill_value, *, new: New = LATE_NEW, memory_format=None) -> Tensor:
    """A tensor of input's shape filled with a number.

    >>> torch.full_like(torch.ones(2), 7)
    tensor([7., 7.])
    """
    fill_value = _fill_number(fill_value, "full_like", 2)
    new.check_layout()
    check_memory_format("full_like", memory_format, input.ndim)
    d = new.kind(input._aval.dtype)
    if new.elsewhere(input):
        return full(input._aval.shape, fill_value, new=new.beside(input))
    made = apply(OPS["create.full_like"], (d,), (input.detach(), fill_value))
    return new.beside(input).finish(made)


@composite(namespace="Tensor", method=True)
def new_full(self, size, fill_value, *, new: New = LATE_NEW) -> Tensor:
    """torch.full with this tensor's dtype and device.

    >>> torch.ones(2, dtype=torch.int64).new_full((2, 2), 7)
    tensor([[7, 7],
            [7, 7]])
    """
    fill_value = _fill_number(fill_value, "new_full", 2)
    new.check_layout()
    return full(size, fill_value, new=new.beside(self))


def to_number(x: Any, who: str, name: str, position: int) -> Any:
    """A Python number, NumPy's, or that of a tensor without dims and gradient; TypeError for anything else."""
    x = to_number_argument(x, who, name, position, False)
    return x.item() if isinstance(x, Tensor) else x


def _given(name: str, **arguments) -> None:
    """Raises torch's error for numbers that may be left out but not be None."""
    none = next((n for n, x in arguments.items() if x is None), None)
    if none is not None:
        raise TypeError(f"{name}() received an invalid combination of arguments - got {none}=NoneType")


_ranges: dict[tuple, tuple[tuple, tuple]] = {}
"""What `arange` applies its op to, by the ints that it was given alone."""


MOST_RANGES = 4_096


_ONLY_INT = frozenset((int,))


@composite
def arange(*given, start: Any = UNSET, end: Any = UNSET, step: Any = UNSET, new: New = ALL) -> Tensor:
    """Numbers from start (0) up to but not including end, in steps: arange(end), arange(start, end, step).

    >>> torch.arange(1, 7, 2)
    tensor([1, 3, 5])
    """
    out, ints = new.out, _ONLY_INT.issuperset(map(type, given))
    plain = start is end is step is UNSET and out is new.dtype is None and ints
    known = _ranges.get(given) if plain else None
    if known is not None:  # hot path
        return new.finish(apply(OPS["create.arange"], *known))
    named = {n: x for n, x in (("start", start), ("end", end), ("step", step)) if x is not UNSET}
    alone = len(given) + len(named) == 1 and not {"start", "step"} & named.keys()
    names = ("end",) if alone else ("start", "end", "step")
    limits = {**dict(zip(names, given, strict=False)), **named}
    _given("arange", **limits)
    if "end" not in limits:
        raise TypeError('arange() missing 1 required positional arguments: "end"')
    twice = len(limits) < len(given) + len(named)
    if twice or ("step" in limits and "start" not in limits):
        raise TypeError(
            "arange() received an invalid combination of arguments: it takes an end, a start and an end, or those and a step"
        )
    start, end, step = limits.get("start", 0), limits["end"], limits.get("step", 1)
    start, step = to_number(start, "arange", "start", 1), to_number(step, "arange", "step", 3)
    end = to_number(end, "arange", "end", len(limits.keys() & {"start"}) + 1)
    integers = all(isinstance(x, int) for x in (start, end, step))
    d = new.kind(dtypes.int64 if integers else None)
    first, step, count, d = numbers_before(start, end, step, d)
    made = apply(OPS["create.arange"], (count, d), (first, step))
    if plain and len(_ranges) < MOST_RANGES:
        _ranges[given] = (count, d), (first, step)
    if isinstance(out, Tensor) and 0 != out.numel() != made.numel():
        advise(
            f"The number of elements in the out tensor of shape {list(out.shape)} is {out.numel()} which does not match the computed "
            f"number of elements {made.numel()}. Note that this may occur as a result of rounding error. The out tensor will be resized "
            f"to a tensor of shape ({made.numel()},).",
            once=False,
        )
    return new.finish(made)


def _spaced(name: str) -> None:
    op_name = f"create.{name}"

    def create(
        start,
        end,
        steps: int,
        base=10.0,
        *,
        new: New = ALL,
    ):
        start, end = (
            x.detach() if isinstance(x, Tensor) else to_number_argument(x, name, argument, position, False)
            for x, argument, position in ((start, "start", 1), (end, "end", 2))
        )
        base = to_real_argument(base, name, "base", 4, False)
        op = OPS[op_name]
        d = new.kind(_spaced_dtype(start, end))
        static, inputs = [], []
        for p in op.params:
            value = {"start": start, "end": end, "steps": steps, "base": base, "dtype": d}[p.name]
            if p.kind in ("array", "number"):
                inputs.append(value)
            else:
                static.append((type(value), value) if p.typed else value)
        return new.finish(apply(op, tuple(static), tuple(inputs)))

    def without_base(start, end, steps: int, *, new: New = ALL):
        return create(start, end, steps, new=new)

    made = create if name == "logspace" else without_base
    made.__name__ = made.__qualname__ = name
    made.__doc__ = OPS[op_name].__doc__
    composite(made)


def _spaced_dtype(*ends) -> DType | None:
    whole = any(e.dtype.is_complex if isinstance(e, Tensor) else isinstance(e, complex) for e in ends)
    return dtypes.default_dtype().to_complex() if whole else None


_spaced("linspace")
_spaced("logspace")


@composite
def eye(n: SymInt, m: Any = UNSET, *, new: New = ALL) -> Tensor:
    """Ones on the diagonal, zeros elsewhere: shape (n, m or n).

    >>> torch.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    _given("eye", n=n, m=m)
    m = None if m is UNSET else checked(m, SYMINT, "eye", "m", 2)
    return new.finish(apply(OPS["create.eye"], (int(n), m, new.kind()), ()))


def _triangle(name: str) -> None:
    def create(row: int, col: int, offset: int = 0, *, new: New = NEW):
        d = new.kind(dtypes.int64)
        return new.finish(apply(OPS[f"create.{name}"], (row, col, offset, d), ()))

    create.__name__ = create.__qualname__ = name
    create.__doc__ = OPS[f"create.{name}"].__doc__
    composite(create)


_triangle("tril_indices")
_triangle("triu_indices")


def _window(name: str) -> None:
    further = [p.name for p in OPS[f"create.{name}"].params if not p.keyword_only][1:]
    """In PyTorch's overloads each of these needs the one before."""

    def create(window_length, *args, new: New = ALL, **kwargs):
        if new.out is not None:
            raise TypeError(f"{name}() received an invalid combination of arguments: it takes no out=")
        for given, before in zip(further[1:], further):
            if given in kwargs and before not in kwargs and further.index(before) >= len(args):
                raise TypeError(
                    f"{name}() received an invalid combination of arguments - got {given}= without {before}="
                )
        made = bind.make_function(OPS[f"create.{name}"], name)(
            window_length, *args, dtype=new.kind(), **kwargs
        )
        return new.finish(made)

    create.__name__ = create.__qualname__ = name
    create.__doc__ = OPS[f"create.{name}"].__doc__
    composite(create)


for _name in ("hann_window", "hamming_window", "blackman_window", "bartlett_window", "kaiser_window"):
    _window(_name)


@composite(name="range")
def inclusive_range(
    start, end, step=1, *, new: New = Keywords(New, "out dtype layout device requires_grad")
) -> Tensor:
    """Numbers from start to end, including end, in steps; floating point by default. `arange` is what replaced it.

    RuntimeError for a step of 0 or in the other direction.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.range(1, 3)
    tensor([1., 2., 3.])
    """
    advise(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with Python's range "
        "builtin. Instead, use torch.arange, which produces values in [start, end).",
        once=False,
    )
    start, end, step = (
        to_number(x, "range", what, position)
        for position, (what, x) in enumerate((("start", start), ("end", end), ("step", step)), 1)
    )
    if any(isinstance(x, complex) for x in (start, end, step)):
        raise RuntimeError("value cannot be converted to type double without overflow")
    d = new.kind()
    if d.category in (0, 3):
        raise no_kernel("range_cpu", d)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {float(start):g} -> {float(end):g}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    exact = np.float64 if d.category >= 2 else np.int64
    if exact is np.int64:  # which all three become before anything is counted
        start, end, step = int(start), int(end), int(step)
        if step == 0:
            raise RuntimeError("step must be nonzero")
    count = math.floor((end - start) / step) + 1
    check_memory((count,), d.itemsize)
    try:
        values = (exact(start) + exact(step) * np.arange(count, dtype=exact)).astype(d.np)
    except MemoryError:
        raise cannot_allocate(count * d.itemsize) from None
    return new.finish(from_array(values))
