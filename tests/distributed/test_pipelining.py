"""Pipelines over two processes equal one process, and PyTorch; and schedules that nothing can stop."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

import functorch_lite as torch
import functorch_lite.distributed as dist
from functorch_lite import nn
from functorch_lite.distributed.pipelining import (
    PipelineStage,
    Schedule1F1B,
    ScheduleGPipe,
    ScheduleInterleaved1F1B,
    ScheduleLoopedBFS,
    SplitPoint,
    pipe_split,
    pipeline,
)
from tests.distributed.test_processes import ROOT, launch
from tests.support.full import FULL

PROGRAM = str(ROOT / "tests" / "distributed" / "pipelining_program.py")
WHERE = ("GPipe", "1F1B", "interleaved", "looped", "sum", "traced")


def by_rank(printed: str) -> list[dict]:
    return [json.loads(line) for _, line in sorted(re.findall(r"^rank (\d) (.*)$", printed, re.MULTILINE))]


@pytest.fixture(scope="module")
def ours() -> list[dict]:
    done = launch("--nproc-per-node", "2", PROGRAM)
    assert done.returncode == 0, done.stderr[-3000:]
    return by_rank(done.stdout)


def differences(a, b, path: tuple = ()) -> list:
    """Where two results differ: numbers by more than rounding."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return [d for k in a for d in differences(a[k], b[k], (*path, k))]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [d for i, (x, y) in enumerate(zip(a, b)) for d in differences(x, y, (*path, i))]
    if isinstance(a, float) and isinstance(b, float):
        return [] if abs(a - b) < 1e-9 else [(path, a, b)]
    return [] if a == b else [(path, a, b)]


def test_two_processes_equal_one(ours):
    for name in WHERE:
        alone = ours[0]["alone, sum" if name == "sum" else "alone"]
        if name == "traced":
            parts = [r[name]["grads"] for r in ours]
            assert [r[name]["stages"] for r in ours] == [2, 2]
            assert [n.partition("0.")[0] for n in ours[1][name]["names"]] == ["layers.2."] * 2 + [
                "layers.3."
            ] * 2
            losses = ours[1][name]["losses"]
        else:
            steps = [r[name]["steps"]["0"] for r in ours]
            gathered = {int(k): v for s in steps for k, v in s["grads"].items()}
            parts = [gathered[i] for i in sorted(gathered)]
            losses = steps[1]["losses"]
            assert steps[0]["output"] is None and not differences(steps[1]["output"], alone["output"])
        assert not differences([p for part in parts for p in part], [p for g in alone["grads"] for p in g]), (
            name
        )
        total = sum(losses) if name == "sum" else sum(losses) / len(losses)
        assert len(losses) == 4 and abs(total - alone["loss"]) < 1e-9, name
    assert [r["1F1B"]["peaks"] for r in ours] == [[2], [1]]  # micro-batches that are kept
    assert [r["GPipe"]["peaks"] for r in ours] == [[4], [4]]
    first, second = (ours[1]["GPipe"]["steps"][s]["losses"] for s in "01")
    assert sum(second) < sum(first) and ours[0]["errors"] == ours[1]["errors"]
    assert [e[:2] for e in ours[0]["errors"]][:3] == [
        ["too few targets", "AssertionError"],
        ["no target", "PipeliningMetadataError"],
        ["no_grad", "RuntimeError"],
    ]


def test_uneven_inputs(ours):
    """A process that has run out counts as zero, or not at all; at the end all have the same."""
    for divide in ("True", "False"):
        found = [r["uneven"][divide] for r in ours]
        expected = ours[0]["uneven, alone"][divide]
        assert not differences(found[0], found[1])
        assert not differences(found[0][: len(expected)], expected), divide
    assert ours[0]["uneven"]["ended"] == "Rank 0 exhausted all inputs."
    assert ours[1]["uneven"]["ended"].startswith("Detected at least one rank that exhausted inputs")


@pytest.mark.parity
@pytest.mark.skipif(not FULL, reason="PyTorch's processes take half a minute")
def test_two_processes_equal_pytorch(ours):
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node",
        "2",
        PROGRAM,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    theirs = by_rank(done.stdout)
    assert len(theirs) == 2 and not differences(ours, theirs)


@pytest.fixture
def world():
    dist.init_process_group("gloo", world_size=1, rank=0)
    yield
    dist.destroy_process_group()


