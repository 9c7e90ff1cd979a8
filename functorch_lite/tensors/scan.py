"""Along one dim: running extremes, differences, the trapezoid rule."""

from __future__ import annotations

from typing import Any

from .._core.api import OPS, UNSET, Tensor, bind, composite, int64, make_function, write_out


def _running_extreme(name: str) -> None:
    """torch.cummax and torch.cummin: the dtypes of `out=` are looked at before anything else."""
    plain = bind.make_function(OPS[name], name)

    def fn(input: Tensor, dim: int, *, out=None):
        for t, expected in zip(out if isinstance(out, tuple | list) else (), (input.dtype, int64)):
            if isinstance(t, Tensor) and t.dtype is not expected:
                raise RuntimeError(
                    f"expected scalar_type {expected.scalar_name} but found {t.dtype.scalar_name}"
                )
        return plain(input, dim, out=out)

    fn.__name__, fn.__doc__ = name, plain.__doc__
    composite(fn)


_running_extreme("cummax")


_running_extreme("cummin")


_diff = bind.make_function(OPS["diff"], "diff")


@composite(method=True)
def diff(input: Tensor, n: int = 1, dim: int = -1, prepend=None, append=None, *, out=None) -> Tensor:
    """The n-th difference of neighbours along `dim`, after joining `prepend` and `append`; bool differs by exclusive or.

    Of a dim without elements it is the input itself, as torch's.

    >>> torch.diff(torch.tensor([1.0, 4.0, 9.0]))
    tensor([3., 5.])
    """
    if n == 0 and isinstance(out, Tensor) and out.dtype is not input.dtype:  # a copy, where others are casts
        names = (input.dtype.cpp_name, out.dtype.cpp_name)
        raise RuntimeError("expected scalar_type {} but found {}".format(*names))
    result = _diff(input, n, dim, prepend, append)
    nothing = n > 0 and not sum([t.shape[dim] for t in (prepend, input, append) if t is not None])
    if out is not None:
        if nothing:  # torch takes a part of it then
            raise IndexError("start out of range (expected to be in range of [0, 0], but got 1)")
        return write_out(out, result)  # type: ignore[return-value]
    return input if nothing and prepend is None and append is None else result


def _by_trapezoids(name: str, op: str) -> None:
    """The op of this name, whose places and whose step may be left out but not be None."""
    plain = make_function(OPS[op], name)

    def fn(y: Tensor, x: Any = UNSET, *, dx: Any = UNSET, dim: int = -1) -> Tensor:
        none = "x" if x is None else "dx" if dx is None else ""
        if none:
            raise TypeError(f"{name}() received an invalid combination of arguments - got {none}=NoneType")
        if name == "trapz" and isinstance(dx, bool | complex):  # whose step is a double
            if isinstance(dx, complex):
                raise TypeError(f"{name}() received an invalid combination of arguments - got dx=complex")
            dx = float(dx)
        return plain(y, None if x is UNSET else x, dx=None if dx is UNSET else dx, dim=dim)

    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = OPS[op].__doc__
    composite(fn)


for _name, _op in (
    ("trapezoid", "trapezoid"),
    ("trapz", "trapezoid"),
    ("cumulative_trapezoid", "cumulative_trapezoid"),
):
    _by_trapezoids(_name, _op)
