"""The rules of what is left out are counted: one that matches nothing is named, and two for one case are an error."""

from __future__ import annotations

import pytest

from tests.support.exclusions import Exclusion, Exclusions


def rules() -> Exclusions:
    return Exclusions(
        Exclusion("rounded twice", "addmm bmm", "result", lambda size: size > 2),
        Exclusion("said otherwise", "", "error"),
        Exclusion("large", "bmm", "result", lambda size: size > 9),
    )


def test_a_rule_is_for_its_ops_kind_and_cases():
    found = rules()
    assert (
        found.of("addmm", "result", 3).reason == "rounded twice"
        and found.of("sin", "error", 1).reason == "said otherwise"
    )
    assert (
        found.of("addmm", "result", 2)
        is found.of("addmm", "dtype", 3)
        is found.of("sin", "result", 3)
        is None
    )


def test_what_matched_nothing_is_named():
    found = rules()
    found.of("addmm", "result", 3)
    assert found.unused("addmm", "sin") == []
    assert ["rounded twice" in said for said in found.unused("bmm")] == [True, False]


def test_two_rules_for_one_case():
    assert rules().first("bmm", "result", 10).reason == "rounded twice"
    with pytest.raises(AssertionError, match="more than one rule"):
        rules().of("bmm", "result", 10)
