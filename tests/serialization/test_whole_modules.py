"""Whole modules in files: `load(weights_only=False)` makes them anew, of the classes that the file names."""

from __future__ import annotations

import importlib
import io
import pickle
import sys

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.activation = nn.functional.relu
        self.register_buffer("seen", torch.tensor(7))

    def forward(self, x):
        return self.activation(self.linear(x))


def file_of(x, **how):
    file = io.BytesIO()
    torch.save(x, file, **how)
    file.seek(0)
    return file


@pytest.mark.parametrize("protocol", [2, 4])
def test_there_and_back(protocol):
    model = nn.Sequential(Block(), nn.BatchNorm1d(3), nn.Dropout(0.5), nn.LSTM(3, 2)).eval()
    file = file_of({"model": model, "step": 3}, pickle_protocol=protocol)
    with pytest.raises(pickle.UnpicklingError, match="Unsupported global"):
        torch.load(file)
    file.seek(0)
    found = torch.load(file, weights_only=False)["model"]
    x = torch.randn(4, 3)
    assert type(found[0]) is Block and not found.training and found[0].seen == 7
    assert torch.equal(found(x)[0], model(x)[0])
    assert [n for n, _ in found.named_parameters()] == [n for n, _ in model.named_parameters()]
    found[:3](x).sum().backward()
    assert found[0].linear.weight.grad is not None and model[0].linear.weight.grad is None


def test_a_class_of_a_module_that_is_imported_for_it(tmp_path, monkeypatch):
    (tmp_path / "someones_models.py").write_text(
        "import functorch_lite as torch\nclass Net(torch.nn.Linear):\n    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    kind = importlib.import_module("someones_models").Net
    file = file_of(kind(2, 2))
    del sys.modules["someones_models"]
    found = torch.load(file, weights_only=False)
    assert type(found).__name__ == "Net" and "someones_models" in sys.modules
    del sys.modules["someones_models"].Net
    file.seek(0)
    with pytest.raises(AttributeError, match="Net"):
        torch.load(file, weights_only=False)
    del sys.modules["someones_models"]
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError, match=r"Unsupported global: GLOBAL someones_models\.Net"):
        torch.load(file)
    assert "someones_models" not in sys.modules


@pytest.mark.parity
def test_modules_of_pytorch():
    import torch as pytorch

    p = pytorch.nn
    pytorch.manual_seed(0)
    image, sequence, rows = pytorch.randn(2, 1, 4, 4), pytorch.randn(2, 3, 8), pytorch.randn(2, 8)
    cases = [
        (p.Sequential(p.Linear(8, 8), p.ReLU(), p.Dropout(0.1), p.LayerNorm(8), p.Linear(8, 3)), (rows,)),
        (p.Sequential(p.Conv2d(1, 4, 3), p.BatchNorm2d(4), p.GELU(), p.MaxPool2d(2), p.Flatten()), (image,)),
        (p.Sequential(p.ConvTranspose2d(1, 2, 3), p.GroupNorm(1, 2), p.SiLU()), (image,)),
        (p.LSTM(8, 5, 2, batch_first=True), (sequence,)),
        (p.GRU(8, 5, bidirectional=True), (sequence,)),
        (p.MultiheadAttention(8, 2, batch_first=True), (sequence, sequence, sequence)),
        (p.TransformerEncoderLayer(8, 2, 16, batch_first=True), (sequence,)),
        (p.TransformerEncoder(p.TransformerEncoderLayer(8, 2, 16, activation="gelu"), 2, enable_nested_tensor=False), (sequence,)),
    ]  # fmt: skip
    for module, inputs in cases:
        file = io.BytesIO()
        pytorch.save(module.eval(), file)
        file.seek(0)
        found = torch.load(file, weights_only=False)
        expected, got = module(*inputs), found(*[torch.tensor(x.numpy()) for x in inputs])
        if isinstance(expected, tuple):
            expected, got = expected[0], got[0]
        np.testing.assert_allclose(
            got.detach().numpy(), expected.detach().numpy(), atol=2e-5, err_msg=str(module)
        )


@pytest.mark.parity
def test_pytorch_reads_our_modules(tmp_path):
    import torch as pytorch

    model = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.ReLU()).eval()
    torch.save(model, tmp_path / "model.pt")
    theirs = pytorch.load(tmp_path / "model.pt", weights_only=False)
    x = torch.randn(5, 4)
    assert type(theirs) is pytorch.nn.Sequential
    np.testing.assert_allclose(
        theirs(pytorch.tensor(x.numpy())).detach().numpy(), model(x).detach().numpy(), atol=1e-5
    )
