"""Modules of PyTorch whose contents this library keeps in a module of another name: PyTorch's name can be imported too.

`functorch_lite.optim.adamw` is a thin module in front of `functorch_lite.optim.adam`: a name is looked up there, and
set there. So a class is found under the module that its PyTorch `__module__` names, by programs and pickles that write
that.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["MODULES", "ImportedModule", "beside", "install"]

_FUNCTIONAL = (
    "atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist chain_matmul einsum istft lu meshgrid "
    "norm pca_lowrank split stft svd_lowrank tensordot unique unique_consecutive unravel_index"
)

MODULES: dict[str, tuple[str | None, str | None]] = {
    "_VF": ("", None),
    "_tensor": ("", "Tensor"),
    "functional": ("", _FUNCTIONAL),
    "_dynamo.eval_frame": (
        "_dynamo", "OptimizedModule disable explain is_dynamo_disable_recursive is_dynamo_supported optimize optimize_assert set_stance skip_frame",
    ),
    "_C._autograd": ("autograd.profiler", "DeviceType"),
    "_C._distributed_c10d": ("distributed", "FileStore HashStore PrefixStore ProcessGroup ReduceOp Store TCPStore Work"),
    "_C._profiler": ("profiler", "ProfilerActivity"),
    "ao.nn.intrinsic": ("ao.quantization.fused_layers", None),
    "ao.nn.intrinsic.qat": ("ao.quantization.training_layers", "ConvBn1d ConvBn2d ConvBn3d ConvBnReLU1d ConvBnReLU2d ConvBnReLU3d ConvReLU1d ConvReLU2d ConvReLU3d LinearReLU"),
    "ao.nn.qat": ("ao.quantization.training_layers", "Conv1d Conv2d Conv3d Linear"),
    "ao.nn.quantized": ("ao.quantization.static_layers", None),
    "ao.nn.intrinsic.quantized": ("ao.quantization.static_layers", "ConvReLU1d ConvReLU2d ConvReLU3d LinearReLU"),
    **{
        f"ao.quantization.{name}": ("ao.quantization", names)
        for name, names in { "observer": None, "qconfig": None, "qconfig_mapping": "QConfigMapping get_default_qat_qconfig_mapping get_default_qconfig_mapping",
        }.items()
    },
    "autograd.anomaly_mode": ("autograd.anomaly", "detect_anomaly set_detect_anomaly"),
    "autograd.variable": ("autograd", "Variable"),
    "cuda.graphs": ("cuda", "CUDAGraph graph"),
    "distributed._composable.fsdp": ("distributed.fsdp", None),
    "distributed._tensor.experimental": ("distributed.tensor.experimental", None),
    "distributed._tensor.placement_types": ("distributed.tensor.placement_types", None),
    "distributed.checkpoint.api": ("distributed.checkpoint", "CheckpointException"),
    "distributed.checkpoint.default_planner": ("distributed.checkpoint", None),
    "distributed.checkpoint.filesystem": ("distributed.checkpoint", None),
    "distributed.checkpoint.state_dict_loader": ("distributed.checkpoint", None),
    "distributed.checkpoint.state_dict_saver": ("distributed.checkpoint", None),
    "distributed.checkpoint.stateful": ("distributed.checkpoint", None),
    "distributed.checkpoint.storage": ("distributed.sharded", "StorageReader StorageWriter"),
    "distributed.distributed_c10d": ("distributed", None),
    "distributed.elastic.events.api": ("distributed.elastic.events", "Event EventSource NodeState RdzvEvent"),
    "distributed.elastic.events.handlers": ("distributed.elastic.events", "get_logging_handler"),
    "distributed.elastic.metrics.api": ("distributed.elastic.metrics", None),
    "distributed.nn": ("distributed.functional", None),
    "distributed.nn.functional": ("distributed.functional", None),
    "distributed.pipelining._IR": ("distributed.pipelining", "Pipe SplitPoint"),
    "distributed.tensor.parallel.style": (
        "distributed.tensor.parallel",
        "ColwiseParallel ParallelStyle PrepareModuleInput PrepareModuleInputOutput PrepareModuleOutput RowwiseParallel SequenceParallel",
    ),
    **{
        f"distributed.{name}": ("distributed.sharded", None)
        for name in (
            "_shard.sharded_tensor", "algorithms._checkpoint.checkpoint_wrapper", "autograd",
            "checkpoint._consolidate_hf_safetensors", "checkpoint.hf_storage", "checkpoint.optimizer",
            "fsdp.api", "fsdp.fully_sharded_data_parallel", "fsdp.sharded_grad_scaler", "fsdp.wrap", "optim",
            "rpc", "tensor._utils",
        )
    },
    **{
        f"distributed.{name}": (None, "")
        for name in ("_composable", "_shard", "algorithms._checkpoint")
    },
    "export.dynamic_shapes": ("export", "Dim"),
    "jit.annotations": ("_jit_internal", None),
    "masked.maskedtensor": ("masked", "MaskedTensor is_masked_tensor"),
    "masked.maskedtensor.core": ("masked.tensor", "MaskedTensor is_masked_tensor"),
    "multiprocessing.spawn": ("multiprocessing", "ProcessContext ProcessException ProcessExitedException ProcessRaisedException spawn start_processes"),
    "optim.adadelta": ("optim.algorithms", "Adadelta"),
    "optim.adagrad": ("optim.algorithms", "Adagrad"),
    "optim.adamax": ("optim.adam", "Adamax"),
    "optim.adamw": ("optim.adam", "AdamW"),
    "optim.asgd": ("optim.algorithms", "ASGD"),
    "optim.nadam": ("optim.adam", "NAdam"),
    "optim.radam": ("optim.adam", "RAdam"),
    "optim.rmsprop": ("optim.algorithms", "RMSprop"),
    "optim.rprop": ("optim.algorithms", "Rprop"),
    "optim.sgd": ("optim.algorithms", "SGD"),
    "profiler.profiler": ("profiler", "ExecutionTraceObserver ProfilerAction profile schedule tensorboard_trace_handler"),
    "utils.benchmark.utils": (None, ""),
    "utils.benchmark.utils.common": ("utils.benchmark", "Measurement TaskSpec select_unit"),
    "utils.benchmark.utils.compare": ("utils.benchmark.compare", "Colorize Compare"),
    "utils.benchmark.utils.fuzzer": ("utils.benchmark.fuzzer", "FuzzedParameter FuzzedTensor Fuzzer ParameterAlias"),
    "utils.benchmark.utils.timer": ("utils.benchmark.timer", "Language Timer timer"),
    **{
        f"utils.data.datapipes.{module}": (f"utils.data.datapipes.{module.split('.')[0]}.{source}", names)
        for source, modules in {
            "steps": {
                "iter.callable": "CollatorIterDataPipe MapperIterDataPipe",
                "iter.combinatorics": "SamplerIterDataPipe ShufflerIterDataPipe",
                "iter.grouping": "BatcherIterDataPipe GrouperIterDataPipe UnBatcherIterDataPipe",
                "iter.selecting": "FilterIterDataPipe", "iter.sharding": "SHARDING_PRIORITIES ShardingFilterIterDataPipe",
                "iter.utils": "IterableWrapperIterDataPipe",
                "map.callable": "MapperMapDataPipe default_fn", "map.combinatorics": "ShufflerIterDataPipe",
                "map.combining": "ConcaterMapDataPipe ZipperMapDataPipe", "map.grouping": "BatcherMapDataPipe",
                "map.utils": "SequenceWrapperMapDataPipe",
            },
            "splitting": {
                "iter.combining": "ConcaterIterDataPipe DemultiplexerIterDataPipe ForkerIterDataPipe MultiplexerIterDataPipe ZipperIterDataPipe",
            },
            "files": {
                "iter.filelister": "FileListerIterDataPipe", "iter.fileopener": "FileOpenerIterDataPipe",
                "iter.streamreader": "StreamReaderIterDataPipe",
            },
        }.items()
        for module, names in modules.items()
    },
    "utils.model_zoo": ("hub", "load_url tqdm"),
}  # fmt: skip
"""PyTorch's name of a module: where its contents are (None: it only has modules inside of it), and which names it lists
of what is there (None: those that are listed there)."""

_ROOT = __name__.rpartition(".")[0]
_own = ModuleType.__dict__["__dict__"].__get__


class ImportedModule(ModuleType):
    """A module of a class of its own, which pickles as its name, as cloudpickle has it for plain modules."""

    def __reduce__(self) -> tuple:
        return importlib.import_module, (self.__name__,)


class _Front(ImportedModule):
    """A module that has the names of another one."""

    def __init__(self, name: str):
        source, names = MODULES[name[len(_ROOT) + 1 :]]
        behind = None if source is None else importlib.import_module(f"{_ROOT}.{source}" if source else _ROOT)
        super().__init__(name, behind and behind.__doc__)
        _own(self)["_behind"] = behind
        if names is not None:
            _own(self)["__all__"] = names.split()

    def __getattr__(self, name: str) -> Any:
        if self._behind is None or (name.startswith("__") and name != "__all__"):
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        return getattr(self._behind, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__") or isinstance(value, ModuleType):
            super().__setattr__(name, value)
        else:
            setattr(self._behind, name, value)
            if name in _own(self):
                super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        listed = _own(self).get("__all__")
        return sorted(dir(self._behind) if listed is None else listed)


class _Finder:
    """Finds the modules of the table; the last of the finders, asked when no file has the name."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name.startswith(f"{_ROOT}.") and name[len(_ROOT) + 1 :] in MODULES:
            return ModuleSpec(name, _Loader, is_package=True)  # type: ignore[arg-type]
        return None


class _Loader:
    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        return _Front(spec.name)

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Binds the names that it lists, as far as they are made; others are looked up behind it."""
        own = _own(module)
        there = _own(own["_behind"]) if own["_behind"] else {}
        own.update({name: there[name] for name in own.get("__all__", ()) if name in there})


def install() -> None:
    """Lets Python's import find these modules."""
    if _Finder not in sys.meta_path:
        sys.meta_path.append(_Finder)  # type: ignore[arg-type]


def beside(name: str) -> None:
    """Makes a module that has the name of a function of the package around it, whose place an import would give to
    it."""
    sys.modules[name] = module = importlib.util.module_from_spec(ModuleSpec(name, _Loader, is_package=True))  # type: ignore[arg-type]
    _Loader.exec_module(module)
