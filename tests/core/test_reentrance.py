"""Code that runs in the middle of other code uses tensors: handlers of signals, finalizers, trace functions, hooks.

It gets the right values, and leaves what it interrupts as it was: a training whose steps are interrupted ends with the
same parameters, bit by bit, as one that is not.
"""

from __future__ import annotations

import gc
import logging
import random
import signal
import sys
import threading
import weakref
from functools import partial

import pytest

import functorch_lite as torch
from functorch_lite import debug, nn
from functorch_lite._core.lazy.recorder import state
from functorch_lite._core.run import executor
from functorch_lite._core.words.interrupts import interruption
from functorch_lite._core.words.tracebacks import is_ours

STEPS = 24
pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="there are no alarms")


@pytest.fixture(autouse=True)
def as_before():
    before, thresholds = signal.getsignal(signal.SIGALRM), gc.get_threshold()
    executor.forget_programs()  # of another tier
    yield
    sys.settrace(None)
    sys.setprofile(None)
    signal.signal(signal.SIGALRM, before)
    gc.set_threshold(*thresholds)


# -- what a training, and a handler, do ------------------------------------------------------------------------------


def net(seed: int) -> nn.Module:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))


class Training:
    """A training, of which `step` is one step."""

    def __init__(self, optimizer=torch.optim.Adam):
        self.model = net(0)
        self.optimizer = optimizer(self.model.parameters(), 1e-2)

    def step(self, s: int) -> torch.Tensor:
        x = torch.sin(torch.arange(24).reshape(6, 4) * 0.1 + s)
        self.optimizer.zero_grad()
        loss = (self.model(x) - 1).pow(2).mean()
        loss.backward()
        self.optimizer.step()
        return loss

    def bits(self) -> bytes:
        return b"".join(p.detach().numpy().tobytes() for p in self.model.parameters())


class Work:
    """What handlers do: each method is one kind, which checks its values. `done`: how often one was done to its end."""

    def __init__(self, training: Training):
        self.training = training
        self.other = net(1)
        self.x = torch.cos(torch.arange(8.0).reshape(2, 4))
        self.sum = self.other(self.x).sum().item()
        self.slope = self._slope()
        self.optimizer = torch.optim.SGD(self.other.parameters(), 0.0)
        self.held = None
        self.done = 0
        self.errors: list[BaseException] = []

    def _slope(self) -> float:
        self.other.zero_grad()
        with torch.enable_grad():
            (self.other(self.x) ** 2).mean().backward()
        return self.other[0].weight.grad.sum().item()

    def reads_a_parameter(self):
        assert abs(self.training.model[0].weight.detach().sum().item()) < 100

    def runs_a_forward_pass(self):
        assert self.other(self.x).sum().item() == pytest.approx(self.sum, abs=1e-5)

    def runs_the_model_itself(self):
        assert abs(self.training.model(self.x).sum().item()) < 100

    def makes_a_tensor(self):
        before, self.held = self.held, torch.ones(3) * 2
        assert before is None or before.tolist() == [2.0, 2.0, 2.0]

    def runs_a_backward_pass(self):
        assert self._slope() == pytest.approx(self.slope, abs=1e-5)

    def computes_a_number(self):
        assert torch.arange(5.0).mul(2).sum().item() == 20

    def writes_in_place(self):
        t = torch.zeros(3)
        t += 1
        t[0] = 5
        assert t.tolist() == [5, 1, 1]

    def trains(self):
        self.optimizer.zero_grad()
        (self.other(self.x) ** 2).mean().backward()
        self.optimizer.step()

    def differentiates(self):
        assert torch.func.grad(lambda t: (t**3).sum())(torch.ones(2)).tolist() == [3, 3]

    def maps(self):
        assert torch.func.vmap(lambda t: t * 2 + t.sum())(torch.ones(2, 3)).tolist() == [[5.0] * 3] * 2

    def do(self, kind: str, *args) -> None:
        try:
            getattr(self, kind)()
        except BaseException as error:
            self.errors.append(error)
        self.done += 1


KINDS = [name for name in vars(Work) if not name.startswith("_") and name != "do"]


# -- how it is interrupted -------------------------------------------------------------------------------------------


