"""functorch.compile: what was ahead-of-time autograd there happens by itself here. Every name says so when it is called."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = [
    "aot_function", "aot_module", "aot_module_simplified", "compiled_function", "compiled_module", "default_partition",
    "memory_efficient_fusion", "min_cut_rematerialization_partition", "nop", "ts_compile",
]  # fmt: skip

_COMPILED = (
    "functorch.compile.{}: programs are recorded and compiled by themselves here, forward and backward together. Call the function "
    "or the module as it is. To save memory in backward use torch.utils.checkpoint."
)
_TRACED = (
    "make_fx: there is no torch.fx here. What is recorded can be seen with functorch_lite.debug.explain(); a function's derivative is "
    "had with torch.func (grad, vjp, jvp) instead of from its graph, and jax.make_jaxpr shows the program behind it: "
    "jax.make_jaxpr(lambda x: to_jax(f(from_jax(x)))), with to_jax and from_jax of functorch_lite.compat. The other way round, "
    "functorch_lite.compat.jax_function(g) makes a JAX function g an op."
)


def _refuse(name: str, text: str) -> Any:
    def refuse(*args, **kwargs) -> NoReturn:
        raise NotImplementedError(text.format(name))

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Raises NotImplementedError, which says what to do instead of {name}."
    return refuse


aot_function = _refuse("aot_function", _COMPILED)
aot_module = _refuse("aot_module", _COMPILED)
aot_module_simplified = _refuse("aot_module_simplified", _COMPILED)
compiled_function = _refuse("compiled_function", _COMPILED)
compiled_module = _refuse("compiled_module", _COMPILED)
default_partition = _refuse("default_partition", _COMPILED)
memory_efficient_fusion = _refuse("memory_efficient_fusion", _COMPILED)
min_cut_rematerialization_partition = _refuse("min_cut_rematerialization_partition", _COMPILED)
nop = _refuse("nop", _COMPILED)
ts_compile = _refuse("ts_compile", _COMPILED)
make_fx = _refuse("make_fx", _TRACED)
