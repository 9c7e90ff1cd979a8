"""Tensors print to the letter as in torch (golden/printing.json and printing_cases.json, made by
golden/make_printing.py)."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.words import dtypes
from functorch_lite._core.words.printing import (
    format_tensor,
    get_printoptions,
    printoptions,
    set_printoptions,
)
from tests.printing_cases import CASES, text

GOLDEN = Path(__file__).parent / "golden"
RECORDS = json.loads((GOLDEN / "printing.json").read_text())["records"]
CASE_TEXTS = json.loads((GOLDEN / "printing_cases.json").read_text())


def _array(record: dict) -> np.ndarray:
    values, target = record["values"], dtypes.DTYPES[record["dtype"]].np
    if values == "arange":
        flat = np.arange(math.prod(record["shape"]))
    elif values and any(isinstance(v, list) for v in values):
        flat = np.array([complex(*v) if isinstance(v, list) else v for v in values])
    else:
        flat = np.array(values)
    return flat.astype(target).reshape(record["shape"])


@pytest.mark.parametrize("name", RECORDS)
def test_text_is_torchs(name):
    record = RECORDS[name]
    role = record["role"]
    with printoptions(**record["options"]):
        text = format_tensor(
            _array(record),
            dtypes.DTYPES[record["dtype"]],
            "cpu",
            role in ("leaf", "result", "parameter"),
            "AddBackward0" if role == "result" else None,
            is_parameter=role == "parameter",
        )
    assert text == record["text"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_case_prints_as_recorded(name):
    assert text(CASES[name], torch) == CASE_TEXTS[name]


def test_every_case_is_recorded():
    assert set(CASES) == set(CASE_TEXTS), "run `python -m tests.golden.make_printing` (needs torch)"


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_case_prints_as_in_torch(name):
    real = pytest.importorskip("torch")
    assert text(CASES[name], torch) == text(CASES[name], real)


def test_device_is_said_unless_cpu():
    one = np.ones(2, np.float32)
    assert format_tensor(one, dtypes.float32, "cuda:0") == "tensor([1., 1.], device='cuda:0')"
    assert (
        format_tensor(one, dtypes.float64, "meta")
        == "tensor(..., device='meta', size=(2,), dtype=torch.float64)"
    )


def test_default_dtype_decides_whether_dtype_is_said():
    dtypes.set_default_dtype(dtypes.float64)
    try:
        assert format_tensor(np.ones(1), dtypes.float64) == "tensor([1.])"
        assert format_tensor(np.ones(1, np.complex128), dtypes.complex128) == "tensor([1.+0.j])"
        assert format_tensor(np.ones(1, np.float32), dtypes.float32) == "tensor([1.], dtype=torch.float32)"
    finally:
        dtypes.set_default_dtype(dtypes.float32)


def test_options_come_back_after_the_context():
    before = get_printoptions()
    with pytest.raises(KeyError), printoptions(precision=1, profile="short"):
        assert get_printoptions() == {**before, "precision": 1, "edgeitems": 2}
        raise KeyError
    assert get_printoptions() == before


def test_sci_mode_is_reset_by_any_later_call():
    try:
        set_printoptions(sci_mode=True)
        assert get_printoptions()["sci_mode"] is True
        set_printoptions(precision=4)
        assert get_printoptions()["sci_mode"] is None
    finally:
        set_printoptions(profile="default")
