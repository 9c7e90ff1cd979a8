"""Gradients through gradient steps, and an optimizer's state."""

import copy

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.optim.swa_utils import AveragedModel

Params = dict[str, torch.Tensor]
net = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 1))
meta = torch.optim.SGD(net.parameters(), lr=1e-2, momentum=0.9, nesterov=True)


def inner(params: Params, x: torch.Tensor, y: torch.Tensor, lr: float = 0.1) -> Params:
    loss = (torch.func.functional_call(net, params, (x,)) - y).pow(2).mean()
    grads = torch.autograd.grad(loss, list(params.values()), create_graph=True)
    return {k: p - lr * g for (k, p), g in zip(params.items(), grads)}


x = torch.rand(8, 1) * 10 - 5
y = torch.sin(x)
loss = torch.zeros(())
for _ in range(2):
    params: Params = dict(net.named_parameters())
    for _ in range(2):
        params = inner(params, x, y)
    loss = (torch.func.functional_call(net, params, (x,)) - y).square().mean()
    meta.zero_grad()
    loss.backward()
    meta.step()
ema = AveragedModel(net, multi_avg_fn=None)
ema.update_parameters(net)
other = copy.deepcopy(net)
other.load_state_dict(net.state_dict())
state = meta.state_dict()
meta.load_state_dict(state)
for group in meta.param_groups:
    print(group["lr"], len(group["params"]))
vector = nn.utils.parameters_to_vector(net.parameters())
nn.utils.vector_to_parameters(vector * 0.5, other.parameters())
print(vector.numel(), sum(p.numel() for p in net.parameters() if p.requires_grad), loss.item())
