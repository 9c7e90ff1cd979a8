"""Counts patterns of unidiomatic English in the documents and docstrings.

    python -m tests.english [--show N]      the share of each group, and N of the sentences that match

The patterns are regular expressions, so the counts are lower bounds: a reader finds more than they do. Technical
documentation by native writers matches some of them as well (JAX's 0.6 % of all sentences, optax's 1.5 %).
"""

from __future__ import annotations

import ast
import json
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.test_layers import sources, tree

ROOT = Path(__file__).parents[1]

PATTERNS = {
    name: re.compile(pattern)
    for name, pattern in {
        # "what was recorded runs as one program": name the thing
        "what as a noun": r"(?:^|[,;:.] |\band |\bof |\bby |\bin |\bthan )[Ww]hat "
        r"(?!is the|does|do |if|happens|about|to )\w+ "
        r"(?:is|are|was|were|has|have|can|it|they|NumPy|JAX|XLA|PyTorch|torch|comes|came|a|an|the)\b(?![^.]*\?)",
        # "those of leaves stay sparse": repeat the noun
        "that of": r"\b(?:that|those) (?:of|that|which|whose|in|for|on)\b(?<!so that of)",
        "told": r"\b(?:is|are|be|was|were|been) told\b|\btells? (?:apart|from)\b",
        "stands": r"\b(?:stands?|stood)\b(?! for|-in|ard|alone)",
        "comes": r"\b(?:comes?|came) (?:by|again|with|once|so often|to that|there|here|in )|\bas it comes\b",
        "inversion": r"(?:^|[.;] )(?:So|Nor|As) (?:are|is|do|does|has|have)\b(?!n)",
        "anew": r"\banew\b|\bbeside\b|\bsome \d|\bother(?:wise)? than\b",
        "is there": r"\bis (?:not )?(?:there|here)(?=[.,;:)]|$)",
        "nobody": r"\b(?:nobody|whoever|somebody)\b",
        "is looked whether": r"\b(?:is|was) (?:looked|asked|seen|noted) (?:whether|at|for)\b",
        "is another": r"\b(?:is|are) (?:another|other)s?\b(?! \w+ing)",
        "is no": r"\b(?:is|are) no (?!longer|more\b|need|way|matter|one\b)",
        "fronted of": r"(?:^|[.;] )Of (?!course)",
        "fragment": r"^(?:Whether|What|Which|Whose|Those|That|Of)\b(?![^.]*\?)",
    }.items()
}

GENERATED = {"api.md", "ecosystem.md", "fast.md", "primitives.md", "transforms.md"}
"""Pages of docs/ that are mostly tables made by a program."""

LONG = 40
"""A sentence with more words is too long for a reader."""

_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z(])")
_SKIPPED = re.compile(r"\s*(?:\||>>>|\.\.\.|#|!\[|<|    |\*\*[^*]+\*\*$)")
_ITEM = re.compile(r"^\s*(?:[-*]|\d+\.) ", re.MULTILINE)


def sentences(text: str) -> list[str]:
    """The sentences of a Markdown text, with code as `X`; headings, bold lines, tables and blocks of code are left out."""
    text = re.sub(r"```.*?```", "\n\n", text, flags=re.DOTALL)
    text = "\n".join(line for line in text.splitlines() if not _SKIPPED.match(line))
    found = []
    for paragraph in re.split(r"\n\s*\n", _ITEM.sub("\n\n", text)):
        paragraph = re.sub(r"`[^`]*`", "X", " ".join(paragraph.split()))
        paragraph = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraph).replace("**", "")
        found += [s.strip() for s in _END.split(paragraph) if len(s.split()) >= 3]
    return found


def matches(sentence: str) -> list[str]:
    """The names of the patterns that match a sentence."""
    return [name for name, pattern in PATTERNS.items() if pattern.search(sentence)]


_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_LEFT_OUT_OF_DOCSTRINGS = re.compile(r"\s*(\||>>>|\.\.\.|#|!\[|    )")


def docstring_sentences() -> Iterator[tuple[str, str]]:
    """(module, sentence) of all docstrings of the package; examples, tables and indented lines are left out."""
    for module, path in sources().items():
        for node in ast.walk(tree(path)):
            if isinstance(node, _DOCUMENTED) and (doc := ast.get_docstring(node)):
                text = re.split(r"\n\s*>>>", doc)[0]
                lines = [line for line in text.splitlines() if not _LEFT_OUT_OF_DOCSTRINGS.match(line)]
                words = re.sub(r"`[^`]*`", "X", " ".join(lines))
                yield from ((module, s.strip()) for s in _END.split(words) if len(s.split()) >= 3)


def _notebook(path: Path) -> str:
    cells = json.loads(path.read_text(encoding="utf8"))["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def documents() -> dict[str, dict[Path, str]]:
    """The text of each document, in groups."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
    pages += [p for p in sorted((ROOT / "docs").rglob("*.md")) if p.name not in GENERATED]
    readmes = [
        *(ROOT / "functorch_lite").rglob("README.md"),
        ROOT / "nn" / "README.md",
        ROOT / "optim" / "README.md",
    ]
    return {
        "pages": {path: path.read_text(encoding="utf8") for path in pages},
        "notebooks": {path: _notebook(path) for path in sorted((ROOT / "notebooks").rglob("*.ipynb"))},
        "package READMEs": {path: path.read_text(encoding="utf8") for path in sorted({*readmes})},
    }


def share(texts: dict[Path, str]) -> tuple[float, list[str]]:
    """The percentage of sentences that match a pattern, and these sentences, each with its file and patterns."""
    found = [(path, s) for path, text in texts.items() for s in sentences(text)]
    flagged = [
        f"{path.relative_to(ROOT)}: {s} [{', '.join(names)}]" for path, s in found if (names := matches(s))
    ]
    return 100 * len(flagged) / len(found), flagged


if __name__ == "__main__":
    show = int(sys.argv[sys.argv.index("--show") + 1]) if "--show" in sys.argv else 0
    for name, texts in documents().items():
        percent, flagged = share(texts)
        print(f"{name}: {percent:.1f} % ({len(flagged)} sentences)")
        for line in random.Random(7).sample(flagged, min(show, len(flagged))):
            print("   ", line)
