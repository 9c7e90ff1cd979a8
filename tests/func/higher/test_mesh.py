"""The toolkit on a mesh of four devices (`mesh_program.py`)."""

from __future__ import annotations

from tests.support import processes
from tests.support.full import FULL


def test_on_a_mesh():
    names = [] if FULL else ["norms", "GGN"]
    printed = processes.run("tests.func.higher.mesh_program", *names)
    assert printed.split() == (names or printed.split()) and len(printed.split()) == (len(names) or 18)
