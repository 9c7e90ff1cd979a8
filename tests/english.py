"""Counts patterns of unidiomatic English in docstrings: `python -m tests.english [FOLDER]` prints the sentences that have
one.

The patterns are regular expressions, so the count is a lower bound. Code between backticks, tables, indented lines and
examples are left out.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator

from tests.test_layers import sources, tree

PATTERNS = {
    "what as a noun": r"(?:^|[,;:.] |\band |\bof |\bby |\bin |\bthan )[Ww]hat (?!is the|does|do |if|happens|about|to )\w+ (?:is|are|was|were|has|have|can|it|they|comes|a|an|the)\b(?![^.]*\?)",
    "that of": r"\b(?:that|those) (?:of|that|which|whose|in|for|on)\b",
    "told": r"\b(?:is|are|be|was|were|been) told\b|\btells? (?:apart|from)\b",
    "stands": r"\b(?:stands?|stood)\b(?! for|-in|ard|alone)",
    "comes": r"\b(?:comes?|came) (?:by|again|with|once|so often|to that|there|here|in )",
    "inversion": r"(?:^|[.;] )(?:So|Nor|As) (?:are|is|do|does|has|have)\b(?!n)",
    "anew, beside": r"\banew\b|\bbeside\b|\bsome \d|\bother(?:wise)? than\b",
    "is there": r"\bis (?:not )?(?:there|here)(?=[.,;:)]|$)",
    "nobody": r"\b(?:nobody|whoever|somebody)\b",
    "looked whether": r"\b(?:is|was) (?:looked|asked|seen|noted) (?:whether|at|for)\b",
    "another": r"\b(?:is|are) (?:another|other)s?\b(?! \w+ing)",
    "is no": r"\b(?:is|are) no (?!longer|more\b|need|way|matter|one\b)",
    "fronted of": r"(?:^|[.;] )Of (?!course)",
    "fragment": r"^(?:Whether|What|Which|Whose|Those|That|Of)\b",
}
FLAGGED = {name: re.compile(pattern) for name, pattern in PATTERNS.items()}
LEFT_OUT = re.compile(r"\s*(\||>>>|\.\.\.|#|!\[|    )")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def sentences(text: str) -> list[str]:
    """The sentences of a docstring, of three words or more."""
    lines = [line for line in text.splitlines() if not LEFT_OUT.match(line)]
    words = re.sub(r"`[^`]*`", "X", " ".join(lines))
    return [s.strip() for s in re.split(r"(?<=[.!?])\s+(?=[A-Z(])", words) if len(s.split()) >= 3]


def in_docstrings() -> Iterator[tuple[str, str]]:
    """(module, sentence) of all docstrings of the package."""
    for module, path in sources().items():
        for node in ast.walk(tree(path)):
            if isinstance(node, DOCUMENTED) and (doc := ast.get_docstring(node)):
                for sentence in sentences(re.split(r"\n\s*>>>", doc)[0]):
                    yield module, sentence


def is_flagged(sentence: str) -> bool:
    """Returns whether a sentence has one of the patterns."""
    return any(pattern.search(sentence) for pattern in FLAGGED.values())


if __name__ == "__main__":
    folder = sys.argv[1] if sys.argv[1:] else ""
    for module, sentence in in_docstrings():
        if module.startswith(folder) and is_flagged(sentence):
            print(f"{module}: {sentence}")
