"""PPO with a Gaussian policy on a point that seeks the origin; minibatches of shuffled samples."""

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Normal

steps = 80
rng = np.random.RandomState(8)
actor = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))
critic = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
log_std = nn.Parameter(torch.zeros(2))
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters(), log_std], lr=3e-4)


def step(i):
    obs, actions, logps, values, rewards = [], [], [], [], []
    state = rng.randn(8, 4) * 0.5
    with torch.no_grad():
        for t in range(32):
            o = torch.as_tensor(state, dtype=torch.float32)
            dist = Normal(actor(o), log_std.exp())
            a = dist.sample()
            obs.append(o)
            actions.append(a)
            logps.append(dist.log_prob(a).sum(-1))
            values.append(critic(o).squeeze(-1))
            state[:, 2:] += 0.1 * a.numpy().clip(-1, 1)
            state[:, :2] += 0.1 * state[:, 2:]
            rewards.append(torch.as_tensor(-(state**2).sum(1), dtype=torch.float32))
    advantages, last = [torch.zeros(8)] * 32, torch.zeros(8)
    for t in reversed(range(32)):
        following = values[t + 1] if t < 31 else torch.zeros(8)
        last = rewards[t] + 0.99 * following - values[t] + 0.99 * 0.95 * last
        advantages[t] = last
    o, a, old = torch.cat(obs), torch.cat(actions), torch.cat(logps)
    adv = torch.cat(advantages)
    ret = adv + torch.cat(values)
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    for epoch in range(4):
        for index in torch.from_numpy(rng.permutation(256)).split(64):
            dist = Normal(actor(o[index]), log_std.exp())
            ratio = (dist.log_prob(a[index]).sum(-1) - old[index]).exp()
            surrogate = torch.min(ratio * adv[index], ratio.clamp(0.8, 1.2) * adv[index]).mean()
            value_loss = (critic(o[index]).squeeze(-1) - ret[index]).pow(2).mean()
            loss = -surrogate + 0.5 * value_loss - 0.01 * dist.entropy().sum(-1).mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(actor.parameters(), 0.5)
            opt.step()
    return torch.stack(rewards).mean().item()
