"""Files that PyTorch wrote, read by this library: objects of training scripts, the format before 1.6, archives of
TorchScript; and the reverse."""

from __future__ import annotations

import io
import json
import pickle

import pytest

import functorch_lite as torch
from functorch_lite import nn
from tests.golden import users
from tests.golden.make_files import bytes_of, golden, look_at_script, scripts
from tests.serialization.kinds import kinds, look, same
from tests.serialization.test_save_load import archive

FILES = golden()
LOOKS = json.loads(FILES.pop("looks.json"))
OF_OBJECTS = [name for name in FILES if not name.startswith("script/")]
OF_SCRIPTS = [name for name in FILES if name.startswith("script/")]


@pytest.fixture
def ours():
    """The user's classes are made of this library."""
    users.define(torch)
    yield
    torch.random.set_default_engine("threefry")


def agrees(got, name: str) -> None:
    """That what was looked at here is what PyTorch said."""
    got = json.loads(json.dumps(got))
    assert same(got, LOOKS[name]), f"{name}: got\n{got}\nexpected\n{LOOKS[name]}"


def read(data: bytes, **how):
    return torch.load(io.BytesIO(data), weights_only=False, **how)


@pytest.mark.parametrize("name", OF_OBJECTS)
def test_objects(ours, name):
    agrees(look(torch, read(FILES[name])), name)


def test_aliases_stay_aliases(ours):
    for name in ("kinds/aliases.pt", "old/aliases.pt"):
        whole, part, *_ = read(FILES[name])
        whole.mul_(2)
        assert part.tolist() == [4.0, 6.0, 8.0, 10.0]
        tied = read(FILES[name.replace("aliases", "tied")])
        assert tied.other is tied.weight


def test_weights_of_the_old_format_need_no_trust():
    loaded = torch.load(io.BytesIO(FILES["old/gradients.pt"]))
    assert [t.requires_grad for t in loaded] == [True, True, False, False]
    assert torch.load(io.BytesIO(FILES["old/aliases.pt"]), map_location="meta")[0].is_meta
    with pytest.raises(pickle.UnpicklingError, match=r"Unsupported global: GLOBAL argparse\.Namespace"):
        torch.load(io.BytesIO(FILES["old/checkpoint.pt"]))
    names = torch.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(FILES["old/checkpoint.pt"]))
    assert "argparse.Namespace" in names and "torch._utils._rebuild_tensor_v2" not in names


def test_several_of_the_old_format_in_one_file():
    file = io.BytesIO()
    for k in range(3):
        torch.save({"k": torch.full((2,), k)}, file, _use_new_zipfile_serialization=False)
    file.seek(0)
    assert [torch.load(file)["k"].tolist() for _ in range(3)] == [[0, 0], [1, 1], [2, 2]]


@pytest.mark.parametrize("new", [True, False], ids=["new format", "old format"])
def test_there_and_back(ours, new):
    torch.random.set_default_engine("mt19937")
    for name, x in kinds(torch).items():
        back = read(bytes_of(torch, x, _use_new_zipfile_serialization=new))
        if name != "subclasses":  # PyTorch forgets the class of a Parameter
            agrees(look(torch, back), f"kinds/{name}.pt")


def test_the_old_format_has_one_dtype_for_a_storage_and_is_not_mapped(tmp_path):
    t = torch.ones(2)
    with pytest.raises(RuntimeError, match="view the same data as different types"):
        torch.save([t, t.untyped_storage()], tmp_path / "x.pt", _use_new_zipfile_serialization=False)
    torch.save(t, tmp_path / "x.pt", _use_new_zipfile_serialization=False)
    with pytest.raises(RuntimeError, match="mmap can only be used with"):
        torch.load(tmp_path / "x.pt", mmap=True)


def test_what_is_not_here_is_named():
    def of(module, name):
        return archive(f"\x80\x02c{module}\n{name}\n.".encode("latin1")).getvalue()

    with pytest.raises(
        pickle.UnpicklingError,
        match=r"torch\.nn\.quantized\.modules\.linear\.Linear, which this library does not have",
    ):
        read(of("torch.nn.quantized.modules.linear", "Linear"))
    code = b"\x80\x02ctorch.fx.graph_module\nreduce_graph_module\n}X\x06\x00\x00\x00import\x86R."
    with pytest.raises(NotImplementedError, match="GraphModule that PyTorch pickled holds source code"):
        read(archive(code).getvalue())
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        read(of("no_such_module", "Net"))


