"""Sharding propagation: the sharded dimensions of an op's results, given the sharded dimensions of its inputs,
inferred from its jaxpr.

So no op needs a rule of its own.

Nothing here decides on numbers: XLA computes the same for any placement. A primitive that is not known gives results
that are whole everywhere. A spec says for each dimension of an array over which dimensions of the mesh it is cut, the
outer one first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from jax import lax
from jax.extend.core import Jaxpr

from .._core.api import Kind, P, Rules, row, walk

__all__ = ["Spec", "is_fragile", "propagated", "whole"]

Spec = tuple[tuple[int, ...], ...]
"""For each dimension of an array, the dimensions of the mesh that it is cut over."""


def whole(ndim: int) -> Spec:
    """The spec of what is cut nowhere."""
    return ((),) * ndim


def _specs(variables: Sequence[Any], known: Sequence[Spec | None]) -> list[Spec]:
    """The specs of variables: what is not known is whole."""
    return [
        whole(len(getattr(v.aval, "shape", ()))) if spec is None else spec
        for v, spec in zip(variables, known)
    ]


_OPAQUE = (Kind.LOOP, Kind.BRANCH, Kind.RANDOM, Kind.LIBRARY)
"""Kinds of primitives whose results are whole, unless they have a rule."""


def _otherwise(p: P) -> str:
    if p.call:
        return "by kind: as what it calls"
    return "by kind: whole" if p.kind in _OPAQUE else "by kind: as operands of the result's shape, if all are"


RULES = Rules("meshes", "along which dimensions of a mesh results are cut", _otherwise)
rule = RULES.rule


def propagated(
    jaxpr: Jaxpr, given: Sequence[Spec], sizes: Sequence[int], lost: set[int] | None = None
) -> list[Spec]:
    """The specs of a jaxpr's results. sizes: of the mesh's dimensions. lost: gets those along which a dimension of some
    array was cut, and what is made of the array needs the whole of that dimension."""
    if not any(any(spec) for spec in given):
        return _specs(jaxpr.outvars, [None] * len(jaxpr.outvars))

    def made_of(eqn: Any, known: list[Spec | None]) -> list[Spec] | None:
        ins, p, made = _specs(eqn.invars, known), row(eqn), None
        if p.placed or any(any(spec) for spec in ins):
            made = _results(eqn, ins, sizes, lost)
            if lost is not None and p.across:
                lost.update(_dims_of(ins) - _dims_of(made))
        counts = _counting(eqn, ins)
        return made if counts is None else [_Indices.of(_specs(eqn.outvars, made or [None])[0], counts)]

    return _specs(jaxpr.outvars, walk.flows(jaxpr, given, made_of))


class _Indices(tuple):
    """The spec of an array of indices: for each number of its last dimension, the dimension of the array along which
    it `counts`, as `torch.arange` does, or None if it does not. Elements that are read or written at such an index
    stay on their device."""

    counts: tuple[int | None, ...]

    @classmethod
    def of(cls, spec: Spec, counts: tuple[int | None, ...]) -> _Indices:
        """The spec, with what counts."""
        made = cls(spec)
        made.counts = counts
        return made


def _counting(eqn: Any, ins: Sequence[Spec]) -> tuple[int | None, ...] | None:
    """Determines along which dimensions the result of an equation counts: an iota does, also one that is broadcast,
    converted, or made of negative numbers or not, and a concatenation with others (a dimension for each). None:
    none."""
    primitive, p = eqn.primitive, eqn.params
    if primitive is lax.iota_p:
        return (p["dimension"],)
    counts = [getattr(spec, "counts", None) for spec in ins]
    if not any(counts):
        return None
    if primitive is lax.concatenate_p and p["dimension"] == len(ins[0]) - 1:
        return tuple([c for v, of in zip(eqn.invars, counts) for c in of or (None,) * _shape(v)[-1]])
    if primitive is lax.broadcast_in_dim_p:
        return tuple([None if c is None else p["broadcast_dimensions"][c] for c in counts[0] or ()])
    if primitive in (lax.convert_element_type_p, lax.select_n_p):
        return next(filter(None, counts))
    return None


def _dims_of(specs: Sequence[Spec]) -> set[int]:
    """The dimensions of the mesh along which something is cut."""
    return {m for spec in specs for dims in spec for m in dims}


def _results(eqn: Any, ins: list[Spec], sizes: Sequence[int], lost: set[int] | None) -> list[Spec]:
    rule = RULES.get(eqn.primitive.name)
    if rule is not None:
        made = rule(eqn, ins, sizes)
    elif (inner := walk.called(eqn)) is not None:
        made = propagated(walk.opened(inner), ins, sizes, lost)
    else:
        made = _elementwise(eqn, ins, sizes)
    return [_once(spec) for spec in made]


def _once(spec: Spec) -> Spec:
    """The spec with each dimension of the mesh used once, in ascending order where several cut one dimension."""
    used: set[int] = set()
    made = []
    for dims in spec:
        kept: tuple[int, ...] = ()
        for m in dims:
            if m not in used and (not kept or m > kept[-1]):
                used.add(m)
                kept += (m,)
        made.append(kept)
    return tuple(made)


def _shape(v: Any) -> tuple[int, ...]:
    return v.aval.shape


def merged(specs: Sequence[Spec], ndim: int) -> Spec:
    """Returns the spec of several arrays of one shape together. If two are sharded along different dimensions, the
    first dimension wins."""
    made: list[tuple[int, ...]] = []
    used: set[int] = set()
    for d in range(ndim):
        best = max([spec[d] for spec in specs], key=len, default=())
        kept = tuple([m for m in best if m not in used])
        used.update(kept)
        made.append(kept)
    return tuple(made)


def _elementwise(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    """Rule of pointwise primitives: operands of equal shapes, but that a dimension may be 1, or numbers. For anything
    else the results are whole."""
    made = []
    for out in eqn.outvars:
        shape = getattr(out.aval, "shape", ())
        fit: list[Spec] = []
        for v, spec in zip(eqn.invars, ins):
            given = getattr(v.aval, "shape", ())
            if len(given) == len(shape) and all(a in (1, b) for a, b in zip(given, shape)):
                fit.append(tuple([s if a == b else () for s, a, b in zip(spec, given, shape)]))
            elif given != ():
                fit = []
                break
        made.append(merged(fit, len(shape)) if fit and row(eqn).kind not in _OPAQUE else whole(len(shape)))
    return made


def _without(spec: Spec, dims: Sequence[int]) -> Spec:
    return tuple([() if d in dims else s for d, s in enumerate(spec)])


@rule(
    "reduce_sum",
    "reduce_max",
    "reduce_min",
    "reduce_prod",
    "reduce_and",
    "reduce_or",
    "reduce_xor",
    "argmax",
    "argmin",
    "reduce",
)
def _reduce(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    axes = eqn.params.get("axes", eqn.params.get("dimensions", ()))
    n = len(eqn.outvars)
    specs = [tuple([s for d, s in enumerate(spec) if d not in axes]) for spec in ins[:n]]
    return specs


@rule("broadcast_in_dim")
def _broadcast(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    shape = eqn.params["shape"]
    made: list[tuple[int, ...]] = [()] * len(shape)
    for d, at in enumerate(eqn.params["broadcast_dimensions"]):
        if _shape(eqn.invars[0])[d] == shape[at]:
            made[at] = ins[0][d]
    return [tuple(made)]


@rule("transpose")
def _transpose(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    return [tuple([ins[0][d] for d in eqn.params["permutation"]])]


@rule("squeeze")
def _squeeze(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    return [tuple([s for d, s in enumerate(ins[0]) if d not in eqn.params["dimensions"]])]


@rule("reshape")
def _reshape(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    if eqn.params.get("dimensions") is not None:
        return [whole(len(_shape(eqn.outvars[0])))]
    return [reshaped(_shape(eqn.invars[0]), _shape(eqn.outvars[0]), ins[0], sizes)]


def reshaped(before: Sequence[int], after: Sequence[int], spec: Spec, sizes: Sequence[int]) -> Spec:
    """The spec after a reshape: a dimension that is split or joined stays cut if it is the outermost, and the parts are
    even."""
    made: list[tuple[int, ...]] = [()] * len(after)
    if 0 in before:
        return tuple(made)
    i = j = 0
    while i < len(before) and j < len(after):
        first_i, first_j, a, b = i, j, before[i], after[j]
        i, j = i + 1, j + 1
        while a != b:
            if a < b:
                a, i = a * before[i], i + 1
            else:
                b, j = b * after[j], j + 1
        while i < len(before) and before[i] == 1 and j == len(after):
            i += 1
        olds = [d for d in range(first_i, i) if before[d] != 1] or [first_i]
        news = [d for d in range(first_j, j) if after[d] != 1] or [first_j]
        cut = spec[olds[0]]
        n = math.prod([sizes[m] for m in cut])
        if cut and (
            before[olds[0]] == after[news[0]] or (before[olds[0]] % n == 0 and after[news[0]] % n == 0)
        ):
            made[news[0]] = cut
    return tuple(made)


def _at_dimension(name: str) -> Callable:
    def along(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
        d = eqn.params[name]
        n = len(_shape(eqn.outvars[0]))
        spec = _without(merged([s for s in ins if len(s) == n], n), [d % n])
        return [spec] * len(eqn.outvars)

    return along


rule("concatenate", "sort")(_at_dimension("dimension"))
rule("split", "cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp")(_at_dimension("axis"))


@rule("slice", "dynamic_slice")
def _sized(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    """Rule of slices, padding, windows of one: a dimension stays sharded if its size is unchanged, else it is whole."""
    before = _shape(eqn.invars[0])
    made = []
    for out in eqn.outvars:
        after = _shape(out)
        made.append(tuple([s if a == b else () for s, a, b in zip(ins[0], before, after)]))
    return made


@rule("pad")
def _pad(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    padded = [
        d for d, (low, high, inside) in enumerate(eqn.params["padding_config"]) if low or high or inside
    ]
    return [_without(ins[0], padded)]


@rule("rev")
def _rev(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    return [_without(ins[0], eqn.params["dimensions"])]


@rule("reduce_window_sum", "reduce_window_max", "reduce_window_min", "reduce_window")
def _window(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    sized = _sized(eqn, ins, sizes)
    wide = [d for d, n in enumerate(eqn.params["window_dimensions"]) if n != 1]
    return [_without(spec, wide) for spec in sized]


@rule("dot_general")
def _dot(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    (lc, rc), (lb, rb) = eqn.params["dimension_numbers"]
    left, right = ins
    batch = [max(left[i], right[j], key=len) for i, j in zip(lb, rb)]
    lefts = [s for d, s in enumerate(left) if d not in lc and d not in lb]
    rights = [s for d, s in enumerate(right) if d not in rc and d not in rb]
    return [(*batch, *lefts, *rights)]


@rule("conv_general_dilated")
def _convolution(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    n = eqn.params["dimension_numbers"]
    made: list[tuple[int, ...]] = [()] * len(ins[0])
    if eqn.params["batch_group_count"] == 1:
        made[n.out_spec[0]] = ins[0][n.lhs_spec[0]]
        lhs, out = _shape(eqn.invars[0]), _shape(eqn.outvars[0])
        for i, o in zip(n.lhs_spec[2:], n.out_spec[2:]):
            cut = ins[0][i]
            if out[o] >= math.prod([sizes[m] for m in cut]) and lhs[i] > 1:
                made[o] = cut
        made[n.out_spec[1]] = ins[1][n.rhs_spec[0]]
        groups = eqn.params["feature_group_count"]
        if groups > 1 and ins[0][n.lhs_spec[1]] and groups == lhs[n.lhs_spec[1]]:
            made[n.out_spec[1]] = ins[0][n.lhs_spec[1]]
    return [tuple(made)]


@rule("convolution_form")
def _form(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    """The library's own convolution (nn/functional/_convolve.py): input x (b, n, c, …), weight w (b, o, c, …) and
    gradient g (b, n, o, …), of which it makes one of the two others."""
    yields, dims = eqn.params["yields"], len(eqn.params["window"].stride)
    of: dict[str, list] = {}
    roles = [role for role in "xwg" if role != yields]
    for role, v, spec in zip(roles, eqn.invars, ins):
        lead = spec[: len(spec) - dims]
        of.setdefault("b", [lead[:1]]).append(lead[:1])
        of.setdefault({"x": "n", "w": "o", "g": "n"}[role], []).append(lead[1:-1])
        of.setdefault({"x": "c", "w": "c", "g": "o"}[role], []).append(lead[-1:])
        if role != "w" and yields != "w":
            before, after = v.aval.shape[len(lead) :], eqn.outvars[0].aval.shape[-dims:]
            counts = [math.prod([sizes[m] for m in s]) for s in spec[len(lead) :]]
            of["…"] = [
                tuple(
                    [
                        s if min(a, b) >= k else ()
                        for s, a, b, k in zip(spec[len(lead) :], before, after, counts)
                    ]
                )
            ]
    made: tuple = ()
    for letter in {"x": "bnc", "w": "boc", "g": "bno"}[yields]:
        made += next((part for part in of[letter] if any(part)), of[letter][0])
    return [made + of.get("…", [whole(dims)])[0]]


@rule("stack")
def _stack(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    spec, at = merged(ins, len(ins[0])), eqn.params["axis"]
    return [(*spec[:at], (), *spec[at:])]


@rule("gather")
def _gather(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    n, of = eqn.params["dimension_numbers"], eqn.params["slice_sizes"]
    shape = _shape(eqn.invars[0])
    out = len(_shape(eqn.outvars[0]))
    left_out = {*n.collapsed_slice_dims, *getattr(n, "operand_batching_dims", ())}
    kept = [d for d in range(len(shape)) if d not in left_out]
    made: list[tuple[int, ...]] = [()] * out
    for at, d in zip(n.offset_dims, kept):
        if of[d] == shape[d]:
            made[at] = ins[0][d]
    batch = [d for d in range(out) if d not in n.offset_dims]
    for at, spec in zip(batch, ins[1]):
        made[at] = spec
    return [tuple(made)]


@rule("scatter", "scatter-add", "scatter-sub", "scatter-mul", "scatter-min", "scatter-max")
def _scatter(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    n = eqn.params["dimension_numbers"]
    touched = {*n.inserted_window_dims, *n.scatter_dims_to_operand_dims}
    made = list(_without(ins[0], sorted(touched)))
    if not n.update_window_dims:
        for d, along in zip(n.scatter_dims_to_operand_dims, getattr(ins[1], "counts", ())):
            if along is not None:  # of which each number is put to its own place
                made[d] = max(ins[0][d], ins[2][along], key=len)
    return [tuple(made)]


@rule("dynamic_update_slice")
def _update(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    return [ins[0]]


@rule("bounded", "required", "reads", "whole_power", "forward_only", "sharding_constraint")
def _first(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    """Rule of primitives whose result is their first operand."""
    return (
        [ins[0]] * len(eqn.outvars)
        if _shape(eqn.invars[0]) == _shape(eqn.outvars[0])
        else _none(eqn, ins, sizes)
    )


@rule("recut")
def _recut(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    """Rule of results that were placed where they were made (_halo.py)."""
    if eqn.params["on"].shape != tuple(sizes):
        return _none(eqn, ins, sizes)
    return [tuple([had if dims is None else dims for had, dims in zip(ins[0], eqn.params["spec"])])]


@rule("iota", "scan", "while", "cond", "random_bits", "shard_map")
def _none(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    return [whole(len(getattr(v.aval, "shape", ()))) for v in eqn.outvars]


@rule("top_k", "place_of_rank")
def _top_k(eqn: Any, ins: list[Spec], sizes: Sequence[int]) -> list[Spec]:
    return [_without(ins[0], [eqn.params.get("axis", -1) % len(ins[0])])] * len(eqn.outvars)


_UNEVEN = (Kind.GATHER, Kind.SCATTER)
"""Kinds of primitives for which XLA's partitioner ends the process, or makes a program that its own checks refuse,
where arrays are cut unevenly (jaxlib 0.10.2: `CreateConstant` in `HandleScatter`); so do slices with strides, and
padding between elements."""


def is_fragile(jaxpr: Jaxpr, given: Sequence[Spec], sizes: Sequence[int]) -> bool:
    """Returns whether every device is to compute the whole of a jaxpr whose arguments have these specs."""
    fragile = False

    def made_of(eqn: Any, known: list[Spec | None]) -> list[Spec] | None:
        nonlocal fragile
        p = row(eqn)
        if fragile or p.parts:
            return None  # of parts XLA makes no smaller ones
        ins = _specs(eqn.invars, known)
        made = None
        if p.placed or any(any(spec) for spec in ins):
            made = _results(eqn, ins, sizes, None)
        uneven = p.kind in _UNEVEN or _is_strided(eqn)
        fragile = (
            p.kind == Kind.LIBRARY
            or eqn.primitive is lax.reduce_xor_p
            or (
                uneven and _is_uneven(eqn, ins, _specs(eqn.outvars, made or [None] * len(eqn.outvars)), sizes)
            )
        )
        if (call := walk.called(eqn)) is not None:
            fragile = fragile or is_fragile(walk.opened(call), ins, sizes)
        else:
            fragile = fragile or any(
                is_fragile(j, _specs(j.invars, [None] * len(j.invars)), sizes) for j in walk.inner(eqn)
            )
        return made

    walk.flows(jaxpr, given, made_of)
    return fragile


def _is_uneven(eqn: Any, ins: list[Spec], made: list[Spec], sizes: Sequence[int]) -> bool:
    """Returns whether a dimension of some array of an equation is cut unevenly.

    Where what is cut does not stay so, or nothing is, XLA may cut any of them."""
    cut = _dims_of(ins)
    if cut and all(cut == _dims_of([spec]) for spec in made):
        arrays = [
            (v.aval.shape, spec) for v, spec in zip((*eqn.invars, *eqn.outvars), (*ins, *made)) if any(spec)
        ]
        return any(
            n % math.prod([sizes[m] for m in dims]) for shape, spec in arrays for n, dims in zip(shape, spec)
        )
    counts = {*sizes, math.prod(sizes)}
    lengths = {n for v in (*eqn.invars, *eqn.outvars) for n in getattr(v.aval, "shape", ()) if n > 1}
    return any(n % k for n in lengths for k in counts)


def _is_strided(eqn: Any) -> bool:
    if eqn.primitive is lax.slice_p:
        return any(s != 1 for s in eqn.params["strides"] or ())
    return eqn.primitive is lax.pad_p and any(
        inside or low < 0 or high < 0 for low, high, inside in eqn.params["padding_config"]
    )
