"""Samples of functorch_lite/ops/spectral.py."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(61)


def _signal(*shape, dtype=np.float32):
    return T(_rng.uniform(-1, 1, shape).astype(dtype))


def _frames(*shape, dtype=np.complex64):
    return T((_rng.uniform(-1, 1, shape) + 1j * _rng.uniform(-1, 1, shape)).astype(dtype))


_window = T(np.hanning(10)[1:-1].astype(np.float32))
_narrow = T(np.hanning(8)[1:-1])

SAMPLES: dict[str, list[Sample]] = {
    "stft": [
        Sample(_signal(2, 13), 8, window=_window, return_complex=True),
        Sample(_signal(12), 8, 3, 6, _narrow, normalized=True, return_complex=False),
        Sample(_signal(12), 8, 4, window=_window, center=False, onesided=False, return_complex=True),
        Sample(_signal(9), 7, 3, pad_mode="constant", return_complex=True),
        Sample(_frames(9), 8, 4, pad_mode="circular"),
        Sample(_signal(12), 8, 4, 4, center=False, align_to_window=True, return_complex=True),
        Sample(_signal(9), 8).raises(RuntimeError, "stft requires the return_complex parameter be given"),
        Sample(_signal(5), 20, center=False, return_complex=True).raises(
            RuntimeError, "expected 0 < n_fft < 5"
        ),
        Sample(_signal(4), 8, return_complex=True).raises(RuntimeError, "Padding size should be less than"),
        Sample(_signal(9), 8, 0, return_complex=True).raises(RuntimeError, "expected hop_length > 0"),
        Sample(_signal(9), 8, win_length=9, return_complex=True).raises(
            RuntimeError, "expected 0 < win_length"
        ),
        Sample(_signal(9), 8, window=_narrow, return_complex=True).raises(
            RuntimeError,
            "window=torch.DoubleTensor{[6]}, normalized=0, onesided=None, return_complex=1, align_to_window=None) : expected "
            "a 1D window tensor of size equal to win_length=8, but got window with size",
        ),
        Sample(_frames(9), 8, onesided=True).raises(RuntimeError, "Cannot have onesided output"),
        Sample(T(np.arange(9)), 8, return_complex=True).raises(
            RuntimeError, "floating point or complex values"
        ),
        Sample(_signal(9), 8, pad_mode="foo", return_complex=True).raises(
            NotImplementedError, "Unrecognised padding mode foo"
        ),
    ],
    "istft": [
        Sample(_frames(2, 5, 5), 8, window=_window),
        Sample(_frames(5, 4, dtype=np.complex128), 8, 3, 6, _narrow, normalized=True, length=7),
        Sample(_frames(8, 3), 8, 4, window=_window, return_complex=True),
        Sample(_frames(8, 3), 8, onesided=False, length=20),
        Sample(_frames(5, 3), 8, center=False),
        Sample(_signal(5, 3), 8).raises(RuntimeError, "istft requires a complex-valued input tensor"),
        Sample(_frames(5, 3), 7).raises(
            RuntimeError,
            "istft(CPUComplexFloatType[5, 3], n_fft=7, hop_length=1, win_length=7, window=None, center=1",
        ),
        Sample(_frames(5, 3), 8, 9).raises(RuntimeError, "expected 0 < hop_length <= win_length"),
        Sample(_frames(5, 0), 8).raises(RuntimeError, "input tensor cannot be empty"),
        Sample(
            T(
                (np.arange(25) % 7 - 3 + 1j * (np.arange(25) % 4)).astype(np.complex64).reshape(5, 5),
                grad=False,
            ),
            8,
            window=T(
                np.array([0.117, 0.413, 0.75, 0.9697, 0.9697, 0.75, 0.413, 0.117], np.float16), grad=False
            ),
        ),
    ],
}
