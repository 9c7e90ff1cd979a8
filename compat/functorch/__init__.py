"""The names of the former `functorch` package, on top of functorch_lite.func, so that programs of 2022 run.

What torch.func kept is the same function here. `make_functional`, `make_functional_with_buffers` and
`combine_state_for_ensemble` are the old ways of calling a module as a function of its parameters.
"""

from __future__ import annotations

from functorch_lite.api_names import close
from functorch_lite.compat.functorch import compile, experimental
from functorch_lite.compat.functorch.stateless import (
    FunctionalModule,
    FunctionalModuleWithBuffers,
    combine_state_for_ensemble,
    make_functional,
    make_functional_with_buffers,
)
from functorch_lite.compiler.graphs.make_fx import make_fx
from functorch_lite.func import (
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    vjp,
    vmap,
)

__all__ = [
    "FunctionalModule", "FunctionalModuleWithBuffers", "combine_state_for_ensemble", "compile", "experimental", "functionalize", "grad", "grad_and_value",
    "hessian", "jacfwd", "jacrev", "jvp", "make_functional", "make_functional_with_buffers", "make_fx", "vjp", "vmap",
]  # fmt: skip

close(__name__)