class AtLine:
    """Calls `interrupt(frame, event, arg)` at the n-th line that the library runs in the block."""

    def __init__(self, n: int, interrupt):
        self.left, self.interrupt = n, interrupt

    def trace(self, frame, event, arg):
        if not is_ours(frame.f_code.co_filename):
            return None
        self.left -= 1
        if self.left == 0:
            self.interrupt(frame, event, arg)
            sys.settrace(None)
            return None
        return self.trace

    def __enter__(self):
        sys.settrace(self.trace)

    def __exit__(self, *exc):
        sys.settrace(None)


def uninterrupted() -> bytes:
    for _ in range(2):  # numbers that change are inputs of programs from the second training on
        training = Training()
        for s in range(STEPS):
            training.step(s)
    return training.bits()


def raise_alarm(*args) -> None:
    signal.raise_signal(signal.SIGALRM)


def lines_of(step) -> int:
    counting = AtLine(-1, None)
    with counting:
        step()
    return -1 - counting.left


def interrupted(kind: str, how: str, seed: int) -> tuple[Training, Work]:
    training = Training()
    work = Work(training)
    do = partial(work.do, kind)
    random_lines = random.Random(seed)
    interrupt = raise_alarm if how == "alarm" else do
    if how == "alarm":
        signal.signal(signal.SIGALRM, do)
    longest = 1
    for s in range(STEPS):
        if s in (0, 4):  # of the first steps, which trace ops, and of those that follow
            longest = 20_000 if s == 0 else lines_of(partial(training.step, s))
            if s == 4:
                continue
        with AtLine(random_lines.randrange(1, longest), interrupt):
            training.step(s)
    return training, work


@pytest.mark.parametrize("tier", ["cold", pytest.param("compiled", marks=pytest.mark.programs)])
@pytest.mark.parametrize("kind", KINDS)
def test_an_alarm_in_each_step(kind, tier):
    with debug.tier(tier):
        expected = uninterrupted()
        training, work = interrupted(kind, "alarm", seed=KINDS.index(kind))
        assert not work.errors
        assert work.done > STEPS // 2
        assert training.bits() == expected


@pytest.mark.parametrize("kind", ["runs_a_backward_pass", "computes_a_number", "trains"])
def test_a_trace_function_in_each_step(kind):
    with debug.tier("cold"):
        expected = uninterrupted()
        training, work = interrupted(kind, "trace", seed=3)
        assert not work.errors and work.done > STEPS // 2
        assert training.bits() == expected


@pytest.mark.parametrize("kind", ["runs_a_backward_pass", "makes_a_tensor"])
def test_a_profiling_function_in_each_step(kind):
    with debug.tier("cold"):
        expected = uninterrupted()
        training = Training()
        work = Work(training)
        left = [0]

        def profile(frame, event, arg):
            left[0] -= 1
            if left[0] == 0:
                work.do(kind)

        for s in range(STEPS):
            left[0] = 1 + 37 * s % 400
            sys.setprofile(profile)
            training.step(s)
            sys.setprofile(None)
        assert not work.errors and work.done > STEPS // 2
        assert training.bits() == expected


class Cycle:
    def __init__(self, at_end):
        self.me, self.at_end = self, at_end

    def __del__(self):
        self.at_end()


class Plain:
    """Something with a weak reference to it."""

    def __init__(self):
        self.me = self


@pytest.mark.parametrize("kind", ["computes_a_number", "runs_a_backward_pass", "trains", "differentiates"])
@pytest.mark.parametrize("by", ["__del__", "finalize", "weakref"])
def test_finalizers_in_each_step(kind, by):
    with debug.tier("cold"):
        expected = uninterrupted()
        training = Training()
        work = Work(training)
        do = partial(work.do, kind)
        refs = []
        for s in range(STEPS):
            gc.set_threshold(1 + 13 * s % 200)
            if by == "__del__":
                Cycle(do)
            elif by == "finalize":
                weakref.finalize(Plain(), do)
            else:
                refs.append(weakref.ref(Plain(), do))
            training.step(s)
        gc.collect()
        assert not work.errors and work.done == STEPS
        assert training.bits() == expected


# -- neighbours ------------------------------------------------------------------------------------------------------


def everywhere(program, handler, step: int = 1) -> int:
    """Runs a program again and again, interrupted by an alarm at each line of the library in turn."""
    calls = 0

    def handle(*args):
        nonlocal calls
        calls += 1
        handler()

    signal.signal(signal.SIGALRM, handle)
    line = 1
    while True:
        before = calls
        with AtLine(line, raise_alarm):
            program()
        if calls == before:
            return calls
        line += step


