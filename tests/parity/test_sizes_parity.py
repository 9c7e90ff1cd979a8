"""Values and gradients of ops at tiny and huge arguments, in single precision: nowhere worse than PyTorch's.

What is divided by a square, or squared on the way to a result that is neither tiny nor huge, is nan, inf or wrong
there. PyTorch in double precision is the referee: where its numbers are within float32 and PyTorch's own in single
precision are right, ours are. What was wrong once is looked at; at full length more of its samples.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import functorch_lite as ours  # noqa: E402
import functorch_lite.nn.functional  # noqa: E402
from tests import checker, torch_side  # noqa: E402
from tests.arguments import fill, flat, placeholders, wants_grad  # noqa: E402
from tests.compare import direction  # noqa: E402
from tests.samples import all_samples  # noqa: E402
from tests.samples.base import Sample, T  # noqa: E402
from tests.support.full import FULL  # noqa: E402

pytestmark = pytest.mark.parity
SAMPLES = all_samples()
SIZES = (1e-30, 1e-20, 1e20, 1e30) if FULL else (1e-20, 1e20)
SOME = (
    "corrcoef cosh linalg.cond log1p logdet nn.functional.cosine_similarity nn.functional.gaussian_nll_loss "
    "nn.functional.normalize sgn sinc sinh slogdet"
).split()
CLOSE = 1e-3


def usable(name: str) -> list[Sample]:
    """Samples of single or double precision with gradients; all that are complex, and three others."""
    found = [s for s in SAMPLES[name] if s.error is None and wants_grad(s)]
    found = [s for s in found if all(t.array.size and not t.dtype for t in placeholders(s))]
    is_complex = [any(t.array.dtype.kind == "c" for t in placeholders(s)) for s in found]
    few = 3 if FULL else 1
    chosen = [s for s, c in zip(found, is_complex) if not c][:few] + [
        s for s, c in zip(found, is_complex) if c
    ][:few]
    return chosen


def scaled(t: T, size: float, double: bool) -> T:
    """A placeholder of numbers of this size, which single precision has."""
    kind = t.array.dtype.kind
    if kind not in "fc" or not t.grad:
        return (
            T(t.array.astype({"f": np.float64, "c": np.complex128}[kind])) if double and kind in "fc" else t
        )
    single, wide = (np.complex64, np.complex128) if kind == "c" else (np.float32, np.float64)
    array = (t.array.astype(wide) * size).astype(single)
    return T(array.astype(wide) if double else array, t.grad)


def results(lib, fn, tensor, sample: Sample, given: list[T]) -> list:
    """The results of the call, and its gradients along fixed directions."""
    at = wants_grad(sample)
    tensors = [tensor(t) for t in given]
    for i in at:
        tensors[i].requires_grad_(True)
    args, kwargs = fill(sample, tensors, torch_side.other if lib is torch else lambda x: x)
    outs = [o for o in flat(fn(*args, **kwargs)) if hasattr(o, "requires_grad")]
    roots = [o for o in outs if o.requires_grad]
    if not roots:
        return outs
    along = [
        lib.tensor(
            direction("ct", k, tuple(o.shape), o.dtype.is_complex).astype(
                np.complex64 if o.dtype.is_complex else np.float32
            )
        )
        for k, o in enumerate(roots)
    ]
    along = [a.to(o.dtype) for a, o in zip(along, roots)]
    return outs + list(lib.autograd.grad(roots, [tensors[i] for i in at], along, allow_unused=True))


def error(got: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Relative to each number, or to a thousandth of the largest that is finite."""
    with np.errstate(all="ignore"):
        size = np.abs(exact)
        largest = np.max(size, initial=0, where=np.isfinite(size))
        return np.nan_to_num(np.abs(got - exact) / np.maximum(size, largest * CLOSE), nan=np.inf)


def worse(mine: np.ndarray, single: np.ndarray, double: np.ndarray) -> str | None:
    """Where ours is wrong, though PyTorch's is not in either precision; None if nowhere."""
    if mine.shape != double.shape or double.dtype.kind not in "fc":
        return None
    largest = np.max(np.abs(double), initial=0, where=np.isfinite(double))
    within = np.isfinite(double) & (largest > 1e-35) & (largest < 1e38)
    bad = within & (error(mine, double) > CLOSE) & (error(single, double) < CLOSE / 4)
    if not bad.any():
        return None
    at = tuple(np.argwhere(bad)[0])
    return f"{int(bad.sum())} of {bad.size}; {mine[at]} at {list(at)}, expected {double[at]}"


def number(lib, t) -> np.ndarray:
    return (torch_side if lib is torch else checker).recorded(t).array


def failures(name: str) -> list[str]:
    found = []
    theirs = torch_side.function(name)
    tensor = lambda t: checker.tensors_of([checker.array_of(t)])[0]  # noqa: E731
    for k, sample in enumerate(usable(name)):
        for size in SIZES:
            single, double = ([scaled(t, size, d) for t in placeholders(sample)] for d in (False, True))
            try:
                exact = results(torch, theirs, torch_side.tensor, sample, double)
                rounded = results(torch, theirs, torch_side.tensor, sample, single)
            except RuntimeError:  # PyTorch refuses such arguments, or LAPACK finds nothing for them
                continue
            mine = results(ours, checker.subject(name).call, tensor, sample, single)
            for i, (m, s, d) in enumerate(zip(mine, rounded, exact)):
                if s is None or d is None:
                    continue
                wrong = worse(
                    number(ours, m) if m is not None else np.zeros(s.shape),
                    number(torch, s),
                    number(torch, d),
                )
                if wrong:
                    found.append(f"{name}, sample {k} at {size:g}, result {i}: {wrong}")
    return found


@pytest.mark.parametrize("name", SOME)
def test_sizes(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not (found := failures(name)), "\n" + "\n".join(found)
