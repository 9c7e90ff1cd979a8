"""prepare and convert: a model is observed while it computes examples, or trains with rounding, and then quantized.

The converted layers store int8 weights and compute in float32 (`torch.ao.nn.quantized`).
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

from . import fused_layers as intrinsic
from . import static_layers as quantized
from . import training_layers as qat
from .fake_quantize import FakeQuantizeBase
from .observers import ObserverBase
from .stubs import DeQuantStub, QuantStub

__all__ = ["convert", "prepare", "prepare_qat", "propagate_qconfig_", "quantize", "quantize_qat"]

_STATIC = {QuantStub: quantized.Quantize, DeQuantStub: quantized.DeQuantize, **quantized.MAPPING}
_TRAINING = {kind._FLOAT_MODULE: kind for kind in (getattr(qat, name) for name in qat.__all__)}


def propagate_qconfig_(
    module: Any, qconfig_dict: dict | None = None, prefix: str = "", parent: Any = None
) -> None:
    """Give each layer of a model the attribute `qconfig`: its own, or else that of the layer that it is in.

    Args:
        module: The model, which is changed.
        qconfig_dict: Configurations by the name or the class of a layer.
        prefix: Name of the model inside the whole one.
        parent: Configuration of what the model is in.
    """
    given = qconfig_dict or {}
    found = given.get(prefix, given.get(type(module), parent))
    module.qconfig = getattr(module, "qconfig", found)
    for name, child in module.named_children():
        propagate_qconfig_(child, qconfig_dict, f"{prefix}.{name}" if prefix else name, module.qconfig)


def _observe(module: Any, args: Any, output: Any) -> Any:
    """Hook of an observed layer."""
    return module.activation_post_process(output)


def _attach(module: Any) -> None:
    """Adds an observer of its output to a layer that has a configuration."""
    if getattr(module, "qconfig", None) is None or isinstance(module, DeQuantStub):
        return
    module.add_module("activation_post_process", module.qconfig.activation())
    module.register_forward_hook(_observe)


def _attach_all(module: Any, kinds: Any, also: Any, custom: dict[type, Any]) -> None:
    for name, child in list(module.named_children()):
        if isinstance(child, quantized.FloatFunctional):
            if getattr(child, "qconfig", None) is not None:
                child.activation_post_process = child.qconfig.activation()
        elif type(child) in custom and getattr(child, "qconfig", None) is not None:
            observed = custom[type(child)].from_float(child)
            setattr(module, name, observed)
            _attach(observed)
        elif isinstance(child, intrinsic._FusedModule) or type(child) in also:
            _attach(child)
        else:
            _attach_all(child, kinds, also, custom)
    if not module._modules and type(module) in kinds:
        _attach(module)


def prepare(
    model: Any,
    inplace: bool = False,
    allow_list: Any = None,
    observer_non_leaf_module_list: Any = None,
    prepare_custom_config_dict: dict | None = None,
) -> Any:
    """Return a model whose layers are observed: call it with examples, and then `convert`.

    Args:
        model: The model, in evaluation, whose attribute `qconfig`, or that of its layers, says which observers to use.
        inplace: Whether the model is changed; otherwise a copy is.
        allow_list: Classes of layers that are observed; by default those that `convert` knows.
        observer_non_leaf_module_list: Classes of layers with layers inside that are observed as one.
        prepare_custom_config_dict: Dict whose "float_to_observed_custom_module_class" has, by classes of layers, classes
            whose `from_float(layer)` returns the one to observe.

    Returns:
        The observed model.

    >>> model = nn.Sequential(torch.ao.quantization.QuantStub(), nn.Linear(2, 2), torch.ao.quantization.DeQuantStub()).eval()
    >>> model.qconfig = torch.ao.quantization.get_default_qconfig("x86")
    >>> observed = torch.ao.quantization.prepare(model)
    >>> _ = observed(torch.ones(1, 2))
    >>> type(torch.ao.quantization.convert(observed)[1]).__name__
    'Linear'
    """
    custom = (prepare_custom_config_dict or {}).get("float_to_observed_custom_module_class", {})
    if not inplace:
        model = copy.deepcopy(model)
    propagate_qconfig_(model)
    if not any(getattr(m, "qconfig", None) for m in model.modules()):
        warnings.warn(
            "None of the submodule got qconfig applied. Make sure you passed correct configuration through `qconfig_dict` or by assigning "
            "the `.qconfig` attribute directly on submodules",
            stacklevel=2,
        )
    kinds = {*_STATIC, *_TRAINING} if allow_list is None else set(allow_list)
    _attach_all(model, kinds, observer_non_leaf_module_list or (), custom)
    return model


def prepare_qat(model: Any, mapping: dict | None = None, inplace: bool = False) -> Any:
    """Return a model that trains with weights and activations rounded as int8 would be; `convert` quantizes it.

    Args:
        model: The model, in training, with an attribute `qconfig` such as `get_default_qat_qconfig()`.
        mapping: Classes of layers and of those in their places; by default linear and convolutional layers, alone and
            fused.
        inplace: Whether the model is changed; otherwise a copy is.

    Raises:
        AssertionError: If the model is not in training.
    """
    if not model.training:
        raise AssertionError("prepare_qat only works on models in training mode")
    mapping = _TRAINING if mapping is None else mapping
    if not inplace:
        model = copy.deepcopy(model)
    propagate_qconfig_(model)
    convert(model, mapping, inplace=True, remove_qconfig=False)
    return prepare(model, inplace=True, observer_non_leaf_module_list=set(mapping.values()))


def _swapped(layer: Any, mapping: dict, custom: dict) -> Any:
    """The layer in the place of another one, with its hooks; itself if there is none or it has no configuration."""
    kind = type(layer)
    if getattr(layer, "qconfig", None) is None or not (kind in custom or kind in mapping):
        return layer
    found = custom[kind].from_observed(layer) if kind in custom else mapping[kind].from_float(layer)
    for hook in layer._forward_pre_hooks.values():
        found.register_forward_pre_hook(hook)
    for hook in layer._forward_hooks.values():
        if hook is not _observe:
            found.register_forward_hook(hook)
    return found


def _convert(module: Any, mapping: dict, custom: dict) -> None:
    for name, child in list(module.named_children()):
        if not isinstance(child, intrinsic._FusedModule | FakeQuantizeBase) and type(child) not in {
            *custom,
            *_TRAINING.values(),
        }:
            _convert(child, mapping, custom)
        module._modules[name] = _swapped(child, mapping, custom)


def _without_qconfig(module: Any) -> None:
    for part in module.modules():
        vars(part).pop("qconfig", None)
        if isinstance(part._modules.get("activation_post_process"), ObserverBase | FakeQuantizeBase):
            del part._modules["activation_post_process"]
            for number, hook in list(part._forward_hooks.items()):
                if hook is _observe:
                    del part._forward_hooks[number]


def convert(
    module: Any,
    mapping: dict | None = None,
    inplace: bool = False,
    remove_qconfig: bool = True,
    is_reference: bool = False,
    convert_custom_config_dict: dict | None = None,
    use_precomputed_fake_quant: bool = False,
) -> Any:
    """Return the quantized model of one that was observed, or that trained for it.

    Weights are stored as int8; the layers compute in float32 and round their results (`torch.ao.nn.quantized`).

    Args:
        module: The model of `prepare` or `prepare_qat`.
        mapping: Classes of layers and of those in their places, which are made by `from_float`; by default linear and
            convolutional layers, alone and fused, and the stubs.
        inplace: Whether the model is changed; otherwise a copy is.
        remove_qconfig: Whether the attribute `qconfig` and the observers are removed.
        is_reference: Only False is supported.
        convert_custom_config_dict: Dict whose "observed_to_quantized_custom_module_class" has, by classes of observed
            layers, classes whose `from_observed(layer)` returns the quantized one.
        use_precomputed_fake_quant: Only False is supported.

    Raises:
        NotImplementedError: For the last two options.
    """
    if is_reference or use_precomputed_fake_quant:
        raise NotImplementedError(
            "torch.ao.quantization.convert: is_reference and use_precomputed_fake_quant are not supported; leave them False"
        )
    custom = (convert_custom_config_dict or {}).get("observed_to_quantized_custom_module_class", {})
    if not inplace:
        module = copy.deepcopy(module)
    _convert(module, _STATIC if mapping is None else mapping, custom)
    if remove_qconfig:
        _without_qconfig(module)
    return module


def quantize(
    model: Any, run_fn: Callable, run_args: Any, mapping: dict | None = None, inplace: bool = False
) -> Any:
    """Return the quantized model of one with a `qconfig`: prepare, `run_fn(model, *run_args)`, convert.

    Args:
        model: The model.
        run_fn: Function that calls the observed model with examples.
        run_args: Its other arguments.
        mapping: See `convert`.
        inplace: Whether the model is changed.
    """
    model = prepare(model if inplace else copy.deepcopy(model).eval(), inplace=True)
    run_fn(model.eval(), *run_args)
    return convert(model, mapping, inplace=True)


def quantize_qat(model: Any, run_fn: Callable, run_args: Any, inplace: bool = False) -> Any:
    """Return the quantized model of one that is trained for it: prepare_qat, `run_fn(model, *run_args)`, convert.

    Args:
        model: The model.
        run_fn: Function that trains.
        run_args: Its other arguments.
        inplace: Whether the model is changed.
    """
    model = prepare_qat((model if inplace else copy.deepcopy(model)).train(), inplace=True)
    run_fn(model, *run_args)
    return convert(model, inplace=True)
