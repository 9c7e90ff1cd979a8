"""A while loop that is differentiated in both modes and to every order, as a primitive; JAX's own is differentiated
forwards only.

The primitive `loop` runs it. Its derivative is the primitive `pushed_loop`: the tangents of the results, linear in
those that are given. Transposed, this is `pulled_loop`: the cotangents of what was given. And the derivative of that is
`bent_loop`: the second derivative, as a form in two vectors, for given cotangents of the results. It is symmetric, so
that its transpose is itself.

Run, a pushed loop is a loop that carries the tangents too; a pulled one keeps some states, and goes through them from
the end; a bent one is the pulled one of the loop that carries tangents. So the derivative of each is one of them again,
for the loop that carries tangents: no order or mode has to be foreseen, each order doubles the body only, and loops in
the bodies of loops are differentiated as any op is. (A body that calls a user's own rule need not have a symmetric
second derivative: what runs its pulled loop is then differentiated as it stands.)

The arguments of all are what is carried, then what test and step capture besides. What is carried last numbers the
steps. All are batched by noting along which arguments (`Axis`): what runs them is then mapped.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Jaxpr, Primitive, jaxpr_as_fun
from jax.extend.core.primitives import custom_vjp_call_p
from jax.interpreters import ad, batching, mlir

from ...jaxprs.walk import equations
from .body import (
    Axis,
    Body,
    batched_results,
    bent_p,
    carried_along,
    in_front,
    loop_p,
    mapped,
    pulled_p,
    pushed_p,
    replaced,
    result_aval,
)
from .joining import axes_with_tangents, in_order, join_loops, with_tangents

__all__ = ["KEPT", "USERS_RULE", "while_loop"]

USERS_RULE = "users_rule"
"""The name of a jitted function whose rule of differentiation is a user's."""

KEPT = 32
"""States of a loop that its reverse pass keeps: the step k is reached again from the kept state before it."""


def while_loop(test: Callable, step: Callable, carried: Sequence, captured: Sequence) -> list:
    """carried = step(carried, captured) while test(carried, captured).

    The last of what is carried must be a uint32 that a step raises by one."""
    n = len(carried)
    args = [jnp.asarray(x) for x in (*carried, *captured)]
    structs = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in args]
    traced = [join_loops(jax.make_jaxpr(lambda *a, f=f: f(a[:n], a[n:]))(*structs)) for f in (test, step)]
    return loop_p.bind(*args, **Body(*traced, n)._asdict(), axes=())


# -- loop ------------------------------------------------------------------------------------------------------------


def _run(*args, test, step, n, axes) -> list:
    goes_on, once = jaxpr_as_fun(test), jaxpr_as_fun(step)

    def plain(*args):
        captured = args[n:]
        return list(
            jax.lax.while_loop(
                lambda s: goes_on(*s, *captured)[0], lambda s: tuple(once(*s, *captured)), tuple(args[:n])
            )
        )

    return mapped(plain, axes)(*args)


def _avals(*_, test, step, n, axes) -> list:
    return [result_aval(a, [axis.outs[i] for axis in axes], axes) for i, a in enumerate(step.in_avals[:n])]


def _batched(axis_data, args, dims, *, axes, **params):
    if all(d is None for d in dims):
        return loop_p.bind(*args, **params, axes=axes), [None] * params["n"]
    args, ins = in_front(args, dims)
    outs = batched_results(Body(**params), ins)
    results = loop_p.bind(*args, **params, axes=(*axes, Axis(axis_data.size, ins, outs)))
    return results, list(outs)


def _jvp(primals, tangents, *, axes, **params):
    body = Body(**params)
    moved, wanted = _moving(body, tangents)
    given = [
        ad.instantiate_zeros(tangents[i]) for i in (*moved, *wanted)
    ]  # before the loop, so that they can join it
    outs = loop_p.bind(*primals, **params, axes=axes)
    last = [a.outs[body.n - 1] for a in axes]
    return outs, _tangents(body, axes, outs[body.n - 1], last, primals, moved, wanted, given)


