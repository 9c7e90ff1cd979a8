"""torch.save: the pickle of a checkpoint, with tensors as PyTorch writes them."""

from __future__ import annotations

import io
import pickle
import types
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import numpy as np

from .._core.api import (
    Size,
    Tensor,
    UntypedStorage,
    check_storage,
    contiguous_strides,
    device,
    dtypes,
    force_array,
    geometry_of,
    layout,
    make_tensor,
    memory_format,
    read,
    share_tensor,
    signs_of,
    state,
    tidied,
)
from ..random.generator import Generator
from ..storage import _STORAGES, TypedStorage
from .archive import target, write_archive
from .composed import is_composed, taken_apart
from .legacy import write_legacy
from .names import theirs
from .rebuilding import OWN_FIELDS

__all__ = ["location_tag", "save"]


class _Name:
    """Stands for `module.name` in a pickle, without importing it."""

    def __init__(self, module: str, name: str):
        self.module, self.name = module, name

    def __call__(self, *args):
        raise TypeError(f"{self.module}.{self.name} is only written, not called")


def _torch(name: str, module: str = "torch._utils") -> _Name:
    return _NAMES.setdefault((module, name), _Name(module, name))


_NAMES: dict[tuple[str, str], _Name] = {}


def location_tag(storage: Any) -> str:
    """The name of the device a storage is on, as it is written to files: 'cpu', 'cuda:0', 'meta'."""
    d = storage if isinstance(storage, device) else storage.device
    return f"cuda:{d.index or 0}" if d.type == "cuda" else d.type


def dtype_of_storage(d: dtypes.dtype) -> _Name | None:
    """The class of storages of a dtype; None for the dtypes that PyTorch writes without one."""
    found = _STORAGES.get(d)
    return None if found is None else _torch(found.__name__, "torch")


_DICTS = ("functorch_lite.nn.modules._registry", "functorch_lite.nn.modules._global_hooks")
"""Modules where the kinds of dicts are made that modules hold, which PyTorch does not know; `Module.__setstate__` makes
them anew."""


class _Pickler(pickle._Pickler):  # the one in Python: it writes names without importing them
    """Pickles tensors as references to storages, which it collects, with so many `more` fields that say nothing: one in
    the format before 1.6."""

    dispatch = dict(pickle._Pickler.dispatch)

    def __init__(self, file: Any, protocol: int, more: int = 0):
        super().__init__(file, protocol=protocol)
        self.more = (None,) * more
        self.sizes: dict[str, int] = {}
        self.keys: dict[Any, str] = {}
        self.kept: list[Any] = []
        self.arrays: dict[str, Any] = {}

    # storages

    def persistent_id(self, obj: Any) -> Any:
        """A storage as the tuple that PyTorch writes for it."""
        if isinstance(obj, _Stored):
            return obj.reference(self)
        if isinstance(obj, TypedStorage | UntypedStorage):
            if isinstance(obj, UntypedStorage):
                return _Stored(obj._cell, obj._cell.value, None).reference(self)
            cell = obj.untyped()._cell
            return _Stored(cell, cell.value, cell.value.aval.dtype).reference(self)
        return None

    def key_of(self, identity: Any, value: Any) -> str:
        """The record of a storage; one for all tensors that share it."""
        key = self.keys.get(identity)
        if key is None:
            key = self.keys[identity] = str(len(self.keys))
            self.kept.append(identity)
            self.arrays[key] = value
        return key

    # everything else

    def reducer_override(self, obj: Any) -> Any:
        """Writes what is ours under the names that PyTorch has for it."""
        if isinstance(obj, Tensor):
            return _reduce_tensor(obj)
        if isinstance(obj, device):
            return _torch("device", "torch"), (str(obj),)
        if isinstance(obj, layout):
            return _torch("_get_layout", "torch.serialization"), (repr(obj),)
        if isinstance(obj, Size):
            return _torch("Size", "torch"), (tuple(obj),)
        if isinstance(obj, Generator) and obj.engine == "mt19937":
            return _torch("Generator", "torch._C"), (obj.device,), (obj.initial_seed(), None, obj.get_state())
        if isinstance(obj, tuple) and type(obj).__module__ == "torch.return_types":
            return _torch(type(obj).__name__, "torch.return_types"), (tuple(obj), {})
        if isinstance(obj, dict) and type(obj).__module__ in _DICTS:
            return OrderedDict, (), None, None, iter(obj.items())
        return NotImplemented

    def save_name(self, obj: _Name) -> None:
        """`module.name`, in the pickle's opcode."""
        if self.proto >= 4:
            self.save(obj.module)
            self.save(obj.name)
            self.write(pickle.STACK_GLOBAL)
        else:
            self.write(pickle.GLOBAL + f"{obj.module}\n{obj.name}\n".encode())
        self.memoize(obj)

    dispatch[_Name] = save_name

    def save(self, obj: Any, save_persistent_id: bool = True) -> None:
        """Writes one object; constants of ours as the constants of torch."""
        if isinstance(obj, dtypes.dtype | memory_format):
            obj = _torch(obj.name, "torch")
        super().save(obj, save_persistent_id)

    def save_global(self, obj: Any, name: str | None = None) -> None:
        """Classes and functions by name; classes and functions that PyTorch has too by torch's names."""
        module = getattr(obj, "__module__", None) or ""
        if module.split(".")[0] == "functorch_lite":
            known = theirs(module, name or obj.__qualname__)
            if known is not None:
                place, name = known
                outer, _, last = name.rpartition(".")
                if outer and self.proto < 4:  # whose names have no dots
                    self.save_reduce(getattr, (_torch(outer, place), last), obj=obj)
                else:
                    self.save(_torch(name, place))
                return
        super().save_global(obj, name)

    dispatch[types.FunctionType] = save_global


