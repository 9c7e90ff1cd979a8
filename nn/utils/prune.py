"""Pruning: masks over parameters, applied before each forward pass.

A pruned parameter `name` is kept as `name_orig`, its mask as the buffer `name_mask`, and `name` is their product.
"""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from functorch_lite._core.api import Tensor, tidied
from functorch_lite._core.api import functions as torch
from functorch_lite.nn.modules import Module

__all__ = [
    "BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured", "PruningContainer",
    "RandomStructured", "RandomUnstructured", "custom_from_mask", "global_unstructured", "identity", "is_pruned",
    "l1_unstructured", "ln_structured", "random_structured", "random_unstructured", "remove",
]  # fmt: skip


class BasePruningMethod(ABC):
    """A way to choose what is pruned: subclasses define `PRUNING_TYPE` ("unstructured", "structured" or "global") and
    `compute_mask`. An instance is the forward-pre-hook of one parameter.

    >>> from functorch_lite.nn.utils import prune
    >>> class Negative(prune.BasePruningMethod):
    ...     PRUNING_TYPE = "unstructured"
    ...     def compute_mask(self, t, default_mask):
    ...         return default_mask * (t > 0)
    >>> Negative().prune(torch.tensor([1., -1.])).tolist()
    [1.0, -0.0]
    """

    PRUNING_TYPE: str
    _tensor_name: str

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask for a tensor with these (importance) values, of which default_mask prunes some already."""

    def apply_mask(self, module: Module) -> Tensor:
        """The parameter times its mask."""
        if getattr(self, "_tensor_name", None) is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask, original = (
            getattr(module, f"{self._tensor_name}_mask"),
            getattr(module, f"{self._tensor_name}_orig"),
        )
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(
        cls, module: Module, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any
    ) -> BasePruningMethod:
        """Prunes a parameter of the module, in addition to what prunes it already."""
        method: BasePruningMethod = cls(*args, **kwargs)
        method._tensor_name = name
        found = [
            (key, hook)
            for key, hook in module._forward_pre_hooks.items()
            if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
        ]
        if len(found) > 1:
            raise AssertionError(
                f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a PruningContainer."
            )
        again = bool(found)
        for key, old in found:
            del module._forward_pre_hooks[key]
            container = old if isinstance(old, PruningContainer) else PruningContainer(old)
            container.add_pruning_method(method)
            method = container
        original = getattr(module, name)
        if importance_scores is None:
            importance_scores = original
        elif importance_scores.shape != original.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, got "
                f"{importance_scores.shape} vs {original.shape}"
            )
        if again:
            default_mask = getattr(module, f"{name}_mask").detach().clone()
        else:
            default_mask = torch.ones_like(original.detach())
            del module._parameters[name]
            module.register_parameter(f"{name}_orig", original)
        try:
            mask = method.compute_mask(importance_scores.detach(), default_mask=default_mask)
            module.register_buffer(f"{name}_mask", mask)
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if not again:  # the parameter is as it was
                del module._parameters[f"{name}_orig"]
                module.register_parameter(name, original)
            raise
        return method

    def prune(
        self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None
    ) -> Tensor:
        """t with the pruned elements zero; no module takes part."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError("importance_scores should have the same shape as tensor t")
        default_mask = torch.ones_like(t.detach()) if default_mask is None else default_mask
        return t * self.compute_mask(scores.detach(), default_mask=default_mask)

    def remove(self, module: Module) -> None:
        """Makes the pruned values the parameter's own. (The hook is taken away by the function `remove`.)"""
        if getattr(self, "_tensor_name", None) is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        name = self._tensor_name
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters[f"{name}_orig"]
        original.data = weight.data  # type: ignore[union-attr]
        del module._parameters[f"{name}_orig"]
        del module._buffers[f"{name}_mask"]
        setattr(module, name, original)


