"""docs/primitives.md: what each reader of jaxprs makes of each of JAX's primitives.
`python -m tests.primitives` writes it."""

from __future__ import annotations

import importlib
from pathlib import Path

from functorch_lite._core.jaxprs.primitives import PRIMITIVES, READERS, P, Rules

PAGE = Path(__file__).parent.parent / "docs" / "primitives.md"
COLUMNS = (
    "NumPy",
    "buckets",
    "lowerings for CPU",
    "mends for CPU",
    "meshes",
    "plans",
    "flops",
    "known values",
    "bases",
    "laplacians",
)
DEFINING = (
    "functorch_lite._core.run.executor", "functorch_lite.distributed._layout", "functorch_lite.compiler.passes.known",
    "functorch_lite.compiler.partition.kinds", "functorch_lite.func.basis", "functorch_lite.func.taylor._collapsed",
)  # fmt: skip

HEAD = """# Primitives

Recordings become jaxprs, whose equations are primitives of JAX and a few of functorch_lite's own. Several parts of the library read jaxprs. For each primitive, a reader has a *rule*, infers what it needs from the primitive's *kind*,
or does not support the primitive (*refused*). `python -m tests.primitives` writes this page from `functorch_lite/_core/jaxprs/primitives.py` and the readers' rules, and a test compares.

"""


def load_readers() -> None:
    """Loads all that has rules."""
    for module in DEFINING:
        importlib.import_module(module)


def about(reader: Rules) -> str:
    """A reader, and what becomes of primitives without a rule."""
    others = list(dict.fromkeys(reader.otherwise(p) for p in PRIMITIVES.values() if p.name not in reader))
    return f"- **{reader.name}**: {reader.about}. Without a rule: {'; '.join(others)}."


def line(p: P) -> str:
    """The row of a primitive."""
    marks = [
        p.kind,
        *(["ours"] if p.ours else []),
        *([f"since JAX {p.since}"] if p.since else []),
        *([f"until JAX {p.until}"] if p.until else []),
    ]
    answers = [READERS[name].of(p).partition(":")[0] for name in COLUMNS]
    return f"| `{p.name}` | {', '.join(marks)} | {' | '.join(answers)} |"


def written() -> str:
    """The page."""
    load_readers()
    head = [f"| primitive | kind | {' | '.join(COLUMNS)} |", "|---" * (2 + len(COLUMNS)) + "|"]
    rows = map(line, sorted(PRIMITIVES.values(), key=lambda p: p.name))
    return HEAD + "\n".join([*[about(READERS[name]) for name in COLUMNS], "", *head, *rows]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(written())
