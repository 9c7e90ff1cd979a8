"""SubgraphMatcher: finds the places of a Graph that look like another."""

from __future__ import annotations

import copy
import logging
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from ...._core.api import Tensor
from ....api_names import listed
from ...graph import Graph
from ...node import Node

__all__ = ["InternalMatch", "SubgraphMatcher"]
__dir__ = listed(__name__, "Graph", "Node", "logger")

logger = logging.getLogger(__name__)


@dataclass
class InternalMatch:
    """One place that matches.

    Attributes:
        anchors: the Nodes of the pattern at which the search began: those that are returned.
        nodes_map: from the pattern's Nodes, and its literals with `ignore_literals`, to those of the Graph.
        placeholder_nodes: the Graph's Nodes for the pattern's inputs, in order.
        returning_nodes: the Graph's Nodes for what the pattern returns.
    """

    anchors: list[Node]
    nodes_map: dict[Node, Node] = field(default_factory=dict)
    placeholder_nodes: list[Node] = field(default_factory=list)
    returning_nodes: list[Node] = field(default_factory=list)
    name_node_map: dict[str, Node] = field(default_factory=dict)

    def __copy__(self) -> InternalMatch:
        return InternalMatch(
            anchors=self.anchors, nodes_map=self.nodes_map.copy(), placeholder_nodes=self.placeholder_nodes.copy(),
            returning_nodes=self.returning_nodes.copy(), name_node_map=self.name_node_map.copy(),
        )  # fmt: skip


def _get_attr(model: Any, name: str) -> Any:
    found = model
    for part in name.split("."):
        found = getattr(found, part)
    return found


