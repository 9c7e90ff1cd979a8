"""What loading in worker processes costs, and what is left behind: figures, each with the bound that it must keep.

    python -m tests.loading [NAME ...]

`again`: 20 runs of one seed. `left`: 100 loaders left half-way, and workers and a loader's process that are killed:
processes, names in /dev/shm and open files are counted. `killed`: seconds until the death of a worker is told. `start`:
seconds until the first item. `python`: two workers against one, of a dataset that computes 5 ms of Python for each
item. `images`: 32 images of 224² a batch, beside PyTorch. `scripts`: an unguarded script, one in a notebook's way, a
drop-in one; Ctrl-C.
"""

from __future__ import annotations

import gc
import importlib
import json
import multiprocessing
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

CHECKS: dict[str, Callable[[], None]] = {}


def check(fn: Callable[[], None]) -> Callable[[], None]:
    """Adds a check, which prints its figures and asserts their bounds."""
    CHECKS[fn.__name__] = fn
    return fn


def side(name: str) -> tuple:
    """(torch, torch.utils.data) of PyTorch ("torch") or of this library."""
    return importlib.import_module(name), importlib.import_module(f"{name}.utils.data")


def images(name: str, kind: str):
    """Images of 224² that are there already: what is measured is stacking them and the way from worker to loader."""
    torch, data = side(name)
    array = np.random.rand(3, 224, 224).astype(np.float32)
    image = array if kind == "numpy" else torch.from_numpy(array)

    class Images(data.Dataset):
        def __len__(self):
            return 32 * 30

        def __getitem__(self, i):
            return image, i

    return Images()


def python(name: str):
    """A dataset that spends 5 ms of a processor on Python for each item."""
    _, data = side(name)

    class Python(data.Dataset):
        def __len__(self):
            return 160

        def __getitem__(self, i):
            end = time.process_time() + 0.005
            while time.process_time() < end:
                pass
            return i

    return Python()


def per_batch(name: str, dataset, batch: int, workers: int) -> float:
    """Milliseconds for a batch, once the workers are there."""
    _, data = side(name)
    batches = iter(data.DataLoader(dataset, batch, num_workers=workers))
    next(batches)
    begin = time.perf_counter()
    count = sum(1 for _ in batches)
    return (time.perf_counter() - begin) / count * 1e3


