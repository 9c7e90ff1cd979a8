"""torch.quasirandom: Sobol sequences, whose points fill the unit cube more evenly than random ones."""

from __future__ import annotations

import functools
from importlib.resources import files

import numpy as np

from ._core.api import Tensor, from_array, write_out
from ._core.api import dtype as DType
from ._core.api import functions as torch
from .api_names import listed
from .random import Generator

__all__ = ["SobolEngine"]
__dir__ = listed(__name__)

_BITS = 30


class SobolEngine:
    """Draws points of a Sobol sequence in [0, 1) of 1 to 21201 dimensions, scrambled or not: the same points as
    PyTorch, one after the other.

    The direction numbers are taken from S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better
    two-dimensional projections", SIAM J. Sci. Comput. 30 (2008), as SciPy keeps them; `scramble=True` is the random
    linear scrambling and digital shift of J. Matousek (1998), drawn by a generator of `seed`. Raises ValueError for
    another dimension.

    >>> torch.quasirandom.SobolEngine(2).draw(3)
    tensor([[0.0000, 0.0000],
            [0.5000, 0.5000],
            [0.7500, 0.2500]])
    """

    MAXBIT = _BITS
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None):
        if not 1 <= dimension <= self.MAXDIM:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        self.dimension, self.scramble, self.seed = dimension, scramble, seed
        self._directions, self._shift = _directions(dimension), np.zeros(dimension, np.int64)
        if scramble:
            self._scramble()
        self.num_generated = 0

    def _scramble(self) -> None:
        g = None
        if self.seed is not None:
            g = Generator()
            g.manual_seed(self.seed)
        bits = torch.randint(2, (self.dimension, _BITS), generator=g).numpy()
        self._shift = bits @ (1 << np.arange(_BITS))
        rows = np.tril(torch.randint(2, (self.dimension, _BITS, _BITS), generator=g).numpy())
        rows[:, np.arange(_BITS), np.arange(_BITS)] = 1
        masks = rows @ (1 << np.arange(_BITS - 1, -1, -1))
        met = masks[:, None, :] & self._directions[:, :, None]  # a row of a matrix and a direction number
        parities = np.bitwise_count(met).astype(np.int64) & 1
        self._directions = parities @ (1 << np.arange(_BITS - 1, -1, -1))

    @property
    def sobolstate(self) -> Tensor:
        """The direction numbers, (dimension, 30) int64."""
        return from_array(self._directions.copy())

    @property
    def shift(self) -> Tensor:
        """The number that scrambling adds to every point, bit by bit: (dimension,) int64."""
        return from_array(self._shift.copy())

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: DType | None = None) -> Tensor:
        """The next n points, (n, dimension), in `dtype` or the default one; n > 0 for the first.

        RuntimeError for fewer."""
        after_first = n if self.num_generated else n - 1
        if after_first < 0:
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {after_first}: [{after_first}, {self.dimension}]"
            )
        at = np.arange(self.num_generated, self.num_generated + n)
        gray, points = at ^ (at >> 1), np.broadcast_to(self._shift, (n, self.dimension)).copy()
        for bit in range(int(gray.max(initial=0)).bit_length()):
            points ^= np.where((gray >> bit & 1)[:, None], self._directions[:, bit], 0)
        self.num_generated += n
        made = from_array(points * 2.0**-_BITS).to(torch.get_default_dtype() if dtype is None else dtype)
        return made if out is None else write_out(out, made)  # type: ignore[return-value]

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: DType | None = None) -> Tensor:
        """The next 2**m points.

        ValueError where those drawn would not be a power of two in number, as balance requires."""
        n, total = 2**m, self.num_generated + 2**m
        if total & (total - 1):
            raise ValueError(
                f"The balance properties of Sobol' points require n to be a power of 2. {self.num_generated} points have been "
                f"previously generated, then: n={self.num_generated}+2**{m}={total}. If you still want to do this, please use "
                "'SobolEngine.draw()' instead."
            )
        return self.draw(n, out, dtype)

    def reset(self) -> SobolEngine:
        """Back to the first point."""
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Leaves out n points."""
        self.num_generated += n
        return self

    def __repr__(self) -> str:
        parts = [f"dimension={self.dimension}"]
        if self.scramble:
            parts.append("scramble=True")
        if self.seed is not None:
            parts.append(f"seed={self.seed}")
        return f"{type(self).__name__}({', '.join(parts)})"


@functools.cache
def _directions(dimension: int) -> np.ndarray:
    """The direction numbers of every dimension, (dimension, 30): integers of 30 bits, the first of them the highest."""
    with np.load(files("scipy.stats") / "_sobol_direction_numbers.npz") as data:  # type: ignore[arg-type]
        polynomials, first = data["poly"][:dimension], data["vinit"][:dimension]
    degrees = np.array([int(p).bit_length() - 1 for p in polynomials])
    found = np.ones((dimension, _BITS), np.int64)
    known = min(first.shape[1], _BITS)
    found[1:, :known] = first[1:, :known]
    for j in range(1, _BITS):
        rows = np.flatnonzero((degrees <= j) & (degrees > 0))
        degree, polynomial = degrees[rows], polynomials[rows]
        number = found[rows, j - degree]
        for k in range(int(degree.max(initial=0))):
            taken = (k < degree) & (polynomial >> np.maximum(degree - 1 - k, 0) & 1 == 1)
            number ^= np.where(taken, found[rows, j - k - 1] << (k + 1), 0)
        found[rows, j] = number
    return found << np.arange(_BITS - 1, -1, -1)
