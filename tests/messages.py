"""The texts of the library's errors and warnings in one list: `python -m tests.messages [WORDS]` prints them with their
places, all of them or the ones with these words.

A text is found in `raise Error("...")`, `check(condition, Error, "...")` and `warnings.warn("...")`; `{}` replaces a
value. Texts that PyTorch has too are among them: they stay letter for letter, and `test_messages.py` looks for phrases
that PyTorch does not use.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.test_layers import ROOT, sources, tree


class Message(NamedTuple):
    """The text of an error or a warning, and its place."""

    path: Path
    line: int
    error: str
    text: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.error}: {self.text}"


def text_of(node: ast.expr) -> str:
    """The text of a string, an f-string or a sum of such; "{}" for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(value) for value in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return text_of(node.left) + text_of(node.right)
    return "{}"


def raised(node: ast.AST) -> tuple[str, ast.expr] | None:
    """(the error or warning, its text) of a statement or a call that raises or warns."""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
        return ast.unparse(node.exc.func), node.exc.args[0]
    if not isinstance(node, ast.Call) or not node.args:
        return None
    called = ast.unparse(node.func)
    if called == "check" and len(node.args) == 3:
        return ast.unparse(node.args[1]), node.args[2]
    return ("warning", node.args[0]) if called in ("warnings.warn", "advise") else None


def messages() -> Iterator[Message]:
    """The texts of all errors and warnings of the package."""
    for path in sources().values():
        for node in ast.walk(tree(path)):
            if (found := raised(node)) is not None and (text := text_of(found[1])) != "{}":
                yield Message(path, node.lineno, found[0], text)


if __name__ == "__main__":
    words = " ".join(sys.argv[1:])
    for message in messages():
        if words in message.text:
            print(message)
