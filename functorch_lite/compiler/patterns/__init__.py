"""Patterns in Graphs, and their replacement. `torch._inductor.pattern_matcher` has these names too."""

from __future__ import annotations

from ..pass_reports import counters
from .expressions import (
    MULTIPLE,
    Arg,
    CallFunction,
    CallFunctionVarArgs,
    CallMethod,
    ExclusiveKeywordArg,
    FailedMatch,
    Ignored,
    KeywordArg,
    ListOf,
    Match,
    MultiOutputPattern,
    PatternExpr,
    RepeatedExpr,
    is_match,
)
from .matcher import (
    PatternEntry,
    PatternMatcherPass,
    register_graph_pattern,
    register_lowering_pattern,
)
from .replacement import fx_to_pattern, gen_pattern, register_replacement
from .stored import gen_register_replacement
from .tracing import fwd_only, joint_fwd_bwd

__all__ = [
    "MULTIPLE", "Arg", "CallFunction", "CallFunctionVarArgs", "CallMethod", "ExclusiveKeywordArg", "FailedMatch", "Ignored", "KeywordArg",
    "ListOf", "Match", "MultiOutputPattern", "PatternEntry", "PatternExpr", "PatternMatcherPass", "RepeatedExpr", "counters", "fwd_only",
    "fx_to_pattern", "gen_pattern", "gen_register_replacement", "is_match", "joint_fwd_bwd", "register_graph_pattern", "register_lowering_pattern", "register_replacement",
]  # fmt: skip
