"""torch.load: a checkpoint's pickle, read by a machine that knows only what checkpoints are made of.

A pickle is a small program. Python's own reader would import and call whatever it names; the reader here (`unpickling.py`)
calls only the functions listed below, and makes instances only of the classes that were allowed by name.
"""

from __future__ import annotations

import contextlib
import pickle
import sys
import types
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

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
    tidied,
)
from .._core.api import devices as devices
from .._core.api import functions as torch
from ..storage import _STORAGES
from .archive import ArchiveReader, load_endianness
from .composed import rebuild_distributed, rebuild_nested, rebuild_sparse
from .modules import base, module_class
from .unpickling import Unpickler

__all__ = [
    "add_safe_globals", "clear_safe_globals", "get_safe_globals", "get_unsafe_globals_in_checkpoint", "load",
    "safe_globals",
]  # fmt: skip


# -- what a file may name --------------------------------------------------------------------------------------------

_safe: list[Any] = []


def add_safe_globals(safe_globals: list) -> None:
    """Allows classes and functions (or pairs of one and its name in files) to be made and called by `load`."""
    _safe.extend(x for x in safe_globals if x not in _safe)


def get_safe_globals() -> list:
    """What was allowed."""
    return list(_safe)


def clear_safe_globals() -> None:
    """Allows nothing but what `load` knows by itself."""
    _safe.clear()


class safe_globals(contextlib.AbstractContextManager):
    """Allows classes and functions inside a `with`."""

    def __init__(self, safe_globals: list):
        self.allowed = safe_globals

    def __enter__(self):
        self.before = get_safe_globals()
        add_safe_globals(self.allowed)
        return self

    def __exit__(self, *exc):
        _safe[:] = self.before


def _allowed() -> dict[str, Any]:
    found = {}
    for x in _safe:
        thing, name = x if isinstance(x, tuple) else (x, f"{x.__module__}.{x.__qualname__}")
        found[name] = thing
        if name.startswith("functorch_lite."):
            found["torch" + name[len("functorch_lite") :]] = thing
    return found


# -- tensors ---------------------------------------------------------------------------------------------------------


class _Storage:
    """A storage of a file: its numbers, read when the first tensor needs them, and where they are to be."""

    def __init__(self, reader: _Reader, key: str, dtype: dtypes.dtype | None, location: str, count: int):
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
    storage: _Storage, offset, size, stride, requires_grad, backward_hooks=None, metadata=None
):
    kind = storage.dtype
    return _rebuild(storage, offset, size, stride, requires_grad, kind)


def _rebuild_tensor_v3(
    storage: _Storage, offset, size, stride, requires_grad, backward_hooks, dtype, metadata=None
):
    return _rebuild(storage, offset, size, stride, requires_grad, dtype)


def _rebuild(storage, offset, size, stride, requires_grad, d) -> Tensor:
    if not isinstance(storage, _Storage) or not isinstance(d, dtypes.dtype):
        raise pickle.UnpicklingError("Weights only load failed: a tensor without a storage")
    t = storage.tensor(d, tuple(map(int, size)), tuple(map(int, stride)), int(offset))
    return t.requires_grad_(True) if requires_grad else t


def _rebuild_tensor(storage: _Storage, offset, size, stride):
    return _rebuild_tensor_v2(storage, offset, size, stride, False)


def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks=None) -> Tensor:
    from ..nn import Parameter

    return Parameter(data, requires_grad)


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
        if name.startswith("_"):
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


