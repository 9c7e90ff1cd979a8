"""Expressions, of which a pattern is made, and the Match that comes of matching one to a node of a Graph.

An expression stands for a value: a call of some function, or anything at all under a name. A function, a method and an
operator that apply one op are the same call, whatever arguments were left out or given by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..._core.api import Op, traits
from ...fx import Graph, GraphModule, Node
from ..graphs.calls import arguments, op_called
from .tracing import example_of, fwd_only

__all__ = [
    "MULTIPLE", "Arg", "CallFunction", "CallFunctionVarArgs", "CallMethod", "ExclusiveKeywordArg", "FailedMatch", "Ignored", "KeywordArg",
    "ListOf", "Match", "MultiOutputPattern", "PatternExpr", "RepeatedExpr", "is_match",
]  # fmt: skip


class _Multiple:
    def __repr__(self) -> str:
        return "MULTIPLE"


MULTIPLE = _Multiple()
"""Value of `_users` for a step that others may read too."""


class FailedMatch(RuntimeError):
    """Reason why a match failed. It is false."""

    def __bool__(self) -> bool:
        return False


def is_match(m: Match | FailedMatch) -> bool:
    """Returns whether it is one."""
    return bool(m)


class _State:
    """State of a match: what was found so far. `bound`: the node of an expression, by its id: an expression that
    occurs twice in a pattern is one node."""

    __slots__ = ("args", "bound", "exclusive", "kwargs", "nodes", "outputs")

    def __init__(self) -> None:
        self.args: list[Any] = []
        self.kwargs: dict[str, Any] = {}
        self.nodes: list[Node] = []
        self.bound: dict[int, Node] = {}
        self.exclusive: list[Node] = []
        self.outputs: list[Node | None] = []

    def copy(self) -> _State:
        """Copies the state, to be gone on from in another way."""
        made = _State()
        made.args, made.kwargs, made.nodes = list(self.args), dict(self.kwargs), list(self.nodes)
        made.bound, made.exclusive, made.outputs = dict(self.bound), list(self.exclusive), list(self.outputs)
        return made

    def take(self, other: _State) -> None:
        """Becomes another."""
        for slot in self.__slots__:
            setattr(self, slot, getattr(other, slot))

    def name(self, name: str, value: Any) -> str:
        """Notes what a name stands for; "" or why it cannot."""
        if name in self.kwargs and not _is_same(self.kwargs[name], value):
            return f"{name} is {self.kwargs[name]} and {value}"
        self.kwargs[name] = value
        return ""


def _is_same(a: Any, b: Any) -> bool:
    if isinstance(a, Node) or isinstance(b, Node):
        return a is b
    return type(a) is type(b) and repr(a) == repr(b)


class Match:
    """Place of a pattern in a Graph.

    args, kwargs  what its `Arg`s (in order) and `KeywordArg`s stand for: nodes, or numbers and other plain arguments
    nodes         the nodes that the pattern's calls are, in the order of the Graph
    """

    def __init__(self, pattern: PatternExpr, state: _State, graph: Graph):
        self.pattern, self.graph = pattern, graph
        self.args: list[Any] = state.args
        self.kwargs: dict[str, Any] = state.kwargs
        self.nodes: list[Node] = sorted(dict.fromkeys(state.nodes))
        self._outputs = state.outputs
        self.replacement_graph: GraphModule | None = None

    def __repr__(self) -> str:
        return f"Match(..., {self.args}, {self.kwargs})"

    def output_nodes(self) -> list[Node | None]:
        """The nodes of the pattern's outputs."""
        return list(self._outputs)

    def output_node(self) -> Node:
        """The node of the first output."""
        return next(n for n in self._outputs if n is not None)

    def erase_nodes(self) -> None:
        """Removes its nodes that are not read from the Graph."""
        for node in reversed(self.nodes):
            if not node.users and not node._erased:
                self.graph.erase_node(node)

    def replace_by_example(
        self,
        replacement_fn: Callable,
        args: Sequence[Any],
        trace_fn: Callable | None = None,
        run_functional_passes: bool = True,
    ) -> None:
        """Puts what replacement_fn records for `args` (nodes and plain arguments) in the pattern's place."""
        made = (trace_fn or fwd_only)(replacement_fn, [example_of(x) for x in args])
        self.replace_with_graph(made, args)

    def replace_with_graph(self, replacement_graph: GraphModule, args: Sequence[Any]) -> None:
        """Replaces the pattern by a GraphModule, called with the members of `args` that are nodes."""
        outputs = [n for n in self._outputs if n is not None]
        before = min(outputs)
        nodes = [x for x in args if isinstance(x, Node)]
        late = [x for x in nodes if not x < before]
        if late:
            raise RuntimeError(f"{late[0]} is computed after {before}, which it would replace")
        given, env = iter(nodes), {}
        trace = before.meta.get("stack_trace")
        with self.graph.inserting_before(before):
            for node in replacement_graph.graph.nodes:
                if node.op == "placeholder":
                    env[node] = next(given)
                elif node.op == "output":
                    results = node.args[0]
                else:
                    env[node] = self.graph.node_copy(node, lambda n: env[n])
                    if trace is not None:
                        env[node].meta["stack_trace"] = trace
        for old, new in zip(self._outputs, results):
            if old is not None:
                old.replace_all_uses_with(env[new])
        self.erase_nodes()


