"""A while loop that is differentiated in both modes and to every order, as a primitive; JAX's own is differentiated forwards only.

The primitive `loop` runs it. Its derivative is the primitive `pushed_loop`: the tangents of the results, linear in those that are
given. Transposed, this is `pulled_loop`: the cotangents of what was given. And the derivative of that is `bent_loop`: the second
derivative, as a form in two vectors, for given cotangents of the results. It is symmetric, so that its transpose is itself.

Run, a pushed loop is a loop that carries the tangents too; a pulled one keeps some states, and goes through them from the end; a bent
one is the pulled one of the loop that carries tangents. So the derivative of each is one of them again, for the loop that carries
tangents: no order or mode has to be foreseen, each order doubles the body only, and loops in the bodies of loops are differentiated
as any op is. (A body that calls a user's own rule need not have a symmetric second derivative: what runs its pulled loop is then
differentiated as it stands.)

The arguments of all are what is carried, then what test and step capture besides. What is carried last numbers the steps. All are
batched by noting along which arguments (`Axis`): what runs them is then mapped.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, Primitive, jaxpr_as_fun
from jax.interpreters import ad, batching, mlir

from .rules import calls, inner_jaxprs

__all__ = ["KEPT", "USERS_RULE", "join_loops", "while_loop"]

USERS_RULE = "users_rule"
"""The name of a jitted function whose rule of differentiation is a user's."""

KEPT = 32
"""States of a loop that its reverse pass keeps: the step k is reached again from the kept state before it."""

_loop, _pushed = Primitive("loop"), Primitive("pushed_loop")
_pulled, _bent = Primitive("pulled_loop"), Primitive("bent_loop")
for _primitive in (_loop, _pushed, _pulled, _bent):
    _primitive.multiple_results = True


class Axis(NamedTuple):
    """One vmap of a primitive: its size, and for each argument and each result 0 if it is batched (in front), else None.

    A result that is not batched is the same for all examples; of a pulled or bent loop it is the sum over them."""

    size: int
    ins: tuple
    outs: tuple


class Body(NamedTuple):
    """A loop: two functions of (*carried, *captured), and how many are carried."""

    test: ClosedJaxpr
    step: ClosedJaxpr
    n: int

    def structs(self, at: Sequence[int] | None = None) -> list:
        """Shapes and dtypes of the arguments in these places, or of all."""
        avals = self.step.in_avals
        return [
            jax.ShapeDtypeStruct(a.shape, a.dtype) for a in (avals if at is None else [avals[i] for i in at])
        ]


def while_loop(test: Callable, step: Callable, carried: Sequence, captured: Sequence) -> list:
    """carried = step(carried, captured) while test(carried, captured). The last of what is carried must be a uint32 that a step
    raises by one."""
    n = len(carried)
    args = [jnp.asarray(x) for x in (*carried, *captured)]
    structs = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in args]
    traced = [join_loops(jax.make_jaxpr(lambda *a, f=f: f(a[:n], a[n:]))(*structs)) for f in (test, step)]
    return _loop.bind(*args, **Body(*traced, n)._asdict(), axes=())


def _replaced(arrays: Sequence, at: Sequence[int], new: Sequence) -> list:
    out = list(arrays)
    for i, x in zip(at, new, strict=True):
        out[i] = x
    return out


def _reached(jaxpr: Jaxpr, marked: list[bool]) -> list[bool]:
    """Which results depend on the marked arguments, or may: only functions and loops that are called are looked into."""
    found = {v for v, m in zip(jaxpr.invars, marked) if m}

    def of(variables: Sequence) -> list[bool]:
        return [type(v) is not Literal and v in found for v in variables]

    for eqn in jaxpr.eqns:
        args = of(eqn.invars)
        if not any(args):
            continue
        if eqn.primitive.name == "jit":
            outs = _reached(eqn.params["jaxpr"].jaxpr, args)
        elif eqn.primitive is _loop:
            body = Body(*[eqn.params[k] for k in Body._fields])
            outs = [b is not None for b in _batched_results(body, [0 if m else None for m in args])]
        else:
            outs = [True] * len(eqn.outvars)
        found.update([v for v, reached in zip(eqn.outvars, outs) if reached])
    return of(jaxpr.outvars)


