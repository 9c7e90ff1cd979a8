"""torch.utils.data: datasets, samplers, collation, DataLoader; facts observed from torch 2.13."""

from __future__ import annotations

import pickle
import threading
from collections import OrderedDict, namedtuple
from itertools import chain

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite.utils.data import (
    BatchSampler,
    ChainDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    StackDataset,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
    default_convert,
    get_worker_info,
    random_split,
)
from functorch_lite.utils.data.dataset import Rows
from functorch_lite.utils.data.sampler import draw_seed


def numbers(n: int = 10) -> TensorDataset:
    return TensorDataset(torch.arange(n), torch.arange(2 * n).reshape(n, 2))


class Squares(Dataset):
    def __getitem__(self, index):
        return index * index, {"name": str(index)}

    def __len__(self):
        return 7


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(7))


def values(batches):
    return [b.tolist() for b in batches]


# -- datasets ----------------------------------------------------------------------------------------------------------


def test_tensor_dataset():
    data = numbers()
    assert len(data) == 10
    a, b = data[3]
    assert (a.item(), b.tolist()) == (3, [6, 7])
    with pytest.raises(AssertionError, match="Size mismatch between tensors"):
        TensorDataset(torch.ones(2), torch.ones(3))


def test_a_batch_of_rows_is_a_sequence_of_samples():
    rows = numbers().__getitems__([4, 2])
    assert isinstance(rows, Rows) and len(rows) == 2
    assert [(a.item(), b.tolist()) for a, b in rows] == [(4, [8, 9]), (2, [4, 5])]
    assert values(default_collate(rows)) == [[4, 2], [[8, 9], [4, 5]]]
    assert values(default_collate(list(rows))) == [[4, 2], [[8, 9], [4, 5]]]


def test_a_subclass_that_changes_samples_is_asked_for_each():
    class Doubled(TensorDataset):
        def __getitem__(self, index):
            return tuple(t * 2 for t in super().__getitem__(index))

    batch = next(iter(DataLoader(Doubled(torch.arange(4)), batch_size=3)))
    assert batch[0].tolist() == [0, 2, 4]


def test_gradients_flow_to_the_tensors_of_a_dataset():
    x = torch.arange(4.0).requires_grad_()
    (batch,) = next(iter(DataLoader(TensorDataset(x), batch_size=3)))
    (batch * batch).sum().backward()
    assert x.grad.tolist() == [0, 2, 4, 0]


def test_concat_and_add():
    both = numbers(3) + numbers(2)
    assert isinstance(both, ConcatDataset) and both.cumulative_sizes == [3, 5]
    assert [both[i][0].item() for i in (0, 3, 4, -1)] == [0, 0, 1, 1]
    with pytest.raises(ValueError, match="absolute value of index should not exceed dataset length"):
        both[-6]
    with pytest.raises(AssertionError, match="datasets should not be an empty iterable"):
        ConcatDataset([])
    with pytest.raises(AssertionError, match="ConcatDataset does not support IterableDataset"):
        ConcatDataset([numbers(), Stream()])


def test_stack():
    pair = StackDataset(Squares(), numbers(7))
    assert pair[2][0][0] == 4 and len(pair) == 7
    named = StackDataset(a=Squares(), b=Squares())
    assert [s["b"][0] for s in named.__getitems__([1, 3])] == [1, 9]
    with pytest.raises(ValueError, match="At least one dataset should be passed"):
        StackDataset()
    with pytest.raises(ValueError, match="Size mismatch between datasets"):
        StackDataset(Squares(), numbers())


def test_chain():
    both = Stream() + Stream()
    assert isinstance(both, ChainDataset) and list(both) == [*range(7), *range(7)]
    with pytest.raises(AssertionError, match="ChainDataset only supports IterableDataset"):
        list(ChainDataset([Stream(), [1]]))


def test_subset_gathers_as_its_dataset_does():
    part = Subset(numbers(), [5, 7, 9])
    assert part[1][0].item() == 7 and len(part) == 3
    assert values(default_collate(part.__getitems__([0, 2]))) == [[5, 9], [[10, 11], [18, 19]]]


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [([3, 7], [3, 7]), ([0.5, 0.5], [5, 5]), ([0.33, 0.33, 0.34], [4, 3, 3]), ([10, 0], [10, 0])],
)
def test_random_split(lengths, expected):
    parts = random_split(numbers(), lengths, torch.Generator().manual_seed(1))
    assert [len(p) for p in parts] == expected
    assert sorted(i for p in parts for i in p.indices) == list(range(10))


