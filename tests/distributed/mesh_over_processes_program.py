"""Run by test_processes.py as one process or two: the same script on a mesh over the processes, whose numbers are one
process's. Prints what is compared. `save FOLDER` leaves a checkpoint there, `load FOLDER` loads that of other
processes; a third argument, `full`, trains a GPT block too. `differ` has another number in one process than in the
other."""

from __future__ import annotations

import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor, rand, zeros
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
mesh = init_device_mesh("cpu", (world,), mesh_dim_names=("x",))


def show(name: str, *tensors) -> None:
    numbers = [t.full_tensor() if isinstance(t, DTensor) else t for t in tensors]
    if rank == 0:
        print(name, [t.detach().double().reshape(-1).tolist() for t in numbers])


def tensors() -> None:
    torch.manual_seed(0 if world == 1 else rank)  # rank 0's numbers count
    x = distribute_tensor(torch.randn(7, 6), mesh, [Shard(0)]).requires_grad_()
    w = distribute_tensor(torch.randn(6, 5), mesh, [Shard(0)]).requires_grad_()
    v = distribute_tensor(torch.randn(5, 4), mesh, [Replicate()]).requires_grad_()
    torch.manual_seed(1)
    columns = x.redistribute(placements=[Shard(1)])
    y = columns @ w
    assert y.placements == (Partial(),)  # each process multiplied its columns by its rows
    assert mesh.get_local_rank() == rank == mesh.get_group().rank() and mesh.get_coordinate() == [rank]
    part = x.to_local()
    assert tuple(part.shape) == ((7, 6), [(4, 6), (3, 6)][rank])[world - 1]
    again = DTensor.from_local(part * 2, mesh, [Shard(0)], shape=(7, 6), stride=(6, 1))
    total = ((y.relu() @ v).redistribute(placements=[Shard(1)]) ** 2).mean() + (again * x).sum()
    total.backward()
    parts = DTensor.from_local(torch.ones(3) * (rank + 1), mesh, [Partial()])
    assert parts.full_tensor().tolist() == [float(sum(range(world + 1)))] * 3
    assert parts.redistribute(placements=[Replicate()]).to_local().tolist() == parts.full_tensor().tolist()
    for step in range(4):  # a number that changes becomes an input of the program
        y = y + step * 0.5
    random = [F.dropout(x.detach(), 0.5), rand(5, 3, device_mesh=mesh, placements=[Shard(0)])]
    show("tensors", y, total, x.grad, w.grad, v.grad, *random)
    assert zeros(4, device_mesh=mesh, placements=[Shard(0)]).to_local().numel() == 4 // world


def trained(model, optimizer, x, y) -> list:
    """The losses of three steps.

    Each process has its rows of the batch, and the mean of their losses, as in PyTorch."""
    x, y = x.chunk(world)[rank], y.chunk(world)[rank]
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        out = model(x)
        assert out.shape[0] == len(x) and not isinstance(out, DTensor)
        loss = F.cross_entropy(out.flatten(0, -2), y.flatten())
        loss.backward()
        optimizer.step()
        total = loss.detach()
        dist.all_reduce(total, dist.ReduceOp.AVG)
        losses.append(total)
    return losses


def batch() -> tuple:
    return torch.linspace(-1, 1, 48).reshape(8, 6), torch.arange(8) % 3


def mlp():
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))


def data_parallel() -> None:
    torch.manual_seed(0 if world == 1 else rank)
    model = DistributedDataParallel(mlp(), device_mesh=mesh)
    losses = trained(model, torch.optim.SGD(model.parameters(), lr=0.1), *batch())
    show("data parallel", *losses, *model.parameters())


def sharded(what: str, folder: str) -> None:
    torch.manual_seed(3)
    model = mlp()
    fully_shard(model[0])
    fully_shard(model)
    assert model[0].weight.to_local().shape[0] == 8 // world
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = trained(model, optimizer, *batch())
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    show("sharded", *losses, norm, *model.parameters())
    if what == "save":
        dcp.save({"model": model.state_dict(), "step": 3}, checkpoint_id=folder)
    state = {"model": {k: torch.zeros_like(v) for k, v in model.state_dict().items()}, "step": 0}
    dcp.load(state, checkpoint_id=folder)
    assert state["step"] == 3
    show("loaded", *state["model"].values())


def tensor_parallel() -> None:
    torch.manual_seed(4)
    model = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.Linear(8, 6))
    parallelize_module(model, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.linspace(-1, 1, 30).reshape(5, 6).requires_grad_()
    for _ in range(2):
        optimizer.zero_grad()
        hidden = model[0](x)
        assert hidden.shape[-1] == 8 // world
        model[2](model[1](hidden)).square().mean().backward()
        optimizer.step()
    show("tensor parallel", x.grad, *model.parameters())


class Block(nn.Module):
    def __init__(self, size: int):
        super().__init__()
        self.norm, self.qkv, self.out = nn.LayerNorm(size), nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.mlp = nn.Sequential(
            nn.LayerNorm(size), nn.Linear(size, 2 * size), nn.GELU(), nn.Linear(2 * size, size)
        )

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (2, -1)).transpose(1, 2) for t in self.qkv(self.norm(x)).chunk(3, -1))
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.mlp(x)


class GPT(nn.Module):
    def __init__(self, words: int = 11, size: int = 8, length: int = 6):
        super().__init__()
        self.words, self.places = nn.Embedding(words, size), nn.Embedding(length, size)
        self.block, self.head = Block(size), nn.Linear(size, words)

    def forward(self, ids):
        x = self.words(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        return self.head(self.block(x))


def gpt() -> None:
    torch.manual_seed(3)
    model = GPT().double()
    fully_shard(model.block)
    fully_shard(model)
    ids = torch.randint(11, (4, 7), generator=torch.Generator().manual_seed(1))
    losses = trained(model, torch.optim.Adam(model.parameters(), lr=1e-2), ids[:, :-1], ids[:, 1:])
    show("gpt", *losses, *model.parameters())


def differ() -> None:
    """A number that is an input of the program, so that the programs are equal: nothing of the last one may be seen."""
    x = distribute_tensor(torch.ones(4), mesh, [Shard(0)])
    for step in range(4):
        shard = (x * (step + 0.5 + 0.25 * (step == 3) * rank)).to_local()
        print(
            f"{step} {shard.tolist()}\n", end="", flush=True
        )  # one write: both processes print into one pipe


if __name__ == "__main__":
    what, folder = sys.argv[1], sys.argv[2]
    if what == "differ":
        differ()
    else:
        tensors()
        data_parallel()
        sharded(what, folder)
        tensor_parallel()
        if "full" in sys.argv:
            gpt()
    dist.destroy_process_group()
