"""Collectives: what all processes of a group compute together. Each runs at once, and waits for the others.

Numbers go through NumPy arrays to the programs of `_exchange.py` and back; `group.reduced` and its like do it. With one
process what it gives is what it gets. Objects go as files of `torch.save`, of which `torch.load` takes data alone.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._core.api import Tensor, force_array, from_array, read
from ..api_names import listed
from ..autograd.grad_mode import no_grad
from ..futures import Future
from ..serialization import load, save
from .groups import NOT_A_MEMBER, ProcessGroup, checked

__all__ = [
    "ReduceOp", "Work", "all_gather", "all_gather_coalesced", "all_gather_into_tensor", "all_gather_object", "all_reduce", "all_reduce_coalesced",
    "all_to_all", "all_to_all_single", "barrier", "broadcast", "broadcast_object_list", "gather", "gather_object", "monitored_barrier", "reduce",
    "reduce_scatter", "reduce_scatter_tensor", "scatter", "scatter_object_list",
]  # fmt: skip
__dir__ = listed(__name__)


class ReduceOp:
    """How numbers of several processes become one."""

    class RedOpType(str):
        """The name of one."""

        def __repr__(self) -> str:
            return f"<RedOpType.{self}>"

    SUM, AVG, PRODUCT, MIN, MAX = map(RedOpType, ("SUM", "AVG", "PRODUCT", "MIN", "MAX"))
    BAND, BOR, BXOR, PREMUL_SUM = map(RedOpType, ("BAND", "BOR", "BXOR", "PREMUL_SUM"))


class Work:
    """Result of a collective with `async_op=True`: it is done, but for `irecv`, whose `wait` receives."""

    def __init__(self, result: Any = None, receive: Callable[[], Any] | None = None):
        self._result, self._receive = result, receive

    def wait(self, timeout: Any = None) -> bool:
        """True, once it is done. timeout is accepted but unused: the timeout of `init_process_group` applies."""
        receive, self._receive = self._receive, None
        if receive is not None:
            self._source = receive()
        return True

    def is_completed(self) -> bool:
        """Returns whether it is done."""
        return self._receive is None

    def is_success(self) -> bool:
        """Returns whether it is done: what fails raises."""
        return self._receive is None

    def source_rank(self) -> int:
        """The rank that a receive, which is done, came from."""
        return self._source

    def result(self) -> Any:
        """The tensors of the collective."""
        self.wait()
        return self._result

    def get_future(self) -> Any:
        """A Future that is done, of the collective's tensors."""
        future: Any = Future()
        future.set_result(self.result())
        return future


# -- tensors and arrays ------------------------------------------------------------------------------------------------


def numbers(x: Any, what: str) -> np.ndarray:
    """A tensor's numbers, on the host."""
    if not isinstance(x, Tensor):
        raise TypeError(
            f"Invalid function argument. Expected parameter `tensor` of type torch.Tensor, but got {type(x)} instead."
        )
    if x._cell.level:
        raise NotImplementedError(
            f"torch.distributed.{what}: cannot run inside a transform (grad, vmap, …), where values are unknown; call it outside, on the result of the transform"
        )
    if x._aval.device.is_mesh:
        raise NotImplementedError(
            f"torch.distributed.{what}: expected a plain tensor, but got a DTensor; move its values with redistribute() or full_tensor()"
        )
    return np.asarray(force_array(read(x.detach())))


def write(to: Tensor, array: np.ndarray) -> None:
    """Writes an array's numbers into a tensor, which keeps its shape."""
    with no_grad():
        to.copy_(from_array(array.reshape(tuple(to.shape))))  # type: ignore[attr-defined]


