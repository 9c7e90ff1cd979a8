"""Schedules of the learning rate by functions and epochs, combinations of schedules, and ReduceLROnPlateau."""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from functorch_lite.optim.optimizer import Optimizer
from functorch_lite.optim.schedule_base import (
    EPOCH_DEPRECATED,
    LRScheduler,
    as_optimizer,
    attributes_of,
    set_option,
)

__all__ = [
    "ChainedScheduler", "ConstantLR", "ExponentialLR", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR",
    "PolynomialLR", "ReduceLROnPlateau", "SequentialLR", "StepLR",
]  # fmt: skip

# -- by a function -----------------------------------------------------------------------------------------------------


class LambdaLR(LRScheduler):
    """lr = initial lr * lr_lambda(epoch); one function, or a list of one for each group.

    Args:
        optimizer: the optimizer whose learning rates are scheduled.
        lr_lambda: a function of the epoch, or a list with one for each group.
        last_epoch: the epoch to continue from. Default: -1, the start of training.

    Raises ValueError for a list of another length than there are groups.

    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))
    >>> for _ in range(3):
    ...     optimizer.step(); scheduler.step(); print(scheduler.get_last_lr())
    [0.5]
    [0.333...]
    [0.25]
    """

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Callable | list[Callable], last_epoch: int = -1
    ) -> None:
        self.optimizer = optimizer
        groups = as_optimizer(optimizer).param_groups
        if isinstance(lr_lambda, list | tuple):
            if len(lr_lambda) != len(groups):
                raise ValueError(f"Expected {len(groups)} lr_lambdas, but got {len(lr_lambda)}")
            self.lr_lambdas: list[Any] = list(lr_lambda)
        else:
            self.lr_lambdas = [lr_lambda] * len(groups)
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer; of the functions, the attributes of callable objects only."""
        result = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "lr_lambdas")}
        result["lr_lambdas"] = [attributes_of(fn) for fn in self.lr_lambdas]
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict()` gave; functions stay, callable objects take their attributes."""
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "lr_lambdas"})
        for fn, saved in zip(self.lr_lambdas, state_dict["lr_lambdas"]):
            if saved is not None:
                fn.__dict__.update(saved)

    def get_lr(self) -> list[Any]:
        self._warn_unless_in_step()
        return [base * fn(self.last_epoch) for fn, base in zip(self.lr_lambdas, self.base_lrs)]


class MultiplicativeLR(LambdaLR):
    """lr = lr * lr_lambda(epoch), from the second epoch on.

    Args:
        optimizer: the optimizer whose learning rates are scheduled.
        lr_lambda: a function of the epoch, or a list with one for each group.
        last_epoch: the epoch to continue from. Default: -1, the start of training.

    Raises ValueError for a list of another length than there are groups.

    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
    >>> for _ in range(2):
    ...     optimizer.step(); scheduler.step(); print(scheduler.get_last_lr())
    [0.5]
    [0.25]
    """

    def get_lr(self) -> list[Any]:
        self._warn_unless_in_step()
        if self._is_initial:
            return self._lrs()
        return [g["lr"] * fn(self.last_epoch) for fn, g in zip(self.lr_lambdas, self.optimizer.param_groups)]


# -- by the epoch ------------------------------------------------------------------------------------------------------


