"""The 'meta' device: tensors that have a shape and a dtype and no numbers. Ops on them work out shapes and run nothing.

A meta Value has neither an array nor a recorder. `record` finds one when it is to be let into a recording (`_admit`
raises MetaInput) and comes here instead: the op is traced, which gives the results' avals and all of its errors, and is
not recorded.
"""

from __future__ import annotations

from ..words.device import ANY, META
from .applied import apply_once
from .trie import TrieNode
from .value import Value, aval, make_value

__all__ = ["meta_value", "on_meta", "record_meta"]


def meta_value(shape: tuple[int, ...], dtype) -> Value:
    """A Value without numbers."""
    return make_value(aval(tuple(shape), dtype, META))


def on_meta(v: Value) -> bool:
    """Returns whether a value has no numbers and never will."""
    return v.aval.device is META


def _spec(x):
    if type(x) is Value:
        return aval(x.aval.shape, x.aval.dtype, META, x.aval.weak)
    return x if x is None else (type(x), x)


def record_meta(op, static, inputs) -> tuple[TrieNode, tuple[Value, ...]]:
    """Returns what `record` does, for an op of which an input is on the meta device: a step that belongs to no
    recording, and its results."""
    elsewhere = [
        v.aval.device
        for v in inputs
        if type(v) is Value and v.aval.device not in (META, ANY) and v.aval.shape
    ]
    if elsewhere and not op.mixes_devices:
        raise RuntimeError(f"Tensor on device {elsewhere[0]} is not on the expected device meta!")
    applied = apply_once(op, static, tuple([_spec(x) for x in inputs]))
    step = TrieNode()
    step.op, step.static, step.applied = op, static, applied
    step.avals = tuple([aval(a.shape, a.dtype, META) for a in applied.avals])
    step.n_out, step.single = len(applied.avals), applied.single
    return step, tuple([make_value(a) for a in step.avals])
