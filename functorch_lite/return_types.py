"""torch.return_types: the named tuples that functions of several results return, by the functions' names.

>>> isinstance(torch.ones(2, 2).max(0), torch.return_types.max)
True
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ._core.api import functions as torch
from ._core.api import namespace

linalg = namespace("linalg")

__all__: list[str] = sorted(
    "aminmax cummax cummin frexp geqrf histogram histogramdd kthvalue linalg_cholesky_ex linalg_eig linalg_eigh linalg_inv_ex linalg_ldl_factor "
    "linalg_ldl_factor_ex linalg_lstsq linalg_lu linalg_lu_factor linalg_lu_factor_ex linalg_qr linalg_slogdet linalg_solve_ex linalg_svd max median min mode "
    "nanmedian qr slogdet sort svd topk triangular_solve".split()
)

_ARGUMENTS: dict[str, tuple] = {
    **dict.fromkeys("cummax cummin max median min mode nanmedian".split(), (0,)), "kthvalue": (1, 0), "topk": (1,), "histogram": (2,),
    "histogramdd": ([2],), "triangular_solve": ("eye",), "linalg_lstsq": ("eye",), "linalg_solve_ex": ("eye",),
}  # fmt: skip


@functools.cache
def _type(name: str) -> type:
    """Returns the class of a function's result, found by calling it with a matrix of one element."""
    fn: Callable = (
        getattr(linalg, name[len("linalg_") :]) if name.startswith("linalg_") else getattr(torch, name)
    )
    one = torch.ones(1, 1)
    return type(fn(one, *[one if x == "eye" else x for x in _ARGUMENTS.get(name, ())]))


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return _type(name)


def __dir__() -> list[str]:
    return [*__all__]
