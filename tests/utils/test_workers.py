"""Worker processes of a DataLoader, and how arrays come from them.
Beside PyTorch: parity/test_loading_parity.py; at length: loading.py."""

from __future__ import annotations

import dataclasses
import enum
import io
import multiprocessing
import os
import random
import signal
import threading
import warnings
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.api import jax_private
from functorch_lite.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, get_worker_info
from functorch_lite.utils.data.blocks import File, Pool
from functorch_lite.utils.data.messages import Incoming, Outgoing
from functorch_lite.utils.data.worker import numpy_seed
from tests.support.full import FULL
from tests.support.processes import python

from .loading_programs import PROGRAMS, results

LEAST = ("order", "seeds_told_to_workers", "streams", "a_worker_that_ends")


@pytest.fixture(autouse=True)
def any_number_of_workers():
    """Without PyTorch's advice for machines with few processors."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "This DataLoader will create")
        yield


# -- data --------------------------------------------------------------------------------------------------------------


def test_what_loaders_give():
    """Facts from PyTorch; the other programs are compared with it in make parity."""
    before = torch.random.default_engine()
    torch.random.set_default_engine("mt19937")
    try:
        got = results(torch, list(LEAST))
    finally:
        torch.random.set_default_engine(before)
    assert got["order"] == ["list", ["list", 0, 1, 2], ["list", 3, 4, 5], ["list", 6, 7, 8], ["list", 9, 10]]
    seed = 7692698082559361259  # of torch.empty((), dtype=torch.int64).random_() after torch.manual_seed(1)
    told = [["list", k % 2, 2, seed + k % 2, True, seed + k % 2] for k in range(4)]
    assert got["seeds_told_to_workers"] == ["list", *told]
    batches = [[0, 1], [100, 101], [200, 201], [2, 3], [202, 203], [4], [204, 205], [206]]
    assert got["streams"] == ["list", *(["list", *b] for b in batches)]
    assert got["a_worker_that_ends"] == [
        "tuple",
        "RuntimeError",
        "DataLoader worker ",
        " exited unexpectedly",
    ]
    assert set(LEAST) < set(PROGRAMS)


def test_numpys_seed_is_pytorchs():
    assert numpy_seed(12345678901234567, 0) == [2877795667, 293318310, 1071037905, 3478697124]
    assert numpy_seed((1 << 63) - 1, 7) == [3706660862, 1642455348, 3333652763, 3068748488]


class Draws(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return torch.rand(300), random.random(), np.random.rand(), os.getpid()


def test_a_seed_fixes_the_data_and_leaves_the_loaders_own_draws_alone():
    def once():
        torch.manual_seed(3)
        random.seed(1)
        batches = list(DataLoader(Draws(), 2, shuffle=True, num_workers=2))
        return (
            [x.numpy().tobytes() for b in batches for x in b[:3]],
            random.random(),
            {p for b in batches for p in b[3].tolist()},
        )

    (first, drawn, pids), (again, drawn_again, _) = once(), once()
    assert first == again and len(set(first)) == 12 and drawn == drawn_again
    assert len(pids) == 2 and os.getpid() not in pids


Pair = namedtuple("Pair", "x y")


class Kind(enum.Enum):
    A = 1


def test_classes_of_a_function_or_a_script_come_back_as_they_went():
    """Such as those of `__main__`, which no worker can import."""

    @dataclasses.dataclass
    class Item:
        x: int

        def doubled(self):
            return 2 * self.x

    class Colour(enum.Enum):
        RED = 1

    doubled = Item.doubled
    scale = {"by": 3}

    class Items(Dataset):
        def __init__(self):
            super().__init__()
            self.scaled = lambda i: i * scale["by"]

        def __len__(self):
            return 2

        def __getitem__(self, i):
            return Item(self.scaled(i)), Colour.RED, Pair(i, Kind.A), np

    for sample in DataLoader(Items(), batch_size=None, num_workers=1, collate_fn=lambda sample: sample):
        assert (
            type(sample[0]) is Item
            and sample[1] is Colour.RED
            and type(sample[2]) is Pair
            and sample[2].y is Kind.A
        )
        assert sample[0].doubled() == 6 * sample[2].x and sample[3] is np
    assert Item.doubled is doubled


SCRIPT = """
from functorch_lite.compat import install_as_torch
install_as_torch()
import torch
from torch.utils.data import DataLoader, Dataset
print("main", flush=True)
BY = 3
class Scaled(Dataset):
    def __init__(self): super().__init__(); self.f = lambda x: x * BY
    def __len__(self): return 4
    def __getitem__(self, i): return torch.tensor([self.f(i)])
