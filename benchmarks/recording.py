"""The cost of recording one small op, beside what PyTorch takes to run it."""

from __future__ import annotations

from .timing import Peer, Result, compare, done

OPS = 400


def run(smoke: bool = False) -> list[Result]:
    """8x8 add and relu, without and with the tape, microseconds per op (ours: recorded, and run in programs of 400)."""
    import torch

    import functorch_lite as ours

    def loop(torch, requires_grad: bool, op):
        a, b = torch.ones(8, 8), torch.ones(8, 8, requires_grad=requires_grad)

        def step():
            for _ in range(OPS):
                c = op(a, b)
            if torch is ours:
                ours.synchronize()
            return c

        return step

    def add(a, b):
        return a + b

    def mul(a, b):
        return a * b

    results = []
    for title, op, requires_grad in (("8x8 add", add, False), ("8x8 mul, taped", mul, True)):
        peers = [
            Peer("ours", loop(ours, requires_grad, op), lambda c: c.detach().cpu().numpy()),
            Peer("torch", loop(torch, requires_grad, op), done),
        ]
        result = compare(f"record one op: {title}", peers, 1 if smoke else 5, 1 if smoke else 21)
        result.micros = {k: v / OPS for k, v in result.micros.items()}
        results.append(result)
    return results
