"""Damaged and hostile files, from fixed seeds: `files(count, seed)` gives pairs of what a file is and its bytes.

Hostile are pickles that would run something in Python's own reader: a function or class that is called (by each opcode
that calls), alone or inside what a checkpoint holds, in each format. Damaged are checkpoints cut short, with bytes
changed, or without a record. All are to be refused, or, where the damage hit nothing that matters, to be read as plain
data.
"""

from __future__ import annotations

import io
import pickle
import random
import struct
import zipfile
from collections.abc import Iterator

import functorch_lite as torch

TARGETS = (
    ("os", "system"), ("posix", "system"), ("subprocess", "Popen"), ("builtins", "eval"), ("builtins", "exec"), ("__builtin__", "eval"), ("builtins", "getattr"),
    ("builtins", "__import__"), ("runpy", "run_path"), ("importlib", "import_module"), ("pickle", "loads"), ("shutil", "rmtree"), ("pathlib", "Path.unlink"),
    ("functools", "partial"), ("operator", "methodcaller"), ("types", "FunctionType"), ("tests.serialization.hostile", "ran"), ("ctypes", "CDLL"),
    ("numpy", "load"), ("numpy.testing", "measure"), ("torch", "load"), ("torch.hub", "load"), ("torch.serialization", "load"), ("torch.jit", "load"),
    ("torch", "compile"), ("torch._utils", "_rebuild_tensor_v2.__globals__"), ("torch.nn.modules.linear", "Linear"), ("torch.nn.functional", "relu"),
    ("functorch_lite", "load"), ("functorch_lite.serialization.trusted", "read_trusted"), ("functorch_lite._core.lazy.tensor", "Tensor"),
    ("torch.utils.data.dataloader", "DataLoader"), ("torch.optim.sgd", "SGD"), ("torch.fx.graph_module", "reduce_graph_module"), ("torch._C", "Generator"),
    ("collections", "OrderedDict.update"), ("__main__", "anything"), ("no_such_module", "f"),
)  # fmt: skip
"""What a hostile file names: nothing of it may be found, let alone called."""

calls: list = []


def ran(*args, **kwargs):
    """Notes that something of a file was executed."""
    calls.append((args, kwargs))


def _text(s: str) -> bytes:
    data = s.encode()
    return b"X" + struct.pack("<I", len(data)) + data


def _payload(rng: random.Random) -> bytes:
    """Opcodes that leave one object on the stack, which was made by a call."""
    module, name = rng.choice(TARGETS)
    argument = _text(rng.choice(["echo pwned", "1+1", "x.pt", ""]))
    plain = f"c{module}\n{name}\n".encode()
    stacked = _text(module) + _text(name) + b"\x93"
    found = rng.choice([plain, stacked])
    return rng.choice(
        [
            found + b"(" + argument + b"tR",  # REDUCE
            found + argument + b"\x85\x81",  # NEWOBJ
            found + argument + b"\x85}\x92",  # NEWOBJ_EX
            b"(" + found + argument + b"o",  # OBJ
            b"(" + argument + f"i{module}\n{name}\n".encode(),  # INST
            found + b")R}" + argument + b"K\x01sb",  # REDUCE, BUILD
            found + b"}" + argument + b"K\x01sb",  # BUILD of what was found
            found + b"N}" + argument + b"K\x01s\x86b",  # with slots
            b"\x82" + bytes([rng.randrange(1, 255)]) + b")R",  # EXT1
            found,  # only found
        ]
    )


