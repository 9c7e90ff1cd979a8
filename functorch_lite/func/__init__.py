"""torch.func: JAX's transforms of functions that are written in PyTorch; `cond` and the loops of torch._higher_order_ops."""

from . import control_flow, loops
from .batch_norm import replace_all_batch_norm_modules_
from .chunk_size import memory_budget
from .derivatives import grad, grad_and_value, jvp, linearize, vjp
from .functionalize import debug_unwrap, functionalize
from .jacobians import hessian, jacfwd, jacrev
from .modules import functional_call, stack_module_state
from .rearrange import rearrange
from .vmap import vmap

__all__ = [
    "control_flow", "debug_unwrap", "functional_call", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev",
    "jvp", "linearize", "loops", "memory_budget", "rearrange", "replace_all_batch_norm_modules_", "stack_module_state", "vjp", "vmap",
]  # fmt: skip
