"""Random programs of views, in-place writes and ordinary ops on a leaf: values, errors and gradients equal torch's."""

from __future__ import annotations

import random

import numpy as np
import pytest

import functorch_lite as ours

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.parity
STEPS = 14

VIEWS = {
    "select": lambda t, r: t.select(r.randrange(t.ndim), 0) if t.ndim else t[None],
    "cut": lambda t, r: t[r.randrange(2) :] if t.ndim else t[None],
    "transpose": lambda t, r: t.transpose(0, -1) if t.ndim > 1 else t.unsqueeze(0),
    "diagonal": lambda t, r: t.diagonal() if t.ndim == 2 else t[..., None],
    "flatten": lambda t, r: t.reshape(-1),
    "squeeze": lambda t, r: t.squeeze(),
    "unsqueeze": lambda t, r: t.unsqueeze(-1) if t.ndim < 3 else t[0],
    "detach": lambda t, r: t.detach(),
}
OPS = {
    "sin": lambda t, r: t.sin(),
    "exp": lambda t, r: (t * 0.1).exp(),
    "square": lambda t, r: t * t,
    "scaled": lambda t, r: t * 0.5,
    "clone": lambda t, r: t.clone(),
    "sum": lambda t, r: t.sum(0, keepdim=True) if t.ndim else t + 1,
    "expanded": lambda t, r: t.expand(2, *t.shape) * 1.0 if t.ndim < 2 else t + 1,
}
WRITES = {
    "add_": lambda t, u: t.add_(0.5),
    "mul_": lambda t, u: t.mul_(0.5),
    "copy_": lambda t, u: t.copy_(u),
    "plus_": lambda t, u: t.add_(u),
    "times_": lambda t, u: t.mul_(u),
    "tanh_": lambda t, u: t.tanh_(),
    "zero_": lambda t, u: t.zero_(),
    "set_first": lambda t, u: t.__setitem__(0, 0.25),
    "set_rest": lambda t, u: t.__setitem__(slice(1, None), u[1:]),
}


OVERLAP = "refer to a single memory location"
"""torch refuses writes whose source partly overlaps their target, or leaves their result open; values are immutable
here, so that the source is read first. Such steps are left out of the comparison."""
READS_SOURCE = ("copy_", "plus_", "times_", "set_rest")


def _share(a, b) -> bool:
    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


def _both(seed: int):
    """What torch and ours do, without the steps whose outcome torch refuses or leaves open."""
    leave_out: tuple[int, ...] = ()
    while True:
        theirs = execute(torch, seed, leave_out)
        if not theirs[4]:
            return theirs, execute(ours, seed, leave_out)
        leave_out = (*leave_out, *theirs[4])


def execute(lib, seed: int, leave_out: tuple[int, ...] = ()):
    """Runs the program of this seed in a library, without the steps numbered in `leave_out`.

    Returns (log of what was done or raised, results, which require grad, gradient of the leaf, steps refused for
    overlap).
    """
    r = random.Random(seed)
    refused = []
    leaf = lib.tensor(np.random.default_rng(seed).uniform(-1, 1, (3, 3)), requires_grad=True)
    other = lib.tensor(np.random.default_rng(seed + 1).uniform(-1, 1, (3, 3)))
    live = [leaf, leaf * 1.0, other]
    log: list[str] = []
    for step in range(STEPS):
        kind = r.choice(["view", "view", "op", "write", "write"])
        at, with_ = r.randrange(len(live)), r.randrange(len(live))
        inner = random.Random(r.random())
        if kind == "write":
            name = r.choice(sorted(WRITES))
            action = lambda: WRITES[name](live[at], live[with_])  # noqa: B023, E731
        else:
            table = VIEWS if kind == "view" else OPS
            name = r.choice(sorted(table))
            action = lambda: live.append(table[name](live[at], inner))  # noqa: B023, E731
        if step in leave_out:
            continue
        if (
            lib is torch
            and kind == "write"
            and name in READS_SOURCE
            and at != with_
            and _share(live[at], live[with_])
        ):
            refused.append(step)
        try:
            action()
            log.append(f"{name}({at}, {with_})")
        except (RuntimeError, IndexError) as error:
            if OVERLAP in str(error) and step not in refused:
                refused.append(step)
            elif OVERLAP not in str(error):
                log.append(f"{name}({at}, {with_}) raised {type(error).__name__}")
        if len(live) > 7:
            del live[3]
    weights = np.random.default_rng(seed + 2)
    total = sum(
        ((t * lib.tensor(weights.uniform(-1, 1, tuple(t.shape)))).sum() for t in live[1:]), lib.zeros(())
    )
    gradient = None
    try:
        total.backward()
        gradient = None if leaf.grad is None else leaf.grad.numpy()
        log.append("backward")
    except RuntimeError as error:
        sentence = "inplace operation" if "inplace operation" in str(error) else str(error)[:60]
        log.append(f"backward raised {sentence}")
    return log, [t.detach().numpy() for t in live], [t.requires_grad for t in live], gradient, tuple(refused)


@pytest.mark.parametrize("block", range(8))
def test_programs_agree(block):
    wrong = []
    for seed in range(block * 8, block * 8 + 8):
        theirs, mine = _both(seed)
        program = "\n    ".join(
            f"{a}" if a == b else f"torch: {a}; ours: {b}" for a, b in zip(theirs[0], mine[0])
        )
        if theirs[0] != mine[0]:
            wrong.append(f"seed {seed}:\n    {program}")
            continue
        if theirs[2] != mine[2]:
            wrong.append(f"seed {seed}: requires_grad: torch {theirs[2]}, ours {mine[2]}\n    {program}")
        for i, (a, b) in enumerate(zip(theirs[1], mine[1])):
            if a.shape != b.shape or not np.allclose(a, b, rtol=1e-6, atol=1e-8):
                wrong.append(f"seed {seed}: result {i}\n    {program}")
        if (theirs[3] is None) != (mine[3] is None) or (
            theirs[3] is not None and not np.allclose(theirs[3], mine[3], rtol=1e-6)
        ):
            wrong.append(f"seed {seed}: gradient\n{theirs[3]}\n{mine[3]}\n    {program}")
    assert not wrong, f"{len(wrong)} programs differ\n" + "\n".join(wrong[:6])
