"""Products of matrices: with the operands as they lie in memory, and of many small ones.

Figures are × PyTorch's time, of `python -m benchmarks atlas --only products --threads 1`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .table import Lowering, Site, lowers

__all__: list[str] = []

_SMALL = 16
"""Up to how many terms a batch of products is a sum of outer products: bmm 256×16² takes 4.5, as the sum 2.0."""

_MANY = 1 << 12
"""Elements of an operand of three dims from which on it is worth saying that it is a matrix."""


@lowers("dot_general")
def _small_ones(site: Site) -> Lowering | None:
    """Many products of small matrices, which XLA makes by a call of a kernel for each: one loop over all."""
    (summed, other), (batch, also) = site.params["dimension_numbers"]
    a, b, out = *site.ins, site.outs[0]
    if not (_plain(site) and (tuple(batch), tuple(also)) == ((0,), (0,)) and a.ndim == b.ndim == 3):
        return None
    if len(summed) != 1:
        return None
    (i,), (j,) = summed, other
    terms = a.shape[i]
    if terms > _SMALL or out.shape[1] * out.shape[2] > 1024 or a.shape[0] < 64:
        return None

    def run(a: Any, b: Any) -> Any:
        rows, columns = jnp.moveaxis(a, i, 0)[..., None], jnp.moveaxis(b, j, 0)[:, :, None]
        parts = [rows[k] * columns[k] for k in range(terms)]
        return sum(parts[1:], parts[0])

    return run


_LESS = 0.6
"""How much less there is to be copied where it is worth turning a product around."""


@lowers("dot_general")
def _over_rows(site: Site) -> Lowering | None:
    """A sum over the rows of both, as a gradient of weights is: XLA copies the first, transposed, so that is to be the
    narrower one, and the result is transposed. 2048 rows of 512 and 128 take 3.6 ms, so 2.3; 64 of 512 and 10 79 µs, so
    34 (PyTorch 2.3 ms and 31 µs)."""
    (summed, other), (batch, _) = site.params["dimension_numbers"]
    a, b, out = *site.ins, site.outs[0]
    leading = tuple(range(len(summed)))
    if batch or not leading or tuple(summed) != leading or tuple(other) != leading or not _plain(site):
        return None
    if a.ndim != len(leading) + 1 or b.ndim != len(leading) + 1:
        return None
    rows, m, n = math.prod(a.shape[:-1]), a.shape[-1], b.shape[-1]
    turned = _turned(site, site.eqn.outvars[0])
    wide, narrow = (
        (n, m) if turned else (m, n)
    )  # as XLA would have them, which computes what is asked for in the end
    if rows * wide < _MANY or rows * narrow + m * n > _LESS * rows * wide:
        return None

    def product(a: Any, b: Any) -> Any:
        a, b = a.reshape(rows, -1), b.reshape(rows, -1)
        made = jax.lax.dot_general(
            a,
            b,
            (((0,), (0,)), ((), ())),
            precision=site.params["precision"],
            preferred_element_type=out.dtype,
        )
        return jax.lax.optimization_barrier(made)  # or XLA takes the transpose back into the product

    return product if turned else lambda a, b: product(b, a).T


def _turned(site: Site, matrix: Any) -> bool:
    """Whether all that reads a matrix transposes it, and not back again, as the gradient of `h @ w.T` does."""
    readers = site.made_by.read_by(matrix)
    if not readers or any(r is None or r.primitive.name != "transpose" for r in readers):
        return False
    return not all(_turned(site, r.outvars[0]) for r in readers)


@lowers("dot_general")
def _matrices(site: Site) -> Lowering | None:
    """A product of what vmap stacked, without the copy that XLA makes to have it transposed: of such an operand, as the
    matrix that it is.

    `linear` with stacked weights contracts the last of three dims: vmap linear 10×784→128 takes 1.7, of matrices 0.9.
    """
    (summed, other), (batch, _) = site.params["dimension_numbers"]
    a, b, out = *site.ins, site.outs[0]
    if batch or not _plain(site) or len(summed) != 1:
        return None
    stacked = [x.ndim > 2 and x.size >= _MANY for x in (a, b)]
    edge = [tuple(d) in ((0,), (x.ndim - 1,)) for x, d in ((a, summed), (b, other))]
    if not any(stacked) or not all(edge) or min(a.ndim, b.ndim) < 2:
        return None

    def flat(x: Any, dims: Sequence[int]) -> tuple[Any, int]:
        """As a matrix, and which of its dims is summed over."""
        last = dims[0] == x.ndim - 1
        return x.reshape((-1, x.shape[-1]) if last else (x.shape[0], -1)), int(last)

    def run(a: Any, b: Any) -> Any:
        (a, i), (b, j) = flat(a, summed), flat(b, other)
        return jax.lax.dot_general(
            a,
            b,
            (((i,), (j,)), ((), ())),
            precision=site.params["precision"],
            preferred_element_type=out.dtype,
        ).reshape(out.shape)

    return run


def _plain(site: Site) -> bool:
    """Returns whether all are of one floating point dtype that a CPU computes in, and none is empty."""
    kinds = {x.dtype for x in (*site.ins, *site.outs)}
    return kinds in ({np.dtype(np.float32)}, {np.dtype(np.float64)}) and all(x.size for x in site.ins)
