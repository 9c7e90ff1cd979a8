"""PatternMatcherPass: patterns, and what is done where one is found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from ...autograd.grad_mode import set_grad_enabled
from ...fx import Graph, GraphModule, Node
from ..pass_reports import counters
from .expressions import Match, PatternExpr, _key

__all__ = [
    "PatternEntry",
    "PatternMatcherPass",
    "register_graph_pattern",
    "register_lowering_pattern",
]


def always(match: Match) -> bool:
    """The extra check of patterns that have none."""
    return True


class PatternEntry:
    """A pattern, further conditions of a match, and the action on it: `apply(match, graph, node)`."""

    def __init__(self, pattern: PatternExpr, extra_check: Callable[[Match], bool] = always):
        self.pattern, self.extra_check = pattern, extra_check

    def apply(self, match: Match, graph: Graph, node: Node) -> None:
        """Does it."""
        raise NotImplementedError

    def register(self, pass_dicts: Any, target: Any = None, prepend: bool = False) -> None:
        """Adds it to a pass, or to several."""
        for p in pass_dicts if isinstance(pass_dicts, list | tuple) else [pass_dicts]:
            p.add(self, prepend, target)


class _GraphEntry(PatternEntry):
    """Entry of a pattern whose matches a user's function handles."""

    def __init__(self, pattern: PatternExpr, extra_check: Callable[[Match], bool], handler: Callable):
        super().__init__(pattern, extra_check)
        self.handler = handler

    def apply(self, match: Match, graph: Graph, node: Node) -> None:
        with graph.inserting_before(node):
            self.handler(match, *match.args, **match.kwargs)


class _LoweringEntry(_GraphEntry):
    """A call of a user's function in the pattern's place, when the Graph runs."""

    def apply(self, match: Match, graph: Graph, node: Node) -> None:
        handler = partial(self.handler, match)
        handler.__name__ = getattr(self.handler, "__name__", "lowered")  # type: ignore[attr-defined]
        with graph.inserting_before(node):
            made = graph.call_function(handler, tuple(match.args), dict(match.kwargs))
        made.meta.update(node.meta)
        node.replace_all_uses_with(made)
        match.erase_nodes()


class PatternMatcherPass:
    """Patterns, tried at each node from the last to the first in the order in which they were registered.

    apply(graph or GraphModule) -> how many were replaced

    >>> from functorch_lite.compiler.patterns import CallFunction, KeywordArg, PatternMatcherPass, fwd_only, register_graph_pattern
    >>> found = PatternMatcherPass()
    >>> @register_graph_pattern(CallFunction(torch.neg, CallFunction(torch.neg, KeywordArg("x"))), pass_dict=found)
    ... def twice(match, x):
    ...     match.output_node().replace_all_uses_with(x)
    ...     match.erase_nodes()
    >>> gm = fwd_only(lambda x: (-(-x)).sin(), [torch.ones(2)])
    >>> found.apply(gm)
    1
    """

    def __init__(self, pass_name: str | None = None, subsystem: str | None = None):
        self.pass_name, self.subsystem = pass_name, subsystem
        self.patterns: defaultdict[Any, list[PatternEntry]] = defaultdict(list)
        self.seen_patterns: dict[str, Any] = {}

    def __getitem__(self, target: Any) -> list[PatternEntry]:
        return self.patterns[_key_of(target)]

    def add(self, entry: PatternEntry, prepend: bool = False, target: Any = None) -> None:
        """Adds an entry, for each call that its pattern's root may be; or for calls of `target` alone."""
        keys: Iterable[Any] = getattr(entry.pattern, "keys", ()) if target is None else [_key_of(target)]
        if not keys:
            raise RuntimeError(f"a pattern's root is a call, and {entry.pattern} is none")
        for key in keys:
            self.patterns[key].insert(0 if prepend else len(self.patterns[key]), entry)

    def clear(self) -> None:
        """Forgets all patterns."""
        self.patterns.clear()
        self.seen_patterns.clear()

    def apply(self, gm: Graph | GraphModule) -> int:
        """Replaces what it finds; how many."""
        graph = gm.graph if isinstance(gm, GraphModule) else gm
        count = 0
        for node in reversed(list(graph.nodes)):
            if node._erased or node.op not in ("call_function", "call_method"):
                continue
            for entry in self.patterns.get(_key(node.op, node.target), ()):
                match = entry.pattern.match(node)
                if not isinstance(match, Match) or not _is_whole(match) or not entry.extra_check(match):
                    continue
                count += 1
                counters["inductor"]["pattern_matcher_count"] += 1
                counters["inductor"]["pattern_matcher_nodes"] += len(match.nodes)
                entry.apply(match, graph, node)
                break
        if count and isinstance(gm, GraphModule):
            gm.recompile()
        return count


def _key_of(target: Any) -> Any:
    return _key("call_method" if isinstance(target, str) else "call_function", target)


def _is_whole(match: Match) -> bool:
    """Returns whether no change of grad mode lies between its nodes."""
    cuts = [n for n in match.graph.nodes if n.target is set_grad_enabled]
    if not cuts:
        return True
    first, last = match.nodes[0], match.nodes[-1]
    return not any(first < cut < last for cut in cuts)


def register_graph_pattern(
    pattern: PatternExpr,
    extra_check: Callable[[Match], bool] = always,
    *,
    pass_dict: Any,
    prepend: bool = False,
) -> Callable[[Callable], Callable]:
    """Decorates a function handler(match, *args, **kwargs) that edits the Graph where the pattern is."""

    return _registering(_GraphEntry, pattern, extra_check, pass_dict, prepend)


def register_lowering_pattern(
    pattern: PatternExpr,
    extra_check: Callable[[Match], bool] = always,
    *,
    pass_dict: Any,
    prepend: bool = False,
) -> Callable[[Callable], Callable]:
    """Decorates a function handler(match, *args, **kwargs) of Tensors that computes the pattern's result when the Graph
    runs."""

    return _registering(_LoweringEntry, pattern, extra_check, pass_dict, prepend)


def _registering(kind: type, pattern: PatternExpr, check: Callable, passes: Any, prepend: bool) -> Callable:
    def decorate(handler: Callable) -> Callable:
        kind(pattern, check, handler).register(passes, prepend=prepend)
        return handler

    return decorate
