"""A function of one tensor, recorded once, and the ops that are made of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..._core.api import DerivedOp, Graph, Tensor, apply_op
from .._trees import flatten, name_of, unflatten
from ..chunk_size import chunk_for
from ..cuts import Notes, record_function
from ..derivatives import _Arguments, _Aux, _output_tensors, _split_aux

__all__ = ["OneArgument", "split"]


class OneArgument:
    """func at its arguments, as a function of the tensor in one of them.

    has_aux: whether func returns (outputs, aux), of which the outputs are differentiated; `answer` adds aux to a
    result. x: that tensor; whole: whether it is one Graph that JAX may differentiate as often as needed. Functions
    that depend on Python (an autograd.Function, hooks, no_grad) are differentiated by this library's own jvp,
    repeatedly: `call` is the function on Tensors.
    """

    def __init__(
        self, who: str, func: Callable, args: tuple, kwargs: dict, argnums: int, has_aux: bool = False
    ):
        if not isinstance(argnums, int) or isinstance(argnums, bool):
            raise TypeError(f"{who}: argnums must be an int, got {argnums!r}")
        given = _Arguments(args, kwargs, argnums)
        if given.n != 1:
            raise ValueError(
                f"{who}: argument {argnums} of {name_of(func)} must be one tensor, got a tree of {given.n}"
            )
        if given.tensors[0]._aval.dtype.is_complex:
            raise RuntimeError(f"{who}: expected a real argument, got {given.tensors[0]._aval.dtype}")
        self.who, self.func, self.given, self.has_aux = who, func, given, has_aux
        self._more: list[Tensor] | None = None  # the tensors of aux, once something was computed
        self.x: Tensor = given.tensors[0]
        avals = [t._aval for t in given.tensors]
        self.recorded = record_function("jvp", avals, given.tensors, self._run, Notes(1), writes=True)
        self.structure, self._aux = self.recorded.result
        self.n_out = self.structure.num_leaves
        self.whole = self.recorded.is_one_op()

    def _run(self, fresh: Sequence[Tensor]) -> tuple[list[Tensor], Any]:
        out, aux = self._outputs(list(fresh))
        outs, structure = _output_tensors(self.who, out)
        for o in outs:
            if not o._aval.taped or o._aval.dtype.is_complex:
                raise RuntimeError(
                    f"{self.who}: All outputs of f must be real floating-point Tensors, got Tensor with dtype {o._aval.dtype}"
                )
        held = _Aux(aux)
        return [*outs, *held.tensors], (structure, held)

    def _outputs(self, fresh: list[Tensor]) -> tuple[Any, Any]:
        out = self.given.call(self.func, fresh)
        return _split_aux(self.who, out) if self.has_aux else (out, None)

    def answer(self, result: Any) -> Any:
        """Returns what the transform of func returns: the result, or (result, aux)."""
        if not self.has_aux:
            return result
        if self._more is None:  # nothing was computed as one op
            return result, self._outputs(self.given.tensors)[1]
        return result, self._aux.rebuilt(self._more)

    def call(self, x: Tensor) -> list[Tensor]:
        """The results of func, as a list, at another x."""
        return flatten(self._outputs([x, *self.given.tensors[1:]])[0])[0]

    def apply(self, key: tuple, *extra: Tensor) -> list[list[Tensor]]:
        """The results of the op of this key, in rows of one tensor for each of func's results; and writes back what
        func wrote."""
        op = self.recorded.graph.transformed((*key, self.n_out))
        results = apply_op(op, None, (*self.recorded.inputs, *extra))
        end = len(results) - len(self.recorded.written)
        self.recorded.write_back(results[end:])
        end -= len(self._aux.tensors)
        self._more = list(results[end : end + len(self._aux.tensors)])
        n = self.n_out
        return [list(results[k : k + n]) for k in range(0, end, n)]

    def chunk(self, key: tuple, chunk_size: int | str | None, total: int, *extra: Tensor) -> int | None:
        """chunk_size as a number of directions, None for all at once."""
        if chunk_size == "auto":
            avals = [t._aval for t in (*self.recorded.inputs, *extra)]
            graph = self.recorded.graph

            def make(chunk: int | None) -> DerivedOp:
                return graph.transformed((*key, chunk, self.n_out))

            return chunk_for(graph, key, total, make, avals)
        return None if chunk_size is None or chunk_size >= total else chunk_size  # type: ignore[operator,return-value]

    def tree(self, leaves: Sequence[Any]) -> Any:
        """Returns the result of func with these in place of its tensors."""
        return unflatten(self.structure, leaves)

    @property
    def size(self) -> int:
        """How many numbers the argument has."""
        return math.prod(self.x._aval.shape)


def split(graph: Graph, n_out: int, arrays: Sequence[Any]) -> tuple[Callable[[Any], list], Any, list, list]:
    """(the function of the first input that returns n_out results, that input, further results of the graph, the
    values after its inputs)."""
    n = len(graph.in_avals)
    inputs, extra = arrays[:n], list(arrays[n:])

    def f(x: Any) -> list:
        return graph(x, *inputs[1:])[:n_out]

    rest = graph(*inputs)[n_out:] if len(graph.outputs) > n_out else []
    return f, inputs[0], rest, extra
