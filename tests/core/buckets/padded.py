"""Recordings at several lengths, evaluated padded, with garbage in the padding, and compared with what they are
without."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import jax
import numpy as np

import functorch_lite as torch
from functorch_lite._core.lazy import engine
from functorch_lite._core.lazy.graph import replay
from functorch_lite._core.run import executor
from functorch_lite._core.run.buckets import padded_program
from functorch_lite._core.run.buckets.axes import Dim, Lengths, Padded, bucket, product
from functorch_lite._core.run.buckets.evaluate import axes_of, constants, evaluate, inner_of
from functorch_lite._core.run.buckets.forms import Template
from functorch_lite._core.run.buckets.interpreter import Differing
from functorch_lite._core.run.buckets.signatures import signature
from functorch_lite._core.run.cold import symbolic


def garbage(shape: Sequence[int], dtype) -> np.ndarray:
    """What stands in padding: nan, numbers that are no index, and either truth value."""
    dtype = np.dtype(dtype)
    rng = np.random.default_rng(sum(shape) + len(shape))
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind == "u":
        return np.full(shape, np.iinfo(dtype).max, dtype)
    if dtype.kind == "i":
        limits = np.iinfo(dtype)
        return np.where(rng.random(shape) < 0.5, limits.max // 3, limits.min // 3).astype(dtype)
    return np.full(shape, np.nan).astype(dtype)


@contextmanager
def poisoned() -> Iterator[None]:
    """A context in which programs are given garbage in the padding of their arguments."""
    padded_program.PADDING["with"] = garbage
    try:
        yield
    finally:
        padded_program.PADDING["with"] = None


def recordings(fn: Callable[[int], object], lengths: Sequence[int]) -> list:
    """Of fn at each length the longest recording, its externals, and their arrays.

    What fn computes is not looked at: NumPy does, at each length alone."""
    found, seen = [], []
    before, note = executor._prepare, symbolic.note

    def prepare(rec):
        seen.append((list(rec.path), list(rec.ext), [np.array(engine.force_array(v)) for v in rec.ext]))
        return before(rec)

    executor._prepare, symbolic.note = prepare, lambda pending: None
    try:
        with torch.debug.tier("cold"):
            fn(10), fn(11)  # numbers that change are inputs from the second time on
            for n in lengths:
                torch.synchronize()
                seen.clear()
                kept = fn(n)
                torch.synchronize()
                found.append(max(seen, key=lambda s: len(s[0])))
                del kept
    finally:
        executor._prepare, symbolic.note = before, note
    return found


def check(
    fn: Callable[[int], object], lengths: Sequence[int] = (4, 5, 7, 9), tolerance: float = 1e-5
) -> None:
    """Every slot of fn's recording at the last length, padded to the next bucket and with garbage there, is what it is
    without padding."""
    found = recordings(fn, lengths)
    signatures = [signature(path, ext) for path, ext, _ in found]
    assert all(s.key == signatures[0].key for s in signatures), "these are several forms"
    template = Template(signatures[:-1])
    path = found[0][0]
    inner = inner_of(path, path, signatures[0], template)
    assert template.columns, "no length"
    assert template.fits(signatures[-1])
    last, _, arrays = found[-1]
    now = template.lengths(signatures[-1])
    padded = tuple([bucket(n + 1) for n in now])
    at, axes, given = 0, [], []
    for array in arrays:
        sizes = [template.size(at + k) for k in range(array.ndim)]
        at += array.ndim
        axes.append(axes_of(sizes))
        longer = garbage([s.of(padded) if isinstance(s, Dim) else s for s in sizes], array.dtype)
        longer[tuple([slice(0, n) for n in array.shape])] = array
        given.append(longer)
    slots = [i for node in path for i in range(node.base, node.base + node.n_out)]
    of = {
        c.value.number: c.aval for i in inner.values() for c in constants(i) if isinstance(c.value, Differing)
    }
    differing = {}
    for k, told in of.items():
        value = np.asarray(signatures[-1].values[int(k)], told.dtype)
        differing[k] = garbage([s.of(padded) if isinstance(s, Dim) else s for s in told.shape], told.dtype)
        differing[k][tuple([slice(0, n) for n in value.shape])] = value
    made: dict[int, Padded] = {}

    def run(lengths, differing, *arrays):
        to = Lengths(padded, [lengths[k] for k in range(len(padded))])
        known = {k: Padded(c, axes_of(of[k].shape)) for k, c in differing.items()}
        inputs = {e: Padded(a, x) for e, (a, x) in enumerate(zip(arrays, axes))}
        made.update(evaluate([(node, inner[node]) for node in path], to, inputs, known))
        return [made[i].array for i in slots]

    def without(*arrays):
        of: dict = {}
        replay(last, of, arrays)
        return [of[i] for i in slots]

    with jax.enable_x64(True):
        outs = jax.jit(run)(np.array(now, np.int64), differing, *given)
        wanted = jax.jit(without)(*arrays)
    for i, out, right in zip(slots, outs, wanted):
        node = next(n for n in path if n.base <= i < n.base + n.n_out)
        got, right = _cut(np.asarray(out), made[i].axes, now, padded), np.asarray(right)
        assert got.shape == right.shape, f"slot {i}, {node.op}"
        if right.dtype.kind in "fc":
            np.testing.assert_allclose(got, right, tolerance, tolerance, err_msg=f"slot {i}, {node.op}")
        else:
            np.testing.assert_array_equal(got, right, f"slot {i}, {node.op}")


def _cut(array: np.ndarray, axes: Sequence, now: Sequence[int], padded: Sequence[int]) -> np.ndarray:
    full, part, shape = [], [], []
    for d, axis in enumerate(axes):
        of = lambda f, n: f.of(n) if isinstance(f, Dim) else f  # noqa: E731
        if axis.free:
            size = of(product(axis.factors), now)
            array = np.repeat(array, size, d)
            full.append(size), part.append(size), shape.append(size)
            continue
        full += [of(f, padded) for f in axis.factors]
        part += [of(f, now) for f in axis.factors]
        shape.append(of(product(axis.factors), now))
    return array.reshape(full)[tuple([slice(0, p) for p in part])].reshape(shape)
