"""Which tutorials use a name: read from their code, import by import."""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def notebooks() -> list[Path]:
    """All of them, in the order in which they are read."""
    folder = ROOT / "notebooks"
    return [*sorted((folder / "basics").glob("*.ipynb")), *sorted(folder.glob("*.ipynb"))]


def title_of(path: Path) -> str:
    """Its heading."""
    first = json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]
    return "".join(first).splitlines()[0].lstrip("# ")


def uses() -> dict[str, list[Path]]:
    """The notebooks in which each name of the library stands, by its whole name."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in notebooks():
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
        for name in sorted(_names("\n".join(_python(text) for text in code))):
            found[name].append(path)
    return found


def _python(cell: str) -> str:
    """The cell without what is IPython's alone."""
    return "\n".join(line for line in cell.splitlines() if not line.lstrip().startswith(("%", "!")))


def _names(code: str) -> set[str]:
    tree, known, found = ast.parse(code), {}, set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "functorch_lite":
                    known[alias.asname or "functorch_lite"] = alias.name if alias.asname else "functorch_lite"
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "functorch_lite":
            for alias in node.names:
                known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name) and (name := _dotted(node, known)) is not None:
            found |= {name, name.replace("functorch_lite", "torch", 1)}
    return found


def _dotted(node: ast.expr, known: dict[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Attribute) and (before := _dotted(node.value, known)) is not None:
        return f"{before}.{node.attr}"
    return None
