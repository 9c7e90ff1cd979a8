"""Refusals of views."""

from __future__ import annotations

from ..._core.api import check, from_numpy, scalar_name


def check_expanded(input, size) -> None:
    size, new = list(size), len(size) - input.ndim
    check(
        new >= 0,
        RuntimeError,
        f"expand(torch.{scalar_name(input)}Tensor{{{list(input.shape)}}}, size={size}): the number of sizes provided "
        f"({len(size)}) must be greater or equal to the number of dimensions in the tensor ({input.ndim})",
    )
    for d, wanted in enumerate(size):
        have = input.shape[d - new] if d >= new else None
        if wanted == -1:
            check(
                have is not None,
                RuntimeError,
                f"The expanded size of the tensor ({wanted}) isn't allowed in a leading, non-existing dimension {d}",
            )
            wanted = have
        check(wanted >= 0, RuntimeError, f"Trying to create tensor with negative dimension {wanted}: {size}")
        check(
            have is None or have in (1, wanted),
            RuntimeError,
            f"The expanded size of the tensor ({wanted}) must match the existing size ({have}) at non-singleton "
            f"dimension {d}.  Target sizes: {size}.  Tensor sizes: {list(input.shape)}",
        )


def check_strided(input, size: list[int], stride: list[int], offset: int) -> None:
    check(len(size) == len(stride), RuntimeError, "mismatch in length of strides and shape")
    check(
        all(s >= 0 for s in stride),
        RuntimeError,
        f"as_strided: Negative strides are not supported at the moment, got strides: {stride}",
    )
    check(
        all(s >= 0 for s in size),
        RuntimeError,
        f"Storage size calculation overflowed with sizes={size} and strides={stride}",
    )
    check(offset >= 0, RuntimeError, f"Tensor: invalid storage offset {offset}")
    item = input.dtype.itemsize
    needed = (1 + offset + sum((n - 1) * s for n, s in zip(size, stride))) if 0 not in size else 0
    check(
        needed <= input.size,
        RuntimeError,
        f"setStorage: sizes {size}, strides {stride}, storage offset {offset}, and itemsize {item} requiring a "
        f"storage size of {needed * item} are out of bounds for storage of size {input.size * item}",
    )


def check_view_as_complex(input) -> None:
    kind = from_numpy(input.dtype).name
    check(
        kind in ("float16", "float32", "float64"),
        RuntimeError,
        "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
        f"{scalar_name(input)}",
    )
    check(input.ndim > 0, RuntimeError, "Input tensor must have one or more dimensions")
    check(input.shape[-1] == 2, RuntimeError, "Tensor must have a last dimension of size 2")
    if kind == "float16":
        raise NotImplementedError(
            "view_as_complex: float16 is not supported, because complex32 does not exist; convert the tensor to float32"
        )
