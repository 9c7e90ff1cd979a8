"""A physics-informed net for Burgers' equation: derivatives of the net's output in x and t, by autograd.grad."""

import numpy as np
import torch
import torch.nn as nn

steps = 940
rng = np.random.RandomState(15)
layers = []
for inner, outer in zip([2, 32, 32, 32], [32, 32, 32, 1]):
    layers += [nn.Linear(inner, outer), nn.Tanh()]
net = nn.Sequential(*layers[:-1])
opt = torch.optim.Adam(net.parameters(), lr=1e-3)


def residual(x, t):
    u = net(torch.cat([x, t], 1))
    u_x, u_t = torch.autograd.grad(u, (x, t), torch.ones_like(u), create_graph=True)
    u_xx = torch.autograd.grad(u_x, x, torch.ones_like(u_x), create_graph=True)[0]
    return u_t + u * u_x - 0.01 / np.pi * u_xx


def step(i):
    x = torch.tensor(rng.uniform(-1, 1, (256, 1)), dtype=torch.float32, requires_grad=True)
    t = torch.tensor(rng.uniform(0, 1, (256, 1)), dtype=torch.float32, requires_grad=True)
    x0 = torch.tensor(rng.uniform(-1, 1, (64, 1)), dtype=torch.float32)
    start = net(torch.cat([x0, torch.zeros_like(x0)], 1)) + torch.sin(np.pi * x0)
    edge = net(torch.tensor([[-1.0, 0.5], [1.0, 0.5]]))
    loss = residual(x, t).pow(2).mean() + start.pow(2).mean() + edge.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item() if i % 10 == 0 else None