class PruningContainer(BasePruningMethod):
    """Several methods that prune one parameter, one after the other; each sees what those before it left.

    >>> from functorch_lite.nn.utils import prune
    >>> model = nn.Linear(4, 1, bias=False)
    >>> _ = nn.init.constant_(model.weight, 1.0)
    >>> with torch.no_grad():
    ...     model.weight[0, 0] = 0.5
    >>> _ = prune.l1_unstructured(model, "weight", amount=1)
    >>> _ = prune.random_unstructured(model, "weight", amount=1)
    >>> model.weight_mask.sum().item()
    2.0
    """

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple = ()
        methods = args[0] if len(args) == 1 and isinstance(args[0], Iterable) else args
        for method in methods:
            if not self._pruning_methods and isinstance(method, BasePruningMethod):
                self._tensor_name = method._tensor_name
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod | None) -> None:
        """Adds a method of the same parameter."""
        if method is not None and not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to PruningContainer "
                f"{self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self):
        return iter(self._pruning_methods)

    def __getitem__(self, index: int) -> BasePruningMethod:
        return self._pruning_methods[index]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """default_mask with what the last method prunes of the rest."""
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        if method.PRUNING_TYPE == "unstructured":
            rest: Any = mask == 1
        elif method.PRUNING_TYPE == "structured":
            if not hasattr(method, "dim"):
                raise AttributeError(
                    "Pruning methods of PRUNING_TYPE 'structured' need to have the attribute `dim` defined."
                )
            dim = method.dim + t.dim() if method.dim < 0 else method.dim
            kept = mask.sum(dim=[d for d in range(t.dim()) if d != dim]) != 0
            rest = (*[slice(None)] * dim, kept)
        elif method.PRUNING_TYPE == "global":
            rest = (slice(None),) * t.dim()
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        made = mask.clone()
        made[rest] = method.compute_mask(t[rest], default_mask=mask[rest]).to(dtype=mask.dtype)
        return made


def _check_amount(amount: Any) -> None:
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    whole = isinstance(amount, numbers.Integral)
    if amount < 0 or (not whole and amount > 1):
        raise ValueError(
            f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer"
        )


def _count(amount: Any, size: int) -> int:
    """Returns the number of `size` that are pruned."""
    if not isinstance(amount, numbers.Integral):
        return round(amount * size)
    if amount > size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={size}")
    return int(amount)


def _check_structured(t: Tensor, dim: int) -> None:
    if len(t.shape) <= 1:
        raise ValueError(
            f"Structured pruning can only be applied to multidimensional tensors. Found tensor of shape {t.shape} with "
            f"{len(t.shape)} dims"
        )
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


