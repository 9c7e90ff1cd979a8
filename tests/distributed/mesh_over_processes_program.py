"""Run by test_processes.py as one process or two: the same script on a mesh over the processes, whose numbers are one process's. Prints what is
compared. `save FOLDER` leaves a checkpoint there, `load FOLDER` compares with it."""

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
    torch.manual_seed(1)
    y = (x @ w).relu()
    assert mesh.get_local_rank() == rank == mesh.get_group().rank() and mesh.get_coordinate() == [rank]
    part = x.to_local()
    assert tuple(part.shape) == ((7, 6), [(4, 6), (3, 6)][rank])[world - 1]
    again = DTensor.from_local(part * 2, mesh, [Shard(0)], shape=(7, 6), stride=(6, 1))
    total = (y.redistribute(placements=[Shard(1)]) ** 2).mean() + (again * x).sum()
    total.backward()
    parts = DTensor.from_local(torch.ones(3) * (rank + 1), mesh, [Partial()])
    assert parts.full_tensor().tolist() == [float(sum(range(world + 1)))] * 3
    assert parts.redistribute(placements=[Replicate()]).to_local().tolist() == parts.full_tensor().tolist()
    print_all = f"{y} {total.item():.3f} {float(total):.3f}"  # on all processes alike
    assert "DTensor(local_tensor=" in print_all and (y > 1e9).any().item() is False
    dropped = F.dropout(x, 0.5)
    show("tensors", y, total, x.grad, w.grad, dropped, rand(5, 3, device_mesh=mesh, placements=[Shard(0)]))
    assert zeros(4, device_mesh=mesh, placements=[Shard(0)]).to_local().numel() == 4 // world


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


def train(folder: str) -> None:
    """Each process has its rows of the batch, and the mean of their losses, as in PyTorch."""
    torch.manual_seed(3)
    model = GPT().double()
    fully_shard(model.block)
    fully_shard(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    ids = torch.randint(11, (4, 7), generator=torch.Generator().manual_seed(1))
    mine = ids.chunk(world)[rank]
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        logits = model(mine[:, :-1])
        assert logits.shape[0] == len(mine) and not isinstance(logits, DTensor)
        loss = F.cross_entropy(logits.flatten(0, 1), mine[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        total = loss.detach()
        dist.all_reduce(total, dist.ReduceOp.AVG)
        losses.append(total)
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    show("fsdp", *losses, norm, *model.parameters())
    dcp.save({"model": model.state_dict(), "step": 3}, checkpoint_id=folder)


def loaded(folder: str) -> None:
    model = GPT().double()
    state = {"model": model.state_dict(), "step": 0}
    dcp.load(state, checkpoint_id=folder)
    assert state["step"] == 3
    show("loaded", *state["model"].values())
    assert [k for k, _ in model.named_parameters()] == list(state["model"])


def tensor_parallel() -> None:
    torch.manual_seed(4)
    model = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.Linear(8, 6)).double()
    parallelize_module(model, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.linspace(-1, 1, 30).double().reshape(5, 6).requires_grad_()
    for _ in range(2):
        optimizer.zero_grad()
        hidden = model[0](x)
        assert hidden.shape[-1] == 8 // world
        model(x).square().mean().backward()
        optimizer.step()
    show("tp", x.grad, *model.parameters())


def main(what: str, folder: str) -> None:
    if what == "load":
        loaded(folder)
        return
    tensors()
    train(folder)
    tensor_parallel()


if __name__ == "__main__":
    main(*sys.argv[1:])
    dist.destroy_process_group()
