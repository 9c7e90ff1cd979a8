"""Versions of what the library stands on: those that are installed are allowed, and those that are allowed are
tested."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version

import pytest

import functorch_lite
from tests.support.versions import bounds

from .test_layers import ROOT, sources

PRIVATE = re.compile(
    r"\bjax\._src\b|\bjax(lib)?(\.\w+)*\._[a-z]\w*|\bfrom jax(lib)?[\w.]* import [^#\n]*\b_[a-z]\w*"
)
"""A private name of JAX's, as it stands in a line of Python."""


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:3] if part.isdigit())


@pytest.mark.parametrize("name", bounds())
def test_what_is_installed_is_allowed(name):
    least, below = bounds()[name]
    installed = _numbers(version(name))
    assert installed >= _numbers(least)
    assert below is None or installed < _numbers(below), (
        f"{name} {version(name)} is newer than pyproject.toml allows. If all other tests pass, raise the bound there."
    )


def test_jax_has_both_bounds():
    for name in ("jax", "jaxlib"):
        least, below = bounds()[name]
        assert below is not None and _numbers(least) < _numbers(below)


def test_flax_may_be_left_out():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert not [text for text in project["dependencies"] if text.startswith("flax")]
    assert "functorch_lite[flax]" in project["optional-dependencies"]["test"]
    hidden = (
        "import sys; sys.modules['flax'] = None\n"
        "import functorch_lite\n"
        "try: functorch_lite.compat.flax\n"
        "except ModuleNotFoundError as error: print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, cwd=ROOT)
    assert ran.stdout == "functorch_lite.compat.flax needs flax: pip install 'functorch_lite[flax]'\n", (
        ran.stderr
    )


HEADING = re.compile(r"^## (\d+\.\d+\.\d+) \((unreleased|\d{4}-\d\d-\d\d)\)$", re.MULTILINE)
"""A version in the changelog, and when it was released."""


def test_the_version_stands_in_one_place():
    """The newest heading of the changelog is of this version, and all others are of versions that were released."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" in project["project"]["dynamic"] and "version" not in project["project"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "functorch_lite.__version__"}
    text = (ROOT / "CHANGELOG.md").read_text()
    headings = HEADING.findall(text)
    assert len(headings) == len(re.findall("^## ", text, re.MULTILINE)), (
        "a heading is `## 1.2.3 (2030-01-31)`"
    )
    assert headings[0][0] == functorch_lite.__version__
    numbers = [_numbers(version) for version, _ in headings]
    assert numbers == sorted(set(numbers), reverse=True)
    assert "unreleased" not in [when for _, when in headings[1:]]


def test_pre_commit_has_the_linter_in_one_version():
    pinned = re.findall(r'"ruff==([\d.]+)"', (ROOT / ".pre-commit-config.yaml").read_text())
    assert len(pinned) == 2 and len(set(pinned)) == 1


@pytest.mark.parametrize("urls", ["", '[project.urls]\nRepository = "https://example.org/us/it/"\n'])
def test_links_of_the_readme_lead_somewhere_or_are_text(urls, tmp_path):
    pytest.importorskip("setuptools")
    (tmp_path / "setup.py").write_text((ROOT / "setup.py").read_text())
    (tmp_path / "pyproject.toml").write_text(f'[project]\nname = "it"\n{urls}')
    (tmp_path / "README.md").write_text("![a](docs/a.svg)[b](b.md#x), [c](https://c.org), [d](#d)")
    ask = "import setuptools; setuptools.setup = lambda **how: print(how['long_description']); import setup"
    ran = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, cwd=tmp_path)
    home = "https://example.org/us/it"
    ours = f"![a]({home}/raw/main/docs/a.svg)[b]({home}/blob/main/b.md#x)" if urls else "b"
    assert ran.stdout == f"{ours}, [c](https://c.org), [d](#d)\n", ran.stderr


def test_private_names_of_jax_stand_in_one_file():
    files = {*sources().values(), *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")}
    named = {
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if PRIVATE.search(line.partition("#")[0])
    }
    elsewhere = {
        n
        for n in named
        if not n.startswith(("functorch_lite/_core/words/jax_private.py:", "tests/test_versions.py:"))
    }
    assert not elsewhere, "\n".join(sorted(elsewhere))
    assert len(named) > 4


@pytest.mark.parametrize(
    "line",
    [
        "from jax._src import api",
        "from jaxlib import _jax",
        "jax.core._trace(x)",
        "import jax._src.core",
        "from jax.extend import core, _x",
    ],
)
def test_private_names_are_found(line):
    assert PRIVATE.search(line)


@pytest.mark.parametrize(
    "line",
    [
        "from jax.extend.core import Jaxpr",
        "self._jax.devices",
        "jax.lax.add(x, self._y)",
        "made._jax = x._jax",
    ],
)
def test_other_names_are_not(line):
    assert not PRIVATE.search(line)
