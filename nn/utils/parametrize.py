"""Parametrizations: a tensor of a module as a function of other tensors, which are what is trained and saved.

A parametrized module becomes an instance of a class of its own, "Parametrized…", whose property computes the tensor
at each access; `parametrizations.<name>` holds the functions and their inputs (`original`, or `original0`, …).
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Sequence
from typing import Any

from functorch_lite._core.api import Tensor
from functorch_lite._core.api import functions as torch
from functorch_lite.nn.modules import Module, ModuleDict, ModuleList
from functorch_lite.nn.modules._registry import instance_dict
from functorch_lite.nn.parameter import Parameter

__all__ = [
    "ParametrizationList", "cached", "is_parametrized", "register_parametrization", "remove_parametrizations",
    "transfer_parametrizations_and_params", "type_before_parametrizations",
]  # fmt: skip

_cache_enabled = 0
_cache: dict[tuple[int, str], Tensor] = {}


@contextlib.contextmanager
def cached():
    """Within it each parametrized tensor is computed once, at its first access.

    >>> from functorch_lite.nn.utils import parametrize
    >>> class Exp(nn.Module):
    ...     def forward(self, x):
    ...         return x.exp()
    >>> model = nn.Linear(2, 1)
    >>> _ = parametrize.register_parametrization(model, "weight", Exp())
    >>> with parametrize.cached():
    ...     model.weight is model.weight
    True
    """
    global _cache_enabled
    _cache_enabled += 1
    try:
        yield
    finally:
        _cache_enabled -= 1
        if not _cache_enabled:
            _cache.clear()


def _register(module: Module, name: str, tensor: Tensor) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _set(destination: Tensor, source: Tensor) -> None:
    """Makes destination hold source's values, whatever its shape was; it stays the same object and leaf."""
    if destination is not source:
        destination.set_(source.detach())


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, applied in order, and what the first of them is applied to.

    Args:
        modules: the parametrizations, in order.
        original: the tensor to parametrize.
        unsafe: whether shape and dtype may change without a check. Default: False.

    Attributes:
        original: the tensor that is trained; `original0`, `original1`, … when `right_inverse` gives several.
        is_tensor: whether there is one. ntensors: how many there are. unsafe: whether shapes and dtypes may change.

    >>> from functorch_lite.nn.utils import parametrize
    >>> class Exp(nn.Module):
    ...     def forward(self, x):
    ...         return x.exp()
    >>> model = nn.Linear(2, 1)
    >>> _ = parametrize.register_parametrization(model, "weight", Exp())
    >>> model.parametrizations.weight
    ParametrizationList(
      (0): Exp()
    )
    """

    original: Tensor
    unsafe: bool

    def __init__(self, modules: Sequence[Module], original: Tensor | Parameter, unsafe: bool = False) -> None:
        """Registers the tensor, or tensors, that `modules` are applied to: `original`, passed through each
        `right_inverse`, last one first. ValueError where these, or the parametrizations, return something that cannot
        take the place of `original`."""
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with torch.no_grad():
            new: Any = original
            for module in reversed(self):  # type: ignore[arg-type]
                if hasattr(module, "right_inverse"):
                    try:
                        new = module.right_inverse(new)
                    except NotImplementedError:
                        pass  # then the tensor itself is taken as the original
        if not isinstance(new, Tensor) and not isinstance(new, Sequence):
            raise ValueError(
                f"'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got {type(new).__name__}"
            )
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            if dtype is not new.dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {dtype}\nright_inverse(original).dtype: {new.dtype}"
                )
            if original.device != new.device:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the device.\n"
                    f"original.device: {original.device}\nright_inverse(original).device: {new.device}"
                )
            with torch.no_grad():
                _set(original, new)
            _register(self, "original", original)
        else:
            for i, part in enumerate(new):
                if not isinstance(part, Tensor):
                    raise ValueError(
                        "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got element "
                        f"{i} of the sequence with type {type(part).__name__}."
                    )
                if isinstance(original, Parameter):
                    part = Parameter(part, original.requires_grad)
                part.requires_grad_(original.requires_grad)
                _register(self, f"original{i}", part)
        if not unsafe:
            made = self()
            if not isinstance(made, Tensor):
                raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
            if made.dtype is not dtype:
                raise ValueError(
                    "Registering a parametrization may not change the dtype of the tensor, unless `unsafe` flag is enabled.\n"
                    f"unparametrized dtype: {dtype}\nparametrized dtype: {made.dtype}"
                )
            if made.shape != shape:
                raise ValueError(
                    "Registering a parametrization may not change the shape of the tensor, unless `unsafe` flag is enabled.\n"
                    f"unparametrized shape: {shape}\nparametrized shape: {made.shape}"
                )

    def right_inverse(self, value: Tensor) -> None:
        """Sets the originals to what the parametrizations' right_inverse give for `value`, last one first."""
        with torch.no_grad():
            new: Any = value
            for module in reversed(self):  # type: ignore[arg-type]
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse."
                    )
                new = module.right_inverse(new)
            if self.is_tensor:
                if not isinstance(new, Tensor):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(new).__name__}")
                if new.dtype is not self.original.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {new.dtype} while `original` has dtype "
                        f"{self.original.dtype}"
                    )
                _set(self.original, new)
                return
            if not isinstance(new, Sequence):
                raise ValueError(
                    f"'right_inverse' must return a sequence of tensors. Got {type(new).__name__}."
                )
            if len(new) != self.ntensors:
                raise ValueError(
                    f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a sequence of length "
                    f"{len(new)}."
                )
            for i, part in enumerate(new):
                original = getattr(self, f"original{i}")
                if not isinstance(part, Tensor):
                    raise ValueError(
                        f"`right_inverse` must return a sequence of tensors. Got element {i} of type {type(part).__name__}"
                    )
                if original.dtype is not part.dtype:
                    raise ValueError(
                        f"Tensor {i} returned by `right_inverse` has dtype {part.dtype} while `original{i}` has dtype "
                        f"{original.dtype}"
                    )
                _set(original, part)

    def forward(self) -> Tensor:
        first, *others = list(self)  # type: ignore[call-overload]
        if self.is_tensor:
            made = first(self.original)
        else:
            made = first(*[getattr(self, f"original{i}") for i in range(self.ntensors)])
        for module in others:
            made = module(made)
        return made