class StepLR(LRScheduler):
    """Multiplies lr by gamma every `step_size` epochs.

    Args:
        optimizer: the optimizer whose learning rates are scheduled.
        step_size: the number of epochs between changes.
        gamma: the factor of each change. Default: 0.1.
        last_epoch: the epoch to continue from. Default: -1, the start of training.

    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> for _ in range(4):
    ...     optimizer.step(); scheduler.step(); print(scheduler.get_last_lr())
    [1.0]
    [0.5]
    [0.5]
    [0.25]
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_in_step()
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._lrs()
        return self._times(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Multiplies lr by gamma at each of `milestones`.

    A milestone that is listed twice counts twice.

    Args:
        optimizer: the optimizer whose learning rates are scheduled.
        milestones: the epochs at which the rate changes: increasing ints.
        gamma: the factor of each change. Default: 0.1.
        last_epoch: the epoch to continue from. Default: -1, the start of training.

    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 3], gamma=0.5)
    >>> for _ in range(3):
    ...     optimizer.step(); scheduler.step(); print(scheduler.get_last_lr())
    [0.5]
    [0.5]
    [0.25]
    """

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_in_step()
        if self.last_epoch not in self.milestones:
            return self._lrs()
        return self._times(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self) -> list[Any]:
        milestones = sorted(self.milestones.elements())
        return [base * self.gamma ** bisect_right(milestones, self.last_epoch) for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """Multiplies lr by `factor` until `total_iters` epochs have passed.

    Args:
        optimizer: the optimizer whose learning rates are scheduled.
        factor: the factor, in [0, 1]. Default: 0.3333333333333333.
        total_iters: the number of epochs. Default: 5.
        last_epoch: the epoch to continue from. Default: -1, the start of training.

    Raises ValueError for a factor outside [0, 1].

    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
    >>> print(scheduler.get_last_lr())
    [0.5]
    >>> for _ in range(2):
    ...     optimizer.step(); scheduler.step(); print(scheduler.get_last_lr())
    [0.5]
    [1.0]
    """

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_in_step()
        if self.last_epoch == 0:
            return self._times(self.factor)
        if self.last_epoch != self.total_iters:
            return self._lrs()
        return self._times(1.0 / self.factor)

    def _get_closed_form_lr(self) -> list[Any]:
        return [
            base * (self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor))
            for base in self.base_lrs
        ]


