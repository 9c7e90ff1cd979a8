"""The padded evaluation of a recording: what a bucket's program computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...lazy.apart import Steps
from ...lazy.graph import annotate
from ...lazy.trie import TrieNode
from . import elementwise, indexing, parts, products, reductions, shapes  # noqa: F401  (their rules)
from .axes import Lengths, NoRule, Padded, whole
from .forms import Template
from .interpreter import Evaluation
from .signatures import Inner, Signature, symbolic

__all__ = ["axes_of", "evaluate"]


def evaluate(
    steps: Sequence[tuple[TrieNode, Inner]],
    lengths: Lengths,
    externals: Mapping[int, Padded],
    differing: Mapping[str, Padded],
) -> dict[int, Padded]:
    """The slots of a recording, from externals by number."""
    to = Evaluation(lengths, differing)
    slots: dict[int, Padded] = {}
    known = Steps()
    for node, inner in steps:
        given = [slots[r] if r >= 0 else externals[-1 - r] for r in node.refs]
        arrays = known.arguments(node, node.refs, node.base, [x.array for x in given])
        given = [Padded(a, x.axes) for a, x in zip(arrays, given)]
        try:
            outs = to.run(inner, given)
        except NoRule as reason:
            line = "an unknown line" if node.source is None else f"{node.source[0]}:{node.source[1]}"
            raise NoRule(f"{reason} (in {getattr(node.op, 'name', 'an op')}, {line})") from None
        except Exception as error:
            annotate(error, node)
            raise
        slots.update(zip(range(node.base, node.base + node.n_out), outs))
    return slots


def inner_of(path: Sequence[TrieNode], of: Signature, template: Template) -> dict[TrieNode, Inner]:
    """The jaxpr of each step, with Dims for ints that differ."""
    made: dict[Any, Inner] = {}
    found = {}
    for node, begin in zip(path, of.begins):
        if node.applied not in made:
            made[node.applied] = symbolic(node.applied.jaxpr, template.size, template.value, begin)
        found[node] = made[node.applied]
    return found


def axes_of(shape: Sequence[Any]) -> tuple:
    """The axes of an external of these sizes."""
    return tuple([whole(s) for s in shape])
