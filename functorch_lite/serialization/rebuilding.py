"""Parts of tensors in a file: storages, and the functions that pickles name for tensors.

Storages are read when the first tensor needs them."""

from __future__ import annotations

import pickle
import sys
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from .._core.api import (
    OPS,
    Size,
    Tensor,
    apply_view,
    channels_last,
    channels_last_3d,
    contiguous_format,
    contiguous_strides,
    dtypes,
    from_array,
    jagged,
    layout,
    preserve_format,
    share_tensor,
    sparse_bsc,
    sparse_bsr,
    sparse_coo,
    sparse_csc,
    sparse_csr,
    strided,
)
from .._core.api import devices as devices
from .._core.api import functions as torch
from ..storage import _STORAGES
from .composed import rebuild_distributed, rebuild_nested, rebuild_sparse

__all__ = ["KNOWN", "OWN_FIELDS", "STORAGE_KINDS", "Reader", "Storage", "StorageKind", "nn"]


class Storage:
    """A storage of a file: its numbers, read when the first tensor needs them, and where they are to be."""

    def __init__(self, reader: Reader, key: str, dtype: dtypes.dtype | None, location: str, count: int):
        self.reader, self.key, self.dtype, self.location, self.count = reader, key, dtype, location, count
        self.device = reader.place(self, location)
        self.root: Tensor | None = None

    def array(self, d: dtypes.dtype) -> np.ndarray:
        array = self.reader.numbers(self.key, d.np)
        if array.nbytes != self.count * (self.dtype or dtypes.uint8).itemsize:
            raise RuntimeError(
                f"PytorchStreamReader failed reading file data/{self.key}: it has {array.nbytes} bytes, {self.count} elements were "
                "expected"
            )
        return array

    def tensor(self, d: dtypes.dtype, shape: tuple, strides: tuple, offset: int) -> Tensor:
        """The tensor of this place in the storage: an alias or a view of the one that was made first."""
        if self.root is None:
            array = self.array(d)
            whole = offset == 0 and strides == contiguous_strides(shape) and int(np.prod(shape)) == array.size
            self.root = _placed(array.reshape(shape) if whole else array, self.device)
            if whole:
                return self.root
        root = self.root
        if root.dtype is not d:
            root = root.reshape(-1).view(d)  # type: ignore[attr-defined]
        elif tuple(root.shape) == shape and strides == contiguous_strides(shape) and offset == 0:
            return share_tensor(Tensor, root)
        return apply_view(OPS["as_strided"], (shape, strides, offset), root)

    def public(self) -> Any:
        """The storage itself, shared with the tensors of the file that are made of it."""
        if self.root is None:
            self.tensor(self.dtype or dtypes.uint8, (self.count,), (1,), 0)
        return self.root.storage()  # type: ignore[union-attr]


def _placed(array: np.ndarray, where: devices.device) -> Tensor:
    if where.type == "meta":
        return torch.empty(array.shape, dtype=dtypes.from_numpy(array.dtype), device=where)
    t = from_array(array)
    return t if where is devices.CPU else t.to(where)  # type: ignore[attr-defined]


def _rebuild_tensor_v2(
    storage: Storage, offset, size, stride, requires_grad, backward_hooks=None, metadata=None
):
    return _rebuild(storage, offset, size, stride, requires_grad, storage.dtype, metadata)


def _rebuild_tensor_v3(
    storage: Storage, offset, size, stride, requires_grad, backward_hooks, dtype, metadata=None
):
    return _rebuild(storage, offset, size, stride, requires_grad, dtype, metadata)


def _rebuild(storage, offset, size, stride, requires_grad, d, metadata=None) -> Tensor:
    if not isinstance(storage, Storage) or not isinstance(d, dtypes.dtype):
        raise pickle.UnpicklingError("Weights only load failed: a tensor without a storage")
    t: Any = storage.tensor(d, tuple(map(int, size)), tuple(map(int, stride)), int(offset))
    signs = dict(metadata or {})
    if signs.pop("conj", False):
        t = t.conj()
    if signs.pop("neg", False):
        t = torch._neg_view(t)
    if signs:
        raise pickle.UnpicklingError(
            f"Weights only load failed: of a tensor is said what is not known: {sorted(signs)}"
        )
    return t.requires_grad_(True) if requires_grad else t