def _carried_along(body: Body, marked: Sequence[bool]) -> list[bool]:
    """Which of the carried depend on the marked arguments, after any number of steps."""
    marked = list(marked)
    while True:
        out = [a or b for a, b in zip(marked, _reached(body.step.jaxpr, marked))]
        if out == marked[: body.n]:
            return out
        marked[: body.n] = out


def _batched_results(body: Body, ins: Sequence) -> tuple:
    """0 or None for each of the carried: whether it differs between examples if the arguments do as `ins` says."""
    marked = [i is not None for i in ins]
    carried = _carried_along(body, marked)
    if _reached(body.test.jaxpr, [*carried, *marked[body.n :]])[0]:
        return (0,) * body.n
    return tuple([0 if c else None for c in carried])


def _mapped(f: Callable, axes: Sequence[Axis]) -> Callable:
    """f of many examples. A result that is the same for all is taken from the first."""
    for a in axes:
        f = _mapped_once(f, a)
    return f


def _mapped_once(f: Callable, axis: Axis) -> Callable:
    many = jax.vmap(f, in_axes=axis.ins, axis_size=axis.size)
    return lambda *args: [x[0] if b is None else x for x, b in zip(many(*args), axis.outs, strict=True)]


def _in_front(args: Sequence, dims: Sequence) -> tuple[list, tuple]:
    args = [jnp.moveaxis(x, d, 0) if d else x for x, d in zip(args, dims)]
    return args, tuple([None if d is None else 0 for d in dims])


def _result_aval(aval: Any, batched: Sequence, axes: Sequence[Axis]) -> Any:
    front = [a.size for a, b in zip(axes, batched) if b is not None]
    return jax.core.ShapedArray((*reversed(front), *aval.shape), aval.dtype)


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

    return _mapped(plain, axes)(*args)


def _avals(*_, test, step, n, axes) -> list:
    return [_result_aval(a, [axis.outs[i] for axis in axes], axes) for i, a in enumerate(step.in_avals[:n])]


def _batched(axis_data, args, dims, *, axes, **params):
    if all(d is None for d in dims):
        return _loop.bind(*args, **params, axes=axes), [None] * params["n"]
    args, ins = _in_front(args, dims)
    outs = _batched_results(Body(**params), ins)
    results = _loop.bind(*args, **params, axes=(*axes, Axis(axis_data.size, ins, outs)))
    return results, list(outs)


def _jvp(primals, tangents, *, axes, **params):
    body = Body(**params)
    moved, wanted = _moving(body, tangents)
    given = [
        ad.instantiate_zeros(tangents[i]) for i in (*moved, *wanted)
    ]  # before the loop, so that they can join it
    outs = _loop.bind(*primals, **params, axes=axes)
    last = [a.outs[body.n - 1] for a in axes]
    return outs, _tangents(body, axes, outs[body.n - 1], last, primals, moved, wanted, given)


