"""torch.distributed.nn.functional: collectives with gradients.
All processes of the group take part in the backward pass too.

Each is a collective of arrays, and for its gradient another one: what was gathered is reduced and scattered back, what
was reduced is reduced again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._core.api import Tensor, from_array
from ..autograd import Function
from . import collectives
from .collectives import ReduceOp, numbers
from .groups import ProcessGroup, checked

__all__ = [
    "all_gather", "all_reduce", "all_to_all", "all_to_all_single", "broadcast", "gather", "reduce", "reduce_scatter", "scatter",
]  # fmt: skip

Arrays = Sequence[np.ndarray]


def _like(array: np.ndarray, t: Tensor) -> Tensor:
    return from_array(np.ascontiguousarray(array)).to(t.device)  # type: ignore[attr-defined]


class _Collective(Function):
    """run(arrays) -> arrays forward, back(gradients) -> gradients backward."""

    @staticmethod
    def forward(ctx: Any, what: str, run: Callable, back: Callable, *tensors: Tensor) -> Any:
        ctx.what, ctx.back = what, back
        return tuple([_like(a, tensors[0]) for a in run([numbers(t, what) for t in tensors])])

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        found = ctx.back([numbers(g, ctx.what) for g in grads])
        return (None, None, None, *[_like(a, grads[0]) for a in found])


def _apply(
    what: str, run: Callable[[Arrays], Arrays], back: Callable[[Arrays], Arrays], *tensors: Tensor
) -> tuple[Tensor, ...]:
    return _Collective.apply(what, run, back, *tensors)


def _linear(op: Any, what: str) -> Any:
    """A ReduceOp whose derivative is known: SUM or AVG."""
    if op is None:
        return ReduceOp.SUM
    if str(op).rpartition(".")[2] not in ("SUM", "AVG"):
        raise NotImplementedError(
            f"torch.distributed.nn.functional.{what}: the gradient of op={op} is not supported, only of SUM and AVG; call torch.distributed.{what} if no gradient is needed"
        )
    return op


def all_reduce(tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """The sum or average of everyone's tensor. The gradient is reduced over the gradients of all processes.

    >>> torch.distributed.init_process_group("gloo", world_size=1, rank=0)
    >>> all_reduce(torch.ones(2))
    tensor([1., 1.])
    >>> torch.distributed.destroy_process_group()
    """
    of, op = checked(group), _linear(op, "all_reduce")

    def run(arrays: Arrays) -> Arrays:
        return [collectives.reduce_array(of, "all_reduce", arrays[0], op)]

    return _apply("all_reduce", run, run, tensor)[0]


def all_gather(tensor: Tensor, group: Any = None) -> tuple[Tensor, ...]:
    """Everyone's tensor. Each gets the sum of the gradients that all have for its own."""
    of = checked(group)
    return _apply(
        "all_gather", lambda a: list(of.gathered("all_gather", a[0])), _summed(of, "all_gather"), tensor
    )


def _summed(of: ProcessGroup, what: str, op: Any = ReduceOp.SUM) -> Callable[[Arrays], Arrays]:
    return lambda parts: [collectives.reduce_array(of, what, np.stack(parts), op, scatter=True)]


def reduce_scatter(
    output: Tensor, input_list: Sequence[Tensor], op: Any = ReduceOp.SUM, group: Any = None
) -> Tensor:
    """The reduction of the tensors that everyone gives for this process. output: of its shape; it is not written to."""
    of, op = checked(group), _linear(op, "reduce_scatter")
    scale = of.size() if op == ReduceOp.AVG else 1

    def back(grads: Arrays) -> Arrays:
        return list(of.gathered("reduce_scatter", (grads[0] / scale).astype(grads[0].dtype)))

    _check_count("reduce_scatter", input_list, of)
    return _apply("reduce_scatter", _summed(of, "reduce_scatter", op), back, *input_list)[0]


def _check_count(what: str, tensors: Sequence[Tensor], of: ProcessGroup) -> None:
    if len(tensors) != of.size():
        raise ValueError(
            f"torch.distributed.nn.functional.{what}: {len(tensors)} tensors were given, and the group has {of.size()} processes"
        )


