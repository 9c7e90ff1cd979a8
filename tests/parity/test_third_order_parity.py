"""Third derivatives of every differentiable op, along fixed directions, side by side with real torch."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import functorch_lite as ours  # noqa: E402
from tests import checker, torch_side  # noqa: E402
from tests.arguments import fill, flat, placeholders, wants_grad  # noqa: E402
from tests.checker import FULL  # noqa: E402
from tests.compare import direction  # noqa: E402
from tests.samples import all_samples  # noqa: E402
from tests.samples.base import Sample  # noqa: E402
from tests.support.exclusions import Exclusion, Exclusions  # noqa: E402

pytestmark = pytest.mark.parity
SAMPLES = all_samples()


def suitable(name: str) -> Sample | None:
    """The first sample whose derivatives are compared, with real tensors only."""
    for sample in SAMPLES[name]:
        tensors = placeholders(sample)
        if (
            sample.error is None
            and sample.gradgrad
            and wants_grad(sample)
            and name not in checker.UP_TO_PHASE
        ):
            if all(
                t.dtype is None and t.array.dtype != np.complex64 and t.array.dtype.kind != "c"
                for t in tensors
            ):
                return sample
    return None


def _normalized(dims_of: Callable) -> Callable:
    def fn(input, *rest, weight=None, bias=None, eps=1e-5, **_):
        dims = dims_of(input, *rest)
        centred = input - input.mean(dims, keepdim=True)
        return centred / ((centred * centred).mean(dims, keepdim=True) + eps).sqrt()

    return fn


COMPOSED = {
    "nn.functional.layer_norm": _normalized(lambda x, shape, *_: tuple(range(x.ndim - len(shape), x.ndim))),
    "nn.functional.instance_norm": _normalized(lambda x, *_: tuple(range(2, x.ndim))),
}
"""PyTorch's own third derivative of its fused norms is wrong (that of the same formula in elementary ops agrees with
finite differences and with ours): those are compared with the formula. Their samples have no weight or bias."""
WRONG_IN_TORCH = ("nn.functional._batch_norm_train", "nn.functional._instance_norm_train", "logcumsumexp")
RULES = Exclusions(
    Exclusion("wrong in PyTorch: compared in the form that users call", " ".join(WRONG_IN_TORCH[:2])),
    Exclusion(
        "nan in PyTorch where it is finite", "logcumsumexp", "",
        lambda a, b: np.isfinite(a).all() and close(a, np.where(np.isnan(b), a, b)),
    ),
)  # fmt: skip


def close(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether they are equal but for rounding."""
    return np.allclose(a, b, 1e-5, 1e-6 * max(1.0, float(np.abs(b).max(initial=0.0))), equal_nan=True)


CASES = {
    name: s
    for name in sorted(SAMPLES)
    if (FULL or zlib.crc32(name.encode()) % 4 == 0) and (s := suitable(name)) is not None
}
"""A quarter of the ops; all in `make parity-full`."""


def third(lib, fn: Callable, sample: Sample, other: Callable) -> list:
    """D^3 of a weighted sum of the op's results along fixed directions, differentiated once more: one array for each
    input.

    The directional derivatives are taken by autograd.grad with create_graph; None where the graph has ended (zero).
    """
    at = wants_grad(sample)
    tensors = []
    for i, t in enumerate(placeholders(sample)):
        array = np.array(t.array)
        x = lib.tensor(array.astype(np.float64) if array.dtype == np.float32 else array)
        tensors.append(x.requires_grad_(True) if i in at else x)
    inputs = [tensors[i] for i in at]
    args, kwargs = fill(sample, tensors, other)
    outs = [
        o
        for o in flat(fn(*args, **kwargs))
        if hasattr(o, "requires_grad") and o.requires_grad and o.dtype == lib.float64
    ]
    scalar = None
    for k, o in enumerate(outs):
        weighted = (o * lib.tensor(direction("third out", k, tuple(o.shape), False))).sum()
        scalar = weighted if scalar is None else scalar + weighted
    for order in range(2):
        if scalar is None or not scalar.requires_grad:
            return [None] * len(inputs)
        grads = lib.autograd.grad(scalar, inputs, create_graph=True, allow_unused=True)
        scalar = None
        for k, g in enumerate(grads):
            if g is not None and g.requires_grad:
                along = (g * lib.tensor(direction(f"third {order}", k, tuple(g.shape), False))).sum()
                scalar = along if scalar is None else scalar + along
    if scalar is None or not scalar.requires_grad:
        return [None] * len(inputs)
    grads = lib.autograd.grad(scalar, inputs, allow_unused=True)
    return [None if g is None else g.detach().numpy() for g in grads]


@pytest.mark.parametrize("name", CASES)
def test_third_derivative(name):
    sample = CASES[name]
    theirs_fn = COMPOSED.get(name) or torch_side.function(name)
    if theirs_fn is None:
        pytest.skip("torch has no such function")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            theirs = third(torch, theirs_fn, sample, torch_side.other)
        except (RuntimeError, NotImplementedError) as error:
            pytest.skip(f"torch has no third derivative: {str(error)[:80]}")
    wrong = []
    mine = third(ours, checker.subject(name).call, sample, lambda x: x)
    for a, b in zip(mine, theirs):
        shape = a.shape if a is not None else b.shape if b is not None else ()
        a, b = [np.zeros(shape) if x is None else x for x in (a, b)]
        if not close(a, b) and not RULES.of(name, "", a, b):
            wrong.append(f"{a}, expected {b}")
    wrong += RULES.unused(name)
    assert not wrong, "\n".join(wrong)
