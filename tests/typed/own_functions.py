"""Functions with derivatives of one's own, and hooks."""

from typing import Any

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.autograd import Function


class Exp(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (y,) = ctx.saved_tensors
        return grad * y


class Swish(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.beta = nn.Parameter(torch.ones(1))
        self.seen: list[torch.Size] = []

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen.append(x.shape)
        return x * torch.sigmoid(self.beta * x)


x = torch.linspace(-1, 1, 5, requires_grad=True)
Exp.apply(x).sum().backward()
assert x.grad is not None
print(x.grad.norm(), x.is_leaf, x.grad_fn)
layer = Swish()
handle = layer.register_forward_hook(lambda module, args, output: output * 2)
grads: list[torch.Tensor] = []
y = layer(x)
y.register_hook(lambda g: grads.append(g))
y.mean().backward()
handle.remove()
assert torch.autograd.gradcheck(Exp.apply, (torch.randn(3, dtype=torch.float64, requires_grad=True),))
for name, p in layer.named_parameters():
    print(name, p.shape, p.requires_grad, None if p.grad is None else p.grad.abs().max().item())
print(torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=False).sum(), layer.seen[0].numel())
