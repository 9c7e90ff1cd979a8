"""Run by test_processes.py as two processes: the pages' examples for several processes, then each collective against
what its definition says."""

from __future__ import annotations

import shutil
import tempfile

import functorch_lite as torch
import functorch_lite.distributed as dist
import functorch_lite.distributed.checkpoint as dcp
from functorch_lite.distributed import _functional_collectives as funcol
from functorch_lite.distributed import functional
from functorch_lite.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict
from tests.distributed.document_program import blocks
from tests.support.raising import raises


def of(rank: int, dtype=torch.float32):
    """What each process gives: known to the other."""
    return (torch.arange(6) * (rank + 2) + rank + 1).reshape(2, 3).to(dtype)


def equal(a, b) -> bool:
    return a.dtype == b.dtype and a.tolist() == b.tolist()


def reductions(me: int) -> None:
    a, b = of(0), of(1)
    expected = {
        "SUM": a + b,
        "AVG": (a + b) / 2,
        "PRODUCT": a * b,
        "MIN": torch.minimum(a, b),
        "MAX": torch.maximum(a, b),
    }
    for name, value in expected.items():
        x = of(me)
        dist.all_reduce(x, getattr(dist.ReduceOp, name))
        assert equal(x, value), name
    i, j = of(0, torch.int64), of(1, torch.int64)
    for name, value in {"BAND": i & j, "BOR": i | j, "BXOR": i ^ j, "SUM": i + j}.items():
        x = of(me, torch.int64)
        dist.all_reduce(x, getattr(dist.ReduceOp, name))
        assert equal(x, value), name
    for dtype in (torch.float64, torch.bfloat16, torch.complex64, torch.uint8):
        x = of(me, dtype)
        dist.all_reduce(x)
        assert equal(x, of(0, dtype) + of(1, dtype)), dtype
    x = of(me)
    dist.reduce(x, 1)
    assert equal(x, a + b if me == 1 else a)
    out = torch.zeros(3)
    dist.reduce_scatter_tensor(out, of(me))
    assert equal(out, (a + b)[me])
    dist.reduce_scatter(out, list(of(me)), dist.ReduceOp.MAX)
    assert equal(out, torch.maximum(a, b)[me])
    raises(
        TypeError, "convert it by .to(torch.uint8)", lambda: dist.all_reduce(torch.ones(2, dtype=torch.bool))
    )
    raises(RuntimeError, "non-integral", lambda: dist.all_reduce(torch.ones(2), dist.ReduceOp.BOR))


def moves(me: int) -> None:
    odd = torch.tensor([-0.0, float("nan"), float("inf"), 1e-45])
    x = odd.clone() if me == 1 else torch.ones(4)
    dist.broadcast(x, 1)
    assert x.view(torch.int32).tolist() == odd.view(torch.int32).tolist()  # every bit
    for dtype in (torch.bool, torch.complex128, torch.float16):
        got = [torch.zeros(2, 3, dtype=dtype) for _ in range(2)]
        dist.all_gather(got, of(me, dtype))
        assert all(equal(g, of(r, dtype)) for r, g in enumerate(got)), dtype
    whole = torch.zeros(4, 3)
    dist.all_gather_into_tensor(whole, of(me))
    assert equal(whole, torch.cat([of(0), of(1)]))
    got = [torch.zeros(2, 3) for _ in range(2)] if me == 0 else None
    work = dist.gather(of(me), got, dst=0, async_op=True)
    assert work.wait() and (me == 1 or equal(got[1], of(1)))
    out = torch.zeros(3)
    dist.scatter(out, list(of(1)) if me == 1 else None, src=1)
    assert equal(out, of(1)[me])
    dist.all_to_all_single(whole[:2], of(me))
    assert equal(whole[:2], torch.stack([of(0)[me], of(1)[me]]))
    given = [torch.full((1 + r + me,), 10.0 * me + r) for r in range(2)]
    got = [torch.zeros(1 + r + me) for r in range(2)]
    dist.all_to_all(got, given)
    assert [g.tolist() for g in got] == [[float(10 * r + me)] * (1 + r + me) for r in range(2)]
    raises(ValueError, "one entry for each process", lambda: dist.all_gather([out], out))
    raises(ValueError, "src rank 5", lambda: dist.broadcast(out, 5))


class Own:
    """A class of the program's own: objects that processes send each other are pickled."""


def objects_and_messages(me: int) -> None:
    found = [None, None]
    dist.all_gather_object(found, {"rank": me, "t": torch.ones(me + 1)})
    assert [f["rank"] for f in found] == [0, 1] and found[1]["t"].tolist() == [1.0, 1.0]
    lists = ["a", (1, 2.5)] if me == 0 else [None, None]
    dist.broadcast_object_list(lists, src=0)
    assert lists == ["a", (1, 2.5)]
    mine = [None]
    dist.scatter_object_list(mine, [{"for": 0}, {"for": 1}] if me == 0 else None)
    assert mine == [{"for": me}]
    dist.all_gather_object(found, Own())
    assert [type(f) for f in found] == [Own, Own]
    raises(Exception, "pickle", lambda: dist.all_gather_object(found, lambda: 0))
    works = dist.batch_isend_irecv(
        [dist.P2POp(dist.isend, of(me), 1 - me), dist.P2POp(dist.irecv, other := torch.zeros(2, 3), 1 - me)]
    )
    assert all(w.wait() for w in works) and equal(other, of(1 - me))
    if me == 0:
        dist.send(of(0), 1, tag=7)
        dist.send_object_list(["x"], 1)
        dist.send(torch.arange(700_000), 1)  # in several pieces
    else:
        assert dist.recv(other, tag=7) == 0 and equal(other, of(0))
        assert dist.recv_object_list(mine, 0) == 0 and mine == ["x"]
        big = torch.zeros(700_000, dtype=torch.int64)
        dist.recv(big, 0)
        assert equal(big, torch.arange(700_000))


