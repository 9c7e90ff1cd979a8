"""torch.load: checkpoints of PyTorch's and ours, of all formats.
Unless the caller trusts the file, its pickle is read by a machine that executes nothing.

A pickle is a small program. Python's own reader imports and calls whatever it names: so does `weights_only=False`
(`trusted.py`). By default it is read by `unpickling.py`, which calls only the functions of `rebuilding.py`, and makes
instances only of the classes that were allowed by name.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import types
import warnings
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from .._core.api import tidied
from .archive import ArchiveReader
from .legacy import LegacyFile
from .names import ours
from .rebuilding import KNOWN, STORAGE_KINDS, Reader, Storage, StorageKind, nn
from .trusted import read_trusted
from .unpickling import Survey, Unpickler

__all__ = [
    "add_safe_globals", "clear_safe_globals", "get_safe_globals", "get_unsafe_globals_in_checkpoint", "load",
    "open_archive", "safe_globals",
]  # fmt: skip


# -- what a file may name --------------------------------------------------------------------------------------------

_safe: list[Any] = []


def add_safe_globals(safe_globals: list) -> None:
    """Allows classes and functions (or pairs of one and its name in files) to be made and called by `load`."""
    _safe.extend(x for x in safe_globals if x not in _safe)


def get_safe_globals() -> list:
    """Returns the classes and functions that were allowed."""
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


class _Allowed(dict):
    """The allowed classes and functions, by the names that files have for them.

    A file may spell a class or function of the library's in several ways: by the module that defines it here or in
    PyTorch, or by a package that exports it. Each of them is looked up, and allowed if it is the same object.
    """

    def __init__(self) -> None:
        super().__init__()
        self.things: list[Any] = []
        for x in _safe:
            thing, name = x if isinstance(x, tuple) else (x, f"{x.__module__}.{x.__qualname__}")
            self[name] = thing
            if not isinstance(x, tuple) and x.__module__.partition(".")[0] in ("functorch_lite", "torch"):
                self.things.append(thing)

    def __missing__(self, full: str) -> Any:
        module, _, name = full.rpartition(".")
        if not self.things or module.partition(".")[0] not in ("torch", "functorch"):
            raise KeyError(full)
        try:
            found = ours(module, name)
        except (pickle.UnpicklingError, ImportError, AttributeError):
            raise KeyError(full) from None
        if not any(found is thing for thing in self.things):
            raise KeyError(full)
        self[full] = found
        return found

    def __contains__(self, full: object) -> bool:
        try:
            self[full]
        except KeyError:
            return False
        return True


_FUNCTIONS = [f for f in KNOWN.values() if isinstance(f, types.FunctionType)]


def _finder(allowed: _Allowed) -> Callable[[str, str], Any]:
    def find(module: str, name: str) -> Any:
        # protocol 2, which torch.save writes, names Python 2's modules: __builtin__.complex
        module, name = NAME_MAPPING.get((module, name), (IMPORT_MAPPING.get(module, module), name))
        full = f"{module}.{name}"
        if full in STORAGE_KINDS:
            return StorageKind(STORAGE_KINDS[full])
        if full in allowed:
            return allowed[full]
        if full in ("torch.nn.parameter.Parameter", "torch.nn.Parameter"):
            return nn.Parameter
        if full in KNOWN:
            return KNOWN[full]
        raise _Refused(full)

    return find


_TRUST = "weights_only=False unpickles as Python does, and runs whatever the file asks for: do it only if you got the file from a source you trust."


class _Refused(pickle.UnpicklingError):
    def __reduce__(self) -> tuple:
        return type(self), (self.name,)

    def __init__(self, name: str):
        self.name = name
        super().__init__(
            "Weights only load failed. Nothing in a file is executed by default, and its pickle asks for what is not known to be "
            f"harmless.\nWeightsUnpickler error: Unsupported global: GLOBAL {name} was not an allowed global by default. Please use "
            f"`torch.serialization.add_safe_globals([{name.rpartition('.')[2]}])` or the "
            f"`torch.serialization.safe_globals([{name.rpartition('.')[2]}])` context manager to allowlist this global if you trust "
            f"this class/function. {_TRUST}"
        )


# -- loading ---------------------------------------------------------------------------------------------------------

_SCRIPT_IN_LOAD = (
    "'torch.load' received a zip file that looks like a TorchScript archive dispatching to 'torch.jit.load' (call 'torch.jit.load' directly to silence "
    "this warning)"
)


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
    """Reads a checkpoint that `torch.save` wrote, here or in PyTorch of any version, from a path or a binary file.

    Args:
        f: a path, or a file object that can seek.
        map_location: a device for everything, a dict of locations, or a function (storage, location) -> storage or
            None.
        pickle_module: a module with an `Unpickler` in place of Python's pickle; weights_only is False then.
        weights_only: True, the default: nothing in the file is executed; it may hold tensors, numbers, texts, plain
            containers, and what `torch.serialization.add_safe_globals` allows. False: you trust the file, and it is
            unpickled as by Python: modules are imported and functions called as it asks. PyTorch's names in it mean
            this library's. TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD=1 in the environment makes it False where it is not given,
            TORCH_FORCE_WEIGHTS_ONLY_LOAD=1 makes it True everywhere.
        mmap: the numbers stay in the file until they are used (`f` must be a path).
        pickle_load_args: for weights_only=False, those of `pickle.Unpickler`: `encoding` and `errors` of texts of
            Python 2.

    Raises:
        UnpicklingError: the pickle asks for something that is not allowed, that PyTorch has and this library lacks, or
            is damaged.
        RuntimeError: the archive is damaged, or a TorchScript archive is read with weights_only=True (see
            `torch.jit.load`).

    >>> import io
    >>> file = io.BytesIO()
    >>> torch.save({"x": torch.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    {'x': tensor([1., 1.])}
    """
    weights_only = _only_weights(weights_only, pickle_module)
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if weights_only and set(pickle_load_args) - {"encoding"}:
        warnings.warn("pickle_load_args only works if `weights_only=False`.", stacklevel=2)
    if mmap and hasattr(f, "read"):
        raise ValueError("f must be a file path in order to use the mmap argument")
    source = _opened(f)
    try:
        if isinstance(source, ArchiveReader) and source.is_script:
            warnings.warn(_SCRIPT_IN_LOAD, UserWarning, stacklevel=2)
            if weights_only:
                raise RuntimeError(
                    "Cannot use ``weights_only=True`` with TorchScript archives passed to ``torch.load``. torch.jit.load(f).state_dict() reads its "
                    "parameters and buffers, and executes nothing. " + _TRUST
                )
            return importlib.import_module("functorch_lite.jit")._read_script(source, map_location)
        if isinstance(source, LegacyFile):
            if mmap:
                raise RuntimeError(
                    "mmap can only be used with files saved with `torch.save(_use_new_zipfile_serialization=True), please torch.save your checkpoint with "
                    "this option in order to use mmap."
                )
            if weights_only and source.is_tar:
                raise RuntimeError(
                    f"Cannot use ``weights_only=True`` with files saved in the legacy .tar format. {_TRUST}"
                )
        reader = Reader(source, map_location, bool(mmap))
        if weights_only:
            made = _read_weights(source.pickled, reader)
        else:
            made = read_trusted(source.pickled, reader, pickle_module or pickle, pickle_load_args)
        return _with_storages(made, {})
    except RecursionError:
        raise pickle.UnpicklingError("Weights only load failed: the pickle is nested too deeply") from None
    finally:
        source.close()


def _opened(f: Any) -> ArchiveReader | LegacyFile:
    """The file, by how it begins."""
    path = None if hasattr(f, "read") else os.fspath(f)
    file = f if path is None else open(path, "rb")  # closed by the reader's close()
    try:
        start = file.tell()
        head = file.read(LegacyFile.HEAD)
        file.seek(start)
        if not head:
            raise EOFError("Ran out of input")
        if head.startswith(b"PK"):
            return ArchiveReader(file, path)
        if LegacyFile.begins(head):
            return LegacyFile(file, path)
        raise pickle.UnpicklingError(
            "Invalid magic number; corrupt file? torch.load expected a file of torch.save: a zip archive, or one of the formats before PyTorch 1.6"
        )
    except BaseException:
        if path is not None:
            file.close()
        raise


def open_archive(f: Any) -> ArchiveReader | None:
    """The zip archive in a file; None if it is of another kind, or is damaged."""
    try:
        source = _opened(f)
    except (EOFError, RuntimeError, pickle.UnpicklingError):
        return None
    if isinstance(source, ArchiveReader):
        return source
    source.close()
    return None


def _only_weights(given: bool | None, pickle_module: Any) -> bool:
    """Returns whether nothing may be executed: as the caller says, or the environment."""
    always, never = (
        os.environ.get(f"TORCH_FORCE_{name}WEIGHTS_ONLY_LOAD", "0").lower() in ("1", "y", "yes", "true")
        for name in ("", "NO_")
    )
    if always and never:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` should be set, but both were set."
        )
    if always:
        return True
    if given is not None:
        return bool(given)
    if never:
        warnings.warn(
            "Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the`weights_only` argument was not explicitly passed to `torch.load`, "
            "forcing weights_only=False.",
            UserWarning,
            stacklevel=4,
        )
        return False
    return pickle_module is None


def _read_weights(pickled: bytes, reader: Reader) -> Any:
    allowed = _Allowed()
    return Unpickler(pickled, _finder(allowed), reader.persistent, _FUNCTIONS, allowed.values()).load()


def _with_storages(x: Any, done: dict[int, Any]) -> Any:
    """Returns a loaded object in which storages that do not belong to a tensor become torch's: containers are changed
    in place."""
    if isinstance(x, Storage):
        return x.public()
    if isinstance(x, StorageKind) or (isinstance(x, types.FunctionType) and x in _FUNCTIONS):
        raise pickle.UnpicklingError("Weights only load failed: a part of a tensor where a value should be")
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
    source = _opened(f)
    try:
        survey = Survey(source.pickled)
    finally:
        source.close()
    survey.load()
    find, refused = _finder(_Allowed()), set()
    for module, name in survey.names:
        try:
            find(module, name)
        except _Refused as error:
            refused.add(error.name)
    return sorted(refused)
