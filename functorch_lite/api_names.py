"""The public names of PyTorch, and what those raise that are not here.

The names are in api_names.txt (written by docs/make_api.py from PyTorch 2.13). The table NEVER says which of them never
will be here, and why; `functorch_lite.api_status` compares them with what there is.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NoReturn

__all__ = [
    "MODULES", "NEVER", "NotHere", "close", "listed", "lookup_of", "missing", "names", "reason_for", "tensor_attribute", "what_is_missing",
]  # fmt: skip


@cache
def names() -> dict[str, list[str]]:
    """The public names of PyTorch, by module; the names of `torch` itself in two sections."""
    found: dict[str, list[str]] = {}
    for line in (Path(__file__).parent / "api_names.txt").read_text().splitlines():
        if line.startswith("## "):
            names = found[line[3:]] = []
        elif line and not line.startswith("#"):
            names += line.split()
    return found


_KERNELS = "a kernel of a library that XLA takes the place of, so use the function without the library's name"
_QUANTIZED = "nothing is computed in quantized tensors here; torch.ao.quantization.quantize_dynamic and quantize_ make a model's weights smaller, and bfloat16 is a lower precision"
_SCRIPT = "part of TorchScript, which runs no program here: use torch.compile, or torch.export to save one"
_DISPATCH = "part of PyTorch's dispatcher and tracer, which are not here: see functorch_lite.compat for ways to extend"
_MEMORY = "CUDA's memory, graphs and streams are managed by XLA"
_DEVICE = "a device that JAX has no backend for"
_TYPED = "legacy typed tensors and storages: give dtype= instead"

NEVER: list[tuple[str, str, str]] = [
    (r".*", r"(cudnn|miopen|mkldnn|fbgemm)_\w+|to_mkldnn|is_vulkan(_available)?", _KERNELS),
    (r"torch.*", r"batch_norm_(backward_)?(elemt|reduce|stats|update_stats|gather_stats\w*)|native_\w+", "an internal kernel: use the function without native_ (or nn.BatchNorm)"),
    (r"torch.*", r"Q(U?Int\d+(x\d)?)Storage|quantized\w*|fused_moving_avg\w+|choose_qparams\w+|empty_quantized", _QUANTIZED),
    (r"torch.Tensor", r"q(scheme|_\w+)|dequantize|int_repr", "methods of quantized tensors, which torch.quantize_per_tensor makes; nothing is computed in them here"),
    (r"torch.distributed.checkpoint", r"Quantized\w+", _QUANTIZED),
    (
        r"torch \(.*",
        r"AggregationType|AliasDb|(Any|Await|Bool|Class|Complex|DeviceObj|Dict|Enum|Float|Future|Inferred|Int|Interface|List|None|Number|Optional|"
        r"PyObject|RRef|StreamObj|String|SymBool|SymInt|Tensor|Tuple|Union)Type|Type|Argument(Spec)?|Benchmark\w+|Block|BufferDict|"
        r"CallStack|Capsule|Code|CompilationUnit|CompleteArgumentSpec|ConcreteModuleType(Builder)?|DeepCopyMemoTable|"
        r"(Des|S)erializationStorageContext|ErrorReport|ExecutionPlan|FileCheck|FunctionSchema|Gradient|Graph|GraphExecutorState|"
        r"IODescriptor|JITException|LiteScriptModule|LockingLogger|LoggerBase|ModuleDict|Node|NoopLogger|OperatorInfo|ParameterDict|"
        r"PyTorchFile(Reader|Writer)|Script\w+|StaticModule|ThroughputBenchmark|TracingState|Use|Value|fork|wait|import_ir_module\w*|"
        r"merge_type_from_type_comment|parse_(ir|schema|type_comment)|unify_type_list|classproperty|FatalError",
        _SCRIPT,
    ),
    (
        r"torch \(.*",
        r"DispatchKey(Set)?|ExcludeDispatchKeyGuard|Tag|autocast_(in|de)crement_nesting|USE_\w+|"
        r"get_file_path|init_num_threads|prepare_multiprocessing_environment|profiler_allow_\w+|sym_(constrain_range\w*|fresh_size)|"
        r"compiled_with_cxx11_abi|thread_safe_generator|typename",
        _DISPATCH,
    ),
    (r"torch.*", r"\w*(Byte|Char|Short|Int|Long|Half|Float|Double|Bool|BFloat16|ComplexFloat|ComplexDouble)(Tensor|Storage)|TypedStorage", _TYPED),
    (r"torch.*", r"(is_)?(ipu|xpu|mtia|maia|vulkan|xla)|\w*_(ipu|xla)_\w+", _DEVICE),
    (r"torch.cuda", r"CUDAPluggableAllocator|caching_allocator\w*|change_current_allocator|get_allocator_backend|MemPool|"
     r"use_mem_pool|GreenContext|graph_pool_handle|make_graphed_callables|ExternalStream|get_stream_from_external|"
     r"current_(blas|solver)_handle|cudart|cudaStatus|check_error|Deferred\w+|CudaError|memory_snapshot|host_memory\w*|ipc_collect|"
     r"(get_|set_)?sync_debug_mode|has_(half|magma)|can_device_access_peer|reset_accumulated_\w+|reset_peak_host_memory_stats", _MEMORY),
    (r"torch.cuda", r"(get|set)_per_process_memory_fraction", "XLA takes its share of a GPU when it starts: set XLA_PYTHON_CLIENT_MEM_FRACTION"),
    (r"torch.cuda", r"get_gencode_flags", "flags of a CUDA compiler: XLA compiles for the GPU that is there"),
    (r"torch.cpu", r"get_capabilities", "PyTorch's list of instruction sets: XLA chooses among them, and /proc/cpuinfo lists them"),
    (r"torch \(.*|torch.Tensor", r"chalf|float4_e2m1fn_x2|float8_e8m0fnu", "dtypes that JAX cannot compute with: use complex64, or the other float8 dtypes"),
    (r"torch \(.*|torch.Tensor", r"is_inference", "tensors made under inference_mode are ordinary ones here"),
    (r"torch.Tensor", r"index", "part of functorch.dim: index with the tensor's own brackets, or with functorch.dim.index"),
    (r"torch.cuda", r"clock_rate|power_draw|temperature|utilization|memory_usage|device_memory_used|list_gpu_processes",
     "read from NVML by PyTorch: use nvidia-smi or pynvml"),
    (r"torch.distributed", r"Reducer|Logger|GradBucket|BuiltinCommHookType|\w+Options|"
     r"ProcessGroupGloo|register_rendezvous_handler|rendezvous", "c10d's own machinery: JAX's distributed runtime takes its place"),
    (r"functorch.dim", r"\w*_?(finish|prepare)|handle_from_tensor|\w+OPTIMIZED?E?|EnableAllLayers|TensorInfo|ndim_of_levels|wrap_type|DotPart|DimEntry",
     "internal to functorch.dim"),
    (r"torch \(.*", r"AVG|SUM|PRIVATE_OPS|StorageBase", _SCRIPT),
    (r"torch \(.*", r"bits?\d*(x\d)?", "dtypes without arithmetic in PyTorch too, for the shells of quantized tensors"),
    (r"torch.Tensor", r"smm", "a legacy sparse function: use torch.sparse.mm, which gives a dense matrix"),
    (r"torch.*", r"hsmm|hspmm|saddmm|sspaddmm|sparse_resize_\w*|resize_as_sparse_|slice_inverse", "legacy sparse functions: use torch.sparse.mm and the like"),
    (r"torch.Tensor", r"reinforce", "removed from PyTorch too"),
    (r"torch.sparse", r"\w*[sS]emi_?[sS]tructured\w*", "2:4 sparsity is a feature of CUDA kernels"),
    (r"torch.nn.functional", r"ScalingType|SwizzleType", "for kernels of NVIDIA's GPUs that take float8 with scales: scale in bfloat16, and use torch.bmm or grouped_mm"),
    (r"torch.nn.functional", r"has_torch_function\w*|boolean_dispatch|assert_int_or_pair", _DISPATCH),
    (r"torch.nn.parallel", r"gather|parallel_apply|replicate|scatter", "how PyTorch copies a module to several GPUs at each call: use jax.sharding"),
    (r"torch.nn.attention", r"\w+_flash_attention_impls?", "XLA chooses the kernels of attention: see sdpa_kernel"),
    (r"torch.autograd.*", r"set_override_\w+|set_warn_on_\w+|enforce_grad_layout_policy|region_activation_memory_budget", _DISPATCH),
    (r"torch.testing", r"FileCheck", _SCRIPT),
    (r"torch.utils.checkpoint", r"GraphExecGroup|SAC_IGNORED_OPS", _DISPATCH),
    (r"torch.utils.benchmark", r"Callgrind\w+|CopyIfCallgrind|FunctionCounts?|FuzzedSparseTensor", "Valgrind's counts of instructions, and sparse tensors of the fuzzer"),
    (r"torch.serialization", r"LoadEndianness|SourceChangeWarning|StorageType|\w+_(endianness|mmap_options|crc32_options)|check_module_version\w*|default_restore_location|mkdtemp|normalize_storage_type|storage_to_tensor_type|validate_\w+|register_package|skip_data",
     "internal to PyTorch's file format"),
]  # fmt: skip
"""Names that never will be there: (pattern of the section, pattern of the name, why)."""

MODULES = {
    "torch._C": "There is no C extension here: use the public functions.",
    "torch.quantization": "Use torch.ao.quantization.",
    "torch.ao.ns": "Compare two models by forward hooks on their layers.",
    "torch.ao.quantization.backend_config": "There is one backend: torch.ao.nn.quantized, computed in float32.",
}
"""Modules of PyTorch that are not here, and what to do instead."""


def reason_for(section: str, name: str) -> str | None:
    """Returns the reason why a name never will be there; None if it may."""
    for where, pattern, why in NEVER:
        if re.fullmatch(where, section) and re.fullmatch(pattern, name):
            return why
    return None


class NotHere(AttributeError, NotImplementedError):
    """A public name of PyTorch that functorch_lite does not have: an AttributeError too, so that `hasattr` says
    False."""


@lru_cache(4096)  # programs ask `hasattr` for the same names again and again
def what_is_missing(module: str, name: str) -> str | None:
    """Says what became of a name that PyTorch has in `module` ("torch.cuda"), as the end of a sentence; None if it has
    none."""
    advice = MODULES.get(f"{module}.{name}")
    if advice is not None:
        return f"it is in PyTorch, but not here. {advice}"
    for section, there in names().items():
        if section.split(" ")[0] == module and name in there:
            why = reason_for(section, name)
            return (
                f"it is in PyTorch, but not here: {why}"
                if why
                else "it is in PyTorch, but not here yet (docs/api.md)"
            )
    return None


def missing(module: str, name: str) -> AttributeError:
    """Makes the error that one of our modules raises for a name that it does not have: NotHere with the reason where
    PyTorch has it."""
    text = f"module '{module}' has no attribute '{name}'"
    theirs = module.replace("functorch_lite", "torch", 1)
    why = None if name.startswith("__") else what_is_missing(theirs, name)
    return AttributeError(text) if why is None else NotHere(f"{text}: {why}")


def lookup_of(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of one of our modules that only says what is missing.

    >>> __getattr__ = lookup_of(__name__)  # in functorch_lite/cpu.py
    """

    def __getattr__(name: str) -> Any:
        raise missing(module, name)

    return __getattr__


