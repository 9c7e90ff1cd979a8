"""Steps of datapipes give what PyTorch 2.13's do."""

from __future__ import annotations

import pickle

import pytest

import functorch_lite as torch
from functorch_lite.utils.data import (
    IterDataPipe,
    guaranteed_datapipes_determinism,
    non_deterministic,
    runtime_validation,
)
from functorch_lite.utils.data.datapipes.dataframe import dataframe_wrapper
from functorch_lite.utils.data.datapipes.iter import (
    Concater,
    FileLister,
    FileOpener,
    IterableWrapper,
    Sampler,
    StreamReader,
)
from functorch_lite.utils.data.datapipes.map import SequenceWrapper
from functorch_lite.utils.data.datapipes.utils.snapshot import _simple_graph_snapshot_restoration
from functorch_lite.utils.data.graph import traverse_dps
from functorch_lite.utils.data.graph_settings import (
    apply_sharding,
    apply_shuffle_settings,
    get_all_graph_pipes,
)

D = IterableWrapper(range(6))
ROWS = IterableWrapper([(1, 2, 3), (4, 5, 6)])
PAIRS = D.batch(2).batch(2)

GIVES = {
    "map": (D.map(lambda x: x + 1), [1, 2, 3, 4, 5, 6]),
    "a part": (ROWS.map(lambda x: -x, input_col=1), [(1, -2, 3), (4, -5, 6)]),
    "to another part": (ROWS.map(lambda x: -x, input_col=1, output_col=0), [(-2, 2, 3), (-5, 5, 6)]),
    "of two parts": (ROWS.map(lambda x, y: x + y, input_col=[1, 2]), [(1, 5), (4, 11)]),
    "behind": (ROWS.map(lambda x: -x, input_col=1, output_col=-1), [(1, 2, 3, -2), (4, 5, 6, -5)]),
    "of a dict": (IterableWrapper([{"a": 1}]).map(lambda x: -x, "a", "b"), [{"a": 1, "b": -1}]),
    "batch": (D.batch(4), [[0, 1, 2, 3], [4, 5]]),
    "batch, drop_last": (D.batch(4, drop_last=True), [[0, 1, 2, 3]]),
    "unbatch": (PAIRS.unbatch(), [[0, 1], [2, 3], [4, 5]]),
    "unbatch, two levels": (PAIRS.unbatch(2), [0, 1, 2, 3, 4, 5]),
    "unbatch, all levels": (PAIRS.unbatch(-1), [0, 1, 2, 3, 4, 5]),
    "filter": (D.filter(lambda x: x % 2 == 1), [1, 3, 5]),
    "filter by a part": (ROWS.filter(lambda x: x > 2, input_col=1), [(4, 5, 6)]),
    "zip": (D.zip(IterableWrapper("ab")), [(0, "a"), (1, "b")]),
    "concat": (IterableWrapper([0]).concat(IterableWrapper("ab")), [0, "a", "b"]),
    "mux": (D.mux(IterableWrapper("ab")), [0, "a", 1, "b"]),
    "shuffle": (D.shuffle().set_seed(5), [4, 2, 3, 5, 0, 1]),
    "shuffle a few": (D.shuffle(buffer_size=2).set_seed(1), [0, 2, 1, 3, 4, 5]),
    "shuffle off": (apply_shuffle_settings(D.shuffle().batch(6), False), [[0, 1, 2, 3, 4, 5]]),
    "sampler": (Sampler(D), [0, 1, 2, 3, 4, 5]),
}


@pytest.mark.parametrize("name", GIVES)
def test_gives(name):
    pipe, wanted = GIVES[name]
    assert list(pipe) == wanted
    if not name.startswith(("filter", "unbatch")):
        assert len(pipe) == len(wanted)


def test_collate():
    assert [t.tolist() for t in D.batch(4).collate()] == [[0, 1, 2, 3], [4, 5]]


