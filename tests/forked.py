"""`python -m tests.forked [name …]`: programs that a parent has run by XLA, run in its forked children: each ends in
time, with the parent's numbers or the error that names "spawn". A child that waits for XLA would wait for ever.
`--ops [name …]`: the samples of every op, recorded first in a child."""

from __future__ import annotations

import concurrent.futures
import io
import multiprocessing
import os
import pickle
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import functorch_lite as torch
import functorch_lite.nn as nn
import functorch_lite.nn.functional as F
import functorch_lite.utils.checkpoint
from functorch_lite.func import grad, hessian, jacrev, vmap
from tests.arguments import placeholders, wants_grad
from tests.checker import array_of, recorded, rooted, run, subject, tensors_of
from tests.samples import all_samples

LIMIT = 5.0
"""Seconds."""
OPS_LIMIT = 60.0
TOLERANCE = 2e-3
"""Relative to the largest number: NumPy sums in another order, and a step of training divides by small numbers."""

PROGRAMS: dict[str, Callable[[], Any]] = {}


def program(fn: Callable[[], Any]) -> Callable[[], Any]:
    PROGRAMS[fn.__name__] = fn
    return fn


def _matrix(n: int) -> Any:
    a = torch.randn(n, n)
    return a @ a.T + n * torch.eye(n)


def _trained(model: nn.Module, x: Any, y: Any, optimizer: type = torch.optim.SGD) -> Any:
    steps = optimizer(model.parameters(), lr=1e-2)
    for _ in range(3):
        steps.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        steps.step()
    return loss, next(model.parameters())


def _convolutions() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 8, 3),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(8 * 13 * 13, 10),
    )


@program
def product():
    return (torch.ones(700, 700) @ torch.ones(700, 700)).sum()


@program
def batched_product():
    return torch.bmm(torch.randn(16, 64, 64), torch.randn(16, 64, 64))


@program
def einsum():
    return torch.einsum("bij,bjk,k->bi", torch.randn(8, 40, 40), torch.randn(8, 40, 40), torch.randn(40))


@program
def convolutions():
    return _convolutions()(torch.randn(16, 1, 28, 28))


@program
def training_of_convolutions():
    return _trained(_convolutions(), torch.randn(16, 1, 28, 28), torch.randint(10, (16,)))


@program
def training_of_mlp():
    model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))
    return _trained(model, torch.randn(128, 784), torch.randint(10, (128,)), torch.optim.Adam)


@program
def lstm():
    return nn.LSTM(16, 32)(torch.randn(20, 8, 16))[0]


@program
def transformer():
    return nn.TransformerEncoderLayer(32, 4, 64, batch_first=True).eval()(torch.randn(4, 16, 32))


@program
def attention_and_its_gradient():
    q = torch.randn(2, 4, 64, 16, requires_grad=True)
    F.scaled_dot_product_attention(q, q, q, is_causal=True).square().sum().backward()
    return q.grad


@program
def solve():
    return torch.linalg.solve(_matrix(20), torch.randn(20, 3))


@program
def cholesky():
    return torch.linalg.cholesky(_matrix(20))


@program
def inverse_and_determinant():
    return torch.linalg.inv(_matrix(20)), torch.linalg.slogdet(_matrix(20))[1]


@program
def zeta():
    return torch.special.zeta(torch.tensor([2.0, 3.0]), torch.tensor([1.0, 2.0]))


@program
def svd():
    return torch.linalg.svd(torch.randn(30, 20))[1]


@program
def eigenvalues():
    return torch.linalg.eigvalsh(_matrix(20))


@program
def sort():
    return torch.randn(1_000_000).sort()[0][::1000]


@program
def topk_and_unique():
    return torch.randn(64, 1000).topk(5)[0], torch.randint(50, (10_000,)).unique()


@program
def cumulative():
    return torch.randn(100, 200).cumsum(1), torch.rand(50).cumprod(0), torch.randn(64, 64).logcumsumexp(0)


@program
def places():
    x, at = torch.zeros(500, 16), torch.randint(500, (2000,))
    return x.index_add(0, at, torch.randn(2000, 16)), torch.randn(500, 16).gather(0, at[:16].view(1, 16))


