"""Checks of the arguments of pooling over windows; `n` is the number of dims that are pooled."""

from __future__ import annotations

import jax.numpy as jnp

from functorch_lite._core.api import check, need_kind

from .._declare import ntuple, shape_text

_COUNT = {1: "one int", 2: "two ints", 3: "three ints"}


def of_maxima(name, n, input, kernel_size, stride, padding, dilation, ceil_mode: bool) -> tuple:
    """(kernel, stride, padding, dilation, sizes of the result), each with a number for each dim."""
    if n == 1:
        _check_input(name, n, input)
        windows = _windows_of_max_pool1d(kernel_size, stride, padding, dilation)
        out = _sizes_of_max_pool1d(input.shape[-1], *[v for (v,) in windows], ceil_mode)
        need_kind(input, "f", "max_pool1d_impl")
        return *windows, [out]
    windows = _windows(name, n, kernel_size, stride, padding, dilation)
    _check_input(name, n, input)
    out = _sizes(n, input, *windows, ceil_mode)
    need_kind(input, "if", name)
    return *windows, out


def of_means(name, n, input, kernel_size, stride, padding, ceil_mode: bool, divisor) -> tuple:
    """(kernel, stride, padding, sizes of the result), each with a number for each dim."""
    kernel, step, pad, ones = _windows(name, n, kernel_size, stride, padding, 1)
    _check_input(name, n, input)
    check(hasattr(divisor, "dtype") or divisor != 0, RuntimeError, "divisor must be not zero")
    if n == 3:  # of these torch wants whole windows even without the padding
        sizes = input.shape[-3:]
        image, window = _listed("", sizes), _listed("k", kernel)
        message = f"input image ({image}) smaller than kernel size ({window})"
        check(all(size >= k for size, k in zip(sizes, kernel)), RuntimeError, message)
    out = _sizes(n, input, kernel, step, pad, ones, ceil_mode)
    if input.dtype != jnp.int64:
        need_kind(input, "f", "avg_pool3d_out_frame" if n == 3 else "avg_pool2d")
    return kernel, step, pad, out


def _windows(name: str, n: int, kernel_size, stride, padding, dilation) -> tuple:
    sentence = f"{name}: {{}} must either be {{}}a single int, or a tuple of {_COUNT[n]}"
    kernel = ntuple(kernel_size, n, sentence.format("kernel_size", ""))
    absent = stride is None or stride == ()
    step = kernel if absent else ntuple(stride, n, sentence.format("stride", "omitted, "))
    pad = ntuple(padding, n, sentence.format("padding", ""))
    spread = ntuple(dilation, n, f"{name}: dilation must be either a single int, or a tuple of {_COUNT[n]}")
    for v in (*kernel, *step, *pad, *spread):
        check(-(2**31) <= v < 2**31, RuntimeError, "value cannot be converted to type int without overflow")
    return kernel, step, pad, spread


def _windows_of_max_pool1d(kernel_size, stride, padding, dilation) -> list[tuple]:
    ints = "an int, list of ints or tuple of ints"
    given = {
        "kernel_size": (kernel_size, ints),
        "stride": (_stride(stride, kernel_size), "None, an int, list of ints, or tuple of ints"),
        "padding": (padding, "an int, list of ints, or tuple of ints"),
        "dilation": (dilation, ints),
    }
    return [
        _one(value, f"max_pool1d() {what} must be {kinds} of size 1 but got size {{}}")
        for what, (value, kinds) in given.items()
    ]


def _stride(stride, kernel_size):
    return kernel_size if stride is None or stride == () else stride


def _one(value, sentence: str) -> tuple:
    value = value if isinstance(value, tuple) else (value,)
    check(len(value) == 1, RuntimeError, sentence.format(len(value)))
    return value


def windows_with_indices(input, kernel_size, stride, padding, dilation) -> list[int]:
    """(kernel, stride, padding, dilation) of a max_pool1d that gives indices too, which torch takes for one of two
    dims."""
    check_two_or_three("max_pool1d", input)
    stride = _stride(stride, kernel_size)
    given = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
    sentence = "max_pool1d() argument '{}' should contain one int (got {{}})"
    return [_one(value, sentence.format(what))[0] for what, value in given.items()]


def check_two_or_three(name: str, input) -> None:
    check(
        input.ndim in (2, 3),
        RuntimeError,
        f"Expected 2 to 3 dimensions, but got {input.ndim}-dimensional tensor for argument #1 'self' (while checking "
        f"arguments for {name})",
    )


def _check_filled(right: bool, n: int, shape, who: str = "") -> None:
    check(
        right,
        RuntimeError,
        f"{who}Expected {n + 1}D or {n + 2}D (batch mode) tensor with optional 0 dim batch size for input, but "
        f"got:{shape_text(shape)}",
    )


