"""Patterns that are functions: what one function records is replaced by what another does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..._core.api import Tensor
from ...fx import GraphModule, Node
from ..graphs.view import SWITCHES
from .expressions import (
    CallFunction,
    CallMethod,
    ExclusiveKeywordArg,
    Ignored,
    KeywordArg,
    Match,
    MultiOutputPattern,
    PatternExpr,
)
from .matcher import PatternEntry, always
from .tracing import example_of, names_of

__all__ = ["fx_to_pattern", "gen_pattern", "register_replacement"]


def fx_to_pattern(
    gm: GraphModule,
    ignore_types: Sequence[type] = (),
    argnames: Sequence[str] = (),
    scalar_workaround: Mapping[str, float | int] | None = None,
    exclusive_arg_names: Sequence[str] = (),
) -> PatternExpr:
    """The pattern of a GraphModule. argnames: of its inputs; plain arguments of `ignore_types` may be any; a number of
    scalar_workaround's stands for the argument of that name."""
    numbers = {value: name for name, value in (scalar_workaround or {}).items()}
    names = iter(argnames)
    env: dict[Node, Any] = {}

    def plain(x: Any) -> Any:
        if isinstance(x, Node):
            return env[x]
        if isinstance(x, list | tuple):
            return type(x)([plain(y) for y in x])
        if type(x) in (int, float) and x in numbers and type(x) is type(next(v for v in numbers if v == x)):
            return KeywordArg(numbers[x])
        return Ignored() if type(x) in ignore_types else x

    for node in gm.graph.nodes:
        if node.op == "placeholder":
            name = next(names, node.name)
            env[node] = (ExclusiveKeywordArg if name in exclusive_arg_names else KeywordArg)(name)
        elif node.op == "output":
            outs = [env[o] for o in node.args[0]]
            return outs[0] if len(outs) == 1 else MultiOutputPattern(outs)
        elif node.target in SWITCHES:
            raise NotImplementedError(
                "a pattern under no_grad: leave no_grad out, and register the pattern for inference"
            )
        else:
            kind = CallMethod if node.op == "call_method" else CallFunction
            args, kwargs = plain(list(node.args)), {k: plain(v) for k, v in node.kwargs.items()}
            env[node] = kind(node.target, *args, _users=len(node.users), **kwargs)
    raise AssertionError("a graph without an output")


def gen_pattern(
    search_fn: Callable,
    example_inputs: Sequence[Any],
    trace_fn: Callable,
    scalar_workaround: Mapping[str, float | int] | None = None,
    exclusive_arg_names: Sequence[str] = (),
) -> PatternExpr:
    """The pattern of what search_fn records for example inputs, whatever their sizes are.

    scalar_workaround: for arguments that are numbers, by name, a number of each that stands nowhere else in the
    function.
    """
    names = names_of(search_fn)
    numbers = dict(scalar_workaround or {})
    tensors = [n for n in names if n not in numbers]
    given = dict(zip(tensors, example_inputs))
    gm = trace_fn(search_fn, [numbers[n] if n in numbers else given[n] for n in names])
    return fx_to_pattern(gm, (int,), tensors, numbers, exclusive_arg_names)


class _Replacement(PatternEntry):
    """Entry of a pattern that `register_replacement` registers."""

    def __init__(
        self, pattern: PatternExpr, search_fn: Callable, replace_fn: Callable, trace_fn: Callable, extra_check: Callable,
        exclusive: Sequence[str], numbers: Sequence[str],
    ):  # fmt: skip
        super().__init__(pattern, self._check)
        self.search_fn, self.replace_fn, self.trace_fn = search_fn, replace_fn, trace_fn
        self.users_check, self.exclusive, self.numbers = extra_check, exclusive, numbers
        self._names = names_of(search_fn)

    def _check(self, match: Match) -> bool:
        """Returns whether the function, traced with the real shapes, dtypes and numbers, is exactly the matched code."""
        if any(n not in match.kwargs for n in self._names):
            return False
        given = [match.kwargs[n] for n in self._names]
        if any(isinstance(x, Node) and not isinstance(x.meta.get("val"), Tensor) for x in given):
            return False
        if any(isinstance(match.kwargs[n], Node) for n in self.numbers):
            return False
        try:
            gm = self.trace_fn(self.search_fn, [example_of(x) for x in given])
        except (RuntimeError, ValueError, TypeError, IndexError):
            return False  # it takes other shapes or dtypes
        tensors = [n for n, x in zip(self._names, given) if isinstance(x, Node)]
        exact = fx_to_pattern(gm, (), tensors, None, self.exclusive)
        found = exact.match(match.output_node())
        if not isinstance(found, Match) or list(found.output_nodes()) != list(match.output_nodes()):
            return False
        found.kwargs |= {n: x for n, x in zip(self._names, given) if not isinstance(x, Node)}
        if any(not _is_same_node(found.kwargs[n], match.kwargs[n]) for n in self._names):
            return False
        match.nodes, match.args, match.kwargs = found.nodes, found.args, found.kwargs
        if not self.users_check(match):
            return False
        match.replacement_graph = self.trace_fn(self.replace_fn, self._for_replacement(match, example_of))
        return _has_same_results(match, match.replacement_graph)

    def _for_replacement(self, match: Match, of: Callable[[Any], Any]) -> list[Any]:
        return [of(match.kwargs[n]) for n in names_of(self.replace_fn)]

    def apply(self, match: Match, graph: Any, node: Node) -> None:
        assert match.replacement_graph is not None
        match.replace_with_graph(match.replacement_graph, self._for_replacement(match, lambda x: x))


