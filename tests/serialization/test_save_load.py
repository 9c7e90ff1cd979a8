"""torch.save and torch.load: files of PyTorch's, files of ours, damaged and hostile files."""

from __future__ import annotations

import io
import os
import pickle
import signal
import subprocess
import sys
import time
import zipfile
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.serialization import archive as archive_file
from functorch_lite.serialization.archive import ALIGNMENT
from tests.golden.make_checkpoint import contents

CHECKPOINT = Path(__file__).parent.parent / "golden" / "checkpoint.pt"


def same(a, b) -> bool:
    """Whether two loaded things are equal: dtype, shape, strides, values, grad flags."""
    if isinstance(a, torch.Tensor):
        x, y = [
            t.detach().to(torch.complex128 if t.dtype.is_complex else torch.float64).numpy() for t in (a, b)
        ]
        facts = [
            (str(t.dtype), tuple(t.shape), t.stride(), t.storage_offset(), t.requires_grad) for t in (a, b)
        ]
        return facts[0] == facts[1] and np.array_equal(x, y)
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def through_file(x, **kwargs):
    """x, saved and loaded."""
    file = io.BytesIO()
    torch.save(x, file, **kwargs)
    file.seek(0)
    return torch.load(file)


def test_a_file_of_pytorch():
    got = torch.load(CHECKPOINT)
    want = contents(torch)
    for name, x in want.items():
        assert same(got[name], x), name
        assert type(got[name]) is type(x), name
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    model.load_state_dict(got["model"])
    optimizer = torch.optim.Adam(model.parameters())
    optimizer.load_state_dict(got["optimizer"])
    assert optimizer.state_dict()["state"][0]["step"] == 1


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_round_trip(protocol):
    want = contents(torch)
    got = through_file(want, pickle_protocol=protocol)
    assert all(same(got[name], want[name]) for name in want)
    assert isinstance(got["weight"], nn.Parameter)
    assert got["weight"] is got["tied"]
    assert type(got["ordered"]) is OrderedDict


@pytest.mark.parametrize("load", [lambda: torch.load(CHECKPOINT), lambda: through_file(contents(torch))])
def test_storage_stays_shared(load):
    got = load()
    got["base"].mul_(2)
    assert got["rows"][0].tolist() == [8.0, 10.0, 12.0, 14.0]
    assert got["turned"][:, 1].tolist() == [8.0, 10.0, 12.0, 14.0]


def test_attributes_of_tensors():
    t = torch.ones(2)
    t.note = "kept"
    p = nn.Parameter(torch.ones(1), requires_grad=False)
    p.tag = 3
    got = through_file([t, p])
    assert got[0].note == "kept"
    assert got[1].tag == 3
    assert not got[1].requires_grad


def test_a_tensor_of_a_part_keeps_the_whole_storage():
    got = through_file(torch.arange(10.0)[2:4])
    assert got.tolist() == [2.0, 3.0]
    assert got.untyped_storage().nbytes() == 40


def test_storages_are_aligned(tmp_path):
    path = tmp_path / "x.pt"
    torch.save([torch.ones(3), torch.ones(5)], path)
    data = path.read_bytes()
    for info in zipfile.ZipFile(path).infolist():
        lengths = data[info.header_offset + 26 : info.header_offset + 30]
        start = (
            info.header_offset
            + 30
            + int.from_bytes(lengths[:2], "little")
            + int.from_bytes(lengths[2:], "little")
        )
        assert start % ALIGNMENT == 0


def test_mapped_into_memory(tmp_path):
    path = tmp_path / "x.pt"
    torch.save({"a": torch.arange(4.0), "b": torch.ones(2, dtype=torch.bfloat16)}, path)
    got = torch.load(path, mmap=True)
    got["a"].add_(1)
    assert got["a"].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert torch.load(path)["a"].tolist() == [0.0, 1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="f must be a file path in order to use the mmap argument"):
        torch.load(io.BytesIO(), mmap=True)


def test_bytes_in_the_other_order():
    file, other = io.BytesIO(), io.BytesIO()
    torch.save([torch.tensor([1, 256]), torch.tensor([1 + 2j])], file)
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name.endswith("byteorder"):
                data = b"big"
            elif name.endswith("data/0"):
                data = np.frombuffer(data, np.int64).byteswap().tobytes()
            elif name.endswith("data/1"):
                data = np.frombuffer(data, np.float32).byteswap().tobytes()
            new.writestr(name, data)
    other.seek(0)
    integers, complex_ = torch.load(other)
    assert integers.tolist() == [1, 256]
    assert complex_.tolist() == [1 + 2j]


# -- places ----------------------------------------------------------------------------------------------------------


def test_map_location():
    file = io.BytesIO()
    torch.save(torch.ones(2), file)
    for to in (
        "cpu",
        torch.device("cpu"),
        {"cpu": "cpu"},
        lambda storage, location: storage,
        lambda s, location: None,
    ):
        file.seek(0)
        assert torch.load(file, map_location=to).device == torch.device("cpu")
    file.seek(0)
    assert torch.load(file, map_location="meta").is_meta


