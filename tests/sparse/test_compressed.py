"""The compressed sparse forms beside CSR: CSC, BSR, BSC. What is expected was observed in PyTorch 2.13."""

from __future__ import annotations

import pytest

import functorch_lite as torch

ROWS = [[0.0, 1.0, 0.0, 2.0], [3.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 5.0, 0.0]]
FORMS = {"csc": (), "bsr": ((2, 2),), "bsc": ((1, 4),)}


def made(name, library=torch):
    return getattr(library.tensor(ROWS), f"to_sparse_{name}")(*FORMS[name])


@pytest.mark.parametrize("name", FORMS)
def test_to_and_fro(name):
    s = made(name)
    assert (
        s.layout is getattr(torch, f"sparse_{name}")
        and s.shape == (4, 4)
        and not s.is_sparse
        and not s.is_sparse_csr
    )
    for other in (
        s,
        s.clone(),
        s.to_sparse(),
        s.to_sparse_csr(),
        s.to_sparse(layout=torch.sparse_csr),
        s.to_sparse_bsr((2, 2)),
    ):
        assert other.to_dense().tolist() == ROWS
    for dense in (torch.tensor(ROWS).to_sparse(), torch.tensor(ROWS).to_sparse_csr()):
        again = getattr(dense, f"to_sparse_{name}")(*FORMS[name])
        assert again.layout is s.layout and again.values().tolist() == s.values().tolist()
    blocksize = {"blocksize": FORMS[name][0]} if FORMS[name] else {}
    assert torch.tensor(ROWS).to_sparse(layout=s.layout, **blocksize).values().tolist() == s.values().tolist()


def test_indices():
    c, b = made("csc"), made("bsr")
    assert c.ccol_indices().tolist() == [0, 1, 2, 3, 4] and c.row_indices().tolist() == [1, 0, 3, 0]
    assert c.values().tolist() == [3.0, 1.0, 5.0, 2.0]
    assert (
        b.crow_indices().tolist() == [0, 2, 3]
        and b.col_indices().tolist() == [0, 1, 1]
        and b.values().shape == (3, 2, 2)
    )
    assert torch.ccol_indices_copy(c).tolist() == c.ccol_indices().tolist()
    with pytest.raises(
        RuntimeError, match="crow_indices expected sparse row compressed tensor layout but got SparseCsc"
    ):
        c.crow_indices()
    with pytest.raises(
        RuntimeError, match="ccol_indices expected sparse column compressed tensor layout but got Strided"
    ):
        torch.ones(2, 2).ccol_indices()


def test_explicit_zeros_are_kept():
    s = torch.sparse_coo_tensor([[0, 1], [1, 0]], [0.0, 4.0], (2, 2))
    assert s.to_sparse_csc().values().tolist() == [4.0, 0.0]


def test_arithmetic():
    c, b = made("csc"), made("bsr")
    dense = torch.tensor(ROWS)
    assert (c @ torch.eye(4)).tolist() == ROWS and torch.sparse.mm(b, torch.ones(4, 1)).tolist() == [
        [3.0],
        [3.0],
        [0.0],
        [5.0],
    ]
    assert (2 * c).to_dense().tolist() == (2 * dense).tolist() and (-b).values().sum().item() == -11.0
    assert c.double().dtype is torch.float64 and (c / 2).layout is torch.sparse_csc
    assert (b * dense).to_dense().tolist() == (dense * dense).tolist()
    assert (b + b).to_dense().tolist() == (2 * dense).tolist() and torch.sin(c).layout is torch.sparse_csc
    for fails in (lambda: torch.cos(b), lambda: b == b, lambda: torch.max(c)):
        with pytest.raises(NotImplementedError, match="use to_dense"):
            fails()


def test_gradients():
    for name in FORMS:
        x = torch.tensor(ROWS, requires_grad=True)
        (getattr(x, f"to_sparse_{name}")(*FORMS[name]).to_dense() ** 2).sum().backward()
        assert x.grad.tolist() == (2 * x.detach()).tolist()
    v = torch.tensor([1.0, 2.0], requires_grad=True)
    (torch.sparse_csc_tensor([0, 1, 2], [1, 0], v).to_dense() ** 3).sum().backward()
    assert v.grad.tolist() == [3.0, 12.0]


def test_construction():
    blocks = [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]
    expected = [[1.0, 2.0, 0.0, 0.0], [3.0, 4.0, 0.0, 0.0], [0.0, 0.0, 5.0, 6.0], [0.0, 0.0, 7.0, 8.0]]
    assert torch.sparse_bsr_tensor([0, 1, 2], [0, 1], blocks).to_dense().tolist() == expected
    assert torch.sparse_bsc_tensor([0, 1, 2], [0, 1], blocks).to_dense().tolist() == expected
    c = torch.sparse_compressed_tensor(
        [0, 1, 2], [1, 0], [1, 2], (3, 2), layout=torch.sparse_csc, dtype=torch.float64
    )
    assert c.to_dense().tolist() == [[0.0, 2.0], [1.0, 0.0], [0.0, 0.0]] and c.dtype is torch.float64
    for fails, sentence in (
        (
            lambda: torch.sparse_csc_tensor([0, 1, 3], [1, 0], [1.0, 2.0]),
            r"`ccol_indices\[..., -1\] == nnz` is not satisfied.",
        ),
        (lambda: torch.sparse_csc_tensor([0, 1, 2], [1, 0], [1.0, 2.0], (1, 2)), "0 <= row_indices < nrows"),
        (
            lambda: torch.sparse_compressed_tensor([0], [], [], layout=torch.sparse_coo),
            "tensor layout but got Sparse",
        ),
        (lambda: torch.ones(4, 4).to_sparse_bsr((3, 2)), "must be divisible by given blocksize"),
    ):
        with pytest.raises(RuntimeError, match=sentence):
            fails()


def test_invariants_are_kept_and_told():
    check = torch.sparse.check_sparse_tensor_invariants
    assert not check.is_enabled()
    with check():
        assert check.is_enabled()
        with check(False):
            assert not check.is_enabled()
        assert check.is_enabled()
    assert check()(check.is_enabled)() and not check.is_enabled()


@pytest.mark.parity
def test_beside_pytorch():
    reference = pytest.importorskip("torch")
    for name in FORMS:
        assert repr(made(name)) == repr(made(name, reference))
    assert repr(made("csc").to_sparse_csr()) == repr(made("csc", reference).to_sparse_csr())
