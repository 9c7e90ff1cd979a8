"""Tensors in the files of others, and in the memory of PyTorch's."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite.compat import from_jax, load_orbax, load_safetensors, save_orbax, save_safetensors, to_jax

NAMES = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
]


def _tensors(names) -> dict:
    return {name: torch.tensor([[0, 1, 2], [3, 4, 5]]).to(getattr(torch, name)) for name in names}


def _assert_same(a: dict, b: dict) -> None:
    assert list(a) == list(b)
    for name in a:
        assert a[name].dtype is b[name].dtype and torch.equal(a[name], b[name]), name


def test_safetensors_there_and_back(tmp_path):
    tensors = {
        **_tensors(NAMES),
        "scalar": torch.tensor(3.0),
        "empty": torch.zeros(0, 2),
        "turned": torch.ones(2, 3).t(),
    }
    save_safetensors(tensors, tmp_path / "a", {"made": "here"})
    _assert_same(load_safetensors(tmp_path / "a"), tensors)
    module = torch.nn.Linear(3, 2)
    save_safetensors(module.state_dict(), tmp_path / "b")
    module.load_state_dict(load_safetensors(tmp_path / "b"))


def test_safetensors_are_those_of_the_package(tmp_path):
    theirs = pytest.importorskip("safetensors.numpy")
    tensors = {k: v for k, v in _tensors(NAMES).items() if k != "bfloat16"}
    save_safetensors(tensors, tmp_path / "a", {"made": "here"})
    for name, array in theirs.load_file(tmp_path / "a").items():
        np.testing.assert_array_equal(array, tensors[name].numpy())
        assert array.dtype == tensors[name].numpy().dtype
    theirs.save_file({k: v.numpy() for k, v in tensors.items()}, tmp_path / "b")
    found = load_safetensors(tmp_path / "b")
    _assert_same({k: found[k] for k in tensors}, tensors)


def test_files_that_are_none_are_refused(tmp_path):
    (tmp_path / "a").write_bytes(b"12345678901")
    with pytest.raises(ValueError, match="expected a file in the format safetensors"):
        load_safetensors(tmp_path / "a")
    save_safetensors({"w": torch.ones(4)}, tmp_path / "b")
    (tmp_path / "b").write_bytes((tmp_path / "b").read_bytes()[:-4])
    with pytest.raises(ValueError, match="the place of 'w' in the file"):
        load_safetensors(tmp_path / "b")
    with pytest.raises(TypeError, match="'w' must be a Tensor, not int"):
        save_safetensors({"w": 1}, tmp_path / "c")


def test_orbax_there_and_back(tmp_path):
    pytest.importorskip("orbax.checkpoint")
    tree = {
        "step": 3,
        "layers": [torch.ones(2), torch.arange(3)],
        "half": torch.ones(2, dtype=torch.bfloat16),
        "wide": torch.ones(1, dtype=torch.float64),
    }
    save_orbax(tree, tmp_path / "checkpoint")
    for found in (load_orbax(tmp_path / "checkpoint"), load_orbax(tmp_path / "checkpoint", like=tree)):
        assert found["step"] == 3
        _assert_same(dict(enumerate(found["layers"])), dict(enumerate(tree["layers"])))
        _assert_same({k: found[k] for k in ("half", "wide")}, {k: tree[k] for k in ("half", "wide")})


def test_trees_go_to_jax_and_come_back():
    tree = {"w": torch.ones(2), "more": (torch.arange(3), None, "text", 2.0)}
    there = to_jax(tree)
    assert there["w"].dtype == jnp.float32 and there["more"][1:] == (None, "text", 2.0)
    back = from_jax(there, requires_grad=True)
    assert (
        back["w"].requires_grad and not back["more"][0].requires_grad and back["more"][0].dtype is torch.int64
    )
    assert from_jax([1.0, 2.0]).tolist() == [1.0, 2.0]
    with pytest.raises(RuntimeError, match="requires grad"):
        to_jax([torch.ones(2, requires_grad=True)])


@pytest.mark.parity
@pytest.mark.parametrize("name", ["float32", "float64", "int64", "bfloat16", "uint8"])
def test_numbers_go_to_pytorch_and_back(name):
    import torch as real

    ours = torch.arange(6).reshape(2, 3).to(getattr(torch, name))
    theirs = real.from_dlpack(ours)
    assert theirs.dtype is getattr(real, name) and theirs.tolist() == ours.tolist()
    back = torch.from_dlpack(theirs)
    assert back.dtype is ours.dtype and torch.equal(back, ours)
    assert real.from_dlpack(ours.t()).tolist() == ours.t().tolist()
    copied = ours.clone()
    theirs += 1  # memory of its own: of what others do with it, tensors here see nothing
    assert ours.tolist() == copied.tolist() == back.tolist()
    assert theirs.data_ptr() != real.from_dlpack(ours).data_ptr()


@pytest.mark.parity
def test_what_requires_a_gradient_does_not_leave():
    import torch as real

    with pytest.raises(BufferError, match=r"use tensor.detach\(\)"):
        real.from_dlpack(torch.ones(2, requires_grad=True))
    with pytest.raises(BufferError, match=r"use tensor.detach\(\)"):
        torch.from_dlpack(real.ones(2, requires_grad=True))
