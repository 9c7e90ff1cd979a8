"""grad, grad_and_value, vjp, jvp, linearize, jacrev, jacfwd, hessian: JAX's transforms of a function recorded once.

Each runs the function at a level of its own, which gives a Graph, and applies one op made of the Graph to the level below.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from .._core.applied import DerivedOp
from .._core.apply import apply_op
from .._core.graph import Graph
from .._core.levels import Recorded, record_function
from .._core.tensor import Tensor
from ._trees import flatten, name_of, select_argnums, unflatten

__all__ = ["grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "vjp"]


def _conj(x):
    return jnp.conj(x) if jnp.iscomplexobj(x) else x


def _replaced(leaves: list, at: list[int], fresh: list) -> list:
    out = list(leaves)
    for i, t in zip(at, fresh):
        out[i] = t
    return out


def _split_aux(who: str, result: Any) -> tuple[Any, Any]:
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(
            f"{who}: output of function f should be a tuple: (output, aux) if has_aux is True, got {type(result)}"
        )
    return result


class _Aux:
    """The tensors in whatever a function returned besides its output, and how to put their results back."""

    def __init__(self, aux: Any):
        self.leaves, self.structure = flatten(aux)
        self.at = [i for i, x in enumerate(self.leaves) if isinstance(x, Tensor)]
        self.tensors = [self.leaves[i] for i in self.at]

    def rebuilt(self, tensors: Any) -> Any:
        """The same tree with these tensors."""
        return unflatten(self.structure, _replaced(self.leaves, self.at, list(tensors)))


def _differentiated(args: tuple, argnums: tuple[int, ...], who: str) -> tuple[list[int], list, Any, list]:
    """(positions of the differentiated tensors among all leaves, all leaves, structure of args, structures by argnum)."""
    leaves: list = []
    at: list[int] = []
    structures = []
    for i, a in enumerate(args):
        mine, structure = flatten(a)
        structures.append(structure)
        if i in argnums:
            for k, x in enumerate(mine):
                if not isinstance(x, Tensor):
                    raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
                if not x._aval.taped:
                    raise RuntimeError(
                        f"{who}: only Tensors of floating point and complex dtype can require gradients, got {x.dtype}"
                    )
                at.append(len(leaves) + k)
        leaves += mine
    order = []
    for a in argnums:
        start = sum(s.num_leaves for s in structures[:a])
        order += range(start, start + structures[a].num_leaves)
    return order, leaves, flatten(args)[1], structures


def _by_argnums(
    values: Any, argnums: int | tuple[int, ...], wrapped: tuple[int, ...], structures: list
) -> Any:
    """Values of the differentiated leaves as one tree for each argnum."""
    it = iter(values)
    trees = [unflatten(structures[a], [next(it) for _ in range(structures[a].num_leaves)]) for a in wrapped]
    return trees[0] if isinstance(argnums, int) else tuple(trees)


# -- grad ------------------------------------------------------------------------------------------------------------


def _grad_op(graph: Graph, n: int) -> DerivedOp:
    def fn(*arrays):
        def f(*chosen):
            out, *aux = graph(*chosen, *arrays[n:])
            return out, aux

        value, pull, aux = jax.vjp(f, *arrays[:n], has_aux=True)
        return [*[_conj(g) for g in pull(jnp.ones_like(value))], value, *aux]

    return DerivedOp(fn, "grad")


def grad_and_value(func: Callable, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable:
    """A function that returns (gradient of func, func's value): see grad. With has_aux: (gradient, (value, aux)).

    >>> grad_and_value(lambda x: (x ** 2).sum())(torch.tensor([3.]))
    (tensor([6.]), tensor(9.))
    """
    who = f"grad_and_value({name_of(func)})"

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        wrapped = select_argnums(args, argnums, who)
        at, leaves, structure, structures = _differentiated(args, wrapped, who)
        tensors = [leaves[i] for i in at]

        def run(fresh):
            out = func(*unflatten(structure, _replaced(leaves, at, fresh)), **kwargs)
            aux = None
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
            if not out._aval.taped:
                raise RuntimeError(
                    f"grad_and_value(f)(*args): Expected f(*args) to return a floating point tensor, got {out.dtype}"
                )
            aux = _Aux(aux)
            return [out, *aux.tensors], aux

        recorded = record_function("grad", [t._aval for t in tensors], tensors, run)
        n = len(at)
        op = recorded.graph.derive(("grad", n), lambda: _grad_op(recorded.graph, n))
        results = apply_op(op, None, tuple(recorded.inputs))
        gradient = _by_argnums(results[:n], argnums, wrapped, structures)
        if has_aux:
            return gradient, (results[n], recorded.result.rebuilt(results[n + 1 :]))
        return gradient, results[n]

    return wrapper


def grad(func: Callable, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable:
    """A function that returns the gradient of func, whose output must be a scalar tensor, by the arguments in argnums.

    has_aux: func returns (output, aux) and the new function (gradient, aux). Gradients have the arguments' structure.

    >>> grad(torch.sin)(torch.tensor(0.))
    tensor(1.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        gradient, rest = both(*args, **kwargs)
        return (gradient, rest[1]) if has_aux else gradient

    return wrapper


# -- vjp and jvp -----------------------------------------------------------------------------------------------------


def _output_tensors(who: str, out: Any) -> tuple[list[Tensor], Any]:
    leaves, structure = flatten(out)
    if not leaves:
        raise RuntimeError(
            f"{who}: Expected f to be a function that has non-empty output (got output = {out})"
        )
    for x in leaves:
        if not isinstance(x, Tensor):
            raise RuntimeError(
                f"{who}: expected f(*primals) to return only tensors, got unsupported type {type(x)}"
            )
    return leaves, structure


def _primal_tensors(who: str, primals: tuple) -> tuple[list, Any]:
    leaves, structure = flatten(primals)
    for x in leaves:
        if not isinstance(x, Tensor):
            raise RuntimeError(f"{who}: Expected primals to be tensors, got {type(x)}")
    return leaves, structure


def _record_outputs(
    kind: str, who: str, func: Callable, primals: tuple, has_aux: bool
) -> tuple[Recorded, Any, Any, Any]:
    """Records func at all its tensor arguments: (recorded, structure of its output, aux, structure of primals)."""
    leaves, structure = flatten(primals)
    at = [i for i, x in enumerate(leaves) if isinstance(x, Tensor)]
    tensors = [leaves[i] for i in at]

    def run(fresh):
        out = func(*unflatten(structure, _replaced(leaves, at, fresh)))
        aux = None
        if has_aux:
            out, aux = _split_aux(who, out)
        outs, out_structure = _output_tensors(who, out)
        aux = _Aux(aux)
        return [*outs, *aux.tensors], (out_structure, aux)

    recorded = record_function(kind, [t._aval for t in tensors], tensors, run)
    out_structure, aux = recorded.result
    return recorded, out_structure, aux, structure


def _run_op(graph: Graph) -> DerivedOp:
    return graph.derive("run", lambda: DerivedOp(lambda *arrays: graph(*arrays), "run"))


def _taped_inputs(graph: Graph) -> list[int]:
    return [i for i in range(graph.n_inputs) if graph.in_avals[i].taped]


def _pull(graph: Graph, n_out: int, arrays):
    """(inexact outputs' positions, function from their cotangents to those of the inexact inputs)."""
    wanted = _taped_inputs(graph)

    def f(*chosen):
        full = list(arrays)
        for i, x in zip(wanted, chosen):
            full[i] = x
        outs = graph(*full)[:n_out]
        return [o for o in outs if jnp.issubdtype(o.dtype, jnp.inexact)]

    return jax.vjp(f, *[arrays[i] for i in wanted])


def _vjp_op(graph: Graph, n_out: int, inexact: list[int]) -> DerivedOp:
    n_in = len(graph.in_avals)
    wanted = _taped_inputs(graph)

    def fn(*arrays):
        arrays, cts = arrays[:n_in], arrays[n_in:]
        _, pull = _pull(graph, n_out, arrays)
        gradients = dict(zip(wanted, pull([_conj(cts[i]) for i in inexact])))
        return [
            _conj(gradients[i]) if i in gradients else jnp.zeros_like(arrays[i])
            for i in range(graph.n_inputs)
        ]

    return DerivedOp(fn, "vjp")


def vjp(func: Callable, *primals, has_aux: bool = False):
    """(func(*primals), vjp_fn): vjp_fn(cotangents, of the output's structure) gives the cotangents of the primals.

    With has_aux, func returns (output, aux) and vjp returns (output, vjp_fn, aux).

    >>> out, pull = vjp(torch.sin, torch.tensor(0.)); pull(torch.tensor(2.))
    (tensor(2.),)
    """
    who = "vjp(f, *primals)"
    leaves, _ = _primal_tensors(who, primals)
    recorded, out_structure, aux, structure = _record_outputs("vjp", who, func, primals, has_aux)
    graph, inputs = recorded.graph, tuple(recorded.inputs)
    results = apply_op(_run_op(graph), None, inputs)
    n_out = out_structure.num_leaves
    outs = results[:n_out]
    inexact = [i for i, o in enumerate(outs) if o._aval.taped]
    op = graph.derive(("vjp", n_out), lambda: _vjp_op(graph, n_out, inexact))

    def vjp_fn(*cotangents, retain_graph: bool = True, create_graph: bool | None = None):
        given = cotangents[0] if len(cotangents) == 1 else cotangents
        cts, ct_structure = flatten(given)
        if ct_structure != out_structure:
            raise RuntimeError(
                f"Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. "
                f"cotangents: {ct_structure}, primal output: {out_structure}"
            )
        for o, c in zip(outs, cts):
            if o._aval.shape != c._aval.shape:
                raise RuntimeError(
                    f"vjp_fn: cotangent of shape {list(c._aval.shape)} was given for an output of shape {list(o._aval.shape)}"
                )
        cts = [c if c._aval.dtype is o._aval.dtype else c.to(o._aval.dtype) for o, c in zip(outs, cts)]  # type: ignore[attr-defined]
        gradients = apply_op(op, None, (*inputs, *cts))
        return unflatten(structure, gradients[: len(leaves)])

    out = unflatten(out_structure, outs)
    return (out, vjp_fn, aux.rebuilt(results[n_out:])) if has_aux else (out, vjp_fn)


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


def jvp(func: Callable, primals: tuple, tangents: tuple, *, strict: bool = False, has_aux: bool = False):
    """(func(*primals), its directional derivative along tangents); with has_aux also aux.

    >>> jvp(torch.sin, (torch.tensor(0.),), (torch.tensor(2.),))
    (tensor(0.), tensor(2.))
    """
    who = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise RuntimeError(
            f"{who}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    leaves, structure = _primal_tensors(who, primals)
    tangent_leaves, tangent_structure = flatten(tangents)
    if structure != tangent_structure:
        raise RuntimeError(
            f"{who}: Expected primals and tangents to have the same python structure. For example, if primals is a tuple of 3 "
            f"tensors, tangents also must be. Got primals with structure {structure} and tangents with structure {tangent_structure}"
        )
    for p, t in zip(leaves, tangent_leaves):
        if p._aval.shape != t._aval.shape:
            raise RuntimeError(
                "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. "
                f"Tensor is of size {list(p.shape)} while the given forward gradient is of size {list(t.shape)}."
            )
    recorded, out_structure, aux, _ = _record_outputs("jvp", who, func, primals, has_aux)
    n_out = out_structure.num_leaves
    op = recorded.graph.derive(("jvp", n_out), lambda: _jvp_op(recorded.graph, n_out))
    tangent_leaves = [
        t if t._aval.dtype is p._aval.dtype else t.to(p._aval.dtype) for p, t in zip(leaves, tangent_leaves)
    ]
    results = apply_op(op, None, (*recorded.inputs, *tangent_leaves))
    n_all = len(recorded.graph.outputs)
    out = unflatten(out_structure, results[:n_out])
    out_tangent = unflatten(out_structure, results[n_all:])
    if has_aux:
        return out, out_tangent, aux.rebuilt(results[n_out:n_all])
    return out, out_tangent


def linearize(func: Callable, *primals):
    """(func(*primals), a function of tangents that gives the directional derivative there)."""
    leaves, structure = _primal_tensors("linearize(f, *primals)", primals)
    recorded, out_structure, _, _ = _record_outputs(
        "linearize", "linearize(f, *primals)", func, primals, False
    )
    graph, inputs = recorded.graph, tuple(recorded.inputs)
    n_out = out_structure.num_leaves
    op = graph.derive(("jvp", n_out), lambda: _jvp_op(graph, n_out))
    out = unflatten(out_structure, apply_op(_run_op(graph), None, inputs)[:n_out])

    def jvp_fn(*tangents):
        given, given_structure = flatten(tangents)
        if given_structure != structure:
            raise RuntimeError(f"linearize: tangents have structure {given_structure}, primals {structure}")
        for p, t in zip(leaves, given):
            if p._aval.shape != t._aval.shape:
                raise RuntimeError(
                    f"linearize: a tangent of shape {list(t.shape)} for a primal of shape {list(p.shape)}"
                )
        return unflatten(out_structure, apply_op(op, None, (*inputs, *given))[n_out:])

    return out, jvp_fn


# -- Jacobians -------------------------------------------------------------------------------------------------------


def _mapped(f: Callable, rows, chunk_size: int | None):
    return jax.vmap(f)(rows) if chunk_size is None else jax.lax.map(f, rows, batch_size=chunk_size)


def _jacrev_op(graph: Graph, n_in: int, n_out: int, chunk_size: int | None) -> DerivedOp:
    def fn(*arrays):
        def f(*chosen):
            outs = graph(*chosen, *arrays[n_in:])
            return outs[:n_out], outs[n_out:]

        outs, pull, aux = jax.vjp(f, *arrays[:n_in], has_aux=True)
        rows = []
        for k, o in enumerate(outs):

            def pull_one(ct, k=k):
                return pull([ct if i == k else jnp.zeros_like(x) for i, x in enumerate(outs)])

            eye = jnp.eye(o.size, dtype=o.dtype).reshape(o.size, *o.shape)
            for x, j in zip(arrays[:n_in], _mapped(pull_one, eye, chunk_size)):
                rows.append(j.reshape(o.shape + x.shape))
        return [*rows, *aux]

    return DerivedOp(fn, "jacrev")


def _jacfwd_op(graph: Graph, n_in: int, n_out: int, chunk_size: int | None) -> DerivedOp:
    def fn(*arrays):
        primals = arrays[:n_in]

        def f(*chosen):
            outs = graph(*chosen, *arrays[n_in:])
            return outs[:n_out], outs[n_out:]

        outs, push, aux = jax.linearize(f, *primals, has_aux=True)
        columns: list[list] = []
        for k, x in enumerate(primals):

            def push_one(t, k=k):
                return push(*[t if i == k else jnp.zeros_like(p) for i, p in enumerate(primals)])

            eye = jnp.eye(x.size, dtype=x.dtype).reshape(x.size, *x.shape)
            mapped = _mapped(push_one, eye, chunk_size)
            columns.append([jnp.moveaxis(j, 0, -1).reshape(o.shape + x.shape) for o, j in zip(outs, mapped)])
        return [*[columns[i][k] for k in range(n_out) for i in range(n_in)], *aux]

    return DerivedOp(fn, "jacfwd")


def _jacobian(
    kind: str, make: Callable, func: Callable, argnums, has_aux: bool, chunk_size: int | None
) -> Callable:
    who = f"{kind}({name_of(func)})"
    if chunk_size is not None and (not isinstance(chunk_size, int) or chunk_size <= 0):
        raise ValueError(f"{kind}: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        wrapped = select_argnums(args, argnums, who)
        at, leaves, structure, structures = _differentiated(args, wrapped, who)
        tensors = [leaves[i] for i in at]

        def run(fresh):
            out = func(*unflatten(structure, _replaced(leaves, at, fresh)), **kwargs)
            aux = None
            if has_aux:
                out, aux = _split_aux(f"{kind}(f)(*args)", out)
            outs, out_structure = _output_tensors(who, out)
            for o in outs:
                if not o._aval.taped or o._aval.dtype.is_complex:
                    raise RuntimeError(
                        f"{kind}: Expected outputs to be real floating point tensors, got {o.dtype}"
                    )
            aux = _Aux(aux)
            return [*outs, *aux.tensors], (out_structure, aux)

        for t in tensors:
            if t._aval.dtype.is_complex:
                raise RuntimeError(
                    f"{kind}: Expected all inputs to be real but received complex tensor of dtype {t.dtype}"
                )
        recorded = record_function(kind, [t._aval for t in tensors], tensors, run)
        out_structure, aux = recorded.result
        n_in, n_out = len(at), out_structure.num_leaves
        graph = recorded.graph
        op = graph.derive((kind, n_in, n_out, chunk_size), lambda: make(graph, n_in, n_out, chunk_size))
        results = apply_op(op, None, tuple(recorded.inputs))
        per_output = [
            _by_argnums(results[k * n_in : (k + 1) * n_in], argnums, wrapped, structures)
            for k in range(n_out)
        ]
        jacobian = unflatten(out_structure, per_output)
        return (jacobian, aux.rebuilt(results[n_in * n_out :])) if has_aux else jacobian

    return wrapper


def jacrev(func: Callable, argnums=0, *, has_aux: bool = False, chunk_size: int | None = None) -> Callable:
    """A function that returns the Jacobian of func by reverse mode: shape output.shape + input.shape for each pair.

    chunk_size: rows computed at a time (default: all at once).

    >>> jacrev(torch.sin)(torch.zeros(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    return _jacobian("jacrev", _jacrev_op, func, argnums, has_aux, chunk_size)


def jacfwd(
    func: Callable,
    argnums=0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
    chunk_size: int | None = None,
) -> Callable:
    """A function that returns the Jacobian of func by forward mode; see jacrev."""
    return _jacobian("jacfwd", _jacfwd_op, func, argnums, has_aux, chunk_size)


def hessian(func: Callable, argnums=0, *, chunk_size: int | None = None) -> Callable:
    """A function that returns the Hessian of func, forward over reverse: shape output.shape + input.shape + input.shape."""
    return jacfwd(jacrev(func, argnums), argnums, chunk_size=chunk_size)