class Identity(BasePruningMethod):
    """Prunes nothing, but makes the parameter a pruned one.

    >>> from functorch_lite.nn.utils import prune
    >>> t = torch.tensor([1., -3., 2., -4.])
    >>> prune.Identity().prune(t).tolist()
    [1.0, -3.0, 2.0, -4.0]
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask

    @classmethod
    def apply(cls, module: Module, name: str) -> BasePruningMethod:  # type: ignore[override]
        return super().apply(module, name)


class _Unstructured(BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: Any) -> None:
        _check_amount(amount)
        self.amount = amount

    def _order(self, t: Tensor) -> Tensor:
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = _count(self.amount, t.nelement())
        mask = default_mask.clone()
        if count:
            lowest = torch.topk(self._order(t).reshape(-1), k=count, largest=False).indices
            mask = mask.reshape(-1).index_fill(0, lowest, 0).reshape(mask.shape)
        return mask


class RandomUnstructured(_Unstructured):
    """Prunes elements at random: `amount` of them, or that share.

    >>> from functorch_lite.nn.utils import prune
    >>> t = torch.tensor([1., -3., 2., -4.])
    >>> (prune.RandomUnstructured(amount=0.5).prune(t) == 0).sum().item()
    2
    """

    def _order(self, t: Tensor) -> Tensor:
        return -torch.rand_like(t)  # PyTorch prunes where the largest numbers are drawn

    @classmethod
    def apply(cls, module: Module, name: str, amount: Any) -> BasePruningMethod:  # type: ignore[override]
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Unstructured):
    """Prunes the elements of least absolute value: `amount` of them, or that share.

    >>> from functorch_lite.nn.utils import prune
    >>> t = torch.tensor([1., -3., 2., -4.])
    >>> prune.L1Unstructured(amount=2).prune(t).tolist()
    [0.0, -3.0, 0.0, -4.0]
    """

    def _order(self, t: Tensor) -> Tensor:
        return torch.abs(t)

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Module, name: str, amount: Any, importance_scores: Tensor | None = None
    ) -> BasePruningMethod:
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class _Structured(BasePruningMethod):
    PRUNING_TYPE = "structured"

    def __init__(self, amount: Any, dim: int = -1) -> None:
        _check_amount(amount)
        self.amount = amount
        self.dim = dim

    def _score(self, t: Tensor) -> Tensor:
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        _check_structured(t, self.dim)
        size = t.shape[self.dim]
        count = _count(self.amount, size)
        if not count:
            return default_mask
        kept = torch.topk(self._score(t), k=size - count, largest=True).indices
        return torch.zeros_like(t).index_fill(self.dim, kept, 1) * default_mask


class RandomStructured(_Structured):
    """Prunes whole channels along `dim` at random: `amount` of them, or that share.

    >>> from functorch_lite.nn.utils import prune
    >>> t = torch.tensor([[1., 2.], [3., 4.]])
    >>> (prune.RandomStructured(amount=1, dim=0).prune(t) == 0).sum().item()
    2
    """

    def _score(self, t: Tensor) -> Tensor:
        return torch.rand(t.shape[self.dim])

    @classmethod
    def apply(cls, module: Module, name: str, amount: Any, dim: int = -1) -> BasePruningMethod:  # type: ignore[override]
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_Structured):
    """Prunes the channels along `dim` of least n-norm: `amount` of them, or that share.

    >>> from functorch_lite.nn.utils import prune
    >>> t = torch.tensor([[1., 2.], [3., 4.]])
    >>> prune.LnStructured(amount=1, n=2, dim=0).prune(t).tolist()
    [[0.0, 0.0], [3.0, 4.0]]
    """

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def _score(self, t: Tensor) -> Tensor:
        dim = self.dim + t.dim() if self.dim < 0 else self.dim
        return torch.norm(t, p=self.n, dim=[d for d in range(t.dim()) if d != dim])

    @classmethod
    def apply(  # type: ignore[override]
        cls,
        module: Module,
        name: str,
        amount: Any,
        n: Any,
        dim: int,
        importance_scores: Tensor | None = None,
    ) -> BasePruningMethod:
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes by a given mask.

    >>> from functorch_lite.nn.utils import prune
    >>> t = torch.tensor([1., -3., 2., -4.])
    >>> prune.CustomFromMask(torch.tensor([1, 0, 1, 0])).prune(t).tolist()
    [1.0, -0.0, 2.0, -0.0]
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Module, name: str, mask: Tensor) -> BasePruningMethod:  # type: ignore[override]
        return super().apply(module, name, mask=mask)


@tidied
def identity(module: Module, name: str) -> Module:
    """Makes a parameter a pruned one of which nothing is pruned. Returns the module.

    >>> from functorch_lite.nn.utils import prune
    >>> model = nn.Linear(4, 1, bias=False)
    >>> _ = nn.init.constant_(model.weight, 1.0)
    >>> with torch.no_grad():
    ...     model.weight[0, 0] = 0.5
    >>> [name for name, _ in prune.identity(model, "weight").named_buffers()]
    ['weight_mask']
    """
    Identity.apply(module, name)
    return module


@tidied
def random_unstructured(module: Module, name: str, amount: Any) -> Module:
    """Prunes elements of a parameter at random: `amount` of them, or that share. Returns the module.

    >>> from functorch_lite.nn.utils import prune
    >>> model = nn.Linear(4, 1, bias=False)
    >>> _ = nn.init.constant_(model.weight, 1.0)
    >>> with torch.no_grad():
    ...     model.weight[0, 0] = 0.5
    >>> prune.random_unstructured(model, "weight", amount=0.25).weight_mask.sum().item()
    3.0
    """
    RandomUnstructured.apply(module, name, amount)
    return module


@tidied
def l1_unstructured(
    module: Module, name: str, amount: Any, importance_scores: Tensor | None = None
) -> Module:
    """Prunes the elements of least absolute value (or importance): `amount` of them, or that share. Returns the module.

    >>> m = l1_unstructured(nn.Linear(2, 3), "weight", amount=0.5)
    >>> int(m.weight_mask.sum())
    3
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