def reduce_array(
    of: ProcessGroup, what: str, array: np.ndarray, op: Any, scatter: bool = False
) -> np.ndarray:
    """The reduction by a ReduceOp; with `scatter`, of the parts in it that are for this process."""
    name = str(op).rpartition(".")[2].upper()
    if name not in ("SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR"):
        raise NotImplementedError(
            f"torch.distributed.{what}: op={op} is not supported; multiply the tensor and use ReduceOp.SUM"
        )
    inexact = np.issubdtype(array.dtype, np.inexact) or array.dtype.kind == "V"
    if array.dtype == bool:
        raise TypeError(f"torch.distributed.{what} of a bool tensor: convert it by .to(torch.uint8)")
    if name.startswith("B") and array.dtype.kind not in "iu":
        raise RuntimeError(f"Cannot use ReduceOp.{name} with non-integral dtype {array.dtype}")
    if name == "AVG" and not inexact:
        raise RuntimeError(
            f"torch.distributed.{what}: ReduceOp.AVG of {array.dtype}: convert it to a floating dtype"
        )
    if name in ("MIN", "MAX") and array.dtype.kind == "c":
        raise ValueError(f"{what} does not support {name} on complex tensors")
    run = of.scattered if scatter else of.reduced
    found = run(what, array, "SUM" if name == "AVG" else name)
    return (found / np.asarray(of.size(), found.dtype)).astype(found.dtype) if name == "AVG" else found


def _same_size(
    what: str, outputs: Sequence[Tensor], count: int, name: str, like: Tensor | None = None
) -> None:
    if len(outputs) != count:
        raise ValueError(
            f"{name} must have one entry for each process, which is {count} here, but has {len(outputs)}"
        )
    for t in outputs:
        if like is not None and (t.numel() != like.numel() or t.dtype is not like.dtype):  # type: ignore[attr-defined]
            raise ValueError(
                f"torch.distributed.{what}: {name} has a tensor of shape {list(t.shape)} and {t.dtype}, which must be like {list(like.shape)} and {like.dtype}"
            )


def _member(group: Any, what: str) -> ProcessGroup | None:
    """The group; None, with a warning, if this process is not in it."""
    if isinstance(group, int) and group == NOT_A_MEMBER:
        warnings.warn(
            f"Running {what} on global rank {checked().rank()} which does not belong to the given group.",
            stacklevel=3,
        )
        return None
    return checked(group)


def _root(of: ProcessGroup, rank: int | None, group_rank: int | None, what: str) -> int:
    """The place in the group of a rank that is given in the world, or in the group; 0 if it is not given."""
    if rank is not None and group_rank is not None:
        raise ValueError(f"Can't specify both {what} and group_{what}")
    if group_rank is not None:
        if not 0 <= group_rank < of.size():
            raise ValueError(f"group_{what} rank {group_rank} is not part of a group of {of.size()}")
        return group_rank
    if rank is None:
        return 0
    if rank not in of._ranks:
        raise ValueError(f"{what} rank {rank} is not part of the group of ranks {of._ranks}")
    return of._ranks.index(rank)


def _done(async_op: bool, result: Any = None) -> Work | None:
    return Work(result) if async_op else None


# -- reductions --------------------------------------------------------------------------------------------------------


def all_reduce(
    tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Replaces the tensor by the reduction of everyone's."""
    of = _member(group, "all_reduce")
    if of is not None:
        write(tensor, reduce_array(of, "all_reduce", numbers(tensor, "all_reduce"), op))
    return _done(async_op, [tensor])


def all_reduce_coalesced(
    tensors: Sequence[Tensor], op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
):
    """The same for several tensors."""
    for t in tensors:
        all_reduce(t, op, group)
    return _done(async_op, list(tensors))


def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: Any = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
    group_dst: int | None = None,
):
    """Replaces the tensor of process `dst` by the reduction of everyone's."""
    of = _member(group, "reduce")
    if of is not None:
        root = _root(of, dst, group_dst, "dst")
        found = reduce_array(of, "reduce", numbers(tensor, "reduce"), op)
        if of.rank() == root:
            write(tensor, found)
    return _done(async_op, [tensor])


def reduce_scatter(
    output: Tensor,
    input_list: list[Tensor],
    op: Any = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
):
    """Every process gives a tensor for each; `output` gets the reduction of the tensors for this process."""
    of = _member(group, "reduce_scatter")
    if of is not None:
        _same_size("reduce_scatter", input_list, of.size(), "input_list", output)
        parts = np.stack([numbers(t, "reduce_scatter").reshape(-1) for t in input_list])
        write(output, reduce_array(of, "reduce_scatter", parts, op, scatter=True))
    return _done(async_op, [output])


