"""Documents and docstrings are written in plain English: few sentences match the patterns of tests/english.py."""

from __future__ import annotations

import re

import pytest

from tests import english
from tests.test_layers import no_tree_is_kept  # noqa: F401  # a fixture

LIMITS = {"pages": 0.3, "notebooks": 0.3, "package READMEs": 14.0}
"""The largest share of sentences, in percent. Limits may only be lowered."""

MOST, MOST_IN_CORE = 78, 410
"""The largest number of docstrings' sentences outside of `_core`, and in it. Limits may only be lowered."""


@pytest.mark.parametrize("group", LIMITS)
def test_documents_are_plain(group):
    percent, flagged = english.share(english.documents()[group])
    assert percent <= LIMITS[group], (
        f"{percent:.1f} % of the sentences match (limit {LIMITS[group]} %):\n" + "\n".join(flagged)
    )


def test_docstrings_are_plain():
    flagged = [(module, s) for module, s in english.docstring_sentences() if english.matches(s)]
    core = [f"{module}: {s}" for module, s in flagged if module.startswith("_core")]
    rest = [f"{module}: {s}" for module, s in flagged if not module.startswith("_core")]
    assert len(rest) <= MOST, "\n".join(rest)
    assert len(core) <= MOST_IN_CORE, "\n".join(core)


def test_pages_have_few_long_sentences():
    texts = english.documents()["pages"]
    long = [s for text in texts.values() for s in english.sentences(text) if len(s.split()) > english.LONG]
    assert len(long) <= 3, "\n".join(long)


def test_cells_of_tables_are_short():
    long = []
    for path, text in english.documents()["pages"].items():
        for line in re.sub(r"```.*?```", "", text, flags=re.DOTALL).splitlines():
            if line.startswith("|"):
                long += [f"{path.name}: {cell}" for cell in line.split("|") if len(cell.split()) > 25]
    assert not long, "\n".join(long)


@pytest.mark.parametrize(
    "sentence",
    [
        "XLA compiles, and what NumPy has rules for runs.",
        "Gradients and those of leaves stay sparse.",
        "The size is told from the jaxpr.",
        "It is compiled anew.",
        "Of what is small NumPy runs all.",
        "Whether a gradient is needed.",
    ],
)
def test_patterns_are_found(sentence):
    assert english.matches(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The recorded ops run as one compiled program.",
        "Which setup do you need?",
        "The name stands for a tensor.",
        "It is no longer supported.",
    ],
)
def test_plain_sentences_are_not(sentence):
    assert not english.matches(sentence)


def test_sentences_of_markdown():
    text = "# A title\n\nOne `x + y` here. Two\nof them.\n\n- An item in a list\n- And [a link](to.md) here\n\n| a | b |\n\n```\ncode of three words\n```\n"
    assert english.sentences(text) == ["One X here.", "Two of them.", "An item in a list", "And a link here"]
