"""Where the packages lie, and README.md as a package index shows it. nn/, optim/ and compat/ are parts of
functorch_lite, which holds links to them: so type checkers and editors, which see no more of an editable installation
than a folder, find the whole package in its folder. A clone without links (git on Windows makes none unless told to) is
mapped instead, and installs as well; of an editable installation checkers then find nothing."""

import re
import tomllib
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent
PARTS = ("nn", "optim", "compat")
PACKAGE = ROOT / "functorch_lite"
LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?P<to>(?!https?://|#)[^)\s]+)\)")
"""A link of Markdown to a file of the repository."""

if all((PACKAGE / name).is_dir() for name in PARTS):
    package_dir = {"": "."}
else:
    package_dir = {"functorch_lite": "functorch_lite"} | {f"functorch_lite.{name}": name for name in PARTS}


def readme_elsewhere() -> str:
    """README.md where the repository's files are not beside it: links lead to the repository that pyproject.toml names;
    while it names none, they are text, and pictures are left out."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    home = project.get("urls", {}).get("Repository", "").rstrip("/")

    def link(found: re.Match) -> str:
        text, to = found["text"], found["to"]
        if not home:
            return "" if found["picture"] else text
        return f"{found['picture']}[{text}]({home}/{'raw' if found['picture'] else 'blob'}/main/{to})"

    return LINK.sub(link, (ROOT / "README.md").read_text(encoding="utf-8"))


setup(
    package_dir=package_dir,
    long_description=readme_elsewhere(),
    long_description_content_type="text/markdown",
)
