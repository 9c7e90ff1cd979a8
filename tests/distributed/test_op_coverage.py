"""Ops of the sample set with a Shard on each axis in turn, over two devices: see ops_program.py. One op in forty; all with FUNCTORCH_LITE_PARITY=full,
for which a run takes half an hour."""

from __future__ import annotations

import json
import os

from tests.distributed.processes import run

WHOLE = os.environ.get("FUNCTORCH_LITE_PARITY") == "full"


def test_every_op_gives_what_one_device_gives():
    part = "0/1" if WHOLE else "7/40"
    lines = [
        json.loads(line)
        for line in run("tests.distributed.ops_program", "--part", part, devices=2, timeout=7200).splitlines()
    ]
    counts = lines.pop()["counts"]
    print(counts)
    assert not [line for line in lines if line["kind"] != "raises"], lines
    assert counts["equal"] > 0 and counts.get("raises", 0) <= 0.02 * counts["equal"], lines
