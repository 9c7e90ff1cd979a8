"""torch.ao.quantization.quantize_fx: quantization of a model that torch.fx traces, so that no stub need be placed.

Linear and convolutional layers are quantized, with the normalization and the ReLU behind them, and layers of the user's
own. Everything else stays in floats: values are quantized before such a layer and dequantized behind it.
"""

from __future__ import annotations

import copy
from typing import Any

from ... import fx, nn
from .fake_quantize import FakeQuantizeBase
from .fusing import fuse_known_modules
from .qconfigs import QConfigMapping
from .quantizing import quantize_dynamic
from .static import _STATIC, _swapped, prepare_qat, propagate_qconfig_
from .static_layers import DeQuantize, Quantize

__all__ = ["convert_fx", "fuse_fx", "prepare_fx", "prepare_qat_fx"]

_WEIGHTED = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d)
_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


class _Tracer(fx.Tracer):
    """A tracer that does not look into the user's own layers."""

    def __init__(self, leaves: tuple[type, ...]):
        super().__init__()
        self.leaves = leaves

    def is_leaf_module(self, m: Any, qualname: str) -> bool:
        """Returns whether a layer is one node."""
        return isinstance(m, self.leaves) or super().is_leaf_module(m, qualname)


def _traced(model: Any, leaves: tuple[type, ...] = ()) -> Any:
    return fx.GraphModule(model, _Tracer(leaves).trace(model))


def _layer(traced: Any, node: Any) -> Any:
    return traced.get_submodule(node.target) if node.op == "call_module" else None


def _set(traced: Any, name: str, layer: Any) -> None:
    parent, _, last = name.rpartition(".")
    setattr(traced.get_submodule(parent), last, layer)


def _fuse(traced: Any, is_qat: bool) -> Any:
    """Fuses each weighted layer with a normalization and a ReLU behind it that nothing else reads."""
    for node in list(traced.graph.nodes):
        if not isinstance(_layer(traced, node), _WEIGHTED):
            continue
        row, last = [node], node
        for kinds in (_NORMS, (nn.ReLU,)):
            users = list(last.users)
            if len(users) == 1 and isinstance(_layer(traced, users[0]), kinds):
                last = users[0]
                row.append(last)
        if len(row) > 1:
            _set(traced, node.target, fuse_known_modules([_layer(traced, n) for n in row], is_qat)[0])
            for other in reversed(row[1:]):
                other.replace_all_uses_with(node)
                traced.graph.erase_node(other)
    traced.recompile()
    return traced


def fuse_fx(model: Any, fuse_custom_config: Any = None, backend_config: Any = None) -> Any:
    """Return a traced model in which layers in a row are fused: see `torch.ao.quantization.fuse_modules`.

    Args:
        model: The model, in evaluation.
        fuse_custom_config: Only None is supported.
        backend_config: Only None is supported.
    """
    _only_none(fuse_custom_config=fuse_custom_config, backend_config=backend_config)
    return _fuse(_traced(copy.deepcopy(model)), False)


def _only_none(**options: Any) -> None:
    for name, value in options.items():
        if value is not None:
            raise NotImplementedError(
                f"torch.ao.quantization.quantize_fx: {name} is not supported; leave it None"
            )


def _prepared(model: Any, mapping: Any, custom_config: Any, is_qat: bool) -> Any:
    mapping = QConfigMapping.from_dict(mapping) if isinstance(mapping, dict) else mapping
    custom = (custom_config or {}).get("float_to_observed_custom_module_class", {}).get("static", {})
    traced = _fuse(_traced(copy.deepcopy(model), tuple(custom)), is_qat)
    for node in list(traced.graph.nodes):
        layer = _layer(traced, node)
        kind = type(layer[0] if isinstance(layer, nn.Sequential) else layer)
        if layer is None or not (kind in _WEIGHTED or kind in custom):
            continue
        qconfig = mapping.qconfig_of(node.target, kind)
        layer.qconfig = qconfig
        if qconfig is None or getattr(qconfig.activation(), "is_dynamic", False):
            continue
        if kind in custom:
            layer = custom[kind].from_float(layer)
            layer.qconfig = qconfig
            propagate_qconfig_(layer)
            _set(traced, node.target, layer)
        source = node.args[0]
        if not str(source.target).startswith("activation_post_process"):
            _observe(traced, source, qconfig)
        _observe(traced, node, qconfig)
    if is_qat:
        traced = _trained_for(traced)
    traced.graph.lint()
    traced.recompile()
    return traced


def _trained_for(traced: Any) -> Any:
    for node in traced.graph.nodes:
        layer = _layer(traced, node)
        if getattr(layer, "qconfig", None) is not None and not isinstance(layer, FakeQuantizeBase):
            holder = nn.Sequential(layer).train()
            holder = prepare_qat(holder, inplace=True)
            holder[0]._forward_hooks.clear()
            holder[0]._modules.pop("activation_post_process", None)
            _set(traced, node.target, holder[0])
    return traced


def _observe(traced: Any, node: Any, qconfig: Any) -> None:
    """Puts an observer behind a node, in front of everything that reads it, unless there is one."""
    if any(str(user.target).startswith("activation_post_process") for user in node.users):
        return
    number = sum(name.startswith("activation_post_process") for name, _ in traced.named_children())
    name = f"activation_post_process_{number}"
    traced.add_module(name, qconfig.activation())
    with traced.graph.inserting_after(node):
        observed = traced.graph.call_module(name, (node,))
    node.replace_all_uses_with(observed, delete_user_cb=lambda user: user is not observed)


