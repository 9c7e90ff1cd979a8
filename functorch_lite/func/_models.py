"""Models, losses, parameters and data, as all that works on training data takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .._core.api import Tensor, from_array
from .._core.api import functions as torch
from ._trees import flatten, unflatten
from .modules import functional_call
from .outermost import transform
from .vmap import vmap

__all__ = [
    "Data", "Objective", "Parameters", "batch_size", "check_reduction", "is_module", "losses_of", "mixes_samples",
    "model_function", "refuse_batch_norm",
    "refuse_dropout", "replayed", "sums_dtype",
]  # fmt: skip


def is_module(model: Any) -> bool:
    """Returns whether a model is an nn.Module."""
    return hasattr(model, "named_parameters") and hasattr(model, "named_buffers")


def model_function(model: Any) -> Callable[[Any, Any], Any]:
    """A model as a function (params, x) -> outputs. A module is called with x, with the elements of a tuple, or with
    the keywords in a dict; its parameters that are not in params are constants."""
    if not is_module(model):
        return model

    def call(params: Any, x: Any) -> Any:
        full = {**params, **_constants(model, params)}
        if isinstance(x, dict):
            return functional_call(model, full, (), x)
        return functional_call(model, full, tuple(x) if isinstance(x, tuple | list) else (x,))

    return call


def _constants(model: Any, params: Any) -> dict[str, Tensor]:
    """The parameters that are not given, by this or another of their names, without their tape."""
    named = list(model.named_parameters(remove_duplicate=False))
    given = {id(p) for name, p in named if name in params}
    out: dict[str, Tensor] = {}
    for name, p in named:
        if id(p) not in given:
            given.add(id(p))
            out[name] = p.detach()
    return out


def replayed(run: Callable, model: Any, loss: Any, *what: Any) -> Callable:
    """`run`, a function of tensors and simple values that closes over a model and a loss: called again with the same
    kinds of arguments it is replayed without
    its Python, where neither model nor loss has changed."""
    run.__wrapped__ = (model, loss)  # type: ignore[attr-defined]  # what may change, beside the arguments
    return transform(run, *what)(run)


def _modules(model: Any) -> Iterator[tuple[str, Any]]:
    return model.named_modules() if is_module(model) else iter(())


def mixes_samples(model: Any) -> bool:
    """Returns whether there is a BatchNorm in training mode."""
    return any(
        "BatchNorm" in type(m).__name__ and (m.training or m.running_mean is None) for _, m in _modules(model)
    )


def refuse_batch_norm(who: str, model: Any, even_in_eval: bool = False) -> None:
    """RuntimeError for a BatchNorm in training mode: it mixes samples, which must stay separate."""
    for name, m in _modules(model):
        if "BatchNorm" in type(m).__name__ and (even_in_eval or m.training or m.running_mean is None):
            raise RuntimeError(
                f"{who}: {name or 'the model'} is a {type(m).__name__}"
                + ("" if even_in_eval else " in training mode")
                + ", whose output for one sample depends on the other samples, so that samples cannot be treated separately. "
                + (
                    "Use GroupNorm or LayerNorm."
                    if even_in_eval
                    else "Call model.eval(), or use GroupNorm or LayerNorm."
                )
            )


def refuse_dropout(who: str, model: Any, check: bool | None = None) -> None:
    """RuntimeError for an active Dropout, with which no two products would be of one matrix. check: what the user said
    of it, None where there is nothing to be said."""
    for name, m in () if check is False else _modules(model):
        if "Dropout" in type(m).__name__ and m.training and m.p > 0:
            raise RuntimeError(
                f"{who}: {name or 'the model'} is an active {type(m).__name__}: no two products would be of the same matrix. Call "
                + ("model.eval()." if check is None else "model.eval(), or say check=False.")
            )


def sums_dtype(who: str, dtype: Any, accumulate: Any) -> Any:
    """The dtype in which sums over data are carried: accumulate, or what parameters of this dtype take. TypeError for
    one of no floating point."""
    if accumulate is None:
        return torch.float32 if dtype in (torch.bfloat16, torch.float16) else dtype
    if not getattr(accumulate, "is_floating_point", False):
        raise TypeError(f"{who}: accumulate must be a floating point dtype, got {accumulate!r}")
    return accumulate


def check_reduction(who: str, loss: Any, reduction: str) -> None:
    """ValueError unless reduction is "mean" or "sum", and what a loss module says."""
    if reduction not in ("mean", "sum"):
        raise ValueError(f"{who}: reduction must be 'mean' or 'sum', got {reduction!r}")
    theirs = getattr(loss, "reduction", None)
    if isinstance(theirs, str) and theirs != reduction:
        raise ValueError(f"{who}: the loss has reduction={theirs!r}, but reduction={reduction!r} was given")


def batch_size(who: str, *trees: Any) -> int:
    """How many samples there are in trees of tensors: their first dimension. ValueError where they differ."""
    leaves = [t for tree in trees for t in flatten(tree)[0] if isinstance(t, Tensor)]
    shapes = [tuple(t.shape) for t in leaves]
    if not shapes or any(not s for s in shapes) or len({s[0] for s in shapes}) != 1:
        raise ValueError(
            f"{who}: the tensors of a batch must have the samples as their first dimension, got shapes {shapes}"
        )
    return shapes[0][0]


class Parameters:
    """A tree of parameters, and trees and vectors that are like it.

    Flat order: leaves in the tree's order, each in C order."""

    def __init__(self, who: str, params: Any):
        self.who, self.tree = who, params
        self.leaves, self.structure = flatten(params)
        if not self.leaves:
            raise ValueError(f"{who}: params holds no tensors")
        for p in self.leaves:
            if not isinstance(p, Tensor):
                raise ValueError(f"{who}: params must hold tensors only, got {type(p).__name__}")
            if not p._aval.taped:
                raise RuntimeError("only Tensors of floating point dtype can require gradients")
        self.shapes = [tuple(p.shape) for p in self.leaves]
        self.sizes = [int(np.prod(s)) for s in self.shapes]
        self.size = sum(self.sizes)

    @property
    def names(self) -> list[str]:
        """Names of leaves: the key in a dict, else the number."""
        return (
            list(map(str, self.tree))
            if isinstance(self.tree, dict)
            else [str(i) for i in range(len(self.leaves))]
        )

    def of(self, leaves: Sequence[Any]) -> Any:
        """The tree with these leaves."""
        return unflatten(self.structure, list(leaves))

    def flat(self, leaves: Sequence[Tensor], more: int = 0) -> Tensor:
        """Leaves as one vector; after `more` first dimensions."""
        return torch.cat([t.reshape(*t.shape[:more], -1) for t in leaves], more)  # type: ignore[attr-defined]

    def split(self, v: Tensor) -> list[Tensor]:
        """A vector, or the last dimension of a tensor, as leaves."""
        parts = torch.split(v, self.sizes, -1)
        return [x.reshape(*v.shape[:-1], *s) for x, s in zip(parts, self.shapes)]  # type: ignore[attr-defined]

    def checked(self, v: Any) -> list[Tensor]:
        """The leaves of a tree like the parameters'; ValueError with what differs."""
        leaves, structure = flatten(v)
        if structure != self.structure:
            if isinstance(v, dict) and isinstance(self.tree, dict):
                if set(v) == set(self.tree) and all(isinstance(t, Tensor) for t in v.values()):
                    return self.checked({k: v[k] for k in self.tree})
                differ = sorted(set(map(str, v)) ^ set(map(str, self.tree)))
                raise ValueError(
                    f"{self.who}: the keys of the tree must be the keys of params, but they differ in {differ}"
                )
            raise ValueError(f"{self.who}: the tree is not like params: {structure} is not {self.structure}")
        for t, s, name in zip(leaves, self.shapes, self.names):
            if tuple(t.shape) != s:
                raise ValueError(f"{self.who}: {name} has shape {tuple(t.shape)}, the parameter {s}")
        return leaves

    def zeros(self, more: tuple[int, ...] = (), dtypes: Sequence[Any] | None = None) -> list[Tensor]:
        """Zeros like the parameters, with more first dimensions and perhaps of other dtypes, made without a program."""
        kinds = [p.dtype for p in self.leaves] if dtypes is None else dtypes
        return [
            from_array(np.zeros((*more, *s), kind.np), on=p._aval.device)
            for p, s, kind in zip(self.leaves, self.shapes, kinds)
        ]


