"""The jobs in PyTorch's spelling: `JOBS[name](torch)` returns a function that does one step and returns its loss.

Data come from NumPy's `RandomState(0)`. The source is the same for PyTorch, `torch.compile` and functorch_lite.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

__all__ = ["HEADS", "JOBS", "LENGTH", "VOCABULARY", "WIDTH", "Step", "binary", "labels", "normal"]

Step = Callable[[], Any]
VOCABULARY, WIDTH, HEADS, LENGTH = 64, 128, 4, 64
"""Of the GPT."""


def normal(*shape: int) -> np.ndarray:
    """Random normal numbers of a shape."""
    return np.random.RandomState(0).standard_normal(shape).astype(np.float32)


def binary(*shape: int) -> np.ndarray:
    """Zeros, and ones in a fifth of the places."""
    return (normal(*shape) > 0.8).astype(np.float32)


def labels(n: int, classes: int = 10) -> np.ndarray:
    """`n` random classes."""
    return np.random.RandomState(1).randint(0, classes, n)


def _training(torch: ModuleType, model: Any, loss_of: Callable[[], Any]) -> Step:
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def step() -> Any:
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        optimizer.step()
        return loss

    return step


def _layers(torch: ModuleType, sizes: list[int]) -> Any:
    layers: list[Any] = []
    for i, o in itertools.pairwise(sizes):
        layers += [torch.nn.Linear(i, o), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


def _classifier(torch: ModuleType, model: Any, x: np.ndarray) -> Step:
    inputs, targets = torch.tensor(x), torch.tensor(labels(len(x)))
    return _training(torch, model, lambda: torch.nn.functional.cross_entropy(model(inputs), targets))


def mlp(torch: ModuleType) -> Step:
    """An MLP 784-128-128-10, batch 32, Adam."""
    return _classifier(torch, _layers(torch, [784, 128, 128, 10]), normal(32, 784))


def deep(torch: ModuleType) -> Step:
    """20 layers of 64, batch 16, Adam."""
    return _classifier(torch, _layers(torch, [64] * 21 + [10]), normal(16, 64))


def cnn(torch: ModuleType) -> Step:
    """A convolutional net on 8x8 images, batch 64, Adam."""
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(64 * 16, 128), nn.ReLU(), nn.Linear(128, 10),
    )  # fmt: skip
    return _classifier(torch, model, normal(64, 1, 8, 8))


def vae(torch: ModuleType) -> Step:
    """A variational autoencoder of 784-256-20, batch 128, Adam."""
    nn, F = torch.nn, torch.nn.functional

    class VAE(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc1, self.mu, self.logvar = nn.Linear(784, 256), nn.Linear(256, 20), nn.Linear(256, 20)
            self.fc3, self.fc4 = nn.Linear(20, 256), nn.Linear(256, 784)

        def forward(self, x: Any) -> Any:
            h = F.relu(self.fc1(x))
            mu, logvar = self.mu(h), self.logvar(h)
            z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
            return torch.sigmoid(self.fc4(F.relu(self.fc3(z)))), mu, logvar

    model, x = VAE(), torch.tensor(binary(128, 784))

    def loss_of() -> Any:
        recon, mu, logvar = model(x)
        bce = F.binary_cross_entropy(recon, x, reduction="sum")
        return bce - 0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())

    return _training(torch, model, loss_of)


def gpt(torch: ModuleType) -> Step:
    """A GPT of 4 layers of 128, 4 heads, 64 tokens, batch 8, Adam."""
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.ln1, self.ln2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

        def forward(self, x: Any) -> Any:
            b, t, c = x.shape
            q, k, v = self.qkv(self.ln1(x)).split(c, dim=2)
            q, k, v = (z.view(b, t, HEADS, c // HEADS).transpose(1, 2) for z in (q, k, v))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).contiguous().view(b, t, c))
            return x + self.down(F.gelu(self.up(self.ln2(x))))

    class GPT(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tokens, self.positions = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)
            self.blocks = nn.ModuleList([Block() for _ in range(4)])
            self.ln, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY, bias=False)

        def forward(self, tokens: Any) -> Any:
            x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1]))
            for block in self.blocks:
                x = block(x)
            return self.head(self.ln(x))

    model = GPT()
    text = torch.tensor(labels(8 * (LENGTH + 1), VOCABULARY).reshape(8, LENGTH + 1))
    x, y = text[:, :-1].contiguous(), text[:, 1:].contiguous()
    return _training(torch, model, lambda: F.cross_entropy(model(x).view(-1, VOCABULARY), y.view(-1)))


def lstm(torch: ModuleType) -> Step:
    """An LSTM 64 to 128, 32 steps, batch 32, with a linear layer, Adam."""
    model = torch.nn.ModuleDict({"lstm": torch.nn.LSTM(64, 128), "out": torch.nn.Linear(128, 10)})
    x, y = torch.tensor(normal(32, 32, 64)), torch.tensor(labels(32))

    def loss_of() -> Any:
        states, _ = model["lstm"](x)
        return torch.nn.functional.cross_entropy(model["out"](states[-1]), y)

    return _training(torch, model, loss_of)


def per_sample(torch: ModuleType) -> Step:
    """Per-sample gradients of an MLP 784-128-64-10 by vmap(grad), batch 64, clipped and averaged, with SGD."""
    F, func = torch.nn.functional, torch.func
    model = _layers(torch, [784, 128, 64, 10])
    params = {k: v.detach() for k, v in model.named_parameters()}
    x, y = torch.tensor(normal(64, 784)), torch.tensor(labels(64))

    def loss_of(params: Any, x: Any, y: Any) -> Any:
        loss = F.cross_entropy(func.functional_call(model, params, (x[None],)), y[None])
        return loss, loss

    gradients = func.vmap(func.grad(loss_of, has_aux=True), (None, 0, 0))

    def step() -> Any:
        nonlocal params
        grads, losses = gradients(params, x, y)
        norms = torch.stack([g.flatten(1).norm(dim=1) for g in grads.values()]).norm(dim=0)
        scale = (1.0 / (norms + 1e-6)).clamp(max=1.0)
        params = {k: params[k] - 0.05 * torch.einsum("n,n...->...", scale, g) / 64 for k, g in grads.items()}
        return losses.mean()

    return step


def ensemble(torch: ModuleType) -> Step:
    """An ensemble of 10 MLPs 784-64-10 by vmap over stacked parameters, batch 64, SGD."""
    F, func = torch.nn.functional, torch.func
    models = [_layers(torch, [784, 64, 10]) for _ in range(10)]
    params, buffers = func.stack_module_state(models)
    params = {k: v.detach() for k, v in params.items()}
    base = models[0]
    x, y = torch.tensor(normal(64, 784)), torch.tensor(labels(64))

    def loss_of(params: Any, buffers: Any, x: Any, y: Any) -> Any:
        loss = F.cross_entropy(func.functional_call(base, (params, buffers), (x,)), y)
        return loss, loss

    gradients = func.vmap(func.grad(loss_of, has_aux=True), (0, 0, None, None))

    def step() -> Any:
        nonlocal params
        grads, losses = gradients(params, buffers, x, y)
        params = {k: params[k] - 0.05 * g for k, g in grads.items()}
        return losses.mean()

    return step


JOBS: dict[str, Callable[[ModuleType], Step]] = {
    f.__name__: f for f in (mlp, deep, cnn, vae, gpt, lstm, per_sample, ensemble)
}
"""By name; the docstring says what each trains."""
