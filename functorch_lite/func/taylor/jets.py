"""Derivatives of any order along paths and directions, and what is made of them: mixed partial derivatives, linear
operators."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial, update_wrapper
from typing import Any

from ..._core.api import DerivedOp, Graph, Tensor, apply_op, tidied, transforms
from ..._core.api import functions as torch
from .._trees import flatten, unflatten
from ..cuts import Notes, record_function
from ..derivatives import _output_tensors, jvp
from ..outermost import at_once
from ._directions import planned
from ._functions import OneArgument
from ._ops import along_many
from ._series import along_paths

__all__ = ["directional_derivatives", "jet", "linear_operator", "mixed_partial"]


@transforms("taylor_jet")
def _jet_op(key: tuple, graph: Graph) -> DerivedOp:
    """(results, their first derivatives, …, the rest): the graph's first n_in inputs move along paths."""
    _, order, n_in, n_out = key
    n = len(graph.in_avals)

    def fn(*arrays: Any) -> list:
        terms = arrays[n:]
        paths = [(x, list(terms[i * order : (i + 1) * order])) for i, x in enumerate(arrays[:n_in])]
        found = along_paths(lambda *xs: graph(*xs, *arrays[n_in:n])[:n_out], paths)
        rows = [[x for x, _ in found], *[[t[k] for _, t in found] for k in range(order)]]
        rest = graph(*arrays[:n])[n_out:] if len(graph.outputs) > n_out else []
        return [*[x for row in rows for x in row], *rest]

    return DerivedOp(fn, "jet")


@tidied
def jet(func: Callable, primals: Sequence[Tensor], series: Sequence[Sequence[Tensor]]) -> tuple[Any, Any]:
    """(func(*primals), derivatives of func along a path): Taylor mode of any order.

    Each tensor that func returns is replaced by the list of its K derivatives. Any K, and any function that this
    library differentiates.

    Args:
        func: the function: it takes tensors and returns real floating-point tensors.
        primals: the point: a tuple of floating-point tensors.
        series: for each primal the derivatives of the path through it, x', x'', ... (not divided
            by factorials): lists of one length K.

    Raises ValueError for series of other lengths or shapes than primals', RuntimeError for integer primals and where
    func gives no floating-point tensors.

    >>> x, one, zero = torch.tensor(0.), torch.tensor(1.), torch.tensor(0.)
    >>> taylor.jet(torch.sin, (x,), ((one, zero, zero),))
    (tensor(0.), [tensor(1.), tensor(0.), tensor(-1.)])

    Source: Griewank & Walther, "Evaluating derivatives", chapter 13; jax.experimental.jet, whose convention this is.
    """
    if not isinstance(primals, tuple | list) or not isinstance(series, tuple | list):
        raise TypeError("jet: primals must be a tuple of tensors, series a tuple of lists of tensors")
    if len(primals) != len(series) or not primals:
        raise ValueError(f"jet: {len(primals)} primals and {len(series)} series; there is to be one for each")
    orders = {len(s) for s in series}
    if len(orders) != 1 or 0 in orders:
        raise ValueError(f"jet: all series must have the same length, at least 1; got {sorted(orders)}")
    for i, (x, terms) in enumerate(zip(primals, series)):
        if not isinstance(x, Tensor):
            raise TypeError(f"jet: primal {i} must be a Tensor, got {type(x)}")
        if not x._aval.taped:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        for t in terms:
            if not isinstance(t, Tensor) or tuple(t.shape) != tuple(x.shape):
                shape = tuple(t.shape) if isinstance(t, Tensor) else type(t).__name__
                raise ValueError(f"jet: primal {i} has shape {tuple(x.shape)}, a term of its series {shape}")
    flat = [t for terms in series for t in terms]
    return at_once(func, ("jet", *orders), partial(_jet, func, *orders, len(primals)), *primals, *flat)


