"""torch.nn.attention: which kernel computes attention, causal masks, and flexible attention.

Here XLA compiles attention, the same mathematics whatever backend is requested; `sdpa_kernel` checks its arguments,
and `enabled_backends` returns the requested ones.
"""

from __future__ import annotations

import contextlib
import contextvars
import enum
from collections.abc import Iterator

from functorch_lite._core.api import check
from functorch_lite.api_names import listed, lookup_of

from . import bias as bias
from . import flex_attention as flex_attention

__all__ = ["WARN_FOR_UNFUSED_KERNELS", "SDPBackend", "sdpa_kernel"]
__dir__ = listed(__name__, "bias", "flex_attention")

WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(enum.IntEnum):
    """The backends of torch for scaled_dot_product_attention.

    >>> str(SDPBackend.MATH)
    'SDPBackend.MATH'
    """

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __str__(self) -> str:
        return f"SDPBackend.{self.name}"

    __repr__ = __str__


_ALL = tuple(b for b in SDPBackend if b is not SDPBackend.ERROR)
_asked_for: contextvars.ContextVar[tuple[SDPBackend, ...]] = contextvars.ContextVar(
    "sdpa_kernel", default=_ALL
)


def enabled_backends() -> list[SDPBackend]:
    """The backends that the innermost sdpa_kernel names; all of them outside."""
    return list(_asked_for.get())


def enable_backend(backend: SDPBackend, enabled: bool) -> None:
    """Adds a backend to those that may be used, or takes it out of them."""
    asked = set(_asked_for.get()) - {backend} | ({backend} if enabled else set())
    _asked_for.set(tuple([b for b in _ALL if b in asked]))


@contextlib.contextmanager
def sdpa_kernel(backends: list[SDPBackend] | SDPBackend, set_priority: bool = False) -> Iterator[dict]:
    """A context that asks for backends of scaled_dot_product_attention; XLA computes the same attention for each of
    them.

    set_priority: in torch, that the list is in order of preference. Raises where torch could not run: on an empty list.

    >>> q, k, v = torch.zeros(3, 1, 2, 4, 8)
    >>> with sdpa_kernel(SDPBackend.MATH):
    ...     tuple(F.scaled_dot_product_attention(q, k, v).shape)
    (1, 2, 4, 8)
    """
    check(
        isinstance(backends, list | SDPBackend),
        AssertionError,
        f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got {type(backends).__name__}",
    )
    asked = tuple(dict.fromkeys([backends] if isinstance(backends, SDPBackend) else backends))
    for b in asked:
        check(isinstance(b, SDPBackend), AssertionError, f"sdpa_kernel: {b!r} is not an SDPBackend")
    check(len(asked) > 0, RuntimeError, "No available kernel. Aborting execution.")
    before = _asked_for.set(asked)
    try:
        yield {}
    finally:
        _asked_for.reset(before)


__getattr__ = lookup_of(__name__)
