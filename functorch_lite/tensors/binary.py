"""Functions of two tensors, either of which may be a number: what they take, and integers divided by 0."""

from __future__ import annotations

from .._core.api import (
    OPS,
    Tensor,
    bind,
    check_apart,
    check_divisor,
    composite,
    invalid_combination,
    is_scalar,
    write_inplace,
    write_out,
)


def _of_tensors(name: str) -> None:
    """A function of two arguments each of which, but not both, may be a number. As a method its first is a tensor anyway."""
    plain = bind.make_function(OPS[name], name)

    def fn(input, other, *, out=None):
        numbers = is_scalar(input) and is_scalar(other)
        into = out is not None and name != "xlogy"  # of a number first only xlogy has it
        if numbers or (into and not isinstance(input, Tensor)):
            raise invalid_combination(name, input, other)
        return plain(input, other, out=out)

    fn.__name__, fn.__doc__ = name, plain.__doc__
    composite(fn)


for _name in (
    "remainder", "xlogy", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift",
):  # fmt: skip
    _of_tensors(_name)


def _clamp(name: str) -> None:
    """clamp as a function: into `out=`, which has the input's dtype beside bounds that are numbers."""
    plain = bind.make_function(OPS["clamp"], name)

    def fn(input, min=None, max=None, *, out=None):
        result = plain(input, min, max)
        if out is None:
            return result
        tensors = isinstance(min, Tensor) or isinstance(max, Tensor)
        if isinstance(out, Tensor) and not tensors and out.dtype is not result.dtype:
            found, expected = out.dtype.scalar_name, result.dtype.scalar_name
            raise RuntimeError(f"Found dtype {found} but expected {expected}")
        check_apart(out, ("input", "min", "max"), (input, min, max))
        return write_out(out, result)

    fn.__name__, fn.__doc__ = name, plain.__doc__
    composite(fn)


_clamp("clamp")


_clamp("clip")


_float_power = bind.make_function(OPS["float_power"], "float_power")


@composite
def float_power(input, exponent, *, out=None) -> Tensor:
    """input ** exponent in float64, or complex128 when either is complex; `out=` has that dtype.

    The two broadcast.

    >>> torch.float_power(torch.tensor([2, 3]), 2)
    tensor([4., 9.], dtype=torch.float64)
    """
    result = _float_power(input, exponent)
    if out is None:
        return result
    if isinstance(out, Tensor) and out.dtype is not result.dtype:
        raise RuntimeError(
            f"the output given to float_power has dtype {out.dtype.scalar_name} but the operation's result requires dtype "
            f"{result.dtype.scalar_name}"
        )
    return write_out(out, result)  # type: ignore[return-value]


@composite(namespace="Tensor", method=True)
def float_power_(self: Tensor, exponent) -> Tensor:
    """self ** exponent, in place: of a float64 or complex128 tensor, as these are the dtypes that `float_power` gives.

    RuntimeError for other dtypes.

    >>> torch.tensor([2., 3.], dtype=torch.float64).float_power_(2)
    tensor([4., 9.], dtype=torch.float64)
    """
    made = self.float_power(exponent)
    if made.dtype is not self.dtype:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {self.dtype.scalar_name} but the operation's result requires dtype "
            f"{made.dtype.scalar_name}"
        )
    return write_inplace(self, made)


for _name in ("floor_divide", "remainder", "fmod"):
    OPS[_name].asks += (("isinstance(other, Tensor)", "input, other", check_divisor),)


OPS["div"].asks += (
    ("rounding_mode is not None and isinstance(other, Tensor)", "input, other", check_divisor),
)
