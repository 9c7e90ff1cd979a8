"""Forked children of a process that has started XLA: none waits for it.
The rest of the programs: `python -m tests.forked`."""

import pytest

from tests.support.full import FULL
from tests.support.processes import python

QUICK = ("product", "sort", "zeta", "computed_before")


def test_programs_in_forked_children():
    done = python("-m", "tests.forked", *(() if FULL else QUICK), timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    if not FULL:
        said = {line.split()[0]: set(line.split()[2::2]) for line in done.stdout.splitlines()[:-1]}
        assert said == {
            "product": {"right"},
            "sort": {"right"},
            "zeta": {"refused"},
            "computed_before": {"right"},
        }


CHILD = """
import os, sys, threading, warnings
warnings.simplefilter("ignore")
import functorch_lite as torch

{before}
child = os.fork()
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
{after}
"""


def ends(before: str, after: str) -> str:
    done = python("-c", CHILD.format(before=before, after=after), timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


XLA = "with torch.debug.tier('compiled'): x = (torch.ones(300, 300) @ torch.ones(300, 300)).add(1)"


def test_a_child_ends_as_any_process_does():
    assert ends(f"{XLA}; x.sum().item()", "print(x[0, 0].item())") == "301.0\n"


def test_a_child_of_a_process_that_only_imported_the_library_has_xla():
    said = ends(
        "x = torch.ones(3) + 1", f"{XLA}; print(x.sum().item(), torch.linalg.svd(torch.eye(2))[1].tolist())"
    )
    assert said == "27090000.0 [1.0, 1.0]\n"


def test_what_another_thread_was_computing_is_refused():
    before = f"""
def compute():
    global y
    y = torch.ones(20) + 1
    recording = y._cell.value.rec
    recording.flushed = True
    recording.lock.acquire()
    started.set()
    threading.Event().wait()

{XLA}; x.sum().item()
started = threading.Event()
threading.Thread(target=compute, daemon=True).start()
started.wait()
"""
    after = """
try:
    y.tolist()
except RuntimeError as error:
    print("spawn" in str(error), torch.ones(2).tolist())
"""
    assert ends(before, after) == "True [1.0, 1.0]\n"


@pytest.mark.skipif(not FULL, reason="at full length")
def test_a_fork_while_programs_are_compiled():
    before = """
for k in range(6):
    y = torch.ones(100 + k, 100)
    for _ in range(30):
        z = (y @ torch.ones(100, 100)).tanh().sum().item()
with torch.debug.tier("compiled"): torch.ones(3).sin().sum().item()
"""
    assert ends(before, "print((torch.ones(200, 200) @ torch.ones(200, 200)).sum().item())") == "8000000.0\n"


@pytest.mark.skipif(not FULL, reason="at full length")
def test_no_op_hangs_in_a_forked_child():
    done = python("-m", "tests.forked", "--ops", timeout=3600)
    assert done.returncode == 0, done.stdout + done.stderr