def _inside(rng: random.Random, payload: bytes) -> bytes:
    """A whole pickle with the payload somewhere in what a checkpoint holds."""
    tensor = b"ctorch._utils\n_rebuild_tensor_v2\n"
    storage = b"(" + _text("storage") + b"ctorch\nFloatStorage\n" + _text("0") + _text("cpu") + b"K\x02tQ"
    forms = [
        payload,
        b"}" + _text("model") + payload + b"s",
        b"](K\x01" + payload + b"e",
        b"}(" + payload + b"K\x01u",
        b"ccollections\nOrderedDict\n)R" + _text("w") + payload + b"s",
        b"ccollections\nOrderedDict\n)R" + payload + b"b",
        tensor + b"(" + storage + b"K\x00K\x02\x85K\x01\x85\x89" + payload + b"tR",
        tensor + b"(" + payload + b"K\x00K\x02\x85K\x01\x85\x89ccollections\nOrderedDict\n)RtR",
        tensor + b"(" + storage + payload + b"K\x02\x85K\x01\x85\x89ccollections\nOrderedDict\n)RtR",
        b"ctorch._tensor\n_rebuild_from_type_v2\n(" + payload + b"ctorch\nTensor\n)}tR",
        b"ctorch._tensor\n_rebuild_from_type_v2\n(" + tensor + payload + b")}tR",
        b"ctorch._utils\n_rebuild_parameter\n(" + payload + b"\x89}tR",
        b"ctorch._utils\n_rebuild_sparse_tensor\n(" + payload + b")tR",
        b"(" + _text("storage") + payload + _text("0") + _text("cpu") + b"K\x02tQ",
        b"(" + _text("module") + payload + b"NNtQ",
        payload + b"0K\x01",  # made, and thrown away
    ]
    return b"\x80" + rng.choice([b"\x02", b"\x04"]) + rng.choice(forms) + b"."


def packed(pickled: bytes, old: bool) -> bytes:
    """A pickle as a checkpoint of one storage of two floats."""
    file = io.BytesIO()
    if old:
        for part in (
            0x1950A86A20F9469CFC6C,
            1001,
            {"protocol_version": 1001, "little_endian": True, "type_sizes": {}},
        ):
            pickle.dump(part, file, 2)
        file.write(pickled)
        pickle.dump(["0"] if b"Storage" in pickled else [], file, 2)
        file.write(struct.pack("<qff", 2, 1.0, 2.0))
        return file.getvalue()
    with zipfile.ZipFile(file, "w") as z:
        z.writestr("archive/data.pkl", pickled)
        z.writestr("archive/data/0", struct.pack("<ff", 1.0, 2.0))
        z.writestr("archive/version", "3\n")
    return file.getvalue()


def _good(old: bool) -> bytes:
    file = io.BytesIO()
    weight = torch.nn.Parameter(torch.arange(4.0).reshape(2, 2))
    whole = {
        "w": weight,
        "row": weight.detach()[1],
        "n": [1, 2.5, "text", None],
        "state": {0: {"step": torch.tensor(1)}},
        "t": torch.ones(3).bool(),
    }
    torch.save(whole, file, _use_new_zipfile_serialization=not old)
    return file.getvalue()


def _damaged(rng: random.Random, good: dict[bool, bytes]) -> tuple[str, bytes]:
    old = rng.random() < 0.4
    data = bytearray(good[old])
    how = rng.choice(["cut", "changed", "record gone", "pickle changed"])
    if how == "cut":
        return f"cut, {old=}", bytes(data[: rng.randrange(len(data))])
    if how == "changed" or old:
        for _ in range(rng.randrange(1, 6)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        return f"bytes changed, {old=}", bytes(data)
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(file, "w") as after:
        names = before.namelist()
        gone = rng.choice(names) if how == "record gone" else None
        for name in names:
            content = bytearray(before.read(name))
            if name.endswith("data.pkl") and how == "pickle changed":
                for _ in range(rng.randrange(1, 4)):
                    content[rng.randrange(len(content))] = rng.randrange(256)
            if name != gone:
                after.writestr(name, bytes(content))
    return how, file.getvalue()


def files(count: int, seed: int) -> Iterator[tuple[str, bool, bytes]]:
    """What a file is, whether it is hostile, and its bytes; half are hostile."""
    rng = random.Random(seed)
    good = {old: _good(old) for old in (False, True)}
    for k in range(count):
        if k % 2:
            what, data = _damaged(rng, good)
            yield what, False, data
        else:
            pickled = _inside(rng, _payload(rng))
            yield repr(pickled), True, packed(pickled, rng.random() < 0.3)