def _parametrized_class(module: Module) -> None:
    """Gives the module a class of its own, below the one it had."""
    cls = type(module)

    def __getstate__(self):
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). See:\n"
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
            "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
        )

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        replica = memo[id(self)] = type(self).__new__(type(self))
        instance_dict(replica).update(copy.deepcopy(dict(self.__dict__), memo))
        return replica

    members: dict[str, Any] = {"__getstate__": __getstate__}
    if not hasattr(cls, "__deepcopy__"):
        members["__deepcopy__"] = __deepcopy__
    made = type(f"Parametrized{cls.__name__}", (cls,), members)
    made.__module__ = __name__
    module.__class__ = made


def _inject_property(module: Module, name: str) -> None:
    """The property that computes the tensor, on the module's own class."""

    def get(self) -> Tensor:
        if not _cache_enabled:
            return self.parametrizations[name]()
        key = (id(self), name)
        found = _cache.get(key)
        if found is None:
            found = _cache[key] = self.parametrizations[name]()
        return found

    def put(self, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, put))


def _check_next(module: Module, name: str, parametrization: Module) -> None:
    """Checks that another parametrization keeps dtype and shape, in both directions."""
    now = getattr(module, name)
    made = parametrization(now)
    if not isinstance(made, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
    for what in ("dtype", "shape"):
        if getattr(made, what) != getattr(now, what):
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` flag is enabled.\n"
                f"module.{name}.{what}: {getattr(now, what)}\n"
                f"parametrization(module.{name}).{what}: {getattr(made, what)}"
            )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(made)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    for what in ("dtype", "shape"):
        if getattr(back, what) != getattr(now, what):
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {what} as module.{name}, unless the "
                f"`unsafe` flag is enabled.\nmodule.{name}.{what}: {getattr(now, what)}\n"
                f"returned {what}: {getattr(back, what)}"
            )


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Makes `module.<tensor_name>` a function of the tensor it was: `parametrization(original)`. Returns the module.

    The parametrization may have a method `right_inverse`, with which assigning works (and the first original is
    found); it may give several tensors.

    Args:
        module: the module with the tensor.
        tensor_name: the name of the tensor. None, where it is the default, means all of them.
        parametrization: the module that computes the tensor from the original.
        unsafe: whether shape and dtype may change without a check. Default: False.

    >>> class Symmetric(nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).T
    >>> m = register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
    >>> torch.equal(m.weight, m.weight.T)
    True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_next(module, tensor_name, parametrization)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        parametrizations = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _parametrized_class(module)
            module.parametrizations = ModuleDict()
        _inject_property(module, tensor_name)
        module.parametrizations[tensor_name] = parametrizations
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{tensor_name}'"
        )
    return module


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Returns whether the module (or the tensor of this name in it) is parametrized.

    Args:
        module: the module with the tensor.
        tensor_name: the name of the tensor. None, where it is the default, means all of them.

    >>> from functorch_lite.nn.utils import parametrize
    >>> class Exp(nn.Module):
    ...     def forward(self, x):
    ...         return x.exp()
    >>> model = nn.Linear(2, 1)
    >>> _ = parametrize.register_parametrization(model, "weight", Exp())
    >>> parametrize.is_parametrized(model), parametrize.is_parametrized(model, "bias")
    (True, False)
    """
    parametrizations = getattr(module, "parametrizations", None)
    if not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Makes the tensor an ordinary one again: with its present value, or (leave_parametrized=False) the original's.

    Args:
        module: the module with the tensor.
        tensor_name: the name of the tensor. None, where it is the default, means all of them.
        leave_parametrized: whether the tensor keeps its present value. False restores the
            original. Default: True.

    >>> from functorch_lite.nn.utils import parametrize
    >>> class Exp(nn.Module):
    ...     def forward(self, x):
    ...         return x.exp()
    >>> model = nn.Linear(2, 1)
    >>> _ = parametrize.register_parametrization(model, "weight", Exp())
    >>> _ = parametrize.remove_parametrizations(model, "weight")
    >>> bool((model.weight > 0).all()), parametrize.is_parametrized(model)
    (True, False)
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations[tensor_name]
    if parametrizations.is_tensor:
        original = parametrizations.original
        if leave_parametrized:
            with torch.no_grad():
                _set(original, getattr(module, tensor_name))
    elif leave_parametrized:
        with torch.no_grad():
            value = getattr(module, tensor_name)
        trained = any(p.requires_grad for p in parametrizations.parameters(recurse=False))
        original = Parameter(value) if trained else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a sequence of "
            "tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The module's class, without its parametrizations.

    Args:
        module: the module with the tensor.

    >>> from functorch_lite.nn.utils import parametrize
    >>> class Exp(nn.Module):
    ...     def forward(self, x):
    ...         return x.exp()
    >>> model = nn.Linear(2, 1)
    >>> _ = parametrize.register_parametrization(model, "weight", Exp())
    >>> type(model).__name__, parametrize.type_before_parametrizations(model).__name__
    ('ParametrizedLinear', 'Linear')
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Parametrizes to_module as from_module is (or one tensor of it), with the same values. Returns to_module.

    Args:
        from_module: the parametrized module.
        to_module: the module to parametrize.
        tensor_name: the name of the tensor. None, where it is the default, means all of them.

    >>> from functorch_lite.nn.utils import parametrize
    >>> class Exp(nn.Module):
    ...     def forward(self, x):
    ...         return x.exp()
    >>> model = nn.Linear(2, 1)
    >>> _ = parametrize.register_parametrization(model, "weight", Exp())
    >>> other = parametrize.transfer_parametrizations_and_params(model, nn.Linear(2, 1))
    >>> torch.equal(other.weight, model.weight)
    True
    """
    if not is_parametrized(from_module):
        return to_module
    if tensor_name is not None and not is_parametrized(from_module, tensor_name):
        return to_module
    names = list(from_module.parametrizations) if tensor_name is None else [tensor_name]
    for name in names:
        source = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(source.original))
        for parametrization in source:
            register_parametrization(to_module, name, parametrization)
        target = to_module.parametrizations[name]
        if source.is_tensor:
            target.original = source.original
        else:
            for i in range(source.ntensors):
                setattr(target, f"original{i}", getattr(source, f"original{i}"))
    return to_module
