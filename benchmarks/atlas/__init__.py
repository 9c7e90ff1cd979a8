"""The atlas: each op at the sizes of models, beside PyTorch and `jax.jit`, in processor time of one thread.

`python -m benchmarks atlas`: a line for each row, and a summary. `compiled`: ours as a program, once it is one, as
written or by `torch.compile`, whichever takes less; `default`: the third call of a process, which NumPy may still run.
`jax.jit`: the same function (`compat.jax_function`) compiled by JAX alone, without our lowerings for CPU.
`--only WORD`: rows whose group or name has the word; `--json FILE`: keeps the figures; `--page FILE`: writes them as a
page of the docs.
"""

from __future__ import annotations

import contextlib
import json
import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import elementwise, layers, models, selection
from .page import page
from .rows import Row

__all__ = ["all_rows", "measure", "run"]

ENOUGH = 0.02
"""Seconds of a sample."""
STEP = 0.0003
"""Seconds that PyTorch takes for a step of calls whose results are read together."""
MANY = 32
"""Calls in a step of those whose data are small: at most `SMALL` elements each."""
SMALL = 4096


def all_rows(only: str = "") -> list[Row]:
    """The rows whose group or name has the word."""
    every = [*models.rows(), *layers.rows(), *selection.rows(), *elementwise.rows()]
    return [r for r in every if only in r.group or only in r.title]


def _outs(torch: Any, row: Row, tensors: Any) -> list:
    """The results of a row's function that gradients come to, or all."""
    out = row.fn(torch, *tensors)
    outs = out if isinstance(out, tuple) else (out,)
    return [o for o in outs if o.is_floating_point()] if row.backward else list(outs)


def _once(torch: Any, row: Row, n: int) -> Callable:
    """What one call of a row is: the function's results, and its gradients, as a tuple.

    It is given n arrays of the row, and then what comes to the results from behind, to PyTorch and to us as tensors
    that were drawn before: no op of the program makes them, and none of it is constant."""

    def once(*tensors: Any) -> tuple:
        given, behind = tensors[:n], tensors[n:]
        outs = _outs(torch, row, given)
        if not row.backward:
            return tuple(outs)
        grads = torch.autograd.grad(outs, [x for x in given if x.requires_grad], list(behind))
        return *[o.detach() for o in outs], *grads

    return once


def _drawn(row: Row, seed: int) -> tuple[list, list]:
    """The arrays of a call, and those that come to its results from behind."""
    import torch

    rng = np.random.default_rng(seed)
    arrays = list(row.make(rng))
    if not row.backward:
        return arrays, []
    like = [o.detach().numpy() for o in _outs(torch, row, _tensors(torch, row, arrays))]
    return arrays, [rng.standard_normal(o.shape).astype(o.dtype) for o in like]


def _tensors(torch: Any, row: Row, arrays: Any, behind: bool = False) -> list:
    tensors = [torch.tensor(a) for a in arrays]
    tensors = [x.to(torch.bfloat16) if row.takes and x.is_floating_point() else x for x in tensors]
    taped = row.backward and not behind
    return [x.requires_grad_() if taped and x.is_floating_point() else x for x in tensors]


def _step(torch: Any, row: Row, repeats: int, joined: bool) -> tuple[Callable, list]:
    """What is measured, and what it is given: so many calls of the function, on data of their own. joined: the data
    of all calls are parts of one tensor, and so are their results."""
    drawn = [_drawn(row, k) for k in range(repeats)]
    once = _once(torch, row, len(drawn[0][0]))
    if not joined:
        given = [[*_tensors(torch, row, a), *_tensors(torch, row, b, True)] for a, b in drawn]
        n = len(given[0])
        return lambda *every: [once(*every[k * n : k * n + n]) for k in range(repeats)], [
            x for several in given for x in several
        ]

    def step(*stacks: Any) -> list:
        parts = zip(*[x.unbind(0) for x in stacks]) if stacks else [()] * repeats
        return [torch.stack(results) for results in zip(*[once(*part) for part in parts])]

    return step, _tensors(torch, row, [np.stack(several) for several in zip(*[a for a, _ in drawn])])


