"""Run by test_checkpoint.py: `kills_program.py folder n`. A process that saves again and again is killed n times, each
time at another moment; what it leaves is a checkpoint that loads, all of one save.

The processes are forks of this one, which has run no program of XLA's: they compute nothing.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np

import functorch_lite as torch
import functorch_lite.distributed.checkpoint as dcp


def state(step: int) -> dict:
    return {
        "w": [torch.from_numpy(np.full(200_000, step + i, np.float32)) for i in range(3)],
        "step": step,
        "text": f"of step {step}",
    }


def saving(folder: Path, first: int) -> None:
    step = first
    while True:
        dcp.save(state(step), checkpoint_id=folder)
        step += 1


def loaded(folder: Path) -> int:
    found = state(-1)
    dcp.load(found, checkpoint_id=folder)
    step = found["step"]
    assert found["text"] == f"of step {step}"
    for i, w in enumerate(found["w"]):
        assert bool((w == step + i).all()), (step, i, w)
    return step


if __name__ == "__main__":
    folder, kills = Path(sys.argv[1]), int(sys.argv[2])
    moments = random.Random(0)
    dcp.save(state(0), checkpoint_id=folder)
    at, began = 0, time.perf_counter()
    for step in range(1, 4):
        dcp.save(state(step), checkpoint_id=folder)
    one = (time.perf_counter() - began) / 3
    at, unfinished = loaded(folder), 0
    for _ in range(kills):
        child = os.fork()
        if child == 0:
            try:
                saving(folder, at + 1)
            finally:
                os._exit(1)
        time.sleep(moments.uniform(0, 4 * one))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), status
        found = loaded(folder)
        assert found >= at, (found, at)
        at = found
        unfinished += len(list(folder.iterdir())) > 2
    dcp.save(state(at + 1), checkpoint_id=folder)
    assert loaded(folder) == at + 1 and len(list(folder.iterdir())) == 2, list(folder.iterdir())
    print(
        f"{kills} kills ok, after {unfinished} of them there was a file of no checkpoint, the last checkpoint of save {at}"
    )
