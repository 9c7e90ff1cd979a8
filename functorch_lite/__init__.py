"""functorch_lite: PyTorch's API on JAX. `import functorch_lite as torch` and write ordinary PyTorch.

The functions of the torch namespace are declared in `ops/` and `tensors/` and bound at first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import ops  # isort: skip  # declares the ops that everything below binds
from . import (
    _elsewhere,
    _streams,  # noqa: F401  # registers Stream and Event
    amp,
    autograd,
    compiler,
    debug,
    func,
    nn,
    random,
    storage,
    tensors,
    utils,
)
from ._core.api import (
    CONSTANTS,
    DisableTorchFunction,
    DisableTorchFunctionSubclass,
    Tensor,
    bind,
    device,
    get_printoptions,
    printoptions,
    set_default_device,
    set_printoptions,
)
from ._core.api import current_device as get_default_device
from ._core.api import synchronize as _synchronize
from ._core.run import host_memory
from ._core.run.executor import set_check_bounds
from ._core.words.telling import set_log
from .api_names import close as _close
from .api_names import missing as _missing
from .api_names import names as _names
from .api_names import tensor_attribute as _tensor_attribute
from .autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .compiler import compile
from .func import vmap
from .random import Generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from .serialization import load, save

__version__ = "0.2.0"

_LAZY = (
    "accelerator", "backends", "version", "_C", "ao", "__config__", "__future__", "_dynamo", "_functorch", "_inductor",
    "_jit_internal", "_logging", "_ops", "_tensor_str", "_utils", "_higher_order_ops", "compat", "cpu", "cuda", "distributed",
    "export", "futures", "hub", "library", "mps", "multiprocessing", "onnx", "xpu", "jit", "linalg", "quasirandom",
    "return_types", "serialization", "sparse", "testing", "torch_version", "types", "fft", "signal", "special", "optim",
    "distributions", "profiler", "masked", "nested", "overrides", "fx",
)  # fmt: skip

if TYPE_CHECKING:  # who does not run `__getattr__`
    from . import (
        _C,
        _dynamo,
        _functorch,
        _higher_order_ops,
        _inductor,
        _jit_internal,
        _ops,
        _utils,
        accelerator,
        ao,
        backends,
        compat,
        cpu,
        cuda,
        distributed,
        distributions,
        export,
        fft,
        futures,
        fx,
        hub,
        jit,
        library,
        linalg,
        masked,
        mps,
        multiprocessing,
        nested,
        onnx,
        optim,
        overrides,
        profiler,
        quasirandom,
        return_types,
        serialization,
        signal,
        sparse,
        special,
        testing,
        torch_version,
        types,
        version,
        xpu,
    )
    from ._types import constants, functions
    from ._types.constants import *  # noqa: F403
    from ._types.functions import *  # noqa: F403

    __all__ = [
        "DisableTorchFunction", "DisableTorchFunctionSubclass", "Generator", "Tensor", "amp", "autograd", "compile", "compiler", "debug", "device", "enable_grad", "func", "get_default_device",
        "get_printoptions", "get_rng_state", "inference_mode", "initial_seed", "is_grad_enabled", "is_inference_mode_enabled",
        "load", "manual_seed", "nn", "no_grad", "ops", "printoptions", "random", "save", "seed", "set_check_bounds", "set_default_device", "set_grad_enabled",
        "set_log", "set_printoptions", "set_rng_state", "storage", "synchronize", "tensors", "utils", "vmap",
    ]  # fmt: skip
    __all__ += [  # of an installed package, checkers take for public what they can read here
        "_C", "_dynamo", "_functorch", "_higher_order_ops", "_inductor", "_jit_internal", "_ops", "_utils",
        "accelerator", "ao", "backends", "compat", "cpu", "cuda", "distributed", "distributions", "export",
        "fft", "futures", "fx", "hub", "jit", "library", "linalg", "masked", "mps", "multiprocessing",
        "nested", "onnx", "optim", "overrides", "profiler", "quasirandom", "return_types", "serialization",
        "signal", "sparse", "special", "testing", "torch_version", "types", "version", "xpu",
    ]  # fmt: skip
    __all__ += constants.__all__
    __all__ += functions.__all__


for _name, _value in CONSTANTS.items():
    globals()[_name] = _value
bind.attach_methods()
Tensor.__getattr__ = _tensor_attribute
host_memory.keep()
_elsewhere.install()
_close(__name__)


def synchronize() -> None:
    """Dispatches everything that is recorded.

    Values are computed in the background; reading one waits for it, and so does this if an index may be out of range,
    which raises."""
    _synchronize()


_SPARSE = (
    "sparse_coo_tensor", "sparse_csr_tensor", "sparse_csc_tensor", "sparse_bsr_tensor", "sparse_bsc_tensor", "sparse_compressed_tensor",
    "smm", "spmm", "dsmm", "values_copy", "indices_copy", "crow_indices_copy", "col_indices_copy", "ccol_indices_copy", "row_indices_copy",
    "_convert_indices_from_coo_to_csr", "_convert_indices_from_csr_to_coo",
)  # fmt: skip


_QUANTIZED = (
    "dequantize", "fake_quantize_per_channel_affine", "fake_quantize_per_tensor_affine", "int_repr", "q_per_channel_axis", "q_per_channel_scales",
    "q_per_channel_zero_points", "q_scale", "q_zero_point", "quantize_per_channel", "quantize_per_tensor", "quantize_per_tensor_dynamic",
)  # fmt: skip


_MODULES = (
    "amp",
    "autograd",
    "compiler",
    "func",
    "nn",
    "random",
    "storage",
    "utils",
    *[name for name in _LAZY if name[0] != "_"],
)
_ELSEWHERE = {
    **dict.fromkeys(
        ("per_channel_affine", "per_channel_affine_float_qparams", "per_channel_symmetric", "per_tensor_affine", "per_tensor_symmetric", "qscheme"), "ao.quantization.schemes"
    ),
    "Future": "futures", "PyTorchFileReader": "_C", "ScriptFunction": "jit", "ScriptModule": "jit", "StorageBase": "_C",
}  # fmt: skip
"""Classes that the namespace has from a module which is imported when it is asked for."""
_BEYOND_TORCH = ("debug", "set_check_bounds", "set_log", "synchronize")  # and compat
_ONLY_BY_NAME = frozenset(
    """
    BFloat16Storage BFloat16Tensor ComplexDoubleStorage ComplexFloatStorage HalfStorage HalfTensor Storage broadcast_shapes channels_last
    channels_last_3d contiguous_format eig from_dlpack jagged legacy_contiguous_format lstsq lu matrix_rank pca_lowrank preserve_format
    segment_reduce set_default_dtype set_grad_enabled solve sparse_bsc sparse_bsr sparse_coo sparse_csc sparse_csr strided svd_lowrank symeig
    to_dlpack unique while_loop
    """.split()
)
"""Names that PyTorch's `import *` does not bind; nor does it bind modules."""


