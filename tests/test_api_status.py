"""docs/api.md: current, and no module's share of PyTorch's names falls."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

import functorch_lite as torch
from functorch_lite import api_status

ROOT = Path(__file__).parent.parent

FLOORS = {
    "torch (functions)": 98, "torch (types and constants)": 100, "torch.Tensor": 98, "torch.cuda": 100, "torch.cpu": 100, "torch.nested": 100, "torch.compiler": 100,
    "torch.utils.data": 100, "torch.utils.benchmark": 100, "torch.linalg": 100, "torch.fft": 100, "torch.special": 100, "torch.distributions": 100,
    "torch.distributions.constraints": 100, "torch.distributions.transforms": 100, "torch.masked": 100, "torch.nn.init": 100,
    "torch.optim.lr_scheduler": 100, "torch.optim.swa_utils": 100, "torch.optim": 85,
}  # fmt: skip
"""The least share, in percent, of modules; raise them as more is there, never lower them."""


@pytest.fixture(scope="module")
def sections():
    return {s.name: s for s in api_status.sections()}


@pytest.mark.parametrize("name", FLOORS)
def test_shares_never_fall(sections, name):
    assert sections[name].share >= FLOORS[name], f"missing: {sections[name].not_yet}"


def test_the_page_is_current():
    written = (ROOT / "docs" / "api.md").read_text()
    assert written == api_status.page(), "run python -m functorch_lite.api_status --write docs/api.md"


def test_every_reason_is_used(sections):
    """A pattern of NEVER that no missing name matches is stale."""
    used = {
        (where, pattern)
        for s in sections.values()
        for n in s.never
        for where, pattern, _ in api_status.NEVER
        if api_status.re.fullmatch(where, s.name) and api_status.re.fullmatch(pattern, n)
    }
    assert used == {(where, pattern) for where, pattern, _ in api_status.NEVER}


def test_missing_names_say_why():
    assert not hasattr(torch, "cudnn_convolution")
    with pytest.raises(
        AttributeError,
        match="has no attribute 'cudnn_convolution': it is in PyTorch, but a kernel of a library",
    ):
        torch.cudnn_convolution  # noqa: B018
    with pytest.raises(AttributeError, match=r"has no attribute 'no_such_name'$"):
        torch.no_such_name  # noqa: B018


def test_the_list_is_pytorchs():
    """The data file names what the installed PyTorch has."""
    pytest.importorskip("torch")
    spec = importlib.util.spec_from_file_location("make_api", ROOT / "docs" / "make_api.py")
    make_api = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_api)
    assert api_status._names()["torch.distributions"] == make_api.public("torch.distributions")
    assert api_status._names()["torch.Tensor"] == make_api.public("torch.Tensor")


test_the_list_is_pytorchs = pytest.mark.parity(test_the_list_is_pytorchs)
