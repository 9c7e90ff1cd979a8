"""Non-maximum suppression as a Python loop over what remains, for several classes of an image."""

import numpy as np
import torch

steps = 400
rng = np.random.RandomState(13)


def iou_with(box, boxes):
    lt, rb = torch.maximum(box[:2], boxes[:, :2]), torch.minimum(box[2:], boxes[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[:, 0] * wh[:, 1]
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return inter / ((box[2] - box[0]) * (box[3] - box[1]) + area - inter)


def nms(boxes, scores, threshold=0.5):
    order, keep = scores.argsort(descending=True), []
    while order.numel() > 0:
        best = order[0]
        keep.append(best.item())
        if order.numel() == 1:
            break
        rest = order[1:]
        order = rest[iou_with(boxes[best], boxes[rest]) <= threshold]
    return keep


def step(i):
    kept = 0
    for label in range(3):
        corner = rng.rand(rng.randint(40, 120), 2) * 60
        boxes = torch.tensor(
            np.concatenate([corner, corner + 15 + 15 * rng.rand(*corner.shape)], 1), dtype=torch.float32
        )
        scores = torch.tensor(rng.rand(len(corner)), dtype=torch.float32)
        confident = scores > 0.2
        kept += len(nms(boxes[confident], scores[confident]))
    return float(kept)
