"""What every fact is looked at under once more: vmap over two copies, grad of its norm against finite differences,
torch.compile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import functorch_lite as torch
from functorch_lite.func import grad, vmap
from functorch_lite.func._trees import flatten

from .facts import flat

EPSILON = 1e-5


def under_vmap(f: Callable, x: Any, tol: float = 1e-9) -> None:
    """Asserts that a vmap over two copies gives the value twice. f: of a tensor."""
    one = flat(f(x))
    both = vmap(f)(torch.stack([x, x]))
    for k in (0, 1):
        lane = flat([t[k] for t in flatten(both)[0]])
        np.testing.assert_allclose(lane, one, atol=tol * max(np.abs(one).max(), 1.0))


def squares(f: Callable) -> Callable:
    """The sum of squares of what f gives."""
    return lambda x: sum([(t**2).sum() for t in flatten(f(x))[0]])


def under_grad(f: Callable, x: Any, tol: float = 1e-5) -> None:
    """Asserts that the gradient of the sum of squares is that of finite differences, along one direction."""
    norm = squares(f)
    v = torch.tensor(np.random.RandomState(5).randn(*x.shape))
    slope = (grad(norm)(x) * v).sum().item()
    ahead, behind = (norm(x + s * EPSILON * v).item() for s in (1, -1))
    wanted = (ahead - behind) / (2 * EPSILON)
    assert abs(slope - wanted) <= tol * max(abs(wanted), abs(ahead), 1.0)


def under_compile(f: Callable, x: Any, tol: float = 1e-9) -> None:
    """Asserts that torch.compile's replay gives the value, at another x too."""
    compiled = torch.compile(f)
    for at in (x, x, x + 0.125, x):
        np.testing.assert_allclose(
            flat(compiled(at)), flat(f(at)), atol=tol * max(1.0, np.abs(flat(f(at))).max())
        )


WAYS = {"vmap": under_vmap, "grad": under_grad, "compile": under_compile}
