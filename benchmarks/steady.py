"""A long training run: compiles after warm-up, and memory (RSS), with and without reading values."""

from __future__ import annotations

import os

import numpy as np

from . import timing


def rss() -> int:
    """Resident bytes of this process."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def train(steps: int, keep_losses: bool) -> str:
    """Trains an MLP with a learning rate that changes every step and a smaller last batch each epoch of 50 steps."""
    import functorch_lite as torch
    from functorch_lite import nn

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10))
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps)
    rng = np.random.default_rng(0)
    batches = [
        (torch.tensor(rng.standard_normal((n, 32)).astype(np.float32)), torch.tensor(rng.integers(0, 10, n)))
        for n in [32] * 49 + [17]
    ]
    losses, compiled, memory = [], 0, 0
    warm = min(steps // 2, 2_000)
    for i in range(steps):
        if i == warm:
            torch.synchronize()
            compiled, memory = timing.compiles, rss()
        x, y = batches[i % 50]
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        schedule.step()
        if keep_losses and i % 10 == 0:
            losses.append(loss)
    torch.synchronize()
    loss.item()
    growth = rss() / memory - 1
    kept = "losses kept" if keep_losses else "nothing read"
    return f"{steps} steps, {kept}: compiles after warm-up {timing.compiles - compiled}, RSS {growth:+.2%} of {memory >> 20} MiB"


def run(smoke: bool = False) -> None:
    """Prints compiles and memory growth."""
    steps = 300 if smoke else 20_000
    print(train(steps, keep_losses=False), flush=True)
    print(train(steps, keep_losses=True), flush=True)
