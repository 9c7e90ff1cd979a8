"""Settings of a process: precision of matrix products, determinism, threads, warnings."""

from __future__ import annotations

import os
import warnings
from typing import Any

from .._core.api import (
    THREADS,
    advice,
    composite,
    deterministic,
    flush,
    forget_programs,
    is_int,
    jax_private,
    set_precision,
)

_JAX_PRECISION = {"highest": "highest", "high": "high", "medium": "default"}
_precision = "highest"


@composite
def get_float32_matmul_precision() -> str:
    """How float32 matrix products are computed: 'highest', 'high' or 'medium'.

    >>> torch.get_float32_matmul_precision()
    'highest'
    """
    return _precision


@composite
def set_float32_matmul_precision(precision: str) -> None:
    """How float32 matrix products are computed where the device has faster, coarser units (GPU, TPU): 'highest' in
    float32, 'high' by several passes of a narrower type (TensorFloat32, three bfloat16), 'medium' by one. Programs made
    before are forgotten, as the precision is part of them.

    Args:
        precision: "highest", "high" or "medium".

    >>> torch.set_float32_matmul_precision("high")
    >>> torch.get_float32_matmul_precision()
    'high'
    >>> torch.set_float32_matmul_precision("highest")
    """
    global _precision
    if precision not in _JAX_PRECISION:
        warnings.warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; set_float32_matmul_precision has no effect",
            stacklevel=2,
        )
    elif precision != _precision:
        _precision = precision
        set_precision(matmul=_JAX_PRECISION[precision])


@composite
def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Asks for the same bits each time.

    Nothing is padded, and a recording is always run in the same way: by NumPy where compiling would not pay, else by
    a program, which on a GPU is compiled to be deterministic.

    Args:
        mode: whether ops must be deterministic.
        warn_only: whether an op that is not only warns. Default: False.

    >>> torch.use_deterministic_algorithms(False)
    """
    if bool(mode) != deterministic["on"]:
        flush()
        deterministic["on"] = bool(mode)
        forget_programs()
    deterministic["warn_only"] = bool(warn_only)


@composite
def are_deterministic_algorithms_enabled() -> bool:
    """Returns the setting of `use_deterministic_algorithms`.

    >>> torch.are_deterministic_algorithms_enabled()
    False
    """
    return deterministic["on"]


@composite
def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Returns whether the setting was made with warn_only.

    >>> torch.is_deterministic_algorithms_warn_only_enabled()
    False
    """
    return deterministic["warn_only"]


_DEBUG_MODES = {"default": 0, "warn": 1, "error": 2}


@composite
def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """'default' or 0: off; 'warn' or 1, 'error' or 2: `use_deterministic_algorithms`.

    Args:
        debug_mode: "default", "warn" or "error", or 0, 1 or 2.

    >>> torch.set_deterministic_debug_mode("default")
    """
    mode: Any = _DEBUG_MODES.get(debug_mode, debug_mode) if isinstance(debug_mode, str) else debug_mode
    if mode not in (0, 1, 2):
        raise RuntimeError(
            "invalid value of debug_mode, expected "
            + ("one of `default`, `warn`, `error`" if isinstance(debug_mode, str) else "0, 1, or 2")
            + f", but got {debug_mode}"
        )
    use_deterministic_algorithms(mode > 0, warn_only=mode == 1)


@composite
def get_deterministic_debug_mode() -> int:
    """0, 1 or 2: see `set_deterministic_debug_mode`.

    >>> torch.get_deterministic_debug_mode()
    0
    """
    on, warn_only = deterministic["on"], deterministic["warn_only"]
    return (1 if warn_only else 2) if on else 0


@composite
def get_num_threads() -> int:
    """How many threads XLA computes with on the CPU: as many as `set_num_threads` or NPROC in the environment said
    before it started, else one for each core that this process may use.

    >>> torch.get_num_threads() > 0
    True
    """
    if THREADS["xla"]:
        return THREADS["xla"]
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@composite
def get_num_interop_threads() -> int:
    """The same number: XLA has one pool.

    >>> torch.get_num_interop_threads() > 0
    True
    """
    return get_num_threads()


@composite
def set_num_threads(num: int) -> None:
    """Sets how many threads compute on the CPU.

    NumPy's matrix products use at most so many from now on. XLA makes its threads once, before its first program: a
    later call warns and changes nothing there. Then start Python with NPROC=1 in the environment, or under taskset.

    Before, it sets NPROC in the environment, which XLA reads as it starts; processes that are started from this one
    have it too.

    Args:
        num: the number of threads.

    >>> torch.set_num_threads(torch.get_num_threads())
    """
    _set_threads("set_num_threads", num)


@composite
def set_num_interop_threads(num: int) -> None:
    """Warns, unless it is the number there is: XLA has one pool, see `set_num_threads`.

    Args:
        num: the number of threads.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.set_num_interop_threads(2)
    """
    _set_threads("set_num_interop_threads", num)


def _set_threads(name: str, num: int) -> None:
    if not is_int(num):
        raise RuntimeError(f"{name} expects an int, but got {type(num).__name__}")
    if num <= 0:
        raise RuntimeError(f"{name} expects a positive integer")
    if name == "set_num_threads":
        THREADS["numpy"] = num
    if num == get_num_threads():
        return
    if name == "set_num_threads" and not jax_private.has_started():
        THREADS["xla"], os.environ["NPROC"] = num, str(num)
        return
    warnings.warn(
        f"{name}({num}) has no effect: XLA made {get_num_threads()} threads when it started. Start Python with NPROC={num} in the environment, call "
        "torch.set_num_threads before anything is computed, or start Python under taskset for some cores.",
        stacklevel=3,
    )


@composite
def set_warn_always(b) -> None:
    """Returns whether warnings that PyTorch's C++ code gives once in a process are given each time.

    Args:
        b: whether warnings repeat.

    >>> torch.set_warn_always(False)
    """
    if not isinstance(b, bool):
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    advice.set_always(b)


@composite
def is_warn_always_enabled() -> bool:
    """Returns whether `set_warn_always(True)` is on.

    >>> torch.is_warn_always_enabled()
    False
    """
    return advice.always()


@composite
def set_flush_denormal(mode: bool) -> bool:
    """Returns whether denormal numbers could be set to be flushed to zero: always False, XLA decides.

    Args:
        mode: whether denormal numbers become 0.

    >>> torch.set_flush_denormal(True)
    False
    """
    return False
