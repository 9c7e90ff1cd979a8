"""Transforms of functions and of modules: an ensemble as one module, gradients of each, randomness, and loops that are
recorded whole."""

import copy
from typing import Any

import functorch_lite as torch
import functorch_lite.nn.functional as F
from functorch_lite import nn
from functorch_lite.func import (
    functional_call,
    functionalize,
    grad_and_value,
    jacfwd,
    jvp,
    stack_module_state,
    vmap,
)
from functorch_lite.utils import _pytree as pytree


class Member(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(2, width)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(width, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.drop(torch.tanh(self.hidden(x))))


def noisy(x: torch.Tensor, scale: float = 0.1) -> torch.Tensor:
    return x + scale * torch.randn_like(x)


def in_place(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[0] += 1
    return y.mul_(2)


def main() -> None:
    members = [Member(8) for _ in range(4)]
    params, buffers = stack_module_state(members)
    base = copy.deepcopy(members[0]).to("meta")
    x, y = torch.randn(16, 2), torch.randint(0, 3, (16,))

    def logits(p: dict[str, Any], b: dict[str, Any], x: torch.Tensor) -> torch.Tensor:
        return functional_call(base, (p, b), (x,))

    def loss(p: dict[str, Any], b: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
        out = logits(p, b, x)
        return F.cross_entropy(out, y), out.argmax(dim=-1)

    grads, (losses, guesses) = vmap(grad_and_value(loss, has_aux=True), randomness="different")(
        params, buffers
    )
    stepped = pytree.tree_map(lambda p, g: p - 0.1 * g, params, grads)
    each: torch.Tensor = vmap(logits, in_dims=(0, 0, None), randomness="same")(stepped, buffers, x)
    print(losses.mean().item(), guesses.shape, each.softmax(-1).mean(0).shape, sorted(grads))
    draws = vmap(noisy, in_dims=(0,), randomness="different", chunk_size=2)(torch.zeros(4, 3))
    value, slope = jvp(torch.special.expit, (draws,), (torch.ones_like(draws),))
    J = vmap(jacfwd(torch.sin))(value)
    print(slope.shape, J.diagonal(dim1=-2, dim2=-1).sum().item(), functionalize(in_place)(torch.ones(3)))
    leaves, spec = pytree.tree_flatten({"a": draws, "b": (value, slope)})
    print(len(leaves), pytree.tree_unflatten(leaves, spec)["b"][0].shape)


if __name__ == "__main__":
    main()
