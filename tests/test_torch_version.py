"""torch.torch_version: a version that is compared as one."""

from __future__ import annotations

import operator

import pytest

import functorch_lite
from functorch_lite.compat import TORCH_VERSION
from functorch_lite.torch_version import TorchVersion, __version__

RISING = [
    "1", "1.13", "2.9.1", "2.13.0.dev20250101", "2.13.0a0", "2.13.0a0+git123", "2.13.0b2", "2.13.0rc1.dev2", "2.13.0rc1", "2.13.0",
    "2.13.0+cpu", "2.13.0+cu118", "2.13.0+1", "2.13.0.post1.dev3", "2.13.0.post1", "2.13.1", "10.0", "1!1.0",
]  # fmt: skip
TUPLES = [(1, 13), (2,), (2, 13), (2, 13, 0), (2, 13, 1), ("2", "14"), [2, 13], range(2)]
COMPARED = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


def test_versions_are_ordered():
    for i, a in enumerate(RISING):
        for j, b in enumerate(RISING):
            for other in (b, TorchVersion(b)):
                assert (TorchVersion(a) < other) == (i < j) and (TorchVersion(a) >= other) == (i >= j), (a, b)


def test_tuples():
    v = TorchVersion("2.13.0+cpu")
    assert v >= (1, 13) and v > (2, 13) and v < (2, 13, 1) and (2, 13) < v
    assert TorchVersion("2.13.0") == (2, 13) == TorchVersion("2.13")
    with pytest.raises(TypeError):
        v > 5  # noqa: B015


def test_it_is_a_string():
    v = TorchVersion("2.13.0")
    assert (
        isinstance(v, str)
        and v == "2.13.0"
        and v.split(".")[0] == "2"
        and {"2.13.0": 1}[v] == 1
        and repr(v) == "'2.13.0'"
    )
    assert TorchVersion("parrot") == "parrot" and TorchVersion("parrot") > "owl"


def test_which_it_is():
    assert functorch_lite.version.__version__ == __version__ == TORCH_VERSION == "2.13.0"
    assert type(functorch_lite.version.__version__) is str and TORCH_VERSION >= (1, 13)


@pytest.mark.parity
def test_beside_pytorch():
    theirs = pytest.importorskip("torch").torch_version.TorchVersion
    packaging = pytest.importorskip("packaging.version").Version

    def outcome(compare, kind, a, b):
        try:
            return compare(kind(a), b)
        except Exception as error:
            return type(error)

    from torch._vendor.packaging.version import Version

    others = [*RISING, *TUPLES, *map(Version, RISING), "parrot", "", 5, None, 2.0, (), (1, "x")]
    for a in [*RISING, "parrot", ""]:
        for b in others:
            for compare in COMPARED:
                assert outcome(compare, TorchVersion, a, b) == outcome(compare, theirs, a, b), (a, b, compare)
    assert TorchVersion("2.13.0") > packaging("1.0")
