"""fuse_modules: layers in a row become one that is quantized as one; normalizations are folded into weights."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from ... import nn
from ...nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval
from . import fused_layers as intrinsic

__all__ = ["fuse_modules", "fuse_modules_qat"]

_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


def _joined(layers: list[Any], is_qat: bool) -> Any:
    """The fused layer of some in a row; in evaluation the normalization is folded into the weight."""
    if len({layer.training for layer in layers}) > 1:
        raise AssertionError("Conv and BN both must be in the same mode (train or eval).")
    training = layers[0].training
    if is_qat and not training:
        raise AssertionError("Fusion for QAT requires the modules to be in train mode")
    folds = isinstance(layers[0], nn.Linear) or hasattr(layers[0], "kernel_size")
    if len(layers) > 1 and isinstance(layers[1], _NORMS) and folds and not training:
        fold = fuse_linear_bn_eval if isinstance(layers[0], nn.Linear) else fuse_conv_bn_eval
        layers = [fold(layers[0], layers[1]), *layers[2:]]
    if len(layers) == 1:
        return layers[0]
    kinds = tuple(type(layer) for layer in layers)
    for name in intrinsic.__all__:
        kind = getattr(intrinsic, name)
        if kind.of == kinds:
            return kind(*layers).train(training)
    raise NotImplementedError(f"Cannot fuse modules: {kinds}")


def fuse_known_modules(
    mod_list: Sequence[Any], is_qat: bool = False, additional_fuser_method_mapping: Any = None
) -> list:
    """Return the layers in the place of some in a row: the fused one, and then Identity for each of the others."""
    custom = (additional_fuser_method_mapping or {}).get(tuple(type(m) for m in mod_list))
    fused = custom(is_qat, *mod_list) if custom else _joined(list(mod_list), is_qat)
    for hook in mod_list[0]._forward_pre_hooks.values():
        fused.register_forward_pre_hook(hook)
    mod_list[0]._forward_pre_hooks.clear()
    for hook in mod_list[-1]._forward_hooks.values():
        fused.register_forward_hook(hook)
    mod_list[-1]._forward_hooks.clear()
    return [fused, *(nn.Identity().train(mod_list[0].training) for _ in mod_list[1:])]


def _fuse(model: Any, names: Any, is_qat: bool, inplace: bool, fuser: Callable, custom: dict | None) -> Any:
    if not inplace:
        model = copy.deepcopy(model)
    for group in [names] if all(isinstance(name, str) for name in names) else names:
        layers = [model.get_submodule(name) for name in group]
        for name, layer in zip(
            group,
            fuser(layers, is_qat, **({"additional_fuser_method_mapping": custom} if custom else {})),
            strict=True,
        ):
            parent, _, last = name.rpartition(".")
            setattr(model.get_submodule(parent), last, layer)
    return model


def fuse_modules(
    model: Any,
    modules_to_fuse: Any,
    inplace: bool = False,
    fuser_func: Callable = fuse_known_modules,
    fuse_custom_config_dict: dict | None = None,
) -> Any:
    """Fuse layers of a model for quantization after training.

    The rows that are fused: conv, bn; conv, bn, relu; conv, relu; linear, relu; linear, bn; bn, relu. In evaluation the
    normalization is folded into the weight.

    Args:
        model: The model.
        modules_to_fuse: A list of names of layers in a row, or a list of such lists.
        inplace: Whether the model is changed; otherwise a copy is.
        fuser_func: Function of a list of layers and whether they train for quantization, which returns the layers for
            their places.
        fuse_custom_config_dict: Dict whose "additional_fuser_method_mapping" has functions for other rows, by the tuple
            of their classes.

    Returns:
        The model, in which the first layer of each row is the fused one and the others are Identity.

    Raises:
        NotImplementedError: For other rows.

    >>> model = nn.Sequential(nn.Linear(2, 2), nn.ReLU()).eval()
    >>> torch.ao.quantization.fuse_modules(model, ["0", "1"])
    Sequential(
      (0): LinearReLU(
        (0): Linear(in_features=2, out_features=2, bias=True)
        (1): ReLU()
      )
      (1): Identity()
    )
    """
    custom = (fuse_custom_config_dict or {}).get("additional_fuser_method_mapping")
    return _fuse(model, modules_to_fuse, False, inplace, fuser_func, custom)


def fuse_modules_qat(
    model: Any,
    modules_to_fuse: Any,
    inplace: bool = False,
    fuser_func: Callable = fuse_known_modules,
    fuse_custom_config_dict: dict | None = None,
) -> Any:
    """Fuse layers of a model that is to train for quantization: see `fuse_modules`; the model must be in training.

    Args:
        model: The model.
        modules_to_fuse: A list of names, or of such lists.
        inplace: Whether the model is changed.
        fuser_func: See `fuse_modules`.
        fuse_custom_config_dict: See `fuse_modules`.
    """
    custom = (fuse_custom_config_dict or {}).get("additional_fuser_method_mapping")
    return _fuse(model, modules_to_fuse, True, inplace, fuser_func, custom)