print([b.flatten().tolist() for b in DataLoader(Scaled(), 2, num_workers=2)])
"""


@pytest.mark.skipif(not FULL, reason="starts a server of its own; tests.loading has more of it")
def test_a_script_runs_once_and_needs_no_guard():
    done = python("-c", SCRIPT)
    assert done.stdout == "main\n[[0, 3], [6, 9]]\n", done.stderr


class Own(Dataset):
    """Whether XLA was started, what this process has of the loader's settings, and a count of its own."""

    def __init__(self):
        self.calls = 0

    def __len__(self):
        return 4

    def __getitem__(self, i):
        self.calls += 1
        mean = (torch.rand(3, 8, 8) * 2 - 1).mean()
        return (
            not jax_private.has_started(),
            mean.dtype is torch.float64,
            os.environ["OF_THE_LOADER"],
            self.calls,
        )


def test_a_worker_starts_no_xla_and_has_the_loaders_settings(monkeypatch):
    monkeypatch.setenv("OF_THE_LOADER", "here")
    torch.set_default_dtype(torch.float64)
    try:
        dataset = Own()
        got = list(DataLoader(dataset, batch_size=None, num_workers=2))
    finally:
        torch.set_default_dtype(torch.float32)
    assert got == [[True, True, "here", 1 + i // 2] for i in range(4)] and dataset.calls == 0


def test_gradients_do_not_cross():
    x = torch.ones(4, requires_grad=True)
    leaf = next(iter(DataLoader([x], batch_size=None, num_workers=1)))
    assert leaf.requires_grad and leaf.is_leaf
    with pytest.raises(
        RuntimeError, match="Cowardly refusing to serialize non-leaf tensor which requires_grad"
    ):
        next(iter(DataLoader([x], num_workers=1)))


# -- the workers' lives ------------------------------------------------------------------------------------------------


def test_workers_end_with_the_loader_that_left_them():
    batches = iter(DataLoader(range(100), num_workers=2))
    next(batches)
    processes = [worker.process for worker in batches._workers]
    assert all(p.is_alive() and p in multiprocessing.active_children() for p in processes)
    del batches
    assert not any(p.is_alive() for p in processes)


@pytest.mark.parametrize("persistent", [False, True])
def test_a_worker_that_is_killed_is_told_of_and_the_others_end(persistent):
    loader = DataLoader(range(100), num_workers=2, persistent_workers=persistent)
    batches = iter(loader)
    next(batches)
    processes = [worker.process for worker in batches._workers]
    os.kill(processes[1].pid, signal.SIGKILL)
    with pytest.raises(
        RuntimeError, match=rf"DataLoader worker \(pid\(s\) {processes[1].pid}\) exited unexpectedly"
    ) as error:
        list(batches)
    assert not any(p.is_alive() for p in processes)
    assert (
        str(error.value.__cause__)
        == f"DataLoader worker (pid {processes[1].pid}) is killed by signal: Killed. "
    )
    assert len(list(loader)) == 100  # with new ones


def test_what_cannot_be_pickled_is_named_with_the_way_out():
    class Locked(Dataset):
        def __init__(self):
            self.lock = threading.Lock()

        def __len__(self):
            return 3

        def __getitem__(self, i):
            with self.lock:
                return i

    with pytest.raises(
        TypeError,
        match=r"(?s)cannot pickle '_thread.lock'.*attribute 'lock'.*multiprocessing_context=\"thread\"",
    ):
        list(DataLoader(Locked(), num_workers=1))
    threads = DataLoader(Locked(), num_workers=2, multiprocessing_context="thread")
    assert [b.item() for b in threads] == [0, 1, 2]
    with pytest.raises(TypeError, match="Caught TypeError in DataLoader worker process 0"):
        list(DataLoader(range(3), num_workers=1, collate_fn=lambda batch: (i for i in batch)))


def test_contexts():
    with pytest.raises(ValueError, match="should specify a valid start method in"):
        DataLoader(range(3), num_workers=1, multiprocessing_context="threads")
    with pytest.raises(TypeError, match="should be a valid context object or a string"):
        DataLoader(range(3), num_workers=1, multiprocessing_context=3)
    with pytest.raises(NotImplementedError, match="lacks XLA's threads"):
        DataLoader(range(3), num_workers=1, multiprocessing_context="fork")
    loader = DataLoader(
        range(3), num_workers=1, multiprocessing_context=multiprocessing.get_context("forkserver")
    )
    assert [b.item() for b in loader] == [0, 1, 2]


# -- memory ------------------------------------------------------------------------------------------------------------


def mapped() -> int:
    """How many blocks this process has."""
    return Path("/proc/self/maps").read_text().count("functorch_lite-data")


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="looks into /proc")
def test_memory_is_filled_again_and_no_kept_batch_changes():
    data = TensorDataset(torch.arange(64.0).reshape(64, 1).expand(64, 500).clone())
    before = mapped()
    loader = DataLoader(data, 2, num_workers=1)
    kept, most = [], 0
    for k, (batch,) in enumerate(loader):
        most = max(most, mapped() - before)
        if k % 8 == 0:
            kept.append(batch)
    assert 0 < most <= 4 + len(kept)
    for k, b in enumerate(kept):
        assert (b.numpy() == np.array([[16.0 * k], [16.0 * k + 1]])).all()
    del kept, batch, b
    assert mapped() == before


def test_blocks_are_free_when_neither_side_has_an_array():
    pool = Pool(lambda block, fd: None, kept=1)
    pool.begin()
    a, b = pool.empty((100, 100), np.dtype(np.float32)), pool.empty((3,), np.dtype(np.int64))
    assert len(pool.blocks) == 1 and a.ctypes.data % 64 == b.ctypes.data % 64 == 0
    (number, at), other = pool.lend(a), pool.lend(np.ones(7))
    assert (number, at) == (1, 0) and other[0] == 1 and other[1] > 40000
    pool.give_back([1, 1])
    view = a[3:]
    del a, b
    pool.begin()
    c = pool.empty((100, 100), np.dtype(np.float32))
    assert len(pool.blocks) == 2  # `view` keeps the first
    del view, c
    pool.begin()
    assert list(pool.blocks) == [1] and pool.dropped == [2]


@pytest.mark.parametrize(
    "array",
    [
        np.arange(4000.0).reshape(40, 100), np.asfortranarray(np.arange(4000).reshape(40, 100)), np.arange(8000)[::2],
        np.arange(3000).astype("datetime64[s]"), np.zeros(500, [("a", "i4"), ("b", "f8")]), np.zeros((0, 5)), np.array(3.0),
        np.array([None, "x"] * 400), np.ones(900, ml_dtype := torch.bfloat16.np),
    ],
    ids=str,
)  # fmt: skip
def test_arrays_of_all_kinds_are_written_and_read(array):
    file = File()
    payload = Outgoing.dumps({"array": array, "tensor": torch.ones(700)}, file.lay, [])
    memory = File.map(file.fd)
    got = Incoming(payload, lambda at: (memory, at, None)).load()
    file.close()
    assert (
        got["array"].dtype == array.dtype
        and got["array"].shape == array.shape
        and (got["array"] == array).all()
    )
    assert got["array"].flags.f_contiguous >= array.flags.f_contiguous and got["tensor"].sum().item() == 700
    assert Outgoing(io.BytesIO(), None, []) is not None


def test_a_part_of_a_file_that_is_mapped_is_mapped_again(tmp_path):
    made = np.memmap(tmp_path / "a", np.int32, "w+", shape=(100, 1000))
    made[:] = np.arange(100_000).reshape(100, 1000)
    made.flush()
    mapped = np.memmap(tmp_path / "a", np.int32, "r", offset=4000, shape=(99, 1000))
    for part in (mapped, mapped[7:9], mapped[3, 5:], made[50:]):
        payload = Outgoing.dumps(part, None, [])
        got = Incoming(payload, None).load()
        assert len(payload) < 1000 and type(got) is np.memmap and (got == part).all()
    assert len(Outgoing.dumps(mapped[:, ::2], None, [])) > 100_000


class Endless(IterableDataset):
    def __iter__(self):
        worker = get_worker_info()
        yield from range(worker.id, 1 << 60, worker.num_workers)


def test_a_stream_without_end_is_left():
    loader = DataLoader(Endless(), 3, num_workers=2, persistent_workers=True)
    for _ in range(2):
        got = [batch.tolist() for batch, _ in zip(loader, range(3))]
        assert got == [[0, 2, 4], [1, 3, 5], [6, 8, 10]]
