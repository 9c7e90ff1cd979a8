"""`python -m functorch_lite.distributed.run [options] script.py args…`: starts a program as several processes, as
torchrun does.

Each process finds its place in the environment (RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT, …), where
`init_process_group()` looks. The script may say `import torch`: it runs on functorch_lite. When a process fails, the
others are ended, and all are started again, up to --max-restarts times.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Sequence
from typing import Any

import jax

from ._children import end_with_parent

__all__ = ["get_args_parser", "main", "run"]

_GRACE = 10.0
"""Seconds that processes have between SIGTERM and SIGKILL."""
_LAST_WORDS = 7.0
"""Seconds that the others have when one has failed, to end by themselves and say why: a collective ends within five
(see `_runtime.py`)."""


def get_args_parser() -> argparse.ArgumentParser:
    """The options, which are torchrun's."""
    p = argparse.ArgumentParser(prog="python -m functorch_lite.distributed.run", description=__doc__)
    add = p.add_argument
    add("--nnodes", default="1", help="machines: this is run on each, with its --node-rank")
    add(
        "--nproc-per-node",
        "--nproc_per_node",
        default="1",
        help="processes on this machine: a number, cpu, gpu or auto",
    )
    add("--node-rank", "--node_rank", type=int, default=0)
    add("--master-addr", "--master_addr", default="127.0.0.1", help="the machine of node rank 0")
    add(
        "--master-port",
        "--master_port",
        type=int,
        default=0,
        help="by default 29500, or a free port with one machine",
    )
    add("--standalone", action="store_true", help="one machine, and a free port")
    add("--max-restarts", "--max_restarts", type=int, default=0)
    add(
        "--monitor-interval",
        "--monitor_interval",
        type=float,
        default=0.1,
        help="seconds between looks at the processes",
    )
    add(
        "--rdzv-backend",
        "--rdzv_backend",
        default="static",
        help="static or c10d: the address is --rdzv-endpoint's, or --master-addr's",
    )
    add("--rdzv-endpoint", "--rdzv_endpoint", default="", help="host:port")
    add(
        "--rdzv-id",
        "--rdzv_id",
        default="",
        help="a name of the run, which processes find in TORCHELASTIC_RUN_ID",
    )
    add("--role", default="default")
    add("--log-dir", "--log_dir", default=None, help="a folder for what processes print, with -r or -t")
    add(
        "-r",
        "--redirects",
        default="0",
        choices=["0", "1", "2", "3"],
        help="to files: 1 stdout, 2 stderr, 3 both",
    )
    add("-m", "--module", action="store_true", help="the script is a module, as in python -m")
    add(
        "--no-python", "--no_python", action="store_true", help="the script is a program that is run as it is"
    )
    add("training_script", help="the program")
    add("training_script_args", nargs=argparse.REMAINDER)
    return p


def _processes(given: str) -> int:
    if given.isdigit() and int(given) > 0:
        return int(given)
    gpus = len(jax.devices("gpu")) if given in ("gpu", "auto") and jax.default_backend() == "gpu" else 0
    if given == "gpu" and not gpus:
        raise ValueError("--nproc-per-node=gpu: JAX sees no GPU here")
    if given not in ("cpu", "gpu", "auto"):
        raise ValueError(f"Unsupported nproc_per_node value: {given}")
    return gpus or os.cpu_count() or 1


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class _Stopped(Exception):
    """A signal came, which is the argument."""


