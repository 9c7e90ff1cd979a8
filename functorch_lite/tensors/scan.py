"""Along one dim: differences, and the trapezoid rule."""

from __future__ import annotations

from typing import Any

from .._core.api import UNSET, Tensor, composite, write_out
from .over_ops import over, plain_op

_diff = plain_op("diff")


@composite(method=True)
def diff(input: Tensor, n: int = 1, dim: int = -1, prepend=None, append=None, *, out=None) -> Tensor:
    """The n-th difference of neighbours along `dim`, after joining `prepend` and `append`; bool differs by exclusive
    or.

    For a dim without elements the result is the input itself, as in torch.

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


def _by_trapezoids(name, plain):
    """Its places and its step may be left out but not be None."""

    def fn(y: Tensor, x: Any = UNSET, *, dx: Any = UNSET, dim: int = -1) -> Tensor:
        none = "x" if x is None else "dx" if dx is None else ""
        if none:
            raise TypeError(f"{name}() received an invalid combination of arguments - got {none}=NoneType")
        if name == "trapz" and isinstance(dx, bool | complex):  # whose step is a double
            if isinstance(dx, complex):
                raise TypeError(f"{name}() received an invalid combination of arguments - got dx=complex")
            dx = float(dx)
        return plain(y, None if x is UNSET else x, dx=None if dx is UNSET else dx, dim=dim)

    return fn


over("trapezoid", "cumulative_trapezoid")(_by_trapezoids)
over("trapz", alias_of="trapezoid")(_by_trapezoids)
