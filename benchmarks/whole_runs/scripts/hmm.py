"""A hidden Markov model: the forward algorithm in logs over sequences of other lengths, and Viterbi now and then."""

import numpy as np
import torch

steps = 940
rng = np.random.RandomState(33)
S, V = 6, 20
raw_start, raw_move, raw_emit = (
    torch.tensor(rng.randn(*s), dtype=torch.float32, requires_grad=True) for s in ((S,), (S, S), (S, V))
)
opt = torch.optim.Adam([raw_start, raw_move, raw_emit], lr=0.02)


def forward(obs, start, move, emit):
    alpha = start + emit[:, obs[:, 0]].T
    for t in range(1, obs.shape[1]):
        alpha = torch.logsumexp(alpha[:, :, None] + move[None], 1) + emit[:, obs[:, t]].T
    return torch.logsumexp(alpha, 1)


@torch.no_grad()
def viterbi(obs, start, move, emit):
    best, back = start + emit[:, obs[0]], []
    for o in obs[1:]:
        score, where = (best[:, None] + move).max(0)
        best = score + emit[:, o]
        back.append(where)
    path = [best.argmax().item()]
    for where in reversed(back):
        path.append(where[path[-1]].item())
    return path[::-1]


def step(i):
    obs = torch.from_numpy(rng.randint(0, V, (16, rng.randint(15, 50))))
    start, move, emit = raw_start.log_softmax(0), raw_move.log_softmax(1), raw_emit.log_softmax(1)
    loss = -forward(obs, start, move, emit).mean() / obs.shape[1]
    opt.zero_grad()
    loss.backward()
    opt.step()
    if i % 20 == 19:
        viterbi(obs[0], start, move, emit)
    return loss.item()
