"""Second derivatives of PyTorch's own samples (`database.py`): which of the first derivatives require grad, which of
the second there are, and what they are."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
if os.environ.get("FUNCTORCH_LITE_PARITY") != "full":
    pytest.skip("at full length: PyTorch takes seconds to make its database of ops", allow_module_level=True)

import functorch_lite as ours  # noqa: E402
from tests.compare import Recorded, difference  # noqa: E402
from tests.parity.database import TWICE, functions, samples, translated  # noqa: E402
from tests.support.exclusions import Exclusion, Exclusions  # noqa: E402

pytestmark = pytest.mark.parity

_INTERNAL = "internal to PyTorch, and not here"
RULES = Exclusions(
    Exclusion(
        _INTERNAL,
        "native_group_norm native_layer_norm native_batch_norm _native_batch_norm_legit _batch_norm_with_update _upsample_bilinear2d_aa "
        "torch.ops.aten._safe_softmax.default _unsafe_masked_index _unsafe_masked_index_put_accumulate native_dropout_backward",
        "missing",
    ),
    Exclusion("its samples are made with functions internal to torch.masked", "masked.cumsum masked.cumprod masked.amax masked.amin masked.mean masked.median "
        "masked.norm masked.var masked.std masked.softmax masked.log_softmax masked.softmin masked.logaddexp masked.logsumexp", "missing"),
    Exclusion("a dtype that JAX does not have", "chalf", "missing"),
    Exclusion("of sparse matrices, whose derivatives are compared in tests/sparse", "sparse.sampled_addmm", "missing"),
    Exclusion("PyTorch gives the derivative by src in the place of that by input", "as_strided_scatter", "answer"),
    Exclusion("its input is a part of storage that a copy of it does not have", "as_strided.partial_views", "answer"),
    Exclusion(
        "PyTorch computes the gradient of each chunk in the forward, and has no second derivative",
        "nn.functional.linear_cross_entropy.chunked nn.functional.linear_cross_entropy.chunked_none", "answer",
    ),
    Exclusion("PyTorch's derivative by the values that were pooled is zeros; here there is none", "max_pool2d_with_indices_backward", "answer"),
    Exclusion(
        "of nothing PyTorch gives None, where here are gradients without elements", "ormqr linalg.householder_product", "answer",
        lambda sample: not sample.args[0].numel(),
    ),
)  # fmt: skip

Answer = tuple[list[bool | None], list[bool], list[Any]]


@pytest.fixture(autouse=True)
def _pytorchs_random_numbers():
    ours.random.set_default_engine("mt19937")
    yield
    ours.random.set_default_engine("threefry")


def derivatives(lib: Any, fn: Callable, arguments: Any, last: Callable) -> Answer:
    """Which first derivatives require grad (None, where there is none), which second ones there are, and all their
    numbers."""
    input, args, kwargs = arguments
    lib.manual_seed(0)
    leaves = lib.utils._pytree.tree_leaves
    outs = [
        o for o in leaves(last(fn(input, *args, **kwargs))) if isinstance(o, lib.Tensor) and o.requires_grad
    ]
    ins = [a for a in leaves(arguments) if isinstance(a, lib.Tensor) and a.requires_grad]

    def total(tensors: list) -> Any:
        weights = [lib.cos(lib.arange(t.numel(), dtype=lib.float64)).reshape(t.shape) for t in tensors]
        parts = [(t * w).sum() for t, w in zip(tensors, weights)]
        return sum(p.real if p.is_complex() else p for p in parts)

    if not outs:
        return [], [], []
    first = lib.autograd.grad(total(outs), ins, create_graph=True, allow_unused=True)
    again = [g for g in first if g is not None and g.requires_grad]
    second = lib.autograd.grad(total(again), ins, allow_unused=True) if again else ()
    numbers = [g.detach() for g in (*first, *second) if g is not None]
    return [g if g is None else g.requires_grad for g in first], [g is not None for g in second], numbers


def recorded(t: Any) -> Recorded:
    return Recorded(t.resolve_conj().resolve_neg().numpy(force=True), str(t.dtype).removeprefix("torch."))


def wrong(name: str, sample: Any) -> str | None:
    """What differs from PyTorch in the derivatives of a sample."""
    if RULES.of(name, "missing", sample):
        return None
    theirs, mine = functions(TWICE[name])
    arguments = (sample.input, sample.args, sample.kwargs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        copied = translated(arguments)
        try:
            expected = derivatives(torch, theirs, arguments, sample.output_process_fn_grad)
        except RuntimeError:  # PyTorch has no second derivative here
            return None
        try:
            found = derivatives(ours, mine, copied, translated(sample.output_process_fn_grad))
        except RuntimeError as error:
            why = f"{type(error).__name__}: {error}"
        else:
            pairs = zip(found[2], expected[2])
            numbers = next(filter(None, (difference(recorded(a), recorded(b), 2) for a, b in pairs)), None)
            why = f"{found[:2]}, expected {expected[:2]}" if found[:2] != expected[:2] else numbers
    return None if why is None or RULES.of(name, "answer", sample) else why


@pytest.mark.parametrize("name", TWICE)
def test_second_derivatives(name):
    """Of the first three samples, and of three more of those with tensors without elements."""
    found = {i: wrong(name, sample) for i, sample in enumerate(samples(TWICE[name], 3))}
    failures = [f"{name}[{i}]: {why}" for i, why in found.items() if why] + RULES.unused(name)
    assert not failures, "\n" + "\n".join(failures)
