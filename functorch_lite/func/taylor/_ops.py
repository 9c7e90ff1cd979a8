"""The ops that Taylor mode makes of a Graph: derivatives along directions, and their sums over a basis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from ..._core.api import DerivedOp, Graph, Tensor, transforms
from ..derivatives import jvp
from ..vmap import vmap
from ._collapsed import laplacian_of
from ._functions import split
from ._series import along_paths

__all__ = ["derivatives_along"]


def _basis(x: Any) -> Any:
    """The unit vectors, of the argument's shape."""
    return jnp.eye(x.size, dtype=x.dtype).reshape(x.size, *x.shape)


def _in_chunks(run: Callable[[Any], Any], directions: Any, chunk: int | None, sums: bool) -> Any:
    """run of all directions, or of some at a time, one after the other: its results summed, or one after the other."""
    if chunk is None:
        return run(directions)
    n = directions.shape[0]
    parts = -(-n // chunk)
    padded = jnp.pad(directions, [(0, parts * chunk - n)] + [(0, 0)] * (directions.ndim - 1))
    found = jax.lax.map(run, padded.reshape(parts, chunk, *directions.shape[1:]))
    if sums:
        return [f.sum(0) for f in found]
    return [f.reshape(parts * chunk, *f.shape[2:])[:n] for f in found]


@transforms("taylor_laplacian")
def _laplacian_op(key: tuple, graph: Graph) -> DerivedOp:
    """Op that gives for each result the sum of second derivatives along directions, by default the basis."""
    _, chunk, n_out = key

    def fn(*arrays: Any) -> list:
        f, x, rest, extra = split(graph, n_out, arrays)
        directions = extra[0] if extra else _basis(x)

        def run(some: Any) -> list:
            return [L for _, _, L in laplacian_of(f, x, some)]

        return [*_in_chunks(run, directions, chunk, sums=True), *rest]

    return DerivedOp(fn, "laplacian")


@transforms("taylor_value_grad_laplacian")
def _whole_op(key: tuple, graph: Graph) -> DerivedOp:
    """(values, Jacobians, Laplacians), a row each."""
    n_out = key[-1]

    def fn(*arrays: Any) -> list:
        f, x, rest, _ = split(graph, n_out, arrays)
        found = laplacian_of(f, x, _basis(x))
        jacobians = [jnp.moveaxis(J, 0, -1).reshape(v.shape + x.shape) for v, J, _ in found]
        return [*[v for v, _, _ in found], *jacobians, *[L for _, _, L in found], *rest]

    return DerivedOp(fn, "value_grad_laplacian")


@transforms("taylor_along")
def _along_op(key: tuple, graph: Graph) -> DerivedOp:
    """Op that gives for each result the derivatives of these orders along every direction, a row for each order:
    (directions, *result)."""
    _, orders, chunk, n_out = key
    last = max(orders)

    def fn(*arrays: Any) -> list:
        f, x, rest, extra = split(graph, n_out, arrays)

        def one(v: Any) -> list:
            still = [jnp.zeros_like(x)] * (last - 1)
            found = along_paths(f, [(x, [v, *still][:last])])
            return [terms[k - 1] for k in orders for _, terms in found]

        directions = extra[0] if extra else _basis(x)
        return [*_in_chunks(jax.vmap(one), directions, chunk, sums=False), *rest]

    return DerivedOp(fn, "along")


def derivatives_along(call: Callable[[Tensor], list], x: Tensor, v: Tensor, order: int) -> list[list[Tensor]]:
    """[results, their derivatives along v, …, up to this order], by repeated use of this library's jvp: functions
    that depend on Python are differentiated by their own rules."""

    def up_to(x: Tensor, k: int) -> list[list[Tensor]]:
        if not k:
            return [call(x)]
        lower, slopes = jvp(lambda x: up_to(x, k - 1), (x,), (v,))
        return [*lower, slopes[-1]]

    return up_to(x, order)


def along_many(
    call: Callable[[Tensor], list], x: Tensor, directions: Tensor, orders: Sequence[int], chunk: int | None
) -> list[list[Tensor]]:
    """The same along each of many directions: for each of the orders a row of (directions, *result)."""

    def one(v: Tensor) -> list[list[Tensor]]:
        found = derivatives_along(call, x, v, max(orders))
        return [found[k] for k in orders]

    return vmap(one, chunk_size=chunk)(directions)