def _moving(body: Body, tangents: Sequence) -> tuple[tuple, tuple]:
    """The carried that tangents reach in any number of steps, and the captured that have some."""
    avals = body.step.in_avals
    inexact = [jnp.issubdtype(a.dtype, jnp.inexact) for a in avals]
    given = [type(t) is not ad.Zero and i for t, i in zip(tangents, inexact)]
    reached = carried_along(body, given)
    moved = tuple([i for i in range(body.n) if reached[i] and inexact[i]])
    return moved, tuple([i for i in range(body.n, len(avals)) if given[i]])


def _tangents(
    body: Body,
    axes: Sequence[Axis],
    end,
    end_batched: Sequence,
    primals,
    moved: tuple,
    wanted: tuple,
    given: list,
) -> list:
    """The tangents of a loop's results. end: the number after its last step, and for each axis whether that is
    batched."""
    avals = body.step.in_avals
    out: list[Any] = [
        ad.Zero(result_aval(avals[i], [a.outs[i] for a in axes], axes).to_tangent_aval())
        for i in range(body.n)
    ]
    if not moved:
        return out
    at = (*moved, *wanted)
    pushed_axes = tuple(
        [
            Axis(a.size, (b, *a.ins, *[a.ins[i] for i in at]), tuple([a.outs[i] for i in moved]))
            for a, b in zip(axes, end_batched, strict=True)
        ]
    )
    found = pushed_p.bind(
        end, *primals, *given, **body._asdict(), moved=moved, wanted=wanted, axes=pushed_axes
    )
    return replaced(out, moved, found)


# -- pushed_loop -----------------------------------------------------------------------------------------------------
# Its arguments: the number after the last step, those of the loop, the tangents of those `moved` (carried), of those
# `wanted` (captured).


def _run_pushed(*args, test, step, n, moved, wanted, axes) -> list:
    body, k = Body(test, step, n), len(moved)
    both, joint = with_tangents(body, moved, wanted), axes_with_tangents(body, k, axes)
    return loop_p.bind(*in_order(args, k, len(step.in_avals)), **both._asdict(), axes=joint)[:k]


def _pushed_avals(*_, test, step, n, moved, wanted, axes) -> list:
    return [result_aval(step.in_avals[i], [axis.outs[j] for axis in axes], axes) for j, i in enumerate(moved)]


def _pushed_batched(axis_data, args, dims, *, moved, wanted, axes, **params):
    if all(d is None for d in dims):
        same = pushed_p.bind(*args, **params, moved=moved, wanted=wanted, axes=axes)
        return same, [None] * len(moved)
    args, ins = in_front(args, dims)
    body = Body(**params)
    m = len(body.step.in_avals)
    either = list(ins[1 : 1 + m])
    for i, d in zip((*moved, *wanted), ins[1 + m :], strict=True):
        either[i] = either[i] if d is None else d
    carried = batched_results(body, either)
    axis = Axis(axis_data.size, ins, tuple([carried[i] for i in moved]))
    results = pushed_p.bind(*args, **params, moved=moved, wanted=wanted, axes=(*axes, axis))
    return results, list(axis.outs)


def _pushed_jvp(primals, tangents, *, moved, wanted, axes, **params):
    body, k = Body(**params), len(moved)
    m = len(body.step.in_avals)
    both, joint = with_tangents(body, moved, wanted), axes_with_tangents(body, k, axes)
    tangents = in_order(tangents, k, m)
    again = _moving(both, tangents)
    given = [ad.instantiate_zeros(tangents[i]) for i in (*again[0], *again[1])]
    outs = pushed_p.bind(*primals, **params, moved=moved, wanted=wanted, axes=axes)
    end = [a.ins[0] for a in axes]
    return outs, _tangents(both, joint, primals[0], end, in_order(primals, k, m), *again, given)[:k]


