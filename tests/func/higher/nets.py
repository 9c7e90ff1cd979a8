"""The nets, data and vectors that the facts are of, made again as `facts.json` says in `how`: with NumPy's random
numbers, in float64."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F


class Sin(nn.Module):
    def forward(self, x):
        return torch.sin(x)


class MeanTokens(nn.Module):
    def forward(self, x):
        return x.mean(1)


class Residual(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.inner = nn.Sequential(*[layer(spec) for spec in layers])

    def forward(self, x):
        return x + self.inner(x)


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(d, 3 * d)
        self.out = nn.Linear(d, d)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).reshape(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(d / self.heads), -1)
        return self.out((weights @ v).transpose(1, 2).reshape(b, t, d))


class Distances(nn.Module):
    def forward(self, x):
        b = x.shape[0]
        points = x.reshape(b, -1, 3)
        n = points.shape[1]
        pairs = [
            torch.linalg.norm(points[:, i] - points[:, j], dim=-1) for i in range(n) for j in range(i + 1, n)
        ]
        return torch.stack([*pairs, *[torch.linalg.norm(points[:, i], dim=-1) for i in range(n)]], -1)


class LSTM(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.lstm = nn.LSTM(d, h, batch_first=True)

    def forward(self, x):
        return self.lstm(x)[0]


OWN = {c.__name__: c for c in (Sin, MeanTokens, Attention, Distances, LSTM)}


def layer(spec: list) -> nn.Module:
    """A layer from its name and arguments."""
    name, *arguments = spec
    keywords = arguments.pop() if arguments and isinstance(arguments[-1], dict) else {}
    if name == "Residual":
        return Residual(*arguments)
    return (OWN.get(name) or getattr(nn, name))(*arguments, **keywords)


class Net(nn.Sequential):
    """Layers in order; `Tied i` and `Again i` use what layer i has."""

    def __init__(self, specs):
        self.__dict__["specs"] = specs
        super().__init__(*[nn.Identity() if s[0] in ("Tied", "Again") else layer(s) for s in specs])

    def forward(self, x):
        for spec, module in zip(self.specs, self):
            if spec[0] == "Tied":
                x = F.linear(x, self[spec[1]].weight)
            elif spec[0] == "Again":
                x = self[spec[1]](x)
            else:
                x = module(x)
        return x


def net(spec: dict) -> Net:
    """The net of a fact, with its weights."""
    model = Net(spec["layers"]).double()
    r = np.random.RandomState(spec["seed"])
    norms = {
        f"{name}.weight" for name, m in model.named_modules() if isinstance(m, nn.LayerNorm | nn.GroupNorm)
    }
    with torch.no_grad():
        for name, p in model.named_parameters():
            shape = tuple(p.shape)
            w = r.randn(*shape) / math.sqrt(math.prod(shape[1:])) if len(shape) > 1 else 0.1 * r.randn(*shape)
            p.copy_(torch.tensor(w + 1 if name in norms else w))
        for m in model.modules():
            if isinstance(m, nn.Embedding) and m.padding_idx is not None:
                m.weight[m.padding_idx] = 0
    return model


def parameters(model: nn.Module) -> dict[str, Any]:
    """Its parameters, by name, without a tape."""
    return {name: p.detach() for name, p in model.named_parameters()}


def data(spec: dict) -> list[tuple]:
    """The batches of a fact."""
    r = np.random.RandomState(spec["seed"])
    batches = []
    for n in spec["sizes"]:
        x = spec["x"]
        x = r.randint(0, x["ids"], (n, *x["shape"])) if isinstance(x, dict) else r.randn(n, *x)
        y = None
        if (of := spec["y"]) is not None:
            if "classes" in of:
                y = torch.tensor(r.randint(0, of["classes"], (n, *of.get("shape", ()))))
            elif "reals" in of:
                y = torch.tensor(r.randn(n, of["reals"]))
            else:
                y = torch.tensor(r.randint(0, 2, (n, of["bits"])).astype(float))
        batches.append((torch.tensor(x), y))
    return batches


def placed(t: torch.Tensor) -> torch.Tensor:
    """A vector of a fact, as what it meets is placed; the program of the mesh says how."""
    return t


def vector(spec: dict) -> torch.Tensor:
    """A vector of a fact."""
    made = np.random.RandomState(spec["seed"]).randn(*spec["shape"]) * spec.get("scale", 1.0)
    return placed(torch.tensor(made))


def loss(name: str, reduction: str):
    """A loss of a fact: PyTorch's function, logits of tokens flattened."""
    if name == "cross_entropy":
        return lambda out, y: F.cross_entropy(
            out.reshape(-1, out.shape[-1]), y.reshape(-1), reduction=reduction
        )
    function = {"mse": F.mse_loss, "bce": F.binary_cross_entropy_with_logits}[name]
    return lambda out, y: function(out, y, reduction=reduction)


FUNCTIONS = {
    "exp_sin": lambda x: torch.exp(torch.sin(x)),
    "tanh_sq": lambda x: torch.tanh(x * x),
    "log1p_sq": lambda x: torch.log(1 + x * x),
    "rational": lambda x: 1 / (1 + x * x),
    "sqrt1p": lambda x: torch.sqrt(1 + x * x),
    "sigmoid_cos": lambda x: torch.sigmoid(torch.cos(x)),
    "pow15": lambda x: (1 + x * x) ** 1.5,
    "poly": lambda x: x**5 - 3 * x**3,
    "erf_exp": lambda x: torch.erf(torch.exp(x) - 1),
    "gelu": lambda x: x * (1 + torch.erf(x / 2**0.5)) / 2,
    "softplus_sin": lambda x: torch.log(1 + torch.exp(torch.sin(x))),
    "xyz": lambda x: torch.sin(x[0] * x[1]) * torch.exp(x[2]) + x[0] ** 2 * x[1] ** 3 * x[2],
    "trig": lambda x: torch.cos(x[0] + 2 * x[1]) * torch.sin(x[2] - x[0] * x[1]),
    "quartic": lambda x: (x**4).sum() + (x[:-1] * x[1:] ** 2).sum() + torch.sin(x[0] * x[-1]),
}
