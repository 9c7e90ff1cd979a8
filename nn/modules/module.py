"""Module: the base class of all layers, with PyTorch's whole protocol.

Its parts: `_registry` (where members are kept, and why looking them up is cheap), `_traversal` (walking the tree),
`_state_dict` (saving and loading), `_conversion` (dtypes and devices), `_global_hooks`, `_backward_hooks`. Here:
registration, attributes, hooks, calling, printing, copying.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from functorch_lite._core.api import Tensor, dispatch_ended, tidied, tidy
from functorch_lite.nn.parameter import Buffer, Parameter
from functorch_lite.utils.hooks import RemovableHandle

from ._backward_hooks import BackwardHooks
from ._conversion import Conversion
from ._global_hooks import (
    _ONE_KIND,
    CallHooks,
    _global_backward_hooks,
    _global_backward_pre_hooks,
    _global_buffer_registration_hooks,
    _global_forward_hooks,
    _global_forward_hooks_always_called,
    _global_forward_hooks_with_kwargs,
    _global_forward_pre_hooks,
    _global_module_registration_hooks,
    _global_parameter_registration_hooks,
    global_hooks_are_full,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
    registered,
)
from ._legacy_backward_hooks import hook_the_output, warn_of_the_tape
from ._registry import REGISTRIES, ModuleBase, Registry, drop_cached, instance_dict
from ._state_dict import EXTRA_STATE as _EXTRA_STATE_KEY_SUFFIX  # noqa: F401
from ._state_dict import StateDict
from ._state_dict import _IncompatibleKeys as _IncompatibleKeys
from ._traversal import Traversal

__all__ = [
    "Module", "register_module_backward_hook", "register_module_buffer_registration_hook",
    "register_module_forward_hook", "register_module_forward_pre_hook", "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook", "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]  # fmt: skip

_HOOK_DICTS = {
    "_backward_pre_hooks": CallHooks,
    "_backward_hooks": CallHooks,
    "_forward_hooks": CallHooks,
    "_forward_hooks_with_kwargs": OrderedDict,
    "_forward_hooks_always_called": OrderedDict,
    "_forward_pre_hooks": CallHooks,
    "_forward_pre_hooks_with_kwargs": OrderedDict,
    "_state_dict_hooks": OrderedDict,
    "_state_dict_pre_hooks": OrderedDict,
    "_load_state_dict_pre_hooks": OrderedDict,
    "_load_state_dict_post_hooks": OrderedDict,
}


class compiler:
    """Slot of `Module.compile`: `marked(fn, ...)` gives what calls of fn go through; set by
    `compiler/torch_compile.py`."""

    marked: Callable[..., Callable]


class _Call:
    """State of a call with hooks while it runs, for the hooks that are called when it fails."""

    def __init__(self, args: tuple, kwargs: dict):
        self.args = args
        self.kwargs = kwargs
        self.result: Any = None
        self.done: set[int] = set()

    def run_silenced(self, module: Module, hook: Callable, with_kwargs: bool, who: str) -> None:
        """Calls a hook after another error; its own becomes a warning."""
        try:
            args = (self.args, self.kwargs) if with_kwargs else (self.args,)
            out = hook(module, *args, self.result)
            if out is not None:
                self.result = out
        except Exception as silenced:
            warnings.warn(
                f"{who} forward hook with ``always_call=True`` raised an exception that was silenced as "
                f"another error was raised in forward: {silenced}",
                stacklevel=4,
            )


def _typename(obj: Any) -> str:
    """The name of an object's type as torch's error sentences give it."""
    if isinstance(obj, Tensor):
        return obj.type()
    cls = obj if isinstance(obj, type) else type(obj)
    where = (cls.__module__ or "").replace("functorch_lite", "torch", 1)
    return cls.__qualname__ if where in ("", "builtins") else f"{where}.{cls.__qualname__}"


class Module(Conversion):
    """Base class of all neural network modules: subclass it, assign parameters and submodules in `__init__` after
    `super().__init__()`, and define `forward`.

    Attributes:
        training: whether the module is in training mode.

    >>> class Scale(Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = Parameter(torch.ones(1))
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> list(Scale().state_dict())
    ['factor']
    """

    dump_patches: bool = False
    call_super_init: bool = False
    _compiled_call_impl: Any = None
    training: bool
    _is_full_backward_hook: bool | None
    _backward_pre_hooks: OrderedDict[int, Callable]
    _backward_hooks: OrderedDict[int, Callable]
    _forward_hooks: OrderedDict[int, Callable]
    _forward_hooks_with_kwargs: OrderedDict[int, bool]
    _forward_hooks_always_called: OrderedDict[int, bool]
    _forward_pre_hooks: OrderedDict[int, Callable]
    _forward_pre_hooks_with_kwargs: OrderedDict[int, bool]

    def __init__(self, *args, **kwargs) -> None:
        if not self.call_super_init:
            name = type(self).__name__
            if kwargs:
                raise TypeError(
                    f"{name}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
                )
            if args:
                raise TypeError(
                    f"{name}.__init__() takes 1 positional argument but {len(args) + 1} were given"
                )
        own = instance_dict(self)
        own["training"] = True
        own["_parameters"] = Registry()
        own["_buffers"] = Registry()
        own["_non_persistent_buffers_set"] = set()
        own["_is_full_backward_hook"] = None
        for hooks, kind in _HOOK_DICTS.items():
            own[hooks] = kind()
        own["_modules"] = Registry()
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    # ---- calling

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # hot path
        try:
            if CallHooks.in_use and (
                self._compiled_call_impl
                or self._backward_hooks
                or self._backward_pre_hooks
                or self._forward_hooks
                or self._forward_pre_hooks
                or _global_backward_pre_hooks
                or _global_backward_hooks
                or _global_forward_hooks
                or _global_forward_pre_hooks
            ):
                return (self._compiled_call_impl or self._call_with_hooks)(args, kwargs)
            if len(args) == 1 and not kwargs:  # nearly always; spreading them costs as much again
                return self.forward(args[0])
            return self.forward(*args, **kwargs)
        except BaseException as error:
            tidy(error, keep=2)  # which layer it was
            raise

    def _wrapped_call_impl(self, *args, **kwargs):
        return Module.__call__(self, *args, **kwargs)

    def _call_impl(self, *args, **kwargs):
        """Calls the module, hooks included: `compile` marks this."""
        return self._call_with_hooks(args, kwargs)

    if TYPE_CHECKING:  # with arguments of its own
        forward: Callable[..., Any]
    else:

        def forward(self, *input: Any) -> Any:
            """Computes the module's result: every subclass defines it. Call the module itself, so that hooks run.

            Raises NotImplementedError where none is defined.

            >>> class Double(nn.Module):
            ...     def forward(self, x):
            ...         return 2 * x
            >>> Double()(torch.ones(2)).tolist()
            [2.0, 2.0]
            """
            raise NotImplementedError(
                f'Module [{type(self).__name__}] is missing the required "forward" function'
            )

    def _call_with_hooks(self, args: tuple, kwargs: dict):
        call = _Call(args, kwargs)
        try:
            return self._forward_between_hooks(call)
        except Exception:
            for who, hooks, marked, with_kwargs in (
                ("global module", _global_forward_hooks, _global_forward_hooks_always_called, ()),
                (
                    "module",
                    self._forward_hooks,
                    self._forward_hooks_always_called,
                    self._forward_hooks_with_kwargs,
                ),
            ):
                for id_, hook in hooks.items():
                    if id_ in marked and id_ not in call.done:
                        call.run_silenced(self, hook, id_ in with_kwargs, who)
            raise

    def _forward_between_hooks(self, call: _Call):
        args, kwargs = call.args, call.kwargs
        for id_, hook in (*_global_forward_pre_hooks.items(), *self._forward_pre_hooks.items()):
            if id_ in self._forward_pre_hooks_with_kwargs:
                out = hook(self, args, kwargs)
                if out is not None:
                    if not (isinstance(out, tuple) and len(out) == 2):
                        raise RuntimeError(
                            f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {out}."
                        )
                    call.args, call.kwargs = args, kwargs = out
            else:
                out = hook(self, args)
                if out is not None:
                    call.args = args = out if isinstance(out, tuple) else (out,)

        backward, legacy = self._backward_hooks_by_kind()
        pre = [*_global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]
        hooks = BackwardHooks(self, backward, pre) if backward or pre else None
        if hooks is not None:
            call.args = args = hooks.wrap_inputs(args)
        call.result = result = self.forward(*args, **kwargs)

        for id_, hook in (*_global_forward_hooks.items(), *self._forward_hooks.items()):
            call.done.add(id_)
            if id_ in self._forward_hooks_with_kwargs or id_ in _global_forward_hooks_with_kwargs:
                out = hook(self, args, kwargs, result)
            else:
                out = hook(self, args, result)
            if out is not None:
                call.result = result = out
        if hooks is not None:
            result = hooks.wrap_outputs(result)
        if legacy and pre:
            raise NotImplementedError(
                "register_backward_hook cannot be combined with a full backward pre-hook; use register_full_backward_hook, which receives the gradients that the pre-hook returned"
            )
        if legacy:
            hook_the_output(self, args, result, legacy)
        return result

    def _backward_hooks_by_kind(self) -> tuple[list[Callable], list[Callable]]:
        """(full backward hooks, legacy ones): the global ones first."""
        kinds: tuple[list[Callable], list[Callable]] = ([], [])
        if _global_backward_hooks:
            kinds[0 if global_hooks_are_full() else 1].extend(_global_backward_hooks.values())
        if self._backward_hooks:
            kinds[0 if self._is_full_backward_hook else 1].extend(self._backward_hooks.values())
        return kinds

    @tidied
    def compile(self, *args, **kwargs) -> None:
        """Marks calls of this module, hooks included, as `torch.compile` does with its arguments.

        `forward` by itself is not marked. A copy of the module is not either, nor is a pickled one, as in PyTorch.

        >>> model = nn.Linear(2, 1)
        >>> model.compile(); tuple(model(torch.ones(3, 2)).shape)
        (3, 1)
        """
        call = compiler.marked(self._call_impl, *args, **kwargs)
        if not kwargs.get("disable"):
            instance_dict(self)["_compiled_call_impl"] = call
            CallHooks.in_use = True

    # ---- hooks

    def register_forward_pre_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Calls `hook(module, args)` before `forward`; it may return new arguments.

        with_kwargs: `hook(module, args, kwargs)`, which may return `(args, kwargs)`. prepend: before those registered.

        >>> relu = nn.ReLU()
        >>> handle = relu.register_forward_pre_hook(lambda module, args: (-args[0],))
        >>> relu(-torch.ones(2)).tolist()
        [1.0, 1.0]
        """
        handle = RemovableHandle(self._forward_pre_hooks, extra_dict=self._forward_pre_hooks_with_kwargs)
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        return _put(self._forward_pre_hooks, handle, hook, prepend)

    def register_forward_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Calls `hook(module, args, output)` after `forward`; it may return a new output.

        with_kwargs: `hook(module, args, kwargs, output)`. always_call: also when `forward` raises.

        >>> relu = nn.ReLU()
        >>> handle = relu.register_forward_hook(lambda module, args, output: 2 * output)
        >>> relu(torch.ones(2)).tolist()
        [2.0, 2.0]
        >>> handle.remove(); relu(torch.ones(2)).tolist()
        [1.0, 1.0]
        """
        handle = RemovableHandle(
            self._forward_hooks,
            extra_dict=[self._forward_hooks_with_kwargs, self._forward_hooks_always_called],
        )
        if with_kwargs:
            self._forward_hooks_with_kwargs[handle.id] = True
        if always_call:
            self._forward_hooks_always_called[handle.id] = True
        return _put(self._forward_hooks, handle, hook, prepend)

    def register_full_backward_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Calls `hook(module, grad_output)` when the gradients of the outputs are known; it may return new ones.

        >>> relu, x = nn.ReLU(), torch.ones(2, requires_grad=True)
        >>> handle = relu.register_full_backward_pre_hook(lambda module, grad_output: (3 * grad_output[0],))
        >>> relu(x).sum().backward(); x.grad.tolist()
        [3.0, 3.0]
        """
        return _put(self._backward_pre_hooks, RemovableHandle(self._backward_pre_hooks), hook, prepend)

    def register_full_backward_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Calls `hook(module, grad_input, grad_output)` when the gradients of the inputs are known; it may return new
        ones for the inputs.

        >>> relu, x = nn.ReLU(), torch.ones(2, requires_grad=True)
        >>> handle = relu.register_full_backward_hook(lambda module, grad_input, grad_output: (3 * grad_input[0],))
        >>> relu(x).sum().backward(); x.grad.tolist()
        [3.0, 3.0]
        """
        if self._is_full_backward_hook is False:
            raise RuntimeError(_ONE_KIND.format("on a single Module"))
        self._is_full_backward_hook = True
        return _put(self._backward_hooks, RemovableHandle(self._backward_hooks), hook, prepend)

    def register_backward_hook(self, hook: Callable) -> RemovableHandle:
        """Deprecated in favor of `register_full_backward_hook`: calls `hook(module, grad_input, grad_output)` with what
        `grad_fn.register_hook` of the output gives: the gradients of the op that made it, in the order of its inputs
        (of nn.Linear: input, weight, bias). PyTorch may tape another op there, and a FutureWarning says so.

        >>> relu, x = nn.ReLU(), torch.ones(2, requires_grad=True)
        >>> handle = relu.register_backward_hook(lambda module, grad_input, grad_output: (3 * grad_input[0],))
        >>> relu(x).sum().backward(); x.grad.tolist()
        [3.0, 3.0]
        """
        if self._is_full_backward_hook is True:
            raise RuntimeError(_ONE_KIND.format("on a single Module"))
        self._is_full_backward_hook = False
        warn_of_the_tape("register_backward_hook")
        return _put(self._backward_hooks, RemovableHandle(self._backward_hooks), hook, False)

    # ---- registration

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a parameter under `name`; None keeps the name free for later.

        Raises KeyError for a name that contains a dot, is empty or is an attribute, TypeError for a value that is not
        a Parameter, ValueError for a tensor that was computed.

        >>> model = nn.Module()
        >>> model.register_parameter("w", nn.Parameter(torch.ones(2))); model.w.tolist()
        [1.0, 1.0]
        """
        own = instance_dict(self)
        if "_parameters" not in own:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name("parameter", name, "_parameters")
        if param is None:
            own["_parameters"][name] = None
            return
        if not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{_typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To "
                f"express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        hooks = _global_parameter_registration_hooks
        own["_parameters"][name] = registered(hooks, self, name, param) if hooks else param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds a tensor that is not a parameter; it is part of `state_dict()` only if `persistent`.

        Raises KeyError for a name that contains a dot, is empty or is an attribute, TypeError for a value that is not
        a Tensor.

        >>> model = nn.Module()
        >>> model.register_buffer("count", torch.tensor(0)); list(model.state_dict())
        ['count']
        """
        own = instance_dict(self)
        if "_buffers" not in own:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{_typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        own["_buffers"][name] = registered(_global_buffer_registration_hooks, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Adds a child module under `name`.

        Raises KeyError for a name that contains a dot, is empty or is an attribute, TypeError for a value that is not
        a Module.

        >>> model = nn.Module()
        >>> model.add_module("fc", nn.Linear(2, 1)); model.fc
        Linear(in_features=2, out_features=1, bias=True)
        """
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{_typename(module)} is not a Module subclass")
        self._check_name("module", name, "_modules")
        self._modules[name] = registered(_global_module_registration_hooks, self, name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """The same as `add_module`.

        >>> model = nn.Module()
        >>> model.register_module("fc", nn.Linear(2, 1)); model.fc
        Linear(in_features=2, out_features=1, bias=True)
        """
        self.add_module(name, module)

    def _check_name(self, kind: str, name: Any, where: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {_typename(name)}")
        exists = hasattr(self, name) and name not in instance_dict(self)[where]
        if kind == "module" and exists:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."' + (f", got: {name}" if kind == "module" else ""))
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if exists:
            raise KeyError(f"attribute '{name}' already exists")

    # ---- attributes

    @property
    def __dict__(self) -> dict:  # type: ignore[override]
        own = instance_dict(self)
        drop_cached(own)
        return own

    @__dict__.setter
    def __dict__(self, value: dict) -> None:
        ModuleBase.__dict__["__dict__"].__set__(self, value)

    def __getattr__(self, name: str) -> Any:
        own = instance_dict(self)
        for where in REGISTRIES:
            members = own.get(where)
            if members is not None and name in members:
                value = members[name]
                # A subclass's own __getattr__ must go on seeing every access.
                if type(members) is Registry and type(self).__getattr__ is _module_getattr:
                    members.cache(self, own, name, value)
                return value
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets an attribute; a Parameter, a Module and the tensor of a buffer go to their registries, as in PyTorch.
        TypeError for a value of the wrong kind under a registered name."""
        own = instance_dict(self)
        parameters, modules, buffers = own.get("_parameters"), own.get("_modules"), own.get("_buffers")
        is_tensor = isinstance(value, Tensor)
        if (  # the common case first: an ordinary attribute
            not is_tensor
            and modules is not None
            and name not in modules
            and name not in parameters
            and name not in buffers
            and name not in REGISTRIES
            and not isinstance(value, Module)
        ):
            if name in _HOOK_DICTS:  # a dict of the user's, who may put hooks into it
                CallHooks.in_use = True
            object.__setattr__(self, name, value)
            return
        if is_tensor and isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget_elsewhere(name, "_parameters")
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{_typename(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget_elsewhere(name, "_modules")
            modules[name] = registered(_global_module_registration_hooks, self, name, value)
        elif modules is not None and name in modules:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{_typename(value)}' as child module '{name}' (torch.nn.Module or None expected)"
                )
            modules[name] = registered(_global_module_registration_hooks, self, name, value)
        elif buffers is not None and name in buffers:
            if value is not None and not is_tensor:
                raise TypeError(
                    f"cannot assign '{_typename(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)"
                )
            if is_tensor and isinstance(value, Buffer):
                self.register_buffer(name, value, value.persistent)
            else:
                buffers[name] = registered(_global_buffer_registration_hooks, self, name, value)
        elif is_tensor and isinstance(value, Buffer):
            if buffers is None:
                raise AttributeError("cannot assign buffer before Module.__init__() call")
            self.register_buffer(name, value, value.persistent)
        else:
            if name in REGISTRIES:
                drop_cached(own)
            object.__setattr__(self, name, value)

    def _forget_elsewhere(self, name: str, where: str) -> None:
        """Removes `name` from wherever else it is kept, before a member of that name goes to `where`."""
        own = instance_dict(self)
        for registry in REGISTRIES:
            if registry != where and name in own.get(registry, ()):
                del own[registry][name]
        if name in own and name not in own[where]:
            del own[name]
        own["_non_persistent_buffers_set"].discard(name)

    def __delattr__(self, name: str) -> None:
        for where in REGISTRIES:
            members = instance_dict(self).get(where, ())
            if name in members:
                del members[name]
                if where == "_buffers":
                    self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self):
        own = instance_dict(self)
        names = {*dir(type(self)), *own, *self._parameters, *self._modules, *self._buffers}
        return sorted(name for name in names if not name[0].isdigit())

    # ---- copying and pickling

    def __getstate__(self) -> dict:
        state = self.__dict__.copy()
        state.pop("_compiled_call_impl", None)
        return state

    def __setstate__(self, state: dict) -> None:
        own = instance_dict(self)
        own.update(state)
        for where in REGISTRIES:
            if type(own.get(where)) in (dict, OrderedDict):
                own[where] = Registry(own[where])
        for hooks, kind in _HOOK_DICTS.items():
            if hooks not in own:  # absent in what older versions pickled
                own[hooks] = kind()
            elif type(own[hooks]) is not kind:
                CallHooks.in_use = True
        own.setdefault("_non_persistent_buffers_set", set())
        own.setdefault("_is_full_backward_hook", None)

    # ---- modes

    def train(self, mode: bool = True):
        """Sets training mode on this module and all below it. Returns self.

        >>> model = nn.Sequential(nn.Dropout()).train(False)
        >>> model[0].training
        False
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """The same as `train(False)`.

        >>> nn.Dropout().eval()(torch.ones(2)).tolist()
        [1.0, 1.0]
        """
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True):
        """Switches gradients of all parameters on or off, in place. Returns self.

        >>> nn.Linear(2, 1).requires_grad_(False).weight.requires_grad
        False
        """
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drops the gradients of all parameters, or zeroes them if `set_to_none` is false.

        >>> model = nn.Linear(2, 1)
        >>> model(torch.ones(1, 2)).sum().backward()
        >>> model.zero_grad(); print(model.weight.grad)
        None
        """
        for parameter in self.parameters():
            if parameter.grad is None:
                continue
            if set_to_none:
                parameter.grad = None
            elif parameter.grad.grad_fn is not None:
                parameter.grad.detach_().zero_()
            else:
                parameter.grad.requires_grad_(False).zero_()
        dispatch_ended()

    # ---- printing

    def extra_repr(self) -> str:
        """Returns what `repr` shows of the module itself; overridden by subclasses.

        >>> nn.Linear(2, 1).extra_repr()
        'in_features=2, out_features=1, bias=True'
        """
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): " + repr(m).replace("\n", "\n  ") for name, m in self._modules.items()]
        if not children and len(lines) <= 1:
            return f"{self._get_name()}({extra})"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines + children) + "\n)"


_module_getattr = Module.__getattr__

for _part in (Traversal, StateDict, Conversion):  # in tracebacks and error sentences its methods are Module's
    for _method in vars(_part).values():
        if isinstance(_method, FunctionType):
            _method.__qualname__ = f"Module.{_method.__name__}"


def _put(hooks: OrderedDict, handle: RemovableHandle, hook: Callable, prepend: bool) -> RemovableHandle:
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle
