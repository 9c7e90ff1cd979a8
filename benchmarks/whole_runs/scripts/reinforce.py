"""REINFORCE on a cart-pole written out in Python: one action read at each time step."""

import math

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical

steps = 96
rng = np.random.RandomState(7)
policy = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 2))
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)


def push(state, action):
    x, v, a, w = state
    force = 10.0 if action else -10.0
    temp = (force + 0.05 * w * w * math.sin(a)) / 1.1
    acc = (9.8 * math.sin(a) - math.cos(a) * temp) / (0.5 * (4 / 3 - 0.1 * math.cos(a) ** 2 / 1.1))
    state = np.array(
        [x + 0.02 * v, v + 0.02 * (temp - 0.05 * acc * math.cos(a) / 1.1), a + 0.02 * w, w + 0.02 * acc]
    )
    return state, abs(state[0]) > 2.4 or abs(state[2]) > 0.21


def step(i):
    logs, rewards, ends, state = [], [], [], rng.uniform(-0.05, 0.05, 4)
    for _ in range(100):
        dist = Categorical(logits=policy(torch.from_numpy(state).float()))
        action = dist.sample()
        logs.append(dist.log_prob(action))
        state, done = push(state, action.item())
        rewards.append(1.0)
        ends.append(done)
        if done:
            state = rng.uniform(-0.05, 0.05, 4)
    returns, R = [], 0.0
    for r, end in zip(reversed(rewards), reversed(ends)):
        R = r + 0.99 * R * (not end)
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-6)
    loss = -(torch.stack(logs) * returns).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return float(sum(ends))
