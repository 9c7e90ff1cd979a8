"""k-means with k-means++ seeds on data sets of other sizes, until the assignment stands still."""

import numpy as np
import torch

steps = 2500
rng = np.random.RandomState(32)


def kmeans(x, k):
    centers = [x[rng.randint(len(x))]]
    for _ in range(k - 1):
        d = torch.cdist(x, torch.stack(centers)).min(1).values ** 2
        p = (d / d.sum()).double().numpy()
        centers.append(x[int(np.searchsorted(p.cumsum(), rng.rand()).clip(0, len(x) - 1))])
    centers, last = torch.stack(centers), None
    for iteration in range(50):
        label = torch.cdist(x, centers).argmin(1)
        if last is not None and torch.equal(label, last):
            break
        last = label
        for c in range(k):
            members = x[label == c]
            if len(members):
                centers[c] = members.mean(0)
    return centers, label


def step(i):
    true = rng.randn(5, 8) * 4
    n = rng.randint(300, 600)
    x = torch.tensor(true[rng.randint(0, 5, n)] + rng.randn(n, 8), dtype=torch.float32)
    centers, label = kmeans(x, 5)
    counts = torch.bincount(label, minlength=5)
    return (x - centers[label]).pow(2).sum().item() / n + 0.0 * counts.max().item()
