"""Value iteration and policy evaluation of random decision processes of other sizes, until values stand still."""

import numpy as np
import torch

steps = 1000
rng = np.random.RandomState(46)


def step(i):
    n, actions, gamma = rng.randint(20, 60), rng.randint(2, 6), 0.95
    P = rng.rand(actions, n, n) ** 8
    P = torch.tensor(P / P.sum(2, keepdims=True), dtype=torch.float32)
    R = torch.tensor(rng.randn(n, actions), dtype=torch.float32)
    V = torch.zeros(n)
    for sweep in range(500):
        Q = R + gamma * (P @ V).T
        new = Q.max(1).values
        delta = (new - V).abs().max().item()
        V = new
        if delta < 1e-3:
            break
    policy = Q.argmax(1)
    P_pi, R_pi = P[policy, torch.arange(n)], R[torch.arange(n), policy]
    exact = torch.linalg.solve(torch.eye(n) - gamma * P_pi, R_pi)
    return exact.mean().item()
