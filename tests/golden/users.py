"""Classes of a user's, which files name by this module: made of the library they are to be defined with (`define`),
PyTorch or this one."""

from __future__ import annotations

import collections
import dataclasses
import enum
from typing import Any


@dataclasses.dataclass
class Settings:
    """A dataclass that holds a tensor."""

    rate: float
    weights: Any = None


class Config:
    """A plain class."""

    def __init__(self, size: int):
        self.size, self.parts = size, {"a": [1, 2]}


class Mode(enum.Enum):
    """An enum."""

    TRAIN = 1
    TEST = "two"


Pair = collections.namedtuple("Pair", "left right")


class Stated:
    """A class with states of its own."""

    def __init__(self, x: Any):
        self.x = x

    def __getstate__(self):
        return ("state", self.x)

    def __setstate__(self, state):
        self.x = state[1]


def halved(x: Any) -> Any:
    """A function."""
    return x / 2


def define(M: Any) -> None:
    """Makes the classes that derive from the library's."""

    class Net(M.nn.Module):
        def __init__(self, width=3):
            super().__init__()
            self.first = M.nn.Linear(2, width)
            self.norm = M.nn.BatchNorm1d(width)
            self.last = M.nn.Linear(width, 2)
            self.scale = M.nn.Parameter(M.ones(1), requires_grad=False)
            self.register_buffer("steps", M.tensor(3))
            self.activation = M.nn.functional.gelu
            self.options = {"width": width}

        def forward(self, x):
            return self.last(self.activation(self.norm(self.first(x)))) * self.scale + self.steps

    class Squares(M.utils.data.Dataset):
        def __init__(self, count):
            self.count, self.offset = count, M.ones(1)

        def __len__(self):
            return self.count

        def __getitem__(self, i):
            return self.offset * i * i

    class Marked(M.Tensor):
        pass

    class Weight(M.nn.Parameter):
        pass

    class Halving(M.optim.SGD):
        def step(self, closure=None):
            for group in self.param_groups:
                group["lr"] /= 2
            return super().step(closure)

    for made in (Net, Squares, Marked, Weight, Halving):
        made.__module__, made.__qualname__ = __name__, made.__name__
        globals()[made.__name__] = made
