"""Stores give what PyTorch 2.13's do, and processes meet through them."""

from __future__ import annotations

import socket
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from functorch_lite import distributed as dist
from tests.checker import FULL

KINDS = {
    "hash": lambda folder: dist.HashStore(),
    "file": lambda folder: dist.FileStore(f"{folder}/store", 1),
    "tcp": lambda folder: dist.TCPStore("localhost", 0, is_master=True),
    "prefix": lambda folder: dist.PrefixStore("part", dist.HashStore()),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_stores_give(kind, tmp_path):
    store = KINDS[kind](tmp_path)
    store.multi_set(["a", "b"], ["1", b"\xff\x00"])
    assert (store.get("a"), store.multi_get(["b"])) == (b"1", [b"\xff\x00"])
    assert (store.add("n", 2), store.add("n", 3), store.get("n")) == (2, 5, b"5")
    assert (store.check(["a", "b"]), store.check(["a", "z"])) == (True, False)
    assert (store.compare_set("a", "1", "5"), store.compare_set("a", "1", "6")) == (b"5", b"5")
    assert (store.compare_set("new", "", "7"), store.compare_set("none", "x", "8")) == (b"7", b"x")
    store.append("b", "!")
    assert (store.get("b"), store.delete_key("a"), store.delete_key("a")) == (b"\xff\x00!", True, False)
    assert sorted(key.rpartition("/")[2] for key in store.list_keys()) == ["b", "n", "new"]
    store.set_timeout(timedelta(seconds=0.03))
    with pytest.raises(dist.DistStoreError, match="wait timeout after 30ms, keys: none"):
        store.get("none")


def test_a_file_goes_with_the_last_of_its_world(tmp_path):
    path = tmp_path / "store"
    first, second = (dist.FileStore(str(path), 2) for _ in range(2))
    first.set("a", "1")
    assert second.get("a") == b"1"
    del first
    assert path.exists()
    del second
    assert not path.exists()


PROGRAM = """
import sys
import functorch_lite as torch
from functorch_lite import distributed as dist
kind, at, rank = sys.argv[1], sys.argv[2], int(sys.argv[3])
store = dist.FileStore(at, 2) if kind == "file" else dist.TCPStore("localhost", int(at), 2, rank == 0)
for turn in range(2):  # the store is used again
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2)
    t = torch.tensor(rank + 1.0)
    dist.all_reduce(t)
    print(int(t), end=" ", flush=True)
    dist.barrier()
    dist.destroy_process_group()
del store
"""


@pytest.mark.parametrize("kind", ["file", "tcp"] if FULL else ["file"])
def test_processes_meet_through_a_store(kind, tmp_path):
    with socket.create_server(("localhost", 0)) as free:
        port = free.getsockname()[1]
    at = str(tmp_path / "meeting") if kind == "file" else str(port)
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", PROGRAM, kind, at]
    ranks = [
        subprocess.Popen([*command, str(r)], cwd=root, stdout=subprocess.PIPE, text=True) for r in (0, 1)
    ]
    assert [r.communicate(timeout=100)[0].split()[-2:] for r in ranks] == [["3", "3"]] * 2
    assert not Path(at).exists()
