"""Large results are written into memory of earlier ones, never of one that anybody can still read."""

import gc

import jax
import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.run import executor, recycling
from functorch_lite.compat import from_jax, to_jax

N = recycling.LARGE // 4 + 3  # float32: just large enough


@pytest.fixture(autouse=True)
def nothing_kept():
    torch.synchronize()
    recycling.forget()
    yield
    recycling.forget()


def _place(t) -> int:
    return t.__jax_array__().unsafe_buffer_pointer()


@pytest.mark.programs
def test_a_loop_writes_to_the_same_places():
    x = torch.tensor(np.ones(N, np.float32))
    held, places = None, []
    for i in range(6):
        y = x * i
        assert y[5].item() == i
        places.append(_place(y))
        assert any(y.__jax_array__() is a for a in recycling._kept)
        held = y  # two are alive at a time
    assert len(set(places)) == 2 and places[2:4] == places[4:]
    assert len(recycling._kept) == 2
    del held


def test_small_results_are_not_kept():
    y = torch.ones(1000) * 2
    assert y[0].item() == 2
    assert not recycling._kept


def test_what_is_held_is_not_overwritten():
    x = torch.ones(N)
    tensors, arrays, views, capsules = [], [], [], []
    for i in range(12):
        y = x * i
        y[0].item()
        match i % 4:
            case 0:
                tensors.append((i, y))
            case 1:
                arrays.append((i, y.__jax_array__()))
            case 2:
                views.append((i, y.numpy()))
            case 3:
                capsules.append((i, np.from_dlpack(y)))
    for i, held in tensors + arrays + views + capsules:
        assert float(held[0]) == float(held[N - 1]) == i


def test_a_view_keeps_its_base():
    x = torch.ones(N)
    y = x * 7
    part = y[10:20]
    del y
    for i in range(4):
        (x * i)[0].item()
    assert part.tolist() == [7.0] * 10


def test_pending_readers_see_the_old_values():
    x = torch.ones(N)
    sums = []
    for i in range(6):
        y = x * i
        torch.synchronize()
        sums.append((y + 1).mean())
    assert [round(s.item(), 4) for s in sums] == [1, 2, 3, 4, 5, 6]


def test_large_parameters_are_still_updated_in_place():
    p = torch.nn.Parameter(torch.ones(N))
    opt = torch.optim.SGD([p], lr=0.5)
    places = []
    for _ in range(5):
        opt.zero_grad()
        (p * 2).sum().backward()
        opt.step()
        opt.zero_grad()
        places.append(_place(p.detach()))
    assert len(set(places[2:])) == 1
    assert p[3].item() == 1 - 5 * 0.5 * 2


def test_gradients_of_large_parameters_are_recycled_and_right():
    p = torch.ones(N, requires_grad=True)
    for i in range(5):
        (g,) = torch.autograd.grad((p * i).sum(), p)
        assert g[N - 1].item() == i


def test_under_jax_jit_nothing_is_kept():
    double = jax.jit(lambda a: to_jax(from_jax(a) * 2))
    for i in range(3):
        assert double(np.full(N, i, np.float32))[N - 1] == 2 * i
    assert not recycling._kept


def test_what_is_kept_is_bounded_and_let_go(monkeypatch):
    monkeypatch.setattr(recycling, "MAX_KEPT", 3 * recycling.LARGE)
    x = torch.ones(N)
    held = [x * i for i in range(5)]
    for h in held:
        h[0].item()
    assert sum(a.nbytes for a in recycling._kept) <= 3 * recycling.LARGE
    torch.debug.release_memory()
    assert not recycling._kept


def test_a_result_too_large_to_keep(monkeypatch):
    monkeypatch.setattr(recycling, "MAX_KEPT", 10)
    assert [(torch.ones(N) * i)[0].item() for i in range(3)] == [0, 1, 2]
    assert not recycling._kept


def test_off_with_the_setting_that_leaves_memory_alone(monkeypatch):
    monkeypatch.setattr(recycling, "_on", False)
    aval = torch.ones(N)._aval
    assert recycling.rooms([aval], [], torch.device("cpu")) == ()
    monkeypatch.setattr(recycling, "_on", True)
    assert recycling.rooms([aval, aval], [aval], torch.device("cpu")) == (aval.struct,)
    assert recycling.rooms([aval], [], torch.device("cuda")) == ()
    monkeypatch.setattr(recycling, "MAX_KEPT", 2 * aval.nbytes - 1)
    assert recycling.rooms([aval], [], torch.device("cpu")) == ()


def test_no_program_is_compiled_once_memory_is_recycled():
    x = torch.ones(N)
    for i in range(4):
        y = x * (i + 0.5)
        y[0].item()
    before = executor.stats["programs"]
    for i in range(4):
        y = x * (i + 0.25)
        y[0].item()
    assert executor.stats["programs"] == before
    del y
    gc.collect()


@pytest.mark.programs
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_what_a_program_writes_into_has_its_dtype(dtype):
    """Zeros of 32 bits, which JAX makes unless told otherwise, were what the program was made for; a kept result of
    64 was then refused."""
    x = torch.from_numpy(np.ones(recycling.LARGE // 8 + 3, dtype))
    more = torch.from_numpy(np.full(1, 2, dtype))  # NumPy's at the first call, JAX's at the second
    for _ in range(3):
        y = x + more
        assert y[0].item() == 3 and y.dtype == x.dtype
