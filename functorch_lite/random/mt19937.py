"""The numbers that PyTorch draws on a CPU: the Mersenne twister, and how each distribution is made from its 32-bit
words.

A `Twister` seeded as PyTorch's generator gives the same numbers bit for bit, in float32 and float64: `rand`,
`randint`, `randperm`, `bernoulli`, `uniform_`, `exponential_`, `random_`, `cauchy_`, `geometric_`, `log_normal_`,
`multinomial`; and `randn` and `normal_` to one unit in the last place (PyTorch's own sine and logarithm differ by
machine). The facts about PyTorch in this file were found by observing its results. Source of the generator: Matsumoto
and Nishimura, "Mersenne Twister", ACM TOMACS 8 (1998).
"""

from __future__ import annotations

import math

import numpy as np

from .._core.api import dtype as DType

__all__ = ["STATE_SIZE", "Twister"]

STATE_SIZE = 5056
"""Bytes of a state as PyTorch's `get_state` gives it for a CPU."""

BLOCK = 16
"""Number of normal numbers from which on PyTorch makes them in blocks: eight radii, then eight angles."""

LONG_RANGE = 1 << 28
"""Integers from a range of at least this size are made of two words."""


class Twister:
    """A stream of random words in the order that PyTorch's CPU generator has them."""

    def __init__(self, seed: int):
        self.words_source = np.random.MT19937()
        self.words_source._legacy_seeding(seed & 0xFFFFFFFF)  # type: ignore[attr-defined]
        self.fresh = True
        self.spare: float | None = None
        """The second of a pair of normal numbers, if it was not asked for yet."""

    # -- words

    def words(self, n: int) -> np.ndarray:
        """The next n words of 32 bits, as uint64."""
        if not n:
            return np.zeros(0, np.uint64)
        self.fresh = False
        return self.words_source.random_raw(n)

    def long_words(self, n: int) -> np.ndarray:
        """The next n numbers of 64 bits: two words each, the upper half first."""
        w = self.words(2 * n).reshape(n, 2)
        return (w[:, 0] << np.uint64(32)) | w[:, 1]

    def doubles(self, n: int) -> np.ndarray:
        """n uniform float64 in [0, 1): the lower 53 bits of two words."""
        return (self.long_words(n) & np.uint64((1 << 53) - 1)).astype(np.float64) * 2.0**-53

    def singles(self, n: int) -> np.ndarray:
        """n uniform float32 in [0, 1): the lower 24 bits of a word."""
        return (self.words(n) & np.uint64((1 << 24) - 1)).astype(np.float32) * np.float32(2.0**-24)

    # -- distributions

    def uniform(self, n: int, d: DType, low: float = 0.0, high: float = 1.0) -> np.ndarray:
        """n uniform numbers in [low, high); a complex number is two of them."""
        if d.is_complex:
            return self.uniform(2 * n, d.to_real(), low, high).view(d.np)
        if d.np == np.float64:
            u = self.doubles(n)
            if (low, high) == (0.0, 1.0):
                return u
            # rounded once, as a fused multiply-add
            return (u.astype(np.longdouble) * np.longdouble(high - low) + np.longdouble(low)).astype(
                np.float64
            )
        u = self.singles(n)
        if (low, high) != (0.0, 1.0):
            low32, high32 = np.float32(low), np.float32(high)
            u = (u.astype(np.float64) * np.float64(high32 - low32) + np.float64(low32)).astype(np.float32)
        made = u.astype(d.np)
        return np.where(made == d.np.type(high), d.np.type(low), made)  # what was rounded up to the bound

    def normal(
        self, n: int, d: DType, mean: float = 0.0, std: float = 1.0, blocks: bool = True
    ) -> np.ndarray:
        """n normal numbers. `blocks`: whether the tensor to fill is contiguous, so that PyTorch fills it in blocks."""
        if d.is_complex:
            parts = self.normal(2 * n, d.to_real(), 0.0, std * math.sqrt(0.5), blocks)
            return parts.view(d.np) + d.np.type(mean)
        if n < BLOCK or not blocks:
            return (self._pairs(n) * std + mean).astype(d.np)
        if d.np == np.float64:
            return _box_muller(self.doubles, n, np.float64) * std + mean
        made = _box_muller(self.singles, n, np.float32, d.np == np.float32).astype(np.float64)
        return (
            (made * np.float64(np.float32(std)) + np.float64(np.float32(mean)))
            .astype(np.float32)
            .astype(d.np)
        )

    def _pairs(self, n: int) -> np.ndarray:
        """n standard normal float64, made in pairs; one that is left over is kept for the next call."""
        if not n:
            return np.zeros(0)
        kept = [] if self.spare is None else [self.spare]
        pairs = (n - len(kept) + 1) // 2
        u = self.doubles(2 * pairs).reshape(pairs, 2)
        radius, angle = np.sqrt(-2.0 * np.log1p(-u[:, 1])), 2.0 * math.pi * u[:, 0]
        both = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).reshape(-1)
        both = np.concatenate([kept, both])
        self.spare = float(both[n]) if both.size > n else None
        return both[:n]

    def exponential(self, n: int, d: DType, rate: float = 1.0) -> np.ndarray:
        """n exponentially distributed numbers."""
        return (-1.0 / rate * np.log1p(-self.doubles(n))).astype(d.np)

    def cauchy(self, n: int, d: DType, median: float, sigma: float) -> np.ndarray:
        """n numbers with Cauchy's distribution."""
        return (median + sigma * np.tan(math.pi * (self.doubles(n) - 0.5))).astype(d.np)

    def log_normal(self, n: int, d: DType, mean: float, std: float) -> np.ndarray:
        """n numbers whose logarithms are normal."""
        return np.exp(self._pairs(n) * std + mean).astype(d.np)

    def geometric(self, n: int, d: DType, p: float) -> np.ndarray:
        """n numbers of trials up to the first success."""
        with np.errstate(divide="ignore"):
            return np.ceil(np.log(self.doubles(n)) / math.log1p(-p)).astype(d.np)

    def integers(self, n: int, low: int, high: int) -> np.ndarray:
        """n integers in [low, high), as int64."""
        size = high - low
        words = self.long_words(n) if size >= LONG_RANGE else self.words(n)
        with np.errstate(over="ignore"):
            return (words % np.uint64(size)).astype(np.int64) + np.int64(low)

    def permutation(self, n: int) -> np.ndarray:
        """The integers below n in random order, by Fisher's and Yates' exchanges from the front."""
        order = list(range(n))
        steps = self.words(max(n - 1, 0)) % np.arange(n, 1, -1, dtype=np.uint64)
        for i, step in enumerate(steps.tolist()):
            j = i + step
            order[i], order[j] = order[j], order[i]
        return np.array(order, np.int64)

    # -- state

    def state(self, seed: int) -> np.ndarray:
        """The state as PyTorch lays it out: seed, words left, the table of 624 words, a spare normal number."""
        inner = self.words_source.state["state"]
        position = int(inner["pos"])
        raw = np.zeros(STATE_SIZE, np.uint8)
        raw[:8] = np.array([seed], np.uint64).view(np.uint8)
        left = 1 if self.fresh else 625 - position
        raw[8:16] = np.array([left, 1], np.int32).view(np.uint8)
        raw[16:24] = np.array([0 if self.fresh else position], np.uint64).view(np.uint8)
        raw[24:5016] = np.asarray(inner["key"], np.uint64).view(np.uint8)
        if self.spare is not None:
            raw[5024:5032] = np.array([self.spare]).view(np.uint8)
            raw[5040] = 1
        return raw

    @classmethod
    def from_state(cls, raw: np.ndarray) -> tuple[Twister, int]:
        """A twister in a state that PyTorch (or `state`) gave, and the seed it started from."""
        raw = np.ascontiguousarray(raw)
        seed, position = int(raw[:8].view(np.uint64)[0]), int(raw[16:24].view(np.uint64)[0])
        made = cls(seed)
        key = raw[24:5016].view(np.uint64).astype(np.uint32)
        made.words_source.state = {
            "bit_generator": "MT19937",
            "state": {"key": key, "pos": position or 624},
        }
        made.fresh = position == 0
        made.spare = float(raw[5024:5032].view(np.float64)[0]) if raw[5040] else None
        return made, seed


def _box_muller(uniform, n: int, kind, all_first: bool = True) -> np.ndarray:
    """n standard normal numbers in blocks of 16; what does not fill a block is made by a new block that ends at n.

    all_first: uniform numbers are drawn for all n before the new block's (for float16 and bfloat16 only for whole
    blocks).
    """
    whole = n - n % BLOCK
    u = uniform(n if all_first else whole)
    blocks = [_block(u[:whole].reshape(-1, 2, BLOCK // 2), kind).reshape(-1)]
    if whole < n:
        out = np.concatenate([*blocks, np.zeros(n - whole, kind)])
        out[n - BLOCK :] = _block(uniform(BLOCK).reshape(1, 2, BLOCK // 2), kind).reshape(-1)
        return out
    return blocks[0]


def _block(u: np.ndarray, kind) -> np.ndarray:
    radius = np.sqrt(kind(-2.0) * np.log(kind(1.0) - u[:, :1]))
    angle = kind(2.0 * math.pi) * u[:, 1:]
    return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)], 1).astype(kind)
