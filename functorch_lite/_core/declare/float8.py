"""Which ops take float8: as PyTorch's, those that move numbers, fill, ask for equality, or multiply. All else casts first.

JAX computes more, but not what one would expect: float8_e4m3fn has no infinity, for one, so that a softmax in it is nan.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..words.dtypes import dtype
from ..words.kernels import no_kernel

__all__ = ["TAKE_FLOAT8", "check_float8"]

TAKE_FLOAT8 = frozenset(
    """
    _cast _copy _neg_view alias clone conj_physical positive
    block_diag cat column_stack combinations constant_pad_nd diag diag_embed diagflat diagonal_scatter dstack fft.fftshift fft.ifftshift
    flip flipud hstack index index_put index_select nn.functional.embedding nn.functional._equal_parts nn.functional.pad repeat
    repeat_interleave roll select_scatter slice_scatter stack tile vstack where
    create.full_like create.ones_like create.zeros_like fill zero
    all any count_nonzero eq isfinite isinf isnan isreal ne nonzero
    abs addbmm addmm bincount einsum float_power ger inner kron matmul mm mul
    nn.functional.adaptive_avg_pool2d nn.functional.conv_tbc nn.functional.linear outer tensordot
    """.split()
)
"""Besides views: what PyTorch 2.13 takes, and little more (a test compares). Pooling looks at its sizes by itself."""


def check_float8(op: Any, static: Any, inputs: Iterable) -> None:
    """Raises torch's NotImplementedError where an input (an Aval) is of float8 and the op does not take it, nor is told another dtype."""
    if not op.takes_float8:
        for x in inputs:
            if x.dtype.is_float8 and not any(type(s) is dtype and not s.is_float8 for s in static):
                raise no_kernel(f"{op.name}_cpu", x.dtype)