class Data:
    """Batches of (x, y) that can be read again, and how many samples they hold."""

    def __init__(self, who: str, data: Any):
        self.who, self._data = who, data
        if _is_pair(data):
            self._data = [data]
        elif isinstance(data, Iterator) or not hasattr(data, "__iter__"):
            raise TypeError(
                f"{who}: data must be (x, y), a list of such batches, or an iterable that can be read again, such as a DataLoader; got "
                f"{type(data).__name__}. Products read it again and again: make a list of it."
            )
        self._size: int | None = None

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        for batch in self._data:
            if not isinstance(batch, tuple | list) or len(batch) != 2:
                raise ValueError(
                    f"{self.who}: a batch of data must be a pair (x, y), got {type(batch).__name__}"
                )
            yield tuple(batch)  # type: ignore[misc]

    @property
    def samples(self) -> int:
        """How many samples there are; data are read for it once."""
        if self._size is None:
            self._size = sum([batch_size(self.who, x, y) for x, y in self])
            if not self._size:
                raise ValueError(f"{self.who}: expected at least one batch of data, but got none")
        return self._size


def _is_pair(data: Any) -> bool:
    """Returns whether data are one batch: a tuple of two, or a list of two tensors."""
    if not isinstance(data, tuple | list) or len(data) != 2:
        return False
    return isinstance(data, tuple) or all(isinstance(part, Tensor) for part in data)


