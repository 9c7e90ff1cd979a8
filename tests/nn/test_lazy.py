"""Lazy modules and uninitialized parameters. What is expected here was observed in PyTorch 2.13."""

from __future__ import annotations

import copy
import pickle

import pytest

import functorch_lite as torch
from functorch_lite import nn

pytestmark = pytest.mark.filterwarnings("error")  # they are made without a warning


def test_the_first_call_gives_shapes_and_class():
    net = nn.Sequential(nn.LazyConv2d(4, 3, groups=2), nn.LazyBatchNorm2d(), nn.Flatten(), nn.LazyLinear(2))
    assert repr(net[0]) == "LazyConv2d(0, 4, kernel_size=(3, 3), stride=(1, 1), groups=2)"
    assert (
        net[3].state_dict()["weight"] is net[3].weight and repr(net[3].weight) == "<UninitializedParameter>"
    )
    before = list(net.parameters())
    assert net(torch.ones(2, 2, 4, 4)).shape == (2, 2)
    assert [type(m).__name__ for m in net] == ["Conv2d", "BatchNorm2d", "Flatten", "Linear"]
    assert [tuple(p.shape) for p in net.parameters()] == [(4, 1, 3, 3), (4,), (4,), (4,), (2, 16), (2,)]
    assert all(a is b for a, b in zip(before, net.parameters()))  # so an optimizer may be made before
    net(torch.ones(2, 2, 4, 4)).sum().backward()
    assert net[3].weight.grad.shape == (2, 16)


def test_uninitialized_parameters_refuse_to_be_used():
    p = nn.UninitializedParameter(dtype=torch.float64)
    assert p.dtype is torch.float64 and p.requires_grad
    with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter"):
        p + 1
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter or buffer"):
        p.shape  # noqa: B018
    p.materialize((2, 3))
    assert type(p) is nn.Parameter and p.shape == (2, 3) and p.dtype is torch.float64 and p.requires_grad
    b = nn.UninitializedBuffer()
    b.materialize((2,))
    assert type(b) is torch.Tensor and isinstance(b, nn.Buffer) and not b.requires_grad


def test_loading_copying_casting():
    full, lazy = nn.Linear(5, 3), nn.LazyLinear(3)
    lazy.load_state_dict(full.state_dict())
    assert torch.equal(lazy.weight, full.weight)
    torch.testing.assert_close(lazy(torch.ones(1, 5)), full(torch.ones(1, 5)))
    assert lazy.in_features == 5
    with pytest.raises(RuntimeError, match="Can't access the shape"):
        nn.Linear(5, 3).load_state_dict(nn.LazyLinear(3).state_dict())
    for other in (copy.deepcopy(nn.LazyLinear(3)), pickle.loads(pickle.dumps(nn.LazyLinear(3)))):
        assert other.has_uninitialized_params()
    assert nn.LazyLinear(3).double()(torch.ones(2, 4, dtype=torch.float64)).dtype is torch.float64


def test_errors():
    with pytest.raises(
        RuntimeError, match=r"Expected 3D \(unbatched\) or 4D \(batched\) input to LazyConv2d"
    ):
        nn.LazyConv2d(3, 3)(torch.ones(4))
    with pytest.raises(ValueError, match="in_channels must be divisible by groups"):
        nn.LazyConv2d(4, 3, groups=2)(torch.ones(1, 3, 8, 8))


def test_factory_kwargs():
    assert nn.factory_kwargs(None) == {}
    assert nn.factory_kwargs({"factory_kwargs": {"dtype": 1}, "device": "cpu"}) == {
        "dtype": 1,
        "device": "cpu",
    }
    with pytest.raises(TypeError, match="unexpected kwargs"):
        nn.factory_kwargs({"foo": 1})


def test_sync_batchnorm():
    net = nn.Sequential(nn.BatchNorm2d(3), nn.Sequential(nn.BatchNorm1d(2, affine=False)))
    weight = net[0].weight
    made = nn.SyncBatchNorm.convert_sync_batchnorm(net)
    assert type(made[0]) is nn.SyncBatchNorm and made[0].weight is weight
    assert type(made[1][0]) is nn.SyncBatchNorm and made[1][0].weight is None


def test_skip_init_uses_no_random_state():
    before = torch.get_rng_state()
    m = nn.utils.skip_init(nn.Linear, 3, 4, dtype=torch.float64)
    assert m.weight.dtype is torch.float64 and torch.equal(before, torch.get_rng_state())
    with pytest.raises(RuntimeError, match="Module must support a 'device' arg"):
        nn.utils.skip_init(nn.ReLU)


def test_fusing_batch_norm():
    conv, norm = nn.Conv2d(2, 3, 2), nn.BatchNorm2d(3)
    x = torch.arange(36.0).reshape(1, 2, 3, 6) / 20
    norm(conv(x))  # statistics
    conv.eval(), norm.eval()
    assert torch.allclose(nn.utils.fuse_conv_bn_eval(conv, norm)(x), norm(conv(x)), atol=1e-5)
    with pytest.raises(AssertionError, match="Fusion only for eval!"):
        nn.utils.fuse_conv_bn_eval(conv.train(), norm)
