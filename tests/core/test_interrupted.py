"""What raises, or is interrupted in its midst (Ctrl-C in a notebook), leaves what was recorded, and every tensor, as it
was.

What a path of the trie means depends on how its externals and slots are numbered: one left over would silently shift
the inputs of every later op. A program that is interrupted has either run or not: its inputs, which it overwrites, are
there, or its results are. `python -m tests.interrupts` interrupts whole trainings at random moments.
"""

from __future__ import annotations

import ctypes
import gc
import signal
import sys
import threading
from functools import partial

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.lazy import apply as apply_module
from functorch_lite._core.lazy import gradients, levels, recorder
from functorch_lite._core.run import executable, executor, notices, report
from functorch_lite._core.words import undisturbed
from functorch_lite.func import modules
from functorch_lite.optim import fused

HOT_PATH = (apply_module.__file__, gradients.__file__, recorder.__file__)
RUNNING = tuple(m.__file__ for m in (executor, executable, undisturbed, notices, report))


@pytest.fixture(autouse=True)
def no_callbacks_of_others():
    """An interrupt that comes while the collector calls back (hypothesis measures it) is lost: Python prints it, and
    goes on."""
    ours = [c for c in gc.callbacks if not (getattr(c, "__module__", None) or "").startswith("hypothesis")]
    before = gc.callbacks[:]
    gc.callbacks[:] = ours
    yield
    gc.callbacks[:] = before


def interrupted_at(line: int, fn) -> bool:
    """Runs fn, raising KeyboardInterrupt at the `line`-th line that runs in the hot path; False if it has fewer."""
    left = line

    def trace(frame, event, arg):
        nonlocal left
        if frame.f_code.co_filename not in HOT_PATH:
            return None
        if event == "line":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        fn()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


def values(*numbers):
    return [torch.tensor([float(n)]) for n in numbers]


@pytest.mark.parametrize("requires_grad", [False, True])
def test_interrupted_op_leaves_the_numbering(requires_grad):
    a, b, c, d, unused = values(2, 3, 5, 7, 13)
    w = torch.tensor([11.0], requires_grad=requires_grad)
    expected = (((2 + 3) * 5.0 - 7) * 11) + 3
    for warm in (False, True):  # an op recorded for the first time, and one whose trie node is there
        line = 0
        while True:
            line += 1
            torch.synchronize()
            x = a + b
            op = (lambda x=x: torch.addcmul(x, unused, d, value=2.0)) if warm else (lambda x=x: unused * x)
            stopped = interrupted_at(line, op)
            y = ((x * c) - d) * w
            np.testing.assert_allclose((y + b).detach().numpy(), [expected])
            if requires_grad:
                y.sum().backward()
                np.testing.assert_allclose(w.grad.numpy(), [18.0])
                w.grad = None
            if not stopped:
                break
        assert line > 10


def test_refused_operand_leaves_the_numbering():
    kept = []
    torch.func.grad(lambda x: (kept.append(x * 2), x.sum())[1])(torch.ones(1))
    a, b, c = values(2, 3, 5)
    torch.synchronize()
    assert (a - c).item() == -3.0
    torch.synchronize()
    with pytest.raises(RuntimeError, match="after the transform had returned"):
        b + kept[0]
    assert (a - c).item() == -3.0


def test_reading_a_view_stays_though_the_op_raises():
    base = torch.arange(6.0).reshape(2, 3)
    view = base.unsqueeze(-1)
    base.add_(1.0)  # the view is now read anew by whatever comes next
    with pytest.raises(RuntimeError):
        view + torch.ones(5, 1)
    other = base * 2.0
    np.testing.assert_allclose((view * 10.0).numpy()[..., 0], [[10, 20, 30], [40, 50, 60]])
    np.testing.assert_allclose(other.numpy(), [[2, 4, 6], [8, 10, 12]])


def _interrupted_after(calls: int, fn, watched) -> bool:
    """Runs fn, raising KeyboardInterrupt at the `calls`-th place in these files where Python looks for one: a function
    that is entered, or one of C that has returned. False if it has fewer."""
    left = calls

    def profile(frame, event, arg):
        nonlocal left
        if event in ("call", "c_return") and frame.f_code.co_filename in watched:
            left -= 1
            if left == 0:
                sys.setprofile(None)
                raise KeyboardInterrupt

    sys.setprofile(profile)
    try:
        fn()
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(None)
    return False


def _places(fn, watched, step=1):
    """Runs fn once for every `step`-th such place, interrupted there."""
    for calls in range(1, 10_000, step):
        if not _interrupted_after(calls, fn, watched):
            return
        yield calls
    raise AssertionError("it has no end")


