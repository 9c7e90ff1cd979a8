"""Datasets and loaders beyond the plain ones: joined datasets, batches of one's own, workers, padding."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import functorch_lite as torch
from functorch_lite.nn.utils.rnn import pad_sequence
from functorch_lite.utils.data import (
    BatchSampler,
    ChainDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    StackDataset,
    TensorDataset,
    default_collate,
    get_worker_info,
)


@dataclass
class Sentence:
    tokens: torch.Tensor
    label: int


class Sentences(Dataset[Sentence]):
    def __init__(self, lengths: Sequence[int]) -> None:
        self.lengths = lengths

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, index: int) -> Sentence:
        return Sentence(torch.arange(1, 1 + self.lengths[index]), index % 2)


class Counter(IterableDataset[int]):
    def __init__(self, start: int, end: int) -> None:
        super().__init__()
        self.start, self.end = start, end

    def __iter__(self) -> Iterator[int]:
        worker = get_worker_info()
        step = 1 if worker is None else worker.num_workers
        first = self.start + (0 if worker is None else worker.id)
        return iter(range(first, self.end, step))


class ByLength(Sampler[list[int]]):
    def __init__(self, data: Sentences, size: int) -> None:
        self.order = sorted(range(len(data)), key=lambda i: data.lengths[i])
        self.size = size

    def __iter__(self) -> Iterator[list[int]]:
        for i in range(0, len(self.order), self.size):
            yield self.order[i : i + self.size]

    def __len__(self) -> int:
        return -(-len(self.order) // self.size)


def collate(batch: list[Sentence]) -> tuple[torch.Tensor, torch.Tensor]:
    tokens = pad_sequence([s.tokens for s in batch], batch_first=True, padding_value=0)
    return tokens, torch.tensor([s.label for s in batch])


def seed_worker(worker_id: int) -> None:
    torch.manual_seed(torch.initial_seed() % 2**32 + worker_id)


def main() -> None:
    data = Sentences([3, 1, 4, 1, 5, 9])
    loader = DataLoader(data, batch_sampler=ByLength(data, 2), collate_fn=collate)
    for tokens, labels in loader:
        print(tokens.shape, labels.tolist(), (tokens != 0).sum(dim=1).max().item())
    images, classes = torch.rand(6, 1, 4, 4), torch.randint(0, 3, (6,))
    joined = ConcatDataset([TensorDataset(images, classes), TensorDataset(images + 1, classes)])
    sampler = RandomSampler(joined, replacement=True, num_samples=8, generator=torch.Generator())
    for batch in DataLoader(joined, batch_size=4, sampler=sampler, num_workers=2, worker_init_fn=seed_worker):
        x, y = batch
        print(x.mean(dim=(1, 2, 3)), y.bincount(minlength=3), len(joined))
    chained = ChainDataset([Counter(0, 3), Counter(10, 12)])
    print(list(chained), [b.tolist() for b in DataLoader(Counter(0, 6), batch_size=3, pin_memory=False)])
    print(list(BatchSampler(SequentialSampler(data), batch_size=4, drop_last=False)))
    stacked = StackDataset(image=images, label=classes)
    print(stacked[0]["image"].shape, default_collate([{"a": 1, "b": 2.0}, {"a": 3, "b": 4.0}])["a"].dtype)


if __name__ == "__main__":
    main()
