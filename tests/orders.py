"""Derivatives of derivatives: what each order of an op's gradients is, None, zeros or a number, and where there is no
further one.

`follow` takes an op's gradients to the fourth order, of functorch_lite as of torch: the library is an argument.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.arguments import fill, flat, placeholders, wants_grad
from tests.compare import direction
from tests.samples.base import Sample

ORDERS = 4


@dataclass
class Chain:
    """The gradients of each order, None where there is none, and what ended them before the last: an error, or that
    they are constant."""

    grads: list[list[Any]] = field(default_factory=list)
    end: str = ""

    def answers(self) -> list[str]:
        """A letter for each gradient: 0 for None, c for one that requires no grad, r for one that does; then why it
        ended."""
        letters = [
            "".join("0" if g is None else "r" if g.requires_grad else "c" for g in gs) for gs in self.grads
        ]
        return [*letters, self.end]


def follow(
    lib: Any, sample: Sample, fn: Callable, tensor: Callable, other: Callable, by_cotangents: bool
) -> Chain:
    """The gradients of a sample along fixed directions, the gradients of those, and so on, by all inputs that are
    differentiated.

    tensor: makes a tensor of a placeholder; other: converts other arguments. by_cotangents: the first directions are
    differentiated by as well, otherwise they are constants, as in `backward()` of a sum.
    """
    at = wants_grad(sample)
    tensors = [tensor(t) for t in placeholders(sample)]
    wanted = [tensors[i].requires_grad_(True) for i in at]
    args, kwargs = fill(sample, tensors, other)
    roots = [o for o in flat(fn(*args, **kwargs)) if hasattr(o, "requires_grad") and o.requires_grad]
    chain = Chain()
    for order in range(1, ORDERS + 1):
        if not roots:
            chain.end = "constant"
            break
        cts = [_along(lib, order, k, root) for k, root in enumerate(roots)]
        try:
            if order == 1 and by_cotangents:
                cts = [c.requires_grad_(True) for c in cts]
                found = lib.autograd.grad(roots, wanted, cts, create_graph=True, allow_unused=True)
                wanted = [*wanted, *cts]
            else:
                found = lib.autograd.grad(roots, wanted, cts, create_graph=True, allow_unused=True)
        except Exception as error:
            chain.end = f"{type(error).__name__}: {error}"
            break
        chain.grads.append(list(found))
        roots = [g for g in found if g is not None and g.requires_grad]
    return chain


def _along(lib: Any, order: int, k: int, like: Any) -> Any:
    return lib.tensor(direction(f"order {order}", k, tuple(like.shape), like.dtype.is_complex)).to(like.dtype)
