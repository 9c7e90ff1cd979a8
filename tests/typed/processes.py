"""Training in several processes: a group, collectives, DistributedDataParallel, a sampler that shares the data out."""

import os

import functorch_lite as torch
import functorch_lite.distributed as dist
from functorch_lite import multiprocessing as mp
from functorch_lite import nn
from functorch_lite.nn.parallel import DistributedDataParallel as DDP
from functorch_lite.utils.data import DataLoader, TensorDataset
from functorch_lite.utils.data.distributed import DistributedSampler


def mean_over_processes(x: torch.Tensor) -> torch.Tensor:
    total = x.detach().clone()
    dist.all_reduce(total, op=dist.ReduceOp.SUM)
    return total / dist.get_world_size()


def train(rank: int, world: int, port: int) -> None:
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=world)
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(16, 4), torch.randn(16, 1))
    sampler: DistributedSampler = DistributedSampler(data, num_replicas=world, rank=rank, shuffle=True)
    model = DDP(nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in DataLoader(data, batch_size=4, sampler=sampler):
            optimizer.zero_grad(set_to_none=True)
            loss: torch.Tensor = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
            if rank == 0:
                print(epoch, mean_over_processes(loss).item())
            else:
                mean_over_processes(loss)
    gathered = [torch.zeros(1) for _ in range(world)]
    dist.all_gather(gathered, torch.tensor([float(rank)]))
    objects: list[object] = [None] * world
    dist.all_gather_object(objects, {"rank": rank})
    work = dist.broadcast(gathered[0], src=0, async_op=True)
    if work is not None:
        work.wait()
    dist.barrier()
    if dist.is_initialized() and dist.get_rank() == 0:
        torch.save(model.module.state_dict(), os.devnull)
        print(torch.cat(gathered).tolist(), objects, dist.get_backend())
    dist.destroy_process_group()


def main() -> None:
    world = 2
    mp.spawn(train, args=(world, 29511), nprocs=world, join=True)


if __name__ == "__main__":
    main()
