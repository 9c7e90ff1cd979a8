"""How peers are timed: alternating short runs, medians, ratios of medians; compiles are counted."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import jax

import functorch_lite

compiles = 0


def _listen(event: str, *args, **kwargs) -> None:
    global compiles
    if event == "/jax/core/compile/backend_compile_duration":
        compiles += 1


jax.monitoring.register_event_duration_secs_listener(_listen)


@dataclass
class Peer:
    """One implementation: `step()` does the work and returns something that `wait` reads to be sure it is done."""

    name: str
    step: Callable
    wait: Callable


@dataclass
class Result:
    """Median microseconds by peer, and how many programs XLA compiled while it was measured (after warm-up)."""

    title: str
    micros: dict[str, float]
    compiles: int

    def ratio(self, a: str, b: str) -> float:
        """Time of a over time of b."""
        return self.micros[a] / self.micros[b]

    def __str__(self) -> str:
        times = "  ".join(f"{name} {us:9.1f} us" for name, us in self.micros.items())
        ratios = "  ".join(
            f"{name}/ours {us / self.micros['ours']:.2f}"
            for name, us in self.micros.items()
            if name != "ours"
        )
        return f"{self.title:<42} {times}  |  {ratios}  |  compiles {self.compiles}"


def done(result) -> None:
    """Waits for PyTorch, which on a CPU has computed by then."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.synchronize()


def compare(
    title: str,
    peers: list[Peer],
    steps: int,
    rounds: int = 11,
    warm_up: int = 12,
    clock: Callable[[], float] = time.perf_counter,
) -> Result:
    """Times peers in alternating rounds of `steps` steps; each round ends by waiting for the last result. clock: what
    tells the time.

    While warming up, everything is compiled, as in the long run, and results are waited for at every other step: a step
    whose result is read at once is another program.
    """
    with functorch_lite.debug.tier("compiled"):
        for peer in peers:
            for i in range(warm_up):
                result = peer.step()
                if i % 4 < 2:
                    peer.wait(result)
    samples: dict[str, list[float]] = {p.name: [] for p in peers}
    before = compiles
    for _ in range(rounds):
        for peer in peers:
            peer.wait(peer.step())
            start = clock()
            for _ in range(steps):
                result = peer.step()
            peer.wait(result)
            samples[peer.name].append((clock() - start) / steps * 1e6)
    return Result(title, {n: sorted(s)[len(s) // 2] for n, s in samples.items()}, compiles - before)
