"""What is installed: every package folder is in pyproject's list, and answers to one name only."""

from __future__ import annotations

import importlib
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())


def _folders() -> dict[str, Path]:
    """Every package of the repo by its import name."""
    places = {"functorch_lite": ROOT / "functorch_lite"}
    places |= {f"functorch_lite.{n}": ROOT / n for n in ("nn", "optim", "compat")}
    found = {}
    for top, folder in places.items():
        for init in folder.rglob("__init__.py"):
            found[".".join([top, *init.parent.relative_to(folder).parts])] = init.parent
    return found


def test_every_package_folder_is_listed():
    assert sorted(SETTINGS["tool"]["setuptools"]["packages"]) == sorted(_folders())


def test_no_module_lies_in_a_folder_that_is_no_package():
    folders = set(_folders().values())
    for top in ("functorch_lite", "nn", "optim", "compat"):
        for file in (ROOT / top).rglob("*.py"):
            assert file.parent in folders, f"{file.relative_to(ROOT)} lies in a folder without __init__.py"


@pytest.mark.parametrize("links", [True, False])
def test_every_package_is_found_where_setup_says(monkeypatch, tmp_path, links):
    setuptools = pytest.importorskip("setuptools")
    discovery = importlib.import_module("setuptools.discovery")
    said = {}
    monkeypatch.setattr(setuptools, "setup", lambda **given: said.update(given))
    for name in ("setup.py", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("nn", "optim", "compat") if links else ():
        (tmp_path / "functorch_lite" / name).mkdir(parents=True)
    runpy.run_path(str(tmp_path / "setup.py"))
    assert ("functorch_lite.nn" in said["package_dir"]) != links
    for package, folder in _folders().items():
        found = Path(discovery.find_package_path(package, said["package_dir"], ROOT))
        assert found.resolve() == folder.resolve()


@pytest.mark.parametrize("name", ["nn", "optim", "compat"])
def test_a_top_level_folder_refuses_another_name(name):
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import {name}"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, cwd="/")
    assert done.returncode == 1
    assert f"ImportError: import this package as functorch_lite.{name}, not as {name}" in done.stderr


def test_the_facade_names_every_part():
    torch = importlib.import_module("functorch_lite")
    for name in ("nn", "optim", "compat", "linalg", "cuda"):
        assert getattr(torch, name).__name__ == f"functorch_lite.{name}"