class LinearLR(LRScheduler):
    """Takes the factor of lr from `start_factor` to `end_factor` linearly in `total_iters` epochs.

    Args:
        optimizer: the optimizer whose learning rates are scheduled.
        start_factor: the factor at first, in (0, 1]. Default: 0.3333333333333333.
        end_factor: the factor at the end, in [0, 1]. Default: 1.0.
        total_iters: the number of epochs. Default: 5.
        last_epoch: the epoch to continue from. Default: -1, the start of training.

    Raises ValueError for a start_factor outside (0, 1] or an end_factor outside [0, 1].

    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> print(scheduler.get_last_lr())
    [0.5]
    >>> for _ in range(3):
    ...     optimizer.step(); scheduler.step(); print(scheduler.get_last_lr())
    [0.75]
    [1.0]
    [1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_in_step()
        if self.last_epoch == 0:
            return self._times(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._lrs()
        rise = self.end_factor - self.start_factor
        return self._times(1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise))

    def _get_closed_form_lr(self) -> list[Any]:
        rise = self.end_factor - self.start_factor
        done = min(self.total_iters, self.last_epoch)
        return [base * (self.start_factor + rise * done / self.total_iters) for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Multiplies lr by gamma every epoch.

    Args:
        optimizer: the optimizer whose learning rates are scheduled.
        gamma: the factor of each epoch.
        last_epoch: the epoch to continue from. Default: -1, the start of training.

    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> for _ in range(2):
    ...     optimizer.step(); scheduler.step(); print(scheduler.get_last_lr())
    [0.5]
    [0.25]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_in_step()
        return self._lrs() if self._is_initial else self._times(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """lr = initial lr * (1 - epoch / total_iters) ** power, zero from `total_iters` on.

    Args:
        optimizer: the optimizer whose learning rates are scheduled.
        total_iters: the number of epochs. Default: 5.
        power: the exponent. Default: 1.0.
        last_epoch: the epoch to continue from. Default: -1, the start of training.

    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=4, power=1.0)
    >>> for _ in range(4):
    ...     optimizer.step(); scheduler.step(); print(round(scheduler.get_last_lr()[0], 6))
    0.75
    0.5
    0.25
    0.0
    """

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_in_step()
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._lrs()
        now, before = 1.0 - self.last_epoch / self.total_iters, 1.0 - (self.last_epoch - 1) / self.total_iters
        return self._times((now / before) ** self.power)

    def _get_closed_form_lr(self) -> list[Any]:
        done = min(self.total_iters, self.last_epoch)
        return [base * (1.0 - done / self.total_iters) ** self.power for base in self.base_lrs]


# -- several schedulers ------------------------------------------------------------------------------------------------


def _check_same_optimizer(name: str, schedulers: Sequence[Any], optimizer: Any) -> None:
    for i, scheduler in enumerate(schedulers):
        if not hasattr(scheduler, "optimizer"):
            raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
        if name == "SequentialLR" and isinstance(scheduler, ReduceLROnPlateau):
            raise ValueError(
                f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be specified "
                f"when calling `step`, but got one at index {i} in the given schedulers sequence."
            )
        if optimizer is not scheduler.optimizer:
            raise ValueError(
                f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                f"{type(scheduler).__name__} at index {i} has {scheduler.optimizer}, which is different from "
                f"{type(optimizer).__name__}."
            )


def _undo_first_steps(schedulers: Iterable[Any]) -> None:
    for scheduler in schedulers:
        if hasattr(scheduler, "_schedulers"):
            _undo_first_steps(scheduler._schedulers)
        else:
            scheduler.last_epoch -= 1


class _Several(LRScheduler):
    """Base of schedulers that hold others, whose state_dicts are nested."""

    _schedulers: list[Any]

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer, and the state_dicts of the schedulers."""
        result = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "_schedulers")}
        result["_schedulers"] = [s.state_dict() for s in self._schedulers]
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict()` gave."""
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "_schedulers"})
        for scheduler, saved in zip(self._schedulers, state_dict["_schedulers"]):
            scheduler.load_state_dict(saved)


class SequentialLR(_Several):
    """Runs `schedulers` one after the other; `milestones` are the epochs at which the next one begins, at its epoch 0.

    Args:
        optimizer: the optimizer whose learning rates are scheduled.
        schedulers: the schedulers, a list.
        milestones: the epochs at which the next scheduler begins.
        last_epoch: the epoch to continue from. Default: -1, the start of training.

    Raises ValueError unless there is one milestone less than schedulers, all of this optimizer, none of them a
    ReduceLROnPlateau.

    >>> from functorch_lite.optim.lr_scheduler import ConstantLR, ExponentialLR, SequentialLR
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> parts = [ConstantLR(optimizer, factor=0.25, total_iters=2), ExponentialLR(optimizer, gamma=0.5)]
    >>> scheduler = SequentialLR(optimizer, parts, milestones=[2])
    >>> for _ in range(4):
    ...     optimizer.step(); scheduler.step(); print(scheduler.get_last_lr())
    [0.25]
    [1.0]
    [0.5]
    [0.25]
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError("SequentialLR expects at least one scheduler, but got no scheduler.")
        _check_same_optimizer("SequentialLR", schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone "
                f"points, but got number of schedulers {len(schedulers)} and the number of milestones to be equal to "
                f"{len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for (
            group
        ) in optimizer.param_groups:  # undo the first steps that the schedulers took when they were made
            set_option(group, "lr", group["initial_lr"])
        _undo_first_steps(schedulers)
        schedulers[0]._initial_step()
        self._last_lr = schedulers[0].get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """One epoch further, by the scheduler whose turn it is."""
        self.last_epoch += 1
        at = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[at]
        if at > 0 and self._milestones[at - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Several):
    """Steps all of `schedulers` each epoch, so that their factors multiply.

    Args:
        schedulers: the schedulers, a list.
        optimizer: the optimizer of all schedulers. None (the default) takes that of the first.

    Raises ValueError for an empty list, or schedulers of different optimizers.

    >>> from functorch_lite.optim.lr_scheduler import ChainedScheduler, ConstantLR, ExponentialLR
    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = ChainedScheduler([ConstantLR(optimizer, factor=0.5, total_iters=2), ExponentialLR(optimizer, gamma=0.5)])
    >>> for _ in range(3):
    ...     optimizer.step(); scheduler.step(); print(scheduler.get_last_lr())
    [0.25]
    [0.25]
    [0.125]
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                "ChainedScheduler expects at least one scheduler to be chained, but got no scheduler."
            )
        optimizer = optimizer or getattr(schedulers[0], "optimizer", None)
        _check_same_optimizer("ChainedScheduler", schedulers, optimizer)
        self._schedulers = list(schedulers)
        self.optimizer = optimizer  # type: ignore[assignment]
        self._remember()

    def step(self) -> None:  # type: ignore[override]
        """One epoch further, for every scheduler."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._remember()


class ReduceLROnPlateau(LRScheduler):
    """Multiplies lr by `factor` when the metric given to `step` has not improved for more than `patience` epochs.

    After a reduction, `cooldown` epochs do not count. Raises ValueError for a factor of 1 or more and unknown
    modes.

    Args:
        optimizer: the optimizer whose learning rates are scheduled.
        mode: "min" if a smaller metric is better, else "max". Default: "min".
        factor: the factor of the learning rate, below 1. Default: 0.1.
        patience: the number of epochs without improvement that are tolerated. Default: 10.
        threshold: by how much a metric must be better to count as an improvement. Default:
            0.0001.
        threshold_mode: whether `threshold` is relative ("rel") or absolute ("abs"). Default:
            "rel".
        cooldown: the number of epochs after a reduction that do not count. Default: 0.
        min_lr: the least learning rate: a number, or one for each group. Default: 0.
        eps: the least change of a learning rate; smaller ones are left out. Default: 1e-08.

    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    >>> for loss in (3.0, 2.0, 2.0, 2.0):
    ...     optimizer.step(); scheduler.step(loss)
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: list[float] | float = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        self.optimizer = as_optimizer(optimizer)
        count = len(optimizer.param_groups)
        if isinstance(min_lr, list | tuple):
            if len(min_lr) != count:
                raise ValueError(f"expected {count} min_lrs, got {len(min_lr)}")
            self.default_min_lr: float | None = None
            self.min_lrs = list(min_lr)
        else:
            self.default_min_lr = min_lr
            self.min_lrs = [min_lr] * count
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._remember()
        if mode not in ("min", "max"):
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self._reset()

    def _reset(self) -> None:
        self.best: float = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Ends an epoch in which the metric was `metrics`, a number or a 0-d Tensor."""
        current = float(metrics)
        if epoch is None:
            epoch = self.last_epoch + 1
        else:
            warnings.warn(EPOCH_DEPRECATED, UserWarning, stacklevel=2)
        self.last_epoch = epoch
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(epoch)
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._remember()

    def _reduce_lr(self, epoch: int) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from when "
                    f"`ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due to a new param group being "
                    "added to the optimizer. Please modify the `min_lrs` field to match the length of the `optimizer` "
                    "param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, smallest in zip(groups, self.min_lrs):
            old = float(group["lr"])
            new = max(old * self.factor, smallest)
            if old - new > self.eps:
                set_option(group, "lr", new)

    @property
    def in_cooldown(self) -> bool:
        """Returns whether the last reduction is less than `cooldown` epochs ago."""
        return self.cooldown_counter > 0

    def _is_better(self, a: float, best: float) -> bool:
        if self.mode == "min":
            bound = best * (1.0 - self.threshold) if self.threshold_mode == "rel" else best - self.threshold
            return a < bound
        bound = best * (self.threshold + 1.0) if self.threshold_mode == "rel" else best + self.threshold
        return a > bound
