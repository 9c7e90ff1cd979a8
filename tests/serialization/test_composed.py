"""Sparse and nested tensors and storages in files, to and from PyTorch."""

from __future__ import annotations

import io
import pickle
import warnings

import pytest

import functorch_lite as torch


def made(M):
    """Tensors that are made of others."""
    d = M.tensor([[0.0, 1, 0, 2], [3, 0, 0, 0], [0, 0, 0, 0], [0, 0, 5, 0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            "coo": d.to_sparse(),
            "repeated": M.sparse_coo_tensor([[0, 0]], [1.0, 2.0], (2,)),
            "hybrid": d.to_sparse(1),
            "empty": M.sparse_coo_tensor((2, 3)),
            "csr": d.to_sparse_csr(),
            "csc": d.double().to_sparse_csc(),
            "bsr": d.to_sparse_bsr((2, 2)),
            "bsc": d.to_sparse_bsc((1, 4)),
            "batch": M.stack([d, d]).to_sparse_csr(),
            "nested": M.nested.nested_tensor([M.ones(2, 3), M.zeros(1, 2)]),
        }


NAMES = list(made(torch))


def file_of(x, M):
    buffer = io.BytesIO()
    M.save(x, buffer)
    buffer.seek(0)
    return buffer


@pytest.mark.parametrize("name", NAMES)
def test_there_and_back(name):
    t = made(torch)[name]
    for again in (torch.load(file_of({"t": t}, torch))["t"], pickle.loads(pickle.dumps(t))):
        assert repr(again) == repr(t) and again.layout is t.layout and again.dtype is t.dtype
    if name in ("coo", "repeated"):
        assert again.is_coalesced() is t.is_coalesced()


@pytest.mark.parity
@pytest.mark.parametrize("name", NAMES)
def test_to_and_from_pytorch(name):
    reference = pytest.importorskip("torch")
    ours, theirs = made(torch)[name], made(reference)[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert repr(torch.load(file_of(theirs, reference))) == repr(ours)
        assert repr(reference.load(file_of(ours, torch))) == repr(theirs)


def test_gradients_of_nested_tensors():
    n = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], requires_grad=True)
    again = torch.load(file_of(n, torch))
    assert again.requires_grad and again.is_leaf


def test_storages_are_shared():
    t = torch.arange(4.0)
    s, again = torch.load(file_of([t.storage(), t], torch))
    assert torch.is_storage(s) and s.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert s.data_ptr() == again.storage().data_ptr()
    alone = torch.load(file_of({"s": (t.untyped_storage(),)}, torch))["s"][0]
    assert torch.is_storage(alone) and alone.nbytes() == 16


def test_damaged_parts_are_refused():
    for layout, data in (
        (torch.sparse_coo, ([[0]], torch.ones(1), (1,))),
        (torch.sparse_csr, (torch.ones(1), torch.ones(1))),
        (3, ()),
    ):
        with pytest.raises((pickle.UnpicklingError, RuntimeError, ValueError)):
            torch.serialization.composed.rebuild_sparse(layout, data)
    out_of_range = (torch.tensor([[5]]), torch.ones(1), (2,), True)
    with pytest.raises(RuntimeError, match="size is inconsistent with indices"):
        torch.serialization.composed.rebuild_sparse(torch.sparse_coo, out_of_range)


def test_jagged_tensors_are_refused():
    j = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)
    assert not hasattr(j, "nothing")
    with pytest.raises(NotImplementedError, match="save values"):
        file_of(j, torch)
