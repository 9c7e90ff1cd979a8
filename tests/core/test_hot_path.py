"""The hot path: recording what was recorded before calls neither JAX nor numpy."""

from __future__ import annotations

import sys

import pytest

import functorch_lite as torch
from functorch_lite import nn


def calls_into(packages: tuple[str, ...], run) -> list[str]:
    """Names of the functions of these packages, Python or C, that `run` calls."""
    seen = []

    def watch(frame, event, arg):
        if event == "call":
            name = frame.f_globals.get("__name__", "")
            what = frame.f_code.co_name
        elif event == "c_call":
            name, what = getattr(arg, "__module__", None) or "", getattr(arg, "__name__", "")
        else:
            return
        if name.split(".")[0] in packages:
            seen.append(f"{name}.{what}")

    sys.setprofile(watch)
    try:
        run()
    finally:
        sys.setprofile(None)
    return seen


model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
x, target = torch.randn(5, 4), torch.tensor([0, 1, 2, 0, 1])


def small_ops():
    y = x * 0.5 + x.relu()
    return y.sum(0)


def views_and_writes():
    y = x + 1
    y[0] = 2.0
    y.t()[1].mul_(3)
    return y.reshape(-1)


def forward_and_backward():
    nn.functional.cross_entropy(model(x), target).backward()
    model.zero_grad()


def transform():
    return torch.vmap(torch.func.grad(lambda r: (r.sin() * r).sum()))(x)


@pytest.mark.parametrize("run", [small_ops, views_and_writes, forward_and_backward, transform])
def test_recording_calls_no_jax_and_no_numpy(run):
    for _ in range(3):
        run()
        torch.synchronize()
    calls = calls_into(("jax", "jaxlib", "numpy", "ml_dtypes"), run)
    # pytrees are walked by jax.tree_util, which touches no array
    assert [c for c in calls if "tree" not in c] == []
    torch.synchronize()


def test_the_watch_sees_what_it_should():
    assert calls_into(("jax", "jaxlib", "numpy"), lambda: x.sin().sum().item())