def _pushed_transposed(cotangents, end, *args, test, step, n, moved, wanted, axes):
    m = len(step.in_avals)
    given = args[m:]
    cts = [ad.instantiate_zeros(ct) for ct in cotangents]
    pull = _run_pulled if _has_users_rule(step.jaxpr) else pulled_p.bind
    found = pull(
        end,
        *args[:m],
        *cts,
        test=test,
        step=step,
        n=n,
        moved=moved,
        wanted=wanted,
        axes=tuple([Axis(a.size, (*a.ins[: 1 + m], *a.outs), a.ins[1 + m :]) for a in axes]),
    )
    return [None] * (1 + m) + [ct if ad.is_undefined_primal(x) else None for x, ct in zip(given, found)]


def _has_users_rule(jaxpr: Jaxpr) -> bool:
    """Whether a rule of differentiation is called that is not known to be the derivative of anything."""
    return any(
        e.primitive is custom_vjp_call_p or e.params.get("name") == USERS_RULE for e in equations(jaxpr)
    )


# -- pulled_loop -----------------------------------------------------------------------------------------------------
# Its arguments: the number after the last step, those of the loop, the cotangents of the results `moved`. Its results:
# the cotangents of the carried `moved` and of the captured `wanted`.


def _summed(f: Callable, axes: Sequence[Axis]) -> Callable:
    """f of many examples. What they share gets the sum of the cotangents."""
    for a in axes:
        f = _summed_once(f, a)
    return f


def _summed_once(f: Callable, axis: Axis) -> Callable:
    many = jax.vmap(f, in_axes=axis.ins, axis_size=axis.size)
    return lambda *args: [x.sum(0) if b is None else x for x, b in zip(many(*args), axis.outs, strict=True)]


def _run_pulled(*args, test, step, n, moved, wanted, axes) -> list:
    body, m = Body(test, step, n), len(step.in_avals)

    def pull(end, *args):
        return _pull(body, moved, wanted, end, args[:m], args[m:])

    return _summed(pull, axes)(*args)


def _pulled_avals(*_, test, step, n, moved, wanted, axes, **other) -> list:
    return [
        result_aval(step.in_avals[i], [axis.outs[j] for axis in axes], axes)
        for j, i in enumerate((*moved, *wanted))
    ]


def _batched_alone(primitive: Primitive) -> Callable:
    """The batching rule of a pulled or bent loop: each example has results of its own."""

    def rule(axis_data, args, dims, *, axes, **params):
        n = len(params["moved"]) + len(params["wanted"])
        if all(d is None for d in dims):
            return primitive.bind(*args, **params, axes=axes), [None] * n
        args, ins = in_front(args, dims)
        results = primitive.bind(*args, **params, axes=(*axes, Axis(axis_data.size, ins, (0,) * n)))
        return results, [0] * n

    return rule


def _is_zero(tangents: Sequence) -> bool:
    return all(type(t) is ad.Zero for t in tangents)


def _added(avals: Sequence, *parts: list) -> list:
    """The sums of lists of tangents; Zeros if there are none."""
    if not parts:
        return [ad.Zero(a.to_tangent_aval()) for a in avals]
    return [functools.reduce(ad.add_tangents, every) for every in zip(*parts, strict=True)]


def _pulled_jvp(primals, tangents, *, moved, wanted, axes, **params):
    body = Body(**params)
    m = 1 + len(body.step.in_avals)
    same = {**params, "moved": moved, "wanted": wanted, "axes": axes}
    outs = pulled_p.bind(*primals, **same)
    parts = []
    if not _is_zero(tangents[m:]):
        parts.append(pulled_p.bind(*primals[:m], *map(ad.instantiate_zeros, tangents[m:]), **same))
    along = _moving(body, tangents[1:m])
    if along[0]:
        given = [ad.instantiate_zeros(tangents[1 + i]) for i in (*along[0], *along[1])]
        parts.append(_bend(body, moved, primals, given, (moved, wanted), along, axes))
    return outs, _added([jax.typeof(o) for o in outs], *parts)


