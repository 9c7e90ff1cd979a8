"""Short-time Fourier transforms: torch.stft and its inverse."""

from __future__ import annotations

import functools
import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from .._core.api import (
    ENDS,
    Array,
    advising,
    at_hand,
    check,
    dtype_of,
    force_array,
    op,
    promote_types,
    read,
    reads,
    required,
    requirement,
    result_dtype,
    state,
)
from ._pointwise import COMPLEX, category
from ._special import quotient
from .contracts.spectral import PAD_MODES, check_istft, check_padding, check_stft, named_call


def _widened(window, win_length: int, n_fft: int, like):
    """The window (ones by default) in the middle of n_fft points."""
    window = jnp.ones(win_length, like.real.dtype) if window is None else window
    left = (n_fft - win_length) // 2
    return jnp.pad(window, (left, n_fft - win_length - left))


def _padded(x, n_fft: int, mode: str):
    """Half a frame more on both sides."""
    check_padding(x, n_fft, mode)
    x, half = x.reshape(1, 1, 1) if x.ndim == 0 else x, n_fft // 2
    out = jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(half, half)], mode=PAD_MODES[mode])
    return out if mode in ("constant", "circular") else reads(out, x, then=ENDS)


@op(
    out=False,
    asks=(
        advising(
            "window is None",
            "window",
            "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. Other windows such as "
            "torch.hann_window or torch.hamming_window are recommended to reduce spectral leakage.To suppress this warning and use a rectangular "
            "window, explicitly set `window=torch.ones(n_fft, device=<device>)`.",
        ),
    ),
)
def stft(
    input: Array,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Array | None = None,
    center: object = True,
    pad_mode: Any = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: Any = None,
    align_to_window: Any = None,
):
    """Fourier transforms of overlapping windows of a signal: (…, time) becomes (…, frequency, frame).

    hop_length: from frame to frame (n_fft // 4). center: frames are centred on their times, the signal is padded for
    it. onesided: half of the terms, for real signals. return_complex=False gives real and imaginary parts in a last
    dim.

    Complex, of the precision of input; RuntimeError for a window longer than n_fft.

    >>> torch.stft(torch.ones(8), 4, window=torch.ones(4), return_complex=True).shape
    torch.Size([3, 9])
    """
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    check(
        not (center and align_to_window is not None),
        RuntimeError,
        "stft align_to_window should only be set when center = false",
    )
    is_complex = category(input) == COMPLEX or (window is not None and category(window) == COMPLEX)
    x = _padded(input, n_fft, pad_mode) if center and n_fft > 0 else input
    check_stft(x, n_fft, hop, width, window, normalized, onesided, return_complex, align_to_window)
    if align_to_window:
        left = (n_fft - width) // 2
        x = jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(left, left)])
    onesided = not is_complex if onesided is None else onesided
    if window is not None:
        common = promote_types(dtype_of(x), dtype_of(window)).np
        x, window = x.astype(common), window.astype(common)
    frames = 1 + (x.shape[-1] - n_fft) // hop
    at = np.arange(frames)[:, None] * hop + np.arange(n_fft)[None, :]
    pieces = x[..., at] * _widened(window, width, n_fft, x)
    if onesided:
        out = lax.fft(pieces, lax.FftType.RFFT, (n_fft,))
    else:
        out = jnp.fft.fft(pieces.astype(dtype_of(pieces).to_complex().np))
    out = jnp.swapaxes(out, -1, -2)
    if normalized:
        out = out * np.asarray(1 / math.sqrt(n_fft), out.real.dtype)
    return out if return_complex in (None, True) else jnp.stack([lax.real(out), lax.imag(out)], -1)


def _kept(n_fft: int, center: bool, length: int | None, total: int) -> slice:
    """Returns the slice of the overlapping frames that is left: without what centering added, and of the length asked
    for."""
    start = n_fft // 2 if center else 0
    return slice(start, total - start if length is None else start + length)


@functools.lru_cache(maxsize=64)
def _leaves_gaps(
    window: bytes, kind: str, n_fft: int, hop: int, frames: int, center: bool, length: int | None
):
    points = np.frombuffer(window, kind)
    left = (n_fft - len(points)) // 2
    squares = np.pad(points * points, (left, n_fft - len(points) - left))
    envelope = np.zeros((frames - 1) * hop + n_fft, squares.dtype)
    for at in range(0, frames * hop, hop):
        envelope[at : at + n_fft] += squares
    left_over = np.abs(envelope[_kept(n_fft, center, length, len(envelope))])
    return bool(left_over.size and left_over.min() < GAP)


