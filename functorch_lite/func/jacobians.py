"""jacrev, jacfwd, hessian: whole matrices of derivatives, by JAX's vjp and linearize of every vector of a basis.

jacrev and jacfwd compute the same matrix; where one would take many more vectors than the other, the other is what
runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core.primitives import custom_vjp_call_p, while_p

from .._core.api import Aval, DerivedOp, Formula, Graph, apply_op, from_array, state, transforms, walk
from . import anomalies, by_parts
from ._trees import unflatten
from .aliases import aliases, shared
from .basis import over_bases, over_basis
from .chunk_size import check_chunk_size, chunk_for
from .cuts import Notes, record_function
from .derivatives import _Arguments, _Aux, _check_leaves, _output_tensors, _split_aux
from .outermost import transform

__all__ = ["hessian", "jacfwd", "jacrev"]


def _rows(f: Callable, primals: tuple, chunk_size: int | None) -> tuple[list[list], list]:
    """By reverse mode: of each of f's outputs its Jacobians by the primals, and f's auxiliary results."""
    outs, pull, aux = jax.vjp(f, *primals, has_aux=True)
    rows = [
        [j.reshape(o.shape + x.shape) for x, j in zip(primals, found)]
        for o, found in zip(outs, over_bases(lambda *cts: pull(list(cts)), outs, chunk_size))
    ]
    return rows, aux


def _columns(f: Callable, primals: tuple, chunk_size: int | None) -> tuple[list[list], list]:
    """The same by forward mode."""
    outs, push, aux = jax.linearize(f, *primals, has_aux=True)
    columns = [
        [jnp.moveaxis(j, 0, -1).reshape(o.shape + x.shape) for o, j in zip(outs, found)]
        for x, found in zip(primals, over_bases(push, primals, chunk_size))
    ]
    return [list(row) for row in zip(*columns)], aux


MANY, MUCH_CHEAPER = 256, 4
"""From this many vectors on, the other direction is taken if it takes at least so many times fewer."""

ONE_WAY = (while_p, custom_vjp_call_p)
"""What JAX differentiates in one mode only."""


def _better_the_other_way(kind: str, primals: tuple, moving: list[Aval]) -> bool:
    """Returns whether the direction that was not asked for takes far fewer vectors.

    Reverse mode is the transposition of forward mode's linear program, so the numbers are the same but for rounding.
    """
    n, m = sum(x.size for x in primals), sum(math.prod(a.shape) for a in moving)
    asked, other = (n, m) if kind == "jacfwd" else (m, n)
    return asked >= MANY and other * MUCH_CHEAPER <= asked


def _either_way(f: Callable, primals: tuple) -> bool:
    """Returns whether JAX differentiates f in both modes."""
    floats = all(jnp.issubdtype(x.dtype, jnp.inexact) for x in primals)
    return floats and not any(e.primitive in ONE_WAY for e in walk.equations(jax.make_jaxpr(f)(*primals)))


@transforms("jacrev", "jacfwd", "hessian")
def _op_of(key: tuple, graph: Graph) -> DerivedOp:
    kind, *how = key
    return _hessian_op(graph, *how) if kind == "hessian" else _jacobian_op(kind, graph, *how)


def _jacobian_op(kind: str, graph: Graph, n_in: int, n_out: int, chunk_size: int | None) -> DerivedOp:
    avals = graph.out_avals()[:n_out]
    moving = [i for i, a in enumerate(avals) if a.taped]

    def fn(*arrays):
        def f(*chosen):
            outs = graph(*chosen, *arrays[n_in:])
            return [outs[i] for i in moving], outs

        primals = arrays[:n_in]
        forward = kind == "jacfwd"
        if chunk_size is None and _better_the_other_way(kind, primals, [avals[i] for i in moving]):
            forward = forward != _either_way(f, primals)
        found, full = (_columns if forward else _rows)(f, primals, chunk_size)
        rows = [[jnp.zeros(o.shape + x.shape, o.dtype) for x in primals] for o in full[:n_out]]
        for i, row in zip(moving, found):
            rows[i] = row
        return [*[j for row in rows for j in row], *full[n_out:]]

    if kind == "jacrev":  # PyTorch's forward mode gives what requires grad, whatever the formula reads
        return Formula(fn, kind, n_in * n_out)
    return DerivedOp(fn, kind)


class _Real:
    """A function of real tensors to real tensors, recorded at its arguments."""

    def __init__(
        self, kind: str, func: Callable, args: tuple, kwargs: dict, argnums, has_aux: bool, randomness: str
    ):
        reverse = kind != "jacfwd"
        who = "vjp(f, *primals)" if reverse else "jvp(f, primals, tangents)"
        looks_as_vjp = kind == "jacrev"  # a Hessian looks at its arguments as jvp does
        self.given = given = _Arguments(args, kwargs, argnums, looks_as_vjp)
        self.n_in = given.n
        if not given.n:
            raise ValueError(f"{kind}: the arguments to differentiate by hold no tensors")
        for i, t in zip(given.at, given.tensors[: given.n]):
            if t._aval.dtype.is_complex:
                name = "jacrev" if kind == "jacrev" else "jacfwd"  # a Hessian is forward over reverse
                raise RuntimeError(
                    f"{name}: Expected all inputs to be real but received complex tensor at flattened input idx: {i}"
                )
            if kind != "jacrev" and not t._aval.taped:
                raise ValueError(f"Expected primal to be floating point or complex, but got: {t._aval.dtype}")

        def run(fresh):
            state.rec.randomness = (randomness, None)
            out, aux = given.call(func, fresh), None
            if has_aux:
                out, aux = _split_aux(who, out)
            outs, out_structure = _output_tensors(who, out)
            for o in outs:
                if reverse and not o._aval.taped:
                    raise RuntimeError(
                        "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                        f"{o._aval.dtype}"
                    )
            for i, o in enumerate(outs):
                if o._aval.dtype.is_complex:
                    name = "jacfwd" if kind == "jacfwd" else "jacrev"
                    raise RuntimeError(
                        f"{name}: Expected all outputs to be real but received complex tensor at flattened input idx: {i}"
                    )
            aux = _Aux(aux)
            return [*outs, *aux.tensors], (out_structure, aux, aliases(fresh, aux.tensors))

        avals = [t._aval for t in given.tensors]
        self.recorded = record_function(kind, avals, given.tensors, run, Notes(given.n), writes=True)
        if reverse:
            _check_leaves(self.recorded, given.n)
        self.out_structure, self.aux, self.same = self.recorded.result
        self.n_out = self.out_structure.num_leaves

    def apply(self, kind: str, chunk_size: int | str | None) -> Any:
        """The results of the op of this kind, in chunks of this size."""
        graph, n_in, n_out = self.recorded.graph, self.n_in, self.n_out

        def op_of(chunk: int | None) -> DerivedOp:
            return graph.transformed((kind, n_in, n_out, chunk))

        if chunk_size == "auto":
            mapped = graph.out_avals()[:n_out] if kind == "jacrev" else graph.in_avals[:n_in]
            total = max(math.prod(a.shape) for a in mapped)
            inputs = [t._aval for t in self.recorded.inputs]
            chunk_size = chunk_for(graph, (kind, n_in, n_out), total, op_of, inputs)
        if anomalies.mode["looks"] and kind != "jacfwd":
            self._look_for_nan()
        return apply_op(op_of(chunk_size), None, tuple(self.recorded.inputs))

    def _look_for_nan(self) -> None:
        """In the reverse pass of every element of every output."""
        for k, a in enumerate(self.recorded.graph.out_avals()[: self.n_out]):
            size = math.prod(a.shape)
            rows = from_array(np.eye(size, dtype=a.dtype.np).reshape(size, *a.shape), on=a.device)
            moving = set(range(self.n_in))
            anomalies.look_for_nan(self.recorded.graph, self.recorded.inputs, moving, {k: rows}, rows=True)


def _jacobian(
    kind: str,
    func: Callable,
    argnums,
    has_aux: bool,
    chunk_size: int | str | None,
    randomness: str,
) -> Callable:
    @transform(func, kind, argnums, has_aux, chunk_size, randomness)
    def wrapper(*args, **kwargs):
        f = _Real(kind, func, args, kwargs, argnums, has_aux, randomness)
        if f.recorded.notes.cuts:
            results = by_parts.jacobian(kind == "jacrev", f.recorded, f.n_out, chunk_size)
        else:
            results = f.apply(kind, chunk_size)
        n = f.n_in * f.n_out
        end = n + len(f.aux.tensors)
        f.recorded.write_back(results[end:])
        rows = [f.given.by_argnums(results[k : k + f.n_in]) for k in range(0, n, f.n_in)]
        jacobian = unflatten(f.out_structure, rows)
        if not has_aux:
            return jacobian
        return jacobian, f.aux.rebuilt(shared(f.same, results[n:end], f.given.tensors))

    return wrapper


def jacrev(
    func: Callable, argnums=0, *, has_aux: bool = False, chunk_size: int | str | None = None
) -> Callable:
    """A function that returns the Jacobian of func by reverse mode: shape output.shape + input.shape for each pair.

    Args:
        func: the function to differentiate.
        argnums: which positional argument to differentiate with respect to: an int, or a tuple of
            ints. Default: 0.
        has_aux: whether `func` returns (output, aux), where aux is returned unchanged beside the
            result. Default: False.
        chunk_size: how many rows are computed at a time. None (the default) computes all at once
            (by forward mode where that takes far fewer vectors); "auto" as many as fit
            `memory_budget`.

    >>> jacrev(torch.sin)(torch.zeros(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    check_chunk_size("jacrev", chunk_size)
    return _jacobian("jacrev", func, argnums, has_aux, chunk_size, "same")


def jacfwd(
    func: Callable,
    argnums=0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
    chunk_size: int | str | None = None,
) -> Callable:
    """A function that returns the Jacobian of func by forward mode; see jacrev.

    Args:
        func: the function to differentiate.
        argnums: which positional argument to differentiate with respect to: an int, or a tuple of
            ints. Default: 0.
        has_aux: whether `func` returns (output, aux), where aux is returned unchanged beside the
            result. Default: False.
        randomness: "error" raises where `func` draws random numbers; "same" draws them once for
            all columns; "different" for each. Default: "error".
        chunk_size: how many directions are computed at a time. None (the default) computes all at
            once; "auto" as many as fit `memory_budget`.

    >>> jacfwd(lambda x: x ** 2)(torch.tensor([1., 2.]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    check_chunk_size("jacfwd", chunk_size)
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
        )
    return _jacobian("jacfwd", func, argnums, has_aux, chunk_size, randomness)


def _hessian_op(graph: Graph, n_in: int, n_out: int, chunk_size: int | None) -> DerivedOp:
    """For each output and pair of inputs (p, q) the block (output, p, q): of each element of the output, the gradient
    by q is pushed forward along p. The other order would be the same numbers, second derivatives being symmetric; this
    one comes out of the two `vmap`s as it is wanted, without a transposition of the whole."""

    def fn(*arrays):
        primals = arrays[:n_in]

        def f(*chosen):
            outs = graph(*chosen, *arrays[n_in:])
            return outs[:n_out], outs[n_out:]

        outs, rest = f(*primals)
        blocks = []
        for k, o in enumerate(outs):

            def hessian_of_one(ct, k=k):
                def gradient(*chosen):
                    values, pull, _ = jax.vjp(f, *chosen, has_aux=True)
                    return pull([ct if i == k else jnp.zeros_like(x) for i, x in enumerate(values)])

                _, push = jax.linearize(gradient, *primals)
                return [block for row in over_bases(push, primals, chunk_size) for block in row]

            pairs = [(x, y) for x in primals for y in primals]
            for (x, y), block in zip(pairs, over_basis(hessian_of_one, o)):
                # torch pushes the gradient by x forward along y: the numbers are of x's dtype
                blocks.append(block.reshape(o.shape + x.shape + y.shape).astype(x.dtype))
        return [*blocks, *rest]

    return DerivedOp(fn, "hessian")


def hessian(func: Callable, argnums=0, *, chunk_size: int | str | None = None) -> Callable:
    """A function that returns the Hessian of func, forward over reverse: shape output.shape + input.shape +
    input.shape.

    Args:
        func: the function to differentiate.
        argnums: which positional argument to differentiate with respect to: an int, or a tuple of
            ints. Default: 0.
        chunk_size: how many directions are computed at a time. None (the default) computes all at
            once; "auto" as many as fit `memory_budget`.

    >>> hessian(lambda x: (x**3).sum())(torch.ones(2))
    tensor([[6., 0.],
            [0., 6.]])
    """
    check_chunk_size("hessian", chunk_size)
    by_parts_of_two = jacfwd(jacrev(func, argnums), argnums, chunk_size=chunk_size)

    @transform(func, "hessian", argnums, chunk_size)
    def wrapper(*args, **kwargs):
        f = _Real("hessian", func, args, kwargs, argnums, False, "error")
        if f.recorded.notes.cuts:  # a user's own backward need not have a symmetric derivative
            return by_parts_of_two(*args, **kwargs)
        results = f.apply("hessian", chunk_size)
        n, size = f.n_in, f.n_in * f.n_in
        f.recorded.write_back(results[size * f.n_out :])
        per_output = []
        for k in range(0, size * f.n_out, size):
            rows = [f.given.by_argnums(results[k + p * n : k + (p + 1) * n]) for p in range(n)]
            per_output.append(f.given.by_argnums(rows))
        return unflatten(f.out_structure, per_output)

    return wrapper
