"""The toolkit on a mesh of four devices (`mesh_program.py`), and the facts whose data are spread over one
(`mesh_facts_program.py`)."""

from __future__ import annotations

from tests.support import processes
from tests.support.full import FULL


def test_on_a_mesh():
    names = [] if FULL else ["norms", "GGN"]
    printed = processes.run("tests.func.higher.mesh_program", *names)
    assert printed.split() == (names or printed.split()) and len(printed.split()) == (len(names) or 18)


def test_facts_on_a_mesh():
    lines = processes.run(
        "tests.func.higher.mesh_facts_program", *(["0", "1"] if FULL else ["7", "60"])
    ).splitlines()
    assert len(lines) >= (140 if FULL else 2) and all(line.startswith("holds:") for line in lines)
