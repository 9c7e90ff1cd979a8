"""What `help()` and editors show of functions that pass their arguments on."""

from __future__ import annotations

import inspect

import pytest

import functorch_lite as torch

SHOWN = {
    "Tensor.scatter_": "(input, dim, index, src=None, *, value=None, reduce=None)",
    "scatter": "(input, dim, index, src=None, *, value=None, reduce=None, out=None)",
    "Tensor.index_add_": "(input, dim, index, source, *, alpha=1)",
    "gather": "(input, dim, index, *, sparse_grad=False, out=None)",
    "index_select": "(input, dim, index, *, out=None)",
    "Tensor.put_": "(input, index, source, accumulate=False)",
    "take": "(input, index, *, out=None)",
    "Tensor.transpose_": "(input, dim0, dim1)",
    "Tensor.unsqueeze_": "(input, dim)",
    "unsafe_chunk": "(input, chunks, dim=0)",
    "transpose_copy": "(input, dim0, dim1, *, out=None)",
    "unbind_copy": "(input, dim=0, *, out=None)",
}


@pytest.mark.parametrize("name", SHOWN)
def test_signature(name):
    owner, _, short = name.rpartition(".")
    assert str(inspect.signature(getattr(torch.Tensor if owner else torch, short))) == SHOWN[name]
