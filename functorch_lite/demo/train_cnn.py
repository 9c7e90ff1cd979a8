"""Job (a): a convolutional network, trained by an ordinary PyTorch loop."""

from __future__ import annotations

from typing import NamedTuple

from matplotlib.figure import Figure
from tqdm import tqdm

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F
from functorch_lite.demo import plots
from functorch_lite.demo.digits import Digits
from functorch_lite.demo.report import Section
from functorch_lite.utils.data import DataLoader, TensorDataset

EPOCHS, BATCH = 20, 64


class Net(nn.Module):
    """Two convolutions, a pooling, two linear layers: 38,282 parameters."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.drop = nn.Dropout(0.25)
        self.fc1 = nn.Linear(32 * 4 * 4, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.max_pool2d(x, 2).flatten(1)
        x = F.relu(self.fc1(self.drop(x)))
        return self.fc2(x)


class Training(NamedTuple):
    """A trained network and what happened on the way."""

    model: Net
    losses: list[float]
    accuracies: list[float]
    predicted: torch.Tensor


def train(data: Digits) -> Training:
    """Trains for some epochs; after each, counts how much of the test set is right."""
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    loader = DataLoader(TensorDataset(data.train_x, data.train_y), batch_size=BATCH, shuffle=True)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS * len(loader))
    losses, accuracies = [], []
    predicted = data.test_y
    with tqdm(total=EPOCHS * len(loader), desc="(a) CNN", unit="step") as bar:
        for _ in range(EPOCHS):
            model.train()
            for x, y in loader:
                optimizer.zero_grad()
                loss = F.cross_entropy(model(x), y)
                loss.backward()
                optimizer.step()
                scheduler.step()
                losses.append(loss.detach())  # not read here: the loop never waits
                bar.update()
            model.eval()
            with torch.no_grad():
                predicted = model(data.test_x).argmax(1)
            accuracies.append((predicted == data.test_y).float().mean().item())
            bar.set_postfix(loss=f"{loss.item():.3f}", test=f"{accuracies[-1]:.2%}")
    return Training(model, torch.stack(losses).tolist(), accuracies, predicted)


def run(data: Digits) -> tuple[Section, Net]:
    """Trains, and tells what came of it."""
    torch.manual_seed(0)
    result = train(data)
    accuracy = result.accuracies[-1]
    assert accuracy >= 0.97, f"the test accuracy is {accuracy:.2%}, not 97 %"
    wrong = (result.predicted != data.test_y).nonzero().flatten()
    section = Section(
        "A convolutional network",
        f"""An <code>nn.Module</code>, a <code>DataLoader</code>, <code>Adam</code> with a cosine schedule, a progress bar, and
        <code>loss.backward()</code>: an ordinary PyTorch loop. Nothing in it is marked for compilation. The library records each
        step: forward pass, backward pass and the optimizer's update. Steps that record the same ops share one recording, which NumPy
        runs until compiling it pays. The learning rate changes at every step and the last batch of an epoch is smaller; neither
        causes recompilation each time. After {EPOCHS} epochs the network reads <b>{accuracy:.1%}</b> of
        {len(data.test_y)} digits that it has never seen.""",
        steps=len(result.losses),
        outcome=f"{accuracy:.1%} test accuracy",
        code=(Net, train),
    )
    section.add_figure(
        _curves(result),
        "Loss of every step, and test accuracy after every epoch. The dashed line is the 97 % asked for.",
    )
    section.add_figure(
        _mistakes(data, result, wrong.tolist()),
        f"Which digit was taken for which in the test set, and all {len(wrong)} that were misread.",
    )
    return section, result.model


def _curves(result: Training) -> Figure:
    figure, (left, right) = plots.subplots(1, 2, figsize=(9, 3.2))
    left.plot(result.losses, color=plots.PALE, lw=0.8)
    smooth = torch.tensor(result.losses).unfold(0, 15, 1).mean(1).tolist()
    left.plot(range(14, len(result.losses)), smooth, color=plots.BLUE, lw=1.8, label="mean of 15 steps")
    left.set(yscale="log", xlabel="step", title="Training loss")
    left.legend()
    right.plot(range(1, len(result.accuracies) + 1), result.accuracies, "o-", color=plots.BLUE, ms=4)
    right.axhline(0.97, color=plots.RED, ls="--", lw=1)
    right.set(xlabel="epoch", title="Test accuracy", xticks=range(0, EPOCHS + 1, 5))
    right.yaxis.set_major_formatter(plots.PERCENT)
    return figure


def _mistakes(data: Digits, result: Training, wrong: list[int]) -> Figure:
    figure, (left, right) = plots.subplots(1, 2, figsize=(9, 3.6))
    counts = torch.bincount(data.test_y * 10 + result.predicted, minlength=100).reshape(10, 10)
    plots.confusion(left, counts.numpy())
    right.axis("off")
    right.set_title("Misread" if wrong else "None was misread")
    images, truth, guess = data.test_x[:, 0].numpy(), data.test_y.tolist(), result.predicted.tolist()
    for place, i in enumerate(wrong[:12]):
        row, column = divmod(place, 4)
        inset = right.inset_axes((column / 4, 0.7 - row * 0.34, 0.2, 0.24))
        plots.digit(inset, images[i], f"{truth[i]} as {guess[i]}")
    return figure
