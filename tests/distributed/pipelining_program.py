"""Run by test_pipelining.py as two processes, under this library and under PyTorch: what pipelines give, as a line of
JSON for each process."""

from __future__ import annotations

import json
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import pipelining
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe
from torch.distributed.pipelining.microbatch import TensorChunkSpec, split_args_kwargs_into_chunks

CPU = torch.device("cpu")
WIDTH, BATCH, CHUNKS = 3, 8, 4


def numbers(*shape: int, start: float = 0.0) -> torch.Tensor:
    count = torch.Size(shape).numel()
    return torch.sin(torch.arange(count, dtype=torch.float64) * 1.7 + start).reshape(shape)


def layers() -> list[nn.Module]:
    made = []
    for i in range(4):
        linear = nn.Linear(WIDTH, WIDTH, dtype=torch.float64)
        with torch.no_grad():
            linear.weight.copy_(numbers(WIDTH, WIDTH, start=i))
            linear.bias.copy_(numbers(WIDTH, start=10 + i))
        made.append(nn.Sequential(linear, nn.Tanh()))
    return made


def plain(x) -> list:
    return x.detach().reshape(-1).tolist()


def grads(module: nn.Module) -> list:
    return [plain(p.grad) for p in module.parameters()]


def counted(stage) -> list[int]:
    """The most micro-batches that a stage kept at a time."""
    peak, forward = [0], stage.forward_one_chunk

    def count(*args, **kwargs):
        output = forward(*args, **kwargs)
        peak[0] = max(peak[0], len(stage.fwd_cache))
        return output

    stage.forward_one_chunk = count
    return peak


def alone_run(loss_fn=nn.functional.mse_loss) -> dict:
    """One process's, of the whole batch."""
    model = nn.Sequential(*layers())
    output = model(numbers(BATCH, WIDTH))
    loss = loss_fn(output, numbers(BATCH, WIDTH, start=5))
    loss.backward()
    return {"loss": loss.item(), "output": plain(output), "grads": [grads(m) for m in model]}


def piped(kind, per_process: int, loss_fn=nn.functional.mse_loss, steps: int = 1, **options) -> dict:
    """The same by a schedule, over two processes; after the first step parameters are changed."""
    me, every = dist.get_rank(), layers()
    count = 2 * per_process
    size = 4 // count
    stages = [
        PipelineStage(nn.Sequential(*every[i * size : (i + 1) * size]), i, count, CPU)
        for i in range(me, count, 2)
    ]
    peaks = [counted(s) for s in stages]
    schedule = kind(stages if per_process > 1 else stages[0], CHUNKS, loss_fn, **options)
    found = {}
    for step in range(steps):
        losses: list = []
        given = {} if me == 0 else {"target": numbers(BATCH, WIDTH, start=5), "losses": losses}
        output = schedule.step(*([numbers(BATCH, WIDTH)] if me == 0 else []), **given)
        found[step] = {
            "losses": [loss.item() for loss in losses],
            "output": None if output is None else plain(output),
            "grads": {s.stage_index: grads(s.submod) for s in stages},
        }
        for s in stages:
            with torch.no_grad():
                for p in s.submod.parameters():
                    p.sub_(0.1 * p.grad)
                    p.grad = None
    return {"steps": found, "peaks": [p[0] for p in peaks]}