def prepare_fx(
    model: Any,
    qconfig_mapping: Any,
    example_inputs: Any,
    prepare_custom_config: dict | None = None,
    _equalization_config: Any = None,
    backend_config: Any = None,
) -> Any:
    """Return a traced model whose weighted layers are fused and observed: call it with examples, then `convert_fx`.

    Args:
        model: The model, in evaluation.
        qconfig_mapping: A QConfigMapping, or a dict such as `{"": qconfig}`.
        example_inputs: Inputs of the model; not used, as in PyTorch.
        prepare_custom_config: Dict whose "float_to_observed_custom_module_class" has, under "static", by classes of
            layers, classes whose `from_float(layer)` returns the one to observe.
        _equalization_config: Only None is supported.
        backend_config: Only None is supported.

    Raises:
        NotImplementedError: For the last two.

    >>> from functorch_lite.ao.quantization.quantize_fx import prepare_fx, convert_fx
    >>> mapping = torch.ao.quantization.get_default_qconfig_mapping("x86")
    >>> observed = prepare_fx(nn.Sequential(nn.Linear(2, 2), nn.ReLU()).eval(), mapping, (torch.ones(1, 2),))
    >>> _ = observed(torch.ones(1, 2))
    >>> type(getattr(convert_fx(observed), "0")).__name__
    'LinearReLU'
    """
    _only_none(_equalization_config=_equalization_config, backend_config=backend_config)
    return _prepared(model, qconfig_mapping, prepare_custom_config, False)


def prepare_qat_fx(
    model: Any,
    qconfig_mapping: Any,
    example_inputs: Any,
    prepare_custom_config: dict | None = None,
    backend_config: Any = None,
) -> Any:
    """Return a traced model that trains with weights and activations rounded as int8 would be.

    Args:
        model: The model, in training.
        qconfig_mapping: See `prepare_fx`.
        example_inputs: See `prepare_fx`.
        prepare_custom_config: See `prepare_fx`.
        backend_config: Only None is supported.
    """
    _only_none(backend_config=backend_config)
    return _prepared(model, qconfig_mapping, prepare_custom_config, True)


def convert_fx(
    graph_module: Any,
    convert_custom_config: dict | None = None,
    _remove_qconfig: bool = True,
    qconfig_mapping: Any = None,
    backend_config: Any = None,
) -> Any:
    """Return the quantized model of one of `prepare_fx` or `prepare_qat_fx`.

    Weights are stored as int8; the layers compute in float32 and round their results.

    Args:
        graph_module: The observed model.
        convert_custom_config: Dict whose "observed_to_quantized_custom_module_class" has, under "static", by classes of
            observed layers, classes whose `from_observed(layer)` returns the quantized one.
        _remove_qconfig: Whether the attribute `qconfig` of layers is removed.
        qconfig_mapping: Only None is supported.
        backend_config: Only None is supported.

    Raises:
        NotImplementedError: For the last two.
    """
    _only_none(qconfig_mapping=qconfig_mapping, backend_config=backend_config)
    custom = (
        (convert_custom_config or {}).get("observed_to_quantized_custom_module_class", {}).get("static", {})
    )
    traced = copy.deepcopy(graph_module)
    dynamic = {n.target for n in traced.graph.nodes if _is_dynamic(_layer(traced, n))}
    quantized = set()
    for node in list(traced.graph.nodes):
        layer = _layer(traced, node)
        after = next((u for u in node.users if str(u.target).startswith("activation_post_process")), None)
        if layer is None or after is None or not (type(layer) in custom or type(layer) in _STATIC):
            continue
        layer.activation_post_process = traced.get_submodule(after.target)
        _set(traced, node.target, _swapped(layer, _STATIC, custom))
        quantized.add(node)
    for node in list(traced.graph.nodes):
        if str(node.target).startswith("activation_post_process"):
            _replace_observer(traced, node, quantized)
    for name in dynamic:
        _set(traced, name, quantize_dynamic(nn.Sequential(traced.get_submodule(name)))[0])
    for part in traced.modules() if _remove_qconfig else ():
        vars(part).pop("qconfig", None)
    traced.delete_all_unused_submodules()
    traced.recompile()
    return traced


def _is_dynamic(layer: Any) -> bool:
    qconfig = getattr(layer, "qconfig", None)
    return (
        qconfig is not None
        and isinstance(layer, nn.Linear)
        and getattr(qconfig.activation(), "is_dynamic", False)
    )


def _replace_observer(traced: Any, node: Any, quantized: set) -> None:
    """Puts a Quantize in the place of an observer for quantized layers that read floats, and a DeQuantize for others
    that read a quantized layer."""
    source, observer = node.args[0], traced.get_submodule(node.target)
    for user in list(node.users):
        if (source in quantized) == (user in quantized):
            user.replace_input_with(node, source)
            continue
        if user in quantized:
            scale, zero = observer.calculate_qparams()
            name, made = f"quantize_{node.name}", Quantize(scale.float(), zero, observer.dtype)
        else:
            name, made = f"dequantize_{node.name}", DeQuantize()
        traced.add_module(name, made)
        with traced.graph.inserting_before(user):
            user.replace_input_with(node, traced.graph.call_module(name, (source,)))
    traced.graph.erase_node(node)
