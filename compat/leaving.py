"""export_jax: a module or function as a program that JAX alone runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax

from functorch_lite.export import ExportedProgram, export
from functorch_lite.export.exporting import Calls
from functorch_lite.nn import Module

__all__ = ["export_jax"]


def export_jax(
    module: Module | ExportedProgram | Callable,
    args: tuple = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    platforms: Sequence[str] = ("cpu", "cuda", "tpu"),
    parameters: str = "baked",
) -> jax.export.Exported:
    """A module, a function of tensors, or an exported program, as a `jax.export.Exported`: `serialize()` gives bytes
    that a process without this library runs.

    Args:
        module: a module, a function of tensors, or an exported program.
        args, kwargs: examples, of which shapes and dtypes count; of an exported program none
        dynamic_shapes: which sizes are open, as `torch.export.export` takes it
        platforms: that it is lowered for; none of them has to be here
        parameters: "baked" into the program, or "arguments": then its first argument is a dict of parameters, buffers
            and constants, by name

    Raises what `torch.export.export` and `ExportedProgram.to_stablehlo` raise.

    >>> import jax
    >>> from functorch_lite.compat import export_jax
    >>> n = torch.export.Dim("n", min=1)
    >>> program = export_jax(lambda x: (x * x).sum(), (torch.ones(3),), dynamic_shapes=({0: n},))
    >>> print(program.call(jax.numpy.arange(5.0)))
    30.0
    """
    if isinstance(module, ExportedProgram):
        if args or kwargs or dynamic_shapes is not None:
            raise ValueError("export_jax: an exported program has its examples and open sizes already")
        return module.to_stablehlo(platforms, parameters)
    if not isinstance(module, Module):
        module = Calls(module)
    program = export(module, args, kwargs, dynamic_shapes=dynamic_shapes)
    return program.to_stablehlo(platforms, parameters)