def refusing(module: str, refused: Collection[str], why: str) -> Callable[[str], Callable[..., NoReturn]]:
    """A `__getattr__` for a module of names that packages import: these are functions that raise NotImplementedError
    when they are called."""

    def lookup(name: str) -> Callable[..., NoReturn]:
        if name not in refused:
            raise AttributeError(f"module '{module}' has no attribute {name!r}")

        def called(*args: Any, **kwargs: Any) -> NoReturn:
            raise NotImplementedError(f"{module}.{name}: {why}")

        called.__name__ = name
        return called

    return lookup


def listed(module: str, *more: str) -> Callable[[], list[str]]:
    """The `__dir__` of one of our modules: what it exports, and `more`; but not what it imports for itself.

    >>> __dir__ = listed(__name__, "functional", "graph")  # in functorch_lite/autograd/__init__.py
    """
    space = vars(sys.modules[module])

    def __dir__() -> list[str]:
        return sorted({*space.get("__all__", ()), *more, *[n for n in space if n.startswith("_")]})

    return __dir__


def close(package: str) -> None:
    """Gives the modules of a package that are imported, and have no other, the `__dir__` of `listed`."""
    for name, module in list(sys.modules.items()):
        if f"{name}.".startswith(f"{package}.") and module is not None:
            space = vars(module)
            if "__all__" in space and "__dir__" not in space:
                space["__dir__"] = listed(name)


_NO_VALUES = (
    "a function that needs values was called with a {0}, which _make_wrapper_subclass made: it has none. Compute on the tensors "
    "that it wraps, in {0}.__torch_dispatch__ or __torch_function__; a derivative by it is not computed here"
)


def tensor_attribute(tensor: Any, name: str) -> Any:
    """`Tensor.__getattr__`, called where `name` was not found, or a property that has it raised AttributeError."""
    if name == "_cell" and hasattr(type(tensor), "__torch_dispatch__"):
        raise RuntimeError(_NO_VALUES.format(type(tensor).__name__))
    try:
        return object.__getattribute__(tensor, name)
    except AttributeError:
        why = None if name.startswith("_") else what_is_missing("torch.Tensor", name)
        if why is None:
            raise
    raise NotHere(f"'{type(tensor).__name__}' object has no attribute '{name}': {why}")
