"""Loops whose batches have many lengths: few programs, and the numbers that each length's own program gives."""

from __future__ import annotations

import random

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.run import executor
from functorch_lite._core.run.buckets import choice

from .padded import poisoned

nn, F = torch.nn, torch.nn.functional


class Encoder(nn.Module):
    """A transformer over padded sentences."""

    def __init__(self, dropout: float = 0.0):
        super().__init__()
        self.embedding = nn.Embedding(50, 8)
        self.positions = nn.Embedding(64, 8)
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=dropout, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1)
        self.out = nn.Linear(8, 50)

    def forward(self, x):
        h = self.embedding(x) + self.positions(torch.arange(x.shape[1]))
        return self.out(self.encoder(h, src_key_padding_mask=x == 0))


def sentences(n: int) -> torch.Tensor:
    """Three sentences, of which the longest has n words; 0 is no word."""
    x = np.random.default_rng(n).integers(1, 50, (3, n))
    x[1, n // 2 :] = 0
    return torch.tensor(x)


def of_sentences(dropout: float = 0.0):
    """A step of that model, with the loss of the next word."""
    model = Encoder(dropout)
    optimizer = torch.optim.Adam(
        model.parameters(), lr=1e-2, eps=1e-3
    )  # else it makes something of sums that are 0 but for rounding

    def step(n: int) -> float:
        x = sentences(n)
        y = model(x)
        loss = F.cross_entropy(y[:, :-1].flatten(0, 1), x[:, 1:].flatten(), ignore_index=0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return model, step


def of_sounds():
    """A step of an LSTM whose last states are classified."""
    net, out = nn.LSTM(3, 4, batch_first=True), nn.Linear(4, 2)
    optimizer = torch.optim.SGD([*net.parameters(), *out.parameters()], lr=0.1)

    def step(n: int) -> float:
        y, (h, _) = net(torch.randn(2, n, 3))
        loss = F.cross_entropy(out(h[-1]), torch.tensor([0, 1])) + y.square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return net, step


def of_means():
    """A step of a model whose loss is a mean by a mask."""
    model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)

    def step(n: int) -> float:
        x, mask = torch.randn(3, n, 4), torch.rand(3, n) > 0.3
        loss = ((model(x).squeeze(-1) - x.sum(-1)) ** 2 * mask).sum() / mask.sum()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.item()

    return model, step


def of_examples():
    """A step over as many images as there are."""
    model = nn.Sequential(
        nn.Conv2d(1, 4, 3, bias=False),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(36, 5),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)

    def step(n: int) -> float:
        loss = F.cross_entropy(model(torch.randn(n, 1, 8, 8)), torch.randint(0, 5, (n,)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return model, step


def run(make, lengths: list[int]) -> tuple[list[float], list[np.ndarray], int]:
    """Losses, parameters, and how many programs were made."""
    executor.flush()
    executor.forget_programs()
    torch.manual_seed(0)
    model, step = make()
    before = executor.stats["programs"]
    losses = [step(n) for n in lengths]
    made = executor.stats["programs"] - before
    return losses, [p.detach().numpy().copy() for p in model.parameters()], made


def lengths_of(few: int, most: int, times: int) -> list[int]:
    """Lengths in some order, the first two the longest and the shortest."""
    order = random.Random(0)
    return [most, few, *[order.randint(few, most) for _ in range(times - 2)]]


@pytest.mark.parametrize("make", [of_sentences, lambda: of_sentences(0.2), of_sounds, of_means, of_examples])
def test_many_lengths_make_few_programs_and_the_numbers_of_each_alone(make):
    lengths = lengths_of(9, 16, 12)
    assert len(set(lengths)) > 5
    with poisoned():
        losses, parameters, made = run(make, lengths)
    assert made <= 5, "the first step's, two lengths', and those of 12 and 16"
    with torch.debug.tier("cold"):
        alone, of_alone, made = run(make, lengths)
    assert made == 0
    np.testing.assert_allclose(losses, alone, 2e-4, 2e-5)
    for p, right in zip(parameters, of_alone):
        np.testing.assert_allclose(p, right, 2e-3, 2e-4)


def results(n: int) -> list:
    """Results with lengths in them, of many kinds."""
    x = torch.arange(3.0 * n).reshape(3, n)
    torch.synchronize()
    y = (x * 2 + 1).cumsum(1)
    z = y.flatten()
    kept = [y, z.sin(), y.T, torch.zeros(n, 2) + y[0, :, None], y.argmax(1), y > 5, z.half(), y[:, 1:]]
    return [t.tolist() for t in kept] + [t.stride() for t in kept]


def test_results_are_cut_to_what_counts(monkeypatch):
    with poisoned():
        made = {n: results(n) for n in (4, 5, 6, 7, 9, 6)}
    executor.forget_programs()
    monkeypatch.setattr(choice, "LENGTHS", 1 << 30)
    torch.testing.assert_close(made, {n: results(n) for n in (4, 5, 6, 7, 9)}, rtol=1e-3, atol=1e-5)


def test_results_go_on_being_tensors():
    x = torch.randn(3, 9, requires_grad=True)
    for n in (4, 5, 6, 7, 8, 9):
        w = torch.ones(n, requires_grad=True)
        y = (x[:, :n] * w).exp()
        torch.synchronize()
        z = y.sum()
        z.backward()
        np.testing.assert_allclose(w.grad.numpy(), (x[:, :n] * x[:, :n].exp()).sum(0).detach().numpy(), 1e-5)
        y.detach().add_(1)
        assert y.shape == (3, n) and y.is_contiguous()


def test_two_lengths_at_once():
    for n, m in [(4, 9), (5, 7), (7, 12), (6, 6), (11, 5), (7, 8)]:
        a, b = torch.randn(n, 3), torch.randn(m, 3)
        torch.synchronize()
        with poisoned():
            got = ((a @ b.T).softmax(1) @ b).numpy()
        scores = a.numpy() @ b.numpy().T
        scores = np.exp(scores - scores.max(1, keepdims=True))
        np.testing.assert_allclose(got, scores / scores.sum(1, keepdims=True) @ b.numpy(), 1e-5, 1e-6)
