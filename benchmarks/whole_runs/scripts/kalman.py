"""A Kalman filter over a sequence, its noises learnt by maximum likelihood; a 4×4 solve at each time."""

import numpy as np
import torch

steps = 180
rng = np.random.RandomState(5)
T = 50
A = torch.tensor([[1, 0, 0.1, 0], [0, 1, 0, 0.1], [0, 0, 1, 0], [0, 0, 0, 1]])
H = torch.tensor([[1.0, 0, 0, 0], [0, 1.0, 0, 0]])
path = np.cumsum(np.cumsum(rng.randn(T, 2) * 0.02, 0) * 0.1, 0)
observed = torch.tensor(path + rng.randn(T, 2) * 0.1, dtype=torch.float32)
log_q = torch.zeros(4, requires_grad=True)
log_r = torch.zeros(2, requires_grad=True)
opt = torch.optim.Adam([log_q, log_r], lr=0.05)


def negative_log_likelihood(ys):
    x, P = torch.zeros(4), torch.eye(4)
    Q, R = torch.diag(log_q.exp()), torch.diag(log_r.exp())
    total = 0.0
    for y in ys:
        x, P = A @ x, A @ P @ A.T + Q
        S = H @ P @ H.T + R
        r = y - H @ x
        K = torch.linalg.solve(S, H @ P).T
        x, P = x + K @ r, P - K @ S @ K.T
        total = total + 0.5 * (torch.logdet(S) + r @ torch.linalg.solve(S, r))
    return total / len(ys)


def step(i):
    opt.zero_grad()
    loss = negative_log_likelihood(observed + 0.01 * torch.tensor(rng.randn(T, 2), dtype=torch.float32))
    loss.backward()
    opt.step()
    return loss.item()
