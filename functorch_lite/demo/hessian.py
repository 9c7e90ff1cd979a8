"""Job (d): the exact Hessian of a small network, in double precision, and its spectrum before and after training."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.figure import Figure
from tqdm import tqdm

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F
from functorch_lite.demo import plots
from functorch_lite.demo.digits import Digits
from functorch_lite.demo.report import Section
from functorch_lite.func import functional_call, grad, hessian, jvp, vmap

STEPS = 300


def network() -> nn.Module:
    """64 pixels, 8 hidden units, 10 digits: 610 parameters."""
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 8), nn.Tanh(), nn.Linear(8, 10)).double()


def loss_of_flat(
    model: nn.Module, x: torch.Tensor, y: torch.Tensor
) -> Callable[[torch.Tensor], torch.Tensor]:
    """The loss on (x, y) as a function of all parameters in one vector."""
    shapes = {name: p.shape for name, p in model.named_parameters()}

    def loss(flat: torch.Tensor) -> torch.Tensor:
        parts = flat.split([shape.numel() for shape in shapes.values()])
        params = {name: part.view(shape) for (name, shape), part in zip(shapes.items(), parts)}
        return F.cross_entropy(functional_call(model, params, (x,)), y)

    return loss


def flat_parameters(model: nn.Module) -> torch.Tensor:
    """All parameters in one vector."""
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def train(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> float:
    """Full-batch Adam; returns the last loss."""
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
    for _ in tqdm(range(STEPS), desc="(d) Hessian", unit="step"):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    return loss.item()


def run(data: Digits) -> Section:
    """Trains the network, and looks at the curvature of its loss where training began and where it ended."""
    torch.manual_seed(2)
    x, y = data.train_x.double(), data.train_y
    model = network()
    loss = loss_of_flat(model, x, y)
    before = hessian(loss)(flat_parameters(model))
    last = train(model, x, y)
    theta = flat_parameters(model)
    after = hessian(loss)(theta)
    # Three independent checks: it is symmetric; its product with a vector is a derivative of the gradient, taken
    # forward, and by differences.
    v = torch.randn_like(theta)
    v /= v.norm()
    product = jvp(grad(loss), (theta,), (v,))[1]
    differences = (grad(loss)(theta + 1e-5 * v) - grad(loss)(theta - 1e-5 * v)) / 2e-5
    size = product.norm()
    asymmetry = ((after - after.T).norm() / after.norm()).item()
    forward = ((after @ v - product).norm() / size).item()
    numeric = ((after @ v - differences).norm() / size).item()
    assert asymmetry < 1e-10 and forward < 1e-10 and numeric < 1e-5, (asymmetry, forward, numeric)
    values, vectors = torch.linalg.eigh(after)
    start = torch.linalg.eigvalsh(before)
    largest = values[-31:].flip(0)
    ratios = largest[:-1] / largest[1:]
    apart = ratios.argmax().item() + 1  # above the widest gap
    flat = (values.abs() < 1e-3 * values[-1]).float().mean().item()
    section = Section(
        "The curvature of a loss",
        f"""<code>hessian(loss)</code> of a network with {len(theta)} parameters on all {len(x):,} training images gives the exact
        {len(theta)} × {len(theta)} matrix, forward over reverse, in double precision (no global switch is needed for that). It is
        symmetric to {asymmetry:.0e}; its product with a random vector is what <code>jvp(grad(loss))</code> gives to {forward:.0e} and what
        differences of gradients give to {numeric:.0e}. Training ends, at a loss of {last:.3f}, in a long valley: {apart} directions stand
        apart, the least steep of them {ratios.max().item():.1f} times as steep as the next; {flat:.0%} of all directions are flatter than a thousandth of the steepest, and {(values < -1e-8).sum().item()} still bend downwards.""",
        steps=STEPS,
        outcome=f"{len(theta)} × {len(theta)}, checked three ways; largest eigenvalue {values[-1].item():.2f}",
        code=(network, loss_of_flat),
    )
    section.add_figure(
        _spectrum(start, values),
        "All eigenvalues, sorted, where training began and where it ended; and how many are larger than a given one.",
    )
    section.add_figure(
        _valley(after, loss, theta, values, vectors),
        "The matrix itself (logarithm of the absolute values), and the loss along the steepest direction and along a middling one (points), with the "
        "parabola that the eigenvalue predicts (lines).",
    )
    return section


def _spectrum(start: torch.Tensor, end: torch.Tensor) -> Figure:
    figure, (left, right) = plots.subplots(1, 2, figsize=(9, 3.2))
    for values, name, color in ((start, "before training", plots.PALE), (end, "after training", plots.BLUE)):
        left.plot(values.flip(0).numpy(), ".", ms=3, color=color, label=name)
        positive = values[values > 1e-9].flip(0)
        right.loglog(positive.numpy(), range(1, len(positive) + 1), ".-", ms=3, lw=1, color=color, label=name)
    left.set_yscale("symlog", linthresh=1e-4)
    left.set(xlabel="rank", ylabel="eigenvalue", title="Spectrum")
    left.legend()
    right.set(xlabel="eigenvalue", ylabel="how many are as large", title="The long tail")
    right.legend()
    return figure


def _valley(matrix, loss, theta, values, vectors) -> Figure:
    figure, (left, right) = plots.subplots(1, 2, figsize=(9, 3.6))
    image = left.imshow(matrix.abs().clamp_min(1e-8).log10().numpy(), cmap="magma", vmin=-6, vmax=0)
    left.grid(False)
    left.set(
        title="Hessian after training",
        xticks=[260, 565],
        xticklabels=["first layer", "second layer"],
        yticks=[],
    )
    figure.colorbar(image, ax=left, label="log₁₀ |entry|", shrink=0.85)
    steps = torch.linspace(-0.6, 0.6, 25, dtype=torch.float64)
    centre, slope = loss(theta), grad(loss)(theta)
    for rank, color in ((1, plots.RED), (20, plots.BLUE)):
        direction, curvature = vectors[:, -rank], values[-rank]
        along = vmap(lambda t, d=direction: loss(theta + t * d))(steps)
        predicted = centre + steps * (slope @ direction) + 0.5 * curvature * steps**2
        right.plot(
            steps.numpy(),
            along.numpy(),
            "o",
            ms=3,
            color=color,
            label=f"eigenvalue {rank}: {curvature.item():.3g}",
        )
        right.plot(steps.numpy(), predicted.numpy(), color=color, lw=1)
    right.set(xlabel="distance", ylabel="loss", title="Two directions")
    right.legend()
    return figure
