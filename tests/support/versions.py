"""The oldest versions of its dependencies that the library allows, as pip's constraints:
`python -m tests.support.versions`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

__all__ = ["bounds"]

_PYPROJECT = Path(__file__).parent.parent.parent / "pyproject.toml"
_DEPENDENCY = re.compile(r"(?P<name>[\w.-]+)>=(?P<least>[\d.]+)(,<(?P<below>[\d.]+))?")


def bounds() -> dict[str, tuple[str, str | None]]:
    """The least version of each dependency (flax among them), and the one below which it must be, if pyproject.toml
    names one."""
    project = tomllib.loads(_PYPROJECT.read_text())["project"]
    declared = [*project["dependencies"], *project["optional-dependencies"]["flax"]]
    matches = [_DEPENDENCY.fullmatch(text) for text in declared]
    return {m["name"]: (m["least"], m["below"]) for m in matches if m is not None}


if __name__ == "__main__":
    print("\n".join(f"{name}=={least}" for name, (least, _) in bounds().items()))
