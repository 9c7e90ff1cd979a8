"""Views share memory and writes are seen through all of them: a state machine against numpy, whose views do the
same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from numpy.lib.stride_tricks import as_strided

import functorch_lite as torch
from functorch_lite._core.run import packing


@pytest.fixture(scope="module", autouse=True)
def small_arrays_are_donated_too():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "SMALL", 0)
        yield


SHAPES = [(4,), (2, 3), (3, 3), (2, 3, 2), ()]
pick = st.integers(0, 10**6)
small = st.integers(-3, 3)


def writable(a: np.ndarray) -> bool:
    """Whether `a` may be written to: NumPy allows it, and no two of its elements are one."""
    reach = 0
    for step, n in sorted((abs(s) // a.itemsize, n) for s, n in zip(a.strides, a.shape) if n > 1):
        if step <= reach:
            return False
        reach += step * (n - 1)
    return a.flags.writeable


class Aliasing(RuleBasedStateMachine):
    """Pairs (our tensor, numpy array) that must stay equal; some share memory with others, in both libraries alike.

    Nothing is read until the end, or until `run` or `look` happens to be drawn: what is recorded, run and donated in
    between differs from example to example.
    """

    def __init__(self):
        super().__init__()
        self.pairs: list = []

    def one(self, i: int):
        """One of the pairs."""
        return self.pairs[i % len(self.pairs)]

    def keep(self, t, a) -> None:
        """Adds a pair; of many, the oldest is forgotten."""
        assert tuple(t.shape) == a.shape
        self.pairs.append((t, a))
        if len(self.pairs) > 8:
            del self.pairs[0]

    @initialize(shape=st.sampled_from(SHAPES), whole=st.booleans())
    def start(self, shape, whole):
        self.fresh(shape, whole)

    @rule(shape=st.sampled_from(SHAPES), whole=st.booleans())
    def fresh(self, shape, whole):
        a = np.arange(1, int(np.prod(shape)) + 1, dtype=np.int64 if whole else np.float64).reshape(shape)
        self.keep(torch.tensor(a), a)

    # -- views

    @rule(i=pick, d=pick, e=pick)
    def transpose(self, i, d, e):
        t, a = self.one(i)
        if a.ndim > 1:
            d, e = d % a.ndim, e % a.ndim
            self.keep(t.transpose(d, e), a.swapaxes(d, e))

    @rule(i=pick, start=st.integers(0, 2), step=st.integers(1, 2))
    def cut(self, i, start, step):
        t, a = self.one(i)
        if a.ndim:
            self.keep(t[start::step], a[start::step])

    @rule(i=pick, d=pick, at=pick)
    def select(self, i, d, at):
        t, a = self.one(i)
        if a.ndim and a.size:
            d = d % a.ndim
            at = at % a.shape[d]
            self.keep(t.select(d, at), a[(slice(None),) * d + (at, ...)])

    @rule(i=pick, d=pick)
    def unsqueeze(self, i, d):
        t, a = self.one(i)
        if a.ndim < 3:
            d = d % (a.ndim + 1)
            self.keep(t.unsqueeze(d), np.expand_dims(a, d))

    @rule(i=pick)
    def diagonal(self, i):
        t, a = self.one(i)
        if a.ndim == 2:
            part = a.diagonal()
            part.flags.writeable = a.flags.writeable
            self.keep(t.diagonal(), part)

    @rule(i=pick)
    def flatten(self, i):
        """A view of what is contiguous, else a copy: in both libraries."""
        t, a = self.one(i)
        self.keep(t.reshape(-1), a.reshape(-1))

    @rule(i=pick)
    def view_of_contiguous(self, i):
        t, a = self.one(i)
        if a.flags.c_contiguous and a.size:
            self.keep(t.view(1, -1), a.reshape(1, -1))

    @rule(i=pick)
    def contiguous(self, i):
        t, a = self.one(i)
        self.keep(t.contiguous(), np.ascontiguousarray(a).reshape(a.shape))

    @rule(i=pick)
    def expand(self, i):
        """Of this only such parts are written to whose elements are distinct; other writes are errors in both
        libraries."""
        t, a = self.one(i)
        if a.ndim < 3 and a.size:
            self.keep(t.expand(2, *a.shape), as_strided(a, (2, *a.shape), (0, *a.strides)))

    @rule(i=pick)
    def detach(self, i):
        t, a = self.one(i)
        self.keep(t.detach(), a[...])

    # -- copies

    @rule(i=pick)
    def clone(self, i):
        t, a = self.one(i)
        self.keep(t.clone(), a.copy())

    @rule(i=pick, c=small)
    def add(self, i, c):
        t, a = self.one(i)
        self.keep(t + c, np.asarray(a + c))

    # -- writes

    @rule(i=pick, c=small)
    def add_(self, i, c):
        t, a = self.one(i)
        if writable(a):
            t.add_(c)
            a += c

    @rule(i=pick, c=small)
    def fill_(self, i, c):
        t, a = self.one(i)
        if writable(a):
            t.fill_(c)
            a[...] = c

    @rule(i=pick, j=pick)
    def copy_(self, i, j):
        t, a = self.one(i)
        u, b = self.one(j)
        if writable(a) and b.shape == a.shape:
            t.copy_(u)
            a[...] = b.copy()

    @rule(i=pick, j=pick)
    def sub_(self, i, j):
        t, a = self.one(i)
        u, b = self.one(j)
        if writable(a) and b.shape == a.shape and not (a.dtype == np.int64 and b.dtype == np.float64):
            t.sub_(u)
            a -= b.copy()

    @rule(i=pick, at=pick, c=small)
    def set_item(self, i, at, c):
        t, a = self.one(i)
        if a.ndim and a.shape[0] and writable(a[at % a.shape[0]]):
            at = at % a.shape[0]
            t[at] = c
            a[at] = c

    @rule(i=pick, c=small)
    def set_masked(self, i, c):
        t, a = self.one(i)
        if writable(a):
            t[t > c] = c
            a[a > c] = c

    @rule(i=pick, at=st.lists(st.integers(0, 1), min_size=1, max_size=3, unique=True), c=small)
    def set_at_indices(self, i, at, c):
        t, a = self.one(i)
        if writable(a) and a.ndim and a.shape[0] > 1:
            t[torch.tensor(at)] = c
            a[at] = c

    @rule(i=pick, d=pick, e=pick)
    def transpose_(self, i, d, e):
        """The tensor itself becomes the view; views of it stay as they are."""
        t, a = self.one(i)
        if a.ndim > 1:
            d, e = d % a.ndim, e % a.ndim
            t.transpose_(d, e)
            self.pairs = [(u, b.swapaxes(d, e) if u is t else b) for u, b in self.pairs]

    # -- what becomes of it

    @rule(i=pick)
    def forget(self, i):
        if len(self.pairs) > 1:
            del self.pairs[i % len(self.pairs)]

    @rule()
    def run(self):
        torch.synchronize()

    @rule(i=pick)
    def look(self, i):
        t, a = self.one(i)
        np.testing.assert_array_equal(t.numpy(), a)

    def teardown(self):
        for t, a in self.pairs:
            np.testing.assert_array_equal(t.numpy(), a)


TestAliasing = Aliasing.TestCase
TestAliasing.settings = settings(
    max_examples=60,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    phases=(
        Phase.explicit,
        Phase.generate,
    ),  # every step of shrinking compiles a program: add Phase.shrink to hunt a failure
    suppress_health_check=list(HealthCheck),
)


def test_writing_to_an_expanded_tensor_raises():
    t = torch.ones(1, 3).expand(2, 3)
    with pytest.raises(
        RuntimeError,
        match="more than one element of the written-to tensor refers to a single memory location",
    ):
        t.add_(1)
    assert t.tolist() == [[1.0] * 3] * 2


def test_part_of_an_expanded_tensor_is_written_to():
    x = torch.arange(3.0, requires_grad=True)
    base = x * 1
    rows = base.expand(2, 3)
    rows[1, 1:].mul_(5)
    (rows.sum(0) * base).sum().backward()
    assert base.tolist() == [0.0, 5.0, 10.0]
    assert x.grad.tolist() == [0.0, 100.0, 200.0]


@pytest.mark.parametrize(
    "copies", [lambda t: t.t().reshape(-1), lambda t: t.t().contiguous(), lambda t: t[:, 1:].flatten()]
)
def test_what_torch_copies_is_a_copy(copies):
    t = torch.zeros(2, 3)
    copies(t).add_(1)
    assert t.sum().item() == 0