def test_which_loads_trust(monkeypatch):
    data = FILES["kinds/namespace.pt"]
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    with pytest.warns(UserWarning, match="TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected"):
        assert torch.load(io.BytesIO(data)).lr == 0.1
    with pytest.raises(pickle.UnpicklingError):
        torch.load(io.BytesIO(data), weights_only=True)
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "1")
    with pytest.raises(RuntimeError, match="Only one of"):
        torch.load(io.BytesIO(data))
    monkeypatch.delenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
    with pytest.raises(pickle.UnpicklingError):
        torch.load(io.BytesIO(data), weights_only=False)
    monkeypatch.delenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD")
    with pytest.raises(RuntimeError, match="explicit pickle_module"):
        torch.load(io.BytesIO(data), pickle_module=pickle, weights_only=True)
    assert torch.load(io.BytesIO(data), pickle_module=pickle).lr == 0.1
    assert read(data, encoding="latin1").lr == 0.1


# -- TorchScript -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OF_SCRIPTS)
def test_scripts(name):
    extra = {"note": ""}
    module = torch.jit.load(io.BytesIO(FILES[name]), _extra_files=extra)
    assert isinstance(module, torch.jit.ScriptModule) and extra["note"].decode() in name
    agrees(look_at_script(torch, module), name)
    with pytest.raises(NotImplementedError, match=r"forward is a program of TorchScript.*state_dict\(\)"):
        module(torch.ones(1, 2))
    with pytest.raises(NotImplementedError, match="is a program of TorchScript"):
        module.code  # noqa: B018


def test_weights_of_a_script_go_into_a_model():
    archive = torch.jit.load(io.BytesIO(FILES["script/traced.pt"]))
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU())
    net.load_state_dict(archive.state_dict())
    gated = torch.jit.load(io.BytesIO(FILES["script/gated.pt"]))
    assert (gated.names, gated.sizes, gated.count) == (["x", "y"], {"a": 1}, 5)
    assert gated.tied is gated.first.weight
    with (
        pytest.warns(UserWarning, match="looks like a TorchScript archive"),
        pytest.raises(RuntimeError, match="Cannot use ``weights_only=True``"),
    ):
        torch.load(io.BytesIO(FILES["script/traced.pt"]))
    with pytest.warns(UserWarning, match="looks like a TorchScript archive"):
        found = read(FILES["script/traced.pt"])
    assert list(found.state_dict()) == list(net.state_dict())


# -- beside PyTorch --------------------------------------------------------------------------------------------------


@pytest.mark.parity
@pytest.mark.parametrize("new", [True, False], ids=["new format", "old format"])
def test_pytorch_reads_ours(new):
    pytorch = pytest.importorskip("torch")
    not_read = ("narrow", "storages", "generator") if not new else ()  # nor its own, in the old format
    users.define(torch)
    torch.random.set_default_engine("mt19937")
    try:
        files = {n: bytes_of(torch, x, _use_new_zipfile_serialization=new) for n, x in kinds(torch).items()}
    finally:
        torch.random.set_default_engine("threefry")
        users.define(pytorch)
    try:
        for name, data in files.items():
            if name != "subclasses" and name not in not_read:
                found = pytorch.load(io.BytesIO(data), weights_only=False)
                agrees(look(pytorch, found), f"kinds/{name}.pt")
    finally:
        users.define(torch)


@pytest.mark.parity
def test_the_golden_files_are_what_pytorch_says():
    pytorch = pytest.importorskip("torch")
    users.define(pytorch)
    try:
        for name, x in kinds(pytorch).items():
            found = pytorch.load(io.BytesIO(bytes_of(pytorch, x)), weights_only=False)
            agrees(look(pytorch, found), f"kinds/{name}.pt")
    finally:
        users.define(torch)
    for name, module in scripts(pytorch).items():
        agrees(look_at_script(pytorch, module), f"script/{name}.pt")
