"""The part of Module that walks the tree of modules: named members, children, look-up by dotted path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from functorch_lite._core.api import Tensor
from functorch_lite.nn.parameter import Parameter

from ._registry import ModuleBase

__all__ = ["Traversal"]


class Traversal(ModuleBase):
    """Walks a tree of modules. Duplicates are reported once, under the first name, unless `remove_duplicate=False`."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]

    def _get_name(self) -> str:
        return type(self).__name__

    # ---- walking

    def named_children(self) -> Iterator[tuple[str, Any]]:
        """The immediate children with their names.

        >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        >>> [name for name, _ in model.named_children()]
        ['0', '1']
        """
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Any]:
        """The immediate children.

        >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        >>> [type(child).__name__ for child in model.children()]
        ['Linear', 'ReLU']
        """
        for _, module in self.named_children():
            yield module

    def named_modules(
        self, memo: set | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """The module itself and all modules below it, depth first, with their dotted names.

        >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        >>> [name for name, _ in model.named_modules()]
        ['', '0', '1']
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                below = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, below, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Any]:
        """The module itself and all modules below it.

        >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        >>> [type(m).__name__ for m in model.modules()]
        ['Sequential', 'Linear', 'ReLU']
        """
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def _named_members(
        self,
        get_members_fn: Callable[[Any], Any],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        seen = set()
        if recurse:
            holders = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        else:
            holders = [(prefix, self)]
        for where, module in holders:
            for name, member in get_members_fn(module):
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield (f"{where}.{name}" if where else name), member

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their dotted names, in the order of registration.

        >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        >>> [name for name, _ in model.named_parameters()]
        ['0.weight', '0.bias']
        """
        yield from self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters, of this module and (if `recurse`) all below it.

        >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        >>> [tuple(p.shape) for p in model.parameters()]
        [(3, 2), (3,)]
        """
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their dotted names, in the order of registration.

        >>> [name for name, _ in nn.BatchNorm1d(3).named_buffers()]
        ['running_mean', 'running_var', 'num_batches_tracked']
        """
        yield from self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers, of this module and (if `recurse`) all below it.

        >>> [tuple(b.shape) for b in nn.BatchNorm1d(3).buffers()]
        [(3,), (3,), ()]
        """
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    # ---- look-up by path

    def get_submodule(self, target: str) -> Any:
        """The module at the dotted path `target`; this module for "". AttributeError if there is none.

        >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        >>> model.get_submodule("1")
        ReLU()
        """
        if target == "":
            return self
        module: Any = self
        for step in target.split("."):
            if not hasattr(module, step):
                raise AttributeError(f"{module._get_name()} has no attribute `{step}`")
            module = getattr(module, step)
            if not isinstance(module, Traversal):
                raise AttributeError(f"`{step}` is not an nn.Module")
        return module

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at the dotted path `target`.

        AttributeError if there is none.

        >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        >>> tuple(model.get_parameter("0.weight").shape)
        (3, 2)
        """
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        parameter = getattr(module, name)
        if not isinstance(parameter, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return parameter

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at the dotted path `target`.

        AttributeError if there is none.

        >>> model = nn.Sequential(nn.BatchNorm1d(2))
        >>> model.get_buffer("0.running_var").tolist()
        [1.0, 1.0]
        """
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        buffer = getattr(module, name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return buffer

    def set_submodule(self, target: str, module: Any, strict: bool = False) -> None:
        """Puts `module` at the dotted path `target`. With `strict` there must be a module already; without, a missing
        last step is added.

        >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        >>> model.set_submodule("1", nn.Tanh()); model[1]
        Tanh()
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        path, _, name = target.rpartition(".")
        if not isinstance(module, Traversal):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Traversal):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)