def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
):
    """The same, of one tensor that is the parts one after the other, or stacked."""
    of = _member(group, "reduce_scatter_tensor")
    if of is not None:
        if input.numel() != output.numel() * of.size():  # type: ignore[attr-defined]
            raise ValueError(
                f"input tensor must be the same size as output size times world size: {list(input.shape)}, {list(output.shape)}, {of.size()}"
            )
        parts = numbers(input, "reduce_scatter_tensor").reshape(of.size(), -1)
        write(output, reduce_array(of, "reduce_scatter_tensor", parts, op, scatter=True))
    return _done(async_op, [output])


# -- what is moved -----------------------------------------------------------------------------------------------------


def broadcast_array(of: ProcessGroup, what: str, array: np.ndarray, root: int) -> np.ndarray:
    """The array of the process at place `root`, of the same shape and dtype everywhere."""
    bits = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    words = np.zeros(
        -(-bits.size // 4), np.uint32
    )  # a sum of one process's bits and zeros has all bits as they are
    if of.rank() == root:
        words.view(np.uint8)[: bits.size] = bits
    found = of.reduced(what, words, "SUM").view(np.uint8)[: bits.size]
    return found.view(array.dtype).reshape(array.shape)


def broadcast(
    tensor: Tensor,
    src: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_src: int | None = None,
):
    """Replaces the tensor by the tensor of process `src`."""
    of = _member(group, "broadcast")
    if of is not None:
        root = _root(of, src, group_src, "src")
        found = broadcast_array(of, "broadcast", numbers(tensor, "broadcast"), root)
        if of.rank() != root:
            write(tensor, found)
    return _done(async_op, [tensor])


def all_gather(tensor_list: list[Tensor], tensor: Tensor, group: Any = None, async_op: bool = False):
    """Writes everyone's tensor into the list's."""
    of = _member(group, "all_gather")
    if of is not None:
        _same_size("all_gather", tensor_list, of.size(), "tensor_list", tensor)
        for to, found in zip(tensor_list, of.gathered("all_gather", numbers(tensor, "all_gather"))):
            write(to, found)
    return _done(async_op, tensor_list)


def all_gather_coalesced(output_tensor_lists, input_tensor_list, group: Any = None, async_op: bool = False):
    """The same for several tensors: the first list is of lists, one for each process."""
    of = _member(group, "all_gather_coalesced")
    if of is not None:
        _same_size("all_gather_coalesced", output_tensor_lists, of.size(), "output_tensor_lists")
        for i, x in enumerate(input_tensor_list):
            all_gather([outs[i] for outs in output_tensor_lists], x, group)
    return _done(async_op, output_tensor_lists)


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
):
    """Writes everyone's tensor into one, one after the other, or stacked."""
    of = _member(group, "all_gather_into_tensor")
    if of is not None:
        if output_tensor.numel() != input_tensor.numel() * of.size():  # type: ignore[attr-defined]
            raise ValueError(
                "output tensor size must be equal to world_size times input tensor size: "
                f"{list(output_tensor.shape)}, {list(input_tensor.shape)}, {of.size()}"
            )
        found = of.gathered("all_gather_into_tensor", numbers(input_tensor, "all_gather_into_tensor"))
        write(output_tensor, found)
    return _done(async_op, [output_tensor])


def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_dst=None,
):
    """Writes everyone's tensor into the list of process `dst`."""
    of = _member(group, "gather")
    if of is not None:
        root = _root(of, dst, group_dst, "dst")
        if of.rank() == root and gather_list is None:
            raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
        if of.rank() != root and gather_list:
            raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
        if gather_list:
            _same_size("gather", gather_list, of.size(), "gather_list", tensor)
        found = of.gathered("gather", numbers(tensor, "gather"))
        for to, part in zip(gather_list or (), found):
            write(to, part)
    return _done(async_op, gather_list)