def test_random_split_refuses():
    with pytest.raises(
        ValueError, match="Sum of input lengths does not equal the length of the input dataset!"
    ):
        random_split(numbers(), [3, 6])
    with pytest.warns(UserWarning, match="Length of split at index 1 is 0"):
        random_split(numbers(), [0.99, 0.01])


# -- samplers ----------------------------------------------------------------------------------------------------------


def test_samplers_follow_their_generator():
    data = range(10)
    for make in (
        lambda g: RandomSampler(data, generator=g),
        lambda g: RandomSampler(data, num_samples=25, generator=g),
        lambda g: RandomSampler(data, replacement=True, num_samples=12, generator=g),
        lambda g: SubsetRandomSampler([3, 5, 9], generator=g),
        lambda g: WeightedRandomSampler([0.0, 1.0, 3.0], 8, generator=g),
    ):
        first, again = (list(make(torch.Generator().manual_seed(7))) for _ in range(2))
        assert first == again and len(first) == len(make(None))
    assert sorted(RandomSampler(data)) == list(data)
    assert set(WeightedRandomSampler([0.0, 1.0, 3.0], 50)) == {1, 2}
    generator = torch.Generator().manual_seed(7)
    sampler = RandomSampler(range(100), generator=generator)
    assert list(sampler) != list(sampler)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: RandomSampler([]), ValueError, "positive integer value, but got num_samples=0"),
        (lambda: RandomSampler([1], num_samples=2.5), ValueError, "but got num_samples=2.5"),
        (lambda: RandomSampler([1], replacement=3), TypeError, "replacement should be a boolean value"),
        (lambda: WeightedRandomSampler([1.0], 0), ValueError, "but got num_samples=0"),
        (lambda: WeightedRandomSampler([[1.0, 2.0]], 2), ValueError, r"given weights have shape \(1, 2\)"),
        (lambda: BatchSampler(range(3), 0, False), ValueError, "but got batch_size=0"),
        (lambda: BatchSampler(range(3), 2, 3), ValueError, "drop_last should be a boolean value"),
    ],
)
def test_samplers_refuse(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_batch_sampler():
    whole, cut = BatchSampler(range(5), 2, False), BatchSampler(SequentialSampler(range(5)), 2, True)
    assert list(whole) == [[0, 1], [2, 3], [4]] and len(whole) == 3
    assert list(cut) == [[0, 1], [2, 3]] and len(cut) == 2


# -- collation ---------------------------------------------------------------------------------------------------------

Pair = namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    ("batch", "dtype", "expected"),
    [
        ([1, 2], "int64", [1, 2]),
        ([1.5, 2], "float64", [1.5, 2.0]),
        ([1, 2.5], "float32", [1.0, 2.5]),
        ([True, False], "bool", [True, False]),
        ([np.float32(1), np.float64(2)], "float64", [1.0, 2.0]),
        ([np.int32(3)], "int32", [3]),
        ([np.ones(2), np.zeros(2)], "float64", [[1.0, 1.0], [0.0, 0.0]]),
        ([np.array(1.0)], "float64", [1.0]),
    ],
)
def test_collated_numbers(batch, dtype, expected):
    out = default_collate(batch)
    assert out.dtype is getattr(torch, dtype) and out.tolist() == expected


def test_collated_containers():
    assert default_collate(["a", "b"]) == ["a", "b"]
    out = default_collate([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}])
    assert (out["a"].tolist(), out["b"]) == ([1, 2], ["x", "y"])
    assert values(default_collate([Pair(1, 2), Pair(3, 4)])) == [[1, 3], [2, 4]]
    assert type(default_collate([Pair(1, 2)])) is Pair
    assert type(default_collate([OrderedDict(a=1)])) is OrderedDict
    assert type(default_collate([(1, 2)])) is list
    assert values(default_collate([torch.ones(2), torch.zeros(2)])) == [[1.0, 1.0], [0.0, 0.0]]


@pytest.mark.parametrize(
    ("batch", "error", "message"),
    [
        (
            [None],
            TypeError,
            "batch must contain tensors, numpy arrays, numbers, dicts or lists; found <class 'NoneType'>",
        ),
        ([np.array(["a"])], TypeError, "found <U1"),
        ([[1, 2], [3]], RuntimeError, "each element in list of batch should be of equal size"),
        ([{"a": 1}, {"b": 1}], KeyError, "a"),
    ],
)
def test_what_cannot_be_collated(batch, error, message):
    with pytest.raises(error, match=message):
        default_collate(batch)


