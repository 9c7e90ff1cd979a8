"""The rule for products of matrices, `dot_general`, and in which dtype it and convolutions multiply and add.

NumPy hands products of float32, float64 and complex numbers to BLAS. All others are made of these where that is exact:
narrow floats are multiplied in float32 and rounded once, and integers whose sums a float holds are multiplied as
floats.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from jax.lax import DotAlgorithm, DotAlgorithmPreset

from .interpreter import COSTS, NARROW, NoRule, elements, known, rule

__all__ = ["arithmetic", "product_of_integers"]

_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


class Arithmetic:
    """How operands are multiplied, and up to `terms` products added, to give a result.

    `dtype` is what that is done in, `blas` whether BLAS does it; `first` and `second` bring the operands there, and
    `last` the result back: functions of an array, or None for nothing to do. `factor`: how much longer that takes than
    in float32.
    """

    __slots__ = ("blas", "dtype", "factor", "first", "last", "second")

    def __init__(self, a: np.dtype, b: np.dtype, out: np.dtype, terms: int):
        # as JAX lowers it: operands that differ become what the result is
        met = a if a == b else out
        self.dtype = _computed_in(met, out, terms)
        self.blas = self.dtype.kind in "fc"
        self.first, self.second = _into(a, met, self.dtype), _into(b, met, self.dtype)
        self.last = _back(self.dtype, out)
        self.factor = self.dtype.itemsize / (4 if self.dtype.kind == "f" else 2) if self.blas else 20.0


_arithmetic = lru_cache(4096)(Arithmetic)


def arithmetic(eqn: Any, terms: int) -> Arithmetic:
    """Returns the Arithmetic of an equation, each of whose results is the sum of so many products."""
    known(eqn)
    a, b = eqn.invars
    return _arithmetic(a.aval.dtype, b.aval.dtype, eqn.outvars[0].aval.dtype, terms)


def _inexact(dtype: np.dtype) -> bool:
    return dtype.kind in "fc" or dtype in NARROW


def _computed_in(met: np.dtype, out: np.dtype, terms: int) -> np.dtype:
    if _inexact(met) or _inexact(out):
        wide = [_FLOAT32 if d in NARROW else d if _inexact(d) else _FLOAT64 for d in (met, out)]
        return np.result_type(*wide)
    if met.kind == out.kind == "b":
        return _FLOAT32  # how many pairs are both true: more than none, however it is rounded
    largest = 1 if met.kind == "b" else max(-int(np.iinfo(met).min), int(np.iinfo(met).max))
    bound = terms * largest**2
    return _FLOAT32 if bound <= 2**24 else _FLOAT64 if bound <= 2**53 else out


def _into(own: np.dtype, met: np.dtype, dtype: np.dtype) -> Callable[[np.ndarray], np.ndarray] | None:
    if own == met:
        return None if own == dtype else lambda x: x.astype(dtype)
    return (lambda x: x.astype(met)) if met == dtype else lambda x: x.astype(met).astype(dtype)


def _back(dtype: np.dtype, out: np.dtype) -> Callable[[np.ndarray], np.ndarray] | None:
    if dtype == out:
        return None
    if dtype.kind == "f" and out.kind in "iu" and out != np.int64:
        return lambda x: x.astype(np.int64).astype(out)  # which wraps around; floats out of range would not
    return lambda x: x.astype(out)


def _kept(n: int, *groups: Sequence[int]) -> list[int]:
    gone = {d for g in groups for d in g}
    return [d for d in range(n) if d not in gone]


class _Operand:
    """An operand of a product, as a stack of matrices: rows of what is kept by columns of what is summed, or for the
    right operand the transpose."""

    __slots__ = ("apart", "kept_shape", "order", "shape", "turned")

    def __init__(self, shape: Sequence[int], batch: Sequence[int], summed: Sequence[int], *, left: bool):
        kept = _kept(len(shape), batch, summed)
        self.kept_shape = tuple(shape[d] for d in kept)
        size, terms = math.prod(self.kept_shape), math.prod(shape[d] for d in summed)
        inner = next((d for d in reversed(range(len(shape))) if shape[d] > 1), -1)
        # what lies side by side stays so: that is copied fast where it must be, and BLAS takes either order
        kept_last = kept[0] > summed[0] if len(kept) == len(summed) == 1 else inner in kept
        self.turned = kept_last == left
        order = [*batch, *summed, *kept] if kept_last else [*batch, *kept, *summed]
        whole = tuple(shape[d] for d in batch)
        stacked = (*whole, terms, size) if kept_last else (*whole, size, terms)
        self.order = None if order == sorted(order) else tuple(order)
        self.shape = None if stacked == tuple(shape[d] for d in order) else stacked
        self.apart = inner in batch

    def __call__(self, x: np.ndarray) -> np.ndarray:
        if self.order is not None:
            x = x.transpose(self.order)
        if self.apart:
            x = np.ascontiguousarray(x)
        if self.shape is not None:
            x = x.reshape(self.shape)
        return x.swapaxes(-1, -2) if self.turned else x

    @property
    def plain(self) -> bool:
        """Returns whether the operand is the matrix itself."""
        return self.order is None and self.shape is None and not self.turned and not self.apart


def _order(
    a: Sequence[int], b: Sequence[int], at: Sequence[int], bt: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Dimensions to sum over, in the order in which they lie in the larger operand."""
    if math.prod(a) >= math.prod(b):
        pairs = sorted(zip(at, bt))
    else:
        pairs = sorted(zip(at, bt), key=lambda p: p[1])
    return [p[0] for p in pairs], [p[1] for p in pairs]


