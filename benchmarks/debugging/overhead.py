"""What watching costs: nothing where `repro_after` is None, and one comparison for each program at level 4.
`python -m benchmarks.debugging.overhead`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite._core.run import watching
from functorch_lite.compiler.debugging.compare import cast_to_fp64, run_fwd_maybe_bwd

ROUNDS, STEPS = 60, 15


def model() -> nn.Module:
    """A small MLP."""
    torch.manual_seed(0)
    return nn.Sequential(
        *[layer for _ in range(4) for layer in (nn.Linear(64, 64), nn.ReLU())], nn.Linear(64, 4)
    )


def training() -> Callable[[], None]:
    """A training step, under torch.compile as far as the model goes."""
    net = model()
    optimizer = torch.optim.Adam(net.parameters())
    x, y = torch.randn(16, 64), torch.randint(4, (16,))
    compiled = torch.compile(net, backend=lambda gm, _: gm.forward)

    def step() -> None:
        optimizer.zero_grad()
        nn.functional.cross_entropy(compiled(x), y).backward()
        optimizer.step()

    return step


def seconds(step: Callable[[], None]) -> float:
    """Processor time of some steps in this thread."""
    began = time.thread_time()
    for _ in range(STEPS):
        step()
    torch.synchronize()
    return time.thread_time() - began


def off() -> float:
    """How many times as long a training loop takes with the hooks in place as with them taken out; `repro_after` is
    None."""
    step = training()
    hooks = watching.made, watching.failed
    for _ in range(3):
        seconds(step)
    times: list[list[float]] = [[], []]
    for _ in range(ROUNDS):
        for k in (0, 1):
            watching.watch(*(hooks if k else (lambda *_: None, lambda *_: None)))
            times[k].append(seconds(step))
    watching.watch(*hooks)
    return min(times[1]) / min(times[0])


def first_call(level: int | None) -> float:
    """Seconds of the first call of a compiled model, with its backward."""
    torch._dynamo.reset()
    net, x = model(), torch.randn(16, 64)
    compiled = torch.compile(net, backend=torch._inductor.compile_fx.compile_fx)
    torch._dynamo.config.repro_after = None if level is None else "dynamo"
    torch._dynamo.config.repro_level = level or 2
    began = time.perf_counter()
    compiled(x).sum().backward()
    torch.synchronize()
    took = time.perf_counter() - began
    torch._dynamo.config.repro_after = None
    return took


def references() -> tuple[float, float]:
    """Seconds of a run of the model op by op, and of one in float64."""
    found = []
    for wide in (False, True):
        torch._dynamo.reset()
        net, inputs = model(), [torch.randn(16, 64)]
        if wide:
            net, inputs = cast_to_fp64(net, inputs)
        with torch.debug.eager():
            began = time.perf_counter()
            run_fwd_maybe_bwd(net, inputs)
            torch.synchronize()
            found.append(time.perf_counter() - began)
    return found[0], found[1]


def main() -> None:
    """Prints both."""
    with torch.debug.tier("compiled"):
        print(f"repro_after=None: {off():.4f} x")
        first_call(None)
        plain = statistics.median([first_call(None) for _ in range(3)])
        watched = statistics.median([first_call(4) for _ in range(3)])
        eager, wide = references()
        bound = 3 * plain + eager + wide
        print(
            f"first call: {plain:.2f} s; at level 4: {watched:.2f} s; op by op {eager:.2f} s, in float64 {wide:.2f} s; bound {bound:.2f} s"
        )


if __name__ == "__main__":
    main()
