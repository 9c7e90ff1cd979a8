"""torch.cuda: the GPUs that JAX has. Without one it answers as PyTorch does without CUDA.

Programs, memory and streams belong to XLA: streams and events may be made and waited for, and memory statistics be
read; functions that would change them are not supported.
"""

from __future__ import annotations

import sys
from typing import Any

from .. import random as _random
from .._core.api import AcceleratorError as AcceleratorError
from .._core.api import OutOfMemoryError as OutOfMemoryError
from ..amp import cuda_amp as amp
from ..api_names import missing
from ..storage import typed_tensors as _typed_tensors
from . import devices as devices
from . import memory, random, streams
from .devices import (
    current_device,
    device,
    device_count,
    device_of,
    get_arch_list,
    get_device_capability,
    get_device_name,
    get_device_properties,
    init,
    is_available,
    is_bf16_supported,
    is_initialized,
    is_tf32_supported,
    set_device,
    synchronize,
)
from .memory import (
    empty_cache,
    max_memory_allocated,
    max_memory_cached,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_cached,
    memory_reserved,
    memory_stats,
    memory_stats_as_nested_dict,
    memory_summary,
    reset_max_memory_allocated,
    reset_max_memory_cached,
    reset_peak_memory_stats,
)
from .random import (
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from .streams import (
    CUDAGraph,
    Event,
    Stream,
    StreamContext,
    current_stream,
    default_stream,
    graph,
    is_current_stream_capturing,
    set_stream,
    stream,
)

_TENSORS = _typed_tensors("cuda")
globals().update(_TENSORS)

__all__ = [
    "CUDAGraph", "Event", "Stream", "StreamContext", "amp", "current_device", "current_stream",
    "default_generators", "default_stream", "device", "device_count", "device_of", "empty_cache", "get_arch_list",
    "get_device_capability", "get_device_name", "get_device_properties", "get_rng_state", "get_rng_state_all", "graph", "init", "initial_seed",
    "is_available", "is_bf16_supported", "is_current_stream_capturing", "is_initialized", "is_tf32_supported", "manual_seed", "manual_seed_all",
    "max_memory_allocated", "max_memory_cached", "max_memory_reserved", "mem_get_info", "memory", "memory_allocated", "memory_cached",
    "memory_reserved", "memory_stats", "memory_stats_as_nested_dict", "memory_summary", "random", "reset_max_memory_allocated",
    "reset_max_memory_cached", "reset_peak_memory_stats", "seed", "seed_all", "set_device", "set_rng_state", "set_rng_state_all",
    "set_stream", "stream", "streams", "synchronize",
]  # fmt: skip

sys.modules[f"{__name__}.amp"] = amp  # `from torch.cuda.amp import autocast`


def __getattr__(name: str) -> Any:
    if name == "default_generators":
        return (_random.default_generator,) * device_count()
    raise missing(__name__, name)