class SubgraphMatcher:
    """Finds a pattern in Graphs.

    Args:
        pattern: a Graph with inputs and one output. Inputs match any Node; the other Nodes by op and target, and by
            arguments.
        match_output: whether the pattern's output has to match the Graph's.
        match_placeholder: whether its inputs have to match the Graph's.
        remove_overlapping_matches: whether of matches that share Nodes only the first is kept.
        ignore_literals: whether numbers and strings match any others.

    A Node that is not returned must have no reader outside of the match, since it goes away when the match is replaced.
    """

    def __init__(
        self,
        pattern: Graph,
        match_output: bool = False,
        match_placeholder: bool = False,
        remove_overlapping_matches: bool = True,
        ignore_literals: bool = False,
    ) -> None:
        self.pattern = pattern
        self.match_output, self.match_placeholder = match_output, match_placeholder
        self.remove_overlapping_matches, self.ignore_literals = remove_overlapping_matches, ignore_literals
        if len(pattern.nodes) == 0:
            raise ValueError("SubgraphMatcher cannot be initialized with an empty pattern")
        for node in pattern.nodes:
            if node.op != "output" and not node.is_impure() and not node.users:
                raise AssertionError("SubgraphMatcher cannot be initialized with an pattern with dead code")
        self.pattern_placeholder_nodes = [n for n in pattern.nodes if n.op == "placeholder"]
        output = next(iter(reversed(pattern.nodes)))
        self.pattern_returning_nodes = output.all_input_nodes
        self.pattern_anchors: list[Node] = []
        if match_output:
            self.pattern_anchors = [output]
        else:  # what nothing but the output reads
            self.pattern_anchors = [n for n in output.all_input_nodes if len(n.users) == 1]

    def _match_attributes(self, pn: Node, gn: Node) -> bool:
        """Returns whether two `get_attr` Nodes stand for members of the same kind."""
        ours, theirs = (_get_attr(n.graph.owning_module, n.target) for n in (pn, gn))
        if isinstance(ours, Tensor):
            return isinstance(theirs, Tensor)
        return type(ours) is type(theirs) if hasattr(ours, "__class__") else False

    def _nodes_are_equal(self, pn: Node, gn: Node, node_name_match: str = "") -> bool:
        if not self.match_placeholder and pn.op == "placeholder":
            return True
        if node_name_match and node_name_match in gn.name:
            return True
        if pn.op != gn.op:
            return False
        if pn.op in ("placeholder", "output"):
            return True
        if pn.op == "get_attr":
            return self._match_attributes(pn, gn)
        return pn.target == gn.target

    def _is_contained(self, nodes_map: dict[Node, Node]) -> bool:
        """Returns whether nothing outside of a match reads what is inside of it, but what it returns."""
        inside = {gn: pn for pn, gn in nodes_map.items() if isinstance(pn, Node) and pn.op != "placeholder"}
        for gn, pn in inside.items():
            if pn in self.pattern_returning_nodes or gn.op == "get_attr":
                continue
            if any(user not in inside for user in gn.users):
                return False
        return True

    def _remove_overlapping_matches(self, matches: list[InternalMatch]) -> list[InternalMatch]:
        kept: list[InternalMatch] = []
        taken: set[Node] = set()
        for match in matches:
            nodes = {
                gn for pn, gn in match.nodes_map.items()
                if isinstance(gn, Node) and isinstance(pn, Node) and pn.op not in ("placeholder", "output", "get_attr")
            }  # fmt: skip
            if not nodes & taken:
                kept.append(match)
                taken |= nodes
        return kept

    def _match_literals(self, pn: Any, gn: Any, match: InternalMatch) -> bool:
        if isinstance(pn, Node) and isinstance(gn, Node):
            raise AssertionError("pn and gn cannot both be Node")
        if isinstance(pn, Node):  # an input of the pattern, for which the Graph has a literal
            if pn.op != "placeholder":
                return False
            if pn in match.nodes_map:
                return match.nodes_map[pn] == gn
            match.nodes_map[pn] = gn
            return True
        if isinstance(gn, Node):
            return False
        if self.ignore_literals:
            return True
        return type(gn) is type(pn) and gn == pn if not isinstance(gn, Tensor) else gn is pn

    def _match_nodes(self, pn: Node, gn: Node, match: InternalMatch, node_name_match: str = "") -> bool:
        """Matches two Nodes and what they read; notes it in `match`, which is left as it was where they do not
        match."""
        if pn in match.nodes_map:
            return match.nodes_map[pn] == gn
        if gn in match.nodes_map.values():
            return False
        if not self._nodes_are_equal(pn, gn, node_name_match):
            return False
        saved = copy.copy(match)
        match.nodes_map[pn] = gn
        if pn.op == "placeholder":
            return True
        if self._match_arguments(pn, gn, match, node_name_match):
            return True
        match.nodes_map, match.name_node_map = saved.nodes_map, saved.name_node_map
        return False

    def _match_arguments(self, pn: Node, gn: Node, match: InternalMatch, node_name_match: str) -> bool:
        pn_args, gn_args = pn.args, gn.args
        pn_kwargs, gn_kwargs = dict(pn.kwargs), dict(gn.kwargs)
        if len(pn_args) != len(gn_args) or set(pn_kwargs) != set(gn_kwargs):
            # the same arguments, given by name in one and by position in the other
            ours = pn.normalized_arguments(pn.graph.owning_module, normalize_to_only_use_kwargs=True)
            theirs = gn.normalized_arguments(gn.graph.owning_module, normalize_to_only_use_kwargs=True)
            if ours is None or theirs is None:
                return False
            pn_args, gn_args, pn_kwargs, gn_kwargs = (), (), dict(ours.kwargs), dict(theirs.kwargs)
            if set(pn_kwargs) != set(gn_kwargs):
                return False
        return self._match_values(pn_args, gn_args, match, node_name_match) and all(
            self._match_values(pn_kwargs[k], gn_kwargs[k], match, node_name_match) for k in pn_kwargs
        )

    def _match_values(self, ours: Any, theirs: Any, match: InternalMatch, node_name_match: str) -> bool:
        """Matches arguments; numbers and strings by `_match_literals`."""
        if isinstance(ours, Node) and isinstance(theirs, Node):
            return self._match_nodes(ours, theirs, match, node_name_match)
        if isinstance(ours, list | tuple) and isinstance(theirs, list | tuple):
            return len(ours) == len(theirs) and all(
                self._match_values(a, b, match, node_name_match) for a, b in zip(ours, theirs)
            )
        if isinstance(ours, dict) and isinstance(theirs, dict):
            return set(ours) == set(theirs) and all(
                self._match_values(ours[k], theirs[k], match, node_name_match) for k in ours
            )
        if isinstance(ours, slice) and isinstance(theirs, slice):
            parts = zip((ours.start, ours.stop, ours.step), (theirs.start, theirs.stop, theirs.step))
            return all(self._match_values(a, b, match, node_name_match) for a, b in parts)
        return self._match_literals(ours, theirs, match)

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        """The places of the Graph that match, from its end to its beginning.

        node_name_match: a Node whose name contains it matches whatever the pattern has there.
        """
        candidates: dict[Node, list[Node]] = defaultdict(list)
        for pn in self.pattern_anchors:
            for gn in graph.nodes:
                if self._nodes_are_equal(pn, gn, node_name_match):
                    candidates[pn].append(gn)
        matches: list[InternalMatch] = []

        def extend(at: int, match: InternalMatch) -> None:
            if at == len(self.pattern_anchors):
                match.placeholder_nodes = [
                    match.nodes_map[pn] for pn in self.pattern_placeholder_nodes if pn in match.nodes_map
                ]
                match.returning_nodes = [
                    match.nodes_map[pn] for pn in self.pattern_returning_nodes if pn in match.nodes_map
                ]
                matches.append(match)
                return
            pn = self.pattern_anchors[at]
            for gn in candidates[pn]:
                further = copy.copy(match)
                if self._match_nodes(pn, gn, further, node_name_match):
                    extend(at + 1, further)

        extend(0, InternalMatch(anchors=self.pattern_anchors))
        matches = [m for m in matches if self._is_contained(m.nodes_map)]
        if self.remove_overlapping_matches:
            matches = self._remove_overlapping_matches(matches)
        return matches
