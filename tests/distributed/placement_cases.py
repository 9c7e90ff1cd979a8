"""The cases of tests/golden/placements.json as calls, by the part of a fact's name before the placements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import functorch_lite as torch
import functorch_lite.nn.functional as F
from functorch_lite.distributed.tensor import Partial, Placement, Replicate, Shard

PLACEMENTS: dict[str, Placement] = {"R": Replicate(), "P": Partial(), **{f"S{d}": Shard(d) for d in range(4)}}

MATRIX: dict[str, Callable[..., Any]] = {
    "sin": lambda x: x.sin(),
    "neg": lambda x: -x,
    "times 2": lambda x: x * 2,
    "plus 1": lambda x: x + 1,
    "relu": lambda x: x.relu(),
    "sum all": lambda x: x.sum(),
    "sum dim 0": lambda x: x.sum(0),
    "sum dim 1": lambda x: x.sum(1),
    "mean dim 1": lambda x: x.mean(1),
    "amax all": lambda x: x.amax(),
    "max dim 1": lambda x: x.max(1).values,
    "softmax dim 0": lambda x: x.softmax(0),
    "softmax dim 1": lambda x: x.softmax(1),
    "transpose": lambda x: x.t(),
    "reshape flat": lambda x: x.reshape(-1),
    "reshape (2,4,12)": lambda x: x.reshape(2, 4, 12),
    "reshape (8,3,4)": lambda x: x.reshape(8, 3, 4),
    "unsqueeze 0": lambda x: x.unsqueeze(0),
    "index [0]": lambda x: x[0],
    "slice [:4]": lambda x: x[:4],
    "slice [:, :6]": lambda x: x[:, :6],
    "cat with itself": lambda x: torch.cat([x, x]),
    "stack": lambda x: torch.stack([x, x]),
    "split": lambda x: x.split(4),
    "flip 0": lambda x: x.flip(0),
    "roll 1 dim 0": lambda x: x.roll(1, 0),
    "layer_norm": lambda x: F.layer_norm(x, (12,)),
    "clone": lambda x: x.clone(),
    "norm": lambda x: x.norm(),
    "var": lambda x: x.var(1),
    "cumsum 0": lambda x: x.cumsum(0),
    "sort 1": lambda x: x.sort(1).values,
    "argmax 1": lambda x: x.argmax(1),
    "topk": lambda x: x.topk(2).values,
    "pad": lambda x: F.pad(x, (1, 1)),
    "where": lambda x: torch.where(x > 0, x, -x),
    "dropout": lambda x: F.dropout(x, 0.5),
    "to half": lambda x: x.half(),
    "item of sum": lambda x: x.sum().item(),
}
"""Functions of one matrix of 8 by 12."""

PAIRS: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y,
    "mul": lambda x, y: x * y,
    "matmul": lambda x, y: x @ y,
}
"""Of two: both 8 by 12, or the second 12 by 16 for `matmul`."""

IMAGE: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
    "conv2d 3x3 pad 1": (lambda x, w: F.conv2d(x, w, padding=1), ((4, 4, 3, 3),)),
    "conv2d 7x7 depthwise pad 3": (lambda x, w: F.conv2d(x, w, padding=3, groups=4), ((4, 1, 7, 7),)),
    "conv2d 2x2 stride 2": (lambda x, w: F.conv2d(x, w, stride=2), ((4, 4, 2, 2),)),
    "conv2d 1x1": (lambda x, w: F.conv2d(x, w), ((4, 4, 1, 1),)),
    "conv2d stride 1 no padding": (lambda x, w: F.conv2d(x, w), ((4, 4, 3, 3),)),
    "mean over H and W": (lambda x: x.mean((2, 3)), ()),
    "permute to channels last": (lambda x: x.permute(0, 2, 3, 1), ()),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2), ()),
    "batch_norm training": (lambda x: F.batch_norm(x, None, None, training=True), ()),
    "group_norm": (lambda x: F.group_norm(x, 2), ()),
}
"""Of an image of 8 by 4 by 8 by 16, with replicated weights of these shapes."""


def _numbers(shape: tuple[int, ...], seed: int) -> Any:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def case(name: str) -> tuple[Callable[..., Any], list[tuple[Any, str]], Any] | None:
    """The function of a fact, its tensors with their placements, and the seed of its random numbers; None for a name
    that is not known."""
    head, _, tail = name.rpartition(" (")
    marks = [m.strip() for m in tail.rstrip(")").split(",")] if tail else []
    if head in MATRIX:
        return MATRIX[head], [(_numbers((8, 12), 0), marks[0])], 0
    if head in PAIRS:
        shapes = [(8, 12), (12, 16) if head == "matmul" else (8, 12)]
        return PAIRS[head], [(_numbers(s, i), m) for i, (s, m) in enumerate(zip(shapes, marks))], 0
    if head in IMAGE:
        fn, weights = IMAGE[head]
        return fn, [(_numbers((8, 4, 8, 16), 0), marks[0]), *[(_numbers(s, 1), "R") for s in weights]], 0
    if head.startswith("linear, weight"):
        weight, bias = [part.strip().split(" ")[1] for part in head.split(",")[1:]]
        given = [
            (_numbers((8, 12), 0), marks[0]),
            (_numbers((16, 12), 1), weight),
            (_numbers((16,), 2), bias),
        ]
        return F.linear, given, 0
    if head == "plus a plain tensor":
        return (lambda x: x + torch.ones(8, 12, dtype=torch.float64)), [(_numbers((8, 12), 0), marks[0])], 0
    if head == "sdpa":
        return F.scaled_dot_product_attention, [(_numbers((4, 4, 8, 8), i), marks[0]) for i in range(3)], 0
    if name.startswith("embedding"):
        ids = torch.arange(40).reshape(8, 5) % 16
        return (lambda w, i: F.embedding(i, w)), [(_numbers((16, 12), 0), name[18:20]), (ids, "R")], 0
    if name.startswith("cross_entropy"):
        logits, target = [part.strip().split(" ")[1] for part in name.split(",")[1:]]
        return F.cross_entropy, [(_numbers((8, 12), 0), logits), (torch.arange(8) % 12, target)], 0
    return None
