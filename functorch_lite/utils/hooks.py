"""RemovableHandle: what `register_..._hook` returns, to take the hook out again."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from typing import Any

__all__ = ["RemovableHandle"]


class BackwardHook:
    """PyTorch's means of calling a module's backward hooks, which libraries name.

    It cannot be made: register_full_backward_hook calls hooks."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "torch.utils.hooks.BackwardHook: hooks are called by the module; use register_full_backward_hook"
        )


def unserializable_hook(f: Any) -> Any:
    """Marks a hook that is not to be saved with its tensor."""
    f.__torch_unserializable__ = True
    return f


class RemovableHandle:
    """A handle whose `remove()` takes a hook out of the dict it was put in; as a context it does so at the end.

    `extra_dict` names one further dict, or several, from which the handle's id is removed as well. The dicts are held
    weakly: a handle keeps no module alive. Ids grow in the order of registration.

    >>> hooks = OrderedDict()
    >>> handle = RemovableHandle(hooks)
    >>> hooks[handle.id] = print
    >>> handle.remove()
    >>> len(hooks)
    0
    """

    id: int
    next_id: int = 0

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref = weakref.ref(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        if extra_dict is None:
            extras = []
        elif isinstance(extra_dict, list):
            extras = extra_dict
        else:
            extras = [extra_dict]
        self.extra_dict_ref: tuple = tuple(weakref.ref(d) for d in extras)

    def remove(self) -> None:
        """Takes the hook out; does nothing when it is gone already."""
        for ref in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = ref()
            if hooks is not None and self.id in hooks:
                del hooks[self.id]

    def __getstate__(self):
        state = (self.hooks_dict_ref(), self.id)
        return (*state, tuple(ref() for ref in self.extra_dict_ref)) if self.extra_dict_ref else state

    def __setstate__(self, state) -> None:
        hooks, self.id = state[0], state[1]
        # A dict that was gone when the handle was pickled is replaced by an empty one, so that remove() stays a no-op.
        self.hooks_dict_ref = weakref.ref(OrderedDict() if hooks is None else hooks)
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)
        extras = state[2] if len(state) > 2 else ()
        self.extra_dict_ref = tuple(weakref.ref(OrderedDict() if d is None else d) for d in extras)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, type: Any, value: Any, tb: Any) -> None:
        self.remove()