@pytest.mark.parametrize(
    ("transform", "expected"),
    [
        (lambda f: torch.func.grad(lambda x: f(x).sum()), [0.0, 4.0, 8.0]),
        (torch.func.vmap, [0.0, 2.0, 8.0]),
        (torch.func.jacrev, [[0.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 8.0]]),
    ],
)
def test_a_transform_is_interrupted(transform, expected):
    run = transform(lambda x: x * x * 2)
    x = torch.arange(3.0)
    y = torch.ones(2, requires_grad=True)

    def handler():
        y.grad = None
        with torch.enable_grad():
            (y * 3).sum().backward()
        assert y.grad.tolist() == [3, 3]
        assert torch.func.grad(lambda t: t**2)(torch.tensor(2.0)).item() == 4

    def program():
        assert run(x).tolist() == expected

    program()
    assert everywhere(program, handler, step=23) > 10


def test_a_pending_value_is_read_and_stays_pending():
    a = torch.arange(3.0)
    torch.synchronize()
    b = a + 1
    read = []
    signal.signal(signal.SIGALRM, lambda *args: read.append(b.tolist()))
    raise_alarm()
    assert read == [[1, 2, 3]]
    assert len(state.rec.path) == 1  # the recording was not cut
    assert b._cell.value.array is None
    assert (b * 2).tolist() == [2, 4, 6]


def test_an_op_is_interrupted_by_ops_on_what_it_reads():
    a = torch.arange(3.0)

    def program():
        x = a + 1
        y = torch.stack([x, x * 2])
        assert torch.where(y > 2, y, -y).tolist() == [[-1, -2, 3], [-2, 4, 6]]

    assert everywhere(program, lambda: (a + 1).mul_(2).tolist() == [2, 4, 6], step=7) > 20


def test_a_handler_that_raises_leaves_the_recording():
    class Stop(Exception):
        pass

    def handler(*args):
        torch.ones(2).sum().item()
        raise Stop

    signal.signal(signal.SIGALRM, handler)
    a = torch.arange(3.0)
    line, stopped = 1, True
    while stopped:
        torch.synchronize()
        x = a + 1
        try:
            with AtLine(line, raise_alarm):
                x * a
            stopped = False
        except Stop:
            line += 1
        assert ((x - a) * 3).tolist() == [3, 3, 3]
    assert line > 20


def test_handlers_interrupt_handlers():
    depth = []

    def handler(*args):
        if len(depth) < 3:
            depth.append(None)
            with AtLine(30 * len(depth), raise_alarm):
                assert (torch.ones(2) + len(depth)).sum().item() > 2

    signal.signal(signal.SIGALRM, handler)
    x = torch.ones(3, requires_grad=True)
    with AtLine(20, raise_alarm):
        (x * 2).sum().backward()
    assert x.grad.tolist() == [2, 2, 2]
    assert depth


def test_a_logging_handler_within_hooks():
    class Handler(logging.Handler):
        def emit(self, record):
            seen.append(record.args[0].sum().item() if record.args else torch.ones(2).sum().item())

    seen = []
    logger = logging.getLogger("tests.reentrance")
    handler = Handler()
    logger.addHandler(handler)
    logger.propagate = False
    try:
        model = net(0)
        model[1].register_forward_hook(lambda m, args, out: logger.warning("%s", out.detach()))
        model[0].weight.register_hook(lambda g: logger.warning("%s", g))
        x = torch.ones(2, 4)
        for _ in range(3):
            model.zero_grad()
            model(x).sum().backward()
        assert seen[0] == pytest.approx(torch.tanh(model[0](x)).sum().item(), abs=1e-6)
        assert seen[1] == pytest.approx(model[0].weight.grad.sum().item(), abs=1e-6)
        assert len(seen) == 6
    finally:
        logger.removeHandler(handler)


def test_interruptions_are_told_from_calls():
    seen = []

    def handler(*args):
        seen.append(interruption())

    class Method:
        def handle(self, *args):
            handler()

        __call__ = handle

    assert interruption() is None
    for one in (handler, Method(), Method().handle, partial(Method().handle, 1), lambda *args: handler()):
        signal.signal(signal.SIGALRM, one)
        raise_alarm()
    assert len(seen) == 5 and None not in seen
    Cycle(handler)
    gc.collect()
    assert seen[-1] is not None
    assert interruption() is None
    thread = threading.Thread(target=handler)  # Python calls no handler there
    thread.start()
    thread.join()
    assert seen[-1] is None
