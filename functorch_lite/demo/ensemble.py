"""Job (c): ten networks trained as one, by stack_module_state and vmap, and what they do not agree on."""

from __future__ import annotations

import copy
from collections.abc import Callable

from matplotlib.figure import Figure
from tqdm import tqdm

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F
from functorch_lite.demo import plots
from functorch_lite.demo.digits import Digits
from functorch_lite.demo.report import Section
from functorch_lite.func import functional_call, stack_module_state, vmap

MEMBERS, STEPS, BATCH = 10, 400, 64


def network() -> nn.Module:
    """One member: 64 pixels, two hidden layers of 64, 10 digits."""
    return nn.Sequential(
        nn.Flatten(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)
    )


def train(data: Digits) -> Callable[[torch.Tensor], torch.Tensor]:
    """Trains all members at once, each on its own random batches; returns images -> probabilities (members, images,
    digits)."""
    models = [network() for _ in range(MEMBERS)]
    params, buffers = stack_module_state(models)
    base = copy.deepcopy(models[0])

    def member(params, buffers, x):
        return functional_call(base, (params, buffers), (x,))

    optimizer = torch.optim.Adam(params.values(), lr=2e-3)
    for _ in tqdm(range(STEPS), desc="(c) ensemble", unit="step"):
        chosen = torch.randint(len(data.train_x), (MEMBERS, BATCH))
        x, y = data.train_x[chosen], data.train_y[chosen]  # a batch for each member
        logits = vmap(member)(params, buffers, x)
        loss = (
            F.cross_entropy(logits.flatten(0, 1), y.flatten()) * MEMBERS
        )  # the sum of the members' mean losses
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    @torch.no_grad()
    def predict(x: torch.Tensor) -> torch.Tensor:
        return vmap(member, in_dims=(0, 0, None))(params, buffers, x).softmax(-1)

    return predict


def entropy(p: torch.Tensor) -> torch.Tensor:
    """Computes the entropy of distributions along the last dimension, in nats."""
    return -(p * p.clamp_min(1e-12).log()).sum(-1)


def disagreement(p: torch.Tensor) -> torch.Tensor:
    """Computes the members' disagreement: the entropy of their mean less their mean entropy (members, images, digits)
    -> (images,)."""
    return entropy(p.mean(0)) - entropy(p).mean(0)


def run(data: Digits) -> Section:
    """Trains the ensemble and looks at its uncertainty on digits, on blends of two digits, and on noise."""
    torch.manual_seed(1)
    predict = train(data)
    p = predict(data.test_x)
    single = (p.argmax(-1) == data.test_y).float().mean(1)
    accuracy = (p.mean(0).argmax(-1) == data.test_y).float().mean().item()
    strange = {
        "test digits": data.test_x,
        "two blended": (data.test_x + data.test_x.roll(1, 0)) / 2,
        "noise": torch.rand(len(data.test_x), 1, 8, 8),
    }
    doubt = {name: disagreement(predict(x)) for name, x in strange.items()}
    usual, blended, noise = [values.mean().item() for values in doubt.values()]
    assert accuracy > 0.95 and min(blended, noise) > 3 * usual, (accuracy, usual, blended, noise)
    section = Section(
        "An ensemble that knows when it does not know",
        f"""<code>stack_module_state</code> stacks the parameters of {MEMBERS} networks; <code>vmap</code> runs them as one; an
        ordinary <code>backward()</code> and <code>optimizer.step()</code> train them all, each on batches of its own. Alone they read
        {single.min().item():.1%} to {single.max().item():.1%} of the test digits; together {accuracy:.1%}. What they are worth is their
        <em>disagreement</em>: the mutual information between the answer and the member that gives it. On two digits laid over each
        other, which none has seen, it is {blended / usual:.0f} times as large as on single ones, and on noise {noise / usual:.0f} times,
        although every member has learnt to answer with confidence.""",
        steps=STEPS,
        outcome=f"{accuracy:.1%} together; {blended / usual:.0f} × the doubt on blended digits",
        code=(network, train, disagreement),
    )
    section.add_figure(
        _doubt(doubt, p, data),
        "Left: how much the members disagree, by kind of image. Right: accuracy on the test digits that are kept when the most disputed are refused.",
    )
    section.add_figure(
        _votes(data, p, doubt["test digits"]),
        "The most disputed test digits. Bars: the probability that the ensemble gives each digit; dots: what each member gives it.",
    )
    return section


def _doubt(doubt: dict[str, torch.Tensor], p: torch.Tensor, data: Digits) -> Figure:
    figure, (left, right) = plots.subplots(1, 2, figsize=(9, 3.2))
    for (name, values), color in zip(doubt.items(), (plots.BLUE, plots.ORANGE, plots.GREY)):
        left.hist(values.numpy(), bins=30, range=(0, 0.9), density=True, alpha=0.65, color=color, label=name)
    left.set(xlabel="disagreement (nats)", ylabel="density", yscale="log", title="Known and unknown")
    left.legend()
    order = doubt["test digits"].argsort()
    right_ones = (p.mean(0).argmax(-1) == data.test_y)[order].float()
    kept = torch.arange(1, len(order) + 1)
    right.plot((1 - kept / len(order)).numpy(), (right_ones.cumsum(0) / kept).numpy(), color=plots.BLUE)
    right.set(xlabel="share of digits refused", title="Accuracy on the rest", xlim=(0, 0.5))
    right.xaxis.set_major_formatter(plots.PERCENT)
    right.yaxis.set_major_formatter(plots.PercentFormatter(1.0, decimals=1))
    return figure


def _votes(data: Digits, p: torch.Tensor, doubt: torch.Tensor) -> Figure:
    figure, axes = plots.subplots(2, 8, figsize=(9, 2.9), height_ratios=(1.1, 1))
    images, truths, votes = data.test_x[:, 0].numpy(), data.test_y.tolist(), p.numpy()
    for column, i in enumerate(doubt.argsort(descending=True)[:8].tolist()):
        plots.digit(axes[0, column], images[i], f"is {truths[i]}")
        below = axes[1, column]
        below.bar(range(10), votes[:, i].mean(0), color=plots.PALE)
        for member in votes[:, i]:
            below.plot(range(10), member, ".", color=plots.BLUE, alpha=0.5, ms=3)
        below.set(xticks=range(0, 10, 3), ylim=(0, 1), yticks=[])
    return figure