class _Stored:
    """A storage of one dtype, or of bytes (None), to be written as a reference."""

    def __init__(self, identity: Any, value: Any, d: dtypes.dtype | None):
        self.identity, self.value, self.dtype = identity, value, d

    def reference(self, pickler: _Pickler) -> tuple:
        aval = self.value.aval
        key = pickler.key_of(self.identity, self.value)
        kind = None if self.dtype is None else dtype_of_storage(self.dtype)
        size = 1 if kind is None else self.dtype.itemsize  # type: ignore[union-attr]
        if pickler.sizes.setdefault(key, size) != size and pickler.more:
            raise RuntimeError(
                "Cannot save multiple tensors or storages that view the same data as different types"
            )
        return (
            "storage",
            kind or _torch("UntypedStorage", "torch.storage"),
            key,
            location_tag(aval.device),
            aval.nbytes // size,
            *pickler.more,
        )


def _reduce_tensor(t: Tensor) -> tuple:
    kind = type(t).__name__
    if kind in ("UninitializedParameter", "UninitializedBuffer"):
        raise RuntimeError(
            "a parameter without a shape cannot be saved: run the lazy module once, then save it"
        )
    if is_composed(t):
        function, args = taken_apart(t)
        module, _, name = function.rpartition(".")
        return _torch(name, module or "torch._utils"), args
    is_parameter = kind == "Parameter" or getattr(t, "_is_param", False)
    state = {k: v for k, v in t.__dict__.items() if k not in OWN_FIELDS}
    if is_parameter:
        args: tuple = (_plain(t), t.requires_grad, OrderedDict())  # type: ignore[attr-defined]
        if state:
            return _torch("_rebuild_parameter_with_state"), (*args, state)
        return _torch("_rebuild_parameter"), args
    function, args = _rebuild(t, t.requires_grad)  # type: ignore[attr-defined]
    if state or type(t) is not Tensor:
        known = _torch("Tensor", "torch") if type(t) is Tensor or kind == "Buffer" else type(t)
        return _torch("_rebuild_from_type_v2", "torch._tensor"), (function, known, args, state)
    return function, args


def _plain(t: Tensor) -> Tensor:
    read(t)
    return share_tensor(Tensor, t)


def _rebuild(t: Tensor, requires_grad: bool) -> tuple[_Name, tuple]:
    """The function and arguments that make the tensor of its storage."""
    shape, aval = tuple(t._aval.shape), t._aval
    if aval.device.type == "meta":
        return _torch("_rebuild_meta_tensor_no_storage"), (
            aval.dtype,
            shape,
            contiguous_strides(shape),
            requires_grad,
        )
    found, whole = geometry_of(t), t._cell.value
    if found is not None and whole.aval.dtype is aval.dtype:
        identity: Any = t._cell
        strides, offset = found
        signs = {name: True for name, said in zip(("conj", "neg"), signs_of(t)) if said}
    else:  # a part of complex numbers, say: saved by itself
        whole = identity = read(t)
        strides, offset = contiguous_strides(shape), 0
        signs = {}
    stored = _Stored(identity, whole, aval.dtype)
    args = (stored, offset, shape, strides, requires_grad, OrderedDict())
    if dtype_of_storage(aval.dtype) is None:
        return _torch("_rebuild_tensor_v3"), (*args, aval.dtype, signs)
    return _torch("_rebuild_tensor_v2"), (*args, signs) if signs else args


@tidied
def save(
    obj: Any,
    f: Any,
    pickle_module: Any = pickle,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
) -> None:
    """Writes an object to a path or a binary file, in PyTorch's format: tensors, numbers, strings and containers, and
    whatever else can be pickled.

    Tensors that share storage share it when they are loaded. A path is replaced only when everything is written: a
    save that fails leaves the old file. _use_new_zipfile_serialization=False writes the format that PyTorch had
    before 1.6. Objects that PyTorch has too are written under its names, so that PyTorch reads them; for the others,
    such as a generator of the engine "threefry", PyTorch reports an unknown module.

    Args:
        obj: the object: tensors, numbers, strings, containers, and what else can be pickled.
        f: a path, or a binary file.
        pickle_module: a module with a `Pickler`. By default Python's pickle.
        pickle_protocol: the protocol of the pickle. Default: 2.

    >>> import io
    >>> file = io.BytesIO()
    >>> torch.save({"w": torch.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    {'w': tensor([1., 1.])}
    """
    if pickle_module is not pickle:
        raise NotImplementedError("only Python's own pickle module is supported for saving")
    if not hasattr(f, "write") and not isinstance(f, str | bytes) and not hasattr(f, "__fspath__"):
        raise AttributeError(
            f"expected 'f' to be string, path, or a file-like object with a 'write' attribute, got {type(f).__name__}"
        )
    buffer = io.BytesIO()
    pickler = _Pickler(buffer, pickle_protocol, 0 if _use_new_zipfile_serialization else 1)
    pickler.dump(obj)
    if _use_new_zipfile_serialization:
        write_archive(f, buffer.getvalue(), _bytes(pickler.arrays))
    else:
        parts = [(key, pickler.sizes[key], data) for key, data in _bytes(pickler.arrays)]
        with target(f) as file:
            write_legacy(file, buffer.getvalue(), parts, pickle_protocol)
    if hasattr(f, "write") and hasattr(f, "flush"):  # as in PyTorch: its file can be read at once
        f.flush()


def _bytes(values: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        check_storage(make_tensor(value, state.rec.level))
        array = force_array(value)
        yield key, np.ascontiguousarray(array).tobytes()