def _rebuild_tensor(storage: Storage, offset, size, stride):
    return _rebuild_tensor_v2(storage, offset, size, stride, False)


class nn:
    """Slot of the class of parameters; set by `nn/parameter.py`."""

    Parameter: type


def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks=None) -> Tensor:
    return nn.Parameter(data, requires_grad)


def _rebuild_parameter_with_state(data: Tensor, requires_grad: bool, backward_hooks, state) -> Tensor:
    return _with_state(_rebuild_parameter(data, requires_grad), state)


def _rebuild_from_type_v2(function, kind, args, state) -> Tensor:
    if function not in _REBUILDERS:
        raise pickle.UnpicklingError("Weights only load failed: a tensor is made by an unknown function")
    t = function(*args)
    if kind is not Tensor:
        t = share_tensor(kind, t)
    return _with_state(t, state)


def _with_state(t: Tensor, state: Any) -> Tensor:
    if isinstance(state, tuple):
        state = {k: v for part in state if part for k, v in part.items()}
    for name, value in (state or {}).items():
        if name in OWN_FIELDS or name.startswith("__"):
            raise pickle.UnpicklingError(f"Weights only load failed: a tensor's attribute {name!r}")
        t.__dict__[name] = value
    return t


def _rebuild_meta(dtype, size, stride, requires_grad) -> Tensor:
    return torch.empty(tuple(size), dtype=dtype, device="meta", requires_grad=requires_grad)


_REBUILDERS: tuple[Callable, ...] = (
    _rebuild_tensor,
    _rebuild_tensor_v2,
    _rebuild_tensor_v3,
    _rebuild_parameter,
    _rebuild_parameter_with_state,
    _rebuild_meta,
)


def _encode(text: str, encoding: str = "latin1") -> bytes:
    if encoding != "latin1":
        raise pickle.UnpicklingError("Weights only load failed: bytes in an unknown encoding")
    return text.encode("latin1")


def _device(kind: str, index: int | None = None) -> devices.device:
    return devices.device(kind, index)


_LAYOUTS: dict[str, layout] = {
    repr(x): x for x in (strided, sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc, jagged)
}


def _get_layout(name: str) -> layout:
    return _LAYOUTS[name]


KNOWN: dict[str, Any] = {
    "collections.OrderedDict": OrderedDict,
    "collections.Counter": Counter,
    "builtins.set": set,
    "builtins.complex": complex,
    "builtins.bytearray": bytearray,
    "_codecs.encode": _encode,
    "torch.Size": Size,
    "torch.device": _device,
    "torch.Tensor": Tensor,
    "torch._utils._rebuild_tensor": _rebuild_tensor,
    "torch._utils._rebuild_tensor_v2": _rebuild_tensor_v2,
    "torch._utils._rebuild_tensor_v3": _rebuild_tensor_v3,
    "torch._utils._rebuild_parameter": _rebuild_parameter,
    "torch._utils._rebuild_parameter_with_state": _rebuild_parameter_with_state,
    "torch._utils._rebuild_meta_tensor_no_storage": _rebuild_meta,
    "torch._utils._rebuild_sparse_tensor": rebuild_sparse,
    "torch._utils._rebuild_nested_tensor": rebuild_nested,
    "torch._tensor._rebuild_from_type_v2": _rebuild_from_type_v2,
    "torch.serialization._get_layout": _get_layout,
    "functorch_lite.distributed._saved.put_together": rebuild_distributed,
    **{f"torch.{name}": d for name, d in (dtypes.DTYPES | dtypes.NAMED).items()},
    **_LAYOUTS,
    **{f"torch.{f.name}": f for f in (contiguous_format, preserve_format, channels_last, channels_last_3d)},
}
"""Names that a file may use, and their meaning here. Of these only functions and plain containers are ever called."""

