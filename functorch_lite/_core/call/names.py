"""Constants of the torch namespace: dtypes under all their names, inf, pi, memory formats."""

from __future__ import annotations

import math

from ..lazy.tensor import Tensor
from ..words import memory_format  # reprs: attaches __repr__
from ..words.device import device
from ..words.dtypes import DTYPES, NAMED, dtype, finfo, iinfo
from ..words.errors import AcceleratorError, OutOfMemoryError
from . import bind, methods, reprs, storage  # noqa: F401  # reprs: attaches __repr__
from .size import Size

__all__ = ["CONSTANTS"]

_ALIASES = {
    "float": "float32", "double": "float64", "half": "float16", "long": "int64", "int": "int32", "short": "int16",
    "cfloat": "complex64", "cdouble": "complex128",
}  # fmt: skip

CONSTANTS = {
    **DTYPES,
    **NAMED,
    "chalf": NAMED["complex32"],
    **{alias: DTYPES[name] for alias, name in _ALIASES.items()},
    "dtype": dtype,
    "finfo": finfo,
    "iinfo": iinfo,
    "Tensor": Tensor,
    "device": device,
    "Size": Size,
    "layout": storage.layout,
    **{d.name: d for d in storage.LAYOUTS},
    "memory_format": memory_format.memory_format,
    "contiguous_format": memory_format.contiguous_format,
    "legacy_contiguous_format": memory_format.contiguous_format,
    "preserve_format": memory_format.preserve_format,
    "channels_last": memory_format.channels_last,
    "channels_last_3d": memory_format.channels_last_3d,
    "inf": math.inf,
    "nan": math.nan,
    "pi": math.pi,
    "e": math.e,
    "newaxis": None,
    "AcceleratorError": AcceleratorError,
    "OutOfMemoryError": OutOfMemoryError,
    "has_lapack": True,
    "has_mkl": False,
    "has_openmp": False,
    "has_spectral": True,
}
for _name, _value in CONSTANTS.items():
    if _value is not None:
        bind.composite(_value, name=_name)  # type: ignore[arg-type]
