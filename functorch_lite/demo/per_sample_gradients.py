"""Job (b): the gradient of every single sample, by vmap(grad(...)), and which samples pull hardest at the network."""

from __future__ import annotations

from matplotlib.figure import Figure
from tqdm import tqdm

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F
from functorch_lite.demo import plots
from functorch_lite.demo.digits import Digits
from functorch_lite.demo.report import Section
from functorch_lite.func import functional_call, grad, vmap

BATCH = 128


def per_sample_gradients(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> dict[str, torch.Tensor]:
    """The gradient of each sample's loss: for each parameter, a tensor with one more dimension in front."""
    params = {name: p.detach() for name, p in model.named_parameters()}

    def loss(params, x, y):  # of one image and one label: there is no batch in here
        logits = functional_call(model, params, (x.unsqueeze(0),))
        return F.cross_entropy(logits, y.unsqueeze(0))

    return vmap(grad(loss), in_dims=(None, 0, 0))(params, x, y)


def norms(gradients: dict[str, torch.Tensor]) -> torch.Tensor:
    """The length of each sample's gradient over all parameters."""
    return torch.stack([g.flatten(1).square().sum(1) for g in gradients.values()]).sum(0).sqrt()


def distance_to_backward(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> float:
    """Returns the distance of the mean of the per-sample gradients from what .backward() of the mean loss gives,
    relative to its size."""
    model.zero_grad()
    F.cross_entropy(model(x), y).backward()
    gradients = per_sample_gradients(model, x, y)
    pairs = [(gradients[name].mean(0), p.grad) for name, p in model.named_parameters()]
    apart = sum((mine - whole).square().sum() for mine, whole in pairs)
    size = sum(whole.square().sum() for _, whole in pairs)
    return (apart / size).sqrt().item()


def run(data: Digits, model: nn.Module) -> Section:
    """Measures the gradient of every sample there is, and shows the hardest ones."""
    model.eval()  # no dropout: the gradients are those of one function
    x, y = torch.cat([data.train_x, data.test_x]), torch.cat([data.train_y, data.test_y])
    starts, lengths = range(0, len(x), BATCH), []
    for i in tqdm(starts, desc="(b) gradients", unit="batch"):
        lengths += norms(per_sample_gradients(model, x[i : i + BATCH], y[i : i + BATCH])).tolist()
    length = torch.tensor(lengths)
    with torch.no_grad():
        predicted = model(x).argmax(1)
    distance = distance_to_backward(model, x[:BATCH], y[:BATCH])
    assert distance < 1e-4, f"the mean of the per-sample gradients is {distance:.1e} away from .backward()"
    share = length.sort(descending=True).values[: len(x) // 20].sum() / length.sum()
    section = Section(
        "The gradient of every sample",
        f"""<code>vmap(grad(loss))</code> turns the gradient of <em>one</em> sample's loss into the gradients of a whole batch, as
        one program: {len(x):,} gradients of {sum(p.numel() for p in model.parameters()):,} numbers each. A sample with a long
        gradient is one that the network would still have to change for. Those are few: the 5 % longest make up
        {share.item():.0%} of the sum of all lengths. They are also the ones that a person would hesitate at. The mean
        over a batch is what <code>.backward()</code> gives, as it must be: the two differ by {distance:.0e} of their length.""",
        steps=len(starts) + 1,
        outcome=f"mean equals .backward() to {distance:.0e}",
        code=(per_sample_gradients, norms),
    )
    section.add_figure(
        _hardest(x, y, predicted, length),
        "The samples with the longest gradients (red: misread), and below some with the shortest.",
    )
    section.add_figure(
        _distribution(length, predicted == y, len(data.train_x)),
        "Lengths of all gradients, on a logarithmic scale; right, in the training set and in the test set.",
    )
    return section


def _hardest(x, y, predicted, length) -> Figure:
    order = length.argsort(descending=True).tolist()
    images, truths, guesses, lengths = x[:, 0].numpy(), y.tolist(), predicted.tolist(), length.tolist()
    figure, axes = plots.subplots(4, 10, figsize=(9, 4.4))
    for place, i in zip(axes.flat, order[:30] + order[-10:]):
        right = truths[i] == guesses[i]
        title = f"{truths[i]}" if right else f"{truths[i]} as {guesses[i]}"
        plots.digit(place, images[i], f"{title}\n{lengths[i]:.2g}", plots.GREY if right else plots.RED)
    return figure


def _distribution(length, right, n_train: int) -> Figure:
    values, correct = length.log10().numpy(), right.numpy()
    figure, (left, middle) = plots.subplots(1, 2, figsize=(9, 3))
    left.hist(
        [values[correct], values[~correct]],
        bins=40,
        stacked=True,
        color=[plots.BLUE, plots.RED],
        label=["read rightly", "misread"],
    )
    left.set(xlabel="log₁₀ of the gradient's length", ylabel="samples", yscale="log", title="All samples")
    left.legend()
    middle.hist(
        [values[:n_train], values[n_train:]],
        bins=25,
        density=True,
        color=[plots.PALE, plots.BLUE],
        label=["training set", "test set"],
    )
    middle.set(xlabel="log₁₀ of the gradient's length", ylabel="density", title="Seen and unseen")
    middle.legend()
    return figure