GAP = 1e-11
"""Below this the sum of squares of the windows that reach a sample is taken for 0, as PyTorch does."""
_NO_OVERLAP = " window overlap add min: 1\n[ CPUBoolType{} ]"


def _window_values(window) -> np.ndarray | None:
    """The window's numbers, computed if they are pending; None inside a transform, off the host, and of a window that
    is being learned."""
    if state.rec.level or window.requires_grad or window.device.type != "cpu":
        return at_hand(window)
    return force_array(read(window))


def _look_for_gaps(
    input, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex
) -> None:
    """Raises torch's error where no window reaches."""
    x, hop = input._aval.struct, n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    window = np.ones(width, np.float32) if window is None else _window_values(window)
    if window is None:
        return
    if window.dtype.kind in "bV":  # bools, and bfloat16, which NumPy has not
        window = window.astype(np.float32)
    if _leaves_gaps(window.tobytes(), window.dtype.str, n_fft, hop, x.shape[-1], bool(center), length):
        flags = {"center": center, "normalized": normalized, "onesided": onesided, "length": length}
        name = named_call("istft", x, n_fft, hop, width, window, **flags, return_complex=return_complex)
        raise RuntimeError(name + _NO_OVERLAP)


def _overlapped(pieces, hop: int):
    """The sum of frames (…, frame, time) that start `hop` apart."""
    frames, width = pieces.shape[-2:]
    at = np.arange(frames)[:, None] * hop + np.arange(width)[None, :]
    total = jnp.zeros((*pieces.shape[:-2], (frames - 1) * hop + width), pieces.dtype)
    return total.at[..., at].add(pieces)


@op(
    out=False,
    looks=_look_for_gaps,
    asks=(
        advising(
            "window is None",
            "window",
            "A window was not provided. A rectangular window will be applied.Please provide the same window used by stft to make the "
            "inversion lossless.To suppress this warning and use a rectangular "
            "window, explicitly set `window=torch.ones(n_fft, device=<device>)`.",
        ),
    ),
)
def istft(
    input: Array,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Array | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
):
    """The signal whose `stft` is input, in the sense of least squares where frames contradict each other.

    Raises RuntimeError if there are samples that no window reaches.

    (…, frequency, frame) to (…, time), real unless return_complex.

    >>> window = torch.ones(4)
    >>> x = torch.arange(8.)
    >>> torch.stft(x, 4, window=window, return_complex=True).istft(4, window=window)
    tensor([0., 1., 2., 3., 4., 5., 6., 7.])
    """
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    flags = {
        "center": center,
        "normalized": normalized,
        "onesided": onesided,
        "length": length,
        "return_complex": return_complex,
    }
    name = named_call("istft", input, n_fft, hop, width, window, **flags)
    check_istft(name, input, n_fft, hop, width, window, onesided, return_complex)
    terms, frames = input.shape[-2:]
    onesided = terms != n_fft if onesided is None else onesided
    x = input
    if window is not None:
        x = x.astype(result_dtype(jnp.zeros(1, x.dtype), jnp.zeros(1, window.dtype)).np)
    own = _widened(window, width, n_fft, x)
    w = own.astype(x.dtype if category(own) == COMPLEX else x.real.dtype)
    x = jnp.swapaxes(x, -1, -2)
    if normalized:
        x = x * np.asarray(math.sqrt(n_fft), x.real.dtype)
    if return_complex:
        pieces = jnp.fft.ifft(x)
    else:
        half = x if onesided else x[..., : n_fft // 2 + 1]
        pieces = lax.fft(half, lax.FftType.IRFFT, (n_fft,))
    total = _overlapped(pieces * w, hop)
    squares = own * own  # in the window's dtype, as torch's
    squares = w * w if category(own) == 0 else squares
    envelope = _overlapped(jnp.broadcast_to(squares, (frames, n_fft)), hop)
    kept = _kept(n_fft, center, length, total.shape[-1])
    total, envelope = total[..., kept], envelope[kept]
    if envelope.size:
        envelope = required(
            envelope, jnp.min(jnp.abs(envelope)) < GAP, requirement("RuntimeError", name + _NO_OVERLAP)
        )
    check(envelope.size > 0, RuntimeError, f"{name} : no sample of the signal is left, {length=}")
    out = quotient(total, envelope.astype(w.dtype))
    missing = 0 if length is None else length - out.shape[-1]
    return jnp.pad(out, [(0, 0)] * (out.ndim - 1) + [(0, missing)]) if missing > 0 else out
