"""Datasets, samplers and files."""

import os
import tempfile
from collections.abc import Iterator

import numpy as np

import functorch_lite as torch
from functorch_lite.utils.data import (
    DataLoader,
    Dataset,
    IterableDataset,
    Subset,
    WeightedRandomSampler,
    random_split,
)


class Squares(Dataset):
    def __init__(self, n: int) -> None:
        self.x = torch.arange(n, dtype=torch.float32)

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        return self.x[i], self.x[i] ** 2


class Stream(IterableDataset):
    def __iter__(self) -> Iterator[int]:
        yield from range(5)


train, test = random_split(Squares(10), [8, 2], generator=torch.Generator().manual_seed(0))
for x, y in DataLoader(train, batch_size=4, shuffle=True, drop_last=True):
    print(x.mean().item(), y.shape)
print(list(DataLoader(Stream(), batch_size=2)), len(test), Subset(train, [0, 1])[0])
sampler = WeightedRandomSampler([0.1, 0.9], num_samples=4)
print(list(sampler))
array = np.random.default_rng(0).normal(size=(3, 2)).astype(np.float32)
t = torch.from_numpy(array)
assert np.allclose(t.numpy(), array) and np.asarray(t).shape == (3, 2)
print(
    torch.as_tensor([1, 2, 3]).to(torch.float64), torch.tensor(array).double().sum(dim=0), np.mean(t.numpy())
)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "x.pt")
    torch.save({"x": t, "step": 3}, path)
    back = torch.load(path)
    assert torch.equal(back["x"], t)
