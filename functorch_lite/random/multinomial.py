"""multinomial: indices sampled from rows of probabilities, on the host, or recorded where a value cannot be read."""

from __future__ import annotations

import math

import numpy as np

from .._core.api import (
    OPS,
    SymInt,
    Tensor,
    apply,
    cast,
    composite,
    dtypes,
    from_array,
    require,
    state,
    values_of,
    write_out,
)
from .._core.api import functions as torch
from ..ops.contracts.random import NO_DISTRIBUTION, NOT_A_PROBABILITY
from .draws import check_kernel, drawn, outside
from .generator import Generator, exact_source


@composite(method=True)
def multinomial(
    input: Tensor, num_samples: SymInt, replacement: bool = False, *, generator=None, out=None
) -> Tensor:
    """Indices (int64) sampled from the rows of unnormalised probabilities in input, of shape (n,) or (m, n).

    (num_samples,) or (m, num_samples). Raises RuntimeError for negative probabilities, and for more samples without
    replacement than there are. Inside vmap and in the body of a loop the error is raised when a value computed from
    the samples is read.

    >>> torch.multinomial(torch.tensor([0., 1., 1.]), 2).sort().values
    tensor([1, 2])
    """
    if input.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if not input.is_floating_point():
        raise RuntimeError(
            f"multinomial only supports floating-point dtypes for input, got: {input.dtype.scalar_name}"
        )
    if out is not None and out.dtype is not dtypes.int64:
        raise RuntimeError(f"multinomial expects Long tensor out, got: {out.dtype.scalar_name}")
    check_kernel("aminmax_cpu", input.dtype)
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > input.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    # one sample is the same either way: a race takes fewer steps
    draw = _Draw(generator, replacement and num_samples > 1, num_samples)
    if input.is_meta:  # nothing is drawn
        chosen = input.new_empty((*input.shape[:-1], num_samples), dtype=dtypes.int64)
    elif _unreadable():
        chosen = draw.recorded(input.detach())
    else:
        chosen = from_array(draw.on_host(input.detach()), on=input.device)
    return chosen if out is None else write_out(out, chosen, advised=False)  # type: ignore[return-value]


def _unreadable() -> bool:
    """Returns whether a level is running in which a tensor has no one value."""
    rec = state.rec
    while rec.level:
        if not rec.kind.one_value:
            return True
        rec = rec.outer
    return False


class _Draw:
    """Draws of n indices of each row, by the inverse of the distribution function (with replacement), or by a race: the
    n largest of p / (an exponential number) win."""

    def __init__(self, generator: Generator | None, replacement: bool, n: int):
        self.generator = generator
        self.replacement = replacement
        self.n = n

    def numbers(self, size: tuple[int, ...], d) -> Tensor:
        """Uniform numbers, or for a race exponential ones."""
        if exact_source(self.generator) is not None:
            return outside(self.host_numbers(size, d))
        u = drawn("uniform", size, dtypes.float64, self.generator)
        return u if self.replacement else -torch.log1p(-u)

    def host_numbers(self, size: tuple[int, ...], d) -> np.ndarray:
        """The same as an array."""
        source = exact_source(self.generator)
        if source is None:
            u = values_of(drawn("uniform", size, dtypes.float64, self.generator))
            return u if self.replacement else -np.log1p(-u)
        n = math.prod(size)
        made = source.doubles(n) if self.replacement else source.exponential(n, d)
        return made.reshape(size)

    def recorded(self, p: Tensor) -> Tensor:
        """Draws by ops of the level that is running."""
        p = apply(OPS["_distribution"], (), (p,))
        p = p if p.dtype is dtypes.float64 else cast(p, dtypes.float32)
        if not self.replacement:
            waits = self.numbers(tuple(p.shape), p.dtype)
            won = torch.argsort(torch.where(p > 0, p / waits, 0.0), dim=-1, descending=True, stable=True)
            return won[..., : self.n]
        u = self.numbers((*p.shape[:-1], self.n), p.dtype)
        cdf = torch.cumsum(p, -1)
        cdf = cast(cdf / cdf[..., -1:], dtypes.float64)
        return torch.searchsorted(cdf, u).clamp(max=p.shape[-1] - 1)

    def on_host(self, input: Tensor) -> np.ndarray:
        """Draws at once, with torch's checks of the values."""
        given = values_of(input)
        p = np.atleast_2d(given if given.dtype == np.float64 else given.astype(np.float32))
        require(not (p < 0).any() and np.isfinite(p).all(), NOT_A_PROBABILITY)
        require(not (p.sum(1) <= 0).any(), NO_DISTRIBUTION)
        d = dtypes.from_numpy(p.dtype)
        with np.errstate(divide="ignore", invalid="ignore"):
            if not self.replacement:
                waits = self.host_numbers(p.shape, d)
                chosen = np.argsort(-np.where(p > 0, p / waits, 0), 1, kind="stable")[:, : self.n]
            else:
                u = self.host_numbers((p.shape[0], self.n), d)
                cdf = np.cumsum(p, 1)
                cdf = cdf / cdf[:, -1:]
                chosen = np.zeros(u.shape, np.int64)
                for to, c, row in zip(chosen, cdf, u):
                    to[:] = np.searchsorted(c, row, side="left")
                chosen = np.minimum(chosen, p.shape[1] - 1)
        chosen = chosen.astype(np.int64)
        return chosen[0] if input.ndim == 1 else chosen
