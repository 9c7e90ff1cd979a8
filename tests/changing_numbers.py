"""How many programs a call makes whose numbers change: one argument at a time, to many legal values.

    python -m tests.changing_numbers [name …]      20 values of every number of these ops (of all)

The calls are the samples of the ops. A number that changes may cost two programs, one with it as a literal and one that
takes it as an input; what costs more carries structure, and STRUCTURE says why. (One of those that are dynamic where
others carry structure, see `VARYING` of _core/declare/op.py, may cost a third: that of the number in the sample.)
"""

from __future__ import annotations

import contextlib
import inspect
import math
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

import functorch_lite as ours
from functorch_lite._core.lazy import trie
from functorch_lite._core.lazy.tensor import Tensor
from functorch_lite._core.run import chunks, compiled, executor
from tests.arguments import fill, flat, placeholders, wants_grad
from tests.checker import array_of, subject, tensors_of
from tests.samples import all_samples
from tests.samples.base import Sample

FEW, MANY = 4, 20

WHOLE = (
    "whole and half exponents, and orders of norms that are whole or not between 1 and 3, have their own code"
)
"""The reason of an int where numbers vary (see `VARYING`)."""
STRUCTURE: dict[str, tuple[str, ...]] = {
    "an axis: it determines how memory is traversed": ("*.dim", "*.dims"),
    "sizes, strides and windows: they determine which elements are read": (
        "*.kernel_size", "*.output_size", "as_strided.*", "istft.hop_length", "nn.functional.max_unpool*.stride",
        "nn.functional.*.scale_factor", "nn.functional._cross_map_lrn.size", "nn.functional.local_response_norm.size", "create.tril_indices.*",
        "rot90.k", "*.num_groups", "*.groups",
    ),
    "an integer exponent": ("norm_except_dim.pow",),
    "the number of steps or terms": ("linalg.matrix_power.n", "matrix_power.n", "mvlgamma.p", "polygamma.n", "_gradient.edge_order"),
    "a property of a layer or of a set of classes, which does not change": (
        "nn.functional.*.padding_idx", "nn.functional._bag_tables.padding_idx", "nn.functional.ctc_loss.blank",
    ),
    "a rank: the index of the sorted element": ("kthvalue.k",),
    "the kind of the matrix norm": ("linalg.cond.p", "linalg.matrix_norm.ord"),
    "the power of 10 that is rounded to": ("round.decimals",),
    "the limits of a grid": ("_bin_edges.limits", "histogram.range", "histogramdd.range"),
    "0 or 1 skips part of the computation": (
        "nn.functional.scaled_dot_product_attention.dropout_p",
        "nn.functional.linear_cross_entropy.label_smoothing", "gradient.spacing", "linalg.pinv.*",
    ),
    "the line that a warning points to": ("*._stacklevel",),
}  # fmt: skip
"""Why numbers carry structure, and whose they are: patterns of "op.argument"."""


@dataclass
class Changing:
    """A call with one number left open: whose it is ("roll.shifts"), its number in the sample, how many programs it may
    cost."""

    argument: str
    number: int | float
    most: int
    call: Callable[..., list]


def reason(changing: Changing) -> str | None:
    """Why the number carries structure; None if it does not."""
    found = [why for why, names in STRUCTURE.items() if any(fnmatchcase(changing.argument, n) for n in names)]
    return found[0] if found else WHOLE if changing.most == 0 else None


def near(number: int | float) -> Iterator[int | float]:
    """Numbers of the same kind, none twice, from the nearest on."""
    for k in range(1, 2 * MANY):
        for sign in (1, -1):
            yield number + sign * k if isinstance(number, int) else (number or 0.5) * (1 + sign * k / 64)


# -- programs that are counted and not compiled ------------------------------------------------------------------------


class _Uncompiled(compiled.Program):
    """A program that gives zeros: it is made and counted as any other, and never compiled."""

    __slots__ = ()

    def __init__(self, pending, live, **options):
        super().__init__(pending, live, **options)
        avals = {node.base + i: a for node in pending.path for i, a in enumerate(node.avals)}
        self.executable.run = lambda *arrays: [np.zeros(avals[i].shape, avals[i].dtype.np) for i in live]


@contextlib.contextmanager
def uncompiled() -> Iterator[None]:
    """Programs made inside are not compiled and give zeros.

    For recordings without packs and of less than a chunk's length."""
    executor.flush()
    whole, compiled.Program = compiled.Program, _Uncompiled
    try:
        yield
    finally:
        compiled.Program = whole
        forget()


def forget() -> None:
    """Forgets what was recorded, but not what ops are at given shapes, which takes longer to find out."""
    executor.flush()
    trie.forget()
    chunks._programs.clear()
    compiled.kept.clear()
    old = executor._eager()
    executor._take(old, old.device)


