"""What PyTorch's C++ code warns of: the same sentences, at the user's line, as often."""

from __future__ import annotations

import warnings

import pytest

import functorch_lite as ours
from functorch_lite._core.words import advice
from functorch_lite.overrides import BaseTorchFunctionMode


def leaf(t, *shape):
    return t.ones(*shape, requires_grad=True)


CASES = {
    "T of 3": lambda t: t.ones(2, 3, 4).T,
    "T of 1": lambda t: t.ones(2).T,
    "T of 2": lambda t: t.ones(2, 3).T,
    "T of 0": lambda t: t.ones(()).T,
    "mT of 0": lambda t: t.ones(()).mT,
    "H of 0": lambda t: t.ones(()).H,
    "mH of 0": lambda t: t.ones(()).mH,
    "adjoint of 0": lambda t: t.ones(()).adjoint(),
    "grad of a leaf": lambda t: leaf(t, 2).grad,
    "grad of what needs none": lambda t: t.ones(2).grad,
    "grad of a result": lambda t: (leaf(t, 2) * 2).grad,
    "grad of a detached result": lambda t: (leaf(t, 2) * 2).detach().grad,
    "tensor of a tensor": lambda t: t.tensor(t.ones(2)),
    "as_tensor of a tensor": lambda t: t.as_tensor(t.ones(2)),
    "new_tensor of a tensor": lambda t: t.ones(2).new_tensor(t.ones(2)),
    "tensor of a list of tensors": lambda t: t.tensor([t.ones(()), t.ones(())]),
    "float": lambda t: float(leaf(t, 1)),
    "complex": lambda t: complex(leaf(t, 1)),
    "int, bool, item, tolist": lambda t: (int(leaf(t, 1)), bool(leaf(t, 1)), leaf(t, 1).item(), leaf(t, 1).tolist()),
    "float of a detached one": lambda t: float(leaf(t, 1).detach()),
    "std of one": lambda t: t.ones(1).std(),
    "var of none": lambda t: t.ones(0).var(),
    "var of a row": lambda t: t.ones(3, 1).var(1),
    "var of no rows": lambda t: t.ones(0, 3).var(1),
    "var of one, biased": lambda t: (t.ones(1).var(unbiased=False), t.ones(1).var(False), t.ones(1).var(correction=0)),
    "var of nothing, biased": lambda t: t.ones(0).var(False),
    "std_mean, correction": lambda t: t.std_mean(t.ones(3), correction=3),
    "var_mean, less correction": lambda t: t.var_mean(t.ones(3), correction=2.5),
    "cov": lambda t: t.ones(3, 1).cov(),
    "corrcoef": lambda t: t.ones(3, 1).corrcoef(),
    "cov of enough": lambda t: t.cov(t.eye(3)),
    "complex to real": lambda t: t.ones(2, dtype=t.complex64).float(),
    "complex to an integer": lambda t: t.ones(2, dtype=t.complex64).to(t.int32),
    "complex to bool": lambda t: t.ones(2, dtype=t.complex64).bool(),
    "complex written to real": lambda t: t.ones(2).copy_(t.ones(2, dtype=t.complex64)),
    "gradient of a complex product": lambda t: (leaf(t, 2) * t.ones(2, dtype=t.complex64)).abs().sum().backward(),
    "meshgrid": lambda t: t.meshgrid(t.ones(2), t.ones(3)),
    "meshgrid, indexing": lambda t: t.meshgrid(t.ones(2), t.ones(3), indexing="ij"),
    "out= of another shape": lambda t: t.add(t.ones(2), 1, out=t.ones(3)),
    "out= without elements": lambda t: t.add(t.ones(2), 1, out=t.ones(0)),
    "out= of two": lambda t: t.sort(t.ones(3), out=(t.ones(2), t.ones(3).long())),
    "out= of what makes numbers": lambda t: (t.zeros(3, out=t.ones(2)), t.rand(3, out=t.ones(2)), t.eye(3, out=t.ones(2))),
    "out= of arange": lambda t: t.arange(3, out=t.ones(2)),
    "same, even kernel": lambda t: t.nn.functional.conv2d(t.ones(1, 1, 5, 5), t.ones(1, 1, 3, 2), padding="same"),
    "same, even dilation": lambda t: t.nn.Conv1d(1, 1, 2, padding="same", dilation=2)(t.ones(1, 1, 5)),
    "uint8 index": lambda t: t.ones(3)[t.ones(3, dtype=t.uint8)],
    "uint8 condition": lambda t: t.where(t.ones(3, dtype=t.uint8), 1.0, 2.0),
    "cross": lambda t: t.cross(t.eye(3), t.eye(3)),
    "cross, dim": lambda t: t.cross(t.eye(3), t.eye(3), dim=0),
    "range": lambda t: t.range(0, 3),
    "cholesky": lambda t: t.eye(2).cholesky(),
    "qr": lambda t: t.qr(t.eye(2)),
    "lu": lambda t: t.lu(t.eye(2)),
    "triangular_solve": lambda t: t.triangular_solve(t.eye(2), t.eye(2)),
    "chain_matmul": lambda t: t.chain_matmul(t.eye(2), t.eye(2)),
    "stft": lambda t: t.stft(t.ones(100), 20, return_complex=True),
    "stft, window": lambda t: t.stft(t.ones(100), 20, return_complex=True, window=t.ones(20)),
    "istft": lambda t: t.istft(t.ones(11, 5, dtype=t.complex64), 20),
    "storage": lambda t: t.ones(2).storage(),
    "resize": lambda t: t.ones(2).resize(2),
}  # fmt: skip

SILENT = {
    "T of 2", "grad of a leaf", "grad of what needs none", "grad of a detached result", "as_tensor of a tensor", "tensor of a list of tensors",
    "int, bool, item, tolist", "float of a detached one", "var of one, biased", "var_mean, less correction", "cov of enough",
    "complex to bool", "gradient of a complex product", "meshgrid, indexing", "out= without elements", "out= of what makes numbers", "same, even dilation", "cross, dim",
    "stft, window",
}  # fmt: skip


def told(lib, name: str) -> list[tuple[type, str]]:
    """What the case warns of, without where in C++ it was said."""
    lib.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            CASES[name](lib)
    finally:
        lib.set_warn_always(False)
    return [(w.category, str(w.message).split(" (Triggered")[0]) for w in caught]


@pytest.mark.parametrize("name", CASES)
def test_who_is_advised(name):
    assert [kind for kind, _ in told(ours, name)] == ([] if name in SILENT else [UserWarning])


@pytest.mark.parity
@pytest.mark.parametrize("name", CASES)
def test_beside_torch(name):
    torch = pytest.importorskip("torch")
    torch.storage._reset_warn_typed_storage_removal()  # said once, whatever set_warn_always says
    assert told(ours, name) == told(torch, name)


def test_once_and_at_the_users_line(monkeypatch):
    monkeypatch.setattr(advice, "_given", set())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            ours.eye(2).lu()
            (leaf(ours, 2) * 2).grad  # noqa: B018
    assert {w.filename for w in caught} == {__file__}
    assert [str(w.message)[:10] for w in caught].count("The .grad ") == 2
    assert sum("torch.lu" in str(w.message) for w in caught) == 1
    with warnings.catch_warnings(record=True) as caught, BaseTorchFunctionMode():
        warnings.simplefilter("always")
        ours.range(0, 3)
    assert [w.filename for w in caught] == [__file__]
    with pytest.raises(RuntimeError, match="setWarnOnlyOnce expects a bool, but got int"):
        ours.set_warn_always(1)
    assert not ours.is_warn_always_enabled()