def _moving(body: Body, tangents: Sequence) -> tuple[tuple, tuple]:
    """The carried that tangents reach in any number of steps, and the captured that have some."""
    avals = body.step.in_avals
    inexact = [jnp.issubdtype(a.dtype, jnp.inexact) for a in avals]
    given = [type(t) is not ad.Zero and i for t, i in zip(tangents, inexact)]
    reached = _carried_along(body, given)
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
    """The tangents of a loop's results. end: the number after its last step, and for each axis whether that is batched."""
    avals = body.step.in_avals
    out: list[Any] = [
        ad.Zero(_result_aval(avals[i], [a.outs[i] for a in axes], axes).to_tangent_aval())
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
    found = _pushed.bind(
        end, *primals, *given, **body._asdict(), moved=moved, wanted=wanted, axes=pushed_axes
    )
    return _replaced(out, moved, found)


# -- pushed_loop -----------------------------------------------------------------------------------------------------
# Its arguments: the number after the last step, those of the loop, the tangents of those `moved` (carried), of those `wanted` (captured).


@functools.lru_cache(256)
def _both(body: Body, moved: tuple[int, ...], wanted: tuple[int, ...]) -> Body:
    """The loop that carries tangents too. Its arguments: (tangents moved, the loop's own, tangents wanted)."""
    k, m, at = len(moved), len(body.step.in_avals), (*moved, *wanted)
    test, step = jaxpr_as_fun(body.test), jaxpr_as_fun(body.step)

    def both(*args):
        primals = args[k : k + m]

        def some(*chosen):
            out = step(*_replaced(primals, at, chosen))
            return [out[i] for i in moved], out

        chosen = [primals[i] for i in at]
        _, pushed, out = jax.jvp(some, chosen, [*args[:k], *args[k + m :]], has_aux=True)
        return [*pushed, *out]

    structs = [*body.structs(moved), *body.structs(), *body.structs(wanted)]
    with jax.enable_x64(True):
        stepped = join_loops(jax.make_jaxpr(both)(*structs))
        tested = jax.make_jaxpr(lambda *args: test(*args[k : k + m]))(*structs)
    return Body(tested, stepped, k + body.n)


def _for_both(args: Sequence, k: int, m: int) -> tuple:
    """The arguments of pushed_loop in the order of `_both`."""
    return (*args[1 + m : 1 + m + k], *args[1 : 1 + m], *args[1 + m + k :])


def _axes_of_both(body: Body, k: int, axes: Sequence[Axis]) -> tuple:
    m = len(body.step.in_avals)
    return tuple(
        [
            Axis(a.size, _for_both(a.ins, k, m), (*a.outs, *_batched_results(body, a.ins[1 : 1 + m])))
            for a in axes
        ]
    )


def _run_pushed(*args, test, step, n, moved, wanted, axes) -> list:
    body, k = Body(test, step, n), len(moved)
    both, joint = _both(body, moved, wanted), _axes_of_both(body, k, axes)
    return _loop.bind(*_for_both(args, k, len(step.in_avals)), **both._asdict(), axes=joint)[:k]


def _pushed_avals(*_, test, step, n, moved, wanted, axes) -> list:
    return [
        _result_aval(step.in_avals[i], [axis.outs[j] for axis in axes], axes) for j, i in enumerate(moved)
    ]


def _pushed_batched(axis_data, args, dims, *, moved, wanted, axes, **params):
    if all(d is None for d in dims):
        same = _pushed.bind(*args, **params, moved=moved, wanted=wanted, axes=axes)
        return same, [None] * len(moved)
    args, ins = _in_front(args, dims)
    body = Body(**params)
    m = len(body.step.in_avals)
    either = list(ins[1 : 1 + m])
    for i, d in zip((*moved, *wanted), ins[1 + m :], strict=True):
        either[i] = either[i] if d is None else d
    carried = _batched_results(body, either)
    axis = Axis(axis_data.size, ins, tuple([carried[i] for i in moved]))
    results = _pushed.bind(*args, **params, moved=moved, wanted=wanted, axes=(*axes, axis))
    return results, list(axis.outs)


def _pushed_jvp(primals, tangents, *, moved, wanted, axes, **params):
    body, k = Body(**params), len(moved)
    m = len(body.step.in_avals)
    both, joint = _both(body, moved, wanted), _axes_of_both(body, k, axes)
    tangents = _for_both(tangents, k, m)
    again = _moving(both, tangents)
    given = [ad.instantiate_zeros(tangents[i]) for i in (*again[0], *again[1])]
    outs = _pushed.bind(*primals, **params, moved=moved, wanted=wanted, axes=axes)
    end = [a.ins[0] for a in axes]
    return outs, _tangents(both, joint, primals[0], end, _for_both(primals, k, m), *again, given)[:k]


def _pushed_transposed(cotangents, end, *args, test, step, n, moved, wanted, axes):
    m = len(step.in_avals)
    given = args[m:]
    cts = [ad.instantiate_zeros(ct) for ct in cotangents]
    pull = _run_pulled if _has_users_rule(step.jaxpr) else _pulled.bind
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
        e.primitive.name == "custom_vjp_call"
        or e.params.get("name") == USERS_RULE
        or any(_has_users_rule(j) for j in inner_jaxprs(e))
        for e in jaxpr.eqns
        if e.params
    )


# -- pulled_loop -----------------------------------------------------------------------------------------------------
# Its arguments: the number after the last step, those of the loop, the cotangents of the results `moved`. Its results: the cotangents of
# the carried `moved` and of the captured `wanted`.


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
        _result_aval(step.in_avals[i], [axis.outs[j] for axis in axes], axes)
        for j, i in enumerate((*moved, *wanted))
    ]