class PatternExpr:
    """An expression. `match(node)` gives a Match or, false, a FailedMatch."""

    def match(self, node: Node) -> Match | FailedMatch:
        """Matches the expression, as the pattern's root, to a node."""
        state = _State()
        why = self._root(node, state)
        if why:
            return FailedMatch(why)
        inside = set(state.nodes)
        for shared in state.exclusive:
            if not inside.issuperset(shared.users):
                return FailedMatch(f"{shared} is read elsewhere too")
        return Match(self, state, node.graph)

    def _root(self, node: Node, state: _State) -> str:
        state.outputs = [node]
        return self._match(node, state, True)

    def _match(self, value: Any, state: _State, root: bool = False) -> str:
        """ "" or why it does not match; what was found is added to the state."""
        raise NotImplementedError

    @property
    def fns(self) -> list[Any]:
        """The functions that the pattern's root may be a call of."""
        return []

    def __repr__(self) -> str:
        return type(self).__name__ + "()"


class Arg(PatternExpr):
    """Anything; it becomes one of `Match.args`."""

    def _match(self, value: Any, state: _State, root: bool = False) -> str:
        state.args.append(value)
        return ""


class Ignored(PatternExpr):
    """Anything, of which nothing is kept."""

    def _match(self, value: Any, state: _State, root: bool = False) -> str:
        return ""

    def __repr__(self) -> str:
        return "*"


