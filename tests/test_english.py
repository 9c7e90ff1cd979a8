"""Docstrings are in plain English: limits on sentences with patterns of unidiomatic English, which may only fall."""

from __future__ import annotations

from tests.english import in_docstrings, is_flagged
from tests.test_layers import no_tree_is_kept  # noqa: F401  # a fixture

MOST, MOST_IN_CORE = 39, 479
"""Sentences outside of `_core`, and in it. May only fall."""


def test_patterns_are_found():
    assert is_flagged("A Tensor is no pytree.") and is_flagged("Whether it is a view.")
    assert not is_flagged("Returns whether the tensor is a view.")


def test_docstrings_are_plain_english():
    found = [(module, sentence) for module, sentence in in_docstrings() if is_flagged(sentence)]
    core = [f"{module}: {sentence}" for module, sentence in found if module.startswith("_core")]
    rest = [f"{module}: {sentence}" for module, sentence in found if not module.startswith("_core")]
    assert len(rest) <= MOST, "\n".join(rest)
    assert len(core) <= MOST_IN_CORE, "\n".join(core)
