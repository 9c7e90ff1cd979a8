"""Memory that arrays leave: kept for the next run unless the user says otherwise, and given back when asked for."""

import os
import subprocess
import sys

import jax
import pytest

import functorch_lite as torch
from functorch_lite._core.run import host_memory

pytestmark = pytest.mark.skipif(host_memory._glibc() is None, reason="settings of glibc's allocator")

MOST_KEPT = 48 if jax.__version_info__ < (0, 11) else 96
"""Megabytes: less than one result; jaxlib 0.11 holds on to one."""

# Results of 48 MB: glibc takes what is above 32 MB from the system. ru_minflt counts the pages (of 4 kB, or 2 MB where
# those are given). Prints the median of the pages that a run takes, and megabytes held at the start, with all arrays
# gone, and after release_memory().
PROGRAM = """
import resource, time
import functorch_lite as torch
from functorch_lite._core.run.host_memory import resident

torch.exp(torch.zeros(3)).tolist()
start = resident()
x = torch.zeros(12 * 2**20)
held = []

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    held[:] = [torch.exp(x)]
    held[0][3].item()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

counts = sorted([faults() for _ in range(25)][10:])
held += [torch.exp(x + i) for i in range(3)]
for result in held:
    result[3].item()
del x, result
held.clear()
time.sleep(0.1)  # XLA's thread lets go of the last run's memory some milliseconds after its results are there
kept = resident()
torch.debug.release_memory()
print(counts[len(counts) // 2], start / 2**20, kept / 2**20, resident() / 2**20)
"""


def _run(**settings: str) -> list[float]:
    clean = {
        k: v for k, v in os.environ.items() if not k.startswith(("MALLOC_", "GLIBC_", "FUNCTORCH_LITE_KEEP"))
    }
    out = subprocess.run(
        [sys.executable, "-c", PROGRAM], env={**clean, **settings}, capture_output=True, text=True, check=True
    )
    return [float(word) for word in out.stdout.split()]


@pytest.mark.programs
def test_a_steady_loop_takes_no_memory_from_the_system():
    faults, start, kept, released = _run()
    assert faults < 10
    assert kept - released > 100, (kept, released)
    assert released - start < MOST_KEPT, (start, released)


@pytest.mark.parametrize("setting", ["FUNCTORCH_LITE_KEEP_MEMORY=0", "MALLOC_TRIM_THRESHOLD_=131072"])
def test_the_users_own_settings_stay(setting):
    name, value = setting.split("=")
    faults, *_ = _run(**{name: value})
    assert faults >= 24


@pytest.mark.programs
def test_memory_is_given_back_when_the_process_holds_half_of_the_machines(monkeypatch):
    released = []
    monkeypatch.setattr(host_memory, "release", lambda: released.append(1))
    monkeypatch.setattr(host_memory, "_limit", 2**50)
    host_memory.ease()
    assert not released
    monkeypatch.setattr(host_memory, "_limit", 2**20)
    for i in range(64):
        torch.tensor(float(i)).sin().item()
    assert released == [1]