class Split(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(layers())

    def forward(self, x, scale=None):
        for i, layer in enumerate(self.layers):
            if i == 2:
                pipelining.pipe_split()
            x = layer(x)
        return x if scale is None else x * scale


def traced() -> dict:
    pipe = pipelining.pipeline(Split(), (numbers(BATCH // CHUNKS, WIDTH),))
    me = dist.get_rank()
    stage = pipe.build_stage(me, CPU)
    schedule, losses = Schedule1F1B(stage, CHUNKS, nn.functional.mse_loss), []
    if me == 0:
        schedule.step(numbers(BATCH, WIDTH))
    else:
        schedule.step(target=numbers(BATCH, WIDTH, start=5), losses=losses)
    return {
        "names": [n for n, _ in stage.submod.named_parameters()],
        "grads": grads(stage.submod),
        "losses": [x.item() for x in losses],
        "stages": pipe.num_stages,
    }


class Two(nn.Module):
    """Two results, of which one is of integers; and one that nobody uses."""

    def __init__(self, last: bool):
        super().__init__()
        self.inner, self.last = layers()[last], last

    def forward(self, x, index=None, unused=None, *, power: int = 1):
        if self.last:
            return self.inner(x) * index**power
        return self.inner(x), torch.arange(2).reshape(2, 1) + 1, x * self.inner[0].bias


def several_results() -> dict:
    me = dist.get_rank()
    stage = PipelineStage(Two(bool(me)), me, 2, CPU)
    schedule = ScheduleGPipe(stage, CHUNKS, lambda y, t: (y - t).abs().sum(), scale_grads=False)
    x = numbers(BATCH, WIDTH).requires_grad_()
    if me == 0:
        schedule.step(x)
        return {"grads": grads(stage.submod), "x": plain(x.grad)}
    out = schedule.step(power=2, target=numbers(BATCH, WIDTH, start=5))
    return {"grads": grads(stage.submod), "out": plain(out)}


def errors(group) -> list:
    """What wrong arguments raise, in a pipeline of one process."""

    def of_one(chunks: int = CHUNKS, **options):
        loss = options.pop("loss", nn.functional.mse_loss)
        return ScheduleGPipe(PipelineStage(layers()[0], 0, 1, CPU, group=group), chunks, loss, **options)

    x, y = numbers(BATCH, WIDTH), numbers(BATCH, WIDTH, start=5)
    cases = {
        "too few targets": lambda: of_one().step(x, target=y[:3]),
        "no target": lambda: of_one().step(x),
        "no_grad": lambda: torch.no_grad()(of_one().step)(x, target=y),
        "losses": lambda: of_one().step(x, target=y, losses=()),
        "losses of none": lambda: of_one(loss=None).step(x, target=y, losses=[]),
        "number": lambda: of_one().step(3, target=y),
        "no parts": lambda: of_one(0).step(x, target=y),
        "specs": lambda: of_one(output_merge_spec=(TensorChunkSpec(0),) * 2).step(x, target=y),
        "1F1B": lambda: Schedule1F1B(PipelineStage(layers()[0], 0, 2, CPU, group=group), 1),
        "index": lambda: PipelineStage(layers()[0], 2, 2, CPU),
        "stages": lambda: PipelineStage(layers()[0], 0, 1, CPU),
        "example": lambda: PipelineStage(layers()[0], 0, 2, CPU, input_args="x"),
        "name": lambda: pipelining.schedules.get_schedule_class("other"),
        "both": lambda: pipelining.pipeline(Split(), (x,), split_spec={}, split_policy=lambda g: g),
        "target": lambda: pipelining.pipeline(
            Split(), (x,), split_spec={"other.x": pipelining.SplitPoint.END}
        ),
        "stage": lambda: pipelining.pipeline(Split(), (x,)).get_stage_module(7),
    }
    found = []
    for name, run in cases.items():
        try:
            run()
            found.append([name, "nothing"])
        except Exception as error:
            found.append([name, type(error).__name__, str(error).partition("Chunk tensor")[0][:60]])
    return found


def one_process(group) -> dict:
    found = {}
    schedule = ScheduleGPipe(
        PipelineStage(layers()[0], 0, 1, CPU, group=group), CHUNKS, nn.functional.mse_loss
    )
    losses: list = []
    out = schedule.eval(numbers(BATCH, WIDTH), target=numbers(BATCH, WIDTH, start=5), losses=losses)
    found["eval"] = [plain(out), [x.item() for x in losses]]
    args, kwargs = split_args_kwargs_into_chunks((torch.arange(7), "s"), {"k": torch.arange(6)}, 3)
    found["chunks"] = [[a[0].tolist(), a[1], k["k"].tolist()] for a, k in zip(args, kwargs)]
    spec = TensorChunkSpec.from_tuple((1,))
    args, _ = split_args_kwargs_into_chunks((numbers(2, 5),), None, 2, spec)
    found["spec"] = [str(spec), repr(spec), [list(a[0].shape) for a in args]]
    return found


def uneven() -> dict:
    """Processes with different numbers of batches."""
    me = dist.get_rank()
    found = {}
    for divide in (True, False):
        model = nn.parallel.DistributedDataParallel(
            nn.Sequential(*layers()[:1], nn.BatchNorm1d(WIDTH).double())
        )
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with model.join(divide_by_initial_world_size=divide):
            for i in range(1 + 2 * me):
                optimizer.zero_grad()
                model(numbers(4, WIDTH, start=i + me)).square().sum().backward()
                optimizer.step()
        found[str(divide)] = [plain(p) for p in [*model.parameters(), *model.buffers()]]
    try:
        with model.join(throw_on_early_termination=True):
            for _ in range(1 + me):
                model(numbers(4, WIDTH)).sum().backward()
    except RuntimeError as error:
        found["ended"] = str(error)
    return found


def uneven_alone() -> dict:
    """The parameters that `uneven` must give, by one process."""
    found = {}
    for divide in (True, False):
        model = nn.Sequential(*layers()[:1], nn.BatchNorm1d(WIDTH).double())
        for i in range(3):
            active = [r for r in range(2) if i < 1 + 2 * r]
            losses = [model(numbers(4, WIDTH, start=i + r)).square().sum() for r in active]
            parameters = list(model.parameters())
            every = torch.autograd.grad(sum(losses) / (2 if divide else len(active)), parameters)
            with torch.no_grad():
                for p, g in zip(parameters, every):
                    p.sub_(0.1 * g)
        found[str(divide)] = [plain(p) for p in model.parameters()]
    return found


def main() -> None:
    dist.init_process_group("gloo", timeout=timedelta(seconds=60))
    me = dist.get_rank()
    groups = [dist.new_group([r]) for r in range(2)]
    found = {
        "GPipe": piped(ScheduleGPipe, 1, steps=2),
        "1F1B": piped(Schedule1F1B, 1, steps=2),
        "sum": piped(Schedule1F1B, 1, nn.MSELoss(reduction="sum"), scale_grads=False),
        "interleaved": piped(pipelining.ScheduleInterleaved1F1B, 2),
        "looped": piped(pipelining.ScheduleLoopedBFS, 2),
        "traced": traced(),
        "several": several_results(),
        "errors": errors(groups[me]),
        "one process": one_process(groups[me]),
        "uneven": uneven(),
        "uneven, alone": uneven_alone(),
        "alone": alone_run(),
        "alone, sum": alone_run(nn.MSELoss(reduction="sum")),
    }
    print(f"rank {me} {json.dumps(found)}\n", end="", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
