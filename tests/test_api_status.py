"""docs/api.md: current, and no module's share of PyTorch's names falls."""

from __future__ import annotations

import importlib.util
import pickle
import re
from pathlib import Path

import pytest

import functorch_lite as torch
from functorch_lite import api_names, api_status

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
        for where, pattern, _ in api_names.NEVER
        if re.fullmatch(where, s.name) and re.fullmatch(pattern, n)
    }
    assert used == {(where, pattern) for where, pattern, _ in api_names.NEVER}


@pytest.mark.parametrize(
    ("of", "name", "message"),
    [
        (torch, "cudnn_convolution", "module 'functorch_lite' has no attribute 'cudnn_convolution': it is in PyTorch, but not here: a kernel of"),
        (torch, "float8_e8m0fnu", "use complex64, or the other float8 dtypes"),
        (torch, "quantization", r"it is in PyTorch, but not here. Use torch.ao.quantization"),
        (torch.Tensor(1), "dequantize", "'Tensor' object has no attribute 'dequantize': it is in PyTorch, but not here: methods of quantized tensors"),
        (torch.cuda, "MemPool", "module 'functorch_lite.cuda' has no attribute 'MemPool': it is in PyTorch, but not here: CUDA's memory"),
        (torch.nn.functional, "ScalingType", "it is in PyTorch, but not here: for kernels of NVIDIA's GPUs"),
    ],
)  # fmt: skip
def test_missing_names_say_why(of, name, message):
    assert not hasattr(of, name)
    with pytest.raises(api_names.NotHere, match=message) as raised:
        getattr(of, name)
    assert isinstance(raised.value, NotImplementedError)
    assert isinstance(raised.value, AttributeError)


@pytest.mark.parametrize("name", ["complex32", "qint8", "quint8", "qint32", "quint4x2", "quint2x4"])
def test_dtypes_that_are_names_alone(name):
    """They can be listed, compared and pickled; whatever would hold numbers of them raises."""
    dtype, x = getattr(torch, name), torch.ones(2)
    assert isinstance(dtype, torch.dtype) and repr(dtype) == f"torch.{name}" and x.dtype != dtype
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    for use in (
        lambda: x.to(dtype),
        lambda: torch.zeros(2, dtype=dtype),
        lambda: torch.empty(2, dtype=dtype, device="meta"),
        lambda: torch.promote_types(dtype, torch.float32),
        lambda: torch.func.vmap(lambda y: y.to(dtype))(x),
    ):
        with pytest.raises(NotImplementedError, match=f"torch.{name} is a name alone here: (JAX|tensors of it are made by)"):
            use()
    assert not hasattr(dtype, "no_such_name") and (x + 1).tolist() == [2, 2]


def test_every_missing_name_says_so(sections):
    """Whatever the page says is not here raises NotHere where its module or class is."""
    for section in sections.values():
        home = api_status._home(section.name)
        if section.name == "torch.Tensor":
            home = torch.ones(1)
        for name in (
            [*section.not_yet, *section.never] if home is not None and section.name != "functorch" else ()
        ):
            with pytest.raises(api_names.NotHere, match=name):
                getattr(home, name)


@pytest.mark.parametrize("of", [torch, torch.cuda, torch.cpu, torch.nn.functional, torch.ones(1)])
def test_other_names_are_not_there(of):
    with pytest.raises(AttributeError, match=r"has no attribute 'no_such_name'$"):
        of.no_such_name  # noqa: B018


def test_an_attribute_error_inside_a_property_is_its_own():
    class Wrong(torch.Tensor):
        @property
        def broken(self):
            return self.not_there

    with pytest.raises(AttributeError, match=r"^'Wrong' object has no attribute 'not_there'$"):
        torch.ones(1).as_subclass(Wrong).broken  # noqa: B018


def test_the_list_is_pytorchs():
    """The data file names what the installed PyTorch has."""
    pytest.importorskip("torch")
    spec = importlib.util.spec_from_file_location("make_api", ROOT / "docs" / "make_api.py")
    make_api = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_api)
    assert api_names.names()["torch.distributions"] == make_api.public("torch.distributions")
    assert api_names.names()["torch.Tensor"] == make_api.public("torch.Tensor")


test_the_list_is_pytorchs = pytest.mark.parity(test_the_list_is_pytorchs)