class _Launcher:
    """The processes of this machine."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        least, _, most = options.nnodes.partition(":")
        if most not in ("", least):
            raise ValueError(
                f"torchrun: --nnodes={options.nnodes} is an elastic range, which is not supported; pass an integer"
            )
        self.nodes, self.count = int(least), _processes(options.nproc_per_node)
        if not 0 <= options.node_rank < self.nodes:
            raise ValueError(f"--node-rank={options.node_rank} is not from 0 to {self.nodes - 1}")
        if options.standalone and self.nodes != 1:
            raise ValueError("--standalone is for one machine")
        if options.rdzv_backend not in ("static", "c10d"):
            raise ValueError(f"--rdzv-backend={options.rdzv_backend}: only static and c10d are there")
        self.host, self.port = options.master_addr, options.master_port
        if options.rdzv_endpoint and not options.standalone:
            host, _, port = options.rdzv_endpoint.partition(":")
            self.host, self.port = host or self.host, int(port or 0)
        if not self.port and self.nodes > 1:
            self.port = 29500
        self.run_id = options.rdzv_id or uuid.uuid4().hex
        self.running: list[subprocess.Popen] = []

    def start(self, attempt: int) -> None:
        """Starts all processes."""
        o = self.options
        port = self.port if self.port and not o.standalone else _free_port()
        for local in range(self.count):
            rank = o.node_rank * self.count + local
            world = self.nodes * self.count
            env = {
                **os.environ,
                "RANK": str(rank), "LOCAL_RANK": str(local), "ROLE_RANK": str(rank), "GROUP_RANK": str(o.node_rank),
                "WORLD_SIZE": str(world), "LOCAL_WORLD_SIZE": str(self.count), "ROLE_WORLD_SIZE": str(world), "GROUP_WORLD_SIZE": str(self.nodes),
                "ROLE_NAME": o.role, "MASTER_ADDR": self.host, "MASTER_PORT": str(port), "TORCHELASTIC_RUN_ID": self.run_id,
                "TORCHELASTIC_RESTART_COUNT": str(attempt), "TORCHELASTIC_MAX_RESTARTS": str(o.max_restarts),
            }  # fmt: skip
            if self.count > 1:
                env.setdefault("OMP_NUM_THREADS", "1")
            self.running.append(
                subprocess.Popen(
                    self._command(),
                    env=env,
                    start_new_session=True,  # so that what a process starts ends with it
                    preexec_fn=end_with_parent,
                    **self._files(attempt, local),
                )
            )

    def _command(self) -> list[str]:
        o = self.options
        if o.no_python:
            if o.module:
                raise ValueError(
                    "Don't use both the '--no-python' flag and the '--module' flag at the same time."
                )
            return [o.training_script, *o.training_script_args]
        module = ["-m"] if o.module else []
        return [
            sys.executable,
            "-u",
            "-m",
            "functorch_lite.compat",
            *module,
            o.training_script,
            *o.training_script_args,
        ]

    def _files(self, attempt: int, local: int) -> dict[str, Any]:
        o, files = self.options, {}
        if o.redirects != "0":
            folder = os.path.join(o.log_dir or "logs", self.run_id, f"attempt_{attempt}", str(local))
            os.makedirs(folder, exist_ok=True)
            for bit, name in ((1, "stdout"), (2, "stderr")):
                if int(o.redirects) & bit:
                    files[name] = open(os.path.join(folder, f"{name}.log"), "wb")
        return files

    def wait(self) -> tuple[int, subprocess.Popen] | None:
        """Waits until all have ended well, or one has not: its local rank, and the process."""
        while True:
            codes = [p.poll() for p in self.running]
            for local, code in enumerate(codes):
                if code not in (None, 0):
                    return local, self.running[local]
            if all(code == 0 for code in codes):
                return None
            time.sleep(self.options.monitor_interval)

    def wait_for_others(self) -> None:
        """Waits a while for the processes that still run after one has failed."""
        until = time.monotonic() + _LAST_WORDS
        while time.monotonic() < until and any(p.poll() is None for p in self.running):
            time.sleep(min(self.options.monitor_interval, 0.05))

    def stop(self, by: int = signal.SIGTERM) -> None:
        """Ends what runs, and all that it has started."""
        for p in self.running:
            _signal_group(p, by)
        until = time.monotonic() + _GRACE
        for p in self.running:
            try:
                p.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                pass
            _signal_group(p, signal.SIGKILL)
            p.wait()
        self.running = []


def _signal_group(p: subprocess.Popen, by: int) -> None:
    try:
        os.killpg(p.pid, by)
    except (ProcessLookupError, PermissionError):
        pass


def _how(code: int) -> str:
    return f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"


def run(options: argparse.Namespace) -> int:
    """Starts the processes and waits for them; the exit code."""
    launcher = _Launcher(options)

    def stop(number: int, frame: Any) -> None:
        raise _Stopped(number)

    before = {s: signal.signal(s, stop) for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    try:
        for attempt in range(options.max_restarts + 1):
            launcher.start(attempt)
            failed = launcher.wait()
            if failed is None:
                return 0
            local, process = failed
            rank = options.node_rank * launcher.count + local
            left = options.max_restarts - attempt
            then = f"All are started again, {left} times at most" if left else "The others were ended"
            print(
                f"functorch_lite.distributed.run: rank {rank} (process {process.pid}) ended {_how(process.returncode)}. {then}.",
                file=sys.stderr,
                flush=True,
            )
            launcher.wait_for_others()
            launcher.stop()
        return 1
    except _Stopped as stopped:
        number = stopped.args[0]
        for s in before:
            signal.signal(s, signal.SIG_IGN)
        launcher.stop(number)
        return 128 + number
    finally:
        launcher.stop()
        for s, handler in before.items():
            signal.signal(s, handler)


def main(args: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = get_args_parser()
    try:
        code = run(parser.parse_args(args))
    except ValueError as error:
        parser.error(str(error))
    if code:
        raise SystemExit(code)


if __name__ == "__main__":
    main()
