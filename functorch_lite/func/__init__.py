"""torch.func: JAX's transforms of functions that are written in PyTorch; `cond` and the loops of
torch._higher_order_ops."""

from importlib import import_module
from types import ModuleType

from ..api_names import listed
from . import control_flow as control_flow
from . import loops as loops
from .batch_norm import replace_all_batch_norm_modules_
from .chunk_size import memory_budget as memory_budget
from .derivatives import grad, grad_and_value, jvp, linearize, vjp
from .functionalize import debug_unwrap, functionalize
from .jacobians import hessian, jacfwd, jacrev
from .modules import functional_call, stack_module_state
from .rearrange import rearrange
from .vmap import vmap

__all__ = [
    "debug_unwrap", "functional_call", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev",
    "jvp", "linearize", "rearrange", "replace_all_batch_norm_modules_", "stack_module_state", "vjp", "vmap",
]  # fmt: skip
MORE = ("curvature", "implicit", "influence", "laplace", "ntk", "per_sample", "privacy", "taylor", "training")
"""Modules that PyTorch has not, imported when they are first named."""
__dir__ = listed(__name__, "memory_budget", *MORE)


def __getattr__(name: str) -> ModuleType:
    if name in MORE:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
