"""torch.utils.weak: dicts whose keys are objects themselves, held weakly. Ordinary dicts compare keys by `==`, which
works element by element on tensors."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, MutableMapping
from typing import Any

from ..api_names import listed

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]
__dir__ = listed(__name__)


class WeakIdRef(weakref.ref):
    """A weak reference that is equal to others to the same object."""

    __slots__ = ("_id",)

    def __init__(self, key: Any, callback: Any = None):
        super().__init__(key, callback)
        self._id = id(key)

    def __call__(self) -> Any:
        return super().__call__()

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: Any) -> bool:
        a, b = self(), other()
        return a is b if a is not None and b is not None else self is other


TensorWeakRef = WeakIdRef


class WeakIdKeyDictionary(MutableMapping):
    """A dict of objects by identity; an entry goes when its key does."""

    def __init__(self, dict: Any = None, ref_type: type = WeakIdRef):
        self.data: Any = {}
        self.ref_type = ref_type
        mine = weakref.ref(self)

        def forget(ref: Any) -> None:
            there = mine()
            if there is not None:
                there.data.pop(ref, None)

        self._forget = forget
        if dict is not None:
            self.update(dict)

    def _ref(self, key: Any) -> Any:
        return self.ref_type(key, self._forget)

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self._ref(key)] = value

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __contains__(self, key: Any) -> bool:
        try:
            return self.ref_type(key) in self.data
        except TypeError:
            return False

    def __iter__(self) -> Iterator[Any]:
        for ref in list(self.data):
            key = ref()
            if key is not None:
                yield key

    def __len__(self) -> int:
        return len(self.data)


WeakTensorKeyDictionary = WeakIdKeyDictionary
