"""A hand-written LSTM cell loop with backward: time of the first iteration, and of later ones, by length."""

from __future__ import annotations

import os
import subprocess
import sys
import time

HIDDEN, FEATURES, BATCH = 64, 32, 16


def one_length(steps: int, iterations: int = 4) -> None:
    """Trains a cell unrolled over `steps`; prints the seconds of each iteration."""
    import functorch_lite as torch
    from functorch_lite import nn

    class Cell(nn.Module):
        def __init__(self):
            super().__init__()
            self.from_input = nn.Linear(FEATURES, 4 * HIDDEN)
            self.from_hidden = nn.Linear(HIDDEN, 4 * HIDDEN)

        def forward(self, x, state):
            h, c = state
            i, f, g, o = (self.from_input(x) + self.from_hidden(h)).chunk(4, 1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            return o.sigmoid() * c.tanh(), c

    torch.manual_seed(0)
    cell, head = Cell(), nn.Linear(HIDDEN, 10)
    opt = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=1e-3)
    x, y = torch.randn(BATCH, steps, FEATURES), torch.randint(0, 10, (BATCH,))
    seconds = []
    for _ in range(iterations):
        start = time.perf_counter()
        state = torch.zeros(BATCH, HIDDEN), torch.zeros(BATCH, HIDDEN)
        for k in range(steps):
            state = cell(x[:, k], state)
        loss = nn.functional.cross_entropy(head(state[0]), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        loss.item()
        seconds.append(time.perf_counter() - start)
    programs = torch.debug.stats()["programs"]
    print(
        f"LSTM cell loop, {steps:4d} steps: first iteration {seconds[0]:6.2f} s, later {min(seconds[1:]):.4f} s, {programs} programs"
    )


def run(smoke: bool = False) -> None:
    """Each length in a process of its own, without the persistent cache."""
    for steps in (8,) if smoke else (16, 64, 256):
        env = {**os.environ, "FUNCTORCH_LITE_CACHE": "0"}
        code = f"from benchmarks.loops import one_length; one_length({steps})"
        subprocess.run([sys.executable, "-c", code], check=True, env=env)