def count(changing: Changing, most: int) -> tuple[int, int]:
    """(programs made, numbers tried): up to `most` numbers that give what the sample's gives but for its values."""
    forget()
    wanted, tried = _given(changing, changing.number), [changing.number]
    if wanted is None:
        return 0, 0
    for others, number in enumerate(near(changing.number)):
        if len(tried) == most or others == 2 * most:
            break
        if _given(changing, number) == wanted:
            tried.append(number)
    if len(tried) <= changing.most:
        return 0, len(tried)
    forget()
    before = executor.stats["programs"]
    for number in tried:
        with contextlib.suppress(RuntimeError):  # of a derivative that is undefined
            results = changing.call(number)
            executor.flush()
            del results
    return executor.stats["programs"] - before, len(tried)


def _given(changing: Changing, number) -> list | None:
    try:
        return [(tuple(t.shape), t.dtype) for t in changing.call(number, gradients=False)]
    except Exception:
        return None


# -- samples -----------------------------------------------------------------------------------------------------------


def of_samples(name: str) -> Iterator[Changing]:
    """Every number of an op's samples once, by argument and type: in the first sample that gives it, or as the
    argument's default."""
    s, seen = subject(name), set()
    params = s.op.params if s.op else list(inspect.signature(s.call).parameters.values())
    names = [p.name for p in params]
    for sample in all_samples()[name]:
        if sample.error is not None or len(sample.args) > len(names):
            continue
        given = {p.name: p.default for p in params} | dict(zip(names, sample.args)) | sample.kwargs
        for parameter, value in given.items():
            for at, number in _places(value):
                key = (parameter, bool(at), type(number))
                if key not in seen:
                    seen.add(key)
                    varies = next((p.varies for p in params if p.name == parameter and s.op), None)
                    most = _most(number, varies)
                    call = _call(s.call, sample, names, parameter, value, at)
                    yield Changing(f"{name}.{parameter}", number, most, call)


def _most(number: int | float, varies: Callable | None) -> int:
    """How many programs there may be: one, and another for the numbers that change; one more if the sample's own has
    code of its own. No limit (0) where others like it have, too."""
    if varies is None:
        return 2
    return 0 if type(number) is int or not varies(number * 65 / 64) else 2 + (not varies(number))


def _places(tree: Any, at: tuple = ()) -> Iterator[tuple[tuple, Any]]:
    if type(tree) in (int, float) and math.isfinite(tree):
        yield at, tree
    elif type(tree) in (tuple, list):
        for i, x in enumerate(tree):
            yield from _places(x, (*at, i))


def _put(tree: Any, at: tuple, number: Any) -> Any:
    if not at:
        return number
    return type(tree)(_put(x, at[1:], number) if i == at[0] else x for i, x in enumerate(tree))


def _call(fn: Callable, sample: Sample, names: list[str], parameter: str, value: Any, at: tuple) -> Callable:
    """A function of the number: the results, and the gradients of those that have any."""

    def call(number: Any, gradients: bool = True) -> list[Tensor]:
        leaves = tensors_of([array_of(t) for t in placeholders(sample)], wants_grad(sample))
        args, kwargs = fill(sample, leaves)
        place = names.index(parameter) if parameter in names else len(args)
        if place < len(args):
            args[place] = _put(value, at, number)
        else:
            kwargs[parameter] = _put(value, at, number)
        outs = [t for t in flat(fn(*args, **kwargs)) if isinstance(t, Tensor)]
        rooted = [t for t in outs if t.requires_grad]
        if rooted and gradients:
            ours.autograd.backward(rooted, [ours.ones_like(t) for t in rooted])
        return [t.detach() for t in outs] + [t.grad for t in leaves if t.grad is not None]

    return call


def complaints(names: list[str], most: int, every: bool = False) -> Iterator[str]:
    """The numbers that make more programs than they may; with `every` also those that have a reason to and do not."""
    stale = {pattern: True for patterns in STRUCTURE.values() for pattern in patterns}
    with uncompiled(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            for changing in of_samples(name):
                why = reason(changing)
                if why is not None and not every:
                    continue
                made, tried = count(changing, most)
                if why is None and made > changing.most:
                    yield f"{changing.argument} = {changing.number!r}: {made} programs for {tried} numbers"
                if made > 2:
                    stale |= {p: False for p in stale if fnmatchcase(changing.argument, p)}
    if every and len(names) == len(all_samples()):
        yield from (
            f"{pattern} has a reason to make programs and makes none"
            for pattern, is_stale in stale.items()
            if is_stale
        )


def table() -> list[str]:
    """STRUCTURE as the rows of the table in docs/python_numbers.md."""
    return [f"| {', '.join([f'`{n}`' for n in names])} | {why} |" for why, names in STRUCTURE.items()]


if __name__ == "__main__":
    found = list(complaints(sys.argv[1:] or sorted(all_samples()), MANY, every=True))
    print("\n".join(found) or "every number that changes makes two programs at most, or has its reason")
    sys.exit(bool(found))
