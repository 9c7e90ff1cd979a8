"""Containers of modules: Sequential, ModuleList, ModuleDict."""

from __future__ import annotations

import operator
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from functorch_lite._core.api import tidied

from ._global_hooks import CallHooks
from .module import Module

__all__ = ["Container", "ModuleDict", "ModuleList", "Sequential"]

_CALL = Module.__call__


class Container(Module):
    """Deprecated: a Module whose children are given by keyword.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     [name for name, _ in nn.Container(a=nn.ReLU()).named_children()]
    ['a']
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        warnings.warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass that instead.",
            FutureWarning,
            stacklevel=2,
        )
        for name, module in kwargs.items():
            self.add_module(name, module)


def _at(length: int, index: Any) -> int:
    """`index` counted from the front; IndexError when it is out of range."""
    index = operator.index(index)
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of range")
    return index % length


def pairs_of(name: str, given: Iterable[Any]) -> Iterator[list[Any]]:
    """The pairs of key and value with which a `name` is updated; each is checked when its turn comes."""
    for i, pair in enumerate(given):
        if not isinstance(pair, Iterable):
            raise TypeError(
                f"{name} update sequence element #{i} should be Iterable; is{type(pair).__name__}"
            )
        pair = list(pair)
        if len(pair) != 2:
            raise ValueError(f"{name} update sequence element #{i} has length {len(pair)}; 2 is required")
        yield pair


class _Numbered(Module):
    """Children named "0", "1", …; the order of `_modules` is their order."""

    def _renumber(self, modules: Iterable[Module | None]) -> None:
        members = list(modules)
        self._modules.clear()
        for i, module in enumerate(members):
            self._modules[str(i)] = module

    def _insert(self, index: int, module: Module) -> None:
        # KeyError, as in torch, where a child that would have to move has a name that is no number.
        later = [self._modules[str(i)] for i in range(len(self) - 1, index - 1, -1)]
        for i, member in enumerate([module, *reversed(later)], index):
            self._modules[str(i)] = member

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __dir__(self):
        return [name for name in super().__dir__() if not name.isdigit()]

    def pop(self, key: Any) -> Module:
        """Removes the module at `key` and gives it back.

        >>> layers = nn.Sequential(nn.ReLU(), nn.Tanh())
        >>> layers.pop(0), list(layers)
        (ReLU(), [Tanh()])
        """
        module = self[key]
        del self[key]
        return module


class Sequential(_Numbered):
    """Calls its modules in order, each with the result of the one before. An OrderedDict gives them names.

    >>> Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())(torch.zeros(4, 2)).shape
    torch.Size([4, 3])
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for i, module in enumerate(args):
                self.add_module(str(i), module)

    def forward(self, input: Any) -> Any:  # hot path
        for module in self._modules.values():
            # Without hooks, to call a module is to call its forward; the detour costs as much as all else that a small
            # one does.
            if not CallHooks.in_use and type(module).__call__ is _CALL:
                input = module.forward(input)  # type: ignore[union-attr]
            else:
                input = module(input)  # type: ignore[misc]
        return input

    def _name_at(self, index: Any) -> str:
        return list(self._modules)[_at(len(self), index)]

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._name_at(idx)]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._name_at(idx), module)

    def __delitem__(self, idx: Any) -> None:
        if isinstance(idx, slice):
            for name in list(self._modules)[idx]:
                delattr(self, name)
        else:
            delattr(self, self._name_at(idx))
        self._renumber(self._modules.values())

    def __add__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(
                f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )
        return Sequential(*self, *other)

    def __iadd__(self, other: Any):
        if not isinstance(other, Sequential):
            raise ValueError(
                f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )
        for module in list(other):
            self.append(module)
        return self

    def _check_factor(self, other: Any) -> None:
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")

    def __mul__(self, other: int) -> Sequential:
        self._check_factor(other)
        return Sequential(*(list(self) * other))

    __rmul__ = __mul__

    def __imul__(self, other: int):
        self._check_factor(other)
        for module in list(self) * (other - 1):
            self.append(module)
        return self

    def append(self, module: Module):
        """Adds a module at the end. Returns self.

        >>> layers = nn.Sequential(nn.ReLU(), nn.Tanh())
        >>> list(layers.append(nn.Sigmoid()))
        [ReLU(), Tanh(), Sigmoid()]
        """
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module):
        """Inserts a module before `index`. Returns self.

        >>> layers = nn.Sequential(nn.ReLU(), nn.Tanh())
        >>> list(layers.insert(1, nn.Sigmoid()))
        [ReLU(), Sigmoid(), Tanh()]
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        n = len(self)
        if not -n <= index <= n:
            raise IndexError(f"Index out of range: {index}")
        self._insert(index + n if index < 0 else index, module)
        return self

    @tidied
    def extend(self, sequential: Iterable[Module]):
        """Adds modules at the end. Returns self.

        >>> layers = nn.Sequential(nn.ReLU(), nn.Tanh())
        >>> list(layers.extend([nn.Sigmoid()]))
        [ReLU(), Tanh(), Sigmoid()]
        """
        for module in list(sequential):
            self.append(module)
        return self


class ModuleList(_Numbered):
    """A list of modules: indexed, sliced and iterated like a list, and registered like any child.

    Args:
        modules: the modules: an iterable. None (the default) starts empty.

    >>> layers = ModuleList([torch.nn.Linear(10, 10) for _ in range(3)])
    >>> len(list(layers.parameters()))
    6
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)(list(self._modules.values())[idx])
        return self._modules[str(_at(len(self), idx))]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, str(_at(len(self), idx)), module)

    def __delitem__(self, idx: Any) -> None:
        members = list(self)
        if isinstance(idx, slice):
            del members[idx]
        else:
            del members[_at(len(self), idx)]
        self._renumber(members)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        combined = ModuleList()
        for i, module in enumerate(list(self) + list(other)):
            combined.add_module(str(i), module)
        return combined

    def __iadd__(self, modules: Iterable[Module]):
        return self.extend(modules)

    def insert(self, index: int, module: Module) -> None:
        """Inserts a module before `index`, which counts from the front; beyond the end it goes under its own number.

        >>> layers = nn.ModuleList([nn.ReLU(), nn.Tanh()])
        >>> layers.insert(1, nn.Sigmoid()); list(layers)
        [ReLU(), Sigmoid(), Tanh()]
        """
        self._insert(operator.index(index), module)

    def append(self, module: Module | None):
        """Adds a module at the end. Returns self.

        >>> layers = nn.ModuleList([nn.ReLU(), nn.Tanh()])
        >>> list(layers.append(nn.Sigmoid()))
        [ReLU(), Tanh(), Sigmoid()]
        """
        self.add_module(str(len(self)), module)
        return self

    @tidied
    def extend(self, modules: Iterable[Module]):
        """Adds modules at the end. Returns self.

        >>> layers = nn.ModuleList([nn.ReLU(), nn.Tanh()])
        >>> list(layers.extend([nn.Sigmoid()]))
        [ReLU(), Tanh(), Sigmoid()]
        """
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}"
            )
        for module in list(modules):
            self.append(module)
        return self

    def __repr__(self) -> str:
        """Shows the list as Module does, with runs of equal children written once."""
        if not len(self):
            return self._get_name() + "()"
        lines, start = [], 0
        for text, run in groupby(repr(module) for module in self):
            count = len(list(run))
            label = f"({start})" if count == 1 else f"({start}-{start + count - 1})"
            times = "" if count == 1 else f"{count} x "
            lines.append(f"{label}: {times}{text}".replace("\n", "\n  "))
            start += count
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    """A dict of modules by name, in the order of insertion, registered like any child.

    Args:
        modules: the modules by name: a dict or an iterable of pairs. None (the default) starts
            empty.

    Raises KeyError for a name that is an attribute of Module or contains a dot, TypeError for a value that is not a
    Module.

    >>> layers = nn.ModuleDict({"act": nn.ReLU(), "fc": nn.Linear(3, 2)})
    >>> list(layers), tuple(layers["fc"](torch.ones(1, 3)).shape)
    (['act', 'fc'], (1, 2))
    """

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Removes all.

        >>> layers = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()})
        >>> layers.clear(); len(layers)
        0
        """
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Removes the module under `key` and gives it back.

        Raises KeyError if there is none.

        >>> layers = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()})
        >>> layers.pop("a"), list(layers)
        (ReLU(), ['b'])
        """
        module = self[key]
        del self[key]
        return module

    def keys(self):
        """The names.

        >>> layers = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()})
        >>> list(layers.keys())
        ['a', 'b']
        """
        return self._modules.keys()

    def items(self):
        """The pairs of name and module.

        >>> layers = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()})
        >>> list(layers.items())
        [('a', ReLU()), ('b', Tanh())]
        """
        return self._modules.items()

    def values(self):
        """The modules.

        >>> layers = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()})
        >>> list(layers.values())
        [ReLU(), Tanh()]
        """
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Adds modules from a mapping or from pairs of name and module.

        >>> layers = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()})
        >>> layers.update({"c": nn.Sigmoid()}); list(layers)
        ['a', 'b', 'c']
        """
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                + type(modules).__name__
            )
        pairs = (
            modules.items() if isinstance(modules, Mapping | ModuleDict) else pairs_of("ModuleDict", modules)
        )
        for key, module in pairs:
            self[key] = module
