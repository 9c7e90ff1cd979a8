"""Nodes of the tape that do more than plain ones, and walks over it that see more: what `graph` and `anomaly` are made
of.

While anything here is switched on, `apply` makes a WatchedNode for each op that is taped, instead of a Node; otherwise
nothing here is on anybody's path. A thread's modes are in `modes`.
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from .._core.api import Leaf, Tensor, Value, is_ours, make_tensor, read, state
from .._core.lazy import apply as applying
from .._core.lazy import gradients
from .._core.lazy.gradients import TensorEngine, ValueEngine
from .._core.lazy.tape import Node, run_backward

__all__ = ["Task", "Walk", "WatchedNode", "modes", "unwatch", "user_stack", "walk", "watch"]


class _Modes(threading.local):
    """Modes that a thread has switched on."""

    def __init__(self):
        self.hooks: list[tuple[Callable, Callable]] = []
        self.disabled: list[str] = []
        self.may_change = False
        self.task: Task | None = None
        self.walk: Walk | None = None


class Walk:
    """A backward() or grad() that is going on: whether it is after certain gradients only."""

    __slots__ = ("has_targets",)

    def __init__(self, has_targets: bool):
        self.has_targets = has_targets


modes = _Modes()
anomaly = {"enabled": False, "check_nan": True}
"""Anomaly mode, of all threads as in torch."""

_watching = 0
_lock = threading.Lock()


def watch() -> None:
    """From now on ops are taped as WatchedNodes, until as many calls of `unwatch`."""
    global _watching
    with _lock:
        _watching += 1
        applying.Node = WatchedNode  # type: ignore[misc]


def unwatch() -> None:
    """Takes back one `watch`."""
    global _watching
    with _lock:
        _watching -= 1
        if not _watching:
            applying.Node = Node  # type: ignore[misc]


_IN_PLACE = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be modified by in-place "
    "operations as this can lead to unexpected side-effects. Please open an issue if you need to perform in-place operations on the "
    "input to a pack hook."
)


class WatchedNode(Node):
    """A Node that packs what it saves, does not mind in-place writes, or remembers the lines that made it: by the modes
    it is made in."""

    packing: tuple[Callable, Callable] | None = None
    may_change = False
    trace: list[str] | None = None
    _kept: Sequence[Any] = ()

    @property
    def session(self):  # type: ignore[override]
        """The tape it is on."""
        return self._session

    @session.setter
    def session(self, session) -> None:
        # Every node is given its session when it is made, whether or not __init__ runs: the modes are looked at here.
        self._session = session
        session.regular = (
            False  # what it does is not in the trie: a backward over it is walked, never replayed
        )
        if modes.hooks and not state.rec.level:
            self.packing = modes.hooks[-1]
        self.may_change = modes.may_change
        if anomaly["enabled"]:
            self.trace = user_stack()

    @property
    def saved(self) -> Sequence[Any]:  # type: ignore[override]
        """Values that the derivative reads, unpacked."""
        if self.packing is None:
            return self._kept
        unpack = self.packing[1]
        return tuple([_unpacked(unpack, *x) if type(x) is tuple else x for x in self._kept])

    @saved.setter
    def saved(self, values: Sequence[Any]) -> None:
        if self.packing is None or not values:
            self._kept = values
            return
        pack = self.packing[0]
        plan = self.step.taped
        self._kept = tuple([self._packed(pack, i, v) for i, v in zip(plan.saved, values)])

    def _packed(self, pack: Callable, i: int, v: Any) -> Any:
        if type(v) is not Value or v.aval.weak:
            return v
        t = make_tensor(v, state.rec.level, self.edge_of(i))
        here = state.here
        grad, here.grad = here.grad, False
        try:
            kept = pack(t)
        finally:
            here.grad = grad
        if t._cell.version:
            raise RuntimeError(_IN_PLACE)
        return kept, v.aval

    def check_usable(self) -> None:
        if self.may_change:
            cells, self.cells = self.cells, ()
            try:
                super().check_usable()
            finally:
                self.cells = cells
        else:
            super().check_usable()

    def release(self) -> None:
        self.packing = None  # what is thrown away is not unpacked
        super().release()


def _unpacked(unpack: Callable, kept: Any, aval) -> Value:
    t = unpack(kept)
    if not isinstance(t, Tensor):
        raise TypeError(
            f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(t).__name__}"
        )
    if t._aval is not aval:
        raise RuntimeError(
            f"saved tensor unpack_hook returned a tensor {t._aval} on {t._aval.device} for one that was {aval} on {aval.device}"
        )
    return read(t)


def user_stack() -> list[str]:
    """The lines of the user's code that are running, as a traceback has them."""
    frames = traceback.extract_stack(sys._getframe(2))
    mine = [f for f in frames if not is_ours(f.filename)]
    return traceback.format_list(traceback.StackSummary.from_list(mine))


