"""Programs as they are compiled, watched while `repro_after` is "aot", as `levels.py` watches compilers.

A program is a recording: what torch.compile was given, a transform, or any eager code, derivatives and all.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ..._core.api import Graph, make_tensor
from .. import settings
from ..errors import AccuracyError
from ..graphs.view import view_of
from .levels import check_level, compare_program, failed_program, launch_program

__all__ = ["failed", "made"]

_known: dict[Any, Any] = {}
_busy: list[bool] = []
"""Not empty while a program is looked at: what that compiles is not."""


def made(path: Sequence[Any], live: tuple[int, ...], externals: Sequence[Any]) -> None:
    """Level 3: writes the launcher before the program runs. Level 4: compares it with its ops run one by one."""
    if _busy or settings.repro_level < 3:
        return
    check_level()
    key = (id(path[-1]), live)
    if key in _known:
        return
    _busy.append(True)
    try:
        gm, inputs = _as_module(path, live, externals)
        if settings.repro_level == 3:
            launch_program(gm, inputs)
        else:
            _known[key] = path[-1]
            compare_program(gm, inputs)
    finally:
        _busy.pop()


def failed(path: Sequence[Any], live: tuple[int, ...], externals: Sequence[Any], error: Exception) -> None:
    """Leaves a script of a program that could not be compiled or run."""
    if _busy:
        return
    check_level()
    if isinstance(error, AccuracyError):
        return
    _busy.append(True)
    try:
        failed_program(*_as_module(path, live, externals), error)
    except Exception as other:
        warnings.warn(f"No script is written: {type(other).__name__}: {other}", stacklevel=2)
    finally:
        _busy.pop()


def _as_module(path: Sequence[Any], live: tuple[int, ...], externals: Sequence[Any]) -> tuple[Any, list[Any]]:
    """A recording as a GraphModule, and its inputs."""
    graph = Graph(list(path), tuple([v.aval for v in externals]), len(externals), live)
    read = {-1 - r for s in graph.steps for r in s.refs if r < 0} | {-1 - o for o in live if o < 0}
    gm = view_of(graph)
    inputs = []
    for i, (v, node) in enumerate(zip(externals, gm.graph.find_nodes(op="placeholder"), strict=True)):
        if i not in read:
            gm.graph.erase_node(node)
        elif v.aval.weak:
            inputs.append(
                make_tensor(v, 0).item() if v.array is None else v.aval.dtype.np.type(v.array).item()
            )
        else:
            inputs.append(make_tensor(v, 0))
    gm.recompile()
    return gm, inputs
