"""DataParallel without a GPU or with one: it calls the module it holds. With several it says what to do instead."""

from __future__ import annotations

import pytest

import functorch_lite as torch
from functorch_lite import cuda, nn


@pytest.fixture
def net():
    return nn.Sequential(nn.Linear(2, 3), nn.Dropout(0.0))


def test_it_is_the_module(net):
    parallel = nn.DataParallel(net)
    x = torch.ones(4, 2)
    assert parallel.module is net and nn.parallel.DataParallel is nn.DataParallel
    assert list(parallel.state_dict()) == ["module.0.weight", "module.0.bias"]
    assert torch.equal(parallel(x), net(x.to(net[0].weight.device)))
    parallel(x).sum().backward()
    assert net[0].weight.grad.tolist() == [[4.0, 4.0]] * 3
    assert not parallel.eval().module.training
    assert repr(parallel).startswith("DataParallel(\n  (module): Sequential(")


@pytest.mark.skipif(cuda.is_available(), reason="with a GPU the devices are taken at their word")
def test_without_a_gpu_devices_are_ignored_as_in_torch(net):
    assert nn.DataParallel(net, device_ids=[0, 1], output_device=1).device_ids == []
    with pytest.raises(RuntimeError, match="device type could not be determined"):
        nn.parallel.data_parallel(net, torch.ones(1, 2))


def test_several_devices(net, monkeypatch):
    monkeypatch.setattr(cuda, "is_available", lambda: True)
    monkeypatch.setattr(cuda, "device_count", lambda: 2)
    for call in (
        lambda: nn.DataParallel(net),
        lambda: nn.DataParallel(net, device_ids=["cuda:0", 1]),
        lambda: nn.parallel.data_parallel(net, torch.ones(1, 2)),
    ):
        with pytest.raises(NotImplementedError, match=r"on several devices is not supported.*jax\.sharding"):
            call()


@pytest.mark.skipif(not cuda.is_available(), reason="needs a GPU")
def test_on_a_gpu(net):
    parallel = nn.DataParallel(net, device_ids=[0])
    assert parallel(torch.ones(1, 2)).device.type == "cuda" and parallel.device_ids == [0]
    assert nn.parallel.data_parallel(net, torch.ones(1, 2), [0]).device.type == "cuda"
    net.cpu()
    with pytest.raises(RuntimeError, match="module must have its parameters and buffers on device cuda:0"):
        parallel(torch.ones(1, 2))
