"""A vision transformer with layer drop, mixup and a cosine schedule."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

steps = 120
rng = np.random.RandomState(28)


class ViT(nn.Module):
    def __init__(self, d=64, depth=6):
        super().__init__()
        self.patch = nn.Conv2d(3, d, 8, 8)
        self.cls, self.pos = nn.Parameter(torch.zeros(1, 1, d)), nn.Parameter(torch.zeros(1, 17, d))
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d, 4, 4 * d, dropout=0.1, activation="gelu", batch_first=True, norm_first=True
            )
            for _ in range(depth)
        )
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, 10)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1) + self.pos
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])


model = ViT()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 100)


def step(i):
    x, y = (
        torch.from_numpy(rng.rand(16, 3, 32, 32).astype(np.float32)),
        torch.from_numpy(rng.randint(0, 10, 16)),
    )
    lam, order = rng.beta(0.8, 0.8), torch.from_numpy(rng.permutation(16))
    logits = model(lam * x + (1 - lam) * x[order])
    loss = lam * F.cross_entropy(logits, y, label_smoothing=0.1) + (1 - lam) * F.cross_entropy(
        logits, y[order], label_smoothing=0.1
    )
    opt.zero_grad()
    loss.backward()
    opt.step()
    schedule.step()
    return loss.item()
