"""Archives of TorchScript, as torch.jit.save in PyTorch writes them: their modules as data.
The program in them is not run, and nothing of them is executed."""

from __future__ import annotations

import re
import types
from collections import OrderedDict
from collections.abc import Collection
from typing import Any

from .archive import ArchiveReader
from .rebuilding import KNOWN, STORAGE_KINDS, Reader, StorageKind
from .unpickling import Inert, Survey

__all__ = ["Script", "read_script"]

_CALLED = {"collections.OrderedDict": OrderedDict} | {
    name: f
    for name, f in KNOWN.items()
    if isinstance(f, types.FunctionType) and name.startswith("torch._utils.")
}
"""Functions that make the tensors of an archive."""

_TYPED = "torch.jit._pickle."
"""Place of the functions that give lists and dicts the types they have in TorchScript: the first argument is the
value."""


class Script:
    """A module of an archive: the name of its class, its attributes, and which of them are parameters, buffers and
    methods."""

    def __init__(
        self,
        kind: str,
        state: dict[str, Any],
        parameters: Collection[str] = (),
        buffers: Collection[str] = (),
        methods: Collection[str] = (),
    ):
        self.kind, self.state = kind, state
        self.parameters, self.buffers, self.methods = set(parameters), set(buffers), set(methods)

    @staticmethod
    def of_code(kind: str, state: dict[str, Any], code: str) -> Script:
        """A module whose class is this TorchScript."""
        methods = re.findall(r"^  def (\w+)\(", code, re.MULTILINE)
        return Script(kind, state, _listed(code, "__parameters__"), _listed(code, "__buffers__"), methods)


def _listed(code: str, what: str) -> list[str]:
    line = re.search(rf"^  {what} = \[(.*)\]", code, re.MULTILINE)
    return re.findall(r'"([^"]*)"', line[1]) if line else []


class _Machine(Survey):
    """Reads the pickle of an archive: tensors are made, objects are `Inert`."""

    def __init__(self, data: bytes, reader: Reader):
        super().__init__(data)
        self.find, self.persistent = self._found, reader.persistent

    def _found(self, module: str, name: str) -> Any:
        full = f"{module}.{name}"
        if full in STORAGE_KINDS:
            return StorageKind(STORAGE_KINDS[full])
        return _CALLED.get(full) or Inert(full)

    def call(self, fn: Any, args: Any) -> Any:
        if fn in _CALLED.values():
            return fn(*args)
        name = getattr(fn, "name", "?")
        if name.startswith(_TYPED) and args and "from_id" not in name:
            return args[0]
        return Inert(name, args)

    def make(self, kind: Any, args: Any) -> Any:
        """Makes an object of a class as `call` does."""
        return self.call(kind, args)


def read_script(archive: ArchiveReader, map_location: Any) -> Script:
    """The module of an archive.

    Raises RuntimeError if it is damaged, UnpicklingError if its pickle is.
    """
    made = _Machine(archive.pickled, Reader(archive, map_location)).load()
    found = _script(made, archive, {})
    if not isinstance(found, Script):
        raise RuntimeError("torch.jit.load: the archive holds no module")
    return found


def _script(x: Any, archive: ArchiveReader, done: dict[int, Script]) -> Any:
    """Returns what was read, with modules in the place of objects with attributes."""
    if not isinstance(x, Inert) or not isinstance(x.state, dict):
        return x
    if id(x) not in done:
        found = done[id(x)] = Script.of_code(x.name, {}, _code(x.name, archive))
        state: Any = x.state
        found.state.update({name: _script(value, archive, done) for name, value in state.items()})
    return done[id(x)]


def _code(kind: str, archive: ArchiveReader) -> str:
    """The text of a class in an archive."""
    place, _, name = kind.rpartition(".")
    record = f"code/{place.replace('.', '/')}.py"
    text = archive.read(record).decode() if archive.prefix + record in archive.names else ""
    found = re.search(rf"^class {re.escape(name)}\(.*?(?=^class |\Z)", text, re.MULTILINE | re.DOTALL)
    return found[0] if found else ""
