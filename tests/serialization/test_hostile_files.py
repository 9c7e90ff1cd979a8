"""Damaged and hostile files under the default: refused with a sentence, and nothing of them executed. 200; 2,000 with
FUNCTORCH_LITE_PARITY=full."""

from __future__ import annotations

import io
import os
import pickle
import sys

import pytest

import functorch_lite as torch
from tests.serialization import hostile
from tests.support.watched import watching

COUNT = 2000 if os.environ.get("FUNCTORCH_LITE_PARITY") == "full" else 200
PLAIN = (
    int,
    float,
    str,
    bytes,
    bool,
    type(None),
    torch.dtype,
    torch.Size,
    torch.device,
    torch.layout,
    torch.memory_format,
)
REFUSALS = (pickle.UnpicklingError, RuntimeError, EOFError, NotImplementedError, ValueError)


def is_data(x, depth: int = 0) -> bool:
    """Whether what was read is tensors, numbers, texts and plain containers."""
    if isinstance(x, dict):
        return all(is_data(y) for pair in x.items() for y in pair)
    if isinstance(x, list | tuple | set | frozenset) and type(x) is not torch.Size:
        return all(map(is_data, x))
    return isinstance(x, (torch.Tensor, *PLAIN))


def test_files_that_would_run_something(recwarn):
    read, before = [], set(sys.modules)
    for what, is_hostile, data in hostile.files(COUNT, seed=11):
        with watching() as seen:
            try:
                found = torch.load(io.BytesIO(data))
            except REFUSALS as error:
                assert str(error), what
                found = None
            else:
                read.append(is_hostile)
                assert not is_hostile, f"was read: {what}"
                assert is_data(found), what
        assert not seen, f"{what} did {seen}"
    assert not hostile.calls
    assert not (set(sys.modules) - before) & {m for m, _ in hostile.TARGETS}
    assert len(read) < COUNT / 4  # the rest of the damage does not matter, or cannot be seen


def test_the_watch_sees_what_is_executed():
    with watching() as seen:
        torch.load(
            io.BytesIO(hostile.packed(b"\x80\x02cos\nsystem\nX\x04\x00\x00\x00true\x85R.", False)),
            weights_only=False,
        )
        torch.load(
            io.BytesIO(hostile.packed(b"\x80\x02cbuiltins\neval\nX\x03\x00\x00\x001+1\x85R.", True)),
            weights_only=False,
        )
    assert {"os.system", "exec"} <= {event for event, _ in seen}
    data = hostile.packed(b"\x80\x02ctests.serialization.hostile\nran\n)R.", True)
    torch.load(io.BytesIO(data), weights_only=False)
    assert hostile.calls.pop() == ((), {})


@pytest.mark.parametrize("old", [False, True])
def test_a_deep_pickle_is_refused(old):
    deep = b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999 + b"."
    with pytest.raises(pickle.UnpicklingError, match="nested too deeply"):
        torch.load(io.BytesIO(hostile.packed(deep, old)))
