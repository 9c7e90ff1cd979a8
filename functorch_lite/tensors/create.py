"""Making tensors: filled, ranges, windows; the arguments dtype, device and requires_grad that all of them take."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._core.api import (
    MOST_BYTES,
    OPS,
    PYTHON_DTYPES,
    SYMINT,
    UNSET,
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
    refuse_pytorchs,
    spread_size,
    strided_only,
    to_device,
    to_number_argument,
    to_real_argument,
    write_out,
)
from .._core.api import devices as devices
from .._core.api import dtype as DType
from ..ops.create import numbers_before


def finish(t: Tensor, device, requires_grad: bool, out: Tensor | None = None) -> Tensor:
    """Puts a new tensor on its device and makes it a leaf that requires grad, if asked to."""
    if requires_grad.__class__ is not bool and requires_grad is not None:
        raise TypeError(f"argument 'requires_grad' must be bool, not {type(requires_grad).__name__}")
    where = devices.resolve(device)
    if t._aval.nbytes > MOST_BYTES and where is not devices.META:
        check_memory(t._aval.shape, t._aval.dtype.itemsize)
    if t._aval.device is not where:
        t = to_device(t, where)
    if out is not None:
        return write_out(out, t, advised=False)  # type: ignore
    if not requires_grad:
        return t
    if not t._aval.taped:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return t.requires_grad_(True)  # type: ignore[attr-defined]


def plain_dtype(d: Any, otherwise: DType | None = None) -> DType:
    """A `dtype=` argument as a dtype; None gives `otherwise`, or the default dtype."""
    if d is None:
        return otherwise or dtypes.default_dtype()
    if isinstance(d, type):
        d = PYTHON_DTYPES.get(d, d)
    if not isinstance(d, DType):
        refuse_pytorchs(d)
        raise TypeError(f"argument 'dtype' must be torch.dtype, not {type(d).__name__}")
    return d


def dtype_into(d: Any, out: Any, otherwise: DType | None = None) -> DType:
    """The dtype of a result that is written into `out=`: out's own, which `dtype=` may only repeat; without `out=`
    the result of plain_dtype."""
    if not isinstance(out, Tensor):
        return plain_dtype(d, otherwise)
    made = out._aval.dtype
    if d is not None and plain_dtype(d) is not made:
        given = plain_dtype(d).scalar_name
        raise RuntimeError(f"dtype {given} does not match dtype of out parameter ({made.scalar_name})")
    return made


def _filled(name: str) -> None:
    def create(
        *spread,
        size=None,
        out=None,
        dtype=None,
        layout=None,
        device=None,
        pin_memory=False,
        requires_grad=False,
        memory_format=UNSET,
    ):
        if memory_format is not UNSET and name != "empty":
            raise TypeError(f"{name}() got an unexpected keyword argument 'memory_format'")
        strided_only(layout, pin_memory)
        size = spread_size(spread, size, name, "size", 1)
        if memory_format is not UNSET:
            check_memory_format(name, memory_format, len(size))
            if memory_format is preserve_format:
                raise RuntimeError("unsupported memory format Preserve")
        d = dtype_into(dtype, out)
        return finish(apply(OPS[f"create.{name}"], (size, d), ()), device, requires_grad, out)

    create.__name__ = create.__qualname__ = name
    create.__doc__ = OPS[f"create.{name}"].__doc__ if f"create.{name}" in OPS else None
    composite(create)


for _name in ("zeros", "ones", "empty"):
    _filled(_name)


zeros = bind.functions.zeros


_KINDS = (bool, int, float, complex)
"""Types of Python numbers that tensors without dims stand for, by the category of their dtype."""


def _fill_number(x: Any, who: str, position: int) -> Any:
    """`fill_value` as a Python number or a tensor of no dimensions; PyTorch takes numpy's bools for floats."""
    if isinstance(x, Tensor) and not x.ndim and not x.requires_grad:
        return x.item() if x.dtype.is_complex else x
    if is_scalar(x):
        return plain_number(python_number(x))
    refuse_pytorchs(x)
    raise TypeError(
        f"{who}(): argument 'fill_value' (position {position}) must be Number, not {type(x).__name__}"
    )


@composite
def full(
    size,
    fill_value,
    *,
    out=None,
    dtype=None,
    layout=None,
    device=None,
    pin_memory=False,
    requires_grad=False,
) -> Tensor:
    """A tensor of `size` filled with a number; its dtype follows the number.

    >>> torch.full((2,), 3.5)
    tensor([3.5000, 3.5000])
    """
    fill_value = _fill_number(fill_value, "full", 2)
    strided_only(layout, pin_memory)
    d = dtype_into(
        dtype,
        out,
        number_dtype(
            _KINDS[fill_value.dtype.category] if isinstance(fill_value, Tensor) else type(fill_value)
        ),
    )
    size = spread_size((), size, "full", "size", 1)
    return finish(apply(OPS["create.full"], (size, d), (fill_value,)), device, requires_grad, out)