class KeywordArg(PatternExpr):
    """Matches anything, the same wherever the name occurs; it becomes one of `Match.kwargs`."""

    def __init__(self, name: str):
        self.name = name

    def _match(self, value: Any, state: _State, root: bool = False) -> str:
        return state.name(self.name, value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class ExclusiveKeywordArg(KeywordArg):
    """A `KeywordArg` whose node nothing outside of the match reads."""

    def _match(self, value: Any, state: _State, root: bool = False) -> str:
        if isinstance(value, Node):
            state.exclusive.append(value)
        return super()._match(value, state)


def _key(kind: str, target: Any) -> Any:
    """Returns a key that is equal for equal calls."""
    op = op_called(kind, target)
    if op is None:
        return target
    return op if isinstance(op, Op) else op.name


class _Call(PatternExpr):
    _kind = "call_function"

    def __init__(self, fns: Any, *args: Any, _users: Any = 1, **kwargs: Any):
        self._fns = list(fns) if isinstance(fns, list | tuple) else [fns]
        self.args, self.kwargs, self.users = args, kwargs, _users
        self._keys = [_key("call_method" if isinstance(f, str) else "call_function", f) for f in self._fns]

    @property
    def fns(self) -> list[Any]:
        return self._fns

    @property
    def keys(self) -> list[Any]:
        """Keys of the calls that this expression may be."""
        return self._keys

    def _is_call(self, node: Any, root: bool) -> str:
        if not isinstance(node, Node) or node.op not in ("call_function", "call_method"):
            return f"{node} is no call"
        if _key(node.op, node.target) not in self._keys:
            return f"{node} calls {node.target}"
        if not root and self.users is not MULTIPLE and len(node.users) != self.users:
            return f"{node} has {len(node.users)} users"
        return ""

    def _match(self, value: Any, state: _State, root: bool = False) -> str:
        bound = state.bound.get(id(self))
        if bound is not None:
            return "" if bound is value else f"{value} is not {bound}"
        why = self._is_call(value, root)
        if why:
            return why
        state.bound[id(self)] = value
        state.nodes.append(value)
        return self._inputs(value, state)

    def _inputs(self, node: Node, state: _State) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        names = [f if isinstance(f, str) else getattr(f, "__name__", repr(f)) for f in self._fns]
        rest = "".join([f", {a!r}" for a in self.args] + [f", {k}={v!r}" for k, v in self.kwargs.items()])
        return f"{type(self).__name__}({names[0] if len(names) == 1 else names}{rest})"


class CallFunction(_Call):
    """A call of one of some functions with these arguments, which are expressions, or plain arguments that are to be
    equal.

    _users: how many nodes read the result, or MULTIPLE; of the pattern's outputs it is not asked. Operands of a sum,
    a product or a comparison for equality may be swapped.
    """

    def _inputs(self, node: Node, state: _State) -> str:
        theirs = arguments(node.op, node.target, node.args, node.kwargs)
        if theirs is None:
            return f"{node} is called in a way of its own"
        called = next(f for f, k in zip(self._fns, self._keys) if k == _key(node.op, node.target))
        mine = arguments(
            "call_method" if isinstance(called, str) else "call_function", called, self.args, self.kwargs
        )
        if mine is None or len(mine) != len(theirs):
            return f"{node} has other arguments"
        tried = state.copy()
        why = _all(mine, theirs, tried)
        if why and len(mine) >= 2 and _commutes(node):
            tried = state.copy()
            why = _all([mine[1], mine[0], *mine[2:]], theirs, tried)
        if not why:
            state.take(tried)
        return why


class CallMethod(CallFunction):
    """A `CallFunction` of a method, by its name."""


class CallFunctionVarArgs(_Call):
    """A call of one of some functions with whatever arguments; they become `Match.args` and `Match.kwargs`."""

    def _inputs(self, node: Node, state: _State) -> str:
        state.args.extend(node.args)
        for name, value in node.kwargs.items():
            if why := state.name(name, value):
                return why
        return ""


def _commutes(node: Node) -> bool:
    op = op_called(node.op, node.target)
    return isinstance(op, Op) and traits.commutes(op) and all(isinstance(a, Node) for a in node.args[:2])


def _all(mine: Sequence[Any], theirs: Sequence[Any], state: _State) -> str:
    for m, t in zip(mine, theirs):
        if why := _one(m, t, state):
            return why
    return ""


def _one(mine: Any, theirs: Any, state: _State) -> str:
    if isinstance(mine, PatternExpr):
        return mine._match(theirs, state)
    if isinstance(mine, list | tuple) and isinstance(theirs, list | tuple):
        return _all(mine, theirs, state) if len(mine) == len(theirs) else "sequences of other lengths"
    return "" if _is_equal(mine, theirs) else f"{theirs!r} is not {mine!r}"


def _is_equal(a: Any, b: Any) -> bool:
    """Compares plain arguments: 2 equals 2.0, as in arithmetic, but 0.0 does not equal -0.0."""
    if isinstance(a, bool) or isinstance(b, bool) or not (_is_number(a) and _is_number(b)):
        return a is b or (type(a) is type(b) and repr(a) == repr(b))
    return (
        a == b and repr(float(a)) == repr(float(b))
        if not isinstance(a, complex) and not isinstance(b, complex)
        else a == b
    )


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float | complex)


