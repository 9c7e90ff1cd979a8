"""`python -m tests.crashes [name …]`: every public attribute of tensors and storages, called with nothing special, in a
process of its own each.

What raises is fine; a process that dies of a signal, or does not end, is printed. The parent imports the library and
starts nothing of XLA's, so the children, which are its forks, are processes like any other.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import os
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import functorch_lite as torch
import functorch_lite.nested
import functorch_lite.sparse

LIMIT = 120.0
"""Seconds."""
AT_ONCE = max(1, (os.cpu_count() or 2) - 1)

KINDS: dict[str, Callable[[], Any]] = {
    "floats": lambda: torch.arange(6.0).reshape(2, 3),
    "no dims": lambda: torch.tensor(2.5),
    "nothing": lambda: torch.empty(0, 3),
    "ints": lambda: torch.arange(4),
    "bools": lambda: torch.tensor([[True, False], [False, True]]),
    "complex": lambda: torch.ones(2, 2, dtype=torch.complex64),
    "halves": lambda: torch.ones(3, dtype=torch.bfloat16),
    "pending": lambda: torch.ones(3, 3) @ torch.ones(3, 3) + 1,
    "view": lambda: torch.arange(12.0).reshape(3, 4).t()[1:, ::2],
    "expanded": lambda: torch.ones(1, 3).expand(4, 3),
    "other dtype": lambda: torch.arange(4.0).view(torch.int16),
    "leaf": lambda: torch.ones(2, 2, requires_grad=True),
    "parameter": lambda: torch.nn.Parameter(torch.ones(2, 2)),
    "taped": lambda: torch.ones(2, 2, requires_grad=True) * 2,
    "meta": lambda: torch.ones(2, 2, device="meta"),
    "sparse": lambda: torch.eye(2).to_sparse(),
    "rows": lambda: torch.eye(2).to_sparse_csr(),
    "nested": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
    "storage": lambda: torch.arange(4.0).untyped_storage(),
    "stretch": lambda: torch.arange(4.0).untyped_storage()[4:8],
    "empty storage": lambda: torch.empty(0).untyped_storage(),
    "typed storage": lambda: torch.arange(4.0).storage(),
    "float storage": lambda: torch.FloatStorage(4),
}


def argument_lists(x: Any) -> Iterator[tuple]:
    """What a method is called with, one list after the other."""
    yield from (
        (),
        (x,),
        (0,),
        (1,),
        (0, 1),
        (x, x),
        (1.5,),
        ((1,),),
        (0, 0, 1),
        (torch.tensor([0]),),
        (torch.float32,),
    )
    yield from (
        (0, torch.tensor([0])),
        (0, torch.tensor([0]), x),
        (x, x, x),
        (lambda *a: None,),
        ("cpu",),
        (None,),
    )


def names() -> list[str]:
    """The public attributes of all kinds, and what NumPy and others ask for by name."""
    found = {
        "__array__",
        "__dlpack__",
        "__dlpack_device__",
        "__array_interface__",
        "__cuda_array_interface__",
        "_cdata",
        "__len__",
    }
    for kind in (torch.Tensor, torch.UntypedStorage, torch.TypedStorage, torch.FloatStorage):
        found.update(name for name in dir(kind) if not name.startswith("_"))
    return sorted(found)


def looked_at(result: Any, name: str, of: Any) -> None:
    """Uses what a call gave: prints it, and reads the memory that an address is of."""
    if name.endswith("data_ptr") and result:
        size = of.nbytes() if callable(of.nbytes) else of.element_size()
        ctypes.string_at(result, size)
    repr(result)


def call(name: str) -> None:
    for make in KINDS.values():
        for arguments in argument_lists(make()):
            with contextlib.suppress(Exception):
                x = make()
                found = getattr(x, name)
                looked_at(found(*arguments) if callable(found) else found, name, x)
                repr(x)


def scan(wanted: list[str], limit: float = LIMIT) -> dict[str, str]:
    """How the processes ended that did not end well, by name."""
    bad, running, waiting = {}, {}, list(wanted)
    while waiting or running:
        while waiting and len(running) < AT_ONCE:
            name, errors = waiting.pop(0), tempfile.TemporaryFile()
            running[_started(name, errors)] = name, errors, time.monotonic()
        time.sleep(0.005)
        for child, (name, errors, began) in list(running.items()):
            ended, status = os.waitpid(child, os.WNOHANG)
            if not ended and time.monotonic() - began < limit:
                continue
            if not ended:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                bad[name] = f"did not end in {limit:.0f} s"
            elif status:
                errors.seek(0)
                last = errors.read().decode(errors="replace").strip().splitlines()[-12:]
                by = (
                    signal.Signals(os.WTERMSIG(status)).name
                    if os.WIFSIGNALED(status)
                    else f"exit {status >> 8}"
                )
                bad[name] = "\n    ".join([by, *last])
            errors.close()
            del running[child]
    return bad


def _started(name: str, errors: Any) -> int:
    child = os.fork()
    if child:
        return child
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(errors.fileno(), 2)
    faulthandler.enable()
    warnings.simplefilter("ignore")
    status = 3
    try:
        call(name)
        status = 0
    finally:
        os._exit(status)


def main(wanted: list[str]) -> int:
    wanted = wanted or names()
    bad = scan(wanted)
    for name, how in bad.items():
        print(f"{name}: {how}")
    print(f"{len(wanted)} names, {len(KINDS)} kinds of tensors and storages: {len(bad)} crashed")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
