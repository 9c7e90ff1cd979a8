"""What a comparison leaves out or takes otherwise, as data: each rule with its reason, and counted, so that none stands
there in vain.

    RULES = Exclusions(Exclusion("PyTorch rounds after every batch", "addbmm", "result"))

A test asks `RULES.of(op, kind, case)` where something differs. When it has looked at all samples of an op,
`RULES.unused(op)` names the rules for that op which matched nothing: they should go. Two rules for one case are an
error at once: one of them says too much.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Exclusion:
    """A rule: why; for which ops, names with spaces between (of any, where there are none); for what kind of difference
    (any); and of which cases."""

    reason: str
    ops: str = ""
    kind: str = ""
    when: Callable[..., bool] = lambda *case: True

    def matches(self, op: str, kind: str, *case: Any) -> bool:
        named = not self.ops or op in self.ops.split()
        return named and self.kind in ("", kind) and bool(self.when(*case))


class Exclusions:
    """The rules of one comparison; `matched` counts (rule, op)."""

    def __init__(self, *rules: Exclusion):
        self.rules = list(rules)
        self.matched: Counter[tuple[Exclusion, str]] = Counter()

    def of(self, op: str, kind: str, *case: Any) -> Exclusion | None:
        """The rule for a difference, if there is one; it is counted."""
        found = [rule for rule in self.rules if rule.matches(op, kind, *case)]
        assert len(found) < 2, f"{op}, {kind}: more than one rule: {[rule.reason for rule in found]}"
        self.matched.update((rule, op) for rule in found)
        return found[0] if found else None

    def first(self, op: str, kind: str, *case: Any) -> Exclusion | None:
        """The same where general rules stand behind narrow ones, as the fuzzer's do: the first that matches."""
        found = next((rule for rule in self.rules if rule.matches(op, kind, *case)), None)
        if found:
            self.matched[found, op] += 1
        return found

    def unused(self, *ops: str) -> list[str]:
        """The rules for these ops, of which all was looked at, that matched nothing."""
        return [
            f"{op}: nothing is left out any more by the rule “{rule.reason}” ({rule.kind})"
            for op in ops
            for rule in self.rules
            if op in rule.ops.split() and not self.matched[rule, op]
        ]