@pytest.mark.parametrize(
    "make, error, says",
    [
        (lambda: D.batch(0), AssertionError, "Batch size is required to be larger than 0"),
        (lambda: D.shuffle(buffer_size=0), AssertionError, "buffer_size should be larger than 0"),
        (lambda: Concater(), ValueError, "at least one DataPipe"),
        (lambda: D.zip(3), TypeError, "for `ZipIterDataPipe`"),
        (lambda: D.map(abs, output_col=1), ValueError, "must be None when `input_col` is None"),
        (lambda: list(D.unbatch()), IndexError, "exceeds the depth"),
        (lambda: list(D.filter(abs)), ValueError, "Boolean output is required"),
        (lambda: len(IterableWrapper(iter(()))), TypeError, "doesn't have valid length"),
    ],
)
def test_refuses(make, error, says):
    with pytest.raises(error, match=says):
        make()


def test_a_step_that_shuffles_is_added():
    with pytest.warns(UserWarning, match="does not contain a `Shuffler`"):
        assert sorted(apply_shuffle_settings(D, True)) == list(D)


def test_fork_and_demux():
    a, b = D.fork(2)
    assert list(a) == list(b) == list(range(6)) and len(a) == 6
    even, odd = D.demux(2, lambda x: x % 2)
    assert list(odd) == [1, 3, 5] and list(even) == [0, 2, 4]
    assert D.fork(1) is D
    with pytest.raises(BufferError, match="buffer size 2 is insufficient"):
        list(D.fork(2, buffer_size=2)[0])
    with pytest.raises(BufferError, match="DemultiplexerIterDataPipe buffer overflow"):
        list(D.demux(2, lambda x: x % 2, buffer_size=1)[0])
    with pytest.raises(ValueError, match="between 0 and 1"):
        list(D.demux(2, lambda x: x)[1])
    kept, copies = IterableWrapper([[0]], deepcopy=False).fork(2, copy="deep")
    assert next(iter(kept)) is not next(iter(copies))


def test_a_new_iterator_of_a_fork_invalidates_those_of_all():
    a, b = D.fork(2)
    first, second = iter(a), iter(b)
    assert next(first) == next(second) == 0
    with pytest.warns(UserWarning, match="child DataPipes are not exhausted"):
        again = iter(a)
    assert next(again) == 0
    for old in (first, second):
        with pytest.raises(RuntimeError, match="one of the ChildDataPipes"):
            next(old)


@pytest.mark.parametrize(
    "options, wanted",
    [
        ({}, [[0, 3], [1, 4], [2, 5]]),
        ({"group_size": 1}, [[0], [1], [2], [3], [4], [5]]),
        ({"buffer_size": 2}, [[0], [1], [2], [3], [4], [5]]),
        ({"buffer_size": 4, "group_size": 2, "keep_key": True}, [(0, [0, 3]), (1, [1, 4]), (2, [2, 5])]),
    ],
)
def test_groupby(options, wanted):
    assert list(D.groupby(lambda x: x % 3, **options)) == wanted