def test_no_schedule_waits_for_itself():
    """Every process does its actions in order, each when what it needs is there: all come to their ends."""
    for kind in (ScheduleGPipe, Schedule1F1B, ScheduleInterleaved1F1B, ScheduleLoopedBFS):
        local = 1 if kind in (ScheduleGPipe, Schedule1F1B) else 3
        for processes in (1, 2, 3, 4):
            for chunks in (4, 8, 12):
                schedule = object.__new__(kind)
                schedule._n_microbatches, schedule._num_stages = chunks, processes * local
                schedule.pp_group_size, schedule._of_round = processes, chunks // max(1, chunks // processes)
                if chunks % max(1, chunks // processes):
                    continue
                orders = [list(schedule.order(rank)) for rank in range(processes)]
                every = [a for order in orders for a in order]
                assert len(every) == len(set(every)) == 2 * chunks * processes * local
                at, done = [0] * processes, set()
                while moved := [r for r in range(processes) if at[r] < len(orders[r]) and _ready(orders[r][at[r]], done, processes * local)]:  # fmt: skip
                    done |= {orders[r][at[r]] for r in moved}
                    at = [a + (r in moved) for r, a in enumerate(at)]
                assert len(done) == len(every), (kind, processes, chunks)
                for rank, order in enumerate(orders):
                    if kind is Schedule1F1B:
                        kept = [
                            sum(1 if a.forward else -1 for a in order[: i + 1]) for i in range(len(order))
                        ]
                        assert max(kept) == min(chunks, processes - rank)


def _ready(action, done, stages: int) -> bool:
    stage, forward, chunk = action
    before = stage - 1 if forward else stage + 1
    needed = {type(action)(before, forward, chunk)} if 0 <= before < stages else set()
    return needed <= done and (forward or type(action)(stage, True, chunk) in done)


class Model(nn.Module):
    """Its input is used by every stage; two layers share a parameter."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = (nn.Linear(4, 4) for _ in range(3))
        self.third.weight = self.first.weight

    def forward(self, x, scale=None, shift: float = 1.0):
        y = torch.tanh(self.first(x)) + shift
        pipe_split()
        y = self.second(y) * (x if scale is None else scale)
        pipe_split()
        return {"y": self.third(y) + x, "shift": shift}


def test_a_module_is_cut(world):
    torch.manual_seed(0)
    model, x = Model(), torch.randn(8, 4)
    pipe = pipeline(model, (x[:2],))
    assert pipe.num_stages == 3 and pipe.get_stage_module(1).second is model.second
    assert model.third.weight is model.first.weight and pipe.replicated_params == [
        {"submod_pp_0": "first.weight", "submod_pp_2": "third.weight"}
    ]
    assert torch.equal(pipe(x)["y"], model(x)["y"])
    stages = [pipe.build_stage(i, torch.device("cpu")) for i in range(3)]
    schedule = ScheduleInterleaved1F1B(stages, 4, lambda out, t: (out["y"] - t).square().mean())
    with pytest.raises(ValueError, match=r"into 4 micro-batches of one size"):
        schedule.step(torch.randn(10, 4), target=torch.ones(10, 4))
    schedule.step(x, target=torch.ones(8, 4), return_outputs=False)
    twin = pipe.get_stage_module(2).third.weight
    found = [model.first.weight.grad + twin.grad, model.second.weight.grad, model.third.bias.grad]
    loss = (model(x)["y"] - 1).square().mean()
    expected = torch.autograd.grad(loss, [model.first.weight, model.second.weight, model.third.bias])
    for a, b in zip(found, expected):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6)
    pipe = pipeline(
        model, (x,), {"scale": x}, split_spec={"second": SplitPoint.BEGINNING, "third": SplitPoint.END}
    )
    assert pipe.num_stages == 4 and torch.equal(pipe(x, scale=x)["y"], model(x, x)["y"])

    class Decides(nn.Module):
        def forward(self, x):
            return x if x.sum() > 0 else -x

    with pytest.raises(RuntimeError, match=r"torch.fx cannot trace the module \(TraceError"):
        pipeline(Decides(), (x,))
    with pytest.raises(TypeError, match="must be a PipelineStage, not Linear"):
        ScheduleGPipe(model.first, 2)
    with pytest.raises(ValueError, match=r"process 0 of 1 has stages \[0, 1, 2\]"):
        ScheduleInterleaved1F1B(stages[:2], 4)
    with pytest.raises(NotImplementedError, match="dw_builder"):
        PipelineStage(model.first, 0, 1, torch.device("cpu"), dw_builder=lambda: None)
