"""A Python number that changes from call to call becomes an input of the program, and ops do not see its value any
more: what they refuse must not depend on that."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.call import bind
from functorch_lite._core.declare.op import OPS
from functorch_lite._core.lazy.apply import from_array
from functorch_lite._core.run import executor
from tests import changing_numbers
from tests.arguments import replace
from tests.checker import FULL, spread
from tests.samples import all_samples
from tests.samples.base import T

PARTS = 12
NUMBERS = (
    -7, -1, 0, 1, 2, 5, 300, 70000, 2**40, 0.5, 2.0, 1e5, 1e39, -1e39, math.inf, -math.inf, math.nan, 1j, 2 + 0j,
)  # fmt: skip
NAMES = sorted(
    name
    for name in all_samples()
    if name in OPS
    and name != "create.arange"
    and not OPS[name].host
    and any(p.allows_number or p.is_real for p in OPS[name].params)
)


def _said(call, number) -> str:
    """What a call raises, or what it returns but for its numbers."""
    try:
        result = call(number)
    except Exception as e:
        return f"{type(e).__name__}: {e}"
    return str([(t.dtype, tuple(t.shape)) for t in (result if isinstance(result, tuple) else (result,))])


def _calls(op, sample):
    """For each place of a number in a sample: its name, and a function that makes the call with another number
    there."""
    fn = bind.lookup(op.namespace, op.name.rpartition(".")[2]) or bind.make_function(op, op.name)
    args, kwargs = sample.args, sample.kwargs
    for at, p in enumerate(op.params):
        placed = args[at] if at < len(args) else kwargs.get(p.name, p.default)
        if not (p.allows_number or p.is_real) or isinstance(placed, str | tuple | list):
            continue
        if at < len(args):
            yield (
                p.name,
                lambda n, at=at: fn(*_tensors((*args[:at], n, *args[at + 1 :])), **_tensors(kwargs)),
            )
        else:
            yield p.name, lambda n, name=p.name: fn(*_tensors(args), **_tensors(kwargs | {name: n}))


def _tensors(arguments):
    return replace(arguments, lambda x: from_array(np.array(x.array)) if isinstance(x, T) else x)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES if FULL else NAMES[::6])
def test_what_is_refused(name):
    op, samples = OPS[name], [s for s in all_samples()[name] if s.error is None]
    wrong, taken = [], False
    for at in spread(len(samples), 6):
        for place, call in _calls(op, samples[at]):
            first = []
            for number in NUMBERS:
                executor.forget_programs()
                first.append(_said(call, number))
            taken = taken or any(said.startswith("[") for said in first)
            executor.forget_programs()
            for number, alone in zip(NUMBERS, first):
                executor.flush()
                later = _said(call, number)
                if later != alone:
                    wrong.append(f"{place}={number!r} of {samples[at]}: {alone}; after others: {later}")
    assert taken, f"no number was accepted anywhere in the samples of {name}"
    assert not wrong, "\n".join(wrong)


def test_numpys_numbers_are_assigned():
    x = torch.zeros(3)
    for number in (1.5, 2.5, 3.5):
        x[1] = np.float64(number)
        assert x.tolist() == [0.0, number, 0.0]


def test_the_sign_of_a_zero_is_seen():
    """0.0 == -0.0: as keys of what was recorded they must not be the same."""
    x = torch.tensor([-1.0, 2.0])
    for zero in (0.0, -0.0, 0.0):
        sign = math.copysign(1.0, zero)
        assert (zero**x)[0].item() == sign * math.inf
        assert (1 / torch.full((1,), zero)).item() == sign * math.inf
        assert torch.copysign(x, zero).tolist() == [sign, 2 * sign]
    half = torch.tensor([0.5 + 0j])
    for side in (complex(-4, 0.0), complex(-4, -0.0), complex(-4, 0.0)):
        assert torch.allclose((side**half).imag, torch.tensor([math.copysign(2.0, side.imag)]))
        assert torch.where(half == half, side, half).sqrt().imag.item() == math.copysign(2.0, side.imag)


@pytest.mark.parametrize("number", [2**63, 2**64 - 1])
def test_an_int_of_64_bits_is_a_float_beside_floats(number):
    x = torch.ones(2, requires_grad=True)
    for k in (3, 4, number, 5, number):  # a literal, then a number that changes
        y = x * k
        assert y.tolist() == [float(k)] * 2
    y.sum().backward()
    assert x.grad.tolist() == [float(number)] * 2


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1])
@pytest.mark.parametrize("changes", [False, True])
def test_an_int_that_no_program_takes_is_refused_before_anything_is_lost(number, changes):
    pending, x = torch.ones(2) * 3, torch.ones(2, dtype=torch.int64)
    for k in (2, 3) if changes else ():
        x = x * k
    with pytest.raises(OverflowError, match="int too big to convert"):
        x * number
    assert pending.tolist() == [3, 3]
    assert x.tolist() == [6 if changes else 1] * 2


@pytest.mark.parametrize("numbers", [(2**63, 2**63), (7, 2**64 - 1), (2**64 - 1, 7, 2**63)])
def test_an_int_of_64_bits_without_sign_counts_by_its_bits(numbers):
    x, y = torch.tensor([1, -2, 3]), torch.tensor([1, -2, 3], dtype=torch.int8)
    for k in numbers:
        x, y = x ^ k, y + k
    signed = [k - 2**64 if k >= 2**63 else k for k in numbers]
    want = np.array([1, -2, 3])
    for k in signed:
        want = want ^ k
    assert x.tolist() == want.tolist()
    assert y.tolist() == (np.array([1, -2, 3]) + sum(signed) % 256).astype(np.int8).tolist()
    with pytest.raises(RuntimeError, match="cannot be converted to type int64_t"):
        torch.add(x, x, alpha=2**63)


# -- how many programs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", range(PARTS if FULL else 1))
def test_two_programs_serve_all_numbers(part):
    """Every number of the samples of one op in twelve (of every op at full length), to few values (to many, and whether
    the reasons of others hold: tests/changing_numbers.py)."""
    names = sorted(all_samples())
    most = changing_numbers.MANY if FULL else changing_numbers.FEW
    found = list(changing_numbers.complaints(names[part::PARTS], most))
    assert not found, "\n" + "\n".join(found)


def test_the_reasons_are_documented():
    text = (Path(__file__).parent.parent / "docs" / "python_numbers.md").read_text()
    missing = [row for row in changing_numbers.table() if row not in text]
    assert not missing, "docs/python_numbers.md lacks these rows:\n" + "\n".join(missing)


def _after(write):
    """What is left of a tensor of 60 zeros after a write."""

    def written(i):
        t = torch.zeros(60)
        write(t, i)
        return t

    return written


BIG, TABLE = torch.arange(60.0), torch.arange(600.0).reshape(20, 30)
LOOPS = {
    "a slice": lambda i: BIG[i : i + 8] * 2,
    "a slice of a slice": lambda i: BIG[i:][:8] * 2,
    "the end of a slice": lambda i: BIG[: i + 8][-8:] * 2,
    "steps": lambda i: BIG[i : i + 16 : 2] * 2,
    "steps of a slice": lambda i: BIG[i:][::2][:8] * 2,
    "an element of a slice": lambda i: BIG[i:][3] * 2,
    "of two dims": lambda i: TABLE[i:, 2 * i :][:4, :5] * 2,
    "of a row": lambda i: TABLE[i, i:][:5] * 2,
    "of a column": lambda i: TABLE[i:, i][:5] * 2,
    "of another view": lambda i: TABLE.T[i:][:4] * 2 + TABLE.view(-1)[i:][:4].sum(),
    "of what was written to": lambda i: (lambda t: t.mul_(2)[0] + t[i:][:8])(BIG.clone()),
    "written": _after(lambda t, i: t[i:][:8].add_(BIG[:8] + 1)),
    "assigned": _after(lambda t, i: t[: i + 8].__setitem__(slice(-8, None), BIG[:8] + 1)),
    "scattered": lambda i: torch.slice_scatter(BIG, BIG[:8], 0, i, i + 8),
    "in a transform": lambda i: torch.func.grad(lambda t: (t[i:][:8] ** 2).sum())(BIG),
    "in a vmap": lambda i: torch.vmap(lambda t: t[i:][:8] * 2)(TABLE),
    "a range": lambda i: torch.arange(i, i + 8) * 2,
    "rolled": lambda i: BIG.roll(i),
    "a power": lambda i: (BIG + 1) ** (0.1 + 0.01 * i),
}


@pytest.mark.parametrize("loop", LOOPS)
def test_loops_make_few_programs(loop):
    """And give what each call gives alone."""
    alone = []
    for i in range(1, 7):
        executor.forget_programs()
        alone.append(LOOPS[loop](i).tolist())
    executor.forget_programs()
    made = executor.stats["programs"]
    for i, once in zip(range(1, 7), alone):
        np.testing.assert_allclose(LOOPS[loop](i).tolist(), once, rtol=1e-6)
    assert executor.stats["programs"] - made <= 3


def test_a_slice_that_was_not_read_keeps_to_its_storage():
    """It is recorded when it is read, whatever has become of the tensors it was made of."""
    x = torch.arange(6.0)
    part = x[2:][:3]
    x.data = torch.zeros(6)
    assert part.tolist() == [2, 3, 4]
    x = torch.arange(6.0)
    flat = x.view(2, 3).view(6)
    part, late = flat[1:3], x[4:]
    flat.unsqueeze_(0)
    x.mul_(10)
    assert part.tolist() == [10, 20] and late.tolist() == [40, 50]


def test_a_slice_that_was_not_read_has_the_gradient_of_its_time():
    x = torch.arange(6.0)
    before = x[2:]
    x.requires_grad_()
    with torch.no_grad():
        without = x[3:]
    after = x[4:]
    assert (before.requires_grad, without.requires_grad, after.requires_grad) == (False, False, True)
    assert not (before * 2).requires_grad and not (without * 2).requires_grad
    y = torch.arange(6.0)
    later = y[2:]
    y.mul_(torch.ones(6, requires_grad=True))
    assert later.requires_grad and (later * 2).requires_grad
