"""quantize_dynamic, and torchao's quantize_: layers of a model, exchanged for ones with integers for weights."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ... import nn
from ...nn import Module
from .modules import (
    DynamicQuantizedLinear,
    QuantizedConv,
    QuantizedEmbedding,
    QuantizedLinear,
    QuantizedLinear4,
    int8_rows,
)
from .tensors import QINT8

__all__ = [
    "Int4WeightOnlyConfig",
    "Int8DynamicActivationInt8WeightConfig",
    "Int8WeightOnlyConfig",
    "quantize_",
    "quantize_dynamic",
]

_RECURRENT = ("LSTM", "GRU", "LSTMCell", "GRUCell", "RNNCell")


@dataclass(frozen=True)
class Int8WeightOnlyConfig:
    """Weights of int8, with a scale for each row. group_size must be None: scales are of rows."""

    group_size: int | None = None


@dataclass(frozen=True)
class Int4WeightOnlyConfig:
    """Weights of 4 bits, with a scale for each group of inputs."""

    group_size: int = 128


@dataclass(frozen=True)
class Int8DynamicActivationInt8WeightConfig:
    """Weights of int8, with a scale for each row; inputs become int8 as they come, with a scale for each row too."""


def _linear(module: Module, name: str) -> bool:
    return type(module) is nn.Linear


def quantize_(
    model: Module, config: Any, filter_fn: Callable[[Module, str], bool] | None = None, device: Any = None
) -> None:
    """Exchanges layers of a model, in place, for ones whose weights are integers, as torchao's function of this name.

    filter_fn: says of a module and its name whether it is exchanged; Linear layers, if it is not given. With
    Int8WeightOnlyConfig it may choose `Embedding`, `Conv1d`, `Conv2d` and
    `Conv3d` too. A weight that two layers share is shared afterwards. device is where the model goes first.

    >>> model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU())
    >>> quantize_ = torch.ao.quantization.quantize_
    >>> quantize_(model, torch.ao.quantization.Int8WeightOnlyConfig())
    >>> model[0]
    QuantizedLinear(in_features=64, out_features=32, int8 weight)
    """
    if isinstance(config, Int8WeightOnlyConfig) and config.group_size is not None:
        raise NotImplementedError("Int8WeightOnlyConfig: scales are of whole rows; leave group_size out")
    if not isinstance(
        config, Int8WeightOnlyConfig | Int4WeightOnlyConfig | Int8DynamicActivationInt8WeightConfig
    ):
        raise NotImplementedError(
            f"quantize_: {type(config).__name__}; there are Int8WeightOnlyConfig, Int4WeightOnlyConfig and "
            f"Int8DynamicActivationInt8WeightConfig"
        )
    if device is not None:
        model.to(device)
    held: dict[int, Any] = {}

    def made(layer: Any, name: str) -> Module:
        if isinstance(layer, nn.Linear):
            if isinstance(config, Int4WeightOnlyConfig):
                return QuantizedLinear4(layer, config.group_size)
            return QuantizedLinear(
                layer, rows_of(layer), rows=isinstance(config, Int8DynamicActivationInt8WeightConfig)
            )
        if isinstance(config, Int8WeightOnlyConfig) and isinstance(layer, nn.Embedding):
            return QuantizedEmbedding(layer, rows_of(layer))
        if isinstance(config, Int8WeightOnlyConfig) and isinstance(layer, nn.Conv1d | nn.Conv2d | nn.Conv3d):
            return QuantizedConv(layer, rows_of(layer))
        raise NotImplementedError(
            f"quantize_: {name or 'the model'} is a {type(layer).__name__}, of which {type(config).__name__} makes "
            f"nothing"
        )

    def rows_of(layer: Any) -> Any:
        key = id(layer.weight)
        if key not in held:
            held[key] = (
                *int8_rows(layer.weight),
                layer.weight,
            )  # the weight is held until all are done, or its id would be another's
        return held[key][:2]

    _exchange(model, filter_fn or _linear, made)


def _exchange(
    model: Module, chosen: Callable[[Module, str], bool], made: Callable[[Any, str], Module], prefix: str = ""
) -> None:
    done: dict[int, Module] = {}
    if not prefix and chosen(model, ""):
        raise ValueError(
            "the model is a layer itself, which cannot be exchanged in place: put it into a module"
        )

    def walk(parent: Module, prefix: str) -> None:
        for name, child in list(parent.named_children()):
            full = f"{prefix}.{name}" if prefix else name
            if chosen(child, full):
                if id(child) not in done:
                    done[id(child)] = made(child, full)
                setattr(parent, name, done[id(child)])
            else:
                walk(child, full)

    walk(model, prefix)


def quantize_dynamic(
    model: Module,
    qconfig_spec: Any = None,
    dtype: Any = QINT8,
    mapping: Mapping | None = None,
    inplace: bool = False,
) -> Module:
    """A model whose linear layers have int8 weights (dtype=torch.qint8), and take inputs as integers whose scale is
    found as they come; or weights of float16.

    qconfig_spec: the classes, or the names, of the layers; all Linear, if it is not given. With dtype=torch.quint8
    they may be Embedding, whose rows become integers of 8 bits.
    inplace: the model itself is changed. Recurrent layers raise NotImplementedError, and so does a mapping.

    >>> model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU())
    >>> torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)[0]
    DynamicQuantizedLinear(in_features=4, out_features=3, dtype=torch.qint8, qscheme=torch.per_tensor_affine)
    """
    if mapping is not None:
        raise NotImplementedError(
            "torch.ao.quantization.quantize_dynamic: a mapping to other modules; exchange them yourself"
        )
    if dtype.name not in ("qint8", "quint8", "float16"):
        raise RuntimeError(f"Unknown dtype specified for quantize_dynamic with {dtype}")
    if isinstance(qconfig_spec, Mapping):
        if any(
            v is not None and getattr(getattr(v, "activation", None), "p", None) is None
            for v in qconfig_spec.values()
        ):
            raise NotImplementedError(
                "torch.ao.quantization.quantize_dynamic: a qconfig of its own; give the set of layers"
            )
        qconfig_spec = {k for k, v in qconfig_spec.items() if v is not None}
    spec: Collection[Any] = (
        {nn.Linear, *[getattr(nn, n) for n in _RECURRENT]} if qconfig_spec is None else set(qconfig_spec)
    )
    classes, names = tuple([c for c in spec if isinstance(c, type)]), {c for c in spec if isinstance(c, str)}
    model = model if inplace else copy.deepcopy(model)

    def chosen(module: Module, name: str) -> bool:
        return type(module) in classes or name in names

    def made(layer: Any, name: str) -> Module:
        if type(layer) is nn.Linear and dtype.name in ("qint8", "float16"):
            return DynamicQuantizedLinear(layer, dtype)
        if isinstance(layer, nn.Embedding) and dtype.name == "quint8":
            return QuantizedEmbedding(layer, int8_rows(layer.weight))
        raise NotImplementedError(
            f"torch.ao.quantization.quantize_dynamic: {name} is a {type(layer).__name__}, of which {dtype} makes "
            f"nothing here; give the layers that are to be exchanged, "
            "as in quantize_dynamic(model, {nn.Linear})"
        )

    if chosen(model, ""):
        return made(model, "the model")
    _exchange(model, chosen, made)
    return model
