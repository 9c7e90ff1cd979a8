"""Averages of models over training: AveragedModel (SWA, EMA), SWALR, update_bn.

Sources: Izmailov et al. 2018, "Averaging weights leads to wider optima and better generalization"; Polyak &
Juditsky 1992.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from functorch_lite._core.api import Tensor
from functorch_lite._core.api import functions as torch
from functorch_lite.api_names import listed
from functorch_lite.autograd.grad_mode import no_grad
from functorch_lite.nn.modules.batchnorm import _BatchNorm
from functorch_lite.nn.modules.module import Module
from functorch_lite.optim.schedule_base import LRScheduler, per_group

__all__ = [
    "SWALR", "AveragedModel", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn", "update_bn",
]  # fmt: skip
__dir__ = listed(__name__)


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable:
    """A function that makes lists of tensors exponential moving averages, for AveragedModel(multi_avg_fn=…).

    Args:
        decay: the weight of the old average, in [0, 1]. Default: 0.999.

    Raises ValueError for a decay outside [0, 1].

    >>> mean, now = torch.tensor([0.]), torch.tensor([8.])
    >>> get_ema_multi_avg_fn(0.75)([mean], [now], 1); mean.tolist()
    [2.0]
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        for ema, now in zip(ema_param_list, current_param_list):
            if ema.is_floating_point() or ema.is_complex():
                ema.copy_(ema + (1 - decay) * (now - ema))
            else:
                ema.copy_(ema * decay + now * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Callable:
    """A function that makes lists of tensors plain averages, for AveragedModel(multi_avg_fn=…).

    >>> mean, now = torch.tensor([2.]), torch.tensor([8.])
    >>> get_swa_multi_avg_fn()([mean], [now], 2); mean.tolist()
    [4.0]
    """

    @no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        average = get_swa_avg_fn()
        for mean, now in zip(averaged_param_list, current_param_list):
            mean.copy_(average(mean, now, num_averaged))

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable:
    """A function that gives the exponential moving average of one tensor, for AveragedModel(avg_fn=…).

    Args:
        decay: the weight of the old average, in [0, 1]. Default: 0.999.

    Raises ValueError for a decay outside [0, 1].

    >>> get_ema_avg_fn(0.75)(torch.tensor([0.]), torch.tensor([8.]), 1).tolist()
    [2.0]
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Callable:
    """A function that gives the plain average of one tensor, for AveragedModel(avg_fn=…).

    >>> get_swa_avg_fn()(torch.tensor([2.]), torch.tensor([8.]), 2).tolist()
    [4.0]
    """

    @no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """A model whose parameters are averages of another's: `update_parameters(model)` takes its present ones in.

    avg_fn(averaged, now, n) gives the new average of one parameter, or multi_avg_fn(averages, nows, n) changes all of
    them in place; by default the plain average. use_buffers=True averages buffers too; else they are copied.

    Args:
        model: the model to average.
        device: where the average is kept. None (the default) is that of the model.
        avg_fn: a function (averaged, current, number of averages) of tensors that returns the new
            average. None (the default) is the plain average.
        multi_avg_fn: a function (averages, currents, number of averages) of lists that changes
            the averages in place. None (the default) is the plain average.
        use_buffers: whether buffers are averaged too. By default they are copied.

    >>> averaged = AveragedModel(torch.nn.Linear(2, 1), multi_avg_fn=get_ema_multi_avg_fn(0.9))
    """

    n_averaged: Tensor

    def __init__(self, model: Module, device=None, avg_fn=None, multi_avg_fn=None, use_buffers: bool = False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", torch.tensor(0, dtype=torch.long, device=device))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args, **kwargs):
        """The averaged model's."""
        return self.module(*args, **kwargs)

    def _averages(self, model: Module) -> Iterable[Tensor]:
        return (
            itertools.chain(model.parameters(), model.buffers()) if self.use_buffers else model.parameters()
        )

    @no_grad()
    def update_parameters(self, model: Module) -> None:
        """Takes the parameters of `model` into the averages."""
        means = [p.detach() for p in self._averages(self.module)]
        nows = [p.detach().to(m.device) for p, m in zip(self._averages(model), means)]
        if int(self.n_averaged) == 0:
            for mean, now in zip(means, nows):
                mean.copy_(now)
        elif self.multi_avg_fn is not None:
            self.multi_avg_fn(means, nows, self.n_averaged)
        else:
            average = self.avg_fn or get_swa_avg_fn()
            for mean, now in zip(means, nows):
                mean.copy_(average(mean, now, self.n_averaged))
        if not self.use_buffers:
            for mine, theirs in zip(self.module.buffers(), model.buffers()):
                mine.detach().copy_(theirs.detach().to(mine.device))
        self.n_averaged += 1


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device=None) -> None:
    """Recomputes the running statistics of the model's BatchNorm layers, as plain averages over the loader's inputs.

    An input that is a list or tuple stands for its first element.

    Args:
        loader: an iterable of inputs; of a list or tuple the first element is the input.
        model: the model whose BatchNorm layers are updated.
        device: where inputs are moved. None (the default) leaves them where they are.

    >>> model = nn.Sequential(nn.BatchNorm1d(2))
    >>> update_bn([torch.tensor([[1., 2.], [3., 4.]])], model)
    >>> model[0].running_mean.tolist()
    [2.0, 3.0]
    """
    momenta = {m: m.momentum for m in model.modules() if isinstance(m, _BatchNorm)}
    if not momenta:
        return
    was_training = model.training
    model.train()
    for m in momenta:
        m.reset_running_stats()
        m.momentum = None
    for x in loader:
        if isinstance(x, list | tuple):
            x = x[0]
        model(x if device is None else x.to(device))
    for m, momentum in momenta.items():
        m.momentum = momentum
    model.train(was_training)


