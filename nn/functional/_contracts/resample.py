"""Checks of the arguments of resampling of images."""

from __future__ import annotations

import math

import jax.numpy as jnp

from functorch_lite._core.api import (
    OutOfMemoryError,
    check,
    check_scalar_type,
    check_type,
    is_real,
    is_whole,
    need_kind,
    no_kernel,
)
from functorch_lite.ops._pointwise import category

from .._declare import shape_text

_MODES = "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"
_NEEDS = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5, "lanczos": 4}
_ADDRESSABLE = 1 << 47
"""Bytes; XLA aborts the process when it is asked for more."""


# -- interpolate -------------------------------------------------------------------------------------------------------


def sizes_and_scales(input, size, scale_factor, recompute, mode, align_corners, antialias) -> tuple:
    """(output sizes, the scales the coordinates use or None for the ratio of the sizes)."""
    _check_antialias(input, mode, align_corners, antialias)
    check(
        size is None or scale_factor is None, ValueError, "only one of size or scale_factor should be defined"
    )
    if size is not None:
        check(not recompute, ValueError, "recompute_scale_factor is not meaningful with an explicit size.")
        sizes = _sizes(input, size)
        scales = [None] * len(sizes)
    else:
        check(scale_factor is not None, ValueError, "either size or scale_factor should be defined")
        scales = _scales(input, scale_factor)
        sizes = tuple(math.floor(float(s) * f) for s, f in zip(input.shape[2:], scales))
        scales = [None] * len(sizes) if recompute else list(scales)
    _check_mode(input, mode, align_corners)
    _check_result(input, sizes, mode)
    return sizes, scales


def _check_antialias(input, mode, align_corners, antialias) -> None:
    check(
        not (antialias or mode == "lanczos")
        or (mode in ("bilinear", "bicubic", "lanczos") and input.ndim == 4),
        ValueError,
        "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input",
    )
    check(antialias or mode != "lanczos", ValueError, "Lanczos mode requires antialias=True")
    message = "Lanczos mode does not support align_corners=True"
    check(mode != "lanczos" or not align_corners, ValueError, message)
    if mode in ("nearest", "area", "nearest-exact"):
        modes = "linear | bilinear | bicubic | trilinear"
        message = f"align_corners option can only be set with the interpolating modes: {modes}"
        check(align_corners is None, ValueError, message)


def _check_spatial(given, input, what: str, of: str, form: str) -> None:
    check(
        not isinstance(given, tuple | list) or len(given) == input.ndim - 2,
        ValueError,
        f"Input and {what} must have the same number of spatial dimensions, but got input with spatial dimensions of "
        f"{list(input.shape[2:])} and {of} {given}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and {form} format.",
    )


def _sizes(input, size) -> tuple[int, ...]:
    expected = "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size"
    check(is_whole(size) or isinstance(size, tuple), TypeError, f"{expected} {size!r}")
    sizes = size if isinstance(size, tuple) else (size,) * (input.ndim - 2)
    _check_spatial(size, input, "output", "output size of", "output size in (o1, o2, ...,oK)")
    # PyTorch's lists of ints are told by their first element; bools may follow
    ints = all(map(is_whole, sizes)) and not (sizes and isinstance(sizes[0], bool))
    check(ints, TypeError, f"{expected} with types {[type(s) for s in sizes]}")
    return tuple(map(int, sizes))


def _scales(input, scale_factor) -> tuple:
    listed = isinstance(scale_factor, tuple | list)
    scales = tuple(scale_factor) if listed else (scale_factor,) * (input.ndim - 2)
    message = f"scale_factor must be a float or a tuple of floats, but got {scale_factor!r}"
    check(all(is_real(f) for f in scales), TypeError, message)
    what = "scale_factor"
    _check_spatial(scale_factor, input, what, f"{what} of shape", f"{what} in (s1, s2, ...,sK)")
    message = "value cannot be converted to type int64_t without overflow"
    check(all(map(math.isfinite, scales)), RuntimeError, message)
    return scales


def _check_mode(input, mode, align_corners) -> None:
    ndim = input.ndim
    check(
        ndim in (3, 4, 5) and mode in _MODES.split(" | "),
        NotImplementedError,
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {ndim}D) for the modes: {_MODES} (got {mode})",
    )
    needs = _NEEDS.get(mode, ndim)
    check(ndim == needs, NotImplementedError, f"Got {ndim}D input, but {mode} mode needs {needs}D input")
    flag = align_corners is None or isinstance(align_corners, bool) or mode not in _NEEDS
    check_type(flag, align_corners, "bool", "interpolate", "align_corners", 5)


