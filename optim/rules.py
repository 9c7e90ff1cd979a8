"""What the algorithms share: how a chain of transformations runs, and checks of hyperparameters, in PyTorch's words."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import optax

from functorch_lite._core.tensor import Tensor

__all__ = [
    "as_factor",
    "as_number",
    "as_step",
    "check_at_least_zero",
    "check_betas",
    "check_flags",
    "check_lr",
    "count_of",
    "decay_by",
    "descend",
    "plan_decay",
    "run_chain",
    "takes_part",
]

_EMPTY = optax.EmptyState()


def run_chain(parts: list[tuple], params, grads):
    """Runs a chain of (transformation, its state): the new parameters, and the transformations' new states."""
    chain = optax.chain(*[transformation for transformation, _ in parts])
    updates, states = chain.update(grads, tuple(state for _, state in parts), params)
    return optax.apply_updates(params, updates), states


def decay_by(weight_decay) -> list[tuple]:
    """The link that adds weight decay; `weight_decay` is a list, empty when there is none."""
    return [(optax.add_decayed_weights(w), _EMPTY) for w in weight_decay]


def descend(lr) -> tuple:
    return optax.scale_by_learning_rate(lr), _EMPTY


def count_of(step):
    return step.astype(jnp.int32)


# -- arguments ---------------------------------------------------------------------------------------------------------


def as_number(x) -> Any:
    """A hyperparameter as the step's op takes it: a Python float, or the user's Tensor."""
    return x if type(x) is float or isinstance(x, Tensor) else float(x)


def as_factor(x, argument: str) -> Any:
    """The same of one that torch hands on as this argument of an op (`alpha=`, `value=`), which no tensor with dims can be."""
    if isinstance(x, Tensor) and x.ndim:
        raise TypeError(f"{argument} must be Number, not Tensor")
    return as_number(x)


def as_step(x) -> Any:
    """The same of one that torch writes into a tensor without dims."""
    if isinstance(x, Tensor) and x.ndim:
        raise RuntimeError(f"output with shape [] doesn't match the broadcast shape {list(x.shape)}")
    return as_number(x)


def check_lr(lr) -> None:
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")


def check_at_least_zero(**options) -> None:
    for name, (value, words) in options.items():
        if not 0.0 <= value:
            raise ValueError(f"Invalid {words or name + ' value'}: {value}")


def check_betas(betas) -> None:
    for i in (0, 1):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")


def check_flags(foreach, fused, differentiable) -> None:
    if fused:
        if differentiable:
            raise RuntimeError("`fused` does not support `differentiable`")
        if foreach:
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def takes_part(x) -> bool:
    """Whether a hyperparameter takes part: it is not the number zero."""
    return isinstance(x, Tensor) or x != 0


def plan_decay(group) -> tuple[bool, tuple]:
    decay = group["weight_decay"]
    if decay is True and not group.get("decoupled_weight_decay"):  # torch passes it on as alpha of `add`
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if not takes_part(decay):
        return False, ()
    decoupled = group.get("decoupled_weight_decay")
    return True, (as_number(decay) if decoupled else as_factor(decay, "add(): argument 'alpha'"),)
