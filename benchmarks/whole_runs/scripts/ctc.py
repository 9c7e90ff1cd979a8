"""Speech with CTC: frames and labels of other lengths in each batch."""

import numpy as np
import torch
import torch.nn as nn

steps = 160
rng = np.random.RandomState(3)


class Recognizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(20, 48, 5, stride=2, padding=2)
        self.rnn = nn.GRU(48, 48, bidirectional=True, batch_first=True)
        self.out = nn.Linear(96, 28)

    def forward(self, x):
        h = torch.relu(self.conv(x)).transpose(1, 2)
        return self.out(self.rnn(h)[0]).log_softmax(-1)


model = Recognizer()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
ctc = nn.CTCLoss(zero_infinity=True)


def step(i):
    frames = sorted(rng.randint(60, 140, 8), reverse=True)
    labels = [rng.randint(5, 15) for _ in frames]
    x = torch.zeros(8, 20, frames[0])
    for k, n in enumerate(frames):
        x[k, :, :n] = torch.from_numpy(rng.randn(20, n).astype(np.float32))
    targets = torch.from_numpy(rng.randint(1, 28, sum(labels)))
    logp = model(x).transpose(0, 1)
    loss = ctc(logp, targets, torch.tensor([(n + 1) // 2 for n in frames]), torch.tensor(labels))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    opt.step()
    return loss.item()
