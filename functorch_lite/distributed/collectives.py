"""Collectives of one process: what it gives is what it gets."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from .._core.api import Tensor
from ..api_names import listed
from ..autograd.grad_mode import no_grad
from .groups import checked

__all__ = [
    "P2POp", "ReduceOp", "Work", "all_gather", "all_gather_coalesced", "all_gather_into_tensor", "all_gather_object", "all_reduce", "all_reduce_coalesced",
    "all_to_all", "all_to_all_single", "barrier", "batch_isend_irecv", "broadcast", "broadcast_object_list", "gather", "gather_object", "irecv",
    "isend", "monitored_barrier", "recv", "recv_object_list", "reduce", "reduce_scatter", "reduce_scatter_tensor", "scatter", "scatter_object_list",
    "send", "send_object_list",
]  # fmt: skip
__dir__ = listed(__name__)


class ReduceOp:
    """How numbers of several processes become one; of one process's, each is the identity."""

    class RedOpType(str):
        """The name of one."""

        def __repr__(self) -> str:
            return f"<RedOpType.{self}>"

    SUM, AVG, PRODUCT, MIN, MAX = map(RedOpType, ("SUM", "AVG", "PRODUCT", "MIN", "MAX"))
    BAND, BOR, BXOR, PREMUL_SUM = map(RedOpType, ("BAND", "BOR", "BXOR", "PREMUL_SUM"))


class Work:
    """What a collective with `async_op=True` returns: it is done."""

    def __init__(self, result: Any = None):
        self._result = result

    def wait(self, timeout: Any = None) -> bool:
        """True."""
        return True

    def is_completed(self) -> bool:
        """True."""
        return True

    def is_success(self) -> bool:
        """True."""
        return True

    def result(self) -> Any:
        """The tensors of the collective."""
        return self._result

    def get_future(self) -> Any:
        """A Future that is done, of the collective's tensors."""
        from ..futures import Future

        future: Any = Future()
        future.set_result(self._result)
        return future


def _done(async_op: bool, result: Any = None) -> Work | None:
    return Work(result) if async_op else None


def _check_rank(rank: int | None, of: str) -> None:
    if rank not in (None, 0):
        raise ValueError(f"{of} rank {rank} is not part of a world of one process")


def _write(to: Tensor, new: Tensor) -> None:
    with no_grad():
        to.copy_(new.reshape(to.shape))


def _only(found: Sequence, what: str) -> Any:
    if len(found) != 1:
        raise ValueError(
            f"{what} must have one entry for each process, which is 1 here, but has {len(found)}"
        )
    return found[0]


def all_reduce(
    tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Leaves the tensor as it is."""
    checked(group)
    return _done(async_op, [tensor])


def all_reduce_coalesced(
    tensors: Sequence[Tensor], op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
):
    """Leaves the tensors as they are."""
    checked(group)
    return _done(async_op, list(tensors))


def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: Any = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
    group_dst: int | None = None,
):
    """Leaves the tensor as it is."""
    checked(group)
    _check_rank(dst, "dst")
    _check_rank(group_dst, "group_dst")
    return _done(async_op, [tensor])


def broadcast(
    tensor: Tensor,
    src: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_src: int | None = None,
):
    """Leaves the tensor as it is."""
    checked(group)
    _check_rank(src, "src")
    _check_rank(group_src, "group_src")
    return _done(async_op, [tensor])


def all_gather(tensor_list: list[Tensor], tensor: Tensor, group: Any = None, async_op: bool = False):
    """Writes the tensor into the list's only tensor."""
    checked(group)
    _write(_only(tensor_list, "tensor_list"), tensor)
    return _done(async_op, tensor_list)


def all_gather_coalesced(output_tensor_lists, input_tensor_list, group: Any = None, async_op: bool = False):
    """The same for several tensors."""
    checked(group)
    for outs, x in zip(_only(output_tensor_lists, "output_tensor_lists"), input_tensor_list):
        _write(outs, x)
    return _done(async_op, output_tensor_lists)


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
):
    """Writes one tensor into the other."""
    checked(group)
    _write(output_tensor, input_tensor)
    return _done(async_op, [output_tensor])


