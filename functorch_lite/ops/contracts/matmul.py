"""Refusals of products of matrices and vectors."""

from __future__ import annotations

import math
from itertools import pairwise

from ..._core.api import (
    broadcast_shapes,
    check,
    check_scalar_type,
    cpp_name,
    from_numpy,
    need_kind,
    scalar_name,
    wrap_dim,
)
from .._pointwise import BOOL, FLOAT, category
from .views import check_expanded


def no_bool(name, *arrays):
    for x in arrays:
        need_kind(x, "ifc", name)


def check_factors(a, b, name: str) -> None:
    no_bool(name, a)
    check_scalar_type(a, b)


def has_nothing(a, b) -> bool:
    """Returns whether there is nothing to multiply in batches of matrices: torch gives zeros of b's dtype then, and looks at no
    other."""
    return 0 in (*a.shape, *b.shape)


def check_mm(a, b):
    check(
        a.dtype == b.dtype,
        RuntimeError,
        f"expected m1 and m2 to have the same dtype, but got: {cpp_name(a)} != {cpp_name(b)}",
    )
    check(
        a.shape[-1] == b.shape[-2],
        RuntimeError,
        f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and {b.shape[0]}x{b.shape[1]})",
    )
    no_bool("addmm_impl_cpu_", a)


def check_bmm(a, b, name="bmm"):
    check(a.ndim == 3, RuntimeError, "batch1 must be a 3D tensor")
    check(b.ndim == 3, RuntimeError, "batch2 must be a 3D tensor")
    wanted, got = [a.shape[0], a.shape[2]], list(b.shape[:2])
    check(
        wanted == got,
        RuntimeError,
        f"Expected size for first two dimensions of batch2 tensor to be: {wanted} but got: {got}.",
    )
    if not has_nothing(a, b):
        check_factors(a, b, name)


def check_mv(mat, vec, given):
    """`given` is the vector that is added; `vec` itself stands for none."""
    check(
        mat.ndim == 2 and vec.ndim == 1 and given.ndim <= 1,
        RuntimeError,
        f"vector + matrix @ vector expected, got {given.ndim}, {mat.ndim}, {vec.ndim}",
    )
    rows = mat.shape[0]
    size = given.shape[0] if given.ndim and given is not vec else rows
    fits = mat.shape[1] == vec.shape[0] and size in (rows, 1)
    # torch's sentence names a size that a number does not have
    check(fits or given.ndim > 0, IndexError, "Dimension specified as 0 but tensor has no dimensions")
    check(
        fits,
        RuntimeError,
        f"size mismatch, got input ({size}), mat ({rows}x{mat.shape[1]}), vec ({vec.shape[0]})",
    )
    check(
        given.dtype == mat.dtype == vec.dtype,
        RuntimeError,
        "addmv input tensors must have the same dtype, but got "
        f"{scalar_name(given)}, {scalar_name(mat)}, and {scalar_name(vec)}",
    )
    no_bool("addmv_impl_cpu", mat)


def check_dot(a, b):
    check(
        a.ndim == 1 and b.ndim == 1,
        RuntimeError,
        f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors",
    )
    check(
        a.dtype == b.dtype,
        RuntimeError,
        f"dot : expected both vectors to have same dtype, but found {scalar_name(a)} and {scalar_name(b)}",
    )
    check(
        a.size == b.size,
        RuntimeError,
        f"inconsistent tensor size, expected tensor [{a.size}] and src [{b.size}] to have the same number of "
        f"elements, but got {a.size} and {b.size} elements respectively",
    )
    no_bool("dot", a)


