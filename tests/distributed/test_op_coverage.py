"""Ops of the sample set with a Shard on each axis in turn, over two devices: see ops_program.py.
One op in forty; all with FUNCTORCH_LITE_PARITY=full, as they are and at sizes 4, 5 and 7 of the axis, which takes an
hour or two."""

from __future__ import annotations

import json

import pytest

from tests.support.full import FULL
from tests.support.processes import run


@pytest.mark.parametrize("sizes", [(), ("--sizes", "4,5,7")] if FULL else [()])
def test_every_op_gives_what_one_device_gives(sizes):
    part = "0/1" if FULL else "7/40"
    printed = run("tests.distributed.ops_program", "--part", part, *sizes, devices=2, timeout=7200)
    lines = [json.loads(line) for line in printed.splitlines()]
    counts = lines.pop()["counts"]
    print(counts)
    assert not [line for line in lines if line["kind"] != "raises"], lines
    assert counts["equal"] > 0 and counts.get("raises", 0) <= 0.02 * counts["equal"], lines
