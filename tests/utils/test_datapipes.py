"""Steps of datapipes give what PyTorch 2.13's do."""

from __future__ import annotations

import pytest

from functorch_lite.utils.data.datapipes.iter import Concater, IterableWrapper, Sampler
from functorch_lite.utils.data.graph_settings import apply_shuffle_settings

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
