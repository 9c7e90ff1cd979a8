"""The names of the former `functorch` package, on top of functorch_lite.func, so that programs of 2022 run.

Names that torch.func has refer to the same functions, and warn with their new location. `make_functional`,
`make_functional_with_buffers` and `combine_state_for_ensemble` are the old ways of calling a module as a function of
its parameters.
"""

from __future__ import annotations

from functorch_lite.api_names import close
from functorch_lite.compat.functorch import compile, experimental
from functorch_lite.compat.functorch.deprecated import (
    combine_state_for_ensemble,
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    make_functional,
    make_functional_with_buffers,
    vjp,
    vmap,
)
from functorch_lite.compat.functorch.stateless import FunctionalModule, FunctionalModuleWithBuffers
from functorch_lite.compiler.graphs.make_fx import make_fx

__all__ = [
    "FunctionalModule", "FunctionalModuleWithBuffers", "combine_state_for_ensemble", "compile", "experimental", "functionalize", "grad", "grad_and_value",
    "hessian", "jacfwd", "jacrev", "jvp", "make_functional", "make_functional_with_buffers", "make_fx", "vjp", "vmap",
]  # fmt: skip

close(__name__)
