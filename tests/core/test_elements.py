"""Small reads in the midst of Python: elements and their comparisons run no program and leave nothing recorded; small
results are run by one Plan of NumPy's."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.lazy import recorder
from functorch_lite._core.lazy.recorder import state
from functorch_lite._core.run import executor
from functorch_lite._core.run.cold import elements, interpreter, tier
from functorch_lite._core.run.executor import flush, forget_programs
from tests.core.test_interrupted import _interrupted_after


@pytest.fixture(autouse=True)
def auto():
    flush()
    forget_programs()
    with torch.debug.tier("auto"):
        yield
    flush()
    forget_programs()


DTYPES = ["bool", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64"]
NUMBERS = {
    "given": lambda dtype: torch.tensor([3, 1, 4, 1, 5, 0]).to(getattr(torch, dtype)) if dtype == "bool" else torch.tensor(
        [3, 1, 4, 1, 5, 0], dtype=getattr(torch, dtype)
    ),
    "computed": lambda dtype: _computed((torch.tensor([2, 0, 3, 0, 4, -1]) + 1).to(getattr(torch, dtype))),
}  # fmt: skip


def _computed(t):
    t.tolist()
    return t


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("root", NUMBERS)
def test_a_thousand_reads_add_nothing(root, dtype):
    x = NUMBERS[root](dtype)
    numbers = x.tolist()
    pending = torch.ones(2) + 1
    before, path = dict(executor.stats), len(state.rec.path)
    for k in range(1000):
        i = k % 6
        assert x[i].item() == numbers[i]
        assert bool(x[i] == x[5 - i]) is (numbers[i] == numbers[5 - i])
        if dtype != "complex64":
            assert (x[i] > 2).item() is (numbers[i] > 2)
            assert (k % 7 <= x[i]).item() is (k % 7 <= numbers[i])
        if k % 100 == 0:
            assert [v.item() for v in x] == numbers == x[:3].tolist() + x[3:].tolist()
            assert [bool(v != 1) for v in x] == [n != 1 for n in numbers]
            repr(x)
    assert dict(executor.stats) == before and len(state.rec.path) == path
    assert pending.tolist() == [2.0, 2.0]


def test_comparisons_are_torchs():
    """Of an int and a float in float32, of halves rounded once, of nan and of what is out of float32's range."""
    whole = torch.tensor([2**24 + 1])
    assert not whole[0] > 2.0**24 + 0.5 and whole[0] > 2**24
    half = torch.tensor([0.1], dtype=torch.float16)
    assert half[0] == 0.1 and half[0].item() != 0.1
    odd = torch.tensor([float("nan"), float("inf"), 1e-40])
    assert not odd[0] == odd[0] and odd[0] != odd[0] and odd[1] > 3e38 and odd[2] > 0


def test_an_element_that_was_compared_goes_on():
    x = torch.arange(4.0)
    with torch.no_grad():
        part = x[2]
        large = part > 1
        assert large and (part * 2).item() == 4
        x[2] = 0.0
        assert large and not part > 1
        part.add_(5)
        assert x.tolist() == [0, 1, 5, 3] and x[2] > 4 and bool(large)
    chosen = torch.where(large, part, -part)
    assert chosen.item() == 5


def test_what_is_taped_is_recorded():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (w[1] * 3).exp()
    assert w[1] > 1 and not loss < 1
    loss.backward()
    np.testing.assert_allclose(w.grad.numpy(), [0, 3 * np.exp(6.0)], rtol=1e-5)


def test_what_is_pending_stays_pending():
    table, x = torch.tensor([0.0, 1.0, 2.0, 3.0]), torch.ones(3)
    y = x * 2
    path = len(state.rec.path)
    if table[3] > 2:
        y = y + 1
    assert len(state.rec.path) == path + 1 and y.tolist() == [3, 3, 3]


def test_a_window_of_what_is_pending_is_not_recorded():
    m = torch.arange(16.0).reshape(4, 4)
    m.tolist()
    read = [(0, 0), (3, -1), (1, slice(1, 3)), (slice(None, None, 2), 2)]
    expected = np.arange(16.0).reshape(4, 4) + 1
    for index in read:
        before = dict(executor.stats)
        part = (m + 1)[index]
        assert np.array_equal(part.numpy(), expected[index])
        after = dict(executor.stats)
        assert after["ops"] - before["ops"] == 1 and after["programs"] == before["programs"]
        part = (m + 1)[index].clone()  # recorded, as it is computed with
        assert np.array_equal(part.numpy(), expected[index])