def test_convert():
    out = default_convert({"a": np.ones(2), "b": [np.float32(3), "x"], "c": Pair(np.zeros(1), None)})
    assert out["a"].tolist() == [1.0, 1.0] and out["a"].dtype is torch.float64
    assert out["b"][0].item() == 3.0 and out["b"][1] == "x"
    assert type(out["c"]) is Pair and out["c"].b is None


# -- DataLoader --------------------------------------------------------------------------------------------------------


def test_batches_in_order():
    loader = DataLoader(numbers(), batch_size=4)
    assert len(loader) == 3
    assert [b[0].tolist() for b in loader] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert [b[0].tolist() for b in DataLoader(numbers(), batch_size=4, drop_last=True)] == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
    ]


def test_shuffled_batches_follow_the_generator():
    def epochs():
        loader = DataLoader(numbers(), 4, shuffle=True, generator=torch.Generator().manual_seed(3))
        return [[b[0].tolist() for b in loader] for _ in range(2)]

    first = epochs()
    assert first == epochs() and first[0] != first[1]
    assert sorted(chain(*first[0])) == list(range(10))


def test_without_batches():
    samples = list(DataLoader(numbers(), batch_size=None))
    assert len(samples) == 10 and samples[3][1].tolist() == [6, 7]
    assert next(iter(DataLoader([np.ones(1)], batch_size=None))).dtype is torch.float64


def test_samplers_and_collate_of_ones_own():
    loader = DataLoader(
        Squares(), batch_sampler=[[1, 2], [6]], collate_fn=lambda samples: [s[0] for s in samples]
    )
    assert list(loader) == [[1, 4], [36]] and len(loader) == 2
    loader = DataLoader(
        numbers(), 2, sampler=[5, 1, 3], collate_fn=lambda s: (type(s), [a.item() for a, _ in s])
    )
    assert list(loader) == [(list, [5, 1]), (list, [3])]


def test_streams():
    assert values(DataLoader(Stream(), batch_size=3)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert values(DataLoader(Stream(), batch_size=3, drop_last=True)) == [[0, 1, 2], [3, 4, 5]]
    assert list(DataLoader(Stream(), batch_size=None)) == list(range(7))
    with pytest.raises(TypeError, match="has no len"):
        len(DataLoader(Stream(), batch_size=3))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 3, "batch_sampler": [[1]]}, "batch_sampler option is mutually exclusive"),
        ({"shuffle": True, "sampler": [1]}, "sampler option is mutually exclusive with shuffle"),
        ({"batch_size": None, "drop_last": True}, "batch_size=None option disables auto-batching"),
        ({"batch_size": 0}, "batch_size should be a positive integer value, but got batch_size=0"),
        ({"num_workers": -1}, "num_workers option should be non-negative"),
        ({"timeout": -1}, "timeout option should be non-negative"),
        ({"prefetch_factor": 2}, "prefetch_factor option could only be specified in multiprocessing"),
        ({"persistent_workers": True}, "persistent_workers option needs num_workers > 0"),
        ({"multiprocessing_context": "spawn"}, "multiprocessing_context can only be used with"),
    ],
)
def test_options_that_do_not_go_together(options, message):
    with pytest.raises(ValueError, match=message):
        DataLoader(numbers(), **options)


def test_streams_take_no_order():
    with pytest.raises(ValueError, match="expected unspecified shuffle option, but got shuffle=True"):
        DataLoader(Stream(), shuffle=True)


def test_attributes_are_fixed():
    loader = DataLoader(numbers())
    with pytest.raises(
        ValueError, match="batch_size attribute should not be set after DataLoader is initialized"
    ):
        loader.batch_size = 3


# -- workers that are threads; those that are processes: test_workers.py -----------------------------------------------

THREADS = {"multiprocessing_context": "thread"}


@pytest.mark.parametrize("persistent", [False, True])
def test_workers_fetch_ahead_in_order(persistent):
    started = []
    loader = DataLoader(
        numbers(50),
        4,
        num_workers=2,
        worker_init_fn=started.append,
        persistent_workers=persistent,
        pin_memory=True,
        **THREADS,
    )
    for _ in range(2):
        assert list(chain(*(b[0].tolist() for b in loader))) == list(range(50))
    assert set(started) <= {0, 1} and (len(started) <= 2) is persistent


class Shares(IterableDataset):
    """Each worker gives its own hundred; the second one's stream is shorter."""

    def __init__(self):
        self.passes = 0

    def __iter__(self):
        who = get_worker_info()
        assert who is not None and who.dataset is self
        self.passes += 1
        for i in range(2 if who.id == 1 else 4):
            yield 1000 * self.passes + 100 * who.id + i


