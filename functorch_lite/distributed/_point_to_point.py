"""From one process to another: messages in the store of JAX's coordination service, from which the receiver takes
them. A send does not wait for the receiver."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes  # noqa: F401  (names of dtypes that NumPy then knows)
import numpy as np

from .._core.api import Tensor
from ._runtime import Runtime
from .collectives import Work, _packed, _root, _unpacked, numbers, write
from .groups import ProcessGroup, checked

__all__ = [
    "P2POp", "batch_isend_irecv", "irecv", "isend", "post", "recv", "recv_object_list", "send", "send_object_list", "take",
]  # fmt: skip

_PIECE = 1 << 20
_NOBODY = "Invalid {} rank: there is no other process to exchange with in a world of one process"


def _peer(group: Any, rank: int | None, group_rank: int | None, what: str) -> tuple[ProcessGroup, int]:
    of = checked(group)
    if of._runtime is None:
        raise ValueError(_NOBODY.format({"dst": "destination", "src": "source"}[what]))
    place = _root(of, rank, group_rank, what)
    if place == of.rank():
        raise ValueError(f"Invalid {what} rank: a process cannot send to, or receive from, itself")
    return of, place


def _key(of: ProcessGroup, source: int, to: int, tag: int) -> str:
    return f"messages/{of.group_name}/{source}/{to}/{tag}"


def post(of: ProcessGroup, to: int, tag: int, arrays: Sequence[np.ndarray], note: Any = None) -> None:
    """Leaves arrays, and a note that JSON can hold, for a rank of the group."""
    runtime = of._runtime
    assert runtime is not None
    place = (of.rank(), to, tag)
    number = of.sent[place] = of.sent.get(place, -1) + 1
    key = f"{_key(of, *place)}/{number}"
    data = b"".join([np.ascontiguousarray(a).tobytes() for a in arrays])
    pieces = -(-len(data) // _PIECE)
    for i in range(pieces):
        runtime.client.key_value_set_bytes(f"{key}/{i}", data[i * _PIECE : (i + 1) * _PIECE])
    head = {"arrays": [(a.shape, a.dtype.name) for a in arrays], "pieces": pieces, "note": note}
    runtime.client.key_value_set(f"{key}/head", json.dumps(head))


def take(of: ProcessGroup, sources: Sequence[int], tag: int, what: str) -> tuple[list[np.ndarray], Any, int]:
    """The next message of one of the sources: its arrays, its note, and which source."""
    with of.waiting_for(sources, what) as runtime:
        until = time.monotonic() + runtime.timeout
        while True:
            for source in sources:
                place = (source, of.rank(), tag)
                key = f"{_key(of, *place)}/{of.sent.get(place, -1) + 1}"
                head = _wait(runtime, f"{key}/head", 1000 if len(sources) == 1 else 20)
                if head is not None:
                    of.sent[place] = of.sent.get(place, -1) + 1
                    return *_collected(runtime, key, json.loads(head)), source
                if of._ranks[source] in runtime.gone:
                    raise RuntimeError(f"rank {of._ranks[source]} is gone")
            if time.monotonic() > until:
                raise TimeoutError(
                    f"torch.distributed.{what}: nothing came from ranks {[of._ranks[s] for s in sources]} within {runtime.timeout:.0f} s"
                )


def _wait(runtime: Runtime, key: str, milliseconds: int) -> str | None:
    try:
        return runtime.client.blocking_key_value_get(key, milliseconds)
    except Exception as error:
        if "DEADLINE_EXCEEDED" in str(error):
            return None
        raise


def _collected(runtime: Runtime, key: str, head: dict[str, Any]) -> tuple[list[np.ndarray], Any]:
    data = b"".join(
        [runtime.client.blocking_key_value_get_bytes(f"{key}/{i}", 60_000) for i in range(head["pieces"])]
    )
    runtime.client.key_value_delete(f"{key}/")
    arrays, start = [], 0
    for shape, dtype in head["arrays"]:
        kind = np.dtype(dtype)
        count = math.prod(shape)
        arrays.append(np.frombuffer(data, kind, count, start).reshape(shape))
        start += count * kind.itemsize
    return arrays, head["note"]


def _received(of: ProcessGroup, tensor: Tensor, sources: Sequence[int], tag: int) -> int:
    (array,), _, source = take(of, sources, tag, "recv")
    if array.size != tensor.numel() or array.dtype != numbers(tensor, "recv").dtype:  # type: ignore[attr-defined]
        raise RuntimeError(
            f"torch.distributed.recv: rank {of._ranks[source]} sent {array.dtype} of shape {list(array.shape)}, and the tensor is "
            f"{tensor.dtype} of shape {list(tensor.shape)}"
        )
    write(tensor, array.copy())
    return of._ranks[source]


def send(
    tensor: Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None
) -> None:
    """Sends a tensor to process `dst`. It does not wait until that has received it."""
    isend(tensor, dst, group, tag, group_dst)


def isend(
    tensor: Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None
) -> Work:
    """The same; what it returns is done."""
    of, to = _peer(group, dst, group_dst, "dst")
    post(of, to, tag, [numbers(tensor, "send")])
    return Work([tensor])


def _sources(group: Any, src: int | None, group_src: int | None) -> tuple[ProcessGroup, list[int]]:
    if src is None and group_src is None and checked(group)._runtime is not None:
        of = checked(group)
        return of, [i for i in range(of.size()) if i != of.rank()]
    of, source = _peer(group, src, group_src, "src")
    return of, [source]


def recv(
    tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None
) -> int:
    """Writes the next tensor that process `src` sends, or anyone, into `tensor`, and returns the sender's rank."""
    of, sources = _sources(group, src, group_src)
    return _received(of, tensor, sources, tag)