def broadcast(tensor: Tensor, src: int, group: Any = None) -> Tensor:
    """The tensor of process `src`, which gets the sum of everyone's gradients."""
    of = checked(group)
    root = collectives._root(of, src, None, "src")

    def back(grads: Arrays) -> Arrays:
        total = of.reduced("broadcast", grads[0], "SUM")
        return [total if of.rank() == root else np.zeros_like(total)]

    return _apply(
        "broadcast", lambda a: [collectives.broadcast_array(of, "broadcast", a[0], root)], back, tensor
    )[0]


def reduce(tensor: Tensor, dst: int, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """The sum or average of everyone's tensor on process `dst`, whose gradient all get; elsewhere the tensor."""
    of, op = checked(group), _linear(op, "reduce")
    root = collectives._root(of, dst, None, "dst")
    scale = of.size() if op == ReduceOp.AVG else 1

    def run(arrays: Arrays) -> Arrays:
        total = collectives.reduce_array(of, "reduce", arrays[0], op)
        return [total if of.rank() == root else arrays[0].copy()]

    def back(grads: Arrays) -> Arrays:
        grad = collectives.broadcast_array(of, "reduce", grads[0], root)
        return [(grad / scale).astype(grad.dtype)]

    return _apply("reduce", run, back, tensor)[0]


def gather(tensor: Tensor, dst: int = 0, group: Any = None) -> tuple[Tensor, ...]:
    """Everyone's tensor on process `dst`; elsewhere zeros. Each gets the gradient that `dst` has for its own."""
    of = checked(group)
    root = collectives._root(of, dst, None, "dst")

    def run(arrays: Arrays) -> Arrays:
        found = of.gathered("gather", arrays[0])
        return list(found if of.rank() == root else np.zeros_like(found))

    return _apply("gather", run, lambda g: [of.exchanged("gather", np.stack(g))[root]], tensor)


def scatter(tensors: Sequence[Tensor], src: int = 0, group: Any = None) -> Tensor:
    """This process's tensor among the tensors of process `src`, which gets the gradients of all processes.

    All give as many, of these shapes."""
    of = checked(group)
    root = collectives._root(of, src, None, "src")
    _check_count("scatter", tensors, of)

    def back(grads: Arrays) -> Arrays:
        found = of.gathered("scatter", grads[0])
        return list(found if of.rank() == root else np.zeros_like(found))

    return _apply("scatter", lambda a: [of.exchanged("scatter", np.stack(a))[root]], back, *tensors)[0]


def all_to_all(
    output_tensor_list: Sequence[Tensor], input_tensor_list: Sequence[Tensor], group: Any = None
) -> tuple[Tensor, ...]:
    """The tensors that everyone gives for this process; gradients go back to where they came from. output_tensor_list:
    of their shapes; it is not written to."""
    of = checked(group)
    _check_count("all_to_all", input_tensor_list, of)
    _check_count("all_to_all", output_tensor_list, of)
    given, wanted = [tuple(t.shape) for t in input_tensor_list], [tuple(t.shape) for t in output_tensor_list]

    def moved(shapes: list[tuple[int, ...]]) -> Callable[[Arrays], Arrays]:
        def run(arrays: Arrays) -> Arrays:
            sizes = [int(np.prod(s, dtype=np.int64)) for s in shapes]
            found = collectives._exchanged(of, "all_to_all", [a.reshape(-1) for a in arrays], sizes)
            return [a.reshape(s) for a, s in zip(found, shapes)]

        return run

    return _apply("all_to_all", moved(wanted), moved(given), *input_tensor_list)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: Any = None,
) -> Tensor:
    """The same, of one tensor that is cut along its first dimension."""
    of, rows, back_rows = checked(group), output.shape[0], input.shape[0]

    def run(arrays: Arrays) -> Arrays:
        return [collectives.all_to_all_array(of, arrays[0], rows, output_split_sizes, input_split_sizes)]

    def back(grads: Arrays) -> Arrays:
        return [collectives.all_to_all_array(of, grads[0], back_rows, input_split_sizes, output_split_sizes)]

    return _apply("all_to_all_single", run, back, input)[0]
