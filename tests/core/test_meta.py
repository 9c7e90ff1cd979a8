"""The 'meta' device: shapes and dtypes without numbers."""

from __future__ import annotations

import copy
import pickle

import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite._core.lazy import recorder

recorded = pytest.mark.skipif(
    not hasattr(recorder, "MetaInput"), reason="the recorder does not hand meta inputs over yet"
)
NO_DATA = r"Cannot copy out of meta tensor; no data!"


def meta(*shape, **kwargs):
    """A tensor without numbers."""
    return torch.empty(shape, device="meta", **kwargs)


def test_what_is_known_of_it():
    x = meta(2, 3)
    assert (x.shape, x.dtype, x.is_meta, str(x.device)) == ((2, 3), torch.float32, True, "meta")
    assert repr(x) == "tensor(..., device='meta', size=(2, 3))"
    assert repr(meta(2, dtype=torch.int64)) == "tensor(..., device='meta', size=(2,), dtype=torch.int64)"
    assert repr(meta(1, requires_grad=True)) == "tensor(..., device='meta', size=(1,), requires_grad=True)"
    assert x.data_ptr() == 0
    assert x.stride() == (3, 1)
    assert not torch.ones(1).is_meta


def test_every_way_to_make_one():
    made = [
        torch.zeros(2, device="meta"), torch.tensor([1.0, 2.0], device="meta"), torch.full((2,), 3.0, device="meta"),
        torch.arange(2.0, device="meta"), torch.randn(2, device="meta"), torch.ones(2).to("meta"), torch.ones(2).to(device="meta"),
        torch.zeros_like(torch.ones(2), device="meta"),
    ]  # fmt: skip
    with torch.device("meta"):
        made.append(torch.ones(2))
        assert nn.Linear(2, 3).weight.is_meta
    assert all(x.is_meta and x.shape == (2,) and x.dtype is torch.float32 for x in made)
    assert not torch.ones(2).is_meta


@pytest.mark.parametrize(
    ("read", "error", "sentence"),
    [
        (lambda x: x.item(), RuntimeError, r"Tensor.item\(\) cannot be called on meta tensors"),
        (bool, RuntimeError, r"Tensor.item\(\) cannot be called on meta tensors"),
        (float, RuntimeError, r"Tensor.item\(\) cannot be called on meta tensors"),
        (lambda x: x.tolist(), NotImplementedError, NO_DATA),
        (lambda x: x.cpu(), NotImplementedError, NO_DATA),
        (lambda x: x.to("cpu"), NotImplementedError, NO_DATA),
        (lambda x: torch.ones(1).copy_(x), NotImplementedError, NO_DATA),
        (lambda x: x.numpy(), TypeError, "can't convert meta device type tensor to numpy"),
    ],
)
def test_there_is_nothing_to_read(read, error, sentence):
    with pytest.raises(error, match=sentence):
        read(meta(1))


def test_copies_and_pickles():
    x = meta(2, 3, requires_grad=True)
    for y in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert y.is_meta
        assert y.shape == (2, 3)
        assert y.requires_grad


def test_a_module_gets_memory():
    layer = nn.Linear(2, 3, device="meta")
    assert layer.weight.is_meta
    with pytest.raises(NotImplementedError, match=NO_DATA):
        layer.to("cpu")
    layer.to_empty(device="cpu")
    layer.load_state_dict(nn.Linear(2, 3).state_dict())
    assert layer(torch.ones(4, 2)).shape == (4, 3)
    assert isinstance(layer.weight, nn.Parameter)


def test_a_state_dict_is_assigned():
    layer = nn.Linear(2, 3, device="meta")
    layer.load_state_dict(nn.Linear(2, 3).state_dict(), assign=True)
    assert layer(torch.ones(4, 2)).shape == (4, 3)


@recorded
def test_ops_work_out_shapes():
    x = meta(2, 3)
    assert (x @ x.T).shape == (2, 2)
    assert (x > 0).dtype is torch.bool
    assert (x + 1).is_meta
    assert x[0, 1:].shape == (2,)
    assert x[torch.tensor([0, 1, 1])].shape == (3, 3)
    assert torch.max(x, 1).indices.dtype is torch.int64
    assert x.add_(1) is x
    assert x.is_meta
    with torch.debug.eager():
        assert (x * x).is_meta
    with pytest.raises(RuntimeError, match=r"must match the size of tensor b|cannot be multiplied"):
        x @ x
    with pytest.raises(RuntimeError, match="Tensor on device cpu is not on the expected device meta!"):
        x + torch.ones(2, 3)


@recorded
def test_gradients_have_shapes():
    layer = nn.Linear(2, 3, device="meta")
    out = layer(meta(4, 2))
    assert out.shape == (4, 3)
    (out**2).sum().backward()
    assert layer.weight.grad.is_meta
    assert layer.weight.grad.shape == (3, 2)


@recorded
def test_what_depends_on_numbers_refuses():
    x = meta(3)
    for read in (lambda: x[x > 0], lambda: x.nonzero(), lambda: x.unique()):
        with pytest.raises(NotImplementedError, match=NO_DATA):
            read()
    with pytest.raises(RuntimeError, match=r"Tensor.item"):
        _ = torch.allclose(x, x)


@recorded
def test_real_tensors_are_recorded_as_before():
    x, y = torch.ones(2), meta(2)
    z = x * 2
    _ = y + 1
    w = z + x
    assert w.tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    "draw",
    [
        torch.bernoulli, torch.poisson, lambda x: torch.normal(x, 1.0), lambda x: torch.multinomial(x, 2), torch.nn.functional.dropout,
        lambda x: torch.nn.functional.rrelu(x, training=True), lambda x: torch.nn.TransformerEncoderLayer(4, 2, 8, device="meta")(x),
        lambda x: torch.nn.functional.conv1d(x[:, None].long(), x[:2, None, :2].long()), lambda x: x[[0, 2]], lambda x: x[torch.tensor([0, 2])],
    ],
)  # fmt: skip
def test_what_goes_along_with_any_device_does_so_here(draw):
    assert draw(torch.ones(3, 4, device="meta")).is_meta


def test_a_move_to_meta_is_on_the_tape():
    x = torch.tensor(1.0, requires_grad=True)
    there = x.to("meta")
    assert there.requires_grad and there.grad_fn.name() == "ToCopyBackward0"
    assert there.grad_fn.next_functions[0][0].variable is x
    with torch.no_grad():
        assert not x.to("meta").requires_grad
    assert nn.Linear(2, 2).to("meta").weight.is_leaf