def test_saved_on_a_gpu():
    file, moved = io.BytesIO(), io.BytesIO()
    torch.save(torch.ones(2), file)
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(moved, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"X\x03\x00\x00\x00cpu", b"X\x06\x00\x00\x00cuda:0"))
    moved.seek(0)
    if not torch.cuda.is_available():
        with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device but"):
            torch.load(moved)
    moved.seek(0)
    assert torch.load(moved, map_location="cpu").tolist() == [1.0, 1.0]


# -- whole or not at all ---------------------------------------------------------------------------------------------


def test_a_failed_save_leaves_the_old_file(tmp_path):
    path = tmp_path / "x.pt"
    torch.save(torch.ones(1), path)
    with pytest.raises((pickle.PicklingError, AttributeError, TypeError)):
        torch.save([torch.zeros(1), lambda: None], path)
    assert torch.load(path).tolist() == [1.0]
    assert os.listdir(tmp_path) == ["x.pt"]


def test_an_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "x.pt"
    torch.save(torch.ones(1), path)

    def full(*args, **kwargs):
        raise OSError("no space left")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    with pytest.raises(OSError, match="no space left"):
        torch.save(torch.zeros(1), path)
    monkeypatch.undo()
    assert torch.load(path).tolist() == [1.0]
    assert os.listdir(tmp_path) == ["x.pt"]


def test_no_folder(tmp_path):
    with pytest.raises(RuntimeError, match=r"Parent directory .* does not exist"):
        torch.save(torch.ones(1), tmp_path / "no" / "x.pt")


# -- damaged ---------------------------------------------------------------------------------------------------------


def saved(x) -> bytes:
    file = io.BytesIO()
    torch.save(x, file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "error", "sentence"),
    [
        (b"", EOFError, "Ran out of input"),
        (b"PK\x03\x04 and no more", RuntimeError, "failed reading zip archive"),
        (b"no checkpoint", pickle.UnpicklingError, "Invalid magic number"),
        (b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.", pickle.UnpicklingError, "the pickle ends too early"),
    ],
)
def test_what_is_no_checkpoint(data, error, sentence):
    with pytest.raises(error, match=sentence):
        torch.load(io.BytesIO(data))


def test_a_damaged_checkpoint():
    whole = saved(torch.arange(1000.0))
    with pytest.raises(RuntimeError, match="PytorchStreamReader failed"):
        torch.load(io.BytesIO(whole[: len(whole) // 2]))
    at = whole.index(np.arange(1000.0, dtype=np.float32).tobytes())
    flipped = bytearray(whole)
    flipped[at + 100] ^= 1
    with pytest.raises(RuntimeError, match="failed reading file data/0: Bad CRC"):
        torch.load(io.BytesIO(bytes(flipped)))


# -- hostile ---------------------------------------------------------------------------------------------------------


def archive(pickled: bytes) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as z:
        z.writestr("archive/data.pkl", pickled)
        z.writestr("archive/version", "3\n")
    file.seek(0)
    return file


class Runs:
    """Would run a command when it is unpickled by Python."""

    def __reduce__(self):
        return os.system, ("echo executed > /tmp/functorch_lite_was_fooled",)


@pytest.mark.parametrize("weights_only", [True, None])
@pytest.mark.parametrize("protocol", [2, 4])
def test_nothing_is_executed(weights_only, protocol):
    with pytest.raises(pickle.UnpicklingError, match=r"Unsupported global: GLOBAL (posix|nt)\.system"):
        torch.load(archive(pickle.dumps(Runs(), protocol)), weights_only=weights_only)
    assert not os.path.exists("/tmp/functorch_lite_was_fooled")


@pytest.mark.parametrize(
    "pickled",
    [
        b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n}U\x0c__defaults__K\x01sb.",  # attributes of a function
        b"\x80\x02ccollections\nOrderedDict\n}U\x05itemsK\x01sb.",  # attributes of a class
        b"\x80\x02ctorch\nTensor\n)R.",  # a class that is not called
        b"\x80\x02cbuiltins\nbytearray\nJ\xff\xff\xff\x7f\x85R.",  # a lot of memory
        b"\x80\x02X\x05\x00\x00\x00hello0.",  # an empty stack
        b"\x80\x02](K\x01K\x02s.",  # items of what is no dict
        b"\x80\x02K\x01",  # no end
        b"i__builtin__\neval\n.",  # an old opcode
    ],
)
def test_hostile_pickles(pickled):
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(archive(pickled))


class Config:
    """A class that users allow."""

    def __init__(self, size):
        self.size = size


def test_a_model_with_two_layers_of_a_class_is_saved_whole():
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))
    for protocol in (2, 4):
        file = io.BytesIO()
        torch.save(model, file, pickle_protocol=protocol)
        file.seek(0)
        names = torch.serialization.get_unsafe_globals_in_checkpoint(file)
        assert {"Linear", "ReLU", "Sequential"} <= {name.rpartition(".")[2] for name in names}


