"""Names of PyTorch's classes and functions for several devices and processes that are not here.

They are there so that libraries import that name them. No class but CPUOffload has an instance, and each raises NotImplementedError
where it is made or called.

The drop-in `torch` shows these names in the modules where PyTorch has them (`torch.distributed.checkpoint`, `.rpc`, …:
see compat/namespace.py).
"""

from __future__ import annotations

import dataclasses
import enum
import functools
from typing import Any, NoReturn

__all__ = ["NAMES", "CPUOffload"]

_WHY = (
    "torch.distributed: {} is not here. Use torch.distributed.tensor (distribute_module, parallelize_module) or torch.distributed.fsdp.fully_shard on a "
    "mesh of the devices that this process drives, or DistributedDataParallel over several processes: docs/distributed.md"
)

CLASSES = frozenset(
    """
    _StridedShard HuggingFaceStorageReader HuggingFaceStorageWriter DTensorSpec DistributedOptimizer
    FlatParameter FullOptimStateDictConfig FullStateDictConfig FullyShardedDataParallel LocalOptimStateDictConfig LocalStateDictConfig
    MixedPrecision ModuleWrapPolicy OptimStateDictConfig PipelineStage PostLocalSGDOptimizer RRef ShardedGradScaler
    ShardedOptimStateDictConfig ShardedStateDictConfig ShardedTensor StateDictConfig StateDictSettings
    StorageReader StorageWriter ZeroRedundancyOptimizer
    """.split()
)
FUNCTIONS = frozenset(
    """
    consolidate_safetensors_files compute_local_shape_and_global_offset context always_wrap_policy apply_activation_checkpointing
    checkpoint_wrapper enable_wrap init_rpc lambda_auto_wrap_policy load_sharded_optimizer_state_dict remote rpc_async rpc_sync shutdown
    size_based_auto_wrap_policy transformer_auto_wrap_policy wrap get_worker_info _load_state_dict register_fsdp_forward_method
    """.split()
)
ENUMS = {
    "BackwardPrefetch": enum.Enum("BackwardPrefetch", ["BACKWARD_PRE", "BACKWARD_POST"]),
    "CheckpointImpl": enum.Enum("CheckpointImpl", ["REENTRANT", "NO_REENTRANT"]),
    "OptimStateKeyType": enum.Enum("OptimStateKeyType", ["PARAM_NAME", "PARAM_ID"]),
    "ShardingStrategy": enum.Enum(
        "ShardingStrategy", ["FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD", "HYBRID_SHARD", "_HYBRID_SHARD_ZERO2"]
    ),
    "StateDictType": enum.Enum(
        "StateDictType", ["FULL_STATE_DICT", "LOCAL_STATE_DICT", "SHARDED_STATE_DICT"]
    ),
}
"""Choices among what is not here: they can be named, listed and compared, as settings of programs are."""


@dataclasses.dataclass
class CPUOffload:
    """Whether parameters that are not in use lie in the memory of the host, for `FullyShardedDataParallel`, which is
    not supported: packages import this class to check their arguments. `fully_shard` takes a `CPUOffloadPolicy`.

    offload_params: whether parameters and gradients are offloaded.
    """

    offload_params: bool = False


NAMES = CLASSES | FUNCTIONS | ENUMS.keys() | {"CPUOffload"}


def is_available() -> bool:
    """False: of rpc and of its autograd."""
    return False


class _Never(type):
    """The class of classes that have no instances."""


def _raise(name: str, *args: Any, **kwargs: Any) -> NoReturn:
    raise NotImplementedError(_WHY.format(name))


@functools.cache
def _made(name: str) -> Any:
    if name in FUNCTIONS:
        return functools.partial(_raise, name)
    return _Never(
        name,
        (),
        {
            "__new__": lambda cls, *args, **kwargs: _raise(name),
            "__module__": "torch.distributed",
            "__doc__": _WHY.format(name),
        },
    )


def __getattr__(name: str) -> Any:
    if name not in NAMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return ENUMS[name] if name in ENUMS else _made(name)