def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor] | None = None,
    src: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_src=None,
):
    """Writes this process's tensor of the list of process `src` into `tensor`."""
    of = _member(group, "scatter")
    if of is not None:
        root = _root(of, src, group_src, "src")
        mine = numbers(tensor, "scatter")
        parts = np.zeros((of.size(), *mine.shape), mine.dtype)
        if of.rank() == root:
            if not scatter_list:
                raise ValueError("Argument ``scatter_list`` must be specified on source rank.")
            _same_size("scatter", scatter_list, of.size(), "scatter_list", tensor)
            parts = np.stack([numbers(t, "scatter").reshape(mine.shape) for t in scatter_list])
        elif scatter_list:
            raise ValueError("Argument ``scatter_list`` must NOT be specified on non-source ranks.")
        write(tensor, of.exchanged("scatter", parts)[root])
    return _done(async_op, [tensor])


def all_to_all(
    output_tensor_list: list[Tensor],
    input_tensor_list: list[Tensor],
    group: Any = None,
    async_op: bool = False,
):
    """Every process gives a tensor for each; the output list gets the tensors for this process. Their sizes may
    differ."""
    of = _member(group, "all_to_all")
    if of is not None:
        _same_size("all_to_all", output_tensor_list, of.size(), "output_tensor_list")
        _same_size("all_to_all", input_tensor_list, of.size(), "input_tensor_list")
        given = [numbers(t, "all_to_all").reshape(-1) for t in input_tensor_list]
        found = _exchanged(of, "all_to_all", given, [t.numel() for t in output_tensor_list])  # type: ignore[attr-defined]
        for to, part in zip(output_tensor_list, found):
            write(to, part)
    return _done(async_op, output_tensor_list)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes=None,
    input_split_sizes=None,
    group: Any = None,
    async_op: bool = False,
):
    """The same, of one tensor that is cut along its first dimension: into equal parts, or by sizes, which all processes
    give then."""
    of = _member(group, "all_to_all_single")
    if of is not None:
        write(
            output,
            all_to_all_array(
                of,
                numbers(input, "all_to_all_single"),
                output.shape[0] if output.ndim else 1,
                output_split_sizes,
                input_split_sizes,
            ),
        )
    return _done(async_op, [output])