def test_safe_globals():
    data = saved({"config": Config(3)})
    name = f"{Config.__module__}.Config"
    assert torch.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(data)) == [name]
    with pytest.raises(pickle.UnpicklingError, match=r"add_safe_globals\(\[Config\]\)"):
        torch.load(io.BytesIO(data))
    with torch.serialization.safe_globals([Config]):
        assert torch.load(io.BytesIO(data))["config"].size == 3
        assert torch.serialization.get_safe_globals() == [Config]
    assert torch.serialization.get_safe_globals() == []
    torch.serialization.add_safe_globals([(Config, name)])
    assert torch.load(io.BytesIO(data))["config"].size == 3
    torch.serialization.clear_safe_globals()
    assert torch.serialization.get_safe_globals() == []


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_what_python_2_named_otherwise(protocol):
    """Protocol 2 names __builtin__.complex, which means builtins.complex; later ones name each thing by two texts."""
    file = io.BytesIO()
    held = {
        "c": 1 + 2j,
        "s": {1},
        "b": bytearray(b"x"),
        "l": torch.strided,
        "r": range(3),
        "again": [range(2), slice(1, 2)],
    }
    torch.save(held, file, pickle_protocol=protocol)
    names = torch.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(file.getvalue()))
    assert names == ["builtins.range", "builtins.slice"]
    with torch.serialization.safe_globals([range, slice]):
        assert torch.load(io.BytesIO(file.getvalue())) == held


def test_safe_globals_of_numpy_scalars():
    """Their pickles call a built-in function and give a dtype its state."""
    data = saved({"loss": np.float64(1.5), "seen": np.int32(7)})
    scalar = np.float64(0).__reduce__()[0]
    with torch.serialization.safe_globals([scalar, np.dtype, type(np.dtype("f8")), type(np.dtype("i4"))]):
        loaded = torch.load(io.BytesIO(data))
    assert loaded == {"loss": 1.5, "seen": 7}
    assert type(loaded["loss"]) is np.float64 and type(loaded["seen"]) is np.int32
    with torch.serialization.safe_globals([np.dtype]), pytest.raises(pickle.UnpicklingError, match="scalar"):
        torch.load(io.BytesIO(data))


@pytest.mark.parity
def test_pytorch_reads_ours(tmp_path):
    real = pytest.importorskip("torch")
    path = tmp_path / "x.pt"
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.arange(8.0).reshape(4, 2)).pow(2).sum().backward()
    optimizer.step()
    torch.save({**contents(torch), "model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
    for options in ({}, {"mmap": True}):
        got = real.load(path, weights_only=True, **options)
        for name, want in contents(real).items():
            have = got[name]
            if isinstance(want, real.Tensor):
                assert have.dtype is want.dtype
                assert have.stride() == want.stride()
                assert have.requires_grad == want.requires_grad
                assert real.equal(have.to(real.complex128), want.to(real.complex128)), name
            else:
                assert str(have) == str(want)
        got["base"].mul_(2)
        assert got["rows"][0].tolist() == [8.0, 10.0, 12.0, 14.0]
        twin = real.nn.Sequential(real.nn.Linear(2, 3), real.nn.BatchNorm1d(3))
        twin.load_state_dict(got["model"])
        real.optim.Adam(twin.parameters()).load_state_dict(got["optimizer"])


# -- what killed saves leave -----------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
import functorch_lite as torch
from functorch_lite.serialization import archive
record = archive._record
def killed(*args):
    record(*args)
    os.kill(os.getpid(), signal.SIGKILL)
archive._record = killed
torch.save(torch.zeros(1), sys.argv[1])
"""


def test_what_a_killed_save_left_is_cleared_by_the_next(tmp_path):
    path, other = tmp_path / "x.pt", tmp_path / ".notes.torch_save"
    torch.save(torch.ones(1), path)
    assert (
        subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False).returncode == -signal.SIGKILL
    )
    left = next(p for p in tmp_path.iterdir() if p != path)
    assert torch.load(path).tolist() == [1.0]
    torch.save(torch.ones(1), path)
    assert left.exists()  # it may be that of another process, which begins
    other.mkdir()
    written, foreign = tmp_path / ".y.pt.abc.torch_save", tmp_path / ".x.pt.abc"
    for p in (written, foreign):
        p.write_bytes(b"PK")
    for p in (left, written, foreign, other):
        os.utime(p, (0, time.time() - 120))
    with open(written, "rb") as file:
        assert archive_file._lock(file)  # as the save that writes it does
        torch.save(torch.ones(2), path)
        assert written.exists()
    assert not left.exists() and foreign.exists() and other.exists()
    torch.save(torch.ones(2), path)
    assert not written.exists()


@pytest.mark.parametrize("zipped", [True, False])
def test_a_file_object_is_flushed(tmp_path, zipped):
    with open(tmp_path / "t.pt", "wb") as file:
        torch.save(torch.arange(3), file, _use_new_zipfile_serialization=zipped)
        assert torch.load(tmp_path / "t.pt").tolist() == [0, 1, 2]
