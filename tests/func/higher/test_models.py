"""Any module: models as users write them go through norms, products, traces and Laplace's approximation, and give
what plain transforms give."""

from __future__ import annotations

import pytest

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F
from tests.support.full import FULL

from .any_model import goes_through


class Branches(nn.Module):
    """Ifs on shapes, functions instead of layers, a matrix of its own."""

    def __init__(self):
        super().__init__()
        self.w, self.head = nn.Parameter(torch.randn(5, 4) / 2), nn.Linear(5, 3)

    def forward(self, x):
        x = F.gelu(F.linear(x, self.w)) if x.shape[-1] == 4 else x
        return self.head(F.normalize(x, dim=-1))


class Tied(nn.Module):
    """An autoencoder with one matrix for both ways."""

    def __init__(self):
        super().__init__()
        self.encode, self.decode = nn.Linear(4, 3), nn.Linear(3, 4)
        self.decode.weight = nn.Parameter(torch.randn(4, 3) / 2)
        self.back = nn.Linear(4, 3)
        self.back.weight = self.encode.weight

    def forward(self, x):
        return self.back(self.decode(torch.tanh(self.encode(x))))


class Twice(nn.Module):
    """A layer that is used twice, the second time with other positions."""

    def __init__(self):
        super().__init__()
        self.first, self.same, self.head = nn.Linear(4, 5), nn.Linear(5, 5), nn.Linear(5, 3)

    def forward(self, x):
        x = torch.tanh(self.first(x))
        return self.head(torch.tanh(self.same(torch.relu(self.same(x)))))


class LSTM(nn.Module):
    def __init__(self, kind=nn.LSTM):
        super().__init__()
        self.lstm, self.head = kind(4, 5, batch_first=True), nn.Linear(5, 3)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


class Cell(nn.Module):
    """A recurrence as a Python loop."""

    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.GRUCell(4, 5), nn.Linear(5, 3)

    def forward(self, x):
        h = torch.zeros(x.shape[0], 5, dtype=x.dtype)
        for t in range(x.shape[1]):
            h = self.cell(x[:, t], h)
        return self.head(h)


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(7, 6), nn.Parameter(torch.randn(4, 6) / 4)
        self.block = nn.TransformerEncoderLayer(6, 2, 8, dropout=0.0, batch_first=True)
        self.head = nn.Linear(6, 3)

    def forward(self, ids):
        return self.head(self.block(self.words(ids) + self.places).mean(1))


class Decoder(nn.Module):
    """Causal attention, the embedding as output layer."""

    def __init__(self):
        super().__init__()
        self.words, self.attend, self.norm = (
            nn.Embedding(7, 6),
            nn.MultiheadAttention(6, 2, batch_first=True),
            nn.LayerNorm(6),
        )

    def forward(self, ids):
        x = self.words(ids)
        mask = torch.triu(torch.ones(4, 4, dtype=torch.bool), 1)
        x = x + self.attend(self.norm(x), x, x, attn_mask=mask, need_weights=False)[0]
        return F.linear(x[:, -1], self.words.weight)[:, :3]


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.norm = nn.Conv2d(2, 4, 3, padding=1), nn.GroupNorm(2, 4)
        self.deep, self.point, self.head = (
            nn.Conv2d(4, 4, 3, padding=1, groups=4),
            nn.Conv2d(4, 4, 1),
            nn.Linear(4, 3),
        )

    def forward(self, x):
        x = F.silu(self.norm(self.stem(x)))
        x = x + self.point(F.silu(self.deep(x)))
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


class Excite(nn.Module):
    """Channels weighed by a small net of their means."""

    def __init__(self):
        super().__init__()
        self.conv, self.down, self.up, self.head = (
            nn.Conv2d(2, 4, 3, stride=2),
            nn.Linear(4, 2),
            nn.Linear(2, 4),
            nn.Linear(4, 3),
        )

    def forward(self, x):
        x = F.relu(self.conv(x))
        scale = torch.sigmoid(self.up(F.relu(self.down(x.mean((2, 3))))))
        return self.head((x * scale[:, :, None, None]).mean((2, 3)))


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.channels, self.norm, self.head = (
            nn.Linear(5, 5),
            nn.Linear(4, 4),
            nn.LayerNorm(4),
            nn.Linear(4, 3),
        )

    def forward(self, x):
        x = x + self.tokens(self.norm(x).transpose(1, 2)).transpose(1, 2)
        return self.head((x + F.gelu(self.channels(self.norm(x)))).mean(1))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.middle = nn.Conv2d(2, 3, 3, stride=2, padding=1), nn.Conv2d(3, 3, 3, padding=1)
        self.up, self.head = nn.ConvTranspose2d(3, 2, 2, stride=2), nn.Conv2d(4, 3, 1)

    def forward(self, x):
        inner = torch.tanh(self.middle(torch.tanh(self.down(x))))
        return self.head(torch.cat([x, self.up(inner)], 1)).mean((2, 3))


class Experts(nn.Module):
    """A mixture: a gate over a list of modules."""

    def __init__(self):
        super().__init__()
        self.gate, self.experts = nn.Linear(4, 2), nn.ModuleList([nn.Linear(4, 3) for _ in range(2)])

    def forward(self, x):
        gates = torch.softmax(self.gate(x), -1)
        return sum(gates[:, i : i + 1] * torch.tanh(e(x)) for i, e in enumerate(self.experts))


class Scaled(nn.Module):
    """A parametrization: the weight is made of others."""

    def __init__(self):
        super().__init__()
        self.inner, self.head = nn.utils.parametrizations.weight_norm(nn.Linear(4, 5)), nn.Linear(5, 3)

    def forward(self, x):
        return self.head(torch.tanh(self.inner(x)))


def images():
    return torch.randn(3, 2, 6, 6).double()


def rows():
    return torch.randn(3, 4).double()


def series():
    return torch.randn(3, 5, 4).double()


def ids():
    return torch.randint(0, 7, (3, 4))


MODELS = {
    "branches": (Branches, rows), "tied": (Tied, rows), "twice": (Twice, rows), "lstm": (LSTM, series),
    "gru": (lambda: LSTM(nn.GRU), series),
    "cell": (Cell, series), "words": (Words, ids), "decoder": (Decoder, ids), "residual": (Residual, images),
    "excite": (Excite, images),
    "mixer": (Mixer, series), "unet": (UNet, images), "experts": (Experts, rows), "weight norm": (Scaled, rows),
    "prelu": (lambda: nn.Sequential(nn.Linear(4, 6), nn.PReLU(), nn.Unflatten(1, (2, 3)), nn.InstanceNorm1d(2,
    affine=True), nn.Flatten(), nn.Linear(6, 3)), rows),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS if FULL else ["tied", "decoder"])
def test_any_module(name):
    torch.manual_seed(0)
    make, data = MODELS[name]
    goes_through(make().double().eval(), data(), torch.tensor([0, 2, 1]))
