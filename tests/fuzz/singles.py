"""One change at a time: every sample as it is, and with one of its arguments replaced, by each of the odd values there
are for it.

A random mutation comes by a place once in a long while; these come by all of them, each once. The families are those of
functional.py, `modules`, `constructed` and `samples`; those of functional.py also with gradients (`special.graded`),
where moreover one element of a floating point argument is each of the numbers at which derivatives go wrong.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.distributions import cases
from tests.fuzz import calls_samples, constructed, functional, modules, mutation, outcome
from tests.fuzz.functional import Call
from tests.fuzz.mutation import with_dtype
from tests.samples import all_samples
from tests.samples.base import T

NAMESPACES = {"functional": "nn.functional"}
GRADED = ".graded"
WHERE_DERIVATIVES_FAIL = (
    np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 1e4, -1e4, 0.5, 2.0, 1e-20, 1e30, -1e30, 3.0, -2.0,
)  # fmt: skip
FAMILIES = (
    "functional",
    "linalg",
    "fft",
    "special",
    "statistics",
    "windows",
    "modules",
    "constructed",
    "samples",
    *(name + GRADED for name in ("functional", "linalg", "fft", "special", "statistics")),
)
NUMBERS = (None, "x", (), (1,), (2, 2), [1, 1], T(np.float32(2.0)), T(np.int64(1)))
"""What may stand where a number does, besides numbers."""


def calls(family: str) -> Iterator[Any]:
    """Every call of a family, in an order that does not change."""
    if family == "modules":
        return _of_modules()
    if family == "constructed":
        return itertools.chain(_of_optimizers(), _of_distributions())
    if family == "samples":
        return _of_samples()
    if family.endswith(GRADED):
        family = family.removesuffix(GRADED)
        return _with_gradients(NAMESPACES.get(family, family))
    return _of_functions(NAMESPACES.get(family, family))


def _of_functions(namespace: str) -> Iterator[Call]:
    table = functional.seeds((namespace,))
    for name in sorted(table):
        is_random = name.startswith("nn.") and name.rpartition(".")[2] in functional.RANDOM
        shapes = is_random or functional.UNDETERMINED.get(name, False)
        for args, kwargs in table[name]:
            for new, words in singles(args, kwargs, functional.options(name)):
                yield Call(name, new, words, functools.partial(functional.call_at, name), shapes)


def _with_gradients(namespace: str) -> Iterator[Call]:
    table = functional.seeds((namespace,))
    for name in sorted(table):
        if name.rpartition(".")[2] in functional.RANDOM or functional.UNDETERMINED.get(name):
            continue
        call = functools.partial(
            Call, f"{name} with gradients", run=functional.graded(functools.partial(functional.call_at, name))
        )
        for args, kwargs in table[name]:
            for new, words in singles(args, kwargs, functional.options(name)):
                yield call(args=new, kwargs=words)
            for at, x in enumerate(args):
                for v in _at_odd_numbers(x):
                    yield call(args=(*args[:at], v, *args[at + 1 :]), kwargs=kwargs)
            for word, x in kwargs.items():
                for v in _at_odd_numbers(x):
                    yield call(args=args, kwargs={**kwargs, word: v})


def _at_odd_numbers(x: Any) -> Iterator[T]:
    """A tensor of floats with each of some numbers at one place of it, and full of one."""
    if not isinstance(x, T) or x.array.dtype.kind != "f" or not x.array.size:
        return
    for k, v in enumerate(WHERE_DERIVATIVES_FAIL):
        a = x.array.copy()
        a.reshape(-1)[5 * k % a.size] = v
        yield T(a, grad=x.grad, dtype=x.dtype)
    for v in (0.0, 1.0, np.nan):
        yield T(np.full_like(x.array, v), grad=x.grad, dtype=x.dtype)


def _of_modules() -> Iterator[Call]:
    for name, args, kwargs, inputs, is_random in modules.SEEDS:
        call = functools.partial(modules.call_of, name, is_random=is_random)
        yield call(args, kwargs, inputs, training=False)
        for new, words in filter(
            lambda made: modules.is_small(made[1]), singles(args, kwargs, modules.options(name))
        ):
            yield call(new, words, inputs, training=True)
        for at, x in enumerate(inputs):
            for v in variants(x):
                yield call(args, kwargs, (*inputs[:at], v, *inputs[at + 1 :]), training=True)


def _of_optimizers() -> Iterator[Call]:
    start = functional.f(3, 2)
    for name, kwargs in constructed.OPTIMIZERS.items():
        for args, words in singles((), {}, kwargs):
            if not args:
                yield constructed.optimised(name, "list", start, words)
    for name, kwargs in constructed.SCHEDULES.items():
        for args, words in singles((), kwargs, {}):
            if not args:
                yield constructed.scheduled(name, words)


def _of_distributions() -> Iterator[Call]:
    for case in cases.CASES:
        given = constructed.given_to(case)
        for question in constructed.ASKED:
            argument = constructed.asked_with(case, question)
            for _, words in singles((), given, {"validate_args": False}):
                yield constructed.asked(case.kind, question, argument, words)
            if question in ("log_prob", "cdf", "icdf", "expand", "sample", "rsample"):
                for v in variants(argument):
                    yield constructed.asked(case.kind, question, v, given)


def _of_samples() -> Iterator[outcome.Call]:
    for name, paths in calls_samples.targets().items():
        for k, sample in enumerate(all_samples()[name]):
            path = paths[k % len(paths)]  # as a function, a method, in place
            for args, kwargs in singles(sample.args, sample.kwargs, {}):
                if path.startswith("Tensor.") and not (args and isinstance(args[0], T)):
                    continue
                yield outcome.Call(path, *calls_samples.to_arguments(args, kwargs))


def singles(args: tuple, kwargs: dict, options: dict[str, Any]) -> Iterator[tuple[tuple, dict]]:
    """The arguments with one change or none. options: further parameters by name, with values to start from."""
    yield args, kwargs
    for at, x in enumerate(args):
        for v in variants(x):
            yield (*args[:at], v, *args[at + 1 :]), kwargs
    for name, x in kwargs.items():
        for v in variants(x):
            yield args, {**kwargs, name: v}
    for name, x in options.items():
        if name not in kwargs:
            for v in (x, *variants(x)):
                yield args, {**kwargs, name: v}
    yield args[:-1], kwargs
    yield (*args, None), kwargs
    yield (*args, 1), kwargs


def variants(x: Any) -> list:
    """What to put in the place of an argument."""
    if isinstance(x, T):
        return _of_tensor(x)
    if isinstance(x, bool):
        return [not x, 0, 1, 2, 0.5, "yes", *NUMBERS]
    if isinstance(x, int):
        odd = (*sorted({*mutation.ODD_INTS, x - 1, x + 1}), True, False, 1.5, float(x), 0.5)
        return [*odd, *NUMBERS, np.int64(x), T(np.int64(x))]
    if isinstance(x, float):
        return [*mutation.ODD_FLOATS, True, False, 1, 2, *NUMBERS, np.float64(x), T(np.float64(x))]
    if isinstance(x, str):
        return [*mutation.WORDS, None, 1, 0.5, True]
    if type(x) in (tuple, list):
        return _of_sequence(type(x), list(x))
    if x is None:
        return [*mutation.FOR_NONE]
    if type(x).__name__ == "dtype":
        return [*mutation.FOR_DTYPE]
    return []


def _of_sequence(kind: type, items: list) -> list:
    found: list[Any] = [None, 1, -1, 0, (), [], "x", 1.5, kind(reversed(items)), *items[:1]]
    for v in (*items[:1], 1, 0, -1):
        found += [kind([*items, v]), kind([v, *items])]
    for at, x in enumerate(items):
        found.append(kind(items[:at] + items[at + 1 :]))
        if type(x) not in (tuple, list):
            found += [
                kind([*items[:at], v, *items[at + 1 :]]) for v in variants(x)[:: 3 if isinstance(x, T) else 1]
            ]
    return found


def _of_tensor(t: T) -> list:
    new = [T(np.array(a), grad=t.grad, dtype=t.dtype) for a in (*_shapes(t.array), *_values(t.array))]
    return [
        *new,
        *(with_dtype(t, name) for name in mutation.DTYPES),
        None,
        1.5,
        2,
        "x",
        True,
        [1.0, 2.0],
        (),
        [t],
    ]


def _shapes(a: np.ndarray) -> Iterator[np.ndarray]:
    yield from (a[None], a[..., None], a.ravel())
    if a.size:
        yield a.ravel()[0].reshape(())
    if a.ndim > 1:
        yield np.ascontiguousarray(a.swapaxes(0, -1))
    for d in range(a.ndim):
        size = a.shape[d]
        if d in (0, a.ndim - 1) and size:
            yield a.take(0, axis=d)
        yield np.zeros((*a.shape[:d], 0, *a.shape[d + 1 :]), a.dtype)
        for n in sorted({1, size - 1, size + 1} - {size}):
            if n > 0 and size:
                yield a.take(np.arange(n) % size, axis=d)


def _values(a: np.ndarray) -> Iterator[np.ndarray]:
    kind = a.dtype.kind
    one = {
        "f": (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e4, -1e4, -1.0),
        "i": (-1, -2, -100, 0, 1, 2, 3, 5, 10, 100),
        "b": (),
    }
    every = {"f": (0.0, 1.0, -1.0, np.nan, np.inf), "i": (0, 1), "b": (False, True)}
    like = {"c": "f", "u": "i"}.get(kind, kind)
    if not a.size or like not in one:
        return
    for k, v in enumerate(one[like]):
        b = a.copy()
        b.reshape(-1)[5 * k % a.size] = abs(v) if kind == "u" else v
        yield b
    for v in every[like]:
        yield np.full_like(a, v)