def test_errors_say_which_step_raised():
    with pytest.raises(ZeroDivisionError, match="thrown by __iter__ of MapperIterDataPipe"):
        list(D.map(lambda x: 1 // x))


def test_files(tmp_path):
    for name in ("b.txt", "a.txt", "c.csv"):
        (tmp_path / name).write_text(name)
    listed = FileLister(str(tmp_path), "*.txt")
    assert [p[-5:] for p in listed] == ["a.txt", "b.txt"]
    assert [text for _, text in StreamReader(FileOpener(listed))] == ["a.txt", "b.txt"]
    assert [text for _, text in StreamReader(FileOpener(listed, mode="rb"), 3)] == [
        b"a.t",
        b"xt",
        b"b.t",
        b"xt",
    ]
    with pytest.raises(ValueError, match="Invalid mode w"):
        FileOpener(listed, mode="w")


def test_map_style():
    pipe = SequenceWrapper(range(5))
    assert list(pipe.map(lambda x: -x).batch(2)) == [[0, -1], [-2, -3], [-4]] and len(pipe.batch(2)) == 3
    assert list(pipe.batch(2, drop_last=True)) == [[0, 1], [2, 3]]
    assert list(pipe.concat(SequenceWrapper("ab"))) == [0, 1, 2, 3, 4, "a", "b"]
    assert list(pipe.zip(SequenceWrapper("ab"))) == [(0, "a"), (1, "b")]
    assert list(pipe.shuffle().set_seed(0)) == [2, 1, 0, 4, 3]
    with pytest.raises(IndexError, match="out of range for one of"):
        pipe.zip(SequenceWrapper("ab"))[2]


def test_pickled_in_the_middle_and_run_forward():
    pipe = D.shuffle().batch(2)
    items = iter(pipe)
    next(items)
    copy = pickle.loads(pickle.dumps(pipe))
    rng = torch.Generator().manual_seed(3)
    _simple_graph_snapshot_restoration(copy, copy._number_of_samples_yielded, rng)
    assert copy._number_of_samples_yielded == 1
    rest = list(copy)
    whole = torch.utils.data.graph_settings.apply_random_seed(pipe, torch.Generator().manual_seed(3))
    assert rest == list(whole)[1:] and copy._number_of_samples_yielded == 3


def test_graph():
    source = IterableWrapper(range(3))
    pipe = source.zip(source.map(abs))
    graph = traverse_dps(pipe)
    assert set(graph[id(pipe)][1]) == {id(source), id(pipe.datapipes[1])}
    assert sorted(map(str, get_all_graph_pipes(graph))) == [
        "IterableWrapperIterDataPipe", "MapperIterDataPipe", "ZipperIterDataPipe",
    ]  # fmt: skip
    with pytest.raises(RuntimeError, match="Sharding twice"):
        apply_sharding(source.sharding_filter().map(abs).sharding_filter(), 2, 0)


@pytest.mark.parametrize("context", [None, "thread"])
def test_workers_share_what_a_sharding_filter_shards(context):
    pipe = IterableWrapper(range(8)).shuffle().sharding_filter().map(lambda x: x + 100)
    options = {"multiprocessing_context": context, "persistent_workers": True, "num_workers": 2}
    loader = torch.utils.data.DataLoader(pipe, batch_size=2, shuffle=True, **options)
    passes = [[x for batch in loader for x in batch.tolist()] for _ in range(2)]
    assert sorted(passes[0]) == sorted(passes[1]) == list(range(100, 108)) and passes[0] != passes[1]


def test_decorators():
    @non_deterministic
    class Noise(IterDataPipe):
        pass

    assert isinstance(Noise(), IterDataPipe)
    with guaranteed_datapipes_determinism(), pytest.raises(TypeError, match="Noise is non-deterministic"):
        Noise()
    with pytest.raises(TypeError, match="Can not decorate function abs"):
        runtime_validation(abs)


def test_frames_of_any_package():
    class Frame(list):
        def __add__(self, other):
            return Frame([x + other for x in self])

        def __getitem__(self, at):
            return Frame(super().__getitem__(at)) if isinstance(at, slice) else super().__getitem__(at)

    class Frames:
        create_dataframe = staticmethod(lambda rows, columns: Frame(row[0] for row in rows))
        concat = staticmethod(lambda parts: Frame(x for part in parts for x in part))
        iterate, get_len = iter, len
        is_column = staticmethod(lambda data: False)
        get_item = staticmethod(lambda frame, i: frame[i : i + 1])

    before = dataframe_wrapper.get_df_wrapper()
    dataframe_wrapper.set_df_wrapper(Frames)
    try:
        pipe = D._to_dataframes_pipe(dataframe_size=4)
        assert list(pipe) == list(range(6)) and list(pipe.raw_iterator()) == [[0, 1, 2, 3], [4, 5]]
        assert list(pipe + 10) == list(range(10, 16))
        assert [list(batch) for batch in pipe.batch(5)] == [[0, 1, 2, 3, 4], [5]]
        assert sorted(pipe.shuffle()) == list(range(6))
    finally:
        dataframe_wrapper.set_df_wrapper(before)