def _pulled_transposed(cotangents, *args, moved, wanted, axes, **params):
    """Linear in the cotangents: their cotangents are tangents."""
    m, k = 1 + len(params["step"].in_avals), len(moved)
    given = [ad.instantiate_zeros(ct) for ct in cotangents]
    pushed_axes = tuple([Axis(a.size, (*a.ins[:m], *a.outs), (0,) * k) for a in axes])
    found = pushed_p.bind(*args[:m], *given, **params, moved=moved, wanted=wanted, axes=pushed_axes)
    found = [_shared(x, [a.ins[m + j] for a in axes]) for j, x in enumerate(found)]
    return [None] * m + [ct if ad.is_undefined_primal(x) else None for x, ct in zip(args[m:], found)]


def _shared(x, batched: Sequence) -> Any:
    """The sum over those axes, all of them in front of x and the last one first, that are not batched."""
    return x.sum(tuple([len(batched) - 1 - i for i, b in enumerate(batched) if b is None]))


# -- bent_loop -------------------------------------------------------------------------------------------------------
# Its arguments: the number after the last step, those of the loop, the cotangents of the results `outs`, tangents of
# the carried along[0] and the captured along[1]. Its results: the cotangents of the carried `moved` and the captured
# `wanted` in the derivative of the pulled loop along the tangents.


def _bend(body: Body, outs: tuple, primals, given, at: tuple, along: tuple, axes: Sequence[Axis]) -> list:
    """The bent loop by the arguments and axes of a pulled loop, and tangents, which are batched as what they are
    tangents of."""
    of = [1 + i for i in (*along[0], *along[1])]
    bent_axes = tuple([Axis(a.size, (*a.ins, *[a.ins[i] for i in of]), a.outs) for a in axes])
    moved, wanted = at
    return bent_p.bind(
        *primals, *given, **body._asdict(), outs=outs, moved=moved, wanted=wanted, along=along, axes=bent_axes
    )


class _Bent(NamedTuple):
    """A bent loop as the pulled loop of the loop that carries tangents: that loop, what is pulled, and where its
    arguments are."""

    both: Body
    moved: tuple[int, ...]
    wanted: tuple[int, ...]
    k: int
    """How many of the results, the first ones, are cotangents of the tangents: not wanted here."""


def _unbent(body: Body, moved: tuple, wanted: tuple, along: tuple) -> _Bent:
    k = len(along[0])
    own = [k + i for i in moved]
    return _Bent(with_tangents(body, *along), (*range(k), *own), tuple([k + i for i in wanted]), k)


def _split(args: Sequence, body: Body, outs: tuple) -> tuple:
    """(end, the loop's own arguments, cotangents, tangents) of a bent loop."""
    m = 1 + len(body.step.in_avals)
    return args[0], args[1:m], args[m : m + len(outs)], args[m + len(outs) :]


def _as_pulled(args: Sequence, body: Body, outs: tuple, moved: tuple, along: tuple, zero: Callable) -> list:
    """Returns the values of a bent loop for each argument of `_unbent`, in this order. zero(i): for no cotangent of
    carried i."""
    end, own, cts, given = _split(args, body, outs)
    k, by_out = len(along[0]), dict(zip(outs, cts))
    joint = [by_out[i] if i in by_out else zero(i) for i in along[0]]
    return [end, *given[:k], *own, *given[k:], *joint, *[zero(i) for i in moved]]


