"""Run by test_processes.py as one or two processes: a loop with DistributedDataParallel over half the batch each.
Prints the parameters at its end.

Of FAIL_RANK the first attempt ends by a signal in the third step.
"""

from __future__ import annotations

import os
import signal
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(rank)  # other parameters on each: rank 0's count
model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 3))
if world > 1 or "--sync" in sys.argv:
    model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
model = DistributedDataParallel(model.double())
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
generator = torch.Generator().manual_seed(5)
x, y = torch.randn(48, 6, generator=generator).double(), torch.arange(48) % 3
data = TensorDataset(x, y)
sampler = DistributedSampler(data, shuffle=False)
for epoch in range(2):
    sampler.set_epoch(epoch)
    for step, (a, b) in enumerate(DataLoader(data, batch_size=16 // world, sampler=sampler)):
        if (
            epoch == step == 1
            and str(rank) == os.environ.get("FAIL_RANK")
            and os.environ["TORCHELASTIC_RESTART_COUNT"] == "0"
        ):
            os.kill(os.getpid(), signal.SIGKILL)
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(a), b).backward()
        optimizer.step()
if rank == 0:
    print("parameters", [p.detach().reshape(-1).tolist() for p in model.parameters()])
    print("buffers", [p.reshape(-1).tolist() for p in model.buffers()])
dist.destroy_process_group()
