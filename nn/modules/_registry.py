"""Registry: the dict behind `_parameters`, `_buffers` and `_modules`, and the cache that makes `self.weight` cheap.

Python calls `__getattr__` only after an ordinary lookup has failed, which costs about 700 ns; an ordinary lookup
costs 35 ns. So `Module.__getattr__` leaves what it found in the instance's own dict. The registry remembers which
modules hold such copies ("readers", weakly), and every change of the registry, by whatever road, changes or drops the
copies. `Module.__dict__` is a property that drops all copies first, so code that reads or copies it sees the same as
in PyTorch. Code that walks over trees (PyTorch's pytrees, JAX's, optree's) sees a registry as a dict, as in PyTorch.
"""

from __future__ import annotations

import importlib.util
import sys
import weakref
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import jax

from functorch_lite.func._trees import PLAIN_DICTS

__all__ = ["REGISTRIES", "ModuleBase", "Registry", "drop_cached", "instance_dict"]

REGISTRIES = ("_parameters", "_buffers", "_modules")

_ABSENT = object()


class ModuleBase:
    """Owns the instance dict of a Module; `Module.__dict__` is a property on top of it."""


instance_dict = ModuleBase.__dict__["__dict__"].__get__
"""The instance dict itself, cached entries and all."""


class Registry(dict):
    """A dict from name to member, which keeps the cached copies in its readers' instance dicts true."""

    __slots__ = ("__weakref__", "readers")

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.readers: list[weakref.ref] = []

    def cache(self, module: Any, own: dict, name: str, value: Any) -> None:
        """Leaves `value` in `own`, the instance dict of `module`, where ordinary lookup finds it."""
        ref = weakref.ref(module)
        if not any(r is ref for r in self.readers):
            self.readers = [r for r in self.readers if r() is not None]
            self.readers.append(ref)
        own[name] = value
        if self.get(name, _ABSENT) is not value:  # changed meanwhile by another thread
            own.pop(name, None)

    def _sync(self, name: Any, value: Any) -> None:
        old = self.get(name, _ABSENT)
        for ref in self.readers:
            module = ref()
            if module is not None:
                own = instance_dict(module)
                if own.get(name, self) is old:
                    if value is _ABSENT:
                        del own[name]
                    else:
                        own[name] = value

    def __setitem__(self, name, value):
        if self.readers:
            self._sync(name, value)
        super().__setitem__(name, value)

    def __delitem__(self, name):
        if self.readers:
            self._sync(name, _ABSENT)
        super().__delitem__(name)

    def pop(self, name, *default):
        if self.readers:
            self._sync(name, _ABSENT)
        return super().pop(name, *default)

    def popitem(self):
        name, value = next(reversed(self.items()), (None, None))
        if len(self):
            del self[name]
            return name, value
        return super().popitem()  # raises

    def clear(self):
        for name in list(self):
            del self[name]

    def setdefault(self, name, default=None):
        if name not in self:
            self[name] = default
        return self[name]

    def update(self, *args, **kwargs):
        for name, value in dict(*args, **kwargs).items():
            self[name] = value

    def __ior__(self, other):
        self.update(other)
        return self

    def copy(self):
        return dict(self)

    def __reduce_ex__(self, protocol):
        return Registry, (), None, None, iter(list(self.items()))


def _taken_apart(registry: Registry) -> tuple[list[Any], tuple[Any, ...]]:
    """Members and names in the order in which trees list a dict: the order of the names."""
    names = tuple(sorted(registry))
    return [registry[n] for n in names], names


def _put_together(names: tuple[Any, ...], members: Iterable[Any]) -> dict[Any, Any]:
    return dict(zip(names, members))


def _with_keys(registry: Registry) -> tuple[list[tuple[Any, Any]], tuple[Any, ...]]:
    members, names = _taken_apart(registry)
    return [(jax.tree_util.DictKey(n), m) for n, m in zip(names, members)], names


PLAIN_DICTS[Registry] = dict
jax.tree_util.register_pytree_with_keys(Registry, _with_keys, _put_together, _taken_apart)

_optree_knows = False


def _tell_optree() -> None:
    """Registers the class with optree, which knows classes by themselves alone: when the program has imported it, since
    nothing here needs it."""
    global _optree_knows
    _optree_knows = True
    optree = sys.modules["optree"]
    optree.register_pytree_node(
        Registry,
        lambda r: (*_taken_apart(r), _taken_apart(r)[1]),
        _put_together,
        path_entry_type=optree.MappingEntry,
        namespace=optree.registry.__GLOBAL_NAMESPACE,
    )


class _BeforeOptree:
    """A finder that finds nothing, but has optree told of registries as soon as a program imports it: those of modules
    that were made before are opened too."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> None:
        if name != "optree" or _BeforeOptree not in sys.meta_path:
            return None
        sys.meta_path.remove(_BeforeOptree)  # type: ignore[arg-type]
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def run_and_tell(module: ModuleType) -> None:
                run(module)
                if not _optree_knows:
                    _tell_optree()

            spec.loader.exec_module = run_and_tell  # type: ignore[method-assign]
        return spec  # type: ignore[return-value]


if "optree" in sys.modules:
    _tell_optree()
else:
    sys.meta_path.insert(0, _BeforeOptree)  # type: ignore[arg-type]


def drop_cached(own: dict) -> None:
    """Removes from an instance dict the copies that `Registry.cache` left there."""
    for where in REGISTRIES:
        registry = own.get(where)
        if type(registry) is Registry and registry.readers:
            for name, value in registry.items():
                if own.get(name, _ABSENT) is value:
                    del own[name]