def irecv(
    tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None
) -> Work:
    """The same, at `wait()` of what it returns."""
    of, sources = _sources(group, src, group_src)
    return Work([tensor], lambda: _received(of, tensor, sources, tag))


_OBJECTS = -1  # no tag of a tensor's


def send_object_list(
    object_list: list,
    dst: int | None = None,
    group: Any = None,
    device: Any = None,
    group_dst=None,
    **kwargs: Any,
) -> None:
    """Sends a list of objects to process `dst`."""
    of, to = _peer(group, dst, group_dst, "dst")
    post(of, to, _OBJECTS, [_packed(list(object_list))])


def recv_object_list(
    object_list: list,
    src: int | None = None,
    group: Any = None,
    device: Any = None,
    group_src=None,
    **kwargs: Any,
) -> int:
    """Replaces the list's objects by the objects that process `src`, or any process, sends; returns the sender's
    rank."""
    of, sources = _sources(group, src, group_src)
    (data,), _, source = take(of, sources, _OBJECTS, "recv_object_list")
    found = _unpacked(data)
    if len(found) != len(object_list):
        raise RuntimeError(
            f"torch.distributed.recv_object_list: {len(found)} objects were sent, and the list has {len(object_list)}"
        )
    object_list[:] = found
    return of._ranks[source]


class P2POp:
    """One of `isend` and `irecv` with its arguments, for `batch_isend_irecv`."""

    def __init__(
        self,
        op: Callable,
        tensor: Tensor,
        peer: int | None = None,
        group: Any = None,
        tag: int = 0,
        group_peer: int | None = None,
    ):
        if op not in (isend, irecv):
            raise ValueError(
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or ``torch.distributed.irecv``."
            )
        self.op, self.tensor, self.peer, self.group, self.tag = op, tensor, peer, group, tag
        self.group_peer = group_peer


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Work]:
    """Starts them all, and returns what to wait for."""
    return [x.op(x.tensor, x.peer, x.group, x.tag, x.group_peer) for x in p2p_op_list]
