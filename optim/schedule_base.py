"""LRScheduler: the base class of learning rate schedulers. The schedules are in schedules.py and schedule_cycles.py."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Iterable
from contextlib import contextmanager
from functools import wraps
from types import FunctionType
from typing import Any

from functorch_lite._core.api import Tensor, tidied
from functorch_lite.optim.optimizer import Optimizer

__all__ = [
    "EPOCH_DEPRECATED", "LRScheduler", "as_optimizer", "attributes_of", "in_step", "per_group", "set_option",
]  # fmt: skip

EPOCH_DEPRECATED = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed form "
    "is used instead of the new chainable form, where available. If you are unable to replicate your use case, "
    "set the learning rates in `optimizer.param_groups`."
)
_HOW_TO = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
_WRONG_ORDER = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call them "
    "in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in PyTorch "
    f"skipping the first value of the learning rate schedule. {_HOW_TO}"
)
_OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, make sure "
    f"to call `optimizer.step()` before `lr_scheduler.step()`. {_HOW_TO}"
)
_ASK_LAST = "To get the last learning rate computed by the scheduler, please use `get_last_lr()`."


def _kept(x: Any) -> Any:
    """A value to remember: Tensors are written in place later, so a copy of them."""
    return x.clone() if isinstance(x, Tensor) else x


def set_option(group: dict[str, Any], key: str, value: Any) -> None:
    """Sets an option of a parameter group; a Tensor there is written in place."""
    if isinstance(group[key], Tensor):
        group[key].fill_(float(value))
    else:
        group[key] = value


class LRScheduler:
    """Base class of schedulers: a subclass gives `get_lr()`, the learning rates of all groups at `last_epoch`.

    It may give `_get_closed_form_lr()` too, which `step(epoch)` uses.

    Args:
        optimizer: the optimizer whose learning rates are scheduled.
        last_epoch: the epoch to continue from. Default: -1, the start of training.

    Raises TypeError if the optimizer is none. `step()` comes after `optimizer.step()`; otherwise it warns.

    >>> class Halving(torch.optim.lr_scheduler.LRScheduler):
    ...     def get_lr(self):
    ...         return [lr * 0.5 ** self.last_epoch for lr in self.base_lrs]
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = Halving(optimizer)
    >>> optimizer.step(); scheduler.step(); scheduler.get_last_lr()
    [0.5]
    """

    _get_lr_called_within_step: bool = False
    _is_initial: bool = False

    @tidied
    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = as_optimizer(optimizer)
        if last_epoch == -1:
            for group in optimizer.param_groups:
                group.setdefault("initial_lr", _kept(group["lr"]))
        else:
            for i, group in enumerate(optimizer.param_groups):
                if "initial_lr" not in group:
                    raise KeyError(
                        f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with "
                        "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
                        "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 "
                        "for a fresh training run (not recommended)"
                    )
        self.base_lrs: list[Any] = [_kept(group["initial_lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        _count_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict()` gave."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The learning rates set last, one for each group."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The learning rates at `last_epoch`, computed from the current ones."""
        raise NotImplementedError

    @tidied
    def step(self, epoch: int | None = None) -> None:
        """Goes to the next epoch, or to `epoch` (deprecated), and sets the optimizer's learning rates."""
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "hooked"):
                warnings.warn(_OVERRIDDEN, UserWarning, stacklevel=3)
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn(_WRONG_ORDER, UserWarning, stacklevel=3)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATED, UserWarning, stacklevel=3)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        closed_form = getattr(self, "_get_closed_form_lr", None)
        self._get_lr_called_within_step = True
        try:
            if epoch is None:
                self.last_epoch += 1
                values = self.get_lr()
            else:
                self.last_epoch = epoch
                values = closed_form() if closed_form is not None else self.get_lr()
        finally:
            self._get_lr_called_within_step = False
        self._set(values)

    def _set(self, values: Iterable[Any]) -> None:
        for group, lr in zip(self.optimizer.param_groups, values):
            set_option(group, "lr", lr)
        self._remember()

    def _remember(self) -> None:
        self._last_lr: list[Any] = [_kept(group["lr"]) for group in self.optimizer.param_groups]

    def _lrs(self) -> list[Any]:
        return [_kept(group["lr"]) for group in self.optimizer.param_groups]

    def _times(self, factor: float) -> list[Any]:
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _warn_unless_in_step(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(_ASK_LAST, UserWarning, stacklevel=3)


def as_optimizer(x: Any) -> Optimizer:
    """x, if it is an Optimizer; torch's TypeError otherwise."""
    if not isinstance(x, Optimizer):
        raise TypeError(f"{type(x).__name__} is not an Optimizer")
    return x


def _count_steps(optimizer: Any) -> None:
    """Lets the optimizer tell, from the first scheduler on, whether its step was called since."""
    if getattr(optimizer, "_steps_are_counted", False):
        return
    optimizer._steps_are_counted = True
    optimizer._opt_called = False
    if not hasattr(optimizer.step, "hooked"):  # the user's own function: wrapped, without a reference cycle
        function, owner = optimizer.step, weakref.ref(optimizer)

        @wraps(function)
        def step(*args, **kwargs):
            owner()._opt_called = True  # type: ignore[union-attr]
            return function(*args, **kwargs)

        step.hooked = True  # type: ignore[attr-defined]
        optimizer.step = step


@contextmanager
def in_step(scheduler: LRScheduler):
    """A context in which `get_lr` does not warn that it is called by hand."""
    scheduler._get_lr_called_within_step = True
    try:
        yield
    finally:
        scheduler._get_lr_called_within_step = False


def per_group(optimizer: Optimizer, name: str, value: Any) -> list[Any]:
    """`value` for each parameter group: itself, or the elements of a list of that many; copies of Tensors, which
    schedules write to."""
    groups = optimizer.param_groups
    if not isinstance(value, list | tuple):
        return [_copy(value) for _ in groups]
    if len(value) != len(groups):
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
            f"param_groups has {len(groups)}."
        )
    return [_copy(v) for v in value]


def _copy(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value


def attributes_of(fn: Any) -> dict[str, Any] | None:
    """Returns what a state_dict keeps of a function given by the user: the attributes of a callable object, None of a
    function."""
    return None if isinstance(fn, FunctionType) else dict(fn.__dict__)
