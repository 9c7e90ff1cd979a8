"""Schedules in cycles: cosine annealing with and without restarts, CyclicLR, OneCycleLR (which move the momentum
too)."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from functorch_lite.optim.optimizer import Optimizer
from functorch_lite.optim.schedule_base import (
    LRScheduler,
    as_optimizer,
    attributes_of,
    in_step,
    per_group,
    set_option,
)

__all__ = ["CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "OneCycleLR"]


class CosineAnnealingLR(LRScheduler):
    """Takes lr from its initial value to `eta_min` along half a cosine in `T_max` epochs (Loshchilov and Hutter, SGDR,
    https://arxiv.org/abs/1608.03983, without restarts).

    Args:
        optimizer: the optimizer whose learning rates are scheduled.
        T_max: the number of epochs of half a cosine.
        eta_min: the least learning rate. Default: 0.0.
        last_epoch: the epoch to continue from. Default: -1, the start of training.

    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
    >>> for _ in range(4):
    ...     optimizer.step(); scheduler.step(); print(round(scheduler.get_last_lr()[0], 3))
    0.854
    0.5
    0.146
    0.0
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_in_step()
        groups, low, t = self.optimizer.param_groups, self.eta_min, self.last_epoch
        if self._is_initial:
            return self._lrs()
        if self._step_count == 1 and t > 0:
            return [
                low + (base - low) * (1 + math.cos(t * math.pi / self.T_max)) / 2 for base in self.base_lrs
            ]
        if (t - 1 - self.T_max) % (2 * self.T_max) == 0:
            rise = 1 - math.cos(math.pi / self.T_max)
            return [g["lr"] + (base - low) * rise / 2 for base, g in zip(self.base_lrs, groups)]
        now, before = 1 + math.cos(math.pi * t / self.T_max), 1 + math.cos(math.pi * (t - 1) / self.T_max)
        return [now / before * (g["lr"] - low) + low for g in groups]

    def _get_closed_form_lr(self) -> list[Any]:
        low = self.eta_min
        phase = math.pi * self.last_epoch / self.T_max
        return [low + (base - low) * (1 + math.cos(phase)) / 2 for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """CosineAnnealingLR that starts again after T_0 epochs, then T_0 * T_mult, and so on; epochs may be fractions.

    Args:
        optimizer: the optimizer whose learning rates are scheduled.
        T_0: the number of epochs up to the first restart.
        T_mult: the factor by which the period grows after each restart: an int. Default: 1.
        eta_min: the least learning rate. Default: 0.0.
        last_epoch: the epoch to continue from. Default: -1, the start of training.

    Raises ValueError unless T_0 is a positive int and T_mult an int of at least 1.

    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
    >>> for _ in range(4):
    ...     optimizer.step(); scheduler.step(); print(round(scheduler.get_last_lr()[0], 3))
    0.5
    1.0
    0.5
    1.0
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, float | int):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_in_step()
        low = self.eta_min
        phase = math.pi * self.T_cur / self.T_i
        return [low + (base - low) * (1 + math.cos(phase)) / 2 for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Goes one epoch on, or to `epoch`, which may be a fraction."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur = self.T_cur + 1
            if self.T_cur >= self.T_i:
                self.T_cur = self.T_cur % self.T_i
                self.T_i = self.T_i * self.T_mult
        else:
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self._seek(epoch)
        self.last_epoch = math.floor(epoch)
        with in_step(self):
            values = self.get_lr()
        self._set(values)

    def _seek(self, epoch: float) -> None:
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**n


class _MovesMomentum(LRScheduler):
    """Base of schedules that may move the momentum, or the first of the betas, against the learning rate."""

    cycle_momentum: bool
    use_beta1: bool

    def _choose_momentum(self, optimizer: Optimizer) -> None:
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in optimizer.defaults

    def _set_momentum(self, group: dict[str, Any], momentum: float) -> None:
        if self.use_beta1:
            group["betas"] = (momentum, *group["betas"][1:])
        else:
            group["momentum"] = momentum

    def _start_momentum(self, optimizer: Optimizer, low: list[float], high: list[float]) -> None:
        for group, base, most in zip(optimizer.param_groups, low, high):
            self._set_momentum(group, most)
            group["max_momentum"] = most
            group["base_momentum"] = base


class CyclicLR(_MovesMomentum):
    """lr goes up from `base_lr` to `max_lr` and down again (Smith, https://arxiv.org/abs/1506.01186); stepped each
    batch.

    The momentum goes the other way.

    Args:
        optimizer: the optimizer whose learning rates are scheduled.
        base_lr: the least learning rate: a number, or one for each group.
        max_lr: the largest learning rate: a number, or one for each group.
        step_size_up: the number of steps upwards. Default: 2000.
        step_size_down: the number of steps downwards. None (the default) is `step_size_up`.
        mode: "triangular"; "triangular2", whose height halves each cycle; or "exp_range", whose
            height shrinks by `gamma` each step. Default: "triangular".
        gamma: the factor of mode "exp_range". Default: 1.0.
        scale_fn: the height as a function of the cycle or the iteration, instead of `mode`. None
            (the default) leaves it to that.
        scale_mode: whether `scale_fn` takes the "cycle" or the number of "iterations". Default:
            "cycle".
        cycle_momentum: whether the momentum moves against the learning rate. Default: True.
        base_momentum: the least momentum: a number, or one for each group. Default: 0.8.
        max_momentum: the largest momentum: a number, or one for each group. Default: 0.9.
        last_epoch: the epoch to continue from. Default: -1, the start of training.

    Raises ValueError for an unknown mode, and if the momentum is to move and the optimizer has neither momentum nor
    betas.

    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0, momentum=0.9)
    >>> scheduler = torch.optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.0, max_lr=1.0, step_size_up=2)
    >>> for _ in range(4):
    ...     optimizer.step(); scheduler.step(); print(scheduler.get_last_lr())
    [0.5]
    [1.0]
    [0.5]
    [0.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        self.optimizer = as_optimizer(optimizer)
        base_lrs = per_group(optimizer, "base_lr", base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups):
                set_option(group, "lr", lr)
        self.max_lrs = per_group(optimizer, "max_lr", max_lr)
        up = float(step_size_up)
        self.total_size = up + (float(step_size_down) if step_size_down is not None else up)
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self._choose_scale_fn()
        self.scale_mode = scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._choose_momentum(optimizer)
            self.base_momentums = per_group(optimizer, "base_momentum", base_momentum)
            self.max_momentums = per_group(optimizer, "max_momentum", max_momentum)
            if last_epoch == -1:
                self._start_momentum(optimizer, self.base_momentums, self.max_momentums)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _choose_scale_fn(self) -> None:
        if self._scale_fn_custom is None:
            self._scale_fn_ref: Callable[[float], float] = {  # files have it, by these names
                "triangular": self._triangular_scale_fn,
                "triangular2": self._triangular2_scale_fn,
                "exp_range": functools.partial(self._exp_range_scale_fn, self.gamma),
            }[self.mode]

    def scale_fn(self, x: float) -> float:
        """The height of the cycle, or iteration, x."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        return self._scale_fn_ref(x)

    @staticmethod
    def _triangular_scale_fn(x: float) -> float:
        return 1.0

    @staticmethod
    def _triangular2_scale_fn(x: float) -> float:
        return 1 / (2.0 ** (x - 1))

    @staticmethod
    def _exp_range_scale_fn(gamma: float, x: float) -> float:
        return gamma**x

    def get_lr(self) -> list[Any]:
        self._warn_unless_in_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        rise = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        height = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            momenta = zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums)
            for group, low, high in momenta:
                self._set_momentum(group, high - (high - low) * rise * height)
        return [base + (most - base) * rise * height for base, most in zip(self.base_lrs, self.max_lrs)]

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimizer; of a `scale_fn`, the attributes of a callable object only."""
        result = {
            k: v
            for k, v in self.__dict__.items()
            if k not in ("optimizer", "_scale_fn_custom", "_scale_fn_ref")
        }
        fn = self._scale_fn_custom
        result["_scale_fn_custom"] = None if fn is None else attributes_of(fn)
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict()` gave; a `scale_fn` stays, a callable object takes its attributes."""
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "_scale_fn_custom"})
        saved = state_dict.get("_scale_fn_custom")
        if saved is not None and self._scale_fn_custom is not None:
            self._scale_fn_custom.__dict__.update(saved)
        self._choose_scale_fn()


def _positive_int(name: str, value: Any) -> None:
    if value <= 0 or not isinstance(value, int):
        raise ValueError(f"Expected positive integer {name}, but got {value}")


class OneCycleLR(_MovesMomentum):
    """lr goes up to `max_lr`, then down below where it began (Smith and Topin, https://arxiv.org/abs/1708.07120);
    stepped each batch, `total_steps` (or epochs * steps_per_epoch) times.

    Args:
        optimizer: the optimizer whose learning rates are scheduled.
        max_lr: the largest learning rate: a number, or one for each group.
        total_steps: the number of steps. None (the default) takes epochs * steps_per_epoch.
        epochs: the number of epochs. None (the default) if `total_steps` is given.
        steps_per_epoch: the number of steps in an epoch. None (the default) if `total_steps` is
            given.
        pct_start: the fraction of steps in which the rate rises. Default: 0.3.
        anneal_strategy: "cos" or "linear". Default: "cos".
        cycle_momentum: whether the momentum moves against the learning rate. Default: True.
        base_momentum: the least momentum: a number, or one for each group. Default: 0.85.
        max_momentum: the largest momentum: a number, or one for each group. Default: 0.95.
        div_factor: max_lr divided by this is the first rate. Default: 25.0.
        final_div_factor: the first rate divided by this is the last one. Default: 10000.0.
        three_phase: whether the rate first falls back to where it began, then to the last one.
            Default: False.
        last_epoch: the epoch to continue from. Default: -1, the start of training.

    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=0.5, momentum=0.9)
    >>> scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=10)
    >>> for _ in range(9):
    ...     optimizer.step(); scheduler.step(); print(round(scheduler.get_last_lr()[0], 2), end=" ")
    0.52 1.0 0.95 0.81 0.61 0.39 0.19 0.05 0.0
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        self.optimizer = as_optimizer(optimizer)
        if total_steps is not None:
            _positive_int("total_steps", total_steps)
            self.total_steps = total_steps
        elif epochs is not None and steps_per_epoch is not None:
            _positive_int("epochs", epochs)
            _positive_int("steps_per_epoch", steps_per_epoch)
            self.total_steps = epochs * steps_per_epoch
        else:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_func_type = anneal_strategy
        max_lrs = per_group(optimizer, "max_lr", max_lr)
        if last_epoch == -1:
            for group, most in zip(optimizer.param_groups, max_lrs):
                group["initial_lr"] = most / div_factor
                group["max_lr"] = most
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._choose_momentum(optimizer)
            high = per_group(optimizer, "max_momentum", max_momentum)
            low = per_group(optimizer, "base_momentum", base_momentum)
            if last_epoch == -1:
                self._start_momentum(optimizer, low, high)
        super().__init__(optimizer, last_epoch)

    def _anneal(self, start: float, end: float, done: float) -> float:
        if self._anneal_func_type == "linear":
            return (end - start) * done + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * done) + 1)

    def get_lr(self) -> list[Any]:
        self._warn_unless_in_step()
        at = self.last_epoch
        if at > self.total_steps:
            raise ValueError(
                f"Tried to step {at} times. The specified number of total steps is {self.total_steps}"
            )
        begin: float = 0
        for phase in self._schedule_phases:
            end = phase["end_step"]
            if at <= end or phase is self._schedule_phases[-1]:
                break
            begin = end
        done = (at - begin) / (end - begin)
        groups = self.optimizer.param_groups
        if self.cycle_momentum:
            for group in groups:
                first, last = group[phase["start_momentum"]], group[phase["end_momentum"]]
                self._set_momentum(group, self._anneal(first, last, done))
        return [self._anneal(g[phase["start_lr"]], g[phase["end_lr"]], done) for g in groups]


def _phases(total: int, fraction: float, three: bool) -> list[dict[str, Any]]:
    """The phases of a cycle: when each ends, and which options of the group it goes from and to."""

    def phase(end, start_lr, end_lr, start_momentum, end_momentum):
        return {
            "end_step": end,
            "start_lr": start_lr,
            "end_lr": end_lr,
            "start_momentum": start_momentum,
            "end_momentum": end_momentum,
        }

    up = phase(float(fraction * total) - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum")
    if not three:
        return [up, phase(total - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")]
    down = phase(float(2 * fraction * total) - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum")
    return [up, down, phase(total - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum")]
