"""Second derivatives of PyTorch's own samples (`database.py`): which of the first derivatives require grad, which of the second there are, and what they are."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest", reason="PyTorch's database of ops imports it")

import functorch_lite as ours  # noqa: E402
from tests.checker import FULL  # noqa: E402
from tests.compare import Recorded, difference  # noqa: E402
from tests.parity.database import TWICE, functions, samples, translated  # noqa: E402

pytestmark = pytest.mark.parity

Answer = tuple[list[bool | None], list[bool], list[Any]]


def derivatives(lib: Any, fn: Callable, arguments: Any, last: Callable) -> Answer:
    """Which first derivatives require grad (None, where there is none), which second ones there are, and all their numbers."""
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


def wrong(op: Any, sample: Any) -> str | None:
    """What differs from PyTorch in a sample's derivatives; "PyTorch raises" where PyTorch has none."""
    theirs, mine = functions(op)
    arguments = (sample.input, sample.args, sample.kwargs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        copied = translated(arguments)
        try:
            expected = derivatives(torch, theirs, arguments, sample.output_process_fn_grad)
        except Exception:  # noqa: BLE001: whatever it is, PyTorch has no second derivative here
            return RAISES
        found = derivatives(ours, mine, copied, translated(sample.output_process_fn_grad))
    if found[:2] != expected[:2]:
        return f"{found[:2]}, expected {expected[:2]}"
    return next(
        filter(None, (difference(recorded(a), recorded(b), 2) for a, b in zip(found[2], expected[2]))), None
    )


RAISES = "PyTorch raises"


@pytest.mark.parametrize("name", TWICE)
def test_second_derivatives(name):
    failures = {}
    for i, sample in enumerate(samples(TWICE[name], 3 if FULL else 1)):
        why = wrong(TWICE[name], sample)
        if why not in (None, RAISES):
            failures[i] = why
    assert not failures