def _cosine(t: float) -> float:
    return (1 - math.cos(math.pi * t)) / 2


def _linear(t: float) -> float:
    return t


class SWALR(LRScheduler):
    """Takes the learning rates to fixed ones, `swa_lr`, within anneal_epochs, along a cosine or a line.

    Args:
        optimizer: the optimizer whose learning rates are scheduled.
        swa_lr: the learning rate to reach: a number, or one for each group.
        anneal_epochs: the number of epochs until it is reached. Default: 10.
        anneal_strategy: "cos" or "linear". Default: "cos".
        last_epoch: the epoch to continue from. Default: -1, the start of training.

    Raises ValueError for another anneal_strategy than "cos" and "linear", and for anneal_epochs below 0.

    >>> optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)
    >>> scheduler = SWALR(optimizer, swa_lr=0.5, anneal_epochs=2, anneal_strategy="linear")
    >>> for _ in range(3):
    ...     optimizer.step(); scheduler.step(); print(scheduler.get_last_lr())
    [0.75]
    [0.5]
    [0.5]
    """

    def __init__(
        self, optimizer, swa_lr, anneal_epochs: int = 10, anneal_strategy: str = "cos", last_epoch: int = -1
    ):
        for group, lr in zip(optimizer.param_groups, per_group(optimizer, "swa_lr", swa_lr)):
            group["swa_lr"] = lr
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _progress(self, step: int) -> float:
        t = max(0, min(1, step / max(1, self.anneal_epochs)))
        return (_cosine if self._anneal_strategy == "cos" else _linear)(t)

    def get_lr(self):
        """The learning rates, computed from the current ones and the progress of the annealing."""
        self._warn_unless_in_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._progress(step - 1), self._progress(step)
        rates = []
        for group in self.optimizer.param_groups:
            lr, target = group["lr"], group["swa_lr"]
            start = target if before == 1 else (lr - before * target) / (1 - before)
            rates.append(target * now + start * (1 - now))
        return rates
