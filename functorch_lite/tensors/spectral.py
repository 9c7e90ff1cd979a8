"""The inverse of the short-time Fourier transform, whose windows may leave no gaps."""

from __future__ import annotations

import numpy as np

from .._core.api import OPS, Tensor, at_hand, composite, force_array, read, state
from ..ops.spectral import check_gaps
from .over_ops import plain_op

_istft = plain_op("istft")


@composite(method=True)
def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    framing = n_fft, hop_length, win_length
    flags = center, normalized, onesided, length, return_complex
    result = _istft(input, *framing, window, *flags)
    points = np.ones(win_length or n_fft, np.float32) if window is None else _window_values(window)
    if points is not None:
        check_gaps(input._aval.struct, *framing, points, *flags)
    return result


istft.__doc__ = OPS["istft"].__doc__


def _window_values(window: Tensor) -> np.ndarray | None:
    """The window's numbers, computed if they are pending; None inside a transform, off the host, and of a window that is being learned."""
    if state.rec.level or window.requires_grad or window.device.type != "cpu":
        return at_hand(window)
    return force_array(read(window))