def _torchs() -> set[str]:
    """The names of PyTorch's namespace that are here, but for modules."""
    known = _names()
    here = {*globals(), *bind.names("torch"), *_SPARSE, *_QUANTIZED}
    return here & {*known["torch (functions)"], *known["torch (types and constants)"]}


def _lookup(name: str):
    import importlib

    if name == "__all__":
        return sorted(_torchs() - _ONLY_BY_NAME)
    if name in _SPARSE:
        importlib.import_module("functorch_lite.sparse")
    if name in _QUANTIZED:
        importlib.import_module("functorch_lite.ao.quantization.functions")
    if name.startswith("_foreach_"):
        made = importlib.import_module("functorch_lite._foreach").lookup_foreach(name[len("_foreach_") :])
        if made is not None:
            return globals().setdefault(name, made)
    if name.startswith("_check") and (
        made := getattr(importlib.import_module("functorch_lite._checks"), name, None)
    ):
        return globals().setdefault(name, made)
    if (home := _ELSEWHERE.get(name)) is not None:
        return getattr(importlib.import_module(f"functorch_lite.{home}"), name)
    if name in ("torch", "_VF"):  # as PyTorch's module imports itself, and has its functions once more
        return importlib.import_module(__name__)
    if name in _LAZY:
        return importlib.import_module(f"functorch_lite.{name}")
    if name == "_segment_reduce":  # the older name, which torch_geometric calls
        name = "segment_reduce"
    made = None if name.startswith("__") else bind.lookup("torch", name)
    if made is None:
        raise _missing(__name__, name)
    globals()[name] = made
    return made


def __dir__():
    return sorted({*_torchs(), *_MODULES, *_BEYOND_TORCH, *[name for name in globals() if name[0] == "_"]})


if not TYPE_CHECKING:
    __getattr__ = _lookup
