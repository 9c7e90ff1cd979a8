"""HistogramObserver: notes how often numbers of each size pass, and chooses the range with the least error."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ..._core.api import Tensor
from ..._core.api import functions as torch
from .observers import UniformQuantizationObserverBase
from .schemes import QUINT8, bounds, per_tensor_affine, per_tensor_symmetric

__all__ = ["HistogramObserver"]

_FINER = 16
"""Parts that a bin is divided into when the histogram is spread over a wider range."""


class HistogramObserver(UniformQuantizationObserverBase):
    """Observer of a histogram, whose range is narrowed as long as that lessens the error of rounding.

    The histogram is kept on the host: `forward` reads the numbers that pass.

    Args:
        bins: Number of bins.
        dtype: Dtype of the integers.
        qscheme: torch.per_tensor_affine or torch.per_tensor_symmetric.
        reduce_range: Whether the integers have one bit less.
        quant_min: The least integer, by default the dtype's.
        quant_max: The largest integer, by default the dtype's.
        factory_kwargs: Accepted as in PyTorch; only None is supported.
        eps: The least scale.
        is_dynamic: Only False is supported.

    Raises:
        NotImplementedError: For another scheme, or a dynamic one.

    >>> observer = torch.ao.quantization.HistogramObserver(bins=8)
    >>> _ = observer(torch.tensor([0.0, 1.0, 2.0, 2.55]))
    >>> observer.calculate_qparams()
    (tensor([0.0100]), tensor([0], dtype=torch.int32))
    """

    def __init__(
        self,
        bins: int = 2048,
        dtype: Any = QUINT8,
        qscheme: Any = per_tensor_affine,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        factory_kwargs: Any = None,
        eps: float = 1.1920928955078125e-07,
        is_dynamic: bool = False,
        **kwargs: Any,
    ):
        if qscheme not in (per_tensor_affine, per_tensor_symmetric):
            raise NotImplementedError(
                "HistogramObserver's qscheme only support torch.per_tensor_symmetric                     and torch.per_tensor_affine."
            )
        if is_dynamic:
            raise NotImplementedError("HistogramObserver doesn't support dynamic quantization")
        super().__init__(dtype, qscheme, reduce_range, quant_min, quant_max, factory_kwargs, eps, **kwargs)
        self.bins = bins
        low, high = bounds(dtype)
        self.dst_nbins = high - low + 1
        self.register_buffer("histogram", torch.zeros(bins))
        self.register_buffer("min_val", torch.tensor(float("inf")))
        self.register_buffer("max_val", torch.tensor(float("-inf")))

    def reset_min_max_vals(self) -> None:
        self.histogram.zero_()
        self.min_val.fill_(float("inf"))
        self.max_val.fill_(float("-inf"))

    def _count(self, x: np.ndarray, least: float, most: float) -> np.ndarray:
        """The histogram of some numbers over a range, of one number around it."""
        if least == most:
            least, most = least - 1, most + 1
        return np.histogram(x, self.bins, (least, most))[0].astype(np.float32)

    def forward(self, x: Tensor) -> Tensor:
        if not x.numel():
            return x
        numbers = x.detach().cpu().float().numpy().ravel()
        finite = numbers[~np.isinf(numbers)]
        if finite.size < numbers.size:
            warnings.warn("torch.inf detected in input tensor, ignoring input", stacklevel=2)
        if not finite.size:
            return x
        old_least, old_most = float(self.min_val), float(self.max_val)
        new_least, new_most = float(finite.min()), float(finite.max())
        least, most = min(old_least, new_least), max(old_most, new_most)
        counts = self._count(finite, least, most)
        if not math.isinf(old_least):
            counts = counts + self._spread(old_least, old_most, least, most)
        self.histogram.copy_(torch.tensor(counts))
        self.min_val.fill_(least)
        self.max_val.fill_(most)
        return x

    def _spread(self, old_least: float, old_most: float, least: float, most: float) -> np.ndarray:
        """The histogram so far, over a wider range."""
        counts = self.histogram.numpy()
        if (old_least, old_most) == (least, most):
            return counts
        if old_least == old_most:
            return self._count(np.float32([old_least]), least, most) * counts.sum()
        finer = np.repeat(counts, _FINER) / _FINER
        width = (old_most - old_least) / finer.size
        middles = old_least + width * (np.arange(finer.size) + 0.5)
        to = np.floor((middles - least) / ((most - least) / self.bins)).astype(np.int64)
        return np.bincount(np.clip(to, 0, self.bins - 1), finer, self.bins).astype(np.float32)

    def _error(self, counts: np.ndarray, width: float, first: int, last: int) -> float:
        """The squared error of rounding if the bins from `first` to `last` are the range."""
        step = width * (last - first + 1) / self.dst_nbins
        if step == 0.0:
            return 0.0
        begins = (np.arange(self.bins, dtype=np.float32) - first) * np.float32(width)
        ends = begins + np.float32(width)
        from_, to = (np.clip(np.floor(at / np.float32(step)), 0, self.dst_nbins - 1) for at in (begins, ends))
        density = counts / np.float32(width)

        def norm(begin: Any, end: Any) -> Any:
            return density * ((end**3 - begin**3) / 3)

        half = np.float32(step / 2)
        total = norm(begins - (from_ + np.float32(0.5)) * np.float32(step), half)
        total = total + (to - from_ - 1) * norm(-half, half)
        return float((total + norm(-half, ends - (to * np.float32(step) + half))).sum())

    def _range(self) -> tuple[float, float]:
        """The narrowest range before the error grows: quantiles are cut off in steps, at the side with more bins."""
        counts = self.histogram.numpy()
        width = (float(self.max_val) - float(self.min_val)) / self.bins
        total, sums = float(counts.sum()), np.cumsum(counts, dtype=np.float32)
        alpha, beta, least = 0.0, 1.0, float("inf")
        first, last = 0, self.bins - 1
        while alpha < beta:
            next_alpha, next_beta = alpha + 1e-5, beta - 1e-5
            left = min(max(int(np.searchsorted(sums, next_alpha * total)), first), last)
            right = max(min(int(np.searchsorted(sums, next_beta * total, side="right")) - 1, last), first)
            next_first, next_last = first, last
            if left - first > last - right:
                next_first, alpha = left, next_alpha
            else:
                next_last, beta = right, next_beta
            if (next_first, next_last) == (first, last):
                continue
            error = self._error(counts, width, next_first, next_last)
            if error > least:
                break
            least, first, last = error, next_first, next_last
        return float(self.min_val) + width * first, float(self.min_val) + width * (last + 1)

    def calculate_qparams(self) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        if math.isinf(float(self.min_val)) and math.isinf(float(self.max_val)):
            warnings.warn(
                "must run observer before calling calculate_qparams.                                    Returning default scale and "
                "zero point ",
                stacklevel=2,
            )
            return torch.tensor([1.0]), torch.tensor([0])
        least, most = self._range()
        scale, zero = self._calculate_qparams(torch.tensor(least), torch.tensor(most))
        return scale.reshape(1), zero.reshape(1)