@program
def norms():
    return nn.LayerNorm(64)(torch.randn(32, 64)), nn.GroupNorm(4, 16)(torch.randn(4, 16, 8, 8))


@program
def embedding():
    table = nn.Embedding(1000, 64)
    table(torch.randint(1000, (64, 20))).tanh().sum().backward()
    return table.weight.grad.sum(1)


@program
def fourier():
    return torch.fft.rfft(torch.randn(16, 256)).abs()


@program
def resized():
    return F.interpolate(torch.randn(2, 3, 16, 16), scale_factor=2, mode="bilinear")


@program
def gradients_of_samples():
    w, x = torch.randn(20, 10), torch.randn(64, 20)
    return vmap(grad(lambda w, x: (x @ w).tanh().square().sum()), (None, 0))(w, x)


@program
def jacobian():
    w = torch.randn(30, 30)
    return jacrev(lambda x: (w @ x).sin())(torch.randn(30))


@program
def hessian_of_sum():
    return hessian(lambda x: x.pow(3).sum() + x.prod())(torch.rand(12))


@program
def dropout():
    return F.dropout(torch.ones(1000), 0.3), torch.randperm(100), torch.rand(3)


COMPILED = torch.compile(lambda x, w: ((x @ w).relu() @ w.t()).softmax(-1).sum(0))


@program
def compiled_function():
    return COMPILED(torch.randn(64, 32), torch.randn(32, 32))


@program
def checkpoint():
    x = torch.randn(32, 32, requires_grad=True)
    torch.utils.checkpoint.checkpoint(lambda x: (x @ x).tanh(), x, use_reentrant=False).sum().backward()
    return x.grad


@program
def loop():
    x = torch.rand(50, 50)
    for _ in range(40):
        x = (x @ x / 25 + 0.1).sigmoid()
    return x


@program
def condition():
    x = torch.randn(100)
    return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))


@program
def writes_to_views():
    x = torch.zeros(64, 64)
    x[::2] += torch.randn(32, 64)
    x.diagonal().fill_(3)
    x[:, 1].mul_(2)
    return x


@program
def saved_and_read():
    model, file = nn.Linear(100, 100), io.BytesIO()
    torch.save(model.state_dict(), file)
    file.seek(0)
    model.load_state_dict({k: v * 2 for k, v in torch.load(file).items()})
    return model(torch.ones(2, 100)), torch.ones(3).numpy()


BEFORE: dict[str, Any] = {}
"""What the parent computed, or has recorded and not computed, before it forks."""


@program
def computed_before():
    if not BEFORE:
        BEFORE["done"] = torch.randn(300, 300) @ torch.randn(300, 300)
        BEFORE["done"].sum().item()
        BEFORE["pending"] = BEFORE["done"].tanh() @ torch.ones(300)
    return BEFORE["done"], BEFORE["pending"] if os.getpid() != PARENT else torch.zeros(0)


PARENT = os.getpid()


def numbers(name: str) -> list[np.ndarray]:
    """The results of a program."""
    torch.manual_seed(0)
    found = PROGRAMS[name]()
    found = found if isinstance(found, tuple) else (found,)
    return [np.asarray(x.detach() if isinstance(x, torch.Tensor) else x) for x in found]


def told(name: str) -> Any:
    """What a child says of a program: its numbers, or the text of its error."""
    try:
        return numbers(name)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def by_fork(name: str, work: Callable[[str], Any] = told, limit: float = LIMIT) -> Any:
    read, write = os.pipe()
    child = os.fork()
    if not child:
        with open(write, "wb") as pipe:
            pickle.dump(work(name), pipe)
        os._exit(0)
    os.close(write)
    until, parts = time.monotonic() + limit, []
    while select.select([read], [], [], max(until - time.monotonic(), 0))[0]:
        parts.append(os.read(read, 1 << 20))
        if not parts[-1]:
            break
    else:
        os.kill(child, signal.SIGKILL)
    os.close(read)
    ended = os.waitpid(child, 0)[1]
    return pickle.loads(b"".join(parts)) if not ended else None


