"""What of PyTorch's public names is here: `python -m functorch_lite.api_status [--write docs/api.md]`.

The names are in api_names.txt (written by docs/make_api.py from PyTorch 2.13). A name is there, not yet there, or never will be: the table
NEVER says which those are, and why.
"""

from __future__ import annotations

import importlib
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["NEVER", "Section", "page", "reason_for", "sections"]

_KERNELS = "a kernel of a library that XLA takes the place of"
_QUANTIZED = (
    "quantized tensors have no counterpart in JAX; use lower precision dtypes such as bfloat16 or float8"
)
_SCRIPT = "part of TorchScript, which runs no program here: use torch.compile, or torch.export to save one"
_DISPATCH = "part of PyTorch's dispatcher and tracer, which are not here: see functorch_lite.compat for ways to extend"
_MEMORY = "CUDA's memory, graphs and streams are managed by XLA"
_DEVICE = "a device that JAX has no backend for"
_TYPED = "legacy typed tensors and storages: give dtype= instead"

NEVER: list[tuple[str, str, str]] = [
    (r".*", r"(cudnn|miopen|mkldnn|fbgemm)_\w+|to_mkldnn|is_vulkan(_available)?", _KERNELS),
    (r"torch.*", r"batch_norm_(backward_)?(elemt|reduce|stats|update_stats|gather_stats\w*)|native_\w+", "an internal kernel: use the function without native_ (or nn.BatchNorm)"),
    (r"torch.*", r"q(u?int\d+(x\d)?|scheme|_\w+)|Q(U?Int\d+(x\d)?)Storage|quantize\w*|dequantize|int_repr|fake_quantize\w+|fused_moving_avg\w+|choose_qparams\w+|empty_quantized", _QUANTIZED),
    (r"torch.distributed.checkpoint", r"Quantized\w+", _QUANTIZED),
    (
        r"torch \(.*",
        r"AggregationType|AliasDb|(Any|Await|Bool|Class|Complex|DeviceObj|Dict|Enum|Float|Future|Inferred|Int|Interface|List|None|Number|Optional|"
        r"PyObject|RRef|StreamObj|String|SymBool|SymInt|Tensor|Tuple|Union)Type|Type|Argument(Spec)?|Benchmark\w+|Block|BufferDict|"
        r"CallStack|Capsule|Code|CompilationUnit|CompleteArgumentSpec|ConcreteModuleType(Builder)?|DeepCopyMemoTable|"
        r"(Des|S)erializationStorageContext|ErrorReport|ExecutionPlan|FileCheck|FunctionSchema|Future|Gradient|Graph|GraphExecutorState|"
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
    (r"torch.cuda", r"CUDAGraph|CUDAPluggableAllocator|caching_allocator\w*|change_current_allocator|get_allocator_backend|MemPool|"
     r"use_mem_pool|GreenContext|graph(_pool_handle)?|make_graphed_callables|is_current_stream_capturing|ExternalStream|get_stream_from_external|"
     r"current_(blas|solver)_handle|cudart|cudaStatus|check_error|Deferred\w+|CudaError|memory_snapshot|host_memory\w*|ipc_collect|"
     r"(get_|set_)?sync_debug_mode|has_(half|magma)|can_device_access_peer|reset_accumulated_\w+|reset_peak_host_memory_stats", _MEMORY),
    (r"torch.cuda", r"(get|set)_per_process_memory_fraction", "XLA takes its share of a GPU when it starts: set XLA_PYTHON_CLIENT_MEM_FRACTION"),
    (r"torch.cuda", r"get_gencode_flags", "flags of a CUDA compiler: XLA compiles for the GPU that is there"),
    (r"torch.cpu", r"get_capabilities", "PyTorch's list of instruction sets: XLA chooses among them, and /proc/cpuinfo lists them"),
    (r"torch \(.*|torch.Tensor", r"chalf|complex32|float4_e2m1fn_x2|float8_e8m0fnu", "dtypes that JAX cannot compute with: use complex64, or the other float8 dtypes"),
    (r"torch \(.*|torch.Tensor", r"is_inference", "tensors made under inference_mode are ordinary ones here"),
    (r"torch.Tensor", r"index", "part of functorch.dim: index with the tensor's own brackets"),
    (r"torch.cuda", r"clock_rate|power_draw|temperature|utilization|memory_usage|device_memory_used|list_gpu_processes",
     "read from NVML by PyTorch: use nvidia-smi or pynvml"),
    (r"torch.distributed", r"TCPStore|FileStore|HashStore|PrefixStore|Store|Reducer|Logger|GradBucket|BuiltinCommHookType|\w+Options|"
     r"ProcessGroupGloo|register_rendezvous_handler|rendezvous", "c10d's own machinery: JAX's distributed runtime takes its place"),
    (r"functorch.dim", r"\w*_?(finish|prepare)|handle_from_tensor|\w+OPTIMIZED?E?|EnableAllLayers|TensorInfo|ndim_of_levels|wrap_type|DotPart",
     "internal to functorch.dim"),
    (r"torch \(.*", r"AVG|SUM|PRIVATE_OPS|StorageBase", _SCRIPT),
    (r"torch \(.*", r"per_(channel|tensor)_\w+", _QUANTIZED),
    (r"torch \(.*", r"bits?\d*(x\d)?|u?int[1-7]", "dtypes without arithmetic in PyTorch too, for the shells of quantized tensors"),
    (r"torch.Tensor", r"smm", "a legacy sparse function: use torch.sparse.mm, which gives a dense matrix"),
    (r"torch.*", r"dsmm|hsmm|hspmm|saddmm|sspaddmm|sparse_resize_\w*|resize_as_sparse_|slice_inverse", "legacy sparse functions: use torch.sparse.mm and the like"),
    (r"torch.Tensor", r"reinforce", "removed from PyTorch too"),
    (r"torch.sparse", r"\w*[sS]emi_?[sS]tructured\w*|as_sparse_gradcheck", "2:4 sparsity is a feature of CUDA kernels"),
    (r"torch.nn.functional", r"ScalingType|SwizzleType|scaled_grouped_mm", "for kernels of NVIDIA's GPUs that take float8 with scales: scale in bfloat16, and use torch.bmm or grouped_mm"),
    (r"torch.nn.functional", r"has_torch_function\w*|boolean_dispatch|assert_int_or_pair", _DISPATCH),
    (r"torch.nn.parallel", r"gather|parallel_apply|replicate|scatter", "how PyTorch copies a module to several GPUs at each call: use jax.sharding"),
    (r"torch.nn.attention", r"\w+_flash_attention_impls?", "XLA chooses the kernels of attention: see sdpa_kernel"),
    (r"torch.autograd.*", r"set_override_\w+|set_warn_on_\w+|enforce_grad_layout_policy|region_activation_memory_budget", _DISPATCH),
    (r"torch.testing", r"FileCheck", _SCRIPT),
    (r"torch.utils.data", r"\w*DataPipe|DataChunk|argument_validation|functional_datapipe|\w*determini\w+|runtime_validation\w*", "DataPipes are no longer developed: use Dataset and DataLoader"),
    (r"torch.utils.checkpoint", r"GraphExecGroup|SAC_IGNORED_OPS", _DISPATCH),
    (r"torch.utils.benchmark", r"Callgrind\w+|CopyIfCallgrind|FunctionCounts?|Fuzz\w+|ParameterAlias", "Valgrind's counts and the fuzzers of PyTorch's own benchmarks"),
    (r"torch.compiler", r"\w*_guards?_\w+|substitute_in_graph|wrap_numpy|set_enable_guard_collectives", "part of Dynamo, which is not here: functions are recorded, not analysed"),
    (r"torch.compiler", r"(save|load)_cache_artifacts|load_compiled_function", "programs are kept on disk by themselves: see FUNCTORCH_LITE_CACHE in docs/recording.md"),
    (r"torch.serialization", r"LoadEndianness|SourceChangeWarning|StorageType|\w+_(endianness|mmap_options|crc32_options)|check_module_version\w*|default_restore_location|mkdtemp|normalize_storage_type|storage_to_tensor_type|validate_\w+|register_package|skip_data",
     "internal to PyTorch's file format"),
]  # fmt: skip
"""What never will be there: (pattern of the section, pattern of the name, why)."""


class Section(NamedTuple):
    """The names of a module by what became of them; `never` gives the reasons."""

    name: str
    there: list[str]
    not_yet: list[str]
    never: dict[str, str]

    @property
    def share(self) -> float:
        """How much of what is possible is there, in percent."""
        possible = len(self.there) + len(self.not_yet)
        return 100.0 * len(self.there) / possible if possible else 100.0


@cache
def _names() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (Path(__file__).parent / "api_names.txt").read_text().splitlines():
        if line.startswith("## "):
            names = found[line[3:]] = []
        elif line and not line.startswith("#"):
            names += line.split()
    return found


def reason_for(section: str, name: str) -> str | None:
    """Why a name never will be there; None if it may."""
    for where, pattern, why in NEVER:
        if re.fullmatch(where, section) and re.fullmatch(pattern, name):
            return why
    return None


def _home(section: str) -> Any:
    """Our counterpart of a module or class; None when there is none."""
    path = section.split(" ")[0]
    if path.split(".")[0] == "functorch":
        path = "compat." + path
    else:
        path = path.partition(".")[2]
    here: Any = importlib.import_module("functorch_lite")
    done = "functorch_lite"
    for part in path.split(".") if path else ():
        done += f".{part}"
        try:
            here = getattr(here, part)
        except AttributeError:
            try:
                here = importlib.import_module(done)
            except ImportError:
                return None
    return here


def sections() -> list[Section]:
    """All modules of PyTorch, and what of each is there."""
    found = []
    for section, names in _names().items():
        home = _home(section)
        there = [n for n in names if home is not None and hasattr(home, n)]
        missing = [n for n in names if n not in set(there)]
        never = {n: why for n in missing if (why := reason_for(section, n)) is not None}
        found.append(Section(section, there, [n for n in missing if n not in never], never))
    return found


def why_missing(name: str) -> str:
    """A clause for an AttributeError of the torch namespace: what became of a name that PyTorch has there; empty if it has none."""
    for section in ("torch (functions)", "torch (types and constants)"):
        if name in _names().get(section, ()):
            why = reason_for(section, name)
            return (
                f": it is in PyTorch, but {why}"
                if why
                else ": it is in PyTorch, but not here yet (docs/api.md)"
            )
    return ""


def page() -> str:
    """The page docs/api.md."""
    found = sections()
    lines = [
        "# PyTorch's API, name by name", "",
        "Written by `python -m functorch_lite.api_status --write docs/api.md` from the public names of PyTorch 2.13. A module's share is of the",
        "names that are possible here; what never will be there is listed with the reason at the end.", "",
        "| module | there | not yet | never | share |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for s in found:
        lines.append(f"| `{s.name}` | {len(s.there)} | {len(s.not_yet)} | {len(s.never)} | {s.share:.0f} % |")
    for s in found:
        lines += ["", f"## {s.name}", ""]
        if s.there:
            lines += [f"There: {_listed(s.there)}", ""]
        if s.not_yet:
            lines += [f"Not yet: {_listed(s.not_yet)}", ""]
        if s.never:
            lines += [f"Never: {_listed(list(s.never))}", ""]
    lines += ["", "## Why never", ""]
    reasons: dict[str, list[str]] = {}
    for s in found:
        for name, why in s.never.items():
            reasons.setdefault(why, []).append(name)
    lines += [f"- {why}: {_listed(sorted(set(names)))}" for why, names in reasons.items()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


def _listed(names: list[str]) -> str:
    return " ".join(f"`{n}`" for n in names)


def main(arguments: list[str]) -> None:
    """Prints the shares; with `--write FILE` writes the page."""
    if arguments[:1] == ["--write"]:
        Path(arguments[1]).write_text(page())
        return
    for s in sections():
        print(
            f"{s.name:36} {len(s.there):4} there {len(s.not_yet):4} not yet {len(s.never):4} never {s.share:6.1f} %"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
