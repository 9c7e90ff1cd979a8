"""Per-sample gradients, clipped and noised."""

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.func import functional_call, grad, grad_and_value, stack_module_state, vmap

model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
params = dict(model.named_parameters())
x, y = torch.randn(16, 4), torch.randn(16, 1)


def loss(params: dict[str, nn.Parameter], x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out: torch.Tensor = functional_call(model, params, x.unsqueeze(0))
    return torch.nn.functional.mse_loss(out.squeeze(0), y)


grads = vmap(grad(loss), (None, 0, 0))(params, x, y)
norms = sum(g.flatten(1).pow(2).sum(1) for g in grads.values()) ** 0.5
scale = (1.0 / norms).clamp(max=1.0)
clipped = {k: (g * scale.view(-1, *[1] * (g.dim() - 1))).mean(0) for k, g in grads.items()}
noisy = {k: g + 0.1 * torch.randn_like(g) for k, g in clipped.items()}
gradients, values = vmap(grad_and_value(loss), (None, 0, 0))(params, x, y)
print({k: tuple(g.shape) for k, g in noisy.items()}, values.mean().item())
models = [nn.Linear(4, 1) for _ in range(3)]
stacked, buffers = stack_module_state(models)
print(vmap(lambda p, b: functional_call(models[0], (p, b), (x,)))(stacked, buffers).shape)