class _Shaped:
    """A shape and dtype to check where the array itself is not needed."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype, self.ndim = tuple(shape), dtype, len(shape)


def _folded(a):
    """The matrix that torch multiplies when it folds the batch dims of `a` into its rows."""
    return a if a.ndim == 2 else _Shaped((math.prod(a.shape[:-1]), a.shape[-1]), a.dtype)


def check_matmul(a, b) -> None:
    check(
        a.ndim >= 1 and b.ndim >= 1,
        RuntimeError,
        f"both arguments to matmul need to be at least 1D, but they are {a.ndim}D and {b.ndim}D",
    )
    if a.ndim == 1 and b.ndim == 1:
        check_dot(a, b)
    elif b.ndim == 1:
        check_mv(_folded(a), b, b)
    elif a.ndim <= 2 and b.ndim == 2:
        check_mm(a[None] if a.ndim == 1 else a, b)
    elif b.ndim == 2:
        check_mm(_folded(a), b)
    else:
        batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
        count = math.prod(batch)
        wanted, got = [count, a.shape[-1]], [count, b.shape[-2]]
        check(
            wanted == got,
            RuntimeError,
            f"Expected size for first two dimensions of batch2 tensor to be: {wanted} but got: {got}.",
        )
        if a.ndim == 1 or not has_nothing(a, b):
            check_factors(a, b, "bmm")


def check_one_dtype(names, *arrays):
    for name, x in zip(names[1:], arrays[1:]):
        check(
            x.dtype == arrays[0].dtype,
            RuntimeError,
            f"{names[0]} and {name} must have the same dtype, but got {scalar_name(arrays[0])} and {scalar_name(x)}",
        )


def check_complex_factor(wide, *factors):
    for f in factors:
        if isinstance(f, complex) and not from_numpy(wide).is_complex:
            raise RuntimeError(
                f"value cannot be converted to type {from_numpy(wide).cpp_name} without overflow"
            )


def check_batches(batch1, batch2) -> None:
    """Both have three dims. As in torch, a size that is checked but does not exist is an IndexError."""
    for x, least in ((batch1, 2), (batch2, 3)):
        if x.ndim < least:
            wrap_dim(least - 1, x.ndim)
            raise IndexError(f"Dimension specified as {least - 1} but tensor has no dimensions")
    check(batch1.ndim == 3, RuntimeError, "batch1 must be a 3D tensor")
    check(batch2.ndim == 3, RuntimeError, "batch2 must be a 3D tensor")


def check_addbmm(input, batch1, batch2, beta, alpha) -> None:
    check_batches(batch1, batch2)
    n, k = batch1.shape[1:]
    check(
        batch1.shape[0] == batch2.shape[0],
        RuntimeError,
        f"batch1 and batch2 must have same number of batches, got {batch1.shape[0]} and {batch2.shape[0]}",
    )
    check(
        k == batch2.shape[1],
        RuntimeError,
        f"Incompatible matrix sizes for bmm ({n}x{k} and {batch2.shape[1]}x{batch2.shape[2]})",
    )
    check_expanded(input, (n, batch2.shape[2]))
    if batch1.shape[0] == 0:
        return
    check_one_dtype(("self", "mat2"), input, batch2)
    check_one_dtype(("mat1", "mat2"), batch1, batch2)
    no_bool("addmm_impl_cpu_", input)
    check_complex_factor(input.dtype, beta, alpha)


def check_addr(input, vec1, vec2, beta, alpha) -> None:
    check(vec1.ndim == 1, RuntimeError, f"addr: Expected 1-D argument vec1, but got {vec1.ndim}-D")
    check(vec2.ndim == 1, RuntimeError, f"addr: Expected 1-D argument vec2, but got {vec2.ndim}-D")
    for name, factor in (("beta", beta), ("alpha", alpha)):
        check(
            category(factor) != FLOAT or category(input) >= FLOAT,
            RuntimeError,
            f"For integral input tensors, argument {name} must not be a floating point number.",
        )
        check(
            category(factor) != BOOL or category(input) == BOOL,
            RuntimeError,
            f"Boolean {name} only supported for Boolean results.",
        )
    check_complex_factor(input.dtype, beta, alpha)


def check_cross(a, b, dim: int) -> None:
    check(a.ndim == b.ndim, RuntimeError, "linalg.cross: inputs must have the same number of dimensions.")
    check(a.ndim > 0, IndexError, f"Dimension specified as {dim} but tensor has no dimensions")
    at = wrap_dim(dim, a.ndim)
    check(
        a.shape[at] == 3 and b.shape[at] == 3,
        RuntimeError,
        f"linalg.cross: inputs dimension {dim} must have length 3. Got {a.shape[at]} and {b.shape[at]}",
    )
    broadcast_shapes(a.shape, b.shape)
    no_bool("cross", a)
    check_scalar_type(a, b)


def check_chain(tensors) -> None:
    check(len(tensors) >= 2, RuntimeError, f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    last = len(tensors) - 1
    for i, x in enumerate(tensors):
        if i in (0, last):
            end = "first" if i == 0 else "last"
            check(
                x.ndim in (1, 2),
                RuntimeError,
                f"multi_dot(): the {end} tensor must be 1D or 2D but got {x.ndim}D",
            )
        else:
            check(x.ndim == 2, RuntimeError, f"multi_dot(): tensor {i} must be 2D but got {x.ndim}D")
        check(
            x.dtype == tensors[0].dtype,
            RuntimeError,
            f"multi_dot(): all tensors must have be the same dtype but tensor 0 is {cpp_name(tensors[0])} and tensor "
            f"{i} {cpp_name(x)}",
        )
    for i, (x, y) in enumerate(pairwise(tensors)):
        check(
            x.shape[-1] == y.shape[0],
            RuntimeError,
            f"multi_dot(): tensors {i} and {i + 1} with shapes {list(x.shape)} and {list(y.shape)} cannot be multiplied",
        )
    no_bool("addmm_impl_cpu_", tensors[0])
