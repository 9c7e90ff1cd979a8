"""Arithmetic that asks more than its op: `out=` of clamp, and float_power in place."""

from __future__ import annotations

from .._core.api import Tensor, check_apart, composite, write_inplace, write_out
from .over_ops import over


def _clamp(name, plain):
    """clamp as a function: writes into `out=`, which has the input's dtype if the bounds are numbers."""

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

    return fn


over("clamp")(_clamp)
over("clip", alias_of="clamp")(_clamp)


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
