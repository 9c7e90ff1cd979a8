"""Versions of what the library stands on: those that are installed are allowed, and those that are allowed are tested."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from tests.support.versions import bounds


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
