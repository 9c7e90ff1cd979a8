"""Small data goes to a program as it is, once; from the second program that reads it on it is an array of JAX's."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.run import calls
from functorch_lite._core.run.packing import SMALL


@pytest.fixture(autouse=True)
def by_programs():
    with torch.debug.tier("compiled"):
        yield


def kind(t) -> type:
    return type(t._cell.value.array)


def test_data_that_is_read_once_stays_what_it_is():
    for k in range(4):
        x = torch.tensor([1.0, 2.0, float(k)])
        assert (x * 2 + 1).tolist() == [3.0, 5.0, 2.0 * k + 1]
        assert kind(x) is np.ndarray


def test_data_that_is_read_again_is_moved_once():
    x = torch.tensor([1.0, 2.0])
    assert [(x * 3).tolist() for _ in range(4)] == [[3.0, 6.0]] * 4
    array = x._cell.value.array
    assert type(array) is not np.ndarray
    (x * 3).tolist()
    assert x._cell.value.array is array


def test_large_data_is_moved_at_once():
    x = torch.from_numpy(np.ones(SMALL // 4 + 1, np.float32))
    (x + 1).tolist()
    assert kind(x) is not np.ndarray


DTYPES = [
    torch.bool,
    torch.uint8,
    torch.int8,
    torch.int64,
    torch.float16,
    torch.bfloat16,
    torch.float64,
    torch.complex64,
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_arrives(dtype):
    for _ in range(3):
        x = torch.tensor([[1, 0], [0, 1]], dtype=dtype)
        y = torch.stack([x, x.t()]).to(dtype).reshape(2, 4)
        assert y.dtype is dtype
        assert y.tolist() == torch.tensor([[1, 0, 0, 1]] * 2, dtype=dtype).tolist()


def test_strided_data_arrives():
    a = np.arange(12.0).reshape(3, 4)
    for view in (a.T, a[::2], a[:, ::-1], np.broadcast_to(a[0], (5, 4))):
        for _ in range(3):
            assert (torch.from_numpy(view) + 1).tolist() == (view + 1).tolist()


def test_any_mixture_of_data_and_results():
    def both(pairs):
        return sum(((a * 2 + b) for a, b in pairs), torch.zeros(2)).tolist()

    made = [torch.ones(2) + k for k in range(8)]
    torch.synchronize()
    for choice in itertools.product([False, True], repeat=4):
        values = [torch.tensor([1.0 + k, 1.0 + k]) if new else made[k] for k, new in enumerate(choice)]
        assert both(zip(values[::2], values[1::2])) == [14.0, 14.0]


def test_no_more_than_some_kinds_of_calls_are_made_ready(monkeypatch):
    monkeypatch.setattr(calls, "MOST_KINDS", 2)
    seen = []
    plain = calls.Call.__init__

    def noted(self, program, *args):
        plain(self, program, *args)
        seen.append((program.executable, self._bare))

    monkeypatch.setattr(calls.Call, "__init__", noted)
    made = [torch.ones(3) * (k + 1) for k in range(3)]
    torch.synchronize()
    for choice in itertools.product([False, True], repeat=3):
        x, y, z = [torch.tensor([k + 1.0] * 3) if new else made[k] for k, new in enumerate(choice)]
        assert (x.exp() + y.sin() * z.cos()).tolist() == pytest.approx(
            [float(np.exp(1) + np.sin(2) * np.cos(3))] * 3
        )
    last = seen[-1][0]
    assert len(last.ready) <= 3


def test_data_of_a_call_that_is_interrupted_is_read_when_it_goes_on(monkeypatch):
    x = torch.tensor([1.0, 2.0])
    y = (x * 5).tan()
    plain = calls.Call.arrays
    monkeypatch.setattr(calls.Call, "arrays", lambda self: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        y.tolist()
    monkeypatch.setattr(calls.Call, "arrays", plain)
    assert y.tolist() == pytest.approx(np.tan([5.0, 10.0]).tolist(), rel=1e-5)
