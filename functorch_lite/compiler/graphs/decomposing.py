"""Decomposing: a Graph run with other functions in the place of some, as a decomposition table says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...fx import GraphModule, Interpreter
from .calls import op_called

__all__ = ["Decomposing"]


class Decomposing(Interpreter):
    """Runs a Graph with other functions in the place of some."""

    def __init__(self, gm: GraphModule, table: dict[Any, Callable]):
        super().__init__(gm)
        self._table = {op_called("call_function", f) or f: g for f, g in table.items()}

    def call_function(self, target: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Calls the other function, if there is one."""
        other = self._table.get(op_called("call_function", target) or target)
        return super().call_function(target, args, kwargs) if other is None else other(*args, **kwargs)

    def call_method(self, target: str, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Calls the other function, if there is one."""
        other = self._table.get(op_called("call_method", target))
        return super().call_method(target, args, kwargs) if other is None else other(*args, **kwargs)
