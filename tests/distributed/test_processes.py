"""Several real processes on this machine, started by the launcher."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def launch(*arguments: str, **env: str) -> subprocess.CompletedProcess:
    """Runs the launcher; no process that it started is left when it has ended."""
    mark = f"launched-by-{os.getpid()}-{len(arguments)}"
    command = [sys.executable, "-m", "functorch_lite.distributed.run", "--standalone", "--rdzv-id", mark]
    done = subprocess.run(
        [*command, *arguments],
        env={**os.environ, "JAX_PLATFORMS": "cpu", **env},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert not _processes_of(mark), done.stderr[-3000:]
    return done


def _processes_of(mark: str) -> list[str]:
    """Those that have the launcher's mark in their environment, but for such as have ended."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if f"TORCHELASTIC_RUN_ID={mark}".encode() in (path / "environ").read_bytes():
                found.append((path / "cmdline").read_text())
        except OSError:
            continue  # another user's, or gone
    return [f for f in found if f]


def numbers(text: str, name: str) -> list[float]:
    (line,) = re.findall(f"^{name} (\\[.*)$", text, re.MULTILINE)
    return [x for part in ast.literal_eval(line) for x in part]


def test_collectives():
    done = launch("--nproc-per-node", "2", "-m", "tests.distributed.collectives_program")
    assert done.returncode == 0, done.stderr[-3000:]
    lines = done.stdout.splitlines()
    told = (
        r"loss \d\.\d{4}",
        r"norm of the weight \d\.\d{4}",
        r"loss of the pipeline \d\.\d{4}",
        "collectives ok",
    )
    assert len(lines) == 4 and all(map(re.fullmatch, told, lines)), done.stdout


def test_data_parallel_equals_one_process_and_starts_again_when_one_dies():
    program = str(ROOT / "tests" / "distributed" / "ddp_program.py")
    one = launch(program)
    assert one.returncode == 0, one.stderr[-3000:]
    two = launch("--nproc-per-node", "2", "--max-restarts", "1", program, FAIL_RANK="1")
    assert two.returncode == 0, two.stderr[-3000:]
    assert "rank 0 of 2: rank 1 has ended, and cannot take part" in two.stderr
    assert re.search(
        r"rank 1 \(process \d+\) ended by signal SIGKILL. All are started again, 1 times", two.stderr
    )
    for name in ("parameters", "buffers"):
        expected, found = numbers(one.stdout, name), numbers(two.stdout, name)
        assert len(found) == len(expected)
        assert max(abs(a - b) for a, b in zip(expected, found)) < 1e-9


def test_a_mesh_over_two_processes_gives_what_one_device_gives(tmp_path):
    program, folder = (
        str(ROOT / "tests" / "distributed" / "mesh_over_processes_program.py"),
        str(tmp_path / "saved"),
    )
    full = ["full"] if os.environ.get("FUNCTORCH_LITE_PARITY") == "full" else []
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=2"  # of each one is in the mesh
    two = launch("--nproc-per-node", "2", program, "save", folder, *full, XLA_FLAGS=flags)
    assert two.returncode == 0, two.stderr[-3000:]
    one = launch(program, "load", folder, *full)
    assert one.returncode == 0, one.stderr[-3000:]
    for name in ("tensors", "data parallel", "sharded", "tensor parallel", *["gpt"] * len(full)):
        expected, found = numbers(one.stdout, name), numbers(two.stdout, name)
        assert len(found) == len(expected)
        assert max(abs(a - b) / max(1.0, abs(a)) for a, b in zip(expected, found)) < 1e-6, name
    assert numbers(one.stdout, "loaded") == numbers(two.stdout, "loaded") != numbers(one.stdout, "sharded")
    assert numbers(two.stdout, "loaded") == numbers(two.stdout, "sharded")[4:]


def test_processes_of_a_mesh_that_differ_are_ended():
    program = str(ROOT / "tests" / "distributed" / "mesh_over_processes_program.py")
    done = launch("--nproc-per-node", "2", program, "differ", "")
    assert done.returncode == 1 and "All processes of a mesh must do the same with its tensors" in done.stderr
    assert sorted(done.stdout.splitlines()) == sorted([f"{k} {[k + 0.5] * 2}" for k in range(3)] * 2)
