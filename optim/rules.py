"""Rules that the algorithms share: how a chain of transformations runs, and checks, in PyTorch's words, of options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import optax

from functorch_lite._core.api import Tensor, dtypes, is_bool, is_numpys

__all__ = [
    "as_factor", "as_number", "as_step", "as_weight", "check_betas", "check_flags", "check_lr", "check_options", "chosen",
    "count_of", "decay_by", "descend", "from_one", "of_old", "plan_decay", "run_chain", "scaled", "shrunk", "takes_part",
]  # fmt: skip

_EMPTY = optax.EmptyState()


def run_chain(parts: list[tuple], params, grads):
    """Runs a chain of (transformation, its state): the new parameters, and the transformations' new states."""
    chain = optax.chain(*[transformation for transformation, _ in parts])
    updates, states = chain.update(grads, tuple(state for _, state in parts), params)
    return optax.apply_updates(params, updates), states


def shrunk(params, lr, weight_decay) -> list:
    """The parameters after decay that is decoupled from the gradient; `weight_decay` is a list, empty when there is
    none."""
    for w in weight_decay:
        params = [(p * (1 - lr * w)).astype(p.dtype) for p in params]
    return params


def decay_by(weight_decay) -> list[tuple]:
    """The link that adds weight decay; `weight_decay` is a list, empty when there is none."""
    return [(optax.add_decayed_weights(w), _EMPTY) for w in weight_decay]


def descend(lr) -> tuple:
    return optax.scale_by_learning_rate(lr), _EMPTY


def count_of(step):
    return step.astype(jnp.int32)


# -- arguments ---------------------------------------------------------------------------------------------------------


def from_one(x) -> Any:
    """1 - x, which bools do not have."""
    return 1 - x


def scaled(x) -> Any:
    """1 * x, which bools have too."""
    return 1 * x


def as_number(x, first: Callable[[Any], Any] | None = None) -> Any:
    """A hyperparameter as the step's op takes it: a Python float, or the user's Tensor.

    `first` is what torch computes of it before it hands it on, if anything: `operator.neg`, `from_one` (which bools
    refuse) or `scaled`.
    """
    if type(x) is float:
        return x
    if isinstance(x, Tensor):
        if x.is_complex():
            raise RuntimeError(f"a hyperparameter is a real number, and this one is of {x.dtype}")
        if first is not None and x.dtype is dtypes.bool_:
            first(x)
        return x
    if first is not None and is_bool(x) and is_numpys(x):
        first(x)
    return float(x)


def as_factor(x, argument: str, first: Callable[[Any], Any] | None = None) -> Any:
    """The same of one that torch hands on as this argument of an op (`alpha=`, `value=`), which is a number or as good
    as one."""
    number = as_number(x, first)
    if isinstance(x, Tensor) and (x.ndim or (x.requires_grad and first is None)):
        raise TypeError(f"{argument} must be Number, not Tensor")
    of_bools = x is True or (isinstance(x, Tensor) and x.dtype is dtypes.bool_)
    if of_bools and first is None and argument.endswith("'alpha'"):
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    return number


def as_step(x, first: Callable[[Any], Any] | None = None) -> Any:
    """The same of one that torch writes into a tensor without dims."""
    number = as_number(x, first)
    if isinstance(x, Tensor) and x.ndim:
        raise RuntimeError(f"output with shape [] doesn't match the broadcast shape {list(x.shape)}")
    return number


def as_weight(x, params) -> Any:
    """The same of one whose distance from 1 torch hands on as the weight of `lerp_`: if it has dims, it is of the
    parameters' dtype."""
    if isinstance(x, Tensor) and x.ndim:
        for p in params:
            if p.dtype is not x.dtype:
                raise RuntimeError(f"expected dtype {p.dtype} for `weight` but got dtype {x.dtype}")
    return as_number(x, from_one)


def chosen(arguments: dict[str, Any], names: str) -> dict[str, Any]:
    """An optimizer's options, in torch's order, among the arguments of its `__init__`:
    `chosen(locals(), "lr betas eps")`."""
    return {name: arguments[name] for name in names.split()}


def of_old(names: str) -> dict[str, Any]:
    """Flags that state dicts of older versions lack, as they are by default."""
    return {name: None if name in ("foreach", "fused") else False for name in names.split()}


def check_lr(lr) -> None:
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")


def check_betas(betas) -> None:
    for i in (0, 1):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")


_WORDS = {"lr": "learning rate", "eps": "epsilon value"}


def check_options(**options) -> None:
    """Raises ValueError for betas outside [0, 1), and for other options that are negative; the first that is wrong is
    named."""
    for name, value in options.items():
        if name == "betas":
            check_betas(value)
            continue
        if name == "lr":
            check_lr(value)
        if not 0.0 <= value:
            raise ValueError(f"Invalid {_WORDS.get(name, f'{name} value')}: {value}")


def check_flags(foreach, fused, differentiable) -> None:
    if fused:
        if differentiable:
            raise RuntimeError("`fused` does not support `differentiable`")
        if foreach:
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def takes_part(x) -> bool:
    """Returns whether a hyperparameter takes part: it is not the number zero."""
    return isinstance(x, Tensor) or x != 0


def plan_decay(group) -> tuple[bool, tuple]:
    decay = group["weight_decay"]
    if type(decay) is float:
        return (True, (decay,)) if decay else (False, ())
    if isinstance(decay, Tensor):
        # what would be refused as a factor may be zero, which takes no part; of others the value is not asked for
        if (decay.ndim or decay.dtype is dtypes.bool_) and not decay:
            return False, ()
    elif decay == 0:
        return False, ()
    decoupled = group.get("decoupled_weight_decay")
    return True, (as_number(decay) if decoupled else as_factor(decay, "add(): argument 'alpha'"),)