def _run_bent(*args, test, step, n, outs, moved, wanted, along, axes) -> list:
    body = Body(test, step, n)
    bent = _unbent(body, moved, wanted, along)

    def bend(*args):
        full = _as_pulled(args, body, outs, moved, along, functools.partial(_no_cotangent, body))
        m = 1 + len(bent.both.step.in_avals)
        return _pull(bent.both, bent.moved, bent.wanted, full[0], full[1:m], full[m:])[bent.k :]

    return _summed(bend, axes)(*args)


def _bent_jvp(primals, tangents, *, outs, moved, wanted, along, axes, **params):
    body = Body(**params)
    same = {**params, "outs": outs, "moved": moved, "wanted": wanted, "along": along, "axes": axes}
    m = 1 + len(body.step.in_avals)
    found = bent_p.bind(*primals, **same)
    parts = []
    for start, stop in ((m, m + len(outs)), (m + len(outs), len(primals))):
        if not _is_zero(tangents[start:stop]):
            given = [ad.instantiate_zeros(t) for t in tangents[start:stop]]
            parts.append(bent_p.bind(*primals[:start], *given, *primals[stop:], **same))
    if not _is_zero(tangents[1:m]):  # a third derivative: that of the pulled loop that it is
        bent = _unbent(body, moved, wanted, along)
        full = _as_pulled(primals, body, outs, moved, along, functools.partial(_no_cotangent, body))
        own = [ad.Zero(jax.typeof(x).to_tangent_aval()) for x in _split(primals, body, outs)[3]]
        k = len(along[0])
        pushed = [*own[:k], *tangents[1:m], *own[k:]]
        further = _moving(bent.both, pushed)
        joint = []
        for a in axes:
            ins = _as_pulled(a.ins, body, outs, moved, along, lambda i: None)
            joint.append(Axis(a.size, tuple(ins), (*[0] * bent.k, *a.outs)))
        if further[0]:
            given = [ad.instantiate_zeros(pushed[i]) for i in (*further[0], *further[1])]
            at = bent.moved, bent.wanted
            parts.append(_bend(bent.both, bent.moved, full, given, at, further, joint)[bent.k :])
    return found, _added([jax.typeof(o) for o in found], *parts)


def _no_cotangent(body: Body, i: int) -> Any:
    a = body.step.in_avals[i]
    return jnp.zeros(a.shape, a.dtype)


def _bent_transposed(cotangents, *args, outs, moved, wanted, along, axes, **params):
    body = Body(**params)
    m, c = 1 + len(body.step.in_avals), len(outs)
    given = [ad.instantiate_zeros(ct) for ct in cotangents]
    if any(ad.is_undefined_primal(x) for x in args[m : m + c]):  # the derivative of a pushed loop
        bent = _unbent(body, moved, wanted, along)
        where = [along[0].index(i) if i in along[0] else None for i in outs]
        own = _split(args, body, outs)
        k = len(along[0])
        joint = [own[0], *own[3][:k], *own[1], *own[3][k:]]
        pushed_axes = []
        for a in axes:
            end, ins, _, tangents = _split(a.ins, body, outs)
            pushed_axes.append(
                Axis(
                    a.size,
                    (end, *tangents[:k], *ins, *tangents[k:], *[None] * k, *a.outs),
                    (0,) * len(bent.moved),
                )
            )
        none = [_no_cotangent(body, i) for i in along[0]]
        found = pushed_p.bind(
            *joint,
            *none,
            *given,
            **bent.both._asdict(),
            moved=bent.moved,
            wanted=bent.wanted,
            axes=tuple(pushed_axes),
        )
        cts = [
            None if at is None else _shared(found[at], [a.ins[m + j] for a in axes])
            for j, at in enumerate(where)
        ]
        return (
            [None] * m
            + [ct if ad.is_undefined_primal(x) else None for x, ct in zip(args[m:], cts)]
            + [None] * (len(args) - m - c)
        )
    swapped = tuple([Axis(a.size, (*a.ins[: m + c], *a.outs), a.ins[m + c :]) for a in axes])
    found = bent_p.bind(
        *args[: m + c],
        *given,
        **params,
        outs=outs,
        moved=along[0],
        wanted=along[1],
        along=(moved, wanted),
        axes=swapped,
    )
    return [None] * (m + c) + [
        ct if ad.is_undefined_primal(x) else None for x, ct in zip(args[m + c :], found)
    ]


