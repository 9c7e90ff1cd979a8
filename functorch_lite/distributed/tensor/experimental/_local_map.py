"""local_map: a function of what each device has, on DTensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce, wraps
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from ...._core.api import DerivedOp, Tensor, apply, aval, record_function, tidied
from ....utils import _pytree as pytree
from ..._dtensor import DTensor, _plain, checked_placements
from ..._layout import Layout, layout_of, local_shape
from ..._placements import Placement, Replicate
from ...device_mesh import DeviceMesh

__all__ = ["local_map"]

_JOINED: dict[str, Callable[[Any, tuple[str, ...]], Any]] = {
    "sum": lax.psum,
    "avg": lax.pmean,
    "max": lax.pmax,
    "min": lax.pmin,
    "product": lambda x, axes: reduce(jnp.multiply, lax.all_gather(x, axes)),
}


def _is_one(placements: Any) -> bool:
    """Returns whether these are the placements of one tensor, not several such."""
    return isinstance(placements, Sequence) and all(isinstance(p, Placement) for p in placements)


def local_map(
    func: Callable | None = None,
    out_placements: Any = None,
    in_placements: tuple | None = None,
    in_grad_placements: tuple | None = None,
    device_mesh: DeviceMesh | None = None,
    *,
    redistribute_inputs: bool = False,
) -> Callable:
    """`func` for DTensors, whose parts it sees as plain tensors: on each device it computes with what that device has,
    and nothing is exchanged.

    Args:
        func: takes and gives tensors, and other values. It is recorded, once for all devices: it cannot read numbers,
            nor draw random ones.
        out_placements: of the result; or a tuple of these, one for each, None for what is no tensor. Of a Partial the
            parts are reduced as it says; of Replicate every device must have the same, which is not looked at.
        in_placements: a tuple with the placements that each argument must have; None for one that is no DTensor, which
            every device has whole. By default they are taken as they are.
        in_grad_placements: accepted: gradients are laid out as the arguments.
        device_mesh: by default the first DTensor's.
        redistribute_inputs: DTensors with other placements are redistributed; without it they raise ValueError.

    Parts must be even, and no argument a Partial: NotImplementedError says so. Gradients, and transforms outside, are
    JAX's of `jax.shard_map`.

    >>> from functorch_lite.distributed.device_mesh import init_device_mesh
    >>> from functorch_lite.distributed.tensor import Partial, Shard, distribute_tensor
    >>> mesh = init_device_mesh("cpu", (1,))
    >>> x, w = distribute_tensor(torch.ones(2, 4), mesh, [Shard(1)]), distribute_tensor(torch.ones(4, 3), mesh, [Shard(0)])
    >>> local_map(lambda x, w: x @ w, out_placements=[Partial()])(x, w).full_tensor()
    tensor([[4., 4., 4.],
            [4., 4., 4.]])
    """
    if func is None:
        return lambda f: local_map(
            f,
            out_placements,
            in_placements,
            in_grad_placements,
            device_mesh,
            redistribute_inputs=redistribute_inputs,
        )

    @wraps(func)
    @tidied
    def mapped(*args: Any, **kwargs: Any) -> Any:
        leaves, structure = pytree.tree_flatten((args, kwargs))
        if in_placements is not None and len(in_placements) != len(leaves):
            raise ValueError(
                f"local_map: in_placements has {len(in_placements)} entries, and {len(leaves)} arguments were given"
            )
        mesh = device_mesh or next((x.device_mesh for x in leaves if isinstance(x, DTensor)), None)
        if mesh is None:
            return func(*args, **kwargs)
        at = [i for i, x in enumerate(leaves) if isinstance(x, Tensor)]
        given = [
            _placed(
                leaves[i], i, mesh, None if in_placements is None else in_placements[i], redistribute_inputs
            )
            for i in at
        ]

        def call(fresh: Sequence[Tensor]) -> Any:
            local = list(leaves)
            for i, t in zip(at, fresh):
                local[i] = t
            args, kwargs = pytree.tree_unflatten(local, structure)
            return func(*args, **kwargs)

        return _run(call, given, mesh, out_placements)

    return mapped


def _placed(x: Any, i: int, mesh: DeviceMesh, wanted: Any, redistribute: bool) -> tuple[Any, Layout]:
    """An argument with the placements that it must have."""
    if not isinstance(x, DTensor):
        if wanted is not None:
            raise ValueError(
                f"local_map: argument {i} has placements {wanted} in in_placements, but is not a DTensor"
            )
        whole = layout_of(mesh, [Replicate()] * mesh.ndim)
        return whole.receive(x), whole
    if x.device_mesh.root != mesh.root:
        raise ValueError(f"local_map: argument {i} is on {x.device_mesh}, and the mesh is {mesh}")
    if wanted is not None:
        wanted = checked_placements("local_map", wanted, mesh, x.ndim)
    if x._cell.level:  # it is whole, and XLA places it
        if wanted is None:
            raise NotImplementedError(
                f"local_map inside a transform (grad, vmap, …): the placements of argument {i} are not known there: give in_placements"
            )
        return x, _even(layout_of(mesh, wanted), x, i)
    if wanted is not None and x.placements != wanted:
        if not redistribute:
            raise ValueError(
                f"in_placement {wanted} mismatches with the input DTensor's placements {x.placements} of argument {i}. "
                "If redistribute_inputs is wanted, set redistribute_inputs=True to local_map."
            )
        x = x.redistribute(placements=wanted)
    return x, _even(x._layout, x, i)


def _even(on: Layout, x: Any, i: int) -> Layout:
    if on.partial:
        raise NotImplementedError(
            f"local_map: argument {i} is {on.placements}: redistribute a Partial before the call"
        )
    if not on.is_even(tuple(x.shape)):
        raise NotImplementedError(
            f"local_map: argument {i}, of shape {list(x.shape)}, is cut unevenly by {on.placements}; pad it, or replicate it"
        )
    return on


def _run(call: Callable, given: list[tuple[Any, Layout]], mesh: DeviceMesh, out_placements: Any) -> Any:
    first = [0] * mesh.ndim
    avals = [aval(local_shape(on, tuple(t.shape), first), t.dtype, _plain(on)) for t, on in given]

    def run(fresh: list[Tensor]) -> tuple[list[Tensor], Any]:
        outs, structure = pytree.tree_flatten(call(fresh))
        return [x for x in outs if isinstance(x, Tensor)], (outs, structure)

    recorded = record_function("local_map", avals, [t for t, _ in given], run)
    outs, structure = recorded.result
    if any(isinstance(t, DTensor) for t in recorded.inputs[len(given) :]):
        raise NotImplementedError("local_map: a DTensor that the function captures must be an argument")
    given = [*given, *[_placed(t, -1, mesh, None, False) for t in recorded.inputs[len(given) :]]]
    wanted = _of_results(out_placements, outs)
    layouts = [
        layout_of(mesh, checked_placements("local_map", p, mesh, x.ndim))
        for p, x in zip(wanted, outs)
        if isinstance(x, Tensor)
    ]
    sources, ndims = [on for _, on in given], [t.ndim for t, _ in given]
    key = ("local_map", *map(repr, sources), "gives", *map(repr, layouts))
    op = recorded.graph.derive(key, lambda: _op(recorded.graph, mesh, sources, ndims, layouts))
    results = apply(op, None, tuple([t for t, _ in given]))
    found = iter([t if t._cell.level else on.receive(t) for on, t in zip(layouts, results)])
    return pytree.tree_unflatten([next(found) if isinstance(x, Tensor) else x for x in outs], structure)


def _of_results(out_placements: Any, outs: list[Any]) -> list[Any]:
    """The placements of each result."""
    wanted = (
        [out_placements] * len(outs)
        if _is_one(out_placements) and len(outs) == 1
        else list(out_placements or ())
    )
    if len(wanted) != len(outs):
        raise ValueError(
            f"local_map: out_placements must have one entry for each result, which are {len(outs)}, but has {len(wanted)}"
        )
    for i, (p, x) in enumerate(zip(wanted, outs)):
        if isinstance(x, Tensor) and p is None:
            raise ValueError(f"local_map: result {i} is a tensor, and has no placements in out_placements")
        if not isinstance(x, Tensor) and p is not None:
            raise ValueError(
                f"local_map: result {i} has placements {p} in out_placements, but is not a tensor"
            )
    return wanted


def _op(
    graph: Any, mesh: DeviceMesh, sources: list[Layout], ndims: list[int], layouts: list[Layout]
) -> DerivedOp:
    """The op of whole arrays, which JAX's shard_map cuts."""
    ins = tuple([on.sharding(n, parts=False).spec for on, n in zip(sources, ndims)])

    def local(*arrays: Any) -> tuple:
        made = []
        for x, on in zip(graph(*arrays), layouts):
            for i in on.partial:
                x = _JOINED[on.placements[i].reduce_op](x, mesh._axes[i])
            made.append(x)
        return tuple(made)

    def whole(*arrays: Any) -> tuple:
        outs = tuple(
            [on.sharding(len(a.shape), parts=False).spec for on, a in zip(layouts, graph.out_avals())]
        )
        return jax.shard_map(local, mesh=mesh.root._jax, in_specs=ins, out_specs=outs, check_vma=False)(
            *arrays
        )

    return DerivedOp(whole, "local_map")
