"""Reading and replacing a module's tensors and submodules by their dotted names: what stateless modules are built
with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from functorch_lite._core.api import Tensor
from functorch_lite.nn.modules import Module

__all__ = ["NamedMemberAccessor"]


class _Missing:
    """The class of _MISSING, which stands for a missing tensor: swapping it in deletes the attribute."""

    def __repr__(self) -> str:
        return "<missing>"


_MISSING: Any = _Missing()


def _check(module: Any, name: str, what: str) -> None:
    if not isinstance(module, Module):
        raise TypeError(f"{module} is not an instance of torch.nn.Module")
    if "." in name:
        raise KeyError(f'{what} name can\'t contain "."')
    if not name:
        raise KeyError(f'{what} name can\'t be empty string ""')


def _check_tensor(x: Any, before: str = "") -> None:
    if x is not None and x is not _MISSING and not isinstance(x, Tensor):
        raise TypeError(f"{before}{x} is not an instance of torch.Tensor")


def set_tensor(module: Module, name: str, tensor: Tensor | None) -> None:
    """Makes `tensor` the parameter, buffer or attribute `name`, whether there was one or not."""
    swap_tensor(module, name, tensor, allow_missing=True)


def swap_tensor(module: Module, name: str, tensor: Any, allow_missing: bool = False) -> Any:
    """Makes `tensor` the parameter, buffer or attribute `name`, and gives what was there before."""
    _check(module, name, "tensor")
    _check_tensor(tensor)
    for registry in (module._parameters, module._buffers):
        if name in registry:
            before = registry[name]
            if tensor is _MISSING:
                del registry[name]
            else:
                registry[name] = tensor
            return before
    before = getattr(module, name, _MISSING)
    if before is _MISSING and not allow_missing:
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    _check_tensor(before, f"attribute `{name}`: ")
    if tensor is not _MISSING:
        setattr(module, name, tensor)
    elif before is not _MISSING:
        delattr(module, name)
    return before


def swap_submodule(module: Module, name: str, submodule: Module) -> Module:
    """Makes `submodule` the child `name`, and gives the one before."""
    _check(module, name, "submodule")
    if not isinstance(submodule, Module):
        raise TypeError(f"{submodule} is not an instance of torch.nn.Module")
    if name not in module._modules:
        raise KeyError(f"submodule {name} does not exist")
    before = module._modules[name]
    if not isinstance(before, Module):
        raise TypeError(f"{name} attribute is not an instance of torch.nn.Module")
    module._modules[name] = submodule
    return before


class NamedMemberAccessor:
    """A module's tensors and submodules by their dotted names. Submodules that were found are remembered.

    >>> access = NamedMemberAccessor(nn.Sequential(nn.Linear(1, 1)))
    >>> access.set_tensor("0.weight", torch.ones(1, 1))
    >>> access.get_tensor("0.weight")
    tensor([[1.]])
    """

    def __init__(self, module: Module) -> None:
        self.module = module
        self.memo: dict[str, Module] = {}

    def get_submodule(self, name: str) -> Module:
        """The submodule of this name; the module itself for the empty one."""
        if not name:
            return self.module
        if name in self.memo:
            return self.memo[name]
        path, _, last = name.rpartition(".")
        module = self.get_submodule(path)
        try:
            found = getattr(module, last)
        except AttributeError as error:
            raise AttributeError(f"{module._get_name()} has no attribute `{last}`") from error
        if not isinstance(found, Module):
            raise TypeError(f"submodule `{name}`: {found} is not an instance of torch.nn.Module")
        self.memo[name] = found
        return found

    def swap_submodule(self, path: str, value: Module) -> Module:
        """Makes `value` the submodule at this path, and gives the one before."""
        prefix, _, last = path.rpartition(".")
        return swap_submodule(self.get_submodule(prefix), last, value)

    def _holder(self, name: str) -> tuple[Module, str]:
        prefix, _, last = name.rpartition(".")
        return self.get_submodule(prefix), last

    def get_tensor(self, name: str) -> Tensor:
        """The tensor of this name."""
        module, last = self._holder(name)
        try:
            found = getattr(module, last)
        except AttributeError as error:
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`") from error
        _check_tensor(found)
        return found

    def set_tensor(self, name: str, value: Tensor | None) -> None:
        """Makes `value` the tensor of this name."""
        module, last = self._holder(name)
        set_tensor(module, last, value)

    def del_tensor(self, name: str) -> None:
        """Deletes the attribute of this name."""
        module, last = self._holder(name)
        try:
            delattr(module, last)
        except AttributeError as error:
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`") from error

    def swap_tensor(self, name: str, value: Any, allow_missing: bool = False) -> Any:
        """Makes `value` the tensor of this name, and gives the one before."""
        module, last = self._holder(name)
        return swap_tensor(module, last, value, allow_missing)

    def get_tensors(self, names: Iterable[str]) -> list[Tensor]:
        """The tensors of these names."""
        return [self.get_tensor(name) for name in names]

    def set_tensors(self, names: Iterable[str], values: Iterable[Tensor | None]) -> None:
        """set_tensor for each name."""
        for name, value in _paired(names, values):
            self.set_tensor(name, value)

    def set_tensors_dict(self, named_tensors: dict[str, Any]) -> None:
        """set_tensor for each item."""
        for name, value in named_tensors.items():
            self.set_tensor(name, value)

    def del_tensors(self, names: Iterable[str]) -> None:
        """del_tensor for each name."""
        for name in names:
            self.del_tensor(name)

    def swap_tensors(
        self, names: Iterable[str], values: Iterable[Any], allow_missing: bool = False
    ) -> list[Any]:
        """swap_tensor for each name: what was there before."""
        return [self.swap_tensor(name, value, allow_missing) for name, value in _paired(names, values)]

    def swap_tensors_dict(
        self, named_tensors: dict[str, Any], allow_missing: bool = False
    ) -> tuple[dict[str, Any], list[str]]:
        """Swaps tensors by name. Returns the previous tensors, and the names that had none. After an error everything
        is as it was."""
        before: dict[str, Any] = {}
        try:
            for name, value in named_tensors.items():
                before[name] = self.swap_tensor(name, value, allow_missing=True)
            missing = [name for name, value in before.items() if value is _MISSING]
            if missing and not allow_missing:
                raise RuntimeError(f"Missing key(s): {', '.join(map(repr, missing))}.")
        except Exception:
            for name, value in before.items():
                self.swap_tensor(name, value, allow_missing=True)
            raise
        return before, missing

    def check_keys(self, keys: Iterable[str]) -> tuple[list[str], list[str]]:
        """The names of tensors that are not among `keys`, and the keys that name none."""
        given, known = set(keys), {name for name, _ in self.named_tensors(remove_duplicate=False)}
        return sorted(known - given), sorted(given - known)

    def named_parameters(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """The module's parameters with their names."""
        yield from self.module.named_parameters(remove_duplicate=remove_duplicate)

    def named_buffers(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """The module's buffers with their names."""
        yield from self.module.named_buffers(remove_duplicate=remove_duplicate)

    def named_tensors(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """Parameters, then buffers."""
        yield from self.named_parameters(remove_duplicate)
        yield from self.named_buffers(remove_duplicate)

    def named_modules(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:
        """The module and its submodules with their names."""
        yield from self.module.named_modules(remove_duplicate=remove_duplicate)


def _paired(names: Iterable[str], values: Iterable[Any]) -> Iterable[tuple[str, Any]]:
    names, values = list(names), list(values)
    if len(names) != len(values):
        raise AssertionError(
            f"names and values must have the same length, got {len(names)} names and {len(values)} values"
        )
    return zip(names, values)
