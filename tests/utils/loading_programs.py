"""Programs that load data in worker processes, given PyTorch or this library: what they return is the same, to the
number.

`python -m tests.utils.loading_programs torch` prints what each gives, as JSON; the process of its own spares PyTorch's
forks a process that has started XLA.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import sys
import warnings
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

Pair = namedtuple("Pair", "x y")
SHORT = (
    "seeds", "seeds_from_a_generator", "seeds_told_to_workers", "persistent_left_early", "streams", "streams_persistent", "left_early",
    "batches_of_all_kinds", "collate_of_ones_own", "default_dtype_and_closures", "a_worker_that_ends",
)  # fmt: skip
"""What runs by default; the others at full length."""

PROGRAMS: dict[str, Callable] = {}


def program(fn: Callable) -> Callable:
    """Adds a program: a function of (torch, torch.utils.data)."""
    PROGRAMS[fn.__name__] = fn
    return fn


def plain(x: Any) -> Any:
    """What JSON has for tensors, arrays and containers of them."""
    if hasattr(x, "tolist"):
        return [str(x.dtype).rpartition(".")[2], plain(x.tolist())]
    if isinstance(x, dict):
        return {str(k): plain(v) for k, v in x.items()}
    if isinstance(x, list | tuple):
        return [type(x).__name__, *map(plain, x)]
    return str(x) if isinstance(x, complex) else x


def drawn(torch: Any) -> Any:
    """A dataset whose samples are the draws of the three libraries, and who drew them."""

    class Drawn(torch.utils.data.Dataset):
        def __init__(self, n: int = 12) -> None:
            self.n = n

        def __len__(self) -> int:
            return self.n

        def __getitem__(self, i: int) -> tuple:
            worker = torch.utils.data.get_worker_info()
            return (
                i,
                -1 if worker is None else worker.id,
                torch.rand(2),
                random.random(),
                np.random.rand(),
                torch.randint(100, (1,)),
            )

    return Drawn()


def stream(torch: Any, lengths: tuple = (5, 2, 7)) -> Any:
    """A stream of which each worker gives its own part, of another length."""

    class Stream(torch.utils.data.IterableDataset):
        def __iter__(self) -> Any:
            worker = torch.utils.data.get_worker_info()
            number = 0 if worker is None else worker.id
            for i in range(lengths[number]):
                yield 100 * number + i

    return Stream()


@program
def order(torch, data):
    return [b.tolist() for b in data.DataLoader(range(11), 3, num_workers=2)]


@program
def shuffled(torch, data):
    torch.manual_seed(5)
    loader = data.DataLoader(range(20), 3, shuffle=True, num_workers=2)
    return [[b.tolist() for b in loader] for _ in range(2)], torch.rand(2)


@program
def seeds(torch, data):
    torch.manual_seed(3)
    return list(data.DataLoader(drawn(torch), 2, num_workers=2)), torch.rand(1)


@program
def seeds_of_three_workers_shuffled(torch, data):
    torch.manual_seed(4)
    return list(data.DataLoader(drawn(torch), 2, shuffle=True, num_workers=3)), torch.rand(1)


@program
def seeds_from_a_generator(torch, data):
    generator = torch.Generator().manual_seed(9)
    loader = data.DataLoader(drawn(torch), 4, shuffle=True, num_workers=2, generator=generator)
    return [list(loader) for _ in range(2)], torch.rand(1, generator=generator)


@program
def seeds_told_to_workers(torch, data):
    class Told(data.Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, i):
            w = data.get_worker_info()
            return w.id, w.num_workers, w.seed, w.dataset is self, torch.initial_seed()

    torch.manual_seed(1)
    return list(data.DataLoader(Told(), batch_size=None, num_workers=2))


@program
def normal_and_permuted(torch, data):
    class Augmented(data.Dataset):
        def __len__(self):
            return 6

        def __getitem__(self, i):
            order = torch.randperm(5)
            return (
                torch.arange(5.0)[order] + torch.randn(()),
                np.random.permutation(4),
                random.sample(range(9), 3),
            )

    torch.manual_seed(2)
    return list(data.DataLoader(Augmented(), 2, num_workers=2))


@program
def persistent(torch, data):
    torch.manual_seed(6)
    loader = data.DataLoader(drawn(torch), 3, shuffle=True, num_workers=2, persistent_workers=True)
    return [list(loader) for _ in range(3)]


@program
def persistent_left_early(torch, data):
    torch.manual_seed(7)
    loader = data.DataLoader(range(40), 2, num_workers=2, persistent_workers=True, prefetch_factor=3)
    first = [b.tolist() for b, _ in zip(loader, range(3))]
    return first, [b.tolist() for b in loader]


@program
def one_copy_each(torch, data):
    class Counting(data.Dataset):
        def __init__(self):
            self.calls = 0

        def __len__(self):
            return 8

        def __getitem__(self, i):
            self.calls += 1
            return i, self.calls

    dataset = Counting()
    loader = data.DataLoader(dataset, 2, num_workers=2)
    again = data.DataLoader(dataset, 2, num_workers=2, persistent_workers=True)
    return [list(loader) for _ in range(2)], [list(again) for _ in range(2)], dataset.calls


@program
def init_fn(torch, data):
    state = {"seen": -1}

    class Seen(data.Dataset):
        def __len__(self):
            return 6

        def __getitem__(self, i):
            return i, state["seen"], self.bias

    def begin(number):
        state["seen"] = number
        data.get_worker_info().dataset.bias = 10 * number

    return list(data.DataLoader(Seen(), 1, num_workers=2, worker_init_fn=begin)), state["seen"]


@program
def streams(torch, data):
    return [b.tolist() for b in data.DataLoader(stream(torch), 2, num_workers=3)]


@program
def streams_drop_last(torch, data):
    return [b.tolist() for b in data.DataLoader(stream(torch), 2, num_workers=3, drop_last=True)]


@program
def streams_of_samples(torch, data):
    return list(data.DataLoader(stream(torch), batch_size=None, num_workers=2))


@program
def streams_persistent(torch, data):
    loader = data.DataLoader(stream(torch, (3, 0, 9)), 2, num_workers=3, persistent_workers=True)
    return [[b.tolist() for b in loader] for _ in range(2)]


@program
def stream_longer_than_told(torch, data):
    class Long(data.IterableDataset):
        def __len__(self):
            return 2

        def __iter__(self):
            return iter(range(2))

        def __repr__(self):
            return "Long"

    loader = data.DataLoader(Long(), batch_size=None, num_workers=2)
    told = len(loader)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        got = list(loader)
    return told, got, [str(w.message) for w in caught if "Long" in str(w.message)]


def failure(call: Callable) -> list:
    """What a call raises: the type, and its message without what depends on files and process ids."""
    try:
        call()
    except Exception as error:
        lines = str(error).splitlines() or [""]
        return [type(error).__name__, lines[0], lines[1] if len(lines) > 1 else "", lines[-1]]
    return ["nothing"]


@program
def errors(torch, data):
    class Bad(data.Dataset):
        def __init__(self, error):
            self.error = error

        def __len__(self):
            return 4

        def __getitem__(self, i):
            raise self.error

    every = (
        ValueError("bad"),
        KeyError("key"),
        IndexError("at"),
        OSError(2, "file"),
        RuntimeError("run"),
        NotImplementedError(),
    )
    return [failure(lambda e=e: list(data.DataLoader(Bad(e), num_workers=1))) for e in every]


@program
def an_error_and_on(torch, data):
    class Bad(data.Dataset):
        def __len__(self):
            return 6

        def __getitem__(self, i):
            if i in (1, 4):
                raise ValueError(f"sample {i}")
            return i

    it = iter(data.DataLoader(Bad(), num_workers=2))
    got = []
    for _ in range(6):
        try:
            got.append(next(it).tolist())
        except ValueError as error:
            got.append(str(error).splitlines()[-1])
    return got, failure(lambda: next(it))


@program
def errors_of_init_fn_and_collate(torch, data):
    def broken(*_):
        raise ValueError("broken")

    return (
        failure(lambda: list(data.DataLoader(range(3), num_workers=1, worker_init_fn=broken))),
        failure(lambda: list(data.DataLoader(range(3), num_workers=2, collate_fn=broken))),
        failure(lambda: list(data.DataLoader([1, "a", 2, None], 2, num_workers=1))),
    )


@program
def a_worker_that_ends(torch, data):
    class Ends(data.Dataset):
        def __len__(self):
            return 8

        def __getitem__(self, i):
            if i == 3:
                os._exit(7)
            return i

    kind, first, *_ = failure(lambda: list(data.DataLoader(Ends(), num_workers=2)))
    return kind, first.partition("(pid(s)")[0], first.rpartition(")")[2]


@program
def time_is_up(torch, data):
    import time

    class Slow(data.Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, i):
            time.sleep(2.5)

    return failure(lambda: next(iter(data.DataLoader(Slow(), num_workers=1, timeout=0.5))))


@program
def left_early(torch, data):
    torch.manual_seed(8)
    loader = data.DataLoader(drawn(torch), 2, shuffle=True, num_workers=2)
    got = []
    for _ in range(3):
        for batch in loader:
            got.append(batch)
            break
    return got, torch.rand(1)


@program
def nested(torch, data):
    outer = data.DataLoader(range(4), 2, num_workers=1)
    inner = data.DataLoader(drawn(torch), 6, num_workers=2)
    torch.manual_seed(9)
    return [(a, list(inner)) for a in outer]


@program
def a_loader_in_a_worker(torch, data):
    class Inner(data.Dataset):
        def __init__(self, workers):
            self.workers = workers

        def __len__(self):
            return 2

        def __getitem__(self, i):
            return [b.tolist() for b in data.DataLoader(range(4), 2, shuffle=True, num_workers=self.workers)]

    torch.manual_seed(3)
    return (
        list(data.DataLoader(Inner(0), batch_size=None, num_workers=1)),
        failure(lambda: list(data.DataLoader(Inner(1), batch_size=None, num_workers=1))),
    )


@program
def batches_of_all_kinds(torch, data):
    class Kinds(data.Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, i):
            return {
                "image": np.full((20, 30), i, np.float32), "half": torch.full((700,), i).to(torch.bfloat16), "text": f"s{i}",
                "pair": Pair(i, float(i)), "list": [i, torch.ones(2, dtype=torch.bool)], "turned": torch.arange(6).reshape(2, 3).T + i,
                "none": torch.ones(0), "complex": torch.full((2,), 1j * i),
            }  # fmt: skip

    batch = next(iter(data.DataLoader(Kinds(), 2, num_workers=1)))
    batch["half"] = batch["half"].float().sum(1)
    return batch


@program
def collate_of_ones_own(torch, data):
    def collate(samples):
        longest = max(len(s) for s in samples)
        padded = torch.zeros(len(samples), longest)
        for i, s in enumerate(samples):
            padded[i, : len(s)] = s
        return padded, np.array([len(s) for s in samples]), [len(s) for s in samples]

    samples = [torch.arange(float(n + 1)) for n in range(7)]
    return list(data.DataLoader(samples, 3, num_workers=2, collate_fn=collate))


@program
def samplers(torch, data):
    torch.manual_seed(0)
    weighted = data.WeightedRandomSampler([1.0, 2.0, 3.0, 4.0], 8)
    subset = data.SubsetRandomSampler([3, 5, 7, 9])
    own = data.BatchSampler(data.RandomSampler(range(9), replacement=True, num_samples=7), 2, False)
    return (
        [b.tolist() for b in data.DataLoader(range(4), 3, sampler=weighted, num_workers=2)],
        [b.tolist() for b in data.DataLoader(range(10), 2, sampler=subset, num_workers=2)],
        [b.tolist() for b in data.DataLoader(range(9), batch_sampler=own, num_workers=2)],
        torch.rand(1),
    )


@program
def parts_of_datasets(torch, data):
    torch.manual_seed(1)
    whole = data.TensorDataset(torch.arange(10), torch.rand(10, 3))
    first, second = data.random_split(whole, [7, 3])
    both = data.ConcatDataset([second, first])
    return [
        list(data.DataLoader(d, 4, shuffle=True, num_workers=2))
        for d in (whole, first, both, data.StackDataset(whole, whole))
    ]


@program
def out_of_order(torch, data):
    loader = data.DataLoader(range(12), 2, num_workers=2, in_order=False)
    return sorted(b.tolist() for b in loader)


@program
def default_dtype_and_closures(torch, data):
    torch.set_default_dtype(torch.float64)
    try:
        scale = torch.full((2,), 3.0)
        dataset = [torch.ones(2) * i for i in range(4)]
        loader = data.DataLoader(
            dataset, 2, num_workers=1, collate_fn=lambda s: torch.stack(s) * scale + torch.ones(2)
        )
        return list(loader)
    finally:
        torch.set_default_dtype(torch.float32)


def results(torch: Any, names: list[str]) -> dict[str, Any]:
    """What the programs of these names give, all by default."""
    data = importlib.import_module(f"{torch.__name__}.utils.data")
    got = {}
    for name in names or PROGRAMS:
        torch.manual_seed(0)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "This DataLoader will create")
            got[name] = plain(PROGRAMS[name](torch, data))
    return json.loads(json.dumps(got))


if __name__ == "__main__":
    torch = importlib.import_module(sys.argv[1])
    if sys.argv[1] != "torch":
        torch.random.set_default_engine("mt19937")
    print(json.dumps(results(torch, sys.argv[2:])))
