"""torch.distributed.tensor.parallel: styles of tensor parallelism, and what applies them. See docs/distributed.md."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from fnmatch import fnmatch
from typing import Any

from ...._core.api import tidied
from ....api_names import listed, lookup_of
from ...device_mesh import DeviceMesh, current_mesh
from ._styles import (
    ColwiseParallel,
    ParallelStyle,
    PrepareModuleInput,
    PrepareModuleInputOutput,
    PrepareModuleOutput,
    RowwiseParallel,
    SequenceParallel,
)

__all__ = [
    "ColwiseParallel", "ParallelStyle", "PrepareModuleInput", "PrepareModuleInputOutput", "PrepareModuleOutput", "RowwiseParallel", "SequenceParallel",
    "loss_parallel", "parallelize_module",
]  # fmt: skip
__dir__ = listed(__name__)
__getattr__ = lookup_of(__name__)


@tidied
def parallelize_module(
    module: Any,
    device_mesh: DeviceMesh | None = None,
    parallelize_plan: ParallelStyle | dict[str, ParallelStyle] | None = None,
    *,
    src_data_rank: int | None = 0,
) -> Any:
    """Applies styles of tensor parallelism to a module or to modules in it, and returns it.

    Args:
        module: the module, which is changed.
        device_mesh: of one dimension; that of `with mesh:` if None.
        parallelize_plan: a style for the module itself, or styles by the names of modules in it, in which `*` and `?`
            stand for parts of a name.
        src_data_rank: whose numbers the parameters have. One process has them for all its devices.

    Raises ValueError for a mesh of several dimensions: give one of them, as in mesh["tp"]. A name that no module has is
    warned of.
    """
    mesh = current_mesh(device_mesh, "parallelize_module")
    if parallelize_plan is None:
        warnings.warn(
            "No parallelize_plan is provided and auto-parallel is not supported at the moment, so this parallelize_module call will do nothing.",
            stacklevel=3,
        )
        return module
    if mesh.ndim != 1:
        raise ValueError(
            "`placements` must have the same length as `device_mesh.ndim`! "
            f"Found placements length: 1, and device_mesh.ndim: {mesh.ndim}. Give parallelize_module one dimension of the mesh, as in mesh['tp']."
        )
    if isinstance(parallelize_plan, ParallelStyle):
        parallelize_plan.src_data_rank = src_data_rank
        return parallelize_plan._apply(module, mesh)
    if not isinstance(parallelize_plan, dict):
        raise TypeError(
            f"Expect Union[ParallelStyle, Dict[str, ParallelStyle]] for parallelize_plan, {type(parallelize_plan)} found!"
        )
    for path, style in parallelize_plan.items():
        found = _matching(module, path.split(".") if path else [])
        if not found:
            warnings.warn(
                f"parallelize_module: no module is named {path!r}, so its style is not used", stacklevel=3
            )
        for submodule in found:
            parallelize_module(submodule, mesh, style, src_data_rank=src_data_rank)
    return module


def _matching(module: Any, path: list[str]) -> list[Any]:
    if not path:
        return [module]
    return [
        m
        for name, child in module.named_children()
        if fnmatch(name, path[0])
        for m in _matching(child, path[1:])
    ]


@contextlib.contextmanager
def loss_parallel() -> Iterator[None]:
    """A context for cross entropy of logits that are cut over classes.

    They are not gathered for it, inside of this context or not."""
    yield