@pytest.mark.parametrize("explained", [False, True])
@pytest.mark.parametrize("large", [False, True])
def test_an_interrupted_program_can_be_run_again(large, explained):
    """Large parameters are overwritten by their program."""
    n = 20_000 if large else 3
    count = 0

    def work():
        nonlocal p, b
        p = torch.ones(n)
        a = torch.ones(n)
        torch.synchronize()
        p.mul_(2)
        b = a.exp() + p
        return b[0].item()

    for warm in (False, True):
        p = b = None
        if not warm:
            executor.forget_programs()
        for _ in _places(partial(_explaining, work) if explained else work, RUNNING):
            count += 1
            assert p is None or p.sum().item() in (n, 2.0 * n)
            assert b is None or abs(b[1].item() - (np.e + 2)) < 1e-5
            b = None
    assert count > 50


def _explaining(fn):
    with torch.debug.explain():
        return fn()


def test_an_interrupted_training_step_leaves_every_tensor_readable():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 300), torch.nn.BatchNorm1d(300), torch.nn.Linear(300, 2))
    optimizer = torch.optim.Adam(model.parameters())
    x = torch.randn(16, 8)

    def step():
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
        return model[1].running_mean[0].item()

    step()
    step()
    for _ in _places(step, (*RUNNING, fused.__file__), 3):
        for t in (*model.parameters(), *model.buffers()):
            assert np.isfinite(t.detach().numpy()).all()
        assert torch.is_grad_enabled()
    step()


def test_an_interrupted_transform_leaves_module_and_thread_as_they_were():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1))
    params = {k: p.detach() for k, p in model.named_parameters()}
    held = [*model.parameters(), *model.buffers()]
    x = torch.randn(5, 3)

    def of(params):
        return torch.func.functional_call(model, params, (x,)).square().mean()

    def work():
        with torch.no_grad():
            return torch.func.grad(of)(params)["0.weight"].sum().item()

    expected = work()
    for _ in _places(work, (levels.__file__, modules.__file__)):
        assert recorder.state.rec.level == 0
        assert torch.is_grad_enabled()
        assert all(a is b for a, b in zip(held, [*model.parameters(), *model.buffers()], strict=True))
        assert np.isfinite(model[1].running_mean.numpy()).all()
    assert work() == expected


@pytest.mark.programs
def test_what_a_failed_program_does_not_concern_is_computed(monkeypatch):
    p, a = torch.ones(20_000), torch.ones(3)
    torch.synchronize()
    p.mul_(2)
    b = a * 3
    results = executable.Run.results

    def fail(self):
        monkeypatch.setattr(executable.Run, "results", results)
        raise ValueError("no such program")

    monkeypatch.setattr(executable.Run, "results", fail)
    with pytest.raises(ValueError, match="no such program"):
        b.sum().item()
    monkeypatch.setattr(
        executable.Run, "results", fail
    )  # as a signal's handler may, while a value is computed by itself
    with pytest.raises(ValueError, match="no such program"):
        p.tolist()
    assert p.sum().item() == 40_000.0
    assert b.tolist() == [3.0, 3.0, 3.0]


@pytest.mark.programs
@pytest.mark.parametrize("kind", [MemoryError, SystemExit, GeneratorExit, KeyboardInterrupt])
def test_what_is_not_the_programs_fault_stays_pending(kind, monkeypatch):
    p = torch.ones(20_000)
    torch.synchronize()
    p.mul_(2)
    results = executable.Run.results

    def stop(self):
        raise kind

    monkeypatch.setattr(executable.Run, "results", stop)
    for _ in range(2):
        with pytest.raises(kind):
            p.sum().item()
    monkeypatch.setattr(executable.Run, "results", results)
    assert p.sum().item() == 40_000.0


@pytest.mark.programs
def test_a_wait_for_the_compiler_can_be_interrupted(monkeypatch):
    begun, go_on = threading.Event(), threading.Event()
    compile_it = executable.Executable._compile

    def slowly(self, args):
        begun.set()
        go_on.wait(20)
        return compile_it(self, args)

    p, a = torch.ones(20_000), torch.ones(3)
    torch.synchronize()
    executor.forget_programs()
    monkeypatch.setattr(executable.Executable, "_compile", slowly)
    p.mul_(2)
    b = (a + 1).tan()
    before = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # what runs in the background ignores it
    for send in (_signal, _send):
        thread = threading.Thread(target=send, args=(threading.get_ident(), begun))
        with pytest.raises(KeyboardInterrupt):
            thread.start()
            b.sum().item()
        assert not go_on.is_set()
        thread.join()
    go_on.set()
    signal.signal(signal.SIGINT, before)
    assert p.sum().item() == 40_000.0
    assert abs(b[0].item() - np.tan(2)) < 1e-5


def _signal(thread, begun):
    begun.wait(20)
    signal.pthread_kill(thread, signal.SIGINT)


def _send(thread, begun):
    begun.wait(20)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))
