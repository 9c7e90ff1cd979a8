"""Error messages say who raised them, what was expected, what was received and what to do, in plain English: a limit on
phrases that do not, which may only fall."""

from __future__ import annotations

import re

from tests.messages import messages
from tests.test_layers import no_tree_is_kept  # noqa: F401  # a fixture

UNIDIOMATIC = re.compile(
    r"\b(?:is|are) no (?!longer|more\b)|\b(?:is|are) not (?:here|there)\b|\bwe?re? refused\b|\bnobody\b|\bwhoever\b|\banew\b"
    r"|\bbeside\b|\bstands? (?!in\b)|\bcannot be told\b|\bcomes? (?:from|after|again)\b|\bother than\b"
)
"""Phrases of translated English. PyTorch's own messages have few of them, and stay letter for letter."""
MOST = 11
"""May only fall."""


def test_messages_are_plain_english():
    found = [str(m) for m in messages() if UNIDIOMATIC.search(m.text)]
    assert len(found) <= MOST, "\n".join(found)