def processes_of(pid: int) -> list[str]:
    """Command lines of the processes below this one, Python's fork server and tracker of resources left out."""
    parents, lines = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                lines[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except (OSError, IndexError):
                continue
    below, more = set(), {pid}
    while more:
        more = {p for p, parent in parents.items() if parent in more} - below
        below |= more
    servers = {p for p in below if parents[p] == pid and "multiprocessing" in lines[p]}
    return [lines[p] for p in below - servers]


def shared() -> int:
    """Mappings of blocks that this process has, and names in /dev/shm."""
    return Path("/proc/self/maps").read_text().count("functorch_lite-data") + len(
        list(Path("/dev/shm").iterdir())
    )


def settled(count: Callable[[], int], most: int, seconds: float = 5.0) -> int:
    """A count, once it is no more than this, or after some seconds."""
    end = time.monotonic() + seconds
    while count() > most and time.monotonic() < end:
        gc.collect()
        time.sleep(0.05)
    return count()


def noisy(torch, data):
    """A dataset of draws."""

    class Noisy(data.Dataset):
        def __len__(self):
            return 24

        def __getitem__(self, i):
            return torch.rand(20, 20) + np.random.rand(), i

    return Noisy()


@check
def again() -> None:
    """20 runs of one seed are equal; another seed gives other data."""
    torch, data = side("functorch_lite")

    def once(seed: int) -> bytes:
        torch.manual_seed(seed)
        loader = data.DataLoader(noisy(torch, data), 3, shuffle=True, num_workers=2)
        return b"".join(np.asarray(part).tobytes() for batch in loader for part in batch)

    runs = {once(3) for _ in range(20)}
    print(f"again: {len(runs)} different of 20 runs with one seed")
    assert len(runs) == 1 and once(4) not in runs


@check
def left() -> None:
    """Loaders that are left half-way leave nothing."""
    torch, data = side("functorch_lite")
    dataset = noisy(torch, data)
    next(iter(data.DataLoader(dataset, 3, num_workers=2)))
    settled(lambda: len(processes_of(os.getpid())), 0)
    before, files = shared(), len(os.listdir("/proc/self/fd"))
    for k in range(100):
        loader = data.DataLoader(dataset, 3, num_workers=2, persistent_workers=k % 2 == 1)
        batches = iter(loader)
        for _ in range(1 + k % 4):
            kept = next(batches)
    del loader, batches, kept
    processes = settled(lambda: len(processes_of(os.getpid())), 0)
    blocks, open_files = settled(lambda: shared() - before, 0), len(os.listdir("/proc/self/fd")) - files
    print(f"left: after 100 loaders {processes} processes, {blocks} shared blocks, {open_files} open files")
    assert processes == 0 and blocks <= 0 and open_files <= 2
    code = (
        "import functorch_lite as torch, os, numpy as np\nfrom functorch_lite.utils.data import DataLoader\n"
        "it = iter(DataLoader([np.ones((300, 300))] * 400, 4, num_workers=2)); next(it)\n"
        "print([w.process.pid for w in it._workers], flush=True)\nos.kill(os.getpid(), 9)"
    )
    names = set(os.listdir("/dev/shm"))
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    pids = json.loads(out)
    alive = settled(lambda: sum(Path(f"/proc/{pid}").exists() for pid in pids), 0, 2.0)
    print(f"left: after kill -9 of the loader's process {alive} of {len(pids)} workers")
    assert alive == 0 and set(os.listdir("/dev/shm")) <= names


@check
def killed() -> None:
    """The death of a worker is told within two seconds."""
    torch, data = side("functorch_lite")
    worst = 0.0
    for _ in range(10):
        batches = iter(data.DataLoader(noisy(torch, data), 1, num_workers=2))
        next(batches)
        begin = time.perf_counter()
        os.kill(batches._workers[1].process.pid, signal.SIGKILL)
        try:
            for _ in batches:
                pass
        except RuntimeError as error:
            assert "exited unexpectedly" in str(error) and "killed by signal: Killed" in str(error.__cause__)
        else:
            raise AssertionError("nobody noticed")
        worst = max(worst, time.perf_counter() - begin)
    print(f"killed: told within {worst:.2f} s, at most of 10")
    assert worst < 2


@check
def start() -> None:
    """Workers start within half a second each."""
    _, data = side("functorch_lite")
    begin = time.perf_counter()
    next(iter(data.DataLoader(list(range(8)), num_workers=1)))
    first = time.perf_counter() - begin
    for workers in (1, 2, 4):
        times = []
        for _ in range(9):
            begin = time.perf_counter()
            batches = iter(data.DataLoader(list(range(8)), num_workers=workers))
            next(batches)
            times.append(time.perf_counter() - begin)
            del batches
        print(
            f"start: {workers} workers, first item after {statistics.median(times):.3f} s (median of 9; {max(times):.3f} at most)"
        )
        assert statistics.median(times) < 0.5 * workers
    print(f"start: the first loader of a process, which waits for the fork server's imports: {first:.2f} s")


@check
def speed() -> None:
    """Two workers do Python's work 1.7 times as fast as one."""
    medians = {}
    for name in ("functorch_lite", "torch"):
        dataset = python(name)
        ratios = [per_batch(name, dataset, 8, 1) / per_batch(name, dataset, 8, 2) for _ in range(3)]
        medians[name] = statistics.median(ratios)
        print(
            f"speed: {name}: two workers {medians[name]:.2f} times one (of 3: {min(ratios):.2f} to {max(ratios):.2f})"
        )
    assert medians["functorch_lite"] >= 1.7


@check
def batches() -> None:
    """A batch of 32 images of 224² comes in 1.3 times PyTorch's time."""
    for kind in ("numpy", "tensor"):
        for workers in (1, 2):
            times: dict[str, list[float]] = {"torch": [], "functorch_lite": []}
            for _ in range(3):
                for name, found in times.items():
                    call = f"per_batch({name!r}, images({name!r}, {kind!r}), 32, {workers})"
                    command = [sys.executable, "-c", f"from tests.loading import *; print({call})"]
                    found.append(float(subprocess.run(command, capture_output=True, text=True).stdout))
            theirs, ours = (statistics.median(t) for t in times.values())
            print(
                f"batches: {kind}, {workers} workers: {ours:.1f} ms, PyTorch {theirs:.1f} ms, {ours / theirs:.2f} times"
            )
            assert ours <= 1.3 * theirs


UNGUARDED = """
import {torch} as torch, random, sys
from {torch}.utils.data import DataLoader, Dataset
SCALE = 3
print("main", flush=True)
class Scaled(Dataset):
    def __init__(self): super().__init__(); self.f = lambda x: x * SCALE
    def __len__(self): return 6
    def __getitem__(self, i): return torch.tensor([self.f(i)])
print([b.flatten().tolist() for b in DataLoader(Scaled(), 2, num_workers=2)])
"""
ENDLESS = """
import functorch_lite as torch, time, os
from functorch_lite.utils.data import DataLoader, Dataset
class Slow(Dataset):
    def __len__(self): return 1000
    def __getitem__(self, i): time.sleep(0.05); return i
it = iter(DataLoader(Slow(), 2, num_workers=2)); next(it)
print([w.process.pid for w in it._workers], flush=True)
for _ in it: pass
"""


@check
def scripts() -> None:
    """Scripts run as they are, once; Ctrl-C ends all of one."""
    with tempfile.TemporaryDirectory() as folder:
        for torch, command in (("functorch_lite", []), ("torch", ["-m", "functorch_lite.compat"])):
            script = Path(folder, f"{torch}_script.py")
            script.write_text(UNGUARDED.format(torch=torch))
            done = subprocess.run(
                [sys.executable, *command, str(script)], capture_output=True, text=True, cwd=folder
            )
            assert done.stdout == "main\n[[0, 3], [6, 9], [12, 15]]\n" and not done.stderr, done
        done = subprocess.run(
            [sys.executable, "-"],
            input=UNGUARDED.format(torch="functorch_lite"),
            capture_output=True,
            text=True,
        )
        assert done.stdout == "main\n[[0, 3], [6, 9], [12, 15]]\n", done
        script = Path(folder, "endless.py")
        script.write_text(ENDLESS)
        running = subprocess.Popen(
            [sys.executable, str(script)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        pids = json.loads(running.stdout.readline())
        os.killpg(running.pid, signal.SIGINT)
        begin = time.perf_counter()
        _, told = running.communicate(timeout=20)
        seconds = time.perf_counter() - begin
        alive = sum(Path(f"/proc/{pid}").exists() for pid in pids)
        print(f"scripts: four ways; Ctrl-C ends all in {seconds:.2f} s, {alive} workers are left")
        assert told.count("KeyboardInterrupt") == 1 and told.count("Traceback") == 1 and not alive, told


if __name__ == "__main__":
    assert multiprocessing.current_process().name == "MainProcess"
    for name in sys.argv[1:] or CHECKS:
        CHECKS[name]()
