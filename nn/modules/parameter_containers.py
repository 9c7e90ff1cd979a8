"""Containers of parameters: ParameterList and ParameterDict. Tensors put in become Parameters; other values stay."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from functorch_lite._core.api import Tensor
from functorch_lite.nn.parameter import Parameter

from .container import pairs_of
from .module import Module, _typename

__all__ = ["ParameterDict", "ParameterList"]


def _as_parameter(value: Any) -> Any:
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _key(pair: tuple) -> Any:
    return pair[0]


def _describe(value: Any, dtype: str) -> str:
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    size = "x".join(str(s) for s in value.size())
    place = f" ({value.device})" if value.device.type == "cuda" else ""
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"{kind} containing: [{dtype} of size {size}{place}]"


class ParameterList(Module):
    """A list whose tensors are registered parameters.

    Args:
        values: the parameters or tensors: an iterable. None (the default) starts empty.

    >>> ParameterList([torch.zeros(2), torch.zeros(3)])[1].shape
    torch.Size([3])
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def _name_at(self, index: Any) -> str:
        index = operator.index(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return str(index % len(self))

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            picked = type(self)()
            for i in range(*idx.indices(len(self))):
                picked.append(self[i])
            return picked
        return getattr(self, self._name_at(idx))

    def __setitem__(self, idx: int, param: Any) -> None:
        setattr(self, self._name_at(idx), _as_parameter(param))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self[i] for i in range(len(self)))

    def __iadd__(self, parameters: Iterable[Any]):
        return self.extend(parameters)

    def __dir__(self):
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, value: Any):
        """Adds a value at the end; a tensor becomes a Parameter. Returns self.

        >>> weights = nn.ParameterList([torch.ones(1)])
        >>> len(weights.append(torch.zeros(2))), weights[1].requires_grad
        (2, True)
        """
        self._size += 1
        self[len(self) - 1] = value
        return self

    def extend(self, values: Iterable[Any]):
        """Adds values at the end. Returns self.

        Raises TypeError for an argument that is not a collection.

        >>> weights = nn.ParameterList([torch.ones(1)])
        >>> len(weights.extend([torch.zeros(2), torch.zeros(3)]))
        3
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(
                f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}"
            )
        for value in list(values):
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return "\n".join(
            f"  ({i}): {_describe(p, str(p.dtype) if isinstance(p, Tensor) else '')}"
            for i, p in enumerate(self)
        )

    def __call__(self, *args: Any, **kwargs: Any):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dict whose tensors are registered parameters, in the order of insertion; what a plain dict gives is inserted in
    the order of its names.

    Args:
        parameters: the parameters by name: a dict or an iterable of pairs. None (the default)
            starts empty.

    >>> weights = nn.ParameterDict({"w": torch.ones(2), "b": torch.zeros(1)})
    >>> list(weights), weights["w"].requires_grad
    (['b', 'w'], True)
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _key_to_attr(self, key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string "
                f"(type is '{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        return key

    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._key_to_attr(key))

    def __setitem__(self, key: str, value: Any) -> None:
        attr = self._key_to_attr(key)
        setattr(self, attr, _as_parameter(value))
        self._keys[key] = None

    def __delitem__(self, key: str) -> None:
        attr = self._key_to_attr(key)
        del self._keys[key]
        delattr(self, attr)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def __or__(self, other: Any) -> ParameterDict:
        merged = self.copy()
        merged.update(other)
        return merged

    def __ror__(self, other: Any) -> Any:
        merged = other.copy()
        merged.update(self)
        return merged

    def __ior__(self, other: Any):
        self.update(other)
        return self

    def copy(self) -> ParameterDict:
        """A new ParameterDict with the same members.

        >>> weights = nn.ParameterDict({"a": torch.ones(1), "b": torch.zeros(2)})
        >>> weights.copy()["a"] is weights["a"]
        True
        """
        return ParameterDict(list(self.items()))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value under `key`, which becomes `default` if there is none.

        >>> weights = nn.ParameterDict({"a": torch.ones(1), "b": torch.zeros(2)})
        >>> weights.setdefault("c", torch.ones(3)).shape, list(weights)
        (torch.Size([3]), ['a', 'b', 'c'])
        """
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Removes all.

        >>> weights = nn.ParameterDict({"a": torch.ones(1), "b": torch.zeros(2)})
        >>> weights.clear(); len(weights)
        0
        """
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Removes the value under `key` and gives it back.

        Raises AttributeError if there is none.

        >>> weights = nn.ParameterDict({"a": torch.ones(1), "b": torch.zeros(2)})
        >>> weights.pop("a").tolist(), list(weights)
        ([1.0], ['b'])
        """
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Removes the last pair and gives it back.

        >>> weights = nn.ParameterDict({"a": torch.ones(1), "b": torch.zeros(2)})
        >>> weights.popitem()[0], list(weights)
        ('b', ['a'])
        """
        key, _ = self._keys.popitem()
        value = self[key]
        delattr(self, self._key_to_attr(key))
        return key, value

    def get(self, key: str, default: Any = None) -> Any:
        """The value under `key`, or `default`.

        >>> weights = nn.ParameterDict({"a": torch.ones(1), "b": torch.zeros(2)})
        >>> weights.get("a").tolist(), weights.get("c", 3)
        ([1.0], 3)
        """
        return self[key] if key in self else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A new ParameterDict with `default` under every key.

        >>> weights = nn.ParameterDict({"a": torch.ones(1), "b": torch.zeros(2)})
        >>> list(weights.fromkeys(["x", "y"], torch.ones(1)))
        ['x', 'y']
        """
        return ParameterDict((key, default) for key in keys)

    def keys(self):
        """The names.

        >>> weights = nn.ParameterDict({"a": torch.ones(1), "b": torch.zeros(2)})
        >>> list(weights.keys())
        ['a', 'b']
        """
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """The pairs of name and value.

        >>> weights = nn.ParameterDict({"a": torch.ones(1), "b": torch.zeros(2)})
        >>> [(name, p.tolist()) for name, p in weights.items()]
        [('a', [1.0]), ('b', [0.0, 0.0])]
        """
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterable[Any]:
        """The values.

        >>> weights = nn.ParameterDict({"a": torch.ones(1), "b": torch.zeros(2)})
        >>> [p.tolist() for p in weights.values()]
        [[1.0], [0.0, 0.0]]
        """
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Adds values from a mapping (sorted by key unless it is ordered) or from pairs.

        >>> weights = nn.ParameterDict({"a": torch.ones(1), "b": torch.zeros(2)})
        >>> weights.update({"c": torch.ones(1)}); list(weights)
        ['a', 'b', 'c']
        """
        if not isinstance(parameters, Iterable):
            raise TypeError(
                "ParametersDict.update should be called with an iterable of key/value pairs, but got "
                + type(parameters).__name__
            )
        if isinstance(parameters, Mapping | ParameterDict):
            pairs = list(parameters.items())
            for key, value in (
                pairs if isinstance(parameters, OrderedDict | ParameterDict) else sorted(pairs, key=_key)
            ):
                self[key] = value
            return
        for key, value in pairs_of("ParameterDict", parameters):
            self[key] = value

    def extra_repr(self) -> str:
        return "\n".join(f"  ({key}): {_describe(p, _typename(p))}" for key, p in self.items())

    def __call__(self, input: Any) -> None:
        raise RuntimeError("ParameterDict should not be called.")