# -- one pass back ---------------------------------------------------------------------------------------------------


def _pull(body: Body, moved: Sequence[int], wanted: Sequence[int], end, primals, cotangents) -> list:
    """The cotangents of the carried `moved` and the captured `wanted`, from those of the results `moved`."""
    n, k, at = body.n, len(moved), (*moved, *wanted)
    once = jaxpr_as_fun(body.step)
    one = np.uint32(1)
    carried, captured = primals[:n], primals[n:]
    start = carried[n - 1]
    count = end - start
    stride = jnp.maximum((count + np.uint32(KEPT - 1)) // np.uint32(KEPT), one)

    def keep(s, c):
        """(kept states, state) one step on; captured: start, count, stride, the loop's own."""
        kept, now = s[:n], s[n:]
        done = now[n - 1] - c[0]
        slot = done // c[2]
        kept = [jnp.where(done % c[2] == 0, x.at[slot].set(y), x) for x, y in zip(kept, now)]
        return [*kept, *once(*now, *c[3:])]

    empty = [jnp.zeros((KEPT, *x.shape), x.dtype) for x in carried]
    kept = while_loop(
        lambda s, c: s[2 * n - 1] - c[0] < c[1],
        keep,
        [*empty, *carried],
        [start, count, stride, *captured],
    )[:n]

    def back(s, c):
        """(cotangents, totals, steps done) one step back; captured: start, count, stride, kept states, the loop's
        own."""
        start, count, stride, kept, captured = c[0], c[1], c[2], c[3 : n + 3], c[n + 3 :]
        done = s[-1] + one
        at_step = jnp.maximum(count, done) - done  # under vmap, examples that are done come by still
        near = at_step // stride
        now = while_loop(
            lambda s, c: s[n - 1] - c[0] < c[1],
            lambda s, c: once(*s, *c[2:]),
            [x[near] for x in kept],
            [start, at_step, *captured],
        )
        args = (*now, *captured)

        def some(*chosen):
            out = once(*replaced(args, at, chosen))
            return [out[i] for i in moved]

        _, pull = jax.vjp(some, *[args[i] for i in at])
        cts = pull(list(s[:k]))
        return [*cts[:k], *[a + b for a, b in zip(s[k:-1], cts[k:], strict=True)], done]

    totals = [jnp.zeros_like(primals[i]) for i in wanted]
    found = while_loop(
        lambda s, c: s[-1] < c[1],
        back,
        [*cotangents, *totals, np.uint32(0)],
        [start, count, stride, *kept, *captured],
    )
    return found[:-1]


for _primitive, _run_it, _their_avals, _batch, _push in (
    (loop_p, _run, _avals, _batched, _jvp),
    (pushed_p, _run_pushed, _pushed_avals, _pushed_batched, _pushed_jvp),
    (pulled_p, _run_pulled, _pulled_avals, _batched_alone(pulled_p), _pulled_jvp),
    (bent_p, _run_bent, _pulled_avals, _batched_alone(bent_p), _bent_jvp),
):
    _primitive.def_impl(_run_it)
    _primitive.def_abstract_eval(_their_avals)
    ad.primitive_jvps[_primitive] = _push
    batching.fancy_primitive_batchers[_primitive] = _batch
    mlir.register_lowering(_primitive, mlir.lower_fun(_run_it, multiple_results=True))
ad.primitive_transposes[pushed_p] = _pushed_transposed
ad.primitive_transposes[pulled_p] = _pulled_transposed
ad.primitive_transposes[bent_p] = _bent_transposed
