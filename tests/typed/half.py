"""Mixed precision, devices, compiled functions, random numbers."""

import functorch_lite as torch
import functorch_lite.nn as nn


@torch.compile
def gelu(x: torch.Tensor) -> torch.Tensor:
    return 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x**3)))


device = torch.device("cpu")
model = nn.Linear(4, 4, device=device, dtype=torch.float32)
scaler = torch.amp.GradScaler("cpu", enabled=False)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
with torch.autocast(device_type=device.type, dtype=torch.bfloat16):
    loss = model(torch.ones(2, 4)).float().pow(2).mean()
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
fast = torch.compile(model, fullgraph=True)
print(fast(torch.ones(2, 4)).sum().item(), gelu(torch.randn(3)))
generator = torch.Generator(device="cpu")
generator.manual_seed(3)
print(
    torch.randperm(5, generator=generator),
    torch.rand(2, 3, generator=generator, dtype=torch.float64),
    torch.get_rng_state().shape,
)
x = torch.zeros(2, 3, device=device)
print(
    x.device == device,
    x.is_cuda,
    x.dtype.is_floating_point,
    torch.finfo(x.dtype).eps,
    x.element_size(),
    x.stride(),
    x.is_contiguous(),
)
with torch.inference_mode():
    x += 1
torch.set_default_dtype(torch.float32)
print(
    torch.promote_types(torch.float16, torch.int64),
    torch.result_type(x, 1),
    torch.get_default_dtype(),
    torch.is_grad_enabled(),
)
