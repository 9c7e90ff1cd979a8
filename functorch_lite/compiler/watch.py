"""A Watch: all that some code may read, as it was, and whether it still is so.

Code may read everything that can be reached from its entry points (functions, their closures, globals that it names,
arguments), through attributes that it names, modules, optimizers and containers. A value that cannot be watched
raises NotReplayable.
"""

from __future__ import annotations

import builtins
import dis
import enum
import functools
import sys
import types
from collections import OrderedDict, deque, namedtuple
from collections.abc import Callable, Iterable
from operator import is_
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.api import OURS, Leaf, NotReplayable, Op, Tensor, Value, below, kind_of
from ..nn.modules._global_hooks import CallHooks
from ..nn.modules._registry import Registry, instance_dict
from ..nn.modules.module import Module
from ..nn.parameter import Buffer, Parameter
from ..optim.fused import FusedOptimizer
from ..optim.optimizer import Optimizer
from ..random.generator import Generator
from .guard import ABSENT, Guard, readable, same
from .library import file_of, names_of, patchable_of
from .ran import Ran, is_pure
from .simple import Unwatched, is_simple
from .sources import add_gradients

if TYPE_CHECKING:
    from .._core.lazy.segment import Sources

__all__ = ["Watch"]

_UNWATCHED = frozenset((
    "_version", "storage_offset", "data_ptr", "fork_rng", "get_rng_state", "get_state", "initial_seed", "manual_seed", "seed", "set_rng_state", "storage",
    "untyped_storage",
))  # fmt: skip
"""Names of what tells more of tensors and generators than is watched."""
_CALLED = ("forward", "backward", "setup_context", "vjp", "jvp", "vmap")
"""Methods that the library calls, whether or not the user's code does."""
MOST_BYTES = 4_096
"""Size limit of a NumPy array, which is watched by its numbers."""
_TOLD = ("__name__", "__qualname__", "__doc__", "__module__")
"""Attributes that functions and classes have and that are in no dict."""
_OF_STATES = frozenset(("state", "state_dict", "load_state_dict", "__getstate__", "__setstate__"))
"""Names of what shows all of an optimizer's state, that which its steps do not read too."""
_CACHES = frozenset(("_flat_states", "_rates"))
"""Attributes of the library's own that nothing depends on."""


@functools.lru_cache(1_024)
def _imported_by(code: types.CodeType) -> frozenset[str]:
    """The modules that a function imports where it runs."""
    return frozenset(i.argval for i in dis.get_instructions(code) if i.opname == "IMPORT_NAME")


