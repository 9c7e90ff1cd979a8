"""The distribution that a loss stands for: which it is, found in what the loss computes, and labels drawn from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core.api import Tensor
from ..._core.api import functions as torch
from .._estimates import same_draws
from .._models import losses_of
from .._trees import flatten, unflatten
from ..cuts import Notes, record_function
from ..derivatives import grad

__all__ = ["Likelihood", "ops_of_loss", "seed_of"]

KINDS = {
    "nn.functional.cross_entropy": "categorical",
    "nn.functional.nll_loss": "categorical",
    "nn.functional.binary_cross_entropy_with_logits": "bernoulli",
    "nn.functional.mse_loss": "normal",
}
"""By the op that a loss records."""


def seed_of(generator: Any) -> int:
    """A seed, drawn once."""
    with same_draws():
        return int(torch.randint(0, 2**31 - 1, (), generator=generator).item())


def ops_of_loss(loss: Callable, outputs: Any, y: Any) -> list[str]:
    """The names of the ops that a loss of one batch is made of."""
    leaves, structure = flatten((outputs, y))

    def run(fresh: Any) -> Any:
        return [loss(*unflatten(structure, fresh))], None

    recorded = record_function("vjp", [t._aval for t in leaves], leaves, run, Notes(1))
    return [str(getattr(s.op, "name", "")) for s in recorded.graph.steps]


class Likelihood:
    """Distribution that labels are drawn from."""

    def __init__(self, who: str, loss: Any, reduction: str, sampler: Callable | None):
        self.who, self.loss, self.reduction, self.sampler = who, loss, reduction, sampler
        self._kind: str | None = None

    def kind(self, outputs: Tensor, y: Any) -> str:
        """The distribution's name; ValueError for a loss that stands for none of them."""
        if self._kind is None:
            found = {
                k for op in ops_of_loss(self.loss, outputs, y) for name, k in KINDS.items() if op == name
            }
            if len(found) != 1:
                raise ValueError(
                    f"{self.who}: the loss must be a cross entropy, a binary cross entropy with logits or a mean squared error, so that labels can be drawn; for other losses pass sampler=, a function (outputs, generator) -> labels"
                )
            (self._kind,) = found
        return self._kind

    def gradients(self, outputs: Tensor, y: Any, samples: int, generator: Any) -> Tensor:
        """(samples, *outputs): gradients in the outputs of each sample's loss at drawn labels, scaled such that the
        mean of their outer products is the Hessian of the loss."""
        z = outputs.detach()  # type: ignore[attr-defined]
        n, found = z.shape[0], []
        terms = 1.0
        kind = None if self.sampler is not None else self.kind(outputs, y)
        if self.reduction == "mean" and kind is not None:
            terms = float((y if kind == "categorical" else z).numel() / n)  # type: ignore[union-attr]
        losses = losses_of(self.loss)

        def slope(labels: Any) -> Tensor:
            return grad(lambda z: losses(z, labels).sum())(outputs)

        for _ in range(samples):
            labels = (
                self.sampler(z, generator) if self.sampler is not None else _drawn(str(kind), z, y, generator)
            )
            found.append(slope(labels))
        return torch.stack(found) * terms**0.5


def _drawn(kind: str, z: Tensor, y: Any, generator: Any) -> Tensor:
    with same_draws():
        if kind == "normal":
            return z + torch.randn(*z.shape, generator=generator, dtype=z.dtype, device=z.device) * 0.5**0.5
        if kind == "bernoulli":
            u = torch.rand(*z.shape, generator=generator, dtype=z.dtype, device=z.device)
            return (u < torch.sigmoid(z)).to(z.dtype)
        # classes are dim 1, as cross entropy has them, or the last, where a loss flattens what comes before
        last = z.dim() > 2 and tuple(z.shape[:-1]) == tuple(y.shape)  # type: ignore[attr-defined]
        dim = -1 if last else 1
        p = torch.softmax(z, dim).movedim(dim, -1)
        u = torch.rand(*p.shape[:-1], 1, generator=generator, dtype=z.dtype, device=z.device)
        return (p.cumsum(-1) < u).sum(-1).clamp(max=p.shape[-1] - 1)