def _like(name: str) -> None:
    def create(
        input: Tensor,
        *,
        dtype=None,
        layout=None,
        device=None,
        pin_memory=False,
        requires_grad=False,
        memory_format=None,
    ):
        strided_only(layout, pin_memory)
        check_memory_format(f"{name}_like", memory_format, input.ndim)
        op = OPS[f"create.{name}_like"]
        d = plain_dtype(dtype, input._aval.dtype)
        if device is not None and devices.resolve(device) is not input._aval.device:
            return getattr(bind.functions, name)(
                input._aval.shape, dtype=d, device=device, requires_grad=requires_grad
            )
        made = apply(op, (d,), (input.detach(),))
        return finish(made, input._aval.device if device is None else device, requires_grad)

    create.__name__ = create.__qualname__ = f"{name}_like"
    create.__doc__ = f"A tensor like `input` in shape, dtype and device: torch.{name}_like.\n\n    >>> torch.{name}_like(torch.rand(2, 3)).shape\n    torch.Size([2, 3])\n    "
    composite(create)

    def new(
        self, *spread, size=None, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False
    ):
        strided_only(layout, pin_memory)
        return getattr(bind.functions, name)(
            spread_size(spread, size, f"new_{name}", "size", 1),
            dtype=self._aval.dtype if dtype is None else dtype,
            device=self._aval.device if device is None else device,
            requires_grad=requires_grad,
        )

    new.__doc__ = f"torch.{name} with this tensor's dtype and device.\n\n    >>> torch.rand(2).new_{name}((2, 3)).shape\n    torch.Size([2, 3])\n    "
    composite(new, namespace="Tensor", method=f"new_{name}", name=f"new_{name}")


for _name in ("zeros", "ones", "empty"):
    _like(_name)


@composite
def full_like(
    input: Tensor,
    fill_value,
    *,
    dtype=None,
    layout=None,
    device=None,
    pin_memory=False,
    requires_grad=False,
    memory_format=None,
) -> Tensor:
    """A tensor of input's shape filled with a number.

    >>> torch.full_like(torch.ones(2), 7)
    tensor([7., 7.])
    """
    fill_value = _fill_number(fill_value, "full_like", 2)
    strided_only(layout, pin_memory)
    check_memory_format("full_like", memory_format, input.ndim)
    d = plain_dtype(dtype, input._aval.dtype)
    if device is not None and devices.resolve(device) is not input._aval.device:
        return full(input._aval.shape, fill_value, dtype=d, device=device, requires_grad=requires_grad)
    made = apply(OPS["create.full_like"], (d,), (input.detach(), fill_value))
    return finish(made, input._aval.device if device is None else device, requires_grad)


@composite(namespace="Tensor", method=True)
def new_full(
    self,
    size,
    fill_value,
    *,
    dtype=None,
    layout=None,
    device=None,
    pin_memory=False,
    requires_grad=False,
) -> Tensor:
    """torch.full with this tensor's dtype and device.

    >>> torch.ones(2, dtype=torch.int64).new_full((2, 2), 7)
    tensor([[7, 7],
            [7, 7]])
    """
    fill_value = _fill_number(fill_value, "new_full", 2)
    strided_only(layout, pin_memory)
    return full(
        size,
        fill_value,
        dtype=self.dtype if dtype is None else dtype,
        device=self.device if device is None else device,
        requires_grad=requires_grad,
    )


def to_number(x: Any, who: str, name: str, position: int) -> Any:
    """A Python number from a number of Python or NumPy, or from a tensor without dims and gradient; TypeError for
    anything else."""
    x = to_number_argument(x, who, name, position, False)
    return x.item() if isinstance(x, Tensor) else x


def _given(name: str, **arguments) -> None:
    """Raises torch's error for numbers that may be left out but not be None."""
    none = next((n for n, x in arguments.items() if x is None), None)
    if none is not None:
        raise TypeError(f"{name}() received an invalid combination of arguments - got {none}=NoneType")


_ranges: dict[tuple, tuple[tuple, tuple]] = {}
"""(static arguments, operands) that `arange` applies its op to, by the ints that it was given alone."""


MOST_RANGES = 4_096


_ONLY_INT = frozenset((int,))


@composite
def arange(
    *given,
    start: Any = UNSET,
    end: Any = UNSET,
    step: Any = UNSET,
    out=None,
    dtype=None,
    layout=None,
    device=None,
    pin_memory=False,
    requires_grad=False,
) -> Tensor:
    """Numbers from start (0) up to but not including end, in steps: arange(end), arange(start, end, step).

    >>> torch.arange(1, 7, 2)
    tensor([1, 3, 5])
    """
    plain = start is end is step is UNSET and out is dtype is None and _ONLY_INT.issuperset(map(type, given))
    known = _ranges.get(given) if plain else None
    strided_only(layout, pin_memory)
    if known is not None:  # hot path
        return finish(apply(OPS["create.arange"], *known), device, requires_grad)
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
    d = dtype_into(dtype, out, dtypes.int64 if integers else None)
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
    return finish(made, device, requires_grad, out)


