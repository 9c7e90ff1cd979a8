"""Whether a Graph has the fault that is looked for, and what compiles it: compilers by the names that scripts have."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

from ..._core.api import flush
from ...fx import GraphModule
from ...nn.modules.module import Module
from ..backends import Pipeline
from .compare import (
    backend_accuracy_fails,
    clone_inputs_retaining_gradness,
    reduce_to_scalar_loss,
    requires_bwd_pass,
)
from .differ import compiled_by_xla
from .planted import PLANTED

__all__ = ["compiler_named", "fails", "named", "run_once"]


def named(compiler: Callable | str) -> str:
    """Returns the name by which a script finds a compiler: PyTorch's name, a planted one's, "xla", or
    `module:function`."""
    if isinstance(compiler, str):
        return compiler
    for name, planted in PLANTED.items():
        if planted is compiler:
            return name
    if compiler is compiled_by_xla:
        return "xla"
    if type(compiler).__name__ == "Pipeline":
        return "inductor"
    module, name = getattr(compiler, "__module__", ""), getattr(compiler, "__qualname__", "")
    return f"{module}:{name}"


def compiler_named(name: str) -> Callable:
    """The compiler of that name. Raises RuntimeError, and says what to do, where a script cannot find it."""
    if name in PLANTED:
        return PLANTED[name]
    if name == "xla":
        return compiled_by_xla
    if ":" not in name:
        return Pipeline({})
    module, _, attribute = name.partition(":")
    try:
        found: Any = importlib.import_module(module) if module != "__main__" else sys.modules["__main__"]
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        raise RuntimeError(
            f"the backend {attribute} of {module} cannot be imported: put its file next to this script, and pass compiler='module:function' in its last line"
        ) from None
    return found


def run_once(call: Callable, inputs: Sequence[Any], only_fwd: bool = False) -> Any:
    """The results of a compiled callable on copies of these inputs, after its backward, if any; all of it has been
    computed."""
    given = clone_inputs_retaining_gradness(inputs)
    out = call(*given)
    if not only_fwd and requires_bwd_pass(out):
        reduce_to_scalar_loss(out).backward()
    flush()
    for x in out if isinstance(out, tuple | list) else [out]:
        if hasattr(x, "numpy") and not isinstance(x, Module):
            x.detach().cpu().sum().item() if x.numel() and not x.dtype.is_complex else None
    return out


def fails(
    gm: GraphModule,
    inputs: Sequence[Any],
    compiler: Callable,
    *,
    accuracy: bool | str = False,
    check_str: str | None = None,
    only_fwd: bool = False,
    require_fp64: bool = False,
    ignore_non_fp: bool = False,
) -> bool:
    """Returns whether a Graph has the fault: its results differ (`accuracy`), or it raises an error with `check_str` in its
    class and text."""
    if accuracy:
        return backend_accuracy_fails(
            gm, inputs, compiler, only_fwd, require_fp64=require_fp64, ignore_non_fp=ignore_non_fp
        )
    try:
        run_once(compiler(gm, list(inputs)), inputs, only_fwd)
    except Exception as error:
        return check_str is None or check_str in f"{type(error).__name__}: {error}"
    return False
