"""grad, grad_and_value, vjp, jvp, linearize: JAX's transforms of a function recorded once.

Each runs the function at a level of its own, which gives a Graph, and applies one op made of the Graph to the level
below.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from .._core.api import (
    ONES,
    DerivedOp,
    Formula,
    Graph,
    Tensor,
    apply_op,
    make_tensor,
    read,
    refuse_pytorchs,
    state,
    tidied,
    transforms,
)
from .._core.lazy.cutting import cuts_here
from . import anomalies, by_parts
from ._trees import Structure, flatten, select_argnums, short, tensor_leaves, unflatten
from .aliases import Alias, aliases, shared
from .cuts import CutRecorded, Notes, depends, record_function
from .outermost import Carried, Fixed, at_once, transform

__all__ = ["grad", "grad_and_value", "jvp", "linearize", "vjp"]


def _conj(x):
    return jnp.conj(x) if jnp.iscomplexobj(x) else x


def _replaced(leaves: list, at: list[int], fresh: list) -> list:
    out = list(leaves)
    for i, t in zip(at, fresh):
        out[i] = t
    return out


def _split_aux(who: str, result: Any) -> tuple[Any, Any]:
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(f"{who}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return result


class _Aux:
    """The tensors in a tree that a function returned and that may hold anything, and how to put their results back."""

    def __init__(self, aux: Any):
        self.leaves, self.structure = flatten(aux)
        self.at = tensor_leaves(self.leaves)
        self.tensors = [self.leaves[i] for i in self.at]

    def rebuilt(self, tensors: Any) -> Any:
        """The same tree with these tensors."""
        return unflatten(self.structure, _replaced(self.leaves, self.at, list(tensors)))


class _Arguments:
    """A call's arguments: the tensors a transform differentiates by come first in `tensors`, then all the others.

    The others are inputs of the level too, so that a function may write to them.
    """

    __slots__ = ("argnums", "at", "leaves", "n", "structure", "structures", "tensors")

    def __init__(self, args: tuple, kwargs: dict, argnums: int | tuple[int, ...], reverse: bool = True):
        self.argnums = argnums
        wrapped = select_argnums(args, argnums)
        self.leaves, self.structure = flatten((args, kwargs))
        per_argument = self.structure.children[0].children
        starts = [0]
        for s in per_argument:
            starts.append(starts[-1] + s.num_leaves)
        chosen = [i for a in wrapped for i in range(starts[a], starts[a + 1])]
        _check_differentiable([self.leaves[i] for i in chosen], reverse)
        self.structures = [per_argument[a] for a in wrapped]
        self.n = len(chosen)
        self.at = chosen + [i for i in tensor_leaves(self.leaves) if i not in set(chosen)]
        self.tensors = [self.leaves[i] for i in self.at]

    def call(self, func: Callable, fresh: list) -> Any:
        """func of the same arguments with fresh tensors."""
        args, kwargs = unflatten(self.structure, _replaced(self.leaves, self.at, fresh))
        return func(*args, **kwargs)

    def by_argnums(self, values: Any) -> Any:
        """Values of the differentiated leaves as one tree for each argnum."""
        it = iter(_placed_as(values, self.tensors))
        trees = [unflatten(s, [next(it) for _ in range(s.num_leaves)]) for s in self.structures]
        return trees[0] if isinstance(self.argnums, int) else tuple(trees)


def _placed_as(gradients: Any, tensors: list) -> list:
    """Gradients on a mesh, with the placements of the tensors they belong to."""
    pairs = [(g, t._aval.device) for g, t in zip(gradients, tensors)]
    return [on.receive(g) if on.is_mesh else g for g, on in pairs]


def _check_differentiable(leaves: list, reverse: bool = True) -> None:
    for x in leaves:
        if not isinstance(x, Tensor):
            refuse_pytorchs(x)
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
        if reverse and not x._aval.taped:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")


def _check_leaves(recorded: CutRecorded, n: int) -> None:
    """Raises for a write to a tensor that is differentiated in reverse: a leaf, to which torch forbids writing."""
    if any(taped and number is not None and number < n for _, number, taped in recorded.written):
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


def _frozen(tensors: list) -> tuple:
    """The same values under names that later writes do not reach."""
    level = state.rec.level
    return tuple([make_tensor(read(t), level, t._edge) if isinstance(t, Tensor) else t for t in tensors])


# -- grad ------------------------------------------------------------------------------------------------------------


def _grad_op(graph: Graph, n: int) -> DerivedOp:
    """(gradients, value, everything else the graph gives)."""

    def fn(*arrays):
        def f(*chosen):
            out, *rest = graph(*chosen, *arrays[n:])
            return out, rest

        value, pull, rest = jax.vjp(f, *arrays[:n], has_aux=True)
        return [*[_conj(g) for g in pull(jnp.ones_like(value))], value, *rest]

    return Formula(fn, "grad", n)


@transforms("grad")
def _grad_of(key: tuple, graph: Graph) -> DerivedOp:
    _, n, taped = key
    return _grad_op(graph, n) if taped else _no_gradient_op(graph, n)


def _no_gradient_op(graph: Graph, n: int) -> DerivedOp:
    """The same for an output that is not a floating point number: the gradients are zero."""
    return DerivedOp(lambda *arrays: [*[jnp.zeros_like(x) for x in arrays[:n]], *graph(*arrays)], "grad")


def grad_and_value(func: Callable, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable:
    """A function that returns (gradient of func, func's value): see grad. With has_aux: (gradient, (value, aux)).

    Args:
        func: the function to differentiate.
        argnums: which positional argument to differentiate with respect to: an int, or a tuple of
            ints. Default: 0.
        has_aux: whether `func` returns (output, aux), where aux is returned unchanged beside the
            result. Default: False.

    >>> grad_and_value(lambda x: (x ** 2).sum())(torch.tensor([3.]))
    (tensor([6.]), tensor(9.))
    """

    @transform(func, "grad_and_value", argnums, has_aux)
    def wrapper(*args, **kwargs):
        given = _Arguments(args, kwargs, argnums)
        n = given.n

        def run(fresh):
            out, aux = given.call(func, fresh), None
            if has_aux:
                out, aux = _split_aux("grad_and_value(f)(*args)", out)
            if not isinstance(out, Tensor):
                raise RuntimeError(
                    f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(out)}"
                )
            if out._aval.shape:
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                    f"{len(out._aval.shape)} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            if out._aval.dtype.is_complex and depends(state.rec, out):
                raise RuntimeError(
                    f"grad can be implicitly created only for real scalar outputs but got {out._aval.dtype}"
                )
            aux = _Aux(aux)
            outs = [out, *aux.tensors]
            return outs, (aux, out._aval.taped, aliases(fresh, outs))

        avals = [t._aval for t in given.tensors]
        notes = Notes(n)
        recorded = record_function("grad", avals, given.tensors, run, notes, writes=True)
        _check_leaves(recorded, n)
        graph = recorded.graph
        aux, taped, same = recorded.result
        op = graph.transformed(("grad", n, taped))
        if taped and recorded.notes.cuts:
            results = by_parts.gradients_and_values(recorded)
        else:
            results = apply_op(op, None, tuple(recorded.inputs))
            if anomalies.mode["looks"] and taped:
                one = apply_op(ONES, None, (results[n],))[0]
                anomalies.look_for_nan(graph, recorded.inputs, set(range(n)), {0: one})
        end = n + 1 + len(aux.tensors)
        recorded.write_back(results[end:])
        gradient = given.by_argnums(results[:n])
        value, *more = shared(same, results[n:end], given.tensors)
        return gradient, (value, aux.rebuilt(more)) if has_aux else value

    return wrapper


def grad(func: Callable, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable:
    """A function that returns the gradient of func, whose output must be a scalar tensor, by the arguments in argnums.

    Gradients have the arguments' structure.

    Args:
        func: the function to differentiate.
        argnums: which positional argument to differentiate with respect to: an int, or a tuple of
            ints. Default: 0.
        has_aux: whether `func` returns (output, aux), where aux is returned unchanged beside the
            result. Default: False.

    >>> grad(torch.sin)(torch.tensor(0.))
    tensor(1.)
    """
    both = grad_and_value(func, argnums, has_aux).transform.run  # type: ignore[attr-defined]

    @transform(func, "grad", argnums, has_aux)
    def wrapper(*args, **kwargs):
        gradient, rest = both(*args, **kwargs)
        return (gradient, rest[1]) if has_aux else gradient

    return wrapper


# -- vjp and jvp -----------------------------------------------------------------------------------------------------


def _output_tensors(who: str, out: Any) -> tuple[list[Tensor], Any]:
    leaves, structure = flatten(out)
    if not leaves or (len(leaves) == 1 and leaves[0] is None):
        raise RuntimeError(
            f"{who}: Expected f to be a function that has non-empty output (got output = {leaves})"
        )
    for x in leaves:
        if not isinstance(x, Tensor):
            raise RuntimeError(
                f"{who}: expected f(*primals) to return only tensors, got unsupported type {type(x)}"
            )
    return leaves, structure


def _record_outputs(
    kind: str, who: str, func: Callable, leaves: list, structure: Structure, has_aux: bool
) -> tuple[CutRecorded, Structure, _Aux, list[Alias | None]]:
    """Records func at its arguments, all of them tensors: (recorded, structure of its output, aux, the tensors of
    which outputs are views)."""

    def run(fresh):
        out, aux = func(*unflatten(structure, fresh)), None
        if has_aux:
            out, aux = _split_aux(who, out)
        outs, out_structure = _output_tensors(who, out)
        aux = _Aux(aux)
        outs = [*outs, *aux.tensors]
        return outs, (out_structure, aux, aliases(fresh, outs))

    recorded = record_function(kind, [t._aval for t in leaves], leaves, run, Notes(len(leaves)), writes=True)
    return recorded, *recorded.result


def _taped_inputs(graph: Graph) -> list[int]:
    return [i for i in range(graph.n_inputs) if graph.in_avals[i].taped]


def _pull(graph: Graph, n_out: int, arrays):
    """(inexact outputs' positions, function from their cotangents to the cotangents of the inexact inputs)."""
    wanted = _taped_inputs(graph)

    def f(*chosen):
        full = list(arrays)
        for i, x in zip(wanted, chosen):
            full[i] = x
        outs = graph(*full)[:n_out]
        return [o for o in outs if jnp.issubdtype(o.dtype, jnp.inexact)]

    return jax.vjp(f, *[arrays[i] for i in wanted])


@transforms("vjp")
def _vjp_of(key: tuple, graph: Graph) -> DerivedOp:
    return _vjp_op(graph, key[1])


def _vjp_op(graph: Graph, n_out: int) -> DerivedOp:
    n_in = len(graph.in_avals)
    wanted = _taped_inputs(graph)

    def fn(*arrays):
        arrays, cts = arrays[:n_in], arrays[n_in:]
        _, pull = _pull(graph, n_out, arrays)
        gradients = dict(zip(wanted, pull([_conj(ct) for ct in cts])))
        return [
            _conj(gradients[i]) if i in gradients else jnp.zeros_like(arrays[i])
            for i in range(graph.n_inputs)
        ]

    return Formula(fn, "vjp")


@tidied
def vjp(func: Callable, *primals, has_aux: bool = False):
    """(func(*primals), vjp_fn): vjp_fn(cotangents, of the output's structure) gives the cotangents of the primals.

    With has_aux, func returns (output, aux) and vjp returns (output, vjp_fn, aux).

    Args:
        func: the function to differentiate.
        has_aux: whether `func` returns (output, aux), where aux is returned unchanged beside the
            result. Default: False.

    >>> out, pull = vjp(torch.sin, torch.tensor(0.)); pull(torch.tensor(2.))
    (tensor(2.),)
    """
    outs, aux, inputs, more = at_once(func, ("vjp", has_aux), partial(_vjp, func, has_aux), *primals)
    graph, structure, out_structure, recorded = more.parts
    n_out = len(outs)
    op = graph.transformed(("vjp", n_out))

    @tidied
    def vjp_fn(*cotangents, retain_graph: bool = True, create_graph: bool | None = None):
        # further positions are retain_graph and create_graph, as torch has them
        alone = all(isinstance(c, bool) for c in cotangents[1:])
        given = cotangents[0] if cotangents and alone else cotangents
        cts, ct_structure = flatten(given)
        if ct_structure != out_structure:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. "
                f"cotangents: {short(ct_structure)}, primal output: {short(out_structure)}"
            )
        for i, (o, c) in enumerate(zip(outs, cts)):
            if not isinstance(c, Tensor):
                refuse_pytorchs(c)
                raise TypeError(f"gradients can be either Tensors or None, but got {type(c).__name__}")
            if o._aval.shape != c._aval.shape:
                raise RuntimeError(
                    f"Mismatch in shape: grad_output[{i}] has a shape of {c.shape} and output[{i}] has a shape of {o.shape}."  # type: ignore[attr-defined]
                )
        cts = [_cast(c, o._aval.dtype) for o, c in zip(outs, cts)]
        if recorded is not None:
            gradients = by_parts.pull(recorded, dict(enumerate(cts)))
        else:
            if anomalies.mode["looks"]:
                anomalies.look_for_nan(graph, inputs, set(range(structure.num_leaves)), dict(enumerate(cts)))
            gradients = apply_op(op, None, (*inputs, *cts))
        return unflatten(structure, _placed_as(gradients[: structure.num_leaves], inputs))

    out = unflatten(out_structure, outs)
    return (out, vjp_fn, aux) if has_aux else (out, vjp_fn)


def _vjp(func: Callable, has_aux: bool, *primals) -> tuple[list[Tensor], Any, tuple, Carried]:
    """(outputs, aux, the values that the derivative reads, its further parts)."""
    leaves, structure = flatten(primals)
    _check_differentiable(leaves)
    recorded, out_structure, aux, same = _record_outputs(
        "vjp", "vjp(f, *primals)", func, leaves, structure, has_aux
    )
    _check_leaves(recorded, len(leaves))
    inputs = _frozen(recorded.inputs)
    recorded.inputs = list(inputs)
    results = by_parts.values(recorded)
    n_out, end = out_structure.num_leaves, out_structure.num_leaves + len(aux.tensors)
    recorded.write_back(results[end:])
    results = shared(same, results[:end], leaves)
    outs = results[:n_out]
    for o in outs:
        if not o._aval.taped:
            raise RuntimeError(
                "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                f"{o._aval.dtype}"
            )
    return outs, aux.rebuilt(results[n_out:end]), inputs, _carried(recorded, structure, out_structure)


def _carried(recorded: CutRecorded, *structures: Structure) -> Carried:
    """Parts of a deferred derivative, in addition to the values that it reads: the graph, structures, and the
    recording where the graph is cut."""
    if recorded.notes.cuts:
        return Carried(recorded.graph, *structures, recorded)
    return Fixed(recorded.graph, *structures, None)


def _cast(t: Tensor, dtype: Any) -> Tensor:
    return t if t._aval.dtype is dtype else t.to(dtype)  # type: ignore[attr-defined]


def _jvp_op(graph: Graph, n_out: int) -> DerivedOp:
    n_in = len(graph.in_avals)
    moved = _taped_inputs(graph)

    def fn(*arrays):
        arrays, tangents = arrays[:n_in], arrays[n_in:]

        def f(*chosen):
            full = list(arrays)
            for i, x in zip(moved, chosen):
                full[i] = x
            outs = graph(*full)
            flat = [o for o in outs[:n_out] if jnp.issubdtype(o.dtype, jnp.inexact)]
            return flat, outs

        _, out_tangents, outs = jax.jvp(
            f, [arrays[i] for i in moved], [tangents[i] for i in moved], has_aux=True
        )
        it = iter(out_tangents)
        full = [next(it) if jnp.issubdtype(o.dtype, jnp.inexact) else jnp.zeros_like(o) for o in outs[:n_out]]
        return [*outs, *full]

    return DerivedOp(fn, "jvp")


@tidied
def jvp(func: Callable, primals: tuple, tangents: tuple, *, strict: bool = False, has_aux: bool = False):
    """(func(*primals), its directional derivative along tangents); with has_aux also aux.

    Args:
        func: the function to differentiate.
        primals: the arguments of `func`: a tuple of trees of tensors.
        tangents: the direction: a tuple with the structure of `primals`.
        strict: whether an output that does not depend on the primals raises RuntimeError.
            Default: False.
        has_aux: whether `func` returns (output, aux), where aux is returned unchanged beside the
            result. Default: False.

    >>> jvp(torch.sin, (torch.tensor(0.),), (torch.tensor(2.),))
    (tensor(0.), tensor(2.))
    """
    return at_once(func, ("jvp", strict, has_aux), partial(_jvp, func, strict, has_aux), primals, tangents)


def _jvp(func: Callable, strict: bool, has_aux: bool, primals: tuple, tangents: tuple):
    who = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise RuntimeError(
            f"{who}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    leaves, structure = flatten(primals)
    tangent_leaves, tangent_structure = flatten(tangents)
    if structure != tangent_structure:
        raise RuntimeError(
            f"{who}: Expected primals and tangents to have the same python structure. For example, if primals is a tuple of 3 "
            f"tensors, tangents also must be. Got primals with structure {structure} and tangents with structure {tangent_structure}"
        )
    for what, given in (("primals", leaves), ("tangents", tangent_leaves)):
        _check_some(who, what, given)
        _check_tensors(who, what, given)
    for p, t in zip(leaves, tangent_leaves):
        for what, x in (("primal", p), ("tangent", t)):
            if not x._aval.taped:
                raise ValueError(f"Expected {what} to be floating point or complex, but got: {x._aval.dtype}")
        if p._aval.shape != t._aval.shape:
            raise RuntimeError(
                "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. "
                f"Tensor is of size {list(p.shape)} while the given forward gradient is of size {list(t.shape)}."
            )
    recorded, out_structure, aux, same = _record_outputs("jvp", who, func, leaves, structure, has_aux)
    n_out = out_structure.num_leaves
    if strict:
        _check_dependence(recorded, n_out)
    tangent_leaves = [_cast(t, p._aval.dtype) for p, t in zip(leaves, tangent_leaves)]
    results = _values_and_tangents(recorded, n_out, tangent_leaves)
    n_all, end = len(results) - n_out, n_out + len(aux.tensors)
    recorded.write_back(results[end:n_all])
    values = shared(same, results[:end], leaves)
    out = unflatten(out_structure, values[:n_out])
    out_tangent = unflatten(out_structure, results[n_all:])
    if has_aux:
        return out, out_tangent, aux.rebuilt(values[n_out:])
    return out, out_tangent


def _check_tensors(who: str, what: str, leaves: list) -> None:
    for x in leaves:
        if not isinstance(x, Tensor):
            refuse_pytorchs(x)
            raise RuntimeError(f"{who}: Expected {what} to only contain Tensors, got {type(x)}")


def _check_some(who: str, what: str, leaves: list) -> None:
    if not leaves:
        raise RuntimeError(f"{who}: Expected {what} to contain at least one Tensor.")


def _values_and_tangents(recorded: CutRecorded, n_out: int, tangents: list) -> tuple[Tensor, ...]:
    """Returns what the function returned and wrote, and the tangents of its n_out outputs."""
    if recorded.notes.cuts:
        return by_parts.values_and_tangents(recorded, n_out, tangents)
    return apply_op(_jvp_of(recorded.graph, n_out), None, (*recorded.inputs, *tangents))


@transforms("jvp")
def _jvp_made(key: tuple, graph: Graph) -> DerivedOp:
    return _jvp_op(graph, key[1])


def _jvp_of(graph: Graph, n_out: int) -> DerivedOp:
    return graph.transformed(("jvp", n_out))


def _check_dependence(recorded: CutRecorded, n_out: int) -> None:
    """jvp(strict=True): every output must depend on some explicit input."""
    graph = recorded.graph
    reached = {-1 - i for i in range(graph.n_inputs)}
    reached |= {-1 - number for cut in recorded.notes.cuts for number in cut.outs}
    for step in graph.steps:
        if not cuts_here(step.stop) and any(r in reached for r in step.refs):
            reached |= {step.base + i for i, a in enumerate(step.avals) if a.taped}
    if any(o not in reached for o in graph.outputs[:n_out]):
        raise RuntimeError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not allowed with strict=True."
        )


@tidied
def linearize(func: Callable, *primals):
    """(func(*primals), a function of tangents that gives the directional derivative there).

    Tangents have the structure, shapes, dtypes and devices of the primals (RuntimeError otherwise). func is run once,
    however often the second function is called.

    Args:
        func: the function to linearize.

    >>> value, along = linearize(lambda x: x ** 2, torch.tensor(3.))
    >>> value.item(), along(torch.tensor(1.)).item(), along(torch.tensor(2.)).item()
    (9.0, 6.0, 12.0)
    """
    result, inputs, more = at_once(func, ("linearize",), partial(_linearize, func), *primals)
    graph, structure, recorded = more.parts
    out = _Aux(result)
    n_out = len(out.tensors)

    def jvp_fn(*tangents):
        given, given_structure = flatten(tangents)
        if given_structure != structure:
            raise RuntimeError(
                f"Expected the tangents {given_structure} to have the same argspec as the primals {structure}"
            )
        for i, (p, t) in enumerate(zip(inputs, given)):
            for what in ("shape", "device", "dtype"):
                mine, wanted = getattr(t, what), getattr(p, what)
                if mine != wanted:
                    raise RuntimeError(
                        f"tangent:{i} with {what} {mine} in flattened pytree doesn't match the {what} {wanted} of the "
                        "corresponding primal."
                    )
        if recorded is not None:
            found = by_parts.values_and_tangents(recorded, n_out, given)
        else:
            found = apply_op(_jvp_of(graph, n_out), None, (*inputs, *given))
        return out.rebuilt(found[-n_out:] if n_out else ())

    return result, jvp_fn


def _linearize(func: Callable, *primals) -> tuple[Any, tuple, Carried]:
    """(the function's value, the values that the derivative reads, its further parts)."""
    leaves, structure = flatten(primals)
    _check_tensors("linearize(f, *primals)", "primals", leaves)

    def run(fresh):
        out = _Aux(func(*unflatten(structure, fresh)))
        return out.tensors, (out, aliases(fresh, out.tensors))

    avals = [t._aval for t in leaves]
    recorded = record_function("linearize", avals, leaves, run, Notes(len(leaves)), writes=True)
    out, same = recorded.result
    inputs, n_out = _frozen(recorded.inputs), len(out.tensors)
    recorded.inputs = list(inputs)
    results = by_parts.values(recorded)
    recorded.write_back(results[n_out:])
    return out.rebuilt(shared(same, results[:n_out], leaves)), inputs, _carried(recorded, structure)