def all_to_all_array(
    of: ProcessGroup, array: np.ndarray, rows: int | None, out_sizes: Any, in_sizes: Any
) -> np.ndarray:
    """`all_to_all_single` of arrays; rows: of the result, if it is known."""
    what, n = "all_to_all_single", of.size()
    if not out_sizes and not in_sizes:
        if array.shape[0] % n:
            raise RuntimeError(
                f"Tensor's dim 0 does not divide equally across group size: {array.shape[0]}, {n}"
            )
        return of.exchanged(what, array.reshape(n, -1)).reshape(array.shape)
    inside = list(in_sizes) if in_sizes else [array.shape[0] // n] * n
    outside = list(out_sizes) if out_sizes else [(rows or 0) // n] * n
    if len(inside) != n or len(outside) != n or sum(inside) != array.shape[0]:
        raise RuntimeError(
            f"torch.distributed.{what}: expected the sizes {inside} to be {n} ints that add up to {array.shape[0]}, and {outside} to have the same length"
        )
    row = int(np.prod(array.shape[1:], dtype=np.int64))
    given = [part.reshape(-1) for part in np.split(array, np.cumsum(inside)[:-1])]
    found = _exchanged(of, what, given, [k * row for k in outside])
    return np.concatenate(found).reshape(sum(outside), *array.shape[1:])


def _exchanged(
    of: ProcessGroup, what: str, parts: Sequence[np.ndarray], sizes: Sequence[int]
) -> list[np.ndarray]:
    """Flat parts of different sizes, padded to the longest that anybody gives. sizes: of what this process gets."""
    counts = of.gathered(what, np.array([p.size for p in parts], np.int64))
    coming = counts[:, of.rank()].tolist()
    if coming != list(sizes):
        raise RuntimeError(
            f"torch.distributed.{what}: this process receives {coming} elements from the others, but its output has room for {list(sizes)}"
        )
    padded = np.zeros((of.size(), max(int(counts.max()), 1)), parts[0].dtype)
    for row, part in zip(padded, parts):
        row[: part.size] = part
    return [row[:n] for row, n in zip(of.exchanged(what, padded), coming)]


def barrier(group: Any = None, async_op: bool = False, device_ids: Any = None) -> Work | None:
    """Waits until all processes of the group are here."""
    of = _member(group, "barrier")
    if of is not None:
        of.reduced("barrier", np.zeros(1, np.int32), "SUM")
    return _done(async_op)


def monitored_barrier(group: Any = None, timeout: Any = None, wait_all_ranks: bool = False) -> None:
    """A barrier. timeout is accepted but unused: the timeout of `init_process_group` applies, after which the missing
    ranks are named."""
    barrier(group)


# -- objects -----------------------------------------------------------------------------------------------------------


def _packed(obj: Any) -> np.ndarray:
    file = io.BytesIO()
    save(obj, file)
    return np.frombuffer(file.getvalue(), np.uint8)


def _unpacked(data: np.ndarray) -> Any:
    return load(io.BytesIO(data.tobytes()), weights_only=False)


def _gathered_objects(of: ProcessGroup, what: str, obj: Any) -> list[Any]:
    data = _packed(obj)
    sizes = of.gathered(what, np.array([data.size], np.int64))[:, 0]
    padded = np.zeros(int(sizes.max()), np.uint8)
    padded[: data.size] = data
    return [_unpacked(row[:n]) for row, n in zip(of.gathered(what, padded), sizes)]


def _broadcast_object(of: ProcessGroup, what: str, obj: Any, root: int) -> Any:
    data = _packed(obj) if of.rank() == root else np.zeros(0, np.uint8)
    size = int(of.reduced(what, np.array([data.size], np.int64), "SUM")[0])
    if of.rank() != root:
        data = np.zeros(size, np.uint8)
    return _unpacked(broadcast_array(of, what, data, root))


def all_gather_object(object_list: list, obj: Any, group: Any = None) -> None:
    """Puts everyone's object into the list.

    Objects are pickled, so any process of the group can run arbitrary code in all of its processes, as in PyTorch."""
    of = _member(group, "all_gather_object")
    if of is not None:
        _same_size("all_gather_object", object_list, of.size(), "object_list")
        object_list[:] = _gathered_objects(of, "all_gather_object", obj)


def gather_object(
    obj: Any,
    object_gather_list: list | None = None,
    dst: int | None = None,
    group: Any = None,
    group_dst=None,
) -> None:
    """Puts everyone's object into the list of process `dst`."""
    of = _member(group, "gather_object")
    if of is None:
        return
    root = _root(of, dst, group_dst, "dst")
    if of.rank() == root and object_gather_list is None:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    found = _gathered_objects(of, "gather_object", obj)
    if of.rank() == root:
        _same_size("gather_object", object_gather_list or (), of.size(), "object_gather_list")
        object_gather_list[:] = found  # type: ignore[index]


def broadcast_object_list(
    object_list: list, src: int | None = None, group: Any = None, device: Any = None, group_src=None, **kwargs
) -> None:
    """Replaces the objects by the objects of process `src`."""
    of = _member(group, "broadcast_object_list")
    if of is not None:
        root = _root(of, src, group_src, "src")
        found = _broadcast_object(of, "broadcast_object_list", list(object_list), root)
        if len(found) != len(object_list):
            raise RuntimeError(
                f"broadcast_object_list: the list has {len(object_list)} objects here, and {len(found)} at the source"
            )
        if of.rank() != root:
            object_list[:] = found


def scatter_object_list(
    scatter_object_output_list: list,
    scatter_object_input_list: list | None = None,
    src: int | None = None,
    group: Any = None,
    group_src=None,
) -> None:
    """Puts this process's object of the list of process `src` into the first place of the other list."""
    of = _member(group, "scatter_object_list")
    if of is None:
        return
    root = _root(of, src, group_src, "src")
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    if of.rank() == root:
        _same_size(
            "scatter_object_list", scatter_object_input_list or (), of.size(), "scatter_object_input_list"
        )
    found = _broadcast_object(of, "scatter_object_list", scatter_object_input_list, root)
    scatter_object_output_list[0] = found[of.rank()]
