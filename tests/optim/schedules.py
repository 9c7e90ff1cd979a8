"""The schedules that are recorded from torch and checked: `SCHEDULES[name](lr_scheduler module, optimizer)` makes
one."""

from __future__ import annotations

EPOCHS = 30


class Decay:
    """A callable object, whose attributes a state_dict keeps."""

    def __init__(self, rate: float):
        self.rate = rate

    def __call__(self, at: float) -> float:
        return self.rate**at


SCHEDULES = {
    "lambda": lambda m, o: m.LambdaLR(o, [Decay(0.97), lambda epoch: 1 / (1 + epoch)]),
    "multiplicative": lambda m, o: m.MultiplicativeLR(o, lambda epoch: 0.95),
    "step": lambda m, o: m.StepLR(o, 3, 0.7),
    "multistep": lambda m, o: m.MultiStepLR(o, [2, 5, 5, 9], 0.3),
    "constant": lambda m, o: m.ConstantLR(o, 0.3, 4),
    "linear": lambda m, o: m.LinearLR(o, 0.25, 0.9, 7),
    "exponential": lambda m, o: m.ExponentialLR(o, 0.93),
    "polynomial": lambda m, o: m.PolynomialLR(o, 11, 1.7),
    "cosine": lambda m, o: m.CosineAnnealingLR(o, 7, 0.01),
    "cosine_of_one": lambda m, o: m.CosineAnnealingLR(o, 1),
    "warm_restarts": lambda m, o: m.CosineAnnealingWarmRestarts(o, 3, 2, 0.001),
    "warm_restarts_even": lambda m, o: m.CosineAnnealingWarmRestarts(o, 4),
    "one_cycle": lambda m, o: m.OneCycleLR(o, [1.0, 2.0], EPOCHS),
    "one_cycle_three": lambda m, o: m.OneCycleLR(
        o, 1.0, epochs=6, steps_per_epoch=5, three_phase=True, anneal_strategy="linear"
    ),
    "one_cycle_lr_only": lambda m, o: m.OneCycleLR(o, 1.0, EPOCHS, cycle_momentum=False),
    "cyclic": lambda m, o: m.CyclicLR(o, 0.01, 1.0, 5),
    "cyclic_2": lambda m, o: m.CyclicLR(o, [0.01, 0.02], [1.0, 0.5], 4, 7, "triangular2"),
    "cyclic_exp": lambda m, o: m.CyclicLR(o, 0.01, 1.0, 5, 3, "exp_range", 0.98, cycle_momentum=False),
    "cyclic_fn": lambda m, o: m.CyclicLR(o, 0.01, 1.0, 5, scale_fn=Decay(0.9), scale_mode="iterations"),
    "sequential": lambda m, o: m.SequentialLR(
        o, [m.ConstantLR(o, 0.1, 3), m.ExponentialLR(o, 0.9), m.CosineAnnealingLR(o, 5)], [4, 9]
    ),
    "sequential_nested": lambda m, o: m.SequentialLR(
        o,
        [m.SequentialLR(o, [m.ConstantLR(o, 0.1, 3), m.StepLR(o, 2)], [3]), m.ExponentialLR(o, 0.9)],
        [8],
    ),
    "chained": lambda m, o: m.ChainedScheduler(
        [m.ConstantLR(o, 0.1, 3), m.ExponentialLR(o, 0.9), m.LinearLR(o)]
    ),
    "plateau": lambda m, o: m.ReduceLROnPlateau(o, "min", 0.5, 2, cooldown=1, min_lr=[0.01, 0.02]),
    "plateau_max": lambda m, o: m.ReduceLROnPlateau(o, "max", 0.5, 1, threshold=0.01, threshold_mode="abs"),
}

CLOSED_FORM = ("step", "multistep", "constant", "linear", "exponential", "polynomial", "cosine")
"""Those that `step(epoch)` computes by a closed form."""


def metric(epoch: int) -> float:
    """What ReduceLROnPlateau is given: falls at first, then goes up and down."""
    return 1 / (1 + epoch) if epoch < 5 else 0.2 + (epoch * 7 % 5) / 10


def run(name: str, module, optimizer) -> list:
    """[learning rates, momenta or betas] of the groups, at each of EPOCHS epochs."""
    scheduler = SCHEDULES[name](module, optimizer)
    rows = []
    for epoch in range(EPOCHS):
        groups = optimizer.param_groups
        rows.append([[g["lr"] for g in groups], [g.get("momentum", g.get("betas")) for g in groups]])
        optimizer.step()
        if epoch + 1 < EPOCHS:
            scheduler.step(*([metric(epoch)] if name.startswith("plateau") else []))
    return rows