def _spaced(name: str, extra: tuple = ()) -> None:
    op_name = f"create.{name}"

    def create(
        start,
        end,
        steps: int,
        base=10.0,
        *,
        out=None,
        dtype=None,
        layout=None,
        device=None,
        pin_memory=False,
        requires_grad=False,
    ):
        strided_only(layout, pin_memory)
        start, end = (
            x.detach() if isinstance(x, Tensor) else to_number_argument(x, name, argument, position, False)
            for x, argument, position in ((start, "start", 1), (end, "end", 2))
        )
        base = to_real_argument(base, name, "base", 4, False)
        op = OPS[op_name]
        d = dtype_into(dtype, out, _spaced_dtype(start, end))
        static, inputs = [], []
        for p in op.params:
            value = {"start": start, "end": end, "steps": steps, "base": base, "dtype": d}[p.name]
            if p.kind in ("array", "number"):
                inputs.append(value)
            else:
                static.append((type(value), value) if p.typed else value)
        return finish(apply(op, tuple(static), tuple(inputs)), device, requires_grad, out)

    def without_base(
        start,
        end,
        steps: int,
        *,
        out=None,
        dtype=None,
        layout=None,
        device=None,
        pin_memory=False,
        requires_grad=False,
    ):
        return create(
            start,
            end,
            steps,
            out=out,
            dtype=dtype,
            layout=layout,
            device=device,
            pin_memory=pin_memory,
            requires_grad=requires_grad,
        )

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
def eye(
    n: SymInt,
    m: Any = UNSET,
    *,
    out=None,
    dtype=None,
    layout=None,
    device=None,
    pin_memory=False,
    requires_grad=False,
) -> Tensor:
    """Ones on the diagonal, zeros elsewhere: shape (n, m or n).

    >>> torch.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    strided_only(layout, pin_memory)
    _given("eye", n=n, m=m)
    m = None if m is UNSET else checked(m, SYMINT, "eye", "m", 2)
    return finish(
        apply(OPS["create.eye"], (int(n), m, dtype_into(dtype, out)), ()),
        device,
        requires_grad,
        out,
    )


def _triangle(name: str) -> None:
    def create(
        row: int,
        col: int,
        offset: int = 0,
        *,
        dtype=None,
        layout=None,
        device=None,
        pin_memory=False,
        requires_grad=False,
    ):
        strided_only(layout, pin_memory)
        d = plain_dtype(dtype, dtypes.int64)
        return finish(apply(OPS[f"create.{name}"], (row, col, offset, d), ()), device, requires_grad)

    create.__name__ = create.__qualname__ = name
    create.__doc__ = OPS[f"create.{name}"].__doc__
    composite(create)


_triangle("tril_indices")
_triangle("triu_indices")


def _window(name: str) -> None:
    further = [p.name for p in OPS[f"create.{name}"].params if not p.keyword_only][1:]
    """In PyTorch's overloads each of these needs the one before."""

    def create(
        window_length,
        *args,
        out=None,
        dtype=None,
        layout=None,
        device=None,
        pin_memory=False,
        requires_grad=False,
        **kwargs,
    ):
        strided_only(layout, pin_memory)
        if out is not None:
            raise TypeError(f"{name}() received an invalid combination of arguments: it takes no out=")
        for given, before in zip(further[1:], further):
            if given in kwargs and before not in kwargs and further.index(before) >= len(args):
                raise TypeError(
                    f"{name}() received an invalid combination of arguments - got {given}= without {before}="
                )
        made = bind.make_function(OPS[f"create.{name}"], name)(
            window_length, *args, dtype=plain_dtype(dtype), **kwargs
        )
        return finish(made, device, requires_grad)

    create.__name__ = create.__qualname__ = name
    create.__doc__ = OPS[f"create.{name}"].__doc__
    composite(create)


for _name in ("hann_window", "hamming_window", "blackman_window", "bartlett_window", "kaiser_window"):
    _window(_name)


@composite(name="range")
def inclusive_range(
    start, end, step=1, *, out=None, dtype=None, layout=None, device=None, requires_grad=False
) -> Tensor:
    """Numbers from start to end, including end, in steps; floating point by default. `arange` is what replaced it.

    RuntimeError for a step of 0 or in the other direction.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.range(1, 3)
    tensor([1., 2., 3.])
    """
    strided_only(layout)
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
    d = dtype_into(dtype, out)
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
    return finish(from_array(values), device, requires_grad, out)
