"""Optimizer: the base class of all optimizers — parameter groups, state, state_dict, hooks.
The algorithms are elsewhere."""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable
from copy import deepcopy
from typing import Any

from functorch_lite._core.api import Leaf, Tensor, dispatch_ended, refuse_pytorchs, tidied, tidy
from functorch_lite._core.api import state as _thread
from functorch_lite._core.run.executor import begin_recording, end_recording
from functorch_lite.utils.hooks import RemovableHandle

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]

ParamsT = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
"""What an optimizer takes: tensors, groups, or names with tensors."""

_global_pre_hooks: OrderedDict[int, Callable] = OrderedDict()
_global_post_hooks: OrderedDict[int, Callable] = OrderedDict()

_LOADED_WITH_OTHER_GROUPS = "loaded state dict has a different number of parameter groups"
_LOADED_WITH_OTHER_SIZES = (
    "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
)
_DUPLICATES = (
    "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
    "see github.com/pytorch/pytorch/issues/40967 for more information"
)
_HOOK_DICTS = (
    "_optimizer_step_pre_hooks",
    "_optimizer_step_post_hooks",
    "_optimizer_state_dict_pre_hooks",
    "_optimizer_state_dict_post_hooks",
    "_optimizer_load_state_dict_pre_hooks",
    "_optimizer_load_state_dict_post_hooks",
)


