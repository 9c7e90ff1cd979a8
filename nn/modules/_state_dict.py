"""The part of Module that saves to and loads from a state_dict."""

from __future__ import annotations

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping
from typing import Any

from functorch_lite._core.api import Tensor, is_pytorchs_tensor, tidied
from functorch_lite._core.api import functions as torch
from functorch_lite.nn.parameter import Parameter, is_lazy
from functorch_lite.utils.hooks import RemovableHandle

from ._traversal import Traversal

__all__ = ["StateDict"]

EXTRA_STATE = "_extra_state"


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """Keys that `load_state_dict` did not find, and keys that it found too many."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class _PreHook:
    """A load_state_dict pre-hook, called with the module in front if it asked for it."""

    def __init__(self, hook: Callable, module: Any = None):
        self.hook = hook
        self.module = module

    def __call__(self, *args):
        return self.hook(*args) if self.module is None else self.hook(self.module, *args)


class StateDict(Traversal):
    """Saving and loading of parameters, persistent buffers and extra state, with all hooks."""

    _version: int = 1
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: OrderedDict[int, Callable]
    _state_dict_pre_hooks: OrderedDict[int, Callable]
    _load_state_dict_pre_hooks: OrderedDict[int, Callable]
    _load_state_dict_post_hooks: OrderedDict[int, Callable]

    # ---- hooks

    def register_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """Calls `hook(module, state_dict, prefix, local_metadata)` after `state_dict()` has filled the dict.

        >>> model = nn.Linear(2, 1)
        >>> handle = model.register_state_dict_post_hook(lambda module, state, prefix, metadata: state.pop("bias") and None)
        >>> list(model.state_dict())
        ['weight']
        """
        hook._from_public_api = True
        handle = RemovableHandle(self._state_dict_hooks)
        self._state_dict_hooks[handle.id] = hook
        return handle

    def _register_state_dict_hook(self, hook: Callable) -> RemovableHandle:
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously registered via "
                "register_state_dict_post_hook"
            )
        handle = RemovableHandle(self._state_dict_hooks)
        self._state_dict_hooks[handle.id] = hook
        return handle

    def register_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Calls `hook(module, prefix, keep_vars)` before `state_dict()` fills the dict.

        >>> model = nn.Linear(2, 1)
        >>> handle = model.register_state_dict_pre_hook(lambda module, prefix, keep_vars: print("saving"))
        >>> _ = model.state_dict()
        saving
        """
        handle = RemovableHandle(self._state_dict_pre_hooks)
        self._state_dict_pre_hooks[handle.id] = hook
        return handle

    def _register_load_state_dict_pre_hook(
        self, hook: Callable, with_module: bool = False
    ) -> RemovableHandle:
        handle = RemovableHandle(self._load_state_dict_pre_hooks)
        self._load_state_dict_pre_hooks[handle.id] = _PreHook(hook, self if with_module else None)
        return handle

    def register_load_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Calls `hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)`
        before the module loads its own part.

        >>> model = nn.Linear(2, 1)
        >>> handle = model.register_load_state_dict_pre_hook(lambda module, state, *rest: state.setdefault("bias", torch.zeros(1)))
        >>> model.load_state_dict({"weight": torch.ones(1, 2)})
        <All keys matched successfully>
        """
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """Calls `hook(module, incompatible_keys)` after the module has loaded; it may edit the keys in place.

        >>> model = nn.Linear(2, 1)
        >>> handle = model.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())
        >>> model.load_state_dict({"weight": torch.ones(1, 2)})
        <All keys matched successfully>
        """
        handle = RemovableHandle(self._load_state_dict_post_hooks)
        self._load_state_dict_post_hooks[handle.id] = hook
        return handle

    # ---- extra state

    def get_extra_state(self) -> Any:
        """Overridden by classes that keep more than tensors in their state_dict.

        >>> class Counts(nn.Module):
        ...     calls = 3
        ...     def get_extra_state(self):
        ...         return self.calls
        ...     def set_extra_state(self, state):
        ...         self.calls = state
        >>> dict(Counts().state_dict())
        {'_extra_state': 3}
        """
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called. A class that "
            "defines one of get_extra_state and set_extra_state needs the other too."
        )

    def set_extra_state(self, state: Any) -> None:
        """The counterpart of `get_extra_state`.

        >>> class Counts(nn.Module):
        ...     calls = 0
        ...     def get_extra_state(self):
        ...         return self.calls
        ...     def set_extra_state(self, state):
        ...         self.calls = state
        >>> counts = Counts()
        >>> counts.load_state_dict({"_extra_state": 3}); counts.calls
        <All keys matched successfully>
        3
        """
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called. A class that "
            "defines one of get_extra_state and set_extra_state needs the other too."
        )

    # ---- saving

    def _save_to_state_dict(self, destination: dict, prefix: str, keep_vars: bool) -> None:
        for name, parameter in self._parameters.items():
            if parameter is not None:
                destination[prefix + name] = parameter if keep_vars else parameter.detach()
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buffer if keep_vars else buffer.detach()
        if type(self).get_extra_state is not StateDict.get_extra_state:
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    def state_dict(
        self, *args, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """An OrderedDict of all parameters and persistent buffers (detached, unless `keep_vars`) by dotted name.

        The tensors share storage with the module's.

        >>> {name: tuple(t.shape) for name, t in nn.Linear(2, 1).state_dict().items()}
        {'weight': (1, 2), 'bias': (1,)}
        """
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.",
                FutureWarning,
                stacklevel=2,
            )
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 and keep_vars is False else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            replaced = hook(self, destination, prefix, local_metadata)
            if not getattr(hook, "_from_public_api", False):
                destination = destination if replaced is None else replaced
            elif replaced is not None:
                raise RuntimeError("state_dict post-hook must return None")
        return destination

    # ---- loading

    def _load_from_state_dict(
        self,
        state_dict: dict,
        prefix: str,
        local_metadata: dict,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Loads this module's own members (not its children's) from `state_dict`, whose keys begin with `prefix`."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        assign = local_metadata.get("assign_to_params_buffers", False)
        members = dict(self._parameters)
        members.update((k, b) for k, b in self._buffers.items() if k not in self._non_persistent_buffers_set)
        members = {k: v for k, v in members.items() if v is not None}

        for name, mine in members.items():
            key = prefix + name
            if key in state_dict:
                self._load_member(name, mine, key, state_dict[key], assign, error_msgs)
            elif strict:
                missing_keys.append(key)

        extra_key = prefix + EXTRA_STATE
        if type(self).set_extra_state is not StateDict.set_extra_state:
            if extra_key in state_dict:
                self.set_extra_state(state_dict[extra_key])
            elif strict:
                missing_keys.append(extra_key)
        elif strict and extra_key in state_dict:
            unexpected_keys.append(extra_key)

        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra_key:
                    name, *below = key[len(prefix) :].split(".", 1)
                    if name not in (self._modules if below else members):
                        unexpected_keys.append(key)

    def _load_member(
        self, name: str, mine: Any, key: str, given: Any, assign: bool, error_msgs: list[str]
    ) -> None:
        if is_pytorchs_tensor(type(given)):
            given = torch.from_dlpack(given.detach().contiguous())
        if not isinstance(given, Tensor):
            error_msgs.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint '
                f"but received {type(given)}"
            )
            return
        lazy = is_lazy(mine)  # it has no shape yet: what it is given may have none either
        if (
            not lazy and mine.dim() == 0 and given.dim() == 1
        ):  # checkpoints of long ago have shape (1,) for a scalar
            given = given[0]
        if not lazy and given.shape != mine.shape:
            error_msgs.append(
                f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in "
                f"current model is {mine.shape}."
            )
            return
        if not assign and mine.is_meta and not given.is_meta:
            warnings.warn(
                f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, which "
                "is a no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to their corresponding "
                "key in the module instead of copying them in place?)",
                stacklevel=4,
            )
        try:
            with torch.no_grad():
                if not assign:
                    mine.copy_(given)
                    return
                if isinstance(mine, Parameter):
                    if isinstance(given, Parameter):
                        given.requires_grad_(mine.requires_grad)
                    else:
                        given = Parameter(given, requires_grad=mine.requires_grad)
                setattr(self, name, given)
        except Exception as error:
            size = "torch.Size([0])" if lazy else mine.size()
            error_msgs.append(
                f'While copying the parameter named "{key}", whose dimensions in the model are {size} and whose '
                f"dimensions in the checkpoint are {given.size()}, an exception occurred : {error.args}."
            )

    @tidied
    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False):
        """Copies parameters and buffers from `state_dict` into this module and all below it.

        strict: keys must match exactly, else RuntimeError. assign: takes the given tensors themselves instead of
        copying their values (dtypes and devices of the checkpoint prevail). Returns (missing_keys, unexpected_keys).

        Raises RuntimeError too for tensors of other shapes.

        >>> model = nn.Linear(2, 1)
        >>> model.load_state_dict({"weight": torch.ones(1, 2)}, strict=False)
        _IncompatibleKeys(missing_keys=['bias'], unexpected_keys=[])
        >>> model.weight.tolist()
        [[1.0, 1.0]]
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        metadata = getattr(state_dict, "_metadata", None)
        state_dict = OrderedDict(state_dict)
        if metadata is not None:
            state_dict._metadata = metadata
        missing_keys: list[str] = []
        unexpected_keys: list[str] = []
        error_msgs: list[str] = []

        def load(module: Any, local_state: dict, prefix: str = "") -> None:
            local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
            if assign:
                local_metadata["assign_to_params_buffers"] = assign
            module._load_from_state_dict(
                local_state, prefix, local_metadata, True, missing_keys, unexpected_keys, error_msgs
            )
            for name, child in module._modules.items():
                if child is not None:
                    below = f"{prefix}{name}."
                    load(child, {k: v for k, v in local_state.items() if k.startswith(below)}, below)
            keys = _IncompatibleKeys(missing_keys, unexpected_keys)
            for hook in module._load_state_dict_post_hooks.values():
                if hook(module, keys) is not None:
                    raise AssertionError(
                        "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new "
                        "values, if incompatible_keys need to be modified, it should be done inplace."
                    )

        load(self, state_dict)
        if strict:
            if unexpected_keys:
                listed = ", ".join(f'"{k}"' for k in unexpected_keys)
                error_msgs.insert(0, f"Unexpected key(s) in state_dict: {listed}. ")
            if missing_keys:
                listed = ", ".join(f'"{k}"' for k in missing_keys)
                error_msgs.insert(0, f"Missing key(s) in state_dict: {listed}. ")
        if error_msgs:
            joined = "\n\t".join(error_msgs)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{joined}")
        return _IncompatibleKeys(missing_keys, unexpected_keys)