def _check_input(name: str, n: int, input) -> None:
    shape, filled, ndim = input.shape, 0 not in input.shape[-n - 1 :], max(input.ndim, 1)
    if name == "max_pool1d":
        return _check_filled(input.ndim in (2, 3) and filled, 1, shape, "max_pool1d: ")
    if n == 1:  # torch pools it as 2-D of height 1
        check_two_or_three(name, input)
        return _check_filled(filled, 2, (*shape[:-1], 1, shape[-1]))
    if n == 2 and "max" not in name:
        message = f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got -3)"
        check(input.ndim >= 3, IndexError, message)
    message = f"non-empty {n + 1}D or {n + 2}D (batch mode) tensor expected for input"
    check(input.ndim in (n + 1, n + 2), RuntimeError, message)
    kernel = "max_pool3d_with_indices_out_cpu_template" if name == "max_pool3d" else "avg_pool3d"
    check(
        filled or n == 2,
        RuntimeError,
        f"{kernel}(): Expected input's non-batch dimensions to have positive length, but input has a shape of "
        f"{shape_text(input)} and non-batch dimension 0 has length zero!",
    )
    return _check_filled(filled, n, shape)


def _out_size(size: int, k: int, s: int, p: int, d: int, ceil_mode: bool) -> int:
    """The number of windows along one dim; with ceil_mode a last window may hang over, if it starts inside."""
    count = (size + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil_mode else 0)) // s + 1
    return count - 1 if ceil_mode and (count - 1) * s >= size + p else count


def _sizes_of_max_pool1d(size: int, k: int, s: int, p: int, d: int, ceil_mode: bool) -> int:
    for what, value in (("kernel_size", k), ("stride", s), ("dilation", d)):
        check(value > 0, RuntimeError, f"max_pool1d() {what} must be greater than zero, but got {value}")
    check(p >= 0, RuntimeError, f"max_pool1d() padding must be non-negative, but got {p}")
    message = f"should be at most half of kernel size, but got padding={p} and kernel_size={k}"
    check(p <= k // 2, RuntimeError, f"max_pool1d() padding {message}")
    out = _out_size(size, k, s, p, d, ceil_mode)
    check(out > 0, RuntimeError, f"max_pool1d() Invalid computed output size: {out}")
    return out


def _listed(what: str, values) -> str:
    return " ".join(f"{what}{letter}: {v}" for letter, v in zip("THW"[-len(values) :], values))


def _sizes(n: int, input, kernel, step, pad, spread, ceil_mode: bool) -> list[int]:
    check(0 not in step, RuntimeError, "stride should not be zero")
    given = ("kernel size", "k", kernel), ("stride", "d", step), ("dilation", "dilation", spread)
    for what, short, values in given:
        message = f"{what} should be greater than zero, but got {_listed(short, values)}"
        check(min(values) > 0, RuntimeError, message)
    for p, k, d in zip(pad, kernel, spread):
        check(p >= 0, RuntimeError, f"pad must be non-negative, but got pad: {p}")
        message = "pad should be at most half of effective kernel size, but got "
        half = p <= (d * (k - 1) + 1) // 2
        check(half, RuntimeError, f"{message}pad={p}, kernel_size={k} and dilation={d}")
    # torch looks twice; here at the kernel without its dilation
    message = f"pad should be smaller than or equal to half of kernel size, but got {_paddings(pad, kernel)}"
    check(all(p <= k // 2 for p, k in zip(pad, kernel)), RuntimeError, message)
    sizes = input.shape[-n:]
    out = [_out_size(*a, ceil_mode) for a in zip(sizes, kernel, step, pad, spread)]
    lead = (input.shape[-n - 1],) + ((1,) if n == 1 else ())  # torch pools 1-D as 2-D of height 1
    given, computed = ("x".join(map(str, (*lead, *of))) for of in (sizes, out))
    message = f"Given input size: ({given}). Calculated output size: ({computed}). Output size is too small"
    check(min(out) > 0, RuntimeError, message)
    return out


def _paddings(pad, kernel) -> str:
    """Paddings and kernel sizes in one of torch's sentences."""
    if len(pad) == 3:
        order = {"T": 0, "W": 2, "H": 1}
        kernels = [f"k{dim}: {kernel[i]}" for dim, i in order.items()]
        return " ".join(kernels + [f"pad{dim}: {pad[i]}" for dim, i in order.items()])
    order = {"W": -1, "H": -2} if len(pad) == 2 else {"W": -1}
    paddings = [f"pad{dim} = {pad[i]}" for dim, i in order.items()]
    return ", ".join(paddings + [f"k{dim} = {kernel[i]}" for dim, i in order.items()])


def check_kernel_of_lp(name: str, n: int, kernel_size) -> None:
    right = not isinstance(kernel_size, tuple) or len(kernel_size) == n
    message = f"{name}: kernel_size must be a single int, or {_COUNT[n]}"
    check(right, RuntimeError if n == 1 else ValueError, message)
    check(n > 1 or not isinstance(kernel_size, tuple), TypeError, f"{name}: kernel_size must be an int")