def by_pool(name: str) -> Any:
    with multiprocessing.get_context("fork").Pool(1) as pool:
        try:
            return pool.apply_async(told, (name,)).get(LIMIT)
        except multiprocessing.TimeoutError:
            return None


def by_executor(name: str) -> Any:
    pool = concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("fork"))
    try:
        return pool.submit(told, name).result(LIMIT)
    except concurrent.futures.TimeoutError:
        for child in pool._processes.values():
            child.kill()
        return None
    finally:
        pool.shutdown()


WAYS = {"os.fork": by_fork, "Pool": by_pool, "ProcessPoolExecutor": by_executor}


def verdict(said: Any, expected: list[np.ndarray], name: str) -> str:
    """ "right", "refused" (with the error that names spawn), or what is wrong."""
    if said is None:
        return f"HANGS (over {LIMIT:.0f} s)"
    if isinstance(said, str):
        return (
            "refused"
            if said.startswith("RuntimeError") and '"spawn"' in said
            else f"WRONG ERROR {said[:120]}"
        )
    if name == "computed_before":
        expected = [expected[0], np.tanh(expected[0]).sum(1)]
    for a, b in zip(said, expected, strict=True):
        most = max(np.abs(b).max(initial=0), 1e-30)
        if a.shape != b.shape or not np.abs(a - b).max(initial=0) <= TOLERANCE * most:
            return "WRONG NUMBERS"
    return "right"


def check(name: str, ways: Any = tuple(WAYS)) -> dict[str, str]:
    """Runs a program by XLA, then in a child of each way."""
    with torch.debug.tier("compiled"):
        for _ in range(2):
            expected = numbers(name)
    found = {}
    for way in ways:
        began = time.monotonic()
        what = verdict(WAYS[way](name), expected, name)
        seconds = time.monotonic() - began
        found[way] = what if seconds <= LIMIT or what[0].isupper() else f"SLOW ({seconds:.1f} s)"
    return found


def of_op(name: str) -> tuple[int, int, str]:
    """How many samples of an op a child computes, with their gradients, how many it refuses by the error, and what else
    the first of the others raises."""
    computed, refused, other = 0, 0, ""
    s = subject(name)
    for sample in all_samples()[name]:
        try:
            arrays = [array_of(t) for t in placeholders(sample)]
            outs = run(s.call, sample, tensors_of(arrays, wants_grad(sample) if sample.grad else ()))
            for out in outs:
                recorded(out)
            for out in rooted(outs):
                out.sum().abs().backward(retain_graph=True)
            computed += 1
        except Exception as error:
            if '"spawn"' in str(error):
                refused += 1
            elif sample.error is None:
                other = other or f"{type(error).__name__}: {error}"[:150]
    return computed, refused, other


def check_ops(names: list[str]) -> int:
    """Runs the samples of ops in children of a process that has started XLA."""
    numbers_of = BEFORE.setdefault("ops", torch.ones(300, 300))
    with torch.debug.tier("compiled"):
        (numbers_of @ numbers_of).sum().item()
    computed = refused = hung = 0
    for name in names or all_samples():
        found = by_fork(name, of_op, OPS_LIMIT)
        if found is None:
            hung += 1
            print(f"{name}: HANGS (over {OPS_LIMIT:.0f} s), or died", flush=True)
        elif isinstance(found, str):
            print(f"{name}: {found}", flush=True)
        else:
            computed, refused = computed + found[0], refused + found[1]
            if found[2]:
                print(f"{name}: {found[2]}", flush=True)
    print(f"{len(names or all_samples())} ops: {computed} samples computed, {refused} refused; {hung} hang")
    return hung > 0


def main(names: list[str]) -> int:
    warnings.filterwarnings("ignore", "os.fork", RuntimeWarning)
    if names[:1] == ["--ops"]:
        return check_ops(names[1:])
    bad = 0
    for name in names or PROGRAMS:
        found = check(name)
        bad += sum(what not in ("right", "refused") for what in found.values())
        print(f"{name:28} {'  '.join(f'{way}: {what}' for way, what in found.items())}", flush=True)
    print(f"{len(names or PROGRAMS)} programs, {len(WAYS)} ways; {bad} bad")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
