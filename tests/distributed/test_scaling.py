"""benchmarks/distributed/scaling.py: what it reads from compiled programs is what its formula says."""

from __future__ import annotations

import re

from benchmarks.distributed.scaling import Sizes, moved, textbook
from tests.support.processes import run


def test_the_bytes_of_a_programs_text():
    text = """
      %a = f32[4,8]{1,0} all-reduce(%x), channel_id=1, replica_groups=[2,4]<=[8], to_apply=%add
      %b = (f32[2]{0}, bf16[4]{0}) all-reduce(%x, %y), replica_groups={{0,1},{2,3}}, to_apply=%add
      %c = f32[16]{0} all-gather(%x), replica_groups=mesh['a'=8,'b'=2] {'b'}, dimensions={0}
      %d = f32[4]{0} collective-permute(%x), source_target_pairs={{0,1},{1,0}}
      %e = f32[100]{0} all-reduce(%x), replica_groups={{0},{1}}, to_apply=%add
    """
    total, counts = moved(text)
    assert total == 2 * 3 / 4 * 128 + 2 * 1 / 2 * 16 + 1 / 2 * 64 + 16
    assert counts == {"all-reduce": 2, "all-gather": 1, "collective-permute": 1}


def test_the_formula():
    s = Sizes(width=8, heads=2, blocks=1, tokens=4)
    parameters = 4 * (12 * 64 + 32)
    assert textbook("DDP", 4, 8, s) == textbook("FSDP", 4, 8, s) == 2 * 3 / 4 * parameters
    assert textbook("TP", 2, 8, s) == 4 * 2 * 1 / 2 * (8 * 4 * 8 * 4)


def test_compiled_programs_move_what_the_formula_says():
    printed = run(
        "benchmarks.distributed.scaling", "--devices", "4", "--width", "64", "--blocks", "1", "--weak"
    )
    rows = re.findall(r"^\| (DDP|FSDP|TP) \| 4 \|.*$", printed, re.MULTILINE)
    assert rows == ["DDP", "FSDP", "TP"]
    for line in printed.splitlines():
        cells = [c.strip() for c in line.split("|")]
        if len(cells) > 9 and cells[1] in rows:
            assert abs(float(cells[8]) - 1) < 0.05, line
