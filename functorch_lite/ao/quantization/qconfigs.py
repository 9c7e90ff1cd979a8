"""Configurations of observers: those of backends, and QConfigMapping, which has one for each part of a
model."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import Any

from .fake_quantize import QConfig, get_default_qat_qconfig
from .histogram import HistogramObserver
from .observers import default_per_channel_weight_observer, default_weight_observer

__all__ = [
    "QConfigMapping", "get_default_qat_qconfig_mapping", "get_default_qconfig", "get_default_qconfig_mapping",
]  # fmt: skip

_ACTIVATIONS = {"fbgemm": True, "x86": True, "qnnpack": False, "onednn": False}
"""Backends, and whether their activations have 7 bits."""


def get_default_qconfig(backend: str = "x86", version: int = 0) -> QConfig:
    """Return the configuration of a backend for quantization after training.

    Args:
        backend: "x86", "fbgemm", "qnnpack" or "onednn". It decides the observers only; the layers that `convert` makes
            are the same.
        version: Only 0 exists.

    Returns:
        A HistogramObserver for activations; for weights an observer of each channel, with "qnnpack" of the tensor.

    Raises:
        AssertionError: For another backend or version.

    >>> torch.ao.quantization.get_default_qconfig("x86").activation().reduce_range
    True
    """
    if backend not in _ACTIVATIONS:
        raise AssertionError(
            f"backend: {backend} not supported. backend must be one of {['fbgemm', 'x86', 'qnnpack', 'onednn']}"
        )
    if version != 0:
        raise AssertionError(
            f"Version number: {version} in get_default_qconfig is not supported. Version number must be 0"
        )
    weight = default_weight_observer if backend == "qnnpack" else default_per_channel_weight_observer
    return QConfig(HistogramObserver.with_args(reduce_range=_ACTIVATIONS[backend]), weight)


class QConfigMapping:
    """Configurations for the parts of a model: by default, by class, by name, and by a pattern of names.

    The most particular one holds: that of a name, of a pattern, of a class, and then the global one.

    >>> mapping = torch.ao.quantization.QConfigMapping().set_global(None)
    >>> mapping.set_object_type(torch.nn.Linear, torch.ao.quantization.default_qconfig).qconfig_of("fc", torch.nn.Linear) is None
    False
    """

    def __init__(self) -> None:
        self.global_qconfig: Any = None
        self.object_type_qconfigs: OrderedDict = OrderedDict()
        self.module_name_regex_qconfigs: OrderedDict = OrderedDict()
        self.module_name_qconfigs: OrderedDict = OrderedDict()

    def set_global(self, global_qconfig: Any) -> QConfigMapping:
        """Set the configuration of everything that has no other; None: it stays in floats. Return the mapping."""
        self.global_qconfig = global_qconfig
        return self

    def set_object_type(self, object_type: Any, qconfig: Any) -> QConfigMapping:
        """Set the configuration of a class of layers. Return the mapping."""
        self.object_type_qconfigs[object_type] = qconfig
        return self

    def set_module_name_regex(self, module_name_regex: str, qconfig: Any) -> QConfigMapping:
        """Set the configuration of the layers whose names match a pattern. Return the mapping."""
        self.module_name_regex_qconfigs[module_name_regex] = qconfig
        return self

    def set_module_name(self, module_name: str, qconfig: Any) -> QConfigMapping:
        """Set the configuration of the layer of this name, and of those inside. Return the mapping."""
        self.module_name_qconfigs[module_name] = qconfig
        return self

    def qconfig_of(self, name: str, kind: type) -> Any:
        """Return the configuration of a layer, by its name and class."""
        parts = name.split(".")
        for end in range(len(parts), 0, -1):
            if ".".join(parts[:end]) in self.module_name_qconfigs:
                return self.module_name_qconfigs[".".join(parts[:end])]
        for pattern, qconfig in self.module_name_regex_qconfigs.items():
            if re.match(pattern, name):
                return qconfig
        return self.object_type_qconfigs.get(kind, self.global_qconfig)

    @classmethod
    def from_dict(cls, qconfig_dict: dict[str, Any]) -> QConfigMapping:
        """Return the mapping of a dict with the keys "" (global), "object_type", "module_name_regex", "module_name"."""
        found = cls().set_global(qconfig_dict.get("", None))
        for key in ("object_type", "module_name_regex", "module_name"):
            for of, qconfig in qconfig_dict.get(key, ()):
                getattr(found, f"set_{key}")(of, qconfig)
        return found


def get_default_qconfig_mapping(backend: str = "x86", version: int = 0) -> QConfigMapping:
    """Return the mapping that has `get_default_qconfig` for everything.

    Args:
        backend: See `get_default_qconfig`.
        version: See `get_default_qconfig`.
    """
    return QConfigMapping().set_global(get_default_qconfig(backend, version))


def get_default_qat_qconfig_mapping(backend: str = "x86", version: int = 1) -> QConfigMapping:
    """Return the mapping that has `get_default_qat_qconfig` for everything.

    Args:
        backend: See `get_default_qat_qconfig`.
        version: See `get_default_qat_qconfig`.
    """
    return QConfigMapping().set_global(get_default_qat_qconfig(backend, version))
