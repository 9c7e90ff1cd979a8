"""What a compiled function is given is of another kind, or at another place, than before: it gives what the function
itself gives."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.compiler import replay
from tests.compiler.rounds import differs, shown, tensors_in

base = torch.zeros(8)


def _x() -> Any:
    return torch.tensor([0.5, 1.0, -2.0, 3.0])


def _long() -> Any:
    return torch.arange(8.0)


def _square(k: int) -> Any:
    return torch.arange(16.0).view(4, 4) if k < 4 else torch.arange(16.0).view(4, 4).t()


def _written(x):
    base.add_(1)
    return x + base[:4]


def _overwritten(x):
    base.fill_(3)
    return x + 1


def _base_and_view(x, y):
    x.mul_(2)
    return y + 1


def _backward(x, w):
    (x * w).sum().backward()
    return w.grad


class Held:
    """An object that is given."""

    def __init__(self, k: float):
        self.k = k


def _held(x, a):
    return x * a.k


def _object(k: int, held: list) -> tuple:
    held[0].k = 2.0 if k < 4 else 3.0
    return _x(), held[0]


def _leaf(k: int, leaves: list) -> tuple:
    w = leaves[0 if k < 4 else 1]
    return _x(), w


CASES: dict[str, tuple[Callable, Callable[[int], tuple]]] = {
    "order of keywords": (lambda d: [v * (n + 1) for n, v in enumerate(d.values())], lambda k: ({"a": _x(), "b": _x() + 1} if k < 4 else {"b": _x() + 1, "a": _x()},)),
    "ordered dict": (lambda d: next(iter(d.values())) * 2, lambda k: (OrderedDict([("a", _x()), ("b", _x() + 1)][:: 1 if k < 4 else -1]),)),
    "zero's sign": (lambda x, k: x + 1 / torch.full((4,), k), lambda k: (_x(), 0.0 if k < 4 else -0.0)),
    "sign of NumPy's zero": (lambda x, k: x + 1 / torch.full((4,), float(k)), lambda k: (_x(), np.float32(0.0 if k < 4 else -0.0))),
    "bool or int": (lambda x, k: x * 2 if k is True else x * 3, lambda k: (_x(), True if k < 4 else 1)),
    "int or float": (lambda x, k: torch.tensor([k]).dtype.itemsize * x, lambda k: (_x(), 1 if k < 4 else 1.0)),
    "tuple or list": (lambda x, k: x * 2 if isinstance(k, tuple) else x * 3, lambda k: (_x(), (1, 2) if k < 4 else [1, 2])),
    "a NumPy array": (lambda x, k: x * float(k[0]), lambda k: (_x(), np.full(2, 1.0 + k // 4))),
    "the same twice": (lambda x, y: (x.mul_(2), y + 1)[1], lambda k: (_x(), _x()) if k < 4 else (z := _x(), z)),
    "no longer the same": (lambda x, y: (x.mul_(2), y + 1)[1], lambda k: (_x(), _x()) if k > 3 else (z := _x(), z)),
    "a view of what is written": (_written, lambda k: (_long()[:4] if k < 4 else base[2:6],)),
    "no view of what is written": (_written, lambda k: (_long()[:4] if k > 3 else base[2:6],)),
    "another view of what is written": (_written, lambda k: (base[1:5] if k > 3 else base[2:6],)),
    "a view of what is overwritten": (_overwritten, lambda k: ((_long() if k < 4 else base)[2:6],)),
    "a base and its view": (_base_and_view, lambda k: (z := _long(), z[:4]) if k > 3 else (_long(), _long()[:4])),
    "no base of its view": (_base_and_view, lambda k: (z := _long(), z[:4]) if k < 4 else (_long(), _long()[:4])),
    "what is written itself": (_written, lambda k: (_x(),) if k < 4 else (base[:4].detach(),)),
    "offset of a view": (lambda x: x * x.storage_offset(), lambda k: (_long()[k // 4 : k // 4 + 4],)),
    "strides of a view": (lambda x: x * x.stride()[0], lambda k: (_square(k),)),
    "whether a view is contiguous": (lambda x: x * 2 if x.is_contiguous() else x * 3, lambda k: (_square(k),)),
    "view or not": (lambda x: x * 2, lambda k: (_x() if k < 4 else _long()[:4],)),
    "requires grad": (lambda x: x * (2 if x.requires_grad else 3), lambda k: (_x().requires_grad_(k > 3),)),
    "leaf or not": (lambda x: x * (2 if x.is_leaf else 3), lambda k: (_x().requires_grad_() * (1 if k > 3 else 2) if k > 3 else _x().requires_grad_(),)),
    "a Parameter": (lambda x: x * (2 if isinstance(x, nn.Parameter) else 3), lambda k: (nn.Parameter(_x()) if k > 3 else _x().requires_grad_(),)),
    "dtype": (lambda x: x * 2, lambda k: (_x() if k < 4 else _x().double(),)),
    "shape": (lambda x: x * x.shape[0], lambda k: (_x() if k < 4 else _long(),)),
    "attribute of a tensor": (lambda x: x * getattr(x, "k", 3), lambda k: (_with_attribute(k),)),
    "enough of them": (lambda x, *more: x * len(more), lambda k: (_x(), *([1] * (k // 2)))),
}  # fmt: skip


def _with_attribute(k: int) -> Any:
    x = _x()
    if k > 3:
        x.k = 5
    return x


def _outcome(f: Callable, given: Callable[[int], tuple]) -> list:
    with torch.no_grad():
        base.zero_()
    found = []
    for k in range(8):
        args = given(k)
        try:
            result = f(*args)
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
        found.append([shown(x) for x in tensors_in([result, args, base])])
    return found


def _check(f: Callable, given: Callable[[], Callable[[int], tuple]]) -> None:
    before = len(replay.mismatches)
    wanted, got = _outcome(f, given()), _outcome(torch.compile(f), given())
    for k, (mine, theirs) in enumerate(zip(got, wanted, strict=True)):
        for a, b in zip(mine, theirs, strict=True):
            if isinstance(a, str) and " object at " in a:
                continue
            assert (wrong := differs(a, b)) is None, f"call {k + 1}: {wrong}"
    assert len(replay.mismatches) == before


@pytest.mark.parametrize("name", CASES)
def test_another_kind(name):
    f, given = CASES[name]
    _check(f, lambda: given)


def test_an_object_that_changes():
    def given():
        held = [Held(2.0)]
        return lambda k: _object(k, held)

    _check(_held, given)


def test_another_leaf():
    """Gradients accumulate in the leaf that is given."""

    def given():
        leaves = [torch.ones(4, requires_grad=True), torch.full((4,), 2.0, requires_grad=True)]
        return lambda k: _leaf(k, leaves)

    _check(_backward, given)


def test_a_gradient_stays_the_same_tensor():
    """What a leaf holds is written to where somebody has it."""
    w = torch.ones(4, requires_grad=True)

    @torch.compile
    def f(x):
        (x * w).sum().backward()

    f(_x())
    gradient = w.grad
    for k in range(2, 8):
        f(_x())
        assert w.grad is gradient
        assert gradient.tolist() == (_x() * k).tolist()
    assert f.replayed.replays


# -- what is asked for by a name that the code does not have ----------------------------------------------------------


class Named:
    """Its attributes are asked for by strings."""

    __match_args__ = ("k",)

    def __init__(self):
        self.k = 2.0

    def g(self, x):
        return x * 2


def _matched(x, a):
    match a:
        case Named(k=v):
            return x * v


def _matched_by_place(x, a):
    match a:
        case Named(v):
            return x * v


BY_STRING: dict[str, tuple[Callable, Callable[[Any], Any]]] = {
    "match": (_matched, lambda a: setattr(a, "k", 3.0)),
    "match by place": (_matched_by_place, lambda a: setattr(a, "k", 3.0)),
    "format": (lambda x, a: x * float("{0.k}".format(a)), lambda a: setattr(a, "k", 3.0)),  # noqa: UP030, UP032
    "attrgetter": (lambda x, a: x * operator.attrgetter("k")(a), lambda a: setattr(a, "k", 3.0)),
    "methodcaller": (
        lambda x, a: operator.methodcaller("g", x)(a),
        lambda a: setattr(a, "g", lambda x: x * 7),
    ),
    "set": (lambda x, a: (setattr(a, "k", 2.0), x * 2)[1], lambda a: setattr(a, "k", 3.0)),
    "deleted": (
        lambda x, a: (delattr(a, "k"), setattr(a, "k", 2.0), x * 2)[2],
        lambda a: setattr(a, "k", 3.0),
    ),
}


@pytest.mark.parametrize("name", BY_STRING)
def test_by_string(name):
    f, change = BY_STRING[name]

    def outcome(f: Callable) -> list:
        a, found = Named(), []
        for k in range(9):
            if k == 6:
                change(a)
            found.append((f(_x(), a).tolist(), a.k))
        return found

    assert outcome(torch.compile(f)) == outcome(f)