_KNOWN: dict[str, Any] = {
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
"""What a file may name, and what it means here. Of these only functions and plain containers are ever called."""

_STORAGE_KINDS: dict[str, dtypes.dtype | None] = {
    **{f"torch.{kind.__name__}": d for d, kind in _STORAGES.items()},
    "torch.storage.UntypedStorage": None,
    "torch.UntypedStorage": None,
}


class _StorageKind:
    """A class of storages, named in a file: only its dtype matters."""

    def __init__(self, d: dtypes.dtype | None):
        self.dtype = d


_SYSTEM = {*sys.builtin_module_names, *sys.stdlib_module_names} - {"__main__"}
_FUNCTIONS = [f for f in _KNOWN.values() if isinstance(f, types.FunctionType)]


def _global(allowed: dict[str, Any], modules: bool = False) -> Callable[[str, str], Any]:
    def find(module: str, name: str) -> Any:
        # protocol 2, which torch.save writes, names Python 2's modules: __builtin__.complex
        module, name = NAME_MAPPING.get((module, name), (IMPORT_MAPPING.get(module, module), name))
        full = f"{module}.{name}"
        if full in _STORAGE_KINDS:
            return _StorageKind(_STORAGE_KINDS[full])
        if full in allowed:
            return allowed[full]
        if full in ("torch.nn.parameter.Parameter", "torch.nn.Parameter"):
            from ..nn import Parameter

            return Parameter
        if full in _KNOWN:
            return _KNOWN[full]
        if (
            modules
            and module.partition(".")[0] not in _SYSTEM
            and (found := module_class(module, name)) is not None
        ):
            return found
        raise _Refused(full)

    return find


class _Refused(pickle.UnpicklingError):
    def __init__(self, name: str):
        self.name = name
        super().__init__(
            "Weights only load failed. Nothing in a file is executed here, and its pickle asks for what is not known to be "
            f"harmless.\nWeightsUnpickler error: Unsupported global: GLOBAL {name} was not an allowed global by default. Please use "
            f"`torch.serialization.add_safe_globals([{name.rpartition('.')[2]}])` or the "
            f"`torch.serialization.safe_globals([{name.rpartition('.')[2]}])` context manager to allowlist this global if you trust "
            "this class/function. weights_only=False allows classes of nn.Module besides, of modules that are loaded."
        )


# -- loading ---------------------------------------------------------------------------------------------------------


class _Reader:
    """One load: the archive, and where its storages go."""

    def __init__(self, archive: ArchiveReader, map_location: Any, mmap: bool):
        self.archive, self.map_location, self.mmap = archive, map_location, mmap
        self.swapped = archive.byteorder != load_endianness()
        self.storages: dict[str, _Storage] = {}

    def persistent(self, pid: Any) -> _Storage:
        """The storage that a persistent id names."""
        if not (isinstance(pid, tuple) and len(pid) == 5 and pid[0] == "storage"):
            raise pickle.UnpicklingError(f"Weights only load failed: unknown persistent id {pid!r}")
        _, kind, key, location, count = pid
        if not isinstance(kind, _StorageKind) or not isinstance(key, str) or not key.isalnum():
            raise pickle.UnpicklingError("Weights only load failed: a storage of an unknown kind")
        found = self.storages.get(key)
        if found is None:
            found = self.storages[key] = _Storage(self, key, kind.dtype, location, int(count))
        return found

    def numbers(self, key: str, np_dtype) -> np.ndarray:
        """The elements of a storage."""
        kind = np.dtype(np_dtype)
        if self.mmap and not self.swapped:
            return self.archive.mapped(f"data/{key}", kind)
        data = self.archive.read(f"data/{key}")
        if len(data) % kind.itemsize:
            raise RuntimeError(f"PytorchStreamReader failed reading file data/{key}: odd size {len(data)}")
        array = np.frombuffer(data, kind)
        if not self.swapped:
            return array
        part = np.dtype(f"float{4 * kind.itemsize}") if kind.kind == "c" else kind
        return array.view(f"u{part.itemsize}").byteswap().view(kind)

    def place(self, storage: _Storage, location: str) -> devices.device:
        """The device of a storage, by `map_location`."""
        to = self.map_location
        if isinstance(to, dict):
            return _restored(to.get(location, location))
        if callable(to) and not isinstance(to, devices.device):
            mapped = to(_Placed(devices.CPU), location)  # numbers are in memory first
            return _restored(location) if mapped is None else devices.resolve(mapped.device)
        return _restored(location) if to is None else devices.resolve(to)


class _Placed:
    """What a `map_location` function gets for a storage: it may be moved."""

    def __init__(self, d: devices.device):
        self.device = d

    def cpu(self):
        """On the CPU."""
        return _Placed(devices.CPU)

    def cuda(self, device=None, non_blocking=False):
        """On a GPU."""
        return _Placed(devices.device("cuda" if device is None else device))


def _restored(location: Any) -> devices.device:
    d = devices.device(location)
    if d.type == "cuda" and not devices.is_available("cuda"):
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a "
            "CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
        )
    return devices.resolve(d)


