"""Gradient accumulation under autocast to bfloat16, with clipping and a schedule of steps."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

steps = 1900
rng = np.random.RandomState(43)
model = nn.Sequential(
    nn.Linear(128, 256),
    nn.LayerNorm(256),
    nn.GELU(),
    nn.Linear(256, 256),
    nn.GELU(),
    nn.Dropout(0.1),
    nn.Linear(256, 20),
)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
schedule = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=3e-3, total_steps=10_000)
accumulate = 4


def step(i):
    x, y = torch.from_numpy(rng.randn(32, 128).astype(np.float32)), torch.from_numpy(rng.randint(0, 20, 32))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(x)
        loss = F.cross_entropy(logits, y)
    (loss / accumulate).backward()
    if (i + 1) % accumulate == 0:
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        schedule.step()
        opt.zero_grad(set_to_none=True)
    return loss.item() if i % 10 == 0 else None
