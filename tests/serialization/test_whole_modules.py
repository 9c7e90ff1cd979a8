"""Whole modules in files: `load(weights_only=False)` makes them anew, of the classes that the file names."""

from __future__ import annotations

import importlib
import io
import pickle
import sys
import types

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


def _without(module, *names):
    """The module as a file has it from which these attributes are missing."""
    file = file_of(module)
    kind = type(module)
    keep = kind.__getstate__
    kind.__getstate__ = lambda self: {k: v for k, v in keep(self).items() if k not in names}
    try:
        file = file_of(module)
    finally:
        del kind.__getstate__
    return torch.load(file, weights_only=False)


X = torch.arange(24.0).reshape(2, 3, 4) / 24
FILLED_IN = [
    (lambda: nn.Softmax(), ["dim"], X),
    (lambda: nn.LogSoftmax(), ["dim"], X),
    (lambda: nn.Softmin(), ["dim"], X),
    (lambda: nn.Conv1d(3, 2, 2), ["padding_mode"], X),
    (lambda: nn.ConvTranspose1d(3, 2, 2), ["padding_mode"], X),
    (lambda: nn.AvgPool3d(2), ["padding", "ceil_mode", "count_include_pad"], torch.ones(1, 1, 2, 3, 4)),
    (lambda: nn.LSTM(4, 5, 2, bidirectional=True), ["proj_size"], X),
    (lambda: nn.GRU(4, 5), ["proj_size"], X),
    (lambda: nn.RNN(4, 5), ["proj_size"], X),
    (lambda: nn.Upsample(scale_factor=2, recompute_scale_factor=True), ["recompute_scale_factor"], X),
    (lambda: nn.UpsamplingNearest2d(scale_factor=2), ["recompute_scale_factor"], X[None]),
    (lambda: nn.UpsamplingBilinear2d(scale_factor=2), ["recompute_scale_factor"], X[None]),
    (lambda: nn.TransformerEncoderLayer(4, 2, 8, 0.0), ["activation"], X),
    (lambda: nn.TransformerDecoderLayer(4, 2, 8, 0.0), ["activation"], (X, X)),
    (lambda: nn.MultiheadAttention(4, 2), ["_qkv_same_embed_dim"], (X, X, X)),
]
"""Modules, what PyTorch 2.13 fills in when it unpickles them from files of older versions, and inputs."""


@pytest.mark.parametrize("make, names, inputs", FILLED_IN, ids=lambda x: x[0] if isinstance(x, list) else "")
def test_what_old_files_lack(make, names, inputs):
    module = make()
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    with torch.no_grad():
        for name in names:
            found, expected = _without(module, name)(*inputs), module(*inputs)
            if isinstance(expected, tuple):
                found, expected = found[0], expected[0]
            assert torch.equal(found, expected), name
        assert vars(_without(module, *names)).keys() >= {*names}


@pytest.mark.parity
def test_pytorch_fills_in_no_more():
    import torch as pytorch

    fill = {
        name
        for place in dir(pytorch.nn.modules)
        if isinstance(getattr(pytorch.nn.modules, place), types.ModuleType)
        for name, kind in vars(getattr(pytorch.nn.modules, place)).items()
        if isinstance(kind, type)
        and issubclass(kind, pytorch.nn.Module)
        and "__setstate__" in vars(kind)
        and kind.__module__.startswith("torch.nn.modules.")
    } - {"Module"}
    bases = {base.__name__ for make, _, _ in FILLED_IN for base in type(make()).__mro__}
    assert fill and fill <= bases, fill - bases


def test_an_activation_that_is_a_module_stays():
    """PyTorch puts relu over it when it loads a decoder layer."""
    layer = nn.TransformerDecoderLayer(4, 2, 8, 0.0, activation=nn.GELU())
    found = torch.load(file_of(layer), weights_only=False)
    assert type(found.activation) is nn.GELU and torch.equal(found(X, X), layer(X, X))


def test_the_oldest_recurrent_layers():
    """The names of their weights are in `all_weights`."""
    layer = nn.LSTM(4, 5)
    found = nn.LSTM.__new__(nn.LSTM)
    state = layer.__getstate__()
    del state["proj_size"]
    found.__setstate__(
        {**state, "all_weights": [["weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"]]}
    )
    assert "all_weights" not in vars(found) and torch.equal(found(X)[0], layer(X)[0])


TRUSTED = [
    lambda: nn.MultiheadAttention(4, 2),
    lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, activation="gelu"), 1, nn.LayerNorm(4), False),
    lambda: nn.Transformer(4, 2, 1, 1, 8),
    lambda: nn.LSTMCell(4, 2),
    lambda: nn.ParameterList([nn.Parameter(torch.ones(2))]),
    lambda: nn.ParameterDict({"a": nn.Parameter(torch.ones(2))}),
    lambda: nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten()),
    lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2]),
    lambda: nn.ModuleList([nn.ConstantPad1d(1, 0.0), nn.CrossEntropyLoss(), nn.Identity()]),
    lambda: torch.optim.SGD([torch.ones(1, requires_grad=True)], 0.1),
    lambda: torch.optim.Adafactor([torch.ones(1, requires_grad=True)], 0.1),
    lambda: torch.optim.lr_scheduler.StepLR(torch.optim.Adam([torch.ones(1, requires_grad=True)]), 3),
]  # fmt: skip


@pytest.mark.parametrize("make", TRUSTED)
def test_classes_that_were_allowed_are_found_under_the_names_in_the_file(make):
    """The file has PyTorch's module of a class, which here may be another."""
    thing = make()
    kinds = (
        {type(m) for m in thing.modules()}
        if isinstance(thing, nn.Module)
        else {type(thing), type(getattr(thing, "optimizer", thing))}
    )
    others = [nn.functional.relu, nn.functional.gelu, set]
    names = torch.serialization.get_unsafe_globals_in_checkpoint(file_of(thing))
    assert names and all(
        name.startswith(("torch.", "collections.", "builtins.", "weakref.")) for name in names
    ), names
    with torch.serialization.safe_globals([*kinds, *others, *_more(names)]):
        assert torch.serialization.get_unsafe_globals_in_checkpoint(file_of(thing)) == []
        found = torch.load(file_of(thing), weights_only=True)
    assert type(found) is type(thing)
    for kind in kinds:  # one that was not allowed is refused
        with torch.serialization.safe_globals([*(kinds - {kind}), *others, *_more(names)]):
            with pytest.raises(pickle.UnpicklingError, match="Unsupported global"):
                torch.load(file_of(thing), weights_only=True)


def _more(names):
    """What a file names that is neither torch's nor refused: defaultdict, say."""
    return [
        getattr(importlib.import_module(n.rpartition(".")[0]), n.rpartition(".")[2])
        for n in names
        if not n.startswith("torch.")
    ]