STORAGE_KINDS: dict[str, dtypes.dtype | None] = {
    **{f"torch.{kind.__name__}": d for d, kind in _STORAGES.items()},
    "torch.storage.UntypedStorage": None,
    "torch.UntypedStorage": None,
}


class StorageKind:
    """A class of storages, named in a file: only its dtype matters."""

    def __init__(self, d: dtypes.dtype | None):
        self.dtype = d


OWN_FIELDS = frozenset(Tensor.__annotations__) | {"_frozen_leaf", "_grad_without_leaf", "_hooks_in_transform"}
"""Attributes of a tensor that are the library's own: no file may set them, and none has them."""


class Source(Protocol):
    """Source of the bytes of storages: an ArchiveReader, or a file of an older format."""

    byteorder: str

    def read(self, name: str) -> bytes:
        """The bytes of a record."""
        ...

    def mapped(self, name: str, dtype: np.dtype) -> np.ndarray:
        """A record, left in the file."""
        ...


class Reader:
    """Reader of one file: where the bytes of storages are, and where these go."""

    def __init__(self, source: Source, map_location: Any, mmap: bool = False):
        self.source, self.map_location, self.mmap = source, map_location, mmap
        self.swapped = source.byteorder != sys.byteorder
        self.storages: dict[str, Storage] = {}

    def persistent(self, pid: Any) -> Any:
        """The storage that a persistent id names."""
        if isinstance(pid, tuple) and len(pid) == 4 and pid[0] == "module":
            return pid[1]  # a class of modules, with its source, in files of before 1.6
        if not (isinstance(pid, tuple) and len(pid) in (5, 6) and pid[0] == "storage"):
            raise pickle.UnpicklingError(f"Weights only load failed: unknown persistent id {str(pid)[:200]}")
        if pid[5:] not in ((), (None,)):
            raise NotImplementedError(
                "torch.load: a storage of this file is a part of another, as PyTorch 0.1 wrote them, which is not read here; load the file with PyTorch and "
                "save it again"
            )
        _, kind, key, location, count = pid[:5]  # type: ignore[misc]
        if not isinstance(kind, StorageKind) or not isinstance(key, str) or not key.isalnum():
            raise pickle.UnpicklingError("Weights only load failed: a storage of an unknown kind")
        found = self.storages.get(key)
        if found is None:
            found = self.storages[key] = Storage(self, key, kind.dtype, location, int(count))
        return found

    def numbers(self, key: str, np_dtype) -> np.ndarray:
        """The elements of a storage."""
        kind = np.dtype(np_dtype)
        if self.mmap and not self.swapped:
            return self.source.mapped(f"data/{key}", kind)
        data = self.source.read(f"data/{key}")
        if len(data) % kind.itemsize:
            raise RuntimeError(f"PytorchStreamReader failed reading file data/{key}: odd size {len(data)}")
        array = np.frombuffer(data, kind)
        if not self.swapped:
            return array
        part = np.dtype(f"float{4 * kind.itemsize}") if kind.kind == "c" else kind
        return array.view(f"u{part.itemsize}").byteswap().view(kind)

    def place(self, storage: Storage, location: str) -> devices.device:
        """The device of a storage, by `map_location`."""
        to = self.map_location
        if isinstance(to, dict):
            return _restored(to.get(location, location))
        if callable(to) and not isinstance(to, devices.device):
            mapped = to(_Placed(devices.CPU), location)  # numbers are in memory first
            return _restored(location) if mapped is None else devices.resolve(mapped.device)
        return _restored(location) if to is None else devices.resolve(to)


class _Placed:
    """Storage as a `map_location` function gets it: it may be moved."""

    def __init__(self, d: devices.device):
        self.device = d

    def cpu(self):
        """Moves it to the CPU."""
        return _Placed(devices.CPU)

    def cuda(self, device=None, non_blocking=False):
        """Moves it to a GPU."""
        return _Placed(devices.device("cuda" if device is None else device))


def _restored(location: Any) -> devices.device:
    d = devices.device(location)
    if d.type == "cuda" and not devices.is_available("cuda"):
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a "
            "CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
        )
    return devices.resolve(d)