def losses_of(loss: Callable) -> Callable[[Any, Any], Tensor]:
    """(outputs, targets) of a batch -> the loss of each sample, by a vmap of the loss of one."""

    def one(out: Any, y: Any) -> Tensor:
        single = [unflatten(s, [t[None] for t in leaves]) for leaves, s in (flatten(out), flatten(y))]
        return check_scalar(loss(*single))

    return lambda out, y: vmap(one)(out, y)


def check_scalar(value: Any) -> Tensor:
    """The loss; torch.func.grad's errors if it is not a scalar."""
    if not isinstance(value, Tensor):
        raise RuntimeError(
            f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(value)}"
        )
    if value._aval.shape:
        raise RuntimeError(
            "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
            f"{len(value._aval.shape)} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
        )
    return value


class Objective:
    """w * sum of loss(model(x_n), y_n) over all samples, w being 1 / N or 1: the objective of which operators are
    computed."""

    def __init__(self, who: str, model: Any, loss: Any, params: Any, data: Any, reduction: str, check: bool):
        check_reduction(who, loss, reduction)
        refuse_dropout(who, model, check)
        self.who, self.model, self.loss = who, model, loss
        self.parameters = Parameters(who, params)
        self.call = model_function(model)
        constants = _constants(model, params) if is_module(model) else {}
        if constants:  # without their tape once, outside of all that is recorded
            call = self.call
            self.call = lambda params, x: call({**constants, **params}, x)
        self.data = Data(who, data)
        self.reduction = reduction
        self.losses = losses_of(loss) if loss is not None else None

    @property
    def weight(self) -> float:
        """w."""
        return 1.0 / self.data.samples if self.reduction == "mean" else 1.0