# -- walks -----------------------------------------------------------------------------------------------------------

multi_hooks = 0
"""How many hooks on several tensors there are: they need to know which tensors a walk will reach."""


class checking:
    """Slot of the engine that anomaly mode looks at gradients with: `engine(of)`; set by `anomaly.py`."""

    engine: Callable[[Any], Any]


class Task:
    """One walk over the tape: which edges it reaches."""

    def __init__(self, starts: Sequence, targets: Sequence | None):
        self.edges: set[tuple[int, int]] = set()
        self.targets = None if targets is None else {id(t[0]) for t in targets}
        nodes: dict[int, Any] = {}
        parents: dict[int, list[int]] = {}
        todo = list(starts)
        while todo:
            node, out = todo.pop()
            self.edges.add((id(node), out))
            if id(node) in nodes:
                continue
            nodes[id(node)] = node
            for edge in () if type(node) is Leaf else node.edges:
                parents.setdefault(id(edge[0]), []).append(id(node))
                todo.append(edge)
        if self.targets is None:
            self.useful = set(nodes)
        else:
            self.useful = set()
            stack = [t for t in self.targets if t in nodes]
            while stack:
                at = stack.pop()
                if at not in self.useful:
                    self.useful.add(at)
                    stack += parents.get(at, ())
        self.nodes = [
            n for i, n in nodes.items() if i in self.useful and type(n) is not Leaf and self._is_walked(n)
        ]

    def _is_walked(self, node: Any) -> bool:
        """Returns whether the walk goes on behind a node, and uses it up."""
        return self.targets is None or any(id(e[0]) in self.useful for e in node.edges)

    def reaches(self, edge) -> bool:
        """Returns whether a gradient for this edge comes up in the walk."""
        return (id(edge[0]), edge[1]) in self.edges and id(edge[0]) in self.useful


def walk(
    roots: Sequence, keep_graph: bool, create_graph: bool, targets: Sequence | None = None, accumulate: bool = False
) -> list:  # fmt: skip
    """`gradients.backward`, seen by hooks on several tensors and by anomaly mode when there are any."""
    outer, modes.walk = modes.walk, Walk(targets is not None)
    try:
        if not multi_hooks and not anomaly["enabled"]:
            return gradients.backward(roots, keep_graph, create_graph, targets, accumulate)
        before = modes.task
        modes.task = Task([r._edge for r, _ in roots], targets)
        try:
            if anomaly["enabled"]:
                return _checked_backward(roots, keep_graph, create_graph, targets)
            return gradients.backward(roots, keep_graph, create_graph, targets, accumulate)
        finally:
            modes.task = before
    finally:
        modes.walk = outer


def _checked_backward(roots, keep_graph: bool, create_graph: bool, targets) -> list:
    engine = checking.engine(TensorEngine if create_graph else ValueEngine)
    here = state.here
    grad, here.grad = here.grad, create_graph
    try:
        results = run_backward(gradients.starts(roots, engine), engine, keep_graph, targets)
        return [None if r is None else engine.to_tensor(r) for r in results]
    finally:
        here.grad = grad
