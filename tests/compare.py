"""Comparing arrays: one table of tolerances by dtype, and the pseudo-random directions along which derivatives are
taken."""

from __future__ import annotations

import zlib

import numpy as np

# dtype of the result: (rtol, atol) of a value, of a gradient, of a second gradient.
TOLERANCES: dict[str, tuple[tuple[float, float], ...]] = {
    "float64": ((1e-7, 1e-8), (1e-6, 1e-8), (1e-6, 1e-7)),
    "float32": ((1e-5, 1e-6), (1e-4, 1e-5), (5e-4, 1e-4)),
    "bfloat16": ((1.6e-2, 1e-3), (3e-2, 1e-2), (6e-2, 6e-2)),
    "float16": ((2e-3, 1e-4), (4e-3, 1e-3), (1e-2, 1e-2)),
}
TOLERANCES["complex128"] = TOLERANCES["float64"]
TOLERANCES["complex64"] = TOLERANCES["float32"]
EXACT = ((0.0, 0.0),) * 3
SAME = {
    "float64": 1e-10,
    "complex128": 1e-10,
    "float32": 1e-4,
    "complex64": 1e-4,
    "bfloat16": 5e-2,
    "float16": 5e-3,
}
"""How far two ways of ours to the same result may be apart: they differ in how XLA fuses them."""


class Recorded:
    """An array and the name of the torch dtype it had; narrow floating dtypes are held as float32."""

    def __init__(self, array, dtype: str):
        self.array = np.asarray(array)
        self.dtype = dtype

    def __repr__(self) -> str:
        return f"{self.dtype}{list(self.array.shape)}"


def difference(got: Recorded, want: Recorded, order: int = 0, rtol=None, atol=None) -> str | None:
    """What is wrong with `got`, in words; None when shape, dtype and values agree. order: 0 value, 1 gradient, 2
    second."""
    if got.array.shape != want.array.shape:
        return f"shape {list(got.array.shape)}, expected {list(want.array.shape)}"
    if got.dtype != want.dtype:
        return f"dtype {got.dtype}, expected {want.dtype}"
    default = TOLERANCES.get(got.dtype, EXACT)[order]
    rtol, atol = default[0] if rtol is None else rtol, default[1] if atol is None else atol
    return _values_differ(got.array, want.array, rtol, atol)


def same(got: Recorded, want: Recorded) -> str | None:
    """`difference` for two results of our own."""
    close = SAME.get(got.dtype, 0.0)
    return difference(got, want, 0, close, close)


def _values_differ(a: np.ndarray, b: np.ndarray, rtol: float, atol: float) -> str | None:
    if a.size == 0:
        return None
    if a.dtype.kind not in "fc" or (rtol == 0 and atol == 0):
        wrong = (a != b) & ~((a != a) & (b != b))
    else:
        if a.dtype.kind == "c":
            parts = (_values_differ(a.real, b.real, rtol, atol), _values_differ(a.imag, b.imag, rtol, atol))
            with np.errstate(all="ignore"):  # a small part next to a large one is known less well
                close = (np.abs(a - b) <= atol + rtol * np.abs(b)) & np.isfinite(b)
            return None if close.all() else parts[0] or parts[1]
        a, b = a.astype(np.float64), b.astype(np.float64)
        with np.errstate(all="ignore"):
            close = (np.abs(a - b) <= atol + rtol * np.abs(b)) & np.isfinite(b)
            wrong = ~(close | (a == b) | (np.isnan(a) & np.isnan(b)))
    if not wrong.any():
        return None
    at = np.argwhere(wrong)[0].tolist() if a.ndim else []
    where = f" at {at}" if at else ""
    return f"{int(wrong.sum())} of {a.size} elements differ; {a[tuple(at)]}{where}, expected {b[tuple(at)]} (rtol {rtol:g}, atol {atol:g})"


def without_phase(x: Recorded, axis: int | None) -> Recorded:
    """Vectors along `axis`, each divided by the sign or phase of its largest element; x itself when axis is None."""
    if axis is None or not x.array.size:
        return x
    size = np.round(np.abs(x.array), 6)
    largest = np.take_along_axis(x.array, np.expand_dims(size.argmax(axis), axis), axis)
    return Recorded(x.array * np.conj(largest) / np.where(largest == 0, 1, np.abs(largest)), x.dtype)


def direction(role: str, index: int, shape: tuple[int, ...], is_complex: bool) -> np.ndarray:
    """Fixed random numbers between 0.25 and 1 in size, of both signs: the same for every library and run."""
    rng = np.random.default_rng(zlib.crc32(f"{role} {index} {list(shape)}".encode()))

    def draw():
        return rng.uniform(0.25, 1.0, shape) * rng.choice([-1.0, 1.0], shape)

    return np.asarray(draw() + 1j * draw() if is_complex else draw())


def inner(a: np.ndarray, b: np.ndarray) -> float:
    """Re <a, b>: how the real loss changes along b when its gradient, in torch's convention, is a."""
    return float(np.sum(np.real(np.conj(a) * b)))
