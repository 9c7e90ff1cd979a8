"""A one-stage detector: boxes of every image in other numbers, matched by IoU, losses of what was matched."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

steps = 480
rng = np.random.RandomState(2)
model = nn.Sequential(
    nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.BatchNorm2d(32), nn.ReLU(),
    nn.Conv2d(32, 32, 3, 2, 1), nn.ReLU(), nn.Conv2d(32, 5, 1),
)  # fmt: skip
opt = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
ys, xs = torch.meshgrid(torch.arange(8.0), torch.arange(8.0), indexing="ij")
centers = torch.stack([xs, ys], -1).reshape(-1, 2) * 8 + 4
anchors = torch.cat([centers - 10, centers + 10], 1)


def box_iou(a, b):
    area_a = (a[:, 2] - a[:, 0]) * (a[:, 3] - a[:, 1])
    area_b = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
    wh = (torch.min(a[:, None, 2:], b[:, 2:]) - torch.max(a[:, None, :2], b[:, :2])).clamp(min=0)
    inter = wh[..., 0] * wh[..., 1]
    return inter / (area_a[:, None] + area_b - inter)


def image_loss(out, boxes):
    iou, matched = box_iou(anchors, boxes).max(1)
    positive = iou > 0.3
    score = F.binary_cross_entropy_with_logits(out[:, 4], positive.float())
    if not positive.any():
        return score
    target = (boxes[matched[positive]] - anchors[positive]) / 10
    return score + F.smooth_l1_loss(out[positive][:, :4], target)


def step(i):
    images = torch.from_numpy(rng.rand(4, 3, 64, 64).astype(np.float32))
    out = model(images).flatten(2).transpose(1, 2)
    losses = []
    for k in range(4):
        corner = rng.rand(rng.randint(1, 9), 2) * 44
        boxes = torch.tensor(
            np.concatenate([corner, corner + 10 + rng.rand(len(corner), 2) * 20], 1), dtype=torch.float32
        )
        losses.append(image_loss(out[k], boxes))
    loss = torch.stack(losses).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()
