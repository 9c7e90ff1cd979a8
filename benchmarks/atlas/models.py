"""Rows of whole models, steady: a step of training is the loss and all gradients.
They are written by hand at the sizes that others use."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from .rows import Row, floats

__all__ = ["rows"]

Shapes = list[tuple[int, ...]]


class _Weights:
    """Shapes of weights as a model is written, and then the weights, in the same order."""

    def __init__(self, given: Any = None):
        self.shapes: Shapes = []
        self.given: Iterator | None = given

    def __call__(self, *shape: int) -> Any:
        self.shapes.append(shape)
        return None if self.given is None else next(self.given)


def _norm(t: Any, w: _Weights, x: Any, c: int) -> Any:
    scale, shift = w(c), w(c)
    return (
        None
        if x is None
        else t.nn.functional.batch_norm(x, None, None, 1 + 0.1 * scale, shift, training=True)
    )


def _resnet18(t: Any, w: _Weights, x: Any) -> Any:
    F = None if t is None else t.nn.functional

    def conv(x: Any, i: int, o: int, k: int, s: int) -> Any:
        weight = w(o, i, k, k)
        return None if x is None else F.conv2d(x, weight, stride=s, padding=k // 2)

    def relu(x: Any) -> Any:
        return None if x is None else F.relu(x)

    x = relu(_norm(t, w, conv(x, 3, 64, 7, 2), 64))
    x = None if x is None else F.max_pool2d(x, 3, 2, 1)
    before = 64
    for width in (64, 128, 256, 512):
        for block in range(2):
            s = 2 if width > 64 and block == 0 else 1
            y = relu(_norm(t, w, conv(x, before, width, 3, s), width))
            y = _norm(t, w, conv(y, width, width, 3, 1), width)
            if before != width:
                x = _norm(t, w, conv(x, before, width, 1, s), width)
            x = None if x is None else F.relu(x + y)
            before = width
    head, bias = w(10, 512), w(10)
    return None if x is None else F.linear(x.mean((2, 3)), head, bias)


def _convnext_atto(t: Any, w: _Weights, x: Any) -> Any:
    F = None if t is None else t.nn.functional

    def normed(x: Any, c: int) -> Any:
        scale, shift = w(c), w(c)
        return None if x is None else F.layer_norm(x, (c,), 1 + 0.1 * scale, shift)

    def first(x: Any) -> Any:
        return None if x is None else x.permute(0, 3, 1, 2)

    def last(x: Any) -> Any:
        return None if x is None else x.permute(0, 2, 3, 1)

    def conv(x: Any, i: int, o: int, k: int) -> Any:
        weight = w(o, i, k, k)
        return None if x is None else F.conv2d(x, weight, stride=k)

    before = 3
    for depth, width in zip((2, 2, 6, 2), (40, 80, 160, 320)):
        if before == 3:
            x = first(normed(last(conv(x, 3, 40, 4)), 40))
        else:
            x = conv(first(normed(last(x), before)), before, width, 2)
        for _ in range(depth):
            weight, bias = w(width, 1, 7, 7), w(width)
            y = None if x is None else F.conv2d(x, weight, bias, padding=3, groups=width)
            y = normed(last(y), width)
            up, more, down, back = w(4 * width, width), w(4 * width), w(width, 4 * width), w(width)
            if x is not None:
                x = x + first(F.linear(F.gelu(F.linear(y, up, more)), down, back))
        before = width
    head = w(10, 320)
    return None if x is None else F.linear(x.mean((2, 3)), head)


def _unet3d(t: Any, w: _Weights, x: Any) -> Any:
    F = None if t is None else t.nn.functional

    def twice(x: Any, i: int, o: int) -> Any:
        for a, b in ((i, o), (o, o)):
            weight, scale, shift = w(b, a, 3, 3, 3), w(b), w(b)
            if x is not None:
                x = F.relu(
                    F.instance_norm(F.conv3d(x, weight, padding=1), weight=1 + 0.1 * scale, bias=shift)
                )
        return x

    def up(x: Any, y: Any, i: int, o: int) -> Any:
        weight = w(i, o, 2, 2, 2)
        return None if x is None else t.cat([F.conv_transpose3d(x, weight, stride=2), y], 1)

    def halved(x: Any) -> Any:
        return None if x is None else F.max_pool3d(x, 2)

    a = twice(x, 1, 8)
    b = twice(halved(a), 8, 16)
    c = twice(halved(b), 16, 32)
    b = twice(up(c, b, 32, 16), 32, 16)
    a = twice(up(b, a, 16, 8), 16, 8)
    weight = w(2, 8, 1, 1, 1)
    return None if x is None else F.conv3d(a, weight)


def _cnn(t: Any, w: _Weights, x: Any) -> Any:
    one, a, two, b, three, c, four, d = (
        w(32, 1, 3, 3), w(32), w(64, 32, 3, 3), w(64), w(128, 9216), w(128), w(10, 128), w(10),
    )  # fmt: skip
    if x is None:
        return None
    F = t.nn.functional
    x = F.relu(F.conv2d(x, one, a))
    x = F.max_pool2d(F.relu(F.conv2d(x, two, b)), 2)
    return F.linear(F.relu(F.linear(x.flatten(1), three, c)), four, d)


def _mlp(*widths: int) -> Callable:
    def model(t: Any, w: _Weights, x: Any) -> Any:
        pairs = list(itertools.pairwise(widths))
        layers = [(w(o, i), w(o)) for i, o in pairs]
        if x is None:
            return None
        for k, (weight, bias) in enumerate(layers):
            x = t.nn.functional.linear(x, weight, bias)
            x = t.nn.functional.relu(x) if k < len(layers) - 1 else x
        return x

    return model


VOCABULARY = 128


def _gpt(t: Any, w: _Weights, x: Any) -> Any:
    """4 layers of 128 with 4 heads, on tokens; what comes next at every place, as rows."""
    width, heads = 128, 4
    tokens, places = w(VOCABULARY, width), w(64, width)
    h = None if x is None else t.nn.functional.embedding(x, tokens) + places

    def normed(h: Any) -> Any:
        scale, shift = w(width), w(width)
        return None if h is None else t.nn.functional.layer_norm(h, (width,), 1 + 0.1 * scale, shift)

    def linear(h: Any, i: int, o: int) -> Any:
        weight, bias = w(o, i), w(o)
        return None if h is None else t.nn.functional.linear(h, weight, bias)

    def attended(h: Any) -> Any:
        qkv = linear(h, width, 3 * width)
        if qkv is not None:
            b, n, _ = h.shape
            q, k, v = qkv.view(b, n, 3, heads, width // heads).permute(2, 0, 3, 1, 4).unbind(0)
            h = t.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            h = h.transpose(1, 2).reshape(b, n, width)
        return linear(h, width, width)

    def widened(h: Any) -> Any:
        h = linear(h, width, 4 * width)
        return linear(None if h is None else t.nn.functional.gelu(h), 4 * width, width)

    for _ in range(4):
        for part in (attended, widened):
            y = part(normed(h))
            h = None if h is None else h + y
    h = linear(normed(h), width, VOCABULARY)
    return None if h is None else h.flatten(0, 1)


@functools.cache
def _lstm_of(t: Any) -> Any:
    return t.nn.LSTM(64, 128, batch_first=True)


def _lstm_step(t: Any, x: Any) -> Any:
    """A step of `nn.LSTM`, whose weights are its own."""
    module = _lstm_of(t)
    loss = module(x)[0].square().mean()
    return loss.detach(), *t.autograd.grad(loss, list(module.parameters()))


def _sgd(model: Callable) -> Callable:
    """A step of SGD as written by hand: the loss, and all weights anew."""

    def step(t: ModuleType, x: Any, *weights: Any) -> Any:
        weights = tuple(v.detach().requires_grad_() for v in weights)
        loss = _loss(model)(t, x, *weights)
        grads = t.autograd.grad(loss, weights)
        return loss.detach(), *[v.detach() - 0.01 * g for v, g in zip(weights, grads)]

    return step


def _arrays(model: Callable, data: tuple[int, ...], *lead: int, tokens: bool = False) -> Callable:
    """What makes the data, numbers or tokens, and the weights of a model, the latter stacked over `lead`."""
    asked = _Weights()
    model(None, asked, None)

    def make(rng: np.random.Generator) -> list[np.ndarray]:
        def drawn(shape: tuple[int, ...]) -> np.ndarray:
            fan = math.prod(shape[1:]) if len(shape) > 1 else 100
            return (rng.standard_normal((*lead, *shape)) / math.sqrt(fan)).astype(np.float32)

        x = rng.integers(0, VOCABULARY, data) if tokens else rng.standard_normal(data).astype(np.float32)
        return [x, *map(drawn, asked.shapes)]

    return make


def _loss(model: Callable) -> Callable:
    def loss(t: ModuleType, x: Any, *weights: Any) -> Any:
        out = model(t, _Weights(iter(weights)), x)
        return (out.logsumexp(1) - out.select(1, 0)).mean()

    return loss


def _step(model: Callable) -> Callable:
    """The loss and the gradients of all weights."""

    def step(t: ModuleType, x: Any, *weights: Any) -> Any:
        weights = tuple(v.detach().requires_grad_() for v in weights)
        loss = _loss(model)(t, x, *weights)
        return loss.detach(), *t.autograd.grad(loss, weights)

    return step


def _per_sample(model: Callable) -> Callable:
    def grads(t: ModuleType, x: Any, *weights: Any) -> Any:
        def one(x: Any, *weights: Any) -> Any:
            return _loss(model)(t, x[None], *weights)

        each = t.func.grad(one, tuple(range(1, len(weights) + 1)))
        return t.func.vmap(each, (0, *[None] * len(weights)))(x, *weights)

    return grads


def _ensemble(model: Callable, training: bool) -> Callable:
    def run(t: ModuleType, x: Any, *weights: Any) -> Any:
        if not training:
            return t.func.vmap(lambda *w: model(t, _Weights(iter(w)), x))(*weights)
        each = t.func.grad(lambda *w: _loss(model)(t, x, *w), tuple(range(len(weights))))
        return t.func.vmap(each)(*weights)

    return run


def rows() -> list[Row]:
    """All of them."""
    cnn, image = _cnn, (64, 1, 28, 28)
    tiny = _mlp(20, 64, 10)
    small, wide, member = _mlp(784, 128, 64, 10), _mlp(784, 512, 512, 10), _mlp(784, 128, 128, 10)
    found = [
        ("ResNet-18, 64 px, step ×8", _step(_resnet18), _arrays(_resnet18, (8, 3, 64, 64))),
        ("ConvNeXt-atto, 64 px, step ×8", _step(_convnext_atto), _arrays(_convnext_atto, (8, 3, 64, 64))),
        ("3-d U-Net, 24³, step", _step(_unet3d), _arrays(_unet3d, (1, 1, 24, 24, 24))),
        ("GPT of 4 layers of 128, step 8×64", _step(_gpt), _arrays(_gpt, (8, 64), tokens=True)),
        ("nn.LSTM 64→128, 64 steps, step ×32", _lstm_step, floats((32, 64, 64))),
        ("SGD by hand, MLP 20-64-10, step ×32", _sgd(tiny), _arrays(tiny, (32, 20))),
        ("CNN, 28 px, step ×64", _step(cnn), _arrays(cnn, image)),
        ("CNN, 28 px, per-sample gradients ×64", _per_sample(cnn), _arrays(cnn, image)),
        ("MLP 784-128-64-10, per-sample gradients ×64", _per_sample(small), _arrays(small, (64, 784))),
        ("MLP 784-512-512-10, step ×64", _step(wide), _arrays(wide, (64, 784))),
        ("ensemble of 10 MLPs, forward ×64", _ensemble(member, False), _arrays(member, (64, 784), 10)),
        ("ensemble of 10 MLPs, step ×64", _ensemble(member, True), _arrays(member, (64, 784), 10)),
    ]
    return [Row("models", name, fn, make) for name, fn, make in found]
