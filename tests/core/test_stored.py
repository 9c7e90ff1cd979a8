"""Programs on disk: what a second process finds, what it does not trust, whose folder it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import functorch_lite as torch
from functorch_lite._core.lazy.identity import digest, identity
from functorch_lite._core.lazy.trie import SignedZero
from functorch_lite._core.words import cache_folder, fingerprint

PRELUDE = """
import json, sys
import functorch_lite as torch
from functorch_lite import nn, func
from functorch_lite._core.lazy.applied import Applied
from functorch_lite._core.run.kept import stored

traced, looked, kept = [], [], []
trace, found, keep = Applied._trace, stored.found, stored.keep
Applied._trace = lambda self: (traced.append(str(self.op)), trace(self))[1]

def finds(*args):
    looked.append(found(*args))
    return looked[-1]

def keeps(*args):
    kept.append(args[0].text)
    return keep(*args)

stored.found, stored.keep = finds, keeps
torch.manual_seed(0)
"""
END = """
print(json.dumps({"result": result, "traced": traced, "found": sum(x is not None for x in looked), "kept": len(kept)}))
"""
TRAINING = """
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.LazyLinear(16), nn.Dropout(0.5), nn.Linear(16, 3))
x, y = torch.randn(8, 1, 12, 12), torch.randint(0, 3, (8,))
net(x)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
result = []
for _ in range(4):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y) * 2.0
    loss.backward()
    opt.step()
    result.append(loss.item().hex())
"""
TRANSFORMS = """
w = torch.randn(6, 5)
def loss(w, x):
    return (w @ x).tanh().sum() ** 2 + x[0]
x = torch.randn(7, 5)
result = func.vmap(func.grad(loss), (None, 0))(w, x).double().sum().item().hex()
"""
LONG = """
x = torch.linspace(0, 1, 9)
for _ in range(400):
    x = (x * 1.5).sin()
result = x.tolist()
"""
LAPACK = """
x = torch.linspace(0, 1, 36).reshape(6, 6).sin()
for _ in range(9):
    x = torch.linalg.pinv(x + torch.eye(6)).tanh() + torch.linalg.qr(x)[0]
result = x.tolist()
"""
USERS = """
from functorch_lite import compat
twice = compat.jax_function(lambda x: x * 2)
x = torch.randn(6, 5)
for _ in range(20):
    x = twice(x).tanh()
result = x.tolist()
"""


def run(program: str, cache, **env: str) -> dict:
    code = PRELUDE + textwrap.dedent(program) + END
    command = [sys.executable, "-c", code]
    env = {**os.environ, "FUNCTORCH_LITE_CACHE": str(cache), "FUNCTORCH_LITE_TIER": "compiled", **env}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder in which a training run left its programs, and what the run found."""
    cache = tmp_path_factory.mktemp("programs")
    return cache, run(TRAINING, cache)


def files(cache):
    (folder,) = cache.glob("programs-*")
    return folder / "ops", sorted(p for p in folder.iterdir() if "-" in p.name)


def test_a_second_process_traces_nothing_and_gets_the_same_bits(trained):
    cache, first = trained
    assert first["traced"] and first["kept"] and not first["found"]
    ops, programs = files(cache)
    assert all(
        p.stat().st_mode & 0o077 == 0 for p in (ops.parent, ops, *programs)
    )  # nobody else may read or write
    second = run(TRAINING, cache)
    assert second["traced"] == [] and second["kept"] == 0 and second["found"] == first["kept"]
    assert second["result"] == first["result"]


def test_what_is_on_disk_does_not_wait_for_its_turn(trained):
    """Without a word on the tier, NumPy would run the first steps."""
    cache, first = trained
    second = run(TRAINING, cache, FUNCTORCH_LITE_TIER="auto")
    assert second["traced"] == [] and second["result"] == first["result"]


@pytest.mark.parametrize("program", [TRANSFORMS, LONG], ids=["transforms", "chunks"])
def test_transforms_and_long_recordings(program, tmp_path):
    first, second = run(program, tmp_path), run(program, tmp_path)
    assert first["kept"] and second["traced"] == [] and second["found"]
    assert second["result"] == first["result"]


def test_calls_of_lapack_are_not_kept(tmp_path):
    """A process that did not lower one has not loaded LAPACK."""
    first, second = run(LAPACK, tmp_path), run(LAPACK, tmp_path)
    assert second["found"] == 0 and not list(tmp_path.glob("programs-*/*-*"))
    assert second["result"] == first["result"]


def test_what_is_the_users_is_not_kept(tmp_path):
    """No other process could tell whether it is the same function."""
    first, second = run(USERS, tmp_path), run(USERS, tmp_path)
    assert second["found"] == 0 and not list(tmp_path.glob("programs-*/*-*"))
    assert second["result"] == first["result"]