class Watch:
    """All that can be reached from a function. `tensors`: in a fixed order; `generators`; all else is compared by
    `is_as_it_was`.

    Most values are compared by a Guard; the others are in lists: values of dicts whose keys are not strings, values
    of arrays.
    """

    def __init__(self, ran: Ran, begin: Iterable[Any]):
        """begin: what the code is given, and the function itself."""
        self.tensors: list[Tensor] = []
        self.generators: list[Generator] = []
        self._ran = ran
        self._names = ran.names
        self._asks_for_states = ran.reads_any_attribute or not _OF_STATES.isdisjoint(ran.names)
        self._seen: dict[int, Any] = {}
        self._codes: set[Any] = set()
        self._kinds: set[type] = set()
        self._unordered: set[int] = set()
        self._free: set[int] = set()
        self._guard = Guard()
        self._items: list[tuple[Any, tuple]] = []
        self._rates: list[dict[int, Value]] = []
        self._with_rates: list[FusedOptimizer] = []
        self._arrays: list[tuple[np.ndarray, bytes, tuple]] = []
        self._hooks = CallHooks.in_use
        self._left: list[Any] = list(begin)
        if not _UNWATCHED.isdisjoint(self._names):
            raise NotReplayable(f"{sorted(_UNWATCHED.intersection(self._names))[0]} cannot be watched")
        for code, names in ran.codes.items():
            self._look_at_globals(code, names)
        methods = [n for n in self._names | ran.operators if n in Tensor.__dict__]
        self._patchable([(Tensor.__dict__, tuple(methods))])
        while self._left:
            self._look_at(self._left.pop())
        for code in ran.codes:
            if code not in self._codes and code.co_freevars and not ran.is_made_by_it(code):
                raise NotReplayable(f"{code.co_name}() was reached in a way that is not watched")
        del self._seen, self._left, self._unordered, self._free
        whole = [t for t in self.tensors if not t._lenses]
        self._leaves = [e[0] for t in whole if (e := t._edge) is not None and type(e[0]) is Leaf]
        self._guard_tensors(whole)
        self._guard.close()
        if not self._guard.holds():
            raise NotReplayable("a hook on a tensor")
        self.edge_of = {t._cell: t._edge for t in whole}
        self.cells = list(dict.fromkeys([t._cell for t in self.tensors]))
        self.edges = [self.edge_of.get(c) for c in self.cells]
        self.cell_set = frozenset(self.cells)

    def is_as_it_was(self) -> bool:  # hot path
        """Returns whether nothing of it has changed."""
        if CallHooks.in_use is not self._hooks or not self._guard.holds():
            return False
        for items, was in self._items:
            if not all(map(is_, items, was)) and not all(map(same, items, was)):
                return False
        if any(type(g["lr"]) is not float for o in self._with_rates for g in o.param_groups):
            return False
        return all(a.tobytes() == was and (a.shape, a.dtype) == kind for a, was, kind in self._arrays)

    def _guard_tensors(self, whole: list[Tensor]) -> None:
        guard = self._guard
        for t in self.tensors:
            guard.attribute(t, "_cell", t._cell)
        for t in whole:
            guard.attribute(t, "_edge", t._edge)
            guard.is_false(t, "_lenses")
        for t in self.tensors:
            if t._lenses:
                guard.attribute(t, "_lenses", t._lenses)
        for leaf in self._leaves:
            guard.is_false(leaf, "hooks")
            guard.is_false(leaf, "post_hooks")

    @property
    def has_sources(self) -> bool:
        """Returns whether code may read a tensor, or a rate, that is watched."""
        return bool(self.tensors or self._with_rates or self._rates)

    def add_sources(self, sources: Sources) -> None:  # hot path
        """Adds what the watched tensors hold now, and the gradients of their leaves."""
        cells = self.cells
        sources.values += [c.value for c in cells]
        sources.cells += cells
        sources.edges += self.edges
        add_gradients(sources, self._leaves)
        for o in self._with_rates:
            for v in o.rates():
                sources.add(v)
        for rates in self._rates:
            sources.shape.append(len(rates))
            for v in rates.values():
                sources.add(v)

    # -- looking -------------------------------------------------------------------------------------------------------

    def _look_at_globals(self, code: types.CodeType, known: dict[str, Any]) -> None:
        self._compare(known, code.co_names)
        imported = _imported_by(
            code
        )  # not all names: `x.select(0, 1)` has nothing to do with the module `select`
        for name in code.co_names:
            value = known.get(name, ABSENT)
            if value is not ABSENT:
                self._left.append(value)
            elif hasattr(builtins, name):
                self._left.append(getattr(builtins, name))
            if name in sys.modules and name in imported and not isinstance(value, types.ModuleType):
                self._left.append(sys.modules[name])

    def _look_at(self, x: Any) -> None:
        if (is_simple(x) and not isinstance(x, enum.Enum)) or isinstance(x, Unwatched) or id(x) in self._seen:
            return
        self._seen[id(x)] = x
        for kind, look in _LOOKS:
            if isinstance(x, kind):
                look(self, x)
                if (
                    isinstance(x, _CONTAINERS)
                    and _is_of_python(type(x))
                    and kind_of(file_of(type(x))) != OURS
                ):
                    self._look_at_object(x)  # the user's own list, or dict
                return
        if isinstance(getattr(x, "__dict__", None), dict) and _is_of_python(type(x)):
            self._look_at_object(x)
            return
        raise NotReplayable(
            f"what an object of type {type(x).__module__}.{type(x).__qualname__} holds cannot be watched"
        )

    def _look_at_tensor(self, t: Tensor) -> None:
        if type(t) not in _TENSORS:
            raise NotReplayable(f"a tensor of a class of its own, {type(t).__name__}")
        self.tensors.append(t)
        if t.__dict__:
            asked = [n for n in t.__dict__ if n in self._names]
            self._compare(t.__dict__, asked)
            self._left.extend([t.__dict__[n] for n in asked])

    def _look_at_sequence(self, x: Any) -> None:
        if not isinstance(x, tuple | frozenset):
            self._guard.length(x)
            if type(x) is list:
                for k, item in enumerate(x):
                    self._guard.item(x, k, item)
            else:
                self._items.append((x, tuple(x)))
        self._left.extend(x)

    def _look_at_dict(self, x: Any) -> None:
        if isinstance(x, types.MappingProxyType):
            self._guard.length(x)
            self._compare(x, tuple(x))
            self._left.extend(x.values())
            return
        if all(type(k) is str for k in x):
            self._compare(x, [k for k in x if k != "lr" or id(x) not in self._free])
            if id(x) in self._unordered:  # of which the optimizer reads what there is now
                if self._asks_for_states:
                    self._guard.length(x)
            elif len(x) < 2:
                self._guard.length(x)
            else:
                self._guard.order(x)  # and so that there are no others
        else:
            self._guard.length(x)
            self._items += [(x.values(), tuple(x.values())), (x, tuple(x))]
        self._left.extend(x.keys())
        self._left.extend(x.values())

    def _compare(self, own: Any, keys: Iterable[str]) -> None:
        """Notes these entries of a dict, or of a class, present or not."""
        get = own.get if isinstance(own, types.MappingProxyType) else functools.partial(dict.get, own)
        for k in keys:
            self._guard.entry(own, k, get(k, ABSENT))

    def _look_at_array(self, x: np.ndarray) -> None:
        if x.nbytes > MOST_BYTES or x.dtype.hasobject:
            raise NotReplayable("a NumPy array, whose numbers may change")
        self._arrays.append((x, x.tobytes(), (x.shape, x.dtype)))

    def _look_at_function(self, f: types.FunctionType) -> None:
        self._codes.add(f.__code__)
        if kind_of(f.__code__.co_filename) == OURS or f.__code__.co_filename.startswith(below()):
            wrapped = getattr(f, "__wrapped__", None)  # what torch.compile, or a transform, was given
            if wrapped is not None and not isinstance(wrapped, Op):
                self._left.append(wrapped)
            return
        self._left.extend(f.__defaults__ or ())
        self._left.extend((f.__kwdefaults__ or {}).values())
        for name in ("__code__", "__defaults__", "__kwdefaults__"):
            self._guard.attribute(f, name, getattr(f, name))
        self._tell(f)
        if f.__kwdefaults__:
            self._left.append(f.__kwdefaults__)
        for cell in f.__closure__ or ():
            try:
                value = cell.cell_contents
            except ValueError:
                continue
            self._guard.attribute(cell, "cell_contents", value)
            self._left.append(value)
        self._look_at_names(f.__dict__)

    def _look_at_method(self, m: types.MethodType) -> None:
        self._left += [m.__self__, m.__func__]

    def _look_at_partial(self, p: functools.partial) -> None:
        for name in ("func", "args", "keywords"):
            self._guard.attribute(p, name, getattr(p, name))
        self._left += [p.func, p.args, p.keywords, p.__dict__]

    def _look_at_c(self, f: Any) -> None:
        owner = getattr(f, "__self__", None)
        if isinstance(owner, types.ModuleType) or owner is None:
            if not is_pure(f):
                name = getattr(f, "__name__", str(f))
                raise NotReplayable(
                    f"what {name}() gives may depend on more than its arguments{self._named_by(name)}"
                )
        else:
            self._look_at(owner)

    def _named_by(self, name: str) -> str:
        """Names a function that ran and has this name in its code, for a sentence; "" if none has."""
        found = next((c for c in self._ran.codes if name in c.co_names), None)
        return (
            f" ({found.co_qualname}(), {found.co_filename}:{found.co_firstlineno}, names it)" if found else ""
        )

    def _tell(self, x: Any) -> None:
        """Watches the properties of a function, or a class, that are not entries of its dict."""
        for name in _TOLD:
            if name in self._names and hasattr(x, name):
                self._guard.attribute(x, name, getattr(x, name))

    def _look_at_class(self, kind: type) -> None:
        self._guard.attribute(kind, "__mro__", kind.__mro__)
        self._tell(kind)
        if type(kind) is not type and _is_of_python(type(kind)):
            self._left.append(type(kind))
        for c in kind.__mro__:
            if kind_of(file_of(c)) == OURS:
                continue
            if _is_of_python(c) and not file_of(c).startswith(below()):
                self._look_at_names(c.__dict__, _CALLED)
                self._guard.length(
                    c.__dict__
                )  # a special method may be added, which no code calls by its name
            elif not is_pure(c):
                raise NotReplayable(f"what {c.__name__} makes may depend on more than its arguments")

    def _look_at_names(self, own: Any, more: Iterable[str] = (), less: Iterable[str] = ()) -> None:
        """Watches the entries of a dict, or a class, that the code may read; `more`: further names that library code
        reads, `less`: names that are watched elsewhere."""
        special = [n for n in own if n[:2] == "__" and isinstance(own[n], _FUNCTIONS)]
        asked = self._names.union(more).difference(less)
        names = (
            [n for n in own if n not in less]
            if self._ran.reads_any_attribute
            else [n for n in asked if n in own] + special
        )
        keys = (*names, *[n for n in asked if n not in own])
        self._compare(own, keys)
        for n in names:
            value = own[n]
            if isinstance(value, property | types.DynamicClassAttribute):
                self._left += [f for f in (value.fget, value.fset, value.fdel) if f is not None]
            elif isinstance(value, staticmethod | classmethod):
                self._left.append(value.__func__)
            elif isinstance(value, functools.cached_property):
                self._left.append(value.func)
            elif not isinstance(value, _C_DESCRIPTORS):
                self._left.append(value)

    def _look_at_object(self, x: Any) -> None:
        self._guard.kind(x)
        for c in type(x).__mro__:
            if c.__dict__.get("__slots__") and not issubclass(c, tuple):
                raise NotReplayable(f"{c.__qualname__} has slots")
        own = getattr(x, "__dict__", None)
        if own is not None:
            self._guard.attribute(x, "__dict__", own)
            if kind_of(file_of(type(x))) == OURS:
                self._look_at_all(own)
            else:
                self._look_at_names(own)
        self._left.append(type(x))

    def _look_at_all(self, own: dict[str, Any]) -> None:
        keys = [k for k in own if k not in _CACHES]
        self._compare(own, keys)
        self._left.extend([own[k] for k in keys])

    def _look_at_module(self, m: Module) -> None:
        own = instance_dict(m)
        self._guard.kind(m)
        holds = [n for n, v in own.items() if isinstance(v, Registry) or (self._hooks and "hooks" in n)]
        self._compare(own, holds)
        self._left.extend([own[k] for k in holds])
        members = {
            n for k in holds for n in own[k] if isinstance(own[k], Registry)
        }  # of which there may be copies in it
        kind = type(m)
        if kind_of(file_of(kind)) == OURS and not self._ran.reads_any_attribute:
            of_class = names_of(kind, self._names)
            asked = of_class | self._names
            names = [
                n for n in asked if (n in own or (n in of_class and hasattr(kind, n))) and n not in members
            ]
            self._compare(own, names)
            self._left.extend([own[n] for n in names if n in own])
        else:
            self._look_at_names(own, names_of(kind, self._names), members)
        self._left.append(kind)
        if kind not in self._kinds:
            self._kinds.add(kind)
            self._patchable(patchable_of(kind))

    def _patchable(self, library: Iterable[tuple[Any, tuple[str, ...]]]) -> None:
        """Watches the parts of the library's code that may be replaced by the user."""
        for own, names in library:
            self._compare(own, names)

    def _look_at_optimizer(self, o: Optimizer) -> None:
        self._guard.kind(o)
        self._guard.attribute(o, "__dict__", o.__dict__)
        self._unordered.update([id(s) for s in o.state.values()])
        self._look_at_all(o.__dict__)
        if isinstance(o, FusedOptimizer) and not self._ran.may_read_rates and o.rates_are_inputs():
            self._with_rates.append(o)
            self._free.update([id(g) for g in o.param_groups])
        elif isinstance(o, FusedOptimizer):
            self._rates.append(o._rates)
        self._left.append(type(o))

    def _look_at_generator(self, g: Generator) -> None:
        self.generators.append(g)

    def _look_at_package(self, m: types.ModuleType) -> None:
        if m.__name__.startswith("numpy.random") or m.__name__ in (
            "time",
            "random",
            "os",
            "sys",
            "secrets",
            "datetime",
        ):
            raise NotReplayable(f"what the module {m.__name__} gives cannot be watched")
        own = m.__dict__
        names = list(self._names)
        found = [own.get(n, ABSENT) for n in names]
        self._compare(own, names)
        is_ours = kind_of(own.get("__file__") or "") == OURS
        for value in found:
            if value is not ABSENT and not (is_ours and not isinstance(value, types.ModuleType)):
                self._left.append(value)


