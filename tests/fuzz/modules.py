"""Calls of nn modules: the cases of tests/nn/module_cases.py with their constructor's arguments and inputs mutated.

Parameters and buffers are filled with the same numbers in both libraries before the module is called.
"""

from __future__ import annotations

import inspect
import random
from typing import Any

import numpy as np

from tests.fuzz.functional import Call, mutations
from tests.fuzz.mutation import mutated, value
from tests.nn import module_cases
from tests.samples.base import T


def _seeds() -> list[tuple[str, tuple, dict, tuple, bool]]:
    """(class, constructor's arguments, keywords, inputs, random) of every case; read from what `case` is called
    with."""
    found = []

    class Recording:
        def __getattr__(self, name: str) -> Any:
            def make(*args: Any, **kwargs: Any) -> None:
                found.append((name, args, kwargs))

            return make

    class Arrays:
        @staticmethod
        def tensor(x: np.ndarray) -> T:
            return T(x)

    seeds = []
    for case in module_cases.CASES:
        case.make(Recording(), Arrays)
        name, args, kwargs = found.pop()
        inputs = tuple(T(x) if isinstance(x, np.ndarray) else x for x in case.inputs)
        seeds.append((name, args, kwargs, inputs, case.random))
    return seeds


SEEDS = _seeds()
OPTIONS: dict[str, Any] = {"dtype": None}
CONV = {"stride": 1, "padding": 0, "dilation": 1, "groups": 1, "bias": True, "padding_mode": "zeros"}
MORE: dict[str, dict[str, Any]] = {
    "Conv": CONV, "ConvTranspose": CONV | {"output_padding": 0}, "MaxPool": {"stride": None, "padding": 0, "dilation": 1, "return_indices": False, "ceil_mode": False},
    "AvgPool": {"stride": None, "padding": 0, "ceil_mode": False, "count_include_pad": True, "divisor_override": None}, "LPPool": {"stride": None, "ceil_mode": False},
    "BatchNorm": {"eps": 1e-5, "momentum": 0.1, "affine": True, "track_running_stats": True}, "InstanceNorm": {"eps": 1e-5, "affine": True, "track_running_stats": True},
    "Loss": {"reduction": "mean"}, "Embedding": {"padding_idx": None, "max_norm": None, "norm_type": 2.0, "scale_grad_by_freq": False},
    "RNN": {"num_layers": 1, "nonlinearity": "tanh", "bias": True, "batch_first": False, "dropout": 0.0, "bidirectional": False}, "LSTM": {"num_layers": 1, "proj_size": 0, "dropout": 0.0, "batch_first": True},
    "GRU": {"num_layers": 1, "bias": True, "dropout": 0.0}, "Multihead": {"dropout": 0.0, "bias": True, "add_bias_kv": False, "add_zero_attn": False, "kdim": None, "vdim": None, "batch_first": False},
    "Transformer": {"norm_first": False, "batch_first": False, "activation": "relu", "dropout": 0.0}, "Upsample": {"size": None, "scale_factor": None, "mode": "nearest", "align_corners": None},
    "LayerNorm": {"eps": 1e-5, "elementwise_affine": True, "bias": True}, "GroupNorm": {"eps": 1e-5, "affine": True}, "Softmax": {"dim": None}, "PReLU": {"num_parameters": 1, "init": 0.25},
}  # fmt: skip


def options(name: str) -> dict[str, Any]:
    """Parameters of the constructor that have a default."""
    return next(
        (v for k, v in MORE.items() if name.startswith(k) or (k == "Loss" and name.endswith(k))), OPTIONS
    )


def _fill(lib: Any, module: Any) -> None:
    """The same numbers in every parameter; buffers keep their initial values, which are no random numbers."""
    with lib.no_grad():
        for k, p in enumerate(module.parameters()):
            if hasattr(p, "materialize"):
                continue
            n = p.numel()
            values = np.cos(np.arange(n) * 1.7 + k).reshape(tuple(p.shape)) * 0.4
            p.copy_(lib.tensor(values).to(p.dtype))


def run(lib: Any, args: tuple, kwargs: dict) -> Any:
    """Constructs, fills, calls. args: (class, constructor's arguments, its keywords, inputs, training)."""
    name, made_of, words, inputs, training = args
    module = getattr(lib.nn, name)(*made_of, **words)
    module.train(training)
    if name.startswith("Lazy"):  # which has its parameters after a first call
        with lib.no_grad():
            module(*inputs)
    _fill(lib, module)
    out = module(*inputs)
    return out


def _drops(name: str, args: tuple, kwargs: dict) -> bool:
    """Whether a module made of these arguments draws in training what it drops."""
    import functorch_lite

    try:
        given = inspect.signature(getattr(functorch_lite.nn, name)).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        return False
    return given.get("dropout", 0.1 if name.startswith("Transformer") else 0) not in (0, 1)


def call(rng: random.Random) -> Call:
    """A module case, mutated in its constructor, in its inputs, or in both."""
    name, args, kwargs, inputs, is_random = rng.choice(SEEDS)
    what = rng.randrange(3)
    many = 0
    if what != 1:
        many = mutations(rng)
        made = mutated(rng, args, kwargs, options(name))
        args, kwargs = made if is_small(made[1]) else (args, kwargs)
    if what != 0 and inputs:
        items = list(inputs)
        rounds = rng.choice((1, 1, 2))
        many += rounds
        for _ in range(rounds):
            at = rng.randrange(len(items))
            items[at] = value(rng, items[at])
        if rng.random() < 0.04:
            items.pop()
        elif rng.random() < 0.04:
            items.append(items[0] if items else None)
        inputs = tuple(items)
    made = call_of(name, args, kwargs, inputs, is_random=is_random, training=rng.random() < 0.6)
    made.several = many > 1
    return made


def is_small(kwargs: dict) -> bool:
    """Whether a module made of these arguments allocates little: AdaptiveLogSoftmaxWithLoss divides sizes by
    `div_value`."""
    return kwargs.get("div_value") != 1e-8


def call_of(name: str, args: tuple, kwargs: dict, inputs: tuple, *, is_random: bool, training: bool) -> Call:
    """The call of a module made of these arguments."""
    shapes = is_random or (training and _drops(name, args, kwargs))
    return Call(f"nn.{name}", (name, args, kwargs, inputs, training), {}, run, shapes, grad=False)


FAMILIES = {"modules": call}