def _batched_alone(primitive: Primitive) -> Callable:
    """The batching rule of a pulled or bent loop: each example has results of its own."""

    def rule(axis_data, args, dims, *, axes, **params):
        n = len(params["moved"]) + len(params["wanted"])
        if all(d is None for d in dims):
            return primitive.bind(*args, **params, axes=axes), [None] * n
        args, ins = _in_front(args, dims)
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
    outs = _pulled.bind(*primals, **same)
    parts = []
    if not _is_zero(tangents[m:]):
        parts.append(_pulled.bind(*primals[:m], *map(ad.instantiate_zeros, tangents[m:]), **same))
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
    found = _pushed.bind(*args[:m], *given, **params, moved=moved, wanted=wanted, axes=pushed_axes)
    found = [_shared(x, [a.ins[m + j] for a in axes]) for j, x in enumerate(found)]
    return [None] * m + [ct if ad.is_undefined_primal(x) else None for x, ct in zip(args[m:], found)]


def _shared(x, batched: Sequence) -> Any:
    """The sum over those axes, all of them in front of x and the last one first, that are not batched."""
    return x.sum(tuple([len(batched) - 1 - i for i, b in enumerate(batched) if b is None]))


# -- bent_loop -------------------------------------------------------------------------------------------------------
# Its arguments: the number after the last step, those of the loop, the cotangents of the results `outs`, tangents of the carried
# along[0] and the captured along[1]. Its results: the cotangents of the carried `moved` and the captured `wanted` in the derivative of
# the pulled loop along the tangents.


def _bend(body: Body, outs: tuple, primals, given, at: tuple, along: tuple, axes: Sequence[Axis]) -> list:
    """The bent loop by the arguments and axes of a pulled loop, and tangents, which are batched as what they are tangents of."""
    of = [1 + i for i in (*along[0], *along[1])]
    bent_axes = tuple([Axis(a.size, (*a.ins, *[a.ins[i] for i in of]), a.outs) for a in axes])
    moved, wanted = at
    return _bent.bind(
        *primals, *given, **body._asdict(), outs=outs, moved=moved, wanted=wanted, along=along, axes=bent_axes
    )


class _Bent(NamedTuple):
    """A bent loop as the pulled loop of the loop that carries tangents: that loop, what is pulled, and where its arguments are."""

    both: Body
    moved: tuple[int, ...]
    wanted: tuple[int, ...]
    k: int
    """How many of the results, the first ones, are cotangents of the tangents: not wanted here."""


def _unbent(body: Body, moved: tuple, wanted: tuple, along: tuple) -> _Bent:
    k = len(along[0])
    own = [k + i for i in moved]
    return _Bent(_both(body, *along), (*range(k), *own), tuple([k + i for i in wanted]), k)


def _split(args: Sequence, body: Body, outs: tuple) -> tuple:
    """(end, the loop's own arguments, cotangents, tangents) of a bent loop."""
    m = 1 + len(body.step.in_avals)
    return args[0], args[1:m], args[m : m + len(outs)], args[m + len(outs) :]


