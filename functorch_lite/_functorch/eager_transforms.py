"""`torch._functorch.eager_transforms`: the transforms, and how they choose arguments."""

from __future__ import annotations

from typing import Any

from ..func import functionalize, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp
from ..func._trees import select_argnums

__all__ = [
    "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "vjp",
]  # fmt: skip


def _slice_argnums(args: tuple, argnums: Any, as_tuple: bool = True) -> Any:
    """The arguments that argnums choose: a tuple; of one argument, itself if not `as_tuple`.

    >>> _slice_argnums((1, 2, 3), (0, -1))
    (1, 3)
    """
    chosen = tuple([args[i] for i in select_argnums(args, argnums)])
    return chosen if as_tuple or not isinstance(argnums, int) else chosen[0]
