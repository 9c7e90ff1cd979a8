"""Copies of storages, and bytes written to them."""

from __future__ import annotations

import functorch_lite as torch


def test_clone_and_fill():
    t = torch.ones(3)
    shared, copied = t.untyped_storage(), t.untyped_storage().clone()
    assert copied.fill_(0).tolist() == [0] * 12 and t.tolist() == [1, 1, 1]
    assert shared.fill_(0) is shared and t.tolist() == [0, 0, 0]
    t = torch.arange(4, dtype=torch.int16)
    t.untyped_storage()[2:4].fill_(1)
    assert t.tolist() == [0, 257, 2, 3]


def test_uninitialized_memory_is_filled():
    assert torch.utils.deterministic.fill_uninitialized_memory is True
