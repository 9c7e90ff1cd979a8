"""Interrupts at random moments of training: nothing is lost, and training goes on to where it would have gone without
them.

    python -m tests.interrupts [--count 200] [--seed 0] [--job NAME]

Each job makes steps: a training step of a CNN fed by a DataLoader, of an LSTM, or Newton's method by hessians; its
state is written by `torch.save` now and then, and what was compiled is forgotten, so that interrupts come while
something compiles too. They come from a signal (SIGINT, or a handler's own exception) and from another thread
(PyThreadState_SetAsyncExc). After one, every tensor that the job holds must be readable, grad mode and the recorder
must be where they were, and the job goes on from the state before the step that was interrupted. In the end its loss
must be that of a run without interrupts, to the bit.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import ctypes
import functools
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F
from functorch_lite._core.lazy.recorder import state
from functorch_lite._core.run import executor
from functorch_lite.func import functional_call, grad, hessian, vmap

STEPS = 12
VERBOSE = "INTERRUPTS_VERBOSE" in os.environ
LATEST = 0.5
"""Seconds within which 95 % of the interrupts must have arrived."""


class Stop(Exception):
    """What a signal's handler raises."""


class Job:
    """Something that is trained. `tensors()` is all that it holds; `load(save())` takes it back."""

    def step(self, number: int) -> float:
        raise NotImplementedError

    def save(self) -> dict:
        raise NotImplementedError

    def load(self, saved: dict) -> None:
        raise NotImplementedError

    def tensors(self) -> Iterator[torch.Tensor]:
        raise NotImplementedError


class Trained(Job):
    """A module and its optimizer."""

    def __init__(self, module: nn.Module, optimizer: torch.optim.Optimizer, shape: tuple, classes: int):
        self.module, self.optimizer = module, optimizer
        generator = torch.Generator().manual_seed(1)
        self.inputs = torch.randn(64, *shape, generator=generator)
        self.targets = torch.randint(classes, (64,), generator=generator)
        self.data = torch.utils.data.TensorDataset(self.inputs, self.targets)

    def batch(self, number: int):
        loader = torch.utils.data.DataLoader(self.data, batch_size=16, num_workers=number % 2)
        for at, batch in enumerate(loader):
            if at == number % 4:
                return batch

    def step(self, number: int) -> float:
        x, y = self.batch(number)
        self.optimizer.zero_grad()
        loss = F.cross_entropy(self.module(x), y)
        loss.backward()
        self.optimizer.step()
        with torch.no_grad():
            self.module(x[:1])
        return loss.item()

    def save(self) -> dict:
        return copy.deepcopy({"module": self.module.state_dict(), "optimizer": self.optimizer.state_dict()})

    def load(self, saved: dict) -> None:
        self.module.load_state_dict(saved["module"])
        self.optimizer.load_state_dict(
            copy.deepcopy(saved["optimizer"])
        )  # it keeps the tensors that it is given

    def tensors(self) -> Iterator[torch.Tensor]:
        yield from (self.inputs, self.targets)
        for t in (*self.module.parameters(), *self.module.buffers()):
            yield t
            if t.grad is not None:
                yield t.grad
        for held in self.optimizer.state.values():
            yield from (t for t in held.values() if isinstance(t, torch.Tensor))


def cnn() -> Job:
    module = nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.0), nn.Linear(36, 200),
        nn.ReLU(), nn.Linear(200, 5),
    )  # fmt: skip
    return Trained(module, torch.optim.Adam(module.parameters(), lr=1e-2), (1, 8, 8), 5)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(6, 100, batch_first=True)
        self.out = nn.Linear(100, 4)

    def forward(self, x):
        return self.out(self.cell(x)[0][:, -1])


def lstm() -> Job:
    module = Recurrent()
    return Trained(module, torch.optim.SGD(module.parameters(), lr=0.1, momentum=0.9), (7, 6), 4)