@rule("dot_general")
def _dot_general(eqn: Any) -> Callable:
    p, (a, b), out = eqn.params, (v.aval for v in eqn.invars), eqn.outvars[0].aval
    if (
        isinstance(p["precision"], (DotAlgorithm, DotAlgorithmPreset))
        and p["precision"] != DotAlgorithmPreset.DEFAULT
    ):
        raise NoRule("dot_general by an algorithm")
    (a_summed, b_summed), (a_batch, b_batch) = p["dimension_numbers"]
    if not a_batch and len(a_summed) == 1 and a.ndim == b.ndim == 2 and a.dtype == b.dtype == out.dtype:
        if a.dtype in (_FLOAT32, _FLOAT64):  # of any sizes
            return _of_matrices(a_summed[0], b_summed[0])
    terms = math.prod(a.shape[d] for d in a_summed)
    how = arithmetic(eqn, terms)
    a_summed, b_summed = _order(a.shape, b.shape, a_summed, b_summed)
    left = _Operand(a.shape, a_batch, a_summed, left=True)
    right = _Operand(b.shape, b_batch, b_summed, left=False)
    if terms == 1:
        multiply: Callable = np.multiply  # each of a column with each of a row
    elif not how.blas:
        multiply = product_of_integers
    else:
        multiply = np.matmul if len(a_batch) else np.dot
    sizes = [math.prod(x.kept_shape) for x in (left, right)]
    shape = None if (*[a.shape[d] for d in a_batch], *sizes) == out.shape else out.shape
    first, second, last = how.first, how.second, how.last
    if left.plain and right.plain and shape is None and first is second is last is None:
        return multiply

    def run(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if first is not None:
            a = first(a)
        if second is not None:
            b = second(b)
        r = multiply(left(a), right(b))
        if shape is not None:
            r = r.reshape(shape)
        return r if last is None else last(r)

    return run


def _of_matrices(a_summed: int, b_summed: int) -> Callable:
    """The product of two matrices over these of their dims."""
    if a_summed == 1:
        return np.dot if b_summed == 0 else lambda a, b: np.dot(a, b.T)
    return (lambda a, b: np.dot(a.T, b)) if b_summed == 0 else lambda a, b: np.dot(a.T, b.T)


def product_of_integers(a: np.ndarray, b: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """The product of stacks of matrices, of which `einsum` makes a loop that vectorises, as `matmul` does not for
    integers."""
    return np.einsum("...ij,...jk->...ik", a, b, out=out)


def _multiply_adds(eqn: Any) -> float:
    a = eqn.invars[0].aval
    terms = math.prod(a.shape[d] for d in eqn.params["dimension_numbers"][0][0])
    return elements(eqn.outvars[0]) * terms * arithmetic(eqn, terms).factor


COSTS["dot_general"] = lambda eqn: 0.5 * _multiply_adds(eqn)  # a convolution has more to do for each