class _Required:
    """The value of a default that every parameter group must give itself."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


def register_optimizer_step_pre_hook(hook: Callable) -> RemovableHandle:
    """Calls `hook(optimizer, args, kwargs)` before the step of every optimizer."""
    return _register(_global_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable) -> RemovableHandle:
    """Calls `hook(optimizer, args, kwargs)` after the step of every optimizer."""
    return _register(_global_post_hooks, hook)


def _register(hooks: OrderedDict, hook: Callable, prepend: bool = False) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def _type_name(x) -> str:
    """Returns the name that torch.typename gives."""
    if isinstance(x, Tensor):
        place = "" if x._aval.device.type == "cpu" else f"{x._aval.device.type}."
        return f"torch.{place}{x._aval.dtype.scalar_name}Tensor"
    kind = type(x)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _is_leaf(p: Tensor) -> bool:
    return p._edge is None or type(p._edge[0]) is Leaf


def _with_hooks(step: Callable) -> Callable:
    """`step` with the step hooks around it; what was recorded up to its end is one piece of work."""

    @functools.wraps(step)
    def hooked(self, *args, **kwargs):  # hot path
        try:
            self._opt_called = True  # for learning rate schedulers
            if self._optimizer_step_pre_hooks or _global_pre_hooks:
                args, kwargs = _run_pre_hooks(self, step, args, kwargs)
            out = step(self, *args, **kwargs)
            if self._optimizer_step_post_hooks or _global_post_hooks:
                for hook in (*self._optimizer_step_post_hooks.values(), *_global_post_hooks.values()):
                    hook(self, (self, *args), kwargs)
            if not _thread.here.rec.level:
                end_recording()
            return out
        except BaseException as error:
            tidy(error)
            raise

    hooked.hooked = True  # type: ignore[attr-defined]
    return hooked


def _run_pre_hooks(self, step, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    args = (self, *args)
    for hook in (*_global_pre_hooks.values(), *self._optimizer_step_pre_hooks.values()):
        result = hook(self, args, kwargs)
        if result is None:
            continue
        if not (isinstance(result, tuple) and len(result) == 2):
            raise RuntimeError(
                f"{step} must return None or a tuple of (new_args, new_kwargs), but got {result}."
            )
        args, kwargs = result
    return tuple(args[1:]), kwargs


class Optimizer:
    """Base class of optimizers, as `torch.optim.Optimizer`.

    A subclass defines `step`; everything that it records is dispatched, not waited for, when it ends.

    Args:
        params: the parameters to optimize: an iterable of tensors, of (name, tensor) pairs, or of
            dicts with parameter groups.
        defaults: the options of groups that do not give them: a dict.

    Raises TypeError for params that are a Tensor or hold anything else, ValueError for an empty list, for a parameter
    that is not a leaf, and for one in two groups.

    >>> class Sign(torch.optim.Optimizer):
    ...     @torch.no_grad()
    ...     def step(self):
    ...         for group in self.param_groups:
    ...             for p in group["params"]:
    ...                 p -= group["lr"] * p.grad.sign()
    >>> w = torch.tensor([1., -2.], requires_grad=True)
    >>> optimizer = Sign([w], {"lr": 0.5})
    >>> (w ** 2).sum().backward()
    >>> optimizer.step(); w.tolist()
    [0.5, -1.5]
    """

    @tidied
    def __init__(self, params: Iterable, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._add_hook_dicts()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got {_type_name(params)}"
            )
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)
        begin_recording()

    def _add_hook_dicts(self) -> None:
        for name in _HOOK_DICTS:
            if name not in self.__dict__:
                setattr(self, name, OrderedDict())
        step = type(self).step
        if not getattr(step, "hooked", False):
            type(self).step = _with_hooks(step)  # type: ignore[method-assign]

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._add_hook_dicts()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self) -> str:
        lines = [type(self).__name__ + " ("]
        for i, group in enumerate(self.param_groups):
            if i:
                lines.append("")
            lines.append(f"Parameter Group {i}")
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join(lines) + "\n)"

    # -- parameters ---------------------------------------------------------------------------------------------------

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a group: {"params": Tensors, option: value, …}. Options not given take their defaults.

        Raises TypeError for a group that is not a dict, ValueError for a parameter that is in another group or is not
        a leaf.

        >>> w = torch.tensor([1., 2.], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.5)
        >>> optimizer.add_param_group({"params": [torch.zeros(1, requires_grad=True)], "lr": 0.25})
        >>> [group["lr"] for group in optimizer.param_groups]
        [0.5, 0.25]
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        group = param_group
        params = group["params"]
        if isinstance(params, Tensor):
            group["params"] = [params]
        elif isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        else:
            group["params"] = list(params)
        self._take_names(group)
        for p in group["params"]:
            if not isinstance(p, Tensor):
                refuse_pytorchs(p)
                raise TypeError(
                    f"optimizer can only optimize Tensors, but one of the params is {_type_name(p)}"
                )
            if not self.defaults.get("differentiable") and not _is_leaf(p):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in group:
                raise ValueError(
                    f"parameter group didn't specify a value of required optimization parameter {name}"
                )
            group.setdefault(name, default)
        ids = [id(p) for p in group["params"]]
        if len(set(ids)) != len(ids):
            warnings.warn(_DUPLICATES, stacklevel=3)
        if not {id(p) for g in self.param_groups for p in g["params"]}.isdisjoint(ids):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(group)

    def _take_names(self, group: dict[str, Any]) -> None:
        named = [isinstance(p, tuple) for p in group["params"]]
        if any(named):
            if not all(named):
                raise ValueError(
                    "all optimizer params should be with/without names. Some param names are missing"
                )
            names = [name for name, _ in group["params"]]
            group["params"] = [p for _, p in group["params"]]
            group["param_names"] = names
        if self.param_groups:
            has_names, had_names = "param_names" in group, "param_names" in self.param_groups[0]
            if has_names != had_names:
                raise ValueError(
                    "all optimizer param groups should be with/without names. cannot add param group "
                    f"{'with' if has_names else 'without'} names to the optimizer"
                )

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Sets the gradients of all parameters to None, or to zero when `set_to_none=False`.

        >>> w = torch.tensor([1., 2.], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.5)
        >>> w.sum().backward(); optimizer.zero_grad(); print(w.grad)
        None
        """
        for group in self.param_groups:
            for p in group["params"]:
                if set_to_none:  # hot path
                    edge = p._edge
                    if edge is not None and type(edge[0]) is Leaf:
                        edge[0].held = None
                    else:
                        p.grad = None
                elif p.grad is not None:
                    p.grad = p.grad.detach()
                    p.grad.zero_()
        dispatch_ended()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Performs one step of the optimization; `closure` recomputes the loss and returns it.

        >>> w = torch.tensor([1., 2.], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.5)
        >>> (w ** 2).sum().backward(); optimizer.step(); w.tolist()
        [0.0, 0.0]
        """
        raise NotImplementedError

    # -- state --------------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """{"state": {number of the parameter: its state}, "param_groups": […]}. Tensors are not copied.

        >>> w = torch.tensor([1., 2.], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.5)
        >>> saved = optimizer.state_dict()
        >>> saved["state"], saved["param_groups"][0]["params"]
        ({}, [0])
        """
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for p in group["params"]:
                numbers.setdefault(id(p), len(numbers))
            packed = {k: v for k, v in group.items() if k != "params"}
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {(numbers[id(k)] if isinstance(k, Tensor) else k): v for k, v in self.state.items()}
        result = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            changed = hook(self, result)
            if changed is not None:
                result = changed
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over options and state from `state_dict()` of an optimizer over parameters of the same order.

        State that is floating point is cast to its parameter's dtype and device, except the count `step`.

        Raises ValueError for other numbers of groups or of parameters in one.

        >>> w = torch.tensor([1., 2.], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.5)
        >>> saved = torch.optim.SGD([w], lr=0.25).state_dict()
        >>> optimizer.load_state_dict(saved); optimizer.param_groups[0]["lr"]
        0.25
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            changed = hook(self, state_dict)
            if changed is not None:
                state_dict = changed
        groups, saved_groups = self.param_groups, deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved_groups):
            raise ValueError(_LOADED_WITH_OTHER_GROUPS)
        if any(len(g["params"]) != len(s["params"]) for g, s in zip(groups, saved_groups)):
            raise ValueError(_LOADED_WITH_OTHER_SIZES)
        by_number: dict[Hashable, Tensor] = {}
        for group, saved in zip(groups, saved_groups):
            by_number.update(zip(saved["params"], group["params"]))
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in by_number:
                state[by_number[key]] = _as_state_of(by_number[key], value)
            else:
                state[key] = value
        merged = []
        for group, saved in zip(groups, saved_groups):
            saved["params"] = group["params"]
            if "param_names" in group and "param_names" not in saved:
                saved["param_names"] = group["param_names"]
            merged.append(saved)
        self.__setstate__({"state": state, "param_groups": merged})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    # -- hooks --------------------------------------------------------------------------------------------------------

    def register_step_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Calls `hook(optimizer, args, kwargs)` before each step; it may return other (args, kwargs).

        >>> w = torch.tensor([1., 2.], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.5)
        >>> handle = optimizer.register_step_pre_hook(lambda optimizer, args, kwargs: print("stepping"))
        >>> optimizer.step()
        stepping
        """
        return _register(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable) -> RemovableHandle:
        """Calls `hook(optimizer, args, kwargs)` after each step.

        >>> w = torch.tensor([1., 2.], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.5)
        >>> handle = optimizer.register_step_post_hook(lambda optimizer, args, kwargs: print("stepped"))
        >>> optimizer.step()
        stepped
        """
        return _register(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer)` before `state_dict`.

        >>> w = torch.tensor([1., 2.], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.5)
        >>> handle = optimizer.register_state_dict_pre_hook(lambda optimizer: print("saving"))
        >>> _ = optimizer.state_dict()
        saving
        """
        return _register(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer, state_dict)` after `state_dict`; it may return another one.

        >>> w = torch.tensor([1., 2.], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.5)
        >>> handle = optimizer.register_state_dict_post_hook(lambda optimizer, state: {**state, "epoch": 3})
        >>> optimizer.state_dict()["epoch"]
        3
        """
        return _register(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer, state_dict)` before `load_state_dict`; it may return another state_dict.

        >>> w = torch.tensor([1., 2.], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.5)
        >>> handle = optimizer.register_load_state_dict_pre_hook(lambda optimizer, state: print("loading"))
        >>> optimizer.load_state_dict(optimizer.state_dict())
        loading
        """
        return _register(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Calls `hook(optimizer)` after `load_state_dict`.

        >>> w = torch.tensor([1., 2.], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.5)
        >>> handle = optimizer.register_load_state_dict_post_hook(lambda optimizer: print("loaded"))
        >>> optimizer.load_state_dict(optimizer.state_dict())
        loaded
        """
        return _register(self._optimizer_load_state_dict_post_hooks, hook, prepend)


def _as_state_of(p: Tensor, value: Any, key: Any = None) -> Any:
    """A loaded piece of state, its tensors on the parameter's device and, unless it is the count, in its dtype."""
    if isinstance(value, Tensor):
        if key == "step":
            return value
        if p._aval.dtype.is_floating_point:
            return value.to(dtype=p._aval.dtype, device=p._aval.device)
        return value.to(device=p._aval.device)
    if isinstance(value, dict):
        return {k: _as_state_of(p, v, k) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return type(value)(_as_state_of(p, v) for v in value)  # type: ignore[call-arg]
    return value
