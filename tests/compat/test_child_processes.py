"""Child processes of a program that runs on the drop-in have it before they unpickle anything, whatever starts them."""

from __future__ import annotations

import importlib.util
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import functorch_lite as torch
import functorch_lite.backends.cudnn
import functorch_lite.compat.children as children
import functorch_lite.compiler.settings
from functorch_lite._core.words.errors import OutOfMemoryError
from tests.support.full import FULL
from tests.support.processes import python

ROOT = Path(__file__).parents[2]
LIMIT = 150
"""Seconds after which a program and all its children are killed."""


def ran(*command: str, **options) -> str:
    """What a program prints. It is killed with all its children if it takes too long."""
    pipe = subprocess.PIPE
    done = subprocess.Popen(command, stdout=pipe, stderr=pipe, cwd=ROOT, start_new_session=True, **options)
    try:
        printed, errors = done.communicate(timeout=LIMIT)
    finally:
        try:
            os.killpg(done.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    assert done.returncode == 0, errors.decode()[-4000:]
    return printed.decode()


KINDS = [
    ["pool:spawn"],
    ["preloaded:forkserver", "process:forkserver", "executor:forkserver"],
    ["pool:fork", "process:fork", "executor:fork"],
    pytest.param(["loky"], marks=pytest.mark.skipif(importlib.util.find_spec("joblib") is None, reason="needs joblib")),
]  # fmt: skip
if FULL:
    KINDS += [["executor:spawn", "process:spawn"], ["pool:forkserver"], ["nested:spawn"], ["nested:fork"]]


@pytest.mark.parametrize("kinds", KINDS, ids=" ".join)
def test_children_have_the_drop_in(kinds):
    program = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "functorch_lite.compat",
        "tests/compat/child_programs.py",
    ]
    assert ran(*program, *kinds).splitlines() == [f"{kind} ok" for kind in kinds]


def test_the_hook_is_installed_with_the_drop_in():
    """Whether the modules that start processes are imported before or after, and without torch.multiprocessing."""
    printed = python(
        "-c",
        """
import multiprocessing.spawn, sys, functorch_lite.compat
functorch_lite.compat.install_as_torch()
data = multiprocessing.spawn.get_preparation_data("a child")
print(type(data["functorch_lite"]).__name__, "functorch_lite.multiprocessing" in sys.modules)
del sys.modules["multiprocessing.spawn"]
import importlib; spawn = importlib.import_module("multiprocessing.spawn")
data = spawn.get_preparation_data("a child")
print(type(data["functorch_lite"]).__name__)
""",
    )
    assert printed.stdout == "InstallInChild False\nInstallInChild\n", printed.stderr


def test_a_child_that_has_another_path():
    """The entry makes the library importable where no folder of packages is on the path."""
    entry = pickle.dumps(children.InstallInChild())
    program = f"import pickle; pickle.loads({entry!r}); import torch; print((torch.ones(2) * 2).tolist())"
    assert ran(sys.executable, "-S", "-c", program) == "[2.0, 2.0]\n"


def test_modules_by_cloudpickle():
    """What cloudpickle writes of a mirror module, or of a function that has one among its globals, installs the drop-in
    where it is read."""
    cloudpickle = pytest.importorskip("cloudpickle")
    write = """
import functorch_lite.compat, cloudpickle, sys
torch = functorch_lite.compat.install_as_torch()
import torch.nn.functional as F, functorch
made = [torch, torch.nn, F, torch.ops, torch.backends.cudnn, functorch], lambda x: torch.relu(x) + F.relu(x)
sys.stdout.write(cloudpickle.dumps(made).hex())
"""
    payload = python("-c", write).stdout
    read = f"""
import pickle, sys
modules, f = pickle.loads(bytes.fromhex({payload!r}))
print([m.__name__ for m in modules], "functorch_lite" in repr(sys.modules["torch"]))
import torch
print(modules[0] is torch, f(torch.tensor([-1.0, 3.0])).tolist())
"""
    names = ["torch", "torch.nn", "torch.nn.functional", "torch.ops", "torch.backends.cudnn", "functorch"]
    assert ran(sys.executable, "-c", read) == f"{names} True\nTrue [0.0, 6.0]\n"
    for module in (functorch_lite.backends.cudnn, functorch_lite.compiler.settings):
        assert pickle.loads(cloudpickle.dumps(module)) is module


def test_what_children_send_back_needs_no_drop_in():
    """Named results and errors whose classes say that they are PyTorch's pickle in a program without the drop-in."""
    back = pickle.loads(pickle.dumps(torch.tensor([1.0, 3.0, 2.0]).max(0)))
    assert type(back) is torch.return_types.max and (back.values.item(), back.indices.item()) == (3.0, 1)

    class Mine(OutOfMemoryError):
        pass

    with pytest.raises(IndexError) as caught:
        torch.ones(2).index_select(0, torch.tensor([5]))
    with pytest.raises(torch.linalg.LinAlgError) as singular:
        torch.linalg.inv(torch.zeros(2, 2))
    for error in (caught.value, singular.value, OutOfMemoryError("full"), torch.AcceleratorError("lost")):
        back = pickle.loads(pickle.dumps(error))
        assert type(back) is type(error) and back.args == error.args
    assert Mine("full").__reduce__()[:2] == (Mine, ("full",))