def test_inside_transforms():
    table = torch.tensor([1.0, 2.0])

    def f(x):
        assert table[1] > 1 and x[0] > 0 and [v.item() for v in table] == [1.0, 2.0]
        return (x * table).sum()

    assert torch.func.grad(f)(torch.ones(2)).tolist() == [1, 2]
    with pytest.raises(RuntimeError, match="vmap"):
        torch.func.vmap(lambda x: 1 if x[0] > 0 else 0)(torch.ones(2, 2))


def test_errors_are_torchs():
    x = torch.zeros(2, 3)
    with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 1 with size 3"):
        x[0, 3]
    with pytest.raises(IndexError, match="index -3 is out of bounds for dimension 0 with size 2"):
        x[-3, 0]
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value is ambiguous"):
        bool(x > 0)
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with no values is ambiguous"):
        bool(x[:0] > 0)


SMALL = {
    "add": lambda x: x + 1,
    "mean": lambda x: (x * 0.5).mean(0),
    "extremes": lambda x: torch.stack([x.max(), x.min(), x.sum()]),
    "softmax": lambda x: x.softmax(-1),
    "integers": lambda x: (x.long() // 2) % 3,
    "halves": lambda x: x.half() * 3 - x.half(),
    "columns": lambda x: x / x[:, :1].abs().clamp(min=1),
    "complex": lambda x: torch.complex(x, -x) * 2,
}


@pytest.mark.parametrize("name", SMALL)
def test_small_results_are_those_of_programs(name):
    x = torch.linspace(-2.0, 3.0, 16).reshape(4, 4)
    x.tolist()
    cold = [SMALL[name](x) for _ in range(3)]
    found = [t.numpy() for t in cold]
    with torch.debug.tier("compiled"):
        forget_programs()
        compiled = SMALL[name](x).numpy()
    for array in found:
        assert array.dtype == compiled.dtype and array.shape == compiled.shape
        np.testing.assert_allclose(array, compiled, rtol=1e-6)


def test_nothing_is_kept_alive():
    gc.collect()
    gc.disable()
    try:
        x = torch.arange(300.0)  # longer than what a plan has as a constant
        y = x + 1
        assert y[3] > 2 and y.sum().item() == 45150
        kept = [weakref.ref(y._cell.value.array), weakref.ref(x._cell.value.array)]
        del x, y
        torch.synchronize()
        assert [k() for k in kept] == [None, None]
    finally:
        gc.enable()


def test_numpys_warnings_are_the_users():
    """What runs small results warns of nothing, and leaves how NumPy warns as it was."""
    x = torch.tensor([1e38, 0.0])
    with np.errstate(all="raise"):
        assert (x * 10).tolist() == [float("inf"), 0] and torch.isnan((x / x)[1])
        with pytest.raises(FloatingPointError):
            np.float32(1e38) * np.float32(10)


def test_interrupted_comparison():
    """Ctrl-C anywhere in the answer: it can be asked again, and what was recorded before is as it was."""
    table = torch.tensor([0.0, 1.0, 2.0, 3.0])
    watched = (elements.__file__, tier.__file__, interpreter.__file__, recorder.__file__)
    calls = 0
    while True:
        calls += 1
        torch.synchronize()
        pending = table * 2
        large = table[3] > 2
        stopped = _interrupted_after(calls, large.item, watched)
        assert bool(large)
        other = (pending + 1) * table
        assert other.tolist() == [0, 3, 10, 21] and pending.tolist() == [0, 2, 4, 6]
        if not stopped:
            break
    assert calls > 5


def test_what_is_made_of_constants():
    """It is made once, whatever NumPy warns of; where that fails, its program says what comes of it."""
    x = torch.zeros(3)
    assert (x[1] + torch.full((), -1.0).log()).isnan()
    singular = torch.linalg.solve_triangular(torch.zeros(2, 2), torch.ones(2, 1), upper=True)
    assert not torch.isfinite(singular).any()


def test_after_a_backward_that_is_replayed():
    """Its steps are appended without their results: what is recorded next is not where it would be otherwise."""
    w = torch.arange(1.0, 6.0).requires_grad_()
    known = torch.arange(6.0).reshape(2, 3)
    mask = torch.tensor([True, False, True])
    for _ in range(4):
        w.grad = None
        loss = (w * 2).exp().sum()
        loss.backward()
        row, column = known[1], known.t()[2]
        assert row[2].item() == 5.0 and column[1].item() == 5.0
        assert bool(mask.sum() > 1) and bool(known[0, 1] < 2)
        with pytest.raises(RuntimeError):
            known @ w
        torch.testing.assert_close(w.grad, 2 * (2 * w.detach()).exp())
