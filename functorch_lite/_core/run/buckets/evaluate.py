"""Recordings evaluated at padded lengths, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...lazy.apart import Steps
from ...lazy.bounds import Seen
from ...lazy.graph import annotate
from ...lazy.trie import TrieNode
from ...words.telling import place_of
from ..halves import rounded
from . import elementwise, indexing, loops, parts, products, randomness, reductions, shapes  # noqa: F401  (their rules)
from .axes import Lengths, NoRule, Padded, whole
from .forms import Template
from .interpreter import Evaluation
from .signatures import Constant, Inner, Signature, symbolic

__all__ = ["axes_of", "constants", "evaluate", "inner_of"]


def evaluate(
    steps: Sequence[tuple[TrieNode, Inner]],
    lengths: Lengths,
    externals: Mapping[int, Padded],
    differing: Mapping[str, Padded],
    seen: Seen | None = None,
) -> dict[int, Padded]:
    """The slots of a recording, from externals by number. seen: looks at its bounds meanwhile."""
    to = Evaluation(lengths, differing, seen)
    slots: dict[int, Padded] = {}
    known = Steps()
    for node, inner in steps:
        given = [slots[r] if r >= 0 else externals[-1 - r] for r in node.refs]
        arrays = known.arguments(node, node.refs, node.base, [x.array for x in given])
        given = [Padded(a, x.axes) for a, x in zip(arrays, given)]
        try:
            outs = to.run(inner, given)
        except NoRule as reason:
            raise NoRule(f"{reason} {_where(node)}") from None
        except Exception as error:
            annotate(error, node)
            raise
        if node.applied.device.type == "cpu" and not getattr(node.op, "is_view", False):
            outs = [Padded(rounded(x.array), x.axes) for x in outs]
        slots.update(zip(range(node.base, node.base + node.n_out), outs))
    return slots


def inner_of(
    path: Sequence[TrieNode], steps: Sequence[TrieNode], of: Signature, template: Template
) -> dict[TrieNode, Inner]:
    """The jaxpr of each of these steps, with Dims for ints that differ. Raises NoRule."""
    begins = dict(zip(path, of.begins))
    made: dict[Any, Inner] = {}
    found = {}
    for node in steps:
        if node.applied not in made:
            try:
                made[node.applied] = symbolic(
                    node.applied.to_run, template.size, template.value, begins[node]
                )
            except NoRule as reason:
                raise NoRule(f"{reason} {_where(node)}") from None
        found[node] = made[node.applied]
    return found


def _where(node: TrieNode) -> str:
    return f"(in {getattr(node.op, 'name', 'an op')}, {place_of(node.source)})"


def axes_of(shape: Sequence[Any]) -> tuple:
    """The axes of an external of these sizes."""
    return tuple([whole(s) for s in shape])


def constants(tree: Any) -> Iterator[Constant]:
    """The constants in a jaxpr."""
    if isinstance(tree, Constant):
        yield tree
    elif isinstance(tree, tuple):
        for part in tree:
            yield from constants(part)
