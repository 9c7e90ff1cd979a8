"""Nodes at symbolic sizes: ops of recordings that come with many lengths, each known once for all of them.

The sizes of a recording are ints, its *symbols*: what is written of them is Python text in which `s` is their list. A
node is reached where the ints of an op (the sizes of new values from outside, the ints among its static arguments) bind
new symbols or are what the node says of those that are bound.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

from ...jaxprs.sizes import FUNCTIONS
from ...words.device import CPU
from ...words.dtypes import dtype
from ..applied import Applied, Backward, Formula, apply_once
from ..sized import Sized, put_together
from ..trie import TrieNode
from ..value import Aval, aval

__all__ = [
    "SymbolicApplied", "SymbolicAval", "SymbolicFormula", "SymbolicNode", "Text", "derivative_of", "in_terms_of", "symbolic_aval", "tell",
]  # fmt: skip

Text = str | int
"""A size: a number, or what makes it of the symbols."""
_NAME = re.compile(r"\bn(\d+)\b")


@functools.lru_cache(4096)
def tell(texts: tuple[Text, ...]) -> Callable[[Sequence[int]], tuple[int, ...]]:
    """A function of the symbols that gives these sizes."""
    body = "".join([f"{t}, " for t in texts])
    return eval(f"lambda s: ({body})", dict(FUNCTIONS))


def in_terms_of(text: Text, at: Sequence[Text]) -> Text:
    """A text in names `n0`, `n1`, … with what stands for these."""
    if type(text) is int:
        return text
    whole = _NAME.fullmatch(text)
    if whole is not None:
        return at[int(whole[1])]
    return _NAME.sub(lambda m: f"({at[int(m[1])]})", text).replace(" ", "")


class SymbolicAval:
    """Aval of a result at any sizes. fixed: its Aval, if its shape does not depend on the symbols."""

    __slots__ = ("device", "dtype", "fixed", "taped", "tell", "texts")

    def __init__(self, texts: tuple[Text, ...], dtype: dtype):
        self.texts, self.dtype = texts, dtype
        self.device = CPU
        self.tell = tell(texts)
        self.fixed = aval(self.tell(()), dtype) if all(type(t) is int for t in texts) else None
        self.taped = dtype.category >= 2

    def at(self, sizes: Sequence[int]) -> Aval:
        """The Aval at these sizes."""
        return self.fixed or aval(self.tell(sizes), self.dtype)


symbolic_aval = functools.lru_cache(1 << 14)(SymbolicAval)


class SymbolicApplied:
    """An op at symbolic sizes, as `Applied` is one at given ones. model: one of those; tell: the symbols of `sized`,
    told from those of a recording."""

    __slots__ = (
        "_backwards",
        "all_cts",
        "at",
        "avals",
        "inputs",
        "model",
        "op",
        "single",
        "sized",
        "tell",
    )  # fmt: skip

    def __init__(self, model: Applied, sized: Sized, at: tuple[Text, ...], avals: tuple[SymbolicAval, ...]):
        self.model, self.sized, self.at = model, sized, at
        self.tell = tell(at)
        self.op, self.inputs, self.single, self.all_cts = model.op, model.inputs, model.single, model.all_cts
        self.avals = avals
        self._backwards: dict[Any, Backward] = {}

    @property
    def reach(self) -> tuple[int, ...]:
        return self.model.reach

    @property
    def name_of_derivative(self) -> str:
        return self.model.name_of_derivative

    def backward(self, mask: int, cts: int | None = None) -> Backward:
        """The derivative, whose op takes its sizes from the same recording."""
        found = self._backwards.get((mask, cts))
        if found is None:
            of = self.model.backward(mask, cts)
            op = of.op
            if op is not None:
                half = op.sized[0] if isinstance(op, Formula) and op.sized is not None else None
                generic = derivative_of(half) if half is not None else None
                op = SymbolicFormula(op, generic, self, mask, cts)
            found = self._backwards[mask, cts] = Backward(op, of.saved, of.gives)
        return found

    def closed(self, sizes: Sequence[int]) -> Applied:
        """The op at these sizes of a recording."""
        made = apply_once(*self.sized.op_at(self.tell(sizes)))  # type: ignore[misc]
        if self.model.general is None:
            return made
        return apply_once(made.op, made.static, with_literals(made.inputs, self.inputs))


def with_literals(inputs: tuple, given: tuple) -> tuple:
    """Inputs with the literal numbers among those that are given."""
    return tuple([g if type(g) is tuple else i for i, g in zip(inputs, given)])


class _Derivative:
    """The derivative of an op at symbolic sizes: what stands in the keys of nodes, whichever recording's symbols it is
    at."""

    __slots__ = ("half",)

    def __init__(self, half: Sized):
        self.half = half


def derivative_of(half: Sized) -> _Derivative:
    """The one of this jaxpr."""
    found = half.known.get("derivative")
    if found is None:
        found = half.known["derivative"] = _Derivative(half)
    return found


class SymbolicFormula(Formula):
    """A derivative that is about to be recorded at symbolic sizes. generic: what stands in keys; None if it has to be
    traced at each size."""

    __slots__ = ("asked", "generic", "of_applied")

    def __init__(
        self, model: Any, generic: _Derivative | None, applied: SymbolicApplied, mask: int, cts: int | None
    ):
        super().__init__(None, model.name, getattr(model, "formulas", 0))
        self.generic, self.of_applied, self.asked = generic, applied, (mask, cts)

    def closed(self, sizes: Sequence[int]) -> Any:
        """The op at these sizes."""
        return self.of_applied.closed(sizes).backward(*self.asked).op


def _sizes_of(op: Any) -> tuple[int, ...] | None:
    return None if op.sized is None else op.sized[1]


class SymbolicNode(TrieNode):
    """A recorded op at symbolic sizes.

    Its `avals` are SymbolicAvals; its `applied` is a SymbolicApplied, or the Applied where no size depends on the
    symbols.

    binds       which of the op's ints are new symbols, in order
    check       check(symbols, ints): whether the ints are what they are to be; None if there is nothing to look at
    n_symbols   how many there are after it
    outside     the texts of new values from outside
    other       another node of the same key, which says something else of the ints
    statics     gives the ints among the static arguments, `has_sizes`: some depend on the symbols
    is_pinned   whether its inputs tell all of its sizes; of a derivative they need not: then it is looked at whether it
                is of the same
    fixed       the avals of its results, where no size depends on the symbols; else None
    ends        what runs a recording that ends here (see run/cold/symbolic.py)
    last        what followed last: its key at its sizes (a list, as keys are made), the node, and its ints
    """

    at_symbols = True
    __slots__ = (
        "binds", "check", "ends", "fixed", "has_sizes", "is_pinned", "last", "n_symbols", "other", "outside", "statics", "statics_in_text",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.binds: tuple[int, ...] = ()
        self.check: Callable[[Sequence[int], Sequence[int]], bool] | None = None
        self.n_symbols = 0
        self.other: SymbolicNode | None = None
        self.outside: tuple[tuple[Text, ...], ...] = ()
        self.statics_in_text: tuple[Text, ...] = ()
        self.statics: Callable[[Sequence[int]], tuple[int, ...]] = tell(())
        self.has_sizes = False
        self.fixed: tuple[Aval, ...] | None = None
        self.ends: Any = None
        self.is_pinned = True
        self.last: tuple[list, Any, Sequence[int]] = ([], None, ())

    def match(self, sizes: list[int], ints: Sequence[int]) -> list[int] | None:
        """The symbols after this node, if it is one of these ints."""
        if self.binds:
            new = [ints[k] for k in self.binds]
            if min(new) < 1:
                return None
            sizes = [*sizes, *new]
        if self.check is not None and not self.check(sizes, ints):
            return None
        return sizes

    def find(
        self, key: tuple, sizes: list[int], ints: Sequence[int], takes: Callable[[SymbolicNode], bool] | None = None
    ) -> tuple[SymbolicNode, list[int]] | None:  # fmt: skip
        """Returns the node that follows under a key with these ints, and the symbols then; None if there is none.

        takes: whether a node is the one, of several that differ in how they take Python numbers."""
        first: Any
        child: Any
        first, child = self.first
        if key != first:
            child = self.children.get(key)
        while child is not None:
            now = child.match(sizes, ints)
            if now is not None and (takes is None or takes(child)):
                return child, now
            child = child.other
        return None

    def settled(self, sizes: Sequence[int]) -> TrieNode:
        """Returns the trie node that it is at these sizes, for the tape of a recording that is over."""
        applied = self.applied.closed(sizes) if type(self.applied) is SymbolicApplied else self.applied
        step = TrieNode()
        step.op, step.static, step.applied = applied.op, applied.static, applied
        step.avals, step.n_out, step.single, step.base = applied.avals, self.n_out, self.single, self.base
        step.taped, step.source = self.taped, self.source
        return step

    def is_of(self, op: Any, sizes: Sequence[int]) -> bool:
        """Whether a derivative whose key is this node's has the sizes that it has here; sizes: of the recording it
        comes from, if they are symbols."""
        applied = self.applied
        here = applied.tell(sizes) if type(applied) is SymbolicApplied else _sizes_of(applied.op)
        return here == (op.of_applied.tell(sizes) if type(op) is SymbolicFormula else _sizes_of(op))

    def static_at(self, sizes: Sequence[int]) -> Any:
        """Its static arguments at these sizes."""
        if not self.has_sizes:
            return self.static
        return put_together(self.key[1], iter(self.statics(sizes)))