def groups(me: int) -> None:
    alone = [dist.new_group([r]) for r in range(2)]
    assert alone[1 - me] == dist.GroupMember.NON_GROUP_MEMBER and dist.get_rank(alone[1 - me]) == -1
    x = of(me)
    dist.all_reduce(x, group=alone[me])
    assert equal(x, of(me)) and dist.get_process_group_ranks(alone[me]) == [me]
    both = dist.new_group()
    dist.all_reduce(x, group=both)
    assert equal(x, of(0) + of(1)) and dist.get_world_size(both) == 2
    dist.monitored_barrier()
    raises(RuntimeError, "each has one device of a mesh", lambda: dist.init_device_mesh("cpu", (4,)))


def checkpoints(me: int) -> None:
    folder = [tempfile.mkdtemp() if me == 0 else None]
    dist.broadcast_object_list(folder)
    own = {f"of {me}": of(me), "n": me}  # n: that of rank 0 counts
    for save in (dcp.save, lambda *a, **k: dcp.async_save(*a, **k).result()):
        save({"both": torch.ones(3), "own": own}, checkpoint_id=folder[0])
        state = {
            "both": torch.zeros(3),
            "own": {"of 0": torch.zeros(2, 3), "of 1": torch.zeros(2, 3), "n": None},
        }
        dcp.load(state, checkpoint_id=folder[0])
        assert state["both"].sum() == 3 and state["own"]["n"] == 0
        assert equal(state["own"]["of 0"], of(0)) and equal(state["own"]["of 1"], of(1))
    model = torch.nn.Linear(2, 2)
    options = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    set_model_state_dict(
        model, {"weight": torch.ones(2, 2), "bias": torch.ones(2)} if me == 0 else {}, options=options
    )
    assert model.weight.sum() == 4
    dist.barrier()
    if me == 0:
        shutil.rmtree(folder[0])


def gradients(me: int) -> None:
    scale = torch.tensor([1.0, 10.0])
    for step in range(3):  # the same place in a loop, with other numbers
        x = (of(me) + step).requires_grad_()
        y = functional.all_reduce(x * x)
        assert equal(y.detach(), (of(0) + step) ** 2 + (of(1) + step) ** 2)
        (y * scale[me]).sum().backward()
        assert equal(x.grad, 11 * 2 * (of(me) + step))
    x = of(me).requires_grad_()
    first, second = functional.all_gather(x)
    ((first + 3 * second) * scale[me]).sum().backward()
    assert equal(x.grad, torch.full((2, 3), 11.0 * (1, 3)[me]))
    gradient = torch.func.grad(lambda x: (functional.all_reduce(x * x) * scale[me]).sum())
    for step in range(2):
        assert equal(gradient(of(me) + step), 22.0 * (of(me) + step))
    raises(RuntimeError, "vmap", lambda: torch.func.vmap(functional.all_reduce)(of(me)))
    raises(NotImplementedError, "inside a transform", lambda: torch.func.vmap(dist.all_reduce)(of(me)))
    cases = {
        "reduce_scatter": (lambda x: functional.reduce_scatter(x[0], list(x)), lambda: torch.tensor([[1.0] * 3, [10.0] * 3])),
        "broadcast": (lambda x: functional.broadcast(x, 1), lambda: torch.full((2, 3), 11.0 * me)),
        "reduce": (lambda x: functional.reduce(x, 0), lambda: torch.full((2, 3), 1.0)),
        "gather": (lambda x: functional.gather(x, 1)[0], lambda: torch.full((2, 3), 10.0 * (me == 0))),
        "scatter": (lambda x: functional.scatter(list(x), 0), lambda: torch.tensor([[1.0] * 3, [10.0] * 3]) * (me == 0)),
        "all_to_all": (lambda x: functional.all_to_all(list(x), list(x))[0], lambda: torch.tensor([[1.0] * 3, [10.0] * 3]) * (me == 0)),
        "all_to_all_single": (lambda x: functional.all_to_all_single(x, x), lambda: torch.tensor([[1.0] * 3, [10.0] * 3])),
        "all_gather_tensor": (lambda x: funcol.all_gather_tensor(x, 1, dist.group.WORLD), lambda: torch.full((2, 3), 11.0)),
        "reduce_scatter_tensor": (lambda x: funcol.reduce_scatter_tensor(x, "sum", 0, [0, 1]), lambda: torch.tensor([[1.0] * 3, [10.0] * 3])),
    }  # fmt: skip
    for name, (run, expected) in cases.items():
        x = of(me).requires_grad_()
        (run(x) * scale[me]).sum().backward()
        assert equal(x.grad, expected()), (name, me, x.grad)


if __name__ == "__main__":
    space: dict = {"__name__": "__main__"}
    for file, block in blocks(True):
        exec(compile(block, file, "exec"), space)
    dist.init_process_group()  # again, with the same address
    me = dist.get_rank()
    for part in (reductions, moves, objects_and_messages, groups, checkpoints, gradients):
        part(me)
    dist.barrier()
    if me == 0:
        print("collectives ok")
