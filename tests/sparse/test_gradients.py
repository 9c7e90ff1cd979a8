"""Sparse gradients, and those of sparse tensors."""

from __future__ import annotations

import pytest

import functorch_lite as torch

from . import gradient_programs as programs


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore:Using backward", "ignore:Sparse invariant")
@pytest.mark.parametrize("program", programs.PROGRAMS, ids=lambda p: p.__name__)
def test_as_in_pytorch(program):
    theirs = pytest.importorskip("torch")
    assert program(torch) == program(theirs)


def test_a_function_may_return_a_sparse_gradient():
    first, second, same, alone = programs.of_a_function(torch)
    assert first == {"at": [[1, 3]], "values": [[2, 2], [1, 1]], "size": (4, 2)}
    assert second["at"] == [[0, 1, 3]] and second["values"][0] == [1, 1] and same
    assert alone == {"at": [[2]], "values": [[1, 1]], "size": (4, 2)}


def test_sparse_and_dense_are_added():
    together, alone, sparse_first, _, dense_first, *_ = programs.added(torch)
    assert together == [[2, 2], [3, 3], [2, 2], [2, 2]] and alone["at"] == [[1]]
    assert sparse_first == dense_first == [[3, 3], [4, 4], [3, 3], [4, 4]]


def test_of_values_that_are_added_each_has_the_gradient_of_the_sum():
    *_, twice, twice_too, _, _ = programs.of_sparse_tensors(torch)
    assert twice == twice_too == {"at": [[0, 1], [2, 0]], "values": [2, 3], "size": (3, 3)}


def test_a_gradient_of_other_indices_is_refused():
    class Dense(torch.autograd.Function):
        @staticmethod
        def forward(ctx, s):
            return s.to_dense()

        @staticmethod
        def backward(ctx, grad):
            return grad

    s = torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (3,)).requires_grad_()
    with pytest.raises(NotImplementedError, match="not the indices of the sparse tensor"):
        Dense.apply(s).sum().backward()
