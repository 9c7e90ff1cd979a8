"""torch.ao.quantization: smaller weights, quantized tensors to look at, observers, FakeQuantize. Numbers of
PyTorch's are written here as constants; beside it: the parity tests."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite.ao.quantization.modules import bytes_of

nn, quantization = torch.nn, torch.ao.quantization
X = np.random.default_rng(0).standard_normal((5, 7)).astype(np.float32) * 3


def cosine(a, b):
    a, b = a.detach().numpy(), b.detach().numpy()
    return float(((a * b).sum(-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)).min())


def test_nothing_is_computed_in_quantized_tensors():
    q = torch.quantize_per_tensor(torch.tensor(X), 0.1, 3, torch.qint8)
    assert (
        q.is_quantized
        and q.shape == (5, 7)
        and q.dtype is torch.qint8
        and q.qscheme() is torch.per_tensor_affine
    )
    for compute in (lambda: q + 1, lambda: torch.exp(q), lambda: q[0]):
        with pytest.raises(NotImplementedError, match="dequantize"):
            compute()
    assert (torch.dequantize(q) - torch.tensor(X)).abs().max() <= 0.0501
    assert torch.equal(torch.dequantize([q, q])[1], q.dequantize())
    assert torch.equal(pickle.loads(pickle.dumps(q)).int_repr(), q.int_repr())
    with pytest.raises(RuntimeError, match="kPerChannelAffine"):
        q.q_per_channel_axis()


def test_quantize_shares_tied_weights_and_keeps_results():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(50, 64)
            self.body = nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 64))
            self.head = nn.Linear(64, 50, bias=False)
            self.head.weight = self.embedding.weight

        def forward(self, x):
            return self.head(self.body(self.embedding(x)))

    torch.manual_seed(0)
    model, ids = Tied(), torch.randint(0, 50, (4, 9))
    wanted, before = model(ids), bytes_of(model)
    quantization.quantize_(
        model, quantization.Int8WeightOnlyConfig(), lambda m, name: isinstance(m, nn.Linear | nn.Embedding)
    )
    assert model.head.int_weight is model.embedding.int_weight
    assert bytes_of(model) < 0.29 * before
    assert cosine(model(ids), wanted) > 0.999
    other = Tied()
    quantization.quantize_(
        other, quantization.Int8WeightOnlyConfig(), lambda m, name: isinstance(m, nn.Linear | nn.Embedding)
    )
    other.load_state_dict(model.state_dict())
    assert torch.equal(other(ids), model(ids))


@pytest.mark.parametrize(
    ("config", "least"),
    [
        (quantization.Int8WeightOnlyConfig(), 0.9999),
        (quantization.Int4WeightOnlyConfig(group_size=32), 0.99),
        (quantization.Int8DynamicActivationInt8WeightConfig(), 0.9995),
    ],
)
def test_linear_layers(config, least):
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 32)), torch.randn(16, 128)
    wanted = model(x)
    quantization.quantize_(model, config)
    assert "Quantized" in type(model[0]).__name__
    assert least < cosine(model(x), wanted) < 1
    x.requires_grad_()
    rounds = isinstance(config, quantization.Int8DynamicActivationInt8WeightConfig)
    assert model(x).requires_grad is not rounds  # what is rounded has no gradient
    if not rounds:
        model(x).sum().backward()
        torch.testing.assert_close(
            x.grad,
            ((x @ model[0].weight().T + model[0].bias > 0).float() * model[2].weight().sum(0))
            @ model[0].weight(),
        )


def test_the_weights_are_within_half_a_step():
    torch.manual_seed(0)
    layer = nn.Linear(64, 8)
    holder = nn.Sequential(nn.Linear(64, 8))
    holder[0].load_state_dict(layer.state_dict())
    quantization.quantize_(holder, quantization.Int8WeightOnlyConfig())
    off = (holder[0].weight() - layer.weight.detach()).abs()
    assert (
        (off <= holder[0].scale[:, None] * 0.5001)
        .logical_or(off <= layer.weight.detach().abs().amax(1, keepdim=True) / 127.5 * 0.51)
        .all()
    )
    holder = nn.Sequential(layer)
    quantization.quantize_(holder, quantization.Int4WeightOnlyConfig(group_size=16))
    off = (holder[0].weight() - layer.weight.detach()).abs().reshape(8, 4, 16)
    assert (off <= holder[0].scale * 0.5001).all()


def test_convolutions():
    torch.manual_seed(0)
    model, x = (
        nn.Sequential(nn.Conv2d(3, 8, 3, padding=1, stride=2), nn.ReLU(), nn.Conv2d(8, 8, 3, groups=2)),
        torch.randn(2, 3, 9, 9),
    )
    wanted = model(x)
    quantization.quantize_(
        model, quantization.Int8WeightOnlyConfig(), lambda m, name: isinstance(m, nn.Conv2d)
    )
    assert cosine(model(x).flatten(1), wanted.flatten(1)) > 0.9995


def test_what_is_refused():
    with pytest.raises(NotImplementedError, match="LSTM"):
        quantization.quantize_dynamic(nn.Sequential(nn.LSTM(3, 2)))
    with pytest.raises(NotImplementedError, match="Conv2d"):
        quantization.quantize_(
            nn.Sequential(nn.Conv2d(3, 8, 3)),
            quantization.Int4WeightOnlyConfig(),
            lambda m, n: isinstance(m, nn.Conv2d),
        )
    with pytest.raises(NotImplementedError, match="group_size"):
        quantization.quantize_(
            nn.Sequential(nn.Linear(3, 2)), quantization.Int8WeightOnlyConfig(group_size=32)
        )
    with pytest.raises(NotImplementedError, match="is_reference"):
        quantization.convert(nn.Linear(2, 2), is_reference=True)


def test_quantize_dynamic_leaves_the_model_as_it_was():
    model = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))
    made = quantization.quantize_dynamic(model, {"2"})
    assert (
        type(model[2]) is nn.Linear
        and type(made[0]) is nn.Linear
        and "DynamicQuantizedLinear" in repr(made[2])
    )
    assert quantization.quantize_dynamic(model, {nn.Linear}, inplace=True) is model


def test_training_with_fake_quantize():
    torch.manual_seed(0)
    weights = quantization.default_per_channel_weight_fake_quant()
    activations = quantization.default_fake_quant()
    layer, x = nn.Linear(6, 3), torch.randn(64, 6)
    target = x @ torch.randn(6, 3)
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.2)
    losses = []
    for _ in range(40):
        optimizer.zero_grad()
        loss = (
            (torch.nn.functional.linear(activations(x), weights(layer.weight), layer.bias) - target) ** 2
        ).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    assert float(losses[-1]) < 0.5 * float(losses[0])
    activations.apply(quantization.disable_fake_quant)
    activations.apply(quantization.disable_observer)
    assert activations(x) is x


# -- beside PyTorch


@pytest.fixture
def theirs():
    found = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch.ao.quantization  # type: ignore[import-not-found]  # noqa: F401

        yield found


@pytest.mark.parity
@pytest.mark.parametrize("name", ["quint8", "qint8", "qint32"])
def test_quantized_tensors_are_pytorchs(theirs, name):
    def said(t):
        x, dtype = t.tensor(X), getattr(t, name)
        scales, zeros = t.tensor(np.abs(X[:, 0]) / 20 + 0.01), t.tensor(np.arange(5))
        found = [t.quantize_per_tensor(x, 0.07, 3, dtype), t.quantize_per_channel(x, scales, zeros, 0, dtype)]
        found += [t.quantize_per_tensor_dynamic(x, dtype, False)] if name != "qint32" else []
        return [
            (
                repr(q),
                q.int_repr().numpy().tolist(),
                str(q.int_repr().dtype),
                q.dequantize().numpy().tolist(),
                str(q.qscheme()),
            )
            for q in found
        ]

    assert said(torch) == said(theirs)


@pytest.mark.parity
@pytest.mark.parametrize("by", ["tensor", "channel"])
def test_fake_quantize_is_pytorchs(theirs, by):
    def said(t):
        x = t.tensor(X, requires_grad=True)
        scales, zeros = t.tensor(np.abs(X[:, 0]) / 20 + 0.01), t.tensor(np.arange(5).astype(np.int32))
        y = (
            t.fake_quantize_per_tensor_affine(x, 0.05, 10, 0, 63)
            if by == "tensor"
            else t.fake_quantize_per_channel_affine(x, scales, zeros, 0, 0, 63)
        )
        (y * y).sum().backward()
        return y.tolist(), x.grad.tolist()

    assert said(torch) == said(theirs)


OBSERVERS = [
    ("MinMaxObserver", {}),
    ("MinMaxObserver", {"dtype": "qint8", "qscheme": "per_tensor_symmetric"}),
    ("MinMaxObserver", {"qscheme": "per_tensor_symmetric"}),
    ("MinMaxObserver", {"reduce_range": True}),
    ("MovingAverageMinMaxObserver", {}),
    ("PerChannelMinMaxObserver", {"dtype": "qint8", "qscheme": "per_channel_symmetric"}),
    ("PerChannelMinMaxObserver", {"qscheme": "per_channel_affine_float_qparams"}),
    ("MovingAveragePerChannelMinMaxObserver", {"ch_axis": 1}),
    ("FakeQuantize", {}),
    (
        "FakeQuantize",
        {
            "observer": "MovingAveragePerChannelMinMaxObserver",
            "dtype": "qint8",
            "qscheme": "per_channel_symmetric",
            "quant_min": -128,
            "quant_max": 127,
            "ch_axis": 0,
        },
    ),
]


@pytest.mark.parity
@pytest.mark.parametrize(("name", "settings"), OBSERVERS)
def test_observers_are_pytorchs(theirs, name, settings):
    def said(t):
        q = t.ao.quantization
        given = {
            k: getattr(q, v) if k == "observer" else getattr(t, v) if isinstance(v, str) else v
            for k, v in settings.items()
        }
        observer = getattr(q, name)(**given)
        for k in (1, 3, 2):
            out = observer(t.tensor(X * k))
        return [(x.numpy(), str(x.dtype)) for x in (*observer.calculate_qparams(), out)]

    for (ours, dtype), (numbers, expected) in zip(said(torch), said(theirs), strict=True):
        np.testing.assert_allclose(ours, numbers, rtol=3e-7 if numbers.dtype.kind == "f" else 0)
        assert dtype == expected and ours.shape == numbers.shape


@pytest.mark.parity
def test_quantize_dynamic_is_pytorchs(theirs):
    def said(t, name):
        layer = t.nn.Linear(7, 6)
        for k, p in enumerate(layer.parameters()):
            p.data = t.tensor(np.random.default_rng(k).standard_normal(tuple(p.shape)).astype(np.float32))
        made = t.ao.quantization.quantize_dynamic(
            t.nn.Sequential(layer), {t.nn.Linear}, dtype=getattr(t, name)
        )
        return repr(made), made(t.tensor(X)).detach().numpy()

    for name in ("qint8", "float16"):
        (shown, ours), (wanted, there) = said(torch, name), said(theirs, name)
        assert shown == wanted
        np.testing.assert_allclose(ours, there, rtol=1e-5, atol=1e-5)
