"""Rows of sorting and selecting, indexing, and random numbers."""

from __future__ import annotations

import numpy as np

from .rows import Row, floats, ints, rows_of


def _indexed(high: int, count: int, *shapes):
    return lambda rng: [*floats(*shapes)(rng), rng.integers(0, high, count)]


def rows() -> list[Row]:
    """All of them."""
    return [*_selected(), *_indexed_rows(), *_random()]


def _selected() -> list[Row]:
    found: list[Row] = []
    for shape in ((64, 1000), (1_000_000,), (32_000, 64), (8, 32_000)):
        size = "×".join(map(str, shape))
        ops = {
            f"topk 5 of {size}": lambda t, x: tuple(t.topk(x, 5)),
            f"sort {size}": lambda t, x: tuple(t.sort(x)),
            f"argsort {size}": lambda t, x: t.argsort(x),
            f"median {size}": lambda t, x: tuple(t.median(x, -1)),
            f"kthvalue {size}": lambda t, x: tuple(t.kthvalue(x, 3)),
            f"quantile {size}": lambda t, x: t.quantile(x, 0.9, dim=-1),
        }
        found += rows_of("selection", floats(shape), False, **ops)
    found += rows_of(
        "selection",
        floats((64, 1000)),
        True,
        **{
            "topk 50 of 64×1000": lambda t, x: t.topk(x, 50)[0],
            "sort 64×1000 values": lambda t, x: t.sort(x)[0],
        },
    )
    found += rows_of(
        "selection",
        floats((100_000,), dtype="float64"),
        False,
        **{
            "sort float64 100k": lambda t, x: tuple(t.sort(x)),
            "sort descending float64 100k": lambda t, x: tuple(t.sort(x, descending=True)),
        },
    )
    found += rows_of(
        "selection",
        ints(1000, (100_000,)),
        False,
        **{
            "sort int64 100k": lambda t, x: tuple(t.sort(x)),
            "bincount 100k": lambda t, x: t.bincount(x, minlength=1000),
            "one_hot 100k": lambda t, x: t.nn.functional.one_hot(x[:1000], 1000),
        },
    )
    found += rows_of(
        "selection",
        lambda rng: [
            np.sort(rng.standard_normal(10_000)).astype("float32"),
            rng.standard_normal(100_000).astype("float32"),
        ],
        False,
        **{
            "searchsorted 100k in 10k": lambda t, a, x: t.searchsorted(a, x),
            "bucketize 100k": lambda t, a, x: t.bucketize(x, a[:100]),
        },
    )
    return found


def _indexed_rows() -> list[Row]:
    F = {
        "embedding 8k of 32k×256": (
            _indexed(32_000, 8192, (32_000, 256)),
            lambda t, w, i: t.nn.functional.embedding(i, w),
        ),
        "embedding 64 of 1000×64": (
            _indexed(1000, 64, (1000, 64)),
            lambda t, w, i: t.nn.functional.embedding(i, w),
        ),
        "index_select 10k of 100k×64": (
            _indexed(100_000, 10_000, (100_000, 64)),
            lambda t, x, i: x.index_select(0, i),
        ),
        "x[i] 10k of 100k": (_indexed(100_000, 10_000, (100_000,)), lambda t, x, i: x[i]),
        "index_add 10k into 1000×64": (
            lambda rng: [*floats((1000, 64), (10_000, 64))(rng), rng.integers(0, 1000, 10_000)],
            lambda t, x, y, i: x.index_add(0, i, y),
        ),
        "gather 1000×100 of 1000×1000": (
            lambda rng: [*floats((1000, 1000))(rng), rng.integers(0, 1000, (1000, 100))],
            lambda t, x, i: x.gather(1, i),
        ),
        "scatter_add 100k": (
            lambda rng: [*floats((1000,), (100_000,))(rng), rng.integers(0, 1000, 100_000)],
            lambda t, x, y, i: x.scatter_add(0, i, y),
        ),
        "take_along_dim": (
            lambda rng: [*floats((256, 512))(rng), rng.integers(0, 512, (256, 512))],
            lambda t, x, i: t.take_along_dim(x, i, 1),
        ),
    }
    found = [Row("indexing", name, fn, make, b) for name, (make, fn) in F.items() for b in (False, True)]
    moved = {
        "roll": lambda t, x: t.roll(x, 7, 1),
        "flip": lambda t, x: t.flip(x, (1,)),
        "repeat_interleave": lambda t, x: t.repeat_interleave(x, 3, 0),
        "repeat": lambda t, x: x.repeat(2, 2),
        "transpose copy": lambda t, x: x.t().contiguous(),
        "cat": lambda t, x: t.cat([x, x * 2], 1),
        "tril": lambda t, x: t.tril(x),
        "pad constant": lambda t, x: t.nn.functional.pad(x, (3, 3, 3, 3)),
        "masked_fill": lambda t, x: x.masked_fill(x > 0, -1.0),
        "unfold": lambda t, x: x.unfold(1, 16, 8).sum(-1),
        "diff": lambda t, x: t.diff(x, dim=1),
    }
    for shape in ((128, 128), (1000, 1000), (3000, 3000)):
        for name, fn in moved.items():
            for b in (False, True) if shape == (1000, 1000) else (False,):
                found.append(Row("memory", f"{name} {shape[0]}²", fn, floats(shape), b))
    found += rows_of(
        "memory",
        floats(*[(64, 256)] * 32),
        True,
        **{"stack of 32": lambda t, *xs: t.stack(xs), "cat of 32": lambda t, *xs: t.cat(xs)},
    )
    found += rows_of(
        "memory",
        floats((2, 3, 4, 500, 50)),
        True,
        **{"permute copy": lambda t, x: x.permute(2, 4, 0, 3, 1).contiguous()},
    )
    return found


def _random() -> list[Row]:
    found = []
    for n in (1000, 100_000, 10_000_000):
        made = {
            f"rand {n}": lambda t, n=n: t.rand(n),
            f"randn {n}": lambda t, n=n: t.randn(n),
            f"randint {n}": lambda t, n=n: t.randint(0, 100, (n,)),
            f"bernoulli {n}": lambda t, n=n: t.bernoulli(t.full((n,), 0.3)),
            f"exponential {n}": lambda t, n=n: t.empty(n).exponential_(),
        }
        if n < 10**7:
            made |= {
                f"randperm {n}": lambda t, n=n: t.randperm(n),
                f"gamma {n}": lambda t, n=n: t._standard_gamma(t.full((n,), 2.0)),
            }
        found += rows_of("random", lambda rng: [], False, **made)
    found += rows_of(
        "random",
        floats((1000, 1000)),
        False,
        **{
            "dropout 1M": lambda t, x: t.nn.functional.dropout(x, 0.1),
            "multinomial 1000×1000": lambda t, x: t.multinomial(x.abs(), 1),
        },
    )
    found += rows_of(
        "random",
        floats((1000, 1000)),
        True,
        **{"dropout train 1M": lambda t, x: t.nn.functional.dropout(x, 0.1)},
    )
    return found
