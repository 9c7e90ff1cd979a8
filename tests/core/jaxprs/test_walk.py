"""Jaxprs walked, computed and rewritten: every kind of equation that holds others, in all that walks them."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import jaxpr_as_fun

from functorch_lite._core.jaxprs.walk import (
    bind,
    called,
    calls,
    closed,
    equations,
    evaluated,
    flows,
    inlined,
    inner,
    live,
    needed,
    opened,
    rewritten,
    rewritten_inside,
    steps,
)


@jax.custom_jvp
def by_jvp(x):
    """sin, with a rule."""
    return jnp.sin(x)


by_jvp.defjvp(lambda primals, tangents: (by_jvp(*primals), tangents[0]))


@jax.custom_vjp
def by_vjp(x):
    """sin, with another."""
    return jnp.sin(x)


by_vjp.defvjp(lambda x: (by_vjp(x), None), lambda saved, ct: (ct,))

HOLDERS = {
    "jit": lambda x: jax.jit(jnp.sin)(x),
    "custom_jvp_call": by_jvp,
    "custom_vjp_call": by_vjp,
    "remat2": jax.checkpoint(jnp.sin),
    "scan": lambda x: jax.lax.scan(lambda c, y: (jnp.sin(c), y), x, None, length=1)[0],
    "while": lambda x: jax.lax.while_loop(lambda c: c[0] < 1, lambda c: (c[0] + 1, jnp.sin(c[1])), (0, x))[1],
    "cond": lambda x: jax.lax.cond(x.sum() < 1e9, jnp.sin, jnp.abs, x),
    "custom_linear_solve": lambda x: jax.lax.custom_linear_solve(
        lambda y: y * 2, jnp.sin(x), lambda mv, b: jnp.sin(b), symmetric=True
    ),
}
CALLS = ("jit", "custom_jvp_call", "custom_vjp_call", "remat2")
X = jnp.arange(3.0)


def traced(f, *args):
    """The jaxpr of a function of one array."""
    return jax.make_jaxpr(f)(*(args or (X,)))


def the(jaxpr, name):
    """The equation of a primitive, inside others too."""
    return next(e for e in equations(jaxpr) if e.primitive.name == name)


def cosine(eqn):
    """cos in the place of sin."""
    return jnp.cos if eqn.primitive.name == "sin" else None


@pytest.mark.parametrize("name", HOLDERS)
def test_what_is_inside_is_found(name):
    jaxpr = traced(HOLDERS[name])
    assert calls(jaxpr, {"sin"}) and calls(opened(jaxpr), {name}) and not calls(jaxpr, {"cos"})
    eqn = the(jaxpr, name)
    assert any(calls(j, {"sin"}) for j in inner(eqn))
    assert all(j is opened(j) for j in inner(eqn))
    assert (called(eqn) is not None) is (name in CALLS)
    assert (called(eqn, ruled=False) is None) is (name not in ("jit", "remat2"))
    assert (called(eqn, again=False) is None) is (name not in CALLS or name == "remat2")


@pytest.mark.parametrize("name", HOLDERS)
def test_rewritten(name):
    f = HOLDERS[name]
    jaxpr = traced(lambda x: f(x) * 2)
    assert rewritten(jaxpr, lambda eqn: None) is jaxpr
    assert rewritten(jaxpr, lambda eqn: eqn) is jaxpr
    kept = rewritten(jaxpr, lambda eqn: eqn if eqn.primitive.name == name else cosine(eqn))
    assert (kept is jaxpr) is (name != "custom_linear_solve")  # whose right-hand side is a sine beside it
    assert all(calls(j, {"sin"}) for j in inner(the(kept, name)) if calls(j, {"sin", "cos"}))
    other = rewritten(jaxpr, cosine)
    assert type(other) is type(jaxpr) and not calls(other, {"sin"})
    before, after = jaxpr_as_fun(jaxpr)(X), jaxpr_as_fun(other)(X)
    np.testing.assert_allclose(before[0], f(X) * 2, rtol=1e-6)
    want = jnp.cos(jnp.cos(X)) if name == "custom_linear_solve" else jnp.cos(X)
    np.testing.assert_allclose(after[0], want * 2, rtol=1e-6)
    np.testing.assert_allclose(jax.jit(jaxpr_as_fun(other))(X)[0], want * 2, rtol=1e-6)


def test_rewritten_inside_one_equation():
    jaxpr = traced(lambda x: jax.jit(jnp.sin)(x) + jnp.sin(x))
    other = rewritten(jaxpr, lambda eqn: rewritten_inside(eqn, cosine))
    np.testing.assert_allclose(jaxpr_as_fun(other)(X)[0], jnp.cos(X) + jnp.sin(X), rtol=1e-6)


def test_what_is_shared_stays_shared():
    f = jax.jit(jnp.sin)
    jaxpr = traced(lambda x: f(x) + f(x + 1))
    first, second = (called(e) for e in opened(rewritten(jaxpr, cosine)).eqns if called(e) is not None)
    assert first is second and not calls(first, {"sin"})


def test_an_equation_may_stand_for_another():
    jaxpr = traced(lambda x: jnp.cumsum(x))
    other = rewritten(
        jaxpr,
        lambda e: e.replace(params={**e.params, "reverse": True}) if e.primitive.name == "cumsum" else None,
    )
    np.testing.assert_allclose(jaxpr_as_fun(other)(X)[0], [3, 3, 2])


def test_what_stands_for_an_equation_has_its_results():
    jaxpr = traced(jnp.sin)
    with pytest.raises(TypeError, match="in place of sin"):
        rewritten(jaxpr, lambda eqn: lambda x: x[:2])
    with pytest.raises(TypeError, match="in place of sin"):
        rewritten(jaxpr, lambda eqn: lambda x: (x, x))


def test_what_stands_for_an_equation_is_a_call():
    """Whatever JAX calls it: `closed_call`, or since 0.11 `eval_jaxpr`."""
    (eqn,) = steps(rewritten(traced(jnp.sin), cosine))
    assert calls(called(eqn, ruled=False, again=False), {"cos"})


def test_constants_of_what_stands_for_an_equation():
    shift = np.arange(3, dtype=np.float32)
    jaxpr = traced(lambda x: jax.lax.scan(lambda c, y: (jnp.sin(c), y), x, None, length=2)[0])
    other = rewritten(
        jaxpr, lambda e: (lambda x: x + jnp.asarray(shift)) if e.primitive.name == "sin" else None
    )
    np.testing.assert_allclose(jax.jit(jaxpr_as_fun(other))(X)[0], X + 2 * shift)


def test_derivatives_of_what_was_rewritten():
    jaxpr = traced(lambda x: jax.lax.scan(lambda c, y: (jnp.sin(c), None), x, None, length=2)[0].sum())
    other = jaxpr_as_fun(rewritten(jaxpr, cosine))
    found = jax.grad(lambda x: other(x)[0])(X)
    np.testing.assert_allclose(found, jax.grad(lambda x: jnp.cos(jnp.cos(x)).sum())(X), rtol=1e-6)


@pytest.mark.parametrize("name", HOLDERS)
def test_evaluated(name):
    jaxpr = traced(HOLDERS[name])
    np.testing.assert_array_equal(evaluated(jaxpr, [X], lambda eqn, args: None)[0], jaxpr_as_fun(jaxpr)(X)[0])

    def into(eqn, args):
        if eqn.primitive.name == "sin":
            return [jnp.cos(args[0])]
        return None if called(eqn) is None else evaluated(called(eqn), args, into)

    if name in CALLS:
        np.testing.assert_allclose(evaluated(jaxpr, [X], into)[0], jnp.cos(X), rtol=1e-6)


def test_bound_equations_are_traced():
    assert calls(traced(lambda x: bind(the(traced(jnp.sin), "sin"), [x])), {"sin"})
    several = the(traced(lambda x: jax.lax.top_k(x, 2)), "top_k")
    assert len(bind(several, [X])) == 2


def test_arguments_that_are_missing():
    with pytest.raises(ValueError):
        evaluated(traced(jnp.sin), [], lambda eqn, args: None)
    if type(traced(jnp.sin)) is not type(opened(traced(jnp.sin))):  # until JAX 0.11
        kept = np.arange(3)
        with pytest.raises(ValueError, match="values of its constants"):
            closed(opened(traced(lambda x: x + jnp.asarray(kept))))


def test_inlined():
    kept = np.arange(3, dtype=np.float32)

    def f(x):
        return jax.checkpoint(jax.jit(lambda y: jnp.sin(y) + jnp.asarray(kept)))(x) * 2

    jaxpr = traced(f)
    for into, left in (
        (called, set()),
        (partial(called, again=False), {"remat2", "jit"}),
        (lambda eqn: None, {"remat2"}),
    ):
        flat = inlined(jaxpr, into)
        assert {e.primitive.name for e in equations(flat)} & {"remat2", "jit"} >= left
        assert bool(left) is any(called(e) is not None for e in opened(flat).eqns)
        np.testing.assert_allclose(jaxpr_as_fun(flat)(X)[0], f(X), rtol=1e-6)


def test_live():
    jaxpr = traced(lambda x: (jnp.cos(x), jnp.sin(x))[1])
    assert {e.primitive.name for e in equations(live(jaxpr))} == {"sin"}
    assert {e.primitive.name for e in equations(live(opened(jaxpr)))} == {"sin"}


def test_what_follows():
    jaxpr = traced(lambda x, y: (jnp.sin(x) + 1, x * y, y, 2.0), X, X)
    assert flows(jaxpr, [True, False], lambda eqn, ins: [any(ins)], unknown=False) == [
        True,
        True,
        False,
        False,
    ]
    assert flows(jaxpr, [1, 2], lambda eqn, ins: None, literal=lambda v: v.val) == [None, None, 2, 2.0]


def test_what_is_needed():
    jaxpr = traced(lambda x, y: (jnp.sin(x), x * y), X, X)
    assert needed(jaxpr) == [True, True]
    assert needed(jaxpr, [True, False]) == [True, False]

    def first(eqn, outs):
        return [True, False] if eqn.primitive.name == "mul" else None

    assert needed(jaxpr, [False, True], first) == [True, False]


def test_who_made_what():
    jaxpr = traced(lambda x: jax.jit(lambda y: jnp.sin(y * 2))(x) + jnp.sin(x))
    seen = []

    def f(eqn, made_by):
        if eqn.primitive.name == "sin":
            maker = made_by(eqn.invars[0])
            seen.append(maker and maker.primitive.name)

    assert rewritten(jaxpr, f, makers=True) is jaxpr
    assert seen == ["mul", None]
