"""Ops at sizes that were never traced do what they would if they were traced there; and nothing is traced for them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from jax.extend.core import jaxpr_as_fun

import functorch_lite as torch
from functorch_lite._core.declare.op import Array, Op
from functorch_lite._core.jaxprs.sizes import simplified
from functorch_lite._core.lazy import applied as applied_ops
from functorch_lite._core.lazy import sized
from functorch_lite._core.lazy.sized import Kind, Pattern, is_at_least
from functorch_lite._core.lazy.value import aval
from functorch_lite._core.run.cold.interpreter import plan_of
from functorch_lite._core.run.cold.sized_plans import plan_at
from functorch_lite._core.run.executor import forget_programs
from functorch_lite._core.words.device import CPU

F = torch.nn.functional
SETS = ((7, 12), (9, 20), (11, 13), (21, 40), (6, 17), (3, 4))
"""Two lengths: three sets of which each op is traced at, and three that it is told at; with a length that another size
is, too, and small ones."""

OPS: dict[str, Callable] = {
    "pointwise": lambda x, y, i: (x * 2 - x.exp()).tanh().clamp(-1, 1),
    "activations": lambda x, y, i: F.elu(x) + F.leaky_relu(x) + F.silu(x) + F.softplus(x),
    "reductions": lambda x, y, i: x.sum(0) + x.mean(0) + x.amax(0) + x.var(0) + x.logsumexp(0),
    "softmax": lambda x, y, i: x.softmax(0) + x.log_softmax(1),
    "products": lambda x, y, i: x @ y.T,
    "einsum": lambda x, y, i: torch.einsum("nd,kd->nk", x, y),
    "linear": lambda x, y, i: F.linear(x, torch.ones(3, 6)),
    "views": lambda x, y, i: x.reshape(-1, 2, 3).transpose(0, 1).flatten(1).unsqueeze(0).expand(2, -1, -1),
    "view by sizes": lambda x, y, i: x.view(x.shape[0], 2, 3).permute(1, 0, 2).reshape(2, 3 * x.shape[0]),
    "slices": lambda x, y, i: x[1:] - x[:-1],
    "cat": lambda x, y, i: torch.cat([x, y]),
    "stack": lambda x, y, i: torch.stack([x, x + 1], 1),
    "pad": lambda x, y, i: F.pad(x, (1, 2)),
    "indices": lambda x, y, i: x[i],
    "index_select": lambda x, y, i: x.index_select(0, i),
    "gather": lambda x, y, i: x.gather(0, i[:, None].expand(-1, 6)),
    "index_add": lambda x, y, i: torch.zeros(x.shape[0], 6).index_add(0, i, y),
    "scatter_add": lambda x, y, i: torch.zeros(x.shape[0], 6).scatter_add(0, i[:, None].expand(-1, 6), y),
    "embedding": lambda x, y, i: F.embedding(i, x),
    "cross_entropy": lambda x, y, i: F.cross_entropy(x, torch.arange(x.shape[0]) % 6),
    "layer_norm": lambda x, y, i: F.layer_norm(x, (6,)),
    "cumsum": lambda x, y, i: x.cumsum(0),
    "sort": lambda x, y, i: x.sort(0).values,
    "max with indices": lambda x, y, i: x.max(0).values,
    "where": lambda x, y, i: torch.where(x > 0, x, torch.zeros_like(x)),
    "masked": lambda x, y, i: x.masked_fill(x < 0, 0.0),
    "attention": lambda x, y, i: F.scaled_dot_product_attention(x[None], y[None], y[None]),
    "conv1d": lambda x, y, i: F.conv1d(x.T[None], torch.ones(4, 6, 3), padding=1),
    "interpolated": lambda x, y, i: x.repeat(2, 1) + x.repeat_interleave(2, 0),
    "flip and roll": lambda x, y, i: x.flip(0) + x.roll(2, 0),
    "made of nothing": lambda x, y, i: x + torch.arange(x.shape[0])[:, None] + torch.ones(x.shape[0], 1),
    "distances": lambda x, y, i: torch.cdist(x, y),
    "norms": lambda x, y, i: F.normalize(x, dim=1) + x.norm(dim=1, keepdim=True),
    "in place": lambda x, y, i: x.clone().mul_(2).add_(1),
    "squares": lambda x, y, i: (x @ x.T).reshape(-1) * 2,
    "sliding": lambda x, y, i: x.unfold(0, 3, 1),
    "dropped": lambda x, y, i: F.dropout(x, 0.5),
    "eigenvalues": lambda x, y, i: torch.linalg.eigvalsh(x @ x.T),
    "solved": lambda x, y, i: torch.linalg.solve(x @ x.T + torch.eye(x.shape[0]) * 9, x),
}  # fmt: skip


def _given(n: int, k: int) -> tuple:
    rng = np.random.default_rng(n)
    x = torch.tensor(rng.standard_normal((n, 6)).astype("float32"), requires_grad=True)
    y = torch.tensor(rng.standard_normal((k, 6)).astype("float32"), requires_grad=True)
    return x, y, torch.tensor(rng.integers(0, n, k))


@pytest.fixture
def fresh():
    """Nothing was traced before, nor is afterwards what the test has traced."""
    forget_programs()
    yield
    forget_programs()


@pytest.mark.parametrize("name", OPS)
def test_what_is_told_is_what_would_be_traced(name, fresh, monkeypatch):
    told = []
    init = applied_ops.Applied.__init__

    def noting(self, *args, **kw):
        init(self, *args, **kw)
        if self.sized is not None:
            told.append(self)

    monkeypatch.setattr(applied_ops.Applied, "__init__", noting)
    with torch.debug.tier("cold"):
        for n, k in SETS:
            x, y, i = _given(n, k)
            out = OPS[name](x, y, i)
            grads = torch.autograd.grad(out.square().sum(), [x, y], allow_unused=True)
            [g.sum().item() for g in (out, *grads) if g is not None]
    assert told, "every op of it was traced at every size"
    rng = np.random.default_rng(0)
    for one in told:
        traced = one._trace()
        assert applied_ops._out_avals(traced) == one.avals
        assert one.bounds == applied_ops.bounds_of(traced)
        given = [_numbers(rng, a) for a in one.in_avals]
        for mine, other in zip(plan_at(one)(*given), plan_of(traced)(*given), strict=True):
            assert mine.dtype == other.dtype, one.op
            np.testing.assert_allclose(mine, other, rtol=1e-6, err_msg=str(one.op))


def _numbers(rng: np.random.Generator, a) -> np.ndarray:
    if a.dtype.np.kind in "iu":
        return rng.integers(0, 3, a.shape).astype(a.dtype.np)
    return rng.standard_normal(a.shape).astype(a.dtype.np)


def test_nothing_is_traced_at_further_sizes(fresh, monkeypatch):
    def step(n, k):
        x, y, i = _given(n, k)
        h = F.elu(F.linear(x, weight).view(n, 2, 4))
        edges = torch.zeros(n, 2, 4).index_add(0, i, h[i] * y[:, :1, None])
        loss = F.cross_entropy(edges.reshape(n, -1), torch.arange(n) % 8)
        return torch.autograd.grad(loss, [weight, x, y])[0].sum().item()

    weight = torch.ones(8, 6).mul(0.1).requires_grad_()
    with torch.debug.tier("cold"):
        for n, k in SETS:
            step(n, k)
        traced = []
        monkeypatch.setattr(applied_ops.Applied, "_trace", lambda self: traced.append(self))
        for n, k in ((50, 33), (18, 77), (100, 101)):
            step(n, k)
    assert not traced


def test_sizes_that_coincide_are_looked_at_once(fresh):
    made = [torch.randn(n, 6).tanh() for n in (7, 9, 11)]
    (kind,) = [kind for key, kind in sized._kinds.items() if getattr(key[0], "name", "") == "tanh"]
    ((_, told),) = kind._patterns
    assert told.apart == (1, 2, 3, 4, 6)
    asked = []
    told.holds_where_equal = lambda pairs: asked.append(pairs) or len(asked) > 1
    assert kind.find((6, 6, 2)) is None and kind.find((6, 6, 2)) is None and asked == [((0, 5),)]
    told._may.clear()
    assert kind.find((6, 6, 2)) == (told, (6,)) and asked == [((0, 5),)] * 2
    assert kind.find((3, 6, 2)) == (told, (3,)) and asked[-1] == ((0, 3),)
    assert kind.find((0, 6, 2)) is None
    del made


def test_sizes_that_are_equal_make_no_pattern(fresh):
    kind = Kind()
    for sizes in ((5, 8, 2), (6, 9, 2), (7, 11, 2)):
        patterns = kind.patterns(sizes)
        kind.see(sizes, ())
    pattern = patterns[0]
    assert pattern.names == ["n0", "n1"]
    assert pattern.match((8, 12, 2)) == (8, 12)
    assert not pattern.are_apart((7, 7)) and not pattern.are_apart((7, 3)) and pattern.are_apart((7, 9))
    for other in ((7, 12, 3), (0, 12, 2)):
        assert pattern.match(other) is None


@pytest.mark.parametrize(
    ("sets", "text"),
    [
        (((9, 9, 1), (5, 5, 1), (7, 7, 1)), "n0"),
        (((9, 18, 1), (5, 10, 1), (7, 14, 1)), "2 * n0"),
        (((9, 8, 1), (5, 4, 1), (7, 6, 1)), "n0 + -1"),
    ],
)
def test_static_ints_follow_from_sizes(sets, text):
    pattern = Pattern.of((0, 1), sets)
    assert pattern.texts == {0: "n0", 1: text}
    assert pattern.match((9, eval(text, {"n0": 9}), 1)) == (9,)
    assert pattern.match((9, 1000, 1)) is None


def test_what_jax_cannot_decide_is_as_it_was_where_it_is_told(fresh):
    """`cdist` has a way of its own for more than 25 rows."""
    with torch.debug.tier("cold"):
        for n in (9, 11, 14, 20, 25, 26, 30, 28, 40, 12):
            x = torch.tensor(np.random.default_rng(n).standard_normal((n, 6)))
            assert torch.allclose(
                torch.cdist(x, x), (x[:, None] - x[None]).square().sum(-1).sqrt(), atol=1e-6
            )
    (kind,) = [kind for key, kind in sized._kinds.items() if getattr(key[0], "name", "") == "cdist"]
    assert [pattern.within for pattern, _ in kind._patterns] == [("n0 <= 25",), ("n0 > 25",)]
    assert kind.find((50, 6, 50, 6, 4))[1] == (50,) and kind.find((25, 6, 25, 6, 4))[1] == (25,)


def test_factors_of_matrices_of_many_sizes(fresh, monkeypatch):
    def run(n):
        a = torch.eye(n).mul(4).requires_grad_()
        torch.linalg.cholesky(a).diagonal().sum().backward()
        np.testing.assert_allclose(a.grad.numpy(), np.eye(n) / 4, rtol=1e-6)

    traced = []
    with torch.debug.tier("cold"):
        for n in (6, 7, 9):
            run(n)
        monkeypatch.setattr(applied_ops.Applied, "_trace", lambda self: traced.append(self))
        for n in (12, 17):
            run(n)
    assert not traced


def test_an_op_with_a_way_for_even_sizes_is_traced_at_each(fresh):
    """JAX takes n % 2 == 0 for false, if it does not know n."""

    def halves(input: Array):
        return input * 2 if input.shape[0] % 2 == 0 else input

    op = Op(halves, "halves")
    for n in (7, 9, 11, 13, 16):
        found = applied_ops.apply_once(op, (), (aval((n,), torch.float32, CPU),))
        assert len(found.jaxpr.eqns) == (1 if n % 2 == 0 else 0)
        assert found.sized is None


def test_an_op_that_jax_does_not_trace_at_symbols_is_traced_at_each_size(fresh):
    with torch.debug.tier("cold"):
        for n in (5, 7, 9, 11, 13):
            a = torch.arange(float(n))
            assert torch.searchsorted(a, torch.tensor([1.5])).item() == 2


def test_jaxprs_with_keys_are_simplified():
    import jax

    f = lambda n: jax.random.bernoulli(jax.random.split(jax.random.key(n), 2)[1], 0.5, (3,))  # noqa: E731
    traced = jax.make_jaxpr(f)(3)
    assert (jaxpr_as_fun(simplified(traced))(3)[0] == f(3)).all()


def test_what_is_called_several_times_stays_one_jaxpr():
    import jax

    first = jax.jit(lambda x: jax.lax.dynamic_slice(x, (0,), (1,)) + 1)
    traced = jax.make_jaxpr(lambda x: first(x) + first(x))(np.ones(3))
    made = simplified(traced)
    assert made is not traced and made is simplified(traced) and simplified(made) is made
    assert len({id(eqn.params["jaxpr"]) for eqn in made.eqns if "jaxpr" in eqn.params}) == 1


def test_is_at_least():
    import jax

    (n,) = jax.export.symbolic_shape("n", scope=jax.export.SymbolicScope(["n >= 2"]))
    assert is_at_least(5, 5) and not is_at_least(4, 5)
    assert is_at_least(n, 2) and not is_at_least(n, 1000)
