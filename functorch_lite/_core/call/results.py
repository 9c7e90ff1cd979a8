"""Where an op's result goes when it is not a new tensor: cast, written into the first argument (in place), or into
`out=`."""

from __future__ import annotations

from ..declare.op import OPS, UNSET
from ..lazy.apply import apply, read, write
from ..lazy.dependence import requires_grad
from ..lazy.recorder import state
from ..lazy.tensor import Tensor, set_cell
from ..run.executor import force
from ..words.advice import about_imaginary, advise
from ..words.dtypes import dtype
from ..words.errors import wrap_dim
from ..words.promote import can_cast
from .gate import wrong_type

__all__ = ["cast", "check_outs", "dtype_into", "same_dtype", "write_inplace", "write_out"]


def cast(x: Tensor, to: dtype) -> Tensor:
    """x with another dtype; x itself when it has it already."""
    have = x._aval.dtype
    if have is to:
        return x
    about_imaginary(have, to)
    return apply(OPS["_cast"], (to,), (x,))


def write_inplace(t: Tensor, result: Tensor) -> Tensor:
    """Writes an in-place op's result into its first argument, with torch's checks of shape and dtype."""
    a, r = t._aval, result._aval
    if r is not a:
        if r.shape != a.shape:
            raise RuntimeError(
                f"output with shape {list(a.shape)} doesn't match the broadcast shape {list(r.shape)}"
            )
        if r.dtype is not a.dtype:
            if not can_cast(r.dtype, a.dtype):
                raise RuntimeError(
                    f"result type {r.dtype.scalar_name} can't be cast to the desired output type {a.dtype.scalar_name}"
                )
            result = cast(result, a.dtype)
    if result._edge is None:
        return write(t, result)
    node = result._edge[0]
    node.forget(t._cell)  # an op may overwrite its own input: what it saved is the old value
    write(t, result)
    node.watch_result(t._cell)
    return t


def same_dtype(t: Tensor, given: dtype | None, dim: int) -> dtype:
    """The dtype that an in-place form along `dim` computes in: the tensor's own, which is all that dtype= may be."""
    if given is not None and given is not t._aval.dtype:
        wrap_dim(dim, len(t._aval.shape))
        raise RuntimeError(
            f"Bad in-place call: input tensor dtype {t._aval.dtype.scalar_name} and output tensor dtype {given.scalar_name} "
            "should match"
        )
    return t._aval.dtype


def dtype_into(out, dtype, dim, name: str, input, real: bool):
    """The dtype that a reduction is computed in when it goes into `out=`, which takes part only where `dim` is given;
    `real`: and only as a real one of complex numbers."""
    if dim is UNSET:
        if real:
            return dtype
        raise TypeError(f"{name}() received an invalid combination of arguments - got (Tensor, out=Tensor)")
    if not isinstance(out, Tensor):
        return dtype
    if dtype is not None and dtype is not out._aval.dtype:
        raise RuntimeError(
            f"Expected out tensor to have dtype {dtype.cpp_name}, but got {out._aval.dtype.cpp_name} instead"
        )
    if real:
        narrows = isinstance(input, Tensor) and input.dtype.is_complex and out.dtype.is_floating_point
        return out._aval.dtype if narrows else dtype
    return out._aval.dtype


def check_outs(out, name: str, count: int) -> None:
    """torch's first look at the `out=` of a function with several results."""
    if not isinstance(out, tuple | list):
        raise wrong_type(out, "tuple of Tensors", name, "out")
    if len(out) != count:
        raise TypeError(f"expected tuple of {count} elements but got {len(out)}")
    for i, t in enumerate(out):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 'out', but got {type(t).__name__}")


def write_out(out, result, exact: bool = False, advised: bool = True):
    """Writes results into `out=` (a Tensor or a tuple of them), resizing where the shape differs, as torch does.

    exact: the dtype must be the result's; otherwise the result is cast to it where torch's promotion allows that.
    advised: resizing is deprecated (but for what makes numbers of nothing).
    """
    if isinstance(result, tuple):
        if not isinstance(out, tuple | list) or len(out) != len(result):
            raise TypeError(f"out= must be a tuple of {len(result)} Tensors")
        for o, r in zip(out, result):  # all of them before any is written
            _check_out(o, r, exact)
        for o, r in zip(out, result):
            _put_out(o, r, advised)
        return type(result)(*out) if hasattr(result, "_fields") else tuple(out)
    _check_out(out, result, exact)
    return _put_out(out, result, advised)


_LARGE = 1 << 32
"""Bytes from which on a result is computed before it goes into `out=`, which keeps what it holds when memory runs
out."""


def _put_out(out: Tensor, result: Tensor, advised: bool) -> Tensor:
    result = cast(result, out._aval.dtype)
    if result._aval.nbytes > _LARGE:
        force(read(result))
    if result._aval.shape != out._aval.shape:
        if out._lenses:
            raise RuntimeError(
                "out= is a view whose shape differs from the result's; pass a tensor of the right shape"
            )
        if advised and 0 not in out._aval.shape:
            advise(
                f"An output with one or more elements was resized since it had shape {list(out._aval.shape)}, which does not match the "
                f"required output shape {list(result._aval.shape)}. This behavior is deprecated, and in a future PyTorch release outputs "
                "will not be resized unless they have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to "
                "zero elements with t.resize_(0).",
                once=False,
            )
        out._aval = result._aval
        set_cell(out._cell, read(result))
        return out
    return write(out, result)


def _check_out(out, result, exact: bool) -> None:
    if not isinstance(out, Tensor):
        raise wrong_type(out, "Tensor", "", "out")
    if state.grad and (requires_grad(result) or requires_grad(out)):
        raise RuntimeError(
            "functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad."
        )
    if exact and result._aval.dtype is not out._aval.dtype:
        names = [t._aval.dtype.cpp_name for t in (result, out)]
        raise RuntimeError(f"Expected out tensor to have dtype {names[0]}, but got {names[1]} instead")
    if not can_cast(result._aval.dtype, out._aval.dtype):
        raise RuntimeError(
            f"result type {result._aval.dtype.scalar_name} can't be cast to the desired output type {out._aval.dtype.scalar_name}"
        )
