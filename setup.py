"""Where the packages lie. nn/, optim/ and compat/ are parts of functorch_lite, which holds links to them: so type checkers and editors, which see
no more of an editable installation than a folder, find the whole package in its folder. A clone without links (git on Windows makes none unless
told to) is mapped instead, and installs as well; of an editable installation checkers then find nothing."""

from pathlib import Path

from setuptools import setup

PARTS = ("nn", "optim", "compat")
PACKAGE = Path(__file__).parent / "functorch_lite"

if all((PACKAGE / name).is_dir() for name in PARTS):
    package_dir = {"": "."}
else:
    package_dir = {"functorch_lite": "functorch_lite"} | {f"functorch_lite.{name}": name for name in PARTS}

setup(package_dir=package_dir)