def _how(torch: Any, row: Row) -> tuple[int, bool]:
    """How many calls a step has, so that PyTorch takes some 0.3 ms for them; and whether their data are joined."""
    fn, given = _step(torch, row, 1, False)
    made = sum(fn(*given), ())
    began = time.process_time()
    for _ in range(10):
        fn(*given)
    once = (time.process_time() - began) / 10
    small = not row.backward and all(x.numel() <= SMALL for x in (*given, *made))
    if small:
        return MANY, True
    return min(max(int(STEP / max(once, 1e-6)), 1), MANY // 2), False


def _read(out: Any) -> None:
    """Reads the results of ours."""
    from functorch_lite.compat import to_jax

    for x in out:
        if isinstance(x, tuple):
            _read(x)
        elif x.element_size() > 2:
            x.numpy()
        else:  # NumPy has no bfloat16
            to_jax(x).block_until_ready()


def _times(peers: dict[str, Callable], rounds: int) -> dict[str, float]:
    """The least processor seconds of a call, of alternating samples."""
    counts = {}
    for name, call in peers.items():
        call()
        began = time.process_time()
        call()
        once = max(time.process_time() - began, 1e-6)
        counts[name] = max(1, int(ENOUGH / once))
    least = dict.fromkeys(peers, math.inf)
    for _ in range(rounds):
        for name, call in peers.items():
            began = time.process_time()
            for _ in range(counts[name]):
                call()
            least[name] = min(least[name], (time.process_time() - began) / counts[name])
    return least


def measure(row: Row, rounds: int = 3) -> dict[str, float]:
    """Seconds by peer."""
    import jax
    import torch

    import functorch_lite as ours
    from functorch_lite.compat import from_jax, to_jax

    repeats, joined = _how(torch, row)
    theirs, their_inputs = _step(torch, row, repeats, joined)
    fn, inputs = _step(ours, row, repeats, joined)
    for _ in range(
        3
    ):  # where other work holds the processor, less of its time; where a program is compiled beside it, less of the clock's
        began = time.process_time(), time.perf_counter()
        _read(fn(*inputs))
        default = min(time.process_time() - began[0], time.perf_counter() - began[1])
    compiled = ours.compile(fn)
    with ours.debug.tier("compiled"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that an op reads a value, so that nothing is replayed
        for call in (compiled, fn):
            for _ in range(3):
                _read(call(*inputs))
    peers = {"ours": lambda: _read(compiled(*inputs)), "torch": lambda: theirs(*their_inputs)}
    if not joined and row.group != "models":
        peers["as written"] = lambda: _read(fn(*inputs))
    if not row.backward and inputs and not row.takes:
        plain = jax.jit(lambda *arrays: jax.tree.map(to_jax, fn(*map(from_jax, arrays))))
        arrays = [to_jax(x) for x in inputs]

        def by_jax() -> None:
            with jax.enable_x64(True):
                jax.block_until_ready(plain(*arrays))

        with contextlib.suppress(RuntimeError):  # an op that reads values can be no part of a program
            by_jax()
            peers["jax.jit"] = by_jax
    found = _times(peers, rounds)
    found["ours"] = min(found["ours"], found.pop("as written", math.inf))
    return {
        "repeats": repeats,
        **{name: t / repeats for name, t in found.items()},
        "default": default / repeats,
    }


def _lines(rows: list[Row], kept: list[dict]) -> Iterator[str]:
    group = ""
    for row in rows:
        if row.group != group:
            group = row.group
            yield f"\n{group}\n{'':44} {'ours':>10} {'torch':>10}   ours/torch  default/torch  jax.jit/torch"
        try:
            found = measure(row)
        except Exception as error:  # a row that fails is told, and the others are measured
            yield f"{row.title:44} {type(error).__name__}: {str(error)[:90]}"
            kept.append({"group": row.group, "name": row.title, "error": str(error)})
            continue
        theirs = found["torch"]
        jit = f"{found['jax.jit'] / theirs:13.2f}" if "jax.jit" in found else ""
        kept.append({"group": row.group, "name": row.title, **found})
        yield f"{row.title:44} {found['ours'] * 1e6:8.1f}us {theirs * 1e6:8.1f}us {found['ours'] / theirs:11.2f} {found['default'] / theirs:14.2f}  {jit}"


def _summary(kept: list[dict]) -> str:
    ratios = sorted(k["ours"] / k["torch"] for k in kept if "ours" in k)
    if not ratios:
        return "no rows"
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    over = {limit: sum(r > limit for r in ratios) for limit in (1.5, 2, 3, 5)}
    default = sum(k["default"] / k["torch"] > 4 for k in kept if "ours" in k)
    return (
        f"\n{len(ratios)} rows: PyTorch's time over ours {1 / mean:.2f} (geometric mean); over "
        + ", ".join(f"{limit} ×: {n}" for limit, n in over.items())
        + f"; by default over 4 ×: {default}"
    )


def run(smoke: bool, arguments: list[str] = sys.argv) -> Iterator[str]:
    """The suite, as `python -m benchmarks` calls it."""
    only = arguments[arguments.index("--only") + 1] if "--only" in arguments else ""
    rows = all_rows(only)
    if smoke:
        rows = [r for r in rows if r.title.endswith("1k")][:3]
    kept: list[dict] = []
    for line in _lines(rows, kept):
        yield line
        if kept and len(kept) % 20 == 0:
            _write(kept, arguments)  # what is interrupted leaves what it found
    yield _summary(kept)
    _write(kept, arguments)


def _write(kept: list[dict], arguments: list[str]) -> None:
    """The files that were asked for."""
    if "--json" in arguments:
        with open(arguments[arguments.index("--json") + 1], "w") as f:
            json.dump(kept, f, indent=1)
    if "--page" in arguments:
        with open(arguments[arguments.index("--page") + 1], "w") as f:
            f.write(page(kept, _summary(kept)))
