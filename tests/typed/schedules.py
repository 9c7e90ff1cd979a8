"""Optimizers with groups, schedules joined to one, averages of weights, clipping, and a state that is saved and
loaded."""

import math
from typing import Any

import functorch_lite as torch
from functorch_lite import nn, optim
from functorch_lite.optim.lr_scheduler import (
    CosineAnnealingLR,
    LambdaLR,
    LinearLR,
    LRScheduler,
    OneCycleLR,
    ReduceLROnPlateau,
    SequentialLR,
    StepLR,
)
from functorch_lite.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn, update_bn


def groups(model: nn.Module, decay: float) -> list[dict[str, Any]]:
    matrices = [p for p in model.parameters() if p.ndim >= 2]
    vectors = [p for p in model.parameters() if p.ndim < 2]
    return [{"params": matrices, "weight_decay": decay}, {"params": vectors, "weight_decay": 0.0}]


def warm(step: int, total: int = 10) -> float:
    return min(1.0, (step + 1) / total) * 0.5 * (1 + math.cos(math.pi * step / 100))


class Halving(LRScheduler):
    def __init__(self, optimizer: optim.Optimizer, last_epoch: int = -1) -> None:
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [base * 0.5**self.last_epoch for base in self.base_lrs]


def fit(model: nn.Module, optimizer: optim.Optimizer, scheduler: LRScheduler, steps: int) -> float:
    x, y = torch.randn(8, 4), torch.randn(8, 2)
    loss = torch.tensor(0.0)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.huber_loss(model(x), y)
        loss.backward()
        norm: torch.Tensor = nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        nn.utils.clip_grad_value_(model.parameters(), 0.5)
        optimizer.step()
        scheduler.step()
        assert norm.item() >= 0
    return loss.item()


def main() -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.GELU(), nn.Linear(8, 2))
    adamw = optim.AdamW(groups(model, 1e-2), lr=1e-3, betas=(0.9, 0.95), fused=False)
    joined = SequentialLR(adamw, [LinearLR(adamw, 0.1, total_iters=3), CosineAnnealingLR(adamw, 10)], [3])
    print(fit(model, adamw, joined, 5), joined.get_last_lr())
    sgd = optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    schedules: list[LRScheduler] = [LambdaLR(sgd, warm), StepLR(sgd, 2, gamma=0.5), Halving(sgd)]
    for schedule in schedules:
        print(type(schedule).__name__, fit(model, sgd, schedule, 2), sgd.param_groups[0]["lr"])
    cycle = OneCycleLR(sgd, max_lr=0.1, total_steps=10)
    print(fit(model, sgd, cycle, 3))
    plateau = ReduceLROnPlateau(sgd, mode="min", factor=0.5, patience=1)
    plateau.step(1.0)
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
    average.update_parameters(model)
    SWALR(sgd, swa_lr=0.05, anneal_epochs=2).step()
    update_bn([torch.randn(4, 4)], average)
    saved = {"model": model.state_dict(), "optimizer": adamw.state_dict(), "schedule": joined.state_dict()}
    adamw.load_state_dict(saved["optimizer"])
    joined.load_state_dict(saved["schedule"])
    missing, unexpected = model.load_state_dict(saved["model"], strict=False)
    handle = adamw.register_step_post_hook(lambda optimizer, args, kwargs: None)
    handle.remove()
    print(missing, unexpected, adamw.state[model[0].weight]["step"], len(average.state_dict()))


if __name__ == "__main__":
    main()