class ListOf(PatternExpr):
    """A list of which each element matches; what it names becomes a list of what was found. partial: elements that do
    not match are left out."""

    def __init__(self, pattern: PatternExpr, partial: bool = False):
        self.pattern, self.partial = pattern, partial

    def _match(self, value: Any, state: _State, root: bool = False) -> str:
        if not isinstance(value, list | tuple) or not value:
            return f"{value!r} is no list"
        found = []
        for x in value:
            one = _State()
            one.bound = {}
            if why := self.pattern._match(x, one):
                if self.partial:
                    continue
                return why
            found.append(one)
        if not found:
            return "nothing in the list matches"
        for one in found:
            state.nodes += one.nodes
            state.exclusive += one.exclusive
        if found[0].args:
            state.args.append([one.args for one in found])
        for name in found[0].kwargs:
            if why := state.name(name, [one.kwargs[name] for one in found]):
                return why
        return ""

    def __repr__(self) -> str:
        return f"ListOf({self.pattern!r})"


class RepeatedExpr(PatternExpr):
    """An expression that may occur several times in the Graph, with the same values: all occurrences belong to the
    match."""

    def __init__(self, inner_pattern: _Call):
        self.inner = inner_pattern

    @property
    def fns(self) -> list[Any]:
        return self.inner.fns

    @property
    def keys(self) -> list[Any]:
        """Keys of the calls that this expression may be."""
        return self.inner.keys

    def _match(self, value: Any, state: _State, root: bool = False) -> str:
        if why := self.inner._match(value, state, root):
            return why
        for node in value.graph.nodes:
            if node in state.nodes or self.inner._is_call(node, True):
                continue
            again = state.copy()
            for expr in _within(self.inner):
                again.bound.pop(id(expr), None)
            if not self.inner._match(node, again, True):
                again.args = state.args
                again.bound = state.bound
                state.take(again)
        return ""

    def __repr__(self) -> str:
        return f"RepeatedExpr({self.inner!r})"


def _within(expr: Any) -> Iterator[Any]:
    """An expression and all in it."""
    if isinstance(expr, PatternExpr):
        yield expr
    if isinstance(expr, _Call):
        for x in (*expr.args, *expr.kwargs.values()):
            yield from _within(x)
    elif isinstance(expr, list | tuple):
        for x in expr:
            yield from _within(x)
    elif isinstance(expr, ListOf):
        yield from _within(expr.pattern)


class MultiOutputPattern(PatternExpr):
    """Several expressions at once, which share what they are made of.

    The first is matched to the node; the others to nodes that read what it does."""

    def __init__(self, outputs: Sequence[PatternExpr | None]):
        self.outputs = list(outputs)

    @property
    def fns(self) -> list[Any]:
        return self._first.fns

    @property
    def keys(self) -> list[Any]:
        """Keys of the calls that this expression may be."""
        return self._first.keys  # type: ignore[attr-defined]

    @property
    def _first(self) -> PatternExpr:
        return next(o for o in self.outputs if o is not None)

    def _root(self, node: Node, state: _State) -> str:
        return self._match(node, state, True)

    def _match(self, value: Any, state: _State, root: bool = False) -> str:
        if why := self._first._match(value, state, True):
            return why
        found: list[Node | None] = []
        is_first = True
        for expr in self.outputs:
            if expr is None:
                found.append(None)
            elif is_first:
                found.append(value)
                is_first = False
            else:
                node = self._find(expr, state)
                if node is None:
                    return f"there is no {expr}"
                found.append(node)
        state.outputs = found
        return ""

    def _find(self, expr: PatternExpr, state: _State) -> Node | None:
        bound = state.bound.get(id(expr))
        if bound is not None:
            return bound
        inputs = [x for x in (*state.kwargs.values(), *state.args) if isinstance(x, Node)]
        todo = list(dict.fromkeys([u for n in (*state.nodes, *inputs) for u in n.users]))
        seen: set[Node] = set()
        while todo:
            node = todo.pop(0)
            if node in seen:
                continue
            seen.add(node)
            tried = state.copy()
            if not expr._match(node, tried, True):
                state.take(tried)
                return node
            if isinstance(expr, _Call) and len(seen) < 64:
                todo += list(node.users)
        return None

    def __repr__(self) -> str:
        return f"MultiOutputPattern({self.outputs!r})"