def _is_of_python(kind: type) -> bool:
    """Returns whether a class was made by a class statement, not by C."""
    return (
        bool(kind.__flags__ & _HEAP)
        and isinstance(kind.__dict__.get("__module__"), str)
        and not hasattr(kind, "__get__")
    )


_HEAP = 1 << 9
_C_DESCRIPTORS = (types.MemberDescriptorType, types.GetSetDescriptorType, type(namedtuple("_", "x").x))  # type: ignore[attr-defined]
"""Types of descriptors that read a place of an object, and have no state."""


readable(Registry)
_CONTAINERS = (list, tuple, dict, set, frozenset, deque)
_TENSORS = (Tensor, Parameter, Buffer)
_FUNCTIONS = (types.FunctionType, property, staticmethod, classmethod)
_LOOKS: list[tuple[Any, Callable]] = [
    (Tensor, Watch._look_at_tensor),
    (Module, Watch._look_at_module),
    (Optimizer, Watch._look_at_optimizer),
    (Generator, Watch._look_at_generator),
    ((list, tuple, deque), Watch._look_at_sequence),
    ((dict, OrderedDict, types.MappingProxyType), Watch._look_at_dict),
    ((set, frozenset), Watch._look_at_sequence),
    (np.ndarray, Watch._look_at_array),
    (types.FunctionType, Watch._look_at_function),
    (types.MethodType, Watch._look_at_method),
    (functools.partial, Watch._look_at_partial),
    ((types.BuiltinFunctionType, types.MethodWrapperType, np.ufunc), Watch._look_at_c),
    (type, Watch._look_at_class),
    (types.ModuleType, Watch._look_at_package),
]