class Newton(Job):
    """Damped Newton steps of a small classifier, by a hessian, gradients of single samples and functional_call."""

    def __init__(self):
        self.module = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 3))
        self.x = torch.randn(32, 5)
        self.y = torch.randint(3, (32,))

    def loss(self, flat: torch.Tensor) -> torch.Tensor:
        sizes = [p.numel() for p in self.module.parameters()]
        parts = flat.split(sizes)
        named = {
            name: part.reshape(p.shape) for (name, p), part in zip(self.module.named_parameters(), parts)
        }
        return F.cross_entropy(functional_call(self.module, named, (self.x,)), self.y)

    def step(self, number: int) -> float:
        params = {name: p.detach() for name, p in self.module.named_parameters()}

        def of_one(params, x, y):
            return F.cross_entropy(functional_call(self.module, params, (x[None],)), y[None])

        each = vmap(grad(of_one), in_dims=(None, 0, 0))(params, self.x, self.y)
        slope = torch.cat([g.mean(0).reshape(-1) for g in each.values()])
        flat = torch.cat([p.reshape(-1) for p in params.values()])
        curvature = hessian(self.loss)(flat)
        move = torch.linalg.solve(curvature + 0.3 * torch.eye(len(flat)), slope)
        with torch.no_grad():
            nn.utils.vector_to_parameters(flat - move, self.module.parameters())
        return self.loss(flat).item()

    def save(self) -> dict:
        return copy.deepcopy(self.module.state_dict())

    def load(self, saved: dict) -> None:
        self.module.load_state_dict(saved)

    def tensors(self) -> Iterator[torch.Tensor]:
        yield from (self.x, self.y, *self.module.parameters())


JOBS: dict[str, Callable[[], Job]] = {"cnn": cnn, "lstm": lstm, "newton": Newton}


def made(name: str) -> Job:
    torch.manual_seed(0)
    return JOBS[name]()


def worked(job: Job, number: int, folder: Path) -> float:
    """A step of a job, and what goes with it: a checkpoint written."""
    loss = job.step(number)
    if number % 3 == 2:
        torch.save(job.save(), folder / "checkpoint.pt")
    return loss


def forget(random_one: random.Random) -> None:
    """Before some steps, so that they compile."""
    if random_one.random() < 0.4:
        executor.flush()
        executor.forget_programs()


# -- interrupting ----------------------------------------------------------------------------------------------------


class Interrupt:
    """One interrupt of the main thread, from another thread, after a time."""

    def __init__(self, kind: str, after: float):
        self.kind, self.after = kind, after
        self.sent: float | None = None
        self._cancelled = threading.Event()
        self._main = threading.get_ident()
        self._thread = threading.Thread(target=self._wait)
        self._thread.start()

    def _wait(self) -> None:
        if self._cancelled.wait(self.after):
            return
        self.sent = time.perf_counter()
        if self.kind == "thread":
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self._main), ctypes.py_object(KeyboardInterrupt)
            )
        else:
            os.kill(os.getpid(), signal.SIGINT if self.kind == "ctrl-c" else signal.SIGUSR1)

    def over(self) -> None:
        """Returns when none can come any more."""
        self._cancelled.set()
        self._thread.join()


def _stop(number, frame) -> None:
    raise Stop


def interrupted(work: Callable[[], float], kind: str, after: float) -> tuple[float | None, float | None, str]:
    """What work returns, or None if it was interrupted; how long the exception took to come, and where it was
    raised."""
    interrupt, result, where = None, None, ""
    try:
        interrupt = Interrupt(kind, after)
        result = work()
        interrupt.over()
        time.sleep(0.001)  # one that was sent comes here
        return result, None, where
    except (KeyboardInterrupt, Stop) as error:
        came = time.perf_counter()
        at = error.__traceback__
        while at is not None:
            where, at = f"{Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno}", at.tb_next
        while interrupt is not None:
            with contextlib.suppress(KeyboardInterrupt, Stop):
                interrupt.over()
                break
        sent = None if interrupt is None else interrupt.sent
        return None, None if sent is None else came - sent, where