@pytest.mark.parametrize("persistent", [False, True])
def test_workers_that_persist_are_seeded_once(persistent):
    """So the second pass shuffles as that of a loader without seeds in between, as in PyTorch."""
    generator = torch.Generator().manual_seed(0)
    loader = DataLoader(
        numbers(8),
        8,
        shuffle=True,
        num_workers=1,
        generator=generator,
        persistent_workers=persistent,
        **THREADS,
    )
    ours = [next(iter(loader))[0].tolist() for _ in range(2)]
    generator.manual_seed(0)
    passes = []
    for k in range(2):
        if k == 0 or not persistent:
            draw_seed(generator)
        passes.append(list(RandomSampler(range(8), generator=generator)))
    assert ours == passes


@pytest.mark.parametrize("persistent", [False, True])
def test_each_worker_reads_its_own_copy_of_a_stream(persistent):
    data = Shares()
    loader = DataLoader(data, 2, num_workers=3, persistent_workers=persistent, prefetch_factor=1, **THREADS)
    first = [[1000, 1001], [1100, 1101], [1200, 1201], [1002, 1003], [1202, 1203]]  # as in PyTorch
    assert values(loader) == first
    later = 1000 if persistent else 0  # the copies stay, or are made anew
    assert values(loader) == [[i + later for i in batch] for batch in first]
    assert data.passes == 0


def test_workers_know_who_they_are():
    class Who(Dataset):
        def __getitem__(self, index):
            info = get_worker_info()
            return info.id, info.num_workers, threading.current_thread() is not threading.main_thread()

        def __len__(self):
            return 4

    assert get_worker_info() is None
    for who, count, elsewhere in DataLoader(Who(), batch_size=None, num_workers=2, **THREADS):
        assert who in (0, 1) and count == 2 and elsewhere


class _TwoParts(Exception):
    def __init__(self, a, b):
        super().__init__(a, b)


def _failing(error):
    class Broken(Squares):
        def __getitem__(self, index):
            raise error

    return Broken()


@pytest.mark.parametrize(
    ("error", "kind"),
    [(KeyError("no such sample"), KeyError), (ValueError("no such sample"), ValueError), (_TwoParts(1, 2), RuntimeError)],
)  # fmt: skip
def test_a_workers_error_reaches_the_loop(error, kind):
    """As PyTorch wraps it: of the same type where that is made of a message, which is the worker's traceback."""
    with pytest.raises(kind) as caught:
        list(DataLoader(_failing(error), num_workers=1, **THREADS))
    text = str(caught.value)
    head = f"Caught {type(error).__name__} in DataLoader worker process 0.\nOriginal Traceback (most recent call last):\n  File "
    assert text.startswith(head) and "in __getitem__" in text
    assert text.rstrip().splitlines()[-1].endswith(f"{type(error).__name__}: {error}")
    assert ".py" in text and "site-packages" not in text


def test_an_error_without_workers_comes_as_it_is():
    error = KeyError("no such sample")
    with pytest.raises(KeyError) as caught:
        list(DataLoader(_failing(error)))
    assert caught.value is error


def test_an_error_of_worker_init_fn_reaches_the_loop():
    def broken(number):
        raise ValueError(f"worker {number}")

    for data in (Squares(), Stream()):
        with pytest.raises(
            ValueError,
            match=r"^Caught ValueError in DataLoader worker process 0.\n(.*\n)*ValueError: worker 0",
        ):
            list(DataLoader(data, num_workers=1, worker_init_fn=broken, **THREADS))


def test_an_error_of_a_stream_reaches_the_loop():
    class Broken(IterableDataset):
        def __iter__(self):
            yield 1
            raise OSError("gone")

    with pytest.raises(OSError, match="Caught OSError in DataLoader worker process 0") as caught:
        list(DataLoader(Broken(), num_workers=2, **THREADS))
    assert caught.value.__notes__ and "threads" in caught.value.__notes__[0]


class _Delegating(DataLoader):
    """As accelerate's loaders are: what it does not have is asked of another loader, which is not there while it is
    unpickled."""

    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        if name == "inner":
            raise AttributeError(name)
        return getattr(self.inner, name)

    def __reduce__(self):
        return _Delegating, (DataLoader([0]),), dict(self.__dict__)


def test_a_loader_in_a_loader_is_unpickled():
    loader = pickle.loads(pickle.dumps(_Delegating(DataLoader([1, 2, 3], batch_size=2))))
    assert [b.tolist() for b in loader.inner] == [[1, 2], [3]]