@tidied
def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args,
) -> Any:
    """Reads a checkpoint that `torch.save` wrote, here or in PyTorch (1.6 or later), from a path or a binary file.

    Args:
        f: a path, or a file object that can seek.
        map_location: a device for everything, a dict of locations, or a function (storage, location) -> storage or None.
        weights_only: nothing in a file is ever executed, whatever this says. False allows whole modules: instances of
            `nn.Module` whose classes are this library's, or of a module that is loaded. Other classes and functions of
            your own must be allowed by `torch.serialization.add_safe_globals`.
        mmap: the numbers stay in the file until they are used (`f` must be a path).

    Raises:
        UnpicklingError: the pickle asks for something that is not allowed, or is damaged.
        RuntimeError: the archive is damaged. NotImplementedError: a format of before 1.6, or a TorchScript program.

    >>> import io
    >>> file = io.BytesIO()
    >>> torch.save({"x": torch.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    {'x': tensor([1., 1.])}
    """
    if pickle_module is not None and pickle_module is not pickle:
        raise NotImplementedError("torch.load reads pickles by itself: pickle_module is not supported")
    if mmap and hasattr(f, "read"):
        raise ValueError("f must be a file path in order to use the mmap argument")
    unknown = set(pickle_load_args) - {"encoding"}
    if unknown:
        raise TypeError(f"load() got unexpected arguments {sorted(unknown)}")
    archive = ArchiveReader(f)
    try:
        reader = _Reader(archive, map_location, bool(mmap))
        allowed = _allowed()
        whole = weights_only is not None and not weights_only
        unpickler = Unpickler(
            archive.read("data.pkl"),
            _global(allowed, whole),
            reader.persistent,
            _FUNCTIONS,
            allowed.values(),
            base() if whole else None,
        )
        return _with_storages(unpickler.load(), {})
    finally:
        archive.close()


def _with_storages(x: Any, done: dict[int, Any]) -> Any:
    """What was loaded, with storages in it that are no tensor's made into torch's: containers are changed in place."""
    if isinstance(x, _Storage):
        return x.public()
    if type(x) not in (list, dict, OrderedDict, tuple) or id(x) in done:
        return x
    done[id(x)] = x
    if type(x) is tuple:
        new = tuple([_with_storages(y, done) for y in x])
        return x if all(a is b for a, b in zip(x, new)) else new
    for key, value in list(enumerate(x) if type(x) is list else x.items()):
        made = _with_storages(value, done)
        if made is not value:
            x[key] = made
    return x


@tidied
def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """The names in a checkpoint's pickle that `load` would refuse."""
    import pickletools

    archive = ArchiveReader(f)
    try:
        data = archive.read("data.pkl")
    finally:
        archive.close()
    find, refused = _global(_allowed()), []
    texts: list[str] = []  # those on the stack, of which STACK_GLOBAL takes two
    memo: dict[int, str | None] = {}
    last: str | None = None
    for opcode, argument, _ in pickletools.genops(data):
        code = opcode.name
        if code == "GLOBAL":
            module, _, name = str(argument).partition(" ")
        elif code == "STACK_GLOBAL":
            module, name = texts[-2:]
        else:
            if code == "MEMOIZE":
                memo[len(memo)] = last
            elif code in ("BINPUT", "LONG_BINPUT"):
                memo[argument] = last
            else:
                last = (
                    memo[argument]
                    if code in ("BINGET", "LONG_BINGET")
                    else argument
                    if "UNICODE" in code
                    else None
                )
                texts += [] if last is None else [last]
            continue
        last = None
        try:
            find(module, name)
        except _Refused as error:
            refused.append(error.name)
    return sorted(set(refused))