def _is_same_node(a: Any, b: Any) -> bool:
    return a is b or (not isinstance(a, Node) and not isinstance(b, Node) and repr(a) == repr(b))


def _has_same_results(match: Match, gm: GraphModule) -> bool:
    """Returns whether a replacement gives results of the same shapes and dtypes: what follows relies on them."""
    (out,) = gm.graph.find_nodes(op="output")
    outs, old = out.args[0], match.output_nodes()
    if len(outs) != len(old):
        return False
    for new, node in zip(outs, old):
        if node is None or not isinstance(new, Node):
            continue
        a, b = new.meta.get("val"), node.meta.get("val")
        if not isinstance(a, Tensor) or not isinstance(b, Tensor) or a.shape != b.shape or a.dtype != b.dtype:
            return False
    return True


def register_replacement(
    search_fn: Callable,
    replace_fn: Callable,
    example_inputs: Sequence[Any],
    trace_fn: Callable,
    pass_dicts: Any,
    extra_check: Callable[[Match], bool] = always,
    scalar_workaround: Mapping[str, float | int] | None = None,
    exclusive_arg_names: Sequence[str] = (),
    search_fn_pattern: PatternExpr | None = None,
    skip_duplicates: bool = False,
) -> bool:
    """Registers that what search_fn does is to be done by replace_fn, and gives whether it did.

    A match of the pattern, which has no sizes, is traced again with the actual sizes, dtypes and numbers, and
    replaced only if it is exactly that and `extra_check(match)` agrees. The two functions have the same parameters.

    Args:
        example_inputs: of search_fn, but for the numbers of scalar_workaround
        trace_fn: `fwd_only` or `joint_fwd_bwd`
        pass_dicts: a PatternMatcherPass, or several
        scalar_workaround: numbers among the parameters, by name, with an example of each that stands nowhere else
        exclusive_arg_names: parameters whose values nothing else may read
        search_fn_pattern: the pattern, if it is known already
        skip_duplicates: a pattern that is registered already is not an error

    >>> from functorch_lite.compiler.patterns import PatternMatcherPass, fwd_only, register_replacement
    >>> silu = PatternMatcherPass()
    >>> F = torch.nn.functional
    >>> register_replacement(lambda x: x * torch.sigmoid(x), lambda x: F.silu(x), [torch.ones(2)], fwd_only, silu)
    True
    >>> gm = fwd_only(lambda x: torch.sigmoid(x + 1) * (x + 1), [torch.ones(3, 4)])
    >>> silu.apply(gm)
    1
    """
    pattern = search_fn_pattern or gen_pattern(
        search_fn, example_inputs, trace_fn, scalar_workaround, exclusive_arg_names
    )
    passes = pass_dicts if isinstance(pass_dicts, list | tuple) else [pass_dicts]
    text = repr(pattern)
    for p in passes:
        if text in p.seen_patterns:
            if skip_duplicates:
                return False
            raise RuntimeError(f"Duplicate pattern: {text} is registered already")
    for p in passes:
        p.seen_patterns[text] = search_fn
    _Replacement(
        pattern,
        search_fn,
        replace_fn,
        trace_fn,
        extra_check,
        exclusive_arg_names,
        list(scalar_workaround or ()),
    ).register(pass_dicts)
    return True
