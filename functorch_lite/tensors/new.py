"""What makes tensors: the keywords that all of it takes (dtype, device, requires_grad and the like), and what is done by them."""

from __future__ import annotations

from typing import Any

from .._core.api import (
    MOST_BYTES,
    PYTHON_DTYPES,
    Keywords,
    Tensor,
    check_memory,
    dtypes,
    strided_only,
    to_device,
    write_out,
)
from .._core.api import devices as devices
from .._core.api import dtype as DType

__all__ = ["ALL", "LATE", "LATE_NEW", "NEW", "TYPED", "Late", "New", "dtype_into", "finish", "plain_dtype"]


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
        raise TypeError(f"argument 'dtype' must be torch.dtype, not {type(d).__name__}")
    return d


def dtype_into(d: Any, out: Any, otherwise: DType | None = None) -> DType:
    """The dtype of what is made into `out=`, its own, which a `dtype=` may only repeat; without `out=` that of plain_dtype."""
    if not isinstance(out, Tensor):
        return plain_dtype(d, otherwise)
    made = out._aval.dtype
    if d is not None and plain_dtype(d) is not made:
        given = plain_dtype(d).scalar_name
        raise RuntimeError(f"dtype {given} does not match dtype of out parameter ({made.scalar_name})")
    return made


class New:
    """The keywords of one call of a function that makes a tensor."""

    __slots__ = ("device", "dtype", "layout", "out", "pin_memory", "requires_grad")
    refuses = True
    """Whether a layout that no tensor of numbers has is refused before the function looks at its other arguments."""

    def __init__(self, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
        self.out, self.dtype, self.layout, self.device = out, dtype, layout, device
        self.pin_memory, self.requires_grad = pin_memory, requires_grad
        if self.refuses and (layout is not None or pin_memory is not False):
            self.check_layout()

    def check_layout(self) -> None:
        """Raises for a `layout=` or `pin_memory=` that is not to be had."""
        strided_only(self.layout, self.pin_memory)

    def kind(self, otherwise: DType | None = None) -> DType:
        """The dtype: that asked for, that of `out=`, else `otherwise` or the default."""
        return dtype_into(self.dtype, self.out, otherwise)

    def elsewhere(self, t: Tensor) -> bool:
        """Whether another device is asked for than that of `t`."""
        return self.device is not None and devices.resolve(self.device) is not t._aval.device

    def beside(self, t: Tensor) -> New:
        """The same keywords, with the dtype and the device of `t` where none is asked for."""
        dtype = t.dtype if self.dtype is None else self.dtype
        device = t._aval.device if self.device is None else self.device
        return New(None, dtype, None, device, False, self.requires_grad)

    def finish(self, t: Tensor) -> Tensor:
        """The tensor that was made, on its device, written into `out=`, or as a leaf that requires grad."""
        return finish(t, self.device, self.requires_grad, self.out)


class Late(New):
    """Of a function that checks the layout itself, after what PyTorch looks at first."""

    refuses = False


_ORDER = "dtype layout device pin_memory requires_grad"
_CHECKED = {"dtype": "DType | None", "requires_grad": "bool | None"}

ALL: Any = Keywords(New, f"out {_ORDER}")
NEW: Any = Keywords(New, _ORDER)
"""Of functions without `out=`."""
LATE: Any = Keywords(Late, f"out {_ORDER}")
LATE_NEW: Any = Keywords(Late, _ORDER)
TYPED: Any = Keywords(New, f"out {_ORDER}", **_CHECKED)
"""With a dtype and a requires_grad that are checked as arguments of the function."""