def check_here() -> list[str]:
    faults = []
    if not torch.is_grad_enabled():
        faults.append("grad mode is off")
        state.here.grad = True
    if state.rec.level:
        faults.append("a transform's recorder is on top")
        while state.rec.outer is not None:
            state.here.rec = state.rec.outer
    return faults


def check_readable(job: Job) -> list[str]:
    for t in job.tensors():
        try:
            array = t.detach().numpy()
            if array.dtype.kind == "f" and not np.isfinite(array).all():
                return ["a tensor is not finite"]
        except Exception as error:
            return [f"a tensor is lost: {type(error).__name__}: {error}"]
    return []


class Findings:
    """What the interrupts of all runs showed."""

    def __init__(self, wanted: int):
        self.wanted = wanted
        self.delays: list[float] = []
        self.places: Counter = Counter()
        self.bad = 0

    def enough(self) -> bool:
        return len(self.delays) >= self.wanted

    def add(self, job: str, kind: str, delay: float | None, where: str, faults: list[str]) -> None:
        self.delays.append(delay or 0.0)
        self.places[where.split(":")[0]] += 1
        self.bad += bool(faults)
        if faults or VERBOSE or len(self.delays) % 20 == 0:
            print(
                f"{len(self.delays)}: {job}, {kind}, at {where}: {'; '.join(faults) or 'nothing lost'}",
                flush=True,
            )


def run(name: str, seed: float, folder: Path, findings: Findings | None = None) -> list[float]:
    """The losses of a run of a job; with `findings`, interrupted in about every second step."""
    job, forgetting, chance = made(name), random.Random(seed), random.Random(seed)
    losses: list[float] = []
    times = [0.1]
    while (number := len(losses)) < STEPS:
        forget(forgetting)
        saved = job.save()
        work = functools.partial(worked, job, number, folder)
        while len(losses) == number:
            begun = time.perf_counter()
            if findings is None or findings.enough():
                losses.append(work())
                continue
            kind = chance.choice(["ctrl-c", "handler", "thread"])
            typical = chance.choice([max, min])(times[-8:])  # one that compiles, or one that does not
            loss, delay, where = interrupted(work, kind, chance.random() * typical)
            if loss is None:
                findings.add(name, kind, delay, where, check_here() + check_readable(job))
                job.load(saved)
            else:
                losses.append(loss)
            times.append(time.perf_counter() - begun)
    return losses


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--job", choices=sorted(JOBS))
    options = parser.parse_args()
    signal.signal(signal.SIGUSR1, _stop)
    names = [options.job] if options.job else list(JOBS)
    findings, chance = Findings(options.count), random.Random(options.seed)
    runs = same = 0
    with tempfile.TemporaryDirectory() as folder:
        expected = {name: run(name, 0, Path(folder)) for name in names}
        while not findings.enough():
            name = names[runs % len(names)]
            losses = run(name, chance.random(), Path(folder), findings)
            runs += 1
            same += losses == expected[name]
            first = next((i for i, (a, b) in enumerate(zip(losses, expected[name])) if a != b), None)
            if first is not None:
                print(
                    f"{name}: the loss of step {first} is {losses[first]}, and without interrupts {expected[name][first]}",
                    flush=True,
                )
    delays = sorted(findings.delays)
    late = delays[int(0.95 * len(delays))]
    print(
        f"{len(delays) - findings.bad} of {len(delays)} interrupts lost nothing; {same} of {runs} runs ended as without any"
    )
    print(
        f"from the signal to the exception: median {delays[len(delays) // 2]:.3f} s, 95 % within {late:.3f} s"
    )
    print("where they came:", dict(findings.places.most_common(15)))
    return int(findings.bad > 0 or same < runs or late > LATEST)


if __name__ == "__main__":
    sys.exit(main())
