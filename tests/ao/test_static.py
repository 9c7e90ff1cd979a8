"""Models that are observed and converted, or trained for it, compute what PyTorch's do, up to one step of the output's
scale."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import functorch_lite as ours


def _numbers(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def build(torch):
    """A model with stubs, its input, and its names in a row, with the same numbers in both libraries."""
    nn, aq = torch.nn, torch.ao.quantization

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.quant, self.dequant = aq.QuantStub(), aq.DeQuantStub()
            self.conv, self.bn, self.relu = nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU()
            self.conv2, self.relu2 = nn.Conv2d(4, 4, 1), nn.ReLU()
            self.add, self.pool = torch.ao.nn.quantized.FloatFunctional(), nn.MaxPool2d(2)
            self.fc = nn.Linear(16, 3)

        def forward(self, x):
            x = self.relu(self.bn(self.conv(self.quant(x))))
            x = self.add.add(x, self.relu2(self.conv2(x)))
            return self.dequant(self.fc(self.pool(x).flatten(1)))

    model = Net()
    with torch.no_grad():
        for i, p in enumerate(model.parameters()):
            p.copy_(torch.tensor(_numbers(*p.shape, seed=i) * 0.3))
        model.bn.running_var.copy_(torch.tensor([1.0, 2.0, 0.5, 1.5]))
    return model, torch.tensor(_numbers(5, 2, 4, 4, seed=99))


def converted(torch, backend):
    """The quantized model after two batches, and the input."""
    aq = torch.ao.quantization
    model, x = build(torch)
    model.eval().qconfig = aq.get_default_qconfig(backend)
    observed = aq.prepare(aq.fuse_modules(model, [["conv", "bn", "relu"], ["conv2", "relu2"]]))
    observed(x), observed(1.2 * x)
    return aq.convert(observed), model, x


def trained(torch):
    """Losses of a model that trains for quantization, and its results once it is quantized."""
    aq = torch.ao.quantization
    model, x = build(torch)
    model.train().qconfig = aq.get_default_qat_qconfig("x86")
    model = aq.prepare_qat(aq.fuse_modules_qat(model, [["conv", "bn", "relu"], ["conv2", "relu2"]]))
    optimizer, losses = torch.optim.SGD(model.parameters(), lr=0.05), []
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, aq.convert(model.eval())(x)


@pytest.mark.parametrize("backend", ["x86", "qnnpack"])
def test_converted(backend):
    quantized, model, x = converted(ours, backend)
    assert type(quantized.conv).__name__ == "ConvReLU2d" and type(quantized.fc).__name__ == "Linear"
    assert quantized.conv.int_weight.dtype is ours.int8 and quantized.fc.weight().is_quantized
    found, step = quantized(x), quantized.fc.scale
    assert float((found - model(x)).abs().max()) < 6 * step
    assert np.allclose(np.round(found.numpy() / step), found.numpy() / step, atol=1e-3)
    with pytest.raises(NotImplementedError, match="put a QuantStub before it"):
        quantized.fc(ours.ones(1, 16))


@pytest.mark.parity
@pytest.mark.parametrize("backend", ["x86", "qnnpack"])
def test_converted_as_pytorchs(backend):
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, _, x = converted(torch, backend)
    mine, _, y = converted(ours, backend)
    for name in ("conv", "conv2", "fc"):
        a, b = getattr(mine, name), getattr(theirs, name)
        assert np.abs(a.weight().int_repr().numpy().astype(int) - b.weight().int_repr().numpy()).max() <= 1
        assert abs(a.scale - float(b.scale)) < 1e-5 and a.zero_point == int(b.zero_point)
    assert np.abs(mine(y).numpy() - theirs(x).numpy()).max() <= 1.01 * mine.fc.scale


def test_trained():
    losses, found = trained(ours)
    assert losses[0] > losses[1] > losses[2] and found.shape == (5, 3)


@pytest.mark.parity
def test_trained_as_pytorchs():
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = trained(torch)
    mine = trained(ours)
    np.testing.assert_allclose(mine[0], theirs[0], rtol=2e-3)
    assert np.abs(mine[1].numpy() - theirs[1].numpy()).max() < 0.1


def test_histogram_observer():
    observer = ours.ao.quantization.HistogramObserver(bins=64)
    for k in (1, 3, 2):
        observer(ours.tensor(_numbers(300, seed=k)) * k)
    assert float(observer.histogram.sum()) == pytest.approx(900)
    scale, zero = observer.calculate_qparams()
    assert (round(float(scale), 4), int(zero)) == (0.0712, 119)
    with pytest.warns(UserWarning, match="torch.inf detected"):
        observer(ours.tensor([float("inf")]))


@pytest.mark.parity
def test_histogram_observer_as_pytorchs():
    torch = pytest.importorskip("torch")
    found = []
    for library in (ours, torch):
        observer = library.ao.quantization.HistogramObserver(reduce_range=True)
        for k in (1, 3, 2):
            observer(library.tensor(_numbers(300, seed=k)) * k)
        found.append([float(v) for v in observer.calculate_qparams()])
    np.testing.assert_allclose(*found, rtol=1e-4)


def test_a_traced_model_is_quantized_without_stubs():
    nn, aq = ours.nn, ours.ao.quantization
    from functorch_lite.ao.quantization.quantize_fx import convert_fx, prepare_fx

    class Half(nn.Module):
        def __init__(self, linear):
            super().__init__()
            self.linear = linear

        def forward(self, x):
            return self.linear(x)

        @classmethod
        def from_float(cls, layer):
            return cls(layer.linear)

        @classmethod
        def from_observed(cls, layer):
            layer.linear.qconfig, layer.linear.activation_post_process = (
                layer.qconfig,
                layer.activation_post_process,
            )
            return cls(ours.ao.nn.quantized.Linear.from_float(layer.linear))

    class Own(Half):
        pass

    model = nn.Sequential(
        nn.Conv2d(1, 2, 2), nn.ReLU(), nn.Flatten(), nn.Sigmoid(), Own(nn.Linear(8, 3))
    ).eval()
    x = ours.tensor(_numbers(4, 1, 3, 3))
    kinds = {"float_to_observed_custom_module_class": {"static": {Own: Half}}}
    observed = prepare_fx(model, aq.get_default_qconfig_mapping(), (x,), prepare_custom_config=kinds)
    assert ours.allclose(observed(x), model(x), atol=1e-5)
    kinds = {"observed_to_quantized_custom_module_class": {"static": {Half: Half}}}
    quantized = convert_fx(observed, convert_custom_config=kinds)
    assert ours.allclose(quantized(x), model(x), atol=0.05)
    dynamic = convert_fx(prepare_fx(nn.Sequential(nn.Linear(3, 3)), {"": aq.default_dynamic_qconfig}, None))
    assert "DynamicQuantizedLinear" in repr(dynamic)


def test_quantized_tensors_keep_their_scale_through_pooling():
    q = ours.quantize_per_tensor(ours.tensor([[[-1.0, 2.0, 0.5, 1.0]]]), 0.1, 20, ours.quint8)
    assert ours.relu(q).int_repr().tolist() == [[[20, 40, 25, 30]]]
    assert ours.nn.functional.max_pool1d(q, 2).int_repr().tolist() == [[[40, 30]]]
    assert q.flatten().q_scale() == 0.1
    with pytest.raises(NotImplementedError, match="not supported for quantized tensors"):
        q + q