def _check_result(input, sizes, mode) -> None:
    def listed(values):
        return "(" + ", ".join(f"{k}: {v}" for k, v in zip("DHW"[-len(sizes) :], values)) + ")"

    given = f"input {listed(input.shape[2:])} output {listed(sizes)}"
    positive = mode == "area" or min(*sizes, *input.shape[2:]) > 0
    check(positive, RuntimeError, f"Input and output sizes should be greater than 0, but got {given}")
    message = f"Non-empty {input.ndim}D data tensor expected but got a tensor with sizes {shape_text(input)}"
    check(input.shape[1] > 0, RuntimeError, message)
    wanted = math.prod((*input.shape[:2], *sizes)) * input.dtype.itemsize
    check(
        wanted < _ADDRESSABLE,
        OutOfMemoryError,
        f"DefaultCPUAllocator: can't allocate memory: you tried to allocate {wanted} bytes. Error code 12 (Cannot allocate memory)",
    )
    byte, plane = input.dtype == jnp.uint8, mode in ("bilinear", "bicubic")
    if mode == "area" or category(input) == 2 or (byte and mode not in ("linear", "trilinear")):
        return
    dims = f"{len(sizes)}d" if mode.startswith("nearest") else "2d" if plane else ""
    kernel = f"upsample_{mode.replace('-', '_')}{dims}_channels_last"
    raise no_kernel("compute_indices_weights_linear" if byte else kernel, input)


# -- grids -------------------------------------------------------------------------------------------------------------


def check_grid_sample(input, grid, mode, padding_mode) -> None:
    message = "expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: "
    known = mode in ("bilinear", "nearest", "bicubic")
    check(known, ValueError, f"nn.functional.grid_sample(): {message}'{mode}'")
    message = "expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
    known = padding_mode in ("zeros", "border", "reflection")
    check(known, ValueError, f"nn.functional.grid_sample(): {message}'{padding_mode}'")
    here, size = "grid_sampler(): expected", shape_text(input)
    sizes = f"input with sizes {size} and grid with sizes {shape_text(grid)}"
    message = f"{here} grid and input to have same batch size, but got {sizes}"
    check(grid.ndim > 0 and input.shape[:1] == grid.shape[:1], RuntimeError, message)
    n = input.ndim - 2
    message = f"{here} grid to have size {n} in last dimension, but got grid with sizes {shape_text(grid)}"
    check(grid.shape[-1] == n, RuntimeError, message)
    message = f"{here} 4D or 5D input and grid with same number of dimensions, but got {sizes}"
    check(input.ndim in (4, 5) and input.ndim == grid.ndim, RuntimeError, message)
    for dim in range(2, input.ndim):
        empty = f"but input has sizes {size} with dimension {dim} being empty"
        message = f"{here} input to have non-empty spatial dimensions, {empty}"
        check(input.shape[dim] > 0, RuntimeError, message)
    message = "grid_sampler(): bicubic interpolation only supports 4D input"
    check(input.ndim == 4 or mode != "bicubic", RuntimeError, message)
    need_kind(input, "f", f"grid_sampler_{n}d_cpu")
    check_scalar_type(input, grid)


def check_affine_grid(theta, size: tuple[int, ...], align_corners) -> None:
    message = f"Expected theta to have floating point type, but got torch.{theta.dtype}"
    check(category(theta) == 2, ValueError, message)
    message = (
        "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
    )
    check(len(size) in (4, 5), NotImplementedError, f"{message}{size}.")
    n = len(size) - 2
    message = (
        f"Expected a batch of {n}D affine matrices of shape Nx{n}x{n + 1} for size {size}. Got torch.Size"
    )
    right = theta.ndim == 3 and theta.shape[1:] == (n, n + 1)
    check(right, ValueError, f"{message}({shape_text(theta)}).")
    unit = align_corners and min(size[2:]) == 1  # of which PyTorch warns, and looks no further
    check(unit or min(size) > 0, ValueError, f"Expected non-zero, positive output size. Got {size}")
    shape = [size[0], *size[2:], n + 1]
    message = f"Trying to create tensor with negative dimension {min(size)}: {shape}"
    check(min(size[0], math.prod(size[2:])) >= 0, RuntimeError, message)
    sizes = f"[{size[0]}, {n + 1}] but got: [{theta.shape[0]}, {n + 1}]"
    message = f"Expected size for first two dimensions of batch2 tensor to be: {sizes}."
    check(theta.shape[0] == size[0], RuntimeError, message)