@pytest.mark.parametrize(
    "harm", [lambda data: data[:-1], lambda data: data[:100] + b"\0" + data[101:], lambda data: b""]
)
def test_a_damaged_file_is_a_miss(harm, trained, tmp_path):
    cache, first = trained
    ops, programs = files(cache)
    whole = {p: p.read_bytes() for p in (ops, *programs)}
    try:
        for path, data in whole.items():
            path.write_bytes(harm(data))
        again = run(TRAINING, cache)
        assert again["found"] == 0 and again["result"] == first["result"]
    finally:
        for path, data in whole.items():
            path.write_bytes(data)


def test_a_line_of_another_op_is_not_believed(trained):
    """The lines' checksums hold, but what they say is not what the ops give: it shows before anything is computed."""
    cache, _ = trained
    ops, programs = files(cache)
    whole = {p: p.read_bytes() for p in (ops, *programs)}
    try:
        lines = [line.split(b" ", 1) for line in whole[ops].split(b"\n") if line]
        rest = [text for _, text in lines]
        ops.write_bytes(
            b"\n".join(name + b" " + text for (name, _), text in zip(lines, [*rest[1:], rest[0]]))
        )
        for p in programs:
            p.unlink()
        with pytest.raises(AssertionError, match=r"delete|Error"):
            run(TRAINING, cache)
    finally:
        for path, data in whole.items():
            path.write_bytes(data)


def test_the_fingerprint_sees_all_of_the_library():
    """Also what is imported later: an optimizer that was edited is another one."""
    code = "from functorch_lite._core.words import fingerprint as f; import sys; print('functorch_lite.optim' in sys.modules, *f._code(), sep='\\n')"
    loaded, *files = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert loaded == "False"
    for name in ("adam.py", "batchnorm.py", "jax_function.py", "applied.py"):
        assert any(line.partition(" ")[0].rpartition("/")[2] == name for line in files), name


def test_a_folder_that_others_can_write_to_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("FUNCTORCH_LITE_CACHE", str(tmp_path))
    asked = cache_folder.cache_folder.__wrapped__
    assert asked() == str(tmp_path)
    tmp_path.chmod(0o770)
    with pytest.warns(UserWarning, match="others can write to it"):
        assert asked() is None
    monkeypatch.setenv("FUNCTORCH_LITE_CACHE", "0")
    assert asked() is None


def test_the_librarys_own_folder_is_closed_to_others(tmp_path, monkeypatch):
    monkeypatch.setenv("FUNCTORCH_LITE_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    where = tmp_path / "functorch_lite" / "xla"
    where.mkdir(parents=True)
    where.chmod(0o775)
    assert cache_folder.cache_folder.__wrapped__() == str(where) and where.stat().st_mode & 0o777 == 0o700


def test_a_file_is_written_at_once(tmp_path, monkeypatch):
    path = tmp_path / "a"
    cache_folder.write(str(path), b"old")

    def fails(*_):
        raise OSError("full")

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(OSError, match="full"):
        cache_folder.write(str(path), b"new")
    assert path.read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 1


def test_the_least_used_files_go_first(tmp_path):
    for k in range(8):
        (tmp_path / str(k)).write_bytes(bytes(100))
        os.utime(tmp_path / str(k), (k, k))
    cache_folder.bound(str(tmp_path), 400)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["6", "7"]


def test_digests_tell_apart_what_is_not_the_same():
    told = [
        1, True, 1.0, "1", b"1", 0.0, -0.0, SignedZero(0.0), SignedZero(-0.0), None, (), [], (1, 2), [1, 2], ((1,), 2), (1, (2,)), "1, 2",
        float, int, torch.float32, torch.float64, torch.device("cpu"), torch.device("meta"), torch.contiguous_format, torch.preserve_format,
        slice(1), slice(1, None), {"a": 1}, frozenset([1, 2]), torch.ones(2)._aval, torch.ones(3)._aval, torch.ones(2).double()._aval,
    ]  # fmt: skip
    assert len({digest(x) for x in told}) == len(told)
    assert digest("a", "b") != digest("ab") and digest(frozenset("abc")) == digest(frozenset("cab"))
    assert (
        identity(object()) is None
        and identity(lambda x: x) is None
        and identity(test_digests_tell_apart_what_is_not_the_same) is None
    )


def test_what_programs_depend_on_holds_every_file_of_the_library():
    root = Path(__file__).parents[2]
    files = [p for name in ("functorch_lite", "nn", "optim", "compat") for p in (root / name).rglob("*.py")]
    assert sorted(line.split("/")[-1].split()[0] for line in fingerprint._code()) == sorted(
        p.name for p in files
    )
