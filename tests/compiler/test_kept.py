"""What is kept of functions: which are the same, what is held of memory, which threads may learn, and where in a
recording."""

from __future__ import annotations

import functools
import gc
import sys
import tempfile
import threading
import types
import warnings
import weakref

import functorch_lite as torch
from functorch_lite._core.api import advise, cell_of
from functorch_lite.compiler import transforms
from functorch_lite.compiler.ran import Ran


def _grads(x, n: int):
    """Gradients by functions made anew, which close over x."""
    for _ in range(n):
        torch.func.grad(lambda p: (p * x).sum())(torch.ones(4)).tolist()


def test_what_a_function_closed_over_is_let_go():
    x = torch.randn(4)
    _grads(x, 5)
    assert any(kept.replays for kept in transforms._kept.values())
    held = weakref.ref(x)
    del x
    for _ in range(3):
        gc.collect()
    assert held() is None


def test_batches_are_not_kept():
    """Each is another tensor, though it may have the address of one before it."""
    transforms.forget()
    for _ in range(50):
        _grads(torch.randn(4), 1)
    assert not transforms._kept


def test_functions_of_a_loop_stay():
    x = torch.randn(4)
    for _ in range(6):
        _grads(x, 2)
        gc.collect()
    assert any(kept.replays > 4 for kept in transforms._kept.values())


def test_a_loop_that_reads_nothing_is_not_noted_at_each_turn():
    x = torch.randn(4)
    f = torch.compile(lambda p: (p * x).sum())
    f(torch.ones(4)), f(torch.ones(4))
    total, (entry,) = torch.zeros(()), f.replayed.entries.values()
    for k in range(4):
        for _ in range(20):
            total = total + f(torch.ones(4))
        total.item()
        if k == 0:
            assert len(entry._steps) < 6  # audits are noted
    assert f.replayed.replays > 15


def test_threads():
    """One thread notes a function at a time; the others run it as it stands, or replay."""
    weight = torch.ones(4)
    f = torch.compile(lambda x, k: x * weight + k)
    wrong = []

    def work(k):
        x = torch.full((4,), float(k))
        for n in range(40):
            if f(x, n % 3).tolist() != [k + n % 3.0] * 4:
                wrong.append((k, n))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_a_function_that_wraps_a_transform_is_another_one():
    """functools.wraps copies the attributes of what it wraps."""
    gradient = torch.func.grad(lambda p: (p * p).sum())

    @functools.wraps(gradient)
    def twice(p):
        return gradient(p) * 2

    for _ in range(4):
        x = torch.ones(2, 3)
        assert torch.func.vmap(gradient)(x).tolist() == [[2.0] * 3] * 2
        assert torch.func.vmap(twice)(x).tolist() == [[4.0] * 3] * 2


def test_a_function_that_calls_itself():
    def power(x, n=3):
        return x if n == 0 else x * power(x, n - 1)

    for _ in range(4):
        assert torch.func.grad(lambda x: power(x).sum())(torch.ones(2)).tolist() == [4.0, 4.0]
        assert torch.func.vmap(power)(torch.ones(2)).tolist() == [1.0, 1.0]


def test_gradients_that_are_accumulated():
    """There are none at every other call: each of the two is known."""
    weight = torch.nn.Parameter(torch.ones(4))

    @torch.compile
    def loss_of(x):
        loss = (weight * x).sum()
        loss.backward()
        return loss

    for _ in range(20):
        for n in (1.0, 2.0):
            assert loss_of(torch.full((4,), n)).item() == 4 * n
        assert weight.grad.tolist() == [3.0] * 4
        weight.grad = None
    assert loss_of.replayed.replays > 20


def test_what_goes_in_a_call_is_none_of_its_code():
    """Finalizers of the standard library's, which look up what may change: `warnings.warn` here."""
    left = [tempfile.TemporaryDirectory() for _ in range(8)]

    def f(x):
        if left:
            left.pop()._rmtree  # noqa: B018  # its last reference goes
        return x.sin()

    with Ran() as ran:
        f(torch.ones(2))
    assert [code.co_name for code in ran.codes] == ["f"] and len(left) == 7


def test_what_shows_a_notice_is_none_of_the_functions_code(monkeypatch):
    """In a notebook, the library asks IPython for the names of cells, and warnings are written by the kernel."""
    asked = []

    def get_ipython():
        asked.append(1)

    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=get_ipython))
    monkeypatch.setattr(warnings, "showwarning", lambda *_: asked.append(2))

    def f(x):
        cell_of(__file__)
        advise("a warning", once=False)
        return x.sin()

    with warnings.catch_warnings(), Ran() as ran:
        warnings.simplefilter("always")
        f(torch.ones(2))
    assert [code.co_name for code in ran.codes] == ["f"] and asked == [1, 2]


def test_what_a_tape_saved_is_no_other_version_after_a_noted_run():
    """A transform's arguments hide their numbers while it is noted; the backward of what was made of them before is
    still theirs."""
    weight = torch.nn.Parameter(torch.ones(4, 4))
    gradients = torch.func.grad(lambda z: (z * z).sum())
    with torch.debug.explain() as report:
        for _ in range(6):
            h = torch.tensor([0.5, 1.0, -2.0, 1.5]) * 1.25
            out = torch.nn.functional.linear(h, weight)
            out[0].item()
            other = gradients(h.detach())
            weight.grad = None
            (out.sum() + other.sum()).backward()
            assert weight.grad.tolist() == [[0.625, 1.25, -2.5, 1.875]] * 4
    assert sum(c.replays for c in report.calls)


def test_a_replayed_write_through_data_is_no_other_version():
    def halves(x, by):
        x.data.mul_(0.5)
        return x.detach() + by

    called = torch.compile(halves)
    for _ in range(6):
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        h = w * 1.0
        y = (h * h).sum()
        y.item()
        called(h, torch.ones(2))
        y.backward()
        assert w.grad.tolist() == [2.0, 4.0]
    assert called.replayed.replays