def _jet(func: Callable, order: int, n: int, *tensors: Tensor) -> tuple[Any, Any]:
    primals, terms = list(tensors[:n]), [t.to(tensors[i // order].dtype) for i, t in enumerate(tensors[n:])]  # type: ignore[attr-defined]

    def run(fresh: Sequence[Tensor]) -> tuple[list[Tensor], Any]:
        outs, structure = _output_tensors("jet", func(*fresh))
        for o in outs:
            if not o._aval.taped:
                raise RuntimeError(
                    f"jet: All outputs of f must be floating-point Tensors, got Tensor with dtype {o._aval.dtype}"
                )
        return outs, structure

    recorded = record_function("jvp", [t._aval for t in primals], primals, run, Notes(n), writes=True)
    structure = recorded.result
    n_out = structure.num_leaves
    if recorded.is_one_op():
        op = recorded.graph.transformed(("taylor_jet", order, n, n_out))
        results = apply_op(op, None, (*recorded.inputs, *terms))
        end = n_out * (order + 1)
        recorded.write_back(results[end:])
        rows = [list(results[k : k + n_out]) for k in range(0, end, n_out)]
    else:
        rows = _jet_by_rules(
            lambda xs: run(xs)[0], primals, [terms[i * order : (i + 1) * order] for i in range(n)]
        )
    per_output = [[row[i] for row in rows[1:]] for i in range(n_out)]
    return unflatten(structure, rows[0]), unflatten(structure, per_output)


def _jet_by_rules(
    call: Callable, primals: list[Tensor], series: list[Sequence[Tensor]]
) -> list[list[Tensor]]:
    """The same where Python has the say over derivatives: by this library's jvp of t -> call(path(t)), again and
    again."""
    order = len(series[0])

    def path(t: Tensor) -> list[Tensor]:
        return [
            x + sum([c * (t ** (k + 1) / math.factorial(k + 1)) for k, c in enumerate(terms)])
            for x, terms in zip(primals, series)
        ]

    def up_to(t: Tensor, k: int) -> list[list[Tensor]]:
        if not k:
            return [call(path(t))]
        lower, slopes = jvp(lambda t: up_to(t, k - 1), (t,), (torch.ones_like(t),))
        return [*lower, slopes[-1]]

    return up_to(torch.zeros((), dtype=primals[0].dtype, device=primals[0].device), order)


@tidied
def directional_derivatives(
    func: Callable, primals: Sequence[Tensor], tangents: Sequence[Tensor], order: int
) -> tuple[Any, ...]:
    """(func(*primals), D func[v], …, D^order func[v, …, v]): derivatives along one direction, v being the tangents.

    primals and tangents: tuples of tensors of the same shapes. Each result is what func returns, of its shapes.

    Args:
        func: the function: it takes tensors and returns real floating-point tensors.
        primals: the point: a tuple of floating-point tensors.
        tangents: the direction: a tuple of tensors of the same shapes.
        order: the highest order, an int of at least 1.

    Raises ValueError for an order below 1 and shapes that differ.

    >>> taylor.directional_derivatives(torch.exp, (torch.tensor(0.),), (torch.tensor(2.),), 3)
    (tensor(1.), tensor(2.), tensor(4.), tensor(8.))
    """
    if isinstance(order, bool) or not isinstance(order, int) or order < 1:
        raise ValueError(f"directional_derivatives: order must be a positive int, got {order!r}")
    if len(primals) != len(tangents):
        raise ValueError(f"directional_derivatives: {len(primals)} primals and {len(tangents)} tangents")
    series = [[v, *[torch.zeros_like(v)] * (order - 1)] for v in tangents]
    value, terms = jet(func, tuple(primals), series)
    if isinstance(value, Tensor):
        return value, *terms
    _, structure = flatten(value)
    rows = flatten(terms)[0]  # of each leaf, its derivatives one after the other
    return value, *[unflatten(structure, rows[k::order]) for k in range(order)]


def _checked_orders(who: str, orders: Any) -> tuple[int, ...]:
    given = tuple(orders)
    if any(isinstance(a, bool) or not isinstance(a, int) or a < 0 for a in given):
        raise ValueError(
            f"{who}: orders must be ints that are not negative, one for each entry, got {orders!r}"
        )
    return given


def _check_entries(who: str, orders: tuple[int, ...], f: OneArgument) -> None:
    if len(f.x.shape) != 1 or len(orders) != f.size:
        raise ValueError(
            f"{who}: orders {orders} are for a vector of {len(orders)} entries, the argument has shape {tuple(f.x.shape)}"
        )


def mixed_partial(
    func: Callable, orders: Sequence[int], argnums: int = 0, *, has_aux: bool = False
) -> Callable:
    """A function that returns the partial derivative of func of orders (a_1, …, a_n) by the entries of one vector
    argument.

    func returns tensors of any shape; the derivative has theirs. Computed from derivatives along a few directions,
    of which (1, 1) takes two and (0, 3) one; never by nested gradients.

    Args:
        func: the function: it takes tensors and returns real floating-point tensors.
        orders: the order for each entry of the argument: a tuple of ints.
        argnums: which argument of `func` to differentiate with respect to: an int. Default: 0.
        has_aux: whether `func` returns (output, aux), where aux is returned unchanged beside the
            result. Default: False.

    Raises ValueError where there is not one order for each entry.

    >>> taylor.mixed_partial(lambda x: x[0] ** 2 * x[1], (2, 1))(torch.tensor([3., 4.]))
    tensor(2.)

    Source: Griewank, Utke & Walther, "Evaluating higher derivative tensors by forward propagation of univariate Taylor
    series", 2000.
    """
    return _linear_operator(
        "mixed_partial", func, {_checked_orders("mixed_partial", orders): 1.0}, argnums, has_aux
    )


def linear_operator(
    func: Callable, terms: Mapping[Sequence[int], Any], argnums: int = 0, *, has_aux: bool = False
) -> Callable:
    """A function that returns the sum of c times the partial derivative of orders a of func, over the terms {a: c}.

    func takes one vector x, and returns tensors of any shape. a: a tuple of orders, one for each entry of x ((0, …,
    0) is func itself); c: a number, a tensor, or a function of x. A direction that several derivatives need is
    followed once.

    Args:
        func: the function: it takes tensors and returns real floating-point tensors.
        terms: a dict {a: c}: a is a tuple of orders, one for each entry of the argument ((0, ...,
            0) is `func` itself); c is a number, a tensor, or a function of the argument.
        argnums: which argument of `func` to differentiate with respect to: an int. Default: 0.
        has_aux: whether `func` returns (output, aux), where aux is returned unchanged beside the
            result. Default: False.

    Raises ValueError for no terms, and where there is not one order for each entry.

    >>> heat = taylor.linear_operator(lambda x: torch.exp(-x[0]) * torch.sin(x[1]), {(1, 0): 1.0, (0, 2): -1.0})
    >>> heat(torch.tensor([0.5, 0.3])).abs().item() < 1e-6
    True

    Source: Griewank, Utke & Walther, 2000; Shi et al., arXiv 2412.00088.
    """
    if not terms:
        raise ValueError("linear_operator: no terms")
    checked = {_checked_orders("linear_operator", a): c for a, c in terms.items()}
    return _linear_operator("linear_operator", func, checked, argnums, has_aux)


def _linear_operator(
    who: str, func: Callable, terms: dict[tuple[int, ...], Any], argnums: int, has_aux: bool
) -> Callable:
    def wrapper(*args, **kwargs):
        f = OneArgument(who, func, args, kwargs, argnums, has_aux)
        for orders in terms:
            _check_entries(who, orders, f)
        coefficients = [c(f.x) if callable(c) and not isinstance(c, Tensor) else c for c in terms.values()]
        sums = [_Sum() for _ in range(f.n_out)]
        for i, orders in enumerate(terms):
            if not any(orders):
                for s, value in zip(sums, f.call(f.x)):
                    s.add(coefficients[i], value)
        plan = planned({a: i for i, a in enumerate(terms) if any(a)})
        for highest in sorted({max(k for _, k, _ in uses) for _, uses in plan}):
            some = [(d, uses) for d, uses in plan if max(k for _, k, _ in uses) == highest]
            orders = sorted({k for _, uses in some for _, k, _ in uses})
            found = _along(f, _matrix([d for d, _ in some], f), orders)
            for j, (_, uses) in enumerate(some):
                for i, k, weight in uses:
                    for s, derivative in zip(sums, found[orders.index(k)]):
                        s.add(coefficients[i], derivative[j] * weight)
        return f.answer(f.tree([s.total for s in sums]))

    return tidied(update_wrapper(wrapper, func) if hasattr(func, "__name__") else wrapper)


class _Sum:
    """A sum that begins with nothing."""

    def __init__(self) -> None:
        self.total: Any = None

    def add(self, coefficient: Any, value: Tensor) -> None:
        """Adds a multiple of a tensor."""
        term = coefficient * value
        self.total = term if self.total is None else self.total + term


def _matrix(directions: Sequence[tuple], f: OneArgument) -> Tensor:
    rows = [[dict(d).get(i, 0.0) for i in range(f.size)] for d in directions]
    return torch.tensor(rows, dtype=f.x.dtype, device=f.x.device)


def _along(f: OneArgument, directions: Tensor, orders: Sequence[int]) -> list[list[Tensor]]:
    if f.whole:
        return f.apply(("taylor_along", tuple(orders), None), directions)
    return along_many(f.call, f.x, directions, orders, None)
