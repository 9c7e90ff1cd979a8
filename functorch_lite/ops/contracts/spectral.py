"""Refusals of short-time Fourier transforms."""

from __future__ import annotations

from ..._core.api import check, check_type, dtype_of, promote_types, scalar_name
from .._pointwise import COMPLEX, FLOAT, category

PAD_MODES = {"reflect": "reflect", "constant": "constant", "replicate": "edge", "circular": "wrap"}


def named_call(name: str, x, n_fft: int, hop: int, width: int, window, **flags) -> str:
    """How torch's sentences name the call."""
    said = "None" if window is None else f"{_kind(window)}{{{list(window.shape)}}}"
    options = "".join([f", {k}={v if v is None else int(v)}" for k, v in flags.items()])
    return f"{name}({_kind(x)}{list(x.shape)}, {n_fft=}, hop_length={hop}, win_length={width}, window={said}{options})"


def _kind(x) -> str:
    scalar = scalar_name(x)
    return f"CPU{scalar}Type" if category(x) == COMPLEX else f"torch.{scalar}Tensor"


def check_padding(x, n_fft: int, mode) -> None:
    check_type(isinstance(mode, str), mode, "str", "pad", "mode", 3)
    check(mode in PAD_MODES, NotImplementedError, f"Unrecognised padding mode {mode}")
    shape = x.shape or (1, 1, 1)
    half, length = n_fft // 2, shape[-1]
    sentence = "Padding size should be less than the corresponding input dimension, but got: padding"
    check(
        mode != "reflect" or half < length,
        RuntimeError,
        f"Argument #4: {sentence} ({half}, {half}) at dimension 2 of input {[1] * (3 - len(shape)) + list(shape)}",
    )
    check(
        mode != "circular" or half <= length,
        RuntimeError,
        "Padding value causes wrapping around more than once.",
    )


def check_stft(x, n_fft, hop, width, window, normalized, onesided, return_complex, align_to_window) -> None:
    """`x` is the signal, padded where frames are centred."""
    is_complex = category(x) == COMPLEX or (window is not None and category(window) == COMPLEX)
    for word, flag in (("return_complex", return_complex), ("align_to_window", align_to_window)):
        check_type(flag is None or isinstance(flag, bool), flag, "bool", "stft", word)
    flags = {
        "normalized": normalized,
        "onesided": onesided,
        "return_complex": return_complex,
        "align_to_window": align_to_window,
    }
    name = named_call("stft", x, n_fft, hop, width, window, **flags)
    check(
        n_fft > 0,
        RuntimeError,
        f"{name} : expected 0 < n_fft < {x.shape[-1] if x.ndim else 0}, but got {n_fft=}",
    )
    if return_complex is None:
        check(
            is_complex,
            RuntimeError,
            "stft requires the return_complex parameter be given for real inputs, and will further require that "
            "return_complex=True in a future PyTorch release.",
        )
    check(
        category(x) >= FLOAT, RuntimeError, f"{name} : expected a tensor of floating point or complex values"
    )
    check(1 <= x.ndim <= 2, RuntimeError, f"{name} : expected a 1D or 2D tensor")
    length = x.shape[-1]
    check(
        0 < n_fft <= length,
        RuntimeError,
        f"{name} : expected 0 < n_fft < {length}, but got n_fft={width if align_to_window else n_fft}",
    )
    check(hop > 0, RuntimeError, f"{name} : expected hop_length > 0, but got hop_length={hop}")
    check(
        0 < width <= n_fft,
        RuntimeError,
        f"{name} : expected 0 < win_length <= n_fft, but got win_length={width}",
    )
    check(
        window is None or window.shape == (width,),
        RuntimeError,
        f"{name} : expected a 1D window tensor of size equal to win_length={width}, but got window with size "
        f"{list(() if window is None else window.shape)}",
    )
    if align_to_window:
        padded = length + (n_fft - width) // 2 * 2
        reach = (length - width) // hop * hop + n_fft  # of the last frame: windows are counted, not frames
        check(
            reach <= padded,
            RuntimeError,
            f"{name} : with align_to_window the last frame ends at {reach}, after the {padded} padded elements; n_fft and "
            "win_length should both be even or both odd",
        )
    onesided = not is_complex if onesided is None else onesided
    check(
        not (onesided and is_complex),
        RuntimeError,
        "Cannot have onesided output if window or input is complex",
    )
    common = dtype_of(x) if window is None else promote_types(dtype_of(x), dtype_of(window))
    check(common.to_real().itemsize >= 4, RuntimeError, f"Unsupported dtype {common.scalar_name}")


def check_istft(name: str, input, n_fft, hop, width, window, onesided, return_complex) -> None:
    """`name` is what sentences call the call."""
    check(
        category(input) == COMPLEX,
        RuntimeError,
        "istft requires a complex-valued input tensor matching the output from stft with return_complex=True.",
    )
    check(  # torch looks at real and imaginary parts as one more dim
        input.ndim >= 2,
        IndexError,
        f"Dimension out of range (expected to be in range of [{-input.ndim - 1}, {input.ndim}], but got {-input.ndim - 2})",
    )
    check(input.size > 0, RuntimeError, f"{name} : input tensor cannot be empty.")
    check(
        input.ndim <= 3,
        RuntimeError,
        f"{name} : expected a tensor with 3 or 4 dimensions, but got {input.ndim + 1}",
    )
    terms = input.shape[-2]
    onesided = terms != n_fft if onesided is None else onesided
    check(
        not onesided or terms == n_fft // 2 + 1,
        RuntimeError,
        f"{name} : expected the frequency dimension (3rd to the last) of the input tensor to match n_fft / 2 + 1 when "
        f"onesided=True, but got {terms}",
    )
    check(
        onesided or terms == n_fft,
        RuntimeError,
        f"{name} : expected the frequency dimension (3rd to the last) of the input tensor to match n_fft when "
        f"onesided=False, but got {terms}",
    )
    check(0 < hop <= width, RuntimeError, f"{name} : expected 0 < hop_length <= win_length")
    check(0 < width <= n_fft, RuntimeError, f"{name} : expected 0 < win_length <= n_fft")
    check(
        window is None or window.shape == (width,),
        RuntimeError,
        f"{name} : Invalid window shape. window has to be 1D and length of `win_length`",
    )
    check(
        not (return_complex and onesided),
        RuntimeError,
        "Cannot have onesided output if window or input is complex",
    )
    check(
        window is None or return_complex or category(window) < COMPLEX,
        RuntimeError,
        "Complex windows are incompatible with return_complex=False",
    )