def all_gather_object(object_list: list, obj: Any, group: Any = None) -> None:
    """Puts a copy of the object into the list's only place."""
    checked(group)
    _only(object_list, "object_list")
    object_list[0] = copy.deepcopy(obj)


def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_dst=None,
):
    """Writes the tensor into the list's only tensor."""
    checked(group)
    _check_rank(dst, "dst")
    if gather_list is None:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    _write(_only(gather_list, "gather_list"), tensor)
    return _done(async_op, gather_list)


def gather_object(
    obj: Any,
    object_gather_list: list | None = None,
    dst: int | None = None,
    group: Any = None,
    group_dst=None,
) -> None:
    """Puts a copy of the object into the list's only place."""
    _check_rank(dst, "dst")
    if object_gather_list is None:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    all_gather_object(object_gather_list, obj, group)


def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor] | None = None,
    src: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_src=None,
):
    """Writes the list's only tensor into the tensor."""
    checked(group)
    _check_rank(src, "src")
    if scatter_list is None:
        raise ValueError("Argument ``scatter_list`` must be specified on source rank.")
    _write(tensor, _only(scatter_list, "scatter_list"))
    return _done(async_op, [tensor])


def scatter_object_list(
    scatter_object_output_list: list,
    scatter_object_input_list: list | None = None,
    src: int | None = None,
    group: Any = None,
    group_src=None,
) -> None:
    """Puts a copy of the second list's only object into the first."""
    checked(group)
    scatter_object_output_list[0] = copy.deepcopy(
        _only(scatter_object_input_list or (), "scatter_object_input_list")
    )


def broadcast_object_list(
    object_list: list, src: int | None = None, group: Any = None, device: Any = None, group_src=None, **kwargs
) -> None:
    """Leaves the objects as they are."""
    checked(group)
    _check_rank(src, "src")


def reduce_scatter(
    output: Tensor,
    input_list: list[Tensor],
    op: Any = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
):
    """Writes the list's only tensor into `output`."""
    checked(group)
    _write(output, _only(input_list, "input_list"))
    return _done(async_op, [output])


def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
):
    """Writes `input` into `output`."""
    checked(group)
    _write(output, input)
    return _done(async_op, [output])


def all_to_all(
    output_tensor_list: list[Tensor],
    input_tensor_list: list[Tensor],
    group: Any = None,
    async_op: bool = False,
):
    """Writes the one list's tensor into the other's."""
    checked(group)
    _write(_only(output_tensor_list, "output_tensor_list"), _only(input_tensor_list, "input_tensor_list"))
    return _done(async_op, output_tensor_list)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes=None,
    input_split_sizes=None,
    group: Any = None,
    async_op: bool = False,
):
    """Writes one tensor into the other."""
    checked(group)
    _write(output, input)
    return _done(async_op, [output])


def barrier(group: Any = None, async_op: bool = False, device_ids: Any = None) -> Work | None:
    """Waits for nobody."""
    checked(group)
    return _done(async_op)


def monitored_barrier(group: Any = None, timeout: Any = None, wait_all_ranks: bool = False) -> None:
    """Waits for nobody."""
    checked(group)


_NOBODY = "Invalid {} rank: there is no other process to exchange with in a world of one process"


def send(tensor: Any, dst: int | None = None, group: Any = None, tag: int = 0, group_dst=None) -> None:
    """Raises ValueError, as PyTorch does where a process sends to itself."""
    checked(group)
    raise ValueError(_NOBODY.format("destination"))


def recv(tensor: Any, src: int | None = None, group: Any = None, tag: int = 0, group_src=None) -> int:
    """Raises ValueError: nobody sends."""
    checked(group)
    raise ValueError(_NOBODY.format("source"))


isend = send_object_list = send
irecv = recv_object_list = recv


class P2POp:
    """One of `isend` and `irecv` with its arguments, for `batch_isend_irecv`."""

    def __init__(
        self,
        op: Callable,
        tensor: Tensor,
        peer: int | None = None,
        group: Any = None,
        tag: int = 0,
        group_peer=None,
    ):
        self.op, self.tensor, self.peer, self.group, self.tag = op, tensor, peer, group, tag


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Any]:
    """Runs them, so raises ValueError if there is one."""
    return [x.op(x.tensor, x.peer, x.group, x.tag) for x in p2p_op_list]
