"""REINFORCE with a baseline, and a step of Q-learning."""

import random
from collections import deque, namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.distributions import Categorical

torch.manual_seed(0)
random.seed(0)
np.random.seed(0)


class Env:
    def reset(self):
        self.x, self.t = 0.0, 0
        return np.array([self.x, 0.0], dtype=np.float32)

    def step(self, a):
        self.x += 0.1 if a == 1 else -0.1
        self.t += 1
        return np.array([self.x, self.t / 10], dtype=np.float32), -abs(self.x - 0.5), self.t >= 10, {}


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(2, 16)
        self.dropout = nn.Dropout(p=0.0)
        self.affine2 = nn.Linear(16, 2)
        self.value = nn.Linear(16, 1)
        self.saved_log_probs = []
        self.rewards = []

    def forward(self, x):
        x = F.relu(self.dropout(self.affine1(x)))
        return F.softmax(self.affine2(x), dim=1), self.value(x)


policy = Policy()
optimizer = optim.Adam(policy.parameters(), lr=1e-2)
eps = np.finfo(np.float32).eps.item()
env = Env()
for ep in range(12):
    s = env.reset()
    done = False
    R = 0
    while not done:
        st = torch.from_numpy(s).float().unsqueeze(0)
        probs, v = policy(st)
        m = Categorical(probs)
        a = m.sample()
        policy.saved_log_probs.append((m.log_prob(a), v, m.entropy()))
        s, r, done, _ = env.step(a.item())
        policy.rewards.append(r)
    returns = deque()
    for r in policy.rewards[::-1]:
        R = r + 0.99 * R
        returns.appendleft(R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + eps)
    losses = []
    for (lp, v, ent), R in zip(policy.saved_log_probs, returns):
        adv = R - v.item()
        losses.append(-lp * adv + F.smooth_l1_loss(v, torch.tensor([[R]])) - 0.01 * ent)
    optimizer.zero_grad()
    loss = torch.cat(losses).sum() if losses[0].dim() else torch.stack(losses).sum()
    loss.backward()
    optimizer.step()
    print(ep, round(loss.item(), 4), round(sum(policy.rewards), 4))
    del policy.rewards[:]
    del policy.saved_log_probs[:]
# DQN piece
T = namedtuple("T", "s a n r")
mem = [
    T(
        torch.randn(1, 4),
        torch.tensor([[random.randrange(2)]]),
        None if i % 7 == 0 else torch.randn(1, 4),
        torch.tensor([float(i % 3)]),
    )
    for i in range(64)
]
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
tgt = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
tgt.load_state_dict(net.state_dict())
opt = optim.AdamW(net.parameters(), lr=1e-3, amsgrad=True)
for i in range(5):
    b = T(*zip(*random.sample(mem, 16)))
    mask = torch.tensor(tuple(map(lambda s: s is not None, b.n)), dtype=torch.bool)
    nn_ = torch.cat([s for s in b.n if s is not None])
    q = net(torch.cat(b.s)).gather(1, torch.cat(b.a))
    nv = torch.zeros(16)
    with torch.no_grad():
        nv[mask] = tgt(nn_).max(1).values
    loss = nn.SmoothL1Loss()(q, (nv * 0.99 + torch.cat(b.r)).unsqueeze(1))
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(net.parameters(), 100)
    opt.step()
    td, nd = tgt.state_dict(), net.state_dict()
    for k in nd:
        td[k] = nd[k] * 0.1 + td[k] * 0.9
    tgt.load_state_dict(td)
    print(i, f"{loss.item():.5f}")