@tidied
def random_structured(module: Module, name: str, amount: Any, dim: int) -> Module:
    """Prunes whole channels along `dim` at random. Returns the module.

    >>> from functorch_lite.nn.utils import prune
    >>> model = nn.Linear(4, 1, bias=False)
    >>> _ = nn.init.constant_(model.weight, 1.0)
    >>> with torch.no_grad():
    ...     model.weight[0, 0] = 0.5
    >>> prune.random_structured(model, "weight", amount=2, dim=1).weight_mask.sum().item()
    2.0
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


@tidied
def ln_structured(
    module: Module, name: str, amount: Any, n: Any, dim: int, importance_scores: Tensor | None = None
) -> Module:
    """Prunes the channels along `dim` of least n-norm. Returns the module.

    >>> from functorch_lite.nn.utils import prune
    >>> model = nn.Linear(4, 1, bias=False)
    >>> _ = nn.init.constant_(model.weight, 1.0)
    >>> with torch.no_grad():
    ...     model.weight[0, 0] = 0.5
    >>> prune.ln_structured(model, "weight", amount=1, n=1, dim=1).weight.tolist()
    [[0.0, 1.0, 1.0, 1.0]]
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


@tidied
def global_unstructured(
    parameters: Any, pruning_method: Any, importance_scores: dict | None = None, **kwargs: Any
) -> None:
    """Prunes parameters, given as pairs (module, name), together: the least important elements of all of them.

    >>> from functorch_lite.nn.utils import prune
    >>> model = nn.Linear(4, 1, bias=False)
    >>> _ = nn.init.constant_(model.weight, 1.0)
    >>> with torch.no_grad():
    ...     model.weight[0, 0] = 0.5
    >>> prune.global_unstructured([(model, "weight")], prune.L1Unstructured, amount=1)
    >>> model.weight.tolist()
    [[0.0, 1.0, 1.0, 1.0]]
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    pairs = list(parameters)
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    values, masks = [], []
    for module, name in pairs:
        tensor = getattr(module, name).detach()
        values.append(scores.get((module, name), tensor).detach().reshape(-1))
        masks.append(getattr(module, f"{name}_mask", torch.ones_like(tensor)).reshape(-1))
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    mask = PruningContainer(method).compute_mask(torch.cat(values), torch.cat(masks))
    start = 0
    for module, name in pairs:
        tensor = getattr(module, name)
        end = start + tensor.numel()
        custom_from_mask(module, name, mask=mask[start:end].view_as(tensor))
        start = end


@tidied
def custom_from_mask(module: Module, name: str, mask: Tensor) -> Module:
    """Prunes a parameter where mask is 0. Returns the module.

    >>> from functorch_lite.nn.utils import prune
    >>> model = nn.Linear(4, 1, bias=False)
    >>> _ = nn.init.constant_(model.weight, 1.0)
    >>> with torch.no_grad():
    ...     model.weight[0, 0] = 0.5
    >>> prune.custom_from_mask(model, "weight", torch.tensor([[1, 0, 1, 0]])).weight.tolist()
    [[0.5, 0.0, 1.0, 0.0]]
    """
    CustomFromMask.apply(module, name, mask)
    return module


@tidied
def remove(module: Module, name: str) -> Module:
    """Makes the pruned values the parameter's own, and the parameter an ordinary one. Returns the module.

    >>> from functorch_lite.nn.utils import prune
    >>> model = nn.Linear(4, 1, bias=False)
    >>> _ = nn.init.constant_(model.weight, 1.0)
    >>> with torch.no_grad():
    ...     model.weight[0, 0] = 0.5
    >>> _ = prune.l1_unstructured(model, "weight", amount=1)
    >>> [name for name, _ in prune.remove(model, "weight").named_parameters()]
    ['weight']
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Module) -> bool:
    """Returns whether a parameter of the module, or of one below it, is pruned.

    >>> from functorch_lite.nn.utils import prune
    >>> model = nn.Linear(4, 1, bias=False)
    >>> _ = nn.init.constant_(model.weight, 1.0)
    >>> with torch.no_grad():
    ...     model.weight[0, 0] = 0.5
    >>> prune.is_pruned(model), prune.is_pruned(prune.identity(model, "weight"))
    (False, True)
    """
    return any(
        isinstance(hook, BasePruningMethod)
        for m in module.modules()
        for hook in m._forward_pre_hooks.values()
    )