def _as_pulled(args: Sequence, body: Body, outs: tuple, moved: tuple, along: tuple, zero: Callable) -> list:
    """What a bent loop has for each argument, in the order of the arguments of `_unbent`. zero(i): for no cotangent of carried i."""
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
    found = _bent.bind(*primals, **same)
    parts = []
    for start, stop in ((m, m + len(outs)), (m + len(outs), len(primals))):
        if not _is_zero(tangents[start:stop]):
            given = [ad.instantiate_zeros(t) for t in tangents[start:stop]]
            parts.append(_bent.bind(*primals[:start], *given, *primals[stop:], **same))
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
        found = _pushed.bind(
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
    found = _bent.bind(
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
        """(cotangents, totals, steps done) one step back; captured: start, count, stride, kept states, the loop's own."""
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
            out = once(*_replaced(args, at, chosen))
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


# -- in one loop -----------------------------------------------------------------------------------------------------


def join_loops(jaxpr: ClosedJaxpr) -> ClosedJaxpr:
    """The same computation, where a loop and its tangents are one loop: forward mode that nothing transposes needs no second."""
    if not calls(jaxpr.jaxpr, {_pushed.name}):
        return jaxpr
    return jaxpr.replace(jaxpr=_joined(jaxpr.jaxpr))


_WITH_RULES = ("ruled", "custom_jvp_call", "custom_vjp_call", "custom_lin")


def _joined(jaxpr: Jaxpr) -> Jaxpr:
    eqns: list[Any] = []
    made: dict[Any, int] = {}  # by which equation each variable is made
    for eqn in jaxpr.eqns:
        if eqn.primitive is _pushed:
            at = _loop_of(eqn, eqns, made)
            if at is not None:
                eqns[at] = _joint(eqns[at], eqn)
                made.update(dict.fromkeys(eqn.outvars, at))
                continue
        elif eqn.primitive.name not in _WITH_RULES and eqn.primitive not in (_loop, _pulled, _bent):
            params = {k: _joined_param(p) for k, p in eqn.params.items()}
            eqn = eqn.replace(params=params)
        made.update(dict.fromkeys(eqn.outvars, len(eqns)))
        eqns.append(eqn)
    return jaxpr.replace(eqns=eqns)


def _joined_param(p: Any) -> Any:
    if type(p) in (tuple, list):
        return type(p)([_joined_param(x) for x in p])
    if isinstance(p, ClosedJaxpr):
        return join_loops(p)
    return _joined(p) if isinstance(p, Jaxpr) and calls(p, {_pushed.name}) else p


def _same(a: Any, b: Any) -> bool:
    return a is b or (type(a) is Literal and type(b) is Literal and a.aval == b.aval and a.val == b.val)


def _loop_of(pushed: Any, eqns: list, made: dict) -> int | None:
    """The equation of the loop whose tangents these are, if the tangents that are given are known there."""
    p = pushed.params
    m = len(p["step"].in_avals)
    end, primals, given = pushed.invars[0], pushed.invars[1 : 1 + m], pushed.invars[1 + m :]
    at = None if type(end) is Literal else made.get(end)
    if at is None or eqns[at].primitive is not _loop:
        return None
    loop = eqns[at]
    if any(loop.params[k] is not p[k] for k in ("test", "step")) or not all(map(_same, loop.invars, primals)):
        return None
    if any(type(v) is not Literal and made.get(v, -1) >= at for v in given):
        return None
    own = [(a.size, a.ins[1 : 1 + m]) for a in p["axes"] if any(i is not None for i in a.ins[1 : 1 + m])]
    return at if own == [(a.size, a.ins) for a in loop.params["axes"]] else None


def _joint(loop: Any, pushed: Any) -> Any:
    p = dict(pushed.params)
    moved, wanted, axes = p.pop("moved"), p.pop("wanted"), p.pop("axes")
    body, k = Body(**p), len(moved)
    both = _both(body, moved, wanted)
    invars = list(_for_both(pushed.invars, k, len(body.step.in_avals)))
    params = {**both._asdict(), "axes": _axes_of_both(body, k, axes)}
    return loop.replace(invars=invars, outvars=[*pushed.outvars, *loop.outvars], params=params)


for _primitive, _run_it, _their_avals, _batch, _push, _name in (
    (_loop, _run, _avals, _batched, _jvp, "loop"),
    (_pushed, _run_pushed, _pushed_avals, _pushed_batched, _pushed_jvp, "pushed_loop"),
    (_pulled, _run_pulled, _pulled_avals, _batched_alone(_pulled), _pulled_jvp, "pulled_loop"),
    (_bent, _run_bent, _pulled_avals, _batched_alone(_bent), _bent_jvp, "bent_loop"),
):
    _primitive.def_impl(_run_it)
    _primitive.def_abstract_eval(_their_avals)
    ad.primitive_jvps[_primitive] = _push
    batching.fancy_primitive_batchers[_primitive] = _batch
    mlir.register_lowering(_primitive, mlir.lower_fun(_run_it, multiple_results=True))
ad.primitive_transposes[_pushed] = _pushed_transposed
ad.primitive_transposes[_pulled] = _pulled_transposed
ad.primitive_transposes[_bent] = _bent_transposed
