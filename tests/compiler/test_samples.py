"""Every op sample, under torch.compile: values, derivatives, what is written to and what is drawn are, to the last bit,
what they are without.

A fixed share at each run; all with FUNCTORCH_LITE_PARITY=full.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import functorch_lite as torch
from tests.arguments import fill, flat, placeholders, wants_grad
from tests.checker import HIDDEN, METHOD_DIFFERS, NOT_DERIVED, _takes_out, array_of, subject, tensors_of
from tests.compiler.rounds import Case, Tally, compare, forget
from tests.samples import all_samples
from tests.samples.base import Sample, T
from tests.support.full import FULL

SAMPLES = all_samples()
EVERY = 1 if FULL else 32
PARTS = 16 if FULL else 1


def changed(a: np.ndarray) -> np.ndarray:
    """Other numbers: smaller ones, of which a positive matrix is still positive; integers at other places."""
    with np.errstate(invalid="ignore"):
        return a * np.asarray(0.75, a.dtype) if a.dtype.kind not in "biu" else np.roll(a, 1)


def cases_of(name: str) -> Iterator[Case]:
    """Of each sample of an op: the call, its derivatives inside the function and outside, in place, with out=."""
    s = subject(name)
    for n, sample in enumerate(SAMPLES[name]):
        at, label = wants_grad(sample) if sample.error is None else [], f"{name}[{n}]"
        yield Case(label, _value(s.call), _given(sample, at), _derivatives_outside(name, at, sample.gradgrad))
        if at:
            yield Case(
                f"{label} derivatives", _derivatives(s.call, name, sample.gradgrad), _given(sample, at, True)
            )
        if sample.error is None and sample.args and isinstance(sample.args[0], T) and s.op is not None:
            yield from _writing(s, sample, label)


def _given(sample: Sample, at: list[int], more: bool = False) -> Callable[[int], tuple]:
    """(args, kwargs) of a sample; with `more`, the tensors that derivatives are of, too."""
    arrays = [array_of(t) for t in placeholders(sample)]
    others = [changed(a) for a in arrays]

    def given(k: int) -> tuple:
        tensors = tensors_of((arrays, others)[k], at)
        filled = fill(sample, tensors)
        return (*filled, [tensors[i] for i in at]) if more else filled

    return given


def _value(call: Callable) -> Callable:
    def value(args, kwargs):
        return call(*args, **kwargs)

    return value


def _gradients(name: str, outs: Any, inputs: list, twice: bool) -> list:
    """Gradients of results along themselves, and those of the gradients."""
    less = NOT_DERIVED.get(name, ())
    roots = [
        o
        for k, o in enumerate(flat(outs))
        if isinstance(o, torch.Tensor) and o.requires_grad and k not in less
    ]
    if not roots:
        return []
    along = [o.detach() for o in roots]
    first = torch.autograd.grad(roots, inputs, along, create_graph=twice, allow_unused=True)
    again = [g for g in first if g is not None and g.requires_grad]
    if not twice or not again:
        return [first]
    return [first, torch.autograd.grad(again, inputs, [g.detach() for g in again], allow_unused=True)]


def _derivatives(call: Callable, name: str, twice: bool) -> Callable:
    def derivatives(args, kwargs, inputs):
        outs = call(*args, **kwargs)
        return outs, _gradients(name, outs, inputs, twice)

    return derivatives


def _derivatives_outside(name: str, at: list[int], twice: bool) -> Callable:
    def after(given: tuple, result: Any) -> list:
        inputs = [t for t in _tensors(given) if t.requires_grad]
        return _gradients(name, result, inputs, twice) if at and inputs else []

    return after


def _tensors(x: Any) -> list:
    if isinstance(x, dict):
        x = list(x.values())
    return [t for part in x for t in _tensors(part)] if isinstance(x, tuple | list) else [x] if isinstance(x, torch.Tensor) else []  # fmt: skip


def _writing(s: Any, sample: Sample, label: str) -> Iterator[Case]:
    """The in-place method, of a leaf that requires no grad and of what was computed of one that does; and out=."""
    short = s.op.name.rsplit(".", 1)[-1]
    inplace = getattr(torch.Tensor, f"{short}_", None)
    bare = Sample(*sample.args, **{k: v for k, v in sample.kwargs.items() if k != "inplace"})
    if s.op.inplace and s.op.method and inplace is not None and short not in HIDDEN | METHOD_DIFFERS:
        yield Case(f"{label} in place", _value(inplace), _given(bare, []))
        if wants_grad(sample):
            yield Case(
                f"{label} in place, derivatives", _in_place(inplace), _given(bare, wants_grad(sample), True)
            )
    if s.op.out and not s.op.is_view and s.op.name.split(".")[0] not in ("create", "nn", "Tensor") and _takes_out(short, sample):  # fmt: skip
        yield Case(f"{label} out=", _out(s.call), _given(sample, []))


def _in_place(inplace: Callable) -> Callable:
    def in_place(args, kwargs, inputs):
        x = args[0] * 1
        y = inplace(x, *args[1:], **kwargs)
        return x, torch.autograd.grad(y, inputs, y.detach(), allow_unused=True) if y.requires_grad else None

    return in_place


def _out(call: Callable) -> Callable:
    def out(args, kwargs):
        outs = flat(call(*args, **kwargs))
        targets = [torch.zeros(o.shape, dtype=o.dtype) for o in outs]
        call(*args, **kwargs, out=targets[0] if len(targets) == 1 else tuple(targets))
        return targets

    return out


LEAST = 0.95
"""The share of the cases that is replayed, of any sixteenth of them."""
REASONS = (
    "reads a value",  # by a routine of the host: LAPACK's, or one whose result has as many elements as values say
    "something is read that is not watched",  # a constant that is the result itself, such as fftfreq's
    "always run",  # integers that are out of one of the ranges that they are asked for
)


@pytest.mark.parametrize("part", range(PARTS))
def test_samples(part):
    tally = Tally()
    for name in sorted(SAMPLES)[part :: max(EVERY, PARTS)]:
        compare(list(cases_of(name)), tally)
        forget()
    print(tally.table())
    assert not tally.wrong, tally.table()
    assert tally.replayed >= LEAST * tally.cases, tally.table()
    assert set(tally.reasons) <= set(REASONS), tally.table()
